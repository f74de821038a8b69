//! What a loop's arguments imply, worked out once for each kind of loop: which rows to execute, which dats must be
//! fresh, how many bytes move.

use std::ops::Range;

use crate::kernel::Access;
use crate::layout::LocalSet;
use crate::operand::ArgInfo;
use crate::record::LoopInfo;

/// The execution plan of all loops with the same kernel, set and arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    name: &'static str,
    set: usize,
    args: Vec<ArgInfo>,
    /// Owned rows that need no halo copy.
    pub(crate) core: Range<usize>,
    /// Owned rows that may need one.
    pub(crate) boundary: Range<usize>,
    /// Imported rows through which the loop changes an owned element, ascending.
    pub(crate) exec: Vec<Range<usize>>,
    /// Dats whose halo copies the loop reads, ascending. The same on every rank.
    pub(crate) halo_reads: Vec<usize>,
    /// Dats the loop changes, ascending.
    pub(crate) modified: Vec<usize>,
    /// Bytes that must move between memory and processor for one execution: every touched row once each way, and
    /// the maps.
    pub(crate) bytes: u64,
    /// Index of the loop's timer.
    pub(crate) timer: usize,
}

/// What a plan is made from, beside the loop.
pub(crate) struct Geometry<'a> {
    pub(crate) sets: &'a [LocalSet],
    /// Arity and target set of each map.
    pub(crate) maps: &'a [(usize, usize)],
    pub(crate) indices: &'a [Vec<u32>],
    /// Dimension, element bytes and set of each dat.
    pub(crate) dats: &'a [(usize, usize, usize)],
}

impl Plan {
    pub(crate) fn fits(&self, info: &LoopInfo) -> bool {
        self.name == info.name
            && self.set == info.set.id as usize
            && self.args.len() == info.args.len()
            && self.args.iter().zip(&info.args).all(|(a, b)| a.place == b.place && a.access == b.access)
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
        let mut plan = Plan {
            name: info.name,
            set,
            args: info.args.clone(),
            core: 0..rows.core,
            boundary: rows.core..rows.owned,
            exec: exec_ranges(rows, changed_through),
            halo_reads: Vec::new(),
            modified: Vec::new(),
            bytes: 0,
            timer,
        };
        for arg in &info.args {
            let Some(dat) = arg.dat() else { continue };
            if arg.access.reads() && (arg.map().is_some() || redundant) {
                plan.halo_reads.push(dat);
            }
            if arg.access.modifies() {
                plan.modified.push(dat);
            }
        }
        for list in [&mut plan.halo_reads, &mut plan.modified] {
            list.sort_unstable();
            list.dedup();
        }
        plan.bytes = plan.count_bytes(geometry);
        plan
    }

    /// The executed rows, in the order in which they run.
    fn executed(&self) -> impl Iterator<Item = usize> {
        self.core.clone().chain(self.boundary.clone()).chain(self.exec.iter().cloned().flatten())
    }

    /// Owned rows.
    pub(crate) fn owned(&self) -> usize {
        self.boundary.end
    }

    /// Imported rows that are executed redundantly.
    pub(crate) fn redundant(&self) -> usize {
        self.exec.iter().map(|r| r.len()).sum()
    }

    fn count_bytes(&self, geometry: &Geometry<'_>) -> u64 {
        let executed = self.owned() + self.redundant();
        let mut bytes = 0;
        let mut maps: Vec<usize> = self.args.iter().filter_map(|a| a.map()).collect();
        maps.sort_unstable();
        maps.dedup();
        bytes += maps.iter().map(|&m| executed * geometry.maps[m].0 * 4).sum::<usize>();
        let mut dats: Vec<usize> = self.args.iter().filter_map(|a| a.dat()).collect();
        dats.sort_unstable();
        dats.dedup();
        for dat in dats {
            let (dim, element, set) = geometry.dats[dat];
            let uses: Vec<&ArgInfo> = self.args.iter().filter(|a| a.dat() == Some(dat)).collect();
            let ways = match uses[0].access {
                Access::Rw | Access::Inc => 2,
                _ => 1,
            };
            let mut through: Vec<usize> = uses.iter().filter_map(|a| a.map()).collect();
            through.sort_unstable();
            through.dedup();
            let rows = if uses.iter().any(|a| a.map().is_none()) {
                executed
            } else {
                let mut touched = vec![false; geometry.sets[set].total()];
                for map in through {
                    let arity = geometry.maps[map].0;
                    for row in self.executed() {
                        for &t in &geometry.indices[map][row * arity..(row + 1) * arity] {
                            touched[t as usize] = true;
                        }
                    }
                }
                touched.iter().filter(|&&t| t).count()
            };
            bytes += rows * dim * element * ways;
        }
        bytes as u64
    }
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
