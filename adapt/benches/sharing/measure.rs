//! Times of all loops, in all ways, on all numbers of threads, in rotation.

use std::fmt;
use std::str::FromStr;

use cfd_adapt::sharing::{UnknownWay, Way};
use cfd_engine::plug::ThreadPool;
use rayon::prelude::*;

use crate::Options;
use crate::kernel::Kernel;
use crate::study::{seconds, turns, wake};

/// A way of ours, or rayon's: ranges are halved, and an idle worker steals some from one chosen at random.
#[derive(Clone, Copy, Debug)]
pub enum Variant {
    Way(Way),
    Rayon,
}

impl Variant {
    pub fn way(&self) -> Option<Way> {
        match self {
            Variant::Way(way) => Some(*way),
            Variant::Rayon => None,
        }
    }
}

impl FromStr for Variant {
    type Err = UnknownWay;

    fn from_str(name: &str) -> Result<Variant, UnknownWay> {
        if name == "rayon" { Ok(Variant::Rayon) } else { name.parse().map(Variant::Way) }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variant::Way(way) => way.fmt(f),
            Variant::Rayon => f.write_str("rayon"),
        }
    }
}

/// Seconds of each round, for each way and loop.
pub type Times = Vec<Vec<Vec<f64>>>;

/// Threads of both kinds.
struct Pools {
    own: ThreadPool,
    rayon: rayon::ThreadPool,
}

impl Pools {
    fn new(threads: usize) -> Pools {
        let rayon = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Pools { own: ThreadPool::new(threads), rayon: rayon.expect("threads can be started") }
    }

    fn seconds(&self, variant: Variant, kernel: &dyn Kernel) -> f64 {
        let (items, execute) = (kernel.items(), |item| kernel.execute(item));
        let (seconds, ()) = match variant {
            Variant::Way(way) => seconds(|| wake(&self.own), || way.for_each(&self.own, items, execute)),
            // The calling thread only waits.
            Variant::Rayon => seconds(
                || drop(self.rayon.broadcast(|_| ())),
                || self.rayon.install(|| (0..items).into_par_iter().for_each(execute)),
            ),
        };
        seconds
    }
}

/// The times for each number of threads.
pub fn measure<'a>(kernels: &mut [Box<dyn Kernel + 'a>], options: &Options) -> Vec<(usize, Times)> {
    let ways = &options.ways;
    let pools: Vec<Pools> = options.threads.iter().map(|&threads| Pools::new(threads)).collect();
    let empty: Times = vec![vec![Vec::new(); kernels.len()]; ways.len()];
    let mut times: Vec<(usize, Times)> = options.threads.iter().map(|&n| (n, empty.clone())).collect();
    let places = pools.len() * ways.len() * kernels.len();
    // The first round touches all memory.
    for round in 0..=options.rounds {
        for place in turns(places, round) {
            let (kernel, rest) = (place % kernels.len(), place / kernels.len());
            let (way, pool) = (rest % ways.len(), rest / ways.len());
            kernels[kernel].prepare();
            let seconds = pools[pool].seconds(ways[way], &*kernels[kernel]);
            if round > 0 {
                times[pool].1[way][kernel].push(seconds);
            }
        }
    }
    times
}
