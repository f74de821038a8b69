//! Checkpoints: a good one, its header and datasets changed as the input says, with hashes that fit, so that what comes
//! behind the hashes is reached.

use std::cell::RefCell;
use std::path::Path;

use arbitrary::Unstructured;
use cfd::checkpoint::lineage::Lineage;
use cfd::checkpoint::restart::Named;
use cfd::checkpoint::signal::StopSignals;
use cfd::checkpoint::{self, Checkpoint, Header, MeshShape, Origin};
use cfd::config::Config;
use cfd::console::Console;
use cfd::film::Film;
use cfd::history::History;
use cfd::report::stages::Stages;
use cfd::setup::Setup;
use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::Blocks;
use cfd_io::{Digest, Field, bits_hash};
use cfd_solvers::Solver;
use cfd_solvers::case::Limits;

const CONFIG: &str = "case = \"airfoil\"\nmesh.generate = { size = [2, 2] }\nexecution.threads = 1\n";

/// A run that checkpoints are given to.
struct Run {
    config: Config,
    mesh_hash: String,
    domain: Domain,
    solver: Box<dyn Solver>,
    header: Header,
    fields: Vec<Field>,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

impl Run {
    /// Two iterations, and the checkpoint after them.
    fn start(folder: &Path) -> Run {
        let comm = Comm::single();
        let config = Config::parse("run.toml", CONFIG, &[]).expect("a good configuration");
        let (console, signals) = (Console::new(false), StopSignals::default());
        let setup =
            Setup { comm: &comm, run: &config.run, console, signals: &signals, stages: &Stages::begin() };
        let (given, facts) = setup.read().expect("a small mesh");
        let environment = setup.environment(given.boundaries, None).expect("a partitioner");
        let mesh = given.mesh;
        let prepared = setup.distribute(mesh.clone(), &facts, &environment, true).expect("a small mesh");
        let (mut domain, mesh_hash) = (prepared.domain, facts.hash.clone());
        let solver = config.run.case.solver(&mut domain, &config.run.keys, &environment);
        let mut solver = solver.expect("the mesh is of the case");
        let mut history = History::new(solver.columns(), 2);
        for _ in 0..2 {
            let step = solver.step(&mut domain, true).expect("a free stream");
            history.push(step.residual, Some(step.values), std::time::Duration::from_secs(1));
        }
        let path = folder.join("good.h5");
        let lineage = Lineage::begin(&comm);
        // As if the solver had changed its mesh, so that the checkpoint has one.
        let film = Film::default();
        let origin = Origin {
            config: &config,
            mesh_hash: &mesh_hash,
            new_mesh: Some(&mesh),
            lineage: &lineage,
            film: &film,
        };
        checkpoint::save(&comm, &path, origin, &mut domain, &*solver, &history).expect("a folder for files");
        let header = checkpoint::read_header(&path).expect("a good checkpoint");
        let field = |dataset: &checkpoint::Dataset| {
            cfd_io::read_field(&comm, &path, &dataset.name).expect("a good checkpoint")
        };
        let fields = header.datasets.iter().map(field).collect();
        Run { config, mesh_hash, domain, solver, header, fields }
    }
}

/// Writes the checkpoint that the input describes, and continues from it; where `several`, it is read on three ranks, too.
pub fn check(folder: &Path, data: &[u8], several: bool) {
    RUN.with_borrow_mut(|run| {
        let run = run.get_or_insert_with(|| Run::start(folder));
        let path = folder.join("checkpoint-00000002.h5");
        if write(run, &path, &mut Unstructured::new(data)).is_ok() {
            resume(run, &path, several);
        }
    });
}

fn write(run: &Run, path: &Path, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (mut header, mut fields) = (run.header.clone(), run.fields.clone());
    for _ in 0..u.int_in_range(0..=3)? {
        change_header(&mut header, u)?;
    }
    for _ in 0..u.int_in_range(0..=3)? {
        change_fields(&mut fields, u)?;
    }
    let comm = Comm::single();
    if u.arbitrary::<u8>()? % 8 != 7 {
        header.datasets = fields.iter().map(described).collect();
    }
    let text = match u.arbitrary::<u8>()? % 8 {
        6 => u.arbitrary::<String>()?,
        7 => {
            // A few bytes of the text are others.
            let mut text = serde_json::to_vec(&header).expect("a header is plain data");
            for _ in 0..3 {
                let at = u.int_in_range(0..=text.len() - 1)?;
                text[at] = u.arbitrary::<u8>()? & 0x7f;
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        _ => serde_json::to_string(&header).expect("a header is plain data"),
    };
    let hash = Digest(*blake3::hash(text.as_bytes()).as_bytes()).to_string();
    // What the library refuses to write half-way is no file, and not of interest.
    let attributes = [("checkpoint".to_string(), text), ("checkpoint_hash".to_string(), hash)];
    cfd_io::write_fields(&comm, path, &attributes, &fields).map_err(|_| arbitrary::Error::IncorrectFormat)
}

/// What a header says of a field.
fn described(field: &Field) -> checkpoint::Dataset {
    let Field { name, dim, rows, block } = field;
    let hash = if *dim == 0 {
        Digest([0; 32])
    } else {
        let rows: Vec<u64> = Blocks::new(*rows, 1).range(0).collect();
        let words: Vec<u64> = block.values().iter().map(|value| value.to_bits()).collect();
        bits_hash(&Comm::single(), name, *dim, rows.len() as u64, &rows, &words)
    };
    checkpoint::Dataset { name: name.clone(), rows: *rows, dim: *dim, hash }
}

fn change_header(header: &mut Header, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    match u.arbitrary::<u8>()? % 9 {
        8 => change_mesh(header.new_mesh.as_mut(), u)?,
        0 => header.iteration = u.arbitrary()?,
        1 => header.numbers = u.arbitrary()?,
        2 => header.config = u.arbitrary()?,
        3 => header.case = u.arbitrary()?,
        4 => header.schema = u.arbitrary()?,
        5 => header.mesh_hash = u.arbitrary()?,
        6 => header.config = header.config.replace("0.9", u.arbitrary::<&str>()?),
        _ => {
            let at = u.int_in_range(0..=header.datasets.len().max(1) - 1)?;
            if let Some(dataset) = header.datasets.get_mut(at) {
                (dataset.rows, dataset.dim) = (u.arbitrary()?, u.arbitrary()?);
            }
        }
    }
    Ok(())
}

fn change_mesh(mesh: Option<&mut MeshShape>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let Some(mesh) = mesh else { return Ok(()) };
    match u.arbitrary::<u8>()? % 6 {
        0 => {
            let at = u.int_in_range(0..=mesh.sets.len() - 1)?;
            mesh.sets[at].1 = u.arbitrary::<u64>()? >> u.int_in_range(0..=63)?;
        }
        1 if mesh.sets.len() > 1 => drop(mesh.sets.pop()),
        2 => mesh.maps[0].to = u.arbitrary()?,
        3 => mesh.maps[0].arity = u.arbitrary()?,
        4 => mesh.dats[0].dim = u.arbitrary()?,
        _ => mesh.dats[0].integer = !mesh.dats[0].integer,
    }
    Ok(())
}

fn change_fields(fields: &mut Vec<Field>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let at = u.int_in_range(0..=fields.len() - 1)?;
    match u.arbitrary::<u8>()? % 6 {
        0 => drop(fields.remove(at)),
        1 => {
            let other = u.int_in_range(0..=fields.len() - 1)?;
            if at != other {
                (fields[at].name, fields[other].name) = (fields[other].name.clone(), fields[at].name.clone());
            }
        }
        2 => {
            // Rows without values, any number of them.
            let rows = u.arbitrary::<u64>()? >> u.int_in_range(0..=63)?;
            fields[at] = Field { dim: 0, rows, block: Vec::new().into(), ..fields[at].clone() };
        }
        3 => {
            // The same values in rows of another length.
            let dim = u.int_in_range(1..=8)?;
            let values = fields[at].block.values_mut();
            let rows = values.len() / dim;
            values.truncate(rows * dim);
            (fields[at].rows, fields[at].dim) = (rows as u64, dim);
        }
        4 => {
            let rows = u.int_in_range(0..=9u64)?;
            let values = rows as usize * fields[at].dim;
            fields[at].block = fields[at].block.values().iter().copied().cycle().take(values).collect();
            fields[at].rows = if fields[at].block.values().len() == values { rows } else { 0 };
        }
        _ => {
            let values = fields[at].block.values_mut();
            if let Some(last) = values.len().checked_sub(1) {
                let value = u.int_in_range(0..=last)?;
                values[value] = u.arbitrary()?;
            }
        }
    }
    Ok(())
}

/// Continues for one iteration; every error is one that the program has an exit code for.
fn resume(run: &mut Run, path: &Path, several: bool) {
    let comm = Comm::single();
    let one = Checkpoint::read(&comm, path).map(|checkpoint| checkpoint.header);
    if several {
        let read = |comm: Comm| Checkpoint::read(&comm, path).map(|checkpoint| checkpoint.header);
        let three = Comm::simulate(3, read);
        // As text: a number that is none equals itself there.
        let text = format!("{one:?}");
        assert!(three.iter().all(|result| format!("{result:?}") == text), "{text} and {three:?}");
    }
    let console = Console::new(false);
    let named = Named::look(&comm, path, &run.config, console);
    let restart = match named.and_then(|named| named.choose(&comm, &run.config, &run.mesh_hash, console)) {
        Ok(restart) => restart,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(one.is_ok());
    // The run itself goes on with the mesh it has.
    if let Err(error) = restart.new_mesh(&comm, &run.config.run) {
        assert!(!error.to_string().is_empty());
        return;
    }
    let mut history = History::new(run.solver.columns(), 10);
    let solver = &mut *run.solver;
    if restart.apply(&comm, &mut run.domain, solver, &mut history).is_ok() {
        let limits = Limits { iterations: 10, tolerance: 0.0 };
        restart.announce(console, limits, history.residual());
        let before = history.iterations();
        if let Ok(step) = solver.step(&mut run.domain, true) {
            history.push(step.residual, Some(step.values), std::time::Duration::ZERO);
            assert_eq!(history.iterations(), before + 1);
        }
        let width = history.columns() + 2;
        assert!(history.to_csv().lines().all(|line| line.split(',').count() == width + 1));
        assert!(history.hash().starts_with("blake3:"));
    }
}
