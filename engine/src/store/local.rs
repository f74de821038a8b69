//! One rank's storage, as loops see it.

use std::cell::UnsafeCell;
use std::collections::BTreeMap;

use crate::base::aligned_buffer::AlignedBuffer;
use crate::model::kernel::Access;
use crate::model::loop_info::LoopInfo;
use crate::store::dat_storage::DatStorage;
use crate::store::layout::LocalSet;
use crate::store::tables::DatInfo;

/// One rank's storage, as loops see it.
pub struct Local {
    /// The values of every dat.
    pub storages: Vec<DatStorage>,
    /// Indices of every map, `arity` a row, for the executed rows of its source set.
    pub maps: Vec<Vec<u32>>,
    /// Global ids of every set's local rows.
    pub global_ids: Vec<Vec<u64>>,
    /// Bytes that its workers' caches hold. A loop that touches more uses streaming stores for what it only writes.
    pub cache: usize,
    /// Bytes that its workers' own caches hold. A loop that touches more prefetches its operands.
    pub own_cache: usize,
    /// Increment buffers, shared by all loops.
    pub increment_buffers: Vec<AlignedBuffer<u64>>,
    /// In debug builds, by dat: the rows that the running loop has written through a map.
    pub written: BTreeMap<usize, Vec<UnsafeCell<bool>>>,
}

// SAFETY: values are changed only through pointers into cells, by loops whose workers change no row that another reads
// or changes (`Recorded::run`).
unsafe impl Sync for Local {}

impl Local {
    /// Whether the loop writes rows of one dat on its own set and touches more than the caches hold. Streaming stores
    /// are combined into lines; those of several dats in turn leave the cache in pieces, which takes many times as
    /// long.
    pub fn uses_streaming_stores(&self, info: &LoopInfo) -> bool {
        let written = info.args.iter().filter(|arg| arg.overwrites());
        written.count() == 1 && self.touches(info) > self.cache
    }

    /// Whether the loop touches more than its workers' own caches hold.
    pub fn prefetches(&self, info: &LoopInfo) -> bool {
        self.touches(info) > self.own_cache
    }

    /// Bytes of all dats of a loop.
    fn touches(&self, info: &LoopInfo) -> usize {
        // Each dat counts once, however many arguments refer to it.
        let first = |at: &usize| info.args[..*at].iter().all(|earlier| earlier.dat() != info.args[*at].dat());
        let dats = (0..info.args.len()).filter(first).filter_map(|at| info.args[at].dat());
        dats.map(|dat| self.storages[dat].bytes()).sum()
    }

    /// In debug builds, clears the record of rows written through maps, before a loop that writes some.
    pub fn watch_writes(&mut self, info: &LoopInfo, dats: &[DatInfo], sets: &[LocalSet]) {
        self.written.clear();
        if cfg!(debug_assertions) {
            for arg in info.args.iter().filter(|a| a.access == Access::Write && a.map().is_some()) {
                let dat = arg.dat().expect("an indirect argument is a dat");
                let rows = sets[dats[dat].set].total();
                self.written.insert(dat, (0..rows).map(|_| UnsafeCell::new(false)).collect());
            }
        }
    }
}
