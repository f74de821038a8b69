//! How loops run.

use std::sync::Arc;

use cfd_lanes::Width;

use super::backend::Backend;
use crate::schedule::strategy::class::Mode;
use crate::schedule::strategy::coloring::ColorCache;
use crate::schedule::strategy::list::Strategy;
use crate::store::global::Sums;

/// How the domain runs loops.
#[derive(Clone)]
pub struct DomainOptions {
    /// Exchange halos while the core is computed (true, the default) or before it (false).
    pub overlap: bool,
    /// Exchange only those rows of a halo that the loop reaches where they are fewer (true, the default) or, for
    /// comparison, always the whole halo (false). Changes no bit.
    pub partial_halos: bool,
    /// What is promised about bits; reproducible by default.
    pub mode: Mode,
    /// How loops that change values through maps are executed. None, the default: the mode's ([`Strategy::of_mode`]).
    pub strategy: Option<Strategy>,
    /// About how many targets a region has; 0, the default: one region per thread.
    pub region_rows: usize,
    /// Rows in a block, for strategies that have blocks; 1024 by default.
    pub block_rows: usize,
    /// Threads of each rank; 1 by default.
    pub threads: usize,
    /// A thread is not woken for fewer elements of a light kernel than this, or proportionally fewer for a kernel of
    /// more than 16 operations; 4096 by default.
    pub grain: usize,
    /// What runs the loops: the processor, loop by loop (none, the default), or a plug-in, such as chains
    /// (`docs/loops.md`).
    pub backend: Option<fn() -> Box<dyn Backend>>,
    /// For chains, the number of elements in a tile; 0, the default: as many as fit in the cache, and chains only where
    /// they pay.
    pub tile_rows: usize,
    /// How global sums are added in reproducible mode; exactly by default.
    pub sums: Sums,
    /// Elements that a kernel computes at once, by default as many as the processor's registers hold. Changes no bit.
    pub lanes: Width,
    /// Bytes of cache per thread: a loop over more than that uses streaming stores for the one dat that it only writes.
    /// None, the default: as reported by the system, and no streaming stores where it reports nothing. Changes no bit.
    pub cache_bytes: Option<usize>,
    /// Prefetch a loop's operands if they exceed the cores' own caches; on by default. Changes no bit.
    pub look_ahead: bool,
    /// Where greedy colorings are kept between runs; nowhere by default.
    pub color_cache: Option<Arc<dyn ColorCache + Send + Sync>>,
}

impl DomainOptions {
    /// How loops that change values through maps are executed: as chosen, or by the mode's strategy.
    pub fn strategy(&self) -> Strategy {
        self.strategy.unwrap_or(Strategy::of_mode(self.mode))
    }

    /// Elements for which waking a thread pays, in a kernel with this many operations.
    pub fn grain_of(&self, flops: u32) -> usize {
        self.grain * LIGHT / (flops as usize).max(LIGHT)
    }
}

/// Operations of a light kernel, whose time is that of moving its bytes.
const LIGHT: usize = 16;

impl Default for DomainOptions {
    fn default() -> Self {
        DomainOptions {
            overlap: true,
            partial_halos: true,
            mode: Mode::Reproducible,
            strategy: None,
            region_rows: 0,
            block_rows: 1024,
            threads: 1,
            grain: 4096,
            backend: None,
            tile_rows: 0,
            sums: Sums::Exact,
            lanes: Width::widest(),
            cache_bytes: None,
            look_ahead: true,
            color_cache: None,
        }
    }
}
