//! What every generated mesh has, on every level.

use cfd_engine::mesh::Values;

use super::*;
use crate::schema::{level_name, levels};
use crate::{closure_defect, mesh_hash, validate};

fn crooked() -> Cuboid {
    Cuboid { lengths: [2.0, 1.0, 3.0], distortion: 0.2, groups: [3, 4, 2, 2, 1, 0] }
}

fn numbers<'a>(mesh: &'a Mesh, level: usize, name: &str) -> &'a [f64] {
    let Values::F64(v) = &mesh.dats[mesh.dat(&level_name(level, name)).unwrap()].values else {
        panic!("numbers are f64")
    };
    v
}

fn targets<'a>(mesh: &'a Mesh, level: usize, name: &str) -> &'a [u64] {
    &mesh.maps[mesh.map(&level_name(level, name)).unwrap()].rows
}

/// Volumes of all levels' dual cells, on one rank.
fn all_volumes(mesh: &Mesh) -> Vec<Vec<f64>> {
    let nodes = |level| mesh.sets[mesh.set(&level_name(level, "nodes")).unwrap()].rows;
    let edge_nodes = targets(mesh, 0, "edge_nodes");
    let finest = crate::level::volumes(
        &Comm::single(),
        nodes(0),
        numbers(mesh, 0, "x"),
        edge_nodes,
        numbers(mesh, 0, "edge_weights"),
    );
    let mut volumes = vec![finest];
    for level in 1..levels(mesh) {
        let mut coarse = vec![0.0; nodes(level) as usize];
        for (volume, &up) in volumes[level - 1].iter().zip(targets(mesh, level - 1, "node_mg_node")) {
            coarse[up as usize] += volume;
        }
        volumes.push(coarse);
    }
    volumes
}

#[test]
fn dual_cells_of_a_crooked_cuboid_close_on_every_level() {
    let comm = Comm::single();
    let mesh = cuboid(&comm, [9, 6, 12], 2, &crooked()).unwrap();
    validate(&comm, &mesh, crate::Case::Mgcfd, "m.h5".as_ref()).unwrap();
    let worst = closure_defect(&comm, &mesh);
    assert!(worst.defect < 1e-13, "{worst:?}");
}

#[test]
fn dual_cells_fill_the_cuboid_on_every_level() {
    let mesh = cuboid(&Comm::single(), [9, 6, 12], 2, &crooked()).unwrap();
    for volumes in all_volumes(&mesh) {
        assert!(volumes.iter().all(|&v| v > 0.0));
        let sum: f64 = volumes.iter().sum();
        assert!((sum - 6.0).abs() < 1e-13 * 6.0, "{sum}");
    }
}

#[test]
fn a_mesh_does_not_depend_on_the_ranks() {
    let hashes = |ranks| {
        Comm::simulate(ranks, |comm| mesh_hash(&comm, &cuboid(&comm, [3, 3, 4], 2, &crooked()).unwrap()))
    };
    let one = hashes(1)[0];
    for ranks in [2, 3, 7, 20] {
        assert!(hashes(ranks).iter().all(|&hash| hash == one), "{ranks} ranks");
    }
}

#[test]
fn a_mesh_written_is_read_back_with_the_same_hash_on_other_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.h5");
    let written = Comm::simulate(3, |comm| {
        let mesh = cuboid(&comm, [4, 3, 5], 2, &crooked()).unwrap();
        crate::write_mesh(&comm, &mesh, crate::Case::Mgcfd, &path).unwrap();
        mesh_hash(&comm, &mesh)
    });
    for ranks in [1, 2, 20] {
        let read = Comm::simulate(ranks, |comm| {
            let (case, mesh) = crate::read_mesh(&comm, &path).unwrap();
            assert_eq!(case, crate::Case::Mgcfd);
            mesh_hash(&comm, &mesh)
        });
        assert!(read.iter().all(|&hash| hash == written[0]), "{ranks} ranks");
    }
}

fn shapes() -> [Spec; 3] {
    [
        Spec { shape: Shape::Wing, size: [32, 12, 16], levels: 3 },
        Spec { shape: Shape::Bump, size: [16, 9, 5], levels: 2 },
        Spec { shape: Shape::Box, size: [8, 9, 11], levels: 3 },
    ]
}

#[test]
fn dual_cells_of_every_shape_are_closed_and_positive_on_every_level() {
    let comm = Comm::single();
    for spec in shapes() {
        let mesh = generate(&comm, &spec).unwrap();
        validate(&comm, &mesh, crate::Case::Mgcfd, "m.h5".as_ref()).unwrap();
        let worst = closure_defect(&comm, &mesh);
        println!("{spec:?} {worst:?}");
        assert!(worst.defect < 1e-13, "{spec:?}: {worst:?}");
        for (level, volumes) in all_volumes(&mesh).into_iter().enumerate() {
            let worst = volumes.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            println!("level {level}: {} nodes, smallest {worst:?}", volumes.len());
            assert!(worst.1 > 0.0, "{spec:?}, level {level}: {worst:?}");
        }
    }
}
