//! The domain: one rank's sets, maps and dats, and the loops recorded on them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::chain::{Chains, Start};
use crate::comm::Comm;
use crate::copies::whole_copies;
use crate::device::OnDevice;
use crate::erased::{AnyDat, AnyMap};
use crate::global::{Extremum, GlobalStore, NOWHERE, Progress, ReductionCount, reduce};
use crate::halo::{Buffers, ExchangeCount, Traveller};
use crate::handle::{Dat, DomainId, Global, Map, Set};
use crate::kernel::{Kernel, Max, Min, Param, Sum};
use crate::lane::Width;
use crate::layout::{Layout, LocalSet};
use crate::local::Local;
use crate::memory::{cache_of_a_thread, own_cache};
use crate::mesh::only_name;
use crate::observe::Observer;
use crate::operand::Operands;
use crate::plan::Plan;
use crate::record::{LoopInfo, Record, Recorded};
use crate::reducer::{AnyReducer, Reducer};
use crate::storage::{Column, Stored};
use crate::strategy::coloring::ColorCache;
use crate::strategy::{Mode, Strategy};
use crate::sum::Sums;
use crate::team::Team;
use crate::timer::LoopTimer;

/// Recorded loops are run at the latest when there are this many.
const LONGEST_QUEUE: usize = 64;
/// Why a worker's lock is never poisoned.
pub(crate) const UNBROKEN: &str = "a worker that panics takes its rank down";

/// Why a handle could not be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum DomainError {
    /// No set, map or dat of that name.
    #[error("the mesh has no {kind} \"{name}\"; it has {}", known.join(", "))]
    Unknown {
        /// "set", "map" or "dat".
        kind: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The thing of that name has another shape or type.
    #[error("{kind} \"{name}\" has {found}, but the application needs {wanted}")]
    Shape {
        /// "map" or "dat".
        kind: String,
        /// Its name.
        name: String,
        /// What it has.
        found: String,
        /// What was asked for.
        wanted: String,
    },
}

/// How the domain runs loops.
#[derive(Clone)]
pub struct DomainOptions {
    /// Exchange halos while the core is computed (true) or before it (false).
    pub overlap: bool,
    /// What is promised about bits.
    pub mode: Mode,
    /// How loops that change values through maps are executed.
    pub strategy: Strategy,
    /// About how many targets a region has; 0: one region a thread.
    pub region_rows: usize,
    /// Rows in a block, for strategies that have blocks.
    pub block_rows: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// A thread is not woken for fewer elements than this.
    pub grain: usize,
    /// Run chains of loops tile by tile where that moves fewer bytes; see `docs/chains.md`.
    pub chain: bool,
    /// Number of elements in a tile of a chain; 0: as many as the cache takes, and chains only where they pay.
    pub tile_rows: usize,
    /// How global sums are added in reproducible mode.
    pub sums: Sums,
    /// Elements that a kernel works on together. It does not change a bit.
    pub lanes: Width,
    /// Bytes of cache for each thread: loops over more store past the cache the one dat that they only write. None: as much as the
    /// system says, and none past the cache where it does not. It does not change a bit.
    pub cache_bytes: Option<usize>,
    /// Ask for a loop's operands a way ahead of their use, where they are more than the cores' own caches hold. It does not change
    /// a bit.
    pub look_ahead: bool,
    /// Where greedy colorings are kept between runs.
    pub color_cache: Option<Arc<dyn ColorCache + Send + Sync>>,
}

impl Default for DomainOptions {
    fn default() -> Self {
        DomainOptions {
            overlap: true,
            mode: Mode::Reproducible,
            strategy: Strategy::Regions,
            region_rows: 0,
            block_rows: 1024,
            threads: 1,
            grain: 4096,
            chain: false,
            tile_rows: 0,
            sums: Sums::Exact,
            lanes: Width::widest(),
            cache_bytes: None,
            look_ahead: true,
            color_cache: None,
        }
    }
}

pub(crate) struct MapInfo {
    pub(crate) name: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) arity: usize,
}

pub(crate) struct DatInfo {
    pub(crate) name: String,
    pub(crate) set: usize,
    pub(crate) dim: usize,
    pub(crate) element_bytes: usize,
    /// The halo copies are older than their owners' values.
    pub(crate) stale: bool,
    /// The same of copies beyond the halo, which chains need.
    pub(crate) deep_stale: bool,
    /// Its values do not outlive a chain; see [`Domain::new_transient`].
    pub(crate) transient: bool,
    /// What it holds before the first of the loops recorded with it since the last result.
    pub(crate) start: Option<Start>,
    /// It holds values of loops that have run since the last result.
    pub(crate) carried: bool,
}

impl DatInfo {
    /// Bytes of one element's values.
    pub(crate) fn row_bytes(&self) -> usize {
        self.dim * self.element_bytes
    }

    pub(crate) fn traveller(&self, dat: usize) -> Traveller {
        Traveller { dat, set: self.set, dim: self.dim, deep: false }
    }
}

/// One rank's part of the mesh and of all data on it, and the loops recorded on them.
///
/// All ranks make the same calls in the same order.
pub struct Domain {
    pub(crate) comm: Comm,
    pub(crate) id: DomainId,
    pub(crate) options: DomainOptions,
    pub(crate) sets: Vec<LocalSet>,
    pub(crate) maps: Vec<MapInfo>,
    pub(crate) dats: Vec<DatInfo>,
    pub(crate) local: Local,
    pub(crate) globals: Vec<GlobalStore>,
    /// What the workers but the first have found of the globals in the running loop.
    pub(crate) parts: Vec<Mutex<Vec<GlobalStore>>>,
    pub(crate) team: Team,
    /// By dat: what brings together the increments of several workers, in strategies that need it.
    pub(crate) reducers: Vec<Option<AnyReducer<f64>>>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) timers: Vec<LoopTimer>,
    pub(crate) buffers: Buffers,
    pub(crate) exchanges: ExchangeCount,
    reductions: ReductionCount,
    queue: Vec<Box<dyn Recorded>>,
    pub(crate) chains: Chains,
    pub(crate) observer: Option<Observer>,
    pub(crate) observed_loops: u64,
    pub(crate) device: Option<Box<OnDevice>>,
}

impl Domain {
    /// Takes over one rank's part.
    ///
    /// # Panics
    /// If the layout contradicts itself (sizes, index ranges): loops rely on it.
    pub fn new(comm: Comm, layout: Layout, options: DomainOptions) -> Domain {
        options.lanes.prepare();
        layout.check();
        let Layout { sets, maps, dats } = layout;
        let team = Team::new(options.threads);
        let cache = options.cache_bytes.or_else(cache_of_a_thread);
        let own_cache =
            if options.look_ahead { options.cache_bytes.unwrap_or_else(own_cache) } else { usize::MAX };
        let mut domain = Domain {
            comm,
            id: DomainId::new(),
            options,
            local: Local {
                columns: Vec::new(),
                maps: Vec::new(),
                global_ids: sets.iter().map(|s| s.global_ids.clone()).collect(),
                cache: cache.map_or(usize::MAX, |bytes| bytes.saturating_mul(team.workers())),
                own_cache: own_cache.saturating_mul(team.workers()),
                staging: Vec::new(),
                written: BTreeMap::new(),
            },
            globals: Vec::new(),
            parts: (1..team.workers()).map(|_| Mutex::default()).collect(),
            team,
            reducers: Vec::new(),
            sets,
            maps: Vec::new(),
            dats: Vec::new(),
            plans: Vec::new(),
            timers: Vec::new(),
            buffers: Buffers::default(),
            exchanges: ExchangeCount::default(),
            reductions: ReductionCount::default(),
            queue: Vec::new(),
            chains: Chains::default(),
            observer: None,
            observed_loops: 0,
            device: None,
        };
        for map in maps {
            domain.maps.push(MapInfo { name: map.name, from: map.from, to: map.to, arity: map.arity });
            domain.local.maps.push(domain.team.place(map.indices));
        }
        for dat in dats {
            let column = Column::new(dat.values, dat.dim, &domain.team);
            domain.add_column(&dat.name, dat.set, dat.dim, column);
        }
        domain
    }

    fn add_column(&mut self, name: &str, set: usize, dim: usize, column: Column) -> u32 {
        let element_bytes = column.element_bytes();
        let (name, stale, transient) = (name.into(), false, false);
        let (deep_stale, start, carried) = (true, None, false);
        self.dats.push(DatInfo {
            name,
            set,
            dim,
            element_bytes,
            stale,
            deep_stale,
            transient,
            start,
            carried,
        });
        self.local.columns.push(column);
        (self.dats.len() - 1) as u32
    }

    /// The communicator the domain lives on.
    pub fn comm(&self) -> &Comm {
        &self.comm
    }

    /// The set of that name.
    pub fn set(&self, name: &str) -> Result<Set, DomainError> {
        let names = || self.sets.iter().map(|s| s.name.clone());
        Ok(self.set_handle(find("set", name, names())? as usize))
    }

    /// The map of that name, if it has arity `N`.
    pub fn map<const N: usize>(&self, name: &str) -> Result<Map<N>, DomainError> {
        let AnyMap { id, from, to, arity } = self.any_map(name)?;
        if arity != N {
            let (found, wanted) = (format!("arity {arity}"), format!("arity {N}"));
            return Err(DomainError::Shape { kind: "map".into(), name: name.into(), found, wanted });
        }
        Ok(Map { id, from, to })
    }

    /// The dat of that name, if it has dimension `D` and element type `T`.
    pub fn dat<const D: usize, T: Stored>(&self, name: &str) -> Result<Dat<D, T>, DomainError> {
        let AnyDat { id, set, dim, element } = self.any_dat(name)?;
        if (dim, element) != (D, T::TYPE) {
            return Err(DomainError::Shape {
                kind: "dat".into(),
                name: name.into(),
                found: format!("{dim} {element} an element"),
                wanted: format!("{D} {} an element", T::TYPE),
            });
        }
        Ok(Dat { id, set, element: std::marker::PhantomData })
    }

    pub(crate) fn set_handle(&self, set: usize) -> Set {
        Set { domain: self.id, id: set as u32 }
    }

    /// A new dat, zero everywhere.
    ///
    /// # Panics
    /// If there is a dat of that name.
    #[track_caller]
    pub fn new_dat<const D: usize, T: Stored>(&mut self, set: Set, name: &str) -> Dat<D, T> {
        let home = self.set_index(set);
        only_name("dat", name, self.dats.iter().map(|d| &d.name));
        let column = Column::new(T::zeros(self.sets[home].total() * D), D, &self.team);
        let id = self.add_column(name, home, D, column);
        Dat { id, set, element: std::marker::PhantomData }
    }

    /// A new dat whose values do not outlive a chain of loops, so that they need not be stored.
    ///
    /// Between two results ([`Domain::get`], [`Domain::read`], [`Domain::flush`], ...) no loop may read the dat before
    /// another has overwritten it (`Write` on the dat's own set). Or the first loop that uses it increments it: then it
    /// starts from zeros, and the last loop that uses it must leave zeros, as it does where the loop that takes a sum
    /// clears it for the next. Debug builds check the zeros, and poison what is dead.
    #[track_caller]
    pub fn new_transient<const D: usize, T: Stored>(&mut self, set: Set, name: &str) -> Dat<D, T> {
        let dat = self.new_dat(set, name);
        self.dats[dat.id as usize].transient = true;
        dat
    }

    /// A new global sum; see [`Domain::get`].
    pub fn new_sum<const D: usize>(&mut self, name: &str) -> Global<Sum<D>> {
        self.new_global(name)
    }

    /// A new global minimum; see [`Domain::extremum`].
    pub fn new_min<const D: usize>(&mut self, name: &str) -> Global<Min<D>> {
        self.new_global(name)
    }

    /// A new global maximum; see [`Domain::extremum`].
    pub fn new_max<const D: usize>(&mut self, name: &str) -> Global<Max<D>> {
        self.new_global(name)
    }

    fn new_global<P: Param>(&mut self, name: &str) -> Global<P> {
        let sums = (self.options.mode == Mode::Reproducible).then_some(self.options.sums);
        let global = GlobalStore::new(name, P::ACCESS, P::DIM, sums);
        for parts in &mut self.parts {
            parts.get_mut().expect(UNBROKEN).push(global.part());
        }
        self.globals.push(global);
        let id = (self.globals.len() - 1) as u32;
        Global { domain: self.id, id, param: std::marker::PhantomData }
    }

    /// Records a loop: `kernel` for every element of `set`, with these operands and constants.
    ///
    /// The loop runs when a result is asked for ([`Domain::get`], [`Domain::read`], ...).
    ///
    /// A dat that is written (`Write`) through a map keeps one of the values its writers give it, so all of them must
    /// give the same, or there must be only one: debug builds check it.
    ///
    /// Dimensions, element types and the number of operands are checked by the compiler.
    ///
    /// # Panics
    /// If a handle belongs to another domain, an operand is not on the loop's set, a map does not start there or does not lead to the dat's set, or a
    /// dat is used under two modes (only `Read` with `Read` and, through maps, `Inc` with `Inc` and `Rw` with `Rw` may
    /// meet). Where two `Rw` of one element are one row, both start from its old value and the last one is kept.
    #[track_caller]
    pub fn par_loop<K: Kernel, A: Operands<K::Params>>(
        &mut self,
        _kernel: K,
        set: Set,
        operands: A,
        constants: &K::Constants,
    ) {
        let (name, param_names, args) = (K::NAME, K::PARAM_NAMES, operands.infos());
        let info = LoopInfo { name, param_names, set, args, ops: K::OPS, copies: K::COPIES };
        info.check(self);
        self.begin_transients(&info);
        let width = self.options.lanes;
        self.queue.push(Box::new(Record::<K, A> { info, operands, constants: *constants, width }));
        if self.queue.len() >= LONGEST_QUEUE {
            self.run_queue(false);
        }
    }

    /// How many elements a kernel works on together.
    pub fn lanes(&self) -> Width {
        self.options.lanes
    }

    /// Runs everything recorded so far.
    pub fn flush(&mut self) {
        self.run_queue(true);
    }

    /// Runs what was recorded; with a full queue and no result asked for, up to where the sequence begins anew.
    fn run_queue(&mut self, last: bool) {
        let again = |record: &dyn Recorded| {
            let (info, first) = (record.info(), self.queue[0].info());
            (info.name, &info.args) == (first.name, &first.args)
        };
        let count = match self.queue.iter().rposition(|record| again(&**record)) {
            Some(at) if !last && at > 0 => at,
            _ => self.queue.len(),
        };
        let count = match last {
            true => count,
            false => whole_copies(&self.queue.iter().map(|r| r.info()).collect::<Vec<_>>(), count),
        };
        let records = std::mem::take(&mut self.queue);
        match self.device {
            None => self.run_programme(&records, count, last),
            Some(_) => self.execute_each(&records[..count]),
        }
        self.queue.extend(records.into_iter().skip(count));
    }

    /// The sum that the last loop with this global made; runs what was recorded.
    ///
    /// # Panics
    /// If no loop has produced it.
    #[track_caller]
    pub fn get<const D: usize>(&mut self, sum: Global<Sum<D>>) -> [f64; D] {
        let store = self.reduced(self.global_index(sum));
        std::array::from_fn(|m| store.values[m])
    }

    /// The extrema, and where they are, that the last loop with this global found; runs what was recorded.
    ///
    /// # Panics
    /// If no loop has produced it.
    #[track_caller]
    pub fn extremum<const D: usize, P: ExtremumOf<D>>(&mut self, global: Global<P>) -> [Extremum; D] {
        let store = self.reduced(self.global_index(global));
        std::array::from_fn(|m| Extremum {
            value: store.values[m],
            element: (store.at[m] != NOWHERE).then_some(store.at[m]),
        })
    }

    #[track_caller]
    fn reduced(&mut self, global: usize) -> &GlobalStore {
        self.flush();
        if self.globals[global].progress == Progress::Partial {
            self.collect_results();
            reduce(&self.comm, &mut self.globals, &mut self.reductions);
        }
        let store = &self.globals[global];
        assert!(store.progress == Progress::Reduced, "no loop has produced the global \"{}\"", store.name);
        store
    }

    /// The values of the owned rows, in local order (see [`Domain::global_ids`]); runs what was recorded.
    #[track_caller]
    pub fn read<const D: usize, T: Stored>(&mut self, dat: Dat<D, T>) -> Vec<T> {
        self.read_as(dat.into())
    }

    /// Sets the values of the owned rows, in local order (see [`Domain::global_ids`]); runs what was recorded. Halo
    /// copies are fetched anew when a loop next reads them, so every rank must call it.
    ///
    /// # Panics
    /// If there are not as many values as owned rows have.
    #[track_caller]
    pub fn write<const D: usize, T: Stored>(&mut self, dat: Dat<D, T>, values: &[T]) {
        self.write_as(dat.into(), values);
    }

    /// The values of one element, wherever it is; runs what was recorded. Collective.
    #[track_caller]
    pub fn element<const D: usize, T: Stored>(&mut self, dat: Dat<D, T>, global_id: u64) -> [T; D] {
        let (dat, set) = (self.dat_index(dat.into()), self.set_index(dat.set));
        self.flush();
        self.refuse_transient(dat);
        self.bring_home(dat);
        let set = &self.sets[set];
        let row = set.global_ids[..set.owned].iter().position(|&g| g == global_id);
        // SAFETY: nothing runs; the cells are only read while `self` is borrowed.
        let own: Vec<T> = row.map_or(Vec::new(), |row| {
            let cells = &T::cells(&self.local.columns[dat])[row * D..(row + 1) * D];
            cells.iter().map(|c| unsafe { *c.get() }).collect()
        });
        let found = self.comm.all_gather(&own).concat();
        assert!(found.len() == D, "element {global_id} of {} has exactly one owner", set.name);
        let mut values = [T::zeroed(); D];
        values.copy_from_slice(&found);
        values
    }

    /// Global ids of the owned rows of a set, in local order.
    #[track_caller]
    pub fn global_ids(&self, set: Set) -> &[u64] {
        let set = &self.sets[self.set_index(set)];
        &set.global_ids[..set.owned]
    }

    /// Global ids of the targets of the owned rows of a map's source set, in local order.
    #[track_caller]
    pub fn target_ids<const N: usize>(&self, map: Map<N>) -> Vec<[u64; N]> {
        let (targets, ids) = self.owned_targets(map.into());
        let (rows, _) = targets.as_chunks::<N>();
        rows.iter().map(|row| row.map(|target| ids[target as usize])).collect()
    }

    /// Number of elements of a set over all ranks.
    #[track_caller]
    pub fn rows(&self, set: Set) -> u64 {
        self.sets[self.set_index(set)].global_rows
    }

    /// This rank's sets, with their halos.
    pub fn local_sets(&self) -> &[LocalSet] {
        &self.sets
    }

    /// What the loops have cost so far, in the order in which they first ran; on a device it waits for them.
    pub fn timers(&mut self) -> &[LoopTimer] {
        self.collect_times();
        &self.timers
    }

    /// Goes on as `next`, a domain of another mesh on the same ranks. Handles of this one are refused from then on; timers,
    /// counts and the observer go on. Runs what was recorded. Collective.
    pub fn replace(&mut self, mut next: Domain) {
        self.flush();
        self.collect_times();
        next.flush();
        next.collect_times();
        for earlier in &self.timers {
            match next.timers.iter_mut().find(|timer| timer.name == earlier.name) {
                Some(timer) => timer.add(earlier),
                None => next.timers.push(earlier.clone()),
            }
        }
        next.exchanges += self.exchanges;
        next.reductions += self.reductions;
        next.observer = self.observer.take();
        next.observed_loops += self.observed_loops;
        *self = next;
    }

    /// What halo exchanges have sent from this rank so far.
    pub fn exchanges(&self) -> ExchangeCount {
        self.exchanges
    }

    /// How often globals have been combined over the ranks so far.
    pub fn reductions(&self) -> ReductionCount {
        self.reductions
    }

    /// Bytes of all dats, maps, schedules, temporary arrays and reducers on this rank.
    pub fn memory(&self) -> usize {
        let schedules: usize = self.plans.iter().map(|p| p.schedule.bytes()).sum();
        let staging: usize = self.local.staging.iter().map(|b| 8 * b.len()).sum();
        let dats: usize = self.local.columns.iter().map(|c| c.len() * c.element_bytes()).sum();
        let reducers: usize = self.reducers.iter().flatten().map(Reducer::bytes).sum();
        let maps: usize = self.local.maps.iter().map(|m| m.len() * 4).sum();
        reducers + dats + maps + schedules + staging + self.chains.bytes()
    }
}

/// `Min<D>` and `Max<D>`, for [`Domain::extremum`].
pub trait ExtremumOf<const D: usize> {}
impl<const D: usize> ExtremumOf<D> for Min<D> {}
impl<const D: usize> ExtremumOf<D> for Max<D> {}

pub(crate) fn find(kind: &str, name: &str, names: impl Iterator<Item = String>) -> Result<u32, DomainError> {
    let known: Vec<String> = names.collect();
    match known.iter().position(|n| n == name) {
        Some(id) => Ok(id as u32),
        None => Err(DomainError::Unknown { kind: kind.into(), name: name.into(), known }),
    }
}
