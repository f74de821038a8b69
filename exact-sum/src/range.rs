//! Shorter messages: terms of similar sizes use few of a sum's 68 digits, and the same ones again and again.
//!
//! Ranks agree on a range of digits without a message, because each derives it from the last combined digits, which all
//! of them have. A rank whose sum has digits outside the range says so in a flag that is summed along with the digits;
//! then all ranks send the whole. The range thus decides only how much is sent.
//!
//! ```text
//! fits    <- sum.write_digits(range, digits)
//! message <- integer sum over ranks of digits, and of a flag: 0 if fits, 1 otherwise
//! if the flag is 0: value <- range.round(digits); range.follow(digits)
//! otherwise: sum.write_digits(WHOLE, words)
//!            message <- integer sum over ranks of words
//!            value <- round(words); range.miss(words)
//! ```

use core::ops::Range;

use crate::exact::{ExactSum, WORDS, round};
use crate::fixed_point::{Magnitude, SUM_DIGITS, make_positive};
use crate::non_finite::NonFinite;
use crate::rounding::F64;

/// A range longer than this gains nothing.
const LONGEST: usize = 32;

/// How often in a row a digit at an end must be zero before it is left out; doubled after every miss, up to this.
const PATIENCE: u32 = 16;
const MOST_PATIENCE: u32 = 4096;

/// The digits of a sum that ranks send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitRange {
    digits: Range<usize>,
    /// How often in a row the first digit, and the last one, has been zero.
    idle: [u32; 2],
    patience: u32,
    /// Sums to send whole before a range is tried again.
    pause: u32,
}

impl Default for DigitRange {
    fn default() -> DigitRange {
        DigitRange::WHOLE
    }
}

impl ExactSum {
    /// Writes the digits in a range, each with the sign of the sum, to be added over the ranks, wrapping; returns
    /// whether the sum has no other digits and no special value.
    ///
    /// The digits of the [whole](DigitRange::WHOLE), in which every sum fits, are words for [`round`] and
    /// [`from_words`](ExactSum::from_words): [`words`](ExactSum::words) in other digits.
    ///
    /// # Panics
    /// If `words` does not have exactly as many words as the range.
    pub fn write_digits(&self, range: &DigitRange, words: &mut [u64]) -> bool {
        assert_eq!(words.len(), range.len(), "room for the range's words");
        if let Some((first, mut digits, negative)) = self.few_digits() {
            if negative {
                digits.iter_mut().for_each(|digit| *digit = -*digit);
            }
            return range.write(first, &digits, words);
        }
        let mut total = self.total();
        let special = total.non_finite;
        let (first, digits) = total.signed_digits();
        let fits = range.write(first, digits, words);
        if range.is_whole() {
            words[SUM_DIGITS] = special.word();
        }
        fits && (special == NonFinite::NONE || range.is_whole())
    }
}

impl DigitRange {
    /// Whole sums, including special values: the range to begin with.
    pub const WHOLE: DigitRange = DigitRange { digits: 0..WORDS, idle: [0; 2], patience: PATIENCE, pause: 0 };

    /// This range of the 68 digits; [`WHOLE`](DigitRange::WHOLE) if it is empty, or too long to gain anything.
    pub fn new(digits: Range<usize>) -> DigitRange {
        let fits = !digits.is_empty() && digits.len() <= LONGEST && digits.end <= SUM_DIGITS;
        if fits { DigitRange { digits, ..DigitRange::WHOLE } } else { DigitRange::WHOLE }
    }

    /// Words sent for a sum.
    #[expect(clippy::len_without_is_empty, reason = "a range has words")]
    pub fn len(&self) -> usize {
        self.digits.len()
    }

    /// Whether whole sums are sent, which always fit.
    pub fn is_whole(&self) -> bool {
        self.digits.len() == WORDS
    }

    /// Writes digits that begin with digit `first` to their places in the range; returns whether all others are zero.
    fn write(&self, first: usize, digits: &[i64], words: &mut [u64]) -> bool {
        words.fill(0);
        let mut outside = 0;
        for (at, &digit) in (first..).zip(digits) {
            match at.checked_sub(self.digits.start).and_then(|at| words.get_mut(at)) {
                Some(word) => *word = digit as u64,
                None => outside |= digit,
            }
        }
        outside == 0
    }

    /// The value of the sum with these combined digits.
    ///
    /// # Panics
    /// If their number is not that of the range.
    pub fn round(&self, combined: &[u64]) -> f64 {
        assert_eq!(combined.len(), self.len(), "combined digits of the range");
        if self.is_whole() {
            return round(combined);
        }
        let mut digits = [0; LONGEST + 1];
        let digits = &mut digits[..combined.len() + 1];
        digits.iter_mut().zip(combined).for_each(|(digit, &word)| *digit = word as i64);
        let negative = make_positive(digits);
        f64::from_bits(F64.encode(negative, &Magnitude { digits, first: self.digits.start }, 0))
    }

    /// Updates the range for the next sum, after sums that fitted on all ranks, from their combined digits.
    pub fn follow(&mut self, combined: &[u64]) {
        let Some(used) = used(combined, self.digits.start) else { return };
        if self.is_whole() {
            let special = combined[SUM_DIGITS] != 0;
            if self.pause > 0 {
                self.pause -= 1;
            } else if !special {
                *self = DigitRange { patience: self.patience, ..DigitRange::new(used) };
            }
            return;
        }
        let unused = [used.start > self.digits.start, used.end < self.digits.end];
        for (idle, unused) in self.idle.iter_mut().zip(unused) {
            *idle = if unused { *idle + 1 } else { 0 };
        }
        if self.idle[0] >= self.patience {
            (self.digits.start, self.idle[0]) = (self.digits.start + 1, 0);
        }
        if self.idle[1] >= self.patience {
            (self.digits.end, self.idle[1]) = (self.digits.end - 1, 0);
        }
    }

    /// Updates the range for the next sum, after a rank's sum did not fit, from the combined words of the whole sums.
    pub fn miss(&mut self, combined: &[u64]) {
        let patience = (2 * self.patience).min(MOST_PATIENCE);
        let used = used(&combined[..SUM_DIGITS], 0).unwrap_or_else(|| self.digits.clone());
        let digits = used.start.min(self.digits.start)..used.end.max(self.digits.end).min(SUM_DIGITS);
        // Digits of several ranks may have cancelled, so that only those ranks know of them; and an infinity may last
        // for any time.
        let hidden = digits == self.digits || combined[SUM_DIGITS] != 0;
        *self = match hidden {
            true => DigitRange { patience, pause: patience, ..DigitRange::WHOLE },
            false => DigitRange { patience, ..DigitRange::new(digits) },
        };
    }
}

/// The range from the first to the last nonzero word, where the first word is that of digit `from`; digits only.
fn used(words: &[u64], from: usize) -> Option<Range<usize>> {
    let digits = &words[..words.len().min(SUM_DIGITS)];
    let first = digits.iter().position(|&word| word != 0)?;
    let last = digits.iter().rposition(|&word| word != 0)?;
    Some(from + first..from + last + 1)
}
