//! Work for the threads of one rank.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cfd_engine::plug::{ThreadPool, UNBROKEN};

/// Items that a worker claims at a time.
const BLOCK: usize = 128;

/// `f` of every item, in the order of the items, whichever thread computes it.
pub(crate) fn map<T: Sync, R: Send>(pool: &ThreadPool, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if pool.workers() == 1 || items.len() <= BLOCK {
        return items.iter().map(f).collect();
    }
    let (claimed, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let blocks = items.len().div_ceil(BLOCK);
    let work = || {
        let mut mine = Vec::new();
        loop {
            let block = claimed.fetch_add(1, Ordering::Relaxed);
            let Some(items) = items.chunks(BLOCK).nth(block) else { break };
            mine.push((block, items.iter().map(&f).collect::<Vec<R>>()));
        }
        done.lock().expect(UNBROKEN).append(&mut mine);
    };
    pool.run(work, |_| work());
    let mut done = done.into_inner().expect(UNBROKEN);
    debug_assert_eq!(done.len(), blocks);
    done.sort_unstable_by_key(|&(block, _)| block);
    let mut all = Vec::with_capacity(items.len());
    done.into_iter().for_each(|(_, results)| all.extend(results));
    all
}
