//! Meshes of mixed elements: all kinds, from memory and from every format, on any number of ranks, have their known
//! sizes, group by group.

mod solid;
mod vtu;
mod wrong;

use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Values, fetch_rows};
use cfd_io::{mesh_hash, read_any_mesh, read_derived, read_element_mesh, write_element_mesh};
use cfd_mesh::{Boundaries, CELL_EDGES, ElementMesh};

use crate::folder::Place;
use crate::outside_meshes::drawing::Encoding;
use solid::Solid;

const RANKS: [usize; 3] = [1, 2, 3];

impl Place {
    fn gmsh(&self, solid: &Solid) -> Vec<PathBuf> {
        let encodings = [Encoding::Text, Encoding::LittleEndian, Encoding::BigEndian];
        encodings.map(|encoding| self.write(&format!("{encoding:?}.msh"), solid.gmsh(encoding))).to_vec()
    }
}

/// Total length, area or volume of a group's elements on all ranks, or of all elements that fill the domain.
fn size(comm: &Comm, mesh: &ElementMesh, dimension: usize, name: &str) -> f64 {
    let nodes = mesh.mesh.blocks(mesh.mesh.set("nodes").unwrap(), comm);
    let ids = mesh.groups.ids(dimension, name);
    let mut own = 0.0;
    for of_kind in mesh.elements() {
        let x = fetch_rows(comm, nodes, mesh.dimension(), mesh.x(), of_kind.nodes);
        let elements = x.chunks_exact(of_kind.kind.nodes() * mesh.dimension()).zip(of_kind.groups);
        let counts =
            |group: &i32| of_kind.kind.dimension() == dimension && (name.is_empty() || ids.contains(group));
        own += elements
            .filter(|(_, group)| counts(group))
            .map(|(x, _)| of_kind.kind.measure(mesh.dimension(), x))
            .sum::<f64>();
    }
    comm.all_gather(&[own]).concat().iter().sum()
}

/// Checks counts by kind, and sizes of everything and of each group whose names the file has.
fn check(comm: &Comm, mesh: &ElementMesh, solid: &Solid, regions: bool) {
    assert_eq!(mesh.dimension(), solid.dimension);
    let counts: Vec<_> = mesh.elements().iter().map(|of_kind| (of_kind.kind, of_kind.rows)).collect();
    assert_eq!(counts, solid.counts);
    assert_eq!(mesh.mesh.sets[0].rows, solid.nodes.len() as u64);
    for of_kind in mesh.elements() {
        assert_eq!(of_kind.boundary, of_kind.kind.dimension() < solid.dimension);
    }
    for &(dimension, name, expected) in &solid.sizes {
        if regions || name.is_empty() || dimension < solid.dimension {
            let found = size(comm, mesh, dimension, name);
            assert!(
                (found - expected).abs() < 1e-12 * expected,
                "{name} of {dimension}: {found} is not {expected}"
            );
        }
    }
}

fn solids() -> [Solid; 2] {
    [Solid::plane(), Solid::boxes()]
}

#[test]
fn all_kinds_from_memory_have_the_sizes_that_are_known() {
    for solid in solids() {
        let one = solid.build(&Comm::single()).unwrap();
        for ranks in RANKS {
            Comm::simulate(ranks, |comm| {
                let mesh = solid.build(&comm).unwrap();
                check(&comm, &mesh, &solid, true);
                assert_eq!(mesh.groups, one.groups);
                assert_eq!(mesh_hash(&comm, &mesh.mesh), mesh_hash(&Comm::single(), &one.mesh));
            });
        }
    }
}

#[test]
fn gmsh_s_files_are_the_mesh_from_memory_in_every_encoding_on_any_number_of_ranks() {
    let place = Place::new();
    for solid in solids() {
        let expected = solid.build(&Comm::single()).unwrap();
        for path in place.gmsh(&solid) {
            assert_eq!(
                read_element_mesh(&Comm::single(), &path).as_ref(),
                Ok(&expected),
                "{}",
                path.display()
            );
            for ranks in RANKS {
                Comm::simulate(ranks, |comm| {
                    let mesh = read_element_mesh(&comm, &path).unwrap();
                    check(&comm, &mesh, &solid, true);
                    assert_eq!(mesh.groups, expected.groups);
                    assert_eq!(mesh_hash(&comm, &mesh.mesh), mesh_hash(&Comm::single(), &expected.mesh));
                });
            }
        }
    }
}

#[test]
fn su2_s_files_have_the_same_elements_with_markers_as_groups() {
    let place = Place::new();
    for solid in solids() {
        let path = place.write("a.su2", solid.su2());
        let expected = solid.build(&Comm::single()).unwrap();
        for ranks in RANKS {
            Comm::simulate(ranks, |comm| {
                let mesh = read_element_mesh(&comm, &path).unwrap();
                check(&comm, &mesh, &solid, false);
                let names: Vec<_> =
                    mesh.groups.iter().map(|group| (group.dimension, group.id, &group.name[..])).collect();
                let boundary = solid.dimension - 1;
                let mut order: Vec<&str> =
                    solid.groups().iter().filter(|group| group.0 == boundary).map(|group| group.1).collect();
                order.sort_unstable();
                assert_eq!(
                    names,
                    (1..).zip(order).map(|(id, name)| (boundary, id, name)).collect::<Vec<_>>()
                );
            });
        }
        let mesh = read_element_mesh(&Comm::single(), &path).unwrap();
        for (found, expected) in mesh.elements().iter().zip(expected.elements()) {
            assert_eq!((found.kind, found.nodes), (expected.kind, expected.nodes));
            assert!(found.boundary || found.groups.iter().all(|&group| group == 0));
        }
        assert_eq!(mesh.x(), expected.x());
    }
}

#[test]
fn elements_groups_names_and_dats_survive_hdf5_on_any_number_of_ranks() {
    let place = Place::new();
    for solid in solids() {
        let mut whole = solid.build(&Comm::single()).unwrap();
        // A group of two names, and a dat of a solver.
        let porous = whole.groups.ids(solid.dimension, "porous")[0];
        whole.groups.add(solid.dimension, porous, "Löss");
        let mut whole = whole.with_groups_by_name(&Comm::single()).unwrap();
        assert_eq!(whole.groups.ids(solid.dimension, "Löss"), whole.groups.ids(solid.dimension, "porous"));
        let nodes = solid.nodes.len();
        whole.mesh.add_dat("t", 0, 1, Values::F64((0..nodes).map(|k| 1.0 / (k + 1) as f64).collect()));
        let path = place.0.path().join("m.h5");
        write_element_mesh(&Comm::single(), &whole, &path).unwrap();
        assert_eq!(read_element_mesh(&Comm::single(), &path).as_ref(), Ok(&whole));
        assert_eq!(read_any_mesh(&Comm::single(), &path).as_ref(), Ok(&whole.mesh));
        for (writers, readers) in [(1, 3), (3, 2), (2, 1)] {
            Comm::simulate(writers, |comm| {
                let mesh = read_element_mesh(&comm, &path).unwrap();
                write_element_mesh(&comm, &mesh, &path).unwrap();
            });
            Comm::simulate(readers, |comm| {
                let mesh = read_element_mesh(&comm, &path).unwrap();
                check(&comm, &mesh, &solid, true);
                assert_eq!(mesh.groups, whole.groups);
                assert_eq!(mesh_hash(&comm, &mesh.mesh), mesh_hash(&Comm::single(), &whole.mesh));
            });
        }
    }
}

#[test]
fn an_entity_in_two_physical_groups_has_both_names_and_one_without_a_name_its_number() {
    let place = Place::new();
    let text = String::from_utf8(Solid::plane().gmsh(Encoding::Text)).unwrap();
    // The inlet is an outlet, too, and the wall has no name.
    let inlet = text
        .replacen("1 42 0 \n", "2 42 43 0 \n", 1)
        .replace("1 44 \"wall\"\n", "")
        .replacen("\n5\n", "\n4\n", 1);
    assert_ne!(inlet, text);
    let mesh = read_element_mesh(&Comm::single(), &place.write("a.msh", inlet)).unwrap();
    let sizes = ["inlet", "outlet", "44"].map(|name| size(&Comm::single(), &mesh, 1, name));
    assert_eq!(sizes, [2.0, 4.0, 3.0]);
    // In the order of their names: "44", "inlet" and "outlet", "outlet".
    assert_eq!(
        ["44", "inlet", "outlet"].map(|name| mesh.groups.ids(1, name)),
        [vec![1], vec![2], vec![2, 3]]
    );
}

#[test]
fn the_meshes_of_the_repository_have_their_boundaries_as_groups() {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../meshes");
    for path in fs::read_dir(meshes).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".msh") && !name.ends_with(".su2") {
            continue;
        }
        let found = Comm::simulate(2, |comm| {
            let mesh = read_element_mesh(&comm, &path).unwrap();
            (mesh.groups.iter().count(), mesh_hash(&comm, &mesh.mesh), size(&comm, &mesh, 2, ""))
        });
        let one = read_element_mesh(&Comm::single(), &path).unwrap();
        assert_eq!(found[0].1, mesh_hash(&Comm::single(), &one.mesh), "{name}");
        assert!(found[0].0 >= 2 && found[0].2 > 0.0, "{name}: {found:?}");
        let cells: u64 = one.elements().iter().filter(|e| !e.boundary).map(|e| e.rows).sum();
        let plane = read_derived(&Comm::single(), &path, &CELL_EDGES, &Boundaries::default()).unwrap();
        assert_eq!(cells, plane.count("cells"), "{name}");
    }
}
