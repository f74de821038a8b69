//! Meshes of elements that belong to no case: the grids of validation, and boxes.

use cfd_engine::comm::Comm;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::generate::{hexahedra, plane};
use cfd_mesh::{ElementKind, Given, MeshError};

use crate::case::{Generate, Generator, Memory};

/// Their memory: lower bounds, as for cases.
pub const MEMORY: Memory = Memory { element: "elements", mesh: 60, run: 60 };

/// The generators by the names that `cfd mesh generate` knows.
pub const SHAPES: [(&str, Generator); 11] = [
    ("flat-plate", Generator::of::<FlatPlate>()),
    ("bump", Generator::of::<Bump>()),
    ("bump-3d", Generator::of::<BumpInSpace>()),
    ("onera-m6", Generator::of::<OneraM6>()),
    ("naca0012", Generator::of::<Airfoil>()),
    ("cylinder", Generator::of::<Cylinder>()),
    ("wedge", Generator::of::<Wedge>()),
    ("channel", Generator::of::<Channel>()),
    ("forward-step", Generator::of::<ForwardStep>()),
    ("half-cylinder", Generator::of::<HalfCylinder>()),
    ("box", Generator::of::<Filled>()),
];

cfd_keys::table! {
    /// A grid of I x J nodes
    pub struct Nodes = "mesh.generate" {
        /// I and J: nodes along the wall, and away from it
        size: [u64; 2], Integers(OneOf(&[2]), &[2, 2], 1_000_000), unit = "nodes", required = true;
    }
}

cfd_keys::table! {
    /// A grid of I x J x K nodes
    pub struct NodesInSpace = "mesh.generate" {
        /// I, J and K: nodes along the wall or around it, away from it and across or along the span
        size: [u64; 3], Integers(OneOf(&[3]), &[2, 2, 2], 1_000_000), unit = "nodes", required = true;
    }
}

/// Shapes: their keys, their types, their functions, their usual sizes, what they are.
macro_rules! shapes {
    ($keys:ident: $($name:ident = $generator:path, $usual:literal, $about:literal;)+) => {
        $(
            #[doc = $about]
            pub enum $name {}

            impl Generate for $name {
                type Keys = $keys;
                const ABOUT: &'static str = $about;
                const USUAL: &'static [(&'static str, &'static str)] = &[("size", $usual)];

                fn elements(keys: &$keys) -> u64 {
                    keys.size.iter().fold(1, |product: u64, &nodes| product.saturating_mul(nodes))
                }

                fn describe(keys: &$keys) -> String {
                    format!("{} ({})", $about, keys.size.map(|nodes| nodes.to_string()).join(", "))
                }

                fn mesh(comm: &Comm, keys: &$keys) -> Result<Given, MeshError> {
                    $generator(comm, keys.size).map(Given::Elements)
                }
            }
        )+
    };
}

shapes! { Nodes:
    FlatPlate = plane::flat_plate, "[137, 97]", "the flat plate of NASA's turbulence modeling resource";
    Bump = plane::bump, "[177, 81]", "the bump in a channel of NASA's turbulence modeling resource";
    Airfoil = plane::airfoil, "[225, 65]", "a C-grid around NACA0012 with a sharp trailing edge";
    Cylinder = plane::cylinder, "[129, 97]", "an O-grid around a cylinder";
    Wedge = plane::wedge, "[151, 101]", "a wedge of 10 degrees in a channel";
    Channel = plane::channel, "[129, 65]", "a channel between two walls";
    ForwardStep = plane::forward_step, "[121, 41]", "a wind tunnel with a step";
    HalfCylinder = plane::half_cylinder, "[97, 49]", "the front half of a cylinder in supersonic flow";
}

shapes! { NodesInSpace:
    BumpInSpace = plane::bump_in_space, "[89, 41, 9]",
        "the bump in a channel of three dimensions of NASA's turbulence modeling resource";
    OneraM6 = hexahedra::onera_m6, "[97, 32, 33]", "the ONERA M6 wing with a symmetry plane at its root";
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
