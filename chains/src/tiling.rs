//! Divides a rank's owned rows among tiles.
//!
//! The rows of one set are bisected recursively: a search by breadth from a row far away from all others puts them
//! in an order in which neighbours are near, and the order is cut (A. George and J. W. H. Liu, "Computer Solution of
//! Large Sparse Positive Definite Systems", 1981, chapter 7). The other sets follow along the chain's maps.

use super::space::{Inverse, Space};

/// The tile of every owned row.
pub(crate) struct Tiling {
    pub(crate) tiles: usize,
    /// For every set, the tile that owns each of the rank's rows.
    pub(crate) owner: Vec<Vec<u32>>,
}

impl Tiling {
    /// Tiles of about `rows` owned rows of `set`, which `maps` connect.
    pub(crate) fn new(space: &Space<'_>, set: usize, maps: &[usize], rows: usize) -> Tiling {
        let owned = space.sets[set].owned;
        let tiles = owned.div_ceil(rows.max(1)).max(1);
        let mut owner: Vec<Option<Vec<u32>>> = vec![None; space.sets.len()];
        owner[set] = Some(Bisection::new(&Graph::new(space, set, maps)).parts(tiles));
        while let Some((follower, tile_of)) = next_follower(space, maps, &owner) {
            owner[follower] = Some(tile_of);
        }
        let even = |set: usize| {
            let owned = space.sets[set].owned;
            (0..owned).map(|row| (row * tiles / owned) as u32).collect()
        };
        let owner = owner.into_iter().enumerate().map(|(set, o)| o.unwrap_or_else(|| even(set))).collect();
        Tiling { tiles, owner }
    }
}

/// A set that is not divided yet, and a map to or from one that is: the tiles of its rows.
fn next_follower(space: &Space<'_>, maps: &[usize], owner: &[Option<Vec<u32>>]) -> Option<(usize, Vec<u32>)> {
    for &map in maps {
        let (from, to) = (space.maps[map].from, space.maps[map].to);
        match (&owner[from], &owner[to]) {
            (None, Some(targets)) => {
                let first = |row: usize| {
                    let mut owned = space.targets(map, row).iter().filter_map(|&t| targets.get(t as usize));
                    owned.next().copied().unwrap_or(0)
                };
                return Some((from, (0..space.sets[from].owned).map(first).collect()));
            }
            (Some(sources), None) => {
                let mut tile_of = vec![u32::MAX; space.sets[to].owned];
                for (row, &tile) in sources.iter().enumerate() {
                    for &target in space.targets(map, row) {
                        if let Some(t) = tile_of.get_mut(target as usize).filter(|t| **t == u32::MAX) {
                            *t = tile;
                        }
                    }
                }
                tile_of.iter_mut().filter(|t| **t == u32::MAX).for_each(|t| *t = 0);
                return Some((to, tile_of));
            }
            _ => {}
        }
    }
    None
}

/// Neighbours of the owned rows of a set.
struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Rows are neighbours when an element leads to both through one of the maps, or when both lead to one element.
    fn new(space: &Space<'_>, set: usize, maps: &[usize]) -> Graph {
        let owned = space.sets[set].owned;
        let joins = |map: usize| space.maps[map].to == set && space.maps[map].arity > 1;
        let from = |map: usize| space.maps[map].from == set && space.maps[map].to != set;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut join = |rows: &[u32]| {
            let near = || rows.iter().filter(|&&r| (r as usize) < owned);
            near().for_each(|&a| pairs.extend(near().filter(|&&b| b != a).map(|&b| (a, b))));
        };
        let joining: Vec<usize> = maps.iter().copied().filter(|&m| joins(m)).collect();
        for &map in &joining {
            (0..space.sources(map)).for_each(|row| join(space.targets(map, row)));
        }
        if joining.is_empty() {
            for &map in maps.iter().filter(|&&m| from(m)) {
                let inverse = Inverse::new(space, map);
                (0..space.sets[space.maps[map].to].total()).for_each(|target| join(inverse.of(target)));
            }
        }
        let mut starts = vec![0u32; owned + 1];
        pairs.iter().for_each(|&(a, _)| starts[a as usize + 1] += 1);
        for row in 0..owned {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; pairs.len()];
        for (a, b) in pairs {
            neighbours[next[a as usize] as usize] = b;
            next[a as usize] += 1;
        }
        Graph { starts, neighbours }
    }

    fn of(&self, row: u32) -> &[u32] {
        &self.neighbours[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    fn rows(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Recursive bisection of a graph's rows.
struct Bisection<'a> {
    graph: &'a Graph,
    part: Vec<u32>,
    /// The search that has last seen a row.
    seen: Vec<u32>,
    searches: u32,
    queue: Vec<u32>,
}

impl<'a> Bisection<'a> {
    fn new(graph: &'a Graph) -> Self {
        let rows = graph.rows();
        Bisection { graph, part: vec![0; rows], seen: vec![0; rows], searches: 0, queue: Vec::new() }
    }

    /// The part of every row, parts being of nearly equal size.
    fn parts(mut self, parts: usize) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.graph.rows() as u32).collect();
        self.divide(&mut rows, 0, parts);
        self.part
    }

    /// Divides rows, which all are in part `first` and sorted, into `parts` parts.
    fn divide(&mut self, rows: &mut [u32], first: usize, parts: usize) {
        if parts < 2 {
            return;
        }
        self.search(rows, first as u32, rows.first().copied());
        // What is found last lies at an end.
        let end = self.queue.last().copied();
        self.search(rows, first as u32, end);
        let (lower, upper) = (parts / 2, parts - parts / 2);
        let cut = rows.len() * lower / parts;
        rows.copy_from_slice(&self.queue);
        let (left, right) = rows.split_at_mut(cut);
        right.iter().for_each(|&row| self.part[row as usize] = (first + lower) as u32);
        left.sort_unstable();
        right.sort_unstable();
        self.divide(left, first, lower);
        self.divide(right, first + lower, upper);
    }

    /// Leaves the rows of a part in the queue by distance from `start`; pieces apart follow one after the other.
    fn search(&mut self, rows: &[u32], part: u32, start: Option<u32>) {
        self.searches += 1;
        self.queue.clear();
        let mut at = 0;
        for seed in start.into_iter().chain(rows.iter().copied()) {
            if self.seen[seed as usize] == self.searches {
                continue;
            }
            self.seen[seed as usize] = self.searches;
            self.queue.push(seed);
            while at < self.queue.len() {
                for &near in self.graph.of(self.queue[at]) {
                    let near_ = near as usize;
                    if self.seen[near_] != self.searches && self.part[near_] == part {
                        self.seen[near_] = self.searches;
                        self.queue.push(near);
                    }
                }
                at += 1;
            }
        }
    }
}
