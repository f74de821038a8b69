//! Speculative colorings: threads color as if they were alone, then look for neighbours of the same color.
//!
//! The resulting colors depend on which thread was faster; only on one thread are they those of
//! [`first_fit`](super::first_fit). Colors are atomic numbers in relaxed order: what a thread reads may be stale within
//! a round, but not after the barrier that ends it.
//!
//! Of two neighbours of the same color, the one with the smaller number changes. Rounds therefore end: of all vertices
//! that a round has recolored, the one with the largest number does not change again, since its larger neighbours kept
//! the colors that it avoided. There are at most as many rounds as vertices, even on processors that run threads in
//! lockstep.

use std::sync::atomic::{AtomicU32, Ordering};

use cfd_engine::plug::{ThreadPool, share};

use super::palette::{UNCOLORED, first_free};
use super::{Coloring, Graph};
use crate::sharing::workers::{gather, on_all};

/// The algorithm of Gebremedhin and Manne (Algorithm 11): color all vertices, find conflicts, resolve them on one
/// thread.
///
/// Source: A. H. Gebremedhin, F. Manne, Scalable parallel graph coloring algorithms, Concurrency: Practice and
/// Experience 12 (2000), pages 1131-1146.
pub fn gebremedhin_manne(graph: &Graph, pool: &ThreadPool) -> Coloring {
    let state = State::new(graph, pool, UNCOLORED);
    let all = Worklist::All(graph.vertices());
    state.color(&all);
    let conflicts = state.conflicts(&all);
    conflicts.iter().for_each(|&vertex| state.color_one(vertex));
    state.end(1, 2, conflicts.len())
}

/// The algorithm of Çatalyürek et al. (Algorithm 12): color, find conflicts, repeat with the vertices in conflict until
/// there are none. Threads meet twice per round.
///
/// Source: Ü. V. Çatalyürek, J. Feo, A. H. Gebremedhin, M. Halappanavar, A. Pothen, Graph coloring algorithms for
/// multi-core and massively multithreaded architectures, Parallel Computing 38 (2012), DOI
/// 10.1016/j.parco.2012.07.001.
pub fn catalyurek(graph: &Graph, pool: &ThreadPool) -> Coloring {
    let state = State::new(graph, pool, UNCOLORED);
    let (mut work, mut rounds, mut conflicts) = (Worklist::All(graph.vertices()), 0, 0);
    while !work.is_empty() {
        state.color(&work);
        work = Worklist::These(state.conflicts(&work));
        conflicts += work.len();
        rounds += 1;
    }
    state.end(rounds, 2 * rounds, conflicts)
}

/// The algorithm of Rokos et al. (Algorithm 13): as [`catalyurek`], but a vertex in conflict is recolored as soon as it
/// is found. Threads meet once per round.
///
/// Source: G. Rokos, G. Gorman, P. H. J. Kelly, A fast and scalable graph coloring algorithm for multi-core and
/// many-core architectures, Euro-Par 2015, arXiv:1505.04086.
pub fn rokos(graph: &Graph, pool: &ThreadPool) -> Coloring {
    let state = State::new(graph, pool, UNCOLORED);
    state.color(&Worklist::All(graph.vertices()));
    state.detect_and_recolor()
}

/// The vertices of a round.
enum Worklist {
    /// All of this many vertices.
    All(u32),
    These(Vec<u32>),
}

impl Worklist {
    fn len(&self) -> usize {
        match self {
            Worklist::All(count) => *count as usize,
            Worklist::These(vertices) => vertices.len(),
        }
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `task` for a worker's share.
    fn each_of(&self, worker: usize, workers: usize, task: impl FnMut(u32)) {
        let own = share(self.len(), worker, workers);
        match self {
            Worklist::All(_) => (own.start as u32..own.end as u32).for_each(task),
            Worklist::These(vertices) => vertices[own].iter().copied().for_each(task),
        }
    }
}

/// Colors that several threads read and change.
struct State<'a> {
    graph: &'a Graph,
    pool: &'a ThreadPool,
    colors: Vec<AtomicU32>,
}

impl<'a> State<'a> {
    /// All vertices have `color`.
    fn new(graph: &'a Graph, pool: &'a ThreadPool, color: u32) -> State<'a> {
        let colors = (0..graph.vertices()).map(|_| AtomicU32::new(color)).collect();
        State { graph, pool, colors }
    }

    fn color_of(&self, vertex: u32) -> u32 {
        self.colors[vertex as usize].load(Ordering::Relaxed)
    }

    /// Gives a vertex the smallest color that its neighbours do not have at this moment.
    fn color_one(&self, vertex: u32) {
        let around = || self.graph.neighbours(vertex).iter().map(|&other| self.color_of(other));
        self.colors[vertex as usize].store(first_free(around), Ordering::Relaxed);
    }

    /// True for a vertex that must change: a neighbour with a larger number has its color.
    fn must_change(&self, vertex: u32) -> bool {
        let own = self.color_of(vertex);
        let largest_first = self.graph.neighbours(vertex).iter().rev();
        largest_first.take_while(|&&other| other > vertex).any(|&other| self.color_of(other) == own)
    }

    /// All threads color their shares.
    fn color(&self, work: &Worklist) {
        let workers = self.pool.workers();
        on_all(self.pool, |worker| work.each_of(worker, workers, |vertex| self.color_one(vertex)));
    }

    /// The vertices of the list for which `select` is true, worker by worker.
    fn select(&self, work: &Worklist, select: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
        let workers = self.pool.workers();
        let lists = gather(self.pool, |worker| {
            let mut selected = Vec::new();
            work.each_of(worker, workers, |vertex| {
                if select(vertex) {
                    selected.push(vertex);
                }
            });
            selected
        });
        lists.concat()
    }

    /// The vertices of the list that must change.
    fn conflicts(&self, work: &Worklist) -> Vec<u32> {
        self.select(work, |vertex| self.must_change(vertex))
    }

    /// The rounds of [`rokos`], from any colors.
    fn detect_and_recolor(self) -> Coloring {
        let (mut work, mut rounds, mut conflicts) = (Worklist::All(self.graph.vertices()), 0, 0);
        while !work.is_empty() {
            work = Worklist::These(self.select(&work, |vertex| {
                let must_change = self.must_change(vertex);
                if must_change {
                    self.color_one(vertex);
                }
                must_change
            }));
            conflicts += work.len();
            rounds += 1;
        }
        self.end(rounds, rounds + 1, conflicts)
    }

    fn end(self, rounds: usize, barriers: usize, conflicts: usize) -> Coloring {
        let colors = self.colors.into_iter().map(AtomicU32::into_inner).collect();
        Coloring { colors, rounds, barriers, conflicts }
    }
}

/// Conflicts hardly ever occur on a few threads, so these tests start with some.
#[cfg(test)]
mod tests {
    use cfd_engine::plug::ThreadPool;

    use super::{State, Worklist};
    use crate::coloring::{Graph, Numbering, Quadrants, check, rmat, triangulation};

    const SIDE: u32 = if cfg!(miri) { 6 } else { 40 };

    fn graphs() -> [Graph; 3] {
        let mut complete = Vec::new();
        (0..SIDE).for_each(|a| (0..a).for_each(|b| complete.push([a, b])));
        [
            Graph::from_edges(SIDE, &complete).unwrap(),
            triangulation([SIDE, SIDE], Numbering::Shuffled, 2).unwrap(),
            rmat(SIDE.ilog2() * 2, 40 * SIDE as usize, Quadrants::B, Numbering::Shuffled, 2).unwrap(),
        ]
    }

    #[test]
    fn of_neighbours_with_one_color_all_but_the_largest_must_change() {
        let (pool, graph) = (ThreadPool::new(2), Graph::from_edges(4, &[[0, 1], [1, 2], [2, 0]]).unwrap());
        let state = State::new(&graph, &pool, 7);
        assert_eq!(state.conflicts(&Worklist::All(4)), [0, 1]);
        assert_eq!(state.conflicts(&Worklist::These(vec![3, 2, 1])), [1]);
    }

    #[test]
    fn rounds_repair_any_colors() {
        for graph in graphs() {
            for threads in 1..5 {
                let pool = ThreadPool::new(threads);
                let all_alike = State::new(&graph, &pool, 0);
                let first = all_alike.conflicts(&Worklist::All(graph.vertices())).len();
                let coloring = all_alike.detect_and_recolor();
                check(&graph, &coloring.colors).unwrap();
                // On several threads, a larger neighbour may have changed before a vertex is looked at.
                assert!(first > 0 && coloring.conflicts >= if threads == 1 { first } else { 1 });
                assert!(coloring.rounds >= 2 && coloring.barriers == coloring.rounds + 1);
            }
        }
    }

    #[test]
    fn one_thread_resolves_what_all_have_found() {
        for graph in graphs() {
            let pool = ThreadPool::new(3);
            let state = State::new(&graph, &pool, 0);
            let conflicts = state.conflicts(&Worklist::All(graph.vertices()));
            conflicts.iter().for_each(|&vertex| state.color_one(vertex));
            check(&graph, &state.end(1, 2, conflicts.len()).colors).unwrap();
        }
    }
}
