//! From rows of a dat to lanes and back.
//!
//! A dat is stored row by row, with an element's values side by side; a kernel needs lanes, with one value of several
//! elements side by side. Rows are loaded whole and transposed in registers, in groups of 4, 2 and 1 columns. Hardware
//! gathers would be shorter to write but slower.

use super::{Real, inlined};
use crate::element::Element;

/// `W` numbers used in one computation: how they get into a register and out of it.
pub trait Vector<const W: usize>: Real {
    /// One number per lane.
    fn from_array(values: [f64; W]) -> Self;
    /// The number of every lane.
    fn to_array(self) -> [f64; W];
    /// One integer per lane.
    fn ints_from_array(values: [i32; W]) -> Self::Int;
    /// The integer of every lane.
    fn ints_to_array(ints: Self::Int) -> [i32; W];
    /// True if the mask is true in any lane.
    fn any(mask: Self::Mask) -> bool;

    /// The number at each place.
    ///
    /// # Safety
    /// Each of `rows` points to a number.
    unsafe fn load_singles(rows: [*const f64; W]) -> Self;
    /// The numbers to which index `I` of `W` consecutive rows of a map leads.
    ///
    /// # Safety
    /// `indices` points to `W` rows of indices; each leads to one of the numbers at `base`.
    #[inline(always)]
    unsafe fn load_single_targets<const N: usize, const I: usize>(
        base: *const f64,
        indices: *const [u32; N],
    ) -> Self {
        // SAFETY: the caller's condition.
        unsafe { Self::load_singles(targets::<f64, W, N, I>(base, indices)) }
    }
    /// The columns of rows of two numbers.
    ///
    /// # Safety
    /// Each of `rows` points to 2 numbers.
    unsafe fn load_pairs(rows: [*const f64; W]) -> [Self; 2];
    /// The columns of rows of four numbers.
    ///
    /// # Safety
    /// Each of `rows` points to 4 numbers.
    #[inline(always)]
    unsafe fn load_quads(rows: [*const f64; W]) -> [Self; 4] {
        // SAFETY: the caller's condition.
        let ([a, b], [c, d]) =
            unsafe { (Self::load_pairs(rows), Self::load_pairs(inlined::map(rows, |row| row.add(2)))) };
        [a, b, c, d]
    }
    /// The numbers of `W` rows of one number.
    ///
    /// # Safety
    /// `first` points to `W` numbers.
    #[inline(always)]
    unsafe fn load_single_block(first: *const f64) -> Self {
        // SAFETY: the caller's condition.
        Self::from_array(unsafe { *first.cast() })
    }
    /// The columns of `W` consecutive rows of two numbers.
    ///
    /// # Safety
    /// `first` points to 2 `W` numbers.
    #[inline(always)]
    unsafe fn load_pair_block(first: *const f64) -> [Self; 2] {
        // SAFETY: the caller's condition.
        unsafe { Self::load_pairs(inlined::from_fn(|e| first.add(2 * e))) }
    }
    /// The columns of `W` consecutive rows of four numbers.
    ///
    /// # Safety
    /// `first` points to 4 `W` numbers.
    #[inline(always)]
    unsafe fn load_quad_block(first: *const f64) -> [Self; 4] {
        // SAFETY: the caller's condition.
        unsafe { Self::load_quads(inlined::from_fn(|e| first.add(4 * e))) }
    }

    /// Stores each lane at its place.
    ///
    /// # Safety
    /// Each of `rows` points to a number that nothing else accesses.
    #[inline(always)]
    unsafe fn store_singles(self, rows: [*mut f64; W]) {
        let values = self.to_array();
        for e in 0..W {
            // SAFETY: the caller's condition.
            unsafe { *rows[e] = values[e] }
        }
    }
    /// Stores rows of two numbers, given their columns.
    ///
    /// # Safety
    /// Each of `rows` points to 2 numbers that nothing else accesses.
    unsafe fn store_pairs(lanes: [Self; 2], rows: [*mut f64; W]);
    /// Stores rows of four numbers, given their columns.
    ///
    /// # Safety
    /// Each of `rows` points to 4 numbers that nothing else accesses.
    #[inline(always)]
    unsafe fn store_quads([a, b, c, d]: [Self; 4], rows: [*mut f64; W]) {
        // SAFETY: the caller's condition.
        unsafe {
            Self::store_pairs([a, b], rows);
            Self::store_pairs([c, d], inlined::map(rows, |row| row.add(2)));
        }
    }
    /// Stores `W` rows of one number.
    ///
    /// # Safety
    /// `first` points to `W` numbers that nothing else accesses.
    #[inline(always)]
    unsafe fn store_single_block(self, first: *mut f64) {
        // SAFETY: the caller's condition.
        unsafe { *first.cast() = self.to_array() }
    }
    /// Stores `W` consecutive rows of two numbers, given their columns.
    ///
    /// # Safety
    /// `first` points to 2 `W` numbers that nothing else accesses.
    #[inline(always)]
    unsafe fn store_pair_block(lanes: [Self; 2], first: *mut f64) {
        // SAFETY: the caller's condition.
        unsafe { Self::store_pairs(lanes, inlined::from_fn(|e| first.add(2 * e))) }
    }
    /// Stores `W` consecutive rows of four numbers, given their columns.
    ///
    /// # Safety
    /// `first` points to 4 `W` numbers that nothing else accesses.
    #[inline(always)]
    unsafe fn store_quad_block(lanes: [Self; 4], first: *mut f64) {
        // SAFETY: the caller's condition.
        unsafe { Self::store_quads(lanes, inlined::from_fn(|e| first.add(4 * e))) }
    }
}

/// One lane.
impl Vector<1> for f64 {
    #[inline(always)]
    fn from_array([value]: [f64; 1]) -> f64 {
        value
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 1] {
        [self]
    }
    #[inline(always)]
    fn ints_from_array([value]: [i32; 1]) -> i32 {
        value
    }
    #[inline(always)]
    fn ints_to_array(int: i32) -> [i32; 1] {
        [int]
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    unsafe fn load_singles([row]: [*const f64; 1]) -> f64 {
        // SAFETY: the caller's condition.
        unsafe { *row }
    }
    #[inline(always)]
    unsafe fn load_pairs([row]: [*const f64; 1]) -> [f64; 2] {
        // SAFETY: the caller's condition.
        unsafe { *row.cast() }
    }
    #[inline(always)]
    unsafe fn store_pairs(lanes: [f64; 2], [row]: [*mut f64; 1]) {
        // SAFETY: the caller's condition.
        unsafe { *row.cast() = lanes }
    }
}

/// The places to which index `I` of `W` consecutive rows of a map leads.
///
/// # Safety
/// `indices` points to `W` rows of indices; each leads to one of the values at `base`.
#[inline(always)]
pub(super) unsafe fn targets<T, const W: usize, const N: usize, const I: usize>(
    base: *const T,
    indices: *const [u32; N],
) -> [*const T; W] {
    // SAFETY: the caller's condition.
    inlined::from_fn(|e| unsafe { base.add((*indices.add(e))[I] as usize) })
}

/// An element type whose rows can be transposed into lanes.
pub trait LaneStored: Element {
    /// The columns of `W` rows of `D` values.
    ///
    /// # Safety
    /// Each of `rows` points to `D` values.
    unsafe fn load_rows<const W: usize, const D: usize, R: Vector<W>>(
        rows: [*const Self; W],
    ) -> [Self::Lane<R>; D];
    /// The values to which index `I` of `W` consecutive rows of a map leads.
    ///
    /// # Safety
    /// `indices` points to `W` rows of indices; each leads to one of the values at `base`.
    #[inline(always)]
    unsafe fn load_targets<const W: usize, const N: usize, const I: usize, R: Vector<W>>(
        base: *const Self,
        indices: *const [u32; N],
    ) -> Self::Lane<R> {
        // SAFETY: the caller's condition.
        let [lane] = unsafe { Self::load_rows::<W, 1, R>(targets::<Self, W, N, I>(base, indices)) };
        lane
    }
    /// The columns of `W` consecutive rows of `D` values.
    ///
    /// # Safety
    /// `first` points to `W D` values.
    unsafe fn load_block<const W: usize, const D: usize, R: Vector<W>>(
        first: *const Self,
    ) -> [Self::Lane<R>; D];
    /// Stores `W` consecutive rows of `D` values, given their columns.
    ///
    /// # Safety
    /// `first` points to `W D` values that nothing else accesses.
    unsafe fn store_block<const W: usize, const D: usize, R: Vector<W>>(
        lanes: &[Self::Lane<R>; D],
        first: *mut Self,
    );
    /// Stores `W` rows of `D` values, given their columns, for [`LaneStored::grouped_row`]: in the groups of columns in
    /// which they are transposed, each as a block.
    ///
    /// # Safety
    /// `first` points to `W D` values that nothing else accesses.
    #[inline(always)]
    unsafe fn store_grouped<const W: usize, const D: usize, R: Vector<W>>(
        lanes: &[Self::Lane<R>; D],
        first: *mut Self,
    ) {
        // SAFETY: the caller's condition.
        unsafe { Self::store_block::<W, D, R>(lanes, first) }
    }
    /// Row `e` of what [`LaneStored::store_grouped`] has stored.
    ///
    /// # Safety
    /// `first` points to that, and `e` < `W`.
    #[inline(always)]
    unsafe fn grouped_row<const W: usize, const D: usize>(first: *const Self, e: usize) -> [Self; D] {
        // SAFETY: the caller's condition.
        unsafe { *first.cast::<[Self; D]>().add(e) }
    }
}

impl LaneStored for f64 {
    #[inline(always)]
    unsafe fn load_rows<const W: usize, const D: usize, R: Vector<W>>(rows: [*const f64; W]) -> [R; D] {
        let mut lanes = [R::splat(0.0); D];
        let pairs_from = D - D % 4;
        // SAFETY: the caller's condition; each group of columns lies within the D of a row.
        unsafe {
            for quad in 0..D / 4 {
                let at = 4 * quad;
                [lanes[at], lanes[at + 1], lanes[at + 2], lanes[at + 3]] =
                    R::load_quads(inlined::map(rows, |row| row.add(at)));
            }
            if D % 4 >= 2 {
                [lanes[pairs_from], lanes[pairs_from + 1]] =
                    R::load_pairs(inlined::map(rows, |row| row.add(pairs_from)));
            }
            if D % 2 == 1 {
                lanes[D - 1] = R::load_singles(inlined::map(rows, |row| row.add(D - 1)));
            }
        }
        lanes
    }

    #[inline(always)]
    unsafe fn load_targets<const W: usize, const N: usize, const I: usize, R: Vector<W>>(
        base: *const f64,
        indices: *const [u32; N],
    ) -> R {
        // SAFETY: the caller's condition.
        unsafe { R::load_single_targets::<N, I>(base, indices) }
    }

    #[inline(always)]
    unsafe fn load_block<const W: usize, const D: usize, R: Vector<W>>(first: *const f64) -> [R; D] {
        let mut lanes = [R::splat(0.0); D];
        // SAFETY: the caller's condition.
        unsafe {
            match D {
                1 => lanes[0] = R::load_single_block(first),
                2 => [lanes[0], lanes[1]] = R::load_pair_block(first),
                4 => [lanes[0], lanes[1], lanes[2], lanes[3]] = R::load_quad_block(first),
                _ => lanes = Self::load_rows::<W, D, R>(inlined::from_fn(|e| first.add(e * D))),
            }
        }
        lanes
    }

    #[inline(always)]
    unsafe fn store_block<const W: usize, const D: usize, R: Vector<W>>(lanes: &[R; D], first: *mut f64) {
        // SAFETY: the caller's condition; each group of columns lies within the D of a row.
        unsafe {
            match D {
                1 => return lanes[0].store_single_block(first),
                2 => return R::store_pair_block([lanes[0], lanes[1]], first),
                4 => return R::store_quad_block([lanes[0], lanes[1], lanes[2], lanes[3]], first),
                _ => {}
            }
            let rows = |at: usize| inlined::from_fn(|e| first.add(e * D + at));
            let pairs_from = D - D % 4;
            for quad in 0..D / 4 {
                let at = 4 * quad;
                R::store_quads([lanes[at], lanes[at + 1], lanes[at + 2], lanes[at + 3]], rows(at));
            }
            if D % 4 >= 2 {
                R::store_pairs([lanes[pairs_from], lanes[pairs_from + 1]], rows(pairs_from));
            }
            if D % 2 == 1 {
                lanes[D - 1].store_singles(rows(D - 1));
            }
        }
    }

    #[inline(always)]
    unsafe fn store_grouped<const W: usize, const D: usize, R: Vector<W>>(lanes: &[R; D], first: *mut f64) {
        let pairs_from = D - D % 4;
        // SAFETY: the caller's condition; each group of columns has its part of the values.
        unsafe {
            for quad in 0..D / 4 {
                let at = 4 * quad;
                let columns = [lanes[at], lanes[at + 1], lanes[at + 2], lanes[at + 3]];
                R::store_quad_block(columns, first.add(at * W));
            }
            if D % 4 >= 2 {
                R::store_pair_block([lanes[pairs_from], lanes[pairs_from + 1]], first.add(pairs_from * W));
            }
            if D % 2 == 1 {
                lanes[D - 1].store_single_block(first.add((D - 1) * W));
            }
        }
    }

    #[inline(always)]
    unsafe fn grouped_row<const W: usize, const D: usize>(first: *const f64, e: usize) -> [f64; D] {
        inlined::from_fn(|m| {
            let (group, columns) = match m {
                _ if m < D - D % 4 => (m - m % 4, 4),
                _ if m < D - D % 2 => (D - D % 4, 2),
                _ => (m, 1),
            };
            // SAFETY: the caller's condition.
            unsafe { *first.add(group * W + e * columns + m - group) }
        })
    }
}

impl LaneStored for i32 {
    #[inline(always)]
    unsafe fn load_rows<const W: usize, const D: usize, R: Vector<W>>(rows: [*const i32; W]) -> [R::Int; D] {
        // SAFETY: the caller's condition.
        inlined::from_fn(|m| R::ints_from_array(inlined::map(rows, |row| unsafe { *row.add(m) })))
    }

    #[inline(always)]
    unsafe fn load_block<const W: usize, const D: usize, R: Vector<W>>(first: *const i32) -> [R::Int; D] {
        // SAFETY: the caller's condition.
        unsafe { Self::load_rows::<W, D, R>(inlined::from_fn(|e| first.add(e * D))) }
    }

    #[inline(always)]
    unsafe fn store_block<const W: usize, const D: usize, R: Vector<W>>(
        lanes: &[R::Int; D],
        first: *mut i32,
    ) {
        for m in 0..D {
            let column = R::ints_to_array(lanes[m]);
            for e in 0..W {
                // SAFETY: the caller's condition.
                unsafe { *first.add(e * D + m) = column[e] }
            }
        }
    }
}

/// Rows of `D` f32 as the f64 that equal them, on their way between storage and lanes.
#[repr(C, align(64))]
struct Wide<const D: usize, const W: usize>([[f64; D]; W]);

impl<const D: usize, const W: usize> Wide<D, W> {
    /// # Safety
    /// Each of the rows points to `D` values.
    #[inline(always)]
    unsafe fn of(row: impl Fn(usize) -> *const f32) -> Self {
        let mut wide = Wide([[0.0; D]; W]);
        for e in 0..W {
            let row = row(e);
            for m in 0..D {
                // SAFETY: the caller's condition.
                wide.0[e][m] = f64::from(unsafe { *row.add(m) });
            }
        }
        wide
    }
}

/// Stores round to the nearest f32, ties to even.
impl LaneStored for f32 {
    #[inline(always)]
    unsafe fn load_rows<const W: usize, const D: usize, R: Vector<W>>(rows: [*const f32; W]) -> [R; D] {
        // SAFETY: the caller's condition; the wide rows are whole.
        unsafe {
            let wide = Wide::<D, W>::of(|e| rows[e]);
            f64::load_block::<W, D, R>(wide.0.as_ptr().cast())
        }
    }

    #[inline(always)]
    unsafe fn load_block<const W: usize, const D: usize, R: Vector<W>>(first: *const f32) -> [R; D] {
        // SAFETY: the caller's condition; the wide rows are whole.
        unsafe {
            let wide = Wide::<D, W>::of(|e| first.add(e * D));
            f64::load_block::<W, D, R>(wide.0.as_ptr().cast())
        }
    }

    #[inline(always)]
    unsafe fn store_block<const W: usize, const D: usize, R: Vector<W>>(lanes: &[R; D], first: *mut f32) {
        let mut wide = Wide([[0.0; D]; W]);
        // SAFETY: the wide rows have room for W rows, `first` by the caller's condition.
        unsafe {
            f64::store_block::<W, D, R>(lanes, wide.0.as_mut_ptr().cast());
            for e in 0..W {
                for m in 0..D {
                    *first.add(e * D + m) = wide.0[e][m] as f32;
                }
            }
        }
    }
}
