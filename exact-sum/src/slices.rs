//! Terms that arrive several at a time.
//!
//! Every term is cut into slices on a grid of bins of 40 bits each, and the slices of a bin are added in plain f64.
//! These additions are exact: a slice is at most 2^39 quanta, and 2^13 of them stay below 2^52. With the quantum u_b of
//! bin b, u_b = 2^-40 u_(b-1), and its cutter m_b = 1.5 2^52 u_b:
//!
//! ```text
//! rest <- x; for b = 0, 1, ...:
//!   slice <- (rest + m_b) - m_b    the multiple of u_b nearest to rest: u_b is the spacing of f64 around m_b
//!   sum_b <- sum_b + slice         exact
//!   rest  <- rest - slice          exact; at most u_b / 2, which is what the next bin can take
//! ```
//!
//! Where it does not matter in which of two bins a slice ends up, a bin's cutter and its sum are one number. It begins
//! at 1.5 2^52 u_b and stays between 2^52 u_b and 2^53 u_b, where numbers have the spacing u_b, so it cuts just as
//! well:
//!
//! ```text
//!   cut   <- rest + sum_b
//!   rest  <- rest - (cut - sum_b)  exact
//!   sum_b <- cut
//! ```
//!
//! How a term halfway between two multiples of u_b is cut then depends on the sum so far, and the next bin takes the
//! difference. That suits an exact sum, whose total is the same, but not a binned one.
//!
//! An exact sum has four bins; the remainder is zero for terms down to 2^-106 of the window's limit, and is otherwise
//! added the slow way. The sum thus stays exact whatever the window; the window, which follows the terms, decides only
//! how fast. The binned sum has three bins, chosen by its largest term, and drops the remainder. Cutting as in P.
//! Ahrens, J. Demmel and H. D. Nguyen, ACM Trans. Math. Softw. 46(3) (2020), DOI 10.1145/3389360.

#[cfg(target_arch = "x86_64")]
mod products;

use core::ops::Range;

use crate::fixed_point::{DIGIT_BITS, FixedPoint};
use crate::vector::{Vector, groups};

/// Bins of an exact sum's window.
const BINS: usize = 4;

/// Bits of a bin.
pub(crate) const WIDTH: i32 = 40;

/// Binades between a window's limit and the terms for which it was made: room for later terms to grow.
const HEADROOM: i32 = 8;

/// How often in a row there must be a remainder before the window is lowered.
const PATIENCE: u64 = 4;

/// How often in a row too few may have fitted before terms are scattered: no window suits them.
const SCATTERED: u64 = 6;

/// Most calls in a row whose terms bypass the window.
const LONGEST_PAUSE: u64 = 63;

/// Lanes of the widest register.
pub(crate) const WIDEST: usize = 8;

/// Sums per bin: two of the widest registers, used in turn, because a stored number takes a while to come back.
const SUMS: usize = 2 * WIDEST;

/// Groups of terms in a slice that are checked together.
pub(crate) const UNROLLED: usize = 4;

/// Bins that all terms of a slice go through, before it is asked whether anything is left of them: enough for terms of similar
/// size.
const ALWAYS: usize = 2;

/// Of an encoding: the sign, and infinity, above which there is only NaN.
const SIGN: u64 = 1 << 63;
const INFINITY: i64 = f64::INFINITY.to_bits() as i64;

const AS_MANY_LANES: &str = "the widest register has as many lanes";

/// log2 of the lowest limit, whose last bin has the quantum 2^-1074, and of the highest, whose first cutter is
/// finite.
const LIMITS: (i32, i32) = (WIDTH * (BINS as i32) - 1 - 1074, 1010);

/// A window of bins, and the sums of the slices cut with it; those of a `RUNNING` window contain the cutters, and cut.
/// All zeros, it takes only zeros.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Window<const BINS: usize, const RUNNING: bool> {
    /// A bin's sums, some for each lane. If the window begins with a cache line, so does every bin: a register stored
    /// across two lines takes twice as long to come back.
    sums: [[f64; SUMS]; BINS],
    cutters: [f64; BINS],
    /// Largest magnitude that can be cut; 0 while all terms are zeros.
    limit: f64,
    /// Additions for which the sums still have room.
    room: u64,
}

/// The window of an exact sum.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    window: Window<BINS, true>,
    /// How often in a row there was a remainder, and the room after the last time.
    left: [u64; 2],
    /// How often in a row too few groups fitted, and the room after the last time.
    misfits: [u64; 2],
    /// Calls left whose terms bypass the window, and how many of them the last pause had.
    pause: [u64; 2],
}

/// What a window leaves of terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Left<R> {
    /// Zeros.
    Nothing,
    /// Nonzero in some lane.
    Rest(R),
}

impl<const BINS: usize, const RUNNING: bool> Window<BINS, RUNNING> {
    /// Additions to a bin that are certain to be exact: slices are at most 2^39 quanta, and a running sum stays less
    /// than 2^51 quanta away from its cutter.
    const CAPACITY: u64 = if RUNNING { (1 << 12) - 1 } else { 1 << 13 };

    /// Terms that a window can take.
    pub(crate) const MOST_TERMS: u64 = Self::CAPACITY * WIDEST as u64;

    /// A window that takes only zeros.
    pub(crate) const fn closed() -> Self {
        Window { sums: [[0.0; SUMS]; BINS], cutters: [0.0; BINS], limit: 0.0, room: 0 }
    }

    /// Whether the window takes only zeros, and so holds nothing.
    pub(crate) fn is_closed(&self) -> bool {
        self.limit == 0.0
    }

    /// A window of these bins, for terms up to this magnitude.
    pub(crate) fn new(limit: f64, cutters: [f64; BINS]) -> Self {
        let sums = cutters.map(|cutter| [if RUNNING { cutter } else { 0.0 }; SUMS]);
        Window { sums, cutters, limit, room: Self::CAPACITY }
    }

    /// Whether terms fit in the window; if so, uses up one addition.
    #[inline(always)]
    fn has_room_for<const W: usize, R: Vector<W>>(&mut self, terms: R) -> bool {
        // The comparison is false for NaN, too.
        if self.room == 0 || !R::all(terms.abs().at_most(R::splat(self.limit))) {
            return false;
        }
        self.room -= 1;
        true
    }

    /// Takes terms and returns the remainder; None if they do not fit in the window.
    #[inline(always)]
    pub(crate) fn take<const W: usize, R: Vector<W>>(&mut self, terms: R) -> Option<R> {
        if self.has_room_for(terms) { Some(self.cut(0..BINS, terms)) } else { None }
    }

    /// Takes what these bins can take, and returns the rest.
    #[inline(always)]
    fn cut<const W: usize, R: Vector<W>>(&mut self, bins: Range<usize>, terms: R) -> R {
        let mut rest = terms;
        let turn = self.room as usize % (SUMS / W);
        for bin in bins {
            let sums = &mut self.sums[bin][W * turn..][..W];
            let sums: &mut [f64; W] = sums.try_into().expect("as many as lanes");
            let sum = R::load(sums);
            let cutter = if RUNNING { sum } else { R::splat(self.cutters[bin]) };
            let cut = rest.add(cutter);
            let slice = cut.sub(cutter);
            rest = rest.sub(slice);
            (if RUNNING { cut } else { sum.add(slice) }).store(sums);
        }
        rest
    }

    /// Sums whose total is that of a bin's slices, for at most [`MOST_TERMS`](Window::MOST_TERMS) terms.
    pub(crate) fn sums(&self, bin: usize) -> [f64; SUMS] {
        self.sums[bin].map(|sum| if RUNNING { sum - self.cutters[bin] } else { sum })
    }
}

impl<const BINS: usize> Window<BINS, true> {
    /// The slices of a bin in quanta, which the encodings count.
    fn quanta(&self, bin: usize) -> i64 {
        let cutter = self.cutters[bin].to_bits();
        let quanta = self.sums[bin].iter().map(|sum| sum.to_bits().wrapping_sub(cutter));
        quanta.fold(0, u64::wrapping_add) as i64
    }

    /// Whether the words can be those of a window. Arbitrary sums make a wrong total, but nothing else.
    fn is_intact(&self) -> bool {
        let limit = self.limit.to_bits();
        let exponents = exponent_of(LIMITS.0)..=exponent_of(LIMITS.1);
        let limit_is_one = limit == 0 || limit << 12 == 0 && exponents.contains(&(limit >> 52));
        let cutters = |bin: usize| match limit {
            0 => 0,
            _ => {
                let binades = i64::from(53 - WIDTH * (bin as i32 + 1)) << 52;
                (limit | 1 << 51).wrapping_add(binades as u64)
            }
        };
        let cutters_fit =
            self.cutters.iter().enumerate().all(|(bin, cutter)| cutter.to_bits() == cutters(bin));
        limit_is_one && cutters_fit && self.room <= Self::CAPACITY
    }
}

/// The exponent field of 2^exponent, a normal number.
const fn exponent_of(exponent: i32) -> u64 {
    (exponent + 1023) as u64
}

impl Slices {
    /// Takes only zeros so far.
    pub(crate) const fn new() -> Slices {
        Slices { window: Window::closed(), left: [0; 2], misfits: [0; 2], pause: [0; 2] }
    }

    /// As [`Window::take`]. The last bin, for which few groups leave anything, is used only when needed.
    #[inline(always)]
    pub(crate) fn take<const W: usize, R: Vector<W>>(&mut self, terms: R) -> Option<Left<R>> {
        if !self.window.has_room_for(terms) {
            return None;
        }
        let zeros = R::splat(0.0);
        let rest = self.window.cut(0..BINS - 1, terms);
        if R::all(rest.equals(zeros)) {
            return Some(Left::Nothing);
        }
        let rest = self.window.cut(BINS - 1..BINS, rest);
        Some(if R::all(rest.equals(zeros)) { Left::Nothing } else { Left::Rest(rest) })
    }

    /// Takes groups of terms, with the sums in registers, while they fit and nothing is left of them; returns how many
    /// it has taken, a multiple of [`UNROLLED`]. If something is left of the last [`UNROLLED`], passes it to `leave`.
    #[inline(always)]
    pub(crate) fn take_groups<const W: usize, R: Vector<W>>(
        &mut self,
        groups: &[[f64; W]],
        mut leave: impl FnMut(&[f64; W]),
    ) -> usize {
        let most = groups.len().min(self.window.room as usize);
        let (limit, zeros) = (R::splat(self.window.limit), R::splat(0.0));
        // Loops, not closures: these are compiled for the caller's registers.
        let mut sums = [zeros; BINS];
        for (sum, stored) in sums.iter_mut().zip(&self.window.sums) {
            *sum = R::load(stored.first_chunk().expect(AS_MANY_LANES));
        }
        let mut taken = 0;
        for batch in groups[..most].chunks_exact(UNROLLED) {
            let mut rests = [zeros; UNROLLED];
            for (rest, group) in rests.iter_mut().zip(batch) {
                *rest = R::load(group);
            }
            let [a, b, c, d] = rests;
            // The comparison is false for NaN, too.
            let two = [
                a.abs().at_most(limit) & b.abs().at_most(limit),
                c.abs().at_most(limit) & d.abs().at_most(limit),
            ];
            if !R::all(two[0] & two[1]) {
                break;
            }
            taken += UNROLLED;
            cut_all::<W, R>(&mut sums, &mut rests, 0..ALWAYS);
            if are_zero::<W, R>(&rests) {
                continue;
            }
            cut_all::<W, R>(&mut sums, &mut rests, ALWAYS..BINS - 1);
            if are_zero::<W, R>(&rests) {
                continue;
            }
            cut_all::<W, R>(&mut sums, &mut rests, BINS - 1..BINS);
            if !are_zero::<W, R>(&rests) {
                for rest in rests {
                    leave(&rest.to_array());
                }
                break;
            }
        }
        self.window.room -= taken as u64;
        for (sum, stored) in sums.into_iter().zip(&mut self.window.sums) {
            sum.store(stored.first_chunk_mut().expect(AS_MANY_LANES));
        }
        taken
    }

    /// Notes that something was left of the last `last` groups; true when the window has been too high for several such
    /// batches in a row.
    pub(crate) fn is_too_high(&mut self, last: usize) -> bool {
        let [before, room] = self.left;
        let in_a_row = if room == self.window.room + last as u64 { before.wrapping_add(1) } else { 1 };
        self.left = [in_a_row, self.window.room];
        in_a_row == PATIENCE
    }

    /// Notes that some terms do not fit, before the window moves; whether `enough` groups have fitted since the last time
    /// decides about the next ones.
    pub(crate) fn note_misfit(&mut self, enough: u64) {
        let [before, room] = self.misfits;
        let early = room.wrapping_sub(self.window.room) < enough;
        self.misfits = [if early { SCATTERED.min(before.wrapping_add(1)) } else { 1 }, self.window.room];
    }

    /// Whether too few groups have fitted between misfits several times in a row. Terms that once were scattered are so until
    /// many fit again.
    pub(crate) fn are_scattered(&self) -> bool {
        self.misfits[0] == SCATTERED
    }

    /// Lets the terms of the next calls bypass the window: of more and more, while terms remain scattered.
    pub(crate) fn begin_pause(&mut self) {
        let length = (2 * (self.pause[1] & LONGEST_PAUSE) + 1).min(LONGEST_PAUSE);
        self.pause = [length, length];
    }

    /// Whether the terms of this call bypass the window.
    #[inline(always)]
    pub(crate) fn pauses(&mut self) -> bool {
        if self.pause[0] == 0 {
            return false;
        }
        self.pause[0] -= 1;
        true
    }

    /// Opens the window for terms up to this magnitude, if such a window exists, after adding its present slices to
    /// `total`.
    pub(crate) fn open<const DIGITS: usize>(&mut self, largest: f64, total: &mut FixedPoint<DIGITS>) {
        self.move_to(total);
        self.misfits[1] = Window::<BINS, true>::CAPACITY;
        let exponent = (exponent_above(largest) + HEADROOM).max(LIMITS.0);
        if largest == 0.0 || exponent > LIMITS.1 {
            return;
        }
        let quantum = |bin: usize| exponent + 1 - WIDTH * (bin as i32 + 1);
        let cutters = core::array::from_fn(|bin| 1.5 * power_of_two(quantum(bin) + 52));
        self.window = Window::new(power_of_two(exponent), cutters);
    }

    /// Adds the window's slices to `total`, and empties it.
    pub(crate) fn move_to<const DIGITS: usize>(&mut self, total: &mut FixedPoint<DIGITS>) {
        self.add_to(total);
        self.empty();
    }

    /// See [`Window::is_intact`].
    pub(crate) fn is_intact(&self) -> bool {
        self.window.is_intact() && self.pause.iter().all(|&calls| calls <= LONGEST_PAUSE)
    }

    /// Drops the window's slices.
    pub(crate) fn empty(&mut self) {
        if self.window.limit > 0.0 {
            self.window = Window::new(self.window.limit, self.window.cutters);
        }
    }

    /// The digits, of a number that is zero, to which [`Slices::add_to_digits`] adds.
    pub(crate) fn digits(&self) -> Range<usize> {
        let position = |bin: usize| (self.window.cutters[bin].to_bits() >> 52) as usize;
        if position(0) == 0 {
            return 0..0;
        }
        (position(BINS - 1) - 1) / DIGIT_BITS..(position(0) - 1) / DIGIT_BITS + 3
    }

    /// Adds the window's slices to digits that begin with digit `first`, without carrying.
    pub(crate) fn add_to_digits(&self, first: usize, digits: &mut [i64]) {
        if self.window.limit == 0.0 {
            return;
        }
        for (bin, cutter) in self.window.cutters.into_iter().enumerate() {
            // A number's unit is the last bit of its significand.
            let position = (cutter.to_bits() >> 52) as usize - 1;
            // 54 bits: with the shift they reach three digits.
            let value = i128::from(self.window.quanta(bin)) << (position % DIGIT_BITS);
            let digits = &mut digits[position / DIGIT_BITS - first..][..3];
            let parts = [value as u32, (value >> DIGIT_BITS) as u32].map(i64::from);
            let parts = [parts[0], parts[1], (value >> (2 * DIGIT_BITS)) as i64];
            digits.iter_mut().zip(parts).for_each(|(digit, part)| *digit = digit.wrapping_add(part));
        }
    }

    /// Adds the window's slices to `total`.
    pub(crate) fn add_to<const DIGITS: usize>(&self, total: &mut FixedPoint<DIGITS>) {
        for (bin, cutter) in self.window.cutters.into_iter().enumerate() {
            let quanta = self.window.quanta(bin);
            if quanta != 0 {
                // A number's unit is the last bit of its significand.
                total.add(i128::from(quanta), (cutter.to_bits() >> 52) as usize - 1);
            }
        }
    }
}

/// Cuts terms with a running sum, to which the slices are added, and returns the rest.
#[inline(always)]
fn cut_running<const W: usize, R: Vector<W>>(sum: &mut R, terms: R) -> R {
    let cut = terms.add(*sum);
    let slice = cut.sub(*sum);
    *sum = cut;
    terms.sub(slice)
}

/// Cuts terms with the running sums of some bins, of the highest first.
#[inline(always)]
fn cut_all<const W: usize, R: Vector<W>>(sums: &mut [R], rests: &mut [R], bins: Range<usize>) {
    for rest in rests {
        for sum in &mut sums[bins.clone()] {
            *rest = cut_running::<W, R>(sum, *rest);
        }
    }
}

/// Whether all lanes of all registers are zero.
#[inline(always)]
fn are_zero<const W: usize, R: Vector<W>>(registers: &[R; UNROLLED]) -> bool {
    let [a, b, c, d] = *registers;
    let zeros = R::splat(0.0);
    R::all((a.equals(zeros) & b.equals(zeros)) & (c.equals(zeros) & d.equals(zeros)))
}

/// The largest magnitude among the finite terms; 0 if there are none.
#[inline(always)]
pub(crate) fn largest_finite(terms: &[f64]) -> f64 {
    // Encodings of magnitudes are in order, and as integers they are compared several at a time. Loops, not closures.
    let mut largest = [0; SUMS];
    let (groups, tail) = groups::<SUMS>(terms);
    for group in groups {
        for lane in 0..SUMS {
            let size = (group[lane].to_bits() & !SIGN) as i64;
            let size = if size < INFINITY { size } else { 0 };
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
        }
    }
    for term in tail {
        let size = (term.to_bits() & !SIGN) as i64;
        largest[0] = largest[0].max(if size < INFINITY { size } else { 0 });
    }
    f64::from_bits(largest.into_iter().fold(0, i64::max) as u64)
}

/// An exponent e with 2^e above this magnitude, at most 2 more than needed; for 0 the lowest.
fn exponent_above(magnitude: f64) -> i32 {
    (magnitude.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32 - 1022
}

/// 2^exponent, for the exponents of all numbers.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    match u64::try_from(exponent + 1022) {
        Ok(field) => f64::from_bits((field + 1) << 52),
        Err(_) => f64::from_bits(1 << (exponent + 1074)),
    }
}

/// Terms of every kind, in an order that opens windows, leaves them, and goes below them.
#[cfg(test)]
pub(crate) fn all_kinds_of_terms() -> std::vec::Vec<f64> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let mut terms = std::vec::Vec::new();
    for range in [1, 1, 20, 60, 100, 500, 2040, 1, 30, 0] {
        let middle = 1023 + random() % 200;
        for _ in 0..997 {
            let exponent = (middle + random() % (range + 1)).saturating_sub(range / 2).min(2046);
            let number = f64::from_bits(random() & 1 << 63 | exponent << 52 | random() & ((1 << 52) - 1));
            terms.push(match random() % 16 {
                0 => 0.0,
                1 => f64::from_bits(random() & 0xfff),
                2 => number.trunc(),
                3 => -number,
                _ => number,
            });
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_point::SUM_DIGITS;

    const CAPACITY: u64 = Window::<BINS, true>::CAPACITY;

    fn total(slices: &Slices) -> f64 {
        let mut total = FixedPoint::<SUM_DIGITS>::new();
        slices.add_to(&mut total);
        total.round_f64(0)
    }

    fn opened(largest: f64) -> Slices {
        let mut slices = Slices::new();
        slices.open(largest, &mut FixedPoint::<SUM_DIGITS>::new());
        slices
    }

    #[test]
    fn every_window_from_the_lowest_to_the_highest_takes_its_terms_without_error() {
        for exponent in -1074..1024 {
            let largest = power_of_two(exponent) * if exponent < -1021 { 1.0 } else { 2.0 - f64::EPSILON };
            let mut slices = opened(largest);
            let rest = slices.take([largest, -largest, 0.0, -0.0, largest, 0.0, 0.0, 0.0]);
            if exponent + HEADROOM >= LIMITS.1 {
                assert!(rest.is_none(), "2^{exponent}");
                continue;
            }
            assert_eq!(rest.expect("the window was made for them"), Left::Nothing, "2^{exponent}");
            // Two or three neighbouring bins share a number's bits.
            let of_lane: [f64; BINS] = core::array::from_fn(|bin| slices.window.sums(bin)[0]);
            assert_eq!(of_lane[0] + (of_lane[1] + (of_lane[2] + of_lane[3])), largest, "2^{exponent}");
            assert_eq!(total(&slices), largest, "2^{exponent}");
        }
    }

    #[test]
    fn a_window_tells_what_it_cannot_take() {
        let mut slices = opened(1.0);
        let with = |term: f64| [0.0, 0.0, 0.0, term, 0.0, 0.0, 0.0, 0.0];
        for outside in [513.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300] {
            assert!(slices.take(with(outside)).is_none(), "{outside}");
        }
        // 2^9 is the limit, so the last quantum is 2^(9 - 159).
        assert_eq!(slices.take(with(512.0)), Some(Left::Nothing));
        let quantum = power_of_two(9 - 159);
        assert_eq!(slices.take(with(1.0 + f64::EPSILON)), Some(Left::Nothing));
        assert_eq!(slices.take(with(-3.0 * quantum)), Some(Left::Nothing));
        assert_eq!(slices.take(with(3.25 * quantum)), Some(Left::Rest(with(0.25 * quantum))));
        assert_eq!(total(&slices), 513.0 + f64::EPSILON);
    }

    #[test]
    fn groups_are_taken_up_to_the_first_that_does_not_fit_or_leaves_something() {
        let quantum = power_of_two(9 - 159);
        for (at, odd, taken, rest) in [
            (9, 1e300, 8, 0.0),
            (9, f64::NAN, 8, 0.0),
            (9, 0.25 * quantum, 12, 0.25 * quantum),
            (0, 1.0, 20, 0.0),
        ] {
            let mut slices = opened(1.0);
            let mut groups = [[1.0; 4]; 22];
            groups[at][2] = odd;
            let mut left = 0.0;
            let count = slices.take_groups::<4, [f64; 4]>(&groups, |rest| left += rest.iter().sum::<f64>());
            assert_eq!((count, left), (taken, rest), "{odd}");
            let expected: f64 = groups[..taken].as_flattened().iter().sum();
            assert_eq!(total(&slices), expected, "{odd}");
            assert_eq!(slices.window.room, CAPACITY - taken as u64);
        }
    }

    #[test]
    fn a_window_is_too_high_when_something_is_left_of_several_groups_in_a_row() {
        let mut slices = opened(1.0);
        let (high, low) = ([1.0; 4], [1e-300; 4]);
        let mut take = |terms: [f64; 4]| {
            let left = slices.take(terms).expect("below the limit");
            left != Left::Nothing && slices.is_too_high(1)
        };
        assert_eq!([low, low, low, high, low, low, low].map(&mut take), [false; 7]);
        assert!(take(low) && !take(low));
        slices.open(1e-300, &mut FixedPoint::<SUM_DIGITS>::new());
        assert_eq!(slices.take(low), Some(Left::Nothing));
    }

    #[test]
    fn sums_are_exact_up_to_the_last_addition_there_is_room_for() {
        let mut slices = opened(1.0);
        // The largest slices of every bin: all ones.
        let term = 512.0 - power_of_two(9 - 53);
        for _ in 0..CAPACITY {
            assert_eq!(slices.take([term, -term, term, 0.0]), Some(Left::Nothing));
        }
        assert!(slices.take([term; 4]).is_none(), "there is no room");
        let quanta = |sum: f64| (sum / power_of_two(9 - 79)) as i128;
        let of_bin = |lane: usize, bin| slices.window.sums(bin).into_iter().skip(lane).step_by(4).map(quanta);
        let of_lane = |lane: usize| (0..BINS).flat_map(|bin| of_bin(lane, bin)).sum::<i128>();
        let expected = i128::from(CAPACITY) * quanta(term);
        assert_eq!([of_lane(0), of_lane(1), of_lane(2), of_lane(3)], [expected, -expected, expected, 0]);
        let mut taken = FixedPoint::<SUM_DIGITS>::new();
        slices.open(term, &mut taken);
        assert_eq!(taken.round_f64(0), CAPACITY as f64 * term);
        let window = &slices.window;
        assert_eq!((window.limit, window.room, total(&slices)), (power_of_two(9 + HEADROOM), CAPACITY, 0.0));
    }
}
