//! Meshes of dual edges: valid as generated and as agglomerated, written and read in both of their formats.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_io::format::MGCFD;
use cfd_io::{given_hash, mesh_hash, read_mesh, read_mesh_as_is, validate, write_mesh};
use cfd_mesh::generate::hexahedra::{Cuboid, Shape, Spec, cuboid, generate};
use cfd_mesh::{DUAL_LEVELS, agglomerate};

use super::{assert_parts, derived_of};

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
            let given = read_mesh(&comm, &path).unwrap();
            assert_eq!(derived_of(&given), &DUAL_LEVELS);
            given_hash(&comm, &given)
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
        [mesh_hash(&comm, &mesh), given_hash(&comm, &read_mesh(&comm, &path).unwrap())]
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
            let (given, format) = read_mesh_as_is(&comm, &path).unwrap();
            assert_eq!((derived_of(&given), format), (&DUAL_LEVELS, &MGCFD));
            given_hash(&comm, &given)
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
    let given = read_mesh(&Comm::single(), &fine).unwrap();
    assert_eq!(DUAL_LEVELS.levels(given.content()), 1);
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

#[test]
fn files_whose_levels_do_not_fit_are_refused_by_dataset() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let comm = Comm::single();
    let good = cuboid(&comm, [3, 3, 3], 2, &Cuboid { distortion: 0.2, ..Cuboid::default() }).unwrap();
    let refused = |change: &dyn Fn(&hdf5::File)| {
        write_mesh(&comm, &good, &DUAL_LEVELS, &path).unwrap();
        change(&hdf5::File::open_rw(&path).unwrap());
        read_mesh(&comm, &path).unwrap_err().to_string()
    };
    let m = refused(&|file| file.unlink("level1").unwrap());
    assert_parts(&m, &["a.h5: `level1`: the group is missing, but `level0/node_mg_node` leads to it"]);
    let m = refused(&|file| file.unlink("level0").unwrap());
    assert_parts(&m, &["a.h5: `level0`: the group of the finest level is missing"]);
    let m = refused(&|file| file.unlink("level1/bnode_group").unwrap());
    assert_parts(&m, &["`level1/bnode_group`: the dataset is missing"]);
    let m = refused(&|file| {
        file.unlink("level0/edge_weights").unwrap();
        file.new_dataset::<f64>().shape([143, 3]).create("level0/edge_weights").unwrap();
    });
    assert_parts(&m, &["level0/edge_weights"]);
    std::fs::write(&path, &std::fs::read(&path).unwrap()[..5000]).unwrap();
    assert!(read_mesh(&comm, &path).unwrap_err().is_input());
}
