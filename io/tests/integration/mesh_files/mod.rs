//! Mesh files: what is written can be read, whatever the format and the ranks; damaged files are refused.

mod elements;
// Hexahedra with neighbours.
mod hexahedra;
mod levels;

use std::fs;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_io::format::{HDF5, OP2_HDF5, OP2_TEXT};
use cfd_io::{
    IoError, given_hash, mesh_hash, read_derived, read_mesh, read_mesh_as_is, read_mesh_of, write_given,
    write_mesh,
};
use cfd_mesh::{
    BILINEAR, Boundaries, BoundaryKind, CELL_EDGES, DUAL_LEVELS, Derived, FAR_FIELD, Given, NEIGHBOURS,
    STORED, TRIANGLES, generate,
};
use hdf5::File;
use hdf5::types::VarLenUnicode;

const NAMES: [&str; 3] = ["a.h5", "a.op2.h5", "a.dat"];

/// The whole mesh, as on one rank.
fn read_whole(path: &Path) -> Result<Mesh, IoError> {
    read_mesh(&Comm::single(), path).map(Given::into_content)
}

/// Those that are generated around an airfoil.
static AROUND: [&Derived; 2] = [&CELL_EDGES, &BILINEAR];

fn generate(comm: &Comm, derived: &Derived, decimals: Option<u32>) -> Mesh {
    match derived == &CELL_EDGES {
        true => generate::naca0012::cells(comm, 6, 5, decimals).unwrap(),
        false => generate::naca0012::elements(comm, 6, 5, decimals).unwrap(),
    }
}

fn write_derived_on(ranks: usize, derived: &'static Derived, path: &Path) {
    Comm::simulate(ranks, |comm| {
        write_mesh(&comm, &generate(&comm, derived, Some(6)), derived, path).unwrap();
    });
}

fn write_on(ranks: usize, path: &Path) {
    write_derived_on(ranks, &CELL_EDGES, path);
}

/// What a file is said to hold.
fn derived_of(given: &Given) -> &'static Derived {
    match given {
        Given::Derived { derived, .. } => derived,
        Given::Elements(_) => panic!("the file holds elements"),
    }
}

/// Messages on one rank and on three, which are the same everywhere.
fn message(path: &Path) -> String {
    let results = [1, 3].into_iter().flat_map(|n| Comm::simulate(n, |comm| read_mesh(&comm, path)));
    let errors: Vec<IoError> = results.map(|r| r.unwrap_err()).collect();
    assert!(errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    assert!(errors[0].is_input());
    errors[0].to_string()
}

fn assert_parts(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in {message:?}");
    }
}

#[test]
fn the_generated_mesh_is_the_same_on_any_number_of_ranks() {
    for derived in AROUND {
        let whole = generate(&Comm::single(), derived, None);
        let hash = mesh_hash(&Comm::single(), &whole);
        for ranks in [2, 5] {
            let parts = Comm::simulate(ranks, |comm| {
                let mesh = generate(&comm, derived, None);
                assert_eq!(mesh_hash(&comm, &mesh), hash);
                mesh
            });
            for (k, map) in whole.maps.iter().enumerate() {
                let rows: Vec<u64> = parts.iter().flat_map(|m| m.maps[k].rows.clone()).collect();
                assert_eq!(rows, map.rows, "{} on {ranks} ranks", map.name);
            }
        }
    }
}

#[test]
fn every_format_gives_the_mesh_back_on_any_number_of_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let formats = NAMES.into_iter().zip([&HDF5, &OP2_HDF5, &OP2_TEXT]);
    for (derived, (name, format)) in
        AROUND.into_iter().flat_map(|derived| formats.clone().map(move |f| (derived, f)))
    {
        let whole = generate(&Comm::single(), derived, Some(6));
        let hash = mesh_hash(&Comm::single(), &whole);
        let path = |ranks: usize| dir.path().join(format!("{derived}{ranks}{name}"));
        for ranks in [1, 3] {
            let path = path(ranks);
            write_derived_on(ranks, derived, &path);
            assert_eq!(read_whole(&path).unwrap(), whole, "{}", path.display());
            for found in Comm::simulate(4, |comm| {
                let (given, format) = read_mesh_as_is(&comm, &path).unwrap();
                (derived_of(&given), format, given_hash(&comm, &given))
            }) {
                assert_eq!(found, (derived, format, hash));
            }
        }
        assert!(
            fs::read(path(1)).unwrap() == fs::read(path(3)).unwrap(),
            "{name} of {derived} has the same bytes from any ranks"
        );
    }
}

#[test]
fn a_mesh_without_edges_survives_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let comm = Comm::single();
    let mesh = generate::block(&comm, 1, 1).unwrap();
    for name in NAMES {
        let path = dir.path().join(name);
        write_mesh(&comm, &mesh, &CELL_EDGES, &path).unwrap();
        assert_eq!(read_whole(&path).unwrap(), mesh);
    }
}

#[test]
fn a_mesh_without_elements_is_refused_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let comm = Comm::single();
    let spec =
        generate::hexahedra::Spec { shape: generate::hexahedra::Shape::Box, size: [2, 2, 2], levels: 1 };
    let meshes: [(&'static Derived, Mesh); 5] = [
        (&TRIANGLES, generate::triangles(&comm, [1, 1]).unwrap()),
        (&CELL_EDGES, generate::block(&comm, 1, 1).unwrap()),
        (&BILINEAR, generate::square(&comm, 1, 0.0).unwrap()),
        (&DUAL_LEVELS, generate::hexahedra::generate(&comm, &spec).unwrap()),
        (&NEIGHBOURS, generate::cube(&comm, 1, 1.0).unwrap()),
    ];
    assert!(STORED.into_iter().all(|stored| meshes.iter().any(|(derived, _)| *derived == stored)));
    for (derived, mut mesh) in meshes {
        mesh.sets.iter_mut().for_each(|set| set.rows = 0);
        mesh.maps.iter_mut().for_each(|map| map.rows.clear());
        for dat in &mut mesh.dats {
            dat.values = match dat.values {
                Values::F64(_) => Values::F64(Vec::new()),
                Values::I32(_) => Values::I32(Vec::new()),
            };
        }
        let names = if AROUND.contains(&derived) { &NAMES[..] } else { &NAMES[..1] };
        for name in names {
            let path = dir.path().join(name);
            write_mesh(&comm, &mesh, derived, &path).unwrap();
            assert_parts(&message(&path), &["the mesh has no ", "; expected some"]);
        }
    }
}

#[test]
fn the_constants_that_op2_s_airfoil_reads_are_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.op2.h5");
    for ranks in [1, 3] {
        write_on(ranks, &path);
        let file = File::open(&path).unwrap();
        let read = |name: &str| {
            let constant = file.dataset(name).unwrap();
            let values = constant.read_raw::<f64>().unwrap();
            // OP2 compares these with the program's requests.
            assert_eq!(constant.attr("dim").unwrap().read_raw::<i32>().unwrap(), [values.len() as i32]);
            assert_eq!(constant.shape(), [values.len()]);
            let kind: hdf5::types::FixedAscii<10> = constant.attr("type").unwrap().read_scalar().unwrap();
            assert_eq!(kind.as_str(), "double");
            values
        };
        let [gamma, cfl, eps, mach] = [1.4f32, 0.9, 0.05, 0.4].map(f64::from);
        let numbers = [("gam", gamma), ("gm1", gamma - 1.0), ("cfl", cfl), ("eps", eps), ("mach", mach)];
        for (name, expected) in numbers {
            assert_eq!(read(name), [expected], "{name}");
        }
        assert_eq!(read("alpha"), [3f64.to_radians()]);
        // The free stream is the state that the run begins with.
        let state = file.dataset("p_q").unwrap().read_raw::<f64>().unwrap();
        assert_eq!(read("qinf"), state[..4]);
    }
}

#[test]
fn coordinates_of_all_bits_survive_the_text_format() {
    let dir = tempfile::tempdir().unwrap();
    let comm = Comm::single();
    let mesh = generate::naca0012::cells(&comm, 4, 3, None).unwrap();
    let path = dir.path().join("a.dat");
    write_mesh(&comm, &mesh, &CELL_EDGES, &path).unwrap();
    assert_eq!(mesh_hash(&comm, &read_whole(&path).unwrap()), mesh_hash(&comm, &mesh));
}

#[test]
fn the_format_is_found_from_the_content_not_the_name() {
    let dir = tempfile::tempdir().unwrap();
    for (name, derived) in NAMES.into_iter().flat_map(|name| AROUND.map(|derived| (name, derived))) {
        write_derived_on(1, derived, &dir.path().join(name));
        let other = dir.path().join("mesh");
        fs::copy(dir.path().join(name), &other).unwrap();
        assert_eq!(derived_of(&read_mesh(&Comm::single(), &other).unwrap()), derived);
    }
}

#[test]
fn index_datasets_may_be_i64() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    write_on(1, &path);
    let before = read_whole(&path).unwrap();
    {
        let file = File::open_rw(&path).unwrap();
        let rows = file.dataset("edge_cells").unwrap().read_2d::<i64>().unwrap();
        file.unlink("edge_cells").unwrap();
        file.new_dataset_builder().with_data(&rows).create("edge_cells").unwrap();
    }
    assert_eq!(read_whole(&path).unwrap(), before);
}

#[test]
fn op2_files_as_published_are_read() {
    // Blanks before and after, coordinates with six decimals, no newline at the end; sets of scalar shape, compressed maps.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new_grid.dat");
    let text = " 4 1 0 4 \n 0.000000 0.000000 \n 1.000000 0.000000 \n 1.000000 1.000000 \n 0.000000 1.000000 \n 0 1 2 3 \n \
                1 0 0 1 \n 2 1 0 2 \n 3 2 0 2 \n 0 3 0 2";
    fs::write(&path, text).unwrap();
    let mesh = read_whole(&path).unwrap();
    assert_eq!(mesh.maps[4].rows, [0, 1, 2, 3]);
    let hdf5 = dir.path().join("new_grid.h5");
    {
        let file = File::create(&hdf5).unwrap();
        for (set, rows) in [("nodes", 4), ("edges", 0), ("bedges", 4), ("cells", 1)] {
            file.new_dataset::<i32>().create(set).unwrap().write_scalar(&rows).unwrap();
        }
        for name in ["pedge", "pecell"] {
            file.new_dataset::<i32>().shape((0, 2)).create(name).unwrap();
        }
        let put = |name: &str, rows: (usize, usize), values: &[i64]| {
            file.new_dataset::<i64>().shape(rows).create(name).unwrap().write_raw(values).unwrap();
        };
        put("pbedge", (4, 2), &[1, 0, 2, 1, 3, 2, 0, 3]);
        put("pbecell", (4, 1), &[0; 4]);
        put("pcell", (1, 4), &[0, 1, 2, 3]);
        put("p_bound", (4, 1), &[1, 2, 2, 2]);
        let x = file.new_dataset::<f64>().shape((4, 2)).create("p_x").unwrap();
        x.write_raw(&[0., 0., 1., 0., 1., 1., 0., 1.]).unwrap();
        // Not needed, and of no known shape.
        file.new_dataset::<f64>().shape(7).create("p_q").unwrap();
    }
    assert_eq!(read_whole(&hdf5).unwrap(), mesh);
}

#[test]
fn a_file_truncated_anywhere_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (name, derived) in NAMES.into_iter().flat_map(|name| AROUND.map(|derived| (name, derived))) {
        let path = dir.path().join(name);
        write_derived_on(1, derived, &path);
        let bytes = fs::read(&path).unwrap();
        // The text's last newline may be missing.
        let most = if name.ends_with(".dat") { bytes.len() - 2 } else { bytes.len() - 1 };
        let step = (most / 100).max(1);
        for length in (0..most).step_by(step).chain(most.saturating_sub(12)..=most) {
            fs::write(&path, &bytes[..length]).unwrap();
            let error = match read_whole(&path) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{name} of {length} bytes of {} was taken for a mesh", bytes.len()),
            };
            assert_parts(&error, &[name]);
        }
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert_parts(&message(&path), &[name]);
    }
}

#[test]
fn a_flipped_byte_is_an_error_or_in_the_numbers_but_never_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let mesh = generate::block(&Comm::single(), 2, 1).unwrap();
    write_mesh(&Comm::single(), &mesh, &CELL_EDGES, &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    // At night more of them.
    let whole = std::env::var("CFD_TEST_BYTES").is_ok_and(|value| value == "all");
    for at in (0..bytes.len()).step_by(if whole { 3 } else { 13 }) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        fs::write(&path, &damaged).unwrap();
        if let Ok(read) = read_whole(&path) {
            // The low bits of a coordinate may change unnoticed, but nothing else.
            assert_eq!(
                (&read.sets, &read.maps, &read.dats[1]),
                (&mesh.sets, &mesh.maps, &mesh.dats[1]),
                "byte {at}"
            );
        }
    }
}

#[test]
fn files_that_are_no_meshes_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mesh");
    assert_parts(&message(&path), &["mesh: cannot be read: No such file"]);
    assert_parts(&message(dir.path()), &["not a regular file"]);
    for content in ["", "hello\n", "\u{89}HD"] {
        fs::write(&path, content).unwrap();
        assert_parts(&message(&path), &["this is not a mesh file; expected HDF5"]);
    }
    File::create(&path).unwrap();
    assert_parts(&message(&path), &["this HDF5 file is not a mesh", "`case`"]);
}

#[test]
fn a_published_level_without_numbers_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("level0.h5");
    {
        let file = File::create(&path).unwrap();
        file.new_dataset::<i32>().shape((1, 2)).create("edge-->node").unwrap();
        file.new_dataset::<f64>().shape((1, 3)).create("node_coordinates").unwrap();
    }
    assert_parts(&message(&path), &["level0.h5: `edge-->node`", "truncated or damaged"]);
}

/// Replaces one dataset or attribute of a good file.
fn damaged(dir: &Path, change: impl Fn(&File)) -> String {
    let path = dir.join("a.h5");
    write_on(1, &path);
    change(&File::open_rw(&path).unwrap());
    message(&path)
}

#[test]
fn wrong_datasets_and_attributes_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let m = damaged(dir, |f| f.unlink("cell_nodes").unwrap());
    assert_parts(&m, &["a.h5: `cell_nodes`: the dataset is missing"]);

    let m = damaged(dir, |f| {
        f.unlink("edge_cells").unwrap();
        f.new_dataset::<f64>().shape((4, 2)).create("edge_cells").unwrap();
    });
    assert_parts(&m, &["`edge_cells`: the type is float64, expected integers"]);

    let m = damaged(dir, |f| {
        f.unlink("node_coordinates").unwrap();
        f.new_dataset::<i32>().shape((4, 2)).create("node_coordinates").unwrap();
    });
    assert_parts(&m, &["`node_coordinates`: the type is int32, expected floating-point"]);

    let m = damaged(dir, |f| {
        f.unlink("cell_nodes").unwrap();
        let cells = f.new_dataset::<i32>().shape((1, 3)).create("cell_nodes").unwrap();
        cells.write_raw(&[0, 1, 2]).unwrap();
    });
    assert_parts(&m, &["`cell_nodes`: the shape is [1, 3], expected (cells, 4)"]);

    let m = damaged(dir, |f| {
        f.unlink("bedge_bound").unwrap();
        let bound = f.new_dataset::<i32>().shape(2).create("bedge_bound").unwrap();
        bound.write_raw(&[1, 2]).unwrap();
    });
    assert_parts(&m, &["`bedge_bound`: 2 rows, but `bedge_nodes` says there are 34 bedges"]);

    let m = damaged(dir, |f| set_case(f, "airfol"));
    assert_parts(&m, &["`case`: unknown case \"airfol\""]);
    let m = damaged(dir, |f| set_case(f, "mgcfd"));
    assert_parts(&m, &["a.h5: `level0`: the group of the finest level is missing"]);
    let m = damaged(dir, |f| set_case(f, "aero"));
    assert_parts(&m, &["a.h5: `bnode_node`: the dataset is missing"]);
    let m = damaged(dir, |f| f.attr("schema").unwrap().write_scalar(&2).unwrap());
    assert_parts(&m, &["`schema`: the attribute is 2, expected 1"]);
    let m = damaged(dir, |f| f.delete_attr("schema").unwrap());
    assert_parts(&m, &["`schema`: the attribute is missing"]);

    let m = damaged(dir, |f| {
        let bound = f.dataset("bedge_bound").unwrap();
        bound.write_slice(&[7i32], 3..4).unwrap();
    });
    assert_parts(&m, &["a.h5: `bedge_bound` row 3: the flag 7 is unknown"]);
    let m = damaged(dir, |f| {
        let edges = f.dataset("edge_nodes").unwrap();
        edges.write_slice(&[-1i32], (5, 1..2)).unwrap();
    });
    assert_parts(&m, &["`edge_nodes` row 5: index -1 is out of range; allowed are the nodes 0 to 113"]);
}

/// A string of variable length, as h5py writes it.
fn set_case(file: &File, case: &str) {
    file.delete_attr("case").unwrap();
    let text: VarLenUnicode = case.parse().unwrap();
    file.new_attr::<VarLenUnicode>().shape(()).create("case").unwrap().write_scalar(&text).unwrap();
}

#[test]
fn the_case_may_be_a_text_of_variable_length() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    write_on(1, &path);
    let before = read_whole(&path).unwrap();
    set_case(&File::open_rw(&path).unwrap(), "airfoil");
    assert_eq!(read_whole(&path).unwrap(), before);
}

#[test]
fn a_case_that_is_no_text_at_all_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    write_on(1, &path);
    set_case(&File::open_rw(&path).unwrap(), "Airfoil");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(7).position(|w| w == b"Airfoil").unwrap();
    bytes[at] = 0xff;
    fs::write(&path, &bytes).unwrap();
    assert_parts(&message(&path), &["`case`: unknown case \"\u{fffd}irfoil\""]);
}

#[test]
fn a_huge_claimed_shape_is_refused_before_anything_is_allocated() {
    let dir = tempfile::tempdir().unwrap();
    let m = damaged(dir.path(), |f| {
        f.unlink("cell_nodes").unwrap();
        f.new_dataset::<i64>().shape((1usize << 50, 4)).create("cell_nodes").unwrap();
    });
    assert_parts(
        &m,
        &["`cell_nodes`: the shape [1125899906842624, 4] needs more values than the file holds"],
    );
    let m = damaged(dir.path(), |f| {
        f.unlink("cell_nodes").unwrap();
        f.new_dataset::<i64>().chunk((1024, 4)).shape((1usize << 50, 4)).create("cell_nodes").unwrap();
    });
    assert_parts(&m, &["`cell_nodes`: the shape", "needs more values than the file holds"]);
}

#[test]
fn text_errors_name_line_and_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dat");
    write_on(1, &path);
    let good = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    // 114 nodes, 90 cells, edges from line 206, boundary edges after them.
    assert_eq!(lines[0], "114 90 163 34");
    let with = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = text;
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        message(&path)
    };
    assert_parts(&with(3, "1.5 abc"), &["a.dat:3:5: \"abc\" is not a number; expected a node: x y"]);
    assert_parts(&with(120, "1 2.5 3 4"), &["a.dat:120:3: \"2.5\" is not an integer; expected a cell"]);
    assert_parts(&with(120, "1 2 3"), &["a.dat:120:6: 3 values instead of 4"]);
    assert_parts(&with(120, "1 2 3 4  5"), &["a.dat:120:10: more than 4 values"]);
    assert_parts(&with(120, ""), &["a.dat:120:1: 0 values instead of 4"]);
    assert_parts(&with(1, "114 90 163 35"), &["a.dat:403:1: the file ends here; expected a boundary edge"]);
    assert_parts(&with(1, "114 90 163 33"), &["a.dat:402:1: extra rows"]);
    // Aero's mesh begins with three numbers; no mesh begins with five.
    assert_parts(&with(1, "114 90 163"), &["a.dat:206:3: more than 1 values; expected a far-field node"]);
    assert_parts(
        &with(1, "114 90 163 34 1"),
        &["a.dat:1:15: more than 4 values", "nodes cells edges bedges"],
    );
    assert_parts(&with(1, "114 90 163 -34"), &["a.dat:1:1: -34 is not a number of elements"]);
    let m = with(1, "4611686018427387904 4611686018427387904 4611686018427387904 4611686018427387904");
    assert_parts(&m, &["a.dat:1:1: ", "do not fit in a file of"]);
    let long = "1 ".repeat(5000);
    assert_parts(&with(50, &long), &["a.dat:50:1: the line is too long"]);
    // Errors that only validation finds also name the line.
    assert_parts(&with(3, "nan 0.0"), &["a.dat:3: `node_coordinates` row 1: the coordinate NaN"]);
    assert_parts(&with(116, "0 1 20 114"), &["a.dat:116: `cell_nodes` row 0: index 114 is out of range"]);
    assert_parts(&with(402, "0 19 0 3"), &["a.dat:402: `bedge_bound` row 33: the flag 3"]);
    assert_parts(&with(402, "0 19 0 5000000000"), &["a.dat:402: ", "does not fit in 32 bits"]);
}

#[test]
fn unknown_extensions_and_directories_are_refused_when_writing() {
    let comm = Comm::single();
    let mesh = generate::block(&comm, 2, 2).unwrap();
    let write = |path: &str| write_mesh(&comm, &mesh, &CELL_EDGES, Path::new(path)).unwrap_err().to_string();
    assert_parts(&write("mesh.txt"), &["mesh.txt: cannot tell the mesh format", ".h5"]);
    assert_parts(&write("no/such/dir/mesh.h5"), &["no/such/dir/mesh.h5: cannot be written"]);
    assert_parts(&write("no/such/dir/mesh.dat"), &["no/such/dir/mesh.dat: cannot be written"]);
}

#[test]
fn a_mesh_of_which_nothing_else_can_be_made_is_refused_where_something_else_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let one = Comm::single();
    let refused = |derived: &'static Derived, mesh: Mesh, needed: &'static Derived, words: &str| {
        write_mesh(&one, &mesh, derived, &path).unwrap();
        let read = |comm: &Comm, derived| read_derived(comm, &path, derived, &Boundaries::default());
        assert_eq!(read(&one, derived), Ok(mesh));
        for result in Comm::simulate(3, |comm| read(&comm, needed)) {
            assert_parts(&result.unwrap_err().to_string(), &["a.h5: ", words]);
        }
    };
    let spec =
        generate::hexahedra::Spec { shape: generate::hexahedra::Shape::Box, size: [2, 2, 2], levels: 1 };
    let dual = generate::hexahedra::generate(&one, &spec).unwrap();
    let words = "this is a mesh of dual edges with levels, but cells with edges are needed";
    refused(&DUAL_LEVELS, dual, &CELL_EDGES, words);
    let cube = generate::cube(&one, 2, 1.0).unwrap();
    let words = "this is a mesh of 3 dimensions, but bilinear elements are needed";
    refused(&NEIGHBOURS, cube, &BILINEAR, words);
    // Bilinear elements do not say where the boundary is.
    let square = generate::square(&one, 2, 0.0).unwrap();
    let words = "the side of nodes 0, 1 of quadrilateral 0, at (0.25, 0), belongs to no other element and to no named";
    refused(&BILINEAR, square, &CELL_EDGES, words);
    let triangles = generate::triangles(&one, [2, 2]).unwrap();
    let words = "the boundaries \"1\", \"2\", \"3\", \"4\" are neither wall nor far field by their names";
    refused(&TRIANGLES, triangles, &CELL_EDGES, words);
}

#[test]
fn cells_with_edges_become_bilinear_elements_whose_far_field_is_that_of_the_flags() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let mut block = generate::block(&Comm::single(), 4, 3).unwrap();
    let bound = block.dat("bound").unwrap();
    // Every third boundary edge is a wall.
    let flags: Vec<i32> = (0..14).map(|row| if row % 3 == 0 { 1 } else { 2 }).collect();
    block.dats[bound].values = Values::I32(flags.clone());
    write_mesh(&Comm::single(), &block, &CELL_EDGES, &path).unwrap();
    let sides = block.targets("bedge_nodes").chunks_exact(2).zip(flags);
    let mut far: Vec<u64> =
        sides.filter(|(_, flag)| *flag == 2).flat_map(|(nodes, _)| nodes).copied().collect();
    far.sort_unstable();
    far.dedup();
    for ranks in [1, 3] {
        let found = Comm::simulate(ranks, |comm| {
            let found = read_derived(&comm, &path, &BILINEAR, &Boundaries::default()).unwrap();
            BILINEAR.check(&comm, &found, &[]).unwrap();
            found.targets("bnode_node").to_vec()
        });
        assert_eq!(found.concat(), far, "{ranks} ranks");
    }
}

#[test]
fn a_mesh_glued_along_a_cut_line_is_what_it_is_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    write_on(1, &path);
    let refused = read_derived(&Comm::single(), &path, &BILINEAR, &Boundaries::default()).unwrap_err();
    assert_parts(
        &refused.to_string(),
        &["a.h5: the side of nodes 0, 1 of quadrilateral 0, at (8.0555555, 0), belongs to no other element"],
    );
}

#[test]
fn a_format_without_such_meshes_is_refused_with_those_that_have_them() {
    let comm = Comm::single();
    let mesh = generate::square(&comm, 2, 0.0).unwrap();
    let given = Given::derived(&BILINEAR, mesh);
    let write = |format| write_given(&comm, &given, "no/a".as_ref(), format);
    assert_eq!(
        write(&cfd_io::format::MGCFD).unwrap_err().to_string(),
        "no/a: a mesh of bilinear elements cannot be written as MG-CFD; it can be written as .h5 or .hdf5 (HDF5), \
         .dat (OP2 \
         text), .op2.h5 or .op2.hdf5 (OP2 HDF5)"
    );
}

#[test]
fn flags_are_those_of_the_kinds_of_boundaries_that_the_reader_asks_for() {
    const KINDS: [BoundaryKind; 2] =
        [BoundaryKind { name: "hot", flag: 3, known: &[], meaning: "hot walls" }, FAR_FIELD];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    let comm = Comm::single();
    let mut mesh = generate::block(&comm, 2, 2).unwrap();
    let bound = mesh.dat("bound").unwrap();
    let Values::I32(flags) = &mut mesh.dats[bound].values else { panic!("flags are integers") };
    flags[5] = 3;
    write_mesh(&comm, &mesh, &CELL_EDGES, &path).unwrap();
    assert_parts(
        &message(&path),
        &["a.h5: `bedge_bound` row 5: the flag 3 is unknown; a boundary edge is 1 (wall) or 2 (far field)"],
    );
    let read = |kinds| read_mesh_of(&comm, &path, kinds).map(Given::into_content);
    assert_eq!(read(&KINDS), Ok(mesh));
    let message = read(&KINDS[..1]).unwrap_err().to_string();
    assert_parts(&message, &["`bedge_bound` row 0: the flag 2 is unknown; a boundary edge is 3 (hot)"]);
}
