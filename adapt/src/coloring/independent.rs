//! Colorings by independent sets: nothing depends on timing.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use cfd_engine::plug::{ThreadPool, share};

use super::palette::{UNCOLORED, first_free};
use super::{Coloring, Graph};
use crate::sharing::random::mix;
use crate::sharing::workers::gather;

/// The priority of a vertex in [`jones_plassmann`]: a hash, different for each.
pub fn priority(vertex: u32) -> u64 {
    mix(u64::from(vertex))
}

/// Rounds with fewer vertices than this run on the calling thread alone: waking others would take longer.
const FEWEST: usize = if cfg!(miri) { 4 } else { 1024 };

/// Coloring by independent sets (Algorithm 9). In each round, every vertex whose [`priority`] is the highest among its
/// uncolored neighbours gets the smallest color that no neighbour has.
///
/// A vertex is colored once all neighbours with higher priorities are, and before any with a lower one is. The colors
/// are thus those of greedy coloring in descending order of priorities, whatever the number of threads.
///
/// The published algorithm looks at all uncolored vertices in each round. Here, each vertex counts its neighbours with
/// higher priorities once, and a vertex that gets a color decrements the counts of its others; a vertex whose count
/// reaches 0 is in the next round's set. The sets are the same; all rounds together look at each edge a few times, and
/// threads meet once per round. In rounds with few vertices, they do not meet at all.
///
/// Source: M. T. Jones, P. E. Plassmann, A parallel graph coloring heuristic, SIAM Journal on Scientific Computing 14
/// (1993), DOI 10.1137/0914041.
pub fn jones_plassmann(graph: &Graph, pool: &ThreadPool) -> Coloring {
    let (vertices, workers) = (graph.vertices() as usize, pool.workers());
    let state = State { graph, marks: (0..vertices).map(|_| AtomicU32::new(UNCOLORED)).collect() };
    let mut set = gather(pool, |worker| state.count(share(vertices, worker, workers))).concat();
    let (mut rounds, mut barriers) = (0, 1);
    while !set.is_empty() {
        set = if set.len() < FEWEST {
            state.color(&set)
        } else {
            barriers += 1;
            gather(pool, |worker| state.color(&set[share(set.len(), worker, workers)])).concat()
        };
        rounds += 1;
    }
    let colors = state.marks.into_iter().map(AtomicU32::into_inner).collect();
    Coloring { colors, rounds, barriers, conflicts: 0 }
}

/// Relaxed order suffices: what a round has changed is read in the next one, after the threads have met.
struct State<'a> {
    graph: &'a Graph,
    /// The color of a vertex; before it has one, [`UNCOLORED`] less the number of uncolored neighbours with higher
    /// priorities. One word, because what a processor finds in its cache decides the time.
    marks: Vec<AtomicU32>,
}

/// Marks from here on are not colors.
const FIRST_WAITING: u32 = 1 << 31;

impl State<'_> {
    fn mark(&self, vertex: u32) -> &AtomicU32 {
        &self.marks[vertex as usize]
    }

    /// Counts what vertices wait for; returns those that wait for none.
    fn count(&self, vertices: Range<usize>) -> Vec<u32> {
        let mut ready = Vec::new();
        for vertex in vertices.start as u32..vertices.end as u32 {
            let (own, around) = (priority(vertex), self.graph.neighbours(vertex));
            assert!(around.len() < FIRST_WAITING as usize, "vertex {vertex} has too many neighbours");
            let higher: u32 = around.iter().map(|&other| u32::from(priority(other) > own)).sum();
            self.mark(vertex).store(UNCOLORED - higher, Ordering::Relaxed);
            if higher == 0 {
                ready.push(vertex);
            }
        }
        ready
    }

    /// Colors vertices, no two of which are neighbours; returns those that now wait for none.
    fn color(&self, set: &[u32]) -> Vec<u32> {
        let mark_of = |&vertex: &u32| self.mark(vertex).load(Ordering::Relaxed);
        let mut ready = Vec::new();
        for &vertex in set {
            let around = self.graph.neighbours(vertex);
            self.mark(vertex).store(first_free(|| around.iter().map(mark_of)), Ordering::Relaxed);
            // An uncolored neighbour has a lower priority, since all others have a color.
            let waiting = around.iter().filter(|other| mark_of(other) >= FIRST_WAITING);
            let was_last = |&&other: &&u32| self.mark(other).fetch_add(1, Ordering::Relaxed) == UNCOLORED - 1;
            ready.extend(waiting.filter(was_last));
        }
        ready
    }
}

/// Coloring by many hashes (Algorithm 10): a vertex has color k if hash number k is the first that is higher for it
/// than for any neighbour. No vertex needs to know another's color, so nothing waits; but there are many times as many
/// colors.
///
/// Source: J. Cohen, P. Castonguay, Efficient graph matching and coloring on the GPU, GPU Technology Conference 2012.
pub fn multi_hash(graph: &Graph, pool: &ThreadPool) -> Coloring {
    let vertices = graph.vertices() as usize;
    let pieces = gather(pool, |worker| {
        let own = share(vertices, worker, pool.workers());
        own.map(|vertex| first_highest(graph, vertex as u32)).collect::<Vec<u32>>()
    });
    Coloring { colors: pieces.concat(), rounds: 1, barriers: 1, conflicts: 0 }
}

/// The first hash that is higher for a vertex than for any neighbour.
fn first_highest(graph: &Graph, vertex: u32) -> u32 {
    let is_highest = |&number: &u32| {
        let salt = mix(u64::from(number));
        // Bijective in the vertex, so no two are equal.
        let hash = |vertex: u32| mix(salt ^ u64::from(vertex));
        let own = hash(vertex);
        graph.neighbours(vertex).iter().all(|&other| hash(other) < own)
    };
    (0..UNCOLORED).find(is_highest).expect("a hash of d + 1 vertices is highest for each once in d + 1 times")
}
