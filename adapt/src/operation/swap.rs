//! Swaps: the edge between two triangles is replaced by the other diagonal.

use smallvec::{SmallVec, smallvec};

use super::pass::{Cavity, Operation};
use super::select::{Proposal, Proposals};
use crate::mesh::{INSIDE, Local, Numbers};
use crate::transfer::Replacement;

/// Levels of priority; the largest gains have the highest.
const LEVELS: f64 = 8.0;

/// What makes a triangle good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Good {
    /// Its shape and size.
    Quality,
    /// Its shape alone: of triangles much larger than they should be, all qualities are nearly 0.
    Shape,
}

/// Swaps edges of triangles with a quality below `quality` if the worse of the two triangles becomes better.
#[derive(Clone, Copy, Debug)]
pub struct Swap {
    pub(crate) quality: f64,
    pub(crate) gain: f64,
    pub(crate) good: Good,
}

/// The two triangles at an edge from `a` to `b`: `left` is to the left of it.
struct Diagonals {
    elements: [u32; 2],
    a: u32,
    b: u32,
    left: u32,
    right: u32,
}

impl Diagonals {
    /// `None` for an edge on a boundary or an interface.
    fn find(local: &Local<2>, a: u32, b: u32) -> Option<Diagonals> {
        let around = local.around_edge(a, b);
        let &[one, other] = &around[..] else { return None };
        // In the triangle to the left, b follows a.
        let follows = |e: u32| {
            let corners = local.elements.corners(e);
            let at = corners.iter().position(|&c| c == a).expect("a corner");
            corners[(at + 1) % 3] == b
        };
        let [l, r] = if follows(one) { [one, other] } else { [other, one] };
        let third =
            |e: u32| *local.elements.corners(e).iter().find(|&&c| c != a && c != b).expect("a third corner");
        let (left, right) = (third(l), third(r));
        (local.tag_opposite(l, left) == INSIDE).then_some(Diagonals { elements: [l, r], a, b, left, right })
    }

    /// The triangles with the other diagonal.
    fn swapped(&self) -> [[u32; 3]; 2] {
        swapped(self.a, self.b, self.left, self.right)
    }
}

/// The triangles with the other diagonal than that from `a` to `b`.
fn swapped(a: u32, b: u32, left: u32, right: u32) -> [[u32; 3]; 2] {
    [[a, right, left], [b, left, right]]
}

/// A triangle at a vertex: its corners after and before that vertex, and how good it is.
#[derive(Clone, Copy)]
struct Spoke {
    element: u32,
    next: u32,
    last: u32,
    quality: f64,
}

impl Swap {
    fn quality(&self, local: &Local<2>, corners: &[u32]) -> f64 {
        match self.good {
            Good::Quality => local.quality_of(corners),
            Good::Shape => local.shape_of(corners),
        }
    }

    /// The triangles at a vertex.
    fn spokes(&self, local: &Local<2>, v: u32) -> SmallVec<[Spoke; 12]> {
        let spoke = |&element: &u32| {
            let corners = local.elements.corners(element);
            let at = corners.iter().position(|&c| c == v).expect("a corner of its star");
            let quality = match self.good {
                Good::Quality => local.quality(element),
                Good::Shape => local.shape_of(corners),
            };
            Spoke { element, next: corners[(at + 1) % 3], last: corners[(at + 2) % 3], quality }
        };
        local.star(v).iter().map(spoke).collect()
    }

    /// The gain of a swap of the edge from a vertex to where the triangle to the left of it has its next corner: the new
    /// lowest quality less the old one.
    fn gain(&self, local: &Local<2>, v: u32, left: Spoke, right: Spoke) -> Option<f64> {
        let old = left.quality.min(right.quality);
        let is_free = local.tag_opposite(left.element, left.last) == INSIDE;
        if old >= self.quality || !is_free || local.is_required(left.element) {
            return None;
        }
        let new = swapped(v, left.next, left.last, right.next);
        if !new.iter().all(|corners| local.is_positive(corners)) {
            return None;
        }
        let gain = self.quality(local, &new[0]).min(self.quality(local, &new[1])) - old;
        (gain > self.gain).then_some(gain)
    }
}

/// Whether the edges that two neighbours propose, of which this rank owns `v`, are sides of a common triangle.
pub(super) fn share_triangle(local: &Local<2>, proposals: &Proposals, v: u32, w: u32) -> bool {
    let (own, other) = (proposals.target(v), proposals.target(w));
    local.around_edge(v, own).iter().any(|&e| {
        let corners = local.elements.corners(e);
        corners.contains(&w) && corners.contains(&other)
    })
}

impl Operation<2> for Swap {
    const KIND: u8 = 2;

    /// Among the edges to vertices of larger identity, the one whose swap gains most.
    fn propose(&self, local: &Local<2>, v: u32) -> Option<Proposal> {
        let spokes = self.spokes(local, v);
        let mut best: Option<(f64, u32)> = None;
        for left in spokes.iter().filter(|left| local.identity(left.next) > local.identity(v)) {
            let Some(right) = spokes.iter().find(|right| right.last == left.next) else { continue };
            let Some(gain) = self.gain(local, v, *left, *right) else { continue };
            let better = |&(other, target): &(f64, u32)| {
                gain > other || gain == other && local.identity(left.next) < local.identity(target)
            };
            if best.as_ref().is_none_or(better) {
                best = Some((gain, left.next));
            }
        }
        let (gain, target) = best?;
        Some(Proposal { target, level: 1 + (LEVELS * gain).floor().min(LEVELS - 1.0) as u8 })
    }

    fn conflict(local: &Local<2>, proposals: &Proposals, v: u32, w: u32) -> bool {
        share_triangle(local, proposals, v, w)
    }

    fn replacement(local: &Local<2>, v: u32, target: u32) -> Replacement {
        let diagonals = Diagonals::find(local, v, target).expect("it was proposed");
        let new = diagonals.swapped().map(|corners| std::array::from_fn(|i| corners[i.min(2)]));
        Replacement { old: Numbers::from_slice(&diagonals.elements), new: new.into_iter().collect() }
    }

    fn apply(local: &mut Local<2>, v: u32, target: u32) -> Cavity {
        let diagonals = Diagonals::find(local, v, target).expect("it was proposed");
        let Diagonals { elements: [l, r], a, b, left, right } = diagonals;
        let tag = |e, opposite| local.tag_opposite(e, opposite);
        // Facets opposite the corners of the new triangles.
        let tags = [[INSIDE, tag(l, b), tag(r, b)], [INSIDE, tag(r, a), tag(l, a)]];
        let region = local.elements.region(l);
        let gone = smallvec![local.identity(a), local.identity(b)];
        local.remove_element(l);
        local.remove_element(r);
        let new = diagonals.swapped();
        let new = new.iter().zip(&tags);
        let new: Numbers = new.map(|(corners, tags)| local.add_element(corners, tags, region)).collect();
        Cavity { gone, ring: Numbers::from_slice(&[a, b, left, right]), new }
    }
}
