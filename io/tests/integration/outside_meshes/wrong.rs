//! Faulty files are refused, with the position.

use super::*;

#[test]
fn what_is_wrong_in_an_su2_file_is_named_with_its_line() {
    let place = Place::new();
    read(&place.write("good.su2", squares("NDIME= 2", "NDIME=2")));
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, parts) in [
        (
            "NDIME= 2\n",
            "NDIME= 3\n",
            &["a.msh:3:1: elements of type 9 cannot stand here; expected a cell: 10 and 4"][..],
        ),
        ("NDIME= 2\n", "", &["a.msh:1:1: NELEM comes before NDIME"]),
        ("NDIME= 2\n", "NZONE= 2\nNDIME= 2\n", &["a.msh:1:1: the mesh has 2 zones"]),
        ("NELEM= 2", "NELEM= two", &["a.msh:2:1: \"two\" is not the right kind of number"]),
        (
            "NELEM= 2",
            "NELEM= 1",
            &["a.msh:4:1: \"9 1 2 5 4 1\" is not a keyword", "more rows than announced"],
        ),
        ("NELEM= 2", "NELEM= 3", &["a.msh:5:1: \"NPOIN=\" is not the right kind of number", "a cell"]),
        (
            "NELEM= 2",
            "NELEM= 4611686018427387904",
            &["a.msh:2:1: NELEM= 4611686018427387904 does not fit in a file of"],
        ),
        ("9 0 1 4 3 0", "9 0 1 4", &["a.msh:3:8: the line ends here; expected a cell"]),
        ("9 0 1 4 3 0", "9 0 1 4 3 0 7", &["a.msh:3:13: too many values"]),
        ("9 0 1 4 3 0", "22 0 1 4 3", &["a.msh:3:1: elements of type 22 cannot stand here"]),
        ("9 0 1 4 3 0", "9 0 1 4 6", &["a.msh:3: there is no node 6; expected one of the nodes 0 to 5"]),
        ("9 0 1 4 3 0", "9 0 -1 4 3", &["a.msh:3:5: \"-1\" is not the right kind of number"]),
        ("9 0 1 4 3 0", "9 0 1 1 3", &["a.msh:3: degenerate quadrilateral: a node of it is repeated"]),
        (
            "1 1 4\n",
            "1 -1 4\n",
            &["a.msh:3: degenerate quadrilateral: its area is 0; expected one with 4 nodes and an area"],
        ),
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
        ("MARKER_ELEMS= 2\n", "", &["a.msh:14:1: \"3 0 1\" is not a keyword"]),
        ("MARKER_ELEMS= 2", "MARKER_ELEMS= 1", &["a.msh:16:1: \"3 1 2\" is not a keyword"]),
        ("3 5 4\n", "3 5\n", &["a.msh:20:4: the line ends here; expected a line of the boundary"]),
        ("3 5 4\n", "3 5 9\n", &["a.msh:20: there is no node 9"]),
        ("3 5 4\n", "5 5 4\n", &["a.msh:20:1: elements of type 5 cannot stand here"]),
        (
            "3 5 4\n",
            "3 5 0\n",
            &["a.msh: the boundary line 3 of nodes 0, 5, at (1, 0.5), is not a side of an element"],
        ),
        (
            "3 5 4\n",
            "3 4 1\n",
            &["a.msh: the boundary line 3 of nodes 1, 4, at (1, 0.5), lies between two elements"],
        ),
        (
            "3 5 4\n",
            "3 2 5\n",
            &["a.msh: the boundary line 3 of nodes 2, 5, at (2, 0.5), has been listed before"],
        ),
        (
            "4\n3 2 5\n",
            "3\n",
            &[
                "a.msh: the side of nodes 2, 5 of quadrilateral 1, at (2, 0.5), belongs to",
                "no named boundary",
            ],
        ),
        ("NMARK= 2", "NFISH= 2", &["a.msh:12:1: unknown keyword \"NFISH\"; expected NDIME"]),
        ("NMARK= 2", "NELEM= 2", &["a.msh:12:1: NELEM has been given before"]),
        ("NMARK= 2", "NMARK= 2\nNMARK= 2", &["a.msh:13:1: NMARK has been given before"]),
        ("NMARK= 2", "NDIME= 2", &["a.msh:12:1: NDIME has been given before"]),
        ("NDIME= 2", "NDIMS= 2", &["a.msh:1:1: unknown keyword \"NDIMS\"; expected NDIME"]),
        // The node's number would pass for its y.
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
    assert_parts(
        &place.refusal("NDIME= 2\nNELEM= 0\nNPOIN= 0\n"),
        &["there is no element of 2 dimensions in this mesh"],
    );
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
            // After all others, and after itself.
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
    assert_parts(
        &message,
        &["a.msh: the side of nodes 1, 4 of quadrilateral 1, at (1, 0.5), belongs to 3 elements"],
    );
    assert_parts(
        &place.refusal(more("9 0 1 4 3")),
        &["a.msh: the boundary line 0 of nodes 0, 1, at (0.5, 0), lies between two elements"],
    );
    // A triangle over the left square, on the same side of the edge between nodes 1 and 4.
    let folded = "NDIME= 2\nNELEM= 2\n9 0 1 4 3\n5 1 4 3\nNPOIN= 6\n0 0\n1 0\n2 0\n0 1\n1 1\n2 1\n\
                  MARKER_TAG= wall\nMARKER_ELEMS= 3\n3 0 1\n3 3 0\n3 1 3\n";
    assert_parts(&place.refusal(folded), &["the mesh is folded, or elements overlap there"]);
}

/// The text of Gmsh's file with one part replaced.
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
        (
            "$Entities",
            "$PartitionedEntities",
            vec!["Gmsh has partitioned this mesh; save it without partitions".into()],
        ),
        ("$EndComments", "", vec!["the file ends here; expected $EndComments".into()]),
        ("1 5 \"Body\"", "1 5 Body", vec!["this is not a physical name: dimension tag \"name\"".into()]),
        (
            "25 928 1000",
            "26 928 1000",
            vec!["the blocks have 25 nodes in total; $Nodes says there are 26".into()],
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
        ("25 1000 997 982 \n", "25 1000 997 997 \n", vec![format!("a.msh:{triangle}: degenerate triangle")]),
        (
            "1 1 1 6 \n",
            "1 1 8 6 \n",
            vec!["type 8, second-order lines: not supported".into(), "first-order".into()],
        ),
        ("2 1 2 2 \n", "2 1 9 2 \n", vec!["type 9, second-order triangles".into()]),
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
                "the side of nodes 6, 7 of quadrilateral".into(),
                "belongs to no other element and to no named boundary".into(),
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
    assert_parts(&with(one, &[2, 0, 0, 0]), &["expected the number 1, which shows the byte order"]);
    // The first triangle's second node becomes one that does not exist.
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
            let read = read_derived(&Comm::single(), &path, &CELL_EDGES, &Boundaries::default());
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
                let read = read_derived(&Comm::single(), &path, &CELL_EDGES, &Boundaries::default());
                if let Err(error) = read {
                    assert!(error.is_input(), "{error}");
                }
            }
        }
    }
}
