//! k-way graph partitioning by PT-Scotch.
//!
//! C. Chevalier and F. Pellegrini, "PT-Scotch: A tool for efficient parallel graph ordering", Parallel Computing 34
//! (2008), DOI 10.1016/j.parco.2007.12.001. Every rank holds its rows of the graph; none holds more. On one rank, and on
//! ranks that are not those of MPI, rank 0 gathers the graph for the serial functions of the same library.
//!
//! ```text
//! library   finds it when the program runs: version, width of its integers, MPI library
//! calls     its functions, and objects that free themselves
//! ```
//!
//! One seed gives one partition on so many ranks, another on more: matching goes on in all ranks at the same time.

mod calls;
mod library;

use cfd_engine::comm::{Comm, Native, ReduceOp};
use cfd_engine::mesh::Mesh;

use self::calls::{Calls, Problem};
use self::library::Library;
pub use self::library::{LIBRARY_PATH, library_found};
use super::graph::{self, Index};
use super::on_root::{MIN_ROWS_PER_PART, MOST_WEIGHTS, divide_on_root, rcb_instead};
use super::{Partitioner, Partitioning, undivided};
use crate::primary::{Found, find};
use crate::{Load, PartitionError, Primary};

/// PT-Scotch on the graph of the primary set.
#[derive(Clone, Copy, Debug)]
pub struct PtScotch {
    /// Seed of its random numbers, taken modulo 2^31.
    pub seed: u64,
}

impl Partitioner for PtScotch {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let (found, parts) = (find(primary, mesh)?, load.parts());
        let library = usable(comm)?;
        if parts == 1 {
            return Ok(Partitioning { parts, owners: undivided(comm, mesh, found.set), note: None });
        }
        let divided = match library.index_bytes {
            4 => self.divide::<i32>(comm, mesh, &found, load, &library),
            _ => self.divide::<i64>(comm, mesh, &found, load, &library),
        };
        match divided {
            Ok(owners) => Ok(Partitioning { parts, owners, note: None }),
            Err(reason) => rcb_instead(comm, mesh, primary, load, "pt-scotch", &reason),
        }
    }
}

impl PtScotch {
    /// Whether it can be used on these ranks. Collective.
    ///
    /// # Errors
    /// The library is not found, or does not fit the program; the same on every rank.
    pub fn check(&self, comm: &Comm) -> Result<(), PartitionError> {
        usable(comm).map(drop)
    }

    /// The parts of this rank's rows, or why there are none, the same on every rank. Collective.
    fn divide<N: Index>(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        found: &Found,
        load: &Load,
        library: &Library,
    ) -> Result<Vec<u32>, String> {
        let (rows, parts) = (mesh.sets[found.set].rows, load.parts());
        let (fewest, native) = (MIN_ROWS_PER_PART * parts.max(comm.size()) as u64, native(comm));
        if rows < fewest {
            return Err(format!("{rows} elements are fewer than {MIN_ROWS_PER_PART} per part or rank"));
        }
        if N::try_from(rows).is_err() || (native.is_none() && i32::try_from(rows).is_err()) {
            return Err(format!("{rows} elements are more than it can count"));
        }
        if !load.is_even() && size_of::<N>() == 4 && rows > MOST_WEIGHTS {
            return Err(format!("it cannot weigh more than {MOST_WEIGHTS} elements"));
        }
        let shares = load.small_shares();
        let equal = shares.iter().all(|share| share.abs_diff(shares[0]) <= 1);
        let problem = Problem {
            parts: N::of(parts as u64),
            shares: (!equal).then(|| shares.into_iter().map(N::of).collect()),
            seed: N::of(self.seed % (1 << 31)),
        };
        let calls = Calls::<N>::of(library)?;
        let owners = match native {
            None => divide_on_root(comm, mesh, found, load, |graph, weights| {
                calls.divide(&graph, weights.as_deref(), &problem)
            }),
            Some(native) => distributed(comm, mesh, found, load, |graph, weights| {
                calls.divide_among(native, graph, weights, &problem)
            }),
        }?;
        match empty_parts(comm, parts, &owners) {
            0 => Ok(owners),
            empty => Err(format!("it leaves {empty} parts empty")),
        }
    }
}

/// The library, if it can be used on these ranks. Collective.
fn usable(comm: &Comm) -> Result<Library, PartitionError> {
    let library = Library::find().and_then(|library| match native(comm) {
        None => Ok(library),
        Some(_) => library.of_this_mpi(),
    });
    comm.agree(library.map_err(|problem| PartitionError::PtScotch { problem }))
}

/// The ranks among which the library can divide a graph, if there are several.
fn native(comm: &Comm) -> Option<Native> {
    comm.native().filter(|_| comm.size() > 1)
}

/// The parts of this rank's rows of the graph. Collective.
fn distributed<N: Index>(
    comm: &Comm,
    mesh: &Mesh,
    found: &Found,
    load: &Load,
    divide: impl FnOnce(graph::Graph<N>, Option<Vec<N>>) -> Result<Vec<u32>, String>,
) -> Result<Vec<u32>, String> {
    let rows = mesh.blocks(found.set, comm).range(comm.rank());
    let graph = graph::distributed::<N>(comm, mesh, found).map_err(|problem| problem.reason());
    // All ranks, or none, go on to the library, which has messages of its own.
    let graph = comm.agree(graph)?;
    let arcs = comm.sum(graph.neighbours.len() as u64);
    if arcs == 0 {
        return Err("its graph has no edges".into());
    }
    if N::try_from(arcs).is_err() {
        return Err("its graph has more adjacencies than the library can count".into());
    }
    let weights = (!load.is_even()).then(|| load.small_weights(rows).into_iter().map(N::of).collect());
    comm.agree(divide(graph, weights))
}

/// Parts without elements. Collective.
fn empty_parts(comm: &Comm, parts: usize, owners: &[u32]) -> usize {
    let mut sizes = vec![0; parts];
    for &part in owners {
        sizes[part as usize] += 1;
    }
    comm.all_reduce(&mut sizes, ReduceOp::Sum);
    sizes.iter().filter(|&&size| size == 0).count()
}
