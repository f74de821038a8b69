//! Simulated ranks: one thread each, messages through shared mailboxes.
//!
//! With these, tests run the whole distributed program on any number of ranks without a launcher.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::{DeviceMemory, DeviceMessage, GpuMessages, InFlight, Message, ReduceOp, Transport};

/// The mailboxes of all ranks: `boxes[to][from]` holds messages in the order they were sent.
struct Office {
    boxes: Vec<Vec<VecDeque<Posted>>>,
    failed: bool,
}

/// A message that may be taken from a certain time on; none: at once.
struct Posted {
    bytes: Vec<u8>,
    arrives: Option<Instant>,
}

impl Posted {
    /// How long it will still be on its way.
    fn on_its_way(&self) -> Duration {
        self.arrives.map_or(Duration::ZERO, |arrives| arrives.saturating_duration_since(Instant::now()))
    }
}

struct Shared {
    office: Mutex<Office>,
    arrived: Condvar,
    /// How long point-to-point messages are on their way.
    latency: Duration,
}

pub(super) struct Rank {
    rank: usize,
    size: usize,
    shared: Arc<Shared>,
}

/// The panic of ranks that were only waiting for a failed one; the failed rank's own panic is the one passed on.
struct OtherRankFailed;

/// Runs `body` on each rank and returns what it gives, by rank. Point-to-point messages take `latency`.
///
/// # Panics
/// With the panic of a rank.
pub(super) fn run<R: Send>(ranks: usize, latency: Duration, body: impl Fn(Rank) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = (0..ranks).map(|_| Mutex::new(None)).collect();
    run_all(ranks, latency, &|own| {
        let place = &results[own.rank];
        let result = body(own);
        *place.lock().expect("no other rank has this place") = Some(result);
    });
    let value = |place: Mutex<Option<R>>| place.into_inner().ok().flatten().expect("no rank has panicked");
    results.into_iter().map(value).collect()
}

/// What of [`run`] does not depend on the body's type: it is compiled once, not again for every test.
fn run_all(ranks: usize, latency: Duration, body: &(dyn Fn(Rank) + Sync)) {
    assert!(ranks > 0, "at least one rank");
    let boxes = (0..ranks).map(|_| (0..ranks).map(|_| VecDeque::new()).collect()).collect();
    let office = Mutex::new(Office { boxes, failed: false });
    let shared = Arc::new(Shared { office, arrived: Condvar::new(), latency });
    let results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..ranks)
            .map(|rank| {
                let shared = Arc::clone(&shared);
                scope.spawn(move || {
                    let own = Rank { rank, size: ranks, shared: Arc::clone(&shared) };
                    let result = catch_unwind(AssertUnwindSafe(|| body(own)));
                    if result.is_err() {
                        shared.lock().failed = true;
                        shared.arrived.notify_all();
                    }
                    result
                })
            })
            .collect();
        handles.into_iter().map(|h| h.join().expect("a rank's panic is caught inside")).collect()
    });
    let mut panics: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    if !panics.is_empty() {
        let cause = panics.iter().position(|p| !p.is::<OtherRankFailed>()).unwrap_or(0);
        resume_unwind(panics.swap_remove(cause));
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Office> {
        self.office.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Rank {
    /// Another handle to the same rank.
    fn again(&self) -> Rank {
        Rank { rank: self.rank, size: self.size, shared: Arc::clone(&self.shared) }
    }

    fn post(&self, to: usize, bytes: Vec<u8>) {
        self.post_at(None, to, bytes);
    }

    /// Posts a message that is on its way for the latency.
    fn post_delayed(&self, to: usize, bytes: Vec<u8>) {
        let latency = self.shared.latency;
        self.post_at((!latency.is_zero()).then(|| Instant::now() + latency), to, bytes);
    }

    fn post_at(&self, arrives: Option<Instant>, to: usize, bytes: Vec<u8>) {
        self.shared.lock().boxes[to][self.rank].push_back(Posted { bytes, arrives });
        self.shared.arrived.notify_all();
    }

    /// Whether the first message from each of these ranks has arrived.
    fn has_arrived(&self, mut from: impl Iterator<Item = usize>) -> bool {
        let office = self.shared.lock();
        let arrived = |first: &Posted| first.on_its_way().is_zero();
        from.all(|from| office.boxes[self.rank][from].front().is_some_and(arrived))
    }

    fn take(&self, from: usize) -> Vec<u8> {
        let mut office = self.shared.lock();
        loop {
            if let Some(posted) = office.boxes[self.rank][from].pop_front() {
                drop(office);
                std::thread::sleep(posted.on_its_way());
                return posted.bytes;
            }
            if office.failed {
                drop(office);
                resume_unwind(Box::new(OtherRankFailed));
            }
            office = self.shared.arrived.wait(office).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

impl Transport for Rank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn barrier(&self) {
        self.all_gather(&[]);
    }

    fn all_to_all(&self, send: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        for (to, bytes) in send.into_iter().enumerate() {
            self.post(to, bytes);
        }
        (0..self.size).map(|from| self.take(from)).collect()
    }

    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.all_to_all(vec![bytes.to_vec(); self.size])
    }

    fn all_reduce(&self, values: &mut [u64], op: ReduceOp) {
        let gathered = self.all_gather(bytemuck::cast_slice(values));
        for (rank, bytes) in gathered.iter().enumerate() {
            let other: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
            if rank == 0 {
                values.copy_from_slice(&other);
            } else {
                op.combine(values, &other);
            }
        }
    }

    fn start(&self, sends: Vec<Message>, receives: Vec<Message>) -> Box<dyn InFlight> {
        for message in &sends {
            self.post_delayed(message.rank, bytemuck::cast_slice(&message.words).to_vec());
        }
        Box::new(Receiving { rank: self.again(), sends, receives })
    }

    unsafe fn start_on_device(
        &self,
        sends: &[DeviceMessage],
        receives: &[DeviceMessage],
        memory: Rc<dyn DeviceMemory>,
    ) -> Box<dyn InFlight> {
        for message in sends {
            let mut words = vec![0u64; message.words];
            memory.fetch(message.address, &mut words);
            self.post_delayed(message.rank, bytemuck::cast_slice(&words).to_vec());
        }
        Box::new(ReceivingOnDevice { rank: self.again(), receives: receives.to_vec(), memory })
    }

    fn gpu_messages(&self) -> GpuMessages {
        GpuMessages::Possible
    }

    fn abort(&self, code: i32) -> ! {
        panic!("simulated rank {} aborts with code {code}", self.rank)
    }
}

/// Receives not yet taken out of the mailbox.
struct Receiving {
    rank: Rank,
    sends: Vec<Message>,
    receives: Vec<Message>,
}

impl InFlight for Receiving {
    fn test(&mut self) -> bool {
        self.rank.has_arrived(self.receives.iter().map(|m| m.rank))
    }

    fn finish(mut self: Box<Self>) -> (Vec<Message>, Vec<Message>) {
        for message in &mut self.receives {
            let bytes = self.rank.take(message.rank);
            assert_eq!(bytes.len(), 8 * message.words.len(), "halo message of the expected length");
            bytemuck::cast_slice_mut(&mut message.words).copy_from_slice(&bytes);
        }
        (self.sends, self.receives)
    }
}

/// The same, for words in a device's memory.
struct ReceivingOnDevice {
    rank: Rank,
    receives: Vec<DeviceMessage>,
    memory: Rc<dyn DeviceMemory>,
}

impl InFlight for ReceivingOnDevice {
    fn test(&mut self) -> bool {
        self.rank.has_arrived(self.receives.iter().map(|m| m.rank))
    }

    fn finish(self: Box<Self>) -> (Vec<Message>, Vec<Message>) {
        for message in &self.receives {
            let bytes = self.rank.take(message.rank);
            assert_eq!(bytes.len(), 8 * message.words, "halo message of the expected length");
            self.memory.store(message.address, &bytemuck::pod_collect_to_vec(&bytes));
        }
        (Vec::new(), Vec::new())
    }
}
