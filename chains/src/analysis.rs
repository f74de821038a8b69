//! For every argument of a chain's loops: where the tile finds the dat. Follows from the access modes alone.

use cfd_engine::plug::{ArgInfo, DatInfo, LoopInfo, Place};

use super::liveness::Liveness;

/// Where a tile finds an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// In the storage of this dat: on the loop's own set, or on a set that tiles do not number.
    DatStorage(usize),
    /// In a slot of the tile's private storage.
    Private(usize),
    /// A global result.
    Global,
}

/// What a tile does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Executes a loop of the chain.
    Loop(usize),
    /// Fills a slot from a dat's present storage.
    Load(usize),
    /// Fills a slot with zeros.
    Zero(usize),
    /// Copies a slot's owned rows to the dat's new storage.
    Store(usize),
    /// In debug builds: panics unless the slot's owned rows are zeros.
    CheckZero(usize),
}

/// A dat's private copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) dat: usize,
    /// The dat whose present storage it is filled from: its own, or one that it is a copy of.
    pub(crate) from: usize,
    pub(crate) set: usize,
    /// Bytes of a row.
    pub(crate) row_bytes: usize,
    /// The steps between which it is in use, both included.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Where everything is.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) steps: Vec<Step>,
    /// `places[l][a]`: where argument a of loop l is.
    pub(crate) places: Vec<Vec<Where>>,
    pub(crate) slots: Vec<Slot>,
    /// `spread[l]`: the loop executes other rows than the tile owns.
    pub(crate) spread: Vec<bool>,
    /// Dats that are rewritten in a second storage, which is swapped in after the chain.
    pub(crate) second: Vec<usize>,
    /// Buffer swaps: copies whose storage is the original's old one after the chain, with the original.
    pub(crate) swapped: Vec<(usize, usize)>,
    /// Dats that the chain changes.
    pub(crate) modified: Vec<usize>,
    /// Dats whose storages are read at other rows than a tile owns.
    pub(crate) read_beyond: Vec<usize>,
    /// Dats that are dead after the chain: their storages hold nothing.
    pub(crate) dead: Vec<usize>,
}

/// Bytes of a row from which on copying it to where a tile finds it by position costs more than finding it by row.
const LONG_ROW: usize = 32;

/// Sets of which a chain executes elements that change values through maps.
pub(crate) fn source_sets(loops: &[&LoopInfo], sets: usize) -> Vec<bool> {
    let mut source = vec![false; sets];
    loops.iter().filter(|l| l.modifies_indirectly()).for_each(|l| source[l.set()] = true);
    source
}

/// One use of a dat.
#[derive(Clone, Copy, Debug)]
struct Use {
    loop_: usize,
    arg: ArgInfo,
}

impl Use {
    fn overwrites(&self) -> bool {
        self.arg.overwrites()
    }
}

impl Analysis {
    /// `liveness[d]` is that of dat d.
    pub(crate) fn new(loops: &[&LoopInfo], dats: &[DatInfo], liveness: &[Liveness], sets: usize) -> Analysis {
        let source = source_sets(loops, sets);
        let uses = |dat: usize| -> Vec<Use> {
            let of_loop = |(loop_, info): (usize, &&LoopInfo)| {
                let uses: Vec<Use> = info
                    .args
                    .iter()
                    .filter(|a| a.dat() == Some(dat))
                    .map(|&arg| Use { loop_, arg })
                    .collect();
                uses
            };
            loops.iter().enumerate().flat_map(of_loop).collect()
        };
        let all: Vec<Vec<Use>> = (0..dats.len()).map(uses).collect();
        let changed_at: Vec<Option<usize>> =
            all.iter().map(|u| u.iter().find(|u| u.arg.access.modifies()).map(|u| u.loop_)).collect();
        let (spread, grown) = spread(loops, dats, &changed_at, source);

        let mut analysis = Analysis {
            places: loops.iter().map(|l| vec![Where::Global; l.args.len()]).collect(),
            spread,
            ..Analysis::default()
        };
        let still = still_sets(loops, dats, liveness, sets);
        let shape = Shape { loops, dats, grown: &grown, still: &still };
        let copies = analysis.copies(&shape, &all, &changed_at, liveness);
        let skipped: Vec<usize> = copies.iter().map(|c| c.loop_).collect();
        let mut moves: Vec<Moves> = Vec::new();
        for (dat, uses) in all.iter().enumerate().filter(|(_, uses)| !uses.is_empty()) {
            let copied = copies.iter().any(|c| c.original == dat);
            match copies.iter().find(|c| c.copy == dat) {
                None => moves.extend(analysis.place(dat, uses, &shape, liveness[dat], copied)),
                Some(copy) => {
                    let reads: Vec<Use> = uses.iter().filter(|u| u.loop_ != copy.loop_).copied().collect();
                    moves.extend(analysis.place_copy(copy, &reads, &shape));
                    if liveness[dat].live_after {
                        analysis.swapped.push((dat, copy.original));
                    }
                    analysis.finish(dat, liveness[dat].live_after);
                }
            }
        }
        for list in [&mut analysis.modified, &mut analysis.read_beyond, &mut analysis.dead] {
            list.sort_unstable();
            list.dedup();
        }
        analysis.order(loops.len(), &skipped, &moves);
        analysis
    }

    /// Loops that copy one dat to another and need not be executed.
    fn copies(
        &self,
        shape: &Shape<'_>,
        all: &[Vec<Use>],
        changed_at: &[Option<usize>],
        liveness: &[Liveness],
    ) -> Vec<Copied> {
        let mut copies: Vec<Copied> = Vec::new();
        for (loop_, info) in shape.loops.iter().enumerate().filter(|(_, info)| info.copies) {
            let (Place::Direct { dat: original }, Place::Direct { dat: copy }) =
                (info.args[0].place, info.args[1].place)
            else {
                continue;
            };
            // The original is rewritten later, in a second storage; the copy is only read.
            let rewritten = changed_at[original].is_some_and(|at| at > loop_)
                && liveness[original].live_after
                && !self.stays_in_storage(shape.dats[original].row_bytes(), &all[original]);
            let only_read =
                all[copy].iter().all(|u| u.loop_ == loop_ || (u.loop_ > loop_ && !u.arg.access.modifies()));
            let known =
                copies.iter().any(|c| [c.original, c.copy].iter().any(|d| [original, copy].contains(d)));
            if rewritten && only_read && !known {
                copies.push(Copied { loop_, original, copy });
            }
        }
        copies
    }

    /// A dat of long rows is found in its storage, as far as it is only used on its own set and no tile reads there
    /// what another has changed.
    fn stays_in_storage(&self, row_bytes: usize, uses: &[Use]) -> bool {
        let on_its_set = uses.iter().all(|u| u.arg.map().is_none());
        let only_read = uses.iter().all(|u| !u.arg.access.modifies());
        let only_written = matches!(uses, [only] if only.overwrites());
        let owned_only = uses.iter().all(|u| !self.spread[u.loop_]);
        row_bytes >= LONG_ROW && on_its_set && (only_read || only_written || owned_only)
    }

    fn set(&mut self, loops: &[&LoopInfo], use_: Use, place: Where) {
        for (arg, found) in loops[use_.loop_].args.iter().zip(&mut self.places[use_.loop_]) {
            if *arg == use_.arg {
                *found = place;
            }
        }
    }

    /// Places one dat; what is to be moved between its storage and its slot, if it has one. `copied`: its old storage
    /// is needed as long as the chain runs.
    fn place(
        &mut self,
        dat: usize,
        uses: &[Use],
        shape: &Shape<'_>,
        liveness: Liveness,
        copied: bool,
    ) -> Option<Moves> {
        if shape.still[shape.dats[dat].set] {
            uses.iter().for_each(|u| self.set(shape.loops, *u, Where::DatStorage(dat)));
            self.read_beyond.push(dat);
            return None;
        }
        let changed = uses.iter().any(|u| u.arg.access.modifies());
        if changed {
            self.finish(dat, liveness.live_after);
        }
        if self.stays_in_storage(shape.dats[dat].row_bytes(), uses) {
            uses.iter().for_each(|u| self.set(shape.loops, *u, Where::DatStorage(dat)));
            self.read_beyond
                .extend(uses.iter().any(|u| self.spread[u.loop_] && !u.overwrites()).then_some(dat));
            return None;
        }
        // Where the last loop overwrites long rows, they go straight to the storage.
        let last = uses[uses.len() - 1];
        let ends_there = last.overwrites()
            && liveness.live_after
            && shape.dats[dat].row_bytes() >= LONG_ROW
            && uses[0].loop_ < last.loop_;
        let inside = if ends_there { &uses[..uses.len() - 1] } else { uses };
        if ends_there {
            self.set(shape.loops, last, Where::DatStorage(dat));
        }
        let overwritten = uses[0].overwrites();
        let load = !overwritten && !liveness.zeros;
        let beyond = load && self.reads_beyond(dat, inside, shape);
        if changed && liveness.live_after && (beyond || copied) {
            self.second.push(dat);
        }
        self.read_beyond.extend(beyond.then_some(dat));
        let (zero, store) = (!overwritten && !load, changed && liveness.live_after && !ends_there);
        let check = liveness.zeros && !liveness.live_after;
        let moves = self.slot(dat, dat, inside, shape);
        Some(Moves { load, zero, store, check, ..moves })
    }

    /// Places a copy that is not made: its readers find it in the original's storage, or in a slot that is filled from
    /// it.
    fn place_copy(&mut self, copy: &Copied, reads: &[Use], shape: &Shape<'_>) -> Option<Moves> {
        if reads.is_empty() {
            return None;
        }
        if self.stays_in_storage(shape.dats[copy.copy].row_bytes(), reads) {
            reads.iter().for_each(|u| self.set(shape.loops, *u, Where::DatStorage(copy.original)));
            self.read_beyond.extend(reads.iter().any(|u| self.spread[u.loop_]).then_some(copy.original));
            return None;
        }
        self.read_beyond.extend(self.reads_beyond(copy.copy, reads, shape).then_some(copy.original));
        let moves = self.slot(copy.copy, copy.original, reads, shape);
        Some(Moves { load: true, ..moves })
    }

    /// True when a slot that is filled from a storage is filled with other rows than the tile owns.
    fn reads_beyond(&self, dat: usize, uses: &[Use], shape: &Shape<'_>) -> bool {
        shape.grown[shape.dats[dat].set]
            || uses.iter().any(|u| u.arg.access.reads() && (u.arg.map().is_some() || self.spread[u.loop_]))
    }

    /// Gives a dat a slot for these uses.
    fn slot(&mut self, dat: usize, from: usize, uses: &[Use], shape: &Shape<'_>) -> Moves {
        let slot = self.slots.len();
        let info = &shape.dats[dat];
        self.slots.push(Slot { dat, from, set: info.set, row_bytes: info.row_bytes(), first: 0, last: 0 });
        uses.iter().for_each(|u| self.set(shape.loops, *u, Where::Private(slot)));
        let (first, last) = (uses[0].loop_, uses[uses.len() - 1].loop_);
        Moves { slot, first, last, load: false, zero: false, store: false, check: false }
    }

    fn finish(&mut self, dat: usize, live: bool) {
        if live { self.modified.push(dat) } else { self.dead.push(dat) }
    }

    /// Lines up loops and moves.
    fn order(&mut self, loops: usize, skipped: &[usize], moves: &[Moves]) {
        for loop_ in 0..loops {
            for m in moves.iter().filter(|m| m.first == loop_) {
                self.slots[m.slot].first = self.steps.len();
                if m.load {
                    self.steps.push(Step::Load(m.slot));
                } else if m.zero {
                    self.steps.push(Step::Zero(m.slot));
                }
            }
            if !skipped.contains(&loop_) {
                self.steps.push(Step::Loop(loop_));
            }
            for m in moves.iter().filter(|m| m.last == loop_) {
                if m.store {
                    self.steps.push(Step::Store(m.slot));
                }
                if m.check {
                    self.steps.push(Step::CheckZero(m.slot));
                }
                self.slots[m.slot].last = self.steps.len() - 1;
            }
        }
    }
}

/// What a chain is made of.
struct Shape<'a> {
    loops: &'a [&'a LoopInfo],
    dats: &'a [DatInfo],
    /// By set: a tile holds other rows than it owns.
    grown: &'a [bool],
    /// By set: the chain only reads it, and only through maps.
    still: &'a [bool],
}

/// A loop that is not executed because it only copies.
struct Copied {
    loop_: usize,
    original: usize,
    copy: usize,
}

/// When a slot is filled and emptied, and how.
struct Moves {
    slot: usize,
    first: usize,
    last: usize,
    load: bool,
    zero: bool,
    store: bool,
    check: bool,
}

/// By set: the chain only reads storages there, and no loop goes over its elements. Tiles need no numbers for its rows.
fn still_sets(loops: &[&LoopInfo], dats: &[DatInfo], liveness: &[Liveness], sets: usize) -> Vec<bool> {
    let mut still = vec![true; sets];
    for info in loops {
        still[info.set()] = false;
        for arg in &info.args {
            if let Some(dat) = arg.dat().filter(|&dat| arg.access.modifies() || liveness[dat].zeros) {
                still[dats[dat].set] = false;
            }
        }
    }
    still
}

/// Whether each loop executes other rows than the tile owns, and whether a tile holds such rows of each set.
fn spread(
    loops: &[&LoopInfo],
    dats: &[DatInfo],
    changed_at: &[Option<usize>],
    source: Vec<bool>,
) -> (Vec<bool>, Vec<bool>) {
    let mut grown = source;
    let mut spread = vec![false; loops.len()];
    for (l, info) in loops.iter().enumerate().rev() {
        spread[l] = grown[info.set()];
        for arg in info.args.iter().filter(|a| a.map().is_some() && a.access.reads()) {
            let dat = arg.dat().expect("an indirect argument is a dat");
            if changed_at[dat].is_some_and(|at| at < l) {
                grown[dats[dat].set] = true;
            }
        }
    }
    (spread, grown)
}
