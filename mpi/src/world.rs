//! The transport of all ranks of an MPI job.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::rc::Rc;
use std::time::Duration;

use cfd_engine::comm::{DeviceMemory, DeviceMessage, GpuMessages, InFlight, Message, ReduceOp, Transport};
use mpi::Threading;
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

/// The communicator of all ranks. MPI is finalised when it is dropped, after every message still under way.
pub(crate) struct World {
    comm: SimpleCommunicator,
    /// The same ranks, for their last message.
    last: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// The operation of [`ReduceOp::Record`].
    record_op: ffi::MPI_Op,
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
        // SAFETY: the callback has the form that MPI requires; the call sets the operation.
        let record_op = unsafe {
            let mut op = MaybeUninit::uninit();
            ffi::MPI_Op_create(Some(combine_records), 1, op.as_mut_ptr());
            op.assume_init()
        };
        let last = comm.duplicate();
        Ok(World { comm, last, rank, size, record_op, universe: Rc::new(universe) })
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

    /// The all-reduce of [`ReduceOp::Record`], in one message with one indivisible record, which begins with its number
    /// of sums.
    fn all_reduce_record(&self, values: &mut [u64], sums: usize) {
        let mut own = Vec::with_capacity(values.len() + 1);
        own.push(sums as u64);
        own.extend_from_slice(values);
        let mut combined = vec![0u64; own.len()];
        let words = i32::try_from(own.len()).expect("a record of fewer than 2^31 words");
        let (from, into) = (own.as_ptr() as *const c_void, combined.as_mut_ptr() as *mut c_void);
        // SAFETY: both buffers hold one element of the datatype; they and it live until the operation has been waited for.
        // The operation is associative and commutative, as declared.
        unsafe {
            let mut record = ffi::RSMPI_DATATYPE_NULL;
            ffi::MPI_Type_contiguous(words, ffi::RSMPI_UINT64_T, &mut record);
            ffi::MPI_Type_commit(&mut record);
            let (op, comm) = (self.record_op, self.comm.as_raw());
            Requests::one(&self.universe, |request| {
                ffi::MPI_Iallreduce(from, into, 1, record, op, comm, request);
            })
            .wait();
            ffi::MPI_Type_free(&mut record);
        }
        values.copy_from_slice(&combined[1..]);
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
        // Most messages are short.
        let mut few = [0; 16];
        let many;
        let own = match few.get_mut(..values.len()) {
            Some(few) => {
                few.copy_from_slice(values);
                few
            }
            None => {
                many = values.to_vec();
                &many[..]
            }
        };
        let op = match op {
            ReduceOp::Sum => mpi::collective::SystemOperation::sum(),
            ReduceOp::Min => mpi::collective::SystemOperation::min(),
            ReduceOp::Max => mpi::collective::SystemOperation::max(),
            ReduceOp::Record { sums } => return self.all_reduce_record(values, sums),
        };
        scope(|scope| complete(self.comm.immediate_all_reduce_into(scope, own, values, op)));
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

/// Waits until a collective operation is done.
fn complete<'a, D: ?Sized, S: Scope<'a>>(request: Request<'a, D, S>) {
    let mut left = Some(request);
    waiting::wait(|| {
        left = left.take().and_then(|request| request.test().err());
        left.is_none()
    });
}

/// Combines `count` records of `datatype`: a word that counts the sums, then the words of [`ReduceOp::Record`].
unsafe extern "C" fn combine_records(
    with: *mut c_void,
    into: *mut c_void,
    count: *mut i32,
    datatype: *mut ffi::MPI_Datatype,
) {
    // SAFETY: MPI calls this with `count` elements of the datatype in both buffers, which are 8-byte words.
    unsafe {
        let mut bytes = 0;
        ffi::MPI_Type_size(*datatype, &mut bytes);
        let words = bytes as usize / size_of::<u64>();
        for record in 0..*count as usize {
            let with = std::slice::from_raw_parts((with as *const u64).add(record * words), words);
            let into = std::slice::from_raw_parts_mut((into as *mut u64).add(record * words), words);
            ReduceOp::Record { sums: with[0] as usize }.combine(&mut into[1..], &with[1..]);
        }
    }
}
