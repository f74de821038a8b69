//! Which elements touch a vertex.

use smallvec::SmallVec;

/// Most vertices have at most this many elements: stored in place, a star fits in one cache line.
const IN_PLACE: usize = 12;

/// The elements that touch each vertex, by local number, in no particular order.
#[derive(Clone, Debug, Default)]
pub struct Stars {
    stars: Vec<SmallVec<[u32; IN_PLACE]>>,
}

impl Stars {
    /// The elements that touch a vertex.
    #[inline]
    pub fn get(&self, v: u32) -> &[u32] {
        &self.stars[v as usize]
    }

    pub(crate) fn resize(&mut self, vertices: usize) {
        self.stars.resize(vertices.max(self.stars.len()), SmallVec::new());
    }

    #[inline]
    pub(crate) fn add(&mut self, v: u32, e: u32) {
        debug_assert!(!self.get(v).contains(&e));
        self.stars[v as usize].push(e);
    }

    #[inline]
    pub(crate) fn remove(&mut self, v: u32, e: u32) {
        let star = &mut self.stars[v as usize];
        let at =
            star.iter().position(|&other| other == e).expect("the element is in the stars of its corners");
        star.swap_remove(at);
    }

    /// Empties a star and returns its elements.
    pub(crate) fn take(&mut self, v: u32) -> SmallVec<[u32; IN_PLACE]> {
        std::mem::take(&mut self.stars[v as usize])
    }

    /// Reorders the elements, which must not change any result.
    pub(crate) fn shuffle(&mut self, mut random: impl FnMut(usize) -> usize) {
        for star in &mut self.stars {
            for i in (1..star.len()).rev() {
                star.swap(i, random(i + 1));
            }
        }
    }
}
