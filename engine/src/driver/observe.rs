//! Observing loops: the values of every dat that a loop has changed, loop by loop.

use crate::comm::Comm;

/// What a loop has left in a dat; see [`Domain::observe`](crate::domain::Domain::observe).
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    /// The communicator of all ranks, which observe the same things in the same order.
    pub comm: &'a Comm,
    /// Loops run since observing began, including this one and those that change no dat.
    pub loops: u64,
    /// The loop's name.
    pub loop_name: &'a str,
    /// The dat's name.
    pub dat: &'a str,
    /// Values of one element.
    pub dim: usize,
    /// Number of elements over all ranks.
    pub rows: u64,
    /// Global ids of the owned rows.
    pub global_ids: &'a [u64],
    /// The owned rows' values.
    pub values: Bits<'a>,
}

/// Values as bits.
#[derive(Clone, Copy, Debug)]
pub enum Bits<'a> {
    /// Of double-precision numbers.
    F64(&'a [u64]),
    /// Of integers, in the low 32 bits.
    I32(&'a [u64]),
}

pub(crate) type Observer = Box<dyn FnMut(Observed<'_>)>;
