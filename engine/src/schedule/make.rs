//! Makes the schedule of a loop: by its strategy, where there is something to decide.

use super::options::DomainOptions;
use super::steps::{Crew, Schedule};
use super::strategy::changes::Changes;
use super::strategy::coloring::ColorCache;
use super::strategy::ordered;
use super::strategy::request::Request;
use crate::comm::Comm;
use crate::model::loop_info::LoopInfo;
use crate::store::tables::Geometry;

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
    let request = Request {
        changes,
        info,
        dats: geometry.dats,
        region_rows: options.region_rows,
        block_rows: options.block_rows,
        color_cache: options.color_cache.as_deref().map(|cache| cache as &dyn ColorCache),
        crew,
        comm,
    };
    if request.changes.reads_what_it_changes {
        return ordered::color_by_color(&request);
    }
    options.strategy.schedule(&request)
}
