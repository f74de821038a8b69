//! A rectangle of quadrilaterals without a body.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::grid::Grid;
use crate::noise::noise;
use crate::{FAR_FIELD, MeshError};

/// Largest shift of a node along each axis, in cell widths; well below what could fold a cell.
const SHIFT: f64 = 0.15;
/// Slope of the columns.
const SKEW: f64 = 0.1;

/// A skewed, irregular rectangle of `i` by `j` quadrilaterals of about unit size, all of whose boundary is far field.
///
/// It must preserve a free stream up to rounding. Node (a, b) is at (a + b/10, b) plus a shift of at most 0.15 that
/// depends only on the node's number, so the mesh is the same on any number of ranks and machines.
///
/// # Errors
/// `i` or `j` of zero, or more elements than the ranks can hold.
pub fn block(comm: &Comm, i: u64, j: u64) -> Result<Mesh, MeshError> {
    if i == 0 || j == 0 || i >= 1 << 32 {
        return Err(MeshError::Generate(format!(
            "a block of {i} x {j} cells is not possible; both sizes are at least 1 and below 2^32"
        )));
    }
    let grid = Grid::new(comm, i, j, 0, FAR_FIELD.flag)?;
    Ok(grid.mesh(comm, |a, b| {
        let node = b * (i + 1) + a;
        let (dx, dy) = (SHIFT * noise(2 * node), SHIFT * noise(2 * node + 1));
        [a as f64 + SKEW * b as f64 + dx, b as f64 + dy]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_rows_and_columns() {
        for (i, j) in [(1, 1), (1, 4), (5, 1), (4, 3)] {
            let mesh = block(&Comm::single(), i, j).unwrap();
            let sizes: Vec<u64> = mesh.sets.iter().map(|s| s.rows).collect();
            assert_eq!(sizes, [(i + 1) * (j + 1), i * (j - 1) + (i - 1) * j, 2 * (i + j), i * j]);
        }
        assert!(block(&Comm::single(), 0, 3).is_err());
    }
}
