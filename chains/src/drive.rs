//! Executes a chain on one rank: exchange, tiles, then the buffer swap: second storages take the places of the first.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cfd_engine::plug::{
    BackendError, DeepSet, Exchange, ExchangedField, GlobalStore, LocalSet, LoopInfo, Recorded, State,
    Stopwatch, UNBROKEN, Unfinished, Unit, Work, run, scratch_row, share,
};
use cfd_engine::strategy::Mode;

use super::Chains;
use super::analysis::Analysis;
use super::deep_halo::Survey;
use super::growth::projections;
use super::liveness::liveness;
use super::plan::{ChainPlan, maps_of};
use super::run::Chained;
use super::space::Space;

impl Chains {
    /// Plans a chain of some loops of a sequence. Collective.
    pub(super) fn chain_plan(
        &mut self,
        state: &mut State,
        all: &[&LoopInfo],
        range: Range<usize>,
        last: bool,
    ) -> ChainPlan {
        let watch = Stopwatch::start();
        let loops = &all[range.clone()];
        let timers: Vec<usize> = loops.iter().map(|l| state.timer_of(l.name)).collect();
        let liveness = liveness(state, all, &range, last);
        let analysis = Analysis::new(loops, &state.dats, &liveness, state.sets.len());
        self.extend_deep_halo(state, loops, &analysis);
        let scratch = self.scratch_rows(state);
        let rows = state.sets.iter().zip(&state.deep).map(|(s, d)| s.total() + scratch + d.ids.len());
        let space =
            Space { sets: &state.sets, maps: &state.maps, indices: &state.local.maps, rows: rows.collect() };
        let place = |set: usize| canonical_places(&state.sets[set], &state.deep[set], scratch);
        let mut plan = ChainPlan::new(
            loops,
            liveness,
            analysis,
            &space,
            &state.dats,
            state.options.tile_rows,
            &timers,
            place,
        );
        watch.add_to(&mut plan.setup);
        plan
    }

    /// Rows behind a dat's own, for changes that belong to somebody else.
    fn scratch_rows(&self, state: &State) -> usize {
        scratch_row(0, state.pool.workers() - 1) + 1
    }

    /// Extends the deep halo by the rows that a chain needs, and makes room for them. Collective.
    fn extend_deep_halo(&mut self, state: &mut State, loops: &[&LoopInfo], analysis: &Analysis) {
        state.deep.resize_with(state.sets.len(), DeepSet::default);
        let scratch = self.scratch_rows(state);
        if state.comm.size() > 1 {
            let (sets, indices, deep) = (&state.sets[..], &mut state.local.maps[..], &mut state.deep[..]);
            let before: Vec<usize> = deep.iter().map(|d| d.ids.len()).collect();
            let mut survey = Survey::new(&state.comm, sets, &state.maps, indices, deep, scratch);
            survey.follow(&projections(loops, analysis), &maps_of(loops));
            let grown = survey.connect(&before);
            state.mark_deep_stale(&grown);
        }
        for (dat, info) in state.dats.iter().enumerate() {
            let rows = state.sets[info.set].total() + scratch + state.deep[info.set].ids.len();
            state.local.storages[dat].grow(rows * info.dim);
            if let Some(Some(second)) = self.second.get_mut(dat) {
                second.grow(rows * info.dim);
            }
        }
    }

    /// Runs some of a chain's tiles on all workers; the first looks at messages under way in between.
    fn run_tiles(
        &self,
        state: &mut State,
        plan: usize,
        loops: &[&dyn Recorded],
        tiles: Range<usize>,
        mut exchange: Option<&mut Exchange>,
    ) {
        let (plan, storages) = (&self.known[plan].plan, &self.storages);
        let mut second = vec![None; state.dats.len()];
        plan.analysis.second.iter().for_each(|&dat| second[dat] = self.second[dat].as_ref());
        let chained = Chained {
            plan,
            loops,
            local: &state.local,
            second: &second,
            sets: &state.dats.iter().map(|d| d.set).collect::<Vec<usize>>(),
            row_bytes: &state.dats.iter().map(|d| d.row_bytes()).collect::<Vec<usize>>(),
            names: &state.dats.iter().map(|d| &d.name[..]).collect::<Vec<&str>>(),
        };
        let workers = state.pool.workers();
        // Plain sums depend on which worker adds what, all others do not: they are free to take the next tile.
        let fixed = state.options.mode == Mode::Fast;
        let next = AtomicUsize::new(tiles.start);
        let take = |mine: &mut Range<usize>| match fixed {
            true => mine.next(),
            false => Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&tile| tile < tiles.end),
        };
        let work = |worker: usize, globals: &mut [GlobalStore], mut between: Option<&mut Exchange>| {
            let storage = &mut *storages[worker].lock().expect(UNBROKEN);
            storage.reserve(plan.private_bytes, loops.len());
            let share = share(tiles.len(), worker, workers);
            let mut mine = tiles.start + share.start..tiles.start + share.end;
            let mut coming = take(&mut mine);
            while let Some(tile) = coming {
                coming = take(&mut mine);
                let (tile, next) = (&plan.tiles[tile], coming.map(|next| &plan.tiles[next]));
                // SAFETY: the plan was made for these loops on this domain. Every tile is run once, by one worker.
                unsafe { chained.run(tile, next, storage, globals) };
                if let Some(exchange) = &mut between {
                    exchange.poll();
                }
            }
        };
        let (globals, parts) = (&mut state.globals[..], &state.parts[..]);
        let others = |worker: usize| work(worker, &mut parts[worker - 1].lock().expect(UNBROKEN), None);
        match tiles.len() {
            0 => {}
            1 => work(0, globals, exchange.take()),
            _ => state.pool.run(|| work(0, globals, exchange.take()), others),
        }
    }

    /// Runs a chain.
    pub(super) fn execute_chain(
        &mut self,
        state: &mut State,
        plan: usize,
        loops: &[&dyn Recorded],
    ) -> Result<(), BackendError> {
        loops.iter().for_each(|l| state.begin_globals(l.info()));
        self.second.resize_with(state.dats.len(), || None);
        for &dat in &self.known[plan].plan.analysis.second {
            self.second[dat].get_or_insert_with(|| state.local.storages[dat].another(&state.pool));
        }
        self.storages.resize_with(state.pool.workers(), Mutex::default);
        run(&mut Chain { chains: self, plan, loops }, state)?;
        self.finish_chain(state, plan, loops);
        Ok(())
    }

    /// Puts the workers' results together, counts what was done, swaps buffers, and notes which halo copies are old.
    fn finish_chain(&mut self, state: &mut State, plan: usize, loops: &[&dyn Recorded]) {
        let plan = &self.known[plan].plan;
        loops.iter().for_each(|l| state.absorb_parts(l.info()));
        for storage in &mut self.storages {
            let spent = storage.get_mut().expect(UNBROKEN).take_spent();
            for (link, spent) in plan.links.iter().zip(spent) {
                state.add_compute(link.timer, spent / state.pool.workers() as u32);
            }
        }
        for (link, record) in plan.links.iter().zip(loops) {
            let work = Work { elements: link.elements, redundant: link.redundant, bytes: link.bytes };
            state.add_execution(link.timer, record.info(), work);
        }
        for &dat in &plan.analysis.second {
            let second = self.second[dat].as_mut().expect("made above");
            std::mem::swap(&mut state.local.storages[dat], second);
        }
        for &(copy, original) in &plan.analysis.swapped {
            let old = self.second[original].as_mut().expect("the original is rewritten in a second storage");
            std::mem::swap(&mut state.local.storages[copy], old);
        }
        for &dat in &plan.analysis.modified {
            state.note_stale(dat);
        }
    }
}

/// A chain on its way through the driver.
struct Chain<'a> {
    chains: &'a mut Chains,
    plan: usize,
    loops: &'a [&'a dyn Recorded],
}

impl Chain<'_> {
    fn plan(&self) -> &ChainPlan {
        &self.chains.known[self.plan].plan
    }
}

impl Unit for Chain<'_> {
    type Exchange = Exchange;

    fn timer(&self) -> usize {
        self.plan().links[0].timer
    }

    /// What the chain reads beyond the rows that its tiles own.
    fn stale(&mut self, state: &mut State) -> Vec<ExchangedField> {
        // The same on all ranks: staleness follows from the sequence of loops alone.
        state.take_deep_stale(&self.plan().analysis.read_beyond)
    }

    fn begin_exchange(
        &mut self,
        state: &mut State,
        stale: &[ExchangedField],
    ) -> Result<Exchange, BackendError> {
        Ok(state.begin_exchange(stale.to_vec()))
    }

    fn core(
        &mut self,
        state: &mut State,
        _phase: usize,
        exchange: Option<&mut Exchange>,
    ) -> Result<(), BackendError> {
        self.chains.run_tiles(state, self.plan, self.loops, 0..self.plan().interior, exchange);
        Ok(())
    }

    fn end_exchange(&mut self, state: &mut State, exchange: Exchange) -> Result<(), Unfinished> {
        state.end_exchange(exchange);
        Ok(())
    }

    fn rest(&mut self, state: &mut State, _phase: usize) -> Result<(), BackendError> {
        let tiles = self.plan().interior..self.plan().tiles.len();
        self.chains.run_tiles(state, self.plan, self.loops, tiles, None);
        Ok(())
    }
}

/// The place of every row of a set in the canonical order.
fn canonical_places(set: &LocalSet, deep: &DeepSet, scratch: usize) -> Vec<u32> {
    let near = (0..set.total())
        .map(|row| (set.order_keys.get(row).copied().unwrap_or(0), set.global_ids[row], row as u32));
    let behind = set.total() + scratch;
    let far = deep.keys.iter().zip(&deep.ids).zip(behind as u32..).map(|((&key, &id), row)| (key, id, row));
    let mut rows: Vec<(u64, u64, u32)> = near.chain(far).collect();
    rows.sort_unstable();
    let mut places = vec![0; behind + deep.ids.len()];
    (0u32..).zip(rows).for_each(|(place, (_, _, row))| places[row as usize] = place);
    places
}
