//! What a loop's arguments imply, worked out once for each kind of loop: its schedule, which dats must be fresh, and
//! how many bytes move.

use std::ops::Range;

use crate::model::kernel::Access;
use crate::model::loop_info::{ArgInfo, LoopInfo, SweepInfo};
use crate::schedule::steps::{OWNED, Rows, Schedule};
use crate::store::tables::{DatInfo, Geometry};

/// The execution plan of all loops with the same kernel, set and arguments.
#[derive(Debug)]
pub struct Plan {
    name: &'static str,
    set: usize,
    args: Vec<ArgInfo>,
    sweep: Option<SweepInfo>,
    /// Which elements are executed when.
    pub schedule: Schedule,
    /// The dats whose halo copies the loop reads, ascending. The same on every rank.
    pub halo_reads: Vec<HaloRead>,
    /// Dats that the loop reads through maps that leave the rank without reaching a halo copy on any rank, ascending.
    pub unreached: Vec<usize>,
    /// Dats the loop changes, ascending.
    pub modified: Vec<usize>,
    /// Dats that the loop combines with its elements' contributions through maps, ascending.
    pub incremented: Vec<usize>,
    /// Owned elements, each executed once, where it is owned.
    pub elements: u64,
    /// Elements executed redundantly.
    pub redundant: u64,
    /// Bytes that one execution must move between memory and processor: every touched row once in each direction, and
    /// the maps.
    pub bytes: u64,
    /// Index of the loop's timer.
    pub timer: usize,
}

/// A dat whose halo copies a loop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HaloRead {
    /// Its number.
    pub dat: usize,
    /// The partial halo that the loop reaches; none: the whole halo.
    pub reached: Option<usize>,
    /// The partial halo that it fetches when the copies reached are stale: also for loops after it; none: the whole halo.
    pub fetched: Option<usize>,
}

impl Plan {
    pub(crate) fn fits(&self, info: &LoopInfo) -> bool {
        self.name == info.name
            && self.set == info.set.id as usize
            && self.args == info.args
            && self.sweep == info.sweep
    }

    /// The plan of a loop with this schedule.
    pub(crate) fn new(info: &LoopInfo, geometry: &Geometry<'_>, schedule: Schedule, timer: usize) -> Plan {
        // Through a map that stays on the rank, a loop reaches no halo copy, and no element changes another rank's.
        let leaves = |a: &ArgInfo| a.map().is_some_and(|map| !geometry.maps[map].stays_home);
        let redundant = info.args.iter().any(|a| a.access.modifies() && leaves(a));
        let (owned, copies) = schedule.counts();
        let used = |wanted: &dyn Fn(&ArgInfo) -> bool| {
            sorted(info.args.iter().filter(|a| wanted(a)).filter_map(|a| a.dat()))
        };
        Plan {
            name: info.name,
            set: info.set.id as usize,
            args: info.args.clone(),
            sweep: info.sweep,
            halo_reads: used(&|a| a.access.reads() && (leaves(a) || redundant))
                .into_iter()
                .map(|dat| HaloRead { dat, reached: None, fetched: None })
                .collect(),
            unreached: Vec::new(),
            modified: used(&|a| a.access.modifies()),
            incremented: used(&|a| a.access.combines() && a.map().is_some()),
            elements: owned,
            redundant: copies,
            bytes: count_bytes(info, &schedule, (owned + copies) as usize, geometry),
            schedule,
            timer,
        }
    }
}

fn sorted(values: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut values: Vec<usize> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn count_bytes(info: &LoopInfo, schedule: &Schedule, executed: usize, geometry: &Geometry<'_>) -> u64 {
    let maps = sorted(info.args.iter().filter_map(|a| a.map()));
    let map_bytes: usize = maps.iter().map(|&m| executed * geometry.maps[m].arity * 4).sum();
    let dats = sorted(info.args.iter().filter_map(|a| a.dat()));
    let dat_bytes = dats.iter().map(|&dat| {
        let uses: Vec<&ArgInfo> = info.args.iter().filter(|a| a.dat() == Some(dat)).collect();
        let ways = if uses[0].access == Access::Rw || uses[0].access.combines() { 2 } else { 1 };
        let DatInfo { dim, element, set, .. } = geometry.dats[dat];
        let rows = if uses.iter().any(|a| a.map().is_none()) {
            executed
        } else {
            let through = sorted(uses.iter().filter_map(|a| a.map()));
            touched_rows(schedule, &through, geometry, geometry.sets[set].total())
        };
        rows * dim * element.bytes() * ways
    });
    (map_bytes + dat_bytes.sum::<usize>()) as u64
}

/// Number of distinct targets of the executed elements through `maps`.
fn touched_rows(schedule: &Schedule, maps: &[usize], geometry: &Geometry<'_>, rows: usize) -> usize {
    let mut touched = vec![false; rows];
    for &map in maps {
        let (arity, indices) = (geometry.maps[map].arity, &geometry.indices[map]);
        let mut touch = |rows: Range<usize>| {
            indices[rows.start * arity..rows.end * arity].iter().for_each(|&t| touched[t as usize] = true);
        };
        for stretch in schedule.stretches() {
            match &stretch.rows {
                Rows::Range(rows) => touch(rows.clone()),
                Rows::Listed(positions) => {
                    let rows =
                        schedule.targets.rows()[positions.clone()].iter().map(|r| (r & !OWNED) as usize);
                    rows.for_each(|row| touch(row..row + 1));
                }
            }
        }
    }
    touched.iter().filter(|&&t| t).count()
}
