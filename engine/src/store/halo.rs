//! Halo exchange: fresh copies of foreign elements, one message per neighbour for all dats of a loop.

use crate::comm::{Comm, InFlight, Message};
use crate::store::dat_storage::DatStorage;
use crate::store::layout::{DeepSet, LocalSet, Neighbour, NeighbourRows};
use crate::store::partial_halo::PartialHalos;

/// What halo exchanges have sent from one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeCount {
    /// Exchanges begun.
    pub exchanges: u64,
    /// Messages sent: at most one to each neighbour per exchange.
    pub messages: u64,
    /// Bytes sent: 8 for each value, whatever its type.
    pub bytes: u64,
    /// Bytes that would have been sent if loops exchanged whole halos.
    pub whole_bytes: u64,
}

impl std::ops::AddAssign for ExchangeCount {
    fn add_assign(&mut self, other: ExchangeCount) {
        self.exchanges += other.exchanges;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.whole_bytes += other.whole_bytes;
    }
}

/// Which copies of foreign rows an exchange brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Those in the partial halo with this number.
    Partial(usize),
    /// All in the halo.
    Halo,
    /// All in the halo and beyond it.
    Deep,
}

/// An exchanged field: a dat that takes part in a halo exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangedField {
    /// Its number.
    pub dat: usize,
    /// The number of its set.
    pub set: usize,
    /// Values per element.
    pub dim: usize,
    /// Which of its rows are sent.
    pub copies: Copies,
}

/// What is exchanged with which rank.
#[derive(Clone, Copy)]
pub struct HaloLists<'a> {
    /// The sets with their halos.
    pub sets: &'a [LocalSet],
    /// By set: rows beyond the halo; empty if there are none.
    pub deep: &'a [DeepSet],
    /// Parts of halos.
    pub partial: &'a PartialHalos,
}

impl<'a> HaloLists<'a> {
    /// The whole halo of a field with each neighbour, if it is exchanged.
    pub fn whole(&self, field: &ExchangedField) -> &'a [Neighbour] {
        match field.copies {
            Copies::Partial(_) => &[],
            Copies::Halo | Copies::Deep => &self.sets[field.set].neighbours,
        }
    }

    /// The listed rows of a field that are exchanged with each neighbour: in place of the halo, or behind it.
    pub fn listed(&self, field: &ExchangedField) -> &'a [NeighbourRows] {
        match field.copies {
            Copies::Partial(number) => &self.partial.get(number).neighbours,
            Copies::Halo => &[],
            Copies::Deep => self.deep.get(field.set).map_or(&[], |set| &set.neighbours),
        }
    }

    /// Bytes of a field that this rank would send if it were exchanged with its whole halo, and with rows beyond it where
    /// these are exchanged.
    pub fn whole_bytes(&self, field: &ExchangedField) -> u64 {
        let halo = self.sets[field.set].neighbours.iter().map(|n| n.send_exec.len() + n.send_nonexec.len());
        let deep = match field.copies {
            Copies::Deep => self.listed(field),
            Copies::Halo | Copies::Partial(_) => &[],
        };
        let rows: usize = halo.chain(deep.iter().map(|n| n.send.len())).sum();
        8 * (rows * field.dim) as u64
    }

    /// The ranks with which rows of these fields are exchanged, ascending.
    pub fn ranks(&self, fields: &[ExchangedField]) -> Vec<usize> {
        let of = |field: &ExchangedField| {
            let whole = self.whole(field).iter().map(|n| n.rank);
            whole.chain(self.listed(field).iter().map(|n| n.rank))
        };
        let mut ranks: Vec<usize> = fields.iter().flat_map(of).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}

/// An exchange that has begun.
pub struct Exchange {
    in_flight: Box<dyn InFlight>,
    dats: Vec<ExchangedField>,
}

/// Message buffers kept from one exchange to the next.
#[derive(Default)]
pub struct Buffers {
    free: Vec<Vec<u64>>,
}

impl Buffers {
    /// An empty buffer.
    pub fn take(&mut self) -> Vec<u64> {
        let mut words = self.free.pop().unwrap_or_default();
        words.clear();
        words
    }

    /// Keeps the buffers of messages for the next ones.
    pub fn give_back(&mut self, messages: Vec<Message>) {
        self.free.extend(messages.into_iter().map(|m| m.words));
    }
}

impl Exchange {
    /// Packs and sends the owned rows of which other ranks hold copies, and begins to receive the copies held here.
    pub fn begin(
        comm: &Comm,
        lists: HaloLists<'_>,
        storages: &mut [DatStorage],
        dats: Vec<ExchangedField>,
        buffers: &mut Buffers,
        count: &mut ExchangeCount,
    ) -> Exchange {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for rank in lists.ranks(&dats) {
            let mut words = buffers.take();
            let mut incoming = 0;
            for d in &dats {
                if let Some(n) = lists.whole(d).iter().find(|n| n.rank == rank) {
                    storages[d.dat].pack(&n.send_exec, d.dim, &mut words);
                    storages[d.dat].pack(&n.send_nonexec, d.dim, &mut words);
                    incoming += (n.receive_exec.len() + n.receive_nonexec.len()) * d.dim;
                }
                if let Some(n) = lists.listed(d).iter().find(|n| n.rank == rank) {
                    storages[d.dat].pack(&n.send, d.dim, &mut words);
                    incoming += n.receive.len() * d.dim;
                }
            }
            if !words.is_empty() {
                sends.push(Message { rank, words });
            }
            if incoming > 0 {
                let mut words = buffers.take();
                words.resize(incoming, 0);
                receives.push(Message { rank, words });
            }
        }
        count.exchanges += 1;
        count.messages += sends.len() as u64;
        count.bytes += sends.iter().map(|m: &Message| 8 * m.words.len() as u64).sum::<u64>();
        Exchange { in_flight: comm.start(sends, receives), dats }
    }

    /// Lets messages make progress; true when all have arrived.
    pub fn poll(&mut self) -> bool {
        self.in_flight.test()
    }

    /// Waits for the messages and stores the copies.
    pub fn end(self, lists: HaloLists<'_>, storages: &mut [DatStorage], buffers: &mut Buffers) {
        let (sends, receives) = self.in_flight.finish();
        for message in &receives {
            let mut words = &message.words[..];
            for d in &self.dats {
                if let Some(n) = lists.whole(d).iter().find(|n| n.rank == message.rank) {
                    for range in [&n.receive_exec, &n.receive_nonexec] {
                        let (here, rest) = words.split_at(range.len() * d.dim);
                        storages[d.dat].unpack(range.start as usize * d.dim, here);
                        words = rest;
                    }
                }
                if let Some(n) = lists.listed(d).iter().find(|n| n.rank == message.rank) {
                    words = storages[d.dat].unpack_rows(&n.receive, d.dim, words);
                }
            }
        }
        buffers.give_back(sends);
        buffers.give_back(receives);
    }
}
