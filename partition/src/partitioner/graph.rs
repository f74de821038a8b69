//! The adjacency graph of the primary set: whole on one rank, or each rank's rows of it.

use std::collections::TryReserveError;
use std::fmt::Debug;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use crate::primary::Found;

/// The integers of a library for graphs.
pub(crate) trait Index: Copy + Ord + Default + Debug + TryFrom<u64> + TryInto<u32> + 'static {
    /// A number that has been found to fit.
    fn of(number: u64) -> Self {
        Self::try_from(number).ok().expect("the caller has limited the number")
    }
    /// The number as an index.
    fn to_usize(self) -> usize {
        self.try_into().ok().expect("an index of a graph with fewer than 2^32 adjacencies") as usize
    }
}

impl Index for i32 {}
impl Index for i64 {}

/// Compressed rows: the neighbours of vertex v are `neighbours[starts[v] .. starts[v + 1]]`, ascending, without v.
#[derive(Debug)]
pub(crate) struct Graph<N> {
    pub starts: Vec<N>,
    pub neighbours: Vec<N>,
}

/// Why there is no graph.
#[derive(Debug)]
pub(crate) enum NoGraph {
    /// More adjacencies than the library's integers can count.
    TooLarge,
    /// Not enough memory.
    Memory(TryReserveError),
}

impl NoGraph {
    /// What is wrong, in words.
    pub fn reason(self) -> String {
        match self {
            NoGraph::TooLarge => "its graph has more adjacencies than the library can count".into(),
            NoGraph::Memory(error) => format!("its graph does not fit into memory: {error}"),
        }
    }
}

/// The pairs of rows that this rank's part of the graph maps joins, some of them repeatedly: targets of one source
/// element are pairwise adjacent, and no row is adjacent to itself.
fn joined<'a>(mesh: &'a Mesh, found: &'a Found) -> impl Iterator<Item = [u64; 2]> + 'a {
    let rows = |&map: &usize| {
        let map = &mesh.maps[map];
        map.rows.chunks_exact(map.arity.max(1))
    };
    found.graph.iter().flat_map(rows).flat_map(|targets| {
        let before = |(k, &a): (usize, &'a u64)| targets[..k].iter().map(move |&b| [a, b]);
        targets.iter().enumerate().flat_map(before).filter(|[a, b]| a != b)
    })
}

/// Gathers the graph on rank 0; `None` elsewhere. The primary set has fewer than 2^31 elements. Collective.
///
/// Repetitions are left out and neighbours are sorted, so the graph does not depend on which rank held which row.
pub(crate) fn gather<N: Index>(comm: &Comm, mesh: &Mesh, found: &Found) -> Option<Result<Graph<N>, NoGraph>> {
    // A pair as one word, the lower end before the higher, sorts quickly.
    let index = |id: u64| u64::from(<i32 as Index>::of(id) as u32);
    let mut pairs: Vec<u64> =
        joined(mesh, found).map(|[a, b]| index(a.min(b)) << 32 | index(a.max(b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let gathered = comm.gather(pairs);
    comm.is_root().then(|| {
        let ends_of = |&pair: &u64| (pair >> 32, pair & u64::from(u32::MAX));
        let both = |(a, b): (u64, u64)| [(a as usize, b), (b as usize, a)];
        let pairs = || gathered.iter().flatten().map(ends_of).flat_map(both);
        Graph::from_pairs(mesh.sets[found.set].rows as usize, pairs)
    })
}

/// This rank's rows of the graph, those of its block; neighbours are global rows. Collective.
pub(super) fn distributed<N: Index>(comm: &Comm, mesh: &Mesh, found: &Found) -> Result<Graph<N>, NoGraph> {
    let blocks = mesh.blocks(found.set, comm);
    let own = blocks.range(comm.rank());
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    for [a, b] in joined(mesh, found) {
        for [row, other] in [[a, b], [b, a]] {
            if !own.contains(&row) {
                send[blocks.owner(row)].push([row, other]);
            }
        }
    }
    for pairs in &mut send {
        pairs.sort_unstable();
        pairs.dedup();
    }
    let received = comm.all_to_all(send);
    let at_home = |&[row, _]: &[u64; 2]| own.contains(&row);
    let of_rank = || joined(mesh, found).flat_map(|[a, b]| [[a, b], [b, a]]).filter(at_home);
    let pairs = || {
        let all = of_rank().chain(received.iter().flatten().copied());
        all.map(|[row, other]| ((row - own.start) as usize, other))
    };
    Graph::from_pairs((own.end - own.start) as usize, pairs)
}

impl Graph<i32> {
    /// The largest number of neighbours.
    pub fn max_degree(&self) -> i32 {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }
}

impl<N: Index> Graph<N> {
    /// The graph of these vertices and their neighbours, which may be repeated.
    pub(crate) fn from_pairs<I: Iterator<Item = (usize, u64)>>(
        vertices: usize,
        pairs: impl Fn() -> I,
    ) -> Result<Graph<N>, NoGraph> {
        let mut ends = vec![0usize; vertices + 1];
        for (vertex, _) in pairs() {
            ends[vertex + 1] += 1;
        }
        for v in 0..vertices {
            ends[v + 1] += ends[v];
        }
        let mut neighbours: Vec<N> = Vec::new();
        neighbours.try_reserve_exact(ends[vertices]).map_err(NoGraph::Memory)?;
        neighbours.resize(ends[vertices], N::default());
        // `ends[v]` runs through the row of v, until it is the start of the next.
        for (vertex, other) in pairs() {
            neighbours[ends[vertex]] = N::of(other);
            ends[vertex] += 1;
        }
        // The same pair may have been seen twice: sort, and close the gaps left by repetitions.
        let mut starts = vec![N::default(); vertices + 1];
        let (mut kept, mut begin) = (0, 0);
        for v in 0..vertices {
            neighbours[begin..ends[v]].sort_unstable();
            let first = kept;
            for i in begin..ends[v] {
                if kept == first || neighbours[kept - 1] != neighbours[i] {
                    neighbours[kept] = neighbours[i];
                    kept += 1;
                }
            }
            starts[v + 1] = N::try_from(kept as u64).map_err(|_| NoGraph::TooLarge)?;
            begin = ends[v];
        }
        neighbours.truncate(kept);
        Ok(Graph { starts, neighbours })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Triangles given by their corners, with shared sides, a repeated corner and an isolated vertex.
    const TRIANGLES: [[u64; 3]; 5] = [[0, 1, 2], [2, 1, 3], [3, 3, 1], [0, 2, 1], [5, 5, 5]];
    // The graph of the triangles and of a pair that is in none of them.
    const STARTS: [i32; 7] = [0, 2, 6, 9, 11, 12, 12];
    const NEIGHBOURS: [i32; 12] = [1, 2, 0, 2, 3, 4, 0, 1, 3, 1, 2, 1];

    /// This rank's block of six vertices, the triangles and a pair.
    fn mesh(comm: &Comm) -> (Mesh, Found) {
        let mut mesh = Mesh::default();
        let [vertices, triangles, pairs] =
            [("vertices", 6), ("triangles", 5), ("pairs", 1)].map(|(name, rows)| mesh.add_set(name, rows));
        let block = |set: usize| {
            let rows = mesh.blocks(set, comm).range(comm.rank());
            rows.start as usize..rows.end as usize
        };
        let corners = TRIANGLES[block(triangles)].concat();
        let ends = [[4, 1]][block(pairs)].concat();
        let graph = vec![
            mesh.add_map("corners", triangles, vertices, 3, corners),
            mesh.add_map("ends", pairs, vertices, 2, ends),
        ];
        let found =
            Found { set: vertices, graph, nodes: None, coordinates: 0, members: None, coarser: Vec::new() };
        (mesh, found)
    }

    #[test]
    fn the_graph_of_several_maps_is_symmetric_sorted_and_free_of_repetitions_on_any_number_of_ranks() {
        for ranks in [1, 2, 4] {
            let graphs = Comm::simulate(ranks, |comm| {
                let (mesh, found) = mesh(&comm);
                gather::<i32>(&comm, &mesh, &found)
            });
            let graph = graphs[0].as_ref().expect("rank 0 has it").as_ref().expect("it is small");
            assert_eq!(graph.starts, STARTS, "{ranks} ranks");
            assert_eq!(graph.neighbours, NEIGHBOURS, "{ranks} ranks");
            assert_eq!(graph.max_degree(), 4);
            assert!(graphs[1..].iter().all(Option::is_none));
        }
    }

    #[test]
    fn ranks_rows_one_after_the_other_are_the_whole_graph() {
        for ranks in [1, 2, 4, 7] {
            let rows = Comm::simulate(ranks, |comm| {
                let (mesh, found) = mesh(&comm);
                distributed::<i64>(&comm, &mesh, &found).expect("it is small")
            });
            let neighbours: Vec<i64> = rows.iter().flat_map(|own| own.neighbours.clone()).collect();
            assert_eq!(neighbours, NEIGHBOURS.map(i64::from), "{ranks} ranks");
            let degrees = rows.iter().flat_map(|own| own.starts.windows(2).map(|w| w[1] - w[0]));
            let expected = STARTS.windows(2).map(|w| i64::from(w[1] - w[0]));
            assert!(degrees.eq(expected), "{ranks} ranks");
        }
    }
}
