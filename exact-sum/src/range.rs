//! Shorter messages: of the 68 digits of a sum, terms of similar sizes use few, and the same ones again and again.
//!
//! Ranks agree on a range of digits without a message, because each derives it from the last combined digits, which all
//! have. A rank whose part has digits outside of the range says so with a flag that is added up beside the digits; then all
//! send their whole parts. So the range decides how much is sent and nothing else.
//!
//! ```text
//! part    <- sum.drain_part()
//! message <- range.fits(part) ? part's digits in the range, 0 : anything, 1
//! message <- integer sum over ranks
//! if the flag is 0: value <- range.round(digits), range.follow(digits)
//! otherwise: words <- integer sum over ranks of part.words(); value <- round(words), range.miss(words)
//! ```

use core::ops::Range;

use crate::exact::{ExactSum, WORDS, round};
use crate::fixed_point::{FixedPoint, SUM_DIGITS};
use crate::non_finite::NonFinite;

/// A part of a sum that is ready to be sent: its digits, each with the sign of the part, and special values.
#[derive(Clone, Debug)]
pub struct Part([u64; WORDS]);

/// A longer range is no gain.
const LONGEST: usize = 32;

/// Times in a row that a digit at an end was zero, after which it is left out; twice as many after every miss, up to this.
const PATIENCE: u32 = 16;
const MOST_PATIENCE: u32 = 4096;

/// The digits of a sum that ranks send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitRange {
    digits: Range<usize>,
    /// Times in a row that the first digit, and the last one, was zero.
    idle: [u32; 2],
    patience: u32,
    /// Sums of which whole parts are sent before a range is tried again.
    pause: u32,
}

impl Default for DigitRange {
    fn default() -> DigitRange {
        DigitRange::WHOLE
    }
}

impl ExactSum {
    /// This sum as a part of that of all ranks.
    pub fn part(&self) -> Part {
        let total = self.total();
        let mut words = [0; WORDS];
        words[SUM_DIGITS] = total.non_finite.word();
        words.iter_mut().zip(total.signed_digits()).for_each(|(word, digit)| *word = digit as u64);
        Part(words)
    }

    /// [`ExactSum::part`], and empties the sum.
    pub fn drain_part(&mut self) -> Part {
        let part = self.part();
        self.clear();
        part
    }
}

impl Part {
    /// The whole part as words that ranks add up, wrapping; [`round`] takes the result. They are those of
    /// [`ExactSum::words`] in other digits.
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// The digits in a range, which ranks add up, wrapping.
    pub fn digits(&self, range: &DigitRange) -> &[u64] {
        &self.0[range.digits.clone()]
    }
}

impl DigitRange {
    /// Whole parts, special values included: what one begins with.
    pub const WHOLE: DigitRange = DigitRange { digits: 0..WORDS, idle: [0; 2], patience: PATIENCE, pause: 0 };

    /// This range of digits, of 68; [`WHOLE`](DigitRange::WHOLE) if it is empty, or too long to be a gain.
    pub fn new(digits: Range<usize>) -> DigitRange {
        let fits = !digits.is_empty() && digits.len() <= LONGEST && digits.end <= SUM_DIGITS;
        if fits { DigitRange { digits, ..DigitRange::WHOLE } } else { DigitRange::WHOLE }
    }

    /// Words that are sent of a part.
    #[expect(clippy::len_without_is_empty, reason = "a range has words")]
    pub fn len(&self) -> usize {
        self.digits.len()
    }

    /// Whether whole parts are sent, of which none can fail to fit.
    pub fn is_whole(&self) -> bool {
        self.digits.len() == WORDS
    }

    /// Whether a part has no digit, and no special value, outside of the range.
    pub fn fits(&self, part: &Part) -> bool {
        let none = |words: &[u64]| words.iter().fold(0, |any, word| any | word) == 0;
        none(&part.0[..self.digits.start]) && none(&part.0[self.digits.end..])
    }

    /// The value of the sum whose combined digits these are.
    ///
    /// # Panics
    /// If they are not as many as the range has.
    pub fn round(&self, combined: &[u64]) -> f64 {
        assert_eq!(combined.len(), self.len(), "combined digits of the range");
        if self.is_whole() {
            return round(combined);
        }
        FixedPoint::<SUM_DIGITS>::from_digits(combined, self.digits.start, NonFinite::NONE).round_f64(0)
    }

    /// The range for the next sum, after parts that fitted, from their combined digits.
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

    /// The range for the next sum, after some part did not fit, from the combined words of the whole parts.
    pub fn miss(&mut self, combined: &[u64]) {
        let patience = (2 * self.patience).min(MOST_PATIENCE);
        let used = used(&combined[..SUM_DIGITS], 0).unwrap_or_else(|| self.digits.clone());
        let digits = used.start.min(self.digits.start)..used.end.max(self.digits.end).min(SUM_DIGITS);
        // Digits of several parts may have cancelled, so that only their ranks know them; and who knows for how long there will
        // be an infinity.
        let hidden = digits == self.digits || combined[SUM_DIGITS] != 0;
        *self = match hidden {
            true => DigitRange { patience, pause: patience, ..DigitRange::WHOLE },
            false => DigitRange { patience, ..DigitRange::new(digits) },
        };
    }
}

/// The first to the last word that is not zero, of words of which the first is that of digit `from`; digits alone.
fn used(words: &[u64], from: usize) -> Option<Range<usize>> {
    let digits = &words[..words.len().min(SUM_DIGITS)];
    let first = digits.iter().position(|&word| word != 0)?;
    let last = digits.iter().rposition(|&word| word != 0)?;
    Some(from + first..from + last + 1)
}
