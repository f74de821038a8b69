//! Meshes of elements that belong to no case: the grids of validation, and boxes.

use std::marker::PhantomData;

use cfd_engine::comm::Comm;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::generate::plane;
use cfd_mesh::{ElementKind, ElementMesh, Given, MeshError};

use crate::case::{Generate, Generator, Memory};

/// Their memory: lower bounds, as for cases.
pub const MEMORY: Memory = Memory { element: "elements", mesh: 60, run: 60 };

/// The generators by the names that `cfd mesh generate` knows.
pub const SHAPES: [(&str, Generator); 8] = [
    ("flat-plate", Generator::of::<Grid<FlatPlate>>()),
    ("bump", Generator::of::<Grid<Bump>>()),
    ("bump-3d", Generator::of::<BumpInSpace>()),
    ("naca0012", Generator::of::<Grid<Airfoil>>()),
    ("cylinder", Generator::of::<Grid<Cylinder>>()),
    ("wedge", Generator::of::<Grid<Wedge>>()),
    ("channel", Generator::of::<Grid<Channel>>()),
    ("box", Generator::of::<Filled>()),
];

cfd_keys::table! {
    /// A grid of I x J nodes
    pub struct Nodes = "mesh.generate" {
        /// I and J: nodes along the wall, and away from it
        size: [u64; 2], Integers(OneOf(&[2]), &[2, 2], 1_000_000), unit = "nodes", required = true;
    }
}

/// A grid of this shape.
pub struct Grid<S>(PhantomData<S>);

/// The shape of a grid.
pub trait Shape: 'static {
    /// What it is, in a line.
    const ABOUT: &'static str;
    /// The usual size.
    const USUAL: &'static [(&'static str, &'static str)];
    /// Generates it.
    const MESH: fn(&Comm, [u64; 2]) -> Result<ElementMesh, MeshError>;
}

impl<S: Shape> Generate for Grid<S> {
    type Keys = Nodes;
    const ABOUT: &'static str = S::ABOUT;
    const USUAL: &'static [(&'static str, &'static str)] = S::USUAL;

    fn elements(keys: &Nodes) -> u64 {
        keys.size.iter().fold(1, |product: u64, &nodes| product.saturating_mul(nodes))
    }

    fn describe(keys: &Nodes) -> String {
        let [i, j] = keys.size;
        format!("{} ({i}, {j})", S::ABOUT)
    }

    fn mesh(comm: &Comm, keys: &Nodes) -> Result<Given, MeshError> {
        S::MESH(comm, keys.size).map(Given::Elements)
    }
}

/// A shape of [`plane`]: its type, its function, its usual size, what it is.
macro_rules! shapes {
    ($($name:ident = $generator:ident, $usual:literal, $about:literal;)+) => {
        $(
            #[doc = $about]
            pub enum $name {}

            impl Shape for $name {
                const ABOUT: &'static str = $about;
                const USUAL: &'static [(&'static str, &'static str)] = &[("size", $usual)];
                const MESH: fn(&Comm, [u64; 2]) -> Result<ElementMesh, MeshError> = plane::$generator;
            }
        )+
    };
}

shapes! {
    FlatPlate = flat_plate, "[137, 97]", "the flat plate of NASA's turbulence modeling resource";
    Bump = bump, "[177, 81]", "the bump in a channel of NASA's turbulence modeling resource";
    Airfoil = airfoil, "[225, 65]", "a C-grid around NACA0012 with a sharp trailing edge";
    Cylinder = cylinder, "[129, 97]", "an O-grid around a cylinder";
    Wedge = wedge, "[151, 101]", "a wedge of 10 degrees in a channel";
    Channel = channel, "[129, 65]", "a channel between two walls";
}

cfd_keys::table! {
    /// A grid of I x J x K nodes
    pub struct NodesInSpace = "mesh.generate" {
        /// I, J and K: nodes along the wall, away from it and across
        size: [u64; 3], Integers(OneOf(&[3]), &[2, 2, 2], 1_000_000), unit = "nodes", required = true;
    }
}

/// The bump in a channel of three dimensions.
pub enum BumpInSpace {}

impl Generate for BumpInSpace {
    type Keys = NodesInSpace;
    const ABOUT: &'static str =
        "the bump in a channel of three dimensions of NASA's turbulence modeling resource";
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[89, 41, 9]")];

    fn elements(keys: &NodesInSpace) -> u64 {
        keys.size.iter().fold(1, |product: u64, &nodes| product.saturating_mul(nodes))
    }

    fn describe(keys: &NodesInSpace) -> String {
        let [i, j, k] = keys.size;
        format!("{} ({i}, {j}, {k})", Self::ABOUT)
    }

    fn mesh(comm: &Comm, keys: &NodesInSpace) -> Result<Given, MeshError> {
        plane::bump_in_space(comm, keys.size).map(Given::Elements)
    }
}

cfd_keys::choice! {
    /// What a box is filled with.
    pub enum Elements {
        /// Triangles, in the plane.
        Triangles = "triangles",
        /// Quadrilaterals, in the plane.
        Quadrilaterals = "quadrilaterals",
        /// Both.
        MixedPlane = "mixed-plane",
        /// Tetrahedra.
        Tetrahedra = "tetrahedra",
        /// Pyramids.
        Pyramids = "pyramids",
        /// Prisms.
        Prisms = "prisms",
        /// Hexahedra.
        Hexahedra = "hexahedra",
        /// All kinds of three dimensions.
        MixedSpace = "mixed-space",
    }
}

impl Elements {
    fn filling(self) -> Filling {
        match self {
            Elements::Triangles => Filling::Only(ElementKind::Triangle),
            Elements::Quadrilaterals => Filling::Only(ElementKind::Quadrilateral),
            Elements::MixedPlane => Filling::MixedPlane,
            Elements::Tetrahedra => Filling::Only(ElementKind::Tetrahedron),
            Elements::Pyramids => Filling::Only(ElementKind::Pyramid),
            Elements::Prisms => Filling::Only(ElementKind::Prism),
            Elements::Hexahedra => Filling::Only(ElementKind::Hexahedron),
            Elements::MixedSpace => Filling::MixedSpace,
        }
    }
}

cfd_keys::table! {
    /// The unit box of I x J x K cells
    pub struct Cells = "mesh.generate" {
        /// I, J and K: cells along x, y and z; in the plane, K counts for nothing
        size: [u64; 3], Integers(OneOf(&[3]), &[1, 1, 1], 100_000), unit = "cells", required = true;
        /// the elements that the cells are filled with
        elements: Elements, Choice(Elements::WORDS), default = "hexahedra";
        /// how far inner nodes are moved along each axis, as a share of a cell's side
        distortion: f64, Number(Closed(0.0), Open(0.25)), default = 0.0;
    }
}

/// A unit box, filled with elements.
pub enum Filled {}

impl Generate for Filled {
    type Keys = Cells;
    const ABOUT: &'static str = "the unit square or cube filled with elements of one kind or of all";
    const USUAL: &'static [(&'static str, &'static str)] =
        &[("size", "[20, 20, 20]"), ("elements", "hexahedra"), ("distortion", "0.0")];

    fn elements(keys: &Cells) -> u64 {
        let axes = keys.elements.filling().dimension();
        keys.size[..axes].iter().fold(1, |product: u64, &cells| product.saturating_mul(cells))
    }

    fn describe(keys: &Cells) -> String {
        let [i, j, k] = keys.size;
        format!("box of {} ({i}, {j}, {k})", keys.elements.word())
    }

    fn mesh(comm: &Comm, keys: &Cells) -> Result<Given, MeshError> {
        let unit = ElementBox::unit(keys.elements.filling(), keys.size);
        Ok(Given::Elements(ElementBox { distortion: keys.distortion, ..unit }.mesh(comm)?))
    }
}
