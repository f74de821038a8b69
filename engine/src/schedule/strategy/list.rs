//! The engine's strategies, one entry each.
//!
//! A new one is another file in this folder, with a function that makes the [`Schedule`] of a [`Request`], and an entry
//! here. All else follows from the entries: names in configurations and messages, classes of bits, the tests over all
//! strategies. Strategies that combine increments in another way are plug-ins ([`Plug`]).

use super::accumulate::Plug;
use super::class::{HashClass, Mode};
use super::request::Request;
use super::{blocks, ordered, privatised, temporary_array};
use crate::schedule::steps::Schedule;

macro_rules! strategies {
    ($(
        $(#[doc = $about:literal])+
        $strategy:ident $(($default:ident))? = $name:literal, $class:ident, $schedule:path;
    )+) => {
        /// How loops that change values through maps are executed.
        #[derive(Clone, Copy, Debug, Default)]
        pub enum Strategy {
            $($(#[doc = $about])+ $(#[$default])? $strategy,)+
            /// One from outside the engine.
            ///
            /// The core, then the rest, each worker's elements by local row; the plug-in combines their increments.
            Plugged(&'static Plug),
        }

        impl Strategy {
            /// The names of the engine's own.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The engine's own.
            pub const ALL: [Strategy; Strategy::NAMES.len()] = [$(Strategy::$strategy),+];

            /// The name in configurations.
            pub fn name(self) -> &'static str {
                match self {
                    $(Strategy::$strategy => $name,)+
                    Strategy::Plugged(plug) => plug.name,
                }
            }

            /// What it does, in a sentence.
            pub fn about(self) -> &'static str {
                let about = match self {
                    $(Strategy::$strategy => concat!($($about),+),)+
                    Strategy::Plugged(plug) => plug.about,
                };
                about.trim_start()
            }

            /// Which strategies have the same bits as this one.
            pub fn class(self) -> HashClass {
                match self {
                    $(Strategy::$strategy => HashClass::$class,)+
                    Strategy::Plugged(_) => HashClass::None,
                }
            }

            /// The schedule of a loop.
            pub(crate) fn schedule(self, request: &Request<'_>) -> Schedule {
                match self {
                    $(Strategy::$strategy => $schedule(request),)+
                    Strategy::Plugged(_) => privatised::schedule(request),
                }
            }
        }
    };
}

strategies! {
    /// Every target receives its increments in canonical order, from a worker that executes all its sources.
    Regions (default) = "regions", Sequential, ordered::regions;
    /// Increments are stored, then added up target by target in canonical order.
    TemporaryArray = "temporary-array", Sequential, temporary_array::schedule;
    /// All elements in canonical order.
    TrivialColoring = "trivial-coloring", Sequential, ordered::trivial_coloring;
    /// By color, then in canonical order; colors of a sequential greedy algorithm on the whole mesh.
    GreedyColoring = "greedy-coloring", Greedy, ordered::greedy_coloring;
    /// By color, then in canonical order; colors of a distributed algorithm.
    DistributedColoring = "distributed-coloring", Distributed, ordered::distributed_coloring;
    /// The core, then the rest, each by local row.
    Core = "core", None, ordered::core;
    /// The core, then the rest, by the color of blocks of consecutive rows.
    ColoredBlocks = "colored-blocks", None, blocks::schedule;
}

impl PartialEq for Strategy {
    fn eq(&self, other: &Strategy) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Strategy {}

impl Strategy {
    /// What combines the increments of several workers, for plug-in strategies.
    pub fn plug(self) -> Option<&'static Plug> {
        if let Strategy::Plugged(plug) = self { Some(plug) } else { None }
    }

    /// True if a given number of ranks and threads always gives the same bits; otherwise they also depend on which
    /// thread comes first.
    pub fn is_repeatable(self) -> bool {
        self.plug().is_none_or(|plug| plug.is_repeatable)
    }

    /// A mode's strategy if no other is chosen: `regions` in reproducible mode, `core` in fast mode.
    pub fn of_mode(mode: Mode) -> Strategy {
        match mode {
            Mode::Reproducible => Strategy::Regions,
            Mode::Fast => Strategy::Core,
        }
    }

    /// True if a run in reproducible mode can use it.
    pub fn is_reproducible(self) -> bool {
        self.class() != HashClass::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_own_strategies_have_names_and_repeat_themselves() {
        for (strategy, &name) in Strategy::ALL.into_iter().zip(Strategy::NAMES) {
            assert_eq!((strategy.name(), strategy.is_repeatable()), (name, true));
        }
        assert_eq!(Strategy::default(), Strategy::Regions);
    }
}
