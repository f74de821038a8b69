//! How a run begins: the mesh, its distribution, the solver, a checkpoint; then the files.

use std::rc::Rc;
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::lane::Width;
use cfd_engine::mesh::Mesh as GlobalMesh;
use cfd_mesh::ElementMesh;
use cfd_solvers::Solver;
use cfd_solvers::case::Environment;
use cfd_solvers::output::Output;

use crate::checkpoint::folder::Folder;
use crate::checkpoint::lineage::Lineage;
use crate::checkpoint::restart::{Named, Restart};
use crate::checkpoint::signal::StopSignals;
use crate::checkpoint::time_limit::TimeLimit;
use crate::cli::RunArgs;
use crate::config::{ByName, Config, Execution, Mesh, Partition, Run};
use crate::console::{Console, say};
use crate::during::During;
use crate::estimate::{Need, Purpose};
use crate::exit::Error;
use crate::film::Film;
use crate::grid::Shown;
use crate::history::History;
use crate::output::OutputDirectory;
use crate::provenance::Provenance;
use crate::report::halo::{self, Shares};
use crate::report::stages::Stages;
use crate::results::Results;
use crate::session::{Clock, Session};
use crate::setup::{Distributed, MeshFacts, Setup};
use crate::trace::Trace;
use crate::weights::{self, Measured};
use crate::{guarantee, node_values, start, threads, verify};

/// Maximum number of ranks for which `--dry-run` prints a row each.
const ROWS_OF_RANKS: usize = 16;

impl<'a> Session<'a> {
    /// Reads, distributes and restores everything up to the first iteration; `None` for a dry run, which has then said
    /// all it can. Collective.
    ///
    /// # Errors
    /// Something the run names is wrong or does not fit, or a signal asks to stop.
    pub fn prepare(
        comm: &'a Comm,
        config: &'a Config,
        args: &RunArgs,
        signals: &'a StopSignals,
    ) -> Result<Option<Session<'a>>, Error> {
        let (run, console) = (&config.run, Console::new(comm.is_root()));
        let expected = args.verify.as_ref().map(|argument| verify::expected(comm, argument)).transpose()?;
        let output = match args.dry_run {
            true => None,
            false => Some(OutputDirectory::open(comm, &run.output.directory, signals)?),
        };
        let start = Instant::now();
        let provenance = Provenance::of_run(comm);
        announce(comm, config, args, &provenance, console);
        let stages = Stages::begin();
        let setup = Setup { comm, run, console, signals, stages: &stages };
        let Some(beginning) = Beginning::find(&setup, config, args)? else { return Ok(None) };
        let Beginning { mesh, facts, environment, restart, new_mesh } = beginning;
        let distributed = setup.distribute(mesh, &facts, &environment, !args.dry_run)?;
        let Distributed { mut domain, primary, backends, measured } = distributed;
        let trace = args.hash_trace.map(Trace::new);
        let mut solver = start_values(comm, run, &mut domain, &environment, trace.as_ref())?;
        stages.end("solver");
        let limits = run.limits();
        let mut history = History::of(&*solver, limits.iterations, run.output.history_every);
        let during = During::new(comm, config, &mut domain, &*solver)?;
        let start_from = match &restart {
            // A checkpoint has all that follows from it.
            Some(_) => None,
            None => start::apply(comm, run, &facts, &mut domain, &mut *solver, console)?,
        };
        check_film(run, &*solver)?;
        let mut film = Film::default();
        if let Some(restart) = &restart {
            restart.apply(comm, &mut domain, &mut *solver, &mut history)?;
            film = restart.film(comm)?;
            restart.announce(console, limits, history.residual());
        }
        let shares = Shares::of(comm, &domain, &primary);
        let Partition { method, seed, .. } = &run.partition;
        console.entry("partition", &format!("{method} (seed {seed}): {}", shares.line()));
        let Some(output) = output else {
            let balanced = halo::balanced(&domain, &primary);
            say!(console, "\n{}", shares.table(balanced, ROWS_OF_RANKS));
            say!(console, "\n{}", stages.table(comm));
            say!(console, "\ndry run: nothing computed, nothing written");
            return Ok(None);
        };
        let lineage = restart.as_ref().map_or_else(|| Lineage::begin(comm), |restart| restart.lineage(comm));
        let elements = environment.elements.filter(|_| Results::show_the_mesh(config));
        let shown = Shown::new(run.case.facts().needs[0], elements);
        let mesh = Rc::new(facts);
        let mut session = Session {
            comm,
            config,
            console,
            signals,
            provenance,
            limits,
            time_limit: TimeLimit::new(signals.start(), args.time_limit),
            expected,
            results: Results::new(comm, config, mesh.clone(), shown, output.directory()),
            mesh,
            new_mesh,
            primary,
            backends,
            domain,
            solver,
            history,
            trace,
            restart,
            start_from,
            lineage,
            folder: None,
            output,
            during,
            film,
            clock: Clock { start, setup: Duration::ZERO, solve: Duration::ZERO, files: Duration::ZERO },
            energy: None,
        };
        session.begin_files(measured.as_ref())?;
        Ok(Some(session))
    }

    /// Begins the files of this run, now that nothing can be refused any more. Collective.
    fn begin_files(&mut self, measured: Option<&Measured>) -> Result<(), Error> {
        let Session { comm, console, output, lineage, .. } = self;
        cfd_io::set_identity(&lineage.file_identity());
        if let Some(measured) = measured {
            output.write(comm, weights::FILE, || measured.to_text(comm.size()))?;
        }
        self.folder = comm.is_root().then(|| Folder::open(output.directory(), lineage, *console));
        comm.barrier();
        self.clock.setup = self.clock.start.elapsed();
        Ok(())
    }
}

/// What a run begins with: the mesh that it was given, or that of its checkpoint.
struct Beginning {
    mesh: GlobalMesh,
    facts: MeshFacts,
    environment: Environment,
    restart: Option<Restart>,
    /// The mesh again, if it is the checkpoint's.
    new_mesh: Option<GlobalMesh>,
}

impl Beginning {
    /// `None` if the mesh of a dry run does not fit into memory. Collective.
    fn find(setup: &Setup<'_>, config: &Config, args: &RunArgs) -> Result<Option<Beginning>, Error> {
        let Setup { comm, run, console, signals, .. } = *setup;
        let named = match &args.restart {
            Some(named) => Some(Named::look(comm, named, config, console)?),
            None => None,
        };
        signals.check(comm)?;
        if !fits(comm, config, args, console)? {
            return Ok(None);
        }
        let (given, facts) = setup.read()?;
        let restart = match named {
            Some(named) => Some(named.choose(comm, config, &facts.hash, console)?),
            None => None,
        };
        let new_mesh = match &restart {
            Some(restart) => restart.new_mesh(comm, run)?,
            None => None,
        };
        let elements = match &new_mesh {
            None => given.elements.clone(),
            Some(mesh) => elements_of(comm, run, mesh, &given),
        };
        // Otherwise the mesh of a checkpoint has what followed from them.
        let needs_first = run.case.needs_first_mesh(&run.keys);
        let node_values = match restart.is_none() || needs_first {
            true => node_values::read(comm, run, &facts, &given.mesh)?,
            false => Vec::new(),
        };
        let first = match needs_first && new_mesh.is_some() {
            true => {
                given.elements.or_else(|| run.case.facts().needs[0].elements.map(|of| of(comm, &given.mesh)))
            }
            false => None,
        };
        let state = restart.as_ref().map_or(Vec::new(), Restart::state);
        let environment = setup.environment(given.boundaries, elements)?;
        let environment = Environment { node_values, first, state, ..environment };
        let mesh = new_mesh.clone().unwrap_or(given.mesh);
        Ok(Some(Beginning { mesh, facts, environment, restart, new_mesh }))
    }
}

/// The elements from which the mesh of a checkpoint was derived, with the names of their groups; `None` if the mesh does not
/// say. Collective.
fn elements_of(comm: &Comm, run: &Run, mesh: &GlobalMesh, given: &cfd_mesh::Prepared) -> Option<ElementMesh> {
    let mut elements = run.case.facts().needs[0].elements?(comm, mesh);
    let dimension = elements.dimension();
    let boundaries = given.boundaries.iter();
    boundaries.for_each(|named| elements.groups.add(dimension - 1, named.group, &named.name));
    if let Some(given) = &given.elements {
        // Sets tell the regions of their elements if there are several.
        if let ([only], [0]) = (&given.regions(comm)[..], &elements.regions(comm)[..]) {
            elements.map_groups(|kind, group| if kind.dimension() == dimension { *only } else { group });
        }
        given.groups.iter().for_each(|group| elements.groups.add(group.dimension, group.id, &group.name));
    }
    Some(elements)
}

/// Refuses a film of a run that draws none.
fn check_film(run: &Run, solver: &dyn Solver) -> Result<(), Error> {
    let is_drawn = |output: &Output<'_>| matches!(output, Output::Film(_));
    if run.output.film == 0 || solver.outputs().iter().any(is_drawn) {
        return Ok(());
    }
    Err(Error::NoFilm { frames: run.output.film })
}

/// The solver with its start values, its loops traced as those of iteration 0. Collective.
fn start_values(
    comm: &Comm,
    run: &Run,
    domain: &mut Domain,
    environment: &Environment,
    trace: Option<&Trace>,
) -> Result<Box<dyn Solver>, Error> {
    if let Some(trace) = trace {
        trace.begin(domain, 0);
    }
    let solver = comm.agree(run.case.solver(domain, &run.keys, environment))?;
    domain.flush()?;
    if let Some(trace) = trace {
        trace.end(domain);
    }
    Ok(solver)
}

/// Prints what runs, where, and the guarantee about its bits. Collective.
fn announce(comm: &Comm, config: &Config, args: &RunArgs, provenance: &Provenance, console: Console) {
    let Execution { mode, strategy: ByName(strategy), order, sums, .. } = config.run.execution;
    let threads = threads::count(config.run.execution.threads);
    let each = if threads > 1 { format!(", {threads} threads each") } else { String::new() };
    let Run { case, keys, .. } = &config.run;
    say!(console, "cfd {}    case {}, {}", env!("CARGO_PKG_VERSION"), case.name(), args.config);
    let physics = [case.conditions(keys), case.method(keys)];
    let physics: Vec<&str> = physics.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    if !physics.is_empty() {
        console.entry("physics", &physics.join("; "));
    }
    let Provenance { commit, host, processor, date, .. } = provenance;
    console.entry("started", &format!("{date} on {host}, commit {commit}"));
    let lanes = config.run.execution.lanes.width().map_or_else(|error| error.to_string(), lanes);
    console.entry("processor", &format!("{processor}; {lanes}"));
    console.entry("ranks", &format!("{}{each}", crate::commands::info::ranks(comm)));
    console.entry("files", &cfd_io::hdf5_info(comm).to_string());
    console.entry("execution", &guarantee::means(mode, strategy, order, sums));
    console.entry("guarantee", &guarantee::text(&config.run.execution, &config.run.partition, threads));
}

/// How many elements a kernel works on at once, in words.
fn lanes(width: Width) -> String {
    match width.lanes() {
        1 => "1 lane".into(),
        lanes => format!("{lanes} lanes"),
    }
}

/// Whether the run continues: true if the mesh to generate fits into memory; otherwise an error, or the end of a dry
/// run. Collective.
fn fits(comm: &Comm, config: &Config, args: &RunArgs, console: Console) -> Result<bool, Error> {
    let Mesh::Generate(generator, keys) = &config.run.mesh else { return Ok(true) };
    let memory = config.run.case.memory(&config.run.keys);
    let need = Need::generated(&memory, generator, keys, Purpose::Run);
    match need.check(comm, true) {
        Err(shortage) if args.dry_run => {
            say!(console, "memory       {shortage}");
            say!(
                console,
                "\ndry run: the mesh does not fit, so it was not generated and its halos are unknown"
            );
            Ok(false)
        }
        checked => checked.map(|()| true),
    }
}
