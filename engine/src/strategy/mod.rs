//! Strategies: how loops that change values through maps are executed.
//!
//! Several elements change the same target, so the order in which they do matters to the last bit. A strategy turns
//! a loop into a `Schedule`; one driver and one executor run every schedule.
//!
//! ```text
//! core               core, then boundary and imported elements, by local row             bits depend on the partition
//! colored-blocks     blocks of consecutive elements, those of one color at the same time   bits depend on the partition
//! regions            ordered: canonical order, interior targets while halos are on their way
//! atomic, dense, map, block-private, block-lock, block-cas, keeper
//!                    reduced: by local row; workers' increments meet in a reducer         bits depend on the partition
//! temporary-array    staged: increments stored, then added target by target in canonical order
//! trivial-coloring   ordered: canonical order, after the halo exchange
//! greedy-coloring    ordered: by color, then canonical order; coloring/greedy
//! distributed-coloring  the same with coloring/distributed
//! ```
//!
//! A loop that reads and writes through a map (`Rw`) runs color by color whatever the strategy, with fresh copies
//! of what it changes before each color.
//!
//! The colorings, temporary arrays and their comparison are published in Siklósi, Mudalige, Reguly, "Enabling bitwise
//! reproducibility for the unstructured computational motif", Applied Sciences 14(2):639, 2024,
//! DOI 10.3390/app14020639 (Algorithms 1-3); the regions are the owner-compute rule applied inside a rank.

mod blocks;
mod changes;
pub mod coloring;
mod division;
mod ordered;
mod reduced;
mod staged;

use serde::{Deserialize, Serialize};

pub(crate) use self::changes::Changes;
use self::coloring::{ColorCache, Coloring};
use self::ordered::Regions;
pub(crate) use self::reduced::BATCH;
use crate::comm::Comm;
use crate::domain::DomainOptions;
use crate::plan::Geometry;
use crate::record::LoopInfo;
use crate::reducer::Kind;
use crate::schedule::{Crew, Schedule};

/// What a run promises about its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The same bits on any number of ranks, with any partitioner.
    #[default]
    Reproducible,
    /// Whatever is fastest.
    Fast,
}

/// How loops that change values through maps are executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Every target receives its increments in canonical order, from a worker that executes all its sources.
    #[default]
    Regions,
    /// Increments are stored, then added up target by target in canonical order.
    TemporaryArray,
    /// All elements in canonical order.
    TrivialColoring,
    /// By color, then in canonical order; colors of a sequential greedy algorithm on the whole mesh.
    GreedyColoring,
    /// By color, then in canonical order; colors of a distributed algorithm.
    DistributedColoring,
    /// The core, then the rest, each by local row.
    Core,
    /// The core, then the rest, by the color of blocks of consecutive rows.
    ColoredBlocks,
    /// The core, then the rest, each worker's by local row; every addition one atomic step.
    Atomic,
    /// The same; every worker but the first adds to a private copy of the dat.
    Dense,
    /// The same; every worker adds up in a hash table.
    Map,
    /// The same; every worker adds to private copies of blocks of the dat.
    BlockPrivate,
    /// The same; a block has a lock, and private copies for those who find it taken.
    BlockLock,
    /// The same; a block belongs to who claims it first, and has private copies for the others.
    BlockCas,
    /// The same; every worker keeps a part of the dat and is sent what others add to it.
    Keeper,
}

/// Strategies with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashClass {
    /// The bits of the plain sequential loop in canonical order.
    Sequential,
    /// The bits of the loop by greedy color, then canonical order.
    Greedy,
    /// The bits of the loop by distributed color, then canonical order.
    Distributed,
    /// Bits that depend on the partition.
    None,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Strategy; 14] = [
        Strategy::Regions,
        Strategy::TemporaryArray,
        Strategy::TrivialColoring,
        Strategy::GreedyColoring,
        Strategy::DistributedColoring,
        Strategy::Core,
        Strategy::ColoredBlocks,
        Strategy::Atomic,
        Strategy::Dense,
        Strategy::Map,
        Strategy::BlockPrivate,
        Strategy::BlockLock,
        Strategy::BlockCas,
        Strategy::Keeper,
    ];

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Regions => "regions",
            Strategy::TemporaryArray => "temporary-array",
            Strategy::TrivialColoring => "trivial-coloring",
            Strategy::GreedyColoring => "greedy-coloring",
            Strategy::DistributedColoring => "distributed-coloring",
            Strategy::Core => "core",
            Strategy::ColoredBlocks => "colored-blocks",
            Strategy::Atomic => Kind::Atomic.name(),
            Strategy::Dense => Kind::Dense.name(),
            Strategy::Map => Kind::Map.name(),
            Strategy::BlockPrivate => Kind::BlockPrivate.name(),
            Strategy::BlockLock => Kind::BlockLock.name(),
            Strategy::BlockCas => Kind::BlockCas.name(),
            Strategy::Keeper => Kind::Keeper.name(),
        }
    }

    /// Which strategies have the same bits as this one.
    pub fn class(self) -> HashClass {
        match self {
            Strategy::Regions | Strategy::TemporaryArray | Strategy::TrivialColoring => HashClass::Sequential,
            Strategy::GreedyColoring => HashClass::Greedy,
            Strategy::DistributedColoring => HashClass::Distributed,
            _ => HashClass::None,
        }
    }

    /// What brings the increments of several workers together, for strategies of that kind.
    pub fn reducer(self) -> Option<Kind> {
        Some(match self {
            Strategy::Atomic => Kind::Atomic,
            Strategy::Dense => Kind::Dense,
            Strategy::Map => Kind::Map,
            Strategy::BlockPrivate => Kind::BlockPrivate,
            Strategy::BlockLock => Kind::BlockLock,
            Strategy::BlockCas => Kind::BlockCas,
            Strategy::Keeper => Kind::Keeper,
            _ => return None,
        })
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

impl HashClass {
    /// The name in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            HashClass::Sequential => "sequential",
            HashClass::Greedy => "greedy",
            HashClass::Distributed => "distributed",
            HashClass::None => "none",
        }
    }
}

/// The schedule of a loop on this rank. Collective.
pub(crate) fn schedule(
    options: &DomainOptions,
    info: &LoopInfo,
    geometry: &Geometry<'_>,
    comm: &Comm,
) -> Schedule {
    let changes = Changes::new(info, geometry);
    let set = changes.set;
    let crew = Crew { workers: options.threads.max(1), grain: options.grain };
    if changes.maps.is_empty() {
        return Schedule::core_then_boundary(set.core, set.owned, Vec::new(), crew);
    }
    let by_color = |coloring: Coloring| {
        let colors =
            coloring.colors(&changes, comm, options.color_cache.as_deref().map(|c| c as &dyn ColorCache));
        (changes.in_order(Some(&colors)), colors)
    };
    if changes.reads_what_it_changes {
        let (sequence, colors) = by_color(Coloring::Distributed);
        return ordered::color_by_color(&changes, &sequence, &colors, crew, comm);
    }
    let regions = Regions { rows: options.region_rows, crew };
    let in_regions = || ordered::in_regions(&changes, &changes.in_order(None), regions);
    match options.strategy {
        Strategy::Core => ordered::in_local_order(&changes, crew),
        Strategy::ColoredBlocks => blocks::schedule(&changes, options.block_rows, crew),
        Strategy::Regions => in_regions(),
        Strategy::TrivialColoring => ordered::in_one_sequence(&changes, &changes.in_order(None)),
        Strategy::TemporaryArray => staged::schedule(&changes, info, crew).unwrap_or_else(in_regions),
        Strategy::GreedyColoring => {
            let (sequence, colors) = by_color(Coloring::Greedy);
            ordered::in_regions(&changes, &sequence, regions).colored(&colors, comm)
        }
        Strategy::DistributedColoring => {
            let (sequence, colors) = by_color(Coloring::Distributed);
            ordered::in_regions(&changes, &sequence, regions).colored(&colors, comm)
        }
        Strategy::Atomic
        | Strategy::Dense
        | Strategy::Map
        | Strategy::BlockPrivate
        | Strategy::BlockLock
        | Strategy::BlockCas
        | Strategy::Keeper => reduced::schedule(&changes, info, geometry.dats, crew)
            .unwrap_or_else(|| ordered::in_local_order(&changes, crew)),
    }
}
