//! Meshes of Gmsh and SU2 are read as described, whatever the format and the ranks; inconsistent ones are refused.

pub mod drawing;
mod wrong;

use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_io::format::{GMSH, SU2};
use cfd_io::{
    IoError, given_hash, mesh_hash, read_derived, read_element_mesh, read_mesh, read_mesh_as_is,
    write_element_mesh, write_given, write_mesh,
};
use cfd_mesh::{BILINEAR, Boundaries, CELL_EDGES, DUAL_LEVELS, Derived, Given, Motion};

use crate::folder::Place;
use drawing::{Drawing, Encoding};

const ENCODINGS: [Encoding; 3] = [Encoding::Text, Encoding::LittleEndian, Encoding::BigEndian];

impl Place {
    /// Every way to write a geometry.
    fn all(&self, drawing: &Drawing) -> Vec<PathBuf> {
        let gmsh = ENCODINGS.map(|encoding| self.write(&format!("{encoding:?}.msh"), drawing.gmsh(encoding)));
        [gmsh.to_vec(), vec![self.write("a.su2", drawing.su2())]].concat()
    }

    /// The message about a file, the same on any number of ranks.
    fn refusal(&self, content: impl AsRef<[u8]>) -> String {
        let path = self.write("a.msh", content);
        message(&path, &Boundaries::default())
    }
}

/// The message about a file of which cells with edges cannot be made, the same on any number of ranks.
fn message(path: &Path, boundaries: &Boundaries) -> String {
    message_for(path, &CELL_EDGES, boundaries)
}

fn message_for(path: &Path, derived: &'static Derived, boundaries: &Boundaries) -> String {
    let read = |n| Comm::simulate(n, |comm| read_derived(&comm, path, derived, boundaries).map(|_| ()));
    let errors: Vec<IoError> =
        [1, 2, 5].into_iter().flat_map(read).map(|result| result.expect_err("a bad mesh")).collect();
    assert!(errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    assert!(errors[0].is_input());
    errors[0].to_string()
}

#[track_caller]
fn assert_parts(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in {message:?}");
    }
}

fn walls(names: &[&str]) -> Boundaries {
    Boundaries::default().give("wall", names.to_vec())
}

/// The cells with edges that are made of a file.
fn cells(comm: &Comm, path: &Path) -> Mesh {
    read_derived(comm, path, &CELL_EDGES, &Boundaries::default()).unwrap()
}

fn read(path: &Path) -> Mesh {
    cells(&Comm::single(), path)
}

/// Two adjacent squares in SU2's format, with one part replaced.
fn squares(from: &str, to: &str) -> String {
    let text = "NDIME= 2\nNELEM= 2\n9 0 1 4 3 0\n9 1 2 5 4 1\nNPOIN= 6\n0 0 0\n1 0 1\n2 0 2\n0 1 3\n1 1 4\n2 1 5\n\
                NMARK= 2\nMARKER_TAG= wall\nMARKER_ELEMS= 2\n3 0 1\n3 1 2\nMARKER_TAG= outer\nMARKER_ELEMS= 4\n\
                3 2 5\n3 5 4\n3 4 3\n3 3 0\n";
    assert_eq!(text.matches(from).count(), 1, "{from:?}");
    text.replace(from, to)
}

#[test]
fn one_geometry_is_one_mesh_in_all_formats_and_on_any_number_of_ranks() {
    let place = Place::new();
    let files = place.all(&Drawing::new());
    let elements = read_mesh(&Comm::single(), &files[0]).unwrap();
    let expected = read(&files[0]);
    let hash = mesh_hash(&Comm::single(), &expected);
    for path in &files {
        let given = read_mesh(&Comm::single(), path).unwrap();
        // SU2 has no groups of cells.
        assert_eq!(given == elements, !path.ends_with("a.su2"), "{}", path.display());
        assert_eq!(read(path), expected, "{}", path.display());
        for ranks in [2, 5] {
            for found in Comm::simulate(ranks, |comm| {
                let read = read_mesh(&comm, path).unwrap();
                (given_hash(&comm, &read), mesh_hash(&comm, &cells(&comm, path)))
            }) {
                let expected = (given_hash(&Comm::single(), &given), hash);
                assert_eq!(found, expected, "{} on {ranks} ranks", path.display());
            }
        }
    }
}

#[test]
fn the_hash_of_a_mesh_of_elements_covers_the_names_of_its_groups() {
    let (place, mut drawing) = (Place::new(), Drawing::new());
    let hash = |drawing: &Drawing| {
        let path = place.write("a.su2", drawing.su2());
        given_hash(&Comm::single(), &read_mesh(&Comm::single(), &path).unwrap())
    };
    let before = hash(&drawing);
    drawing.boundaries[0].0 = "Bodz";
    assert_ne!(hash(&drawing), before);
}

#[test]
fn elements_of_a_kind_stay_in_the_order_of_the_file_and_edges_follow_the_cells() {
    let drawing = Drawing::new();
    let mesh = read(&Place::new().write("a.su2", drawing.su2()));
    let of = |corners: usize| drawing.cells.iter().filter(move |cell| cell.len() == corners);
    let triangles = of(3).count() as u64;
    let sides = 4 * drawing.cells.len() as u64 - triangles;
    assert_eq!((mesh.count("nodes"), mesh.count("bedges")), (25, 22));
    assert_eq!(2 * mesh.count("edges") + 22, sides);
    for (cell, nodes) in of(3).chain(of(4)).zip(mesh.targets("cell_nodes").chunks_exact(4)) {
        let last = cell[cell.len() - 1];
        assert_eq!(nodes, [cell[0], cell[1], cell[2], last].map(|node| node as u64));
    }
    assert_eq!(mesh.numbers("x"), drawing.nodes.as_flattened());
    let listed: Vec<[usize; 2]> = drawing.boundaries.iter().flat_map(|(_, edges)| edges.clone()).collect();
    for (edge, nodes) in listed.iter().zip(mesh.targets("bedge_nodes").chunks_exact(2)) {
        let [a, b] = edge.map(|node| node as u64);
        assert!(nodes == [a, b] || nodes == [b, a], "{nodes:?} is {edge:?}");
    }
    assert_eq!(mesh.integers("bound"), [[1; 6].to_vec(), [2; 16].to_vec()].concat());
    // Groups are numbered by their names: "Body", "far field".
    assert_eq!(mesh.integers("boundary"), mesh.integers("bound"));
    // The first cell is the triangle 0 1 6, next to the first quadrilateral 1 2 7 6 and triangle 0 6 5.
    assert_eq!(mesh.targets("edge_cells")[..4], [triangles, 0, 0, 1]);
    assert_eq!(mesh.targets("edge_nodes")[..4], [1, 6, 0, 6]);
    let lower: Vec<u64> = mesh.targets("edge_cells").chunks_exact(2).map(|c| c[0].min(c[1])).collect();
    assert!(lower.is_sorted());
}

#[test]
fn clockwise_cells_are_turned_and_nodes_without_cells_are_dropped() {
    let (place, drawing) = (Place::new(), Drawing::new());
    let expected = read(&place.write("a.su2", drawing.su2()));
    let mut turned = drawing.clone();
    for (k, cell) in turned.cells.iter_mut().enumerate() {
        if k % 2 == 0 {
            cell[1..].reverse();
        }
    }
    // A node before all others, and one among them.
    for (at, x) in [(7, [9.0, 9.0]), (0, [-5.0, 3.0])] {
        turned.nodes.insert(at, x);
        let shift = |node: &mut usize| *node += usize::from(*node >= at);
        turned.cells.iter_mut().flatten().for_each(shift);
        turned.boundaries.iter_mut().flat_map(|(_, edges)| edges.iter_mut().flatten()).for_each(shift);
    }
    for path in place.all(&turned) {
        assert_eq!(read(&path), expected, "{}", path.display());
        for found in Comm::simulate(4, |comm| mesh_hash(&comm, &cells(&comm, &path))) {
            assert_eq!(found, mesh_hash(&Comm::single(), &expected));
        }
    }
}

#[test]
fn the_format_is_found_from_the_content_and_the_project_s_takes_the_mesh() {
    let (place, drawing) = (Place::new(), Drawing::new());
    for (content, format) in
        [(drawing.gmsh(Encoding::LittleEndian), &GMSH), (drawing.su2().into_bytes(), &SU2)]
    {
        let path = place.write("mesh.h5", content);
        let (given, found) = read_mesh_as_is(&Comm::single(), &path).unwrap();
        let Given::Elements(elements) = &given else { panic!("the file holds elements") };
        assert_eq!(found, format);
        let converted = place.0.path().join("converted.h5");
        write_element_mesh(&Comm::single(), elements, &converted).unwrap();
        assert_eq!(read_mesh(&Comm::single(), &converted).as_ref(), Ok(&given));
        let expected = read(&path);
        assert_eq!(read(&converted), expected);
        // Sets that are derived already have flags instead of names.
        write_mesh(&Comm::single(), &expected, &CELL_EDGES, &converted).unwrap();
        assert_parts(
            &message(&converted, &walls(&["Body"])),
            &["converted.h5: names of boundaries have no meaning for a mesh of cells with edges"],
        );
    }
}

#[test]
fn names_of_boundaries_are_mapped_and_what_is_not_known_is_refused() {
    let (place, mut drawing) = (Place::new(), Drawing::new());
    drawing.boundaries[0].0 = "rotor";
    for path in place.all(&drawing) {
        let unknown = message(&path, &Boundaries::default());
        assert_parts(
            &unknown,
            &["the boundary \"rotor\"", "wall or far_field (Boundaries::give)", "\"far field\", \"rotor\""],
        );
        let named = walls(&["rottor"]);
        assert_parts(&message(&path, &named), &["there is no boundary \"rottor\"; did you mean \"rotor\"?"]);
        let named = walls(&["far field"]).give("far_field", ["rotor"]);
        let mesh = read_derived(&Comm::single(), &path, &CELL_EDGES, &named).unwrap();
        let bound = mesh.integers("bound");
        assert_eq!((bound[0], bound[21]), (2, 1));
    }
}

#[test]
fn physical_curves_without_a_name_go_by_their_number() {
    let text = String::from_utf8(Drawing::new().gmsh(Encoding::Text)).unwrap();
    let (start, end) = (text.find("$PhysicalNames").unwrap(), text.find("$Entities").unwrap());
    let place = Place::new();
    let path = place.write("a.msh", format!("{}{}", &text[..start], &text[end..]));
    let named = walls(&["5"]).give("far_field", ["6"]);
    assert!(read_derived(&Comm::single(), &path, &CELL_EDGES, &named).is_ok());
    assert_parts(&message(&path, &Boundaries::default()), &["the boundaries of this mesh are \"5\", \"6\""]);
}

#[test]
fn formats_that_are_only_read_are_not_written() {
    let place = Place::new();
    let given = read_mesh(&Comm::single(), &place.write("a.su2", Drawing::new().su2())).unwrap();
    for format in cfd_io::FORMATS.iter().filter(|format| !format.can_hold(cfd_io::Holds::Elements)) {
        let path = place.0.path().join("out");
        let error = write_given(&Comm::single(), &given, &path, format).unwrap_err();
        assert!(error.is_input(), "{error}");
        assert!(!path.exists());
    }
}

#[test]
fn the_meshes_of_the_repository_are_read_on_any_number_of_ranks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../meshes");
    for name in ["cylinder.msh", "multi-element.su2"] {
        let path = folder.join(name);
        let whole = read(&path);
        let hash = mesh_hash(&Comm::single(), &whole);
        // Euler's formula for a region with holes: nodes - edges + cells = 1 - holes.
        let holes = if name == "cylinder.msh" { 1 } else { 3 };
        let [nodes, edges, bedges, faces] =
            ["nodes", "edges", "bedges", "cells"].map(|set| whole.count(set) as i64);
        assert_eq!(nodes - (edges + bedges) + faces, 1 - holes, "{name}");
        for found in Comm::simulate(3, |comm| mesh_hash(&comm, &cells(&comm, &path))) {
            assert_eq!(found, hash, "{name}");
        }
    }
}

#[test]
fn what_a_message_quotes_of_a_file_controls_no_terminal() {
    let place = Place::new();
    let gmsh = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    for content in [
        format!("{gmsh}$\u{1b}[2J\n"),
        "$\u{1b}[2J\n".into(),
        format!("{gmsh}$Nodes\n\u{1b}[2J 1 1 1\n"),
        "NDIME= 2\n\u{1b}[2J= 3\n".into(),
        "NDIME= 2\n\u{1b}[2J\n".into(),
        "NDIME= 2\nNELEM= \u{1b}[2J\n".into(),
    ] {
        let message = place.refusal(&content);
        assert!(!message.contains('\u{1b}') && message.contains("[2J"), "{message:?}");
    }
}

fn elements(comm: &Comm, path: &Path) -> Result<Mesh, IoError> {
    read_derived(comm, path, &BILINEAR, &Boundaries::default())
}

#[test]
fn bilinear_elements_are_made_of_the_same_files_on_any_number_of_ranks() {
    let (place, drawing) = (Place::new(), Drawing::new());
    let files = place.all(&drawing);
    let expected = elements(&Comm::single(), &files[0]).unwrap();
    let hash = mesh_hash(&Comm::single(), &expected);
    for path in &files {
        for ranks in [1, 2, 5] {
            for found in Comm::simulate(ranks, |comm| mesh_hash(&comm, &elements(&comm, path).unwrap())) {
                assert_eq!(found, hash, "{} on {ranks} ranks", path.display());
            }
        }
    }

    let cells = read(&files[0]);
    assert_eq!(expected.dats[0], cells.dats[cells.dat("x").unwrap()]);
    let corners = expected.targets("cell_nodes").chunks_exact(4);
    for (element, around) in corners.zip(cells.targets("cell_nodes").chunks_exact(4)) {
        assert_eq!([element[0], element[1], element[3], element[2]], around);
    }
    assert!(
        drawing.cells.iter().any(|cell| cell.len() == 3) && drawing.cells.iter().any(|cell| cell.len() == 4)
    );
    // The far field is the second of two boundaries.
    let mut far_field: Vec<u64> = drawing.boundaries[1].1.iter().flatten().map(|&node| node as u64).collect();
    far_field.sort_unstable();
    far_field.dedup();
    assert_eq!(expected.targets("bnode_node"), far_field);

    let converted = place.0.path().join("converted.h5");
    write_mesh(&Comm::single(), &expected, &BILINEAR, &converted).unwrap();
    assert_eq!(elements(&Comm::single(), &converted).unwrap(), expected);
}

#[test]
fn what_is_wrong_with_bilinear_elements_is_refused_on_any_number_of_ranks() {
    let place = Place::new();
    let mut unknown = Drawing::new();
    unknown.boundaries[1].0 = "sky";
    for path in place.all(&unknown) {
        let m = message_for(&path, &BILINEAR, &Boundaries::default());
        assert_parts(&m, &["the boundary \"sky\" is neither wall nor far field", "wall or far_field"]);
        let given = Boundaries::default().give("far_field", ["sky"]);
        assert!(read_derived(&Comm::single(), &path, &BILINEAR, &given).is_ok());
        let m = message_for(&path, &DUAL_LEVELS, &given);
        assert_parts(&m, &["this is a mesh of 2 dimensions, but dual edges with levels are needed"]);
    }
    // The second square of two has a corner that points into it.
    let folded = place.write("folded.su2", squares("2 1 5\n", "1.2 0.3 5\n"));
    assert_parts(
        &message_for(&folded, &BILINEAR, &Boundaries::default()),
        &["folded.su2: quadrilateral 1, at (", "is folded: at its Gauss point (0.789, 0.789)"],
    );
    assert!(read(&folded).count("cells") == 2);
}

/// Three quadrilaterals one above the other, of which the last is beyond the upper boundary: nodes 4 and 5 are copies of 0 and
/// 1, 6 and 7 of 2 and 3.
const COPIED: &str = "NDIME= 2
NELEM= 3
9 2 3 1 0 0
9 4 5 3 2 1
9 0 1 7 6 2
NPOIN= 8 4
0 1 0
1 1 1
0 0.5 2
1 0.5 3
0 0 4
1 0 5
0 1.5 6
1 1.5 7
NMARK= 6
MARKER_TAG= upper
MARKER_ELEMS= 1
3 1 0
MARKER_TAG= lower
MARKER_ELEMS= 1
3 4 5
MARKER_TAG= left
MARKER_ELEMS= 2
3 0 2
3 2 4
MARKER_TAG= right
MARKER_ELEMS= 2
3 3 1
3 5 3
MARKER_TAG= SEND_RECEIVE
MARKER_ELEMS= 4
SEND_TO= 1
1 0 1
1 1 1
1 2 2
1 3 2
MARKER_TAG= SEND_RECEIVE
MARKER_ELEMS= 4
SEND_TO= -1
1 4 1
1 5 1
1 6 2
1 7 2
NPERIODIC= 3
PERIODIC_INDEX= 0
0 0 0
0 0 0
0 0 0
PERIODIC_INDEX= 1
0 0 0
0 0 0
-0 1 0
PERIODIC_INDEX= 2
0 0 0
0 0 0
0 -1 0
";

#[test]
fn copies_of_su2_s_older_periodic_form_are_a_pair_of_boundaries() {
    let place = Place::new();
    let path = place.write("a.su2", COPIED);
    for ranks in [1, 2, 5] {
        let read = |comm: Comm| {
            let mesh = read_element_mesh(&comm, &path).unwrap();
            let sizes = ["nodes", "quadrilaterals", "boundary_lines"].map(|set| mesh.mesh.count(set));
            (sizes, mesh.groups.periodic)
        };
        for (sizes, periodic) in Comm::simulate(ranks, read) {
            assert_eq!(sizes, [6, 2, 6]);
            let [pair] = &periodic[..] else { panic!("{periodic:?}") };
            assert_eq!(pair.names, ["lower", "upper"]);
            assert_eq!(pair.motion, Motion::Translation(Some(vec![0.0, 1.0])));
        }
    }
    for (text, other, parts) in [
        ("SEND_TO= -1", "SEND_TO= x", &["a.msh:39", "SEND_TO="][..]),
        ("1 7 2", "1 7", &["a.msh:44", "a node that is sent or received"]),
        ("-0 1 0\n", "-0 1\n", &["a.msh:53", "center, angles, translation"]),
    ] {
        assert_parts(&place.refusal(COPIED.replacen(text, other, 1)), parts);
    }
}
