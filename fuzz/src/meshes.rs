//! Small meshes that inputs start from, and reading a mesh file on one rank and on several.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_io::format::{HDF5, OP2_TEXT};
use cfd_io::{Digest, Format, IoError};
use cfd_mesh::generate::hexahedra::{Shape, Spec};
use cfd_mesh::{
    BILINEAR, CELL_EDGES, DUAL_LEVELS, NEIGHBOURS, TRIANGLES, closure_defect, generate, smallest_volume,
};

/// A small valid mesh of a topology; of dual edges two levels.
pub fn small(topology: Topology) -> Mesh {
    let comm = Comm::single();
    let mesh = match topology {
        &CELL_EDGES => generate::block(&comm, 3, 2),
        &BILINEAR => generate::square(&comm, 2, 0.0),
        &TRIANGLES => generate::triangles(&comm, [2, 2]),
        &DUAL_LEVELS => {
            generate::hexahedra::generate(&comm, &Spec { shape: Shape::Box, size: [3, 3, 3], levels: 2 })
        }
        &NEIGHBOURS => generate::cube(&comm, 2, 1.0),
    };
    mesh.expect("these sizes are possible")
}

/// Writes [`small`] in a format.
pub fn write_small(topology: Topology, format: &Format, path: &Path) {
    cfd_io::write_mesh_as(&Comm::single(), &small(topology), topology, path, format)
        .expect("a folder for files");
}

/// What a reader says of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The topology.
    pub topology: Topology,
    /// Hash of the mesh.
    pub hash: Digest,
    /// Of dual edges, the bits of the worst closure defect and of the smallest volume.
    pub cells: [u64; 2],
}

/// Whether an input is read on several ranks, too: one in sixteen, because that takes several threads many messages.
pub fn on_several_ranks(data: &[u8]) -> bool {
    blake3::hash(data).as_bytes()[0] < 16
}

/// Reads a mesh. Collective.
fn read(comm: &Comm, path: &Path) -> Result<Seen, IoError> {
    let (topology, mesh) = cfd_io::read_mesh(comm, path)?;
    let cells = match topology {
        &DUAL_LEVELS => {
            let (_, volume) = smallest_volume(comm, &mesh);
            [closure_defect(comm, &mesh).defect.to_bits(), volume.to_bits()]
        }
        _ => [0; 2],
    };
    Ok(Seen { topology, hash: cfd_io::mesh_hash(comm, &mesh), cells })
}

/// Reads a mesh file, where `several` on three ranks, too, which must say the same. A mesh that is good is written in
/// another format and must come back.
pub fn check_file(path: &Path, several: bool) {
    let one = Comm::single();
    let result = read(&one, path);
    if several {
        let three = Comm::simulate(3, |comm| read(&comm, path));
        assert!(three.iter().all(|other| *other == result), "one rank: {result:?}, three: {three:?}");
    }
    let seen = match result {
        Err(error) => {
            assert!(error.is_input(), "{error:?}");
            assert!(!error.to_string().is_empty());
            return;
        }
        Ok(seen) => seen,
    };
    let (topology, mesh) = cfd_io::read_mesh(&one, path).expect("it has just been read");
    let format = match topology {
        &CELL_EDGES | &BILINEAR => &OP2_TEXT,
        &DUAL_LEVELS | &NEIGHBOURS | &TRIANGLES => &HDF5,
    };
    let again = path.with_file_name("again");
    cfd_io::write_mesh_as(&one, &mesh, topology, &again, format).expect("a good mesh can be written");
    assert_eq!(read(&one, &again), Ok(seen));
}
