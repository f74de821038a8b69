//! The strategies: one entry each.
//!
//! A new one is a file beside this one, with a function that makes the [`Schedule`] of a [`Request`], and an entry here;
//! or a reducer, whose entry is in the list of [reducers](crate::reducer). All else follows from the entries: names in
//! configurations and messages, classes of bits, the tests over all strategies.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{HashClass, Request, blocks, ordered, reduced, staged};
use crate::given::short;
use crate::reducer::Kind;
use crate::reducer::list::for_each_reducer;
use crate::schedule::Schedule;

macro_rules! strategies {
    (
        {$(
            $(#[doc = $about:literal])+
            $strategy:ident $(($default:ident))? = $name:literal, $class:ident, $schedule:path;
        )+}
        $($(#[doc = $about_reducer:literal])+ $kind:ident = $kind_name:literal $about_types:tt)+
    ) => {
        /// How loops that change values through maps are executed.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Strategy {
            $($(#[doc = $about])+ #[serde(rename = $name)] $(#[$default])? $strategy,)+
            $(
                $(#[doc = $about_reducer])+
                ///
                /// The core, then the rest, each worker's elements by local row; their increments meet in a
                /// [reducer](crate::reducer).
                #[serde(rename = $kind_name)]
                $kind,
            )+
        }

        impl Strategy {
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$($name,)+ $($kind_name,)+];

            /// All strategies.
            pub const ALL: [Strategy; Strategy::NAMES.len()] =
                [$(Strategy::$strategy,)+ $(Strategy::$kind,)+];

            /// What it does, in a few words.
            pub fn about(self) -> &'static str {
                let about = match self {
                    $(Strategy::$strategy => concat!($($about),+),)+
                    $(Strategy::$kind => concat!($($about_reducer),+),)+
                };
                about.trim_start()
            }

            /// Which strategies have the same bits as this one.
            pub fn class(self) -> HashClass {
                match self {
                    $(Strategy::$strategy => HashClass::$class,)+
                    $(Strategy::$kind)|+ => HashClass::None,
                }
            }

            /// What brings the increments of several workers together, for strategies of that kind.
            pub fn reducer(self) -> Option<Kind> {
                match self {
                    $(Strategy::$strategy)|+ => None,
                    $(Strategy::$kind => Some(Kind::$kind),)+
                }
            }

            /// The schedule of a loop.
            pub(super) fn schedule(self, request: &Request<'_>) -> Schedule {
                match self {
                    $(Strategy::$strategy => $schedule(request),)+
                    $(Strategy::$kind)|+ => reduced::schedule(request),
                }
            }
        }
    };
}

for_each_reducer! { strategies {
    /// Every target receives its increments in canonical order, from a worker that executes all its sources.
    Regions (default) = "regions", Sequential, ordered::regions;
    /// Increments are stored, then added up target by target in canonical order.
    TemporaryArray = "temporary-array", Sequential, staged::schedule;
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
} }

impl Strategy {
    /// The name in configurations.
    pub fn name(self) -> &'static str {
        Strategy::NAMES[self as usize]
    }

    /// True when one number of ranks and threads always gives the same bits; otherwise they also depend on which thread
    /// comes first.
    pub fn is_repeatable(self) -> bool {
        self.reducer().is_none_or(Kind::is_deterministic)
    }

    /// True when a run in reproducible mode can use it.
    pub fn is_reproducible(self) -> bool {
        self.class() != HashClass::None
    }
}

/// A text that names no strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{}\"; use one of {}", short(name), Strategy::NAMES.join(", "))]
pub struct UnknownStrategy {
    name: String,
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Strategy, UnknownStrategy> {
        let known = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        known.ok_or_else(|| UnknownStrategy { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_strategy() {
        for (strategy, &name) in Strategy::ALL.into_iter().zip(Strategy::NAMES) {
            assert_eq!((strategy.name(), name.parse()), (name, Ok(strategy)));
            let text = format!("\"{name}\"");
            assert_eq!(serde_json::to_string(&strategy).expect("plain data"), text);
            assert_eq!(serde_json::from_str::<Strategy>(&text).expect("a strategy"), strategy);
        }
        assert_eq!(Strategy::default(), Strategy::Regions);
    }

    #[test]
    fn every_strategy_says_what_it_does_in_words_of_its_own() {
        for (i, strategy) in Strategy::ALL.into_iter().enumerate() {
            let about = strategy.about();
            assert!(about.ends_with('.') && about.len() > 20 && about == about.trim(), "{about:?}");
            assert!(Strategy::ALL[..i].iter().all(|other| other.about() != about), "{about}");
        }
    }

    #[test]
    fn every_reducer_is_a_strategy_without_a_class() {
        let of_reducers = Strategy::ALL.into_iter().filter(|strategy| strategy.reducer().is_some());
        assert_eq!(of_reducers.clone().filter_map(Strategy::reducer).collect::<Vec<_>>(), Kind::ALL);
        for strategy in of_reducers {
            assert_eq!(strategy.reducer().map(Kind::name), Some(strategy.name()));
            assert_eq!(strategy.class(), HashClass::None, "{strategy:?}");
        }
    }

    #[test]
    fn an_unknown_strategy_is_refused_with_the_names_there_are() {
        for name in ["Regions", "region", ""] {
            let message = name.parse::<Strategy>().expect_err("no such strategy").to_string();
            assert!(message.starts_with(&format!("unknown strategy \"{name}\"; use one of ")), "{message}");
            assert!(Strategy::NAMES.iter().all(|known| message.contains(known)), "{message}");
        }
    }
}
