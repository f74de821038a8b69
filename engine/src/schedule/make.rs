//! Makes the schedule of a loop: by its strategy, where there is anything to decide.

use super::steps::{AvailableWorkers, Schedule};
use super::strategy::changes::Changes;
use super::strategy::coloring::ColorCache;
use super::strategy::list::Strategy;
use super::strategy::ordered;
use super::strategy::request::Request;
use crate::comm::Comm;
use crate::model::loop_info::LoopInfo;
use crate::store::tables::Geometry;

/// What a schedule depends on in addition to its loop.
pub struct Settings<'a> {
    /// How loops that change values through maps are executed.
    pub strategy: Strategy,
    /// About how many targets a region has; 0: one region per thread.
    pub region_rows: usize,
    /// Rows in a block, for strategies that have blocks.
    pub block_rows: usize,
    /// The workers.
    pub available: AvailableWorkers,
    /// Where greedy colorings are kept between runs.
    pub color_cache: Option<&'a dyn ColorCache>,
}

/// The schedule of a loop on this rank. Collective.
pub fn schedule(settings: &Settings<'_>, info: &LoopInfo, geometry: &Geometry<'_>, comm: &Comm) -> Schedule {
    let changes = Changes::new(info, geometry);
    let set = changes.set;
    let &Settings { strategy, region_rows, block_rows, available, color_cache } = settings;
    if changes.maps.is_empty() {
        return Schedule::core_then_boundary(set.core, set.owned, Vec::new(), available);
    }
    let request =
        Request { changes, info, dats: geometry.dats, region_rows, block_rows, color_cache, available, comm };
    if request.changes.reads_what_it_changes {
        return ordered::color_by_color(&request, strategy.class());
    }
    strategy.schedule(&request)
}
