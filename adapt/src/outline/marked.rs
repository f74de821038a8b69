//! What another program has marked as staying, by places: vertices of one mesh after another are there.

use std::collections::{BTreeMap, BTreeSet};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_mesh::{ElementKind, ElementMesh, Mark};

use super::{Bits, bits};
use crate::geometry::Point;
use crate::mesh::Input;

/// Places of what stays, of each side and triangle in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Marked {
    corners: BTreeSet<Bits>,
    vertices: BTreeSet<Bits>,
    sides: BTreeSet<[Bits; 2]>,
    triangles: BTreeSet<[Bits; 3]>,
}

impl Marked {
    /// The marks of an input. Collective.
    pub fn of(comm: &Comm, input: &Input<2>) -> Marked {
        let marks = &input.marks;
        let mut numbers: Vec<u64> = marks.corners.iter().chain(&marks.vertices).copied().collect();
        numbers.extend(marks.sides.iter().flatten().chain(marks.triangles.iter().flatten()));
        numbers.sort_unstable();
        numbers.dedup();
        let vertices = Blocks::new(input.rows[0], comm.size());
        let places: BTreeMap<u64, Bits> = numbers
            .iter()
            .copied()
            .zip(fetch_rows(comm, vertices, 1, &input.positions, &numbers).iter().map(bits))
            .collect();
        let place = |vertex: &u64| places[vertex];
        Marked {
            corners: marks.corners.iter().map(place).collect(),
            vertices: marks.vertices.iter().map(place).collect(),
            sides: marks.sides.iter().map(|side| in_order(side.map(|v| places[&v]))).collect(),
            triangles: marks.triangles.iter().map(|of| in_order(of.map(|v| places[&v]))).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(Vec::is_empty)
    }

    /// All vertices that stay.
    pub fn points(&self) -> impl Iterator<Item = &Bits> {
        self.corners.iter().chain(&self.vertices).chain(self.triangles.iter().flatten())
    }

    /// Where pieces of the outline end.
    pub fn corners_of_outline(&self) -> impl Iterator<Item = Bits> {
        let ends = self.sides.iter().flatten().chain(self.triangles.iter().flatten());
        self.corners.iter().chain(ends).copied()
    }

    /// The sides that stay, alone or as those of triangles.
    pub fn all_sides(&self) -> BTreeSet<[Bits; 2]> {
        let of_triangles = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [a, c], [b, c]]);
        self.sides.iter().copied().chain(of_triangles).collect()
    }

    /// Places of the corners, the vertices, the sides and the triangles, one after another.
    pub fn lists(&self) -> [Vec<Bits>; 4] {
        [
            self.corners.iter().copied().collect(),
            self.vertices.iter().copied().collect(),
            self.sides.iter().flatten().copied().collect(),
            self.triangles.iter().flatten().copied().collect(),
        ]
    }

    /// Adds to one of these lists.
    pub fn extend(&mut self, list: usize, points: &[Point<2>]) {
        let places = points.iter().map(bits);
        match list {
            0 => self.corners.extend(places),
            1 => self.vertices.extend(places),
            2 => self.sides.extend(points.as_chunks::<2>().0.iter().map(|side| side.each_ref().map(bits))),
            _ => self.triangles.extend(points.as_chunks::<3>().0.iter().map(|of| of.each_ref().map(bits))),
        }
    }

    /// Marks in a mesh what is at these places, if it has no marks yet. Collective.
    pub fn mark(&self, comm: &Comm, mesh: &mut ElementMesh) {
        if self.is_empty() || Mark::ALL.iter().any(|mark| comm.sum(mesh.marked(*mark).len() as u64) > 0) {
            return;
        }
        let nodes = mesh.node_blocks(comm);
        let places = mesh.x().as_chunks::<2>().0;
        let at = |set: &BTreeSet<Bits>| -> Vec<u64> {
            let first = nodes.range(comm.rank()).start;
            (first..).zip(places).filter(|(_, p)| set.contains(&bits(p))).map(|(node, _)| node).collect()
        };
        let found = [
            (Mark::Corner, at(&self.corners)),
            (Mark::Node, at(&self.vertices)),
            (Mark::Line, rows_at(comm, mesh, ElementKind::Line, &self.sides)),
            (Mark::Triangle, rows_at(comm, mesh, ElementKind::Triangle, &self.triangles)),
        ];
        found.into_iter().for_each(|(mark, nodes)| mesh.mark(comm, mark, &nodes));
    }
}

fn in_order<const N: usize>(mut places: [Bits; N]) -> [Bits; N] {
    places.sort_unstable();
    places
}

/// Nodes of this rank's elements of a kind that are at these places. Collective.
fn rows_at<const N: usize>(
    comm: &Comm,
    mesh: &ElementMesh,
    kind: ElementKind,
    places: &BTreeSet<[Bits; N]>,
) -> Vec<u64> {
    if places.is_empty() {
        return Vec::new();
    }
    let lists = mesh.elements();
    let nodes = lists.iter().find(|list| list.kind == kind).map_or(&[][..], |list| list.nodes);
    let points = fetch_rows(comm, mesh.node_blocks(comm), 1, mesh.x().as_chunks::<2>().0, nodes);
    let rows = nodes.as_chunks::<N>().0.iter().zip(points.as_chunks::<N>().0);
    let is_marked = |points: &[Point<2>; N]| places.contains(&in_order(points.each_ref().map(bits)));
    rows.filter(|(_, points)| is_marked(points)).flat_map(|(row, _)| row.iter().copied()).collect()
}
