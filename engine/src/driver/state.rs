//! What a rank holds and has worked out for its loops: the state on which everything that runs loops works.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::observe::{Bits, Observed, Observer};
use crate::base::memory::{cache_of_a_thread, copied, own_cache};
use crate::base::thread_pool::{ThreadPool, UNBROKEN};
use crate::base::timer::{LoopTimer, Stopwatch};
use crate::comm::Comm;
use crate::driver::options::DomainOptions;
use crate::model::any::{AnyDat, AnyMap};
use crate::model::handle::{DomainId, Global, Set};
use crate::model::loop_info::LoopInfo;
use crate::schedule::make::{Settings, schedule};
use crate::schedule::plan::Plan;
use crate::schedule::reach::Reach;
use crate::schedule::steps::AvailableWorkers;
use crate::schedule::strategy::accumulate::Accumulate;
use crate::schedule::strategy::coloring::ColorCache;
use crate::schedule::sweep::sweep;
use crate::store::dat_storage::DatStorage;
use crate::store::global::{GlobalStore, Progress};
use crate::store::halo::{Buffers, Exchange, ExchangeCount, ExchangedField, HaloLists};
use crate::store::layout::{DeepSet, Layout, LocalMap, LocalSet};
use crate::store::lines::LineLists;
use crate::store::local::Local;
use crate::store::partial_halo::{PartialHalos, Reached};
use crate::store::reduction::ReductionCount;
use crate::store::tables::{DatInfo, Fresh, Geometry, MapInfo};

/// One rank's part of the mesh and of all data on it, with the plans of its loops and what they have cost.
pub struct State {
    /// The ranks.
    pub comm: Comm,
    pub(crate) id: DomainId,
    /// How loops run.
    pub options: DomainOptions,
    /// The sets.
    pub sets: Vec<LocalSet>,
    /// The maps; their indices are in `local`.
    pub maps: Vec<MapInfo>,
    /// The dats; their values are in `local`.
    pub dats: Vec<DatInfo>,
    /// Values and indices, as loops see them.
    pub local: Local,
    /// By set: rows beyond the halo; empty until something needs them.
    pub deep: Vec<DeepSet>,
    /// The parts of halos that loops reach.
    pub partial_halos: PartialHalos,
    /// What the loops met so far reach.
    pub(crate) reached: Vec<(Reach, Reached)>,
    /// Lines along which loops sweep.
    pub lines: Vec<LineLists>,
    /// The globals.
    pub globals: Vec<GlobalStore>,
    /// What all workers but the first have contributed to the globals in the running loop.
    pub parts: Vec<Mutex<Vec<GlobalStore>>>,
    /// The worker threads.
    pub pool: ThreadPool,
    /// By dat: what combines the increments of several workers, for strategies that need it.
    pub(crate) accumulators: Vec<Option<Box<dyn Accumulate>>>,
    /// The plans of the loops met so far.
    pub plans: Vec<Plan>,
    /// What loops have cost.
    pub(crate) timers: Vec<LoopTimer>,
    /// Message buffers.
    pub buffers: Buffers,
    /// What halo exchanges have sent.
    pub exchanges: ExchangeCount,
    /// How often globals have been combined.
    pub(crate) reductions: ReductionCount,
    /// Who is shown the results of loops.
    pub(crate) observer: Option<Observer>,
    /// Loops run since observing began.
    pub(crate) observed_loops: u64,
    /// Whether a rank has a device, so that every call that returns a result asks all ranks whether one has failed.
    pub(crate) can_fail: bool,
}

impl State {
    /// Takes over one rank's part.
    ///
    /// # Panics
    /// If the layout contradicts itself (sizes, index ranges): loops rely on it.
    #[track_caller]
    pub fn new(comm: Comm, layout: Layout, options: DomainOptions) -> State {
        options.lanes.prepare();
        layout.check();
        let Layout { sets, maps, dats } = layout;
        let pool = ThreadPool::new(options.threads);
        let cache = options.cache_bytes.or_else(cache_of_a_thread);
        let own_cache =
            if options.look_ahead { options.cache_bytes.unwrap_or_else(own_cache) } else { usize::MAX };
        let mut state = State {
            comm,
            id: DomainId::new(),
            options,
            local: Local {
                storages: Vec::new(),
                maps: Vec::new(),
                global_ids: sets.iter().map(|s| copied(&s.global_ids)).collect(),
                cache: cache.map_or(usize::MAX, |bytes| bytes.saturating_mul(pool.workers())),
                own_cache: own_cache.saturating_mul(pool.workers()),
                increment_buffers: Vec::new(),
                written: BTreeMap::new(),
            },
            lines: Vec::new(),
            globals: Vec::new(),
            parts: (1..pool.workers()).map(|_| Mutex::default()).collect(),
            pool,
            accumulators: Vec::new(),
            sets,
            maps: Vec::new(),
            dats: Vec::new(),
            plans: Vec::new(),
            timers: Vec::new(),
            buffers: Buffers::default(),
            exchanges: ExchangeCount::default(),
            reductions: ReductionCount::default(),
            deep: Vec::new(),
            partial_halos: PartialHalos::default(),
            reached: Vec::new(),
            observer: None,
            observed_loops: 0,
            can_fail: false,
        };
        for map in maps {
            let (LocalMap { name, from, to, arity, indices }, stays_home) = (map, false);
            state.maps.push(MapInfo { name, from, to, arity, stays_home });
            state.local.maps.push(state.pool.place(indices));
        }
        for dat in dats {
            let storage = DatStorage::new(dat.values, dat.dim, &state.pool);
            state.add_dat(&dat.name, dat.set, dat.dim, storage);
        }
        state
    }

    pub(crate) fn add_dat(&mut self, name: &str, set: usize, dim: usize, storage: DatStorage) -> u32 {
        let element = storage.element_type();
        let (name, fresh, whole_stale) = (name.into(), Fresh::All, false);
        let (deep_stale, transient, start, live) = (true, false, None, false);
        self.dats.push(DatInfo {
            name,
            set,
            dim,
            element,
            fresh,
            whole_stale,
            deep_stale,
            transient,
            start,
            live,
        });
        self.local.storages.push(storage);
        (self.dats.len() - 1) as u32
    }

    /// The index of the loop's plan, made with its timer when the loop is first met.
    pub fn plan_of(&mut self, info: &LoopInfo) -> usize {
        if let Some(found) = self.plans.iter().position(|p| p.fits(info)) {
            return found;
        }
        let timer = self.timer_of(info.name);
        let geometry =
            Geometry { sets: &self.sets, maps: &self.maps, indices: &self.local.maps, dats: &self.dats };
        let watch = Stopwatch::start();
        let settings = Settings {
            strategy: self.options.strategy(),
            region_rows: self.options.region_rows,
            block_rows: self.options.block_rows,
            available: AvailableWorkers {
                workers: self.options.threads.max(1),
                grain: self.options.grain_of(info.ops.flops()),
            },
            color_cache: self.options.color_cache.as_deref().map(|cache| cache as &dyn ColorCache),
        };
        let made = match info.sweep {
            Some(of) => sweep(&self.lines[of.lines], of.backward, settings.available),
            None => schedule(&settings, info, &geometry, &self.comm),
        };
        watch.add_to(&mut self.timers[timer].setup);
        let mut plan = Plan::new(info, &geometry, made, timer);
        if self.comm.size() > 1 && self.options.partial_halos {
            let (halos, known) = (&mut self.partial_halos, &mut self.reached);
            plan.halo_reads.retain_mut(|read| {
                let reach = Reach::of(info, read.dat, &geometry);
                let reached = match known.iter().find(|(earlier, _)| *earlier == reach) {
                    Some(&(_, reached)) => reached,
                    None => {
                        let rows = reach.halo_rows(info, &geometry);
                        let reached = halos.list(rows, reach.set, &self.sets, &self.comm);
                        known.push((reach, reached));
                        reached
                    }
                };
                (read.reached, read.fetched) = (reached.partial(), reached.partial());
                if reached == Reached::Nothing {
                    plan.unreached.push(read.dat);
                }
                reached != Reached::Nothing
            });
        }
        plan.schedule.targets.place(&self.pool);
        self.timers[timer].colors = plan.schedule.colors;
        self.local.make_room(&plan.schedule, info, &self.dats, self.pool.workers());
        self.accumulators.resize_with(self.dats.len(), || None);
        for privatised in &plan.schedule.privatised {
            let plug = self.options.strategy().plug().expect("the strategy has made the schedule");
            let (workers, block_rows) = (self.pool.workers(), self.options.block_rows);
            self.accumulators[privatised.dat].get_or_insert_with(|| (plug.make)(workers, block_rows));
        }
        self.plans.push(plan);
        self.plans.len() - 1
    }

    /// What is exchanged with which rank.
    pub fn halo_lists(&self) -> HaloLists<'_> {
        HaloLists { sets: &self.sets, deep: &self.deep, partial: &self.partial_halos }
    }

    /// Begins to fetch the halo copies of these dats.
    pub fn begin_exchange(&mut self, dats: Vec<ExchangedField>) -> Exchange {
        let lists = HaloLists { sets: &self.sets, deep: &self.deep, partial: &self.partial_halos };
        let (storages, buffers) = (&mut self.local.storages, &mut self.buffers);
        Exchange::begin(&self.comm, lists, storages, dats, buffers, &mut self.exchanges)
    }

    /// Fetches the halo copies of these dats.
    pub(crate) fn exchange(&mut self, dats: Vec<ExchangedField>) {
        if !dats.is_empty() {
            let exchange = self.begin_exchange(dats);
            self.end_exchange(exchange);
        }
    }

    /// Waits for halo copies and stores them.
    pub fn end_exchange(&mut self, exchange: Exchange) {
        let lists = HaloLists { sets: &self.sets, deep: &self.deep, partial: &self.partial_halos };
        exchange.end(lists, &mut self.local.storages, &mut self.buffers);
    }

    /// Notes that these loops' globals start again on all ranks.
    pub fn begin_globals(&mut self, info: &LoopInfo) {
        for global in info.globals() {
            self.globals[global].clear();
            self.globals[global].progress = Progress::Partial;
        }
    }

    /// Adds what the other workers have contributed to a loop's globals.
    pub fn absorb_parts(&mut self, info: &LoopInfo) {
        for parts in &mut self.parts {
            let parts = parts.get_mut().expect(UNBROKEN);
            info.globals().for_each(|global| self.globals[global].absorb(&mut parts[global]));
        }
    }

    /// Bytes of all dats, maps, schedules, partial halos, increment buffers and accumulators.
    pub fn bytes(&self) -> usize {
        let schedules: usize = self.plans.iter().map(|p| p.schedule.bytes()).sum();
        let increment_buffers: usize = self.local.increment_buffers.iter().map(|b| 8 * b.len()).sum();
        let dats: usize = self.local.storages.iter().map(|c| c.len() * c.element_bytes()).sum();
        let accumulators: usize = self.accumulators.iter().flatten().map(|a| a.bytes()).sum();
        let maps: usize = self.local.maps.iter().map(|m| m.len() * 4).sum();
        accumulators + dats + maps + schedules + increment_buffers + self.partial_halos.bytes()
    }

    /// Whether there is an observer, who is shown loops one by one.
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Shows these dats to the observer, if there is one.
    pub fn show(&mut self, loop_name: &str, dats: &[usize]) {
        let Some(observer) = &mut self.observer else { return };
        self.observed_loops += 1;
        for &dat in dats {
            let DatInfo { name, set, dim, .. } = &self.dats[dat];
            let set = &self.sets[*set];
            let rows: Vec<u32> = (0..set.owned as u32).collect();
            let mut words = Vec::new();
            let storage = &mut self.local.storages[dat];
            storage.pack(&rows, *dim, &mut words);
            let values = match storage {
                DatStorage::F64(_) | DatStorage::F32(_) => Bits::F64(&words),
                DatStorage::I32(_) => Bits::I32(&words),
            };
            observer(Observed {
                comm: &self.comm,
                loops: self.observed_loops,
                loop_name,
                dat: name,
                dim: *dim,
                rows: set.global_rows,
                global_ids: &set.global_ids[..set.owned],
                values,
            });
        }
    }

    // The positions that handles stand for. They panic if the handle belongs to another domain, where its position is
    // that of something else.

    #[track_caller]
    pub(crate) fn set_index(&self, set: Set) -> usize {
        self.index("set", set.domain, set.id)
    }

    #[track_caller]
    pub(crate) fn map_index(&self, map: AnyMap) -> usize {
        self.index("map", map.from.domain, map.id)
    }

    #[track_caller]
    pub(crate) fn dat_index(&self, dat: AnyDat) -> usize {
        self.index("dat", dat.set.domain, dat.id)
    }

    #[track_caller]
    pub(crate) fn global_index<P>(&self, global: Global<P>) -> usize {
        self.index("global", global.domain, global.id)
    }

    #[track_caller]
    fn index(&self, what: &str, domain: DomainId, id: u32) -> usize {
        assert!(domain == self.id, "the {what} belongs to another domain");
        id as usize
    }
}
