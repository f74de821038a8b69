//! What a run guarantees about its bits, in words and as the class of its hashes.

use cfd_engine::global::Sums;
use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_partition::Order;

use crate::config::{Backend, ByName, Execution, Partition};

/// The class of runs with the same hashes as this one; in fast mode, none.
pub fn class(mode: Mode, strategy: Strategy) -> HashClass {
    match mode {
        Mode::Reproducible => strategy.class(),
        Mode::Fast => HashClass::None,
    }
}

/// What determines the bits, in a few words.
pub fn means(mode: Mode, strategy: Strategy, order: Order, sums: Sums) -> String {
    let (mode, sums) = match (mode, sums) {
        (Mode::Reproducible, Sums::Exact) => ("reproducible", "exact"),
        (Mode::Reproducible, Sums::Binned) => ("reproducible", "binned"),
        (Mode::Fast, _) => ("fast", "plain"),
    };
    format!("{mode} mode: strategy {}, canonical order {order}, {sums} sums", strategy.name())
}

/// The guarantee across ranks, partitioners, seeds, overlap, threads, vector widths and machines for a run with this
/// many threads per rank.
pub fn text(execution: &Execution, partition: &Partition, threads: usize) -> String {
    let Execution { mode, strategy: ByName(strategy), sums, backend, .. } = *execution;
    if mode == Mode::Fast && partition.weights == "measured" {
        return "none: the bits may differ from run to run, because the partition depends on measured times (keep \
                weights.toml and name it in partition.weights)"
            .into();
    }
    // A device has its own threads, whatever the rank has.
    promise(mode, strategy, sums, threads == 1 && backend == Backend::Cpu)
}

/// `alone`: a single thread changes a rank's values.
fn promise(mode: Mode, strategy: Strategy, sums: Sums, alone: bool) -> String {
    let order = match strategy.class() {
        HashClass::Sequential => "in canonical order",
        HashClass::Greedy => "by greedy color, then in canonical order",
        HashClass::Distributed => "by distributed color, then in canonical order",
        HashClass::None => "in an order that follows from each rank's own rows",
    };
    if mode == Mode::Fast && !alone && !strategy.is_repeatable() {
        return format!(
            "none: the bits may differ from run to run, because several threads change values through maps in any \
             order (strategy {})",
            strategy.name()
        );
    }
    if mode == Mode::Fast {
        let more = if strategy.is_reproducible() { " on any ranks, but" } else { ", and" };
        return format!(
            "the same bits run after run on one number of ranks and threads with one partitioner, seed, region and block \
             size, whatever the overlap and vector width; different bits on others: changes through maps are made \
             {order}{more} global sums are added up thread by thread and rank by rank"
        );
    }
    let sums = match sums {
        Sums::Exact => "correctly rounded",
        Sums::Binned => "binned, the same for every order of their terms",
    };
    format!(
        "the same bits on any number of ranks, whatever the partitioner, seed, region size, overlap, threads, vector \
         width and machine (class \"{}\"): changes through maps are made {order}, global sums are {sums}",
        class(mode, strategy).name()
    )
}

#[cfg(test)]
mod tests {
    use cfd_reducers::strategies;

    use super::*;

    #[test]
    fn fast_mode_promises_nothing_where_threads_race_and_says_so_only_there() {
        for strategy in strategies::all() {
            let races = ["atomic", "block-lock", "block-cas"].contains(&strategy.name());
            for alone in [true, false] {
                let fast = promise(Mode::Fast, strategy, Sums::Exact, alone);
                let words = if races && !alone {
                    "none: the bits may differ from run to run"
                } else {
                    "the same bits run after run"
                };
                assert!(fast.starts_with(words), "{fast}");
            }
        }
    }

    #[test]
    fn reproducible_mode_promises_any_ranks_and_fast_mode_only_the_same() {
        for strategy in strategies::all() {
            let fast = promise(Mode::Fast, strategy, Sums::Exact, true);
            assert!(fast.starts_with("the same bits run after run on one number of ranks and"), "{fast}");
            assert_eq!(class(Mode::Fast, strategy), HashClass::None);
            assert_eq!(fast.contains("canonical order on any ranks"), strategy.is_reproducible(), "{fast}");
            if strategy.is_reproducible() {
                let all = promise(Mode::Reproducible, strategy, Sums::Exact, false);
                assert!(all.starts_with("the same bits on any number of ranks"), "{all}");
                assert!(all.contains(&format!("(class \"{}\")", strategy.class().name())), "{all}");
                assert!(all.ends_with("correctly rounded"), "{all}");
                assert_ne!(all, promise(Mode::Reproducible, strategy, Sums::Binned, false));
            }
        }
    }

    #[test]
    fn the_documents_name_the_strategies_whose_bits_differ_from_run_to_run() {
        let pages = [
            (include_str!("../docs/reproducibility.md"), "increments arrive in the order"),
            (include_str!("../README.md"), "on several threads, the bits may"),
        ];
        for (page, words) in pages {
            let line = page.lines().find(|line| line.contains(words)).expect("a line about runs");
            for strategy in strategies::all() {
                let named = line.contains(&format!("`{}`", strategy.name()));
                assert_eq!(named, !strategy.is_repeatable(), "{}: {line}", strategy.name());
            }
        }
    }
}
