//! From global ids to local rows.

use cfd_engine::memory;

/// Finds the local row of a global id among the rows of one set that one rank holds.
pub(crate) enum Numbering {
    /// `rows[id - first]`, [`NOWHERE`] for an id not held: for ids that lie close together, as when there are few
    /// parts.
    Table { first: u64, rows: Vec<u32> },
    /// For other ids: a directory over their leading bits, with about one id per entry, leads to the few candidates. A
    /// rank's ids lie in dense stretches, so a look-up takes a few instructions, where a plain binary search over a
    /// million ids takes twenty cache misses.
    Directory {
        /// (global id, local row), ascending.
        rows: Vec<(u64, u32)>,
        /// `starts[(id - first) >> shift]` is the position in `rows` where that bucket starts.
        starts: Vec<u32>,
        first: u64,
        shift: u32,
    },
}

/// Marks an id without a row in a table.
const NOWHERE: u32 = u32::MAX;

/// A table has at most this many entries per row, and then takes no more room than a directory.
const SPARSEST_TABLE: u64 = 4;

impl Numbering {
    /// Numbers the rows in the given order. The ids are distinct, and there are fewer than 2^32 - 1.
    pub(crate) fn new(global_ids: &[u64]) -> Numbering {
        let count = u32::try_from(global_ids.len()).expect("local rows are counted in 32 bits");
        let first = global_ids.iter().copied().min().unwrap_or(0);
        let span = global_ids.iter().copied().max().unwrap_or(0) - first;
        if span / SPARSEST_TABLE < u64::from(count) {
            let mut rows = memory::with_capacity(span as usize + 1);
            rows.resize(span as usize + 1, NOWHERE);
            for (row, id) in (0..count).zip(global_ids) {
                rows[(id - first) as usize] = row;
            }
            return Numbering::Table { first, rows };
        }
        let mut rows: Vec<(u64, u32)> = global_ids.iter().copied().zip(0..count).collect();
        rows.sort_unstable();
        debug_assert!(rows.windows(2).all(|w| w[0].0 < w[1].0), "global ids are unique");
        let mut shift = 0;
        while span >> shift > 2 * u64::from(count) {
            shift += 1;
        }
        let buckets = (span >> shift) as usize + 1;
        let mut starts = vec![0u32; buckets + 1];
        for (id, _) in &rows {
            starts[((id - first) >> shift) as usize + 1] += 1;
        }
        for bucket in 0..buckets {
            starts[bucket + 1] += starts[bucket];
        }
        Numbering::Directory { rows, starts, first, shift }
    }

    /// The local row of a global id, if it is held here.
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        match self {
            Numbering::Table { first, rows } => {
                let row = *rows.get(usize::try_from(id.checked_sub(*first)?).ok()?)?;
                (row != NOWHERE).then_some(row)
            }
            Numbering::Directory { rows, starts, first, shift } => {
                let bucket = (id.checked_sub(*first)? >> shift) as usize;
                let from = *starts.get(bucket)? as usize;
                let to = *starts.get(bucket + 1)? as usize;
                let candidates = &rows[from..to];
                candidates.binary_search_by_key(&id, |row| row.0).ok().map(|i| candidates[i].1)
            }
        }
    }

    /// The local row of a global id that is held here.
    pub(crate) fn local(&self, id: u64) -> u32 {
        self.get(id).expect("the caller asks for ids that it has numbered")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_leads_to_its_row_and_no_other_id_to_any() {
        let dense: Vec<u64> = (100..200).rev().collect();
        let clustered: Vec<u64> = (0..50).map(|i| if i % 2 == 0 { i } else { u64::MAX - i }).collect();
        let squares: Vec<u64> = (0..100).map(|i| i * i * i).collect();
        for ids in [dense, clustered, squares, vec![7], vec![]] {
            let numbering = Numbering::new(&ids);
            for (row, &id) in ids.iter().enumerate() {
                assert_eq!(numbering.get(id), Some(row as u32), "{id}");
            }
            for id in (0..1000).chain(u64::MAX - 100..=u64::MAX).filter(|id| !ids.contains(id)) {
                assert_eq!(numbering.get(id), None, "{id}");
            }
        }
    }
}
