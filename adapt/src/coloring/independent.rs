//! Colorings by independent sets: nothing depends on time.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use cfd_engine::plug::{ThreadPool, UNBROKEN, share};

use super::palette::{UNCOLORED, first_free};
use super::{Coloring, Graph};
use crate::sharing::random::mix;
use crate::sharing::workers::{gather, on_all};

/// The priority of a vertex in [`jones_plassmann`]: a hash, different for each.
pub fn priority(vertex: u32) -> u64 {
    mix(u64::from(vertex))
}

/// What a worker has to do: of its share of the vertices, those without a color, and of these the ones of this round.
#[derive(Default)]
struct Share {
    left: Vec<Waiting>,
    chosen: Vec<u32>,
}

/// A vertex without a color.
struct Waiting {
    vertex: u32,
    /// Neighbours before this one are not waited for: they have colors, or lower priorities. So all rounds together
    /// look at each neighbour once.
    from: u32,
}

/// Rounds with fewer vertices than this are the calling thread's alone: others would take longer to wake.
const FEWEST: usize = if cfg!(miri) { 8 } else { 4096 };

/// Coloring by independent sets (Algorithm 9). In a round, each vertex whose [`priority`] is the highest of all its
/// neighbours without a color gets the smallest color that no neighbour has.
///
/// A vertex is colored when all neighbours with higher priorities are, and none with a lower one is. So the colors
/// are those of greedy coloring in descending order of priorities, whatever the number of threads. The last rounds,
/// which have few vertices, run on the calling thread; threads do not meet in them.
///
/// Source: M. T. Jones, P. E. Plassmann, A parallel graph coloring heuristic, SIAM Journal on Scientific Computing 14
/// (1993), DOI 10.1137/0914041.
pub fn jones_plassmann(graph: &Graph, pool: &ThreadPool) -> Coloring {
    let (vertices, workers) = (graph.vertices() as usize, pool.workers());
    let colors: Vec<AtomicU32> = (0..vertices).map(|_| AtomicU32::new(UNCOLORED)).collect();
    let shares: Vec<Mutex<Share>> =
        (0..workers).map(|worker| Mutex::new(Share::new(share(vertices, worker, workers)))).collect();
    // Nobody changes a color while sets are chosen, and no two vertices of a set are neighbours.
    let choose = |worker: usize| shares[worker].lock().expect(UNBROKEN).choose(graph, &colors);
    let color = |worker: usize| shares[worker].lock().expect(UNBROKEN).color(graph, &colors);
    let (mut left, mut rounds, mut barriers) = (vertices, 0, 0);
    while left > 0 {
        left = if left < FEWEST {
            let still_left = (0..workers).map(choose).sum();
            (0..workers).for_each(color);
            still_left
        } else {
            barriers += 2;
            let still_left = gather(pool, choose).into_iter().sum();
            on_all(pool, color);
            still_left
        };
        rounds += 1;
    }
    let colors = colors.into_iter().map(AtomicU32::into_inner).collect();
    Coloring { colors, rounds, barriers, conflicts: 0 }
}

impl Share {
    fn new(vertices: Range<usize>) -> Share {
        let left = vertices.map(|vertex| Waiting { vertex: vertex as u32, from: 0 }).collect();
        Share { left, chosen: Vec::new() }
    }

    /// Chooses those of a round; returns how many are left.
    fn choose(&mut self, graph: &Graph, colors: &[AtomicU32]) -> usize {
        let Share { left, chosen } = self;
        chosen.clear();
        left.retain_mut(|Waiting { vertex, from }| {
            let own = priority(*vertex);
            let around = &graph.neighbours(*vertex)[*from as usize..];
            let first = |&other: &u32| color_of(colors, other) == UNCOLORED && priority(other) > own;
            let waits_for = around.iter().position(first);
            match waits_for {
                Some(passed) => *from += passed as u32,
                None => chosen.push(*vertex),
            }
            waits_for.is_some()
        });
        left.len()
    }

    /// Colors those of a round.
    fn color(&mut self, graph: &Graph, colors: &[AtomicU32]) {
        for &vertex in &self.chosen {
            let around = || graph.neighbours(vertex).iter().map(|&other| color_of(colors, other));
            colors[vertex as usize].store(first_free(around), Ordering::Relaxed);
        }
    }
}

fn color_of(colors: &[AtomicU32], vertex: u32) -> u32 {
    colors[vertex as usize].load(Ordering::Relaxed)
}

/// Coloring by many hashes (Algorithm 10): a vertex has color k when the hash number k is the first that is higher
/// for it than for any neighbour. No vertex needs to know another's color, so nothing waits for anything; but there
/// are many times as many colors.
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

/// The first of all hashes that is higher for a vertex than for any neighbour.
fn first_highest(graph: &Graph, vertex: u32) -> u32 {
    let is_highest = |&number: &u32| {
        let salt = mix(u64::from(number));
        // Bijective in the vertex, so that no two are equal.
        let hash = |vertex: u32| mix(salt ^ u64::from(vertex));
        let own = hash(vertex);
        graph.neighbours(vertex).iter().all(|&other| hash(other) < own)
    };
    (0..UNCOLORED).find(is_highest).expect("a hash of d + 1 vertices is highest for each once in d + 1 times")
}
