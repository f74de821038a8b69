//! Messages that begin in one call and end in another, which rsmpi's scoped requests do not allow: hence its raw
//! interface.
//!
//! Everything is sent as bytes, in pieces of at most [`PIECE`] bytes, because MPI counts are 32-bit.

use std::ffi::c_void;
use std::rc::Rc;
use std::time::Duration;

use cfd_engine::comm::{DeviceMessage, InFlight, Message};
use mpi::environment::Universe;
use mpi::ffi;

use crate::waiting;

/// Largest number of bytes in one MPI message.
const PIECE: usize = 1 << 30;

/// Bytes of one message, in any memory that MPI can reach.
pub(crate) struct Range {
    rank: usize,
    start: *mut c_void,
    bytes: usize,
}

impl Range {
    /// Bytes to send; MPI does not write to them.
    pub(crate) fn sent(rank: usize, bytes: &[u8]) -> Range {
        Range { rank, start: bytes.as_ptr() as *mut c_void, bytes: bytes.len() }
    }

    pub(crate) fn received(rank: usize, bytes: &mut [u8]) -> Range {
        Range { rank, start: bytes.as_mut_ptr() as *mut c_void, bytes: bytes.len() }
    }

    pub(crate) fn on_device(message: &DeviceMessage) -> Range {
        Range { rank: message.rank, start: message.address as *mut c_void, bytes: 8 * message.words }
    }

    /// Rank, start and length of each piece, in the form that MPI takes.
    fn pieces(&self) -> impl Iterator<Item = (i32, *mut c_void, i32)> + use<> {
        let Range { rank, start, bytes } = *self;
        (0..bytes).step_by(PIECE).map(move |at| {
            // Wrapping, because device memory is not this program's to point into.
            let piece = start.cast::<u8>().wrapping_add(at).cast();
            (rank as i32, piece, PIECE.min(bytes - at) as i32)
        })
    }
}

/// MPI requests that have not completed yet.
pub(crate) struct Requests {
    raw: Vec<ffi::MPI_Request>,
    /// Of all messages.
    bytes: usize,
    _universe: Rc<Universe>,
}

impl Requests {
    /// Begins messages of bytes.
    ///
    /// # Safety
    /// Until the requests have been waited for, MPI may read the ranges being sent and write those being received, and
    /// nothing else writes to them or reads what is being received.
    pub(crate) unsafe fn begin(
        universe: &Rc<Universe>,
        comm: ffi::MPI_Comm,
        tag: i32,
        sends: &[Range],
        receives: &[Range],
    ) -> Requests {
        let mut requests = Requests { raw: Vec::new(), bytes: 0, _universe: Rc::clone(universe) };
        requests.bytes = sends.iter().chain(receives).map(|range| range.bytes).sum();
        for (rank, piece, count) in receives.iter().flat_map(Range::pieces) {
            // SAFETY: the caller's conditions.
            unsafe {
                ffi::MPI_Irecv(piece, count, ffi::RSMPI_UINT8_T, rank, tag, comm, requests.push());
            }
        }
        for (rank, piece, count) in sends.iter().flat_map(Range::pieces) {
            // SAFETY: the caller's conditions; MPI only reads what is sent.
            unsafe {
                ffi::MPI_Isend(piece, count, ffi::RSMPI_UINT8_T, rank, tag, comm, requests.push());
            }
        }
        requests
    }

    /// Begins the one operation that `begin` makes a request of.
    pub(crate) fn one(universe: &Rc<Universe>, begin: impl FnOnce(*mut ffi::MPI_Request)) -> Requests {
        let mut requests = Requests { raw: Vec::with_capacity(1), bytes: 0, _universe: Rc::clone(universe) };
        begin(requests.push());
        requests
    }

    fn push(&mut self) -> *mut ffi::MPI_Request {
        // SAFETY: reads a constant of the MPI library.
        self.raw.push(unsafe { ffi::RSMPI_REQUEST_NULL });
        self.raw.last_mut().expect("just pushed")
    }

    fn test(&mut self) -> bool {
        let mut done = 0;
        // SAFETY: the requests are live or null; no statuses are requested.
        unsafe {
            ffi::MPI_Testall(
                self.raw.len() as i32,
                self.raw.as_mut_ptr(),
                &mut done,
                ffi::RSMPI_STATUSES_IGNORE,
            );
        }
        done != 0
    }

    pub(crate) fn wait(&mut self) {
        waiting::wait(self.bytes, || self.test());
        self.raw.clear();
    }

    /// As [`waiting::wait_for`].
    pub(crate) fn wait_for(&mut self, patience: Option<Duration>) -> bool {
        waiting::wait_for(self.bytes, || self.test(), patience)
    }
}

/// A halo exchange under way, with its buffers unless the messages are in a device's memory.
pub(crate) struct HaloInFlight {
    pub(crate) requests: Requests,
    pub(crate) sends: Vec<Message>,
    pub(crate) receives: Vec<Message>,
}

impl InFlight for HaloInFlight {
    fn test(&mut self) -> bool {
        self.requests.test()
    }

    fn finish(mut self: Box<Self>) -> (Vec<Message>, Vec<Message>) {
        self.requests.wait();
        (std::mem::take(&mut self.sends), std::mem::take(&mut self.receives))
    }
}

impl Drop for HaloInFlight {
    fn drop(&mut self) {
        self.requests.wait();
    }
}
