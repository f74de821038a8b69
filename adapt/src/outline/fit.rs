//! Which piece of the outline each facet of a mesh lies on.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;

use super::points::numbers_of;
use super::{Bits, Loops, Outline, OutlineError, Piece, bits, sorted};
use crate::geometry::{Point, Side, between, difference, dot};
use crate::mesh::{Input, MOST, Sides, with_number};

/// What a mesh's facets are on: each piece that is not straight has a tag of its own.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// New tags of this rank's facets.
    tags: Vec<u16>,
    /// The boundary, from 0, of each tag beyond those of the boundaries.
    boundaries: Vec<u16>,
    /// What the tags stand for, and which vertices are corners.
    sides: Sides<2>,
}

impl Fitted {
    /// Gives the mesh its new tags: beyond those of its boundaries, each stands for the boundary that is returned, from 0.
    /// With the mesh, for [`Mesh::with_sides`](crate::mesh::Mesh::with_sides): what the tags stand for.
    pub fn apply(self, input: &mut Input<2>) -> (Vec<u16>, Sides<2>) {
        let Fitted { tags, boundaries, sides } = self;
        let names: Vec<String> =
            boundaries.iter().map(|&of| input.boundaries[usize::from(of)].clone()).collect();
        input.between.resize(input.boundaries.len(), None);
        let between: Vec<_> = boundaries.iter().map(|&of| input.between[usize::from(of)].clone()).collect();
        input.boundaries.extend(names);
        input.between.extend(between);
        input.tags = tags;
        (boundaries, sides)
    }
}

impl Outline {
    /// The facets of a mesh that has come from that of the outline. Collective.
    ///
    /// # Errors
    /// It has not; or there are too many pieces. The same on all ranks.
    pub fn fit(&self, comm: &Comm, input: &Input<2>) -> Result<Fitted, OutlineError> {
        let loops = Loops::of(comm, input);
        let named = input.boundaries.len();
        let mut fitted = Fitted {
            tags: input.tags.clone(),
            boundaries: Vec::new(),
            sides: Sides {
                sides: vec![Side::Straight; named],
                corners: Vec::new(),
                required: input.region_names.iter().map(|name| self.required.contains(name)).collect(),
                pairs: Vec::new(),
            },
        };
        // The tag of each piece that needs one; those of one boundary that stay share it.
        let mut of_piece = vec![None; self.pieces.len()];
        let mut of_required = BTreeMap::new();
        for (tag, piece) in of_piece.iter_mut().zip(&self.pieces) {
            let known = of_required.get(&piece.boundary).copied();
            *tag = match piece.side {
                Side::Straight => None,
                Side::Required if known.is_some() => known,
                _ => {
                    fitted.sides.sides.push(piece.side.clone());
                    fitted.boundaries.push(piece.boundary);
                    Some(fitted.sides.sides.len())
                }
            };
            if matches!(piece.side, Side::Required) {
                of_required.extend(tag.map(|tag| (piece.boundary, tag)));
            }
        }
        if fitted.sides.sides.len() > MOST {
            return Err(OutlineError::Many { pieces: fitted.boundaries.len(), most: MOST - named });
        }
        let mut candidates: BTreeMap<(u16, Option<[Bits; 2]>), Vec<usize>> = BTreeMap::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            candidates.entry((piece.boundary, piece.ends())).or_default().push(at);
        }
        let is_corner = |vertex| !loops.goes_on(vertex) || self.corners.contains(&bits(loops.place(vertex)));
        let corners = loops.vertices.iter().copied().filter(|&vertex| is_corner(vertex));
        let staying = self.points.iter().chain(self.marked.points()).copied().collect();
        let mut corners: Vec<u64> = corners.chain(numbers_of(comm, input, &staying)).collect();
        corners.sort_unstable();
        corners.dedup();
        fitted.sides.corners = corners;
        let own = loops.first..loops.first + input.tags.len();
        for (vertices, facets) in loops.runs(is_corner) {
            let boundary = loops.facets[facets[0] as usize].0;
            let points: Vec<Point<2>> = vertices.iter().map(|&vertex| *loops.place(vertex)).collect();
            let [first, last] = [points[0], points[points.len() - 1]];
            let ends = is_corner(vertices[0]).then(|| sorted([bits(&first), bits(&last)]));
            let found = candidates.get(&(boundary, ends)).map_or(&[][..], |found| found);
            let Some(at) = self.nearest(found, &points) else {
                let name = input.boundaries[usize::from(boundary)].clone();
                let [from, to] = [first, last].map(|p| format!("{p:?}"));
                return Err(OutlineError::Foreign { name, from, to });
            };
            if let Some(tag) = of_piece[at] {
                for facet in facets.iter().map(|&facet| facet as usize).filter(|facet| own.contains(facet)) {
                    let fitted = &mut fitted.tags[facet - own.start];
                    *fitted = with_number(*fitted, tag as u16);
                }
            }
        }
        Ok(fitted)
    }

    /// The piece that a run is on, of those with its ends.
    fn nearest(&self, candidates: &[usize], run: &[Point<2>]) -> Option<usize> {
        if let &[only] = candidates {
            return Some(only);
        }
        let distance = |&at: &usize| (distance(&self.pieces[at], run), at);
        candidates.iter().map(distance).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }
}

/// How far a run is from a piece with the same ends: the sum over its vertices and the middles between them. Closed ones
/// have no ends in common, and differ in the boxes around them.
fn distance(piece: &Piece, run: &[Point<2>]) -> f64 {
    let length = |way: &Point<2>| dot(way, way).sqrt();
    if piece.closed {
        let corners = [around(&piece.points), around(run)];
        return (0..2).map(|i| length(&difference(&corners[0][i], &corners[1][i]))).sum();
    }
    let [a, b] = [piece.points[0], piece.points[piece.points.len() - 1]];
    let off = |p: &Point<2>| match piece.side.curve() {
        Some(curve) => length(&difference(p, &curve.nearest(p))),
        None => {
            let chord = difference(&a, &b);
            let share = (dot(&difference(&a, p), &chord) / dot(&chord, &chord)).clamp(0.0, 1.0);
            length(&difference(p, &between(&a, &b, share)))
        }
    };
    let middles = run.windows(2).map(|ends| off(&between(&ends[0], &ends[1], 0.5)));
    run.iter().map(off).chain(middles).sum()
}

/// The corners of the box around some points.
pub(super) fn around(points: &[Point<2>]) -> [Point<2>; 2] {
    points.iter().fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], p| {
        [[low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])]]
    })
}
