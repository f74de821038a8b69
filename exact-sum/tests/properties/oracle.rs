//! Exact arithmetic with big integers, and the nearest number to one, found in two ways.

use num_bigint::BigInt;

/// 2^exponent.
pub fn power(exponent: u32) -> BigInt {
    BigInt::from(1) << exponent
}

/// A finite number in units of 2^-1074.
pub fn units(number: f64) -> BigInt {
    let bits = number.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as u32, bits & ((1 << 52) - 1));
    let magnitude = if exponent == 0 {
        BigInt::from(fraction)
    } else {
        BigInt::from(fraction + (1 << 52)) << (exponent - 1)
    };
    if number < 0.0 { -magnitude } else { magnitude }
}

/// The nearest f64 by the definition of IEEE 754: bisection over the encodings finds the neighbours, the nearer one
/// wins, and of two equally near ones the even one; past the largest number, the neighbour counts as 2^1024.
pub fn nearest(total: &BigInt) -> f64 {
    let zero = BigInt::from(0);
    let magnitude = if *total < zero { -total } else { total.clone() };
    let (mut low, mut high) = (0u64, f64::INFINITY.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if units(f64::from_bits(middle)) <= magnitude { low = middle } else { high = middle }
    }
    let above =
        if high == f64::INFINITY.to_bits() { power(1024 + 1074) } else { units(f64::from_bits(high)) };
    let (to_low, to_high) = (&magnitude - units(f64::from_bits(low)), above - &magnitude);
    let up = to_high < to_low || (to_high == to_low && low % 2 == 1);
    let rounded = f64::from_bits(if up { high } else { low });
    if *total < zero { -rounded } else { rounded }
}

/// A binary format: bits of the significand, and the exponents of its least number and of overflow.
pub struct Format {
    pub precision: u64,
    pub least: i64,
    pub limit: i64,
}

pub const DOUBLE: Format = Format { precision: 53, least: -1074, limit: 1024 };
pub const SINGLE: Format = Format { precision: 24, least: -149, limit: 128 };

impl Format {
    /// The number nearest to `total` 2^`unit`, ties to even, as an f64, which can hold all of them: by the quotient and
    /// the remainder of a division.
    pub fn nearest(&self, total: &BigInt, unit: i64) -> f64 {
        let magnitude = total.magnitude();
        // The exponent of the result's last bit.
        let last = (unit + magnitude.bits() as i64 - self.precision as i64).max(self.least);
        let shift = last - unit;
        let mut quotient = if shift > 0 { magnitude >> shift as u64 } else { magnitude.clone() };
        if shift > 0 {
            let twice_the_rest = (magnitude - (&quotient << shift as u64)) << 1u32;
            let divisor = num_bigint::BigUint::from(1u32) << shift as u64;
            if twice_the_rest > divisor || twice_the_rest == divisor && quotient.bit(0) {
                quotient += 1u32;
            }
        }
        let exponent = if shift > 0 { last } else { unit };
        let too_large = quotient.bits() as i64 + exponent > self.limit;
        let significand = quotient.iter_u64_digits().next().unwrap_or(0);
        // Exact, in two steps in case one power of two would be too small; significands of 2^53 at most.
        let steps = (exponent / 2, exponent - exponent / 2);
        let result = significand as f64 * exp2(steps.0 as i32) * exp2(steps.1 as i32);
        let result = if too_large { f64::INFINITY } else { result };
        if *total < BigInt::from(0) { -result } else { result }
    }
}

/// 2^exponent, down to the smallest subnormal number.
pub fn exp2(exponent: i32) -> f64 {
    if exponent < -1022 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    }
}

/// A small random number generator (xorshift64*), so that long inputs need no memory.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 |= 1;
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in -1..1.
    pub fn signed(&mut self) -> f64 {
        (self.next() as i64 >> 10) as f64 / exp2(53)
    }
}
