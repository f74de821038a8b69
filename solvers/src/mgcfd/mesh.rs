//! Meshes of hexahedra with levels, as requested by `[mesh.generate]`.

use cfd_engine::comm::Comm;
use cfd_mesh::generate::hexahedra::{self, Shape, Spec};
use cfd_mesh::{Given, MeshError};

use crate::case::Generate;

cfd_keys::choice! {
    /// What a mesh surrounds.
    pub enum Around {
        /// The ONERA M6 wing's planform.
        Wing = "wing",
        /// A bump in a channel.
        Bump = "bump",
        /// Nothing.
        Box = "box",
    }
}

cfd_keys::table! {
    /// A mesh of I J K hexahedra, as nodes and edges, with coarse levels
    pub struct Hexahedra = "mesh.generate" {
        /// I, J, K: hexahedra around the section, away from it, along the span; around a wing I is at least 4 and K at
        /// least 2
        size: [u64; 3], Integers(OneOf(&[3]), &[1, 1, 1], 100_000), unit = "hexahedra", required = true;
        /// number of levels, the finest included; unset: 4
        levels: Option<usize>, Integer(1, 20), unit = "levels";
        /// what the mesh surrounds: the ONERA M6 wing, a bump in a channel, or nothing; unset: "wing"
        shape: Option<Around>, Choice(Around::WORDS);
    }
}

impl Hexahedra {
    fn shape(&self) -> Around {
        self.shape.unwrap_or(Around::Wing)
    }

    fn levels(&self) -> usize {
        self.levels.unwrap_or(4)
    }
}

/// Meshes of hexahedra.
pub struct Levels;

impl Generate for Levels {
    type Keys = Hexahedra;
    const ABOUT: &'static str = "a mesh of hexahedra in three dimensions with coarse levels";
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[128, 48, 64]")];

    fn elements(keys: &Hexahedra) -> u64 {
        keys.size.iter().fold(1, |product: u64, &side| product.saturating_mul(side))
    }

    fn describe(keys: &Hexahedra) -> String {
        let [i, j, k] = keys.size;
        format!("{} ({i}, {j}, {k}), {} levels", keys.shape().word(), keys.levels())
    }

    fn mesh(comm: &Comm, keys: &Hexahedra) -> Result<Given, MeshError> {
        let shape = match keys.shape() {
            Around::Wing => Shape::Wing,
            Around::Bump => Shape::Bump,
            Around::Box => Shape::Box,
        };
        hexahedra::given(comm, &Spec { shape, size: keys.size, levels: keys.levels() })
    }
}
