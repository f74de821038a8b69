//! The loop driver of a domain with a device: as that of the host, begin exchange → core → end exchange → boundary,
//! with the core running while the host exchanges messages.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use super::error::DeviceError;
use super::exchange::{Exchanger, Parts, UnderWay};
use super::interface::{Device, Mark, Stream};
use super::prepared::{Piece, Prepared};
use super::resident::{Extent, Placement, Resident};
use super::results::Results;
use super::tuner::Tuner;
use crate::domain::Domain;
use crate::global::Progress;
use crate::kernel::Access;
use crate::record::{LoopInfo, Recorded};
use crate::strategy::{Mode, Strategy};
use crate::sum::Sums;
use crate::timer::Stopwatch;

/// Loops whose times have not been read yet, at most.
const LONGEST_PENDING: usize = 512;
/// Times that are read after a loop was launched.
const TIMES_AT_ONCE: usize = 2;

/// Words of the copy whose bandwidth is measured: many times what caches hold.
const COPIED_WORDS: usize = 1 << 26;

/// How loops run on a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// Threads of a block: a power of two from 32 to 1024; none: tried out, loop by loop.
    pub threads: Option<usize>,
    /// Where the tried-out numbers are kept from run to run.
    pub directory: Option<PathBuf>,
    /// Halo messages are sent from and received into the device's memory, which the communicator must be able to reach
    /// ([`Comm::gpu_messages`](crate::comm::Comm::gpu_messages)).
    pub direct_messages: bool,
    /// How dats of several components are stored.
    pub placement: Placement,
}

/// A domain's device and what is on it.
pub(crate) struct OnDevice {
    resident: Resident,
    exchanger: Exchanger,
    prepared: Vec<Prepared>,
    results: Results,
    strategy: Strategy,
    tuner: Tuner,
    /// Timer, begin and end of loops that may still run.
    pending: VecDeque<(usize, Mark, Mark)>,
    /// The first of them that have ended.
    ended: usize,
}

impl Domain {
    /// Runs all further loops on a device. What a loop cannot do there (a `Rw` through a map) runs on the host.
    ///
    /// A later failure of the device is a panic with the [`DeviceError`] as its payload.
    ///
    /// # Errors
    /// The device does not offer the domain's strategy or sums, or refuses the text that exchanges halo copies.
    pub fn use_device(&mut self, device: Rc<dyn Device>, options: DeviceOptions) -> Result<(), DeviceError> {
        self.flush();
        let unsupported = |asked: String, available: &str| {
            Err(DeviceError::Unsupported { asked, available: available.into() })
        };
        let strategy = self.options.strategy;
        if !matches!(
            strategy,
            Strategy::Regions | Strategy::TemporaryArray | Strategy::Atomic | Strategy::ColoredBlocks
        ) {
            let asked = format!("strategy \"{}\"", strategy.name());
            return unsupported(
                asked,
                "regions, temporary-array and, in fast mode, atomic and colored-blocks",
            );
        }
        if self.options.mode == Mode::Reproducible && self.options.sums == Sums::Binned {
            return unsupported("binned sums".into(), "exact ones");
        }
        if let Some(threads) = options.threads
            && !(threads.is_power_of_two() && (32..=1024).contains(&threads))
        {
            return unsupported(format!("blocks of {threads} threads"), "powers of two from 32 to 1024");
        }
        // Plans are made anew: the host's schedules would only take room.
        self.options.strategy = Strategy::Core;
        self.plans.clear();
        let exchanger = Exchanger::new(&device, options.direct_messages)?;
        self.device = Some(Box::new(OnDevice {
            resident: Resident::new(device, options.placement),
            exchanger,
            prepared: Vec::new(),
            results: Results::default(),
            strategy,
            tuner: Tuner::new(options.threads, options.directory.as_deref()),
            pending: VecDeque::new(),
            ended: 0,
        }));
        Ok(())
    }

    /// The device the loops run on, in words; none when they run on the host.
    pub fn device(&self) -> Option<String> {
        self.device.as_ref().map(|on| on.resident.device.description())
    }

    /// Bytes a second that a plain copy of 512 MiB reads and writes on the device; none when there is no device.
    ///
    /// # Panics
    /// If the device fails, with the [`DeviceError`] as payload.
    pub fn device_copy_bandwidth(&mut self) -> Option<f64> {
        self.with_device(|on, _| on.exchanger.copy_bandwidth(&on.resident.device, COPIED_WORDS))
    }

    /// Runs one recorded loop on the domain's device.
    pub(crate) fn execute_on_device(&mut self, record: &dyn Recorded) {
        self.with_device(|on, domain| on.execute(domain, record));
    }

    /// Brings a dat's values to the host.
    pub(crate) fn bring_home(&mut self, dat: usize) {
        self.with_device(|on, domain| {
            on.resident.bring_home(&mut domain.local, dat, Extent::of(dat, &domain.dats, &domain.sets))
        });
    }

    /// Exchanges the device's copies of two dats of one shape on one set.
    pub(crate) fn exchange_on_device(&mut self, one: usize, other: usize) {
        self.with_device(|on, domain| {
            let extent = Extent::of(one, &domain.dats, &domain.sets);
            on.resident.exchange(&mut domain.local, [one, other], extent)
        });
    }

    /// Notes that the host has changed a dat.
    pub(crate) fn changed_by_host(&mut self, dat: usize) {
        if let Some(on) = &mut self.device {
            on.resident.changed_by_host(dat);
        }
    }

    /// Brings the results of loops to the host.
    pub(crate) fn collect_results(&mut self) {
        self.with_device(|on, domain| {
            if on.results.collect(&on.resident.device, &mut domain.globals)? {
                on.ended = on.pending.len();
            }
            Ok(())
        });
    }

    /// Waits for the loops so far and adds their times to the timers.
    pub(crate) fn collect_times(&mut self) {
        self.with_device(|on, domain| on.read_times(domain));
    }

    /// Does something with the device, which is beside the domain meanwhile.
    fn with_device<T>(
        &mut self,
        action: impl FnOnce(&mut OnDevice, &mut Domain) -> Result<T, DeviceError>,
    ) -> Option<T> {
        let mut on = self.device.take()?;
        let result = action(&mut on, self);
        self.device = Some(on);
        match result {
            Ok(value) => Some(value),
            Err(error) => std::panic::panic_any(error),
        }
    }
}

impl OnDevice {
    fn execute(&mut self, domain: &mut Domain, record: &dyn Recorded) -> Result<(), DeviceError> {
        let info = record.info();
        if info.args.iter().any(|a| a.access == Access::Rw && a.map().is_some()) {
            return self.execute_on_host(domain, record);
        }
        for global in info.globals() {
            domain.globals[global].clear();
            domain.globals[global].progress = Progress::Partial;
        }
        for arg in &info.args {
            if let Some(dat) = arg.dat() {
                let extent = Extent::of(dat, &domain.dats, &domain.sets);
                self.resident.note_use(&mut domain.local, dat, extent, arg.map().is_some())?;
            }
        }
        let plan = domain.plan_of(info);
        let prepared = self.prepare(domain, record, plan)?;
        let (watch, uploads) = (Stopwatch::start(), self.resident.uploads);
        let stale = domain.take_stale(plan);
        let mut exchange = match stale.is_empty() {
            true => None,
            false => Some(self.exchanger.pack(&mut self.resident, &mut parts(domain), &stale)?),
        };
        if !domain.options.overlap
            && let Some(route) = exchange.take()
        {
            let watch = Stopwatch::start();
            let under_way = self.exchanger.send(&self.resident.device, &mut parts(domain), route)?;
            self.end_exchange(domain, plan, under_way, watch)?;
        }
        let pieces = self.prepared[prepared].pieces(exchange.is_some());
        let arguments = self.arguments(domain, record, prepared, &pieces)?;
        if self.resident.uploads > uploads {
            watch.add_to(&mut domain.timers[domain.plans[plan].timer].setup);
        }
        let begin = self.resident.device.mark()?;
        let mut first_block = 0;
        for piece in pieces.core {
            self.launch(prepared, &arguments, piece, &mut first_block)?;
        }
        if let Some(route) = exchange {
            let watch = Stopwatch::start();
            let under_way = self.exchanger.send(&self.resident.device, &mut parts(domain), route)?;
            self.end_exchange(domain, plan, under_way, watch)?;
        }
        for piece in pieces.rest {
            self.launch(prepared, &arguments, piece, &mut first_block)?;
        }
        self.gather(prepared, &arguments)?;

        let end = self.resident.device.mark()?;
        if self.tuner.tries(plan) {
            self.resident.device.synchronize(Stream::Compute)?;
            let seconds = self.resident.device.seconds(begin, end)?;
            self.tuner.note(plan, seconds);
            domain.add_compute(plan, seconds);
        } else {
            self.pending.push_back((domain.plans[plan].timer, begin, end));
        }
        if self.pending.len() > LONGEST_PENDING {
            self.read_times(domain)?;
        }
        // While the device is busy.
        for _ in 0..self.ended.min(TIMES_AT_ONCE) {
            self.read_time(domain)?;
        }
        self.finish(domain, info, plan)
    }

    /// What follows a loop: whose copies are newer, and the account.
    fn finish(&mut self, domain: &mut Domain, info: &LoopInfo, plan: usize) -> Result<(), DeviceError> {
        let modified = domain.plans[plan].modified.clone();
        for &dat in &modified {
            self.resident.changed_here(dat);
            if domain.comm.size() > 1 {
                domain.dats[dat].stale = true;
                if cfg!(debug_assertions) {
                    self.exchanger.poison(&mut self.resident, &parts(domain), dat)?;
                }
            }
        }
        if domain.observer.is_some() {
            for &dat in &modified {
                self.resident.bring_home(
                    &mut domain.local,
                    dat,
                    Extent::of(dat, &domain.dats, &domain.sets),
                )?;
            }
            domain.show(info.name, &modified);
        }
        domain.account(info, plan);
        Ok(())
    }

    fn end_exchange(
        &mut self,
        domain: &mut Domain,
        plan: usize,
        under_way: UnderWay,
        watch: Stopwatch,
    ) -> Result<(), DeviceError> {
        self.exchanger.end(&mut self.resident, &mut parts(domain), under_way)?;
        watch.add_to(&mut domain.timers[domain.plans[plan].timer].halo_wait);
        Ok(())
    }

    /// Runs a loop on the host, between two copies of what it uses.
    fn execute_on_host(&mut self, domain: &mut Domain, record: &dyn Recorded) -> Result<(), DeviceError> {
        let info = record.info();
        let dats: Vec<usize> = info.args.iter().filter_map(|a| a.dat()).collect();
        for &dat in &dats {
            self.resident.bring_home(&mut domain.local, dat, Extent::of(dat, &domain.dats, &domain.sets))?;
        }
        info.globals().for_each(|global| self.results.forget(global));
        domain.execute(record);
        // Those that are only read may have got fresh halo copies.
        dats.iter().for_each(|&dat| self.resident.changed_by_host(dat));
        Ok(())
    }

    /// The number of the loop's text and lists, made when the loop is first met.
    fn prepare(
        &mut self,
        domain: &mut Domain,
        record: &dyn Recorded,
        plan: usize,
    ) -> Result<usize, DeviceError> {
        let known = self.prepared.iter().position(|prepared| prepared.plan == plan);
        let info = record.info();
        let device = &self.resident.device;
        let rows = domain.sets[info.set.id as usize].owned;
        let what = || {
            let (strategy, placement) = (self.strategy.name(), self.resident.placement);
            format!("{}, {}, {rows} rows, {strategy}, {placement:?}", device.description(), info.name)
        };
        let threads = self.tuner.threads(plan, info.name, what);
        match known {
            Some(known) => {
                let watch = Stopwatch::start();
                if self.prepared[known].follow(domain, &self.resident, record, threads)? {
                    watch.add_to(&mut domain.timers[domain.plans[plan].timer].setup);
                }
                Ok(known)
            }
            None => {
                let watch = Stopwatch::start();
                let prepared = Prepared::new(domain, &self.resident, record, plan, self.strategy, threads)?;
                self.prepared.push(prepared);
                watch.add_to(&mut domain.timers[domain.plans[plan].timer].setup);
                Ok(self.prepared.len() - 1)
            }
        }
    }

    /// The words of a launch that are the same for all of the loop's.
    fn arguments(
        &mut self,
        domain: &Domain,
        record: &dyn Recorded,
        prepared: usize,
        pieces: &super::prepared::Pieces,
    ) -> Result<Vec<u64>, DeviceError> {
        let blocks = pieces.core.iter().chain(&pieces.rest).map(|piece| piece.blocks as usize).sum();
        self.prepared[prepared].arguments(domain, &mut self.resident, &mut self.results, record, blocks)
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
        // SAFETY: the words are those that the loop's text declares; its addresses are resident.
        unsafe {
            self.resident.device.launch(prepared.functions[0], piece.blocks, threads, &words, Stream::Compute)
        }
    }

    /// Adds up what the loop has stored apart.
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
                unsafe { self.resident.device.launch(function, blocks, threads, &words, Stream::Compute)? };
            }
        }
        Ok(())
    }

    /// Adds the times of the loops so far to their timers, after the last of them has ended.
    fn read_times(&mut self, domain: &mut Domain) -> Result<(), DeviceError> {
        self.resident.device.synchronize(Stream::Compute)?;
        self.ended = self.pending.len();
        while self.ended > 0 {
            self.read_time(domain)?;
        }
        Ok(())
    }

    /// Adds the time of the first loop that has ended to its timer.
    fn read_time(&mut self, domain: &mut Domain) -> Result<(), DeviceError> {
        let (timer, begin, end) = self.pending.pop_front().expect("what has ended was pending");
        self.ended -= 1;
        let seconds = self.resident.device.seconds(begin, end)?;
        domain.timers[timer].compute += Duration::from_secs_f64(seconds.max(0.0));
        Ok(())
    }
}

/// What an exchange needs of the domain.
fn parts(domain: &mut Domain) -> Parts<'_> {
    Parts {
        comm: &domain.comm,
        sets: &domain.sets,
        dats: &domain.dats,
        local: &mut domain.local,
        buffers: &mut domain.buffers,
        count: &mut domain.exchanges,
    }
}
