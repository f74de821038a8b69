//! The division of a rank's owned targets into regions.

use super::changes::Changes;

/// The region of a target that no region of the rank owns.
pub(super) const FOREIGN: u32 = u32::MAX;

/// Which region owns which target.
pub(super) struct Division {
    /// For every set, the region of each local row; empty for sets that are not targets.
    region_of: Vec<Vec<u32>>,
    regions: usize,
}

impl Division {
    /// All owned targets as one region.
    pub(super) fn whole(changes: &Changes<'_>) -> Division {
        Division::by_work(changes, &[], |_, _| true, 1, 0)
    }

    /// Divides the selected owned targets (set and row) into regions of about `rows`, a multiple of `workers` in
    /// number; one per worker if `rows` is 0. Regions hold consecutive rows, and each receives about as many changes
    /// from the elements `sources`.
    pub(super) fn by_work(
        changes: &Changes<'_>,
        sources: &[u32],
        selected: impl Fn(usize, usize) -> bool,
        workers: usize,
        rows: usize,
    ) -> Division {
        let mut targeted = vec![false; changes.sets.len()];
        changes.maps.iter().for_each(|map| targeted[map.to] = true);
        let chosen: Vec<Vec<bool>> = (0..targeted.len())
            .map(|set| {
                let owned = if targeted[set] { changes.sets[set].owned } else { 0 };
                (0..owned).map(|row| selected(set, row)).collect()
            })
            .collect();
        let most = chosen.iter().map(|rows| rows.iter().filter(|&&c| c).count()).max().unwrap_or(0);
        let each = if rows == 0 { 1 } else { most.div_ceil(rows.saturating_mul(workers)).max(1) };
        let regions = workers * each;
        let region_of = chosen
            .iter()
            .enumerate()
            .map(|(set, chosen)| {
                let mut region_of = vec![FOREIGN; if targeted[set] { changes.sets[set].total() } else { 0 }];
                if regions == 1 {
                    let chosen = chosen.iter().enumerate().filter(|(_, chosen)| **chosen);
                    chosen.for_each(|(row, _)| region_of[row] = 0);
                    return region_of;
                }
                // One for the target itself, so that targets without sources are divided, too.
                let mut work: Vec<u64> = chosen.iter().map(|&c| u64::from(c)).collect();
                for map in changes.maps.iter().filter(|map| map.to == set) {
                    for &target in sources.iter().flat_map(|&row| map.targets(row as usize)) {
                        if chosen.get(target as usize) == Some(&true) {
                            work[target as usize] += 1;
                        }
                    }
                }
                let (total, mut before) = (work.iter().sum::<u64>(), 0);
                for (row, work) in work.into_iter().enumerate().filter(|(_, work)| *work > 0) {
                    region_of[row] = (before * regions as u64 / total) as u32;
                    before += work;
                }
                region_of
            })
            .collect();
        Division { region_of, regions }
    }

    /// The region of a local row of a set that is a target.
    pub(super) fn region_of(&self, set: usize, row: u32) -> u32 {
        self.region_of[set][row as usize]
    }

    /// Number of regions.
    pub(super) fn regions(&self) -> usize {
        self.regions
    }

    /// The worker, among this many, to which a region belongs: each has consecutive regions, the same number as the
    /// others.
    pub(super) fn worker(&self, region: usize, workers: usize) -> usize {
        region * workers / self.regions
    }
}
