//! The adjacency graph of the primary set, on one rank, for libraries that want it there.

use std::collections::TryReserveError;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use crate::primary::Found;

/// Compressed rows: the neighbours of vertex v are `neighbours[starts[v] .. starts[v + 1]]`, ascending, without v.
#[derive(Debug)]
pub(super) struct Graph {
    pub starts: Vec<i32>,
    pub neighbours: Vec<i32>,
}

/// Why there is no graph.
#[derive(Debug)]
pub(super) enum NoGraph {
    /// More than 2^31 - 1 adjacencies.
    TooLarge,
    /// Not enough memory.
    Memory(TryReserveError),
}

/// Gathers the graph on rank 0; `None` elsewhere. The primary set has fewer than 2^31 elements. Collective.
///
/// Targets of one source element of the graph map are pairwise adjacent. Repetitions and loops are left out and
/// neighbours are sorted, so the graph does not depend on which rank held which row.
pub(super) fn gather(comm: &Comm, mesh: &Mesh, primary: &Found) -> Option<Result<Graph, NoGraph>> {
    let map = &mesh.maps[primary.graph];
    let index =
        |id: u64| u64::from(i32::try_from(id).expect("the caller has limited the number of rows") as u32);
    // A pair as one word, the lower end before the higher, sorts quickly.
    let mut pairs: Vec<u64> = Vec::with_capacity(map.rows.len() / 2);
    for targets in map.rows.chunks_exact(map.arity.max(1)) {
        for (k, &a) in targets.iter().enumerate() {
            for &b in targets[..k].iter().filter(|&&b| b != a) {
                pairs.push(index(a.min(b)) << 32 | index(a.max(b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let gathered = comm.gather(pairs);
    comm.is_root().then(|| Graph::from_pairs(mesh.sets[primary.set].rows as usize, &gathered))
}

impl Graph {
    fn from_pairs(vertices: usize, gathered: &[Vec<u64>]) -> Result<Graph, NoGraph> {
        let ends_of = |&pair: &u64| ((pair >> 32) as i32, pair as i32);
        let pairs = || gathered.iter().flatten().map(ends_of).flat_map(|(a, b)| [(a, b), (b, a)]);
        let entries = 2 * gathered.iter().map(Vec::len).sum::<usize>();
        if i32::try_from(entries).is_err() {
            return Err(NoGraph::TooLarge);
        }
        let mut neighbours = Vec::new();
        neighbours.try_reserve_exact(entries).map_err(NoGraph::Memory)?;
        neighbours.resize(entries, 0);
        let mut ends = vec![0usize; vertices + 1];
        for (a, _) in pairs() {
            ends[a as usize + 1] += 1;
        }
        for v in 0..vertices {
            ends[v + 1] += ends[v];
        }
        let starts = ends.clone();
        for (a, b) in pairs() {
            neighbours[ends[a as usize]] = b;
            ends[a as usize] += 1;
        }
        // Two ranks may have seen the same pair: sort, and close the gaps left by repetitions.
        let mut compact = vec![0i32; vertices + 1];
        let mut kept = 0;
        for v in 0..vertices {
            neighbours[starts[v]..starts[v + 1]].sort_unstable();
            let first = kept;
            for i in starts[v]..starts[v + 1] {
                if kept == first || neighbours[kept - 1] != neighbours[i] {
                    neighbours[kept] = neighbours[i];
                    kept += 1;
                }
            }
            compact[v + 1] = kept as i32;
        }
        neighbours.truncate(kept);
        Ok(Graph { starts: compact, neighbours })
    }

    /// The largest number of neighbours.
    pub fn max_degree(&self) -> i32 {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_is_symmetric_sorted_and_free_of_repetitions_on_any_number_of_ranks() {
        // Triangles given by their corners, with shared sides, a repeated corner and an isolated vertex.
        let rows = [[0, 1, 2], [2, 1, 3], [3, 3, 1], [0, 2, 1], [5, 5, 5]];
        for ranks in [1, 2, 4] {
            let graphs = Comm::simulate(ranks, |comm| {
                let mut mesh = Mesh::default();
                let (vertices, triangles) = (mesh.add_set("vertices", 6), mesh.add_set("triangles", 5));
                let block = mesh.blocks(triangles, &comm).range(comm.rank());
                let own = rows[block.start as usize..block.end as usize].concat();
                let graph = mesh.add_map("corners", triangles, vertices, 3, own);
                let primary =
                    Found { set: vertices, graph, nodes: None, coordinates: 0, coarser: Vec::new() };
                gather(&comm, &mesh, &primary)
            });
            let graph = graphs[0].as_ref().expect("rank 0 has it").as_ref().expect("it is small");
            assert_eq!(graph.starts, [0, 2, 5, 8, 10, 10, 10], "{ranks} ranks");
            assert_eq!(graph.neighbours, [1, 2, 0, 2, 3, 0, 1, 3, 1, 2], "{ranks} ranks");
            assert_eq!(graph.max_degree(), 3);
            assert!(graphs[1..].iter().all(Option::is_none));
        }
    }
}
