//! Meshes of other programs: Gmsh's format 4.1, text and binary, and SU2's.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_io::{Boundaries, Digest, IoError, mesh_hash, read_element_mesh, read_mesh_for};
use cfd_mesh::BILINEAR;

use super::meshes;

/// Reads the input as a mesh of Gmsh or SU2, in cells with edges, in bilinear elements and in mixed elements; where `several`,
/// on three ranks, too. Boundaries are known by their names.
pub fn check(folder: &Path, data: &[u8], several: bool) {
    let input = folder.join("m.msh");
    std::fs::write(&input, data).expect("a folder for files");
    meshes::check_file(&input, several);
    let bilinear = |comm: &Comm| {
        let mesh = read_mesh_for(comm, &input, &BILINEAR, &Boundaries::default())?;
        Ok(mesh_hash(comm, &mesh))
    };
    same(several, bilinear);
    let mixed = |comm: &Comm| {
        let mesh = read_element_mesh(comm, &input)?;
        Ok(mesh_hash(comm, &mesh.mesh))
    };
    same(several, mixed);
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
