//! Bilinear elements around the NACA0012 airfoil.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::nodes::Naca0012;
use crate::MeshError;
use crate::generate::bilinear::Elements;

/// The mesh of OP2's published finite-element example, around a NACA0012: 3 `i` by `j` bilinear elements.
///
/// The nodes lie where those of [`cells`](super::cells()) lie, but the two copies of each node on the cut line behind
/// the airfoil, trailing edge included, are one: of the (3 i + 1) (j + 1) places of the grid the first i + 1 have no
/// node of their own. Far-field nodes are those of the left, right and top end, 3 i + 2 j of them, in the order of the
/// nodes. `decimals` rounds the coordinates like writing them to a text file with that many decimals and reading them
/// back. Each rank generates only its rows, and the bits are the same everywhere.
///
/// # Errors
/// `i` below 2, `j` below 1, more than 17 decimals, or more elements than the ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// let mesh = cfd_mesh::generate::naca0012::elements(&Comm::single(), 10, 15, Some(6)).unwrap();
/// let sizes: Vec<u64> = mesh.sets.iter().map(|set| set.rows).collect();
/// assert_eq!(sizes, [31 * 16 - 11, 3 * 10 * 15, 3 * 10 + 2 * 15]);
/// ```
pub fn elements(comm: &Comm, i: u64, j: u64, decimals: Option<u32>) -> Result<Mesh, MeshError> {
    let naca = Naca0012::new(i, j, decimals)?;
    let elements = Elements::new(comm, naca.columns(), j, i)?;
    Ok(elements.mesh(comm, |column, row| naca.node(column, row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_engine::mesh::Values;

    fn map<'a>(mesh: &'a Mesh, name: &str) -> &'a [u64] {
        &mesh.maps[mesh.map(name).unwrap()].rows
    }

    fn x(mesh: &Mesh) -> &[f64] {
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates are f64") };
        x
    }

    #[test]
    fn the_cut_line_is_numbered_as_published() {
        // 13 x 4 places, the first 5 without nodes of their own: the published numbering, by its formula.
        let (i, j) = (4, 3);
        let mesh = elements(&Comm::single(), i, j, None).unwrap();
        let node = |column: u64, row: u64| {
            if row == 1 && column <= i + 1 {
                2 * i + 1 - column - 1
            } else {
                column + (row - 1) * (3 * i + 1) - (i + 1) - 1
            }
        };
        let cells: Vec<u64> = (1..=j)
            .flat_map(|b| (1..=3 * i).map(move |a| (a, b)))
            .flat_map(|(a, b)| [node(a, b), node(a + 1, b), node(a, b + 1), node(a + 1, b + 1)])
            .collect();
        assert_eq!(map(&mesh, "cell_nodes"), cells);
        assert_eq!(cells[..4], [7, 6, 8, 9]);
        let mut far_field = vec![node(13, 1)];
        far_field.extend((2..=j).flat_map(|b| [node(1, b), node(13, b)]));
        far_field.extend((1..=13).map(|a| node(a, j + 1)));
        assert_eq!(map(&mesh, "bnode_node"), far_field);
        assert!(far_field.is_sorted());
    }

    #[test]
    fn nodes_lie_where_those_of_the_mesh_of_cells_lie() {
        let (i, j) = (5, 4);
        let elements = elements(&Comm::single(), i, j, Some(6)).unwrap();
        let volumes = super::super::cells(&Comm::single(), i, j, Some(6)).unwrap();
        let (a, b) = (x(&elements), x(&volumes));
        let merged = 2 * (i as usize + 1);
        assert_eq!(a, &b[merged..]);
        // The omitted copies coincide with their twins; only the sign of a zero may differ.
        let (first, cells) = (&map(&elements, "cell_nodes")[..4 * i as usize], map(&volumes, "cell_nodes"));
        for (glued, free) in first.chunks_exact(4).zip(cells.chunks_exact(4)) {
            // Counter-clockwise there, row by row here.
            for (&g, f) in glued.iter().zip([free[0], free[1], free[3], free[2]]) {
                let at = |x: &[f64], node: u64| [x[2 * node as usize], x[2 * node as usize + 1]];
                assert_eq!(at(a, g), at(b, f));
            }
        }
    }

    #[test]
    fn a_single_row_of_cells_has_the_smallest_far_field() {
        let mesh = elements(&Comm::single(), 2, 1, None).unwrap();
        assert_eq!(mesh.sets.iter().map(|s| s.rows).collect::<Vec<_>>(), [11, 6, 8]);
        assert_eq!(map(&mesh, "bnode_node"), [3, 4, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let comm = Comm::single();
        for (i, j) in [(0, 5), (1, 5), (5, 0)] {
            let message = elements(&comm, i, j, None).unwrap_err().to_string();
            assert!(message.contains(&format!("{i},{j}")) && message.contains("at least 2"), "{message}");
        }
        assert!(elements(&comm, u64::MAX, 1, None).is_err());
        assert!(elements(&comm, 1 << 20, u64::MAX, None).is_err());
        assert!(elements(&comm, 4, 4, Some(18)).is_err());
    }
}
