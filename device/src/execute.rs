//! The loop driver of a domain with a device: like the host's, begin exchange → core → end exchange → boundary, with
//! the core running while the host exchanges messages.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::global::Sums;
use cfd_engine::kernel::Access;
use cfd_engine::plug::{
    Backend, BackendError, ExchangedField, HaloLists, LoopInfo, Recorded, State, Stopwatch, Unfinished, Unit,
    run, run_each, run_loop, send_only,
};
use cfd_engine::strategy::{Mode, Strategy};

use super::error::DeviceError;
use super::exchange::{Exchanger, Parts};
use super::interface::{Device, Mark, Stream};
use super::mirror::{DeviceMirror, Extent, Placement};
use super::prepared::{ATOMIC, Piece, Prepared};
use super::ranges::Ranges;
use super::results::Results;
use super::tuner::Tuner;

/// Most loops whose times have not been read yet.
const LONGEST_PENDING: usize = 512;
/// Times read after each launch of a loop.
const TIMES_AT_ONCE: usize = 2;

/// Words in the copy that measures bandwidth: many times what caches hold.
const COPIED_WORDS: usize = 1 << 26;

/// The strategies that devices support.
const STRATEGIES: [&str; 4] = ["regions", "temporary-array", ATOMIC, "colored-blocks"];

/// How loops run on a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// Threads per block: a power of two from 32 to 1024; none: tried out, loop by loop.
    pub threads: Option<usize>,
    /// Where the chosen numbers are kept between runs.
    pub directory: Option<PathBuf>,
    /// Whether halo messages are sent from and received into the device's memory, which the communicator must be able
    /// to reach ([`Comm::gpu_messages`](cfd_engine::comm::Comm::gpu_messages)).
    pub direct_messages: bool,
    /// How dats of several components are stored.
    pub placement: Placement,
}

/// A domain's device and everything on it.
pub(crate) struct OnDevice {
    mirror: DeviceMirror,
    exchanger: Exchanger,
    prepared: Vec<Prepared>,
    results: Results,
    strategy: Strategy,
    tuner: Tuner,
    ranges: Ranges,
    /// Timer, begin and end of loops that may still be running.
    pending: VecDeque<(usize, Mark, Mark)>,
    /// How many of the first of them have ended.
    ended: usize,
    options: DeviceOptions,
}

fn unsupported(asked: String, available: &str) -> DeviceError {
    DeviceError::Unsupported { asked, available: available.into() }
}

/// How a device executes loops: as chosen, or by regions, in either mode.
fn strategy(options: &DomainOptions) -> Strategy {
    options.strategy.unwrap_or(Strategy::Regions)
}

/// Whether devices can run loops in this way.
///
/// # Errors
/// Devices lack the strategy, or the kind of sums.
pub fn offers(options: &DomainOptions) -> Result<(), DeviceError> {
    let strategy = strategy(options);
    if !STRATEGIES.contains(&strategy.name()) {
        let asked = format!("strategy \"{}\"", strategy.name());
        let available = "regions, temporary-array and, in fast mode, atomic and colored-blocks";
        return Err(unsupported(asked, available));
    }
    if options.mode == Mode::Reproducible && options.sums == Sums::Binned {
        return Err(unsupported("binned sums".into(), "exact ones"));
    }
    Ok(())
}

/// Runs all further loops on a device. Loops that it cannot run (a `Rw` through a map) run on the host.
///
/// # Errors
/// The device does not offer the domain's strategy or sums, or refuses the code that exchanges halo copies.
pub fn use_device(
    domain: &mut Domain,
    device: Rc<dyn Device>,
    options: DeviceOptions,
) -> Result<(), DeviceError> {
    offers(domain.options())?;
    let strategy = strategy(domain.options());
    if let Some(threads) = options.threads
        && !(threads.is_power_of_two() && (32..=1024).contains(&threads))
    {
        return Err(unsupported(format!("blocks of {threads} threads"), "powers of two from 32 to 1024"));
    }
    let on = OnDevice::new(device, options, strategy)?;
    domain.use_backend(Box::new(on), |options| options.strategy = Some(Strategy::Core));
    Ok(())
}

impl OnDevice {
    fn new(
        device: Rc<dyn Device>,
        options: DeviceOptions,
        strategy: Strategy,
    ) -> Result<OnDevice, DeviceError> {
        let exchanger = Exchanger::new(&device, options.direct_messages)?;
        Ok(OnDevice {
            mirror: DeviceMirror::new(device, options.placement),
            exchanger,
            prepared: Vec::new(),
            results: Results::default(),
            strategy,
            tuner: Tuner::new(options.threads, options.directory.as_deref()),
            ranges: Ranges::find(),
            pending: VecDeque::new(),
            ended: 0,
            options,
        })
    }
}

impl Backend for OnDevice {
    fn run(
        &mut self,
        state: &mut State,
        records: &[Box<dyn Recorded>],
        count: usize,
        _last: bool,
    ) -> Result<(), BackendError> {
        run_each(self, state, &records[..count])
    }

    fn run_loop(&mut self, state: &mut State, record: &dyn Recorded) -> Result<(), BackendError> {
        self.ranges.push(record.info().name);
        let executed = self.execute(state, record);
        self.ranges.pop();
        executed
    }

    fn swap(&mut self, state: &mut State, one: usize, other: usize) -> Result<(), BackendError> {
        let extent = Extent::of(one, &state.dats, &state.sets);
        Ok(self.mirror.swap(&mut state.local, [one, other], extent)?)
    }

    fn fetch(&mut self, state: &mut State, dat: usize) -> Result<(), BackendError> {
        let extent = Extent::of(dat, &state.dats, &state.sets);
        Ok(self.mirror.fetch(&mut state.local, dat, extent)?)
    }

    fn changed_by_host(&mut self, dat: usize) {
        self.mirror.changed_by_host(dat);
    }

    fn collect_results(&mut self, state: &mut State) -> Result<(), BackendError> {
        if self.results.collect(&self.mirror.device, &mut state.globals)? {
            self.ended = self.pending.len();
        }
        Ok(())
    }

    fn collect_times(&mut self, state: &mut State) -> Result<(), BackendError> {
        Ok(self.read_times(state)?)
    }

    fn renew(&self) -> Result<Option<Box<dyn Backend>>, BackendError> {
        let next = OnDevice::new(self.mirror.device().clone(), self.options.clone(), self.strategy)?;
        Ok(Some(Box::new(next)))
    }

    fn device(&self) -> Option<String> {
        Some(self.mirror.device.description())
    }

    /// Measured by a copy of 512 MiB.
    fn copy_bandwidth(&mut self) -> Result<Option<f64>, BackendError> {
        Ok(Some(self.exchanger.copy_bandwidth(&self.mirror.device, COPIED_WORDS)?))
    }
}

impl OnDevice {
    /// Runs a loop. If that fails, other ranks have received the messages that they wait for.
    fn execute(&mut self, state: &mut State, record: &dyn Recorded) -> Result<(), BackendError> {
        let info = record.info();
        let on_host = info.args.iter().any(|a| a.access == Access::Rw && a.map().is_some());
        let ready = if on_host { self.bring_operands_home(state, info) } else { self.note_uses(state, info) };
        let plan = state.plan_of(info);
        let prepared = match ready {
            Ok(()) if on_host => {
                self.execute_on_host(state, record);
                return Ok(());
            }
            Ok(()) => self.prepare(state, record, plan),
            Err(error) => Err(error),
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                send_only(state, record);
                return Err(error.into());
            }
        };
        state.begin_globals(info);
        let timer = state.plans[plan].timer;
        let result = run(&mut Loop { on: self, record, plan, timer, prepared, launched: None }, state);
        if result.is_err() {
            state.plans[plan].modified.clone().into_iter().for_each(|dat| state.note_stale(dat));
        }
        result
    }

    fn note_uses(&mut self, state: &mut State, info: &LoopInfo) -> Result<(), DeviceError> {
        for arg in &info.args {
            if let Some(dat) = arg.dat() {
                let extent = Extent::of(dat, &state.dats, &state.sets);
                self.mirror.note_use(&mut state.local, dat, extent, arg.map().is_some())?;
            }
        }
        Ok(())
    }

    fn bring_operands_home(&mut self, state: &mut State, info: &LoopInfo) -> Result<(), DeviceError> {
        for dat in info.args.iter().filter_map(|a| a.dat()) {
            self.mirror.fetch(&mut state.local, dat, Extent::of(dat, &state.dats, &state.sets))?;
        }
        Ok(())
    }

    /// Records a loop's time, later.
    fn count_time(
        &mut self,
        state: &mut State,
        plan: usize,
        begin: Mark,
        end: Mark,
    ) -> Result<(), DeviceError> {
        if self.tuner.tries(plan) {
            self.mirror.device.synchronize(Stream::Compute)?;
            let seconds = self.mirror.device.seconds(begin, end)?;
            self.tuner.note(plan, seconds);
            state.add_compute(state.plans[plan].timer, Duration::from_secs_f64(seconds.max(0.0)));
        } else {
            self.pending.push_back((state.plans[plan].timer, begin, end));
        }
        if self.pending.len() > LONGEST_PENDING {
            self.read_times(state)?;
        }
        // While the device is busy.
        for _ in 0..self.ended.min(TIMES_AT_ONCE) {
            self.read_time(state)?;
        }
        Ok(())
    }

    /// Completes a loop: notes which copies are newer, and accounts for it.
    fn finish(&mut self, state: &mut State, info: &LoopInfo, plan: usize) -> Result<(), DeviceError> {
        let modified = state.plans[plan].modified.clone();
        for &dat in &modified {
            self.mirror.changed_here(dat);
            if state.mark_stale(dat) && cfg!(debug_assertions) {
                self.exchanger.poison(&mut self.mirror, &parts(state), dat)?;
            }
        }
        if state.is_observed() {
            for &dat in &modified {
                self.mirror.fetch(&mut state.local, dat, Extent::of(dat, &state.dats, &state.sets))?;
            }
            state.show(info.name, &modified);
        }
        state.account(info, plan);
        Ok(())
    }

    /// Runs a loop on the host, where its data are.
    fn execute_on_host(&mut self, state: &mut State, record: &dyn Recorded) {
        let info = record.info();
        info.globals().for_each(|global| self.results.forget(global));
        run_loop(state, record);
        // Dats that are only read may have received fresh halo copies.
        info.args.iter().filter_map(|a| a.dat()).for_each(|dat| self.mirror.changed_by_host(dat));
    }

    /// The number of the loop's code and lists, made when the loop is first met.
    fn prepare(
        &mut self,
        state: &mut State,
        record: &dyn Recorded,
        plan: usize,
    ) -> Result<usize, DeviceError> {
        let known = self.prepared.iter().position(|prepared| prepared.plan == plan);
        let info = record.info();
        let device = &self.mirror.device;
        let rows = state.sets[info.set()].owned;
        let what = || {
            let (strategy, placement) = (self.strategy.name(), self.mirror.placement);
            format!("{}, {}, {rows} rows, {strategy}, {placement:?}", device.description(), info.name)
        };
        let threads = self.tuner.threads(plan, info.name, what);
        match known {
            Some(known) => {
                let watch = Stopwatch::start();
                if self.prepared[known].follow(state, &self.mirror, record, threads)? {
                    state.add_setup(state.plans[plan].timer, watch.elapsed());
                }
                Ok(known)
            }
            None => {
                let watch = Stopwatch::start();
                let prepared = Prepared::new(state, &self.mirror, record, plan, self.strategy, threads)?;
                self.prepared.push(prepared);
                state.add_setup(state.plans[plan].timer, watch.elapsed());
                Ok(self.prepared.len() - 1)
            }
        }
    }

    /// The kernel arguments that are the same for all of the loop's launches.
    fn arguments(
        &mut self,
        state: &State,
        record: &dyn Recorded,
        prepared: usize,
        pieces: &super::prepared::Pieces,
    ) -> Result<Vec<u64>, DeviceError> {
        let blocks = pieces.core.iter().chain(&pieces.rest).map(|piece| piece.blocks as usize).sum();
        self.prepared[prepared].arguments(state, &mut self.mirror, &mut self.results, record, blocks)
    }

    fn launch(
        &self,
        prepared: usize,
        arguments: &[u64],
        piece: Piece,
        first_block: &mut u64,
    ) -> Result<(), DeviceError> {
        if piece.blocks == 0 {
            return Ok(());
        }
        let prepared = &self.prepared[prepared];
        let words = prepared.with_piece(arguments, piece, *first_block);
        *first_block += u64::from(piece.blocks);
        let threads = prepared.threads() as u32;
        // SAFETY: the kernel arguments are those that the loop's code declares; its addresses are the mirror's.
        unsafe {
            self.mirror.device.launch(prepared.functions[0], piece.blocks, threads, &words, Stream::Compute)
        }
    }

    /// Adds what the loop has buffered.
    fn gather(&self, prepared: usize, arguments: &[u64]) -> Result<(), DeviceError> {
        let prepared = &self.prepared[prepared];
        for (&function, &components) in prepared.functions[1..].iter().zip(&prepared.gathered) {
            let blocks = components.div_ceil(prepared.threads());
            if blocks > 0 {
                let blocks = u32::try_from(blocks).expect("fewer than 2^32 blocks");
                let piece = Piece { first: 0, end: components as u64, rows: 0, blocks };
                let words = prepared.with_piece(arguments, piece, 0);
                let threads = prepared.threads() as u32;
                // SAFETY: as in `launch`.
                unsafe { self.mirror.device.launch(function, blocks, threads, &words, Stream::Compute)? };
            }
        }
        Ok(())
    }

    /// Adds the times of the loops so far to their timers, once the last of them has ended.
    fn read_times(&mut self, state: &mut State) -> Result<(), DeviceError> {
        self.mirror.device.synchronize(Stream::Compute)?;
        self.ended = self.pending.len();
        while self.ended > 0 {
            self.read_time(state)?;
        }
        Ok(())
    }

    /// Adds the time of the first loop that has ended to its timer.
    fn read_time(&mut self, state: &mut State) -> Result<(), DeviceError> {
        let (timer, begin, end) = self.pending.pop_front().expect("what has ended was pending");
        self.ended -= 1;
        let seconds = self.mirror.device.seconds(begin, end)?;
        state.add_compute(timer, Duration::from_secs_f64(seconds.max(0.0)));
        Ok(())
    }
}

/// A loop passing through the driver.
struct Loop<'a> {
    on: &'a mut OnDevice,
    record: &'a dyn Recorded,
    plan: usize,
    timer: usize,
    /// The number of its code and lists.
    prepared: usize,
    launched: Option<Launched>,
}

/// What has been launched of a loop.
struct Launched {
    arguments: Vec<u64>,
    /// What is left to do.
    rest: Vec<Piece>,
    begin: Mark,
    /// Blocks launched so far.
    blocks: u64,
}

impl Unit for Loop<'_> {
    /// The number of a route.
    type Exchange = usize;

    fn timer(&self) -> usize {
        self.timer
    }

    fn stale(&mut self, state: &mut State) -> Vec<ExchangedField> {
        state.take_stale(self.plan)
    }

    /// Packs; the packed rows are sent once the core has been launched.
    fn begin_exchange(&mut self, state: &mut State, stale: &[ExchangedField]) -> Result<usize, BackendError> {
        Ok(self.on.exchanger.pack(&mut self.on.mirror, &mut parts(state), stale)?)
    }

    fn core(
        &mut self,
        state: &mut State,
        _phase: usize,
        exchange: Option<&mut usize>,
    ) -> Result<(), BackendError> {
        let (watch, uploads) = (Stopwatch::start(), self.on.mirror.uploads);
        let pieces = self.on.prepared[self.prepared].pieces(exchange.is_some());
        let arguments = self.on.arguments(state, self.record, self.prepared, &pieces)?;
        if self.on.mirror.uploads > uploads {
            state.add_setup(self.timer, watch.elapsed());
        }
        let (begin, mut blocks) = (self.on.mirror.device.mark()?, 0);
        for piece in pieces.core {
            self.on.launch(self.prepared, &arguments, piece, &mut blocks)?;
        }
        self.launched = Some(Launched { arguments, rest: pieces.rest, begin, blocks });
        Ok(())
    }

    fn end_exchange(&mut self, state: &mut State, route: usize) -> Result<(), Unfinished> {
        let OnDevice { exchanger, mirror, .. } = &mut *self.on;
        let unfinished = |exchanged| move |error: DeviceError| Unfinished { error: error.into(), exchanged };
        let under_way =
            exchanger.send(&mirror.device, &mut parts(state), route).map_err(unfinished(false))?;
        exchanger.end(mirror, &mut parts(state), under_way).map_err(unfinished(true))
    }

    fn rest(&mut self, state: &mut State, _phase: usize) -> Result<(), BackendError> {
        let Launched { arguments, rest, begin, mut blocks } =
            self.launched.take().expect("the core comes first");
        for piece in rest {
            self.on.launch(self.prepared, &arguments, piece, &mut blocks)?;
        }
        self.on.gather(self.prepared, &arguments)?;
        let end = self.on.mirror.device.mark()?;
        self.on.count_time(state, self.plan, begin, end)?;
        Ok(self.on.finish(state, self.record.info(), self.plan)?)
    }
}

/// What an exchange needs of the state.
fn parts(state: &mut State) -> Parts<'_> {
    Parts {
        comm: &state.comm,
        lists: HaloLists { sets: &state.sets, deep: &state.deep, partial: &state.partial_halos },
        dats: &state.dats,
        local: &mut state.local,
        buffers: &mut state.buffers,
        count: &mut state.exchanges,
    }
}
