//! The mesh of a blast, as requested by `[mesh.generate]` or `lulesh.size`.

use cfd_engine::comm::Comm;
use cfd_mesh::{Given, MeshError, NEIGHBOURS, generate};

use crate::case::Generate;

/// The edge's length.
const LENGTH: f64 = 1.125;

cfd_keys::table! {
    /// A cube of N by N by N hexahedra
    pub struct Keys = "mesh.generate" {
        /// N: elements per edge
        size: [u64; 1], Integers(OneOf(&[1]), &[1], 100_000), unit = "elements", required = true;
    }
}

/// Cubes of hexahedra.
pub struct Cube;

impl Generate for Cube {
    type Keys = Keys;
    const ABOUT: &'static str = "a cube of N by N by N hexahedra";
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[30]")];

    fn elements(keys: &Keys) -> u64 {
        let [n] = keys.size;
        n.saturating_mul(n).saturating_mul(n)
    }

    fn describe(keys: &Keys) -> String {
        let [n] = keys.size;
        format!("cube ({n}, {n}, {n})")
    }

    fn mesh(comm: &Comm, keys: &Keys) -> Result<Given, MeshError> {
        Ok(Given::derived(&NEIGHBOURS, generate::cube(comm, keys.size[0], LENGTH)?))
    }
}

/// The edge of a cube of this many elements.
pub fn edge(elements: u64) -> Option<u64> {
    // The nearest integer; the cube root of a number of elements is far from halfway between two.
    let root = same_math::cbrt(elements as f64).round() as u64;
    (root.checked_mul(root)?.checked_mul(root)? == elements).then_some(root)
}
