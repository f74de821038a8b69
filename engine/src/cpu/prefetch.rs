//! Prefetch: requests memory that will be read soon, a little every few elements, so that the memory is never idle and
//! never waited for.
//!
//! A processor has room for about a dozen lines under way; a hundred requested at once would have to be waited for.

use crate::base::memory::{LINE, prefetch_line};
use crate::cpu::element_block::ElementBlock;

/// Elements between two requests for lines.
pub const STEP: usize = 8;

/// How far ahead of the current row of a stream to prefetch, in bytes: two small pages, at whose ends a processor's own
/// prefetching stops, and time enough for the memory to answer.
const DISTANCE: usize = 8192;

/// How far ahead of the current row of a list to prefetch, in rows. As far as a processor can wait for at once: with 16
/// rows of 128 bytes that lie far apart, a sweep takes 0.6 of the time without; with 4 or with 32, 0.65.
pub const AHEAD: usize = 16;

/// Prefetches rows that elements after these will read, a step's. `row` is where the row of an element is, by its row or
/// its position in the loop.
#[inline(always)]
pub fn rows<const W: usize, B: ElementBlock<W>, Row>(
    block: &B,
    by_position: bool,
    row: impl Fn(usize) -> *const Row,
) {
    if let Some(first) = block.surely_consecutive(by_position) {
        return request(row(first).cast::<u8>().wrapping_add(DISTANCE), B::STEP * size_of::<Row>());
    }
    for e in 0..W {
        if let Some(at) = block.ahead(e) {
            request(row(at).cast(), size_of::<Row>());
        }
    }
}

/// Prefetches so many bytes.
#[inline(always)]
fn request(first: *const u8, bytes: usize) {
    for line in 0..bytes.div_ceil(LINE) {
        prefetch_line(first.wrapping_add(LINE * line));
    }
}

/// What a loop prefetches while it runs.
pub enum Prefetch<'a> {
    /// Nothing: the cache holds what it needs.
    Nothing,
    /// Its own operands.
    Operands,
    /// What a chain will need after this loop of a tile.
    Tile(&'a mut PrefetchQueue),
}

/// Most lines to request in one step so that the queue ends in time.
const MOST: usize = 8;

/// Memory that will be read, to be prefetched step by step.
#[derive(Debug)]
pub struct PrefetchQueue {
    /// The next line to request, and the end of the range it lies in.
    next: *const u8,
    end: *const u8,
    /// Lines to request in every step; 0: nothing is left.
    lines: usize,
    /// First byte and end of every range.
    stretches: Vec<(*const u8, *const u8)>,
    /// The range after the current one.
    at: usize,
}

// SAFETY: the addresses are only passed to the cache, which cannot fail and changes nothing.
unsafe impl Send for PrefetchQueue {}

impl Default for PrefetchQueue {
    fn default() -> PrefetchQueue {
        let nowhere = std::ptr::null();
        PrefetchQueue { next: nowhere, end: nowhere, lines: 0, stretches: Vec::new(), at: 0 }
    }
}

impl PrefetchQueue {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.stretches.clear();
        (self.lines, self.at) = (0, 0);
    }

    /// Adds a range of memory.
    pub fn push(&mut self, first: *const u8, bytes: usize) {
        if bytes > 0 {
            self.stretches.push((first.wrapping_sub(first.addr() % LINE), first.wrapping_add(bytes)));
        }
    }

    /// Adds all values of a slice.
    pub fn push_all<T>(&mut self, values: &[T]) {
        self.push(values.as_ptr().cast(), size_of_val(values));
    }

    /// Divides the queue among this many steps; no step continues into the next range.
    pub fn divide(&mut self, steps: usize) {
        let lines = |&(first, end): &(*const u8, *const u8)| (end.addr() - first.addr()).div_ceil(LINE);
        let taken = |each: usize| self.stretches.iter().map(|s| lines(s).div_ceil(each)).sum::<usize>();
        let fewest = taken(1).div_ceil(steps.max(1)).max(1);
        self.lines = (fewest..MOST).find(|&each| taken(each) <= steps).unwrap_or(fewest.max(MOST));
        self.turn();
    }

    /// Requests the next lines.
    #[inline(always)]
    pub fn step(&mut self) {
        if self.lines == 0 {
            return;
        }
        for line in 0..self.lines {
            prefetch_line(self.next.wrapping_add(LINE * line));
        }
        self.next = self.next.wrapping_add(LINE * self.lines);
        if self.next >= self.end {
            self.turn();
        }
    }

    /// Continues with the next range.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_asked_for_within_the_steps() {
        let memory = vec![0u8; 20_000];
        let cases: [(&[(usize, usize)], usize); 5] = [
            (&[(0, 20_000)], 100),
            (&[(1, 64), (200, 1), (700, 6400), (9000, 130)], 60),
            (&[(64, 64), (640, 64), (1280, 64)], 3),
            (&[(0, 6400)], 1000),
            (&[(5, 0)], 10),
        ];
        for (stretches, steps) in cases {
            let mut prefetch = PrefetchQueue::default();
            stretches.iter().for_each(|&(at, len)| prefetch.push(memory[at..].as_ptr(), len));
            prefetch.divide(steps);
            let mut asked = Vec::new();
            for _ in 0..steps {
                asked.extend((0..prefetch.lines).map(|line| prefetch.next.addr() + LINE * line));
                prefetch.step();
            }
            assert_eq!(prefetch.lines, 0, "something is left of {stretches:?}");
            for address in
                stretches.iter().flat_map(|&(at, len)| (at..at + len).map(|at| memory[at..].as_ptr().addr()))
            {
                assert!(asked.contains(&(address / LINE * LINE)), "{stretches:?}");
            }
            prefetch.clear();
            prefetch.step();
        }
    }
}
