//! Hashes of results, for the tests and for `examples/hashes.rs`.

use same_math::*;

const COUNT: usize = 100_000;

/// Arguments of all sizes, two of every three of moderate size, and special ones. `tests/bits.cpp` draws the same.
struct Arguments(u64);

impl Arguments {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 ^ (self.0 >> 29)
    }
    fn number(&mut self) -> f64 {
        let bits = self.next();
        f64::from_bits(match (bits >> 32) % 3 {
            0 => bits,
            1 => bits & 0x800f_ffff_ffff_ffff | (1013 + (bits >> 40) % 16) << 52,
            _ => bits & 0x800f_ffff_ffff_ffff | (1022 + (bits >> 40) % 2) << 52,
        })
    }
    fn integer(&mut self) -> i32 {
        let bits = self.next();
        (bits >> 32) as i32 >> (bits % 32)
    }
}

/// FNV-1a of the results' bits.
fn hash_of(mut value: impl FnMut(&mut Arguments) -> f64) -> u64 {
    let mut arguments = Arguments(2024);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for _ in 0..COUNT {
        hash = (hash ^ value(&mut arguments).to_bits()).wrapping_mul(0x100_0000_01b3);
    }
    hash
}

/// All functions of a single, and of two, combined by their bits.
fn singles(a: &mut Arguments) -> f64 {
    let (x, y) = (a.number() as f32, a.number() as f32);
    let mut bits = 0u32;
    macro_rules! add {
        ($($function:ident($($x:expr),*))*) => { $(bits = bits.rotate_left(5) ^ single::$function($($x),*).to_bits();)* };
    }
    add!(gamma(x) ln_gamma(x) asinh(x) acosh(x) atanh(x) erf(x) exp(x) exp2(x) exp10(x) exp_m1(x) ln(x) log2(x) log10(x) ln_1p(x) cbrt(x) rsqrt(x) sin(x) cos(x) tan(x)
        sin_pi(x) cos_pi(x) atan(x) asin(x) acos(x) sinh(x) cosh(x) tanh(x) atan2(x, y) powf(x, y) hypot(x, y)
        powi(x, 7));
    f64::from(bits)
}

/// A hash of every function's results.
pub fn hashes() -> Vec<(&'static str, u64)> {
    macro_rules! of {
        ($($function:ident)*) => { vec![$((stringify!($function), hash_of(|a| $function(a.number())))),*] };
    }
    let mut hashes = of!(exp exp2 exp_m1 ln log2 ln_1p cbrt sin cos tan atan asin acos sinh cosh tanh);
    hashes.push((
        "atan2",
        hash_of(|a| {
            let y = a.number();
            atan2(y, a.number())
        }),
    ));
    hashes.push((
        "powf",
        hash_of(|a| {
            let x = a.number();
            powf(x, a.number())
        }),
    ));
    hashes.push((
        "powi",
        hash_of(|a| {
            let x = a.number();
            powi(x, a.integer())
        }),
    ));
    hashes.extend(of!(exp10 log10 rsqrt sin_pi cos_pi));
    hashes.push((
        "hypot",
        hash_of(|a| {
            let x = a.number();
            hypot(x, a.number())
        }),
    ));
    hashes.extend(of!(asinh acosh atanh erf gamma ln_gamma));
    hashes.push(("singles", hash_of(singles)));
    hashes
}
