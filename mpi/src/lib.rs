//! Real ranks for `cfd-engine`, over MPI.
//!
//! ```text
//! world         the transport: collective operations, and messages as `requests`
//! requests      messages that begin in one call and end in another
//! waiting       waiting that leaves the processor to others
//! gpu_aware     what an MPI library says about messages from and to a GPU's memory
//! library_sums  the library's own floating-point sums, for studying them
//! ```
//!
//! ```no_run
//! # fn main() -> Result<(), cfd_mpi::MpiError> {
//! let comm = cfd_mpi::world()?;
//! println!("rank {} of {}", comm.rank(), comm.size());
//! # Ok(())
//! # }
//! ```

mod gpu_aware;
pub mod library_sums;
mod requests;
mod waiting;
mod world;

use cfd_engine::comm::Comm;
use mpi::Threading;
use mpi::ffi::MPI_Comm;

use self::world::World;

/// Why MPI could not be used.
#[derive(Debug, thiserror::Error)]
pub enum MpiError {
    /// MPI_Init has already been called, or MPI_Finalize has.
    #[error("MPI was already initialised in this process")]
    Initialised,
    /// The library offers less thread support than needed.
    #[error("the MPI library offers thread level {0:?}, but MPI_THREAD_FUNNELED is needed")]
    Threads(Threading),
}

/// All ranks of the MPI job; initialises MPI, which is finalised when the last clone is dropped.
pub fn world() -> Result<Comm, MpiError> {
    Ok(Comm::over(World::init()?))
}

/// The raw MPI communicator, for libraries that need one; None if the ranks are not those of [`world`].
pub fn handle(comm: &Comm) -> Option<MPI_Comm> {
    comm.transport::<World>().map(World::handle)
}

/// The MPI library's own text about its name and version, which may have several parts and lines; empty if it has none.
pub fn library_version() -> String {
    mpi::environment::library_version().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_are_not_those_of_mpi_have_no_handle() {
        assert!(handle(&Comm::single()).is_none());
        assert!(Comm::simulate(2, |comm| handle(&comm).is_none()).into_iter().all(|none| none));
    }
}
