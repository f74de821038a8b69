//! A damaged checkpoint is refused, or has lost nothing, wherever it is damaged: byte by byte. A damaged solution is
//! refused or read, but never hangs or crashes the program. With the variable `CFD_TEST_BYTES=all` this tests every
//! byte, which takes longer; otherwise one in 31.

use std::path::Path;

use cfd::checkpoint::lineage::Lineage;
use cfd::checkpoint::signal::StopSignals;
use cfd::checkpoint::{self, Checkpoint, Origin};
use cfd::config::Config;
use cfd::console::Console;
use cfd::film::{Film, Still};
use cfd::history::History;
use cfd::plot::raster::Window;
use cfd::report::stages::Stages;
use cfd::setup::Setup;
use cfd_engine::comm::Comm;
use cfd_io::{Field, IoError, SolutionFile, write_solution};

const CONFIG: &str = "case = \"airfoil\"\nmesh.generate = { size = [2, 2] }\n";

/// A checkpoint of a few cells after two iterations.
fn write(path: &Path) -> Vec<u8> {
    write_with(path, CONFIG)
}

/// The same by another configuration.
fn write_with(path: &Path, config: &str) -> Vec<u8> {
    let comm = Comm::single();
    let config = Config::parse("c.toml", config, &[]).unwrap();
    let (console, signals) = (Console::new(false), StopSignals::default());
    let setup = Setup { comm: &comm, run: &config.run, console, signals: &signals, stages: &Stages::begin() };
    let (given, facts) = setup.read().unwrap();
    let environment = setup.environment(given.boundaries, None).unwrap();
    let mut prepared = setup.distribute(given.mesh, &facts, &environment, true).unwrap();
    let case = config.run.case;
    let mut solver = case.solver(&mut prepared.domain, &config.run.keys, &environment).unwrap();
    let mut history = History::new(solver.columns(), 2);
    for second in 1..=2 {
        let step = solver.step(&mut prepared.domain, true).unwrap();
        history.push(step.residual, Some(step.values), std::time::Duration::from_secs(second));
    }
    let lineage = Lineage::begin(&comm);
    let still = Still { label: "first mesh".into(), width: 2, values: vec![1.0, 2.0], shades: vec![9; 8] };
    let window = Some(Window { low: [0.0; 2], high: [1.0; 2] });
    let film = Film { window, stills: vec![still] };
    let (mesh_hash, lineage) = (&facts.hash[..], &lineage);
    let origin = Origin { config: &config, mesh_hash, new_mesh: None, lineage, film: &film };
    checkpoint::save(&comm, path, origin, &mut prepared.domain, &*solver, &history).unwrap();
    std::fs::read(path).unwrap()
}

/// The result of reading a file with this content: everything that was written, or an error about the file.
fn reads(path: &Path, content: &[u8], good: &Checkpoint) -> bool {
    std::fs::write(path, content).unwrap();
    match Checkpoint::read(&Comm::single(), path) {
        Ok(read) => {
            assert_eq!(read.header, good.header);
            assert_eq!(read.fields(), good.fields());
            true
        }
        Err(error) => {
            assert!(error.is_input() && error.to_string().contains("damaged.h5"), "{error}");
            false
        }
    }
}

/// The bytes of a file that are damaged, and all of the first and last ones.
fn places(bytes: usize) -> impl Iterator<Item = usize> {
    let step = if std::env::var("CFD_TEST_BYTES").is_ok_and(|value| value == "all") { 1 } else { 31 };
    (0..bytes).filter(move |at| at % step == 0 || *at < 16 || at + 16 > bytes)
}

#[test]
fn a_checkpoint_cut_off_at_any_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(&folder.path().join("good.h5"));
    let whole = Checkpoint::read(&Comm::single(), &folder.path().join("good.h5")).unwrap();
    let path = folder.path().join("damaged.h5");
    assert!(reads(&path, &good, &whole));
    for bytes in places(good.len()) {
        assert!(!reads(&path, &good[..bytes], &whole), "{bytes} of {} bytes", good.len());
    }
}

#[test]
fn a_checkpoint_with_any_byte_changed_is_refused_or_has_nothing_lost() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(&folder.path().join("good.h5"));
    let whole = Checkpoint::read(&Comm::single(), &folder.path().join("good.h5")).unwrap();
    let path = folder.path().join("damaged.h5");
    let (mut damaged, mut unnoticed) = (0, 0);
    for at in places(good.len()) {
        damaged += 1;
        let mut bad = good.clone();
        // Another bit at each byte.
        bad[at] ^= 1 << (at % 8);
        unnoticed += usize::from(reads(&path, &bad, &whole));
    }
    // Gaps between the parts of a file, which nothing depends on.
    println!("{unnoticed} of {damaged} damaged bytes of {} matter to nothing", good.len());
    assert!(unnoticed < damaged / 2, "{unnoticed} of {damaged}");
}

#[test]
fn a_checkpoint_with_a_large_header_is_refused_or_has_nothing_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (path, damaged) = (folder.path().join("good.h5"), folder.path().join("damaged.h5"));
    // A configuration of more than 64 KiB, which HDF5 keeps without a checksum.
    let probes: Vec<String> = (0..4000).map(|number| format!("[0.{number:04}, 0.125]")).collect();
    let good = write_with(&path, &format!("{CONFIG}output.probes = [{}]\n", probes.join(", ")));
    let whole = Checkpoint::read(&Comm::single(), &path).unwrap();
    let header =
        good.windows(10).position(|bytes| bytes == b"{\"schema\":").expect("the header is in one piece");
    for at in header - 40..header + 8 {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        reads(&damaged, &bad, &whole);
    }
}

/// All numbers of a solution.
fn numbers(path: &Path) -> Result<Vec<f64>, IoError> {
    let file = SolutionFile::open(path)?;
    let fields = file.fields().iter().map(|field| file.rows(&field.name, 0..field.rows));
    Ok(fields.collect::<Result<Vec<_>, _>>()?.concat())
}

#[test]
fn a_solution_with_any_byte_changed_is_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let (good, path) = (folder.path().join("good.h5"), folder.path().join("damaged.h5"));
    let field = |name: &str, dim: usize| {
        let block = (0..5 * dim).map(|k| 1.0 + k as f64).collect();
        Field { name: name.into(), dim, rows: 5, block }
    };
    // Strings are in a heap, over which the HDF5 library would loop; the attempt to read a mesh reads them.
    let attributes = [("case", "airfoil"), ("config", CONFIG)].map(|(name, text)| (name.into(), text.into()));
    let fields = [field("q", 4), field("derived/mach", 1)];
    write_solution(&Comm::single(), &good, &attributes, &fields).unwrap();
    let whole = numbers(&good).unwrap();
    assert_eq!(whole.len(), 25);
    let good = std::fs::read(&good).unwrap();
    assert!(good.windows(4).any(|bytes| bytes == b"GCOL"), "the texts are in a heap");
    let (mut refused, mut other) = (0, 0);
    for at in places(good.len()) {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bad).unwrap();
        let error = cfd_io::read_mesh(&Comm::single(), &path).unwrap_err();
        assert!(error.is_input() && error.to_string().contains("damaged.h5"), "{error}");
        match numbers(&path) {
            Ok(read) => other += usize::from(read != whole),
            Err(error) => {
                assert!(error.is_input() && error.to_string().contains("damaged.h5"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && other > 0, "{refused} refused, {other} with other numbers");
}
