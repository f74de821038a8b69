//! The library's own floating-point sums: to be studied, never to be used.
//!
//! The tree by which a library sums, and thus the resulting bits, depend on the library, its settings, the number of
//! ranks, the length of the vector, and perhaps on where ranks run. `cfd reductions` finds out which tree it is. This
//! is the only place in the project where a floating-point number goes through a reduction of the library, and that
//! command is its only user: a test of the sources (`reproducible::source`) keeps everything else away from it.

use std::rc::Rc;

use cfd_engine::comm::Comm;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};

use crate::world::World;

/// The first ranks of a job, with the library's sums.
pub struct LibrarySums {
    /// Freed before the library is finalised.
    comm: SimpleCommunicator,
    _universe: Rc<Universe>,
}

impl LibrarySums {
    /// The first `ranks` ranks; none on the others, and none if the ranks are not those of [`world`](crate::world()).
    /// Collective.
    pub fn of_first(comm: &Comm, ranks: usize) -> Option<LibrarySums> {
        let world = comm.transport::<World>()?;
        let (comm, universe) = world.first(ranks)?;
        Some(LibrarySums { comm, _universe: universe })
    }

    /// `MPI_Reduce` with `MPI_SUM`: the sums on rank 0, nothing on the others. Collective over these ranks.
    pub fn reduce(&self, numbers: &[f64]) -> Vec<f64> {
        let root = self.comm.process_at_rank(0);
        if self.comm.rank() == 0 {
            let mut sums = vec![0.0; numbers.len()];
            root.reduce_into_root(numbers, &mut sums[..], SystemOperation::sum());
            sums
        } else {
            root.reduce_into(numbers, SystemOperation::sum());
            Vec::new()
        }
    }

    /// `MPI_Allreduce` with `MPI_SUM`: the sums on all these ranks. Collective over them.
    pub fn all_reduce(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; numbers.len()];
        self.comm.all_reduce_into(numbers, &mut sums[..], SystemOperation::sum());
        sums
    }
}
