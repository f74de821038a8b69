//! Meshes of Gmsh and SU2: what they describe is what is read, whatever the format and the ranks; what does not fit is
//! refused.

mod drawing;

use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_io::format::{GMSH, SU2};
use cfd_io::{
    Boundaries, IoError, mesh_hash, read_mesh, read_mesh_as_is, read_mesh_for, read_mesh_with, write_mesh,
};
use cfd_topology::Topology;
use tempfile::TempDir;

use drawing::{Drawing, Encoding};

const ENCODINGS: [Encoding; 3] = [Encoding::Text, Encoding::LittleEndian, Encoding::BigEndian];

/// A folder for the files of a test.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Every way to write a geometry down.
    fn all(&self, drawing: &Drawing) -> Vec<PathBuf> {
        let gmsh = ENCODINGS.map(|encoding| self.write(&format!("{encoding:?}.msh"), drawing.gmsh(encoding)));
        [gmsh.to_vec(), vec![self.write("a.su2", drawing.su2())]].concat()
    }

    /// What is said of a file, which is the same on any number of ranks.
    fn refusal(&self, content: impl AsRef<[u8]>) -> String {
        let path = self.write("a.msh", content);
        message(&path, &Boundaries::default())
    }
}

fn message(path: &Path, boundaries: &Boundaries) -> String {
    let read = |n| Comm::simulate(n, |comm| read_mesh_with(&comm, path, boundaries).map(|_| ()));
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

fn read(path: &Path) -> Mesh {
    read_mesh(&Comm::single(), path).unwrap().1
}

fn rows(mesh: &Mesh, set: &str) -> u64 {
    mesh.sets[mesh.set(set).unwrap()].rows
}

fn map<'a>(mesh: &'a Mesh, name: &str) -> &'a [u64] {
    &mesh.maps[mesh.map(name).unwrap()].rows
}

#[test]
fn one_geometry_is_one_mesh_in_all_formats_and_on_any_number_of_ranks() {
    let place = Place::new();
    let files = place.all(&Drawing::new());
    let expected = read(&files[0]);
    let hash = mesh_hash(&Comm::single(), &expected);
    for path in &files {
        assert_eq!(read(path), expected, "{}", path.display());
        for ranks in [2, 5] {
            for found in Comm::simulate(ranks, |comm| {
                let (topology, mesh) = read_mesh(&comm, path).unwrap();
                (topology, mesh_hash(&comm, &mesh))
            }) {
                assert_eq!(found, (Topology::CellEdges, hash), "{} on {ranks} ranks", path.display());
            }
        }
    }
}

#[test]
fn elements_stay_in_the_order_of_the_file_and_edges_follow_the_cells() {
    let drawing = Drawing::new();
    let mesh = read(&Place::new().write("a.su2", drawing.su2()));
    let triangles = drawing.cells.iter().filter(|cell| cell.len() == 3).count() as u64;
    let sides = 4 * drawing.cells.len() as u64 - triangles;
    assert_eq!((rows(&mesh, "nodes"), rows(&mesh, "bedges")), (25, 22));
    assert_eq!(2 * rows(&mesh, "edges") + 22, sides);
    for (cell, nodes) in drawing.cells.iter().zip(map(&mesh, "cell_nodes").chunks_exact(4)) {
        let last = cell[cell.len() - 1];
        assert_eq!(nodes, [cell[0], cell[1], cell[2], last].map(|node| node as u64));
    }
    let Values::F64(x) = &mesh.dats[mesh.dat("x").unwrap()].values else { panic!("coordinates are numbers") };
    assert_eq!(x, drawing.nodes.as_flattened());
    let listed: Vec<[usize; 2]> = drawing.boundaries.iter().flat_map(|(_, edges)| edges.clone()).collect();
    for (edge, nodes) in listed.iter().zip(map(&mesh, "bedge_nodes").chunks_exact(2)) {
        let [a, b] = edge.map(|node| node as u64);
        assert!(nodes == [a, b] || nodes == [b, a], "{nodes:?} is {edge:?}");
    }
    let Values::I32(bound) = &mesh.dats[mesh.dat("bound").unwrap()].values else {
        panic!("flags are integers")
    };
    assert_eq!(bound[..], [[1; 6].to_vec(), [2; 16].to_vec()].concat());
    // The first cell is the triangle 0 1 6, beside triangle 0 6 5 and the quadrilateral 1 2 7 6.
    assert_eq!(map(&mesh, "edge_cells")[..4], [2, 0, 0, 1]);
    assert_eq!(map(&mesh, "edge_nodes")[..4], [1, 6, 0, 6]);
    let lower: Vec<u64> = map(&mesh, "edge_cells").chunks_exact(2).map(|c| c[0].min(c[1])).collect();
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
    // A node in front of all others, and one among them.
    for (at, x) in [(7, [9.0, 9.0]), (0, [-5.0, 3.0])] {
        turned.nodes.insert(at, x);
        let shift = |node: &mut usize| *node += usize::from(*node >= at);
        turned.cells.iter_mut().flatten().for_each(shift);
        turned.boundaries.iter_mut().flat_map(|(_, edges)| edges.iter_mut().flatten()).for_each(shift);
    }
    for path in place.all(&turned) {
        assert_eq!(read(&path), expected, "{}", path.display());
        for found in Comm::simulate(4, |comm| mesh_hash(&comm, &read_mesh(&comm, &path).unwrap().1)) {
            assert_eq!(found, mesh_hash(&Comm::single(), &expected));
        }
    }
}

#[test]
fn the_format_is_found_from_the_content_and_other_formats_take_the_mesh() {
    let (place, drawing) = (Place::new(), Drawing::new());
    for (content, format) in
        [(drawing.gmsh(Encoding::LittleEndian), &GMSH), (drawing.su2().into_bytes(), &SU2)]
    {
        let path = place.write("mesh.h5", content);
        let (topology, found, mesh) = read_mesh_as_is(&Comm::single(), &path).unwrap();
        assert_eq!((topology, found), (Topology::CellEdges, format));
        let converted = place.0.path().join("converted.h5");
        write_mesh(&Comm::single(), &mesh, Topology::CellEdges, &converted).unwrap();
        assert_eq!(read(&converted), mesh);
        let named = walls(&["Body"]);
        assert_parts(
            &message(&converted, &named),
            &["converted.h5: names of boundaries", "mean nothing for HDF5"],
        );
    }
}

#[test]
fn names_of_boundaries_are_mapped_and_what_is_not_known_is_refused() {
    let (place, mut drawing) = (Place::new(), Drawing::new());
    drawing.boundaries[0].0 = "rotor";
    for path in place.all(&drawing) {
        let unknown = message(&path, &Boundaries::default());
        assert_parts(&unknown, &["the boundary \"rotor\"", "boundaries.wall", "\"rotor\", \"far field\""]);
        let named = walls(&["rottor"]);
        assert_parts(&message(&path, &named), &["there is no boundary \"rottor\"; did you mean \"rotor\"?"]);
        let named = walls(&["far field"]).give("far_field", ["rotor"]);
        let (_, mesh) = read_mesh_with(&Comm::single(), &path, &named).unwrap();
        let Values::I32(bound) = &mesh.dats[mesh.dat("bound").unwrap()].values else { panic!("integers") };
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
    assert!(read_mesh_with(&Comm::single(), &path, &named).is_ok());
    assert_parts(&message(&path, &Boundaries::default()), &["the boundaries of this mesh are \"5\", \"6\""]);
}

/// Two squares side by side, in SU2's format, with one piece of it replaced.
fn squares(from: &str, to: &str) -> String {
    let text = "NDIME= 2\nNELEM= 2\n9 0 1 4 3 0\n9 1 2 5 4 1\nNPOIN= 6\n0 0 0\n1 0 1\n2 0 2\n0 1 3\n1 1 4\n2 1 5\n\
                NMARK= 2\nMARKER_TAG= wall\nMARKER_ELEMS= 2\n3 0 1\n3 1 2\nMARKER_TAG= outer\nMARKER_ELEMS= 4\n\
                3 2 5\n3 5 4\n3 4 3\n3 3 0\n";
    assert_eq!(text.matches(from).count(), 1, "{from:?}");
    text.replace(from, to)
}

#[test]
fn what_is_wrong_in_an_su2_file_is_named_with_its_line() {
    let place = Place::new();
    read(&place.write("good.su2", squares("NDIME= 2", "NDIME=2")));
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, parts) in [
        ("NDIME= 2\n", "NDIME= 3\n", &["a.msh:1:1: the mesh has 3 dimensions; expected NDIME= 2"][..]),
        ("NDIME= 2\n", "", &["a.msh:1:1: NELEM comes before NDIME"]),
        ("NDIME= 2\n", "NZONE= 2\nNDIME= 2\n", &["a.msh:1:1: the mesh has 2 zones"]),
        ("NELEM= 2", "NELEM= two", &["a.msh:2:1: \"two\" is not the right kind of number"]),
        ("NELEM= 2", "NELEM= 1", &["a.msh:4:1: \"9 1 2 5 4 1\" is no keyword", "more rows than announced"]),
        ("NELEM= 2", "NELEM= 3", &["a.msh:5:1: \"NPOIN=\" is not the right kind of number", "a cell"]),
        (
            "NELEM= 2",
            "NELEM= 4611686018427387904",
            &["a.msh:2:1: NELEM= 4611686018427387904 does not fit a file of"],
        ),
        ("9 0 1 4 3 0", "9 0 1 4", &["a.msh:3:8: the line ends here; expected a cell"]),
        ("9 0 1 4 3 0", "9 0 1 4 3 0 7", &["a.msh:3:13: too many values"]),
        ("9 0 1 4 3 0", "22 0 1 4 3", &["a.msh:3:1: elements of type 22 cannot stand here"]),
        ("9 0 1 4 3 0", "9 0 1 4 6", &["a.msh:3: there is no node 6; expected one of the nodes 0 to 5"]),
        ("9 0 1 4 3 0", "9 0 -1 4 3", &["a.msh:3:5: \"-1\" is not the right kind of number"]),
        ("9 0 1 4 3 0", "9 0 1 1 3", &["a.msh:3: degenerate cell: a node of it is repeated"]),
        ("1 1 4\n", "1 -1 4\n", &["a.msh:3: degenerate cell: its area is 0; expected a triangle"]),
        ("1 1 4\n", "1 nan 4\n", &["a.msh:10:3: NaN is not a finite number; expected a node: x y"]),
        ("1 1 4\n", "1 x 4\n", &["a.msh:10:3: \"x\" is not the right kind"]),
        ("1 1 4\n", "1 1 5\n", &["a.msh:10:5: node 5 stands here as number 4"]),
        ("1 1 4\n", "", &["a.msh:10:5: node 5 stands here as number 4"]),
        ("NPOIN= 6", "NPOIN= 7", &["a.msh:12:1: \"NMARK=\" is not the right kind"]),
        ("NMARK= 2", "NMARK= 3", &["the file ends here with 2 markers; NMARK says there are 3"]),
        (
            "MARKER_TAG= outer",
            "MARKER_TAG= wall",
            &["a.msh:17:1: the marker \"wall\" has been listed before"],
        ),
        ("MARKER_TAG= outer", "MARKER_TAG= SEND_RECEIVE", &["a.msh:17:1: SEND_RECEIVE", "partitioned"]),
        ("MARKER_ELEMS= 2\n", "", &["a.msh:14:1: \"3 0 1\" is no keyword"]),
        ("MARKER_ELEMS= 2", "MARKER_ELEMS= 1", &["a.msh:16:1: \"3 1 2\" is no keyword"]),
        ("3 5 4\n", "3 5\n", &["a.msh:20:4: the line ends here; expected a line of the boundary"]),
        ("3 5 4\n", "3 5 9\n", &["a.msh:20: there is no node 9"]),
        ("3 5 4\n", "5 5 4\n", &["a.msh:20:1: elements of type 5 cannot stand here"]),
        (
            "3 5 4\n",
            "3 5 0\n",
            &["a.msh:20: the boundary edge between nodes 0 at (0, 0) and 5 at (2, 1) is no side of a cell"],
        ),
        (
            "3 5 4\n",
            "3 4 1\n",
            &["a.msh:20: the boundary edge between nodes 1 at (1, 0) and 4 at (1, 1) lies between two cells"],
        ),
        (
            "3 5 4\n",
            "3 2 5\n",
            &["a.msh:20: the boundary edge between nodes 2 at (2, 0) and 5", "listed before"],
        ),
        (
            "4\n3 2 5\n",
            "3\n",
            &["a.msh:4: the side between nodes 2 at (2, 0) and 5 at (2, 1)", "no named boundary"],
        ),
        ("NMARK= 2", "NFISH= 2", &["a.msh:12:1: unknown keyword \"NFISH\"; expected NDIME"]),
        ("NMARK= 2", "NELEM= 2", &["a.msh:12:1: NELEM has been given before"]),
        ("NMARK= 2", "NMARK= 2\nNMARK= 2", &["a.msh:13:1: NMARK has been given before"]),
        ("NMARK= 2", "NDIME= 2", &["a.msh:12:1: NDIME has been given before"]),
        ("NDIME= 2", "NDIMS= 2", &["a.msh:1:1: unknown keyword \"NDIMS\"; expected NDIME"]),
        // The node's number would be its y.
        ("1 1 4\n", "1 4\n", &["a.msh:10:1: 2 numbers, but the first node has 3; expected a node: x y"]),
    ] {
        let message = place.refusal(squares(from, to));
        wrong.extend(
            parts
                .iter()
                .filter(|part| !message.contains(**part))
                .map(|part| format!("{from:?} -> {to:?}: no {part:?} in {message:?}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_parts(&place.refusal("NDIME= 2\n"), &["the file ends here, without NELEM"]);
    assert_parts(&place.refusal("NDIME= 2\nNELEM= 0\nNPOIN= 0\n"), &["no triangle and no quadrilateral"]);
    assert_parts(&place.refusal(format!("% {}\n", "x".repeat(5000))), &["a.msh:1:1: the line is too long"]);
}

#[test]
fn a_section_of_a_gmsh_file_that_comes_twice_is_refused() {
    let place = Place::new();
    for encoding in ENCODINGS {
        let good = Drawing::new().gmsh(encoding);
        read(&place.write("good.msh", &good));
        for name in ["PhysicalNames", "Entities", "Nodes", "Elements"] {
            let find =
                |text: &str| good.windows(text.len()).position(|bytes| bytes == text.as_bytes()).unwrap();
            let (begin, end) = (find(&format!("${name}\n")), find(&format!("$End{name}\n")));
            let again = &good[begin..end + format!("$End{name}\n").len()];
            // Behind all others, and behind itself.
            let behind = [&good[..], again].concat();
            let beside =
                [&good[..end], &good[end..end + again.len() - (end - begin)], &good[begin..]].concat();
            for twice in [behind, beside] {
                let message = place.refusal(&twice);
                assert_parts(&message, &[&format!("a second ${name}; expected it once")]);
            }
        }
    }
}

#[test]
fn cells_that_overlap_or_meet_in_threes_are_refused() {
    let place = Place::new();
    // A third square between nodes 1 and 4; the same on the other side of them; and one cell twice.
    let more = |cell: &str| squares("NELEM= 2\n9 0 1 4 3 0\n", &format!("NELEM= 3\n9 0 1 4 3 0\n{cell}\n"));
    let message = place.refusal(more("5 1 5 4"));
    assert_parts(&message, &["between nodes 1 at (1, 0) and 4 at (1, 1) of this cell belongs to 3 cells"]);
    assert_parts(&place.refusal(more("9 0 1 4 3")), &["between nodes 0 at (0, 0) and 1 at (1, 0)"]);
    // A triangle over the left square, on the same side of the edge between nodes 1 and 4.
    let folded = "NDIME= 2\nNELEM= 2\n9 0 1 4 3\n5 1 4 3\nNPOIN= 6\n0 0\n1 0\n2 0\n0 1\n1 1\n2 1\n\
                  MARKER_TAG= wall\nMARKER_ELEMS= 3\n3 0 1\n3 3 0\n3 1 3\n";
    assert_parts(&place.refusal(folded), &["the mesh is folded or cells overlap there"]);
}

/// The text of Gmsh's file with one piece of it replaced.
fn gmsh(from: &str, to: &str) -> String {
    let text = String::from_utf8(Drawing::new().gmsh(Encoding::Text)).unwrap();
    assert!(text.contains(from), "{from:?}");
    text.replacen(from, to, 1)
}

#[test]
fn what_is_wrong_in_a_gmsh_file_is_named_with_its_line() {
    let place = Place::new();
    let line = |text: &str| {
        let file = gmsh("", "");
        file.lines().position(|l| l.trim_end() == text).map(|k| k + 1).unwrap_or_else(|| panic!("{text:?}"))
    };
    let nodes = line("$Nodes");
    let elements = line("$Elements");
    // Lines of the first triangle, 0 1 6, of the first boundary edge, 6 7, and of node 0.
    let triangle = line("25 1000 997 982");
    let edge = line("2 982 979");
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, parts) in [
        (
            "4.1 0 8",
            "2.2 0 8",
            vec!["a.msh:2:1: this is version \"2.2\" of Gmsh's format; expected 4.1".to_string()],
        ),
        ("4.1 0 8", "4.1 2 8", vec!["a.msh:2:1: \"2\" is neither text (0) nor binary (1)".into()]),
        ("4.1 0 8", "4.1 1 4", vec!["integers of \"4\" bytes are not supported".into()]),
        ("4.1 0 8\n", "", vec!["expected three numbers after $MeshFormat".into()]),
        (
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n",
            "",
            vec!["a.msh:1:1: the file begins with $Comments; expected $MeshFormat".into()],
        ),
        ("$Entities", "$PartitionedEntities", vec!["partitioned by Gmsh; save it without partitions".into()]),
        ("$EndComments", "", vec!["the file ends here; expected $EndComments".into()]),
        ("1 5 \"Body\"", "1 5 Body", vec!["this is not a physical name: dimension tag \"name\"".into()]),
        (
            "25 928 1000",
            "26 928 1000",
            vec!["the blocks have 25 nodes together; $Nodes says there are 26".into()],
        ),
        (
            "25 928 1000",
            "24 928 1000",
            vec!["the blocks up to here have 25 nodes; $Nodes says there are 24".into()],
        ),
        (
            "25 928 1000",
            "4611686018427387904 928 1000",
            vec![format!("a.msh:{}:3: the number of nodes: 4611686018427387904 do not fit", nodes + 1)],
        ),
        ("\n997 \n", "\n1000 \n", vec![format!("a.msh:{}: node 1000 has been listed before", nodes + 4)]),
        (
            "\n997 \n",
            "\n-997 \n",
            vec![format!("a.msh:{}:1: \"-997\" is not an integer of at least 0", nodes + 4)],
        ),
        ("0.3 0.01 0.0 ", "0.3 0.01 1.0 ", vec!["node 997 is at z = 1, another at z = 0".into()]),
        ("0.3 0.01 0.0 ", "0.3 inf 0.0 ", vec!["inf is not a finite number; expected a node: x y z".into()]),
        (
            "2 982 979 \n",
            "2 982 9790 \n",
            vec![format!(
                "a.msh:{edge}: there is no node 9790; expected one of the nodes that the mesh lists"
            )],
        ),
        ("2 982 979 \n", "2 982 999999 \n", vec![format!("a.msh:{edge}: there is no node 999999")]),
        ("25 1000 997 982 \n", "25 1000 997 1 \n", vec![format!("a.msh:{triangle}: there is no node 1;")]),
        ("25 1000 997 982 \n", "25 1000 997 997 \n", vec![format!("a.msh:{triangle}: degenerate cell")]),
        (
            "1 1 1 6 \n",
            "1 1 8 6 \n",
            vec!["type 8, lines of second order: not supported".into(), "first order".into()],
        ),
        ("2 1 2 2 \n", "2 1 9 2 \n", vec!["type 9, triangles of second order".into()]),
        ("2 1 2 2 \n", "2 1 99 2 \n", vec!["type 99, elements of an unknown type".into()]),
        (
            "2 1 2 2 \n",
            "3 1 2 2 \n",
            vec!["elements of type 2 on an entity of dimension 3; expected 2".into()],
        ),
        (
            "2 1 2 2 \n",
            "2 1 2 3 \n",
            vec![format!("a.msh:{}:8: type 994, elements of an unknown type", triangle + 3)],
        ),
        (
            "0 1 15 1 \n",
            "0 1 15 987654321987 \n",
            vec![format!("a.msh:{}:8: the number of elements in this block", elements + 2)],
        ),
        (
            "$EndElements",
            "$EndElement",
            vec!["expected $EndElements after as many rows as $Elements says".into()],
        ),
        ("$Elements", "$Elementz", vec!["the file ends here; expected $EndElementz".into()]),
        // The first curve loses its physical group: its edges have no name.
        (
            "1 -5 2 1 -1",
            "0 2 1 -1",
            vec![
                "between nodes 982 at (0.3, 0.25) and 979 at (0.6, 0.26)".into(),
                "no named boundary".into(),
            ],
        ),
    ] {
        let message = place.refusal(gmsh(from, to));
        wrong.extend(
            parts
                .iter()
                .filter(|part| !message.contains(*part))
                .map(|part| format!("{from:?} -> {to:?}: no {part:?} in {message:?}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_wrong_in_a_binary_file_is_named_with_its_byte() {
    let place = Place::new();
    let good = Drawing::new().gmsh(Encoding::LittleEndian);
    let find = |pattern: &[u8]| good.windows(pattern.len()).position(|w| w == pattern).unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        place.refusal(file)
    };
    let nodes = find(b"$Nodes\n") + 7;
    let many = (1u64 << 60).to_le_bytes();
    assert_parts(
        &with(nodes, &many),
        &[&format!("a.msh: byte {nodes}: the number of blocks of nodes: 1152921504606846976")],
    );
    assert_parts(
        &with(nodes + 8, &many),
        &[&format!("byte {}: the number of nodes: 1152921504606846976", nodes + 8)],
    );
    assert_parts(
        &with(nodes + 44, &many),
        &[&format!("byte {}: the number of nodes in this block", nodes + 44)],
    );
    let one = find(b"4.1 1 8\n") + 8;
    assert_parts(&with(one, &[2, 0, 0, 0]), &["expected the number 1, which shows the order of bytes"]);
    // The first triangle's second node becomes one that there is not.
    let row: Vec<u8> = [25u64, 1000, 997, 982].iter().flat_map(|n| n.to_le_bytes()).collect();
    let at = find(&row);
    assert_parts(&with(at + 16, &5u64.to_le_bytes()), &[&format!("a.msh: byte {at}: there is no node 5;")]);
}

#[test]
fn a_file_truncated_anywhere_is_refused() {
    let (place, drawing) = (Place::new(), Drawing::new());
    for path in place.all(&drawing) {
        let bytes = fs::read(&path).unwrap();
        let most = bytes.len() - 2;
        for length in (0..most).step_by(37).chain(most - 30..=most) {
            fs::write(&path, &bytes[..length]).unwrap();
            let read = read_mesh(&Comm::single(), &path);
            let Err(error) = read else {
                panic!("{length} bytes of {} of {path:?} were a mesh", bytes.len())
            };
            assert!(error.is_input(), "{error}");
        }
    }
}

#[test]
fn a_flipped_byte_never_crashes() {
    let (place, drawing) = (Place::new(), Drawing::new());
    for path in place.all(&drawing) {
        let bytes = fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(11) {
            for flip in [0xff, 0x01, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                fs::write(&path, &damaged).unwrap();
                if let Err(error) = read_mesh(&Comm::single(), &path) {
                    assert!(error.is_input(), "{error}");
                }
            }
        }
    }
}

#[test]
fn formats_that_are_only_read_are_not_written() {
    let place = Place::new();
    let mesh = read(&place.write("a.su2", Drawing::new().su2()));
    for format in [&GMSH, &SU2] {
        let path = place.0.path().join("out");
        let error =
            cfd_io::write_mesh_as(&Comm::single(), &mesh, Topology::CellEdges, &path, format).unwrap_err();
        assert_parts(&error.to_string(), &["is only read"]);
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
        let [nodes, edges, bedges, cells] =
            ["nodes", "edges", "bedges", "cells"].map(|set| rows(&whole, set) as i64);
        assert_eq!(nodes - (edges + bedges) + cells, 1 - holes, "{name}");
        for found in Comm::simulate(3, |comm| mesh_hash(&comm, &read_mesh(&comm, &path).unwrap().1)) {
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
    read_mesh_for(comm, path, Topology::Elements, &Boundaries::default())
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
    let corners = map(&expected, "cell_nodes").chunks_exact(4);
    for (element, around) in corners.zip(map(&cells, "cell_nodes").chunks_exact(4)) {
        assert_eq!([element[0], element[1], element[3], element[2]], around);
    }
    assert!(
        drawing.cells.iter().any(|cell| cell.len() == 3) && drawing.cells.iter().any(|cell| cell.len() == 4)
    );
    // The far field is the second of two boundaries.
    let mut far_field: Vec<u64> = drawing.boundaries[1].1.iter().flatten().map(|&node| node as u64).collect();
    far_field.sort_unstable();
    far_field.dedup();
    assert_eq!(map(&expected, "bnode_node"), far_field);

    let converted = place.0.path().join("converted.h5");
    write_mesh(&Comm::single(), &expected, Topology::Elements, &converted).unwrap();
    assert_eq!(elements(&Comm::single(), &converted).unwrap(), expected);
}

#[test]
fn what_is_wrong_with_bilinear_elements_is_refused_on_any_number_of_ranks() {
    let place = Place::new();
    let refusal = |path: &Path, boundaries: &Boundaries, topology| {
        let read = |n| Comm::simulate(n, |comm| read_mesh_for(&comm, path, topology, boundaries).map(|_| ()));
        let errors: Vec<IoError> = [1, 2, 5].into_iter().flat_map(read).map(Result::unwrap_err).collect();
        assert!(errors.iter().all(|e| *e == errors[0] && e.is_input()), "{errors:?}");
        errors[0].to_string()
    };
    let mut unknown = Drawing::new();
    unknown.boundaries[1].0 = "sky";
    for path in place.all(&unknown) {
        let m = refusal(&path, &Boundaries::default(), Topology::Elements);
        assert_parts(&m, &["the boundary \"sky\" is neither wall nor far field", "boundaries.far_field"]);
        let given = Boundaries::default().give("far_field", ["sky"]);
        assert!(read_mesh_for(&Comm::single(), &path, Topology::Elements, &given).is_ok());
        let m = refusal(&path, &given, Topology::DualEdges);
        assert_parts(
            &m,
            &["can be made cells with edges or bilinear elements, but dual edges with levels are needed"],
        );
    }
    // The second square of two has a corner that points into it.
    let folded = place.write("folded.su2", squares("2 1 5\n", "1.2 0.3 5\n"));
    assert_parts(
        &refusal(&folded, &Boundaries::default(), Topology::Elements),
        &["folded.su2: `cell_nodes` row 1: folded cell"],
    );
    assert!(read_mesh(&Comm::single(), &folded).is_ok());
}
