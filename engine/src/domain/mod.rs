//! The domain: one rank's sets, maps and dats, and the loops recorded on them.

mod erased;
pub(crate) mod lines;
mod subset;
mod to_mesh;

use cfd_lanes::Width;
use serde::{Deserialize, Serialize};

use crate::base::thread_pool::UNBROKEN;
use crate::base::timer::LoopTimer;
use crate::comm::Comm;
use crate::cpu::operand::Operands;
use crate::cpu::record::{Record, Recorded};
use crate::driver::backend::{Backend, BackendError};
use crate::driver::copies::{SendOnly, whole_copies};
use crate::driver::observe::Observer;
pub use crate::driver::options::DomainOptions;
use crate::driver::processor::Processor;
use crate::driver::state::State;
use crate::model::any::{AnyDat, AnyMap};
use crate::model::handle::{Dat, Global, Map, Set};
use crate::model::kernel::{Kernel, Max, Min, Param, Sum};
use crate::model::loop_info::{LoopInfo, SweepInfo};
use crate::schedule::strategy::class::Mode;
use crate::store::dat_storage::{DatStorage, Stored};
use crate::store::global::{Extremum, GlobalStore, NOWHERE, Progress};
use crate::store::halo::ExchangeCount;
use crate::store::layout::{Layout, LocalSet};
use crate::store::mesh::only_name;
use crate::store::reduction::{ReductionCount, reduce};

/// Recorded loops run at the latest when there are this many.
const LONGEST_QUEUE: usize = 64;

/// Why a handle could not be provided.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum DomainError {
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// No set, map or dat has this name.
    #[error("the mesh has no {kind} \"{name}\"; it has {}", known.join(", "))]
    Unknown {
        /// "set", "map" or "dat".
        kind: String,
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// What has this name has another shape or type.
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
    /// Maps that do not form lines.
    #[error(
        "element {element} of {set} {}",
        if *cut { "is on a line that belongs to several ranks: partition lines, not their elements" }
        else { "is not on a line: the maps to the elements before and after do not lead back and forth" }
    )]
    Lines {
        /// The set.
        set: String,
        /// The global id of the element.
        element: u64,
        /// Whether its line is cut; otherwise the maps contradict each other.
        cut: bool,
    },
}

/// One rank's part of the mesh and of all data on it, and the loops recorded on them.
///
/// All ranks make the same calls in the same order.
pub struct Domain {
    state: State,
    queue: Vec<Box<dyn Recorded>>,
    backend: Box<dyn Backend>,
    /// The options with which it was made; a backend may have changed them since.
    given: DomainOptions,
    /// Why this rank's backend has been given up, and whether all ranks know.
    failed: Option<BackendError>,
    all_know: bool,
}

impl Domain {
    /// Takes over one rank's part.
    ///
    /// # Panics
    /// If the layout contradicts itself (sizes, index ranges), since loops rely on it; or if the mode promises its bits
    /// and the strategy asked for does not.
    #[track_caller]
    pub fn new(comm: Comm, layout: Layout, options: DomainOptions) -> Domain {
        let strategy = options.strategy();
        assert!(
            options.mode == Mode::Fast || strategy.is_reproducible(),
            "strategy \"{}\" guarantees no bits: choose another one, or Mode::Fast",
            strategy.name()
        );
        let backend = options.backend.map_or_else(|| Box::new(Processor) as Box<dyn Backend>, |make| make());
        Domain {
            given: options.clone(),
            state: State::new(comm, layout, options),
            queue: Vec::new(),
            backend,
            failed: None,
            all_know: false,
        }
    }

    /// Shows every dat that a loop changes to `observer`, after each loop; `None` stops that. Runs what was recorded
    /// before. Observing changes no values.
    pub fn observe(&mut self, observer: Option<Observer>) {
        self.run_queue(true);
        self.state.observer = observer;
        self.state.observed_loops = 0;
    }

    /// The communicator the domain lives on.
    pub fn comm(&self) -> &Comm {
        &self.state.comm
    }

    /// The set with this name.
    pub fn set(&self, name: &str) -> Result<Set, DomainError> {
        let names = || self.state.sets.iter().map(|s| s.name.clone());
        Ok(self.set_handle(find("set", name, names())? as usize))
    }

    /// The map with this name, if it has arity `N`.
    pub fn map<const N: usize>(&self, name: &str) -> Result<Map<N>, DomainError> {
        let AnyMap { id, from, to, arity } = self.any_map(name)?;
        if arity != N {
            let (found, wanted) = (format!("arity {arity}"), format!("arity {N}"));
            return Err(DomainError::Shape { kind: "map".into(), name: name.into(), found, wanted });
        }
        Ok(Map { id, from, to })
    }

    /// The dat with this name, if it has dimension `D` and element type `T`.
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
        Set { domain: self.state.id, id: set as u32 }
    }

    /// A new dat, zero everywhere.
    ///
    /// # Panics
    /// If a dat has this name.
    #[track_caller]
    pub fn new_dat<const D: usize, T: Stored>(&mut self, set: Set, name: &str) -> Dat<D, T> {
        let set_index = self.state.set_index(set);
        only_name("dat", name, self.state.dats.iter().map(|d| &d.name));
        let storage = DatStorage::zeros::<T>(self.state.sets[set_index].total(), D, &self.state.pool);
        let id = self.state.add_dat(name, set_index, D, storage);
        Dat { id, set, element: std::marker::PhantomData }
    }

    /// A new dat whose values do not outlive a chain of loops and so need not be stored.
    ///
    /// Between two results ([`Domain::get`], [`Domain::read`], [`Domain::flush`], ...), no loop may read the dat before
    /// another has overwritten it (`Write` on the dat's own set). Alternatively, the first loop that uses it increments
    /// it: it then starts from zeros, and the last loop that uses it must leave zeros, as when the loop that takes a
    /// sum clears it for the next one. Debug builds check the zeros and poison dead values.
    #[track_caller]
    pub fn new_transient<const D: usize, T: Stored>(&mut self, set: Set, name: &str) -> Dat<D, T> {
        let dat = self.new_dat(set, name);
        self.state.dats[dat.id as usize].transient = true;
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
        let sums = (self.state.options.mode == Mode::Reproducible).then_some(self.state.options.sums);
        let global = GlobalStore::new(name, P::ACCESS, P::DIM, sums);
        for parts in &mut self.state.parts {
            parts.get_mut().expect(UNBROKEN).push(global.part());
        }
        self.state.globals.push(global);
        let id = (self.state.globals.len() - 1) as u32;
        Global { domain: self.state.id, id, param: std::marker::PhantomData }
    }

    /// Records a loop: `kernel`, a function marked `#[kernel]`, for every element of `set`, with these operands and
    /// constants.
    ///
    /// The loop runs when a result is asked for ([`Domain::get`], [`Domain::read`], ...).
    ///
    /// A dat that is written (`Write`) through a map keeps one of its writers' values, so either all of them write the
    /// same value or there is only one writer; debug builds check this.
    ///
    /// Dimensions, element types and the number of operands are checked by the compiler.
    ///
    /// # Panics
    /// If a handle belongs to another domain, an operand is not on the loop's set, a map does not start there or does
    /// not lead to the dat's set, or a dat is used under two modes (only `Read` with `Read` and, through maps, `Inc`,
    /// `Min`, `Max` and `Rw` each with itself may meet). Where two `Rw` of one element are the same row, both start from
    /// its old value and the last one is kept.
    #[track_caller]
    pub fn par_loop<K: Kernel, A: Operands<K::Params>>(
        &mut self,
        _kernel: fn() -> K,
        set: Set,
        operands: A,
        constants: &K::Constants,
    ) {
        self.record::<K, A>(set, None, operands, constants);
    }

    /// Records a loop, or a sweep.
    #[track_caller]
    fn record<K: Kernel, A: Operands<K::Params>>(
        &mut self,
        set: Set,
        sweep: Option<SweepInfo>,
        operands: A,
        constants: &K::Constants,
    ) {
        let (name, argument_names, args) = (K::NAME, K::ARGUMENT_NAMES, operands.infos());
        // A copy to another type of values is a loop like any other.
        let mut elements = args.iter().map(|arg| self.state.dats.get(arg.dat()?).map(|dat| dat.element));
        let copies = K::COPIES && elements.next() == elements.next();
        let info = LoopInfo { name, argument_names, set, args, ops: K::OPS, copies, sweep };
        if let Err(why) = info.check(&self.state) {
            panic!("{why}");
        }
        self.state.begin_transients(&info);
        let width = self.state.options.lanes;
        self.queue.push(Box::new(Record::<K, A> { info, operands, constants: *constants, width }));
        if self.queue.len() >= LONGEST_QUEUE {
            self.run_queue(false);
        }
    }

    /// How many elements a kernel computes at once.
    pub fn lanes(&self) -> Width {
        self.state.options.lanes
    }

    /// Runs everything recorded so far.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    pub fn flush(&mut self) -> Result<(), BackendError> {
        self.run_queue(true);
        self.settle()
    }

    /// Records a failure; from then on, this rank only takes part in the exchanges of the others.
    fn note<T>(&mut self, result: Result<T, BackendError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let rank = self.state.comm.rank();
                self.failed.get_or_insert_with(|| error.on(rank));
                self.backend = Box::new(SendOnly);
                None
            }
        }
    }

    /// An error if a rank has failed. Collective if a rank can fail.
    fn settle(&mut self) -> Result<(), BackendError> {
        if self.all_know || !self.state.can_fail {
            return self.failed.clone().map_or(Ok(()), Err);
        }
        let own = self.failed.clone().map_or(Ok(()), Err);
        self.state.comm.agree(own).map_err(|error| {
            self.all_know = true;
            // This rank's own error says more than its message does.
            let known = self.failed.take().filter(|own| *own == error).unwrap_or(error);
            self.failed.insert(known).clone()
        })
    }

    /// Runs what was recorded; if the queue is full and no result is asked for, up to where the sequence starts again.
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
        let result = self.backend.run(&mut self.state, &records, count, last);
        self.note(result);
        self.queue.extend(records.into_iter().skip(count));
    }

    /// The sum from the last loop with this global; runs what was recorded.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    ///
    /// # Panics
    /// If no loop has produced it.
    #[track_caller]
    pub fn get<const D: usize>(&mut self, sum: Global<Sum<D>>) -> Result<[f64; D], BackendError> {
        let store = self.reduced(self.state.global_index(sum))?;
        Ok(std::array::from_fn(|m| store.values[m]))
    }

    /// The extrema, with their locations, from the last loop with this global; runs what was recorded.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    ///
    /// # Panics
    /// If no loop has produced it.
    #[track_caller]
    pub fn extremum<const D: usize, P: ExtremumOf<D>>(
        &mut self,
        global: Global<P>,
    ) -> Result<[Extremum; D], BackendError> {
        let store = self.reduced(self.state.global_index(global))?;
        Ok(std::array::from_fn(|m| Extremum {
            value: store.values[m],
            element: (store.at[m] != NOWHERE).then_some(store.at[m]),
        }))
    }

    #[track_caller]
    fn reduced(&mut self, global: usize) -> Result<&GlobalStore, BackendError> {
        self.run_queue(true);
        if self.all_know {
            self.settle()?;
        }
        if self.state.globals[global].progress == Progress::Partial {
            let collected = self.backend.collect_results(&mut self.state);
            self.note(collected);
            let State { comm, globals, reductions, .. } = &mut self.state;
            if reduce(comm, globals, reductions, self.failed.is_some()) {
                // Also where no rank was expected to fail: the others ask which one did.
                self.expect_failures();
                self.settle()?;
            }
        }
        let store = &self.state.globals[global];
        assert!(store.progress == Progress::Reduced, "no loop has produced the global \"{}\"", store.name);
        Ok(store)
    }

    /// The values of the owned rows, in local order (see [`Domain::global_ids`]); runs what was recorded.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    #[track_caller]
    pub fn read<const D: usize, T: Stored>(&mut self, dat: Dat<D, T>) -> Result<Vec<T>, BackendError> {
        self.read_as(dat.into())
    }

    /// Sets the values of the owned rows, in local order (see [`Domain::global_ids`]); runs what was recorded. Halo
    /// copies are fetched again when a loop next reads them, so every rank must make this call.
    ///
    /// # Panics
    /// If the number of values is not that of the owned rows.
    #[track_caller]
    pub fn write<const D: usize, T: Stored>(&mut self, dat: Dat<D, T>, values: &[T]) {
        self.write_as(dat.into(), values);
    }

    /// The values of one element, wherever it is; runs what was recorded. Collective.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    #[track_caller]
    pub fn element<const D: usize, T: Stored>(
        &mut self,
        dat: Dat<D, T>,
        global_id: u64,
    ) -> Result<[T; D], BackendError> {
        let (dat, set) = (self.state.dat_index(dat.into()), self.state.set_index(dat.set));
        self.fetch(dat)?;
        let set = &self.state.sets[set];
        let row = set.global_ids[..set.owned].iter().position(|&g| g == global_id);
        let own: Vec<T> = row.map_or(Vec::new(), |row| {
            let cells = &T::cells(&self.state.local.storages[dat])[row * D..(row + 1) * D];
            // SAFETY: nothing runs; the cells are only read while `self` is borrowed.
            cells.iter().map(|c| unsafe { *c.get() }).collect()
        });
        let found = self.state.comm.all_gather(&own).concat();
        assert!(found.len() == D, "element {global_id} of {} has exactly one owner", set.name);
        let mut values = [T::zeroed(); D];
        values.copy_from_slice(&found);
        Ok(values)
    }

    /// Runs what was recorded, and fetches a dat's values to the state.
    #[track_caller]
    fn fetch(&mut self, dat: usize) -> Result<(), BackendError> {
        self.run_queue(true);
        self.state.refuse_transient(dat);
        let fetched = self.backend.fetch(&mut self.state, dat);
        self.note(fetched);
        self.settle()
    }

    /// Global ids of the owned rows of a set, in local order.
    #[track_caller]
    pub fn global_ids(&self, set: Set) -> &[u64] {
        let set = &self.state.sets[self.state.set_index(set)];
        &set.global_ids[..set.owned]
    }

    /// The values of all rows on this rank: the owned ones, then copies of others' rows, as new as their owners' (see
    /// [`Domain::targets`]); runs what was recorded. Collective.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    #[track_caller]
    pub fn read_with_halo<const D: usize, T: Stored>(
        &mut self,
        dat: Dat<D, T>,
    ) -> Result<Vec<T>, BackendError> {
        self.read_with_halo_as(dat.into())
    }

    /// The target rows of the owned rows of a map's source set, among all rows that this rank has of the map's target
    /// set: the owned ones, then those of the halo.
    #[track_caller]
    pub fn targets<const N: usize>(&self, map: Map<N>) -> Vec<[u32; N]> {
        let (targets, _) = self.owned_targets(map.into());
        targets.as_chunks::<N>().0.to_vec()
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
        self.state.sets[self.state.set_index(set)].global_rows
    }

    /// This rank's sets, with their halos.
    pub fn local_sets(&self) -> &[LocalSet] {
        &self.state.sets
    }

    /// What the loops have cost so far, in the order in which they first ran; waits for them on a device.
    pub fn timers(&mut self) -> &[LoopTimer] {
        self.collect_times();
        &self.state.timers
    }

    /// The options for a domain that is to replace this one: those with which this one was made, but for what belongs to
    /// its mesh.
    pub fn options_of_next(&self) -> DomainOptions {
        DomainOptions { color_cache: None, ..self.given.clone() }
    }

    /// Continues as `next`, a domain of another mesh on the same ranks. Handles of this domain are refused from then
    /// on; timers, counts and the observer continue, and loops run where they ran: on the same device, if this domain
    /// has one. Runs what was recorded. Collective.
    pub fn replace(&mut self, mut next: Domain) {
        self.run_queue(true);
        self.collect_times();
        next.run_queue(true);
        next.collect_times();
        for earlier in &self.state.timers {
            match next.state.timers.iter_mut().find(|timer| timer.name == earlier.name) {
                Some(timer) => timer.add(earlier),
                None => next.state.timers.push(earlier.clone()),
            }
        }
        next.state.exchanges += self.state.exchanges;
        next.state.reductions += self.state.reductions;
        next.state.observer = self.state.observer.take();
        next.state.observed_loops += self.state.observed_loops;
        if self.failed.is_some() {
            (next.failed, next.all_know) = (self.failed.take(), self.all_know);
        }
        // Without one of its own, the next domain has the backend that its options make.
        let renewed = if self.state.can_fail { self.backend.renew() } else { Ok(None) };
        let failed = renewed.map(|renewed| {
            if let Some(backend) = renewed {
                next.backend = backend;
                next.state.options.strategy = self.state.options.strategy;
            }
        });
        next.state.can_fail |= self.state.can_fail;
        *self = next;
        self.note(failed);
    }

    fn collect_times(&mut self) {
        let collected = self.backend.collect_times(&mut self.state);
        self.note(collected);
    }

    /// What halo exchanges have sent from this rank so far.
    pub fn exchanges(&self) -> ExchangeCount {
        self.state.exchanges
    }

    /// How often globals have been combined over the ranks so far.
    pub fn reductions(&self) -> ReductionCount {
        self.state.reductions
    }

    /// Runs all further loops on another backend, with its own options. From then on, every call that returns a result
    /// asks all ranks whether one of them has failed, so ranks without such a backend must call
    /// [`Domain::expect_failures`].
    pub fn use_backend(&mut self, backend: Box<dyn Backend>, change: impl FnOnce(&mut DomainOptions)) {
        self.run_queue(true);
        change(&mut self.state.options);
        // Plans are made again: the old schedules would only take up room.
        self.state.plans.clear();
        self.backend = backend;
        self.expect_failures();
    }

    /// Runs all further loops one by one on the processor, whatever [`DomainOptions::backend`] says. Ranks must do so
    /// if others have a backend that does not chain loops and must be told of failures.
    pub fn use_processor(&mut self) {
        self.use_backend(Box::new(Processor), |_| {});
    }

    /// A rank's backend can fail, and this rank is to be told.
    pub fn expect_failures(&mut self) {
        self.state.can_fail = true;
    }

    /// How the domain runs loops.
    pub fn options(&self) -> &DomainOptions {
        &self.state.options
    }

    /// The device on which the loops run, in words; none when they run on the host.
    pub fn device(&self) -> Option<String> {
        self.backend.device()
    }

    /// Bytes per second that a plain copy of 512 MiB reads and writes on the device; none without a device.
    ///
    /// # Errors
    /// The device fails.
    pub fn device_copy_bandwidth(&mut self) -> Result<Option<f64>, BackendError> {
        self.backend.copy_bandwidth()
    }

    /// Bytes of all dats, maps, schedules, increment buffers and reducers on this rank.
    pub fn memory(&self) -> usize {
        self.state.bytes() + self.backend.bytes()
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
