//! Infinities and NaN among the terms.

/// Which infinities were among the terms; a NaN counts as both: either way the sum is NaN.
///
/// As a word: 1 in the low half for +infinity, 1 in the high half for -infinity. The words of several ranks may be
/// added; each half then counts ranks.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NonFinite(u64);

const PLUS: u64 = 1;
const MINUS: u64 = 1 << 32;

/// The one NaN that a sum returns.
const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

impl NonFinite {
    pub(crate) const NONE: NonFinite = NonFinite(0);

    /// These infinities.
    pub(crate) fn new(plus: bool, minus: bool) -> NonFinite {
        NonFinite(if plus { PLUS } else { 0 } | if minus { MINUS } else { 0 })
    }

    /// Notes a term that is infinite or NaN.
    pub(crate) fn note(&mut self, term: f64) {
        let plus = term.is_nan() || term > 0.0;
        let minus = term.is_nan() || term < 0.0;
        self.0 |= NonFinite::new(plus, minus).0;
    }

    /// The infinities among the terms of either of two parts of a sum.
    pub(crate) fn and(self, other: NonFinite) -> NonFinite {
        NonFinite(self.0 | other.0)
    }

    /// The same for all terms negated.
    pub(crate) fn negated(self) -> NonFinite {
        NonFinite(self.0.rotate_left(32))
    }

    /// One rank's word; the words of several ranks may be added.
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// The infinities that [`NonFinite::word`], or a sum of such words, encodes.
    pub(crate) fn from_word(word: u64) -> NonFinite {
        NonFinite::new(word as u32 != 0, word >> 32 != 0)
    }

    /// Whether the word can be one rank's.
    pub(crate) fn is_intact(self) -> bool {
        self.0 & !(PLUS | MINUS) == 0
    }

    /// The sum, if these terms decide it.
    pub(crate) fn sum(self) -> Option<f64> {
        match (self.0 & PLUS != 0, self.0 & MINUS != 0) {
            (false, false) => None,
            (true, false) => Some(f64::INFINITY),
            (false, true) => Some(f64::NEG_INFINITY),
            (true, true) => Some(NAN),
        }
    }
}
