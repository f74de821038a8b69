//! The hexahedra of a grid and the sides on its boundary, from which its dual edges are built.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::grid::Grid;
use crate::{ElementBlock, ElementKind, ElementMesh, Groups};

/// Ways to the corners of a hexahedron from its first, in VTK's order.
const CORNERS: [[bool; 3]; 8] = {
    const BASE: [[bool; 2]; 4] = [[false, false], [true, false], [true, true], [false, true]];
    let mut corners = [[false; 3]; 8];
    let mut at = 0;
    while at < 8 {
        corners[at] = [BASE[at % 4][0], BASE[at % 4][1], at >= 4];
        at += 1;
    }
    corners
};

/// The names of the groups of boundary nodes: group g is the elements' group g + 1.
const NAMES: [&str; 4] = ["body", "symmetry", "wall", "far_field"];

/// The names of groups of the boundary in a mesh of hexahedra.
pub fn names() -> Groups {
    let mut groups = Groups::default();
    (1..).zip(NAMES).for_each(|(id, name)| groups.add(2, id, name));
    groups
}

/// The mesh of elements: `x` has the coordinates of this rank's nodes, `names` those of the boundary's groups.
pub(super) fn elements(comm: &Comm, grid: &Grid, x: Vec<f64>, names: Groups) -> ElementMesh {
    let blocks = vec![hexahedra(comm, grid), boundary(comm, grid)];
    ElementMesh::from_blocks(3, grid.nodes(), x, blocks, names)
}

/// This rank's block of the hexahedra, numbered layer by layer, row by row, column by column.
fn hexahedra(comm: &Comm, grid: &Grid) -> ElementBlock {
    let [columns, rows, layers] = grid.size();
    let all = columns * rows * layers;
    let mut nodes = Vec::new();
    for cell in Blocks::new(all, comm.size()).range(comm.rank()) {
        let first = [cell % columns, cell / columns % rows, cell / columns / rows];
        nodes.extend(CORNERS.map(|ways| grid.node(moved(grid, first, ways))));
    }
    let groups = vec![0; nodes.len() / 8];
    ElementBlock { kind: ElementKind::Hexahedron, rows: all, nodes, groups }
}

/// This rank's block of the sides on the boundary, with their groups; corners go around the normal out of the domain.
fn boundary(comm: &Comm, grid: &Grid) -> ElementBlock {
    let size = grid.size();
    let mut sides = Vec::new();
    for (axis, high) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, false), (axis, true)]) {
        let [across, along] = [(axis + 1) % 3, (axis + 2) % 3];
        for (b, c) in (0..size[along]).flat_map(|c| (0..size[across]).map(move |b| (b, c))) {
            let mut place = [0; 3];
            (place[axis], place[across], place[along]) = (if high { size[axis] } else { 0 }, b, c);
            if let Some(group) = grid.group(axis, high, place[2].min(size[2] - 1)) {
                sides.push((place, axis, high, group));
            }
        }
    }
    let rows = sides.len() as u64;
    let own = Blocks::new(rows, comm.size()).range(comm.rank());
    let (mut nodes, mut groups) = (Vec::new(), Vec::new());
    for &(place, axis, high, group) in &sides[own.start as usize..own.end as usize] {
        let ring = [[false, false], [true, false], [true, true], [false, true]];
        let mut corners = ring.map(|[across, along]| {
            let mut ways = [false; 3];
            (ways[(axis + 1) % 3], ways[(axis + 2) % 3]) = (across, along);
            grid.node(moved(grid, place, ways))
        });
        if !high {
            corners[1..].reverse();
        }
        nodes.extend(corners);
        groups.push(group + 1);
    }
    ElementBlock { kind: ElementKind::Quadrilateral, rows, nodes, groups }
}

/// The place next to a place along the axes that are true.
fn moved(grid: &Grid, place: [u64; 3], ways: [bool; 3]) -> [u64; 3] {
    (0..3)
        .filter(|&axis| ways[axis])
        .fold(place, |place, axis| grid.next(place, axis, true).expect("a hexahedron ends within the grid"))
}
