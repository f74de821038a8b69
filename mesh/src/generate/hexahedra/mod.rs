//! Dual edges with levels: hexahedra in rows, columns and layers, turned into node-centred levels of edges.
//!
//! ```text
//! grid      numbering of nodes, neighbours, boundary sides; the blocks of nodes that make coarse levels
//! elements  the hexahedra and the sides on the boundary
//! dual      area vectors of the dual cells of a grid's nodes
//! wing      a swept, tapered wing in a grid that goes around its sections
//! section   the sections of wings
//! bump      a channel with a bump on its floor
//! cuboid    a cuboid without a body
//! ```

mod bump;
mod cuboid;
mod dual;
mod elements;
mod grid;
mod section;
mod wing;

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

use self::bump::Bump;
pub use self::cuboid::Cuboid;
pub use self::elements::names as group_names;
use self::grid::Grid;
use self::section::Section;
use self::wing::Wing;
use crate::derive::dual_levels::agglomerate::coarsen;
use crate::derive::dual_levels::level::to_mesh;
use crate::generate::cut_into_tetrahedra;
use crate::{DUAL_LEVELS, ElementMesh, Given, Groups, MeshError, level_name};

/// Group of the body's nodes.
pub const BODY: i32 = 0;
/// Group of a symmetry plane's nodes.
pub const SYMMETRY: i32 = 1;
/// Group of other walls' nodes.
pub const WALL: i32 = 2;
/// Group of the far field's nodes.
pub const FAR_FIELD: i32 = 3;

/// What a mesh surrounds or fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A swept, tapered wing of ONERA M6's planform with a symmetry plane at its root.
    #[default]
    Wing,
    /// A channel with a smooth bump on its floor.
    Bump,
    /// The unit cube, all of its boundary far field.
    Box,
}

impl Shape {
    const NAMES: [(&'static str, Shape); 3] =
        [("wing", Shape::Wing), ("bump", Shape::Bump), ("box", Shape::Box)];
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Shape::NAMES.iter().find(|(_, shape)| shape == self).expect("every shape has a name").0)
    }
}

impl FromStr for Shape {
    type Err = MeshError;

    fn from_str(text: &str) -> Result<Shape, MeshError> {
        Shape::NAMES.iter().find(|(name, _)| *name == text).map(|(_, shape)| *shape).ok_or_else(|| {
            MeshError::Generate(format!("unknown shape \"{text}\"; known are \"wing\", \"bump\", \"box\""))
        })
    }
}

/// A mesh to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// What it surrounds or fills.
    pub shape: Shape,
    /// Hexahedra along the three axes; for a wing: around each section, outward, along the span.
    pub size: [u64; 3],
    /// Number of levels; each has half the nodes along each axis of the one before.
    pub levels: usize,
}

/// Generates a mesh. Collective.
///
/// # Errors
/// [`MeshError::Generate`] for a size that is impossible or does not allow this many levels.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// use cfd_mesh::generate::hexahedra::{Shape, Spec, generate};
/// let spec = Spec { shape: Shape::Wing, size: [16, 7, 8], levels: 2 };
/// let mesh = generate(&Comm::single(), &spec).unwrap();
/// // Beyond the tip the first of 8 rows of 16 nodes has 9.
/// assert_eq!(mesh.sets[0].rows, 4 * 8 * 16 + 5 * (7 * 16 + 9));
/// assert_eq!(mesh.sets[3].rows, 4 * 4 * 8);
/// ```
pub fn generate(comm: &Comm, spec: &Spec) -> Result<Mesh, MeshError> {
    let Spec { size, levels, .. } = *spec;
    let grid = grid(comm, spec)?;
    match spec.shape {
        Shape::Wing => {
            let wing = Wing::new(size, Section::Naca0012)?;
            Ok(levels_of(comm, &grid, levels, |place| wing.position(place)))
        }
        Shape::Bump => {
            let bump = Bump::new(size);
            Ok(levels_of(comm, &grid, levels, |place| bump.position(place)))
        }
        Shape::Box => Ok(levels_of(comm, &grid, levels, |place| Cuboid::default().position(size, place))),
    }
}

/// [`generate`], with the hexahedra and the sides on the boundary. Collective.
///
/// # Errors
/// As [`generate`].
pub fn given(comm: &Comm, spec: &Spec) -> Result<Given, MeshError> {
    let mesh = generate(comm, spec)?;
    let Values::F64(x) = &mesh.dats[mesh.dat(&level_name(0, "x")).expect("a level has coordinates")].values
    else {
        panic!("coordinates are numbers")
    };
    let elements = Some(elements::elements(comm, &grid(comm, spec)?, x.clone(), group_names()));
    Ok(Given::Derived { derived: &DUAL_LEVELS, mesh, elements })
}

/// The ONERA M6 wing in hexahedra: `nodes` around each section, the last of which is the first, outward, and along the span.
/// Planform and section are those of the wind-tunnel model, without its rounded tip: over the last 12 % of the span the
/// thickness falls to zero. Its unit is the meter. Boundaries: `wing`, `symmetry`, `far_field`. Collective.
///
/// # Errors
/// Fewer than 4 hexahedra around or an odd number of them, fewer than 2 along the span, more nodes than ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// use cfd_mesh::generate::hexahedra::onera_m6;
/// let mesh = onera_m6(&Comm::single(), [33, 9, 9]).unwrap();
/// assert_eq!(mesh.mesh.count("hexahedra"), 32 * 8 * 8);
/// ```
pub fn onera_m6(comm: &Comm, nodes: [u64; 3]) -> Result<ElementMesh, MeshError> {
    let grid = m6_grid(comm, nodes)?;
    let wing = Wing::new(grid.size(), Section::M6)?;
    let own = Blocks::new(grid.nodes(), comm.size()).range(comm.rank());
    let x = own.flat_map(|node| wing.position(grid.place(node))).collect();
    let mut groups = Groups::default();
    for (group, name) in [(BODY, "wing"), (SYMMETRY, "symmetry"), (FAR_FIELD, "far_field")] {
        groups.add(2, group + 1, name);
    }
    Ok(elements::elements(comm, &grid, x, groups))
}

/// [`onera_m6`] with each hexahedron cut into six tetrahedra. Collective.
///
/// # Errors
/// As [`onera_m6`].
pub fn onera_m6_in_tetrahedra(comm: &Comm, nodes: [u64; 3]) -> Result<ElementMesh, MeshError> {
    let mesh = onera_m6(comm, nodes)?;
    let grid = m6_grid(comm, nodes)?;
    // First the nodes at which hexahedra have angles of nearly 180 degrees: of the trailing edge, and of the nose beyond the
    // tip. Of these the outer ones, lest the last side on the upper surface and that below it share a triangle.
    cut_into_tetrahedra(comm, &mesh, |node| {
        let [column, row, _] = grid.place(node);
        (row != 0 || (column != 0 && 2 * column != grid.n()[0]), Reverse(node))
    })
}

fn m6_grid(comm: &Comm, nodes: [u64; 3]) -> Result<Grid, MeshError> {
    let size = nodes.map(|nodes| nodes.saturating_sub(1));
    Grid::around(comm, size, 1, wing::tip(size[2]), wing::GROUPS)
}

/// The grid of a mesh. Collective.
fn grid(comm: &Comm, spec: &Spec) -> Result<Grid, MeshError> {
    let Spec { shape, size, levels } = *spec;
    match shape {
        Shape::Wing => Grid::around(comm, size, levels, wing::tip(size[2]), wing::GROUPS),
        Shape::Bump => Grid::new(comm, size, levels, bump::GROUPS.map(Some)),
        Shape::Box => Grid::new(comm, size, levels, Cuboid::default().groups.map(Some)),
    }
}

/// A cuboid of `size` hexahedra along x, y, z, of `levels` levels. Collective.
///
/// # Errors
/// A size of zero, a size that does not allow this many levels, or a distortion not in [0, 0.25).
pub fn cuboid(comm: &Comm, size: [u64; 3], levels: usize, cuboid: &Cuboid) -> Result<Mesh, MeshError> {
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
