//! In each lane, every lane type computes what one lane does, and it moves rows to lanes and back.

use super::width::Registers;
#[cfg(target_arch = "x86_64")]
use super::x86::{avx2::F64x4, avx512::F64x8};
use super::{F64x2, Int, LaneStored, Lanes, Real, Vector};

/// Numbers of all kinds, which are combined in all pairs.
const NUMBERS: [f64; 12] = [
    0.0,
    -0.0,
    1.5,
    -2.25,
    1.0 / 3.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    5e-324,
    -1e300,
    1.5,
    f64::EPSILON,
];

/// Counts all NaN as one.
fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

/// Calls a check for every kind of registers that the processor has.
macro_rules! in_registers {
    ($check:ident) => {
        for registers in Registers::of_this_processor() {
            match registers {
                Registers::Scalar => $check::<1, f64>(),
                Registers::Two => $check::<2, F64x2>(),
                #[cfg(target_arch = "x86_64")]
                Registers::Four => $check::<4, F64x4>(),
                #[cfg(target_arch = "x86_64")]
                Registers::Eight => $check::<8, F64x8<false>>(),
            }
        }
        // Stands for processors without supported registers.
        $check::<3, Lanes<3>>();
    };
}

/// Calls a check for every lane type that the processor has.
macro_rules! in_all_widths {
    ($check:ident) => {
        in_registers!($check);
        #[cfg(target_arch = "x86_64")]
        if Registers::of_this_processor().any(|registers| registers == Registers::Eight) {
            $check::<8, F64x8<true>>();
        }
        $check::<2, Lanes<2>>();
    };
}

/// A number for each lane, different for each `start`.
fn numbers<const W: usize>(start: usize, step: usize) -> [f64; W] {
    std::array::from_fn(|e| NUMBERS[(start + step * e) % NUMBERS.len()])
}

fn arithmetic<const W: usize, R: Vector<W>>() {
    type Binary<T> = fn(T, T) -> T;
    let operations: [(&str, Binary<R>, Binary<f64>); 11] = [
        ("+", |a, b| a + b, |a, b| a + b),
        ("-", |a, b| a - b, |a, b| a - b),
        ("*", |a, b| a * b, |a, b| a * b),
        ("/", |a, b| a / b, |a, b| a / b),
        ("neg", |a, _| -a, |a, _| -a),
        ("sqrt", |a, _| a.sqrt(), |a, _| f64::sqrt(a)),
        ("abs", |a, _| Real::abs(a), |a, _| f64::abs(a)),
        ("min", Real::min, |a, b| if a < b { a } else { b }),
        ("max", Real::max, |a, b| if b < a { a } else { b }),
        ("lt", |a, b| R::select(a.lt(b), R::splat(1.0), a), |a, b| if a < b { 1.0 } else { a }),
        (
            "le, eq, not, and, or",
            |a, b| R::select((a.le(b) & !a.eq(b)) | b.lt(a), b, R::splat(-3.0)),
            |a, b| if a < b || b < a { b } else { -3.0 },
        ),
    ];
    for start in 0..NUMBERS.len() {
        for step in 0..NUMBERS.len() {
            let (a, b) = (numbers::<W>(start, 1), numbers::<W>(start + step, 5));
            for (name, together, alone) in operations {
                let results = together(R::from_array(a), R::from_array(b)).to_array();
                for e in 0..W {
                    let expected = alone(a[e], b[e]);
                    assert_eq!(bits(results[e]), bits(expected), "{} {name} {}, lane {e} of {W}", a[e], b[e]);
                }
            }
            let some = (0..W).any(|e| a[e] < b[e]);
            assert_eq!(R::any(R::from_array(a).lt(R::from_array(b))), some, "{a:?} < {b:?}");
        }
    }
}

#[test]
fn every_lane_type_has_the_bits_of_one_lane() {
    in_all_widths!(arithmetic);
}

fn integers<const W: usize, R: Vector<W>>() {
    for shift in -3..4 {
        let a: [i32; W] = std::array::from_fn(|e| e as i32 - 2);
        let b: [i32; W] = a.map(|value| shift - value);
        let (x, y) = (R::ints_from_array(a), R::ints_from_array(b));
        let result = R::Int::select(x.lt(y), x * y + R::Int::splat(7), x - y);
        let other = R::Int::select(x.le(y) & !x.eq(y), x, R::Int::splat(0));
        for e in 0..W {
            let expected = if a[e] < b[e] { a[e] * b[e] + 7 } else { a[e] - b[e] };
            assert_eq!(R::ints_to_array(result)[e], expected, "lane {e} of {W}");
            assert_eq!(R::ints_to_array(other)[e], if a[e] < b[e] { a[e] } else { 0 }, "lane {e} of {W}");
        }
        // The masks of integers are those of numbers.
        let mixed = R::select(x.lt(y), R::splat(1.0), R::splat(2.0)).to_array();
        assert!((0..W).all(|e| mixed[e] == if a[e] < b[e] { 1.0 } else { 2.0 }));
    }
}

#[test]
fn integers_in_lanes_are_those_of_one_lane() {
    in_all_widths!(integers);
}

/// A value that must not change around what is stored.
const GUARD: f64 = -7.0;

fn rows<const D: usize, const W: usize, R: Vector<W>>() {
    // Rows far apart and out of order, between guards.
    let store: Vec<f64> = (0..2 * W * D).map(|i| i as f64 + 0.5).collect();
    let row = |e: usize| ((5 * e + 3) % W) * 2 + 1;
    let places: [*const f64; W] = std::array::from_fn(|e| store[row(e) * D..].as_ptr());
    // SAFETY: D numbers begin at every place.
    let lanes = unsafe { f64::load_rows::<W, D, R>(places) };
    for m in 0..D {
        for e in 0..W {
            assert_eq!(
                lanes[m].to_array()[e],
                store[row(e) * D + m],
                "component {m} of {D}, lane {e} of {W}"
            );
        }
    }
    // SAFETY: the store has more than W rows.
    let lanes = unsafe { f64::load_block::<W, D, R>(store[D..].as_ptr()) };
    for m in 0..D {
        for e in 0..W {
            assert_eq!(
                lanes[m].to_array()[e],
                store[(e + 1) * D + m],
                "component {m} of {D}, lane {e} of {W}"
            );
        }
    }
    let mut copy = vec![GUARD; W * D + 2];
    // SAFETY: there is room for W rows after the guard.
    unsafe { f64::store_block::<W, D, R>(&lanes, copy[1..].as_mut_ptr()) };
    assert_eq!((copy[0], copy[W * D + 1]), (GUARD, GUARD), "{D} components of {W} lanes");
    assert_eq!(copy[1..=W * D], store[D..][..W * D], "{D} components of {W} lanes");
    let mut copy = vec![GUARD; W * D + 2];
    for e in 0..W {
        // SAFETY: as before; only what has been stored is read.
        let row = unsafe {
            f64::store_grouped::<W, D, R>(&lanes, copy[1..].as_mut_ptr());
            f64::grouped_row::<W, D>(copy[1..].as_ptr(), e)
        };
        assert_eq!(row, store[(e + 1) * D..][..D], "row {e} of {W}, {D} components");
    }
    assert_eq!((copy[0], copy[W * D + 1]), (GUARD, GUARD), "{D} components of {W} lanes");
}

fn rows_of_all_lengths<const W: usize, R: Vector<W>>() {
    rows::<1, W, R>();
    rows::<2, W, R>();
    rows::<3, W, R>();
    rows::<4, W, R>();
    rows::<5, W, R>();
    rows::<6, W, R>();
    rows::<7, W, R>();
    rows::<8, W, R>();
    rows::<16, W, R>();
}

#[test]
fn rows_become_lanes_and_lanes_become_rows() {
    in_all_widths!(rows_of_all_lengths);
}

fn targets<const N: usize, const I: usize, const W: usize, R: Vector<W>>() {
    let store: Vec<f64> = (0..1000).map(|i| f64::from(i) + 0.5).collect();
    let map: Vec<[u32; N]> =
        (0..W + 3).map(|e| std::array::from_fn(|i| (e * 397 + i * 211) as u32 % 1000)).collect();
    for first in 0..3 {
        // SAFETY: the map has W rows from `first` on, and leads to numbers.
        let lanes = unsafe { f64::load_targets::<W, N, I, R>(store.as_ptr(), map[first..].as_ptr()) };
        let expected: [f64; W] = std::array::from_fn(|e| f64::from(map[first + e][I]) + 0.5);
        assert_eq!(lanes.to_array(), expected, "index {I} of {N}, row {first}, {W} lanes");
    }
}

fn targets_of_all_maps<const W: usize, R: Vector<W>>() {
    targets::<1, 0, W, R>();
    targets::<2, 0, W, R>();
    targets::<2, 1, W, R>();
    targets::<3, 1, W, R>();
    targets::<4, 0, W, R>();
    targets::<4, 1, W, R>();
    targets::<4, 2, W, R>();
    targets::<4, 3, W, R>();
    targets::<8, 5, W, R>();
}

#[test]
fn every_index_of_a_map_leads_to_its_number() {
    in_all_widths!(targets_of_all_maps);
}

fn integer_rows<const W: usize, R: Vector<W>>() {
    let store: Vec<i32> = (0..3 * W as i32).map(|i| 100 - 9 * i).collect();
    // SAFETY: there are W rows of 3.
    let lanes = unsafe { i32::load_block::<W, 3, R>(store.as_ptr()) };
    let mut copy = vec![0; 3 * W];
    // SAFETY: there is room for W rows of 3.
    unsafe { i32::store_block::<W, 3, R>(&lanes, copy.as_mut_ptr()) };
    assert_eq!(copy, store);
    assert!((0..W).all(|e| R::ints_to_array(lanes[1])[e] == store[3 * e + 1]));
}

#[test]
fn rows_of_integers_become_lanes_and_lanes_become_rows() {
    in_all_widths!(integer_rows);
}

/// Numbers of all sizes, so that vectors have lanes inside and outside the ranges of the functions' short ways.
fn drawn(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    let bits = *state ^ (*state >> 29);
    match (bits >> 32) % 16 {
        0 => f64::from_bits(bits),
        1 => NUMBERS[(bits >> 40) as usize % NUMBERS.len()],
        _ => f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1019 + (bits >> 40) % 8) << 52),
    }
}

fn functions<const W: usize, R: Vector<W>>() {
    type Binary<T> = fn(T, T) -> T;
    macro_rules! of_one {
        ($($function:ident)*) => {
            [$((stringify!($function), |a, _| R::$function(a), |a, _| same_math::$function(a))),*]
        };
    }
    let of_one: [(&str, Binary<R>, Binary<f64>); 16] =
        of_one!(exp exp2 exp_m1 ln log2 ln_1p cbrt sin cos tan atan asin acos sinh cosh tanh);
    let of_two: [(&str, Binary<R>, Binary<f64>); 5] = [
        ("atan2", R::atan2, same_math::atan2),
        ("powf", R::powf, same_math::powf),
        ("powi 3", |a, _| a.powi(3), |a, _| same_math::powi(a, 3)),
        ("powi -7", |a, _| a.powi(-7), |a, _| same_math::powi(a, -7)),
        ("powi 21", |a, _| a.powi(21), |a, _| same_math::powi(a, 21)),
    ];
    let mut state = 17;
    for (name, together, alone) in of_one.into_iter().chain(of_two) {
        // A million arguments for every lane type, all functions together.
        for _ in 0..50_000 / W {
            let (a, b): ([f64; W], [f64; W]) =
                (std::array::from_fn(|_| drawn(&mut state)), std::array::from_fn(|_| drawn(&mut state)));
            let results = together(R::from_array(a), R::from_array(b)).to_array();
            for e in 0..W {
                let expected = alone(a[e], b[e]);
                assert_eq!(
                    results[e].to_bits(),
                    expected.to_bits(),
                    "{name} of {:e}, {:e}: {:e}, not {expected:e}; lane {e} of {W}",
                    a[e],
                    b[e],
                    results[e]
                );
            }
        }
    }
}

#[test]
fn functions_in_lanes_have_the_bits_of_one_lane() {
    in_registers!(functions);
}
