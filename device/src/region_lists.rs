//! Regions for a device's blocks: which block executes what, and where every increment goes.
//!
//! 1. For every dat that the loop increments through maps (a group), each owned target's increments are listed in the
//!    canonical order of the source elements, then in that of the arguments. Neither regions nor threads can change
//!    this order.
//! 2. The owned targets are divided into regions that grow until their increments fill a block's shared memory
//!    (`region_growing`). Interior targets, whose sources touch nothing foreign, and boundary targets are divided
//!    separately, so that the interior can run while halo copies are in transit.
//! 3. A region executes every element that touches one of its targets; one of the regions owns an element of this rank.
//! 4. An increment's place in the region is its place in the lists of step 1: summing a target means walking through
//!    neighbouring places.
//! 5. The rows of the loop's maps are copied in the order of the regions' elements.

use cfd_engine::plug::OWNED;

use super::region_growing::RegionGrowing;

/// The place of an increment that another region adds.
const NOWHERE: u16 = u16::MAX;
/// No place in a region yet.
const NONE: u32 = u32::MAX;

/// An argument that increments a dat through a map.
#[derive(Clone, Copy)]
pub(crate) struct Increment<'a> {
    /// Number of the group.
    pub(crate) group: usize,
    /// Targets of the executed rows.
    pub(crate) indices: &'a [u32],
    pub(crate) arity: usize,
    pub(crate) index: usize,
}

impl Increment<'_> {
    /// The target of an executed row.
    pub(crate) fn target(&self, row: u32) -> u32 {
        self.indices[row as usize * self.arity + self.index]
    }
}

/// A dat that is incremented.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    /// The set it is on.
    pub(crate) set: usize,
    /// Owned rows of that set.
    pub(crate) owned: usize,
    /// Bytes of one increment.
    pub(crate) bytes: usize,
    /// Bytes that it takes in shared memory.
    pub(crate) shared_bytes: usize,
}

/// A loop's increments on this rank.
pub(crate) struct Increments<'a> {
    /// In the order of the arguments.
    pub(crate) arguments: Vec<Increment<'a>>,
    pub(crate) groups: Vec<Group>,
    /// All executed rows, in canonical order.
    pub(crate) sequence: Vec<u32>,
    /// Rows below this one touch nothing foreign; those below the next are owned.
    pub(crate) core: usize,
    pub(crate) owned: usize,
}

/// The increments of every owned target of one group.
pub(crate) struct Listed {
    /// Those of target t: numbers `starts[t]` to `starts[t + 1]`.
    pub(crate) starts: Vec<u32>,
    /// Source row and argument of each increment.
    increments: Vec<(u32, u8)>,
}

/// What a block may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) targets: usize,
    pub(crate) bytes: usize,
}

/// The regions of a loop.
pub(crate) struct RegionLists {
    /// The first regions need no halo copies.
    pub(crate) interior: usize,
    pub(crate) bounds: Vec<u32>,
    pub(crate) sources: Vec<u32>,
    pub(crate) places: Vec<u16>,
    pub(crate) groups: Vec<GroupLists>,
}

/// The targets of one group, region by region.
#[derive(Default)]
pub(crate) struct GroupLists {
    pub(crate) target_bounds: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// The increments of target t in region r are numbers `starts[t + r]` to `starts[t + r + 1]` of region r's.
    pub(crate) starts: Vec<u32>,
    /// The largest number of increments of a region.
    pub(crate) most_increments: usize,
    pub(crate) most_targets: usize,
}

impl Increments<'_> {
    /// One more than the highest row that is executed or owned.
    pub(super) fn rows(&self) -> usize {
        self.sequence.iter().map(|&row| row as usize + 1).max().unwrap_or(0).max(self.owned)
    }

    /// Step 1: the increments of every target.
    pub(crate) fn listed(&self) -> Vec<Listed> {
        let list = |group: usize| {
            let owned = self.groups[group].owned;
            let mut starts = vec![0u32; owned + 1];
            let each = |action: &mut dyn FnMut(usize, u32, u8)| {
                for &row in &self.sequence {
                    for (slot, argument) in (0u8..).zip(&self.arguments) {
                        let target = argument.target(row) as usize;
                        if argument.group == group && target < owned {
                            action(target, row, slot);
                        }
                    }
                }
            };
            each(&mut |target, _, _| starts[target + 1] += 1);
            for target in 0..owned {
                starts[target + 1] += starts[target];
            }
            let mut next = starts.clone();
            let mut increments = vec![(0, 0); starts[owned] as usize];
            each(&mut |target, row, slot| {
                increments[next[target] as usize] = (row, slot);
                next[target] += 1;
            });
            Listed { starts, increments }
        };
        (0..self.groups.len()).map(list).collect()
    }

    /// For every executed row and argument, the number of its increment in its group's list; `u32::MAX` if the target
    /// is not owned.
    pub(crate) fn places(&self, listed: &[Listed], rows: usize) -> Vec<u32> {
        let slots = self.arguments.len();
        let mut places = vec![u32::MAX; rows * slots];
        for list in listed {
            for (number, &(row, slot)) in (0u32..).zip(&list.increments) {
                places[row as usize * slots + usize::from(slot)] = number;
            }
        }
        places
    }

    /// Steps 2 to 4; none if the increments of a single target do not fit.
    pub(crate) fn divide(&self, listed: &[Listed], limits: Limits) -> Option<RegionLists> {
        let mut growing = RegionGrowing::new(self, listed, limits)?;
        let mut regions = growing.grow(false);
        let interior = regions.len();
        regions.extend(growing.grow(true));
        Some(self.lists(listed, growing.sets(), regions, interior))
    }

    /// Steps 3 and 4.
    fn lists(
        &self,
        listed: &[Listed],
        sets: &[usize],
        regions: Vec<Vec<(usize, u32)>>,
        interior: usize,
    ) -> RegionLists {
        let slots = self.arguments.len();
        let mut lists = RegionLists {
            interior,
            bounds: vec![0],
            sources: Vec::new(),
            places: Vec::new(),
            groups: self
                .groups
                .iter()
                .map(|_| GroupLists { target_bounds: vec![0], ..Default::default() })
                .collect(),
        };
        let mut position = vec![NONE; self.rows()];
        let mut assigned = vec![false; self.owned];
        for mut targets in regions {
            targets.sort_unstable();
            let of_group = |group: usize| {
                let set = sets.iter().position(|&set| set == self.groups[group].set);
                let set = set.expect("the set of a group is among the sets");
                targets.iter().filter(move |(s, _)| *s == set).map(|&(_, target)| target as usize)
            };
            let mut sources: Vec<u32> = Vec::new();
            for (group, list) in listed.iter().enumerate() {
                for target in of_group(group) {
                    sources.extend(list.of(target).iter().map(|&(row, _)| row));
                }
            }
            sources.sort_unstable();
            sources.dedup();
            let first = lists.sources.len();
            for (i, &row) in (0u32..).zip(&sources) {
                position[row as usize] = i;
                let owned =
                    (row as usize) < self.owned && !std::mem::replace(&mut assigned[row as usize], true);
                lists.sources.push(if owned { row | OWNED } else { row });
            }
            lists.places.resize(lists.sources.len() * slots, NOWHERE);
            for (group, list) in listed.iter().enumerate() {
                let divided = &mut lists.groups[group];
                let mut place = 0;
                for target in of_group(group) {
                    divided.targets.push(target as u32);
                    divided.starts.push(place as u32);
                    for &(row, slot) in list.of(target) {
                        let source = first + position[row as usize] as usize;
                        let small = u16::try_from(place).expect("increments fit into shared memory");
                        lists.places[source * slots + usize::from(slot)] = small;
                        place += 1;
                    }
                }
                divided.starts.push(place as u32);
                divided.most_increments = divided.most_increments.max(place);
                let begun = *divided.target_bounds.last().expect("a bound more than regions") as usize;
                divided.most_targets = divided.most_targets.max(divided.targets.len() - begun);
            }
            lists.end_region();
        }
        // Elements that change nothing here, but whose direct results and sums are this rank's.
        let idle: Vec<u32> =
            (0u32..).zip(&assigned).filter(|(_, assigned)| !**assigned).map(|(row, _)| row | OWNED).collect();
        for rows in idle.chunks(IDLE_ROWS) {
            lists.sources.extend(rows);
            lists.places.resize(lists.sources.len() * slots, NOWHERE);
            lists.groups.iter_mut().for_each(|group| group.starts.push(0));
            lists.end_region();
        }
        lists
    }
}

/// Elements without targets here that one region executes.
const IDLE_ROWS: usize = 512;

impl Listed {
    /// The increments of a target.
    pub(super) fn of(&self, target: usize) -> &[(u32, u8)] {
        &self.increments[self.starts[target] as usize..self.starts[target + 1] as usize]
    }
}

impl RegionLists {
    fn end_region(&mut self) {
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 rows and increments on a rank");
        self.bounds.push(count(self.sources.len()));
        for group in &mut self.groups {
            group.target_bounds.push(count(group.targets.len()));
        }
    }

    /// The rows of a map, in the order of the sources.
    pub(crate) fn in_order(&self, indices: &[u32], arity: usize) -> Vec<u32> {
        let row = |&source: &u32| {
            let first = (source & !OWNED) as usize * arity;
            &indices[first..first + arity]
        };
        self.sources.iter().flat_map(row).copied().collect()
    }

    /// Number of regions.
    pub(crate) fn regions(&self) -> usize {
        self.bounds.len() - 1
    }
}
