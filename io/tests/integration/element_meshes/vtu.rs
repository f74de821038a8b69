//! VTU files of mixed elements: parsing them gives back the mesh with all its data.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_io::write_element_vtu;
use cfd_mesh::{ElementKind, ElementMesh};

use super::{Solid, solids};

/// A file's arrays: name, type, components, bytes.
struct Parsed(Vec<(String, String, usize, Vec<u8>)>);

impl Parsed {
    fn read(path: &Path) -> Parsed {
        let bytes = fs::read(path).unwrap();
        let marker = b"<AppendedData encoding=\"raw\">\n_";
        let start = bytes.windows(marker.len()).position(|w| w == marker).unwrap();
        let data = &bytes[start + marker.len()..];
        let header = String::from_utf8(bytes[..start].to_vec()).unwrap();
        let arrays = header
            .lines()
            .filter(|line| line.starts_with("<DataArray ") && line.contains(" offset="))
            .map(|line| {
                let value = |key: &str| {
                    let from = line.find(&format!(" {key}=\"")).map(|at| at + key.len() + 3)?;
                    Some(line[from..].split('"').next().unwrap().to_string())
                };
                let at: usize = value("offset").unwrap().parse().unwrap();
                let length = u64::from_le_bytes(data[at..at + 8].try_into().unwrap()) as usize;
                let components = value("NumberOfComponents").map_or(1, |n| n.parse().unwrap());
                (
                    value("Name").unwrap(),
                    value("type").unwrap(),
                    components,
                    data[at + 8..at + 8 + length].to_vec(),
                )
            });
        Parsed(arrays.collect())
    }

    fn array(&self, name: &str, kind: &str, components: usize) -> &[u8] {
        let found =
            self.0.iter().find(|(known, ..)| known == name).unwrap_or_else(|| panic!("no array {name}"));
        assert_eq!((&found.1[..], found.2), (kind, components), "{name}");
        &found.3
    }

    fn doubles(&self, name: &str, components: usize) -> Vec<f64> {
        let bytes = self.array(name, "Float64", components).chunks_exact(8);
        bytes.map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn integers(&self, name: &str, components: usize) -> Vec<i32> {
        let bytes = self.array(name, "Int32", components).chunks_exact(4);
        bytes.map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn longs(&self, name: &str) -> Vec<i64> {
        let bytes = self.array(name, "Int64", 1).chunks_exact(8);
        bytes.map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// The global ids of the points, then those of the cells.
    fn global_ids(&self) -> [Vec<i64>; 2] {
        let arrays = self.0.iter().filter(|(name, ..)| name == "global_id");
        let of = |(_, kind, _, bytes): &(String, String, usize, Vec<u8>)| -> Vec<i64> {
            assert_eq!(kind, "Int64");
            bytes.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect()
        };
        arrays.map(of).collect::<Vec<_>>().try_into().expect("of points and of cells")
    }
}

/// The mesh with dats on nodes and on elements of some kinds.
fn with_dats(solid: &Solid, comm: &Comm) -> ElementMesh {
    let mut mesh = solid.build(comm).unwrap();
    let own = |mesh: &ElementMesh, set: usize| mesh.mesh.blocks(set, comm).range(comm.rank());
    let nodes = own(&mesh, 0);
    let velocity = nodes.clone().flat_map(|n| [n as f64, 0.5]).collect();
    mesh.mesh.add_dat("velocity", 0, 2, Values::F64(velocity));
    mesh.mesh.add_dat("a < \"b\" & c", 0, 1, Values::I32(nodes.map(|n| n as i32 - 3).collect()));
    let sets: Vec<_> = mesh.elements().iter().map(|e| (e.kind, e.boundary, e.set)).collect();
    for &(kind, _, set) in sets.iter().filter(|(_, boundary, _)| !boundary) {
        let rows = own(&mesh, set);
        let name = format!("{kind}_state");
        mesh.mesh.add_dat(
            &name,
            set,
            4,
            Values::F64(rows.flat_map(|r| [0.0, 0.25, 0.5, 0.75].map(|d| r as f64 + d)).collect()),
        );
    }
    let (_, _, last) = sets[sets.len() - 1];
    let rows = own(&mesh, last);
    mesh.mesh.add_dat("marks", last, 2, Values::I32(rows.flat_map(|r| [r as i32 + 1, 7]).collect()));
    mesh.mesh.add_dat("nothing", last, 0, Values::F64(Vec::new()));
    mesh
}

#[test]
fn what_is_parsed_back_is_the_mesh_with_all_its_dats_on_any_number_of_ranks() {
    let places = Path::new(env!("CARGO_TARGET_TMPDIR")).join("element_vtu");
    for (name, solid) in ["plane", "boxes"].into_iter().zip(solids()) {
        let whole = solid.build(&Comm::single()).unwrap();
        let kinds: Vec<(ElementKind, i32, Vec<u64>)> = whole
            .elements()
            .iter()
            .flat_map(|e| {
                let nodes = e.nodes.chunks_exact(e.kind.nodes()).zip(e.groups);
                nodes.map(|(nodes, &group)| (e.kind, group, nodes.to_vec())).collect::<Vec<_>>()
            })
            .collect();
        for ranks in [1, 2, 3] {
            // Left for VTK, which must find the same sizes (`./test`).
            let place = places.join(format!("{name}-{ranks}"));
            fs::create_dir_all(&place).unwrap();
            let opened = Comm::simulate(ranks, |comm| {
                write_element_vtu(&comm, &place, name, &with_dats(&solid, &comm)).unwrap()
            });
            assert_eq!(opened[0], if ranks == 1 { format!("{name}.vtu") } else { format!("{name}.pvtu") });
            let mut sizes = String::new();
            for (dimension, group, size) in &solid.sizes {
                let ids = whole.groups.ids(*dimension, group);
                writeln!(sizes, "{dimension} {} {size:?}", ids.first().copied().unwrap_or(-1)).unwrap();
            }
            fs::write(place.join("sizes.txt"), sizes).unwrap();

            let mut seen = vec![false; kinds.len()];
            for rank in 0..ranks {
                let file = if ranks == 1 { format!("{name}.vtu") } else { format!("{name}-{rank:04}.vtu") };
                check(&Parsed::read(&place.join(file)), &solid, &whole, &kinds, &mut seen);
            }
            assert!(seen.iter().all(|&seen| seen), "{ranks} ranks");
            if ranks > 1 {
                let list = fs::read_to_string(place.join(&opened[0])).unwrap();
                for line in [
                    "<PDataArray type=\"Int32\" Name=\"group\" NumberOfComponents=\"1\"/>",
                    "<PDataArray type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"/>",
                    "<PDataArray type=\"Int32\" Name=\"a &lt; &quot;b&quot; &amp; c\" NumberOfComponents=\"1\"/>",
                ] {
                    assert!(list.contains(line), "no {line} in {list}");
                }
            }
        }
    }
}

/// Checks one rank's file.
fn check(
    file: &Parsed,
    solid: &Solid,
    whole: &ElementMesh,
    kinds: &[(ElementKind, i32, Vec<u64>)],
    seen: &mut [bool],
) {
    let (points, velocity) = (file.doubles("Points", 3), file.doubles("velocity", 3));
    let numbers = file.integers("a &lt; &quot;b&quot; &amp; c", 1);
    let (connectivity, offsets) = (file.longs("connectivity"), file.longs("offsets"));
    let types = file.array("types", "UInt8", 1);
    let (groups, dimensions) = (file.integers("group", 1), file.integers("dimension", 1));
    let (state, marks) = (file.doubles("state", 4), file.integers("marks", 3));
    assert!(!file.0.iter().any(|array| array.0 == "nothing"));
    let mut first: Vec<(ElementKind, u64)> = Vec::new();
    for (id, (kind, ..)) in kinds.iter().enumerate() {
        if first.last().is_none_or(|(known, _)| known != kind) {
            first.push((*kind, id as u64));
        }
    }
    let last = whole.elements().last().unwrap().kind;
    let mut start = 0;
    for (cell, &id) in file.global_ids()[1].iter().enumerate() {
        let (kind, group, nodes) = &kinds[id as usize];
        assert!(!std::mem::replace(&mut seen[id as usize], true), "cell {id} twice");
        assert_eq!((types[cell], groups[cell]), (kind.vtk_type(), *group));
        assert_eq!(dimensions[cell], kind.dimension() as i32);
        let corners = &connectivity[start..offsets[cell] as usize];
        start = offsets[cell] as usize;
        assert_eq!(corners.len(), nodes.len());
        for (&point, &node) in corners.iter().zip(nodes) {
            let (point, d) = (point as usize, solid.dimension);
            let x = &whole.x()[node as usize * d..(node as usize + 1) * d];
            let expected = [x[0], x[1], if d == 3 { x[2] } else { 0.0 }];
            assert_eq!(points[3 * point..3 * point + 3], expected);
            assert_eq!(velocity[3 * point..3 * point + 3], [node as f64, 0.5, 0.0]);
            assert_eq!(numbers[point], node as i32 - 3);
        }
        let row = id as u64 - first.iter().find(|(known, _)| known == kind).unwrap().1;
        let on_cell = &state[4 * cell..4 * cell + 4];
        match kind.dimension() == solid.dimension {
            true => assert_eq!(on_cell, [0.0, 0.25, 0.5, 0.75].map(|d| row as f64 + d)),
            false => assert!(on_cell.iter().all(|v| v.is_nan())),
        }
        let expected = if *kind == last { [row as i32 + 1, 7, 0] } else { [0; 3] };
        assert_eq!(marks[3 * cell..3 * cell + 3], expected);
    }
}

#[test]
fn dats_whose_arrays_would_be_two_things_are_refused() {
    let wrong = |name: &str, values: Values, words: &str| {
        let comm = Comm::single();
        let mut mesh = Solid::plane().build(&comm).unwrap();
        let set = mesh.mesh.set("triangles").unwrap();
        mesh.mesh.add_dat("triangle_p", set, 1, Values::F64(vec![1.0; 2]));
        let other = mesh.mesh.set("quadrilaterals").unwrap();
        mesh.mesh.add_dat(name, if name.starts_with("quad") { other } else { set }, values.len() / 2, values);
        let dir = tempfile::tempdir().unwrap();
        let message = write_element_vtu(&comm, dir.path(), "m", &mesh).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    wrong("p", Values::F64(vec![0.0; 2]), "two dats on the triangles would be the array `p`");
    wrong(
        "quadrilateral_p",
        Values::F64(vec![0.0; 4]),
        "\"quadrilateral_p\" would be part of the array `p`, but has another",
    );
    wrong("quadrilateral_p", Values::I32(vec![0; 2]), "has another type or size");
    wrong("global_id", Values::I32(vec![0; 2]), "\"global_id\" would be the array `global_id`");
}
