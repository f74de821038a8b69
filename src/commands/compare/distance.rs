//! How far apart two numbers are.

/// A precision: the number of digits after the leading one, and the least exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    digits: i32,
    least: i32,
}

/// Double precision.
pub const DOUBLE: Precision = Precision { digits: 52, least: -1022 };
/// Single precision.
pub const SINGLE: Precision = Precision { digits: 23, least: -126 };

/// |a - b| in units in the last place of the larger of the two, rounded up: 0 for equal numbers, -0 and 0 among them, 1 for
/// neighbours, and as many as there are steps between two numbers of one sign and one exponent. Numbers of different signs
/// are as far apart as their difference is large: 2^54 at most, whatever lies between them.
pub fn ulps(a: f64, b: f64, precision: Precision) -> u64 {
    if a == b {
        return 0;
    }
    let unit = unit(a.abs().max(b.abs()), precision);
    let difference = (a - b).abs();
    // The difference of the halves does not overflow, and halving is exact: both numbers are far above the subnormals.
    let units =
        if difference.is_finite() { difference / unit } else { (0.5 * a - 0.5 * b).abs() / (0.5 * unit) };
    units.ceil() as u64
}

/// The unit in the last place of a positive number: a power of two.
fn unit(value: f64, Precision { digits, least }: Precision) -> f64 {
    // A subnormal number's field is 0, one less than the exponent it stands for.
    let exponent = ((value.to_bits() >> 52) as i32 - 1023).max(least);
    match exponent - digits {
        power @ -1022.. => f64::from_bits(((power + 1023) as u64) << 52),
        power => f64::from_bits(1 << (power + 1074)),
    }
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
        // As above.
        (0.5 * a - 0.5 * b).abs() / (0.5 * largest)
    }
}

/// The allowed difference: |a - b| <= atol + rtol max(|a|, |b|).
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Tolerance {
    /// As a share of the larger of the two.
    pub rtol: f64,
    /// By itself.
    pub atol: f64,
}

impl Tolerance {
    /// Whether two numbers differ by no more than this. Values that are not finite differ from all but themselves.
    pub fn allows(self, a: f64, b: f64) -> bool {
        a == b
            || (a - b).abs() <= self.atol + self.rtol * a.abs().max(b.abs()) && a.is_finite() && b.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TINY: f64 = f64::from_bits(1);

    fn in_double(a: f64, b: f64) -> u64 {
        ulps(a, b, DOUBLE)
    }

    proptest! {
        #[test]
        fn ulps_are_the_steps_that_a_loop_takes_within_one_exponent(
            start in any::<f64>().prop_filter("a number", |v| v.is_finite()),
            steps in 0u64..600,
        ) {
            let mut end = start;
            let mut taken = 0;
            let exponent = |v: f64| v.to_bits() >> 52;
            while taken < steps && exponent(end.next_up()) == exponent(start) {
                end = end.next_up();
                taken += 1;
            }
            prop_assert_eq!(in_double(start, end), taken);
            prop_assert_eq!(in_double(end, start), taken);
        }

        #[test]
        fn neighbours_are_one_ulp_apart_everywhere_and_nothing_is_farther_than_2_to_54(a: f64, b: f64) {
            prop_assume!(a.is_finite() && b.is_finite() && a.next_up().is_finite());
            prop_assert_eq!(in_double(a, a.next_up()), u64::from(a != a.next_up()));
            let distance = in_double(a, b);
            prop_assert!(distance <= 1 << 54);
            prop_assert_eq!(distance, in_double(b, a));
            prop_assert_eq!(distance, in_double(-a, -b));
            prop_assert_eq!(distance == 0, a == b);
        }

        #[test]
        fn single_precision_has_its_own_steps(start: f32, steps in 0u64..300) {
            prop_assume!(start.is_finite());
            let mut end = start;
            let mut taken = 0;
            let exponent = |v: f32| v.to_bits() >> 23;
            while taken < steps && exponent(end.next_up()) == exponent(start) {
                end = end.next_up();
                taken += 1;
            }
            prop_assert_eq!(ulps(start.into(), end.into(), SINGLE), taken);
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
    fn a_tiny_number_on_either_side_of_zero_is_near_the_other() {
        assert_eq!((in_double(-0.0, 0.0), relative(-0.0, 0.0)), (0, 0.0));
        assert_eq!((in_double(TINY, 0.0), in_double(-TINY, 0.0), in_double(-TINY, TINY)), (1, 1, 2));
        // Counting all doubles between them would give 8.6e18.
        assert_eq!(in_double(-1e-17, 1e-17), 2 * in_double(0.0, 1e-17));
        assert!(in_double(0.0, 1e-17) <= 1 << 53);
        assert_eq!(in_double(1.0, 1.0 - 0.5 * f64::EPSILON), 1);
    }

    #[test]
    fn subnormals_and_the_largest_numbers_have_their_units() {
        assert_eq!((relative(TINY, 0.0), relative(TINY, 2.0 * TINY), relative(-TINY, TINY)), (1.0, 0.5, 2.0));
        assert_eq!(in_double(f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down()), 1);
        assert_eq!(relative(f64::MAX, -f64::MAX), 2.0);
        assert_eq!(relative(f64::MAX, -0.5 * f64::MAX), 1.5);
        assert_eq!(in_double(f64::MAX, -f64::MAX), (1 << 54) - 2);
        assert_eq!(in_double(f64::MAX, f64::MAX.next_down()), 1);
    }

    #[test]
    fn tolerances_add_up_and_allow_nothing_that_is_not_finite() {
        let tolerance = Tolerance { rtol: 1e-3, atol: 1e-6 };
        assert!(tolerance.allows(1.0, 1.0009) && !tolerance.allows(1.0, 1.0011));
        assert!(tolerance.allows(0.0, 1e-6) && !tolerance.allows(0.0, 1.1e-6));
        assert!(
            Tolerance::default().allows(0.0, -0.0) && !Tolerance::default().allows(1.0, 1.0f64.next_up())
        );
        for (a, b) in [(f64::NAN, f64::NAN), (f64::INFINITY, 1.0), (f64::INFINITY, f64::NEG_INFINITY)] {
            assert!(!Tolerance { rtol: 1.0, atol: 1e308 }.allows(a, b), "{a} {b}");
        }
        assert!(Tolerance::default().allows(f64::INFINITY, f64::INFINITY));
    }
}
