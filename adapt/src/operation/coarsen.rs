//! Collapses: a vertex moves onto a neighbour, and the elements between them vanish.

use std::cmp::Ordering;

use smallvec::{SmallVec, smallvec};

use super::pass::{Cavity, Operation};
use super::periodic::is_superfluous;
use super::select::{Proposal, Proposals};
use crate::geometry::{Geometry, Side, Space};
use crate::mesh::{Freedom, INSIDE, Local, MOST_CORNERS, Numbers};
use crate::transfer::Replacement;

/// Levels of priority; the shortest edges have the highest.
const LEVELS: f64 = 8.0;

/// By how much longer edges may become if they are long already.
const GROWTH: f64 = 1.1;

/// What a collapse requires of the resulting elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Requirement {
    /// Nothing.
    Nothing,
    /// No edge longer than those around the vertex that vanishes, if these are longer than `long`.
    NoLonger,
    /// The worst one improves by `gain`; for an edge shorter than `shortest`, `quality` is enough.
    Better { gain: f64, shortest: f64, quality: f64 },
    /// The worst one has this quality, or is not worse than the worst one before.
    AtLeast { quality: f64 },
}

/// Collapses edges shorter than `short`, unless an edge longer than `long` would result.
#[derive(Clone, Copy, Debug)]
pub struct Coarsen {
    pub(crate) short: f64,
    pub(crate) long: f64,
    /// What is required of the resulting elements.
    pub(crate) requirement: Requirement,
}

impl Coarsen {
    /// Whether `v` may be moved onto `target`.
    fn allows<const D: usize>(&self, local: &Local<D>, v: u32, target: u32, neighbours: &[u32]) -> bool
    where
        Space<D>: Geometry<D>,
    {
        let long = match self.requirement {
            Requirement::NoLonger => {
                neighbours.iter().map(|&w| GROWTH * local.length(v, w)).fold(self.long, f64::max)
            }
            _ => self.long,
        };
        // Most fail by a length, and of the others most by an element.
        may_merge(local, v, target)
            && neighbours
                .iter()
                .all(|&w| w == target || local.compare_length(target, w, long).is_some_and(Ordering::is_le))
            && is_valid(local, v, target)
            && self.is_enough(local, v, target)
    }

    /// Whether the resulting elements are good enough.
    fn is_enough<const D: usize>(&self, local: &Local<D>, v: u32, target: u32) -> bool
    where
        Space<D>: Geometry<D>,
    {
        match self.requirement {
            Requirement::Nothing | Requirement::NoLonger => true,
            Requirement::AtLeast { quality } => {
                worst_after(local, v, target) >= quality.min(local.worst_around(v))
            }
            Requirement::Better { gain, shortest, quality } => {
                let new = worst_after(local, v, target);
                new > local.worst_around(v) + gain || new >= quality && local.length(v, target) < shortest
            }
        }
    }
}

/// Boundary vertices merge only along their boundary, corners never.
fn may_merge<const D: usize>(local: &Local<D>, v: u32, target: u32) -> bool {
    match local.freedom(v) {
        Freedom::Corner => false,
        Freedom::Inside => true,
        Freedom::Boundary => boundary_edge(local, v, target) && keeps_shape(local, v, target),
    }
}

/// Whether the resulting edge along a boundary stays near its curve.
fn keeps_shape<const D: usize>(local: &Local<D>, v: u32, target: u32) -> bool {
    let side = local.side(local.boundary_of(v));
    let Side::Curved { .. } = side else { return true };
    let along = |&w: &u32| w != target && boundary_edge(local, v, w);
    local.neighbours(v).into_iter().filter(along).all(|w| {
        // In one direction, as its bits decide.
        let (a, b) = local.ordered(target, w);
        side.allows(local.position(a), local.position(b))
    })
}

/// Whether an edge lies in a boundary facet.
pub(crate) fn boundary_edge<const D: usize>(local: &Local<D>, a: u32, b: u32) -> bool {
    local.star(a).iter().any(|&e| {
        let (corners, tags) = (local.elements.corners(e), local.elements.tags(e));
        corners.contains(&b) && corners.iter().zip(tags).any(|(&c, &tag)| c != a && c != b && tag != INSIDE)
    })
}

/// The corners of an element, `target` in place of `v`; the last one again for those that it does not have.
fn with_target<const D: usize>(corners: &[u32], v: u32, target: u32) -> [u32; MOST_CORNERS] {
    std::array::from_fn(|i| if corners[i.min(D)] == v { target } else { corners[i.min(D)] })
}

/// The lowest quality of the elements that would remain around `v`.
fn worst_after<const D: usize>(local: &Local<D>, v: u32, target: u32) -> f64
where
    Space<D>: Geometry<D>,
{
    let stay = local.star(v).iter().map(|&e| local.elements.corners(e)).filter(|c| !c.contains(&target));
    let new = stay.map(|corners| local.quality_of(&with_target::<D>(corners, v, target)[..=D]));
    new.fold(f64::INFINITY, f64::min)
}

/// Whether any elements remain around `v`, none of them inverted or flat.
fn is_valid<const D: usize>(local: &Local<D>, v: u32, target: u32) -> bool
where
    Space<D>: Geometry<D>,
{
    let mut left = 0;
    local.star(v).iter().all(|&e| {
        let corners = local.elements.corners(e);
        if corners.contains(&target) {
            // The element beyond the other facet would have to learn of this one's boundary.
            return local.tag_opposite(e, target) == INSIDE;
        }
        left += 1;
        local.is_solid(&with_target::<D>(corners, v, target)[..=D])
    }) && left > 0
}

impl Coarsen {
    /// The collapse of a vertex that is to vanish: onto the nearer neighbour on its boundary, however long the edges that
    /// result.
    fn remove<const D: usize>(&self, local: &Local<D>, v: u32) -> Option<Proposal>
    where
        Space<D>: Geometry<D>,
    {
        let may = |&w: &u32| may_merge(local, v, w) && is_valid(local, v, w);
        let near = local.neighbours(v).into_iter().filter(may).min_by(|&a, &b| {
            let key = |w| (local.length(v, w), local.identity(w));
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1))
        });
        near.map(|target| Proposal { target, level: LEVELS as u8 })
    }
}

impl<const D: usize> Operation<D> for Coarsen
where
    Space<D>: Geometry<D>,
{
    const KIND: u8 = 1;

    fn propose(&self, local: &Local<D>, v: u32) -> Option<Proposal> {
        if local.freedom(v) == Freedom::Corner {
            return None;
        }
        if is_superfluous(local, v) {
            return self.remove(local, v);
        }
        let neighbours = local.neighbours(v);
        let is_short = |w: u32| local.compare_length(v, w, self.short) == Some(Ordering::Less);
        let mut short: SmallVec<[(f64, u32); 12]> =
            neighbours.iter().filter(|&&w| is_short(w)).map(|&w| (local.length(v, w), w)).collect();
        short.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| local.identity(a.1).cmp(&local.identity(b.1))));
        let (length, target) =
            short.into_iter().find(|&(_, target)| self.allows(local, v, target, &neighbours))?;
        let level = LEVELS - (LEVELS * (length / self.short)).floor().min(LEVELS - 1.0);
        Some(Proposal { target, level: level as u8 })
    }

    fn conflict(_: &Local<D>, _: &Proposals, _: u32, _: u32) -> bool {
        // Neighbours share elements.
        true
    }

    fn replacement(local: &Local<D>, v: u32, target: u32) -> Replacement {
        let star = local.star(v).iter().map(|&e| local.elements.corners(e));
        let stay = star.filter(|corners| !corners.contains(&target));
        let new = stay.map(|corners| with_target::<D>(corners, v, target)).collect();
        Replacement { old: Numbers::from_slice(local.star(v)), new }
    }

    fn apply(local: &mut Local<D>, v: u32, target: u32) -> Cavity {
        let ring = local.neighbours(v);
        let star = Numbers::from_slice(local.star(v));
        let mut new = Numbers::new();
        for &e in &star {
            if local.elements.corners(e).contains(&target) {
                pass_on_tag(local, e, v, target);
            } else {
                new.push(e);
            }
        }
        let gone = smallvec![local.identity(v)];
        for &e in &star {
            if new.contains(&e) {
                replace(local, e, v, target);
            } else {
                local.remove_element(e);
            }
        }
        local.stars.take(v);
        local.vertices.remove(v);
        Cavity { gone, ring, new }
    }
}

/// Replaces a corner `v` of an element by `target`.
fn replace<const D: usize>(local: &mut Local<D>, e: u32, v: u32, target: u32) {
    let (mut corners, mut tags) = ([0; MOST_CORNERS], [INSIDE; MOST_CORNERS]);
    let (corners, tags) = (&mut corners[..=D], &mut tags[..=D]);
    corners.copy_from_slice(local.elements.corners(e));
    tags.copy_from_slice(local.elements.tags(e));
    *corners.iter_mut().find(|c| **c == v).expect("a corner") = target;
    local.rotate(corners, tags);
    local.elements.set(e, corners, tags);
    local.stars.add(target, e);
}

/// The two facets of a vanishing element opposite the ends become one; if the one opposite `v` is on a boundary, the
/// element beyond the other one gets its tag.
fn pass_on_tag<const D: usize>(local: &mut Local<D>, e: u32, v: u32, target: u32) {
    let tag = local.tag_opposite(e, v);
    if tag == INSIDE {
        return;
    }
    let facet: Numbers = local.elements.corners(e).iter().copied().filter(|&c| c != target).collect();
    let contains = |&&n: &&u32| n != e && facet.iter().all(|c| local.elements.corners(n).contains(c));
    let beyond = local.star(v).iter().find(contains).copied().expect("that facet is on no boundary");
    let at = local.elements.corners(beyond).iter().position(|c| !facet.contains(c));
    local.elements.tags_mut(beyond)[at.expect("one corner is not in a facet")] = tag;
}
