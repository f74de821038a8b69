//! The colorings by name.

use std::str::FromStr;

use cfd_engine::plug::ThreadPool;

use super::{
    Coloring, ColoringError, Graph, catalyurek, first_fit, gebremedhin_manne, jones_plassmann, multi_hash,
    rokos,
};

/// A way to color a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// [`first_fit`]: one vertex after the other, on one thread.
    FirstFit,
    /// [`jones_plassmann`]: independent sets.
    JonesPlassmann,
    /// [`multi_hash`]: independent sets, one hash each.
    MultiHash,
    /// [`gebremedhin_manne`]: speculative, resolves conflicts on one thread.
    GebremedhinManne,
    /// [`catalyurek`]: speculative, two barriers per round.
    Catalyurek,
    /// [`rokos`]: speculative, one barrier per round.
    Rokos,
}

impl Algorithm {
    /// Their names.
    pub const NAMES: [&'static str; 6] =
        ["first-fit", "jones-plassmann", "multi-hash", "gebremedhin-manne", "catalyurek", "rokos"];

    /// All of them.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::FirstFit,
        Algorithm::JonesPlassmann,
        Algorithm::MultiHash,
        Algorithm::GebremedhinManne,
        Algorithm::Catalyurek,
        Algorithm::Rokos,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Algorithm::NAMES[self as usize]
    }

    /// True if the colors follow from the graph alone; false if they also depend on which thread was faster.
    pub fn is_reproducible(self) -> bool {
        matches!(self, Algorithm::FirstFit | Algorithm::JonesPlassmann | Algorithm::MultiHash)
    }

    /// Colors a graph on the workers of a thread pool; [`Algorithm::FirstFit`] uses only the calling thread.
    ///
    /// # Panics
    /// If a call of the pool is already under way.
    pub fn color(self, graph: &Graph, pool: &ThreadPool) -> Coloring {
        match self {
            Algorithm::FirstFit => first_fit(graph),
            Algorithm::JonesPlassmann => jones_plassmann(graph, pool),
            Algorithm::MultiHash => multi_hash(graph, pool),
            Algorithm::GebremedhinManne => gebremedhin_manne(graph, pool),
            Algorithm::Catalyurek => catalyurek(graph, pool),
            Algorithm::Rokos => rokos(graph, pool),
        }
    }
}

impl FromStr for Algorithm {
    type Err = ColoringError;

    fn from_str(name: &str) -> Result<Algorithm, ColoringError> {
        let known = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
        known.ok_or_else(|| ColoringError::UnknownAlgorithm { name: name.into() })
    }
}
