//! Meshes for Mgcfd: hexahedra in rows, columns and layers, turned into node-centred levels of edges.
//!
//! ```text
//! grid      numbering of nodes, neighbours, boundary sides; the blocks of nodes that make coarse levels
//! dual      area vectors of the dual cells of a grid's nodes
//! cuboid    a cuboid without a body
//! ```

mod cuboid;
mod dual;
mod grid;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

#[cfg(test)]
mod tests;

pub use self::cuboid::Cuboid;
use self::grid::Grid;
use crate::IoError;
use crate::agglomerate::coarsen;
use crate::level::to_mesh;

/// Group of the body's nodes.
pub const BODY: i32 = 0;
/// Group of a symmetry plane's nodes.
pub const SYMMETRY: i32 = 1;
/// Group of other walls' nodes.
pub const WALL: i32 = 2;
/// Group of the far field's nodes.
pub const FAR_FIELD: i32 = 3;

/// A cuboid of `size` hexahedra along x, y, z, of `levels` levels. Collective.
///
/// # Errors
/// A size of zero, a size that does not allow so many levels, or a distortion not in [0, 0.25).
pub fn cuboid(comm: &Comm, size: [u64; 3], levels: usize, cuboid: &Cuboid) -> Result<Mesh, IoError> {
    cuboid.check()?;
    let grid = Grid::new(comm, size, levels, cuboid.groups.map(Some))?;
    Ok(levels_of(comm, &grid, levels, |node| cuboid.position(size, node)))
}

/// All levels of a grid; `position` gives the coordinates of the node in a column, row and layer.
fn levels_of(comm: &Comm, grid: &Grid, levels: usize, position: impl Fn([u64; 3]) -> [f64; 3]) -> Mesh {
    let mut made = vec![dual::level(comm, grid, position)];
    let mut ups = Vec::new();
    let mut grid = *grid;
    for _ in 1..levels {
        let fine = made.last().expect("there is a finest level");
        let coarse = grid.coarse();
        let own = fine.node_blocks(comm).range(comm.rank());
        let up: Vec<u64> = own.map(|node| coarse.node(grid.block(grid.place(node)))).collect();
        let level = coarsen(comm, fine, &up, coarse.nodes());
        made.push(level);
        ups.push(up);
        grid = coarse;
    }
    to_mesh(made, ups)
}
