//! Mesh files of bilinear elements: those of OP2's published program, damaged ones, and the standard mesh.

use std::fs;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_io::format::{OP2_HDF5, OP2_TEXT};
use cfd_io::{given_hash, mesh_hash, read_mesh, read_mesh_as_is, write_mesh};
use cfd_mesh::{BILINEAR, generate};
use hdf5::File;

use super::{assert_parts, derived_of, message, read_whole, write_derived_on};

#[test]
fn the_standard_mesh_has_the_published_sizes_and_always_the_same_hash() {
    let hashes = Comm::simulate(2, |comm| {
        let mesh = generate::naca0012::elements(&comm, 400, 600, Some(6)).unwrap();
        let sizes: Vec<(String, u64)> = mesh.sets.iter().map(|s| (s.name.clone(), s.rows)).collect();
        let published = [("nodes", 1201 * 601 - 401), ("cells", 720_000), ("bnodes", 3 * 400 + 2 * 600)];
        assert_eq!(sizes, published.map(|(name, rows)| (name.to_string(), rows)));
        mesh_hash(&comm, &mesh).to_string()
    });
    assert_eq!(hashes, vec![STANDARD; 2]);
}

/// Hash of the mesh of size 400,600 with 6 decimals.
const STANDARD: &str = "blake3:b22753919baccf01d46725f0ff9cbeea9ad0055b366f0eaf52142a0e6cbe312a";

#[test]
fn op2_files_as_published_are_read() {
    // Two adjacent elements whose outer nodes are on the far field, with blanks before and after.
    let dir = tempfile::tempdir().unwrap();
    let text = " 6 2 4 \n 0.000000 0.000000 \n 1.000000 0.000000 \n 2.000000 0.000000 \n 0.000000 1.000000 \n \
                1.000000 1.000000 \n 2.000000 1.000000 \n 0 1 3 4 \n 1 2 4 5 \n 0 \n 2 \n 3 \n 5 \n";
    let path = dir.path().join("FE_grid.dat");
    fs::write(&path, text).unwrap();
    let (given, format) = read_mesh_as_is(&Comm::single(), &path).unwrap();
    assert_eq!((derived_of(&given), format), (&BILINEAR, &OP2_TEXT));
    let mesh = given.into_content();
    assert_eq!(read_whole(&path).unwrap(), mesh);
    let names: Vec<&str> = mesh.sets.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["nodes", "cells", "bnodes"]);
    assert_eq!(mesh.maps[0].rows, [0, 1, 3, 4, 1, 2, 4, 5]);
    assert_eq!(mesh.maps[1].rows, [0, 2, 3, 5]);
    assert_eq!(mesh.dats[0].values, Values::F64(vec![0., 0., 1., 0., 2., 0., 0., 1., 1., 1., 2., 1.]));

    // The published program's HDF5 calls the far-field nodes `bedges`.
    let hdf5 = dir.path().join("FE_grid.h5");
    {
        let file = File::create(&hdf5).unwrap();
        for (set, rows) in [("nodes", 6), ("cells", 2), ("bedges", 4)] {
            file.new_dataset::<i32>().shape(1).create(set).unwrap().write_raw(&[rows]).unwrap();
        }
        let put = |name: &str, rows: (usize, usize), values: &[i32]| {
            file.new_dataset::<i32>().shape(rows).create(name).unwrap().write_raw(values).unwrap();
        };
        put("pcell", (2, 4), &[0, 1, 3, 4, 1, 2, 4, 5]);
        put("pbedge", (4, 1), &[0, 2, 3, 5]);
        let x = file.new_dataset::<f64>().shape((6, 2)).create("p_x").unwrap();
        x.write_raw(&[0., 0., 1., 0., 2., 0., 0., 1., 1., 1., 2., 1.]).unwrap();
        // Not needed, and of no known shape.
        file.new_dataset::<f64>().shape(7).create("p_K").unwrap();
    }
    let (given, format) = read_mesh_as_is(&Comm::single(), &hdf5).unwrap();
    assert_eq!((derived_of(&given), format), (&BILINEAR, &OP2_HDF5));
    assert_eq!(read_whole(&hdf5).unwrap(), mesh);
}

#[test]
fn written_op2_files_have_everything_that_the_published_program_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.op2.h5");
    write_derived_on(3, &BILINEAR, &path);
    let file = File::open(&path).unwrap();
    // 6 x 5: 19 x 6 - 7 nodes, 90 cells, 28 far-field nodes.
    let shapes = [
        ("nodes", vec![1]),
        ("cells", vec![1]),
        ("bedges", vec![1]),
        ("pcell", vec![90, 4]),
        ("pbedge", vec![28, 1]),
        ("p_x", vec![107, 2]),
        ("p_phim", vec![107, 1]),
        ("p_resm", vec![107, 1]),
        ("p_none", vec![107, 4]),
        ("p_K", vec![90, 16]),
        ("p_V", vec![107, 1]),
        ("p_P", vec![107, 1]),
        ("p_U", vec![107, 1]),
    ];
    for (name, shape) in shapes {
        let dataset = file.dataset(name).unwrap();
        assert_eq!(dataset.shape(), shape, "{name}");
        if shape.len() > 1 {
            let dim = dataset.attr("dim").unwrap().read_raw::<i32>().unwrap();
            assert_eq!(dim, [shape[1] as i32], "{name}");
        }
    }
    // It starts from the potential of a free stream of Mach 0.1.
    let x = file.dataset("p_x").unwrap().read_raw::<f64>().unwrap();
    let potential = file.dataset("p_phim").unwrap().read_raw::<f64>().unwrap();
    assert!(potential.iter().zip(x.chunks_exact(2)).all(|(p, x)| *p == 0.1 * x[0]));
    assert!(file.dataset("p_K").unwrap().read_raw::<f64>().unwrap().iter().all(|&k| k == 0.0));
}

#[test]
fn coordinates_of_all_bits_survive_the_text_format() {
    let dir = tempfile::tempdir().unwrap();
    let comm = Comm::single();
    let mesh = generate::square(&comm, 4, 0.2).unwrap();
    let path = dir.path().join("a.dat");
    write_mesh(&comm, &mesh, &BILINEAR, &path).unwrap();
    assert_eq!(mesh_hash(&comm, &read_whole(&path).unwrap()), mesh_hash(&comm, &mesh));
}

#[test]
fn a_mesh_without_far_field_survives_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let comm = Comm::single();
    let mut mesh = generate::square(&comm, 2, 0.0).unwrap();
    mesh.sets[2].rows = 0;
    mesh.maps[1].rows.clear();
    for name in super::NAMES {
        let path = dir.path().join(name);
        write_mesh(&comm, &mesh, &BILINEAR, &path).unwrap();
        let found = Comm::simulate(2, |comm| read_mesh(&comm, &path).map(|given| given_hash(&comm, &given)));
        assert!(found.into_iter().all(|hash| hash == Ok(mesh_hash(&comm, &mesh))), "{name}");
    }
}

/// Replaces one dataset of a good file.
fn damaged(dir: &Path, change: impl Fn(&File)) -> String {
    let path = dir.join("a.h5");
    write_derived_on(1, &BILINEAR, &path);
    change(&File::open_rw(&path).unwrap());
    message(&path)
}

#[test]
fn wrong_datasets_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let m = damaged(dir, |f| f.unlink("bnode_node").unwrap());
    assert_parts(&m, &["a.h5: `bnode_node`: the dataset is missing"]);
    let m = damaged(dir, |f| {
        f.unlink("bnode_node").unwrap();
        let bnodes = f.new_dataset::<i32>().shape((4, 1)).create("bnode_node").unwrap();
        bnodes.write_raw(&[0, 1, 2, 3]).unwrap();
    });
    assert_parts(&m, &["`bnode_node`: the shape is [4, 1], expected (bnodes)"]);
    let m = damaged(dir, |f| f.dataset("bnode_node").unwrap().write_slice(&[107i32], 5..6).unwrap());
    assert_parts(&m, &["`bnode_node` row 5: index 107 is out of range; allowed are the nodes 0 to 106"]);
    let m = damaged(dir, |f| f.dataset("bnode_node").unwrap().write_slice(&[11i32], 5..6).unwrap());
    assert_parts(&m, &["a.h5: `bnode_node` row ", "duplicate far-field node"]);
}

#[test]
fn wrong_op2_datasets_are_named_by_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.op2.h5");
    let damaged = |change: &dyn Fn(&File)| {
        write_derived_on(1, &BILINEAR, &path);
        change(&File::open_rw(&path).unwrap());
        message(&path)
    };
    let m = damaged(&|f| f.dataset("bedges").unwrap().write_raw(&[27i32]).unwrap());
    assert_parts(&m, &["`pbedge`: 28 rows, but `bedges` says there are 27 bnodes"]);
    let m = damaged(&|f| f.unlink("pbedge").unwrap());
    assert_parts(&m, &["`pbedge`: the dataset is missing"]);
    let m = damaged(&|f| f.dataset("pcell").unwrap().write_slice(&[-1i32], (5, 1..2)).unwrap());
    assert_parts(&m, &["`pcell` row 5: index -1 is out of range"]);
}

#[test]
fn text_errors_name_line_and_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dat");
    write_derived_on(1, &BILINEAR, &path);
    let good = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    // 107 nodes from line 2, 90 cells from line 109, 28 far-field nodes from line 199.
    assert_eq!(lines[0], "107 90 28");
    assert_eq!(lines.len(), 226);
    let with = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = text;
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        message(&path)
    };
    assert_parts(&with(1, "107 90 29"), &["a.dat:227:1: the file ends here; expected a far-field node: n"]);
    assert_parts(&with(1, "107 90 27"), &["a.dat:226:1: extra rows"]);
    assert_parts(&with(1, "107 90 -28"), &["a.dat:1:1: -28 is not a number of elements", "FE_grid.dat"]);
    let m = with(1, "4611686018427387904 90 28");
    assert_parts(&m, &["a.dat:1:1: 4611686018427387904 nodes, 90 cells, 28 bnodes do not fit in a file of"]);
    assert_parts(&with(109, "1 2 x 3"), &["a.dat:109:5: \"x\" is not an integer; expected a cell"]);
    assert_parts(&with(199, "1 2"), &["a.dat:199:3: more than 1 values; expected a far-field node"]);
    // If 106 is at the very end, digits could be missing.
    fs::write(&path, good.trim_end()).unwrap();
    assert_parts(&message(&path), &["a.dat:226:3: the file ends right after this number"]);
    fs::write(&path, good.trim_end().to_owned() + " ").unwrap();
    read_whole(&path).unwrap();
    // Errors that only validation finds also name the line.
    assert_parts(&with(3, "nan 0.0"), &["a.dat:3: `node_coordinates` row 1: the coordinate NaN"]);
    assert_parts(&with(109, "0 1 20 107"), &["a.dat:109: `cell_nodes` row 0: index 107 is out of range"]);
    assert_parts(&with(200, "1000"), &["a.dat:200: `bnode_node` row 1: index 1000 is out of range"]);
    assert_parts(&with(200, lines[198]), &["a.dat:200: `bnode_node` row 1: duplicate far-field node: row 0"]);
}
