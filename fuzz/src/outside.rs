//! Meshes of other programs: Gmsh's format 4.1, text and binary, and SU2's.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_io::{Digest, IoError, mesh_hash, read_derived, read_element_mesh};
use cfd_mesh::derive::neighbours::KINDS;
use cfd_mesh::{Boundaries, NEIGHBOURS, STORED};

use super::meshes;

/// Reads the input as a mesh of Gmsh or SU2, and derives from it whatever can be derived; where `several`, on three ranks,
/// too. Boundaries are known by their names.
pub fn check(folder: &Path, data: &[u8], several: bool) {
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
fn same(several: bool, read: impl Fn(&Comm) -> Result<Digest, IoError> + Sync) {
    let one = read(&Comm::single());
    assert!(one.as_ref().err().is_none_or(|error| error.is_input()), "{one:?}");
    if several {
        let three = Comm::simulate(3, |comm| read(&comm));
        assert!(three.iter().all(|other| *other == one), "one rank: {one:?}, three: {three:?}");
    }
}
