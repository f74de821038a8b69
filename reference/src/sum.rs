//! Sums of doubles: plain ones, and ones that are rounded only once.

/// A sum under way.
pub trait Sum: Default {
    /// Adds a finite term.
    fn add(&mut self, term: f64);
    /// The sum of all terms.
    fn value(&self) -> f64;
}

/// Term after term from 0, rounded every time.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainSum(f64);

impl Sum for PlainSum {
    fn add(&mut self, term: f64) {
        self.0 += term;
    }

    fn value(&self) -> f64 {
        self.0
    }
}

/// Digits of 32 bits; 70 of them hold all doubles, 64 bits for carries, and a sign.
const DIGITS: usize = 70;

/// Terms that fit in a digit of 64 bits without a carry.
const TERMS: u32 = 1 << 30;

/// The correctly rounded sum: one integer in units of 2^-1074, the smallest double, kept in digits of 32 bits whose
/// carries wait. An exact zero is +0.
#[derive(Clone, Debug)]
pub struct ExactSum {
    digits: [i64; DIGITS],
    waiting: u32,
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum { digits: [0; DIGITS], waiting: 0 }
    }
}

impl Sum for ExactSum {
    fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let (biased, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        // Subnormal numbers have the exponent of the smallest normal ones, and no leading 1.
        let (mantissa, shift) = if biased == 0 { (fraction, 0) } else { (fraction | 1 << 52, biased - 1) };
        let (first, shift) = ((shift / 32) as usize, shift % 32);
        let mut rest = u128::from(mantissa) << shift;
        for digit in &mut self.digits[first..first + 3] {
            let part = (rest & 0xffff_ffff) as i64;
            *digit += if term.is_sign_negative() { -part } else { part };
            rest >>= 32;
        }
        self.waiting += 1;
        if self.waiting == TERMS {
            carry(&mut self.digits);
            self.waiting = 1;
        }
    }

    fn value(&self) -> f64 {
        let mut digits = self.digits;
        carry(&mut digits);
        let negative = digits[DIGITS - 1] < 0;
        if negative {
            digits.iter_mut().for_each(|digit| *digit = -*digit);
            carry(&mut digits);
        }
        let magnitude = f64::from_bits(rounded(&digits));
        if negative { -magnitude } else { magnitude }
    }
}

/// Brings every digit but the last into 0..2^32.
fn carry(digits: &mut [i64; DIGITS]) {
    for i in 0..DIGITS - 1 {
        digits[i + 1] += digits[i] >> 32;
        digits[i] &= 0xffff_ffff;
    }
}

/// The bits of the double nearest to a number in units of 2^-1074, ties to even.
fn rounded(digits: &[i64; DIGITS]) -> u64 {
    let bit = |at: usize| (digits[at / 32] >> (at % 32)) as u64 & 1;
    let Some(highest) = (0..32 * DIGITS).rev().find(|&at| bit(at) == 1) else { return 0 };
    let lowest = highest.saturating_sub(52);
    let kept = (lowest..=highest).rev().fold(0, |bits, at| 2 * bits + bit(at));
    if lowest == 0 {
        // Exact; the integer is its own encoding.
        return kept;
    }
    let half = bit(lowest - 1) == 1;
    let up = half && (kept & 1 == 1 || (0..lowest - 1).any(|at| bit(at) == 1));
    // One is added to the exponent with the leading one, and another when rounding up carries that far.
    let encoded = ((lowest as u64) << 52) + kept + u64::from(up);
    encoded.min(f64::INFINITY.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(terms: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        terms.iter().for_each(|&term| sum.add(term));
        sum.value()
    }

    #[test]
    fn sums_that_can_be_worked_out_by_hand() {
        let tiny = 2f64.powi(-60);
        assert_eq!(exact(&[1e300, 1.0, -1e300, tiny]), 1.0);
        assert_eq!(exact(&[1.0, 2f64.powi(-53)]), 1.0);
        assert_eq!(exact(&[1.0, 2f64.powi(-53), tiny * tiny]), 1.0 + f64::EPSILON);
        assert_eq!(exact(&[-1.0, -2f64.powi(-53), -tiny * tiny]), -1.0 - f64::EPSILON);
        assert_eq!(exact(&[1.0 + f64::EPSILON, 2f64.powi(-53)]), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(exact(&[2.0 - f64::EPSILON, 2f64.powi(-53)]), 2.0);
        assert_eq!(exact(&[0.1; 10]), 1.0);
        assert_eq!(exact(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(exact(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(exact(&[5e-324, 5e-324, -1.5e-323]), -5e-324);
        assert_eq!(exact(&[-0.0]).to_bits(), 0);
        assert_eq!(exact(&[]).to_bits(), 0);
    }

    #[test]
    fn single_terms_come_back() {
        for value in [5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, -0.3, 1.0, f64::MAX] {
            assert_eq!(exact(&[value]), value);
        }
    }
}
