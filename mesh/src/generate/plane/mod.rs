//! Grids of quadrilaterals in the plane, and in layers, with named boundaries, as cases of validation use them.
//!
//! ```text
//! spacing        distributions of nodes along a line
//! flat_plate     the flat plate of NASA's turbulence modeling resource
//! bump           its bump in a channel
//! airfoil        C-grids around NACA0012 with a sharp trailing edge
//! cylinder       O-grids around a cylinder
//! half_cylinder  its front half, in supersonic flow
//! forward_step   a wind tunnel with a step
//! wedge          a wedge in supersonic flow
//! channel        a channel between two walls
//! triangles      such a grid cut into triangles
//! layers         such a grid in layers: hexahedra
//! ```
//!
//! Sizes count nodes along the wall and away from it, so that a grid of (2 I - 1) x (2 J - 1) nodes has those of I x J
//! at every second place.

mod airfoil;
mod bump;
mod channel;
mod cylinder;
mod flat_plate;
mod forward_step;
mod half_cylinder;
mod layers;
mod spacing;
mod triangles;
mod wedge;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

pub use self::airfoil::{airfoil, airfoil_from};
pub use self::bump::{bump, bump_in_space};
pub use self::channel::channel;
pub use self::cylinder::{cylinder, cylinder_from};
pub use self::flat_plate::flat_plate;
pub use self::forward_step::forward_step;
pub use self::half_cylinder::half_cylinder;
pub use self::triangles::cut_into_triangles;
pub use self::wedge::wedge;
use crate::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

/// What is joined.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Join {
    /// Nothing.
    Nothing,
    /// Along the bottom, the first sides, this many, with the last: the cut behind an airfoil.
    Wake(u64),
    /// The first column with the last: around a body.
    Around,
}

/// Sides of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Bottom,
    Right,
    Top,
    Left,
}

/// Columns of nodes by rows of nodes: node (i, j), column i, row j, numbered row by row.
#[derive(Clone, Copy, Debug)]
struct Plane {
    nodes: [u64; 2],
    join: Join,
}

impl Plane {
    /// A grid of this many nodes, at least 2 each way, 4 around a body.
    fn new(comm: &Comm, nodes: [u64; 2], join: Join) -> Result<Plane, MeshError> {
        let [i, j] = nodes;
        let least = if join == Join::Around { 4 } else { 2 };
        if i < least || j < 2 {
            return Err(refused(&nodes, &format!("sizes are at least {least},2")));
        }
        let rows = i.checked_mul(j).filter(|rows| *rows <= u64::from(u32::MAX) * comm.size() as u64);
        rows.ok_or_else(|| refused(&nodes, &format!("it is too large for {} ranks", comm.size())))?;
        Ok(Plane { nodes, join })
    }

    /// Distinct nodes in the lowest row, and in each of the others.
    fn in_rows(&self) -> [u64; 2] {
        let i = self.nodes[0];
        match self.join {
            Join::Nothing => [i; 2],
            Join::Wake(wake) => [i - 1 - wake, i],
            Join::Around => [i - 1; 2],
        }
    }

    fn node(&self, i: u64, j: u64) -> u64 {
        let [lowest, others] = self.in_rows();
        match (self.join, j) {
            (Join::Wake(_), 0) if i >= lowest => self.nodes[0] - 1 - i,
            (Join::Around, _) => j * others + i % others,
            (_, 0) => i,
            _ => lowest + (j - 1) * others + i,
        }
    }

    fn place(&self, node: u64) -> [u64; 2] {
        let [lowest, others] = self.in_rows();
        match node.checked_sub(lowest) {
            None => [node, 0],
            Some(node) => [node % others, node / others + 1],
        }
    }

    /// The free sides: which, and the cells along each that have one.
    fn sides(&self) -> [(Side, Range<u64>); 4] {
        let [columns, rows] = self.nodes.map(|nodes| nodes - 1);
        let bottom = match self.join {
            Join::Wake(wake) => wake..columns - wake,
            _ => 0..columns,
        };
        let ends = if self.join == Join::Around { 0..0 } else { 0..rows };
        [(Side::Bottom, bottom), (Side::Right, ends.clone()), (Side::Top, 0..columns), (Side::Left, ends)]
    }

    /// This rank's blocks of the mesh: `name` gives the boundary of each cell's free side, `x` the place of each node (i, j).
    /// Collective.
    fn mesh(
        &self,
        comm: &Comm,
        name: impl Fn(Side, u64) -> &'static str,
        x: impl Fn(u64, u64) -> [f64; 2],
    ) -> Result<ElementMesh, MeshError> {
        let own = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
        let [columns, rows] = self.nodes.map(|nodes| nodes - 1);
        let mut builder = ElementMeshBuilder::new(2);
        let [lowest, others] = self.in_rows();
        for node in own(lowest + rows * others) {
            let [i, j] = self.place(node);
            builder.add_nodes(x(i, j));
        }
        for cell in own(columns * rows) {
            let corners = self.corners(cell % columns, cell / columns);
            builder.add_elements(ElementKind::Quadrilateral, 0, corners);
        }
        let sides = self.boundary(name);
        sides.names.iter().for_each(|(name, group)| builder.name_group(1, *group, name));
        for row in own(sides.rows.len() as u64) {
            let (group, ends) = sides.rows[row as usize];
            builder.add_elements(ElementKind::Line, group, ends);
        }
        builder.build(comm)
    }

    /// The corners of a cell, counter-clockwise.
    fn corners(&self, i: u64, j: u64) -> [u64; 4] {
        [self.node(i, j), self.node(i + 1, j), self.node(i + 1, j + 1), self.node(i, j + 1)]
    }

    /// The free sides, whose boundaries `name` gives.
    fn boundary(&self, name: impl Fn(Side, u64) -> &'static str) -> Sides {
        let [columns, rows] = self.nodes.map(|nodes| nodes - 1);
        let sides = self.sides().into_iter().flat_map(|(side, cells)| cells.map(move |cell| (side, cell)));
        let sides: Vec<(Side, u64)> = sides.collect();
        let mut named = Sides { names: BTreeMap::new(), rows: Vec::new() };
        let names: BTreeSet<&str> = sides.iter().map(|(side, cell)| name(*side, *cell)).collect();
        for name in names {
            named.group(name);
        }
        for (side, k) in sides {
            let [a, b, c, d] = match side {
                Side::Bottom => self.corners(k, 0),
                Side::Right => self.corners(columns - 1, k),
                Side::Top => self.corners(k, rows - 1),
                Side::Left => self.corners(0, k),
            };
            let ends = match side {
                Side::Bottom => [a, b],
                Side::Right => [b, c],
                Side::Top => [c, d],
                Side::Left => [d, a],
            };
            let group = named.group(name(side, k));
            named.rows.push((group, ends));
        }
        named
    }
}

/// The free sides of a grid: the groups' names, and each side's group and ends.
struct Sides {
    names: BTreeMap<&'static str, i32>,
    rows: Vec<(i32, [u64; 2])>,
}

impl Sides {
    /// The group of a name, which is new if no side has had it.
    fn group(&mut self, name: &'static str) -> i32 {
        let next = self.names.len() as i32 + 1;
        *self.names.entry(name).or_insert(next)
    }
}

/// An error about a size.
fn refused(nodes: &[u64], why: &str) -> MeshError {
    let sizes: Vec<String> = nodes.iter().map(u64::to_string).collect();
    MeshError::Generate(format!("a grid of {} nodes is not possible; {why}", sizes.join(" x ")))
}

/// Refuses grids whose nodes along the wall are not one more than a multiple of `parts`, which places between parts need.
fn divisible(nodes: [u64; 2], parts: u64, examples: &str) -> Result<(), MeshError> {
    if nodes[0] > 1 && (nodes[0] - 1).is_multiple_of(parts) {
        return Ok(());
    }
    Err(refused(&nodes, &format!("the first number is one more than a multiple of {parts}: {examples}")))
}

#[cfg(test)]
mod tests;
