//! Increment buffers, and snapshots of values that are restored after the core.

use super::blocks;
use crate::base::aligned_buffer::AlignedBuffer;
use crate::model::loop_info::LoopInfo;
use crate::schedule::steps::{Restored, Schedule};
use crate::store::local::Local;
use crate::store::tables::DatInfo;

impl Local {
    /// Enlarges the increment buffers to what a schedule needs.
    pub(crate) fn make_room(
        &mut self,
        schedule: &Schedule,
        info: &LoopInfo,
        dats: &[DatInfo],
        workers: usize,
    ) {
        for (buffered, arg) in schedule.buffered.iter().zip(&info.args) {
            let (Some(buffered), Some(dat)) = (buffered, arg.dat()) else { continue };
            let bytes = buffered.positions * buffered.slots * dats[dat].row_bytes();
            let workers = if schedule.privatised.is_empty() { 1 } else { workers };
            for worker in 0..workers {
                let number = blocks::buffer(worker, &schedule.privatised, buffered.buffer);
                self.increment_buffers.resize_with(self.increment_buffers.len().max(number + 1), || {
                    AlignedBuffer::new(0, |_| ())
                });
                let (buffer, words) = (&mut self.increment_buffers[number], bytes.div_ceil(8));
                if buffer.len() < words {
                    *buffer = AlignedBuffer::new(words, |_| ());
                }
            }
        }
    }

    /// A snapshot, of all incremented dats, of the rows that will be restored.
    pub(crate) fn snapshot(
        &mut self,
        restored: &[Restored],
        incremented: &[usize],
        dats: &[DatInfo],
    ) -> Vec<u64> {
        let mut snapshot = Vec::new();
        for (dat, rows) in rows_of(restored, incremented, dats) {
            self.storages[dat].pack(rows, dats[dat].dim, &mut snapshot);
        }
        snapshot
    }

    /// Restores the rows of a snapshot.
    pub(crate) fn restore(
        &mut self,
        restored: &[Restored],
        incremented: &[usize],
        dats: &[DatInfo],
        snapshot: &[u64],
    ) {
        let mut words = snapshot;
        for (dat, rows) in rows_of(restored, incremented, dats) {
            words = self.storages[dat].unpack_rows(rows, dats[dat].dim, words);
        }
    }
}

/// The incremented dats on a set with rows to restore, and these rows.
fn rows_of<'a>(
    restored: &'a [Restored],
    incremented: &'a [usize],
    dats: &'a [DatInfo],
) -> impl Iterator<Item = (usize, &'a [u32])> {
    incremented.iter().filter_map(|&dat| {
        let on_its_set = restored.iter().find(|r| r.set == dats[dat].set)?;
        Some((dat, &on_its_set.rows[..]))
    })
}
