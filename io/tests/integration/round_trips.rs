//! A mesh of elements goes to other programs and comes back the same, whatever the format and the number of ranks.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Values};
use cfd_io::{
    Digest, FieldKind, NodeField, NodeFields, given_hash, read_element_mesh, read_node_fields,
    write_element_mesh, write_element_vtu, write_node_fields,
};
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::{ElementMesh, Given};

use crate::folder::Place;

/// A format by the ending of a name.
struct Target {
    ending: &'static str,
    /// Whether it holds meshes in the plane.
    plane: bool,
    /// Whether it keeps regions with their names, their numbers, or not at all.
    regions: Regions,
}

#[derive(Clone, Copy, PartialEq)]
enum Regions {
    Named,
    Numbered,
    None,
}

const fn target(ending: &'static str, plane: bool, regions: Regions) -> Target {
    Target { ending, plane, regions }
}

const TARGETS: [Target; 10] = [
    target(".su2", true, Regions::None),
    target(".msh", true, Regions::Named),
    target(".ugrid", false, Regions::None),
    target(".b8.ugrid", false, Regions::None),
    target(".lb8.ugrid", false, Regions::None),
    target(".b8.ugrid64", false, Regions::None),
    target(".mesh", true, Regions::Numbered),
    target(".meshb", true, Regions::Numbered),
    target(".vtkhdf", true, Regions::Named),
    target(".h5", true, Regions::Named),
];

/// A distorted box, whose sides take turns in the order of its boundary, with regions of these names or none.
fn mesh(comm: &Comm, filling: Filling, regions: Regions) -> ElementMesh {
    let of = ElementBox { filling, cells: [4, 3, 2], lengths: [1.0, 0.7, 0.3], distortion: 0.2 };
    let mut mesh = of.mesh(comm).unwrap();
    if regions == Regions::None {
        return mesh;
    }
    let dimension = mesh.dimension();
    let sets: Vec<usize> =
        mesh.elements().iter().filter(|list| !list.boundary).map(|list| list.set).collect();
    for set in sets {
        let first = mesh.mesh.blocks(set, comm).range(comm.rank()).start;
        let dat = mesh.mesh.dats.iter_mut().find(|dat| dat.set == set).unwrap();
        let Values::I32(groups) = &mut dat.values else { panic!("groups are integers") };
        (first..).zip(groups).for_each(|(row, group)| *group = (row / 5 % 3) as i32);
    }
    let names = if regions == Regions::Named { ["solid é", "gas 1"] } else { ["12", "7"] };
    names.iter().zip(1..).for_each(|(name, id)| mesh.groups.add(dimension, id, name));
    mesh.with_groups_by_name(comm).unwrap()
}

fn hash(comm: &Comm, mesh: &ElementMesh) -> Digest {
    given_hash(comm, &Given::Elements(mesh.clone()))
}

fn read_hash(path: &Path, ranks: usize) -> Digest {
    Comm::simulate(ranks, |comm| {
        let mesh = read_element_mesh(&comm, path).unwrap_or_else(|error| panic!("{error}"));
        hash(&comm, &mesh)
    })[0]
}

#[test]
fn a_mesh_comes_back_from_every_format_with_its_hash() {
    let place = Place::new();
    for Target { ending, plane, regions } in TARGETS {
        for filling in Filling::ALL.into_iter().filter(|filling| plane || filling.dimension() == 3) {
            let files = [1, 3].map(|ranks| -> (PathBuf, Digest) {
                let path = place.0.path().join(format!("{ranks}{ending}"));
                let hashes = Comm::simulate(ranks, |comm| {
                    let mesh = mesh(&comm, filling, regions);
                    write_element_mesh(&comm, &mesh, &path).unwrap();
                    hash(&comm, &mesh)
                });
                (path, hashes[0])
            });
            let [(one, expected), (three, _)] = &files;
            let what = format!("{ending} of {filling:?}");
            assert!(
                std::fs::read(one).unwrap() == std::fs::read(three).unwrap(),
                "{what}: other bytes on three ranks"
            );
            for ranks in [1, 2, 7] {
                assert_eq!(read_hash(one, ranks), *expected, "{what} on {ranks} ranks");
            }
        }
    }
}

#[test]
fn a_mesh_comes_back_from_vtu_whoever_wrote_and_reads_it() {
    let place = Place::new();
    for filling in [Filling::MixedPlane, Filling::MixedSpace] {
        for writers in [1, 3] {
            let written = Comm::simulate(writers, |comm| {
                let mesh = mesh(&comm, filling, Regions::Named);
                let name = write_element_vtu(&comm, place.0.path(), &format!("m{writers}"), &mesh).unwrap();
                (name, hash(&comm, &mesh))
            });
            let (name, expected) = &written[0];
            for ranks in [1, 2, 5] {
                let what = format!("{filling:?} by {writers} on {ranks} ranks");
                assert_eq!(read_hash(&place.0.path().join(name), ranks), *expected, "{what}");
            }
        }
    }
}

#[test]
fn names_that_are_numbers_stay_the_numbers_of_boundaries() {
    let place = Place::new();
    let text = "MeshVersionFormatted 2\nDimension 2\nVertices\n3\n0 0 0\n1 0 0\n0 1 0\nTriangles\n1\n1 2 3 0\n\
                Edges\n3\n1 2 10\n2 3 -4\n3 1 0\nEnd\n";
    let mesh = read_element_mesh(&Comm::single(), &place.write("a.mesh", text)).unwrap();
    let names: Vec<Vec<&str>> = mesh.groups.of_dimension(1).into_iter().map(|(_, names)| names).collect();
    assert_eq!(names, [["-4"], ["0"], ["10"]]);
    let again = place.0.path().join("b.mesh");
    write_element_mesh(&Comm::single(), &mesh, &again).unwrap();
    assert!(std::fs::read_to_string(&again).unwrap().contains("Edges\n3\n1 2 10\n2 3 -4\n3 1 0\n"));
    assert!(!place.0.path().join("b.mapbc").exists(), "numbers need no names beside them");
    assert_eq!(read_element_mesh(&Comm::single(), &again), Ok(mesh));
}

#[test]
fn fields_at_nodes_come_back_bit_by_bit() {
    let place = Place::new();
    for dimension in [2, 3] {
        let kinds = [FieldKind::Scalar, FieldKind::Metric, FieldKind::Vector];
        let fields = |comm: &Comm| {
            let own = Blocks::new(11, comm.size()).range(comm.rank());
            let of = |kind: FieldKind| {
                let value = |node: u64, k: usize| (node as f64 + 0.1).sqrt() * 10f64.powi(3 * k as i32 - 9);
                let values =
                    own.clone().flat_map(|node| (0..kind.width(dimension)).map(move |k| value(node, k)));
                NodeField { kind, values: values.collect() }
            };
            NodeFields { dimension, nodes: 11, fields: kinds.map(of).to_vec() }
        };
        for name in ["a.sol", "a.solb"] {
            let files = [1, 3].map(|ranks| {
                let path = place.0.path().join(format!("{ranks}{name}"));
                Comm::simulate(ranks, |comm| write_node_fields(&comm, &path, &fields(&comm)).unwrap());
                path
            });
            assert_eq!(std::fs::read(&files[0]).unwrap(), std::fs::read(&files[1]).unwrap());
            for ranks in [1, 2, 5] {
                Comm::simulate(ranks, |comm| {
                    assert_eq!(read_node_fields(&comm, &files[0]), Ok(fields(&comm)))
                });
            }
        }
    }
}
