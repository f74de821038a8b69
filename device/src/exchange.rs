//! Halo copies of dats on the device: packed and unpacked there, one message to each neighbour.
//!
//! ```text
//! compute   ... loop │ core of the next loop ................... │ rest
//! copy               └ pack → host │        MPI         │ host → unpack
//! ```
//!
//! With messages on the device, packed words are sent from and received into its memory, not through the host.

use std::rc::Rc;

use cfd_engine::comm::{Comm, DeviceMemory, DeviceMessage, InFlight, Message};
use cfd_engine::plug::{Buffers, DatInfo, ExchangeCount, ExchangedField, HaloLists, Local};
use cfd_engine::prelude::ElementType;

use super::error::DeviceError;
use super::interface::{Address, Buffer, Device, Function, Source, Stream};
use super::kernel_code::PRELUDE;
use super::mirror::{DeviceMirror, Extent};

/// Threads of a block.
const THREADS: u32 = 256;
/// Pairs of words that a thread of `copy` copies: CFD_PAIRS of support.cuh.
const COPIED_PAIRS: usize = 4;

/// Packing, unpacking, and the routes of all exchanges so far.
pub(crate) struct Exchanger {
    pack: Function,
    unpack: Function,
    poison: Function,
    copy: Function,
    routes: Vec<Route>,
    /// Whether messages are sent from and received into the device's memory.
    direct: bool,
}

/// An exchange of these dats: which rows go where.
struct Route {
    dats: Vec<ExchangedField>,
    /// Rank and number of words of each message.
    sends: Vec<(usize, usize)>,
    receives: Vec<(usize, usize)>,
    outgoing: Buffer,
    incoming: Buffer,
    /// A list for every dat.
    packed: Vec<RowList>,
    unpacked: Vec<RowList>,
}

/// Rows, and where the words of each begin.
struct RowList {
    count: usize,
    rows: Buffer,
    at: Buffer,
}

/// An exchange that has begun.
pub(crate) struct UnderWay {
    route: usize,
    in_flight: Box<dyn InFlight>,
}

/// What an exchange needs of the domain.
pub(crate) struct Parts<'a> {
    pub(crate) comm: &'a Comm,
    pub(crate) lists: HaloLists<'a>,
    pub(crate) dats: &'a [DatInfo],
    pub(crate) local: &'a mut Local,
    pub(crate) buffers: &'a mut Buffers,
    pub(crate) count: &'a mut ExchangeCount,
}

impl Exchanger {
    pub(crate) fn new(device: &Rc<dyn Device>, direct: bool) -> Result<Exchanger, DeviceError> {
        let support = include_str!("support.cuh");
        let text = format!("#define CFD_THREADS {THREADS}\n{PRELUDE}\n#line 1 \"support.cuh\"\n{support}");
        let entries = ["pack", "unpack", "poison", "copy"].map(String::from);
        let functions = device.compile(Source { name: "halo", text: &text, entries: &entries })?;
        Ok(Exchanger {
            pack: functions[0],
            unpack: functions[1],
            poison: functions[2],
            copy: functions[3],
            routes: Vec::new(),
            direct,
        })
    }

    /// Bytes per second, read and written together, of a copy of `words` words: the best of ten.
    pub(crate) fn copy_bandwidth(&self, device: &Rc<dyn Device>, words: usize) -> Result<f64, DeviceError> {
        let what = "the measurement of the copy bandwidth";
        let (from, to) = (Buffer::new(device, 8 * words, what)?, Buffer::new(device, 8 * words, what)?);
        from.clear(Stream::Compute)?;
        let pairs = words / 2;
        let arguments = [pairs as u64, 1, 1, 1, 0, from.address(), 0, 0, to.address()];
        let blocks = pairs.div_ceil(COPIED_PAIRS * THREADS as usize);
        let blocks = u32::try_from(blocks).expect("fewer than 2^32 blocks");
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let begin = device.mark()?;
            // SAFETY: these are the words that support.cuh declares; both buffers have this many words.
            unsafe { device.launch(self.copy, blocks, THREADS, &arguments, Stream::Compute)? };
            let end = device.mark()?;
            device.synchronize(Stream::Compute)?;
            best = best.min(device.seconds(begin, end)?);
        }
        Ok(16.0 * words as f64 / best)
    }

    /// Packs the rows of which other ranks hold copies.
    pub(crate) fn pack(
        &mut self,
        mirror: &mut DeviceMirror,
        parts: &mut Parts<'_>,
        dats: &[ExchangedField],
    ) -> Result<usize, DeviceError> {
        let route = match self.routes.iter().position(|route| route.dats == dats) {
            Some(route) => route,
            None => {
                self.routes.push(Route::new(&mirror.device, parts.lists, dats)?);
                self.routes.len() - 1
            }
        };
        let Route { outgoing, packed, .. } = &self.routes[route];
        // Uploads of what the host has changed are queued before the other stream waits for them.
        for &ExchangedField { dat, .. } in dats {
            let extent = Extent::of(dat, parts.dats, parts.lists.sets);
            mirror.dat(parts.local, dat, &parts.dats[dat].name, extent)?;
        }
        mirror.device.wait(Stream::Copy, Stream::Compute)?;
        for (&ExchangedField { dat, .. }, list) in dats.iter().zip(packed) {
            launch(self.pack, mirror, parts, dat, list, outgoing)?;
        }
        Ok(route)
    }

    /// Sends the packed rows, and begins to receive.
    pub(crate) fn send(
        &self,
        device: &Rc<dyn Device>,
        parts: &mut Parts<'_>,
        route: usize,
    ) -> Result<UnderWay, DeviceError> {
        let Route { sends, receives, outgoing, incoming, .. } = &self.routes[route];
        parts.count.exchanges += 1;
        parts.count.messages += sends.len() as u64;
        parts.count.bytes += sends.iter().map(|(_, words)| 8 * *words as u64).sum::<u64>();
        let in_flight = match self.direct {
            true => {
                // The copy stream has packed into these buffers, and unpacked from them the last time: MPI knows
                // nothing of streams.
                device.synchronize(Stream::Copy)?;
                let (sends, receives) = (at(outgoing, sends), at(incoming, receives));
                let memory = Rc::new(Reached(device.clone()));
                // SAFETY: the route has its buffers to itself; no work uses them until the messages have arrived.
                unsafe { parts.comm.start_on_device(&sends, &receives, memory) }
            }
            false => over_the_host(parts, &self.routes[route])?,
        };
        Ok(UnderWay { route, in_flight })
    }

    /// Waits for the messages and stores the copies; later loops see them.
    pub(crate) fn end(
        &self,
        mirror: &mut DeviceMirror,
        parts: &mut Parts<'_>,
        under_way: UnderWay,
    ) -> Result<(), DeviceError> {
        let (sends, receives) = under_way.in_flight.finish();
        let Route { dats, incoming, unpacked, .. } = &self.routes[under_way.route];
        if !self.direct {
            // In the order of ranks, as in the route.
            let words: Vec<u64> = receives.iter().flat_map(|message| message.words.iter().copied()).collect();
            incoming.upload(&words, Stream::Copy)?;
        }
        for (&ExchangedField { dat, .. }, list) in dats.iter().zip(unpacked) {
            launch(self.unpack, mirror, parts, dat, list, incoming)?;
            mirror.changed_here(dat);
        }
        mirror.device.wait(Stream::Compute, Stream::Copy)?;
        parts.buffers.give_back(sends);
        parts.buffers.give_back(receives);
        Ok(())
    }

    /// Makes any use of a dat's halo copies show.
    pub(crate) fn poison(
        &self,
        mirror: &mut DeviceMirror,
        parts: &Parts<'_>,
        dat: usize,
    ) -> Result<(), DeviceError> {
        let set = &parts.lists.sets[parts.dats[dat].set];
        let words = [0, set.owned as u64, 0, 0];
        let count = set.total() - set.owned;
        run(self.poison, mirror, parts, dat, count, words, Stream::Compute)
    }
}

/// The messages of one direction, one after the other in a buffer.
fn at(buffer: &Buffer, messages: &[(usize, usize)]) -> Vec<DeviceMessage> {
    let mut address = buffer.address();
    let place = |&(rank, words): &(usize, usize)| {
        let message = DeviceMessage { rank, address, words };
        address += 8 * words as Address;
        message
    };
    messages.iter().map(place).collect()
}

/// Brings the packed words to the host, sends them from there, and begins to receive there.
fn over_the_host(parts: &mut Parts<'_>, route: &Route) -> Result<Box<dyn InFlight>, DeviceError> {
    let mut words = vec![0u64; route.sends.iter().map(|(_, words)| words).sum()];
    route.outgoing.download(&mut words, Stream::Copy)?;
    let mut left = &words[..];
    let mut messages = Vec::new();
    for &(rank, count) in &route.sends {
        let (here, rest) = left.split_at(count);
        let mut words = parts.buffers.take();
        words.extend_from_slice(here);
        messages.push(Message { rank, words });
        left = rest;
    }
    let awaited = route.receives.iter().map(|&(rank, count)| {
        let mut words = parts.buffers.take();
        words.resize(count, 0);
        Message { rank, words }
    });
    let awaited = awaited.collect();
    Ok(parts.comm.start(messages, awaited))
}

/// A device's memory, for simulated ranks.
struct Reached(Rc<dyn Device>);

impl DeviceMemory for Reached {
    fn fetch(&self, address: u64, words: &mut [u64]) {
        let fetched = self.0.download(address, bytemuck::cast_slice_mut(words), Stream::Copy);
        fetched.unwrap_or_else(|error| panic!("{error}"));
    }

    fn store(&self, address: u64, words: &[u64]) {
        let stored = self.0.upload(address, bytemuck::cast_slice(words), Stream::Copy);
        stored.unwrap_or_else(|error| panic!("{error}"));
    }
}

fn launch(
    function: Function,
    mirror: &mut DeviceMirror,
    parts: &Parts<'_>,
    dat: usize,
    list: &RowList,
    words: &Buffer,
) -> Result<(), DeviceError> {
    let addresses = [0, list.rows.address(), list.at.address(), words.address()];
    run(function, mirror, parts, dat, list.count, addresses, Stream::Copy)
}

fn run(
    function: Function,
    mirror: &mut DeviceMirror,
    parts: &Parts<'_>,
    dat: usize,
    count: usize,
    mut addresses: [u64; 4],
    stream: Stream,
) -> Result<(), DeviceError> {
    if count == 0 {
        return Ok(());
    }
    let info = &parts.dats[dat];
    let (extent, dim) = (Extent::of(dat, parts.dats, parts.lists.sets), info.dim);
    addresses[0] = mirror.dat(parts.local, dat, &info.name, extent)?;
    let steps = mirror.steps(dat, extent);
    let element = match info.element {
        ElementType::F64 => 0,
        ElementType::I32 => 1,
        ElementType::F32 => 2,
    };
    let mut arguments = vec![count as u64, dim as u64, steps.row as u64, steps.column as u64, element];
    arguments.extend(addresses);
    let blocks = (count * dim).div_ceil(THREADS as usize);
    let blocks = u32::try_from(blocks).expect("fewer than 2^32 blocks");
    // SAFETY: these are the words that support.cuh declares; the rows are rows of the dat, and the words exist.
    unsafe { mirror.device.launch(function, blocks, THREADS, &arguments, stream) }
}

impl Route {
    fn new(
        device: &Rc<dyn Device>,
        lists: HaloLists<'_>,
        dats: &[ExchangedField],
    ) -> Result<Route, DeviceError> {
        let mut sends = Messages::new(dats.len());
        let mut receives = Messages::new(dats.len());
        for rank in lists.ranks(dats) {
            for (i, field) in dats.iter().enumerate() {
                if let Some(n) = lists.whole(field).iter().find(|n| n.rank == rank) {
                    sends.add(i, field.dim, n.send_exec.iter().chain(&n.send_nonexec).copied());
                    receives.add(i, field.dim, n.receive_exec.clone().chain(n.receive_nonexec.clone()));
                }
                if let Some(n) = lists.listed(field).iter().find(|n| n.rank == rank) {
                    sends.add(i, field.dim, n.send.iter().copied());
                    receives.add(i, field.dim, n.receive.iter().copied());
                }
            }
            sends.end(rank);
            receives.end(rank);
        }
        let row_lists = |messages: &Messages| -> Result<Vec<RowList>, DeviceError> {
            let list = |(rows, at): &(Vec<u32>, Vec<u32>)| {
                Ok(RowList {
                    count: rows.len(),
                    rows: Buffer::holding(device, rows, "halo rows")?,
                    at: Buffer::holding(device, at, "halo rows")?,
                })
            };
            messages.lists.iter().map(list).collect()
        };
        Ok(Route {
            dats: dats.to_vec(),
            outgoing: Buffer::new(device, 8 * sends.words, "halo messages")?,
            incoming: Buffer::new(device, 8 * receives.words, "halo messages")?,
            packed: row_lists(&sends)?,
            unpacked: row_lists(&receives)?,
            sends: sends.messages,
            receives: receives.messages,
        })
    }
}

/// The messages of one direction, one after the other in one buffer.
struct Messages {
    /// For every dat: rows, and where the words of each begin.
    lists: Vec<(Vec<u32>, Vec<u32>)>,
    messages: Vec<(usize, usize)>,
    words: usize,
    begun: usize,
}

impl Messages {
    fn new(dats: usize) -> Messages {
        Messages { lists: vec![Default::default(); dats], messages: Vec::new(), words: 0, begun: 0 }
    }

    fn add(&mut self, dat: usize, dim: usize, rows: impl Iterator<Item = u32>) {
        for row in rows {
            self.lists[dat].0.push(row);
            self.lists[dat]
                .1
                .push(u32::try_from(self.words).expect("fewer than 2^32 words in the messages of a rank"));
            self.words += dim;
        }
    }

    /// Ends the message to a rank, unless it is empty.
    fn end(&mut self, rank: usize) {
        let count = self.words - std::mem::replace(&mut self.begun, self.words);
        if count > 0 {
            self.messages.push((rank, count));
        }
    }
}
