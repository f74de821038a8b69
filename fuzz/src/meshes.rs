//! Small meshes that inputs start from, and reading a mesh file on one rank and on several.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_io::generate::mgcfd::{Shape, Spec};
use cfd_io::{Case, Digest, Format, IoError, generate};

/// A small valid mesh of a case; of Mgcfd two levels.
pub fn small(case: Case) -> Mesh {
    let comm = Comm::single();
    let mesh = match case {
        Case::Airfoil => generate::block(&comm, 3, 2),
        Case::Aero => generate::square(&comm, 2, 0.0),
        Case::Mgcfd => {
            generate::mgcfd::generate(&comm, &Spec { shape: Shape::Box, size: [3, 3, 3], levels: 2 })
        }
    };
    mesh.expect("these sizes are possible")
}

/// Writes [`small`] in a format.
pub fn write_small(case: Case, format: Format, path: &Path) {
    cfd_io::write_mesh_as(&Comm::single(), &small(case), case, path, format).expect("a folder for files");
}

/// What a reader says of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The case.
    pub case: Case,
    /// Hash of the mesh.
    pub hash: Digest,
    /// Of a Mgcfd mesh, the bits of the worst closure defect and of the smallest volume.
    pub cells: [u64; 2],
}

/// Whether an input is read on several ranks, too: one in sixteen, because that takes several threads many messages.
pub fn on_several_ranks(data: &[u8]) -> bool {
    blake3::hash(data).as_bytes()[0] < 16
}

/// Reads a mesh. Collective.
fn read(comm: &Comm, path: &Path) -> Result<Seen, IoError> {
    let (case, mesh) = cfd_io::read_mesh(comm, path)?;
    let cells = match case {
        Case::Mgcfd => {
            let (_, volume) = cfd_io::smallest_volume(comm, &mesh);
            [cfd_io::closure_defect(comm, &mesh).defect.to_bits(), volume.to_bits()]
        }
        _ => [0; 2],
    };
    Ok(Seen { case, hash: cfd_io::mesh_hash(comm, &mesh), cells })
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
    let (case, mesh) = cfd_io::read_mesh(&one, path).expect("it has just been read");
    let format = if case == Case::Mgcfd { Format::Hdf5 } else { Format::Op2Text };
    let again = path.with_file_name("again");
    cfd_io::write_mesh_as(&one, &mesh, case, &again, format).expect("a good mesh can be written");
    assert_eq!(read(&one, &again), Ok(seen));
}
