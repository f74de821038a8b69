//! A box filled with elements of one kind or of all, with named sides.
//!
//! Cells (i, j, k) of a grid, numbered with i the fastest, are filled one after the other:
//!
//! ```text
//! quadrilaterals, hexahedra   the cell itself
//! triangles                   two, cut along a diagonal that alternates from cell to cell
//! prisms                      two, over the triangles of the plane
//! tetrahedra                  six around the diagonal from (0,0,0) to (1,1,1)
//! pyramids                    six, from the sides to a node in the middle
//! mixed, in the plane         triangles in every third cell, quadrilaterals elsewhere
//! mixed, in space             columns of prisms, of hexahedra and of pyramids in turn; pyramids on the boundary are cut into
//!                             two tetrahedra
//! ```

use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use crate::noise::noise;
use crate::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

/// What a box is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// One kind; the box has the kind's dimension.
    Only(ElementKind),
    /// All kinds of two dimensions.
    MixedPlane,
    /// All kinds of three dimensions.
    MixedSpace,
}

impl Filling {
    /// All of them.
    pub const ALL: [Filling; 8] = [
        Filling::Only(ElementKind::Triangle),
        Filling::Only(ElementKind::Quadrilateral),
        Filling::MixedPlane,
        Filling::Only(ElementKind::Tetrahedron),
        Filling::Only(ElementKind::Pyramid),
        Filling::Only(ElementKind::Prism),
        Filling::Only(ElementKind::Hexahedron),
        Filling::MixedSpace,
    ];

    /// 2 or 3.
    pub fn dimension(self) -> usize {
        match self {
            Filling::Only(kind) => kind.dimension(),
            Filling::MixedPlane => 2,
            Filling::MixedSpace => 3,
        }
    }
}

/// A box from the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementBox {
    /// What it is filled with.
    pub filling: Filling,
    /// Cells along x, y, z; in the plane, the last counts for nothing.
    pub cells: [u64; 3],
    /// Its sides' lengths.
    pub lengths: [f64; 3],
    /// How far inner nodes are moved along each axis, as a share of a cell's side: less than 0.25.
    pub distortion: f64,
}

/// The names of the sides, across the axes in turn.
pub const SIDES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"];

/// The corners of a cell, as ways along the axes, in VTK's order.
const CORNERS: [[u64; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

impl ElementBox {
    /// The unit box, not distorted.
    pub fn unit(filling: Filling, cells: [u64; 3]) -> ElementBox {
        ElementBox { filling, cells, lengths: [1.0; 3], distortion: 0.0 }
    }

    /// This rank's blocks of the mesh. Collective.
    ///
    /// # Errors
    /// A size of zero, lengths that are not positive, a distortion not in [0, 0.25), or more nodes than ranks can hold.
    pub fn mesh(&self, comm: &Comm) -> Result<ElementMesh, MeshError> {
        let dimension = self.filling.dimension();
        let refuse = |what: String| Err(MeshError::Generate(what));
        let (cells, lengths) = (&self.cells[..dimension], &self.lengths[..dimension]);
        if cells.contains(&0) {
            return refuse(format!("a box of {cells:?} cells is not possible; every number is at least 1"));
        }
        if !lengths.iter().all(|&length| length > 0.0 && length.is_finite()) {
            return refuse(format!("a box of the lengths {lengths:?} is not possible; they are positive"));
        }
        if !(0.0..0.25).contains(&self.distortion) {
            return refuse(format!("the distortion {} is not in [0, 0.25)", self.distortion));
        }
        let rows = cells.iter().try_fold(2u64, |rows, &n| rows.checked_mul(n + 1));
        if rows.is_none_or(|rows| rows > u64::from(u32::MAX) * comm.size() as u64) {
            return refuse(format!("a box of {cells:?} cells is too large for {} ranks", comm.size()));
        }
        let mut builder = ElementMeshBuilder::new(dimension);
        let grid = Grid { cells: self.cells, dimension };
        for (axis, name) in (1..).zip(&SIDES[..2 * dimension]) {
            builder.name_group(dimension - 1, axis, name);
        }
        self.add_nodes(comm, &grid, &mut builder);
        for cell in grid.own(comm, grid.cell_rows()) {
            self.fill(&grid, grid.cell(cell), &mut builder);
        }
        builder.build(comm)
    }

    /// Corners of cells, then, for pyramids, their middles.
    fn add_nodes(&self, comm: &Comm, grid: &Grid, builder: &mut ElementMeshBuilder) {
        let (corners, dimension) = (grid.corner_rows(), grid.dimension);
        let own = grid.own(comm, corners + self.middles(grid));
        let of_corners = (own.start..own.end.min(corners)).map(|node| (node, grid.corner(node), 0.0));
        // In the order of `middle`.
        let middles = self.middle_cells(grid).skip(own.start.saturating_sub(corners) as usize);
        let of_middles = (own.start.max(corners)..own.end).zip(middles).map(|(node, cell)| (node, cell, 0.5));
        for (node, place, shift) in of_corners.chain(of_middles) {
            builder.add_nodes((0..dimension).map(|axis| {
                let n = self.cells[axis];
                let is_inner =
                    shift > 0.0 || (0..dimension).all(|axis| (1..self.cells[axis]).contains(&place[axis]));
                let moved = if is_inner { self.distortion * noise(3 * node + axis as u64) } else { 0.0 };
                self.lengths[axis] * (place[axis] as f64 + shift + moved) / n as f64
            }));
        }
    }

    /// Whether the cells of a column are filled with pyramids, which need a node in the middle.
    fn has_middles(&self, [i, j, _]: [u64; 3]) -> bool {
        match self.filling {
            Filling::Only(kind) => kind == ElementKind::Pyramid,
            Filling::MixedPlane => false,
            Filling::MixedSpace => (i + j) % 3 == 2,
        }
    }

    /// The cells with a node in the middle, column by column.
    fn middle_cells(&self, grid: &Grid) -> impl Iterator<Item = [u64; 3]> {
        let [n, m, layers] = grid.cells;
        let columns = (0..m).flat_map(move |j| (0..n).map(move |i| [i, j, 0]));
        columns
            .filter(|column| self.has_middles(*column))
            .flat_map(move |[i, j, _]| (0..layers).map(move |k| [i, j, k]))
    }

    /// The number of cells with a node in the middle.
    fn middles(&self, grid: &Grid) -> u64 {
        let [n, m, layers] = grid.cells;
        let columns = (0..m).flat_map(|j| (0..n).map(move |i| [i, j, 0]));
        if grid.dimension == 2 {
            0
        } else {
            layers * columns.filter(|column| self.has_middles(*column)).count() as u64
        }
    }

    /// Which of the nodes in the middle is that of a cell.
    fn middle(&self, grid: &Grid, [i, j, k]: [u64; 3]) -> u64 {
        let [n, _, layers] = grid.cells;
        // Of a row, those before i; three rows one after the other have as many as a row has columns.
        let before = |i: u64, j: u64| (i + j % 3) / 3;
        let columns = match self.filling {
            Filling::MixedSpace => {
                let rows = j / 3 * 3;
                rows / 3 * n + (rows..j).map(|j| before(n, j)).sum::<u64>() + before(i, j)
            }
            _ => i + n * j,
        };
        columns * layers + k
    }

    /// Adds the elements of a cell, and what of its sides lies on the boundary.
    fn fill(&self, grid: &Grid, cell: [u64; 3], builder: &mut ElementMeshBuilder) {
        use ElementKind::{Hexahedron, Line, Prism, Pyramid, Quadrilateral, Tetrahedron, Triangle};
        let corner = |k: usize| grid.corner_row(std::array::from_fn(|axis| cell[axis] + CORNERS[k][axis]));
        let mut add = |kind: ElementKind, group: i32, corners: &[usize], middle: Option<u64>| {
            builder.add_elements(kind, group, corners.iter().map(|&k| corner(k)).chain(middle));
        };
        let [i, j, _] = cell;
        let sides = |add: &mut dyn FnMut(i32, &[usize]), faces: &[&[usize]]| {
            for &face in faces {
                if let Some(side) = grid.side(cell, face) {
                    add(side, face);
                }
            }
        };
        if grid.dimension == 2 {
            let is_cut = match self.filling {
                Filling::Only(kind) => kind == Triangle,
                _ => (i + j) % 3 == 0,
            };
            match is_cut {
                true => halves(i + j).iter().for_each(|half| add(Triangle, 0, half, None)),
                false => add(Quadrilateral, 0, &[0, 1, 2, 3], None),
            }
            sides(&mut |side, ends| add(Line, side, ends, None), Quadrilateral.faces());
            return;
        }
        let kind = match self.filling {
            Filling::Only(kind) => kind,
            _ => [Prism, Hexahedron, Pyramid][((i + j) % 3) as usize],
        };
        let quadrilaterals = Hexahedron.faces();
        match kind {
            Prism => {
                // Columns of prisms end in triangles, and have quadrilaterals around them.
                for half in halves(i + j) {
                    let top = half.map(|corner| corner + 4);
                    add(Prism, 0, &[half, top].concat(), None);
                    let ends: [&[usize]; 2] = [&half, &top];
                    sides(&mut |side, corners| add(Triangle, side, corners, None), &ends);
                }
                sides(&mut |side, corners| add(Quadrilateral, side, corners, None), &quadrilaterals[2..]);
            }
            Tetrahedron => {
                for [a, b] in [[1, 2], [2, 3], [3, 7], [7, 4], [4, 5], [5, 1]] {
                    add(Tetrahedron, 0, &[0, a, b, 6], None);
                    let faces: [&[usize]; 2] = [&[0, a, b], &[a, b, 6]];
                    sides(&mut |side, corners| add(Triangle, side, corners, None), &faces);
                }
            }
            Pyramid => {
                let middle = Some(grid.corner_rows() + self.middle(grid, cell));
                for face in quadrilaterals {
                    // The base of a pyramid goes around the normal that points into it.
                    let base: Vec<usize> = face.iter().rev().copied().collect();
                    match grid.side(cell, face) {
                        Some(side) if self.filling == Filling::MixedSpace => {
                            for half in [[base[0], base[1], base[2]], [base[0], base[2], base[3]]] {
                                add(Tetrahedron, 0, &half, middle);
                                add(Triangle, side, &half, None);
                            }
                        }
                        side => {
                            add(Pyramid, 0, &base, middle);
                            side.iter().for_each(|&side| add(Quadrilateral, side, &base, None));
                        }
                    }
                }
            }
            _ => {
                add(Hexahedron, 0, &[0, 1, 2, 3, 4, 5, 6, 7], None);
                sides(&mut |side, corners| add(Quadrilateral, side, corners, None), quadrilaterals);
            }
        }
    }
}

/// The two triangles of a cell's base, cut along one of its diagonals.
fn halves(parity: u64) -> [[usize; 3]; 2] {
    match parity % 2 {
        0 => [[0, 1, 2], [0, 2, 3]],
        _ => [[0, 1, 3], [1, 2, 3]],
    }
}

/// Numbers of corners and cells.
struct Grid {
    cells: [u64; 3],
    dimension: usize,
}

impl Grid {
    fn own(&self, comm: &Comm, rows: u64) -> Range<u64> {
        Blocks::new(rows, comm.size()).range(comm.rank())
    }

    /// Steps along the axes, for `extra` more places along each than there are cells.
    fn row(&self, place: [u64; 3], extra: u64) -> u64 {
        (0..self.dimension).rev().fold(0, |row, axis| row * (self.cells[axis] + extra) + place[axis])
    }

    fn place(&self, mut row: u64, extra: u64) -> [u64; 3] {
        let mut place = [0; 3];
        for axis in 0..self.dimension {
            place[axis] = row % (self.cells[axis] + extra);
            row /= self.cells[axis] + extra;
        }
        place
    }

    fn corner(&self, row: u64) -> [u64; 3] {
        self.place(row, 1)
    }

    fn corner_row(&self, place: [u64; 3]) -> u64 {
        self.row(place, 1)
    }

    fn corner_rows(&self) -> u64 {
        self.cells[..self.dimension].iter().map(|n| n + 1).product()
    }

    fn cell(&self, row: u64) -> [u64; 3] {
        self.place(row, 0)
    }

    fn cell_rows(&self) -> u64 {
        self.cells[..self.dimension].iter().product()
    }

    /// The group of the side of the box on which all of these corners of a cell lie, if there is one.
    fn side(&self, cell: [u64; 3], corners: &[usize]) -> Option<i32> {
        let on = |axis: usize, at: u64| corners.iter().all(|&k| cell[axis] + CORNERS[k][axis] == at);
        (0..self.dimension).find_map(|axis| match () {
            () if on(axis, 0) => Some(2 * axis as i32 + 1),
            () if on(axis, self.cells[axis]) => Some(2 * axis as i32 + 2),
            () => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_every_filling_have_their_volume_and_surface() {
        for filling in Filling::ALL {
            let shape = ElementBox { filling, cells: [4, 3, 5], lengths: [2.0, 1.5, 0.5], distortion: 0.2 };
            let dimension = filling.dimension();
            let mesh = shape.mesh(&Comm::single()).unwrap();
            let (mut volume, mut surface) = (0.0, [0.0; 6]);
            for list in mesh.elements() {
                for (corners, &group) in list.nodes.chunks_exact(list.kind.nodes()).zip(list.groups) {
                    let at = |node: &u64| &mesh.x()[dimension * *node as usize..][..dimension];
                    let x: Vec<f64> = corners.iter().flat_map(at).copied().collect();
                    let measure = list.kind.measure(dimension, &x);
                    assert!(measure > 0.0, "{filling:?}: {} {corners:?}", list.kind);
                    match list.boundary {
                        true => surface[group as usize - 1] += measure,
                        false => volume += measure,
                    }
                }
            }
            let expected: f64 = shape.lengths[..dimension].iter().product();
            assert!((volume - expected).abs() < 1e-13, "{filling:?}: {volume}");
            for side in 0..2 * dimension {
                let area = expected / shape.lengths[side / 2];
                assert!(
                    (surface[side] - area).abs() < 1e-13,
                    "{filling:?}: {} {}",
                    SIDES[side],
                    surface[side]
                );
            }
            let kinds = mesh.elements().iter().filter(|list| !list.boundary).count();
            let mixed = if dimension == 2 { 2 } else { 4 };
            assert_eq!(kinds, if matches!(filling, Filling::Only(_)) { 1 } else { mixed });
        }
    }

    #[test]
    fn ranks_have_blocks_of_one_mesh_and_impossible_boxes_are_refused() {
        for filling in Filling::ALL {
            let shape = ElementBox { distortion: 0.1, ..ElementBox::unit(filling, [3, 4, 2]) };
            let one = shape.mesh(&Comm::single()).unwrap();
            let parts = Comm::simulate(3, |comm| shape.mesh(&comm).unwrap().mesh);
            assert!(crate::whole::same_bits(&one.mesh, &crate::whole::whole(parts)), "{filling:?}");
        }
        let refused = |shape: ElementBox| shape.mesh(&Comm::single()).unwrap_err().to_string();
        let good = ElementBox::unit(Filling::MixedSpace, [2, 2, 2]);
        assert!(refused(ElementBox { cells: [2, 0, 2], ..good }).contains("at least 1"));
        assert!(refused(ElementBox { lengths: [1.0, -1.0, 1.0], ..good }).contains("positive"));
        assert!(refused(ElementBox { distortion: 0.25, ..good }).contains("[0, 0.25)"));
        assert!(refused(ElementBox { cells: [1 << 20; 3], ..good }).contains("too large"));
    }
}
