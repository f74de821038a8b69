//! Times of the elementary functions, in nanoseconds per argument: one lane and every register, the scalar C library,
//! and its vector version. Variants run in rotation; each number is the median of the rounds.
//!
//! `cargo bench -p cfd-lanes --bench math [-- FUNCTION]` prints a table for same-math's README.

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::hint::black_box;
    use std::time::Instant;

    use cfd_lanes::x86::{avx2::F64x4, avx512::F64x8, sse2::F64x2};
    use cfd_lanes::{Real, Vector};

    /// Arguments per round.
    const COUNT: usize = 4096;
    const ROUNDS: usize = 101;

    type Run = unsafe fn(&[f64], &[f64], &mut [f64]);

    struct Function {
        name: &'static str,
        range: (f64, f64),
        second: (f64, f64),
        /// One lane, 2, 4, 8, the C library, its 4 lanes, its 8 lanes.
        runs: [Run; 7],
    }

    macro_rules! lanes {
        ($feature:literal, $W:literal, $R:ty, |$x:ident, $y:ident| $e:expr) => {{
            #[target_feature(enable = $feature)]
            fn run(xs: &[f64], ys: &[f64], out: &mut [f64]) {
                for i in 0..COUNT / $W {
                    // SAFETY: there are COUNT numbers in each.
                    unsafe {
                        let $x = <$R as Vector<$W>>::load_single_block(xs.as_ptr().add(i * $W));
                        let $y = <$R as Vector<$W>>::load_single_block(ys.as_ptr().add(i * $W));
                        let _ = $y;
                        Vector::<$W>::store_single_block($e, out.as_mut_ptr().add(i * $W));
                    }
                }
            }
            run
        }};
    }

    /// The vector functions take and return registers, which Rust's foreign functions cannot: they are called from
    /// assembly.
    macro_rules! library {
        ($name:ident, $d:ident, $e:ident, ($x:ident $(, $y:ident)?)) => {{
            #[link(name = "mvec")]
            unsafe extern "C" {
                fn $d();
                fn $e();
            }
            #[target_feature(enable = "avx2,fma")]
            fn four(xs: &[f64], ys: &[f64], out: &mut [f64]) {
                let _ = ys;
                for i in 0..COUNT / 4 {
                    // SAFETY: there are COUNT numbers in each; the functions are those of the C library.
                    unsafe {
                        let mut $x = _mm256_loadu_pd(xs.as_ptr().add(4 * i));
                        $(let $y = _mm256_loadu_pd(ys.as_ptr().add(4 * i));)?
                        asm!("call {}@PLT", sym $d, inout("ymm0") $x, $(inout("ymm1") $y => _,)? clobber_abi("C"));
                        _mm256_storeu_pd(out.as_mut_ptr().add(4 * i), $x);
                    }
                }
            }
            #[target_feature(enable = "avx512f")]
            fn eight(xs: &[f64], ys: &[f64], out: &mut [f64]) {
                let _ = ys;
                for i in 0..COUNT / 8 {
                    // SAFETY: as before.
                    unsafe {
                        let mut $x = _mm512_loadu_pd(xs.as_ptr().add(8 * i));
                        $(let $y = _mm512_loadu_pd(ys.as_ptr().add(8 * i));)?
                        asm!("call {}@PLT", sym $e, inout("zmm0") $x, $(inout("zmm1") $y => _,)? clobber_abi("C"));
                        _mm512_storeu_pd(out.as_mut_ptr().add(8 * i), $x);
                    }
                }
            }
            [four as Run, eight as Run]
        }};
    }

    macro_rules! function {
        (
            $name:ident, $d:ident, $e:ident, ($x:ident $(, $y:ident)?), $range:expr, $second:expr
        ) => {{
            fn one(xs: &[f64], ys: &[f64], out: &mut [f64]) {
                let _ = ys;
                for i in 0..COUNT {
                    let $x = xs[i];
                    $(let $y = ys[i];)?
                    out[i] = same_math::$name($x $(, $y)?);
                }
            }
            fn scalar(xs: &[f64], ys: &[f64], out: &mut [f64]) {
                let _ = ys;
                for i in 0..COUNT {
                    let $x = xs[i];
                    $(let $y = ys[i];)?
                    out[i] = f64::$name($x $(, $y)?);
                }
            }
            let [four, eight] = library!($name, $d, $e, ($x $(, $y)?));
            Function {
                name: stringify!($name),
                range: $range,
                second: $second,
                runs: [
                    one,
                    lanes!("sse2", 2, F64x2, |x, y| Real::$name(x $(, { let $y = y; $y })?)),
                    lanes!("avx2", 4, F64x4, |x, y| Real::$name(x $(, { let $y = y; $y })?)),
                    lanes!("avx512f,avx512dq,avx512vl", 8, F64x8<true>, |x, y| Real::$name(x $(, { let $y = y; $y })?)),
                    scalar,
                    four,
                    eight,
                ],
            }
        }};
    }

    fn functions() -> Vec<Function> {
        let none = (0.0, 1.0);
        vec![
            function!(exp, _ZGVdN4v_exp, _ZGVeN8v_exp, (x), (-30.0, 30.0), none),
            function!(exp2, _ZGVdN4v_exp2, _ZGVeN8v_exp2, (x), (-30.0, 30.0), none),
            function!(exp_m1, _ZGVdN4v_expm1, _ZGVeN8v_expm1, (x), (-3.0, 3.0), none),
            function!(ln, _ZGVdN4v_log, _ZGVeN8v_log, (x), (0.01, 100.0), none),
            function!(log2, _ZGVdN4v_log2, _ZGVeN8v_log2, (x), (0.01, 100.0), none),
            function!(ln_1p, _ZGVdN4v_log1p, _ZGVeN8v_log1p, (x), (-0.9, 10.0), none),
            function!(cbrt, _ZGVdN4v_cbrt, _ZGVeN8v_cbrt, (x), (0.01, 100.0), none),
            function!(sin, _ZGVdN4v_sin, _ZGVeN8v_sin, (x), (-50.0, 50.0), none),
            function!(cos, _ZGVdN4v_cos, _ZGVeN8v_cos, (x), (-50.0, 50.0), none),
            function!(tan, _ZGVdN4v_tan, _ZGVeN8v_tan, (x), (-50.0, 50.0), none),
            function!(atan, _ZGVdN4v_atan, _ZGVeN8v_atan, (x), (-5.0, 5.0), none),
            function!(asin, _ZGVdN4v_asin, _ZGVeN8v_asin, (x), (-1.0, 1.0), none),
            function!(acos, _ZGVdN4v_acos, _ZGVeN8v_acos, (x), (-1.0, 1.0), none),
            function!(sinh, _ZGVdN4v_sinh, _ZGVeN8v_sinh, (x), (-5.0, 5.0), none),
            function!(cosh, _ZGVdN4v_cosh, _ZGVeN8v_cosh, (x), (-5.0, 5.0), none),
            function!(tanh, _ZGVdN4v_tanh, _ZGVeN8v_tanh, (x), (-5.0, 5.0), none),
            function!(atan2, _ZGVdN4vv_atan2, _ZGVeN8vv_atan2, (x, y), (-5.0, 5.0), (-5.0, 5.0)),
            function!(powf, _ZGVdN4vv_pow, _ZGVeN8vv_pow, (x, y), (0.01, 100.0), (-10.0, 10.0)),
        ]
    }

    /// `count` numbers between two, by a simple generator.
    fn drawn((low, high): (f64, f64), seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..COUNT).map(|_| low + (high - low) * next()).collect()
    }

    fn median(mut times: Vec<f64>) -> f64 {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }

    pub fn main() {
        let eight = is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl");
        let four = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        cfd_lanes::Width::widest().prepare();
        let there = [true, true, four, eight, true, four, eight];
        let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
        println!(
            "| function | 1 lane | 2 | 4 | 8 | C library | libmvec 4 | libmvec 8 | 4 to 4 | 8 to 8 | C to 4 |"
        );
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for function in functions() {
            if only.as_ref().is_some_and(|only| only != function.name) {
                continue;
            }
            let (xs, ys) = (drawn(function.range, 1), drawn(function.second, 2));
            let mut out = vec![0.0; COUNT];
            let mut times = vec![Vec::new(); 7];
            for _ in 0..ROUNDS {
                for variant in 0..7 {
                    if there[variant] {
                        let start = Instant::now();
                        // SAFETY: the processor has the instructions.
                        unsafe {
                            function.runs[variant](black_box(&xs), black_box(&ys), black_box(&mut out))
                        };
                        times[variant].push(start.elapsed().as_secs_f64() * 1e9 / COUNT as f64);
                    }
                }
            }
            let times: Vec<f64> = times
                .into_iter()
                .map(|times| if times.is_empty() { f64::NAN } else { median(times) })
                .collect();
            print!("| `{}` |", function.name);
            times.iter().for_each(|time| print!(" {time:.2} |"));
            println!(
                " {:.2} | {:.2} | {:.1} |",
                times[2] / times[5],
                times[3] / times[6],
                times[4] / times[2]
            );
        }
    }
}

fn main() {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    x86::main();
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
    println!("There is a vector version of the C library on x86-64 Linux only.");
}
