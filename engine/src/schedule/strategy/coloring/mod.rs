//! Colors: elements of one color share no target of the maps through which a loop changes values.
//!
//! Colors depend only on the mesh and the canonical order, never on ranks or partitioner.

mod distributed;
mod greedy;

use super::changes::Changes;
use crate::comm::Comm;
use crate::store::layout::Layout;

/// Keeps colorings between runs, for the one mesh for which it was made.
pub trait ColorCache {
    /// The colors kept under this name, if they exist and are sound.
    fn load(&self, name: &str) -> Option<Vec<u32>>;
    /// Keeps colors under this name. A failure is no error: they can be computed again.
    fn store(&self, name: &str, colors: &[u32]);
}

/// A coloring algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coloring {
    /// Sequential, on the whole mesh.
    Greedy,
    /// Distributed.
    Distributed,
}

impl Coloring {
    /// The color of every owned row of a set: elements of one color share no target of `maps`, which start from the
    /// set. The same whatever the ranks. Collective.
    pub fn of(self, comm: &Comm, layout: &Layout, set: usize, maps: &[usize]) -> Vec<u32> {
        self.owned(&Changes::through(layout, set, maps), comm, None)
    }

    fn owned(self, changes: &Changes<'_>, comm: &Comm, cache: Option<&dyn ColorCache>) -> Vec<u32> {
        match self {
            Coloring::Greedy => greedy::colors(changes, comm, cache),
            Coloring::Distributed => distributed::colors(changes, comm),
        }
    }

    /// The color of every executed row (owned and exec). Collective.
    pub(super) fn colors(
        self,
        changes: &Changes<'_>,
        comm: &Comm,
        cache: Option<&dyn ColorCache>,
    ) -> Vec<u32> {
        let owned = self.owned(changes, comm, cache);
        with_imported(changes, comm, owned)
    }
}

/// Adds the colors of the exec rows, which their owners know.
fn with_imported(changes: &Changes<'_>, comm: &Comm, mut colors: Vec<u32>) -> Vec<u32> {
    let set = changes.set;
    let mut send: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
    for neighbour in &set.neighbours {
        send[neighbour.rank] = neighbour.send_exec.iter().map(|&row| colors[row as usize]).collect();
    }
    let received = comm.all_to_all(send);
    colors.resize(set.executed(), 0);
    for neighbour in &set.neighbours {
        let range = neighbour.receive_exec.start as usize..neighbour.receive_exec.end as usize;
        colors[range].copy_from_slice(&received[neighbour.rank]);
    }
    colors
}
