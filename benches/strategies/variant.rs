//! What is compared: modes, strategies and sums.

use cfd_engine::domain::DomainOptions;
use cfd_engine::global::Sums;
use cfd_engine::lane::Width;
use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_reducers::strategies;

/// The simplest way to run a loop, with which the others are compared.
pub const PLAIN: &str = "fast: core";
/// The default.
pub const REGIONS: &str = "regions";
/// The default with binned sums.
pub const BINNED: &str = "regions, binned sums";
/// Regions without the cost of reproducible sums.
pub const FAST_REGIONS: &str = "fast: regions";

/// The setting of every variant.
#[derive(Clone, Copy)]
pub struct Workers {
    /// Threads of each rank.
    pub threads: usize,
    /// Elements at a time on each thread.
    pub lanes: Width,
}

/// A way to run the loops.
pub struct Variant {
    /// The strategy's name, with what else differs from the default.
    pub name: String,
    /// Variants of one class have the same bits.
    pub class: &'static str,
    /// How the domain runs loops.
    pub options: DomainOptions,
}

/// All variants: fast mode first, then the reproducible strategies. Strategies that differ from `core` only with
/// several threads, because they combine what threads add, are omitted for one thread.
pub fn all(workers: Workers) -> Vec<Variant> {
    let fast = |name: &str, strategy| variant(name, Mode::Fast, strategy, Sums::Exact);
    let reproducible =
        |strategy: Strategy| variant(strategy.name(), Mode::Reproducible, strategy, Sums::Exact);
    let mut all = vec![fast(PLAIN, Strategy::Core), fast(FAST_REGIONS, Strategy::Regions)];
    let others = strategies::all().filter(|s| !s.is_reproducible() && *s != Strategy::Core);
    let others = others.filter(|s| workers.threads > 1 || s.plug().is_none());
    all.extend(others.map(|s| fast(&format!("fast: {}", s.name()), s)));
    all.extend(strategies::all().filter(|s| s.is_reproducible()).map(reproducible));
    all.push(variant(BINNED, Mode::Reproducible, Strategy::Regions, Sums::Binned));
    for variant in &mut all {
        variant.options.threads = workers.threads;
        variant.options.lanes = workers.lanes;
    }
    all
}

/// The variant of that name.
pub fn named(name: &str, workers: Workers) -> Variant {
    let mut all = all(workers);
    let names: Vec<String> = all.iter().map(|v| v.name.clone()).collect();
    let found = names.iter().position(|n| n == name);
    all.swap_remove(found.unwrap_or_else(|| panic!("no variant \"{name}\"; there are {}", names.join("; "))))
}

fn variant(name: &str, mode: Mode, strategy: Strategy, sums: Sums) -> Variant {
    let options = DomainOptions { mode, strategy: Some(strategy), sums, ..DomainOptions::default() };
    // Without a class, a strategy has its own bits.
    let class = strategy.class();
    let class = if class == HashClass::None { strategy.name() } else { class.name() };
    Variant { name: name.into(), class, options }
}
