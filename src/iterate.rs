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
use crate::checkpoint::signal::{self, StopSignals};
use crate::checkpoint::{self, Origin};
use crate::config::Config;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::history::History;
use crate::progress::Progress;
use crate::trace::Trace;

/// What the iterations of a run need beside the solver.
pub struct Iterations<'a> {
    /// All ranks.
    pub comm: &'a Comm,
    /// The configuration.
    pub config: &'a Config,
    /// Where lines go.
    pub console: Console,
    /// Hash of the mesh that the run was given, for checkpoints.
    pub mesh_hash: &'a str,
    /// The mesh that the solver has put in its place, if it has.
    pub new_mesh: Option<Mesh>,
    /// Hashes after every loop.
    pub trace: Option<&'a Trace>,
    /// When to end.
    pub limits: Limits,
    /// Being asked to stop.
    pub signals: &'a StopSignals,
    /// Which checkpoints this run's belong with.
    pub lineage: &'a Lineage,
    /// Where they are; rank 0 has it.
    pub folder: Option<Folder>,
}

impl Iterations<'_> {
    /// Iterates from where the history ends up to the limits; true when the residual fell below the tolerance.
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
        let output = &self.config.run.output;
        let (first, last) = (history.iterations() + 1, self.limits.iterations);
        let before = history.last_row().map_or(Duration::ZERO, |row| row.time);
        let begin = Instant::now();
        if first <= last {
            say!(self.console, "\n{}", history.heading());
        }
        let mut converged = false;
        let is_over = |solver: &dyn Solver| solver.done().is_some_and(|share| share >= 1.0);
        let mut over = is_over(solver);
        for iteration in first..=last {
            if over {
                break;
            }
            if let Some(signal) = self.signals.agreed(self.comm) {
                progress.finish();
                if iteration == first {
                    return Err(signal::nothing_to_save(signal));
                }
                let file = self.save(domain, solver, history)?;
                let iteration = iteration - 1;
                let state = format!(" after iteration {iteration}; continue with --restart {file}");
                return Err(Error::Interrupted { signal: signal.into(), state });
            }
            let (row, line) = (iteration.is_multiple_of(output.history_every), history.has_line(iteration));
            if let Some(trace) = self.trace {
                trace.begin(domain, iteration);
            }
            let step = solver.step(domain, row || line || iteration == last)?;
            if let Some(mesh) = solver.new_mesh() {
                self.new_mesh = Some(mesh);
            }
            converged = self.limits.tolerance > 0.0 && step.residual < self.limits.tolerance;
            over = is_over(solver);
            if line || converged || over {
                progress.suspend(|| {
                    say!(self.console, "{}", History::line(iteration, step.residual, &step.values));
                    for remark in solver.remarks() {
                        say!(self.console, "{remark}");
                    }
                });
            }
            if let Some(total) = expected(iteration, solver.done()) {
                progress.expect(total.min(last));
            }
            progress.update(iteration, step.residual);
            let ends = converged || over || iteration == last;
            let values = (row || ends).then_some(step.values);
            history.push(step.residual, values, before + begin.elapsed());
            let every = output.checkpoint_every;
            if every > 0 && (ends || iteration.is_multiple_of(every)) {
                self.save(domain, solver, history)?;
            }
            if converged {
                break;
            }
        }
        progress.finish();
        Ok(converged)
    }

    /// Writes a checkpoint and removes the oldest ones; its path. Collective.
    fn save(&mut self, domain: &mut Domain, solver: &dyn Solver, history: &History) -> Result<String, Error> {
        let (comm, iteration) = (self.comm, history.iterations());
        let path = self.folder.as_ref().map(|folder| folder.path(iteration).to_string_lossy().into_owned());
        let path: String = comm.broadcast(0, path);
        let (config, mesh_hash, lineage) = (self.config, self.mesh_hash, self.lineage);
        let origin = Origin { config, mesh_hash, new_mesh: self.new_mesh.as_ref(), lineage };
        checkpoint::save(comm, Path::new(&path), origin, domain, solver, history)?;
        if let Some(folder) = &mut self.folder {
            folder.add(iteration, path.clone().into(), self.config.run.output.checkpoint_keep);
        }
        Ok(path)
    }
}

/// How many iterations a run will have of which so many are this share, if it has an end of its own.
fn expected(iteration: u64, share: Option<f64>) -> Option<u64> {
    share.filter(|share| *share > 0.0).map(|share| (iteration as f64 / share).ceil() as u64)
}
