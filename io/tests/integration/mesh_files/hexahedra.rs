//! Hexahedra with neighbors in the project's format.

use cfd_engine::comm::Comm;
use cfd_io::{given_hash, mesh_hash, read_mesh, write_mesh};
use cfd_mesh::{NEIGHBOURS, generate};

use super::derived_of;

#[test]
fn a_cube_written_is_read_back_with_the_same_hash_on_other_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cube.h5");
    let written = Comm::simulate(3, |comm| {
        let mesh = generate::cube(&comm, 4, 1.125).unwrap();
        write_mesh(&comm, &mesh, &NEIGHBOURS, &path).unwrap();
        mesh_hash(&comm, &mesh)
    });
    for ranks in [1, 2, 20] {
        let read = Comm::simulate(ranks, |comm| {
            let given = read_mesh(&comm, &path).unwrap();
            assert_eq!(derived_of(&given), &NEIGHBOURS);
            given_hash(&comm, &given)
        });
        assert!(read.iter().all(|&hash| hash == written[0]), "{ranks} ranks");
    }
}

#[test]
fn formats_without_hexahedra_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let comm = Comm::single();
    let mesh = generate::cube(&comm, 2, 1.125).unwrap();
    for name in ["new_grid.dat", "a.op2.h5"] {
        let refused = write_mesh(&comm, &mesh, &NEIGHBOURS, &dir.path().join(name)).unwrap_err();
        assert!(refused.to_string().contains("hexahedra with neighbors"), "{refused}");
    }
}
