//! Which vertices neighbouring ranks share, and the messages that update ghosts.

use std::cell::Cell;

use bytemuck::Pod;
use cfd_engine::comm::{Comm, Message};

use super::local::Local;

/// Messages that this rank has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Rounds of messages between neighbours.
    pub exchanges: u64,
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A rank that shares vertices with this one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbour {
    pub rank: usize,
    /// This rank's vertices that are ghosts there, by identity.
    pub sends: Vec<u32>,
    /// That rank's vertices that are ghosts here, by identity.
    pub receives: Vec<u32>,
}

/// The ranks that share vertices with this one, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ghosts {
    pub neighbours: Vec<Neighbour>,
    traffic: Cell<Traffic>,
}

impl Ghosts {
    /// Finds out which vertices are shared with which ranks. Both sides get the same result: a rank holds exactly the
    /// elements that touch its own vertices, so its ghosts from another rank are that rank's vertices in elements in
    /// which both own a vertex.
    pub fn find<const D: usize>(&mut self, local: &Local<D>) {
        let mut pairs: Vec<(u32, bool, u32)> = Vec::new();
        for e in local.elements.iter() {
            let corners = local.elements.corners(e);
            for &ghost in corners.iter().filter(|&&c| !local.is_own(c)) {
                let rank = local.vertices.owner[ghost as usize];
                pairs.push((rank, false, ghost));
                pairs.extend(corners.iter().filter(|&&c| local.is_own(c)).map(|&c| (rank, true, c)));
            }
        }
        pairs.sort_unstable_by_key(|&(rank, sends, v)| (rank, sends, local.identity(v)));
        pairs.dedup();
        self.neighbours.clear();
        for (rank, sends, v) in pairs {
            if self.neighbours.last().is_none_or(|last| last.rank != rank as usize) {
                self.neighbours.push(Neighbour { rank: rank as usize, ..Neighbour::default() });
            }
            let neighbour = self.neighbours.last_mut().expect("one was added");
            if sends { &mut neighbour.sends } else { &mut neighbour.receives }.push(v);
        }
    }

    /// Copies the owners' values to the ghosts, one value for each local vertex.
    pub fn update<T: Pod>(&self, comm: &Comm, values: &mut [T]) {
        if comm.size() == 1 {
            return;
        }
        let size = size_of::<T>();
        let words = |vertices: &[u32]| (vertices.len() * size).div_ceil(8);
        let sends = self.neighbours.iter().map(|n| {
            let mut words = vec![0u64; words(&n.sends)];
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
            for (at, &v) in bytes.chunks_exact_mut(size).zip(&n.sends) {
                at.copy_from_slice(bytemuck::bytes_of(&values[v as usize]));
            }
            Message { rank: n.rank, words }
        });
        let receives =
            self.neighbours.iter().map(|n| Message { rank: n.rank, words: vec![0; words(&n.receives)] });
        let sends: Vec<Message> = sends.collect();
        self.count(sends.iter().map(|m| 8 * m.words.len()));
        let (_, received) = comm.start(sends, receives.collect()).finish();
        for (n, message) in self.neighbours.iter().zip(received) {
            let bytes: &[u8] = bytemuck::cast_slice(&message.words);
            for (from, &v) in bytes.chunks_exact(size).zip(&n.receives) {
                values[v as usize] = bytemuck::pod_read_unaligned(from);
            }
        }
    }

    /// Sends bytes to each neighbour and returns theirs, in the order of `neighbours`.
    pub fn swap_bytes(&self, comm: &Comm, send: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let lengths = |neighbours: &[Neighbour], of: &dyn Fn(usize) -> u64| -> Vec<Message> {
            neighbours.iter().enumerate().map(|(i, n)| Message { rank: n.rank, words: vec![of(i)] }).collect()
        };
        let sends = lengths(&self.neighbours, &|i| send[i].len() as u64);
        let receives = lengths(&self.neighbours, &|_| 0);
        let (_, lengths) = comm.start(sends, receives).finish();
        let lengths: Vec<usize> = lengths.iter().map(|m| m.words[0] as usize).collect();
        let message = |rank: usize, bytes: &[u8]| {
            let mut words = vec![0u64; bytes.len().div_ceil(8)];
            bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
            Message { rank, words }
        };
        let filled = |i: usize| !send[i].is_empty();
        let sends = self.neighbours.iter().enumerate().filter(|&(i, _)| filled(i));
        let sends: Vec<Message> = sends.map(|(i, n)| message(n.rank, &send[i])).collect();
        self.count(sends.iter().map(|m| 8 + 8 * m.words.len()));
        let receives = self.neighbours.iter().zip(&lengths).filter(|&(_, &length)| length > 0);
        let receives = receives
            .map(|(n, &length)| Message { rank: n.rank, words: vec![0; length.div_ceil(8)] })
            .collect();
        let (_, received) = comm.start(sends, receives).finish();
        let mut received = received.into_iter();
        let bytes_of = |length: usize, words: Vec<u64>| bytemuck::cast_slice(&words)[..length].to_vec();
        lengths
            .into_iter()
            .map(|length| match length {
                0 => Vec::new(),
                _ => bytes_of(length, received.next().expect("one for each length").words),
            })
            .collect()
    }

    /// The part of the lists with vertices that both sides select alike.
    pub fn filtered(&self, chosen: impl Fn(u32) -> bool) -> Ghosts {
        let choose = |list: &[u32]| list.iter().copied().filter(|&v| chosen(v)).collect();
        let part = |n: &Neighbour| Neighbour {
            rank: n.rank,
            sends: choose(&n.sends),
            receives: choose(&n.receives),
        };
        Ghosts { neighbours: self.neighbours.iter().map(part).collect(), traffic: Cell::default() }
    }

    /// Takes over the traffic of a part of the lists.
    pub fn add_traffic(&self, part: &Ghosts) {
        let (sent, mut traffic) = (part.traffic.take(), self.traffic.get());
        traffic.exchanges += sent.exchanges;
        traffic.messages += sent.messages;
        traffic.bytes += sent.bytes;
        self.traffic.set(traffic);
    }

    fn count(&self, sizes: impl Iterator<Item = usize>) {
        let mut traffic = self.traffic.get();
        traffic.exchanges += 1;
        for size in sizes {
            traffic.messages += 1;
            traffic.bytes += size as u64;
        }
        self.traffic.set(traffic);
    }

    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }
}
