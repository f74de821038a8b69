//! LULESH against the public code, which uses the C library's cube roots, and with correctly rounded ones.

use cfd_reference::lulesh::Lulesh;

/// Elements per edge, cycles, the energy at the origin, and the deviation of the plane of low zeta from symmetry: the
/// largest difference, all of them, the largest relative one.
struct Published {
    size: usize,
    cycles: u64,
    energy: &'static str,
    asymmetry: [&'static str; 3],
}

/// Results of the public code, compiled without contraction, with the GNU C library's cube roots as they were up to
/// 2.40.
const PUBLISHED: [Published; 3] = [
    Published {
        size: 5,
        cycles: 72,
        energy: "7.85366510214584468e3",
        asymmetry: ["3.4e-13", "7.7e-13", "7.1e-14"],
    },
    Published {
        size: 10,
        cycles: 231,
        energy: "2.72053116847034689e4",
        asymmetry: ["2.3e-12", "1.7e-11", "4.6e-14"],
    },
    Published {
        size: 30,
        cycles: 932,
        energy: "2.02507478507199383e5",
        asymmetry: ["7.6e-11", "8.6e-10", "1.5e-12"],
    },
];

/// Energies with correctly rounded cube roots, as bits.
const CORRECT: [(usize, u64); 2] = [(5, 0x40be_adaa_4422_5cea), (10, 0x40da_9153_f2a4_6600)];

fn run(size: usize, cbrt: fn(f64) -> f64) -> (u64, Lulesh) {
    let mut lulesh = Lulesh::new(size, cbrt);
    let cycles = lulesh.run().expect("a blast that stays sound");
    (cycles, lulesh)
}

/// The C library's cube root. Programs resolve Rust's own first, so the library is requested by name.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
fn of_the_c_library(x: f64) -> f64 {
    use std::ffi::{c_char, c_int, c_void};
    use std::sync::OnceLock;

    type Cbrt = unsafe extern "C" fn(f64) -> f64;
    unsafe extern "C" {
        fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    const NOW: c_int = 2;
    static CBRT: OnceLock<Cbrt> = OnceLock::new();
    let cbrt = CBRT.get_or_init(|| {
        // SAFETY: both strings end with a zero byte; C declares `double cbrt(double)`.
        unsafe {
            let library = dlopen(c"libm.so.6".as_ptr(), NOW);
            assert!(!library.is_null(), "the C library has functions of numbers");
            let found = dlsym(library, c"cbrt".as_ptr());
            assert!(!found.is_null(), "the C library has a cube root");
            std::mem::transmute::<*mut c_void, Cbrt>(found)
        }
    });
    // SAFETY: the function of above takes any number.
    unsafe { cbrt(x) }
}

/// Whether the C library is one of those that round many cube roots to the second nearest number.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
fn rounds_as_published() -> bool {
    (1..1000).any(|k| {
        let x = 1.37e-3 * f64::from(k);
        of_the_c_library(x) != libm::cbrt(x)
    })
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[test]
fn the_c_librarys_cube_roots_give_the_digits_of_the_public_code() {
    if !rounds_as_published() {
        eprintln!("not compared: this C library's cube roots are correctly rounded");
        return;
    }
    // The largest takes a minute where it is not optimised.
    let sizes = if cfg!(debug_assertions) { 2 } else { 3 };
    for published in &PUBLISHED[..sizes] {
        let (cycles, lulesh) = run(published.size, of_the_c_library);
        let energy = lulesh.state()[0].e;
        assert_eq!((cycles, format!("{energy:.17e}")), (published.cycles, published.energy.into()));
        assert_eq!(lulesh.asymmetry().map(|value| format!("{value:.1e}")), published.asymmetry);
    }
}

#[test]
fn correctly_rounded_cube_roots_give_other_last_bits_and_the_same_cycles() {
    for (published, (size, bits)) in PUBLISHED.iter().zip(CORRECT) {
        let (cycles, lulesh) = run(size, |x| {
            let root = libm::cbrt(x);
            assert!(is_nearest(x, root), "the cube root of {x:e} is not {root:e}");
            root
        });
        let energy = lulesh.state()[0].e;
        assert_eq!((cycles, energy.to_bits()), (published.cycles, bits), "size {size}: {energy:e}");
        let off = energy / published.energy.parse::<f64>().expect("a number") - 1.0;
        assert!(off.abs() < 1e-14, "size {size}: off by {off:e}");
        assert!(lulesh.asymmetry()[2] < 1e-12);
    }
}

/// Whether no double is nearer to the cube root of a positive normal number: (root - ulp/2)^3 < x < (root + ulp/2)^3, in
/// integers.
fn is_nearest(x: f64, root: f64) -> bool {
    let parts = |value: f64| {
        let bits = value.to_bits();
        (bits & ((1 << 52) - 1) | 1 << 52, (bits >> 52) as i32 - 1075)
    };
    let ((m, exponent), (r, root_exponent)) = (parts(x), parts(root));
    // Both sides in units of 2^(3 (root_exponent - 1)); the cube of a half way number has 165 bits at most.
    let shift = exponent - 3 * (root_exponent - 1);
    let target = shifted(m, u32::try_from(shift).expect("a cube has more digits than its root"));
    cube(2 * r - 1) < target && target < cube(2 * r + 1)
}

/// 192 bits, the highest first.
type Wide = [u64; 3];

fn shifted(m: u64, shift: u32) -> Wide {
    let wide = |at: u32| match shift as i64 - 64 * i64::from(at) {
        by @ 0..64 => m << by,
        by @ -63..0 => m >> -by,
        _ => 0,
    };
    assert!(shift + 53 < 192, "it fits");
    [wide(2), wide(1), wide(0)]
}

fn cube(n: u64) -> Wide {
    let square = u128::from(n) * u128::from(n);
    let low = u128::from(square as u64) * u128::from(n);
    let high = (square >> 64) * u128::from(n) + (low >> 64);
    [(high >> 64) as u64, high as u64, low as u64]
}

/// How the last place of a cube root shows in the result: one unit in all of them is worth a few units in the energy.
#[test]
fn a_unit_in_the_last_place_of_all_cube_roots_moves_the_energy_by_a_few_units_in_its_last_place() {
    let units = |cbrt: fn(f64) -> f64| {
        let (cycles, lulesh) = run(5, cbrt);
        assert_eq!(cycles, 72);
        lulesh.state()[0].e.to_bits().abs_diff(CORRECT[0].1)
    };
    let above = units(|x| f64::from_bits(libm::cbrt(x).to_bits() + 1));
    let below = units(|x| f64::from_bits(libm::cbrt(x).to_bits() - 1));
    assert_eq!([above, below], [7, 2]);
}

#[test]
fn an_inverted_element_ends_the_run() {
    // Roots of the wrong sign turn the damping of the hourglass modes into growth.
    let mut lulesh = Lulesh::new(3, |x| if x > 0.1 { libm::cbrt(x) } else { -1e-3 * libm::cbrt(x) });
    assert!(lulesh.run().is_err());
}
