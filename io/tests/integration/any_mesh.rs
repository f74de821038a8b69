//! A mesh of any sets, maps and dats is written and read back bit by bit, on any number of ranks; mistakes in a file
//! are refused with their position.

use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_io::{IoError, read_any_mesh, read_mesh, write_any_mesh};
use hdf5::types::FixedUnicode;
use tempfile::TempDir;

const RANKS: [usize; 4] = [1, 2, 3, 5];

/// More elements than 32 bits can count; nothing is stored on them.
const MANY: u64 = (1 << 33) + 5;

/// Rows of each set.
const SETS: [(&str, u64); 4] = [("nodes", 11), ("level0/faces", 7), ("nothing", 0), ("many", MANY)];

/// Numbers without a pattern.
fn mixed(k: u64) -> u64 {
    (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// This rank's blocks: maps of several arities, with targets beyond 2^32, dats of both kinds, of several dimensions
/// including zero, and NaNs.
fn mesh(comm: &Comm) -> Mesh {
    let mut mesh = Mesh::default();
    SETS.iter().for_each(|(name, rows)| {
        mesh.add_set(name, *rows);
    });
    let own = |set: usize, dim: u64| {
        let rows = Blocks::new(SETS[set].1, comm.size()).range(comm.rank());
        rows.start * dim..rows.end * dim
    };
    for (name, from, to, arity) in
        [("face_nodes", 1, 0, 3), ("level0/far", 1, 3, 1), ("up", 0, 0, 8), ("none", 2, 2, 2)]
    {
        let rows = own(from, arity)
            .map(|k| ((u128::from(mixed(k)) * u128::from(SETS[to].1)) >> 64) as u64)
            .collect();
        mesh.add_map(name, from, to, arity as usize, rows);
    }
    for (name, set, dim) in
        [("x", 0, 3), ("level0/weights", 1, 1), ("empty", 2, 4), ("wide", 0, 19), ("flat", 0, 0)]
    {
        mesh.add_dat(
            name,
            set,
            dim as usize,
            Values::F64(own(set, dim).map(|k| f64::from_bits(mixed(k))).collect()),
        );
    }
    for (name, set, dim) in [("group", 1, 1), ("flags", 0, 5)] {
        mesh.add_dat(name, set, dim as usize, Values::I32(own(set, dim).map(|k| mixed(k) as i32).collect()));
    }
    mesh
}

/// A mesh with numbers as bits, so a NaN equals itself.
fn bits(mesh: &Mesh) -> (Vec<(String, u64)>, String, Vec<Vec<u64>>) {
    let dats = mesh.dats.iter().map(|dat| match &dat.values {
        Values::F64(v) => v.iter().map(|v| v.to_bits()).collect(),
        Values::I32(v) => v.iter().map(|&v| v as u64).collect(),
    });
    let kinds: Vec<_> = mesh
        .dats
        .iter()
        .map(|dat| (&dat.name, dat.set, dat.dim, matches!(dat.values, Values::F64(_))))
        .collect();
    let sets = mesh.sets.iter().map(|set| (set.name.clone(), set.rows)).collect();
    (sets, format!("{:?} {kinds:?}", mesh.maps), dats.collect())
}

fn written(dir: &TempDir) -> PathBuf {
    let path = dir.path().join("m.h5");
    Comm::simulate(2, |comm| write_any_mesh(&comm, &mesh(&comm), &path).unwrap());
    path
}

/// The message about a file, the same on any number of ranks.
fn refusal(path: &Path) -> String {
    let read = |ranks| Comm::simulate(ranks, |comm| read_any_mesh(&comm, path).map(|_| ()));
    let errors: Vec<IoError> = RANKS.into_iter().flat_map(read).map(|r| r.expect_err("a bad file")).collect();
    assert!(errors.iter().all(|error| *error == errors[0] && error.is_input()), "{errors:?}");
    errors[0].to_string()
}

#[test]
fn what_ranks_write_is_what_other_ranks_read_bit_by_bit() {
    let dir = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for writers in RANKS {
        let path = dir.path().join(format!("{writers}.h5"));
        Comm::simulate(writers, |comm| write_any_mesh(&comm, &mesh(&comm), &path).unwrap());
        for readers in RANKS {
            Comm::simulate(readers, |comm| {
                let found = read_any_mesh(&comm, &path).unwrap();
                assert_eq!(bits(&found), bits(&mesh(&comm)), "{writers} ranks wrote, {readers} read");
            });
        }
        files.push(fs::read(&path).unwrap());
    }
    assert!(files.iter().all(|file| *file == files[0]), "the file does not depend on the ranks");
    let far = mesh(&Comm::single()).maps[1].rows.clone();
    assert!(far.iter().any(|&target| target > 1 << 32), "{far:?}");
}

#[test]
fn a_mesh_without_maps_or_dats_is_one_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.h5");
    let mut mesh = Mesh::default();
    mesh.add_set("points", 5);
    write_any_mesh(&Comm::single(), &mesh, &path).unwrap();
    assert_eq!(read_any_mesh(&Comm::single(), &path), Ok(mesh));
}

#[test]
fn sets_that_are_no_elements_are_no_mesh_for_cases() {
    let dir = tempfile::tempdir().unwrap();
    let message = read_mesh(&Comm::single(), &written(&dir)).unwrap_err().to_string();
    assert!(
        message.contains("m.h5: this is not a mesh of elements: in 3 dimensions there are no elements"),
        "{message}"
    );
}

#[test]
fn a_mesh_that_does_not_fit_together_is_not_written() {
    type Change = fn(&mut Mesh);
    let wrong: [(Change, &str); 9] = [
        (
            |m| m.maps[0].rows[2] = 11,
            "`maps/face_nodes` row 0: index 11 is out of range; allowed are the nodes 0 to 10",
        ),
        (|m| m.maps[0].rows.truncate(20), "`maps/face_nodes`: rank 0 has 20 values, expected 3"),
        (|m| m.maps[0].to = 9, "`maps/face_nodes`: it is on set number 9, but there are 4 sets"),
        (|m| m.dats[0].set = 4, "`dats/x`: it is on set number 4"),
        (|m| m.dats[0].name = "wide".into(), "`dats/wide`: two have this name"),
        (|m| m.sets[0].name = "level0".into(), "`sets/level0/faces`: there is also `level0`"),
        (|m| m.sets[2].name = "a//b".into(), "`sets/a//b`: this cannot be the name of a dataset"),
        (
            |m| m.dats[1].name = "a/b/c/d/e".into(),
            "`dats/a/b/c/d/e`: the name has 5 parts; expected at most 4",
        ),
        (|m| m.sets[3].rows = 1 << 63, "`sets/many`: 9223372036854775808 elements"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.h5");
    for (change, words) in wrong {
        let mut mesh = mesh(&Comm::single());
        change(&mut mesh);
        let message = write_any_mesh(&Comm::single(), &mesh, &path).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
        assert!(!path.exists());
    }
}

/// Replaces a dataset by one with other values and the same attributes.
fn replace<T: hdf5::H5Type>(
    file: &hdf5::File,
    name: &str,
    shape: &[usize],
    values: &[T],
    attributes: &[(&str, &str)],
    index: i32,
) {
    file.unlink(name).unwrap();
    let dataset = file.new_dataset::<T>().shape(shape).create(name).unwrap();
    dataset.write_raw(values).unwrap();
    for (name, text) in attributes {
        let text: FixedUnicode<32> = text.parse().unwrap();
        dataset.new_attr::<FixedUnicode<32>>().create(*name).unwrap().write_scalar(&text).unwrap();
    }
    dataset.new_attr::<i32>().create("index").unwrap().write_scalar(&index).unwrap();
}

#[test]
fn what_is_wrong_in_a_file_is_named_with_its_dataset_and_row() {
    type Change = fn(&hdf5::File);
    let wrong: [(Change, &str); 17] = [
        (|f| f.unlink("sets").unwrap(), "`sets`: the group is missing"),
        (|f| f.delete_attr("layout").unwrap(), "no attribute `layout` \"general\""),
        (|f| f.delete_attr("schema").unwrap(), "`schema`: the attribute is missing, expected 1"),
        (
            |f| f.unlink("sets/level0/faces").unwrap(),
            "`sets/many.index`: the attribute is 3; expected each of 0 to 2 once",
        ),
        (
            |f| f.unlink("sets/many").unwrap(),
            "`maps/level0/far.to`: there is no set \"many\" in the group `sets`",
        ),
        (
            |f| replace(f, "sets/nodes", &[1], &[12i64], &[], 0),
            "`maps/up`: 11 rows, but `sets/nodes` says there are 12 nodes",
        ),
        (|f| replace(f, "sets/nodes", &[1], &[-1i64], &[], 0), "`sets/nodes`: expected one number"),
        (|f| replace(f, "sets/nodes", &[1], &[0.5f64], &[], 0), "`sets/nodes`: the type is float64"),
        (
            |f| {
                replace(
                    f,
                    "maps/face_nodes",
                    &[7, 3],
                    &[10i32, 11].repeat(11)[..21],
                    &[("from", "level0/faces"), ("to", "nodes")],
                    0,
                )
            },
            "`maps/face_nodes` row 0: index 11 is out of range; allowed are the nodes 0 to 10",
        ),
        (
            |f| {
                replace(
                    f,
                    "maps/face_nodes",
                    &[7, 3],
                    &[-1i64; 21],
                    &[("from", "level0/faces"), ("to", "nodes")],
                    0,
                )
            },
            "`maps/face_nodes` row 0: index -1 is out of range",
        ),
        (
            |f| {
                replace(
                    f,
                    "maps/face_nodes",
                    &[21],
                    &[0i32; 21],
                    &[("from", "level0/faces"), ("to", "nodes")],
                    0,
                )
            },
            "`maps/face_nodes`: the shape is [21], expected (level0/faces, values of each)",
        ),
        (
            |f| {
                replace(
                    f,
                    "maps/face_nodes",
                    &[7, 3],
                    &[0.0f64; 21],
                    &[("from", "level0/faces"), ("to", "nodes")],
                    0,
                )
            },
            "`maps/face_nodes`: the type is float64, expected integers",
        ),
        (
            |f| replace(f, "maps/face_nodes", &[7, 3], &[0i32; 21], &[("from", "level0/faces")], 0),
            "`maps/face_nodes.to`: the attribute is missing",
        ),
        (
            |f| replace(f, "dats/group", &[7, 1], &[1i64 << 40; 7], &[("set", "level0/faces")], 5),
            "`dats/group` row 0: the value 1099511627776 does not fit in 32 bits",
        ),
        (
            |f| replace(f, "dats/x", &[11, 3], &[0f32; 33], &[("set", "nodes")], 0),
            "`dats/x`: the numbers are not in double",
        ),
        (
            |f| replace(f, "dats/x", &[11, 3], &[0f64; 33], &[("set", "nodes")], 1),
            ".index`: the attribute is 1; expected each",
        ),
        (
            |f| replace(f, "dats/x", &[11, 3], &[true; 33], &[("set", "nodes")], 0),
            "`dats/x`: the type is bool",
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    for (change, words) in wrong {
        let path = written(&dir);
        let file = hdf5::File::open_rw(&path).unwrap();
        change(&file);
        file.close().unwrap();
        let message = refusal(&path);
        assert!(message.contains(words) && message.contains("m.h5"), "{words:?}: {message}");
    }
}

#[test]
fn damaged_bytes_and_truncated_files_are_errors_or_other_numbers_but_never_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(&dir);
    let bytes = fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(499) {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(read_any_mesh(&Comm::single(), &path).is_err_and(|error| error.is_input()), "{length} bytes");
    }
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(17) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        fs::write(&path, &damaged).unwrap();
        if let Err(error) = read_any_mesh(&Comm::single(), &path) {
            assert!(error.is_input(), "{error}");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused} of {} bytes", bytes.len() / 17);
}
