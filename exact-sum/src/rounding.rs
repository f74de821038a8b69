//! Rounding of an integer to the nearest number of a binary format, ties to even (IEEE 754 `roundTiesToEven`).

use crate::fixed_point::Magnitude;

/// A binary format of IEEE 754.
pub(crate) struct Format {
    /// Bits of the significand, including the hidden one.
    precision: usize,
    /// The largest exponent field of a finite number.
    largest_exponent: usize,
    /// The bit of the sign.
    sign: u64,
}

/// Double precision; its least number is 2^-1074.
pub(crate) const F64: Format = Format { precision: 53, largest_exponent: 2046, sign: 1 << 63 };

/// Single precision; its least number is 2^-149.
pub(crate) const F32: Format = Format { precision: 24, largest_exponent: 254, sign: 1 << 31 };

impl Format {
    /// The encoding of the number nearest to an integer, in which 2^`least` represents the format's least number.
    pub(crate) fn encode(&self, negative: bool, number: &Magnitude<'_>, least: usize) -> u64 {
        let sign = if negative { self.sign } else { 0 };
        let infinity = (self.largest_exponent as u64 + 1) << (self.precision - 1);
        // Bits below the last one of the significand, which is not below the format's least number.
        let dropped = number.bit_length().saturating_sub(self.precision).max(least);
        let steps = dropped - least;
        if steps >= self.largest_exponent {
            return sign | infinity;
        }
        let significand = number.bits_from(dropped);
        let round_up = dropped > 0
            && number.bits_from(dropped - 1) & 1 == 1
            && (significand & 1 == 1 || number.any_below(dropped - 1));
        // The exponent field is `steps` + 1 for normal numbers, whose hidden bit adds that 1. Rounding up to the next
        // power of two carries into the exponent, and past the largest number into the encoding of infinity.
        sign | (((steps as u64) << (self.precision - 1)) + significand + u64::from(round_up))
    }
}
