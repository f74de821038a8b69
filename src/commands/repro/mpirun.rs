//! The mpirun that starts runs, and its options that allow any number of ranks on any machine.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use crate::cli::ReproArgs;
use crate::exit::Error;

/// How a build of this program is started on a number of ranks.
#[derive(Clone, Debug)]
pub struct Launcher {
    build: PathBuf,
    /// What starts it; `None` if it is built without MPI and starts by itself.
    mpirun: Option<Mpirun>,
}

#[derive(Clone, Debug)]
struct Mpirun {
    program: String,
    flavour: Flavour,
    /// Its version text.
    version: String,
}

/// Families of launchers with the same options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI up to version 4.
    OpenMpi4,
    /// Open MPI from version 5 on.
    OpenMpi5,
    /// MPICH and its descendants.
    Hydra,
}

/// What a program without MPI prints about its ranks.
const WITHOUT_MPI: &str = "built without MPI";

/// Names under which a launcher may be installed; on Debian, a second MPI library's has a suffix.
const NAMES: [&str; 4] = ["mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich"];

impl Launcher {
    /// The first launcher, of those given or those in PATH, that belongs to a build's MPI library.
    ///
    /// # Errors
    /// There is none, or none for that library; or the build has no MPI, and more than one rank is requested.
    pub fn find(args: &ReproArgs, build: PathBuf, library: &str) -> Result<Launcher, Error> {
        if library == WITHOUT_MPI {
            return match args.ranks.iter().find(|&&ranks| ranks > 1) {
                Some(ranks) => Err(Error::Argument {
                    argument: format!("--ranks {ranks}"),
                    reason: format!("{} is built without MPI and runs on one rank only", build.display()),
                }),
                None => Ok(Launcher { build, mpirun: None }),
            };
        }
        let names = match &args.mpirun[..] {
            [] => NAMES.map(String::from).to_vec(),
            given => given.iter().map(|path| path.display().to_string()).collect(),
        };
        let mut found = Vec::new();
        for program in names {
            match ask(&program) {
                Ok((flavour, version)) if flavour.belongs_to(library) => {
                    return Ok(Launcher { build, mpirun: Some(Mpirun { program, flavour, version }) });
                }
                Ok((_, version)) => found.push(format!("{program} is {version}")),
                Err(reason) => found.push(format!("{program}: {reason}")),
            }
        }
        let found = found.join("; ");
        let what = if args.binaries.is_empty() { "this program".into() } else { build.display().to_string() };
        let reason = format!("{what} is built with {library}, but {found}; name its launcher with --mpirun");
        Err(Error::Mpi { reason })
    }

    /// A command that starts the build on this many ranks; the caller adds the program's arguments.
    pub fn command(&self, ranks: u32) -> Command {
        let Some(Mpirun { program, flavour, .. }) = &self.mpirun else { return Command::new(&self.build) };
        let mut command = Command::new(program);
        command.args(["-n", &ranks.to_string()]).args(flavour.options()).arg(&self.build);
        // Open MPI refuses to start as root unless told twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mpirun {
            Some(Mpirun { program, version, .. }) => write!(f, "{program}: {version}"),
            None => write!(f, "none: built without MPI"),
        }
    }
}

impl Flavour {
    /// Detects it from a launcher's version text.
    pub fn of(version: &str) -> Option<Flavour> {
        if version.contains("HYDRA") || version.contains("Intel(R) MPI") {
            return Some(Flavour::Hydra);
        }
        let (_, number) = version.split_once("(Open MPI)").or_else(|| version.split_once("(OpenRTE)"))?;
        let major: u32 = number.trim_start().split('.').next()?.parse().ok()?;
        Some(if major < 5 { Flavour::OpenMpi4 } else { Flavour::OpenMpi5 })
    }

    /// True for the launchers of a library, given the library's own name.
    pub fn belongs_to(self, library: &str) -> bool {
        library.contains("Open MPI") == (self != Flavour::Hydra)
    }

    /// Options that allow more ranks than processors, leave placement to the system, and make waiting ranks yield to
    /// others.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Flavour::OpenMpi4 => {
                &["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
            }
            Flavour::OpenMpi5 => {
                &["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
            }
            // It does all that by default.
            Flavour::Hydra => &[],
        }
    }
}

/// What a launcher is.
fn ask(program: &str) -> Result<(Flavour, String), String> {
    let answer = Command::new(program).arg("--version").output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let flavour = Flavour::of(&text).ok_or("not a launcher of Open MPI or MPICH")?;
    let mut lines = text.lines().map(str::trim);
    let version = match flavour {
        // The first line is a heading.
        Flavour::Hydra => lines.find(|line| line.contains("ersion")),
        Flavour::OpenMpi4 | Flavour::OpenMpi5 => lines.next(),
    };
    let words: Vec<&str> = version.unwrap_or("unknown").split_whitespace().collect();
    Ok((flavour, words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN_MPI: &str =
        "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n";
    const MPICH: &str = "HYDRA build details:\n    Version:                                 4.0.2\n";

    #[test]
    fn launchers_are_known_by_their_version() {
        assert_eq!(Flavour::of(OPEN_MPI), Some(Flavour::OpenMpi4));
        assert_eq!(Flavour::of("mpiexec (OpenRTE) 4.0.3"), Some(Flavour::OpenMpi4));
        assert_eq!(Flavour::of("mpirun (Open MPI) 5.0.10\n"), Some(Flavour::OpenMpi5));
        assert_eq!(Flavour::of(MPICH), Some(Flavour::Hydra));
        assert_eq!(Flavour::of("slurm 23.11"), None);
        assert!(
            Flavour::OpenMpi4.belongs_to("Open MPI v4.1.4") && Flavour::Hydra.belongs_to("MPICH Version: 4")
        );
        assert!(!Flavour::Hydra.belongs_to("Open MPI v4.1.4") && !Flavour::OpenMpi5.belongs_to("MPICH 4"));
    }

    #[test]
    fn only_open_mpi_must_be_asked_for_more_ranks_than_processors() {
        assert!(Flavour::OpenMpi4.options().contains(&"--oversubscribe"));
        assert!(Flavour::OpenMpi5.options().contains(&":OVERSUBSCRIBE"));
        assert!(Flavour::Hydra.options().is_empty());
    }
}
