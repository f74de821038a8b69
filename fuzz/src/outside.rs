//! Meshes of other programs in text and binary: Gmsh, SU2, UGRID, Medit, PLOT3D, VTU; values at nodes.

use std::fmt::Debug;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_io::{IoError, mesh_hash, read_derived, read_element_mesh, read_node_fields};
use cfd_mesh::derive::neighbours::KINDS;
use cfd_mesh::{Boundaries, NEIGHBOURS, STORED};

use super::meshes;

/// Endings that say how a binary file is stored; any other format is told by its content.
const ENDINGS: [&str; 3] = [".lb8.ugrid", ".b4.ugrid", ".b8.ugrid64"];

/// Reads the input as a mesh of another program, and derives from it whatever can be derived; where `several`, on three
/// ranks, too. Boundaries are known by their names.
pub fn check(folder: &Path, data: &[u8], several: bool) {
    for ending in ENDINGS {
        let input = folder.join(format!("m{ending}"));
        std::fs::write(&input, data).expect("a folder for files");
        meshes::check_file(&input, several);
    }
    let values = folder.join("m.sol");
    std::fs::write(&values, data).expect("a folder for files");
    same(several, |comm: &Comm| Ok(read_node_fields(comm, &values)?.nodes));
    let input = folder.join("m.msh");
    std::fs::write(&input, data).expect("a folder for files");
    meshes::check_file(&input, several);
    for derived in STORED {
        let boundaries = if derived == &NEIGHBOURS { Boundaries::new(&KINDS) } else { Boundaries::default() };
        same(several, |comm: &Comm| {
            let mesh = read_derived(comm, &input, derived, &boundaries)?;
            Ok(mesh_hash(comm, &mesh))
        });
    }
    let elements = |comm: &Comm| {
        let mesh = read_element_mesh(comm, &input)?;
        Ok(mesh_hash(comm, &mesh.mesh))
    };
    same(several, elements);
}

/// Reads on one rank, and where `several` on three, which must see the same.
fn same<T: PartialEq + Debug + Send>(several: bool, read: impl Fn(&Comm) -> Result<T, IoError> + Sync) {
    let one = read(&Comm::single());
    assert!(one.as_ref().err().is_none_or(|error| error.is_input()), "{one:?}");
    if several {
        let three = Comm::simulate(3, |comm| read(&comm));
        assert!(three.iter().all(|other| *other == one), "one rank: {one:?}, three: {three:?}");
    }
}
