//! A wind tunnel with a step.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::{Join, Plane, divisible, refused};
use crate::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

/// Length of the tunnel, whose height is 1.
const LENGTH: f64 = 3.0;
/// The step begins after one of this many parts of the length and is as high as one of this many parts of the height.
const PARTS: u64 = 5;

/// The boundaries and their groups.
const INLET: i32 = 1;
const LOWER: i32 = 2;
const OUTLET: i32 = 3;
const STEP: i32 = 4;
const UPPER: i32 = 5;
const NAMES: [(&str, i32); 5] =
    [("inlet", INLET), ("lower", LOWER), ("outlet", OUTLET), ("step", STEP), ("upper", UPPER)];

/// The wind tunnel with a step of Emery, and of Woodward and Colella, J. Comput. Phys. 54 (1984): 3 long and 1 high, with a
/// step 0.2 high from 0.6 on, in equal columns and rows.
///
/// Boundaries: `inlet`, `lower` before the step, `step`, `outlet`, `upper`. Collective.
///
/// # Errors
/// Numbers of nodes, of the whole rectangle, that are not one more than a multiple of 5; more than ranks can hold.
pub fn forward_step(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    divisible(nodes, PARTS, "31, 61, 121")?;
    if !(nodes[1] - 1).is_multiple_of(PARTS) {
        return Err(refused(
            &nodes,
            &format!("the second number is one more than a multiple of {PARTS}, too"),
        ));
    }
    // The whole rectangle has its limits.
    Plane::new(comm, nodes, Join::Nothing)?;
    let cells = nodes.map(|nodes| nodes - 1);
    let step = Step { cells, corner: cells.map(|cells| cells / PARTS) };
    let own = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let mut builder = ElementMeshBuilder::new(2);
    for node in own(step.node(0, cells[1] + 1)) {
        let [i, j] = step.place(node, 1);
        builder.add_nodes([LENGTH * i as f64 / cells[0] as f64, j as f64 / cells[1] as f64]);
    }
    for cell in own(step.rows(cells[1], 0)) {
        let [i, j] = step.place(cell, 0);
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
        builder.add_elements(ElementKind::Quadrilateral, 0, corners.map(|(i, j)| step.node(i, j)));
    }
    NAMES.iter().for_each(|(name, group)| builder.name_group(1, *group, name));
    let sides = step.sides();
    for row in own(sides.len() as u64) {
        let (group, ends) = sides[row as usize];
        builder.add_elements(ElementKind::Line, group, ends);
    }
    builder.build(comm)
}

/// A rectangle of columns and rows without the cells below and behind the step's corner.
struct Step {
    /// Columns and rows of cells of the rectangle.
    cells: [u64; 2],
    /// Those before the step, and those that are as high as it.
    corner: [u64; 2],
}

impl Step {
    /// Cells, or with `more` of 1 nodes, in the first `j` rows.
    fn rows(&self, j: u64, more: u64) -> u64 {
        let short = j.min(self.corner[1]);
        short * (self.corner[0] + more) + (j - short) * (self.cells[0] + more)
    }

    fn node(&self, i: u64, j: u64) -> u64 {
        self.rows(j, 1) + i
    }

    /// Column and row of a cell, or with `more` of 1 of a node.
    fn place(&self, at: u64, more: u64) -> [u64; 2] {
        let (short, long) = (self.corner[0] + more, self.cells[0] + more);
        match at.checked_sub(self.rows(self.corner[1], more)) {
            None => [at % short, at / short],
            Some(above) => [above % long, self.corner[1] + above / long],
        }
    }

    /// The groups and ends of the free sides, around the tunnel with its cells on the left.
    fn sides(&self) -> Vec<(i32, [u64; 2])> {
        let ([columns, rows], [before, below]) = (self.cells, self.corner);
        let along = |from: u64, to: u64, j: u64| (from..to).map(move |i| [(i, j), (i + 1, j)]);
        let up = |i: u64, from: u64, to: u64| (from..to).map(move |j| [(i, j), (i, j + 1)]);
        let back = |[a, b]: [(u64, u64); 2]| [b, a];
        let sides = (along(0, before, 0).map(|ends| (LOWER, ends)))
            .chain(up(before, 0, below).map(|ends| (STEP, ends)))
            .chain(along(before, columns, below).map(|ends| (STEP, ends)))
            .chain(up(columns, below, rows).map(|ends| (OUTLET, ends)))
            .chain(along(0, columns, rows).map(|ends| (UPPER, back(ends))))
            .chain(up(0, 0, rows).map(|ends| (INLET, back(ends))));
        sides.map(|(group, ends)| (group, ends.map(|(i, j)| self.node(i, j)))).collect()
    }
}
