//! Greedy coloring of the whole mesh on one rank: in canonical order, each element takes the lowest color that none of
//! its targets has seen. Near the fewest possible colors; rank 0 holds the maps of the whole set.

use super::ColorCache;
use crate::comm::Comm;
use crate::schedule::strategy::changes::Changes;

/// The colors of the owned rows. Collective.
pub(super) fn colors(changes: &Changes<'_>, comm: &Comm, cache: Option<&dyn ColorCache>) -> Vec<u32> {
    let set = changes.set;
    let maps: Vec<&str> = changes.maps.iter().map(|m| m.name).collect();
    let name = format!("{}-{}", set.name, maps.join("-"));
    let kept = if comm.is_root() { cache.and_then(|c| c.load(&name)) } else { None };
    let kept = kept.filter(|colors| colors.len() as u64 == set.global_rows);
    let mut whole = kept.unwrap_or_default();
    if comm.sum(u64::from(comm.is_root() && whole.is_empty() && set.global_rows > 0)) > 0 {
        whole = color_on_root(changes, comm);
        if let Some(cache) = cache.filter(|_| comm.is_root()) {
            cache.store(&name, &whole);
        }
    }
    // Every rank asks rank 0 for the colors of its own elements.
    let mut wanted = vec![Vec::new(); comm.size()];
    wanted[0] = set.global_ids[..set.owned].to_vec();
    let asked: Vec<Vec<u64>> = comm.all_to_all(wanted);
    let answers = asked.iter().map(|ids| ids.iter().map(|&id| whole[id as usize]).collect()).collect();
    comm.all_to_all(answers).swap_remove(0)
}

/// The colors of all elements by global id, on rank 0.
fn color_on_root(changes: &Changes<'_>, comm: &Comm) -> Vec<u32> {
    // One record per element: order key, global id, then its targets' global ids.
    let width = 2 + changes.maps.iter().map(|m| m.arity).sum::<usize>();
    let mut records = Vec::with_capacity(changes.set.owned * width);
    for row in 0..changes.set.owned {
        let (key, id) = changes.canonical(row);
        records.extend([key, id]);
        for map in &changes.maps {
            let ids = &changes.sets[map.to].global_ids;
            records.extend(map.targets(row).iter().map(|&t| ids[t as usize]));
        }
    }
    let records = comm.gather(records).concat();
    let mut order: Vec<&[u64]> = records.chunks_exact(width).collect();
    order.sort_unstable_by_key(|record| (record[0], record[1]));

    let mut seen: Vec<ColorSets> = changes
        .sets
        .iter()
        .map(|s| ColorSets::new(if comm.is_root() { s.global_rows as usize } else { 0 }))
        .collect();
    let mut colors = vec![0; order.len()];
    for record in order {
        let targets = || {
            let sets = changes.maps.iter().flat_map(|m| std::iter::repeat_n(m.to, m.arity));
            sets.zip(record[2..].iter().map(|&t| t as usize))
        };
        let mut color = 0;
        while targets().any(|(set, target)| seen[set].contains(target, color)) {
            color += 1;
        }
        targets().for_each(|(set, target)| seen[set].insert(target, color));
        colors[record[1] as usize] = color;
    }
    colors
}

/// A set of colors for each of many targets, as bits in as many words as the largest color needs.
struct ColorSets {
    targets: usize,
    /// Word `w` of target `t` is `words[w][t]`.
    words: Vec<Vec<u64>>,
}

impl ColorSets {
    fn new(targets: usize) -> ColorSets {
        ColorSets { targets, words: Vec::new() }
    }

    fn contains(&self, target: usize, color: u32) -> bool {
        self.words.get(color as usize / 64).is_some_and(|words| words[target] >> (color % 64) & 1 == 1)
    }

    fn insert(&mut self, target: usize, color: u32) {
        let word = color as usize / 64;
        while self.words.len() <= word {
            self.words.push(vec![0; self.targets]);
        }
        self.words[word][target] |= 1 << (color % 64);
    }
}
