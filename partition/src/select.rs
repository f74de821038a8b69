//! Splits a distributed, ordered collection at given positions, without any rank holding all of it.
//!
//! 1. Each rank sorts its own elements by (key, global id).
//! 2. All ranks bisect the range of keys together: what is the weight of the elements with a key of at most `k`? One
//!    integer all-reduce answers for all groups. The smallest key with enough weight is the splitter's.
//! 3. The same bisection over the global ids of the elements with that key breaks ties.
//!
//! Keys and weights are integers and summed as integers, so the splitters are the same on any number of ranks.

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::Blocks;

use crate::Load;

/// For every group, how many of this rank's elements are among the group's globally first ones of weight
/// `wanted[group]`: the fewest whose weight is at least that.
///
/// Keys have `key_bits` bits, ids are below `rows`. `count(group, key, id)` returns how many of this rank's elements of
/// the group are at most `(key, id)`, and `weight(group, count)` the weight of its first elements. Collective.
pub(crate) fn select(
    comm: &Comm,
    key_bits: u32,
    rows: u64,
    wanted: &[u64],
    count: impl Fn(usize, u128, u64) -> usize,
    weight: impl Fn(usize, usize) -> u64,
) -> Vec<usize> {
    let weight_up_to = |group, key, id| weight(group, count(group, key, id));
    let last_key = u128::MAX >> (128 - key_bits);
    let keys = bisect(comm, wanted, last_key, |group, key| weight_up_to(group, key, u64::MAX));
    let last_id = u128::from(rows.saturating_sub(1));
    let ids = bisect(comm, wanted, last_id, |group, id| weight_up_to(group, keys[group], id as u64));
    let splitter = |group: usize| count(group, keys[group], ids[group] as u64);
    (0..wanted.len()).map(|group| if wanted[group] == 0 { 0 } else { splitter(group) }).collect()
}

/// For every group, the smallest value, at most `last`, for which the weights over all ranks reach `wanted`.
fn bisect(comm: &Comm, wanted: &[u64], last: u128, weight: impl Fn(usize, u128) -> u64) -> Vec<u128> {
    let mut low = vec![0u128; wanted.len()];
    let mut high = vec![last; wanted.len()];
    // Every rank sees the same sums, hence the same intervals, and leaves the loop at the same time.
    while low != high {
        let middle: Vec<u128> = low.iter().zip(&high).map(|(l, h)| l + (h - l) / 2).collect();
        let mut weights: Vec<u64> = middle.iter().enumerate().map(|(group, &m)| weight(group, m)).collect();
        comm.all_reduce(&mut weights, ReduceOp::Sum);
        for group in 0..wanted.len() {
            if weights[group] >= wanted[group] {
                high[group] = middle[group];
            } else {
                low[group] = (middle[group] + 1).min(high[group]);
            }
        }
    }
    low
}

/// Cuts the set into the parts of `load` (to within one element) along the order of (key, global id).
///
/// `keys` are those of this rank's block. Returns the part of every row of the block. Collective.
pub(crate) fn split_by_key(
    comm: &Comm,
    blocks: Blocks,
    load: &Load,
    key_bits: u32,
    keys: &[u128],
) -> Vec<u32> {
    let start = blocks.range(comm.rank()).start;
    let mut order: Vec<u32> = (0..block_index(keys.len())).collect();
    // Ascending rows are ascending ids, so the row itself breaks ties.
    order.sort_unstable_by_key(|&i| (keys[i as usize], i));
    let count =
        |_, key, id| order.partition_point(|&i| (keys[i as usize], start + u64::from(i)) <= (key, id));
    let sums = load.along(&order);
    let wanted = &load.starts()[1..load.parts()];
    let cuts = select(comm, key_bits, blocks.rows, wanted, count, |_, count| sums.first(count));
    let mut owners = vec![0; keys.len()];
    let (mut from, mut part) = (0, 0);
    for cut in cuts.into_iter().chain([keys.len()]) {
        for &i in &order[from..cut] {
            owners[i as usize] = part;
        }
        (from, part) = (cut, part + 1);
    }
    owners
}

/// The length of a block as a 32-bit index.
pub(crate) fn block_index(length: usize) -> u32 {
    u32::try_from(length).expect("a rank's block has fewer than 2^32 rows")
}

/// An integer in the order of the number; -0 and 0 are the same.
pub(crate) fn ordered_key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The number of an [`ordered_key`].
pub(crate) fn ordered_value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_keys_keep_the_order_of_numbers_and_give_them_back() {
        let numbers = [f64::MIN, -2.5, -1e-310, 0.0, 1e-310, 1.0, 1.0 + f64::EPSILON, f64::MAX];
        for pair in numbers.windows(2) {
            assert!(ordered_key(pair[0]) < ordered_key(pair[1]), "{pair:?}");
        }
        assert_eq!(ordered_key(-0.0), ordered_key(0.0));
        for x in numbers {
            assert_eq!(ordered_value(ordered_key(x)), x);
        }
    }

    #[test]
    fn a_split_is_the_cut_of_the_sorted_whole_whatever_the_ranks() {
        // Many equal keys, so that ids decide; more parts than a power of two, and more parts than rows.
        let key = |id: u64| u128::from(id * 7919 % 5) << 90;
        for (rows, parts) in [(100u64, 7usize), (100, 1), (3, 7), (0, 3)] {
            let mut sorted: Vec<u64> = (0..rows).collect();
            sorted.sort_by_key(|&id| (key(id), id));
            let mut expected = vec![0u32; rows as usize];
            for (position, &id) in sorted.iter().enumerate() {
                expected[id as usize] = Blocks::new(rows, parts).owner(position as u64) as u32;
            }
            for ranks in [1, 2, 5] {
                let owners = Comm::simulate(ranks, |comm| {
                    let blocks = Blocks::new(rows, comm.size());
                    let keys: Vec<u128> = blocks.range(comm.rank()).map(key).collect();
                    split_by_key(&comm, blocks, &Load::even(rows, parts), 96, &keys)
                });
                assert_eq!(owners.concat(), expected, "{rows} rows, {parts} parts, {ranks} ranks");
            }
        }
    }

    #[test]
    fn more_elements_than_2_to_32_are_cut_where_they_should_be() {
        // Seven keys, each that of every seventh element, so that every cut lies within a key, beyond 2^32 ids.
        let (rows, kinds) = ((1u64 << 33) + 5, 7);
        let wanted = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 32) + 12_345, rows - 1, rows];
        for ranks in [1, 3] {
            let cuts = Comm::simulate(ranks, |comm| {
                let own = Blocks::new(rows, comm.size()).range(comm.rank());
                // Elements of a key in this rank's rows up to an id: those below a bound, less those before the block.
                let of_key = |key: u64, below: u64| (below + kinds - 1 - key) / kinds;
                let count = |_: usize, key: u128, id: u64| {
                    let below = id.saturating_add(1).clamp(own.start, own.end);
                    let up_to = |key: u64, bound: u64| of_key(key, bound) - of_key(key, own.start);
                    let lower = (0..kinds).filter(|&k| u128::from(k) < key).map(|k| up_to(k, own.end));
                    let same = if key < u128::from(kinds) { up_to(key as u64, below) } else { 0 };
                    (lower.sum::<u64>() + same) as usize
                };
                select(&comm, 64, rows, &wanted, count, |_, count| count as u64)
            });
            for (group, &wanted) in wanted.iter().enumerate() {
                let total: u64 = cuts.iter().map(|own| own[group] as u64).sum();
                assert_eq!(total, wanted, "{ranks} ranks");
            }
        }
    }
}
