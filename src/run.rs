//! A run: prepare, iterate, write, judge.

use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::lane::Width;
use cfd_engine::mesh::Mesh as GlobalMesh;
use cfd_partition::Primary;
use cfd_solvers::Solver;

use crate::checkpoint::folder::Folder;
use crate::checkpoint::lineage::Lineage;
use crate::checkpoint::restart::{Named, Restart};
use crate::checkpoint::signal::StopSignals;
use crate::checkpoint::time_limit::TimeLimit;
use crate::cli::RunArgs;
use crate::config::{ByName, Config, Execution, Mesh, Run};
use crate::console::{Console, say};
use crate::device::Backends;
use crate::during::During;
use crate::energy::{Energy, Meter};
use crate::estimate::{Need, Purpose};
use crate::exit::Error;
use crate::grid::Shown;
use crate::history::History;
use crate::iterate::Iterations;
use crate::output::Output;
use crate::plot::heading;
use crate::progress::Progress;
use crate::provenance::Provenance;
use crate::references::{self, Checked, Ended};
use crate::report::loops::{self, LoopCost};
use crate::report::page;
use crate::report::profile;
use crate::report::summary::{FigureOfMerit, Residual, Summary, Times};
use crate::report::verdict::{self, Asked};
use crate::results::Results;
use crate::setup::{self, MeshFacts, Prepared};
use crate::trace::Trace;
use crate::{bandwidth, guarantee, memory, plot, threads, verify, weights};

/// Maximum number of ranks for which `--dry-run` prints a row each.
const ROWS_OF_RANKS: usize = 16;

/// Runs what the arguments request. Collective; the same result on every rank.
///
/// # Errors
/// Anything that ends a run early.
pub fn run(comm: &Comm, args: &RunArgs, signals: &StopSignals) -> Result<(), Error> {
    let config = Config::load(comm, &args.config, &args.overrides()?)?;
    if args.print_config {
        say!(Console::new(comm.is_root()), "{}", config.to_toml().trim_end());
        return Ok(());
    }
    run_config(comm, &config, args, signals)
}

/// Runs a configuration; only arguments that are not keys count. Collective; the same result on every rank.
///
/// # Errors
/// Anything that ends a run early.
pub fn run_config(comm: &Comm, config: &Config, args: &RunArgs, signals: &StopSignals) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    let expected = match &args.verify {
        Some(argument) => Some(verify::expected(comm, argument)?),
        None => None,
    };
    let mut output = match args.dry_run {
        true => None,
        false => Some(Output::open(comm, &config.run.output.directory, signals)?),
    };
    let start = Instant::now();
    let provenance = Provenance::of_run(comm);
    announce(comm, config, args, &provenance, console);
    let named = match &args.restart {
        Some(named) => Some(Named::look(comm, named, config, console)?),
        None => None,
    };
    signals.check(comm)?;
    if !fits(comm, config, args, console)? {
        return Ok(());
    }
    let (given, elements, facts) = setup::read(comm, &config.run, console, signals)?;
    let restart = match named {
        Some(named) => Some(named.choose(comm, config, &facts.hash, console)?),
        None => None,
    };
    let new_mesh = match &restart {
        Some(restart) => restart.new_mesh(comm, &config.run)?,
        None => None,
    };
    let elements = elements.filter(|_| Results::show_the_mesh(config) && new_mesh.is_none());
    let shown = Shown::new(config.run.case.facts().needs[0], elements);
    let mesh = new_mesh.clone().unwrap_or(given);
    let weights = weights::of_run(comm, &config.run, &mesh, &facts, output.as_mut(), console, signals)?;
    let mut prepared = setup::distribute(comm, &config.run, mesh, weights, &facts, console, signals)?;
    let trace = args.hash_trace.map(Trace::new);
    if let Some(trace) = &trace {
        trace.begin(&mut prepared.domain, 0);
    }
    let mut solver =
        comm.agree(config.run.case.solver(&mut prepared.domain, &config.run.keys, &facts.boundaries))?;
    prepared.domain.flush()?;
    if let Some(trace) = &trace {
        trace.end(&mut prepared.domain);
    }
    solver.use_environment(setup::environment(comm, &config.run)?);
    let limits = config.run.limits();
    let rows_every = config.run.output.history_every;
    let mut history = History::new(solver.columns(), limits.iterations).with_rows_every(rows_every);
    if solver.done().is_some() {
        history = history.open();
    }
    let during = match args.dry_run {
        true => None,
        false => Some(During::new(comm, config, &mut prepared.domain, &mut *solver)?),
    };
    if let Some(restart) = &restart {
        restart.apply(comm, &mut prepared.domain, &mut *solver, &mut history)?;
        restart.announce(console, limits.iterations);
    }
    let shares = setup::shares(comm, &prepared.domain, &prepared.primary);
    let partition = &config.run.partition;
    console.entry("partition", &format!("{} (seed {}): {}", partition.method, partition.seed, shares.line()));
    let (Some(output), Some(mut during)) = (&mut output, during) else {
        say!(console, "\n{}", shares.table(&prepared.primary.set, ROWS_OF_RANKS));
        say!(console, "\ndry run: nothing computed, nothing written");
        return Ok(());
    };
    comm.barrier();
    let setup_s = start.elapsed().as_secs_f64();

    let Prepared { mut domain, primary, backends } = prepared;
    let work_set = solver.work_set();
    let lineage = restart.as_ref().map_or_else(|| Lineage::begin(comm), |restart| restart.lineage(comm));
    cfd_io::set_identity(&lineage.file_identity());
    let folder = comm.is_root().then(|| Folder::open(output.directory(), &lineage, console));
    let case = Case {
        comm,
        config,
        console,
        provenance: &provenance,
        mesh: &facts,
        primary: &primary,
        backends: &backends,
        work_set,
        trace,
        restart,
    };
    during.begin(comm, config, &history, case.restart.as_ref(), console)?;
    let meter = Meter::start(comm, backends.gpu.as_deref());
    let begin = Instant::now();
    let progress = Progress::new(args.progress, comm.is_root(), history.iterations(), limits.iterations);
    let mut iterations = Iterations {
        comm,
        config,
        console,
        mesh_hash: &facts.hash,
        new_mesh,
        trace: case.trace.as_ref(),
        limits,
        signals,
        time_limit: TimeLimit::new(signals.start(), args.time_limit),
        lineage: &lineage,
        folder,
        during,
        results: Results::new(comm, config, &facts, shown, output.directory()),
        output: Duration::ZERO,
    };
    let outcome = iterations.run(&mut domain, &mut *solver, &mut history, progress);
    comm.barrier();
    // Files are not part of the iterations.
    let solve_s = begin.elapsed().saturating_sub(iterations.output).as_secs_f64();
    let energy = meter.stop(comm);

    if outcome.is_err() {
        // The run ends here, and only its cause matters.
        let _ = iterations.during.end(comm, history.iterations(), None);
    }
    // The history of a divergence is worth keeping, too; a failure to write it must not hide the cause.
    let written = case.write_history(output, &mut domain, &history);
    if outcome.is_ok() {
        written?;
    }
    if let Some(trace) = &case.trace {
        trace.end(&mut domain);
        output.write(comm, "trace.csv", || trace.to_csv())?;
    }
    let converged = outcome?;
    // Before anything else runs a loop, so the table shows only the iterations.
    let costs = loops::gather(comm, domain.timers());
    solver.check(&mut domain)?;
    if let Some(mesh) = solver.new_mesh() {
        iterations.new_mesh = Some(mesh);
        iterations.results.new_mesh();
    }
    let clock = Clock { start, written_since: Instant::now(), written: iterations.output, setup_s, solve_s };
    let asked = Asked { tolerance: limits.tolerance, expected };
    let Iterations { new_mesh, during, results, .. } = iterations;
    let done = Done { history, converged, costs, energy, clock, asked, new_mesh, during, results };
    case.finish(&mut domain, &mut *solver, output, done)
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
    let need = Need::generated(config.run.case, generator, keys, Purpose::Run);
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

/// What stays the same during a run.
struct Case<'a> {
    comm: &'a Comm,
    config: &'a Config,
    console: Console,
    provenance: &'a Provenance,
    mesh: &'a MeshFacts,
    primary: &'a Primary,
    backends: &'a Backends,
    work_set: &'static str,
    trace: Option<Trace>,
    restart: Option<Restart>,
}

/// The state after the iterations, and what was requested of them.
struct Done<'a> {
    history: History,
    converged: bool,
    costs: Vec<LoopCost>,
    energy: Option<Energy>,
    clock: Clock,
    asked: Asked,
    /// The mesh with which the solver replaced the given one.
    new_mesh: Option<GlobalMesh>,
    during: During,
    results: Results<'a>,
}

/// The clock of a run.
struct Clock {
    start: Instant,
    written_since: Instant,
    /// Time spent on files before that.
    written: Duration,
    setup_s: f64,
    solve_s: f64,
}

impl Clock {
    /// The times so far, and those that the solver measured.
    fn times(&self, of_solver: serde_json::Map<String, serde_json::Value>) -> Times {
        let io_s = (self.written + self.written_since.elapsed()).as_secs_f64();
        let total_s = self.start.elapsed().as_secs_f64();
        Times { total_s, setup_s: self.setup_s, solve_s: self.solve_s, io_s, of_solver }
    }
}

impl Case<'_> {
    /// The subtitle of pictures.
    fn subtitle(&self, domain: &Domain, state: &str) -> String {
        heading::subtitle(self.work_rows(domain), self.work_set, &self.mesh.source, state)
    }

    /// Number of elements of the set whose updates are counted.
    fn work_rows(&self, domain: &Domain) -> u64 {
        domain.set(self.work_set).map_or(0, |set| domain.rows(set))
    }

    fn write_history(
        &self,
        output: &mut Output,
        domain: &mut Domain,
        history: &History,
    ) -> Result<(), Error> {
        output.write(self.comm, "history.csv", || history.to_csv())?;
        let ranks = self.comm.size();
        let plural = if ranks == 1 { "" } else { "s" };
        let state = format!("{} iterations, {ranks} rank{plural}", history.iterations());
        let subtitle = self.subtitle(domain, &state);
        if !self.config.run.output.pictures {
            return Ok(());
        }
        output.write(self.comm, "convergence.svg", || {
            plot::convergence::svg(&heading::title(&self.config.run), &subtitle, history.residuals())
        })
    }

    /// Writes and reports the results, and judges them.
    fn finish(
        &self,
        domain: &mut Domain,
        solver: &mut dyn Solver,
        output: &mut Output,
        done: Done<'_>,
    ) -> Result<(), Error> {
        let Done { history, converged, costs, energy, clock, asked, new_mesh, mut during, mut results } =
            done;
        let state = match history.last_row() {
            Some(row) => format!("after {} iterations, residual {:.3e}", history.iterations(), row.residual),
            None => "initial state".into(),
        };
        let subtitle = self.subtitle(domain, &state);
        results.draw(domain, solver, output, &subtitle)?;
        let values = values(domain, solver, &history)?;
        for table in solver.tables(domain)? {
            output.write(self.comm, table.file, || table.text)?;
        }
        let (hashes, solution) = results.write_solution(domain, solver, output, self.provenance)?;
        let known = results.known(&history, &values, Some(solution));
        let solution_vtu = results.show(domain, solver, output, &known)?;
        for file in during.end(self.comm, history.iterations(), solution_vtu.as_deref())? {
            output.file(&file);
        }
        let mesh_hash = new_mesh.map(|mesh| cfd_io::mesh_hash(self.comm, &mesh));
        let mismatch = asked.expected.and_then(|expected| expected.mismatch(solution, mesh_hash));
        let verified = asked.expected.map(|_| mismatch.is_none());
        let history_hash = history.hash();
        let class = guarantee::class(self.config.run.execution.mode, self.config.run.execution.strategy.0);
        let (solution_hash, new_mesh_hash) = (solution.to_string(), mesh_hash.map(|hash| hash.to_string()));
        let reference = references::check(&Ended {
            run: &self.config.run,
            mesh: &self.mesh.hash,
            iterations: history.iterations(),
            class,
            solution: &solution_hash,
            history: &history_hash,
            new_mesh: new_mesh_hash.as_deref(),
            values: &values,
        });
        let mismatch = mismatch.or_else(|| reference.as_ref().and_then(Checked::error));
        let figures = solver.figures();
        let peaks = self.comm.all_gather(&[memory::peak().unwrap_or(0)]).concat();
        let run = &self.config.run;
        let threads = threads::count(run.execution.threads);
        // After reading the peak, which must not include the measurement's arrays.
        let bandwidth = run.output.bandwidth.then(|| bandwidth::measure(self.comm, threads, domain.lanes()));
        output.write(self.comm, "loops.csv", || loops::to_csv(&costs, clock.solve_s, bandwidth.as_ref()))?;
        let Execution { mode, strategy, .. } = run.execution;
        let mut mesh: serde_json::Map<String, serde_json::Value> =
            self.mesh.sets.iter().map(|(name, rows)| (name.clone(), (*rows).into())).collect();
        mesh.insert("hash".into(), self.mesh.hash.clone().into());
        let summary = Summary {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            case: run.case.name().into(),
            config: self.config.to_json(),
            mesh,
            mesh_hash: new_mesh_hash,
            ranks: self.comm.size(),
            threads,
            backend: self.backends.word(),
            backends: self.backends.listed(),
            lanes: domain.lanes().lanes(),
            mode,
            strategy,
            guarantee: guarantee::text(&run.execution, &run.partition, threads),
            partitioner: run.partition.method.clone(),
            seed: run.partition.seed,
            iterations: history.iterations(),
            restart: self.restart.clone(),
            converged,
            residual: Residual::new(history.residual()),
            figures: figures.entries,
            hash: hashes,
            values,
            hash_class: class,
            history_hash,
            time: clock.times(figures.times),
            fom: FigureOfMerit::new(
                solver.work_name(),
                self.work_set,
                self.work_rows(domain),
                solver.work_steps(history.iterations() - self.restart.as_ref().map_or(0, |r| r.iteration)),
                clock.solve_s,
            ),
            loops: costs,
            bandwidth,
            halo: setup::shares(self.comm, domain, self.primary).summary(),
            memory_bytes: self.comm.sum(domain.memory() as u64),
            energy,
            peak_rss_bytes: peaks.iter().all(|&peak| peak > 0).then(|| peaks.iter().sum()),
            verified,
            reference,
            provenance: self.provenance.clone(),
        };
        if self.config.run.output.profile {
            output.write(self.comm, "profile.json", || profile::to_json(&summary))?;
        }
        output.write(self.comm, "summary.json", || summary.to_json())?;
        if run.output.report {
            let (directory, files) = (output.directory().to_path_buf(), output.files().to_vec());
            output.write(self.comm, "report.html", || {
                let title = heading::title(run);
                let verdict = verdict::verdict(&summary, &asked);
                let pictures = page::run::pictures(&directory, &files);
                page::run::html(&title, &subtitle, &summary, &verdict, &files, &pictures)
            })?;
        }
        if !summary.loops.is_empty() {
            let table = loops::table(&summary.loops, clock.solve_s, bandwidth.as_ref(), self.comm.size());
            say!(self.console, "\n{table}");
        }
        if let Some(bandwidth) = bandwidth {
            say!(self.console, "\n{}", bandwidth.text(self.comm.size()));
        }
        say!(self.console, "\n{}", verdict::block(&summary, &asked, output.directory(), output.files()));
        mismatch.map_or(Ok(()), Err)
    }
}

/// A run's final numbers: those of its last iteration, and the solver's own, which replace others of the same name.
/// Collective.
fn values(
    domain: &mut Domain,
    solver: &mut dyn Solver,
    history: &History,
) -> Result<Vec<(String, f64)>, Error> {
    // If this run made no iteration, the history has no row of its own.
    let last = match history.last_values() {
        Some(values) => values.to_vec(),
        None => solver.report(domain)?,
    };
    let results = solver.results(domain)?;
    let is_again = |name: &str| results.iter().any(|(other, _)| other == name);
    let last = history.named(last).filter(|(name, _)| !is_again(name));
    let mut values: Vec<_> = last.map(|(name, value)| (name.to_string(), value)).collect();
    values.extend(results);
    Ok(values)
}
