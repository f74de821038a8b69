//! Output written during a run.
//!
//! ```text
//! mod (here)   what is due after an iteration
//! series       a text file that grows
//! probes       probes.csv: values at chosen points
//! nearest      the elements nearest to points
//! steps        the fields of some iterations as VTU files, and the list of them
//! ```
//!
//! It changes no bit of the solution: loops for output write to their own dats.

mod nearest;
mod probes;
mod series;
mod steps;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_solvers::Solver;

use self::probes::Probes;
use self::series::Series;
use self::steps::Steps;
use crate::checkpoint::restart::Restart;
use crate::config::Config;
use crate::console::Console;
use crate::exit::Error;
use crate::history::History;
use crate::results::Results;

/// The files of a run that grow in size or number with its iterations.
pub struct During {
    /// Rank 0 has it.
    history: Option<Series>,
    /// Rows that are in it.
    rows: usize,
    probes: Option<Probes>,
    steps: Option<Steps>,
    has_begun: bool,
}

impl During {
    /// Finds the elements of the probes on the initial mesh, before a checkpoint moves it. Collective.
    ///
    /// # Errors
    /// A probe does not have as many coordinates as the mesh.
    pub fn new(
        comm: &Comm,
        config: &Config,
        domain: &mut Domain,
        solver: &dyn Solver,
    ) -> Result<During, Error> {
        let points = &config.run.output.probes;
        let probes = match points.is_empty() {
            true => None,
            false => Some(Probes::new(comm, points, config.run.case.facts().needs[0], domain, solver)?),
        };
        Ok(During { history: None, rows: 0, probes, steps: None, has_begun: false })
    }

    /// Begins the files, or continues those of the checkpoint's run. Collective.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn begin(
        &mut self,
        comm: &Comm,
        config: &Config,
        history: &History,
        restart: Option<&Restart>,
        console: Console,
    ) -> Result<(), Error> {
        self.has_begun = true;
        let directory = &config.run.output.directory;
        let rows = history.settled();
        self.rows = rows.len();
        let text = || history.csv_heading() + &history.csv_rows(rows);
        let begun = comm.is_root().then(|| Series::begin(&directory.join("history.csv"), &text(), console));
        self.history = comm.agree(begun.transpose().map(Some)).map(Option::flatten)?;
        if let Some(probes) = &mut self.probes {
            probes.begin(comm, directory, restart, history, console)?;
        }
        if config.run.output.every > 0 {
            let lists = Results::lists_steps(&config.run.output);
            self.steps = Some(Steps::begin(comm, directory, restart, lists)?);
        }
        Ok(())
    }

    /// True if the files have been begun.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// True if output runs loops after the history's last iteration.
    pub fn looks_at(&self, config: &Config, history: &History, ends: bool) -> bool {
        let iteration = history.iterations();
        self.probes.is_some() && (ends || history.has_row(iteration))
            || self.steps.is_some() && iteration.is_multiple_of(config.run.output.every)
    }

    /// Writes what is due after the history's last iteration; `new_mesh`: the solver replaced the mesh in it; `ends`:
    /// it ends the run. Collective.
    ///
    /// # Errors
    /// A file cannot be written, or a device has failed.
    pub fn after(
        &mut self,
        comm: &Comm,
        config: &Config,
        domain: &mut Domain,
        solver: &dyn Solver,
        history: &History,
        results: &mut Results<'_>,
        (new_mesh, ends): (bool, bool),
    ) -> Result<(), Error> {
        if let Some(series) = &mut self.history {
            let rows = history.settled();
            series.add(|| history.csv_rows(&rows[self.rows..]));
            self.rows = rows.len();
        }
        let iteration = history.iterations();
        if let Some(probes) = &mut self.probes {
            if new_mesh {
                probes.locate(comm, domain, solver)?;
            }
            if ends || history.has_row(iteration) {
                probes.record(comm, domain, solver, iteration)?;
            }
        }
        if let Some(steps) = self.steps.as_mut().filter(|_| iteration.is_multiple_of(config.run.output.every))
        {
            steps.write(comm, results, domain, solver, history, ends)?;
        }
        Ok(())
    }

    /// What must be on the disk before a checkpoint is.
    pub fn before_checkpoint(&mut self) {
        if let Some(probes) = &mut self.probes {
            probes.before_checkpoint();
        }
    }

    /// Instead of [`During::after`], for a run that has nothing left to do: its last iteration, the checkpoint's, gets
    /// the rows that it has only as the last one. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn without_iteration(
        &mut self,
        comm: &Comm,
        domain: &mut Domain,
        solver: &dyn Solver,
        history: &History,
    ) -> Result<(), Error> {
        let last = history.iterations();
        match &mut self.probes {
            Some(probes) if last > 0 && !history.has_row(last) => probes.record(comm, domain, solver, last),
            _ => Ok(()),
        }
    }

    /// Ends the files; returns the names of those that are now complete. The history is not among them: the code that
    /// ends the run rewrites it. `solution` is the file of the last iteration's fields, if any. Collective.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn end(&mut self, comm: &Comm, iteration: u64, solution: Option<&str>) -> Result<Vec<String>, Error> {
        let mut files = Vec::new();
        if let Some(probes) = &mut self.probes {
            probes.end(comm)?;
            files.push(probes::FILE.to_string());
        }
        if let Some(steps) = &mut self.steps {
            files.extend(steps.end(comm, iteration, solution)?.map(String::from));
        }
        Ok(files)
    }
}
