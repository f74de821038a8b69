//! What serial libraries need: the graph on rank 0, which divides it and sends every rank its rows.

use bytemuck::Pod;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::graph::{self, Graph, Index};
use super::{Partitioner, Partitioning, Rcb};
use crate::primary::Found;
use crate::{Load, PartitionError, Primary};

/// Fewest elements per part for graph partitioners: with hardly more vertices than parts, they leave parts empty, or
/// METIS crashes in coarsening.
pub(super) const MIN_ROWS_PER_PART: u64 = 4;

/// Most elements with weights for libraries that add them in 32 bits: each is at least 1.
pub(super) const MOST_WEIGHTS: u64 = 1 << 30;

/// The parts of this rank's rows, or why they could not be found, the same on every rank; `divide` gets the graph
/// and the elements' weights, if they differ, on rank 0. Collective.
pub(super) fn divide_on_root<N: Index>(
    comm: &Comm,
    mesh: &Mesh,
    found: &Found,
    load: &Load,
    divide: impl FnOnce(Graph<N>, Option<Vec<N>>) -> Result<Vec<u32>, String>,
) -> Result<Vec<u32>, String> {
    let blocks = mesh.blocks(found.set, comm);
    let weights = (!load.is_even()).then(|| comm.gather(load.small_weights(blocks.range(comm.rank()))));
    let weights = weights.map(|weights| weights.into_iter().flatten().map(N::of).collect());
    on_root(comm, mesh, found, |graph| divide(graph, weights))
}

/// A number for each of this rank's rows, or why there is none, the same on every rank; `number` gets the graph of
/// all rows on rank 0. Collective.
pub(crate) fn on_root<N: Index, R: Pod>(
    comm: &Comm,
    mesh: &Mesh,
    found: &Found,
    number: impl FnOnce(Graph<N>) -> Result<Vec<R>, String>,
) -> Result<Vec<R>, String> {
    let blocks = mesh.blocks(found.set, comm);
    let graph = graph::gather::<N>(comm, mesh, found);
    let divided = graph.map(|graph| number(graph.map_err(|problem| problem.reason())?));
    let failure = divided.as_ref().map(|result| result.as_ref().err().cloned());
    if let Some(reason) = comm.broadcast(0, failure) {
        return Err(reason);
    }
    let send = match divided {
        Some(Ok(all)) => {
            let range = |rank| blocks.range(rank).start as usize..blocks.range(rank).end as usize;
            (0..comm.size()).map(|rank| all[range(rank)].to_vec()).collect()
        }
        _ => vec![Vec::new(); comm.size()],
    };
    Ok(comm.all_to_all(send).swap_remove(0))
}

/// Recursive coordinate bisection where a graph partitioner cannot be used, with a note. Collective.
pub(super) fn rcb_instead(
    comm: &Comm,
    mesh: &Mesh,
    primary: &Primary,
    load: &Load,
    method: &str,
    reason: &str,
) -> Result<Partitioning, PartitionError> {
    let (set, parts) = (&primary.set, load.parts());
    let note = format!("{method} cannot divide \"{set}\" into {parts} parts ({reason}); rcb is used instead");
    Ok(Partitioning { note: Some(note), ..Rcb.partition(comm, mesh, primary, load)? })
}
