//! Meshes of boxes, and grids around the shapes of validation, as requested by `[mesh.generate]`.

use cfd_engine::comm::Comm;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::generate::{cut_into_tetrahedra, hexahedra, plane};
use cfd_mesh::{ElementKind, ElementMesh, Given, MeshError};

use crate::case::Generate;

cfd_keys::choice! {
    /// What a box is filled with.
    pub enum Elements {
        /// Triangles, in the plane.
        Triangles = "triangles",
        /// Quadrilaterals, in the plane.
        Quadrilaterals = "quadrilaterals",
        /// Tetrahedra.
        Tetrahedra = "tetrahedra",
        /// Pyramids.
        Pyramids = "pyramids",
        /// Prisms.
        Prisms = "prisms",
        /// Hexahedra.
        Hexahedra = "hexahedra",
        /// All kinds of the dimension.
        Mixed = "mixed",
    }
}

/// First step away from a cylinder, and the distance of its far field, if only the other one is given.
const WALL: f64 = 0.01;
const FAR: f64 = 20.0;

cfd_keys::choice! {
    /// What is meshed.
    pub enum Shape {
        /// A box.
        Box = "box",
        /// A NACA0012 airfoil.
        Naca0012 = "naca0012",
        /// A cylinder.
        Cylinder = "cylinder",
        /// A flat plate.
        FlatPlate = "flat-plate",
        /// A bump in a channel.
        Bump = "bump",
        /// A bump in a channel, in space.
        BumpInSpace = "bump-3d",
        /// A wedge of 10 degrees.
        Wedge = "wedge",
        /// A channel.
        Channel = "channel",
        /// A wind tunnel with a step.
        ForwardStep = "forward-step",
        /// The front half of a cylinder.
        HalfCylinder = "half-cylinder",
        /// The ONERA M6 wing.
        OneraM6 = "onera-m6",
    }
}

impl Shape {
    /// Whether its grid is one in space.
    fn is_in_space(self) -> bool {
        matches!(self, Shape::BumpInSpace | Shape::OneraM6)
    }
}

cfd_keys::table! {
    /// A box from the origin, with the boundaries x_min, x_max, y_min, y_max and, in space, z_min, z_max
    pub struct Keys = "mesh.generate" {
        /// what is meshed; all but a box are grids as `cfd mesh generate` makes them: of quadrilaterals in the plane, "bump-3d"
        /// and "onera-m6" of hexahedra; unset: a box
        shape: Option<Shape>, Choice(Shape::WORDS);
        /// cells of a box along x, y and, in space, z; of another shape, nodes along the wall or around it, away from it
        /// and, in space, across or along the span
        size: Vec<u64>, Integers(OneOf(&[2, 3]), &[1, 1, 1], 100_000), unit = "cells", required = true;
        /// elements that the cells are filled with; of a grid in the plane, quadrilaterals or triangles, in space hexahedra or
        /// tetrahedra; unset: quadrilaterals or hexahedra
        elements: Option<Elements>, Choice(Elements::WORDS);
        /// lengths of the sides; unset: 1 each
        lengths: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Open(0.0), Free), unit = "length";
        /// how far inner nodes are moved along each axis, as a share of a cell's side; unset: 0
        distortion: Option<f64>, Number(Closed(0.0), Open(0.25));
        /// first step away from a NACA0012 airfoil or a cylinder; unset: that of the family of grids
        wall: Option<f64>, Number(Open(0.0), Free), unit = "length";
        /// distance of the far field from a cylinder's middle; unset: 20
        far: Option<f64>, Number(Open(0.0), Free), unit = "length";
    }
}

/// Boxes and grids.
pub struct Boxes;

impl Keys {
    /// The grid around a shape that is no box.
    fn grid(&self, comm: &Comm, shape: Shape) -> Result<ElementMesh, MeshError> {
        let refused = |what: String| Err(MeshError::Generate(what));
        let word = shape.word();
        let has_wall = matches!(shape, Shape::Naca0012 | Shape::Cylinder);
        let without = [
            ("lengths", self.lengths.is_some()),
            ("distortion", self.distortion.is_some()),
            ("wall", self.wall.is_some() && !has_wall),
            ("far", self.far.is_some() && shape != Shape::Cylinder),
        ];
        if let Some((key, _)) = without.into_iter().find(|(_, is_given)| *is_given) {
            return refused(format!("mesh.generate.{key} has no meaning for shape = \"{word}\"; remove it"));
        }
        let (usual, cut) = if shape.is_in_space() {
            (Elements::Hexahedra, Elements::Tetrahedra)
        } else {
            (Elements::Quadrilaterals, Elements::Triangles)
        };
        let elements = self.elements.unwrap_or(usual);
        if elements != usual && elements != cut {
            return refused(format!(
                "mesh.generate.elements = \"{}\" is not for shape = \"{word}\"; expected \"{}\" or \"{}\"",
                elements.word(),
                usual.word(),
                cut.word()
            ));
        }
        let is_cut = elements == cut;
        if shape.is_in_space() {
            let Ok(nodes) = self.size.as_slice().try_into() else {
                return refused(format!(
                    "shape = \"{word}\" is a grid in space; expected three numbers in mesh.generate.size"
                ));
            };
            return match (shape, is_cut) {
                (Shape::OneraM6, false) => hexahedra::onera_m6(comm, nodes),
                (Shape::OneraM6, true) => hexahedra::onera_m6_in_tetrahedra(comm, nodes),
                (_, false) => plane::bump_in_space(comm, nodes),
                (_, true) => cut_into_tetrahedra(comm, &plane::bump_in_space(comm, nodes)?, |node| node),
            };
        }
        let Ok(nodes) = self.size.as_slice().try_into() else {
            return refused(format!(
                "shape = \"{word}\" is a grid in the plane; expected two numbers in mesh.generate.size"
            ));
        };
        let grid = match (shape, self.wall) {
            (Shape::Naca0012, Some(wall)) => plane::airfoil_from(comm, nodes, wall),
            (Shape::Naca0012, None) => plane::airfoil(comm, nodes),
            (Shape::Cylinder, wall) if wall.is_some() || self.far.is_some() => {
                plane::cylinder_from(comm, nodes, wall.unwrap_or(WALL), self.far.unwrap_or(FAR))
            }
            (Shape::Cylinder, _) => plane::cylinder(comm, nodes),
            (Shape::FlatPlate, _) => plane::flat_plate(comm, nodes),
            (Shape::Bump, _) => plane::bump(comm, nodes),
            (Shape::Wedge, _) => plane::wedge(comm, nodes),
            (Shape::Channel, _) => plane::channel(comm, nodes),
            (Shape::ForwardStep, _) => plane::forward_step(comm, nodes),
            (Shape::HalfCylinder, _) => plane::half_cylinder(comm, nodes),
            (Shape::Box | Shape::BumpInSpace | Shape::OneraM6, _) => unreachable!("they are made elsewhere"),
        }?;
        if is_cut { plane::cut_into_triangles(comm, &grid) } else { Ok(grid) }
    }

    fn filling(&self) -> Result<Filling, MeshError> {
        let dimension = self.size.len();
        let filling = match (self.elements, dimension) {
            (None, 2) => Filling::Only(ElementKind::Quadrilateral),
            (None, _) => Filling::Only(ElementKind::Hexahedron),
            (Some(Elements::Triangles), _) => Filling::Only(ElementKind::Triangle),
            (Some(Elements::Quadrilaterals), _) => Filling::Only(ElementKind::Quadrilateral),
            (Some(Elements::Tetrahedra), _) => Filling::Only(ElementKind::Tetrahedron),
            (Some(Elements::Pyramids), _) => Filling::Only(ElementKind::Pyramid),
            (Some(Elements::Prisms), _) => Filling::Only(ElementKind::Prism),
            (Some(Elements::Hexahedra), _) => Filling::Only(ElementKind::Hexahedron),
            (Some(Elements::Mixed), 2) => Filling::MixedPlane,
            (Some(Elements::Mixed), _) => Filling::MixedSpace,
        };
        let lengths = self.lengths.as_ref().map_or(dimension, Vec::len);
        if lengths != dimension {
            let what = format!("mesh.generate.lengths has {lengths} numbers, but the size {dimension}");
            return Err(MeshError::Generate(what));
        }
        if filling.dimension() != dimension {
            let word = self.elements.map_or("", Elements::word);
            let what = format!(
                "a box of {word} has {} dimensions, but mesh.generate.size has {dimension} numbers",
                filling.dimension()
            );
            return Err(MeshError::Generate(what));
        }
        Ok(filling)
    }
}

impl Generate for Boxes {
    type Keys = Keys;
    const ABOUT: &'static str = "a box of elements of any kind, or a grid around a shape";
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[64, 64]")];

    fn elements(keys: &Keys) -> u64 {
        keys.size.iter().fold(1, |product: u64, &side| product.saturating_mul(side.saturating_add(1)))
    }

    fn describe(keys: &Keys) -> String {
        let size: Vec<String> = keys.size.iter().map(u64::to_string).collect();
        let elements = keys.elements.map_or(String::new(), |elements| format!(", {}", elements.word()));
        if let Some(shape) = keys.shape.filter(|&shape| shape != Shape::Box) {
            return format!("{} ({}){elements}", shape.word(), size.join(", "));
        }
        format!("box ({}){elements}", size.join(", "))
    }

    fn mesh(comm: &Comm, keys: &Keys) -> Result<Given, MeshError> {
        if let Some(shape) = keys.shape.filter(|&shape| shape != Shape::Box) {
            return keys.grid(comm, shape).map(Given::Elements);
        }
        for (key, value) in [("wall", keys.wall), ("far", keys.far)] {
            if value.is_some() {
                let what = format!("mesh.generate.{key} has no meaning for a box; remove it, or set shape");
                return Err(MeshError::Generate(what));
            }
        }
        let filling = keys.filling()?;
        let cells = std::array::from_fn(|k| keys.size.get(k).copied().unwrap_or(1));
        let length = |k: usize| keys.lengths.as_ref().and_then(|lengths| lengths.get(k)).copied();
        let lengths = std::array::from_fn(|k| length(k).unwrap_or(1.0));
        let distortion = keys.distortion.unwrap_or(0.0);
        ElementBox { filling, cells, lengths, distortion }.mesh(comm).map(Given::Elements)
    }
}
