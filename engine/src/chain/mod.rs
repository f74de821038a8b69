//! Loop chains: recorded loops that are executed tile by tile, so that what one loop leaves for the next stays in the
//! cache. `docs/chains.md` explains them.
//!
//! ```text
//! mod (here)   which loops are chained; the cache of programmes
//! analysis     for every argument: where a tile finds the dat
//! space        rows and maps a rank knows, and the ways back through maps
//! division     tiles of the owned rows
//! deepen       rows beyond the halo, from their owners
//! reach        backwards through the chain: which rows each loop executes
//! tile         one tile's lists
//! plan         all of these, with the byte model
//! run          executes a tile
//! drive        executes a chain: exchange, tiles, second columns swapped in
//! ```

mod analysis;
mod deepen;
mod division;
mod drive;
mod plan;
mod reach;
mod run;
mod space;
mod tile;

use std::ops::Range;
use std::sync::Mutex;

use self::analysis::Life;
pub(crate) use self::deepen::{DeepNeighbour, DeepSet};
pub(crate) use self::drive::note_stale;
use self::plan::ChainPlan;
use self::run::Storage;
use crate::domain::{DatInfo, Domain, Start, UNBROKEN};
use crate::kernel::Access;
use crate::operand::ArgInfo;
use crate::record::{LoopInfo, Recorded};
use crate::storage::Column;
use crate::strategy::Strategy;

/// Growths of a chain's tiles beyond their home rows that are tried, most first.
const DEPTHS: [usize; 3] = [usize::MAX, 2, 1];

/// A chain this far below the bytes of its loops one by one is taken without looking for a better one.
const GOOD: f64 = 0.6;

/// A chain must stay this far below the bytes of its loops one by one.
const WORTHWHILE: f64 = 0.9;

/// What a domain keeps for chains.
#[derive(Default)]
pub(crate) struct Chains {
    programmes: Vec<Programme>,
    plans: Vec<ChainPlan>,
    /// By dat: the column that takes its next values.
    second: Vec<Option<Column>>,
    /// By worker.
    storages: Vec<Mutex<Storage>>,
    /// By set: rows beyond the halo.
    pub(crate) deep: Vec<DeepSet>,
}

impl Chains {
    /// Bytes of plans, second columns and private storage.
    pub(crate) fn bytes(&self) -> usize {
        let columns = self.second.iter().flatten().map(|c| c.len() * c.element_bytes());
        let plans: usize = self.plans.iter().map(ChainPlan::memory).sum();
        let storages: usize = self.storages.iter().map(|s| s.lock().expect(UNBROKEN).bytes()).sum();
        columns.sum::<usize>() + plans + storages
    }
}

/// What makes a recorded loop the same as another, up to constants.
#[derive(Debug, PartialEq)]
struct Kind {
    name: &'static str,
    set: usize,
    args: Vec<ArgInfo>,
}

impl Kind {
    fn fits(&self, info: &LoopInfo) -> bool {
        self.name == info.name && self.set == info.set.id as usize && self.args == info.args
    }
}

/// How a sequence of loops is executed.
struct Programme {
    kinds: Vec<Kind>,
    /// Loops that run, the others only being looked at.
    count: usize,
    /// A result is asked for after them.
    last: bool,
    /// Transients that come with values of earlier loops.
    carried: Vec<usize>,
    parts: Vec<Part>,
}

/// A part of a programme.
enum Part {
    /// One after the other.
    Alone(Range<usize>),
    /// As a chain, with the plan of this number.
    Chain(Range<usize>, usize),
}

impl Domain {
    /// Runs the first `count` of these loops. What transients hold is lost after `last`.
    pub(crate) fn run_programme(&mut self, records: &[Box<dyn Recorded>], count: usize, last: bool) {
        let all: Vec<&LoopInfo> = records.iter().map(|r| r.info()).collect();
        if !self.chains_apply() {
            records[..count].iter().for_each(|record| self.execute(&**record));
        } else {
            let programme = self.programme_of(&all, count, last);
            let parts = std::mem::take(&mut self.chains.programmes[programme].parts);
            for part in &parts {
                match part {
                    Part::Alone(range) => {
                        records[range.clone()].iter().for_each(|record| self.execute(&**record));
                    }
                    Part::Chain(range, plan) => {
                        let loops: Vec<&dyn Recorded> = records[range.clone()].iter().map(|r| &**r).collect();
                        self.execute_chain(*plan, &loops);
                    }
                }
            }
            self.chains.programmes[programme].parts = parts;
        }
        self.end_of_transients(&all[..count], last);
    }

    /// Loops are chained unless the user, an observer or the strategy wants them one by one.
    fn chains_apply(&self) -> bool {
        self.options.chain
            && self.observer.is_none()
            && matches!(self.options.strategy, Strategy::Regions | Strategy::Core)
    }

    /// The index of the programme for these loops, made when they are first met.
    fn programme_of(&mut self, all: &[&LoopInfo], count: usize, last: bool) -> usize {
        let carried: Vec<usize> = (0..self.dats.len()).filter(|&d| self.dats[d].carried).collect();
        let fits = |p: &Programme| {
            (p.count, p.last) == (count, last)
                && p.carried == carried
                && p.kinds.len() == all.len()
                && p.kinds.iter().zip(all).all(|(kind, info)| kind.fits(info))
        };
        if let Some(found) = self.chains.programmes.iter().position(fits) {
            return found;
        }
        let parts = self.parts_of(all, count, last);
        let kind =
            |info: &&LoopInfo| Kind { name: info.name, set: info.set.id as usize, args: info.args.clone() };
        let kinds = all.iter().map(kind).collect();
        self.chains.programmes.push(Programme { kinds, count, last, carried, parts });
        self.chains.programmes.len() - 1
    }

    /// Cuts a sequence of loops into chains. Collective.
    fn parts_of(&mut self, all: &[&LoopInfo], count: usize, last: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < count {
            let end = at + chainable(&all[at..count]);
            if end < at + 2 {
                parts.push(Part::Alone(at..at + 1));
                at += 1;
                continue;
            }
            parts.extend(self.best_chains(all, at..end, last));
            at = end;
        }
        parts
    }

    /// The chains that move the fewest bytes, of loops that all can be chained. Collective.
    fn best_chains(&mut self, all: &[&LoopInfo], range: Range<usize>, last: bool) -> Vec<Part> {
        let forced = self.options.tile_rows > 0;
        let mut best: Option<(u64, Vec<(Range<usize>, Option<ChainPlan>)>)> = None;
        let mut pieces_before = Vec::new();
        for depth in DEPTHS {
            let pieces = pieces(all, range.clone(), depth, &self.dats);
            if pieces == pieces_before {
                continue;
            }
            pieces_before.clone_from(&pieces);
            let (mut bytes, mut separate, mut plans) = (0, 0, Vec::new());
            for piece in pieces {
                let plan = self.chain_plan(all, piece.clone(), last);
                let [moved, alone] = [plan.bytes(), plan.separate_bytes].map(|b| self.comm.sum(b));
                let taken = forced || (moved as f64) < WORTHWHILE * alone as f64;
                let taken = taken && piece.len() > 1;
                bytes += if taken { moved } else { alone };
                separate += alone;
                plans.push((piece, taken.then_some(plan)));
            }
            if best.as_ref().is_none_or(|(least, _)| bytes < *least) {
                best = Some((bytes, plans));
            }
            if forced || (bytes as f64) < GOOD * separate as f64 {
                break;
            }
        }
        let (_, pieces) = best.expect("the first depth gives one");
        let mut parts = Vec::new();
        for (range, plan) in pieces {
            match plan {
                None => parts.push(Part::Alone(range)),
                Some(plan) => {
                    for link in &plan.links {
                        self.timers[link.timer].setup += plan.setup / plan.links.len() as u32;
                    }
                    self.chains.plans.push(plan);
                    parts.push(Part::Chain(range, self.chains.plans.len() - 1));
                }
            }
        }
        parts
    }

    /// What is known of every dat before and after some loops of a sequence.
    fn lives(&self, all: &[&LoopInfo], range: &Range<usize>, last: bool) -> Vec<Life> {
        let first = |loops: &[&LoopInfo], dat: usize| {
            loops.iter().flat_map(|l| &l.args).find(|a| a.dat() == Some(dat)).copied()
        };
        let life = |dat: usize| {
            let info: &DatInfo = &self.dats[dat];
            let before = first(&all[..range.start], dat);
            let here = first(&all[range.clone()], dat);
            let later = first(&all[range.end..], dat);
            // What is first incremented starts as zeros, and its column must hold them again at the end.
            let summed = info.start == Some(Start::Zeros);
            let fresh = before.is_none() && !info.carried;
            let live_after =
                !info.transient || (summed && !fresh) || later.map_or(!last, |a| !overwrites(&a));
            let zeros = info.transient && summed && fresh && here.is_some();
            Life { live_after, zeros }
        };
        (0..self.dats.len()).map(life).collect()
    }

    /// After loops, the last before a result or not: notes which transients go on holding values.
    fn end_of_transients(&mut self, loops: &[&LoopInfo], last: bool) {
        for dat in 0..self.dats.len() {
            let used = || loops.iter().flat_map(|l| &l.args).any(|a| a.dat() == Some(dat));
            let info = &mut self.dats[dat];
            let dead = info.start == Some(Start::Written);
            if !last {
                info.carried |= info.transient && used();
                continue;
            }
            let summed = info.start == Some(Start::Zeros);
            (info.start, info.carried) = (None, false);
            if cfg!(debug_assertions) && dead {
                self.local.columns[dat].poison_from(0);
            }
            if cfg!(debug_assertions) && summed {
                let info = &self.dats[dat];
                let owned = self.sets[info.set].owned;
                if let Some(row) = self.local.columns[dat].first_other_than_zero(owned, info.dim) {
                    panic!("{}", not_cleared(&info.name, row));
                }
            }
        }
    }
}

/// What is wrong with a transient that sums start from.
fn not_cleared(dat: &str, row: usize) -> String {
    format!(
        "transient \"{dat}\" is incremented before it is written, so the last loop that uses it must leave zeros, but local \
         row {row} has others"
    )
}

/// True when nothing is left of the values before.
fn overwrites(arg: &ArgInfo) -> bool {
    arg.access == Access::Write && arg.map().is_none()
}

/// How many of these loops, from the first on, can be one chain.
fn chainable(loops: &[&LoopInfo]) -> usize {
    let mut globals: Vec<usize> = Vec::new();
    for (at, info) in loops.iter().enumerate() {
        let reads_what_it_changes = info.args.iter().any(|a| a.access == Access::Rw && a.map().is_some());
        // A global holds the result of the last loop that produced it.
        if reads_what_it_changes || info.globals().any(|g| globals.contains(&g)) {
            return at;
        }
        globals.extend(info.globals());
    }
    loops.len()
}

/// Cuts loops into pieces whose tiles grow at most `depth` times beyond their home rows.
fn pieces(all: &[&LoopInfo], range: Range<usize>, depth: usize, dats: &[DatInfo]) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut start = range.start;
    for end in range.start + 1..=range.end {
        if growths(&all[start..end], dats) > depth {
            pieces.push(start..end - 1);
            start = end - 1;
        }
    }
    pieces.push(start..range.end);
    pieces
}

/// How often a tile of a chain grows: how many steps lie between a row and the farthest one it depends on.
fn growths(loops: &[&LoopInfo], dats: &[DatInfo]) -> usize {
    let mut changed = vec![false; dats.len()];
    let mut depth = vec![0usize; dats.len()];
    let mut deepest = 0;
    for info in loops {
        let reached = info.args.iter().filter(|a| a.access.reads()).filter_map(|a| {
            let dat = a.dat()?;
            changed[dat].then_some(depth[dat] + usize::from(a.map().is_some()))
        });
        let reached = reached.max().unwrap_or(0);
        for dat in info.args.iter().filter(|a| a.access.modifies()).filter_map(|a| a.dat()) {
            depth[dat] = if changed[dat] { depth[dat].max(reached) } else { reached };
            changed[dat] = true;
        }
        deepest = deepest.max(reached);
    }
    deepest
}
