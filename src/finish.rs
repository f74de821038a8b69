//! How a run ends: its results, its report, its verdict.

use std::time::Instant;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh as GlobalMesh;
use cfd_engine::strategy::HashClass;
use cfd_io::{Digest, Field, FieldKind, NodeField, NodeFields};
use cfd_mesh::{Named, Request, TRIANGLES};
use cfd_solvers::Solver;
use cfd_solvers::output::{Film, Output};

use crate::bandwidth::{self, Bandwidth};
use crate::config::Execution;
use crate::console::say;
use crate::exit::{Code, Error};
use crate::plot::{self, heading};
use crate::references::{self, Checked, Ended};
use crate::report::halo::Shares;
use crate::report::loops::{self, LoopCost};
use crate::report::summary::{Entries, FigureOfMerit, Residual, Summary, Times};
use crate::report::verdict;
use crate::report::{page, profile};
use crate::session::Session;
use crate::{film, guarantee, memory, threads};

/// The mesh of a run that has changed it.
const ADAPTED: &str = "adapted.h5";
/// The same in Medit's format, and its metric.
const ADAPTED_MEDIT: &str = "adapted.mesh";
const ADAPTED_METRIC: &str = "adapted.sol";

/// What a run has computed.
struct Found {
    /// Hashes of the fields, by name, and of the solution.
    hashes: Entries,
    solution: Digest,
    /// Of the mesh that replaced the given one.
    new_mesh: Option<Digest>,
    values: Vec<(String, f64)>,
}

/// What is thought of it.
struct Judged {
    class: HashClass,
    history_hash: String,
    verified: Option<bool>,
    reference: Option<Checked>,
    mismatch: Option<Error>,
}

impl Session<'_> {
    /// Writes and reports the results, and judges them; of iterations that ended with an error, only the history.
    /// Collective.
    ///
    /// # Errors
    /// That of the iterations; a file cannot be written; the results are not those that were expected.
    pub fn finish(mut self, ended: Result<bool, Error>) -> Result<(), Error> {
        let converged = self.keep_history(ended)?;
        // Before anything else runs a loop, so the table shows only the iterations.
        let costs = loops::gather(self.comm, self.domain.timers());
        self.solver.check(&mut self.domain)?;
        self.take_new_mesh();
        let began = Instant::now();
        let residual = match self.config.run.case.facts().residual {
            "" => "residual",
            name => name,
        };
        let subtitle = self.subtitle(&match self.history.last_row() {
            Some(row) => {
                format!("after {} iterations, {residual} {:.3e}", self.history.iterations(), row.residual)
            }
            None => "initial state".into(),
        });
        let found = self.write_results(&subtitle)?;
        let judged = self.judge(&found);
        let mismatch = judged.mismatch.clone();
        let summary = self.summary(converged, found, judged, costs, began);
        self.report(&summary, &subtitle)?;
        mismatch.map_or(Ok(()), Err)
    }

    /// Writes the history and the trace, also of iterations that have failed: that of a divergence is worth keeping. A
    /// failure to write it must not hide the cause. Collective.
    fn keep_history(&mut self, ended: Result<bool, Error>) -> Result<bool, Error> {
        if let Err(error) = &ended {
            // The run ends here, and only its cause matters.
            let _ = self.during.end(self.comm, self.history.iterations(), None);
            // A refusal leaves nothing, and without an iteration there is nothing to leave.
            if matches!(error.code(), Code::Input | Code::Stopped) && !self.during.has_begun() {
                return ended;
            }
        }
        let written = self.write_history();
        if ended.is_ok() {
            written?;
        }
        if let Some(trace) = &self.trace {
            trace.end(&mut self.domain);
            self.output.write(self.comm, "trace.csv", || trace.to_csv())?;
        }
        ended
    }

    fn write_history(&mut self) -> Result<(), Error> {
        let ranks = self.comm.size();
        let plural = if ranks == 1 { "" } else { "s" };
        let subtitle =
            self.subtitle(&format!("{} iterations, {ranks} rank{plural}", self.history.iterations()));
        let Session { comm, config, output, history, .. } = self;
        output.write(comm, "history.csv", || history.to_csv())?;
        if !config.run.output.pictures {
            return Ok(());
        }
        output.write(comm, "convergence.svg", || {
            plot::convergence::svg(&heading::title(&config.run), &subtitle, history.residuals())
        })
    }

    /// Draws and writes the solution. Collective.
    fn write_results(&mut self, subtitle: &str) -> Result<Found, Error> {
        let values = self.values()?;
        let Session { domain, solver, output, results, .. } = self;
        results.draw(domain, &**solver, output, subtitle)?;
        self.draw_film(subtitle)?;
        let Session { comm, domain, solver, history, output, during, results, .. } = self;
        results.write_tables(domain, &**solver, output)?;
        let (hashes, solution) = results.write_solution(domain, &**solver, output, &self.provenance)?;
        let known = results.known(history, &values, Some(solution));
        let vtu = results.show(domain, &**solver, output, &known)?;
        for file in during.end(comm, history.iterations(), vtu.as_deref())? {
            output.file(&file);
        }
        let new_mesh = match &self.new_mesh {
            Some(sets) => Some(new_mesh_hash(comm, sets, &**solver)?),
            None => None,
        };
        for shown in solver.outputs() {
            match (shown, new_mesh) {
                (Output::Mesh(elements), Some(_)) => {
                    cfd_io::write_element_mesh(comm, elements, &output.file(ADAPTED))?;
                }
                (Output::Medit(elements, metric), Some(_)) => {
                    let field = Field::of(domain, "metric", metric)?;
                    let metric = NodeField { kind: FieldKind::Metric, values: field.block.values().to_vec() };
                    let fields = NodeFields { dimension: 2, nodes: field.rows, fields: vec![metric] };
                    cfd_io::write_element_mesh(comm, elements, &output.file(ADAPTED_MEDIT))?;
                    cfd_io::write_node_fields(comm, &output.file(ADAPTED_METRIC), &fields)?;
                }
                _ => {}
            }
        }
        Ok(Found { hashes, solution, new_mesh, values })
    }

    /// Draws the film, if one is wanted. Collective.
    fn draw_film(&mut self, subtitle: &str) -> Result<(), Error> {
        let Session { comm, config, domain, solver, output, film: shown, .. } = self;
        if config.run.output.film == 0 || !config.run.output.pictures {
            return Ok(());
        }
        for part in solver.outputs() {
            if let Output::Film(Film { title, last }) = part {
                shown.add(comm, &last(domain)?);
                let heading = heading::title(&config.run);
                output.write(comm, film::FILE, || plot::film::svg(&heading, subtitle, title, shown))?;
            }
        }
        Ok(())
    }

    /// The final numbers: those of the last iteration, and the solver's own, which replace others of the same name.
    /// Collective.
    fn values(&mut self) -> Result<Vec<(String, f64)>, Error> {
        let Session { domain, solver, history, .. } = self;
        // If this run made no iteration, the history has no row of its own.
        let last = match history.last_values() {
            Some(values) => values.to_vec(),
            None => solver.values(domain)?,
        };
        let mut own = Vec::new();
        for output in solver.outputs() {
            if let Output::Values(values) = output {
                own.extend(values(domain)?);
            }
        }
        let is_again = |name: &str| own.iter().any(|(other, _)| other == name);
        let last = history.named(last).filter(|(name, _)| !is_again(name));
        let mut values: Vec<_> = last.map(|(name, value)| (name.to_string(), value)).collect();
        values.extend(own);
        Ok(values)
    }

    /// Compares the results with the expected hashes, and with those of the benchmark that the run is.
    fn judge(&self, found: &Found) -> Judged {
        let Execution { mode, strategy, .. } = self.config.run.execution;
        let (class, history_hash) = (guarantee::class(mode, strategy.0), self.history.hash());
        let mismatch = self.expected.and_then(|expected| expected.mismatch(found.solution, found.new_mesh));
        let verified = self.expected.map(|_| mismatch.is_none());
        let reference = references::check(&Ended {
            run: &self.config.run,
            mesh: &self.mesh.hash,
            iterations: self.history.iterations(),
            class,
            solution: &found.solution.to_string(),
            history: &history_hash,
            new_mesh: found.new_mesh.map(|hash| hash.to_string()).as_deref(),
            values: &found.values,
        });
        let mismatch = mismatch.or_else(|| reference.as_ref().and_then(Checked::error));
        Judged { class, history_hash, verified, reference, mismatch }
    }

    /// Everything a script may want to know. Collective.
    fn summary(
        &self,
        converged: bool,
        found: Found,
        judged: Judged,
        loops: Vec<LoopCost>,
        began: Instant,
    ) -> Summary {
        let (comm, run, history) = (self.comm, &self.config.run, &self.history);
        let Execution { mode, strategy, .. } = run.execution;
        let (figures, of_solver) = self.entries();
        let peaks = comm.all_gather(&[memory::peak().unwrap_or(0)]).concat();
        let threads = threads::count(run.execution.threads);
        // After reading the peak, which must not include the measurement's arrays.
        let bandwidth = run.output.bandwidth.then(|| bandwidth::measure(comm, threads, self.domain.lanes()));
        let solve_s = self.clock.solve.as_secs_f64();
        let before = self.restart.as_ref().map_or(0, |restart| restart.iteration);
        let work = self.solver.work(history.iterations() - before);
        Summary {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            case: run.case.name().into(),
            config: self.config.to_json(),
            mesh: self.mesh.entries(),
            mesh_hash: found.new_mesh.map(|hash| hash.to_string()),
            ranks: comm.size(),
            threads,
            backend: self.backends.word(),
            backends: self.backends.listed(),
            lanes: self.domain.lanes().lanes(),
            mode,
            strategy,
            guarantee: guarantee::text(&run.execution, &run.partition, threads),
            partitioner: run.partition.method.clone(),
            seed: run.partition.seed,
            iterations: history.iterations(),
            restart: self.restart.clone(),
            start_from: self.start_from.clone(),
            converged,
            residual: Residual::new(history.residual()),
            figures,
            hash: found.hashes,
            values: found.values,
            hash_class: judged.class,
            history_hash: judged.history_hash,
            time: Times {
                total_s: self.clock.start.elapsed().as_secs_f64(),
                setup_s: self.clock.setup.as_secs_f64(),
                solve_s,
                io_s: (self.clock.files + began.elapsed()).as_secs_f64(),
                of_solver,
            },
            fom: FigureOfMerit::new(&work, self.work_rows(), solve_s),
            loops,
            bandwidth,
            halo: Shares::of(comm, &self.domain, &self.primary).summary(),
            memory_bytes: comm.sum(self.domain.memory() as u64),
            energy: self.energy,
            peak_rss_bytes: peaks.iter().all(|&peak| peak > 0).then(|| peaks.iter().sum()),
            verified: judged.verified,
            reference: judged.reference,
            provenance: self.provenance.clone(),
        }
    }

    /// The solver's entries of the summary, and of its times.
    fn entries(&self) -> (Entries, Entries) {
        let (mut figures, mut times) = (Entries::new(), Entries::new());
        for output in self.solver.outputs() {
            match output {
                Output::Entries(entries) => figures.extend(entries),
                Output::Times(entries) => times.extend(entries),
                _ => {}
            }
        }
        (figures, times)
    }

    /// Writes the reports and prints the end. Collective.
    fn report(&mut self, summary: &Summary, subtitle: &str) -> Result<(), Error> {
        let Session { comm, config, console, expected, output, .. } = self;
        let (run, ranks, solve_s) = (&config.run, comm.size(), summary.time.solve_s);
        let bandwidth: Option<&Bandwidth> = summary.bandwidth.as_ref();
        output.write(comm, "loops.csv", || loops::to_csv(&summary.loops, solve_s, bandwidth))?;
        if run.output.profile {
            output.write(comm, "profile.json", || profile::to_json(summary))?;
        }
        output.write(comm, "summary.json", || summary.to_json())?;
        let (tolerance, settled) = (self.limits.tolerance, self.solver.settled());
        let requested = verdict::Requested { tolerance, expected: *expected, settled };
        if run.output.report {
            let (directory, files) = (output.directory().to_path_buf(), output.files().to_vec());
            output.write(comm, "report.html", || {
                let title = heading::title(run);
                let verdict = verdict::verdict(summary, &requested);
                let pictures = page::run::pictures(&directory, &files);
                page::run::html(&title, subtitle, summary, &verdict, &files, &pictures)
            })?;
        }
        if !summary.loops.is_empty() {
            say!(console, "\n{}", loops::table(&summary.loops, solve_s, bandwidth, ranks));
        }
        if let Some(bandwidth) = bandwidth {
            say!(console, "\n{}", bandwidth.text(ranks));
        }
        say!(console, "\n{}", verdict::block(summary, &requested, output.directory(), output.files()));
        Ok(())
    }
}

/// The hash of the mesh that a solver has moved to: that of its elements, whatever is derived from them, if the solver has
/// them. Collective.
fn new_mesh_hash(comm: &Comm, sets: &GlobalMesh, solver: &dyn Solver) -> Result<Digest, Error> {
    for output in solver.outputs() {
        if let Output::Mesh(elements) = output {
            let request = Request { boundaries: &Named::default(), levels: 1.into() };
            return Ok(cfd_io::mesh_hash(comm, &TRIANGLES.derive(comm, elements, &request)?));
        }
    }
    Ok(cfd_io::mesh_hash(comm, sets))
}
