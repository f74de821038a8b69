//! Elements on their way through a kernel, several at a time.

use std::ops::Range;

use crate::schedule::steps::HOME;

/// `W` elements at consecutive positions of a schedule. What is asked of them is known when the loop is compiled, where
/// they are consecutive rows.
pub trait Visits<const W: usize>: Copy {
    /// The local row of element number `e` of these.
    fn row(&self, e: usize) -> usize;
    /// The position of element number `e` of these.
    fn position(&self, e: usize) -> usize;
    /// True when element number `e` of these is at home: here is where its direct results are stored; elsewhere it is
    /// executed redundantly.
    fn is_home(&self, e: usize) -> bool;
    /// True when all of these are at home.
    fn are_home(&self) -> bool;
    /// The first of these elements' places, if theirs follow it.
    fn block(&self, by_position: bool) -> Option<usize>;
    /// As [`Visits::block`], where no row needs to be looked at for it: known when the loop is compiled.
    fn sure_block(&self, by_position: bool) -> Option<usize>;

    /// Where something of element number `e` of these is found: at its position or at its row.
    #[inline(always)]
    fn place(&self, e: usize, by_position: bool) -> usize {
        if by_position { self.position(e) } else { self.row(e) }
    }

    /// True when what is found by position, or belongs to the elements at home, is stored for all of these.
    #[inline(always)]
    fn are_stored(&self, by_position: bool) -> bool {
        by_position || self.are_home()
    }

    /// The same for element number `e` of these.
    #[inline(always)]
    fn is_stored(&self, e: usize, by_position: bool) -> bool {
        by_position || self.is_home(e)
    }
}

/// Consecutive rows, alike at home or not, whose positions are their rows.
#[derive(Clone, Copy, Debug)]
pub struct Block<const W: usize> {
    first: usize,
    home: bool,
}

impl<const W: usize> Visits<W> for Block<W> {
    #[inline(always)]
    fn row(&self, e: usize) -> usize {
        self.first + e
    }
    #[inline(always)]
    fn position(&self, e: usize) -> usize {
        self.first + e
    }
    #[inline(always)]
    fn is_home(&self, _e: usize) -> bool {
        self.home
    }
    #[inline(always)]
    fn are_home(&self) -> bool {
        self.home
    }
    #[inline(always)]
    fn block(&self, _by_position: bool) -> Option<usize> {
        Some(self.first)
    }
    #[inline(always)]
    fn sure_block(&self, _by_position: bool) -> Option<usize> {
        Some(self.first)
    }
    #[inline(always)]
    fn place(&self, e: usize, _by_position: bool) -> usize {
        self.first + e
    }
}

/// Rows that a list gives.
#[derive(Clone, Copy, Debug)]
pub struct Marked<const W: usize> {
    rows: [usize; W],
    /// The position of the first.
    position: usize,
    /// Each element's bit, the first one's lowest: it is at home.
    home: u32,
    /// The rows are consecutive.
    block: bool,
}

impl<const W: usize> Visits<W> for Marked<W> {
    #[inline(always)]
    fn row(&self, e: usize) -> usize {
        self.rows[e]
    }
    #[inline(always)]
    fn position(&self, e: usize) -> usize {
        self.position + e
    }
    #[inline(always)]
    fn is_home(&self, e: usize) -> bool {
        self.home >> e & 1 != 0
    }
    #[inline(always)]
    fn are_home(&self) -> bool {
        self.home == const { ((1u64 << W) - 1) as u32 }
    }
    #[inline(always)]
    fn block(&self, by_position: bool) -> Option<usize> {
        if by_position { Some(self.position) } else { self.block.then_some(self.rows[0]) }
    }
    #[inline(always)]
    fn sure_block(&self, by_position: bool) -> Option<usize> {
        by_position.then_some(self.position)
    }
}

/// Elements in the order of their execution.
pub(crate) trait Sequence: Copy {
    /// The rows come from a list.
    const IS_LISTED: bool;
    /// Several of them.
    type Visits<const W: usize>: Visits<W>;
    /// Number of elements.
    fn len(&self) -> usize;
    /// The sequence without its first `count` elements.
    fn skip(self, count: usize) -> Self;
    /// `W` elements from number `at` on.
    ///
    /// # Safety
    /// There are so many.
    unsafe fn visits<const W: usize>(&self, at: usize) -> Self::Visits<W>;
}

/// Consecutive rows, alike at home or not, whose positions are their rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consecutive {
    first: usize,
    len: usize,
    home: bool,
}

impl Consecutive {
    pub(crate) fn new(rows: Range<usize>, home: bool) -> Consecutive {
        Consecutive { first: rows.start, len: rows.len(), home }
    }
}

impl Sequence for Consecutive {
    const IS_LISTED: bool = false;
    type Visits<const W: usize> = Block<W>;
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }
    #[inline(always)]
    fn skip(self, count: usize) -> Self {
        Consecutive { first: self.first + count, len: self.len - count, ..self }
    }
    #[inline(always)]
    unsafe fn visits<const W: usize>(&self, at: usize) -> Block<W> {
        Block { first: self.first + at, home: self.home }
    }
}

/// Rows from a list, each marked [`HOME`] or not, at consecutive positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'a> {
    position: usize,
    rows: &'a [u32],
}

impl<'a> Listed<'a> {
    /// `rows` are those at `position` and after it.
    pub(crate) fn new(position: usize, rows: &'a [u32]) -> Listed<'a> {
        Listed { position, rows }
    }
}

impl Sequence for Listed<'_> {
    const IS_LISTED: bool = true;
    type Visits<const W: usize> = Marked<W>;
    #[inline(always)]
    fn len(&self) -> usize {
        self.rows.len()
    }
    #[inline(always)]
    fn skip(self, count: usize) -> Self {
        Listed { position: self.position + count, rows: &self.rows[count..] }
    }
    #[inline(always)]
    unsafe fn visits<const W: usize>(&self, at: usize) -> Marked<W> {
        debug_assert!(at + W <= self.rows.len());
        // SAFETY: the caller's condition.
        let marked: [u32; W] = unsafe { *self.rows.as_ptr().add(at).cast() };
        let (mut home, mut block) = (0, true);
        for e in 0..W {
            home |= u32::from(marked[e] & HOME != 0) << e;
            block &= marked[e] & !HOME == (marked[0] & !HOME).wrapping_add(e as u32);
        }
        let rows = marked.map(|row| (row & !HOME) as usize);
        Marked { rows, position: self.position + at, home, block }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_rows_are_a_block_only_when_they_are_consecutive() {
        let rows = [4 | HOME, 5, 6 | HOME, 7 | HOME, 9, 8, 11, 12];
        let list = Listed::new(20, &rows);
        // SAFETY: the list is long enough.
        let [first, second, last] = unsafe { [list.visits::<4>(0), list.visits(3), list.visits(4)] };
        assert!([first, second, last].map(|v| v.block(false)) == [Some(4), None, None]);
        assert_eq!((first.rows, first.position(3)), ([4, 5, 6, 7], 23));
        assert_eq!(last.rows, [9, 8, 11, 12]);
        assert_eq!((last.block(true), last.place(1, true), last.place(1, false)), (Some(24), 25, 8));
        assert!(!first.are_stored(false) && first.is_home(0) && !first.is_home(1));
        assert!(first.are_stored(true) && first.is_stored(1, true) && !first.is_stored(1, false));
        // SAFETY: the list is long enough.
        assert!(unsafe { list.visits::<2>(2) }.are_stored(false));
        let rest = list.skip(6);
        // SAFETY: two rows are left.
        assert_eq!((rest.len(), unsafe { rest.visits::<2>(0) }.position(0)), (2, 26));
    }

    #[test]
    fn consecutive_rows_are_their_own_positions() {
        let rows = Consecutive::new(10..17, true).skip(3);
        // SAFETY: there are four rows.
        let visits = unsafe { rows.visits::<4>(0) };
        let rows = std::array::from_fn(|e| visits.row(e));
        assert_eq!((rows, visits.position(1), visits.block(false)), ([13, 14, 15, 16], 14, Some(13)));
        assert_eq!((visits.place(1, true), visits.sure_block(true)), (14, Some(13)));
        assert!(visits.are_stored(false) && visits.is_home(3));
        let elsewhere = Consecutive::new(0..2, false);
        // SAFETY: there are two rows.
        let elsewhere = unsafe { elsewhere.visits::<2>(0) };
        assert!(!elsewhere.is_home(1) && !elsewhere.are_stored(false) && !elsewhere.is_stored(1, false));
        // A tile's own rows are stored wherever they are at home.
        assert!(elsewhere.are_stored(true) && elsewhere.is_stored(1, true));
    }
}
