//! Cached loop sequences: how a sequence of loops is executed, which of them as chains. A solver records the same
//! sequence step by step, so what was worked out for it is found again.

use std::ops::Range;

use cfd_engine::plug::{
    ArgInfo, Backend, BackendError, LoopInfo, Place, Recorded, State, UNBROKEN, run_each, run_loop,
};
use cfd_engine::strategy::Strategy;

use super::Chains;
use super::cut::{chainable, pieces};
use super::liveness::{Liveness, liveness};
use super::plan::ChainPlan;

/// Growths of a chain's tiles beyond the rows they own that are tried, most first.
const DEPTHS: [usize; 3] = [usize::MAX, 2, 1];

/// A chain this far below the bytes of its loops one by one is taken without looking for a better one.
const GOOD: f64 = 0.6;

/// A chain must stay this far below the bytes of its loops one by one.
const WORTHWHILE: f64 = 0.9;

/// What makes a recorded loop the same as another, up to constants.
#[derive(Debug, PartialEq)]
struct Kind {
    name: &'static str,
    set: usize,
    /// Globals have numbers in the order in which the sequence uses them.
    args: Vec<ArgInfo>,
}

/// A cached loop sequence: how it is executed.
pub(crate) struct LoopSequence {
    kinds: Vec<Kind>,
    /// Loops that run, the others only being looked at.
    count: usize,
    /// A result is asked for after them.
    last: bool,
    /// Transients that are live from earlier loops.
    live_before: Vec<usize>,
    /// None: it has been met once, and may never come again.
    parts: Option<Vec<Part>>,
}

/// A part of a loop sequence.
enum Part {
    /// One after the other.
    Alone(Range<usize>),
    /// As a chain, with the plan of this number.
    Chain(Range<usize>, usize),
}

/// A chain that has been planned.
pub(crate) struct Known {
    kinds: Vec<Kind>,
    /// The liveness of the dats it uses.
    liveness: Vec<(usize, Liveness)>,
    pub(super) plan: ChainPlan,
}

/// Ranges of loops, with the plan of those that are a chain.
type Cut = Vec<(Range<usize>, Option<ChainPlan>)>;

impl Backend for Chains {
    fn run(
        &mut self,
        state: &mut State,
        records: &[Box<dyn Recorded>],
        count: usize,
        last: bool,
    ) -> Result<(), BackendError> {
        let all: Vec<&LoopInfo> = records.iter().map(|r| r.info()).collect();
        match self.sequence(state, &all, count, last) {
            None => run_each(self, state, &records[..count])?,
            Some(sequence) => {
                let parts = self.sequences[sequence].parts.take().expect("it has been planned");
                for part in &parts {
                    match part {
                        Part::Alone(range) => run_each(self, state, &records[range.clone()])?,
                        Part::Chain(range, known) => {
                            let loops: Vec<&dyn Recorded> =
                                records[range.clone()].iter().map(|r| &**r).collect();
                            self.execute_chain(state, *known, &loops)?;
                        }
                    }
                }
                self.sequences[sequence].parts = Some(parts);
            }
        }
        state.end_transients(&all[..count], last);
        Ok(())
    }

    fn run_loop(&mut self, state: &mut State, record: &dyn Recorded) -> Result<(), BackendError> {
        run_loop(state, record);
        Ok(())
    }

    /// Bytes of plans, second storages and private storage.
    fn bytes(&self) -> usize {
        let second = self.second.iter().flatten().map(|c| c.len() * c.element_bytes());
        let plans: usize = self.known.iter().map(|known| known.plan.memory()).sum();
        let storages: usize = self.storages.iter().map(|s| s.lock().expect(UNBROKEN).bytes()).sum();
        second.sum::<usize>() + plans + storages
    }
}

impl Chains {
    /// How the first `count` of these loops are executed; none: one by one.
    fn sequence(&mut self, state: &mut State, all: &[&LoopInfo], count: usize, last: bool) -> Option<usize> {
        if applies(state) { self.sequence_of(state, all, count, last) } else { None }
    }

    /// The index of the sequence of these loops, made when they are met for the second time; with tiles of a given size
    /// at once.
    fn sequence_of(
        &mut self,
        state: &mut State,
        all: &[&LoopInfo],
        count: usize,
        last: bool,
    ) -> Option<usize> {
        let kinds = kinds(all);
        let live_before: Vec<usize> = (0..state.dats.len()).filter(|&d| state.dats[d].live).collect();
        let fits = |p: &LoopSequence| {
            (p.count, p.last) == (count, last) && p.live_before == live_before && p.kinds == kinds
        };
        let found = self.sequences.iter().position(fits);
        let at = found.unwrap_or(self.sequences.len());
        if found.is_none() {
            self.sequences.push(LoopSequence { kinds, count, last, live_before, parts: None });
            if state.options.tile_rows == 0 {
                return None;
            }
        }
        if self.sequences[at].parts.is_none() {
            self.sequences[at].parts = Some(self.parts_of(state, all, count, last));
        }
        Some(at)
    }

    /// Cuts a sequence of loops into chains. Collective.
    fn parts_of(&mut self, state: &mut State, all: &[&LoopInfo], count: usize, last: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < count {
            let end = at + chainable(&all[at..count]);
            if end < at + 2 {
                parts.push(Part::Alone(at..at + 1));
                at += 1;
                continue;
            }
            // What is known is used again; new chains are made of the loops before and after it.
            let known =
                (at..end).find_map(|start| Some((start, self.known_chain(state, all, start..end, last)?)));
            let stop = known.map_or(end, |(start, _)| start);
            if at < stop {
                parts.extend(self.best_chains(state, all, at..stop, last));
            }
            at = stop;
            if let Some((start, number)) = known {
                at = start + self.known[number].kinds.len();
                parts.push(Part::Chain(start..at, number));
            }
        }
        parts
    }

    /// The longest chain that has been planned of the first loops of a range.
    fn known_chain(
        &self,
        state: &State,
        all: &[&LoopInfo],
        range: Range<usize>,
        last: bool,
    ) -> Option<usize> {
        let fits = |known: &Known| {
            let end = range.start + known.kinds.len();
            end <= range.end && kinds(&all[range.start..end]) == known.kinds && {
                let liveness = liveness(state, all, &(range.start..end), last);
                known.liveness.iter().all(|&(dat, then)| liveness[dat] == then)
            }
        };
        let known = self.known.iter().enumerate().filter(|(_, known)| fits(known));
        known.max_by_key(|(_, known)| known.kinds.len()).map(|(number, _)| number)
    }

    /// The chains that move the fewest bytes, of loops that all can be chained. Collective.
    fn best_chains(
        &mut self,
        state: &mut State,
        all: &[&LoopInfo],
        range: Range<usize>,
        last: bool,
    ) -> Vec<Part> {
        let forced = state.options.tile_rows > 0;
        let mut best: Option<(u64, Cut)> = None;
        let mut tried = Vec::new();
        for depth in DEPTHS {
            let pieces = pieces(all, range.clone(), depth, &state.dats);
            if pieces == tried {
                continue;
            }
            let (mut bytes, mut separate, mut plans) = (0, 0, Vec::new());
            for piece in pieces.iter().cloned() {
                if piece.len() < 2 {
                    plans.push((piece, None));
                    continue;
                }
                let plan = self.chain_plan(state, all, piece.clone(), last);
                let [moved, alone] = [plan.bytes(), plan.separate_bytes].map(|b| state.comm.sum(b));
                let taken = forced || (moved as f64) < WORTHWHILE * alone as f64;
                bytes += if taken { moved } else { alone };
                separate += alone;
                plans.push((piece, taken.then_some(plan)));
            }
            tried = pieces;
            if best.as_ref().is_none_or(|(least, _)| bytes < *least) {
                best = Some((bytes, plans));
            }
            if forced || (bytes as f64) < GOOD * separate as f64 {
                break;
            }
        }
        let (_, pieces) = best.expect("the first depth gives one");
        let part = |(range, plan): (Range<usize>, Option<ChainPlan>)| match plan {
            None => Part::Alone(range),
            Some(plan) => Part::Chain(range.clone(), self.keep_chain(state, &all[range], plan)),
        };
        pieces.into_iter().map(part).collect()
    }

    /// Keeps a chain's plan; its number.
    fn keep_chain(&mut self, state: &mut State, loops: &[&LoopInfo], plan: ChainPlan) -> usize {
        for link in &plan.links {
            state.add_setup(link.timer, plan.setup / plan.links.len() as u32);
        }
        let mut dats: Vec<usize> = loops.iter().flat_map(|l| &l.args).filter_map(|a| a.dat()).collect();
        dats.sort_unstable();
        dats.dedup();
        let liveness = dats.into_iter().map(|dat| (dat, plan.liveness[dat])).collect();
        self.known.push(Known { kinds: kinds(loops), liveness, plan });
        self.known.len() - 1
    }
}

/// Loops are chained unless an observer or the strategy wants them one by one.
fn applies(state: &State) -> bool {
    !state.is_observed() && matches!(state.options.strategy(), Strategy::Regions | Strategy::Core)
}

/// The kinds of a sequence of loops.
fn kinds(loops: &[&LoopInfo]) -> Vec<Kind> {
    let mut globals: Vec<usize> = Vec::new();
    let mut number = |arg: &ArgInfo| match arg.place {
        Place::Global { global } => {
            let known = globals.iter().position(|&g| g == global);
            let number = known.unwrap_or(globals.len());
            if known.is_none() {
                globals.push(global);
            }
            let mut arg = *arg;
            arg.place = Place::Global { global: number };
            arg
        }
        _ => *arg,
    };
    let mut kind = |info: &&LoopInfo| Kind {
        name: info.name,
        set: info.set(),
        args: info.args.iter().map(&mut number).collect(),
    };
    loops.iter().map(&mut kind).collect()
}
