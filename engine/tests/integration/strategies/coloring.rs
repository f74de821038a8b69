//! Colorings of a whole mesh at once, from their definitions.

use std::collections::BTreeMap;

/// A target: its set and its global id.
pub type Target = (usize, u64);

/// For every element, the others that share a target with it.
fn neighbours(elements: &[Vec<Target>]) -> Vec<Vec<usize>> {
    let mut around: BTreeMap<Target, Vec<usize>> = BTreeMap::new();
    for (e, targets) in elements.iter().enumerate() {
        targets.iter().for_each(|&t| around.entry(t).or_default().push(e));
    }
    let of = |(e, targets): (usize, &Vec<Target>)| {
        let mut list: Vec<usize> = targets.iter().flat_map(|t| &around[t]).copied().collect();
        list.sort_unstable();
        list.dedup();
        list.retain(|&other| other != e);
        list
    };
    elements.iter().enumerate().map(of).collect()
}

/// One element after the other, in the given order, takes the lowest color that no neighbour has.
pub fn greedy(elements: &[Vec<Target>], order: &[usize]) -> Vec<u32> {
    let neighbours = neighbours(elements);
    let mut colors: Vec<Option<u32>> = vec![None; elements.len()];
    for &e in order {
        let taken: Vec<u32> = neighbours[e].iter().filter_map(|&n| colors[n]).collect();
        colors[e] = (0..).find(|color| !taken.contains(color));
    }
    colors.into_iter().map(|color| color.expect("the order names every element")).collect()
}

/// Algorithm 3 of Siklósi, Mudalige, Reguly, Applied Sciences 14(2):639, 2024, DOI 10.3390/app14020639, on one rank: in
/// round i, uncolored elements that are the least of their uncolored neighbours take color 2i, those that are the
/// greatest 2i + 1. They are compared by (hash of round and id, id).
pub fn distributed(elements: &[Vec<Target>]) -> Vec<u32> {
    let neighbours = neighbours(elements);
    let mut colors: Vec<Option<u32>> = vec![None; elements.len()];
    for round in 0.. {
        if colors.iter().all(Option::is_some) {
            break;
        }
        let uncolored = |e: usize| colors[e].is_none();
        let key = |e: usize| (split_mix(round, e as u64), e);
        let color = |e: usize| {
            let rivals: Vec<_> = neighbours[e].iter().filter(|&&n| uncolored(n)).map(|&n| key(n)).collect();
            if rivals.iter().all(|&rival| key(e) < rival) {
                Some(2 * round as u32)
            } else if rivals.iter().all(|&rival| key(e) > rival) {
                Some(2 * round as u32 + 1)
            } else {
                None
            }
        };
        let next: Vec<Option<u32>> = (0..elements.len()).map(|e| colors[e].or_else(|| color(e))).collect();
        colors = next;
    }
    colors.into_iter().map(|color| color.expect("every round colors an element")).collect()
}

/// The number `round` + 1 of SplitMix64's sequence starting from `id` (Steele, Lea, Flood, OOPSLA 2014, DOI
/// 10.1145/2660193.2660195).
fn split_mix(round: u64, id: u64) -> u64 {
    const GOLDEN: u64 = 0x9e3779b97f4a7c15;
    let state = (0..=round).fold(id, |state, _| state.wrapping_add(GOLDEN));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d049bb133111eb);
    mixed ^ (mixed >> 31)
}
