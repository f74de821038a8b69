//! What Medit's files mark as staying comes in with a mesh and goes out with it.

use cfd_engine::comm::Comm;
use cfd_io::{given_hash, read_element_mesh, write_element_mesh};
use cfd_mesh::{Given, Mark};

use crate::folder::Place;

/// Two triangles, with a line between them; vertex 3 belongs to nothing.
const TEXT: &str = "MeshVersionFormatted 2\nDimension 2\nVertices\n5\n0 0 0\n1 0 0\n7 7 0\n1 1 0\n0 1 0\n\
                    Edges\n5\n1 2 3\n2 4 3\n4 5 3\n5 1 3\n1 4 9\nTriangles\n2\n1 2 4 1\n1 4 5 1\n\
                    Corners\n2\n5\n2\nRidges\n1\n1\nRequiredVertices\n2\n3\n4\nRequiredEdges\n2\n5\n2\n\
                    RequiredTriangles\n1\n2\nEnd\n";

#[test]
fn marks_of_a_file_are_those_of_its_mesh_and_of_files_made_of_it_on_any_ranks() {
    let place = Place::new();
    let path = place.write("a.mesh", TEXT);
    for ranks in [1, 2, 3] {
        Comm::simulate(ranks, |comm| {
            let mesh = read_element_mesh(&comm, &path).unwrap();
            let all = |mark| comm.all_gather(mesh.marked(mark)).concat();
            // Rows of nodes that are in an element.
            assert_eq!(Mark::ALL.map(all), [vec![3, 1], vec![2], vec![0, 2, 1, 2], vec![0, 2, 3]]);
            let hash = given_hash(&comm, &Given::Elements(mesh.clone()));
            for ending in ["mesh", "meshb", "h5"] {
                let other = path.with_file_name(format!("b{ranks}.{ending}"));
                write_element_mesh(&comm, &mesh, &other).unwrap();
                let again = read_element_mesh(&comm, &other).unwrap();
                let sets = |mark| comm.all_gather(again.marked(mark)).concat();
                // Edges are numbered in the order of the file.
                assert_eq!(Mark::ALL.map(sets)[..2], Mark::ALL.map(all)[..2], "{ending}");
                let mut lines = all(Mark::Line).as_chunks::<2>().0.to_vec();
                lines.sort_unstable_by(|a, b| b.cmp(a));
                if ending == "h5" {
                    assert_eq!(given_hash(&comm, &Given::Elements(again.clone())), hash);
                } else {
                    assert_eq!(sets(Mark::Line), lines.concat(), "{ending}");
                }
                assert_eq!(sets(Mark::Triangle), all(Mark::Triangle));
            }
        });
    }
    let written = std::fs::read_to_string(path.with_file_name("b1.mesh")).unwrap();
    assert!(written.contains("RequiredEdges\n2\n2\n5\n"), "{written}");
}

#[test]
fn a_mesh_without_marks_has_no_further_sets_and_one_in_space_none_at_all() {
    let place = Place::new();
    let (plain, _) = TEXT.split_once("Corners").unwrap();
    let plain = place.write("plain.mesh", format!("{plain}End\n"));
    let solid = "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
                 Tetrahedra\n1\n1 2 3 4 9\nRequiredVertices\n1\n2\nEnd\n";
    let solid = place.write("solid.mesh", solid);
    let comm = Comm::single();
    for path in [plain, solid] {
        let mesh = read_element_mesh(&comm, &path).unwrap();
        assert!(mesh.mesh.sets.iter().all(|set| !set.name.starts_with("required") && set.name != "corners"));
    }
}

#[test]
fn marks_of_what_is_not_there_are_named_with_their_line() {
    let place = Place::new();
    for (from, to, words) in [
        ("Corners\n2\n5\n", "Corners\n2\n6\n", ":23: there is no node 6"),
        (
            "RequiredEdges\n2\n5\n",
            "RequiredEdges\n2\n6\n",
            "there is no edge 6; expected one of the edges 1 to 5",
        ),
        ("RequiredEdges\n2\n5\n", "RequiredEdges\n2\n0\n", "there is no edge 0"),
        ("RequiredTriangles\n1\n2", "RequiredTriangles\n1\n3", "there is no triangle 3"),
        ("RequiredEdges", "Corners", "a second Corners"),
        ("RequiredVertices\n2\n3", "RequiredVertices\n2\nx", "the number of a vertex"),
    ] {
        assert_eq!(TEXT.matches(from).count(), 1, "{from}");
        let path = place.write("a.mesh", TEXT.replacen(from, to, 1));
        for ranks in [1, 3] {
            let read = |comm: Comm| read_element_mesh(&comm, &path).map(drop).unwrap_err().to_string();
            let messages = Comm::simulate(ranks, read);
            assert!(messages.iter().all(|message| message.contains(words)), "{to}: {messages:?}");
        }
    }
}

/// Mmg lists a line inside once for each triangle beside it.
#[test]
fn a_line_that_is_listed_twice_is_one_and_marks_keep_their_numbers() {
    let place = Place::new();
    let twice = TEXT
        .replace("Edges\n5\n1 2 3\n", "Edges\n7\n4 1 9\n1 2 3\n")
        .replace("1 4 9\nTri", "1 4 9\n1 4 3\nTri");
    let path = place.write("a.mesh", twice.replace("RequiredEdges\n2\n5\n2\n", "RequiredEdges\n2\n6\n3\n"));
    for ranks in [1, 2, 3] {
        Comm::simulate(ranks, |comm| {
            let mesh = read_element_mesh(&comm, &path).unwrap();
            let lines = mesh.elements()[1];
            let nodes = comm.all_gather(lines.nodes).concat();
            // The same ends with another group are another line.
            assert_eq!((lines.rows, nodes), (6, vec![2, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 2]));
            assert_eq!(comm.all_gather(lines.groups).concat(), [2, 1, 1, 1, 1, 1]);
            assert_eq!(comm.all_gather(mesh.marked(Mark::Line)).concat(), [0, 2, 1, 2]);
        });
    }
}
