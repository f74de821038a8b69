//! Strategies: how loops that change values through maps are executed.
//!
//! Several elements change the same target, so the order in which they do matters to the last bit. A strategy turns
//! a loop into a `Schedule`; one driver and one executor run every schedule.
//!
//! ```text
//! list       the strategies: name, class of bits, what each does, what makes its schedule
//! ordered    each target receives its increments in one given order: canonical, by color, by local row
//! staged     increments stored, then added target by target
//! blocks     blocks of consecutive elements, those of one color at the same time
//! reduced    by local row; workers' increments meet in a reducer
//! coloring/  colors of the elements: greedy on one rank, or distributed
//! division   owned targets cut into regions, by work; changes: what a loop changes through maps
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
mod list;
mod ordered;
mod reduced;
mod staged;

use serde::{Deserialize, Serialize};

pub(crate) use self::changes::Changes;
use self::coloring::{ColorCache, Coloring};
pub use self::list::{Strategy, UnknownStrategy};
pub(crate) use self::reduced::BATCH;
use crate::comm::Comm;
use crate::domain::{DatInfo, DomainOptions};
use crate::plan::Geometry;
use crate::record::LoopInfo;
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

/// A loop that changes values through maps, and what its schedule may depend on.
struct Request<'a> {
    changes: Changes<'a>,
    info: &'a LoopInfo,
    dats: &'a [DatInfo],
    options: &'a DomainOptions,
    crew: Crew,
    comm: &'a Comm,
}

impl Request<'_> {
    /// The executed rows by color, then in canonical order, and the color of each. Collective.
    fn by_color(&self, coloring: Coloring) -> (Vec<u32>, Vec<u32>) {
        let cache = self.options.color_cache.as_deref().map(|cache| cache as &dyn ColorCache);
        let colors = coloring.colors(&self.changes, self.comm, cache);
        (self.changes.in_order(Some(&colors)), colors)
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
    let request = Request { changes, info, dats: geometry.dats, options, crew, comm };
    if request.changes.reads_what_it_changes {
        return ordered::color_by_color(&request);
    }
    options.strategy.schedule(&request)
}
