//! The plan of a chain: where its loops find their dats, its tiles, and the bytes it moves.

use std::time::Duration;

use cfd_engine::kernel::Access;
use cfd_engine::plug::{ArgInfo, DatInfo, LocalSet, LoopInfo, zeroed};

use super::analysis::{Analysis, Step, Where, source_sets};
use super::growth::TileGrowth;
use super::liveness::Liveness;
use super::space::Space;
use super::tile::{Tile, Uses};
use super::tiling::Tiling;

/// Bytes of a tile's rows in all dats of the chain: with the tile's lists about what a core's own cache holds. Measured
/// by misses of a cache of 1 MiB (`notes/chains.md`).
const TILE_BYTES: usize = 1 << 19;

/// What is known of one loop of a chain.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) timer: usize,
    /// It must know the rows of what it executes: it finds dats in their storages, or what counts in global results is
    /// anywhere among them.
    pub(crate) by_row: bool,
    /// It has global results.
    pub(crate) counts: bool,
    pub(crate) places: Vec<Where>,
    pub(crate) args: Vec<ArgInfo>,
    pub(crate) set: usize,
    /// Elements executed where they are owned, and redundantly.
    pub(crate) elements: u64,
    pub(crate) redundant: u64,
    /// Bytes moved between memory and processor.
    pub(crate) bytes: u64,
}

/// How a chain of loops is executed.
#[derive(Debug)]
pub(crate) struct ChainPlan {
    /// The liveness of all dats.
    pub(crate) liveness: Vec<Liveness>,
    pub(crate) analysis: Analysis,
    pub(crate) links: Vec<Link>,
    /// Dats whose storages tiles read, in the order of their use, and whose storages they write.
    pub(crate) reads: Vec<usize>,
    pub(crate) writes: Vec<usize>,
    /// By step: the loop whose timer it is counted in.
    pub(crate) accounts: Vec<usize>,
    /// Tiles that read nothing of other ranks first.
    pub(crate) tiles: Vec<Tile>,
    pub(crate) interior: usize,
    /// The tiles' rows and targets.
    pub(crate) lists: Vec<u32>,
    /// By slot: the first byte in a worker's private storage.
    pub(crate) offsets: Vec<usize>,
    /// Bytes of a worker's private storage.
    pub(crate) private_bytes: usize,
    /// The same loops' bytes one by one.
    pub(crate) separate_bytes: u64,
    pub(crate) setup: Duration,
}

impl ChainPlan {
    /// Makes the plan. `tile_rows`: owned rows of the divided set in a tile; 0: as many as the cache takes.
    pub(crate) fn new(
        loops: &[&LoopInfo],
        liveness: Vec<Liveness>,
        analysis: Analysis,
        space: &Space<'_>,
        dats: &[DatInfo],
        tile_rows: usize,
        timers: &[usize],
        place: impl Fn(usize) -> Vec<u32>,
    ) -> ChainPlan {
        let divided = divided_set(loops, space);
        let maps = maps_of(loops);
        let rows = if tile_rows > 0 { tile_rows } else { rows_in_cache(loops, dats, space, divided) };
        let tiling = Tiling::new(space, divided, &maps, rows);
        let source = source_sets(loops, space.sets.len());
        let mut links: Vec<Link> = loops
            .iter()
            .zip(timers)
            .enumerate()
            .map(|(l, (info, &timer))| Link::new(info, timer, &analysis.places[l], &source))
            .collect();
        let listed: Vec<bool> = (0..space.maps.len()).map(|map| maps.contains(&map)).collect();
        let places = source.iter().enumerate().map(|(set, &s)| if s { place(set) } else { Vec::new() });
        let mut growth = TileGrowth::new(space, loops, &analysis, places.collect());
        let (reads, writes) = used_storages(&analysis, &links);
        let mut uses = vec![Uses::default(); space.sets.len()];
        reads.iter().chain(&writes).for_each(|&dat| uses[dats[dat].set].storages = true);
        for step in &analysis.steps {
            if let Step::Load(slot) | Step::Store(slot) = *step {
                uses[analysis.slots[slot].set].copied = true;
            }
        }
        let owned = owned_rows(&tiling, space.sets);
        let mut tiles = Vec::with_capacity(tiling.tiles);
        let mut lists = Vec::new();
        for (number, owned) in (0u32..).zip(&owned) {
            let grown = growth.of(owned, loops.len());
            tiles.push(Tile::new(number, &growth, &grown, &tiling, &listed, &uses, &mut lists));
            growth.leave(&grown);
        }
        tiles.sort_by_key(|tile| !tile.interior);
        let mut plan = ChainPlan {
            liveness,
            interior: tiles.iter().filter(|t| t.interior).count(),
            offsets: Vec::new(),
            private_bytes: 0,
            separate_bytes: loops.iter().map(|l| separate_bytes(l, space, dats)).sum(),
            setup: Duration::ZERO,
            tiles,
            lists: in_large_pages(&lists),
            analysis,
            reads,
            writes,
            links: Vec::new(),
            accounts: Vec::new(),
        };
        plan.accounts = accounts(&plan.analysis.steps);
        plan.place_slots();
        plan.count(&mut links, space, dats);
        plan.links = links;
        plan
    }

    /// Gives every slot a place in the private storage; slots that are not in use at the same time may share one.
    fn place_slots(&mut self) {
        let mut free: Vec<(usize, usize, usize)> = Vec::new();
        for slot in &self.analysis.slots {
            let rows = self.tiles.iter().map(|t| t.sets[slot.set].rows.len()).max().unwrap_or(0) + 1;
            let bytes = (rows * slot.row_bytes).next_multiple_of(64);
            let fits = free.iter_mut().find(|(last, _, room)| *last < slot.first && *room >= bytes);
            let offset = match fits {
                Some((last, offset, _)) => {
                    *last = slot.last;
                    *offset
                }
                None => {
                    free.push((slot.last, self.private_bytes, bytes));
                    self.private_bytes += bytes;
                    self.private_bytes - bytes
                }
            };
            self.offsets.push(offset);
        }
    }

    /// Counts elements and bytes: a tile's lists, and every row of a dat where it is loaded or stored; a store is a
    /// read and a write.
    fn count(&self, links: &mut [Link], space: &Space<'_>, dats: &[DatInfo]) {
        for tile in &self.tiles {
            let (mut lists, mut still): (Vec<usize>, Vec<usize>) = Default::default();
            let mut bytes_before = 0;
            for step in &self.analysis.steps {
                match *step {
                    // Counted with the loop that follows.
                    Step::Load(slot) => {
                        let slot = self.analysis.slots[slot];
                        bytes_before += tile.sets[slot.set].rows.len() * (slot.row_bytes + 4);
                    }
                    Step::Loop(l) => {
                        let link = &mut links[l];
                        let executed = tile.executed[l];
                        let owned = tile.count_owned(&self.lists, link.set, executed);
                        link.elements += owned;
                        link.redundant += executed as u64 - owned;
                        let mut bytes = std::mem::take(&mut bytes_before);
                        for (arg, place) in link.args.iter().zip(&link.places) {
                            if let Some(map) = arg.map().filter(|map| !lists.contains(map)) {
                                lists.push(map);
                                bytes += 4 * executed * space.maps[map].arity;
                            }
                            let Where::DatStorage(dat) = *place else { continue };
                            let row_bytes = dats[dat].row_bytes();
                            if arg.map().is_none() {
                                let ways = if arg.access.modifies() { 2 } else { 1 };
                                bytes += executed * row_bytes * ways;
                            } else if !still.contains(&dat) {
                                still.push(dat);
                                bytes += tile.sets[dats[dat].set].held * row_bytes;
                            }
                        }
                        link.bytes += bytes as u64;
                    }
                    Step::Store(slot) => {
                        let slot = self.analysis.slots[slot];
                        let users = links.iter_mut().filter(|l| l.uses(slot.dat));
                        let last = users.last().expect("a slot has a loop");
                        last.bytes += (2 * tile.sets[slot.set].owned * slot.row_bytes) as u64;
                    }
                    Step::Zero(_) | Step::CheckZero(_) => {}
                }
            }
        }
    }

    /// Bytes moved between memory and processor by one execution.
    pub(crate) fn bytes(&self) -> u64 {
        self.links.iter().map(|l| l.bytes).sum()
    }

    /// Bytes of the tiles' lists.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&self.lists[..]) + self.tiles.iter().map(Tile::bytes).sum::<usize>()
    }
}

impl Link {
    fn new(info: &LoopInfo, timer: usize, places: &[Where], source: &[bool]) -> Link {
        let in_dat_storage = (info.args.iter().zip(places))
            .any(|(arg, place)| arg.map().is_none() && matches!(place, Where::DatStorage(_)));
        let counts = info.globals().next().is_some();
        let by_row = in_dat_storage || (counts && source[info.set()]);
        Link {
            timer,
            by_row,
            counts,
            places: places.to_vec(),
            args: info.args.clone(),
            set: info.set(),
            elements: 0,
            redundant: 0,
            bytes: 0,
        }
    }

    fn uses(&self, dat: usize) -> bool {
        self.args.iter().any(|a| a.dat() == Some(dat))
    }
}

/// The same, where pages are large.
fn in_large_pages(lists: &[u32]) -> Vec<u32> {
    let mut all = zeroed(lists.len());
    all.copy_from_slice(lists);
    all
}

/// The dats whose storages are read, and those whose storages are written.
fn used_storages(analysis: &Analysis, links: &[Link]) -> (Vec<usize>, Vec<usize>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let note = |list: &mut Vec<usize>, dat: usize| {
        if !list.contains(&dat) {
            list.push(dat);
        }
    };
    for step in &analysis.steps {
        match *step {
            Step::Load(slot) => note(&mut reads, analysis.slots[slot].from),
            Step::Store(slot) => note(&mut writes, analysis.slots[slot].dat),
            Step::Loop(l) => {
                for (arg, place) in links[l].args.iter().zip(&links[l].places) {
                    let Where::DatStorage(dat) = *place else { continue };
                    note(if arg.access.modifies() { &mut writes } else { &mut reads }, dat);
                }
            }
            Step::Zero(_) | Step::CheckZero(_) => {}
        }
    }
    (reads, writes)
}

/// The loop that each step is counted with: the next one, and at the end the last one.
fn accounts(steps: &[Step]) -> Vec<usize> {
    let loop_ = |step: &Step| if let Step::Loop(l) = *step { Some(l) } else { None };
    let last = steps.iter().rev().find_map(loop_).unwrap_or(0);
    (0..steps.len()).map(|at| steps[at..].iter().find_map(loop_).unwrap_or(last)).collect()
}

/// The set to divide: the one that most arguments change through maps; without any, that of most loops.
fn divided_set(loops: &[&LoopInfo], space: &Space<'_>) -> usize {
    let mut votes = vec![(0, 0); space.sets.len()];
    for info in loops {
        votes[info.set()].1 += 1;
        for arg in info.args.iter().filter(|a| a.access.modifies()) {
            if let Some(map) = arg.map() {
                votes[space.maps[map].to].0 += 1;
            }
        }
    }
    let most = votes.iter().copied().max().unwrap_or_default();
    votes.iter().position(|v| *v == most).unwrap_or(0)
}

/// The maps of a chain, those that values are changed through first.
pub(crate) fn maps_of(loops: &[&LoopInfo]) -> Vec<usize> {
    let mut maps = Vec::new();
    for changed in [true, false] {
        for arg in loops.iter().flat_map(|l| &l.args).filter(|a| a.access.modifies() == changed) {
            if let Some(map) = arg.map().filter(|m| !maps.contains(m)) {
                maps.push(map);
            }
        }
    }
    maps
}

/// How many rows of `set` share the cache with what belongs to them in the other dats of the chain.
fn rows_in_cache(loops: &[&LoopInfo], dats: &[DatInfo], space: &Space<'_>, set: usize) -> usize {
    let mut used: Vec<usize> = loops.iter().flat_map(|l| &l.args).filter_map(|a| a.dat()).collect();
    used.sort_unstable();
    used.dedup();
    let bytes: usize = used.iter().map(|&d| dats[d].row_bytes() * space.sets[dats[d].set].owned).sum();
    let rows = space.sets[set].owned;
    (TILE_BYTES * rows).checked_div(bytes).unwrap_or(rows).max(1)
}

/// For every tile and set, the rows that it owns, ascending.
fn owned_rows(tiling: &Tiling, sets: &[LocalSet]) -> Vec<Vec<Vec<u32>>> {
    let mut owned = vec![vec![Vec::new(); sets.len()]; tiling.tiles];
    for (set, tile_of) in tiling.owner.iter().enumerate() {
        for (row, &tile) in (0u32..).zip(tile_of) {
            owned[tile as usize][set].push(row);
        }
    }
    owned
}

/// Bytes a loop moves by itself: every row once each way, a store being a read and a write, and the maps.
fn separate_bytes(info: &LoopInfo, space: &Space<'_>, dats: &[DatInfo]) -> u64 {
    let rows = space.sets[info.set()].owned;
    let mut seen: Vec<usize> = Vec::new();
    let mut bytes = 0;
    let mut maps: Vec<usize> = Vec::new();
    for arg in &info.args {
        if let Some(map) = arg.map().filter(|m| !maps.contains(m)) {
            maps.push(map);
            bytes += 4 * rows * space.maps[map].arity;
        }
        let Some(dat) = arg.dat().filter(|d| !seen.contains(d)) else { continue };
        seen.push(dat);
        let held = match arg.map() {
            None => rows,
            Some(map) => space.sets[space.maps[map].to].owned.min(rows * space.maps[map].arity),
        };
        let ways = if arg.access == Access::Read { 1 } else { 2 };
        bytes += held * dats[dat].row_bytes() * ways;
    }
    bytes as u64
}
