//! Small meshes that inputs start from, and reading a mesh file on one rank and on several.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_io::format::{GENERAL, HDF5, OP2_TEXT};
use cfd_io::{Digest, Format, Holds, IoError};
use cfd_mesh::generate::hexahedra::{Shape, Spec};
use cfd_mesh::{
    BILINEAR, CELL_EDGES, DUAL_LEVELS, Derived, Given, NEIGHBOURS, STORED, TRIANGLES, closure_defect,
    generate, smallest_volume,
};

/// A small valid mesh of each stored form; of dual edges two levels.
pub fn small(derived: &'static Derived) -> Mesh {
    let comm = Comm::single();
    let mesh = if derived == &CELL_EDGES {
        generate::block(&comm, 3, 2)
    } else if derived == &BILINEAR {
        generate::square(&comm, 2, 0.0)
    } else if derived == &TRIANGLES {
        generate::triangles(&comm, [2, 2])
    } else if derived == &DUAL_LEVELS {
        generate::hexahedra::generate(&comm, &Spec { shape: Shape::Box, size: [3, 3, 3], levels: 2 })
    } else {
        assert!(derived == &NEIGHBOURS, "one of {STORED:?}");
        generate::cube(&comm, 2, 1.0)
    };
    mesh.expect("these sizes are possible")
}

/// Writes [`small`] in a format.
pub fn write_small(derived: &'static Derived, format: &Format, path: &Path) {
    let given = Given::derived(derived, small(derived));
    cfd_io::write_given(&Comm::single(), &given, path, format).expect("a folder for files");
}

/// What a reader says of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// What it holds.
    pub holds: Holds,
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
    let given = cfd_io::read_mesh(comm, path)?;
    let (holds, mesh) = (Holds::of(&given), given.content());
    let cells = if holds == Holds::Derived(&DUAL_LEVELS) {
        [closure_defect(comm, mesh).defect.to_bits(), smallest_volume(comm, mesh).1.to_bits()]
    } else {
        [0; 2]
    };
    Ok(Seen { holds, hash: cfd_io::given_hash(comm, &given), cells })
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
    let given = cfd_io::read_mesh(&one, path).expect("it has just been read");
    let format = [&OP2_TEXT, &HDF5, &GENERAL].into_iter().find(|format| format.can_hold(seen.holds));
    let again = path.with_file_name("again");
    match cfd_io::write_given(&one, &given, &again, format.expect("HDF5 holds any mesh")) {
        Ok(()) => assert_eq!(read(&one, &again), Ok(seen)),
        // Other programs' names may be longer than those in HDF5.
        Err(error) => assert!(error.to_string().contains("the name of a group"), "{error}"),
    }
}
