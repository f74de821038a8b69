//! From global ids to local rows.

/// Finds the local row of a global id, for the rows one rank holds of one set.
///
/// A directory over the leading bits of the ids, with about one id an entry, leads to the few candidates: a
/// rank's ids lie in dense stretches, so that a look-up takes a few instructions where a plain binary search
/// over a million ids takes twenty cache misses.
pub(crate) struct Numbering {
    /// (global id, local row), ascending.
    rows: Vec<(u64, u32)>,
    /// `directory[(id - first) >> shift]` is the position in `rows` where that bucket starts.
    directory: Vec<u32>,
    first: u64,
    shift: u32,
}

impl Numbering {
    /// Numbers the rows in the order given. The ids differ, and there are fewer than 2^32.
    pub(crate) fn new(global_ids: &[u64]) -> Numbering {
        let mut rows: Vec<(u64, u32)> = global_ids.iter().copied().zip(0u32..).collect();
        assert_eq!(rows.len(), global_ids.len(), "local rows are counted in 32 bits");
        rows.sort_unstable();
        debug_assert!(rows.windows(2).all(|w| w[0].0 < w[1].0), "global ids are unique");
        let (first, last) = match (rows.first(), rows.last()) {
            (Some(first), Some(last)) => (first.0, last.0),
            _ => (0, 0),
        };
        let mut shift = 0;
        while (last - first) >> shift > 2 * rows.len() as u64 {
            shift += 1;
        }
        let buckets = ((last - first) >> shift) as usize + 1;
        let mut directory = vec![0u32; buckets + 1];
        for (id, _) in &rows {
            directory[((id - first) >> shift) as usize + 1] += 1;
        }
        for bucket in 0..buckets {
            directory[bucket + 1] += directory[bucket];
        }
        Numbering { rows, directory, first, shift }
    }

    /// The local row of a global id, if it is held here.
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        let bucket = (id.checked_sub(self.first)? >> self.shift) as usize;
        let from = *self.directory.get(bucket)? as usize;
        let to = *self.directory.get(bucket + 1)? as usize;
        let candidates = &self.rows[from..to];
        candidates.binary_search_by_key(&id, |row| row.0).ok().map(|i| candidates[i].1)
    }

    /// The local row of a global id that is held here.
    pub(crate) fn local(&self, id: u64) -> u32 {
        self.get(id).expect("every element that executed elements touch is in the halo")
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
