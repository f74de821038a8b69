//! Starting runs without MPI: by themselves, on one rank.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use crate::cli::ReproArgs;
use crate::exit::Error;

/// How a build of this program is started: without a launcher.
#[derive(Clone, Debug)]
pub struct Launcher {
    build: PathBuf,
}

impl Launcher {
    /// There is nothing to find.
    ///
    /// # Errors
    /// More than one rank is requested.
    pub fn find(args: &ReproArgs, build: PathBuf, _library: &str) -> Result<Launcher, Error> {
        match args.ranks.iter().find(|&&ranks| ranks > 1) {
            Some(ranks) => Err(Error::Argument {
                argument: format!("--ranks {ranks}"),
                reason:
                    "this program was built without MPI and runs on one rank only; build it with the feature \
                         `mpi`"
                        .into(),
            }),
            None => Ok(Launcher { build }),
        }
    }

    /// A command that starts the build; the caller adds the program's arguments.
    pub fn command(&self, _one: u32) -> Command {
        Command::new(&self.build)
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "none: built without MPI")
    }
}
