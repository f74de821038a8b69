//! Starting under a launcher: MPI, the check that launcher and MPI belong together, and what a panic says.

use std::time::Duration;

use cfd_engine::comm::{Comm, ending};

use crate::console::complain;
use crate::exit::Error;

/// What a launcher's environment variables say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The variable that says so.
    pub variable: &'static str,
    /// Number of ranks.
    pub ranks: usize,
    /// This rank; 0 when the launcher does not say.
    pub rank: usize,
}

/// How launchers tell their processes about the job: variables for the number of ranks and the process's own rank, and
/// one that must also be set for the two to apply to this process. Slurm also sets SLURM_NTASKS in a batch script,
/// where there is only one process; SLURM_STEP_ID is set inside a step.
const LAUNCHERS: [(&str, &str, Option<&str>); 4] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", None),
    ("PMI_SIZE", "PMI_RANK", None),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", Some("SLURM_STEP_ID")),
    ("SLURM_NTASKS", "SLURM_PROCID", Some("SLURM_STEP_ID")),
];

/// The environment's number of ranks; the first launcher that says anything counts.
pub fn claim(variable: impl Fn(&str) -> Option<String>) -> Option<Claim> {
    let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<usize>().ok());
    LAUNCHERS.iter().find_map(|&(size, rank, inside)| {
        let applies = inside.is_none_or(|name| variable(name).is_some());
        let ranks = number(size).filter(|_| applies)?;
        Some(Claim { variable: size, ranks, rank: number(rank).unwrap_or(0) })
    })
}

/// This process's environment.
pub fn own_claim() -> Option<Claim> {
    claim(|name| std::env::var(name).ok())
}

/// All ranks of the job.
///
/// # Errors
/// MPI cannot be used, or it sees one rank although the launcher started more: the launcher belongs to another MPI
/// library.
pub fn world() -> Result<Comm, Error> {
    let comm = initialise()?;
    if let Some(claim) = own_claim().filter(|claim| claim.ranks > 1 && comm.size() == 1) {
        return Err(wrong_launcher(&claim));
    }
    ending::end_with(&comm);
    Ok(comm)
}

/// One rank without a launcher, all ranks under one: for commands that need no parallel run, and for messages common to
/// all ranks.
pub fn alone_or_world() -> Result<Comm, Error> {
    if own_claim().is_some_and(|claim| claim.ranks > 1) { world() } else { Ok(Comm::single()) }
}

/// One rank, for a command that starts a launcher itself.
///
/// # Errors
/// It was started by a launcher, and launchers cannot be nested. (An interactive Slurm step of one task does not
/// count.)
pub fn alone() -> Result<Comm, Error> {
    match own_claim() {
        Some(claim) if claim.ranks > 1 || !claim.variable.starts_with("SLURM") => {
            Err(Error::Nested { variable: claim.variable.into() })
        }
        _ => Ok(Comm::single()),
    }
}

#[cfg(feature = "mpi")]
fn initialise() -> Result<Comm, Error> {
    // Initialised before MPI, the HDF5 library does not register for shutdown in MPI_Finalize, where it would crash
    // over a file that a full disk kept it from closing.
    cfd_io::start_hdf5();
    cfd_mpi::world().map_err(|error| Error::Mpi { reason: error.to_string() })
}

#[cfg(not(feature = "mpi"))]
fn initialise() -> Result<Comm, Error> {
    Ok(Comm::single())
}

/// The MPI library's name and version.
#[cfg(feature = "mpi")]
pub fn mpi_library() -> String {
    // The library's text may have several parts and lines, and end with a zero byte.
    let text = cfd_mpi::library_version();
    let name = text.split([',', '\n', '\0']).next().unwrap_or("").trim();
    if name.is_empty() { "an MPI library without a name".into() } else { name.into() }
}

#[cfg(feature = "mpi")]
fn wrong_launcher(claim: &Claim) -> Error {
    let remedy = format!("MPI sees one rank; start it with the mpirun that belongs to {}", mpi_library());
    Error::WrongLauncher { variable: claim.variable.into(), ranks: claim.ranks, remedy }
}

#[cfg(not(feature = "mpi"))]
fn wrong_launcher(claim: &Claim) -> Error {
    let remedy =
        "this program was built without MPI and runs on one rank only; build it with the feature `mpi`";
    Error::WrongLauncher { variable: claim.variable.into(), ranks: claim.ranks, remedy: remedy.into() }
}

/// Ends a process that could not join the others: the launcher's rank 0 prints the message, and the others give it time
/// to do so, because a launcher ends all when the first one fails.
pub fn fail_apart(error: &Error) -> u8 {
    if own_claim().is_none_or(|claim| claim.rank == 0) {
        complain(format_args!("error: {error}"));
    } else {
        std::thread::sleep(Duration::from_secs(1));
    }
    error.code() as u8
}

/// Turns a broken invariant into one line on stderr and the end of all ranks, with exit code 1.
pub fn install_panic_hook() {
    ending::install_panic_hook(|panic, rank| {
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message =
            message.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place =
            panic.location().map_or("an unknown place".into(), |at| format!("{}:{}", at.file(), at.line()));
        complain(format_args!("internal error on rank {rank} at {place}: {message}"));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim_of(variables: &[(&str, &str)]) -> Option<Claim> {
        claim(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string()))
    }

    #[test]
    fn a_launcher_is_known_by_its_variables() {
        assert_eq!(claim_of(&[]), None);
        let open_mpi = claim_of(&[("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "2")]).unwrap();
        assert_eq!((open_mpi.ranks, open_mpi.rank), (4, 2));
        let mpich = claim_of(&[("PMI_SIZE", "3"), ("PMI_RANK", "1")]).unwrap();
        assert_eq!((mpich.variable, mpich.ranks, mpich.rank), ("PMI_SIZE", 3, 1));
    }

    #[test]
    fn a_slurm_batch_script_is_no_step_of_many_ranks() {
        let batch = [("SLURM_NTASKS", "64"), ("SLURM_PROCID", "0")];
        assert_eq!(claim_of(&batch), None);
        let step = [batch[0], ("SLURM_PROCID", "7"), ("SLURM_STEP_ID", "0")];
        let step = claim_of(&step).unwrap();
        assert_eq!((step.ranks, step.rank), (64, 7));
        // An interactive step has one task, whatever the job has.
        let shell = [batch[0], batch[1], ("SLURM_STEP_ID", "4294967290"), ("SLURM_STEP_NUM_TASKS", "1")];
        assert_eq!(claim_of(&shell).unwrap().ranks, 1);
    }

    #[test]
    fn the_innermost_launcher_counts() {
        let nested = [
            ("OMPI_COMM_WORLD_SIZE", "1"),
            ("OMPI_COMM_WORLD_RANK", "0"),
            ("SLURM_NTASKS", "64"),
            ("SLURM_PROCID", "0"),
            ("SLURM_STEP_ID", "0"),
        ];
        assert_eq!(claim_of(&nested).unwrap().ranks, 1);
    }
}
