//! Continuing from a checkpoint: whether it fits the run, and what has changed since it was written.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_io::IoError;
use cfd_solvers::Solver;
use serde::Serialize;

use super::{Checkpoint, folder};
use crate::config::Config;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::history::History;

/// The checkpoint that a run continues from.
#[derive(Clone, Debug, Serialize)]
pub struct Restart {
    /// The file.
    pub file: PathBuf,
    /// Iterations that had been done.
    pub iteration: u64,
    /// Keys with another value than in the run that wrote it, where they can change the bits of what follows:
    /// `airfoil.cfl: 0.9 -> 0.5`.
    pub changed: Vec<String>,
    #[serde(skip)]
    checkpoint: Checkpoint,
}

impl Restart {
    /// The checkpoint that was named, if it is one of this case. Collective.
    ///
    /// # Errors
    /// It is missing or damaged (then an intact one beside it is named), or of another case.
    pub fn find(comm: &Comm, named: &Path, config: &Config) -> Result<Restart, Error> {
        let (file, checkpoint) = folder::find(comm, named)?;
        let header = &checkpoint.header;
        let case = config.run.case.to_string();
        if header.case != case {
            let what = format!("this is a checkpoint of case \"{}\", but the run is \"{case}\"", header.case);
            return Err(IoError::file(&file, what).into());
        }
        let changed = config.changes_since(&header.config);
        Ok(Restart { file, iteration: header.iteration, changed, checkpoint })
    }

    /// Puts a solver and its history where the checkpoint's run was. Collective.
    ///
    /// # Errors
    /// The checkpoint is of another mesh, or lacks something of the solver's state.
    pub fn apply(
        &self,
        comm: &Comm,
        mesh_hash: &str,
        domain: &mut Domain,
        solver: &mut dyn Solver,
        history: &mut History,
    ) -> Result<(), Error> {
        let theirs = &self.checkpoint.header.mesh_hash;
        if theirs != mesh_hash {
            let what = format!(
                "this is a checkpoint on another mesh: its hash is {theirs}, that of the run's mesh {mesh_hash}"
            );
            return Err(IoError::file(&self.file, what).into());
        }
        self.checkpoint.restore(comm, &self.file, domain, solver, history)
    }

    /// Says where the run continues, and warns of what makes it another run.
    pub fn announce(&self, console: Console, last: u64) {
        say!(console, "restart      {}, after iteration {}", self.file.display(), self.iteration);
        if !self.changed.is_empty() {
            let changed = self.changed.join(", ");
            console.warn(format_args!(
                "the configuration has changed since the checkpoint ({changed}): the result is not that of one run \
                 without a stop"
            ));
        }
        if self.iteration >= last {
            console.warn(format_args!(
                "nothing is left to do: the checkpoint is after iteration {}, the limit is {last}",
                self.iteration
            ));
        }
    }
}
