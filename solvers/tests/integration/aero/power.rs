use cfd_engine::lane::Lanes;
use cfd_solvers::aero::power::power;
use num_bigint::BigInt;

/// Pseudo-random numbers, the same in every run: a linear congruential generator's upper bits.
struct Draws(u64);

impl Draws {
    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// A positive normal number as an integer of 53 bits times a power of two.
fn parts(x: f64) -> (BigInt, i64) {
    let bits = x.to_bits();
    assert!(x.is_normal() && x > 0.0);
    (BigInt::from(bits & ((1 << 52) - 1) | 1 << 52), (bits >> 52) as i64 - 1075)
}

/// True when `r` is less than 0.51 units in the last place away from x^(twice / 2), by exact integers: its square is
/// between those of r - 0.51 units and r + 0.51 units.
fn is_nearest(r: f64, x: f64, twice: u32) -> bool {
    let ((m, e), (mx, ex)) = (parts(r), parts(x));
    let (low, high): (BigInt, BigInt) = (&m * 100 - 51, &m * 100 + 51);
    let (mut power, power_exponent) = (mx.pow(twice) * 10_000, ex * i64::from(twice));
    let (mut low, mut high) = (&low * &low, &high * &high);
    // Both sides times the same power of two, to make both integers.
    match power_exponent - 2 * e {
        up @ 0.. => power <<= up as u64,
        down => {
            low <<= -down as u64;
            high <<= -down as u64;
        }
    }
    low < power && power < high
}

#[test]
fn half_integer_powers_are_the_nearest_numbers_by_exact_arithmetic() {
    let mut draws = Draws(1);
    for twice in [1, 2, 3, 4, 5, 7, 10, 13, 20, 51] {
        for _ in 0..400 {
            let x = match twice % 3 {
                0 => draws.between(0.2, 1.3),
                1 => draws.between(0.9, 1.1),
                _ => 2f64.powf(draws.between(-19.0, 19.0)),
            };
            let r = power(x, f64::from(twice) / 2.0);
            assert!(is_nearest(r, x, twice), "{x:e} to the power {twice}/2 is not {r:e}");
        }
    }
}

#[test]
fn the_exact_comparison_sees_a_unit_in_the_last_place() {
    let r = power(1.7, 2.5);
    assert!(is_nearest(r, 1.7, 5));
    assert!(!is_nearest(r.next_up(), 1.7, 5) && !is_nearest(r.next_down(), 1.7, 5));
}

#[test]
fn any_power_is_within_a_unit_in_the_last_place_of_the_system_s() {
    let mut draws = Draws(2);
    for _ in 0..20_000 {
        let x = 2f64.powf(draws.between(-40.0, 40.0));
        let n = draws.between(-17.0, 17.0);
        let (ours, theirs) = (power(x, n), x.powf(n));
        let apart = ours.to_bits().abs_diff(theirs.to_bits());
        assert!(apart <= 1, "{x:e} to the power {n}: {ours:e}, not {theirs:e}");
    }
    // The densities of other gases, from the stagnation point to the vacuum.
    for gamma in [1.001, 1.1, 1.3, 1.39999997615814, 5.0 / 3.0, 2.0, 3.0] {
        let n = 1.0 / (gamma - 1.0);
        for _ in 0..1000 {
            let x = draws.between(0.05, 1.3);
            let (ours, theirs) = (power(x, n), x.powf(n));
            if theirs.is_normal() {
                assert!(
                    ours.to_bits().abs_diff(theirs.to_bits()) <= 1,
                    "{x} to the power {n}: {ours:e}, {theirs:e}"
                );
            }
        }
    }
}

#[test]
fn exact_results_are_exact_and_the_ends_of_the_range_are_kept() {
    for x in [f64::MIN_POSITIVE, 1e-300, 0.3, 1.0, std::f64::consts::SQRT_2, 7.0, 1e300, f64::MAX] {
        assert_eq!(power(x, 1.0), x);
        assert_eq!(power(x, 0.0), 1.0);
        assert_eq!(power(1.0, x.min(1e6)), 1.0);
    }
    for k in -500..500 {
        let x = 2f64.powi(2 * k);
        assert_eq!(power(x, 0.5), 2f64.powi(k));
        assert_eq!(power(x, -0.5), 2f64.powi(-k));
    }
    assert_eq!(power(4.9e-324, 1.0), 4.9e-324);
    assert_eq!((power(2.0, 1024.0), power(0.5, 1100.0)), (f64::INFINITY, 0.0));
    assert_eq!((power(1e300, 1e3), power(1e300, -1e3)), (f64::INFINITY, 0.0));
    for x in [0.0, -0.0, -1.0, f64::NEG_INFINITY, f64::INFINITY, f64::NAN] {
        assert!(power(x, 2.5).is_nan(), "{x}");
    }
}

#[test]
fn lanes_have_the_bits_of_the_scalar_function() {
    let mut draws = Draws(3);
    for _ in 0..500 {
        let x: [f64; 4] = std::array::from_fn(|_| draws.between(-0.1, 1.5));
        let n: [f64; 4] = std::array::from_fn(|_| draws.between(0.1, 30.0));
        let Lanes(lanes) = power(Lanes(x), Lanes(n));
        for i in 0..4 {
            assert_eq!(lanes[i].to_bits(), power(x[i], n[i]).to_bits());
        }
    }
}
