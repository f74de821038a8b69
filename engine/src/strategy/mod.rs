//! Strategies: how loops that change values through maps are executed.
//!
//! Several elements change the same target, so the order in which they do matters to the last bit. A strategy turns
//! a loop into a `Schedule`; one driver and one executor run every schedule.
//!
//! ```text
//! core               core, then boundary and imported elements, by local row             bits depend on the partition
//! regions            ordered: canonical order, interior targets while halos are on their way
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

mod changes;
pub mod coloring;
mod ordered;
mod staged;

use serde::{Deserialize, Serialize};

pub(crate) use self::changes::Changes;
use self::coloring::{ColorCache, Coloring};
use crate::comm::Comm;
use crate::domain::DomainOptions;
use crate::plan::Geometry;
use crate::record::LoopInfo;
use crate::schedule::Schedule;

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
    pub const ALL: [Strategy; 6] = [
        Strategy::Regions,
        Strategy::TemporaryArray,
        Strategy::TrivialColoring,
        Strategy::GreedyColoring,
        Strategy::DistributedColoring,
        Strategy::Core,
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
        }
    }

    /// Which strategies have the same bits as this one.
    pub fn class(self) -> HashClass {
        match self {
            Strategy::Regions | Strategy::TemporaryArray | Strategy::TrivialColoring => HashClass::Sequential,
            Strategy::GreedyColoring => HashClass::Greedy,
            Strategy::DistributedColoring => HashClass::Distributed,
            Strategy::Core => HashClass::None,
        }
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
    if changes.maps.is_empty() {
        return Schedule::core_then_boundary(set.core, set.owned, Vec::new());
    }
    let by_color = |coloring: Coloring| {
        let colors =
            coloring.colors(&changes, comm, options.color_cache.as_deref().map(|c| c as &dyn ColorCache));
        (changes.in_order(Some(&colors)), colors)
    };
    if changes.reads_what_it_changes {
        let (sequence, colors) = by_color(Coloring::Distributed);
        return ordered::color_by_color(&changes, &sequence, &colors, comm);
    }
    let region_rows = options.region_rows;
    match options.strategy {
        Strategy::Core => Schedule::core_then_boundary(set.core, set.owned, changes.exec_ranges()),
        Strategy::Regions => ordered::in_regions(&changes, &changes.in_order(None), region_rows),
        Strategy::TrivialColoring => ordered::in_one_sequence(&changes, &changes.in_order(None)),
        Strategy::TemporaryArray => staged::schedule(&changes, info),
        Strategy::GreedyColoring => {
            let (sequence, colors) = by_color(Coloring::Greedy);
            ordered::in_regions(&changes, &sequence, region_rows).colored(&colors, comm)
        }
        Strategy::DistributedColoring => {
            let (sequence, colors) = by_color(Coloring::Distributed);
            ordered::in_regions(&changes, &sequence, region_rows).colored(&colors, comm)
        }
    }
}
