//! Fetches memory that will be read soon into the cache, a little with every few elements, so that the memory is never idle
//! and never waited for.
//!
//! A processor has room for a dozen or two lines under way; a hundred asked for at once would be waited for.

use crate::memory::{LINE, into_cache};

/// Elements after which the next lines are asked for.
pub(crate) const STEP: usize = 8;

/// Memory that will be read.
#[derive(Debug)]
pub(crate) struct Ahead {
    /// The next line to ask for, and the end of the stretch that it lies in.
    next: *const u8,
    end: *const u8,
    /// Lines to ask for with every step; 0: nothing is left.
    lines: usize,
    /// First byte and end of every stretch.
    stretches: Vec<(*const u8, *const u8)>,
    /// The stretch after the present one.
    at: usize,
}

// SAFETY: the addresses are only handed to the cache, which cannot fail and changes nothing.
unsafe impl Send for Ahead {}

impl Default for Ahead {
    fn default() -> Ahead {
        let nowhere = std::ptr::null();
        Ahead { next: nowhere, end: nowhere, lines: 0, stretches: Vec::new(), at: 0 }
    }
}

impl Ahead {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.stretches.clear();
        (self.lines, self.at) = (0, 0);
    }

    /// Adds a stretch of memory.
    pub(crate) fn push(&mut self, first: *const u8, bytes: usize) {
        if bytes > 0 {
            self.stretches.push((first.wrapping_sub(first.addr() % LINE), first.wrapping_add(bytes)));
        }
    }

    /// Adds all values of a slice.
    pub(crate) fn push_all<T>(&mut self, values: &[T]) {
        self.push(values.as_ptr().cast(), size_of_val(values));
    }

    /// Divides what is there among this many steps.
    pub(crate) fn divide(&mut self, steps: usize) {
        let lines = |&(first, end): &(*const u8, *const u8)| (end.addr() - first.addr()).div_ceil(LINE);
        self.lines = self.stretches.iter().map(lines).sum::<usize>().div_ceil(steps.max(1));
        self.turn();
    }

    /// Asks for the next lines.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        if self.lines == 0 {
            return;
        }
        for line in 0..self.lines {
            into_cache(self.next.wrapping_add(LINE * line));
        }
        self.next = self.next.wrapping_add(LINE * self.lines);
        if self.next >= self.end {
            self.turn();
        }
    }

    /// Goes on with the next stretch.
    #[inline(always)]
    fn turn(&mut self) {
        match self.stretches.get(self.at) {
            Some(&(first, end)) => {
                (self.next, self.end) = (first, end);
                self.at += 1;
            }
            None => self.lines = 0,
        }
    }
}
