//! Cube roots, correctly rounded.
//!
//! ```text
//! |x| = 2^(3 q) z, 1/2 <= z < 4, z = 2^j m, j = -1, 0 or 1
//! y = (1 + a) z^(1/3), |a| < 2^-24, of 26 bits: a polynomial in m times the root of 2^j
//! e = d y / (3 z - 2 d), d = z - y^3: z^(1/3) = y + e to within 2^-71
//! ```
//!
//! This is Halley's step, whose relative error is 2/3 a^3, below 2^-72. y^2 is exact, and so are the products of y with its
//! upper and its lower half; d, and each of the operations of e, add less than 2^-53 of e, together below 2^-74.
//!
//! y + e rounds as the root does unless a midpoint of two neighbouring numbers is within 2^-70 of it. In that case, once
//! in 100,000 arguments, the cube of the midpoint, an integer of 162 bits, is compared with z; no such midpoint is a root.

use crate::double_double::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { CBRT;
    const CBRT_0: f64 = 0.4259272866741085;
    const CBRT_1: f64 = 1.0557842834555178;
    const CBRT_2: f64 = -0.8895513236734277;
    const CBRT_3: f64 = 0.6450164395874838;
    const CBRT_4: f64 = -0.32376146090023533;
    const CBRT_5: f64 = 0.1044549115617742;
    const CBRT_6: f64 = -0.01946093079702026;
    const CBRT_7: f64 = 0.0015908185985660048;
    /// The cube root of 2^j for j = -1, 0, 1 is 1 + j (ROOT_1 + j ROOT_2).
    const ROOT_1: f64 = 0.2331102619553867;
    const ROOT_2: f64 = 0.026810787939486547;
    const THIRD: f64 = 0.3333333333333333;

    /// |x| = 2^(3 q) z, q in the lowest bits; below <= z^(1/3) <= above to within 2^-69, rounded.
    record Root root { q: B<N>, z: V<N>, below: V<N>, above: V<N> }

    lanes fn cbrt_parts(x: V<N>) -> Root<N> {
        let bits = to_bits(x.abs());
        let k = from_bits((bits >> 52) | 0x4330000000000000) - 4503599627371519.0;
        let shifted = k * THIRD + TO_INTEGER;
        let q = to_bits(shifted);
        let m = from_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
        let z = from_bits(bits - ((q + (q + q)) << 52));
        let j = k - (shifted - TO_INTEGER) * 3.0;
        let m2 = m * m;
        let both = cubics(m, m2, CBRT_0, CBRT_1, CBRT_2, CBRT_3, CBRT_4, CBRT_5, CBRT_6, CBRT_7);
        let y = upper((both.first + both.second * (m2 * m2)) * (1.0 + j * (ROOT_1 + j * ROOT_2)));
        let square = y * y;
        let square_upper = upper(square);
        let d = (z - square_upper * y) - (square - square_upper) * y;
        let e = (d * y) / (z * 3.0 - (d + d));
        // 2^-70.
        let margin = 8.470329472543003e-22;
        return root(q, z, y + (e - margin), y + (e + margin));
    }

    /// The root's exponent and sign.
    lanes fn cbrt_finished(y: V<N>, q: B<N>, x: V<N>) -> V<N> {
        return with_sign(from_bits(to_bits(y) + (q << 52)), x);
    }

    lanes fn cbrt_common(x: V<N>) -> Checked<N> {
        let a = cbrt_parts(x);
        let size = x.abs();
        let normal = number(2.2250738585072014e-308).le(size) & size.le(1.7976931348623157e308);
        return checked(cbrt_finished(a.below, a.q, x), normal & a.below.eq(a.above));
    }

    /// The nearer of two neighbours with the root of z between them, by the cube of their midpoint.
    scalar fn nearer_root(z: V<f64>, below: V<f64>, above: V<f64>) -> V<f64> {
        // The midpoint is `middle` 2^-53, or 2^-54 below 1; z is `whole` 2^-52 2^(-1, 0 or 1).
        let middle = (((word(below) & 0x000fffffffffffff) | 0x0010000000000000) << 1) | 1;
        let whole = (word(z) & 0x000fffffffffffff) | 0x0010000000000000;
        let places = difference(sum(word(z) >> 52, 107), 1023);
        let more = select(below.lt(1.0), 3.0, 0.0);
        let shift = difference(sum(places, word(more + 4503599627370496.0) & 15), 64);
        let square_low = product_low(middle, middle);
        let square_high = product_high(middle, middle);
        let cube_1 = product_high(square_low, middle);
        let cube_2 = product_high(square_high, middle);
        let upper_1 = product_low(square_high, middle);
        let word_1 = sum(cube_1, upper_1);
        let mut word_2 = cube_2;
        if (word_1 < cube_1) { word_2 = sum(word_2, 1); }
        let z_2 = whole >> difference(64, shift);
        let z_1 = whole << shift;
        if (word_2 > z_2) { return below; }
        if (word_2 < z_2) { return above; }
        if (word_1 < z_1) { return above; }
        return below;
    }

    scalar fn cbrt_of_normal(x: V<f64>) -> V<f64> {
        let a = cbrt_parts(x);
        if (all(a.below.eq(a.above))) { return cbrt_finished(a.below, a.q, x); }
        return cbrt_finished(nearer_root(a.z, a.below, a.above), a.q, x);
    }

    scalar fn cbrt_rare(x: V<f64>) -> V<f64> {
        if (!all(x.eq(x))) { return not_a_number(x); }
        if (all(x.eq(0.0)) | all(x.abs().eq(infinity(x)))) { return x; }
        if (all(x.abs().lt(2.2250738585072014e-308))) {
            return cbrt_of_normal(x * 18014398509481984.0) * 0.000003814697265625;
        }
        return cbrt_of_normal(x);
    }

    /// The cube root of x, correctly rounded. Short way: normal numbers. x for zeros and infinities.
    public fn cbrt(x) = cbrt_common, cbrt_rare, cbrt_one, sm_cbrt;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midpoints_decide_between_neighbours() {
        let mut bits = 7u64;
        for _ in 0..10_000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // From 1/2 to 4.
            let z = f64::from_bits((bits >> 12) + ((1022 + bits % 3) << 52));
            let root = cbrt(z);
            let (below, above) = (f64::from_bits(root.to_bits() - 1), f64::from_bits(root.to_bits() + 1));
            assert_eq!(nearer_root(V(z), V(below), V(root)).0, root, "{z:e}");
            assert_eq!(nearer_root(V(z), V(root), V(above)).0, root, "{z:e}");
        }
    }
}
