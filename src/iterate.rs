//! The iterations of a run, and the checkpoints between them.

use std::path::Path;
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::Mesh;
use cfd_solvers::Solver;
use cfd_solvers::case::Limits;

use crate::checkpoint::folder::Folder;
use crate::checkpoint::lineage::Lineage;
use crate::checkpoint::signal::{self, Request, StopSignals};
use crate::checkpoint::time_limit::TimeLimit;
use crate::checkpoint::{self, Origin};
use crate::config::Config;
use crate::console::{Console, say};
use crate::during::During;
use crate::exit::Error;
use crate::history::History;
use crate::progress::Progress;
use crate::results::Results;
use crate::trace::Trace;

/// What the iterations of a run need in addition to the solver.
pub struct Iterations<'a> {
    /// All ranks.
    pub comm: &'a Comm,
    /// The configuration.
    pub config: &'a Config,
    /// Where lines go.
    pub console: Console,
    /// Hash of the mesh that the run was given, for checkpoints.
    pub mesh_hash: &'a str,
    /// The mesh that the solver replaced it with, if any.
    pub new_mesh: Option<Mesh>,
    /// Hashes after every loop.
    pub trace: Option<&'a Trace>,
    /// When to end.
    pub limits: Limits,
    /// Requests to stop.
    pub signals: &'a StopSignals,
    /// The run's time limit.
    pub time_limit: TimeLimit,
    /// The lineage of this run's checkpoints.
    pub lineage: &'a Lineage,
    /// Where they are; rank 0 has it.
    pub folder: Option<Folder>,
    /// Output written during the run.
    pub during: During,
    /// Where fields are written.
    pub results: Results<'a>,
    /// Time spent on files so far.
    pub output: Duration,
}

impl Iterations<'_> {
    /// Iterates from the end of the history up to the limits; true if the residual fell below the tolerance.
    /// Collective.
    ///
    /// # Errors
    /// The solver stops, a checkpoint cannot be written, or the run was asked to stop and has written one.
    pub fn run(
        &mut self,
        domain: &mut Domain,
        solver: &mut dyn Solver,
        history: &mut History,
        mut progress: Progress,
    ) -> Result<bool, Error> {
        let (first, last) = (history.iterations() + 1, self.limits.iterations);
        let before = history.last_row().map_or(Duration::ZERO, |row| row.time);
        let begin = Instant::now();
        let is_over = |solver: &dyn Solver| solver.done().is_some_and(|share| share >= 1.0);
        if first > last || is_over(solver) {
            return Ok(false);
        }
        if let Some(Request::Stop(by)) = self.signals.request(self.comm, self.time_limit.due()) {
            return Err(signal::nothing_to_save(by));
        }
        say!(self.console, "\n{}", history.heading());
        for iteration in first..=last {
            if let Some(trace) = self.trace {
                trace.begin(domain, iteration);
            }
            let is_line = history.has_line(iteration);
            let every = self.config.run.output.checkpoint_every;
            let saves = every > 0 && iteration.is_multiple_of(every);
            let mut step =
                solver.step(domain, history.has_row(iteration) || is_line || saves || iteration == last)?;
            let new_mesh = solver.new_mesh();
            let has_new_mesh = new_mesh.is_some();
            self.new_mesh = new_mesh.or(self.new_mesh.take());
            if has_new_mesh {
                self.results.new_mesh();
            }
            let converged = self.limits.tolerance > 0.0 && step.residual < self.limits.tolerance;
            let ends = converged || is_over(solver) || iteration == last;
            let request = self.signals.request(self.comm, self.time_limit.due()).filter(|_| !ends);
            let stops = matches!(request, Some(Request::Stop(_)));
            let saves = saves || request.is_some() || every > 0 && ends;
            let has_row = history.has_row(iteration) || saves || ends;
            if (is_line || has_row) && step.values.is_empty() {
                step.values = solver.values(domain)?;
            }
            if is_line || ends || stops {
                progress.suspend(|| {
                    say!(self.console, "{}", History::line(iteration, step.residual, &step.values));
                    for remark in &step.remarks {
                        say!(self.console, "{remark}");
                    }
                });
            }
            if let Some(total) = expected(iteration, solver.done()) {
                progress.expect(total.min(last));
            }
            progress.update(iteration, step.residual);
            history.push(step.residual, has_row.then_some(step.values), before + begin.elapsed());
            let began = Instant::now();
            self.write(domain, solver, history, (has_new_mesh, ends))?;
            let file = if saves { Some(self.save(domain, solver, history)?) } else { None };
            self.output += began.elapsed();
            if let (Some(Request::Stop(by)), Some(file)) = (request, file) {
                progress.finish();
                let state = format!(" after iteration {iteration}; continue with --restart {file}");
                return Err(Error::Interrupted { signal: by.into(), state });
            }
            if ends {
                progress.finish();
                return Ok(converged);
            }
        }
        unreachable!("the last iteration ends the run")
    }

    /// Writes what is due during the run. Collective.
    fn write(
        &mut self,
        domain: &mut Domain,
        solver: &mut dyn Solver,
        history: &History,
        (new_mesh, ends): (bool, bool),
    ) -> Result<(), Error> {
        if let Some(trace) = self.trace
            && self.during.looks_at(self.config, history, ends)
        {
            // Loops for output are not part of it.
            trace.end(domain);
        }
        let Iterations { comm, config, during, results, .. } = self;
        during.after(comm, config, domain, solver, history, results, (new_mesh, ends))
    }

    /// Writes a checkpoint and removes the oldest ones; its path. Collective.
    fn save(&mut self, domain: &mut Domain, solver: &dyn Solver, history: &History) -> Result<String, Error> {
        let (comm, iteration) = (self.comm, history.iterations());
        let path = self.folder.as_ref().map(|folder| folder.path(iteration).to_string_lossy().into_owned());
        let path: String = comm.broadcast(0, path);
        let (config, mesh_hash, lineage) = (self.config, self.mesh_hash, self.lineage);
        let origin = Origin { config, mesh_hash, new_mesh: self.new_mesh.as_ref(), lineage };
        let begin = Instant::now();
        checkpoint::save(comm, Path::new(&path), origin, domain, solver, history)?;
        self.time_limit.note_save(begin.elapsed());
        if let Some(folder) = &mut self.folder {
            folder.add(iteration, path.clone().into(), self.config.run.output.checkpoint_keep);
        }
        Ok(path)
    }
}

/// The total iterations of a run of which this many are this share, if it ends by itself.
fn expected(iteration: u64, share: Option<f64>) -> Option<u64> {
    share.filter(|share| *share > 0.0).map(|share| (iteration as f64 / share).ceil() as u64)
}
