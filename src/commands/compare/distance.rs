//! How far apart two numbers are.

/// Steps between neighbouring doubles from `a` to `b`: 0 exactly when their bits are equal.
///
/// The bits, read as integers, are put in the order of the numbers: ... -2^-1074, -0, 0, 2^-1074 ..., infinity. So -0
/// and 0 are one step apart, and a step is one unit in the last place (ulp).
pub fn ulps(a: f64, b: f64) -> u64 {
    ordered(a).abs_diff(ordered(b))
}

/// An integer that is larger for a larger number: a negative number's magnitude counts downwards.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// Relative difference |a - b| / max(|a|, |b|) of finite numbers: from 0 to 2; 0 for equal numbers, -0 and 0 among them.
pub fn relative(a: f64, b: f64) -> f64 {
    if a == b {
        return 0.0;
    }
    let largest = a.abs().max(b.abs());
    let difference = (a - b).abs();
    if difference.is_finite() {
        difference / largest
    } else {
        // The halves' difference has room, and halving is exact: both numbers are far above the subnormals.
        (0.5 * a - 0.5 * b).abs() / (0.5 * largest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TINY: f64 = f64::from_bits(1);

    /// The next number upwards, one after the other, -0 before 0.
    fn next(value: f64) -> f64 {
        if value.to_bits() == (-0.0f64).to_bits() { 0.0 } else { value.next_up() }
    }

    proptest! {
        #[test]
        fn ulps_are_the_steps_that_a_loop_takes(
            start in prop_oneof![
                any::<f64>().prop_filter("a number", |v| v.is_finite()),
                (-300i32..300).prop_map(|k| f64::from(k) * TINY),
                (-60i32..60).prop_map(|k| 2f64.powi(k).next_down().next_down()),
                (-60i32..60).prop_map(|k| (-2f64.powi(k)).next_down().next_down()),
            ],
            steps in 0u64..600,
        ) {
            let mut end = start;
            let mut taken = 0;
            while taken < steps && end != f64::INFINITY {
                end = next(end);
                taken += 1;
            }
            prop_assert_eq!(ulps(start, end), taken);
            prop_assert_eq!(ulps(end, start), taken);
        }

        #[test]
        fn relative_differences_lie_between_half_an_ulp_and_two(a: f64, b: f64) {
            prop_assume!(a.is_finite() && b.is_finite() && a != b);
            let difference = relative(a, b);
            prop_assert!((0.5 * f64::EPSILON..=2.0).contains(&difference), "{}", difference);
            prop_assert_eq!(difference, relative(b, a));
            prop_assert_eq!(difference, relative(-a, -b));
        }
    }

    #[test]
    fn zeros_of_both_signs_are_a_step_apart_and_no_relative_difference() {
        assert_eq!((ulps(-0.0, 0.0), relative(-0.0, 0.0)), (1, 0.0));
        assert_eq!((ulps(0.0, 0.0), ulps(-0.0, -0.0)), (0, 0));
    }

    #[test]
    fn subnormals_count_their_steps_through_zero() {
        assert_eq!((ulps(TINY, 0.0), ulps(-TINY, 0.0), ulps(-TINY, TINY)), (1, 2, 3));
        assert_eq!((relative(TINY, 0.0), relative(TINY, 2.0 * TINY), relative(-TINY, TINY)), (1.0, 0.5, 2.0));
        assert_eq!(ulps(f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down()), 1);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        assert_eq!(relative(f64::MAX, -f64::MAX), 2.0);
        assert_eq!(relative(f64::MAX, -0.5 * f64::MAX), 1.5);
        assert_eq!(ulps(f64::MAX, f64::INFINITY), 1);
        assert_eq!(ulps(f64::NEG_INFINITY, f64::INFINITY), 2 * 0x7ff0_0000_0000_0000 + 1);
    }
}
