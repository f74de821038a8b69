//! What a strategy is given to make a schedule.

use super::changes::Changes;
use super::coloring::{ColorCache, Coloring};
use crate::comm::Comm;
use crate::model::loop_info::LoopInfo;
use crate::schedule::steps::AvailableWorkers;
use crate::store::tables::DatInfo;

/// A loop that changes values through maps, and what its schedule may depend on.
pub(crate) struct Request<'a> {
    pub(crate) changes: Changes<'a>,
    pub(crate) info: &'a LoopInfo,
    pub(crate) dats: &'a [DatInfo],
    /// About how many targets a region has; 0: one region per thread.
    pub(crate) region_rows: usize,
    /// Rows in a block.
    pub(crate) block_rows: usize,
    pub(crate) color_cache: Option<&'a dyn ColorCache>,
    pub(crate) available: AvailableWorkers,
    pub(crate) comm: &'a Comm,
}

impl Request<'_> {
    /// The executed rows by color, then in canonical order, and the color of each. Collective.
    pub(super) fn by_color(&self, coloring: Coloring) -> (Vec<u32>, Vec<u32>) {
        let colors = coloring.colors(&self.changes, self.comm, self.color_cache);
        (self.changes.in_order(Some(&colors)), colors)
    }
}
