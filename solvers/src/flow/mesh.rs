//! Meshes of boxes, as requested by `[mesh.generate]`.

use cfd_engine::comm::Comm;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::{ElementKind, Given, MeshError};

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

cfd_keys::table! {
    /// A box from the origin, with the boundaries x_min, x_max, y_min, y_max and, in space, z_min, z_max
    pub struct Keys = "mesh.generate" {
        /// cells along x, y and, in space, z
        size: Vec<u64>, Integers(OneOf(&[2, 3]), &[1, 1, 1], 100_000), unit = "cells", required = true;
        /// elements that the cells are filled with; unset: quadrilaterals or hexahedra
        elements: Option<Elements>, Choice(Elements::WORDS);
        /// lengths of the sides; unset: 1 each
        lengths: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Open(0.0), Free), unit = "length";
        /// how far inner nodes are moved along each axis, as a share of a cell's side; unset: 0
        distortion: Option<f64>, Number(Closed(0.0), Open(0.25));
    }
}

/// Boxes.
pub struct Boxes;

impl Keys {
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
    const ABOUT: &'static str = "a box of elements of any kind";
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[64, 64]")];

    fn elements(keys: &Keys) -> u64 {
        keys.size.iter().fold(1, |product: u64, &side| product.saturating_mul(side.saturating_add(1)))
    }

    fn describe(keys: &Keys) -> String {
        let size: Vec<String> = keys.size.iter().map(u64::to_string).collect();
        let elements = keys.elements.map_or(String::new(), |elements| format!(", {}", elements.word()));
        format!("box ({}){elements}", size.join(", "))
    }

    fn mesh(comm: &Comm, keys: &Keys) -> Result<Given, MeshError> {
        let filling = keys.filling()?;
        let cells = std::array::from_fn(|k| keys.size.get(k).copied().unwrap_or(1));
        let length = |k: usize| keys.lengths.as_ref().and_then(|lengths| lengths.get(k)).copied();
        let lengths = std::array::from_fn(|k| length(k).unwrap_or(1.0));
        let distortion = keys.distortion.unwrap_or(0.0);
        ElementBox { filling, cells, lengths, distortion }.mesh(comm).map(Given::Elements)
    }
}
