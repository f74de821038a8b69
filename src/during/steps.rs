//! The fields of some iterations: `solution-ITERATION.vtu` (`.pvtu` on several ranks), and `solution.pvd`, which lists
//! them for ParaView.

use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_io::Collection;
use cfd_solvers::Solver;

use crate::checkpoint::restart::Restart;
use crate::exit::Error;
use crate::history::History;
use crate::results::Results;

/// The list of the files.
const LIST: &str = "solution.pvd";
/// The prefix of the files' names.
const STEM: &str = "solution";

/// The files that a run has written so far.
pub struct Steps {
    directory: PathBuf,
    /// Files, with their iterations as times; only rank 0's count.
    list: Collection,
    /// Whether there are files to list, apart from the one of all steps.
    lists: bool,
}

impl Steps {
    /// Begins a list, if `lists`; if the run continues another in the same directory, with that run's files up to
    /// there. Collective.
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn begin(
        comm: &Comm,
        directory: &Path,
        restart: Option<&Restart>,
        lists: bool,
    ) -> Result<Steps, Error> {
        let is_here = |restart: &&Restart| {
            let [there, here] = [restart.directory(), directory].map(|path| fs::canonicalize(path).ok());
            comm.is_root() && there.is_some() && there == here
        };
        let list = restart.filter(is_here).map_or(Collection::default(), |restart| {
            let mut list = Collection::read(&directory.join(LIST));
            list.files.retain(|(iteration, file)| {
                let is_step = file.starts_with(&format!("{STEM}-{iteration}."));
                *iteration <= restart.iteration as f64 && is_step && directory.join(file).is_file()
            });
            list
        });
        let steps = Steps { directory: directory.into(), list, lists };
        steps.write_list(comm)?;
        Ok(steps)
    }

    /// Writes the fields after the history's last iteration; with `ends`, the run's last iteration, whose fields enter
    /// the file of all steps with the run's final values. Collective.
    ///
    /// # Errors
    /// A file cannot be written, or a device has failed.
    pub fn write(
        &mut self,
        comm: &Comm,
        results: &mut Results<'_>,
        domain: &mut Domain,
        solver: &dyn Solver,
        history: &History,
        ends: bool,
    ) -> Result<(), Error> {
        let iteration = history.iterations();
        let known = results.known(history, &[], None);
        if !ends {
            results.add_step(domain, solver, &known)?;
        }
        if self.lists {
            let stem = format!("{STEM}-{iteration}");
            let file = results.write_vtu(domain, solver, &self.directory, &stem, &known)?;
            self.add(comm, iteration, file)?;
        }
        Ok(())
    }

    /// Adds the file of the final fields, if any, as the only one of that iteration; returns the name of the list, if
    /// any. Collective.
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn end(
        &mut self,
        comm: &Comm,
        iteration: u64,
        solution: Option<&str>,
    ) -> Result<Option<&'static str>, Error> {
        let last = self.list.files.last().map_or(0, |(iteration, _)| *iteration as u64);
        if let Some(file) = solution.filter(|_| comm.max(last) < iteration) {
            self.add(comm, iteration, file.into())?;
        }
        Ok(self.lists.then_some(LIST))
    }

    fn add(&mut self, comm: &Comm, iteration: u64, file: String) -> Result<(), Error> {
        self.list.files.push((iteration as f64, file));
        self.write_list(comm)
    }

    /// Writes the list. Collective.
    fn write_list(&self, comm: &Comm) -> Result<(), Error> {
        if !self.lists {
            return Ok(());
        }
        let write = || self.list.write(&self.directory.join(LIST));
        Ok(comm.agree(if comm.is_root() { write() } else { Ok(()) })?)
    }
}
