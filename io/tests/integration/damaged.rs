//! Damaged mesh files of every format are refused with their place, the same on any number of ranks; nothing is read past
//! their end.

use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_io::{IoError, read_element_mesh, write_element_mesh, write_element_vtu};
use cfd_mesh::ElementMesh;
use cfd_mesh::generate::element_box::{ElementBox, Filling};

use crate::folder::Place;

/// Endings of files that are written.
const WRITTEN: [&str; 8] =
    [".su2", ".msh", ".ugrid", ".b8.ugrid", ".lb8.ugrid", ".b8.ugrid64", ".mesh", ".meshb"];
/// The same of files in HDF5: the general layout, and VTK's.
const IN_HDF5: [&str; 2] = [".h5", ".vtkhdf"];

/// Two blocks of PLOT3D, one beside the other.
const BLOCKS: &str = "2\n2 2 2 2\n0.0 1.0 0.0 1.0\n0.0 0.0 1.0 1.0\n1.0 2.0 1.0 2.0\n0.0 0.0 1.0 1.0\n";

/// A small mesh with all kinds of elements of three dimensions.
fn mesh() -> ElementMesh {
    ElementBox::unit(Filling::MixedSpace, [3, 2, 1]).mesh(&Comm::single()).unwrap()
}

/// The mesh in a file.
fn written(place: &Place, ending: &str) -> PathBuf {
    let path = place.0.path().join(format!("good{ending}"));
    write_element_mesh(&Comm::single(), &mesh(), &path).unwrap();
    path
}

/// The mesh in every format but HDF5, and blocks of PLOT3D.
fn files(place: &Place) -> Vec<PathBuf> {
    let vtu = write_element_vtu(&Comm::single(), place.0.path(), "good", &mesh()).unwrap();
    let more = [place.0.path().join(vtu), place.write("good.p2dfmt", BLOCKS)];
    WRITTEN.iter().map(|ending| written(place, ending)).chain(more).collect()
}

/// The damaged file beside the good one, with the same ending.
fn damaged(path: &Path, bytes: &[u8]) -> PathBuf {
    let name = path.file_name().unwrap().to_str().unwrap().replace("good", "bad");
    let bad = path.with_file_name(name);
    fs::write(&bad, bytes).unwrap();
    bad
}

/// What a reader says of a file, the same on any number of ranks.
fn read(path: &Path, ranks: &[usize]) -> Result<(), IoError> {
    let of = |ranks: &usize| Comm::simulate(*ranks, |comm| read_element_mesh(&comm, path).map(|_| ()));
    let all: Vec<Result<(), IoError>> = ranks.iter().flat_map(of).collect();
    assert!(all.iter().all(|other| *other == all[0]), "{path:?}: {all:?}");
    all[0].clone()
}

#[test]
fn a_file_that_ends_anywhere_too_early_is_refused() {
    let place = Place::new();
    for path in files(&place) {
        let bytes = fs::read(&path).unwrap();
        // In the last line of a text, a number whose last digits are missing is one, too, and others may be left out.
        let is_text = bytes.is_ascii();
        let most = match is_text {
            true => bytes.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').unwrap() + 1,
            // What follows the last keyword of Medit says nothing, nor do VTK's last tags.
            false => last_tags(&bytes).unwrap_or(bytes.len() - 9),
        };
        for length in (0..most).step_by(1 + most / 120).chain(most.saturating_sub(20)..=most) {
            let bad = damaged(&path, &bytes[..length]);
            let ranks: &[usize] = if length % 8 == 0 { &[1, 3] } else { &[1] };
            match read(&bad, ranks) {
                Err(error) => assert!(error.is_input(), "{error}"),
                Ok(()) => panic!("{length} bytes of the {} of {path:?} were a mesh", bytes.len()),
            }
        }
    }
}

/// Where the numbers of VTK's XML end.
fn last_tags(bytes: &[u8]) -> Option<usize> {
    let tag = b"\n</AppendedData>";
    bytes.windows(tag.len()).rposition(|window| window == tag).map(|at| at - 1)
}

/// Messages are the library's, whose second is not always its first.
#[test]
fn files_in_hdf5_that_are_damaged_or_end_early_never_crash() {
    let place = Place::new();
    for ending in IN_HDF5 {
        let path = written(&place, ending);
        let good = fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(1 + good.len() / 60) {
            let read = |bytes: &[u8]| read_element_mesh(&Comm::single(), &damaged(&path, bytes)).map(drop);
            let mut bytes = good.clone();
            bytes[at] ^= 0x41;
            if let Err(error) = read(&bytes) {
                assert!(error.is_input(), "byte {at} of {path:?}: {error}");
            }
            let error = read(&good[..at]).expect_err("a part of a file");
            assert!(error.is_input(), "{at} bytes of {path:?}: {error}");
        }
    }
}

#[test]
fn a_byte_that_is_another_never_crashes() {
    let place = Place::new();
    for path in files(&place) {
        let good = fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(1 + good.len() / 120) {
            for flip in [0x80, 0x01] {
                let mut bytes = good.clone();
                bytes[at] ^= flip;
                let ranks: &[usize] = if at % 16 == 0 { &[1, 3] } else { &[1] };
                if let Err(error) = read(&damaged(&path, &bytes), ranks) {
                    assert!(error.is_input(), "byte {at} of {path:?}: {error}");
                }
            }
        }
    }
}

/// Replaces what a text has once by something else; the message about it must contain `words`.
fn check(place: &Place, name: &str, text: &str, changes: &[(&str, &str, &str)]) {
    assert_eq!(read(&place.write(name, text), &[1, 3]), Ok(()), "{name}");
    for (from, to, words) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {text}");
        let message =
            read(&place.write(name, text.replacen(from, to, 1)), &[1, 2, 5]).unwrap_err().to_string();
        assert!(message.contains(words), "{from:?} -> {to:?}: {message}");
    }
}

#[test]
fn what_is_wrong_in_a_medit_file_is_named_with_its_line() {
    let text = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1.25 0\n1 1 1 0\n\
                Tetrahedra\n2\n1 2 3 4 9\n2 3 4 5 9\nTriangles\n1\n1 3 2 7\nEnd\n";
    let changes = [
        ("Formatted 2", "Formatted 5", ":1:22: this is version 5"),
        ("Dimension 3", "Dimension 4", ":2:11: the mesh has 4 dimensions"),
        ("\n5\n", "\n99999999999\n", ":4:1: the number of vertices: 99999999999 do not fit"),
        ("\n5\n", "\n6\n", ":10:1: "),
        ("\n5\n", "\n4\n", ":13: there is no node 5"),
        ("1.25", "nan", ":8:5: NaN is not a finite number"),
        ("1.25", "1e999", ":8:5: "),
        ("1 2 3 4 9", "1 2 3 6 9", ":12: there is no node 6"),
        ("1 2 3 4 9", "1 2 3 0 9", ":12: there is no node 0"),
        ("1 2 3 4 9", "1 2 3 3 9", ":12: degenerate tetrahedron"),
        ("1 2 3 4 9", "1 2 3 4 9e", ":12:9: "),
        ("Triangles", "Tetrahedra", ":14:1: a second Tetrahedra"),
        ("Triangles", "TrianglesP2", ":14:1: TrianglesP2: elements with curved sides are not read"),
        ("End\n", "", "without End"),
    ];
    check(&Place::new(), "a.mesh", text, &changes);
}

#[test]
fn what_is_wrong_in_a_ugrid_file_is_named_with_its_line() {
    let text = "5 1 0 2 0 0 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1.25\n1 1 1\n1 3 2\n77\n1 2 3 4\n2 3 4 5\n";
    let changes = [
        ("5 1 0 2 0 0 0", "99999999999 1 0 2 0 0 0", ":1:1: the number of nodes: 99999999999 do not fit"),
        ("5 1 0 2 0 0 0", "5 1 0 2 0 0 1", ":"),
        ("5 1 0 2 0 0 0", "5 1 0 1 0 0 0", "is one of the first seven numbers too small?"),
        ("1.25", "inf", ":5:5: "),
        ("1 3 2", "1 3 9", ":7: there is no node 9"),
        ("1 2 3 4", "1 2 2 4", ":9: degenerate tetrahedron"),
        ("1 2 3 4", "-1 2 3 4", ":9:1: "),
    ];
    check(&Place::new(), "a.ugrid", text, &changes);
}

#[test]
fn what_is_wrong_in_blocks_is_named_with_its_line_or_cell() {
    let changes = [
        ("2\n2 2 2 2", "0\n2 2 2 2", ":1:1: 0 is not the number of blocks"),
        ("2\n2 2 2 2", "99999999999\n2 2 2 2", ":1:1: "),
        ("2 2 2 2", "2 2 2 1", "block 2 has 1 nodes in a direction"),
        ("2 2 2 2", "2 2 2 99999999999", "do not fit in the rest of a file"),
        ("2 2 2 2", "2 2 2", ":3:1: 3 sizes of 2 blocks"),
        ("1.0 2.0 1.0 2.0", "1.0 NaN 1.0 2.0", ":5:5: "),
        ("1.0 2.0 1.0 2.0", "1.0 1.0 1.0 1.0", "blocks overlap"),
    ];
    check(&Place::new(), "a.p2dfmt", BLOCKS, &changes);
    let place = Place::new();
    let message = read(&place.write("a.p2dfmt", format!("{BLOCKS}0.5\n")), &[1, 3]).unwrap_err().to_string();
    assert!(message.contains(":7:1: the file goes on after the last coordinate"), "{message}");
}

#[test]
fn binary_files_of_the_other_byte_order_are_refused() {
    let place = Place::new();
    let good = files(&place);
    let of = |ending: &str| good.iter().find(|path| path.to_str().unwrap().ends_with(ending)).unwrap();
    for (from, to) in [(".b8.ugrid", "good.lb8.ugrid"), (".lb8.ugrid", "good.b8.ugrid")] {
        let bytes = fs::read(of(&format!("good{from}"))).unwrap();
        let place = Place::new();
        let message = read(&place.write(to, bytes), &[1, 3]).unwrap_err().to_string();
        assert!(message.contains("but the content is that of"), "{to}: {message}");
    }
    let mut bytes = fs::read(of(".meshb")).unwrap();
    // The place of the second keyword.
    bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let message = read(&place.write("bad.meshb", bytes), &[1, 3]).unwrap_err().to_string();
    assert!(message.contains("byte 12") && message.contains("says that the next is at byte -1"), "{message}");
}
