//! Joins blocks where their faces lie on each other, on rank 0, which knows the faces of blocks and nothing within them.
//!
//! 1. Nodes lie on each other if their distance is at most [`TOUCH`] of the shortest side of the faces around them.
//! 2. Two faces all of whose nodes lie on each other are one, within the mesh. Only then do their nodes become one: blocks on
//!    both sides of a thin plate stay apart, if the plate has a name.
//! 3. Neighbours in a face that lie on each other become one: a face drawn together to a line or a point.
//! 4. Faces without a second one are the boundary.

use std::collections::BTreeMap;

/// How close nodes lie on each other, as a share of the sides of faces around them.
const TOUCH: f64 = 1e-4;
/// The shortest side of a face, as a share of its longest one, that is not drawn together to a point.
const DRAWN: f64 = 1e-10;

/// A face of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Face {
    /// Its nodes, as indices into the points: 2, or 4 around it.
    pub(super) nodes: Vec<u32>,
    /// Whether it may lie on another.
    pub(super) open: bool,
}

/// Blocks that have been joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    /// For each point, the first of those that have become one with it.
    pub(super) points: Vec<u32>,
    /// Which faces remain as the boundary.
    pub(super) boundary: Vec<bool>,
}

/// Joins faces. An error is three faces that lie on each other.
pub(super) fn join(x: &[[f64; 3]], faces: &[Face]) -> Result<Joined, [usize; 3]> {
    let near = near(x, faces);
    let mut same = Sets::new(x.len());
    let mut boundary = vec![false; faces.len()];
    let mut places: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for (number, face) in faces.iter().enumerate() {
        draw_together(x, face, &mut same);
        // Drawn together to a point, or in space to a line, it is no face.
        if different(face, &same).len() < face.nodes.len().min(3) {
            continue;
        }
        boundary[number] = true;
        if face.open {
            places.entry(different(face, &near)).or_default().push(number);
        }
    }
    for met in places.into_values() {
        match met[..] {
            [_] => {}
            [one, other] => {
                boundary[one] = false;
                boundary[other] = false;
                for &a in &faces[one].nodes {
                    let on = |b: &&u32| near.first(**b) == near.first(a);
                    if let Some(&b) = faces[other].nodes.iter().find(on) {
                        same.join(a, b);
                    }
                }
            }
            [one, other, third, ..] => return Err([one, other, third]),
            [] => unreachable!("a place has a face"),
        }
    }
    Ok(Joined { points: (0..x.len() as u32).map(|node| same.first(node)).collect(), boundary })
}

/// The sets of a face's nodes, ascending, each once.
fn different(face: &Face, sets: &Sets) -> Vec<u32> {
    let mut nodes: Vec<u32> = face.nodes.iter().map(|&node| sets.first(node)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Makes one of neighbours in a face that lie on each other.
fn draw_together(x: &[[f64; 3]], face: &Face, same: &mut Sets) {
    for ([a, b], length) in sides(x, face) {
        if length == 0.0 {
            same.join(a, b);
        }
    }
}

/// Which nodes of open faces lie on each other.
fn near(x: &[[f64; 3]], faces: &[Face]) -> Sets {
    let mut reach = vec![f64::INFINITY; x.len()];
    for face in faces.iter().filter(|face| face.open) {
        for (ends, length) in sides(x, face).into_iter().filter(|(_, length)| *length > 0.0) {
            for node in ends {
                reach[node as usize] = reach[node as usize].min(TOUCH * length);
            }
        }
    }
    // In the order along a direction in which few nodes that are apart have the same place.
    let along = |node: u32| {
        let [a, b, c] = x[node as usize];
        0.6180339887 * a + 0.7548776662 * b + 0.2196531 * c
    };
    let mut order: Vec<u32> = (0..x.len() as u32).filter(|node| reach[*node as usize].is_finite()).collect();
    order.sort_unstable_by(|a, b| along(*a).total_cmp(&along(*b)).then(a.cmp(b)));
    let mut sets = Sets::new(x.len());
    for (k, &a) in order.iter().enumerate() {
        // No two nodes are farther apart along the direction than they are.
        let reached = |b: &&u32| along(**b) - along(a) <= reach[a as usize] + 1e-15 * along(a).abs();
        for &b in order[k + 1..].iter().take_while(reached) {
            if distance(x, a, b) <= reach[a as usize].min(reach[b as usize]) {
                sets.join(a, b);
            }
        }
    }
    sets
}

/// The sides of a face, in the plane the face itself, and their lengths: 0 for those that are drawn together.
fn sides(x: &[[f64; 3]], face: &Face) -> Vec<([u32; 2], f64)> {
    let nodes = &face.nodes;
    let last = if nodes.len() == 2 { 1 } else { nodes.len() };
    let ends = (0..last).map(|k| [nodes[k], nodes[(k + 1) % nodes.len()]]);
    let sides: Vec<([u32; 2], f64)> = ends.map(|[a, b]| ([a, b], distance(x, a, b))).collect();
    let longest = sides.iter().map(|(_, length)| *length).fold(0.0, f64::max);
    let drawn = |length: f64| if length <= DRAWN * longest { 0.0 } else { length };
    sides.into_iter().map(|(ends, length)| (ends, drawn(length))).collect()
}

fn distance(x: &[[f64; 3]], a: u32, b: u32) -> f64 {
    let (a, b) = (x[a as usize], x[b as usize]);
    let square = |k: usize| (a[k] - b[k]) * (a[k] - b[k]);
    (square(0) + square(1) + square(2)).sqrt()
}

/// Sets of nodes, each known by its first node.
struct Sets(Vec<u32>);

impl Sets {
    fn new(nodes: usize) -> Sets {
        Sets((0..nodes as u32).collect())
    }

    fn first(&self, mut node: u32) -> u32 {
        while self.0[node as usize] != node {
            node = self.0[node as usize];
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        let first = a.min(b);
        // Both ways become short.
        for mut node in [a, b] {
            while self.0[node as usize] != first {
                node = std::mem::replace(&mut self.0[node as usize], first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(a: u32, b: u32, open: bool) -> Face {
        Face { nodes: vec![a, b], open }
    }

    #[test]
    fn only_faces_that_lie_on_each_other_are_joined() {
        // Two lines of two faces each, of which the first two lie on each other but for rounding; a third line is near.
        let x = [0.0, 1e-9, 1.0]
            .map(|y| [[0.0, y, 0.0], [0.5, y, 0.0], [1.0, if y < 0.5 { 3.0 * y * 1e8 } else { y }, 0.0]]);
        let faces: Vec<Face> =
            (0..3).flat_map(|k| [line(3 * k, 3 * k + 1, true), line(3 * k + 1, 3 * k + 2, true)]).collect();
        let joined = join(x.as_flattened(), &faces).unwrap();
        assert_eq!(joined.boundary, [false, true, false, true, true, true]);
        assert_eq!(joined.points, [0, 1, 2, 0, 1, 5, 6, 7, 8]);
        // With a name they stay apart, but for the end where others are joined.
        let mut named = faces.clone();
        (named[0].open, named[2].open) = (false, false);
        let joined = join(x.as_flattened(), &named).unwrap();
        assert_eq!(joined.boundary, [true; 6]);
        assert_eq!(joined.points, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_cut_of_a_grid_around_a_body_is_joined_and_the_body_stays() {
        // Around a square: from the outflow along the cut, around, and back.
        let at = [[2.0, 0.0], [1.0, 0.0], [0.5, -0.5], [0.0, 0.0], [0.5, 0.5], [1.0, 0.0], [2.0, 0.0]];
        let x = at.map(|[x, y]| [x, y, 0.0]);
        let faces: Vec<Face> = (0..6).map(|k| line(k, k + 1, true)).collect();
        let joined = join(&x, &faces).unwrap();
        assert_eq!(joined.boundary, [false, true, true, true, true, false]);
        assert_eq!(joined.points, [0, 1, 2, 3, 4, 1, 0]);
    }

    #[test]
    fn faces_drawn_together_are_none_and_three_at_a_place_are_refused() {
        let [o, a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let face = |first: u32| Face { nodes: (first..first + 4).collect(), open: true };
        // To a line, to a triangle, and whole.
        let x = [[o, a, a, o], [o, a, b, o], [o, a, b, c]];
        let joined = join(x.as_flattened(), &[face(0), face(4), face(8)]).unwrap();
        assert_eq!(joined.boundary, [false, true, true]);
        assert_eq!(joined.points[..8], [0, 1, 1, 0, 4, 5, 6, 4]);
        let x = [[o, a, b, c]; 3];
        assert_eq!(join(x.as_flattened(), &[face(0), face(4), face(8)]), Err([0, 1, 2]));
    }
}
