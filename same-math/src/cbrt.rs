//! Cube roots, correctly rounded.
//!
//! ```text
//! |x| = 2^(3 q) z, 1/2 <= z < 4
//! r = z^(-1/3) (1 + 2^-17) by a polynomial, then one step of the third order
//! y = z r^2, e = (z - y^3) r^2 / 3 with y^3 in two parts: z^(1/3) = y + e to within 2^-97
//! ```
//!
//! y + e rounds as the root does unless a midpoint of two neighbouring numbers is within 2^-94 of it. In that case, the
//! cube of the midpoint, an integer of 162 bits, is compared with z; no such midpoint is a root.

use crate::double_double::*;
use crate::number::Number;
use crate::text::text;
use crate::value::*;

text! { CBRT;
    const CBRT_0: f64 = 1.781057569564023;
    const CBRT_1: f64 = -1.566028273028271;
    const CBRT_2: f64 = 1.2437849005598836;
    const CBRT_3: f64 = -0.5978723199023349;
    const CBRT_4: f64 = 0.1560713790445051;
    const CBRT_5: f64 = -0.01701900525665552;
    const ROOT: f64 = 1.2599210498948732;
    const INVERSE_ROOT: f64 = 0.7937005259840998;
    const THIRD: f64 = 0.3333333333333333;

    /// |x| = 2^(3 q) z, q in the lowest bits; below <= z^(1/3) <= above to within 2^-94, rounded.
    record Root root { q: B<N>, z: V<N>, below: V<N>, above: V<N> }

    lanes fn cbrt_parts(x: V<N>) -> Root<N> {
        let bits = to_bits(x.abs());
        let k = from_bits((bits >> 52) | 0x4330000000000000) - 4503599627371519.0;
        let q = to_bits(k * THIRD + TO_INTEGER);
        let m = from_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
        let z = from_bits(bits - ((q + (q + q)) << 52));
        let m2 = m * m;
        let start = (CBRT_0 + CBRT_1 * m) + m2 * ((CBRT_2 + CBRT_3 * m) + m2 * (CBRT_4 + CBRT_5 * m));
        let factor = select(z.lt(1.0), ROOT, select(z.lt(2.0), 1.0, INVERSE_ROOT));
        let r0 = start * factor;
        let h = 1.0 - z * (r0 * r0 * r0);
        let r = r0 + r0 * (h * (THIRD + h * 0.2222222222222222));
        let r2 = r * r;
        let y = z * r2;
        let square = two_square(y);
        let cube = two_product(y, square.high);
        let e = ((z - cube.high) - (cube.low + y * square.low)) * (r2 * THIRD);
        // 2^-94.
        let margin = 5.048709793414476e-29;
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
