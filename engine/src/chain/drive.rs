//! Executes a chain on one rank: exchange, tiles, then the second columns take their place.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::analysis::Analysis;
use super::deepen::{DeepSet, Survey};
use super::plan::{ChainPlan, maps_of};
use super::reach::hops;
use super::run::Chained;
use super::space::Space;
use crate::domain::{DatInfo, Domain, UNBROKEN};
use crate::global::{GlobalStore, Progress};
use crate::halo::{Exchange, Traveller};
use crate::layout::LocalSet;
use crate::record::{LoopInfo, Recorded};
use crate::schedule::share;
use crate::storage::{Column, scratch_row};
use crate::strategy::Mode;
use crate::timer::Stopwatch;

impl Domain {
    /// Plans a chain of some loops of a sequence. Collective.
    pub(super) fn chain_plan(&mut self, all: &[&LoopInfo], range: Range<usize>, last: bool) -> ChainPlan {
        let watch = Stopwatch::start();
        let loops = &all[range.clone()];
        let timers: Vec<usize> = loops.iter().map(|l| self.timer_of(l.name)).collect();
        let lives = self.lives(all, &range, last);
        let analysis = Analysis::new(loops, &self.dats, &lives, self.sets.len());
        self.deepen(loops, &analysis);
        let scratch = self.scratch_rows();
        let rows = self.sets.iter().zip(&self.chains.deep).map(|(s, d)| s.total() + scratch + d.ids.len());
        let space =
            Space { sets: &self.sets, maps: &self.maps, indices: &self.local.maps, rows: rows.collect() };
        let place = |set: usize| canonical_places(&self.sets[set], &self.chains.deep[set], scratch);
        let mut plan = ChainPlan::new(
            loops,
            lives,
            analysis,
            &space,
            &self.dats,
            self.options.tile_rows,
            &timers,
            place,
        );
        watch.add_to(&mut plan.setup);
        plan
    }

    /// Rows behind a column's own, for changes that belong to somebody else.
    fn scratch_rows(&self) -> usize {
        scratch_row(0, self.team.workers() - 1) + 1
    }

    /// Gets the rows beyond the halo that a chain needs, and room for them. Collective.
    fn deepen(&mut self, loops: &[&LoopInfo], analysis: &Analysis) {
        self.chains.deep.resize_with(self.sets.len(), DeepSet::default);
        let scratch = self.scratch_rows();
        if self.comm.size() > 1 {
            let (sets, indices, deep) = (&self.sets[..], &mut self.local.maps[..], &mut self.chains.deep[..]);
            let before: Vec<usize> = deep.iter().map(|d| d.ids.len()).collect();
            let mut survey = Survey::new(&self.comm, sets, &self.maps, indices, deep, scratch);
            survey.follow(&hops(loops, analysis), &maps_of(loops));
            let grown = survey.connect(&before);
            for dat in self.dats.iter_mut().filter(|d| grown[d.set]) {
                dat.deep_stale = true;
            }
        }
        for (dat, info) in self.dats.iter().enumerate() {
            let rows = self.sets[info.set].total() + scratch + self.chains.deep[info.set].ids.len();
            self.local.columns[dat].grow(rows * info.dim);
            if let Some(Some(second)) = self.chains.second.get_mut(dat) {
                second.grow(rows * info.dim);
            }
        }
    }

    /// Begins to fetch what the chain reads beyond its home rows; with overlap switched off, also ends it.
    fn begin_chain_exchange(&mut self, plan: usize) -> Option<Exchange> {
        let watch = Stopwatch::start();
        let analysis = &self.chains.known[plan].plan.analysis;
        // The same on all ranks: staleness follows from the sequence of loops alone.
        let stale = analysis.read_beyond.iter().filter_map(|&dat| {
            let info = &mut self.dats[dat];
            let stale = std::mem::take(&mut info.stale) | std::mem::take(&mut info.deep_stale);
            stale.then(|| Traveller { deep: true, ..info.traveller(dat) })
        });
        let stale: Vec<Traveller> = stale.collect();
        if stale.is_empty() || self.comm.size() == 1 {
            return None;
        }
        let (sets, deep, columns) = (&self.sets, &self.chains.deep, &mut self.local.columns);
        let exchange =
            Exchange::begin(&self.comm, sets, deep, columns, stale, &mut self.buffers, &mut self.exchanges);
        let under_way = if self.options.overlap {
            Some(exchange)
        } else {
            exchange.end(sets, deep, columns, &mut self.buffers);
            None
        };
        watch.add_to(&mut self.timers[self.chains.known[plan].plan.links[0].timer].halo_wait);
        under_way
    }

    /// Runs some of a chain's tiles on all workers; the first looks at messages under way in between.
    fn run_tiles(
        &mut self,
        plan: usize,
        loops: &[&dyn Recorded],
        tiles: Range<usize>,
        mut exchange: Option<&mut Exchange>,
    ) {
        let plan = &self.chains.known[plan].plan;
        let mut second = vec![None; self.dats.len()];
        plan.analysis.second.iter().for_each(|&dat| second[dat] = self.chains.second[dat].as_ref());
        let chained = Chained {
            plan,
            loops,
            local: &self.local,
            second: &second,
            sets: &self.dats.iter().map(|d| d.set).collect::<Vec<usize>>(),
            row_bytes: &self.dats.iter().map(|d| d.dim * d.element_bytes).collect::<Vec<usize>>(),
            names: &self.dats.iter().map(|d| &d.name[..]).collect::<Vec<&str>>(),
        };
        let workers = self.team.workers();
        // Plain sums depend on which worker adds what, all others do not: they are free to take the next tile.
        let fixed = self.options.mode == Mode::Fast;
        let next = AtomicUsize::new(tiles.start);
        let take = |mine: &mut Range<usize>| match fixed {
            true => mine.next(),
            false => Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&tile| tile < tiles.end),
        };
        let work = |worker: usize, globals: &mut [GlobalStore], mut between: Option<&mut Exchange>| {
            let storage = &mut *self.chains.storages[worker].lock().expect(UNBROKEN);
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
        let (globals, parts) = (&mut self.globals[..], &self.parts[..]);
        let others = |worker: usize| work(worker, &mut parts[worker - 1].lock().expect(UNBROKEN), None);
        match tiles.len() {
            0 => {}
            1 => work(0, globals, exchange.take()),
            _ => self.team.run(|| work(0, globals, exchange.take()), others),
        }
    }

    /// Runs a chain.
    pub(super) fn execute_chain(&mut self, plan: usize, loops: &[&dyn Recorded]) {
        for global in loops.iter().flat_map(|l| l.info().globals()) {
            self.globals[global].clear();
            self.globals[global].progress = Progress::Partial;
        }
        self.chains.second.resize_with(self.dats.len(), || None);
        for &dat in &self.chains.known[plan].plan.analysis.second {
            self.chains.second[dat].get_or_insert_with(|| self.local.columns[dat].another(&self.team));
        }
        self.chains.storages.resize_with(self.team.workers(), Mutex::default);
        let (tiles, interior) =
            (self.chains.known[plan].plan.tiles.len(), self.chains.known[plan].plan.interior);
        let mut exchange = self.begin_chain_exchange(plan);
        self.run_tiles(plan, loops, 0..interior, exchange.as_mut());
        if let Some(exchange) = exchange {
            let watch = Stopwatch::start();
            exchange.end(&self.sets, &self.chains.deep, &mut self.local.columns, &mut self.buffers);
            watch.add_to(&mut self.timers[self.chains.known[plan].plan.links[0].timer].halo_wait);
        }
        self.run_tiles(plan, loops, interior..tiles, None);
        self.finish_chain(plan, loops);
    }

    /// Puts the workers' results together, counts what was done, swaps second columns in, and notes which halo copies are old.
    fn finish_chain(&mut self, plan: usize, loops: &[&dyn Recorded]) {
        let plan = &self.chains.known[plan].plan;
        for global in loops.iter().flat_map(|l| l.info().globals()) {
            for parts in &mut self.parts {
                self.globals[global].absorb(&mut parts.get_mut().expect(UNBROKEN)[global]);
            }
        }
        for storage in &mut self.chains.storages {
            let spent = storage.get_mut().expect(UNBROKEN).take_spent();
            for (link, spent) in plan.links.iter().zip(spent) {
                self.timers[link.timer].compute += spent / self.team.workers() as u32;
            }
        }
        for (link, record) in plan.links.iter().zip(loops) {
            let timer = &mut self.timers[link.timer];
            timer.calls += 1;
            timer.bytes += link.bytes;
            timer.elements += link.elements;
            timer.redundant_elements += link.redundant;
            timer.flops += (link.elements + link.redundant) * u64::from(record.info().ops.flops());
        }
        for &dat in &plan.analysis.second {
            let second = self.chains.second[dat].as_mut().expect("made above");
            std::mem::swap(&mut self.local.columns[dat], second);
        }
        for &(copy, original) in &plan.analysis.turned {
            let old =
                self.chains.second[original].as_mut().expect("the original is rewritten in a second column");
            std::mem::swap(&mut self.local.columns[copy], old);
        }
        for &dat in &plan.analysis.modified {
            note_stale(&mut self.dats[dat], &mut self.local.columns[dat], &self.sets, self.comm.size());
        }
    }
}

/// Notes that a dat's halo copies are older than their owners' values; debug builds make them show when they are used.
pub(crate) fn note_stale(dat: &mut DatInfo, column: &mut Column, sets: &[LocalSet], ranks: usize) {
    if ranks > 1 {
        (dat.stale, dat.deep_stale) = (true, true);
        if cfg!(debug_assertions) {
            column.poison_from(sets[dat.set].owned * dat.dim);
        }
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
