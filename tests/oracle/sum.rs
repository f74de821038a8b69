//! Correctly rounded sums of doubles, by growing a nonoverlapping expansion: without integers or anything in common
//! with the engine's sums.
//!
//! Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", Discrete &
//! Computational Geometry 18 (1997), DOI 10.1007/PL00009321; the last rounding as in Python's `math.fsum`.

/// The sum of finite terms whose partial sums do not overflow, rounded once, half to even. An exact zero is +0.
pub fn correctly_rounded(terms: impl IntoIterator<Item = f64>) -> f64 {
    // Nonzero, nonoverlapping parts of ascending magnitude, whose sum is exactly that of the terms so far.
    let mut parts: Vec<f64> = Vec::new();
    for mut x in terms {
        let mut kept = 0;
        for i in 0..parts.len() {
            let (high, low) = two_sum(x, parts[i]);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            x = high;
        }
        parts.truncate(kept);
        if x != 0.0 {
            parts.push(x);
        }
    }
    let mut sum = 0.0;
    while let Some(part) = parts.pop() {
        let (high, low) = two_sum(sum, part);
        sum = high;
        if low != 0.0 {
            // Half a unit of the last place, rounded to even: the rest tips it if it goes the same way.
            let tips = parts.last().is_some_and(|next| (*next < 0.0) == (low < 0.0));
            let moved = sum + 2.0 * low;
            if tips && moved - sum == 2.0 * low {
                sum = moved;
            }
            break;
        }
    }
    sum
}

/// a + b as the rounded sum and its error, exactly (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let (b_part, a_part) = (sum - a, sum - (sum - a));
    (sum, (a - a_part) + (b - b_part))
}

#[test]
fn sums_that_can_be_worked_out_by_hand() {
    let tiny = 2f64.powi(-60);
    assert_eq!(correctly_rounded([1e300, 1.0, -1e300, tiny]), 1.0);
    assert_eq!(correctly_rounded([1.0, 2f64.powi(-53)]), 1.0);
    assert_eq!(correctly_rounded([1.0, 2f64.powi(-53), tiny * tiny]), 1.0 + f64::EPSILON);
    assert_eq!(correctly_rounded([1.0, 2f64.powi(-53), -tiny * tiny]), 1.0);
    assert_eq!(correctly_rounded([0.1; 10]), 1.0);
    assert_eq!(correctly_rounded([-0.0]).to_bits(), 0);
    assert_eq!(correctly_rounded([]).to_bits(), 0);
}
