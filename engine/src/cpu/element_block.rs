//! Element blocks: the elements for which a kernel is called at once, one for each lane.

use std::ops::Range;

use cfd_lanes::inlined;

use crate::cpu::prefetch::{AHEAD, STEP};
use crate::schedule::steps::OWNED;

/// `W` elements at consecutive positions of a schedule. For consecutive rows, all answers are known when the loop is
/// compiled.
pub trait ElementBlock<const W: usize>: Copy {
    /// Elements from one prefetch to the next.
    const STEP: usize = STEP;
    /// The local row of element number `e`.
    fn row(&self, e: usize) -> usize;
    /// The position of element number `e`.
    fn position(&self, e: usize) -> usize;
    /// True if element number `e` is executed where it is owned, so that its direct results are stored; otherwise it is
    /// executed redundantly.
    fn is_owned(&self, e: usize) -> bool;
    /// True if all elements are executed where they are owned.
    fn are_owned(&self) -> bool;
    /// The first element's place, if those of the others follow it.
    fn consecutive(&self, by_position: bool) -> Option<usize>;
    /// As [`ElementBlock::consecutive`], without looking at a row: known when the loop is compiled.
    fn surely_consecutive(&self, by_position: bool) -> Option<usize>;

    /// The row to prefetch with element number `e`, some positions further on, if these elements are from a list that long.
    #[inline(always)]
    fn ahead(&self, _e: usize) -> Option<usize> {
        None
    }

    /// The place of element number `e`: its position or its row.
    #[inline(always)]
    fn place(&self, e: usize, by_position: bool) -> usize {
        if by_position { self.position(e) } else { self.row(e) }
    }

    /// True if results found by position, or those of owned elements, are stored for all elements.
    #[inline(always)]
    fn are_stored(&self, by_position: bool) -> bool {
        by_position || self.are_owned()
    }

    /// The same, for element number `e`.
    #[inline(always)]
    fn is_stored(&self, e: usize, by_position: bool) -> bool {
        by_position || self.is_owned(e)
    }
}

/// Consecutive rows, all owned or none, whose positions are their rows.
#[derive(Clone, Copy, Debug)]
pub struct ConsecutiveBlock<const W: usize> {
    first: usize,
    owned: bool,
}

impl<const W: usize> ElementBlock<W> for ConsecutiveBlock<W> {
    #[inline(always)]
    fn row(&self, e: usize) -> usize {
        self.first + e
    }
    #[inline(always)]
    fn position(&self, e: usize) -> usize {
        self.first + e
    }
    #[inline(always)]
    fn is_owned(&self, _e: usize) -> bool {
        self.owned
    }
    #[inline(always)]
    fn are_owned(&self) -> bool {
        self.owned
    }
    #[inline(always)]
    fn consecutive(&self, _by_position: bool) -> Option<usize> {
        Some(self.first)
    }
    #[inline(always)]
    fn surely_consecutive(&self, _by_position: bool) -> Option<usize> {
        Some(self.first)
    }
    #[inline(always)]
    fn place(&self, e: usize, _by_position: bool) -> usize {
        self.first + e
    }
}

/// Rows from a list.
#[derive(Clone, Copy, Debug)]
pub struct ListedBlock<'a, const W: usize> {
    rows: [usize; W],
    /// The list from the first row on.
    list: &'a [u32],
    /// The position of the first.
    position: usize,
    /// A bit for each element, the first one's lowest: it is owned.
    owned: u32,
    /// The rows are consecutive.
    consecutive: bool,
}

impl<const W: usize> ElementBlock<W> for ListedBlock<'_, W> {
    /// As many as are requested: each lies elsewhere, and more at a time would have to be waited for.
    const STEP: usize = W;
    #[inline(always)]
    fn row(&self, e: usize) -> usize {
        self.rows[e]
    }
    #[inline(always)]
    fn position(&self, e: usize) -> usize {
        self.position + e
    }
    #[inline(always)]
    fn is_owned(&self, e: usize) -> bool {
        self.owned >> e & 1 != 0
    }
    #[inline(always)]
    fn are_owned(&self) -> bool {
        self.owned == const { ((1u64 << W) - 1) as u32 }
    }
    #[inline(always)]
    fn consecutive(&self, by_position: bool) -> Option<usize> {
        if by_position { Some(self.position) } else { self.consecutive.then_some(self.rows[0]) }
    }
    #[inline(always)]
    fn surely_consecutive(&self, by_position: bool) -> Option<usize> {
        by_position.then_some(self.position)
    }
    #[inline(always)]
    fn ahead(&self, e: usize) -> Option<usize> {
        self.list.get(AHEAD + e).map(|row| (row & !OWNED) as usize)
    }
}

/// One row: one element is always consecutive.
#[derive(Clone, Copy, Debug)]
pub struct SingleBlock {
    row: usize,
    position: usize,
    owned: bool,
}

impl ElementBlock<1> for SingleBlock {
    #[inline(always)]
    fn row(&self, _e: usize) -> usize {
        self.row
    }
    #[inline(always)]
    fn position(&self, _e: usize) -> usize {
        self.position
    }
    #[inline(always)]
    fn is_owned(&self, _e: usize) -> bool {
        self.owned
    }
    #[inline(always)]
    fn are_owned(&self) -> bool {
        self.owned
    }
    #[inline(always)]
    fn consecutive(&self, by_position: bool) -> Option<usize> {
        Some(self.place(0, by_position))
    }
    #[inline(always)]
    fn surely_consecutive(&self, by_position: bool) -> Option<usize> {
        Some(self.place(0, by_position))
    }
}

/// Elements in the order of their execution.
pub(crate) trait Sequence: Copy {
    /// The rows come from a list.
    const IS_LISTED: bool;
    /// As many elements as there are lanes.
    type Block<const W: usize>: ElementBlock<W>;
    /// Number of elements.
    fn len(&self) -> usize;
    /// `W` elements from number `at` on.
    ///
    /// # Safety
    /// There are that many.
    unsafe fn block<const W: usize>(&self, at: usize) -> Self::Block<W>;
    /// The elements from number `at` on, one by one.
    fn singles(self, at: usize) -> Singles;
}

/// The elements of any sequence, one by one. Its kind is asked for at each element, so that a kernel's loop over single
/// elements is compiled once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Singles {
    /// The first row of a list, or nothing for consecutive rows.
    rows: *const u32,
    position: usize,
    len: usize,
    /// Consecutive rows are owned.
    owned: bool,
}

impl Singles {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Element number `at`.
    ///
    /// # Safety
    /// There are more than that many, and the sequence that these elements are from still exists.
    #[inline(always)]
    pub(crate) unsafe fn block(&self, at: usize) -> SingleBlock {
        debug_assert!(at < self.len);
        let position = self.position + at;
        if self.rows.is_null() {
            return SingleBlock { row: position, position, owned: self.owned };
        }
        // SAFETY: the caller's condition.
        let marked = unsafe { *self.rows.add(at) };
        SingleBlock { row: (marked & !OWNED) as usize, position, owned: marked & OWNED != 0 }
    }
}

/// Consecutive rows, all owned or none, whose positions are their rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consecutive {
    first: usize,
    len: usize,
    owned: bool,
}

impl Consecutive {
    pub(crate) fn new(rows: Range<usize>, owned: bool) -> Consecutive {
        Consecutive { first: rows.start, len: rows.len(), owned }
    }
}

impl Sequence for Consecutive {
    const IS_LISTED: bool = false;
    type Block<const W: usize> = ConsecutiveBlock<W>;
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }
    #[inline(always)]
    unsafe fn block<const W: usize>(&self, at: usize) -> ConsecutiveBlock<W> {
        ConsecutiveBlock { first: self.first + at, owned: self.owned }
    }
    #[inline(always)]
    fn singles(self, at: usize) -> Singles {
        Singles { rows: std::ptr::null(), position: self.first + at, len: self.len - at, owned: self.owned }
    }
}

/// Rows from a list, each marked [`OWNED`] or not, at consecutive positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'a> {
    position: usize,
    len: usize,
    /// The list from the first row on, which may be longer than the sequence.
    list: &'a [u32],
}

impl<'a> Listed<'a> {
    /// The rows at some positions of a list.
    pub(crate) fn new(positions: Range<usize>, list: &'a [u32]) -> Listed<'a> {
        assert!(positions.end <= list.len());
        Listed { position: positions.start, len: positions.len(), list: &list[positions.start..] }
    }
}

impl<'a> Sequence for Listed<'a> {
    const IS_LISTED: bool = true;
    type Block<const W: usize> = ListedBlock<'a, W>;
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }
    #[inline(always)]
    unsafe fn block<const W: usize>(&self, at: usize) -> ListedBlock<'a, W> {
        debug_assert!(at + W <= self.len);
        // SAFETY: the caller's condition; the list is as long as the sequence or longer.
        let (list, marked): (&[u32], [u32; W]) =
            unsafe { (self.list.get_unchecked(at..), *self.list.as_ptr().add(at).cast()) };
        let (mut owned, mut consecutive) = (0, true);
        for e in 0..W {
            owned |= u32::from(marked[e] & OWNED != 0) << e;
            consecutive &= marked[e] & !OWNED == (marked[0] & !OWNED).wrapping_add(e as u32);
        }
        let rows = inlined::map(marked, |row| (row & !OWNED) as usize);
        ListedBlock { rows, list, position: self.position + at, owned, consecutive }
    }
    #[inline(always)]
    fn singles(self, at: usize) -> Singles {
        let rows = &self.list[at..self.len];
        Singles { rows: rows.as_ptr(), position: self.position + at, len: rows.len(), owned: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_tells_the_rows_ahead_to_its_end_and_not_beyond() {
        let rows: Vec<u32> = (0..AHEAD as u32 + 7).map(|row| (3 * row) | OWNED).collect();
        // A part of the list that is a sequence; what follows it may be prefetched.
        let list = Listed::new(2..6, &rows);
        // SAFETY: the sequence has four elements.
        let block = unsafe { list.block::<4>(0) };
        assert_eq!(block.rows, [6, 9, 12, 15]);
        let ahead = [0, 1, 2, 3, 4, 5].map(|e| block.ahead(e));
        assert_eq!(ahead, [2, 3, 4, 5, 6, 7].map(|row| (row < 7).then(|| 3 * (AHEAD + row))));
    }

    #[test]
    fn listed_rows_are_a_consecutive_block_only_when_they_are_consecutive() {
        let rows = [4 | OWNED, 5, 6 | OWNED, 7 | OWNED, 9, 8, 11, 12];
        let list = Listed { position: 20, len: rows.len(), list: &rows };
        // SAFETY: the list is long enough.
        let [first, second, last] = unsafe { [list.block::<4>(0), list.block(3), list.block(4)] };
        assert!([first, second, last].map(|v| v.consecutive(false)) == [Some(4), None, None]);
        assert_eq!((first.rows, first.position(3)), ([4, 5, 6, 7], 23));
        assert_eq!(last.rows, [9, 8, 11, 12]);
        assert_eq!((last.consecutive(true), last.place(1, true), last.place(1, false)), (Some(24), 25, 8));
        assert!(!first.are_stored(false) && first.is_owned(0) && !first.is_owned(1));
        assert!(first.are_stored(true) && first.is_stored(1, true) && !first.is_stored(1, false));
        // SAFETY: the list is long enough.
        assert!(unsafe { list.block::<2>(2) }.are_stored(false));
        let part = Listed { len: 4, ..list };
        assert_eq!((part.len(), part.singles(3).len()), (4, 1));
        let singles = list.singles(5);
        assert_eq!(singles.len(), 3);
        for (at, (row, owned)) in [(8, false), (11, false), (12, false)].into_iter().enumerate() {
            // SAFETY: three elements are left.
            let block = unsafe { singles.block(at) };
            assert_eq!((block.row(0), block.position(0), block.is_owned(0)), (row, 25 + at, owned));
            assert_eq!(
                (block.consecutive(false), block.surely_consecutive(true)),
                (Some(row), Some(25 + at))
            );
        }
        // SAFETY: the list is long enough.
        assert!(unsafe { list.singles(0).block(2) }.are_owned());
    }

    #[test]
    fn consecutive_rows_are_their_own_positions() {
        let rows = Consecutive::new(13..17, true);
        // SAFETY: there are four rows.
        let block = unsafe { rows.block::<4>(0) };
        let rows = std::array::from_fn(|e| block.row(e));
        assert_eq!((rows, block.position(1), block.consecutive(false)), ([13, 14, 15, 16], 14, Some(13)));
        assert_eq!((block.place(1, true), block.surely_consecutive(true)), (14, Some(13)));
        assert!(block.are_stored(false) && block.is_owned(3));
        let singles = Consecutive::new(10..17, true).singles(3);
        // SAFETY: four elements are left.
        let single = unsafe { singles.block(1) };
        assert_eq!((singles.len(), single.row(0), single.position(0), single.is_owned(0)), (4, 14, 14, true));
        let elsewhere = Consecutive::new(0..2, false);
        // SAFETY: there are two rows.
        let elsewhere = unsafe { elsewhere.block::<2>(0) };
        assert!(!elsewhere.is_owned(1) && !elsewhere.are_stored(false) && !elsewhere.is_stored(1, false));
        // A tile's private rows are stored whether owned or not.
        assert!(elsewhere.are_stored(true) && elsewhere.is_stored(1, true));
    }
}
