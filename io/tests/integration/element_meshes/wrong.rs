//! Faulty files of mixed elements are refused, with the position, the same on all ranks.

use cfd_io::IoError;
use cfd_mesh::DUAL_LEVELS;
use cfd_mesh::generate::hexahedra::{Shape, Spec, generate};

use super::*;

/// The message about a file, the same on any number of ranks.
fn refusal(path: &Path) -> String {
    let read = |ranks| Comm::simulate(ranks, |comm| read_element_mesh(&comm, path).map(|_| ()));
    let errors: Vec<IoError> =
        [1, 2, 5].into_iter().flat_map(read).map(|result| result.expect_err("a bad mesh")).collect();
    assert!(errors.iter().all(|error| *error == errors[0] && error.is_input()), "{errors:?}");
    errors[0].to_string()
}

/// Replaces one part of a text, which must be present, by another; the message about the file must contain `words`.
fn check_text(place: &Place, text: &str, changes: &[(&str, &str, &str)]) {
    for (from, to, words) in changes {
        assert!(text.contains(from), "no {from:?} in {text}");
        let message = refusal(&place.write("a.msh", text.replacen(from, to, 1)));
        assert!(message.contains(words), "{from:?} -> {to:?}: {message}");
    }
}

#[test]
fn what_is_wrong_in_a_gmsh_file_is_named_with_its_line() {
    let place = Place::new();
    let text = String::from_utf8(Solid::boxes().gmsh(Encoding::Text)).unwrap();
    let line = |row: &str| text.lines().position(|line| line.trim_end() == row).unwrap() + 1;
    // The hexahedron, the first of the mesh, and the inlet.
    let hexahedron = "2 1000 997 982 985 970 967 952 955";
    let inlet = text.lines().find(|line| line.starts_with("22 ")).unwrap().trim_end();
    let (first, place_of_inlet) = (line(hexahedron), line(inlet));
    let with = |row: &str, from: &str, to: &str| row.replacen(from, to, 1);
    check_text(
        &place,
        &text,
        &[
            (
                hexahedron,
                &with(hexahedron, "955", "3"),
                &format!("a.msh:{first}: there is no node 3; expected one of the"),
            ),
            (
                hexahedron,
                &with(hexahedron, "997", "982"),
                &format!("a.msh:{first}: degenerate hexahedron: a node of it is"),
            ),
            (
                inlet,
                &with(inlet, "1000", "934"),
                &format!(
                    "a.msh:{place_of_inlet}: this boundary element has a node that is in no cell; expected a face of a \
                     cell"
                ),
            ),
            (
                inlet,
                &with(inlet, "1000", "970"),
                &format!("a.msh:{place_of_inlet}: degenerate quadrilateral"),
            ),
            (
                "\n3 1 5 1 \n",
                "\n3 1 17 1 \n",
                "type 17, elements of an unknown type: not supported; expected first-order elements",
            ),
            ("\n3 1 5 1 \n", "\n3 1 11 1 \n", "type 11, second-order tetrahedra: not supported"),
            ("\n3 1 5 1 \n", "\n2 1 5 1 \n", "elements of type 5 on an entity of dimension 2; expected 3"),
            (" 1 42 0 ", " 1 0 0 ", "there is a physical group 0"),
            ("4.1 0 8", "2.2 0 8", "a.msh:2:1: this is version \"2.2\" of Gmsh's format; expected 4.1"),
        ],
    );
    let flat = String::from_utf8(Solid::plane().gmsh(Encoding::Text)).unwrap();
    check_text(&place, &flat, &[("-1.0 2.0 0.25", "-1.0 2.0 0.5", "does not lie in a plane of constant z")]);
}

#[test]
fn what_is_wrong_in_an_su2_file_is_named_with_its_line() {
    let place = Place::new();
    check_text(
        &place,
        &Solid::boxes().su2(),
        &[
            ("NDIME= 3", "NDIME= 4", "a.msh:1:1: the mesh has 4 dimensions; expected NDIME= 2 or NDIME= 3"),
            ("NDIME= 3\n", "", "a.msh:1:1: NELEM comes before NDIME"),
            (
                "NDIME= 3",
                "NDIME= 2",
                "a.msh:3:1: elements of type 12 cannot stand here; expected a cell: 5 n1",
            ),
            (
                "\n12 0 1 ",
                "\n9 0 1 ",
                "a.msh:3:1: elements of type 9 cannot stand here; expected a cell: 10 and 4 nodes",
            ),
            ("\n12 0 1 ", "\n12 0 99 ", "a.msh:3: there is no node 99; expected one of the nodes 0 to 21"),
            ("\n12 0 1 ", "\n12 0 0 ", "a.msh:3: degenerate hexahedron: a node of it is repeated"),
            (
                "MARKER_ELEMS= 1\n9",
                "MARKER_ELEMS= 1\n3",
                "elements of type 3 cannot stand here; expected a face of the boundary",
            ),
            ("7.0 7.0 7.0\n", "7.0 7.0\n", "expected a node: x y z"),
            ("7.0 7.0 7.0\n", "7.0 nan 7.0\n", "NaN is not a finite number; expected a node: x y z"),
        ],
    );
    let nothing = "NDIME= 3\nNELEM= 0\nNPOIN= 1\n0 0 0\n";
    check_text(&place, nothing, &[("0 0 0", "1 0 0", "there is no element of 3 dimensions in this mesh")]);
}

#[test]
fn what_is_no_mesh_of_elements_is_refused_with_what_it_is() {
    let place = Place::new();
    let refused = |path: &Path, words: &str| {
        let message = refusal(path);
        assert!(message.contains(words), "{message}");
    };
    refused(&place.write("a.txt", "no mesh"), "this is not a mesh file; expected HDF5, or");
    refused(&place.0.path().join("missing.msh"), "missing.msh: cannot be read");
    let comm = Comm::single();
    let spec = Spec { shape: Shape::Box, size: [2, 2, 2], levels: 1 };
    let path = place.0.path().join("cells.h5");
    cfd_io::write_mesh(&comm, &generate(&comm, &spec).unwrap(), &DUAL_LEVELS, &path).unwrap();
    refused(
        &path,
        "this is a mesh of dual edges with levels, which does not tell the elements that it comes from",
    );
    let mesh = cfd_mesh::generate::block(&comm, 3, 3).unwrap();
    cfd_io::write_any_mesh(&comm, &mesh, &path).unwrap();
    refused(&path, "this is not a mesh of elements: in 2 dimensions there are no elements");
}

#[test]
fn elements_that_are_none_are_refused_in_hdf5_with_their_row() {
    let place = Place::new();
    let path = place.0.path().join("m.h5");
    let comm = Comm::single();
    let whole = Solid::boxes().build(&comm).unwrap();
    let refused = |change: &dyn Fn(&mut ElementMesh), words: &str| {
        let mut mesh = whole.clone();
        change(&mut mesh);
        write_element_mesh(&comm, &mesh, &path).unwrap();
        let message = refusal(&path);
        assert!(message.contains(words), "{message}");
    };
    let map = whole.mesh.map("tetrahedron_nodes").unwrap();
    refused(
        &|m| m.mesh.maps[map].rows[36] = m.mesh.maps[map].rows[37],
        "m.h5: `maps/tetrahedron_nodes` row 9: degenerate tetrahedron: a node of it is repeated",
    );
    refused(
        &|m| {
            let Values::F64(x) = &mut m.mesh.dats[0].values else { panic!("coordinates") };
            x[31] = f64::INFINITY;
        },
        "m.h5: `dats/x` row 10: the coordinate inf is not a finite number",
    );
    refused(
        &|m| m.mesh.dats[1].name = "group".into(),
        "this is not a mesh of elements: there is no dat `tetrahedron_group`",
    );
    let mut mesh = whole.clone();
    mesh.groups.add(4, 9, "time");
    let message = write_element_mesh(&comm, &mesh, &path).unwrap_err().to_string();
    assert!(message.contains("`groups/dimension`: the group \"time\" has 4 dimensions"), "{message}");
    let mut mesh = whole.clone();
    mesh.groups.add(2, 9, &"n".repeat(256));
    let message = write_element_mesh(&comm, &mesh, &path).unwrap_err().to_string();
    assert!(message.contains("`groups/name`: the name of a group"), "{message}");
    write_element_mesh(&comm, &whole, &path).unwrap();
    let file = hdf5::File::open_rw(&path).unwrap();
    file.unlink("groups/id").unwrap();
    file.close().unwrap();
    assert!(refusal(&path).contains("`groups/id`: the dataset is missing"));
}

#[test]
fn a_file_truncated_anywhere_is_refused_and_a_flipped_byte_never_crashes() {
    let place = Place::new();
    for solid in solids() {
        for path in [place.gmsh(&solid), vec![place.write("a.su2", solid.su2())]].concat() {
            let bytes = fs::read(&path).unwrap();
            for length in (0..bytes.len() - 2).step_by(23) {
                fs::write(&path, &bytes[..length]).unwrap();
                let read = read_element_mesh(&Comm::single(), &path);
                assert!(read.is_err_and(|error| error.is_input()), "{length} bytes of {}", path.display());
            }
            for at in (0..bytes.len()).step_by(7) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x81;
                fs::write(&path, &damaged).unwrap();
                let read = read_element_mesh(&Comm::single(), &path);
                assert!(read.err().is_none_or(|error| error.is_input()));
            }
        }
    }
}
