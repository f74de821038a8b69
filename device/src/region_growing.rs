//! Greedy region growing: from target to target, always the one that brings the fewest new elements, and among these
//! the one that has been a neighbour for longest. Regions are thus round, and few elements lie on their borders, where
//! two regions execute them.

use std::collections::VecDeque;

use super::region_lists::{Increments, Limits, Listed};

/// No region.
const NONE: u32 = u32::MAX;

/// A target: the number of its set among those of the groups, and its row.
type Target = (usize, u32);

/// The targets, and which of them regions have taken.
pub(super) struct RegionGrowing<'a> {
    increments: &'a Increments<'a>,
    listed: &'a [Listed],
    limits: Limits,
    /// The sets of the groups, each once.
    sets: Vec<usize>,
    /// By set and row: touched by an element that touches something foreign.
    exposed: Vec<Vec<bool>>,
    /// By set and row: taken by a region.
    taken: Vec<Vec<bool>>,
}

impl<'a> RegionGrowing<'a> {
    /// None if the increments of a single target do not fit. Checked before anything grows: such a target may be the
    /// neighbour of all regions.
    pub(super) fn new(
        increments: &'a Increments<'a>,
        listed: &'a [Listed],
        limits: Limits,
    ) -> Option<RegionGrowing<'a>> {
        let mut sets: Vec<usize> = increments.groups.iter().map(|g| g.set).collect();
        sets.sort_unstable();
        sets.dedup();
        let owned = |set: &usize| increments.groups.iter().find(|g| g.set == *set).map_or(0, |g| g.owned);
        let none: Vec<Vec<bool>> = sets.iter().map(|set| vec![false; owned(set)]).collect();
        let mut growing =
            RegionGrowing { increments, listed, limits, sets, exposed: none.clone(), taken: none };
        for &row in increments.sequence.iter().filter(|&&row| row as usize >= increments.core) {
            for argument in &increments.arguments {
                let set = growing.set_of(argument.group);
                if let Some(exposed) = growing.exposed[set].get_mut(argument.target(row) as usize) {
                    *exposed = true;
                }
            }
        }
        let targets = |set: usize| (0..growing.taken[set].len() as u32).map(move |target| (set, target));
        let mut all = (0..growing.sets.len()).flat_map(targets);
        all.all(|target| growing.bytes(target) <= limits.bytes).then_some(growing)
    }

    /// The sets of the groups, each once.
    pub(super) fn sets(&self) -> &[usize] {
        &self.sets
    }

    fn set_of(&self, group: usize) -> usize {
        let set = self.increments.groups[group].set;
        self.sets.iter().position(|&s| s == set).expect("the set of a group is among the sets")
    }

    /// A target's increments, with their groups.
    fn increments_of(&self, (set, target): Target) -> impl Iterator<Item = (usize, u32)> {
        let groups = (0..self.listed.len()).filter(move |&group| self.set_of(group) == set);
        groups.flat_map(move |group| {
            self.listed[group].of(target as usize).iter().map(move |&(row, _)| (group, row))
        })
    }

    /// Bytes of shared memory for all increments of a target.
    fn bytes(&self, target: Target) -> usize {
        self.increments_of(target).map(|(group, _)| self.increments.groups[group].shared_bytes).sum()
    }

    /// Regions of the exposed targets, or of the others.
    pub(super) fn grow(&mut self, exposed: bool) -> Vec<Vec<Target>> {
        let mut regions = Vec::new();
        let mut region: Vec<Target> = Vec::new();
        let mut bytes = 0;
        let mut fringe = Fringe::new(self);
        for set in 0..self.sets.len() {
            for seed in 0..self.taken[set].len() {
                let mut next = Some((set, seed as u32));
                while let Some(target) = next {
                    let (set, row) = (target.0, target.1 as usize);
                    if !self.taken[set][row] && self.exposed[set][row] == exposed {
                        self.taken[set][row] = true;
                        let more = self.bytes(target);
                        if region.len() == self.limits.targets || bytes + more > self.limits.bytes {
                            regions.push(std::mem::take(&mut region));
                            bytes = 0;
                            fringe.begin_region();
                        }
                        if more > 0 {
                            region.push(target);
                            bytes += more;
                            fringe.add(self, target);
                        }
                    }
                    next = fringe.next(&self.taken);
                }
            }
        }
        if !region.is_empty() {
            regions.push(region);
        }
        regions
    }
}

/// The neighbours of the growing region.
struct Fringe {
    region: u32,
    /// By row: the last region that executes it.
    executed: Vec<u32>,
    /// By set and target: the last region of which it was a neighbour, and the increments of elements new to that
    /// region.
    fresh: Vec<Vec<(u32, u32)>>,
    /// By that number: neighbours in the order in which they reached it. Outdated entries are skipped when met.
    waiting: Vec<VecDeque<Target>>,
}

impl Fringe {
    fn new(growing: &RegionGrowing<'_>) -> Fringe {
        Fringe {
            region: 0,
            executed: vec![NONE; growing.increments.rows()],
            fresh: growing.taken.iter().map(|targets| vec![(NONE, 0); targets.len()]).collect(),
            waiting: Vec::new(),
        }
    }

    fn begin_region(&mut self) {
        self.region += 1;
        self.waiting.iter_mut().for_each(VecDeque::clear);
    }

    /// Adds a target and its elements to the region.
    fn add(&mut self, growing: &RegionGrowing<'_>, target: Target) {
        for (_, row) in growing.increments_of(target) {
            if std::mem::replace(&mut self.executed[row as usize], self.region) == self.region {
                continue;
            }
            for argument in &growing.increments.arguments {
                let (set, other) = (growing.set_of(argument.group), argument.target(row));
                if growing.taken[set].get(other as usize) != Some(&false) {
                    continue;
                }
                let (region, fresh) = &mut self.fresh[set][other as usize];
                if *region != self.region {
                    *region = self.region;
                    *fresh = growing.increments_of((set, other)).count() as u32;
                }
                *fresh -= 1;
                let fresh = *fresh as usize;
                if self.waiting.len() <= fresh {
                    self.waiting.resize_with(fresh + 1, VecDeque::new);
                }
                self.waiting[fresh].push_back((set, other));
            }
        }
    }

    /// The neighbour that brings the fewest new elements.
    fn next(&mut self, taken: &[Vec<bool>]) -> Option<Target> {
        for (fresh, waiting) in self.waiting.iter_mut().enumerate() {
            while let Some((set, target)) = waiting.pop_front() {
                if !taken[set][target as usize] && self.fresh[set][target as usize].1 as usize == fresh {
                    return Some((set, target));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::region_lists::{Group, Increment};
    use super::*;

    const SIDE: u32 = 64;

    /// The edges between the cells of a square grid, each with its two cells.
    fn edges() -> Vec<u32> {
        let cell = |x, y| y * SIDE + x;
        let across = (0..SIDE).flat_map(|y| (1..SIDE).map(move |x| [cell(x - 1, y), cell(x, y)]));
        let along = (1..SIDE).flat_map(|y| (0..SIDE).map(move |x| [cell(x, y - 1), cell(x, y)]));
        across.chain(along).flatten().collect()
    }

    fn increments(edges: &[u32], core: usize) -> Increments<'_> {
        let count = edges.len() / 2;
        let argument = |index| Increment { group: 0, indices: edges, arity: 2, index };
        Increments {
            arguments: vec![argument(0), argument(1)],
            groups: vec![Group { set: 3, owned: (SIDE * SIDE) as usize, bytes: 8, shared_bytes: 8 }],
            sequence: (0..count as u32).collect(),
            core,
            owned: count,
        }
    }

    #[test]
    fn regions_are_round() {
        let edges = edges();
        let increments = increments(&edges, edges.len() / 2);
        let listed = increments.listed();
        let limits = Limits { targets: 64, bytes: usize::MAX };
        let regions = RegionGrowing::new(&increments, &listed, limits).unwrap().grow(false);
        let mut region_of = vec![None; (SIDE * SIDE) as usize];
        for (number, region) in regions.iter().enumerate() {
            for &(_, cell) in region {
                assert!(region_of[cell as usize].replace(number).is_none(), "cell {cell} is in two regions");
            }
        }
        assert!(region_of.iter().all(Option::is_some));
        let on_borders = edges.chunks(2).filter(|e| region_of[e[0] as usize] != region_of[e[1] as usize]);
        let share = on_borders.count() as f64 / (edges.len() / 2) as f64;
        // Squares of 8 x 8 cells have 11 % on their borders; taking neighbours in the order met leaves 20 %.
        assert!(share < 0.16, "{share}");
    }

    #[test]
    fn no_region_has_more_than_its_limits_and_what_is_exposed_is_apart() {
        let edges = edges();
        let increments = increments(&edges, edges.len() / 2 - 500);
        let listed = increments.listed();
        let limits = Limits { targets: 50, bytes: 8 * 4 * 30 };
        let mut growing = RegionGrowing::new(&increments, &listed, limits).unwrap();
        let exposed = growing.exposed[0].clone();
        assert!(exposed.contains(&true) && exposed.contains(&false));
        for wanted in [false, true] {
            for region in growing.grow(wanted) {
                let count = |&(_, cell): &Target| listed[0].of(cell as usize).len();
                assert!(region.iter().map(count).sum::<usize>() <= 4 * 30);
                assert!(region.len() <= 50);
                assert!(region.iter().all(|&(_, cell)| exposed[cell as usize] == wanted));
            }
        }
        assert!(growing.taken[0].iter().all(|&taken| taken));
        let one = Limits { targets: 50, bytes: 8 * 3 };
        assert!(RegionGrowing::new(&increments, &listed, one).is_none(), "a cell has four increments");
    }
}
