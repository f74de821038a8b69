//! The fields of some iterations: `solution-ITERATION.vtu` (`.pvtu` on several ranks), and `solution.pvd`, which lists
//! them for ParaView.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_io::write_atomically;
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
    /// Iterations and files; only rank 0's count.
    files: Vec<(u64, String)>,
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
        let files = restart.filter(is_here).map_or(Vec::new(), |restart| {
            let text = fs::read_to_string(directory.join(LIST)).unwrap_or_default();
            let mut files = listed(&text);
            files.retain(|(iteration, file)| {
                let is_step = file.starts_with(&format!("{STEM}-{iteration}."));
                *iteration <= restart.iteration && is_step && directory.join(file).is_file()
            });
            files
        });
        let steps = Steps { directory: directory.into(), files, lists };
        steps.list(comm)?;
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
        let last = self.files.last().map(|(iteration, _)| *iteration);
        if let Some(file) = solution.filter(|_| comm.max(last.unwrap_or(0)) < iteration) {
            self.add(comm, iteration, file.into())?;
        }
        Ok(self.lists.then_some(LIST))
    }

    fn add(&mut self, comm: &Comm, iteration: u64, file: String) -> Result<(), Error> {
        self.files.push((iteration, file));
        self.list(comm)
    }

    /// Writes the list. Collective.
    fn list(&self, comm: &Comm) -> Result<(), Error> {
        if !self.lists {
            return Ok(());
        }
        let write = || {
            let text = list(&self.files);
            write_atomically(&self.directory.join(LIST), |file| file.write_all(text.as_bytes()))
        };
        Ok(comm.agree(if comm.is_root() { write() } else { Ok(()) })?)
    }
}

/// The list's text.
fn list(files: &[(u64, String)]) -> String {
    let line = |(iteration, file): &(u64, String)| {
        format!("<DataSet timestep=\"{iteration}\" part=\"0\" file=\"{file}\"/>\n")
    };
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n\
         {}</Collection>\n</VTKFile>\n",
        files.iter().map(line).collect::<String>()
    )
}

/// The files that a list's text names.
fn listed(text: &str) -> Vec<(u64, String)> {
    let attribute = |line: &str, name: &str| {
        Some(line.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.to_string())
    };
    let file = |line: &str| Some((attribute(line, "timestep")?.parse().ok()?, attribute(line, "file")?));
    text.lines().filter(|line| line.starts_with("<DataSet ")).filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_back_as_it_was_written() {
        let files = vec![(10, "solution-10.vtu".to_string()), (20, "solution-20.pvtu".to_string())];
        assert_eq!(listed(&list(&files)), files);
        assert_eq!(listed(""), []);
        assert_eq!(listed("<DataSet timestep=\"x\" file=\"a\"/>\n<DataSet timestep=\"1\"/>\n"), []);
    }
}
