//! A grid of the plane in layers: hexahedra.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::{Plane, Side, refused};
use crate::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

impl Plane {
    /// This rank's blocks of a mesh of `layers` copies of the grid's nodes, numbered copy by copy. The next copy lies where the
    /// normal of cells points that run counter-clockwise. `name` gives the boundary of each cell's free side, `ends` that of the first and the last copy, `x`
    /// the place of each node (i, j) of copy k. Collective.
    pub(super) fn in_layers(
        &self,
        comm: &Comm,
        layers: u64,
        name: impl Fn(Side, u64) -> &'static str,
        ends: &'static str,
        x: impl Fn(u64, u64, u64) -> [f64; 3],
    ) -> Result<ElementMesh, MeshError> {
        let [lowest, others] = self.in_rows();
        let [columns, rows] = self.nodes.map(|nodes| nodes - 1);
        let each = lowest + rows * others;
        if layers < 2 {
            return Err(refused(&[self.nodes[0], self.nodes[1], layers], "sizes are at least 2,2,2"));
        }
        if each.checked_mul(layers).is_none_or(|rows| rows > u64::from(u32::MAX) * comm.size() as u64) {
            let why = format!("it is too large for {} ranks", comm.size());
            return Err(refused(&[self.nodes[0], self.nodes[1], layers], &why));
        }
        let own = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
        let mut builder = ElementMeshBuilder::new(3);
        for node in own(layers * each) {
            let [i, j] = self.place(node % each);
            builder.add_nodes(x(i, j, node / each));
        }
        let cells = columns * rows;
        let of_cell = |cell: u64, layer: u64| {
            self.corners(cell % columns, cell / columns).map(|node| node + layer * each)
        };
        for cell in own((layers - 1) * cells) {
            let (cell, layer) = (cell % cells, cell / cells);
            builder.add_elements(
                ElementKind::Hexahedron,
                0,
                [of_cell(cell, layer), of_cell(cell, layer + 1)].concat(),
            );
        }
        let mut sides = self.boundary(name);
        let end = sides.group(ends);
        sides.names.iter().for_each(|(name, group)| builder.name_group(2, *group, name));
        let around = sides.rows.len() as u64;
        for row in own((layers - 1) * around + 2 * cells) {
            let (group, corners) = match row.checked_sub((layers - 1) * around) {
                None => {
                    let (group, [a, b]) = sides.rows[(row % around) as usize];
                    let [low, high] = [0, 1].map(|up| (row / around + up) * each);
                    (group, [a + low, b + low, b + high, a + high])
                }
                // Both ends go around the normal that points out.
                Some(cell) if cell < cells => {
                    let [a, b, c, d] = of_cell(cell, 0);
                    (end, [d, c, b, a])
                }
                Some(cell) => (end, of_cell(cell - cells, layers - 1)),
            };
            builder.add_elements(ElementKind::Quadrilateral, group, corners);
        }
        builder.build(comm)
    }
}
