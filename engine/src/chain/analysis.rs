//! For every argument of a chain's loops: where the tile finds the dat. Follows from the access modes alone.

use super::life::{Life, overwrites};
use crate::domain::DatInfo;
use crate::operand::{ArgInfo, Place};
use crate::record::LoopInfo;

/// Where a tile finds an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// In the present column of this dat, which need not be the argument's own: a copy is read where the original is.
    Old(usize),
    /// In the column that will be the dat's own after the chain; home rows only.
    New(usize),
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
    /// Fills a slot from the dat's present column.
    Load(usize),
    /// Fills a slot with zeros.
    Zero(usize),
    /// Copies a slot's home rows to the dat's new column.
    Store(usize),
    /// In debug builds: panics unless the slot's home rows are zeros.
    CheckZero(usize),
}

/// A dat's private copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) dat: usize,
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
    /// `spread[l]`: the loop executes other than home rows.
    pub(crate) spread: Vec<bool>,
    /// Dats that are rewritten in a second column.
    pub(crate) second: Vec<usize>,
    /// Copies whose column is the original's old one after the chain, with the original.
    pub(crate) turned: Vec<(usize, usize)>,
    /// Dats whose columns the chain changes.
    pub(crate) modified: Vec<usize>,
    /// Dats whose columns are read at other than home rows.
    pub(crate) read_beyond: Vec<usize>,
    /// Dats that are dead after the chain: their columns hold nothing.
    pub(crate) dead: Vec<usize>,
}

/// Sets of which a chain executes elements that change values through maps.
pub(crate) fn source_sets(loops: &[&LoopInfo], sets: usize) -> Vec<bool> {
    let mut source = vec![false; sets];
    loops.iter().filter(|l| l.modifies_indirectly()).for_each(|l| source[l.set.id as usize] = true);
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
        overwrites(&self.arg)
    }
}

impl Analysis {
    /// `life[d]` says what is known of dat d.
    pub(crate) fn new(loops: &[&LoopInfo], dats: &[DatInfo], life: &[Life], sets: usize) -> Analysis {
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
        let copies = analysis.copies(loops, &all, &changed_at, life);
        let skipped: Vec<usize> = copies.iter().map(|c| c.loop_).collect();
        let mut moves: Vec<Moves> = Vec::new();
        for dat in 0..dats.len() {
            let uses = &all[dat];
            if uses.is_empty() || copies.iter().any(|c| c.copy == dat) {
                continue;
            }
            let copied = copies.iter().any(|c| c.original == dat);
            moves.extend(analysis.place(dat, uses, dats, life[dat], &grown, copied, loops));
        }
        for copy in &copies {
            for u in all[copy.copy].iter().filter(|u| u.loop_ != copy.loop_) {
                analysis.set(loops, *u, Where::Old(copy.original));
            }
            if life[copy.copy].live_after {
                analysis.turned.push((copy.copy, copy.original));
                analysis.modified.push(copy.copy);
            } else {
                analysis.dead.push(copy.copy);
            }
            analysis.read_beyond.push(copy.original);
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
        loops: &[&LoopInfo],
        all: &[Vec<Use>],
        changed_at: &[Option<usize>],
        life: &[Life],
    ) -> Vec<Copied> {
        let mut copies: Vec<Copied> = Vec::new();
        for (loop_, info) in loops.iter().enumerate().filter(|(_, info)| info.copies) {
            let (Place::Direct { dat: original }, Place::Direct { dat: copy }) =
                (info.args[0].place, info.args[1].place)
            else {
                continue;
            };
            // The original is rewritten later, in a column of its own; the copy is only read.
            let rewritten = changed_at[original].is_some_and(|at| at > loop_)
                && life[original].live_after
                && !self.stays_home(&all[original]);
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

    /// All uses are on the dat's own set, at home.
    fn stays_home(&self, uses: &[Use]) -> bool {
        uses.iter().all(|u| u.arg.map().is_none() && !self.spread[u.loop_])
    }

    fn set(&mut self, loops: &[&LoopInfo], use_: Use, place: Where) {
        for (arg, found) in loops[use_.loop_].args.iter().zip(&mut self.places[use_.loop_]) {
            if *arg == use_.arg {
                *found = place;
            }
        }
    }

    /// Places one dat; what is to be moved between its column and its slot, if it has one.
    #[expect(clippy::too_many_arguments, reason = "called once")]
    fn place(
        &mut self,
        dat: usize,
        uses: &[Use],
        dats: &[DatInfo],
        life: Life,
        grown: &[bool],
        copied: bool,
        loops: &[&LoopInfo],
    ) -> Option<Moves> {
        let first_change = uses.iter().find(|u| u.arg.access.modifies()).map(|u| u.loop_);
        let beyond = |u: &Use| u.arg.map().is_some() || self.spread[u.loop_];
        let read_in_place = |u: &&Use| first_change.is_none_or(|first| u.loop_ < first);
        let mut read_beyond = uses.iter().filter(read_in_place).any(beyond);
        let Some(first) = first_change else {
            uses.iter().for_each(|u| self.set(loops, *u, Where::Old(dat)));
            self.read_beyond.extend(read_beyond.then_some(dat));
            return None;
        };
        if self.stays_home(uses) && !copied {
            uses.iter().for_each(|u| self.set(loops, *u, Where::Old(dat)));
            self.finish(dat, life.live_after);
            return None;
        }
        let last = *uses.last().expect("it is changed");
        let ends_new = last.overwrites() && life.live_after;
        let private = |u: &Use| u.loop_ >= first && !(ends_new && u.loop_ == last.loop_);
        let slot = uses.iter().any(private).then_some(self.slots.len());
        for u in uses {
            let place = match slot {
                Some(slot) if private(u) => Where::Private(slot),
                _ if u.loop_ < first => Where::Old(dat),
                _ => Where::New(dat),
            };
            self.set(loops, *u, place);
        }
        let overwritten = uses.iter().find(|u| u.loop_ == first).is_some_and(|u| u.overwrites());
        let load = slot.is_some() && !overwritten && !life.zeros;
        let store = life.live_after && !ends_new;
        read_beyond |= load && grown[dats[dat].set];
        if life.live_after && (read_beyond || copied) {
            self.second.push(dat);
        }
        self.read_beyond.extend(read_beyond.then_some(dat));
        self.finish(dat, life.live_after);
        let slot = slot?;
        let DatInfo { set, dim, element_bytes, .. } = dats[dat];
        self.slots.push(Slot { dat, set, row_bytes: dim * element_bytes, first: 0, last: 0 });
        let used = uses.iter().filter(|u| private(u)).map(|u| u.loop_);
        let last = used.max().expect("the slot is used");
        let zeros = life.zeros && !life.live_after;
        Some(Moves { slot, first, last, load, zero: !overwritten && !load, store, check: zeros })
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

/// Whether each loop executes other than home rows, and whether a tile holds other than home rows of each set.
fn spread(
    loops: &[&LoopInfo],
    dats: &[DatInfo],
    changed_at: &[Option<usize>],
    source: Vec<bool>,
) -> (Vec<bool>, Vec<bool>) {
    let mut grown = source;
    let mut spread = vec![false; loops.len()];
    for (l, info) in loops.iter().enumerate().rev() {
        spread[l] = grown[info.set.id as usize];
        for arg in info.args.iter().filter(|a| a.map().is_some() && a.access.reads()) {
            let dat = arg.dat().expect("an indirect argument is a dat");
            if changed_at[dat].is_some_and(|at| at < l) {
                grown[dats[dat].set] = true;
            }
        }
    }
    // Changes through maps touch rows of others, which the tile holds in private.
    (spread, grown)
}
