//! Work for the threads of one rank.

use std::ops::Range;
use std::sync::Mutex;

use cfd_engine::plug::{ThreadPool, UNBROKEN};

/// Items that a worker claims at a time.
const BLOCK: usize = 128;

/// Numbers that a worker claims at a time to choose among them.
const RANGE: u32 = 2048;

/// `f` of every item, in the order of the items, whichever thread computes it.
pub(crate) fn map<T: Sync, R: Send>(pool: &ThreadPool, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_blocks(pool, BLOCK, items, f)
}

/// The numbers below `count` for which `holds`, in ascending order, whichever thread looks at them.
pub(crate) fn filter(pool: &ThreadPool, count: usize, holds: impl Fn(&u32) -> bool + Sync) -> Vec<u32> {
    in_ranges(pool, count, |range| range.filter(&holds).collect())
}

/// As [`filter`], the numbers of the bytes with one of these bits for which `holds`.
pub(crate) fn filter_bits(
    pool: &ThreadPool,
    bytes: &[u8],
    bits: u8,
    holds: impl Fn(&u32) -> bool + Sync,
) -> Vec<u32> {
    let in_all = u64::from_ne_bytes([bits; 8]);
    in_ranges(pool, bytes.len(), |range| {
        let mut chosen = Vec::new();
        // Most have none of them: one look at eight finds that.
        for first in range.clone().step_by(8) {
            let eight = first..range.end.min(first + 8);
            let word = bytes[first as usize..].first_chunk().copied().map(u64::from_ne_bytes);
            if word.is_none_or(|word| word & in_all != 0) {
                chosen.extend(eight.filter(|&i| bytes[i as usize] & bits != 0).filter(&holds));
            }
        }
        chosen
    })
}

/// What `chosen` returns for ranges of the numbers below `count`, one after the other.
fn in_ranges(pool: &ThreadPool, count: usize, chosen: impl Fn(Range<u32>) -> Vec<u32> + Sync) -> Vec<u32> {
    let count = u32::try_from(count).expect("fewer than 2^32 numbers a rank");
    if pool.workers() == 1 || count <= RANGE {
        return chosen(0..count);
    }
    let ranges: Vec<Range<u32>> =
        (0..count).step_by(RANGE as usize).map(|first| first..count.min(first + RANGE)).collect();
    in_blocks(pool, 1, &ranges, |range| chosen(range.clone())).concat()
}

fn in_blocks<T: Sync, R: Send>(
    pool: &ThreadPool,
    block: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if pool.workers() == 1 || items.len() <= block {
        return items.iter().map(f).collect();
    }
    let mut results = Vec::with_capacity(items.len());
    let places = &mut results.spare_capacity_mut()[..items.len()];
    let blocks = Mutex::new(items.chunks(block).zip(places.chunks_mut(block)));
    let work = || {
        loop {
            let Some((items, places)) = blocks.lock().expect(UNBROKEN).next() else { return };
            for (item, place) in items.iter().zip(places) {
                place.write(f(item));
            }
        }
    };
    pool.run(work, |_| work());
    // SAFETY: every place is in a block that a worker has claimed and filled; if one had panicked, so would have `run`.
    unsafe { results.set_len(items.len()) };
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_for_any_number_of_workers() {
        let items: Vec<u32> = (0..3 * RANGE + 7).collect();
        let is_chosen = |i: &u32| i.wrapping_mul(2_654_435_769) & 12 == 0;
        let chosen: Vec<u32> = items.iter().copied().filter(is_chosen).collect();
        for workers in [1, 2, 3] {
            let pool = ThreadPool::new(workers);
            let found = map(&pool, &items, |i| i.to_string());
            assert!(found.iter().zip(&items).all(|(found, i)| *found == i.to_string()));
            assert_eq!(filter(&pool, items.len(), is_chosen), chosen);
            let bytes: Vec<u8> = items.iter().map(|i| 5 | u8::from(is_chosen(i)) << 1).collect();
            assert_eq!(filter_bits(&pool, &bytes, 2, |_| true), chosen);
            assert_eq!(filter_bits(&pool, &bytes, 7, is_chosen), chosen);
        }
    }
}
