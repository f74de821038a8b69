//! What a loop's arguments imply, worked out once for each kind of loop: its schedule, which dats must be fresh, how
//! many bytes move.

use std::ops::Range;

use crate::kernel::Access;
use crate::layout::LocalSet;
use crate::operand::ArgInfo;
use crate::record::LoopInfo;
use crate::schedule::Schedule;

/// The execution plan of all loops with the same kernel, set and arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    name: &'static str,
    set: usize,
    args: Vec<ArgInfo>,
    pub(crate) schedule: Schedule,
    /// Dats whose halo copies the loop reads, ascending. The same on every rank.
    pub(crate) halo_reads: Vec<usize>,
    /// Dats the loop changes, ascending.
    pub(crate) modified: Vec<usize>,
    /// Owned elements, each executed at its home once.
    pub(crate) elements: u64,
    /// Elements executed redundantly.
    pub(crate) redundant: u64,
    /// Bytes that must move between memory and processor for one execution: every touched row once each way, and
    /// the maps.
    pub(crate) bytes: u64,
    /// Index of the loop's timer.
    pub(crate) timer: usize,
}

/// What a plan is made from, beside the loop.
pub(crate) struct Geometry<'a> {
    pub(crate) sets: &'a [LocalSet],
    /// Arity of each map.
    pub(crate) arities: &'a [usize],
    pub(crate) indices: &'a [Vec<u32>],
    /// Dimension, element bytes and set of each dat.
    pub(crate) dats: &'a [(usize, usize, usize)],
}

impl Plan {
    pub(crate) fn fits(&self, info: &LoopInfo) -> bool {
        self.name == info.name && self.set == info.set.id as usize && self.args == info.args
    }

    pub(crate) fn new(info: &LoopInfo, geometry: &Geometry<'_>, timer: usize) -> Plan {
        let set = info.set.id as usize;
        let rows = &geometry.sets[set];
        let redundant = info.modifies_indirectly();
        let changed_through: u64 = info
            .args
            .iter()
            .filter(|a| a.access.modifies())
            .filter_map(|a| a.map())
            .fold(0, |bits, map| bits | 1 << map);
        let schedule =
            Schedule::core_then_boundary(rows.core, rows.owned, exec_ranges(rows, changed_through));
        let count = |home: bool| -> u64 {
            schedule.stretches().filter(|s| s.home == home).map(|s| s.len() as u64).sum()
        };
        let used = |wanted: &dyn Fn(&ArgInfo) -> bool| {
            sorted(info.args.iter().filter(|a| wanted(a)).filter_map(|a| a.dat()))
        };
        Plan {
            name: info.name,
            set,
            args: info.args.clone(),
            halo_reads: used(&|a| a.access.reads() && (a.map().is_some() || redundant)),
            modified: used(&|a| a.access.modifies()),
            elements: count(true),
            redundant: count(false),
            bytes: count_bytes(info, &schedule, geometry),
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

fn count_bytes(info: &LoopInfo, schedule: &Schedule, geometry: &Geometry<'_>) -> u64 {
    let executed: usize = schedule.stretches().map(|s| s.len()).sum();
    let maps = sorted(info.args.iter().filter_map(|a| a.map()));
    let map_bytes: usize = maps.iter().map(|&m| executed * geometry.arities[m] * 4).sum();
    let dats = sorted(info.args.iter().filter_map(|a| a.dat()));
    let dat_bytes = dats.iter().map(|&dat| {
        let uses: Vec<&ArgInfo> = info.args.iter().filter(|a| a.dat() == Some(dat)).collect();
        let ways = if matches!(uses[0].access, Access::Rw | Access::Inc) { 2 } else { 1 };
        let (dim, element, set) = geometry.dats[dat];
        let rows = if uses.iter().any(|a| a.map().is_none()) {
            executed
        } else {
            let through = sorted(uses.iter().filter_map(|a| a.map()));
            touched_rows(schedule, &through, geometry, geometry.sets[set].total())
        };
        rows * dim * element * ways
    });
    (map_bytes + dat_bytes.sum::<usize>()) as u64
}

/// Number of distinct targets that the executed elements have through `maps`.
fn touched_rows(schedule: &Schedule, maps: &[usize], geometry: &Geometry<'_>, rows: usize) -> usize {
    let mut touched = vec![false; rows];
    for &map in maps {
        let arity = geometry.arities[map];
        for row in schedule.stretches().flat_map(|s| s.iter()) {
            for &target in &geometry.indices[map][row * arity..(row + 1) * arity] {
                touched[target as usize] = true;
            }
        }
    }
    touched.iter().filter(|&&t| t).count()
}

/// The exec rows that touch an owned element through one of the maps in `changed_through`, as ranges.
fn exec_ranges(rows: &LocalSet, changed_through: u64) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (i, maps) in rows.exec_maps.iter().enumerate() {
        if maps & changed_through == 0 {
            continue;
        }
        let row = rows.owned + i;
        match ranges.last_mut() {
            Some(last) if last.end == row => last.end += 1,
            _ => ranges.push(row..row + 1),
        }
    }
    ranges
}
