//! Terms that arrive several at a time.
//!
//! Every term is cut into slices on a grid of bins, 40 bits each, and the slices of a bin are added in plain f64, in
//! which they are exact: a slice is at most 2^39 quanta, and 2^13 of them stay below 2^52. With the quantum u_b of bin b,
//! u_b = 2^-40 u_(b-1), and its cutter m_b = 1.5 2^52 u_b:
//!
//! ```text
//! rest <- x; for b = 0, 1, ...:
//!   slice <- (rest + m_b) - m_b    the multiple of u_b nearest to rest: u_b is the spacing of f64 around m_b
//!   sum_b <- sum_b + slice         exact
//!   rest  <- rest - slice          exact; at most u_b / 2, which is what the next bin can take
//! ```
//!
//! Where it does not matter in which of two bins a slice ends up, the cutter and the sum of a bin are one number, which begins
//! at 1.5 2^52 u_b and stays between 2^52 u_b and 2^53 u_b, where numbers have the spacing u_b, so that it cuts as well:
//!
//! ```text
//!   cut   <- rest + sum_b
//!   rest  <- rest - (cut - sum_b)  exact
//!   sum_b <- cut
//! ```
//!
//! A term halfway between two multiples of u_b is then cut as the sum so far has it, and the next bin takes the difference.
//! That is good for an exact sum, whose total is the same, and not for a binned one.
//!
//! Of an exact sum, which has four bins, what is left is zero for terms down to 2^-106 of the window's limit, and is added
//! the slow way where it is not. So the sum stays exact whatever window was chosen; the window, which follows the terms, only
//! decides how fast. The binned sum has three bins, which its largest term chooses, and drops what is left. Cutting as in
//! P. Ahrens, J. Demmel and H. D. Nguyen, ACM Trans. Math. Softw. 46(3) (2020), DOI 10.1145/3389360.

use std::ops::Range;

use cfd_lanes::Vector;

/// Bins of an exact sum's window.
const BINS: usize = 4;

/// Bits of a bin.
pub(super) const WIDTH: i32 = 40;

/// Binades between a window's limit and the terms that made it: so far may later terms grow.
const HEADROOM: i32 = 8;

/// Groups in a row of which something was left, after which the window is lowered.
const PATIENCE: u32 = 4;

/// Lanes of the widest register.
const WIDEST: usize = 8;

/// log2 of the lowest limit, whose last bin has the quantum 2^-1074, and of the highest, whose first cutter is finite.
const LIMITS: (i32, i32) = (WIDTH * (BINS as i32) - 1 - 1074, 1010);

/// A window of bins, and the sums of the slices that have been cut with it; those of a `RUNNING` one contain the cutters, and
/// cut.
#[derive(Clone, Debug)]
pub(super) struct Window<const BINS: usize, const RUNNING: bool> {
    /// Largest magnitude that can be cut; 0 as long as all terms are zeros.
    limit: f64,
    cutters: [f64; BINS],
    sums: [Sums; BINS],
    /// Additions that the sums can still take.
    room: u32,
}

/// The window of an exact sum.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    window: Window<BINS, true>,
    /// Groups in a row of which something was left, and the room after the last of them.
    left: (u32, u32),
}

/// What a window has left of terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Left<R> {
    /// Zeros.
    Nothing,
    /// In some lane not zero.
    Rest(R),
}

/// A bin's sums, of each lane one. In one cache line: a register that is stored across two takes twice as long to come back.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Sums([f64; WIDEST]);

impl<const BINS: usize, const RUNNING: bool> Window<BINS, RUNNING> {
    /// Additions to a bin that are surely exact: slices are at most 2^39 quanta, and a running sum stays less than 2^51 quanta
    /// away from its cutter.
    const CAPACITY: u32 = if RUNNING { (1 << 12) - 1 } else { 1 << 13 };

    /// Terms that a window can take.
    pub(super) const MOST_TERMS: u64 = Self::CAPACITY as u64 * WIDEST as u64;

    /// A window that takes nothing.
    pub(super) fn closed() -> Self {
        Window { limit: 0.0, cutters: [0.0; BINS], sums: [Sums::default(); BINS], room: 0 }
    }

    /// A window of these bins, for terms up to this magnitude.
    pub(super) fn new(limit: f64, cutters: [f64; BINS]) -> Self {
        let sums = cutters.map(|cutter| Sums([if RUNNING { cutter } else { 0.0 }; WIDEST]));
        Window { limit, cutters, sums, room: Self::CAPACITY }
    }

    /// Whether terms fit into the window, and if so, one addition less than before has room.
    #[inline(always)]
    fn has_room_for<const W: usize, R: Vector<W>>(&mut self, terms: R) -> bool {
        // Also true for NaN.
        if self.room == 0 || R::any(!terms.abs().le(R::splat(self.limit))) {
            return false;
        }
        self.room -= 1;
        true
    }

    /// Takes terms and returns what is left of them; None, if they do not fit into the window.
    #[inline(always)]
    pub(super) fn take<const W: usize, R: Vector<W>>(&mut self, terms: R) -> Option<R> {
        if self.has_room_for(terms) { Some(self.cut(0..BINS, terms)) } else { None }
    }

    /// Takes what these bins can take, and returns the rest.
    #[inline(always)]
    fn cut<const W: usize, R: Vector<W>>(&mut self, bins: Range<usize>, terms: R) -> R {
        let mut rest = terms;
        for bin in bins {
            let sums = self.sums[bin].0.as_mut_ptr();
            // SAFETY: there are as many sums as the widest register has lanes.
            let sum = unsafe { R::load_single_block(sums) };
            let cutter = if RUNNING { sum } else { R::splat(self.cutters[bin]) };
            let cut = rest + cutter;
            let slice = cut - cutter;
            rest = rest - slice;
            // SAFETY: as above.
            unsafe { (if RUNNING { cut } else { sum + slice }).store_single_block(sums) };
        }
        rest
    }

    /// Sums whose total is that of a bin's slices, of [`MOST_TERMS`](Window::MOST_TERMS) terms at most.
    pub(super) fn sums(&self, bin: usize) -> [f64; WIDEST] {
        self.sums[bin].0.map(|sum| if RUNNING { sum - self.cutters[bin] } else { sum })
    }
}

impl Slices {
    /// Takes only zeros as yet.
    pub(super) fn new() -> Slices {
        Slices { window: Window::closed(), left: (0, 0) }
    }

    /// See [`Window::take`]. The last bin, for which few groups have anything, is asked only then.
    #[inline(always)]
    pub(super) fn take<const W: usize, R: Vector<W>>(&mut self, terms: R) -> Option<Left<R>> {
        if !self.window.has_room_for(terms) {
            return None;
        }
        let zeros = R::splat(0.0);
        let rest = self.window.cut(0..BINS - 1, terms);
        if !R::any(!rest.eq(zeros)) {
            return Some(Left::Nothing);
        }
        let rest = self.window.cut(BINS - 1..BINS, rest);
        Some(if R::any(!rest.eq(zeros)) { Left::Rest(rest) } else { Left::Nothing })
    }

    /// Notes that something was left of a group; true when the window has been too high for several groups in a row.
    pub(super) fn is_too_high(&mut self) -> bool {
        let in_a_row = if self.left.1 == self.window.room + 1 { self.left.0 + 1 } else { 1 };
        self.left = (in_a_row, self.window.room);
        in_a_row == PATIENCE
    }

    /// Makes the window one for terms up to this magnitude, if there is such a one, and gives back what it has taken so
    /// far.
    pub(super) fn open(&mut self, largest: f64) -> Slices {
        let taken = std::mem::replace(self, Slices::new());
        let exponent = (exponent_above(largest) + HEADROOM).max(LIMITS.0);
        if largest == 0.0 || exponent > LIMITS.1 {
            self.window = Window::new(taken.window.limit, taken.window.cutters);
            return taken;
        }
        let quantum = |bin: usize| exponent + 1 - WIDTH * (bin as i32 + 1);
        let cutters = std::array::from_fn(|bin| 1.5 * power_of_two(quantum(bin) + 52));
        self.window = Window::new(power_of_two(exponent), cutters);
        taken
    }

    /// Sums whose total is that of all slices.
    pub(super) fn sums(&self) -> impl Iterator<Item = f64> {
        (0..BINS).flat_map(|bin| self.window.sums(bin)).filter(|&sum| sum != 0.0)
    }
}

/// An exponent e with 2^e above this magnitude, at most 2 more than needed; for 0 the lowest.
fn exponent_above(magnitude: f64) -> i32 {
    (magnitude.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32 - 1022
}

/// 2^exponent, for the exponents of all numbers.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    match u64::try_from(exponent + 1022) {
        Ok(field) => f64::from_bits((field + 1) << 52),
        Err(_) => f64::from_bits(1 << (exponent + 1074)),
    }
}

/// Terms of every kind, in an order that opens windows, leaves them, and goes below them.
#[cfg(test)]
pub(super) fn all_kinds_of_terms() -> Vec<f64> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let mut terms = Vec::new();
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
    use cfd_lanes::Lanes;

    use super::*;

    const CAPACITY: u32 = Window::<BINS, true>::CAPACITY;

    #[test]
    fn every_window_from_the_lowest_to_the_highest_takes_its_terms_without_error() {
        for exponent in -1074..1024 {
            let mut slices = Slices::new();
            let largest = power_of_two(exponent) * if exponent < -1021 { 1.0 } else { 2.0 - f64::EPSILON };
            slices.open(largest);
            let rest = slices.take::<8, _>(Lanes([largest, -largest, 0.0, -0.0, largest, 0.0, 0.0, 0.0]));
            if exponent + HEADROOM >= LIMITS.1 {
                assert!(rest.is_none(), "2^{exponent}");
                continue;
            }
            assert_eq!(rest.expect("the window was made for them"), Left::Nothing, "2^{exponent}");
            // Two neighbouring bins share a number's bits, or three.
            let of_lane: Vec<f64> = (0..BINS).map(|bin| slices.window.sums(bin)[0]).collect();
            assert_eq!(of_lane[0] + (of_lane[1] + (of_lane[2] + of_lane[3])), largest, "2^{exponent}");
        }
    }

    #[test]
    fn a_window_tells_what_it_cannot_take() {
        let mut slices = Slices::new();
        slices.open(1.0);
        let with = |term: f64| Lanes([0.0, 0.0, 0.0, term, 0.0, 0.0, 0.0, 0.0]);
        for outside in [513.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300] {
            assert!(slices.take::<8, _>(with(outside)).is_none(), "{outside}");
        }
        // 2^9 is the limit, so the last quantum is 2^(9 - 159).
        assert_eq!(slices.take::<8, _>(with(512.0)), Some(Left::Nothing));
        let quantum = power_of_two(9 - 159);
        assert_eq!(slices.take::<8, _>(with(1.0 + f64::EPSILON)), Some(Left::Nothing));
        assert_eq!(slices.take::<8, _>(with(-3.0 * quantum)), Some(Left::Nothing));
        assert_eq!(slices.take::<8, _>(with(3.25 * quantum)), Some(Left::Rest(with(0.25 * quantum))));
        assert_eq!(slices.sums().sum::<f64>(), 513.0 + f64::EPSILON);
    }

    #[test]
    fn a_window_is_too_high_when_something_is_left_of_several_groups_in_a_row() {
        let mut slices = Slices::new();
        slices.open(1.0);
        let (high, low) = (Lanes([1.0; 4]), Lanes([1e-300; 4]));
        let mut take = |terms| {
            let left = slices.take::<4, _>(terms).expect("below the limit");
            left != Left::Nothing && slices.is_too_high()
        };
        assert_eq!([low, low, low, high, low, low, low].map(&mut take), [false; 7]);
        assert!(take(low) && !take(low));
        slices.open(1e-300);
        assert_eq!(slices.take::<4, _>(low), Some(Left::Nothing));
    }

    #[test]
    fn sums_are_exact_up_to_the_last_addition_there_is_room_for() {
        let mut slices = Slices::new();
        slices.open(1.0);
        // The largest slices of every bin: all ones.
        let term = 512.0 - power_of_two(9 - 53);
        for _ in 0..CAPACITY {
            assert_eq!(slices.take::<4, _>(Lanes([term, -term, term, 0.0])), Some(Left::Nothing));
        }
        assert!(slices.take::<4, _>(Lanes([term; 4])).is_none(), "there is no room");
        let taken = slices.open(term);
        let quanta = |sum: f64| (sum / power_of_two(9 - 79)) as i128;
        let total: i128 = taken.sums().map(quanta).sum();
        assert_eq!(total, i128::from(CAPACITY) * quanta(term));
        let of_lane = |lane: usize| (0..BINS).map(|bin| quanta(taken.window.sums(bin)[lane])).sum::<i128>();
        assert_eq!([of_lane(1), of_lane(3)], [-i128::from(CAPACITY) * quanta(term), 0]);
        assert_eq!(
            (slices.window.limit, slices.window.room, slices.sums().count()),
            (power_of_two(9 + HEADROOM), CAPACITY, 0)
        );
    }
}
