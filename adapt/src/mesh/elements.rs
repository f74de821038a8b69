//! The elements that one rank holds.

use super::NONE;

/// The tag of an element's facet on no boundary.
pub const INSIDE: u16 = 0;

/// The bit of the tag of a facet between two elements that is kept as one of a boundary is; both elements have it. Between
/// regions, [`EMBEDDED`], or a side of an element that stays.
pub const INTERFACE: u16 = 1 << 15;

/// The bit of the tag of an interface that a mesh lists among the facets of its boundaries, within a region or between two.
pub const EMBEDDED: u16 = 1 << 14;

/// The most boundaries and interfaces.
pub const MOST: usize = EMBEDDED as usize - 1;

/// The number of a tag's boundary or interface, from 1; 0 for [`INSIDE`].
#[inline]
pub fn number_of(tag: u16) -> u16 {
    tag & !(INTERFACE | EMBEDDED)
}

/// The tag with the number of another boundary or interface.
#[inline]
pub fn with_number(tag: u16, number: u16) -> u16 {
    tag & (INTERFACE | EMBEDDED) | number
}

/// Whether a facet with this tag is one of a single element.
#[inline]
pub fn is_outer(tag: u16) -> bool {
    tag != INSIDE && tag & INTERFACE == 0
}

/// By how many exchanges of two a list becomes ascending.
pub(super) fn exchanges(corners: impl Iterator<Item = u64>) -> usize {
    let corners: Vec<u64> = corners.collect();
    let later = |i: usize| corners[i + 1..].iter().filter(|&&c| c < corners[i]).count();
    (0..corners.len()).map(later).sum()
}

/// The elements that one rank holds, by local number; some numbers are free.
///
/// An element is its `D + 1` corners, the one of smallest identity first and the others rotated so that the element
/// keeps its orientation. Facet `i` is opposite corner `i`; its tag is [`INSIDE`] or the number of its boundary, from
/// 1; one of two elements has the bit [`INTERFACE`], too.
#[derive(Clone, Debug, Default)]
pub struct Elements<const D: usize> {
    corners: Vec<u32>,
    tags: Vec<u16>,
    /// Their regions, from 0.
    regions: Vec<u16>,
    /// Values of the fields, `width` per element.
    pub(crate) values: Vec<f64>,
    pub(crate) width: usize,
    free: Vec<u32>,
}

impl<const D: usize> Elements<D> {
    /// Corners of an element.
    pub const CORNERS: usize = D + 1;

    pub(crate) fn new(width: usize) -> Elements<D> {
        Elements { width, ..Default::default() }
    }

    /// Number of local numbers, including free ones.
    pub fn len(&self) -> usize {
        self.corners.len() / Self::CORNERS
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.len() - self.free.len()
    }

    /// Whether the number is not free.
    #[inline]
    pub fn is_alive(&self, e: u32) -> bool {
        self.corners[e as usize * Self::CORNERS] != NONE
    }

    /// The elements' local numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).filter(|&e| self.is_alive(e))
    }

    /// Local numbers of the corners.
    #[inline]
    pub fn corners(&self, e: u32) -> &[u32] {
        &self.corners[e as usize * Self::CORNERS..][..Self::CORNERS]
    }

    /// Tags of the facets opposite the corners.
    #[inline]
    pub fn tags(&self, e: u32) -> &[u16] {
        &self.tags[e as usize * Self::CORNERS..][..Self::CORNERS]
    }

    /// The region, from 0.
    #[inline]
    pub fn region(&self, e: u32) -> u16 {
        self.regions[e as usize]
    }

    pub(crate) fn tags_mut(&mut self, e: u32) -> &mut [u16] {
        &mut self.tags[e as usize * Self::CORNERS..][..Self::CORNERS]
    }

    /// The fields' values.
    pub(crate) fn values(&self, e: u32) -> &[f64] {
        &self.values[e as usize * self.width..][..self.width]
    }

    pub(crate) fn values_mut(&mut self, e: u32) -> &mut [f64] {
        &mut self.values[e as usize * self.width..][..self.width]
    }

    /// Gives every element more values, initially 0.
    pub(crate) fn widen(&mut self, more: usize) {
        self.values = super::widened(&self.values, self.len(), self.width, more);
        self.width += more;
    }

    /// Adds an element with values 0.
    pub(crate) fn add(&mut self, corners: &[u32], tags: &[u16], region: u16) -> u32 {
        let e = self.free.pop().unwrap_or_else(|| self.grow());
        self.set(e, corners, tags);
        self.regions[e as usize] = region;
        e
    }

    fn grow(&mut self) -> u32 {
        let e = u32::try_from(self.len()).expect("fewer than 2^32 elements a rank");
        self.corners.resize(self.corners.len() + Self::CORNERS, NONE);
        self.tags.resize(self.tags.len() + Self::CORNERS, INSIDE);
        self.regions.push(0);
        self.values.resize(self.values.len() + self.width, 0.0);
        e
    }

    pub(crate) fn set(&mut self, e: u32, corners: &[u32], tags: &[u16]) {
        self.corners[e as usize * Self::CORNERS..][..Self::CORNERS].copy_from_slice(corners);
        self.tags_mut(e).copy_from_slice(tags);
    }

    pub(crate) fn remove(&mut self, e: u32) {
        debug_assert!(self.is_alive(e));
        self.corners[e as usize * Self::CORNERS..][..Self::CORNERS].fill(NONE);
        self.values_mut(e).fill(0.0);
        self.free.push(e);
    }
}
