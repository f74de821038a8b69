//! Meshes of dual edges: valid as generated and as agglomerated, written and read in both of their formats.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_io::format::MGCFD;
use cfd_io::{mesh_hash, read_mesh, read_mesh_as_is, validate, write_mesh};
use cfd_mesh::generate::hexahedra::{Cuboid, Shape, Spec, cuboid, generate};
use cfd_mesh::{DUAL_LEVELS, agglomerate};

fn crooked() -> Cuboid {
    Cuboid { lengths: [2.0, 1.0, 3.0], distortion: 0.2, groups: [3, 4, 2, 2, 1, 0] }
}

fn wing(comm: &Comm) -> Mesh {
    generate(comm, &Spec { shape: Shape::Wing, size: [24, 9, 12], levels: 1 }).unwrap()
}

fn assert_valid(mesh: &Mesh) {
    validate(&Comm::single(), mesh, &DUAL_LEVELS, "m.h5".as_ref()).unwrap();
}

#[test]
fn generated_and_agglomerated_meshes_are_valid() {
    let comm = Comm::single();
    assert_valid(&cuboid(&comm, [9, 6, 12], 2, &crooked()).unwrap());
    for (shape, size, levels) in
        [(Shape::Wing, [32, 12, 16], 3), (Shape::Bump, [16, 9, 5], 2), (Shape::Box, [8, 9, 11], 3)]
    {
        assert_valid(&generate(&comm, &Spec { shape, size, levels }).unwrap());
    }
    assert_valid(&agglomerate(&comm, wing(&comm), 3).unwrap());
}

#[test]
fn a_mesh_written_is_read_back_with_the_same_hash_on_other_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.h5");
    let written = Comm::simulate(3, |comm| {
        let mesh = cuboid(&comm, [4, 3, 5], 2, &crooked()).unwrap();
        write_mesh(&comm, &mesh, &DUAL_LEVELS, &path).unwrap();
        mesh_hash(&comm, &mesh)
    });
    for ranks in [1, 2, 20] {
        let read = Comm::simulate(ranks, |comm| {
            let (topology, mesh) = read_mesh(&comm, &path).unwrap();
            assert_eq!(topology, &DUAL_LEVELS);
            mesh_hash(&comm, &mesh)
        });
        assert!(read.iter().all(|&hash| hash == written[0]), "{ranks} ranks");
    }
}

#[test]
fn a_mesh_without_boundary_nodes_is_written_and_read_by_more_ranks_than_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.h5");
    let hashes = Comm::simulate(30, |comm| {
        let mut mesh = cuboid(&comm, [2, 1, 1], 1, &Cuboid::default()).unwrap();
        mesh.sets[2].rows = 0;
        mesh.maps[1].rows.clear();
        mesh.dats[2].values = Values::F64(Vec::new());
        mesh.dats[3].values = Values::I32(Vec::new());
        write_mesh(&comm, &mesh, &DUAL_LEVELS, &path).unwrap();
        [mesh_hash(&comm, &mesh), mesh_hash(&comm, &read_mesh(&comm, &path).unwrap().1)]
    });
    assert!(hashes.iter().all(|[written, read]| written == read));
}

#[test]
fn mg_cfd_s_files_are_read_back_with_the_same_hash_from_index_0_or_1() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("input.dat");
    let spec = Spec { shape: Shape::Wing, size: [8, 4, 4], levels: 2 };
    let written = Comm::simulate(3, |comm| {
        let mesh = generate(&comm, &spec).unwrap();
        write_mesh(&comm, &mesh, &DUAL_LEVELS, &path).unwrap();
        mesh_hash(&comm, &mesh)
    })[0];
    let read = |ranks| {
        let hashes = Comm::simulate(ranks, |comm| {
            let (topology, format, mesh) = read_mesh_as_is(&comm, &path).unwrap();
            assert_eq!((topology, format), (&DUAL_LEVELS, &MGCFD));
            mesh_hash(&comm, &mesh)
        });
        hashes[0]
    };
    assert_eq!([read(1), read(4)], [written; 2]);

    // The same mesh counted from 1, with and without saying so.
    for level in 0..2 {
        let file = hdf5::File::open_rw(dir.path().join(format!("input.level{level}.h5"))).unwrap();
        for name in ["edge-->node", "bnd_node-->node", "node-->mg_node"] {
            if let Ok(dataset) = file.dataset(name) {
                let shifted: Vec<i32> = dataset.read_raw().unwrap().iter().map(|i: &i32| i + 1).collect();
                dataset.write_raw(&shifted).unwrap();
            }
        }
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let message = read_mesh(&Comm::single(), &path).unwrap_err().to_string();
    assert!(
        message.contains("input.level0.h5: `edge-->node` row ") && message.contains("0 to "),
        "{message}"
    );
    std::fs::write(&path, text.replace("base_array_index = 0\n", "base_array_index = 1\n")).unwrap();
    assert_eq!(read(2), written);
    std::fs::write(&path, text.replace("base_array_index = 0\n", "")).unwrap();
    assert_eq!(read(2), written);
    // A level's file by itself is a mesh of one level.
    let fine = dir.path().join("input.level0.h5");
    let (_, mesh) = read_mesh(&Comm::single(), &fine).unwrap();
    assert_eq!(&DUAL_LEVELS.levels(&mesh), 1);
}

#[test]
fn a_mesh_whose_faces_point_anywhere_is_agglomerated_too() {
    let comm = Comm::single();
    let mut mesh = wing(&comm);
    let weights = mesh.dat("level0/edge_weights").unwrap();
    let Values::F64(w) = &mut mesh.dats[weights].values else { panic!("weights are f64") };
    w.iter_mut().for_each(|w| *w = -*w);
    let mesh = agglomerate(&comm, mesh, 2).unwrap();
    assert_valid(&mesh);
}
