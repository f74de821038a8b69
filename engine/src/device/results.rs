//! Global results of loops on the device: sums as digits, extrema as a candidate for each block.

use std::rc::Rc;

use super::error::DeviceError;
use super::interface::{Buffer, Device, Stream};
use crate::global::{GlobalStore, NOWHERE, Ordered, Partial};
use crate::kernel::{Access, Max, Min};
use crate::sum::ExactSum;

/// Digits of 32 bits of a sum; a word behind them says which infinities were among the terms. As in prelude.cuh.
const WORDS: usize = 66;

/// What the last loop with one global has left on the device.
pub(crate) struct LoopResult {
    buffer: Buffer,
    access: Access,
    dim: usize,
    blocks: usize,
    /// The host has not seen it yet.
    due: bool,
    /// A sum's words are zero.
    clear: bool,
}

/// All of them, by global.
#[derive(Default)]
pub(crate) struct Results(Vec<Option<LoopResult>>);

impl Results {
    /// Makes room for a loop that runs in `blocks` blocks; where its results go.
    pub(crate) fn begin(
        &mut self,
        device: &Rc<dyn Device>,
        id: usize,
        store: &GlobalStore,
        blocks: usize,
    ) -> Result<u64, DeviceError> {
        let (access, dim) = (store.access, store.values.len());
        let bytes = if access == Access::Sum { dim * (WORDS + 1) * 8 } else { blocks * dim * 16 };
        if self.0.len() <= id {
            self.0.resize_with(id + 1, || None);
        }
        let fits = self.0[id].as_ref().is_some_and(|result| result.buffer.bytes() >= bytes);
        if !fits {
            let buffer = Buffer::new(device, bytes, &store.name)?;
            self.0[id] = Some(LoopResult { buffer, access, dim, blocks, due: true, clear: false });
        }
        let result = self.0[id].as_mut().expect("just made");
        (result.blocks, result.due) = (blocks, true);
        if access == Access::Sum && !std::mem::replace(&mut result.clear, false) {
            result.buffer.clear(Stream::Compute)?;
        }
        Ok(result.buffer.address())
    }

    /// Notes that a loop on the host has made a global's result.
    pub(crate) fn forget(&mut self, id: usize) {
        if let Some(Some(result)) = self.0.get_mut(id) {
            result.due = false;
        }
    }

    /// Hands what is due over to the host.
    pub(crate) fn collect(
        &mut self,
        device: &Rc<dyn Device>,
        globals: &mut [GlobalStore],
    ) -> Result<(), DeviceError> {
        let due = self.0.iter().zip(globals).filter_map(|(result, store)| {
            let result = result.as_ref().filter(|result| result.due)?;
            Some((result, store))
        });
        let (due, stores): (Vec<&LoopResult>, Vec<&mut GlobalStore>) = due.unzip();
        let range = |result: &&LoopResult| (result.buffer.address(), vec![0u64; result.words()]);
        let mut ranges: Vec<(u64, Vec<u64>)> = due.iter().map(range).collect();
        device.download_all(&mut ranges, Stream::Compute)?;
        for ((result, store), (_, words)) in due.into_iter().zip(stores).zip(&ranges) {
            match result.access {
                Access::Sum => result.hand_over_sums(words, store),
                _ => result.hand_over_extrema(words, store),
            }
        }
        // The next loop finds its words clear: the device does that while the host goes on.
        for result in self.0.iter_mut().flatten().filter(|result| result.due) {
            result.due = false;
            if result.access == Access::Sum {
                result.buffer.clear(Stream::Compute)?;
                result.clear = true;
            }
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
                // In fast mode; exact all the same.
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
