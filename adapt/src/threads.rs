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
    let count = u32::try_from(count).expect("fewer than 2^32 numbers a rank");
    if pool.workers() == 1 || count <= RANGE {
        return (0..count).filter(holds).collect();
    }
    let ranges: Vec<Range<u32>> =
        (0..count).step_by(RANGE as usize).map(|first| first..count.min(first + RANGE)).collect();
    in_blocks(pool, 1, &ranges, |range| range.clone().filter(&holds).collect::<Vec<u32>>()).concat()
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
        }
    }
}
