//! How a run ends: exit codes, and the errors behind them.

use cfd_device::DeviceError;
use cfd_engine::backend::BackendError;
use cfd_engine::domain::DomainError;
use cfd_engine::given::short_name;
use cfd_engine::lane::WidthError;
use cfd_io::IoError;
use cfd_mesh::MeshError;
use cfd_partition::PartitionError;
use cfd_solvers::Stopped;
use serde::{Deserialize, Serialize};

use crate::config::ConfigError;

/// Exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// All went well.
    Success = 0,
    /// Something failed at run time: files, MPI.
    Failure = 1,
    /// Something the user named is wrong: usage, configuration, mesh, hash.
    Input = 2,
    /// The flow left the range in which the equations make sense.
    Diverged = 3,
    /// The solution's hash is not the expected one, or two results differ.
    Mismatch = 4,
    /// Stopped by a signal, after writing a checkpoint if there was anything to save; a batch system may restart the
    /// run.
    Stopped = 75,
}

impl Code {
    /// The code of a program that ended with this status; `None` for a status that this program does not use.
    pub fn from_status(status: i32) -> Option<Code> {
        [Code::Success, Code::Failure, Code::Input, Code::Diverged, Code::Mismatch, Code::Stopped]
            .into_iter()
            .find(|&code| code as i32 == status)
    }
}

/// Why a run ends early. Rank 0 prints it once; all ranks end with [`Error::code`].
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// Wrong configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A wrong argument outside the configuration.
    #[error("{}: {reason}", short_name(argument))]
    Argument {
        /// The argument as typed.
        argument: String,
        /// What is wrong, and how to fix it.
        reason: String,
    },
    /// The launcher and the program's MPI library do not belong together.
    #[error("wrong launcher: {variable} says {ranks} ranks, but {remedy}")]
    WrongLauncher {
        /// The launcher's variable.
        variable: String,
        /// Ranks according to it.
        ranks: usize,
        /// What to do.
        remedy: String,
    },
    /// MPI cannot be used.
    #[error("MPI cannot be used: {reason}")]
    Mpi {
        /// The library's reason.
        reason: String,
    },
    /// A mesh or solution file.
    #[error("{}", in_keys(.0))]
    Io(#[from] IoError),
    /// The mesh could not be distributed.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// Greedy coloring would hold too much on one rank.
    #[error(
        "greedy coloring would hold all {rows} {set} on one rank, but execution.greedy_limit is {limit}; use \
         execution.strategy = \"distributed-coloring\", or raise the limit"
    )]
    GreedyLimit {
        /// The set.
        set: String,
        /// Its elements.
        rows: u64,
        /// The limit.
        limit: u64,
    },
    /// The processor has no registers with this many lanes.
    #[error("execution.lanes: {0}")]
    Lanes(#[from] WidthError),
    /// The solver stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The mesh lacks something the solver needs.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The output directory cannot be used.
    #[error("{}: cannot write into the output directory: {reason}", short_name(path))]
    OutputDirectory {
        /// The directory.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A mesh or a run does not fit into memory.
    #[error("not enough memory: {what} needs at least {needed} per rank, and there is {room}; {}", remedy(*named))]
    Memory {
        /// What needs it.
        what: String,
        /// How much.
        needed: String,
        /// How much is available.
        room: String,
        /// The user named a size.
        named: bool,
    },
    /// Another run writes into the output directory.
    #[error("{}: {reason}", short_name(path))]
    DirectoryInUse {
        /// The directory.
        path: String,
        /// Whose it is, and what to do.
        reason: String,
    },
    /// A film of a run that has none.
    #[error(
        "output.film = {frames}: only a flow that adapts its mesh has a film; set flow.adaptation.cycles, or remove it"
    )]
    NoFilm {
        /// Frames that were asked for.
        frames: u64,
    },
    /// A signal asked to stop.
    #[error("stopped by {signal}{state}")]
    Interrupted {
        /// Name of the signal.
        signal: String,
        /// What was done, and how to continue.
        state: String,
    },
    /// Signals cannot be handled.
    #[error("handlers for SIGTERM, SIGUSR1 and SIGINT cannot be installed: {reason}")]
    Signals {
        /// The system's reason.
        reason: String,
    },
    /// A rank cannot start the requested threads.
    #[error(
        "execution.threads: rank {rank} gets only {started} of {asked} threads: {reason}; ask for fewer (--threads), \
         or raise the limit on processes or memory (ulimit -u, ulimit -v; pids.max of a control group)"
    )]
    Threads {
        /// The rank.
        rank: usize,
        /// Threads asked for.
        asked: usize,
        /// Threads started, including the process's first.
        started: usize,
        /// The system's reason.
        reason: String,
    },
    /// The output of a command whose purpose is to print was lost.
    #[error("stdout: cannot be written: {reason}")]
    Stdout {
        /// The system's reason.
        reason: String,
    },
    /// Two results are not the same.
    #[error("{a} and {b} differ: {what}")]
    Different {
        /// The first one.
        a: String,
        /// The second one.
        b: String,
        /// What differs first.
        what: String,
    },
    /// A command that starts a launcher was itself started by one.
    #[error(
        "{variable} is set: this runs under a launcher, but repro starts mpirun itself; run it without mpirun"
    )]
    Nested {
        /// The launcher's variable.
        variable: String,
    },
    /// One of several runs failed.
    #[error("{variant}: {reason}")]
    Run {
        /// The run's settings.
        variant: String,
        /// Its own error.
        reason: String,
        /// Its exit code.
        code: u8,
    },
    /// The solution differs from the expected one.
    #[error("verification failed: the solution's hash is {found}, expected {expected}")]
    Mismatch {
        /// The hash of this run.
        found: String,
        /// The expected hash.
        expected: String,
    },
    /// The result of a benchmark differs from the known one.
    #[error("the result does not match the benchmark \"{name}\": {what}")]
    Reference {
        /// The benchmark.
        name: String,
        /// What differs.
        what: String,
    },
    /// The run's final mesh differs from the expected one.
    #[error("verification failed: the mesh's hash is {found}, expected {expected}")]
    MeshMismatch {
        /// The hash of this run's.
        found: String,
        /// The expected hash.
        expected: String,
    },
}

impl From<MeshError> for Error {
    fn from(error: MeshError) -> Error {
        Error::Io(error.into())
    }
}

impl Error {
    /// The exit code that the error leads to.
    pub fn code(&self) -> Code {
        match self {
            Error::Config(_) | Error::Argument { .. } | Error::WrongLauncher { .. } => Code::Input,
            Error::GreedyLimit { .. } | Error::Lanes(_) | Error::Nested { .. } => Code::Input,
            Error::Run { code, .. } => Code::from_status((*code).into()).unwrap_or(Code::Failure),
            Error::Stopped(Stopped::Backend(_) | Stopped::Failed { .. })
            | Error::Domain(DomainError::Backend(_)) => Code::Failure,
            Error::Stopped(Stopped::Refused { .. }) | Error::Partition(_) | Error::Domain(_) => Code::Input,
            Error::OutputDirectory { .. } | Error::DirectoryInUse { .. } | Error::NoFilm { .. } => {
                Code::Input
            }
            Error::Device(DeviceError::Unsupported { .. }) => Code::Input,
            Error::Mpi { .. } | Error::Signals { .. } | Error::Device(_) | Error::Backend(_) => Code::Failure,
            Error::Threads { .. } | Error::Stdout { .. } => Code::Failure,
            Error::Interrupted { .. } => Code::Stopped,
            Error::Io(IoError::NotFinite { .. }) | Error::Stopped(_) => Code::Diverged,
            Error::Io(error) if error.is_input() => Code::Input,
            Error::Io(_) => Code::Failure,
            Error::Memory { named, .. } => {
                if *named {
                    Code::Input
                } else {
                    Code::Failure
                }
            }
            Error::Mismatch { .. } | Error::MeshMismatch { .. } => Code::Mismatch,
            Error::Different { .. } | Error::Reference { .. } => Code::Mismatch,
        }
    }
}

/// What is wrong with a file; if the user must say what a boundary is, names the keys and options for that.
fn in_keys(error: &IoError) -> String {
    let (place, what, kinds) = match error {
        IoError::UnknownBoundary { path, what, kinds } => (format!("{}: ", short_name(path)), what, kinds),
        // Of a generated mesh.
        IoError::Mesh(MeshError::Boundary { what, kinds }) => (String::new(), what, kinds),
        _ => return error.to_string(),
    };
    // One that is periodic needs a partner.
    let kinds: Vec<&str> =
        kinds.iter().map(|kind| &kind[..]).filter(|kind| *kind != cfd_mesh::PERIODIC).collect();
    // The commands for meshes know the kinds that most cases have.
    if kinds.iter().all(|kind| ["wall", "far_field"].contains(kind)) {
        let keys: Vec<String> = kinds.iter().map(|kind| format!("boundaries.{kind}")).collect();
        let keys = keys.join(" or ");
        return format!(
            "{place}{what}; add it to {keys} of the configuration (cfd mesh, cfd partition: --wall or --far-field)"
        );
    }
    let first = kinds.first().unwrap_or(&"wall");
    format!(
        "{place}{what}; give it a condition in the case's table `boundaries`, as in NAME = \"{first}\", or add it to \
         boundaries.{first} of the configuration"
    )
}

fn remedy(named: bool) -> &'static str {
    if named { "use a smaller size, or more machines" } else { "use more machines" }
}
