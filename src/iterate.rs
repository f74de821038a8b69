//! The iterations of a run, and what is written between them.

use std::path::Path;
use std::time::{Duration, Instant};

use cfd_solvers::Step;

use crate::checkpoint::signal::{self, Request};
use crate::checkpoint::{self, Origin};
use crate::console::say;
use crate::energy::{Known, Meter};
use crate::exit::Error;
use crate::progress::Progress;
use crate::session::Session;

impl Session<'_> {
    /// Iterates from the end of the history up to the limits; true if the residual fell below the tolerance, in this run
    /// or in the one that it continues. Collective.
    ///
    /// # Errors
    /// The solver stops, a checkpoint cannot be written, or the run was asked to stop and has written one.
    pub fn iterate(&mut self, progress: Progress) -> Result<bool, Error> {
        let meter = Meter::start(self.comm, self.backends.gpu.as_deref());
        let begin = Instant::now();
        let ended = self.iterations(progress);
        self.comm.barrier();
        // Files are not part of the iterations.
        self.clock.solve = begin.elapsed().saturating_sub(self.clock.files);
        let output = &self.config.run.output;
        let known = Known { standby_watts: output.standby_watts, design_watts: output.design_watts };
        self.energy = meter.stop(self.comm, &known, self.clock.solve.as_secs_f64());
        ended
    }

    fn iterations(&mut self, mut progress: Progress) -> Result<bool, Error> {
        let (first, last) = (self.history.iterations() + 1, self.limits.iterations);
        let before = self.history.last_row().map_or(Duration::ZERO, |row| row.time);
        let begin = Instant::now();
        let is_done = self.history.residual().is_some_and(|residual| self.limits.is_met(residual));
        if is_done || first > last || self.is_over() {
            self.begin_during()?;
            let Session { comm, domain, solver, history, during, .. } = self;
            during.without_iteration(comm, domain, &**solver, history)?;
            return Ok(is_done);
        }
        if let Some(Request::Stop(by)) = self.request() {
            return Err(signal::nothing_to_save(by));
        }
        say!(self.console, "\n{}", self.history.heading());
        for iteration in first..=last {
            let is_line = self.history.has_line(iteration);
            let mut step = self.step(iteration)?;
            if iteration == first {
                self.begin_during()?;
            }
            let has_new_mesh = self.take_new_mesh();
            let began = Instant::now();
            self.take_frames();
            self.clock.files += began.elapsed();
            let converged = self.limits.is_met(step.residual);
            let ends = converged || self.is_over() || iteration == last;
            let request = self.request().filter(|_| !ends);
            let stops = matches!(request, Some(Request::Stop(_)));
            let every = self.config.run.output.checkpoint_every;
            let saves = self.saves_after(iteration) || request.is_some() || every > 0 && ends;
            let has_row = self.history.has_row(iteration) || saves || ends;
            let is_printed = is_line || ends || stops || !step.remarks.is_empty();
            if (is_printed || has_row) && step.values.is_empty() {
                step.values = self.solver.values(&mut self.domain)?;
            }
            if is_printed {
                progress.suspend(|| self.print(iteration, &step));
            }
            if let Some(total) = expected(iteration, self.solver.done()) {
                progress.expect(total.min(last));
            }
            progress.update(iteration, step.residual);
            self.history.push(step.residual, has_row.then_some(step.values), before + begin.elapsed());
            let began = Instant::now();
            self.write(has_new_mesh, ends)?;
            let file = if saves { Some(self.save()?) } else { None };
            self.clock.files += began.elapsed();
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

    /// One iteration of the solver; it reports if the iteration has a line, a row or a checkpoint.
    fn step(&mut self, iteration: u64) -> Result<Step, Error> {
        let Session { trace, domain, history, limits, .. } = self;
        if let Some(trace) = trace {
            trace.begin(domain, iteration);
        }
        let is_shown = history.has_row(iteration) || history.has_line(iteration);
        let reports = is_shown || iteration == limits.iterations || self.saves_after(iteration);
        Ok(self.solver.step(&mut self.domain, reports)?)
    }

    /// The solver needs no further iteration.
    fn is_over(&self) -> bool {
        self.solver.done().is_some_and(|share| share >= 1.0)
    }

    /// What the run was asked to do, if anything. Collective.
    fn request(&mut self) -> Option<Request> {
        self.signals.request(self.comm, self.time_limit.due())
    }

    /// A periodic checkpoint follows an iteration.
    fn saves_after(&self, iteration: u64) -> bool {
        let every = self.config.run.output.checkpoint_every;
        every > 0 && iteration.is_multiple_of(every)
    }

    fn print(&self, iteration: u64, step: &Step) {
        say!(self.console, "{}", self.history.line(iteration, step.residual, &step.values));
        for remark in &step.remarks {
            say!(self.console, "{remark}");
        }
    }

    /// Begins the files that grow with the iterations after the history's last. Collective.
    fn begin_during(&mut self) -> Result<(), Error> {
        let Session { comm, config, restart, console, during, history, .. } = self;
        during.begin(comm, config, history, restart.as_ref(), *console)
    }

    /// Writes what is due during the run. Collective.
    fn write(&mut self, has_new_mesh: bool, ends: bool) -> Result<(), Error> {
        let Session { comm, config, trace, domain, solver, history, during, results, .. } = self;
        if let Some(trace) = trace
            && during.looks_at(config, history, ends)
        {
            // Loops for output are not part of it.
            trace.end(domain);
        }
        during.after(comm, config, domain, &**solver, history, results, (has_new_mesh, ends))
    }

    /// Writes a checkpoint and removes the oldest ones; its path. Collective.
    fn save(&mut self) -> Result<String, Error> {
        let Session { comm, config, domain, solver, history, lineage, during, film, .. } = self;
        let iteration = history.iterations();
        let path = self.folder.as_ref().map(|folder| folder.path(iteration).to_string_lossy().into_owned());
        let path: String = comm.broadcast(0, path);
        let (mesh_hash, new_mesh) = (&self.mesh.hash[..], self.new_mesh.as_ref());
        let origin = Origin { config, mesh_hash, new_mesh, lineage, film };
        let begin = Instant::now();
        during.before_checkpoint();
        checkpoint::save(comm, Path::new(&path), origin, domain, &**solver, history)?;
        self.time_limit.note_save(begin.elapsed());
        if let Some(folder) = &mut self.folder {
            folder.add(iteration, path.clone().into(), config.run.output.checkpoint_keep);
        }
        Ok(path)
    }
}

/// The total iterations of a run of which this many are this share, if it ends by itself.
fn expected(iteration: u64, share: Option<f64>) -> Option<u64> {
    share.filter(|share| *share > 0.0).map(|share| (iteration as f64 / share).ceil() as u64)
}
