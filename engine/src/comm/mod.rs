//! Ranks and the messages between them.
//!
//! ```text
//! Comm ── Transport ──┬── single.rs   one rank, no messages
//!                     ├── threads.rs  simulated ranks, one thread each, for tests without a launcher
//!                     └── yours       real ranks: the crate `cfd-mpi` has those of MPI
//!
//! on_device: messages from and to a device's memory; ending: how a program of several ranks ends
//! ```
//!
//! A transport moves only plain bytes and integers. There is no floating-point reduction here: a sum that depends on
//! the shape of a reduction tree cannot be reproducible.

pub mod ending;
mod on_device;
mod single;
mod threads;

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::time::Duration;

use bytemuck::Pod;
use serde::{Serialize, de::DeserializeOwned};

pub use self::on_device::{DeviceMemory, DeviceMessage, GpuMessages};

/// The operation of an integer all-reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// Wrapping two's-complement sum.
    Sum,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// The first `sums` words are added as with [`ReduceOp::Sum`]; of the pairs of words that follow, the
    /// lexicographically least is taken.
    Record {
        /// Number of words to add.
        sums: usize,
    },
}

impl ReduceOp {
    /// Combines `with` into `into`, element by element.
    pub fn combine(self, into: &mut [u64], with: &[u64]) {
        match self {
            ReduceOp::Sum => into.iter_mut().zip(with).for_each(|(a, &b)| *a = a.wrapping_add(b)),
            ReduceOp::Min => into.iter_mut().zip(with).for_each(|(a, &b)| *a = b.min(*a)),
            ReduceOp::Max => into.iter_mut().zip(with).for_each(|(a, &b)| *a = b.max(*a)),
            ReduceOp::Record { sums } => {
                ReduceOp::Sum.combine(&mut into[..sums], &with[..sums]);
                for (a, b) in into[sums..].chunks_exact_mut(2).zip(with[sums..].chunks_exact(2)) {
                    if b < &*a {
                        a.copy_from_slice(b);
                    }
                }
            }
        }
    }
}

/// One message of a halo exchange: the other rank and the 8-byte words to send or to fill.
#[derive(Debug, Default)]
pub struct Message {
    /// The other rank.
    pub rank: usize,
    /// The words; for a receive, a buffer of the length that will arrive.
    pub words: Vec<u64>,
}

/// Messages under way. Dropping it before [`InFlight::finish`] waits for them.
pub trait InFlight {
    /// Lets the transport make progress; true when everything has arrived.
    fn test(&mut self) -> bool;
    /// Waits, and gives back the send and receive buffers.
    fn finish(self: Box<Self>) -> (Vec<Message>, Vec<Message>);
}

/// The ranks as a message-passing library names them in arguments: an `MPI_Comm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// A pointer, as in Open MPI.
    Pointer(*mut c_void),
    /// An integer, as in MPICH.
    Integer(c_int),
}

/// What a way of moving bytes between ranks must provide.
pub trait Transport: Any {
    /// This rank, from 0.
    fn rank(&self) -> usize;
    /// Number of ranks.
    fn size(&self) -> usize;
    /// Waits for all ranks.
    fn barrier(&self);
    /// Sends `send[r]` to rank r; returns what each rank sent here. Lengths may differ and be zero.
    fn all_to_all(&self, send: Vec<Vec<u8>>) -> Vec<Vec<u8>>;
    /// Every rank's bytes, on every rank. Lengths may differ.
    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>>;
    /// Element-wise integer reduction over ranks, in place. All ranks pass the same length.
    fn all_reduce(&self, values: &mut [u64], op: ReduceOp);
    /// Begins point-to-point messages; at most one each way between a pair of ranks.
    fn start(&self, sends: Vec<Message>, receives: Vec<Message>) -> Box<dyn InFlight>;
    /// As [`start`](Transport::start), with words in a device's memory; what is in flight returns no buffers. Ranks
    /// that pass messages themselves reach the words through `memory`.
    ///
    /// # Safety
    /// Until the messages have arrived, the ranges are valid, and nothing else writes to them or reads what is being
    /// received.
    unsafe fn start_on_device(
        &self,
        sends: &[DeviceMessage],
        receives: &[DeviceMessage],
        memory: Rc<dyn DeviceMemory>,
    ) -> Box<dyn InFlight>;
    /// Whether words may be in a GPU's memory.
    fn gpu_messages(&self) -> GpuMessages;
    /// The last message: the least of all ranks' values, element by element, in place. False if `patience` has passed
    /// before every rank has called it. A transport whose ranks can fail one by one keeps it apart from all other
    /// messages, which other ranks may still be waiting for.
    fn end(&self, values: &mut [u64], patience: Option<Duration>) -> bool {
        let _ = patience;
        self.all_reduce(values, ReduceOp::Min);
        true
    }
    /// The ranks for other libraries that send messages among them; none if there is no message-passing library.
    fn native(&self) -> Option<Native> {
        None
    }
    /// Ends all ranks at once with this exit code.
    fn abort(&self, code: i32) -> !;
}

/// A communicator: this rank's view of all ranks. Clones share it.
#[derive(Clone)]
pub struct Comm {
    transport: Rc<dyn Transport>,
}

impl std::fmt::Debug for Comm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Comm(rank {} of {})", self.rank(), self.size())
    }
}

impl Comm {
    /// One rank, without a message-passing library.
    pub fn single() -> Comm {
        Comm::over(single::Single)
    }

    /// The ranks that a transport connects.
    pub fn over(transport: impl Transport) -> Comm {
        Comm { transport: Rc::new(transport) }
    }

    /// Runs `body` on `ranks` simulated ranks, one thread each, and returns their results in rank order.
    /// A panic on one rank ends the others and is passed on.
    pub fn simulate<R: Send>(ranks: usize, body: impl Fn(Comm) -> R + Sync) -> Vec<R> {
        Comm::simulate_delayed(ranks, Duration::ZERO, body)
    }

    /// The same, with halo messages that arrive no earlier than `latency` after they were sent: for measurements of what
    /// hides their latency.
    pub fn simulate_delayed<R: Send>(
        ranks: usize,
        latency: Duration,
        body: impl Fn(Comm) -> R + Sync,
    ) -> Vec<R> {
        threads::run(ranks, latency, |rank| body(Comm::over(rank)))
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// True on the rank that speaks to the user.
    pub fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Waits for all ranks.
    pub fn barrier(&self) {
        self.transport.barrier();
    }

    /// Sends `send[r]` to rank r; returns what each rank sent here, in rank order.
    pub fn all_to_all<T: Pod>(&self, mut send: Vec<Vec<T>>) -> Vec<Vec<T>> {
        assert_eq!(send.len(), self.size(), "one vector for each rank");
        // What a rank sends to itself, often the most, stays as it is.
        let own = std::mem::take(&mut send[self.rank()]);
        if self.size() == 1 {
            return vec![own];
        }
        let bytes = send.into_iter().map(|v| bytemuck::cast_slice(&v).to_vec()).collect();
        let mut received: Vec<Vec<T>> =
            self.transport.all_to_all(bytes).into_iter().map(|b| bytemuck::pod_collect_to_vec(&b)).collect();
        received[self.rank()] = own;
        received
    }

    /// Every rank's values, on every rank, in rank order.
    pub fn all_gather<T: Pod>(&self, values: &[T]) -> Vec<Vec<T>> {
        let gathered = self.transport.all_gather(bytemuck::cast_slice(values));
        gathered.into_iter().map(|b| bytemuck::pod_collect_to_vec(&b)).collect()
    }

    /// All ranks' values on rank 0, in rank order; an empty vector elsewhere.
    pub fn gather<T: Pod>(&self, values: Vec<T>) -> Vec<Vec<T>> {
        let mut send: Vec<Vec<T>> = (0..self.size()).map(|_| Vec::new()).collect();
        send[0] = values;
        let received = self.all_to_all(send);
        if self.is_root() { received } else { Vec::new() }
    }

    /// The value of rank `root`, on every rank.
    pub fn broadcast<T: Serialize + DeserializeOwned>(&self, root: usize, value: Option<T>) -> T {
        let bytes = match (&value, self.rank() == root) {
            (Some(value), true) => serde_json::to_vec(value).expect("broadcast values have string keys"),
            (None, true) => panic!("the root of a broadcast has the value"),
            _ => Vec::new(),
        };
        let sent = if self.rank() == root { vec![bytes; self.size()] } else { vec![Vec::new(); self.size()] };
        let received = self.transport.all_to_all(sent);
        serde_json::from_slice(&received[root]).expect("sent by the same program")
    }

    /// Element-wise integer reduction over ranks.
    pub fn all_reduce(&self, values: &mut [u64], op: ReduceOp) {
        self.transport.all_reduce(values, op);
    }

    /// Sum over ranks.
    pub fn sum(&self, value: u64) -> u64 {
        let mut v = [value];
        self.all_reduce(&mut v, ReduceOp::Sum);
        v[0]
    }

    /// Largest value over ranks.
    pub fn max(&self, value: u64) -> u64 {
        let mut v = [value];
        self.all_reduce(&mut v, ReduceOp::Max);
        v[0]
    }

    /// Sum of the values of the ranks before this one.
    pub fn exclusive_sum(&self, value: u64) -> u64 {
        self.all_gather(&[value])[..self.rank()].iter().map(|v| v[0]).sum()
    }

    /// Turns an error on any rank into an error on every rank: all return the error of the lowest rank that has one.
    ///
    /// All ranks call it, each having either succeeded or failed.
    pub fn agree<T, E: Serialize + DeserializeOwned>(&self, result: Result<T, E>) -> Result<T, E> {
        let mut first = [if result.is_err() { self.rank() as u64 } else { u64::MAX }];
        self.all_reduce(&mut first, ReduceOp::Min);
        if first[0] == u64::MAX {
            return result;
        }
        let root = first[0] as usize;
        Err(self.broadcast(root, if self.rank() == root { result.err() } else { None }))
    }

    /// Begins point-to-point messages; see [`Transport::start`].
    pub fn start(&self, sends: Vec<Message>, receives: Vec<Message>) -> Box<dyn InFlight> {
        self.transport.start(sends, receives)
    }

    /// Begins messages from and to a device's memory; see [`Transport::start_on_device`].
    ///
    /// # Safety
    /// As for [`Transport::start_on_device`].
    pub unsafe fn start_on_device(
        &self,
        sends: &[DeviceMessage],
        receives: &[DeviceMessage],
        memory: Rc<dyn DeviceMemory>,
    ) -> Box<dyn InFlight> {
        // SAFETY: the caller's conditions.
        unsafe { self.transport.start_on_device(sends, receives, memory) }
    }

    /// Whether messages may be in a GPU's memory.
    pub fn gpu_messages(&self) -> GpuMessages {
        self.transport.gpu_messages()
    }

    /// The ranks for other libraries that send messages among them; see [`Transport::native`].
    pub fn native(&self) -> Option<Native> {
        self.transport.native()
    }

    /// Ends all ranks at once with this exit code.
    pub fn abort(&self, code: i32) -> ! {
        self.transport.abort(code)
    }

    /// The transport, if it is of this type: for whatever else it can do.
    pub fn transport<T: Transport>(&self) -> Option<&T> {
        let transport: &dyn Any = &*self.transport;
        transport.downcast_ref()
    }
}
