//! Global results of loops on the device: sums as digits, extrema as a candidate for each block.

use std::rc::Rc;

use cfd_engine::kernel::{Access, Max, Min};
use cfd_engine::plug::{GlobalStore, NOWHERE, Ordered, Partial};
use exact_sum::ExactSum;

use super::error::DeviceError;
use super::interface::{Address, Buffer, Device, Stream};

/// Digits of 32 bits in a sum; the word after them says which infinities were among the terms. As in prelude.cuh.
const WORDS: usize = 66;

/// Bytes of the first memory for results: enough for some extrema of every block in a large launch.
const FIRST_BYTES: usize = 1 << 20;
/// Places of results begin at multiples of this.
const ALIGNMENT: usize = 256;

/// What the last loop with one global has left on the device.
struct LoopResult {
    /// Number of the memory, and the offset in it.
    memory: usize,
    offset: usize,
    /// Bytes available to it.
    room: usize,
    access: Access,
    dim: usize,
    blocks: usize,
    /// Whether the host has yet to receive it.
    due: bool,
    /// Whether a sum's words are zero.
    clear: bool,
}

/// All results, by global. They lie side by side, so that one copy brings them all to the host.
#[derive(Default)]
pub(crate) struct Results {
    results: Vec<Option<LoopResult>>,
    memories: Vec<Memory>,
}

struct Memory {
    buffer: Buffer,
    /// Bytes assigned to results.
    used: usize,
}

impl Results {
    /// Makes room for a loop that runs in `blocks` blocks; returns the address of its results.
    pub(crate) fn begin(
        &mut self,
        device: &Rc<dyn Device>,
        id: usize,
        store: &GlobalStore,
        blocks: usize,
    ) -> Result<u64, DeviceError> {
        let (access, dim) = (store.access, store.values.len());
        let bytes = if access == Access::Sum { dim * (WORDS + 1) * 8 } else { blocks * dim * 16 };
        if self.results.len() <= id {
            self.results.resize_with(id + 1, || None);
        }
        if self.results[id].as_ref().is_none_or(|result| result.room < bytes) {
            let (memory, offset) = self.place(device, bytes, &store.name)?;
            let (due, clear, room) = (true, true, bytes);
            self.results[id] = Some(LoopResult { memory, offset, room, access, dim, blocks, due, clear });
        }
        let result = self.results[id].as_mut().expect("just made");
        (result.blocks, result.due) = (blocks, true);
        let address = self.memories[result.memory].buffer.address() + result.offset as Address;
        if access == Access::Sum && !std::mem::replace(&mut result.clear, false) {
            device.fill(address, bytes, 0, Stream::Compute)?;
        }
        Ok(address)
    }

    /// A place of this many bytes. Places of results that have grown are not reused.
    fn place(
        &mut self,
        device: &Rc<dyn Device>,
        bytes: usize,
        what: &str,
    ) -> Result<(usize, usize), DeviceError> {
        let fits = |memory: &Memory| memory.used + bytes <= memory.buffer.bytes();
        if !self.memories.last().is_some_and(fits) {
            let more = self.memories.last().map_or(FIRST_BYTES, |last| 2 * last.buffer.bytes());
            let buffer = Buffer::new(device, more.max(bytes), what)?;
            buffer.clear(Stream::Compute)?;
            self.memories.push(Memory { buffer, used: 0 });
        }
        let last = self.memories.last_mut().expect("just made");
        let offset = last.used;
        last.used = (offset + bytes).next_multiple_of(ALIGNMENT).min(last.buffer.bytes());
        Ok((self.memories.len() - 1, offset))
    }

    /// Notes that a loop on the host has produced a global's result.
    pub(crate) fn forget(&mut self, id: usize) {
        if let Some(Some(result)) = self.results.get_mut(id) {
            result.due = false;
        }
    }

    /// Hands over everything due to the host; false if nothing was, in which case the device has not been waited for.
    pub(crate) fn collect(
        &mut self,
        device: &Rc<dyn Device>,
        globals: &mut [GlobalStore],
    ) -> Result<bool, DeviceError> {
        let due = |memory: usize| {
            let mut of_memory = self.results.iter().flatten().filter(move |result| result.memory == memory);
            of_memory.any(|result| result.due)
        };
        let words = |number: usize| if due(number) { self.memories[number].used / 8 } else { 0 };
        let range = |number: usize| (self.memories[number].buffer.address(), vec![0u64; words(number)]);
        let mut ranges: Vec<(Address, Vec<u64>)> = (0..self.memories.len()).map(range).collect();
        device.download_all(&mut ranges, Stream::Compute)?;
        // The next loops find the words of their sums clear: the device clears them while the host continues.
        for (address, words) in ranges.iter().filter(|(_, words)| !words.is_empty()) {
            device.fill(*address, size_of_val(&words[..]), 0, Stream::Compute)?;
        }
        for (result, store) in self.results.iter_mut().zip(globals) {
            let Some(result) = result else { continue };
            let words = &ranges[result.memory].1;
            result.clear |= !words.is_empty();
            if std::mem::replace(&mut result.due, false) {
                let first = result.offset / 8;
                let words = &words[first..first + result.words()];
                match result.access {
                    Access::Sum => result.hand_over_sums(words, store),
                    _ => result.hand_over_extrema(words, store),
                }
            }
        }
        self.compact()?;
        Ok(ranges.iter().any(|(_, words)| !words.is_empty()))
    }

    /// Gives all results new places if a quarter of what is copied belongs to none, because loops had other numbers of
    /// blocks while sizes were tried out. Nothing is due.
    fn compact(&mut self) -> Result<(), DeviceError> {
        let needed =
            self.results.iter().flatten().map(|result| (8 * result.words()).next_multiple_of(ALIGNMENT));
        let used: usize = self.memories.iter().map(|memory| memory.used).sum();
        if 4 * needed.sum::<usize>() < 3 * used {
            // The last memory is the largest one.
            self.memories.drain(..self.memories.len() - 1);
            for memory in &mut self.memories {
                memory.buffer.clear(Stream::Compute)?;
                memory.used = 0;
            }
            self.results.clear();
        }
        Ok(())
    }
}

impl LoopResult {
    /// Words that the loop has left.
    fn words(&self) -> usize {
        if self.access == Access::Sum { self.dim * (WORDS + 1) } else { self.blocks * self.dim * 2 }
    }

    fn hand_over_sums(&self, words: &[u64], store: &mut GlobalStore) {
        for (m, words) in words.chunks_exact(WORDS + 1).enumerate() {
            let (digits, special) = (&words[..WORDS], words[WORDS]);
            match &mut store.sums {
                Partial::Exact(sums) => {
                    sums[m].get_mut().add_digits(digits, special & 1 != 0, special & 2 != 0)
                }
                // In fast mode; nevertheless exact.
                Partial::Plain => {
                    let mut sum = ExactSum::new();
                    sum.add_digits(digits, special & 1 != 0, special & 2 != 0);
                    store.values[m] += sum.value();
                }
                Partial::Binned(_) => unreachable!("a domain with a device has no binned sums"),
            }
        }
    }

    fn hand_over_extrema(&self, words: &[u64], store: &mut GlobalStore) {
        for block in words.chunks_exact(self.dim * 2) {
            for (m, best) in block.chunks_exact(2).enumerate() {
                let (rank, id) = (best[0], best[1]);
                if id == NOWHERE {
                    continue;
                }
                let known = (store.values[m], store.at[m]);
                let first = match self.access {
                    Access::Min => {
                        <Min<1> as Ordered>::first((<Min<1> as Ordered>::value_of(rank), id), known)
                    }
                    _ => <Max<1> as Ordered>::first((<Max<1> as Ordered>::value_of(rank), id), known),
                };
                (store.values[m], store.at[m]) = first;
            }
        }
    }
}
