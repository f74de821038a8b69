//! Fetches what the next tile will load into the cache, bit by bit, while this tile is worked on: the memory is never
//! idle, and never waited for.

use crate::memory::{LINE, into_cache};

/// Memory that will be read.
#[derive(Default)]
pub(crate) struct Ahead {
    /// First byte and number of bytes.
    stretches: Vec<(*const u8, usize)>,
    /// The stretch that is being fetched, and how much of it has been.
    at: usize,
    fetched: usize,
    /// Bytes to fetch at a time.
    portion: usize,
}

// SAFETY: the addresses are only handed to the cache, which cannot fail and changes nothing.
unsafe impl Send for Ahead {}

impl Ahead {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.stretches.clear();
        (self.at, self.fetched) = (0, 0);
    }

    /// Adds a stretch of memory.
    pub(crate) fn push(&mut self, first: *const u8, bytes: usize) {
        self.stretches.push((first, bytes));
    }

    /// Divides what is there among this many calls of [`Ahead::fetch`].
    pub(crate) fn divide(&mut self, calls: usize) {
        let bytes: usize = self.stretches.iter().map(|s| s.1).sum();
        self.portion = bytes.div_ceil(calls.max(1));
    }

    /// Begins to fetch the next portion.
    #[inline]
    pub(crate) fn fetch(&mut self) {
        let mut left = self.portion;
        while left > 0 {
            let Some(&(first, bytes)) = self.stretches.get(self.at) else { return };
            let end = bytes.min(self.fetched + left);
            for offset in (self.fetched..end).step_by(LINE) {
                into_cache(first.wrapping_add(offset));
            }
            left -= end - self.fetched;
            self.fetched = end;
            if end == bytes {
                (self.at, self.fetched) = (self.at + 1, 0);
            }
        }
    }
}
