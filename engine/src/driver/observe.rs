//! Looking at what loops do: the values of every dat a loop has changed, loop by loop.

use super::state::State;
use crate::comm::Comm;
use crate::store::dat_storage::DatStorage;
use crate::store::tables::DatInfo;

/// What a loop has left in a dat; see [`Domain::observe`](crate::domain::Domain::observe).
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    /// The communicator of all ranks, which observe the same things in the same order.
    pub comm: &'a Comm,
    /// Loops run since observing began, this one included; also those that change no dat are counted.
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
    /// Of double precision.
    F64(&'a [u64]),
    /// Of integers, in the low 32 bits.
    I32(&'a [u64]),
}

pub(crate) type Observer = Box<dyn FnMut(Observed<'_>)>;

impl State {
    /// Shows these dats to the observer, if there is one.
    pub fn show(&mut self, loop_name: &str, dats: &[usize]) {
        let Some(observer) = &mut self.observer else { return };
        self.observed_loops += 1;
        for &dat in dats {
            let DatInfo { name, set, dim, .. } = &self.dats[dat];
            let set = &self.sets[*set];
            let rows: Vec<u32> = (0..set.owned as u32).collect();
            let mut words = Vec::new();
            let storage = &mut self.local.storages[dat];
            storage.pack(&rows, *dim, &mut words);
            let values = match storage {
                DatStorage::F64(_) => Bits::F64(&words),
                DatStorage::I32(_) => Bits::I32(&words),
            };
            observer(Observed {
                comm: &self.comm,
                loops: self.observed_loops,
                loop_name,
                dat: name,
                dim: *dim,
                rows: set.global_rows,
                global_ids: &set.global_ids[..set.owned],
                values,
            });
        }
    }
}
