//! Cells with edges around the NACA0012 airfoil.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::nodes::Naca0012;
use crate::generate::grid::Grid;
use crate::{MeshError, WALL};

/// The mesh of OP2's published finite-volume example, around a NACA0012: 3 `i` by `j` quadrilaterals.
///
/// In the plane of the square-root transform the mesh is plain columns: 3 `i` + 1 equally spaced from -3 to 3, each from
/// the bottom line to 3 in `j` steps. The middle third of the bottom line is the airfoil, the rest the cut line behind it.
///
/// Two copies of the cut line's nodes stay distinct. `decimals` rounds the coordinates like writing them to a text file
/// with that many decimals and reading them back. Each rank generates only its rows, and the bits are the same
/// everywhere: the sines come from `same-math`, everything else is correctly rounded.
///
/// # Errors
/// `i` below 2, `j` below 1, more than 17 decimals, or more elements than the ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// let mesh = cfd_mesh::generate::naca0012::cells(&Comm::single(), 10, 15, Some(6)).unwrap();
/// assert_eq!(mesh.sets[3].rows, 3 * 10 * 15);
/// ```
pub fn cells(comm: &Comm, i: u64, j: u64, decimals: Option<u32>) -> Result<Mesh, MeshError> {
    let naca = Naca0012::new(i, j, decimals)?;
    let grid = Grid::new(comm, naca.columns(), j, i, WALL.flag)?;
    Ok(grid.mesh(comm, |column, row| naca.node(column, row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_engine::mesh::Values;

    fn rows(mesh: &Mesh, set: &str) -> u64 {
        mesh.sets[mesh.set(set).unwrap()].rows
    }

    #[test]
    fn the_standard_mesh_has_the_published_numbers_of_elements() {
        // The last of many ranks, so only few rows are generated.
        let meshes = Comm::simulate(50, |comm| {
            let mesh = cells(&comm, 400, 600, Some(6)).unwrap();
            if comm.rank() == 49 { Some(mesh) } else { None }
        });
        let mesh = meshes[49].as_ref().unwrap();
        let sizes = ["nodes", "edges", "bedges", "cells"].map(|set| rows(mesh, set));
        assert_eq!(sizes, [1201 * 601, 1_438_600, 2_800, 720_000]);
    }

    #[test]
    fn the_first_and_last_rows_are_numbered_as_published() {
        let (i, j) = (4, 3);
        let mesh = cells(&Comm::single(), i, j, None).unwrap();
        let m = 3 * i;
        let map = |name: &str| &mesh.maps[mesh.map(name).unwrap()].rows;
        // Cell (1,1): the cut line to cell (3I,1), then its top, then its right side.
        assert_eq!(map("edge_nodes")[..6], [0, 1, m + 1, m + 2, 1, m + 2]);
        assert_eq!(map("edge_cells")[..6], [m - 1, 0, 0, m, 1, 0]);
        // The last edge is the right side of cell (3I-1,J).
        let (n, c) = (map("edge_nodes"), map("edge_cells"));
        assert_eq!(n[n.len() - 2..], [(j - 1) * (m + 1) + m - 1, j * (m + 1) + m - 1]);
        assert_eq!(c[c.len() - 2..], [j * m - 1, j * m - 2]);
        // The wall's first side; the last boundary edge is the left side of cell (1,1).
        assert_eq!(map("bedge_nodes")[..2], [i + 1, i]);
        assert_eq!(map("bedge_cell")[0], i);
        let b = map("bedge_nodes");
        assert_eq!(b[b.len() - 2..], [0, m + 1]);
    }

    #[test]
    fn far_corner_leading_edge_and_trailing_edge_are_where_they_should_be() {
        let mesh = cells(&Comm::single(), 10, 15, None).unwrap();
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates are f64") };
        // z = -3 squared; z = 1 squared, where the wall begins; the leading edge at x = 0, shifted by the focus.
        assert_eq!(x[..2], [9.0, 0.0]);
        assert_eq!(x[40..42], [1.0, 0.0]);
        assert!((x[30] + 0.0077).abs() < 1e-3 && x[31].abs() < 1e-15, "{:?}", &x[30..32]);
    }

    #[test]
    fn rounding_is_that_of_decimal_text() {
        let exact = cells(&Comm::single(), 6, 4, None).unwrap();
        let rounded = cells(&Comm::single(), 6, 4, Some(6)).unwrap();
        let (Values::F64(a), Values::F64(b)) = (&exact.dats[0].values, &rounded.dats[0].values) else {
            panic!("coordinates are f64")
        };
        assert_ne!(a, b);
        for (a, b) in a.iter().zip(b) {
            assert_eq!(format!("{a:.6}"), format!("{b:.6}"));
            assert_eq!(format!("{b:.6}").parse::<f64>().unwrap().to_bits(), b.to_bits());
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let comm = Comm::single();
        for (i, j) in [(0, 5), (1, 5), (5, 0)] {
            let message = cells(&comm, i, j, None).unwrap_err().to_string();
            assert!(message.contains(&format!("{i},{j}")) && message.contains("at least 2"), "{message}");
        }
        assert!(cells(&comm, u64::MAX, 1, None).is_err());
        assert!(cells(&comm, 1 << 20, u64::MAX, None).is_err());
        assert!(cells(&comm, 4, 4, Some(18)).is_err());
    }
}
