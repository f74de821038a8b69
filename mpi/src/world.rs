//! The transport of all ranks of an MPI job.

use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::time::Duration;

use cfd_engine::comm::{
    DeviceMemory, DeviceMessage, GpuMessages, InFlight, Message, Native, ReduceOp, Transport,
};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::request::{Request, Scope, scope};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives};

use crate::requests::{HaloInFlight, Range, Requests};
use crate::{MpiError, gpu_aware, waiting};

/// Tags, so that collective-like exchanges and halo messages cannot be mistaken for one another.
const TAG_EXCHANGE: i32 = 1;
const TAG_HALO: i32 = 2;
const TAG_REDUCE: i32 = 3;

/// Words that ranks reduce by themselves, in a third of the time of MPI's operation that does not block.
const SHORT: usize = 512;

/// The communicator of all ranks. MPI is finalised when it is dropped, after every message still under way.
pub(crate) struct World {
    comm: SimpleCommunicator,
    /// The same ranks, for their last message.
    last: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// Shared with messages under way, so that MPI outlives them.
    universe: Rc<Universe>,
}

impl World {
    pub(crate) fn init() -> Result<World, MpiError> {
        let (universe, level) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or(MpiError::Initialised)?;
        if level < Threading::Funneled {
            return Err(MpiError::Threads(level));
        }
        waiting::sharpen_sleeps();
        let comm = universe.world();
        let (rank, size) = (comm.rank() as usize, comm.size() as usize);
        let last = comm.duplicate();
        Ok(World { comm, last, rank, size, universe: Rc::new(universe) })
    }

    pub(crate) fn handle(&self) -> ffi::MPI_Comm {
        self.comm.as_raw()
    }

    /// A communicator of the first `ranks` ranks, and what keeps the library alive; none on the other ranks. Collective.
    pub(crate) fn first(&self, ranks: usize) -> Option<(SimpleCommunicator, Rc<Universe>)> {
        let color = if self.rank < ranks { Color::with_value(0) } else { Color::undefined() };
        let first = self.comm.split_by_color(color)?;
        Some((first, Rc::clone(&self.universe)))
    }

    /// Recursive doubling: in every step, a rank and its partner exchange what they have combined so far. A rank beyond the
    /// largest power of two first hands its values to another, from which it gets the result. Any order is as good: the
    /// operations on integers are associative and commutative.
    fn all_reduce_by_doubling(&self, values: &mut [u64], op: ReduceOp) {
        let paired = 1 << self.size.ilog2();
        let beyond = self.size - paired;
        let mut others = vec![0; values.len()];
        if self.rank >= paired {
            self.swap(self.rank - paired, Some(values), None);
            return self.swap(self.rank - paired, None, Some(values));
        }
        if self.rank < beyond {
            self.swap(self.rank + paired, None, Some(&mut others));
            op.combine(values, &others);
        }
        for step in (0..paired.ilog2()).map(|bit| 1 << bit) {
            self.swap(self.rank ^ step, Some(values), Some(&mut others));
            op.combine(values, &others);
        }
        if self.rank < beyond {
            self.swap(self.rank + paired, Some(values), None);
        }
    }

    /// Sends words to a rank, receives as many from it, or both.
    fn swap(&self, rank: usize, send: Option<&[u64]>, receive: Option<&mut [u64]>) {
        let send = send.map(|words| Range::sent(rank, bytemuck::cast_slice(words)));
        let receive = receive.map(|words| Range::received(rank, bytemuck::cast_slice_mut(words)));
        // SAFETY: the messages have arrived before anything else can reach the words.
        unsafe { self.begin(TAG_REDUCE, send.as_slice(), receive.as_slice()) }.wait();
    }

    /// As [`Requests::begin`].
    unsafe fn begin(&self, tag: i32, sends: &[Range], receives: &[Range]) -> Requests {
        // SAFETY: the caller's conditions.
        unsafe { Requests::begin(&self.universe, self.comm.as_raw(), tag, sends, receives) }
    }
}

impl Transport for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn barrier(&self) {
        complete(self.comm.immediate_barrier());
    }

    fn all_to_all(&self, send: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let lengths: Vec<u64> = send.iter().map(|b| b.len() as u64).collect();
        let mut incoming = vec![0u64; self.size];
        scope(|scope| {
            complete(self.comm.immediate_all_to_all_into(scope, &lengths[..], &mut incoming[..]));
        });
        let mut received: Vec<Vec<u8>> = incoming.iter().map(|&n| vec![0u8; n as usize]).collect();
        received[self.rank].copy_from_slice(&send[self.rank]);
        let foreign = |(rank, _): &(usize, _)| *rank != self.rank;
        let sends: Vec<Range> = send
            .iter()
            .enumerate()
            .filter(|(r, _)| *r != self.rank)
            .map(|(r, b)| Range::sent(r, b))
            .collect();
        let receives: Vec<Range> = received
            .iter_mut()
            .enumerate()
            .filter(foreign)
            .map(|(rank, bytes)| Range::received(rank, bytes))
            .collect();
        // SAFETY: the buffers are local to this function, and untouched until the messages have been waited for.
        unsafe { self.begin(TAG_EXCHANGE, &sends, &receives) }.wait();
        received
    }

    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lengths = vec![0u64; self.size];
        let own = [bytes.len() as u64];
        scope(|scope| complete(self.comm.immediate_all_gather_into(scope, &own[..], &mut lengths[..])));
        let total: u64 = lengths.iter().sum();
        if total == 0 {
            // Open MPI refuses an empty MPI_Allgatherv on one rank.
            return vec![Vec::new(); self.size];
        }
        if total > i32::MAX as u64 {
            // More than a single collective call can count.
            return self.all_to_all(vec![bytes.to_vec(); self.size]);
        }
        let counts: Vec<i32> = lengths.iter().map(|&n| n as i32).collect();
        let starts: Vec<i32> = counts
            .iter()
            .scan(0, |end, n| {
                *end += n;
                Some(*end - n)
            })
            .collect();
        let mut all = vec![0u8; total as usize];
        let mut parts = PartitionMut::new(&mut all[..], &counts[..], &starts[..]);
        scope(|scope| complete(self.comm.immediate_all_gather_varcount_into(scope, bytes, &mut parts)));
        counts.iter().zip(&starts).map(|(&n, &at)| all[at as usize..(at + n) as usize].to_vec()).collect()
    }

    fn all_reduce(&self, values: &mut [u64], op: ReduceOp) {
        let system = match op {
            ReduceOp::Sum => SystemOperation::sum(),
            ReduceOp::Min => SystemOperation::min(),
            ReduceOp::Max => SystemOperation::max(),
            ReduceOp::Record { .. } => return self.all_reduce_by_doubling(values, op),
        };
        if values.len() <= SHORT {
            return self.all_reduce_by_doubling(values, op);
        }
        let own = values.to_vec();
        scope(|scope| complete(self.comm.immediate_all_reduce_into(scope, &own[..], values, system)));
    }

    fn start(&self, sends: Vec<Message>, mut receives: Vec<Message>) -> Box<dyn InFlight> {
        let out: Vec<Range> =
            sends.iter().map(|m| Range::sent(m.rank, bytemuck::cast_slice(&m.words))).collect();
        let into: Vec<Range> = receives
            .iter_mut()
            .map(|m| Range::received(m.rank, bytemuck::cast_slice_mut(&mut m.words)))
            .collect();
        // SAFETY: the buffers are heap blocks that do not move when the vectors that own them do; their owner waits for
        // the requests before it returns or drops them.
        let requests = unsafe { self.begin(TAG_HALO, &out, &into) };
        Box::new(HaloInFlight { requests, sends, receives })
    }

    unsafe fn start_on_device(
        &self,
        sends: &[DeviceMessage],
        receives: &[DeviceMessage],
        _memory: Rc<dyn DeviceMemory>,
    ) -> Box<dyn InFlight> {
        let ranges = |messages: &[DeviceMessage]| messages.iter().map(Range::on_device).collect::<Vec<_>>();
        // SAFETY: the caller's conditions.
        let requests = unsafe { self.begin(TAG_HALO, &ranges(sends), &ranges(receives)) };
        Box::new(HaloInFlight { requests, sends: Vec::new(), receives: Vec::new() })
    }

    fn gpu_messages(&self) -> GpuMessages {
        gpu_aware::of_mpi(&crate::library_version())
    }

    fn native(&self) -> Option<Native> {
        Some(self.comm.as_raw().0.named())
    }

    fn end(&self, values: &mut [u64], patience: Option<Duration>) -> bool {
        // Left to MPI if it is not done with them in time: then the process is about to end.
        let buffers = Box::leak(Box::new((values.to_vec(), values.to_vec())));
        let count = i32::try_from(values.len()).expect("a few words");
        // SAFETY: the buffers hold as many words and live on.
        let mut request = Requests::one(&self.universe, |request| unsafe {
            ffi::MPI_Iallreduce(
                buffers.0.as_ptr() as *const c_void,
                buffers.1.as_mut_ptr() as *mut c_void,
                count,
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_MIN,
                self.last.as_raw(),
                request,
            );
        });
        let done = request.wait_for(patience);
        if done {
            values.copy_from_slice(&buffers.1);
        }
        done
    }

    fn abort(&self, code: i32) -> ! {
        self.comm.abort(code)
    }
}

/// What MPI libraries take for an `MPI_Comm`.
trait Named {
    fn named(self) -> Native;
}

impl<T> Named for *mut T {
    fn named(self) -> Native {
        Native::Pointer(self.cast())
    }
}

impl Named for c_int {
    fn named(self) -> Native {
        Native::Integer(self)
    }
}

/// Waits until a collective operation is done.
fn complete<'a, D: ?Sized, S: Scope<'a>>(request: Request<'a, D, S>) {
    let mut left = Some(request);
    waiting::wait(0, || {
        left = left.take().and_then(|request| request.test().err());
        left.is_none()
    });
}
