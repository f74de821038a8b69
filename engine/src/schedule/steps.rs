//! How one rank executes the elements of a loop: made by a strategy, run by the executor.

use std::ops::Range;

use crate::base::share::share;
use crate::base::thread_pool::ThreadPool;
use crate::comm::Comm;

/// Marks a listed row as executed where it is owned; without the mark, redundantly. A set's owned rows are the rank's;
/// where several regions or tiles execute such a row, one of them owns it.
pub const OWNED: u32 = 1 << 31;

/// The execution of one loop.
#[derive(Debug, Default)]
pub struct Schedule {
    /// Run one after the other, with fresh halo copies for each. The same number on every rank.
    pub phases: Vec<Phase>,
    /// Where the changes of listed elements go.
    pub targets: Targets,
    /// For every argument whose increments are buffered before they are added, its buffer; empty if there is none.
    pub buffered: Vec<Option<Buffered>>,
    /// How buffered increments are added after each phase.
    pub gathers: Vec<Gather>,
    /// The dats whose increments are privatised: buffered by worker and block of elements, as `buffered` says, then
    /// handed to a plug-in strategy.
    pub privatised: Vec<Privatised>,
    /// Targets to which the core's additions do not count: they are restored from a snapshot before the rest.
    pub restored: Vec<Restored>,
    /// Number of colors over all ranks, for schedules that have them.
    pub colors: Option<u32>,
}

/// Elements between two halo exchanges.
#[derive(Debug, Default)]
pub struct Phase {
    /// What needs no halo copies and runs while they are in transit, step by step.
    pub core: Vec<Step>,
    /// What may need them, step by step.
    pub rest: Vec<Step>,
}

/// What the workers do at the same time: the stretches of each. No element of one worker changes a row that an element
/// of another reads or changes.
#[derive(Debug, Default)]
pub struct Step {
    pub shares: Vec<Vec<Stretch>>,
}

/// Elements that are executed one after the other.
#[derive(Debug)]
pub struct Stretch {
    pub rows: Rows,
    /// Whether these elements' direct results and contributions to globals count; otherwise they are executed
    /// redundantly. Listed elements are marked one by one.
    pub owned: bool,
}

/// Local rows, in the order of execution.
#[derive(Clone, Debug)]
pub enum Rows {
    /// Consecutive rows, which change what the maps say. A row is its own position.
    Range(Range<usize>),
    /// Positions in the schedule's targets.
    Listed(Range<usize>),
}

/// Listed elements, and the target rows, other than the maps' own, that receive what the loop changes through maps.
#[derive(Debug, Default)]
pub struct Targets {
    rows: Vec<u32>,
    maps: Vec<MapTargets>,
}

#[derive(Debug)]
struct MapTargets {
    map: usize,
    arity: usize,
    indices: Vec<u32>,
}

/// An argument's place in an increment buffer: each position has `slots` slots, and this argument has number `slot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffered {
    /// The buffer's number.
    pub buffer: usize,
    pub slots: usize,
    pub slot: usize,
    /// The first position stored.
    pub first: usize,
    /// Number of positions stored.
    pub positions: usize,
}

/// A dat whose increments are privatised.
#[derive(Debug)]
pub struct Privatised {
    pub dat: usize,
    pub dim: usize,
    /// Where the increments of an element go: for each argument, in order.
    pub slots: Vec<SlotOf>,
}

/// A target of an element.
#[derive(Clone, Copy, Debug)]
pub struct SlotOf {
    pub map: usize,
    pub arity: usize,
    pub index: usize,
}

/// The buffered increments of each owned target, in the order in which they are added: a reversed map.
#[derive(Debug)]
pub struct Gather {
    /// The first argument that increments the dat.
    pub arg: usize,
    /// Of target t: `places[starts[t]..starts[t + 1]]`.
    pub starts: Vec<u32>,
    /// Position times slots plus slot.
    pub places: Vec<u32>,
}

/// Local rows of a set that, after the core, get back their values from before it, in every dat that the loop
/// increments through a map.
#[derive(Debug)]
pub struct Restored {
    pub set: usize,
    pub rows: Vec<u32>,
}

/// The workers for which a schedule is made.
#[derive(Clone, Copy, Debug)]
pub struct AvailableWorkers {
    /// How many there are.
    pub workers: usize,
    /// Elements for which waking a worker pays.
    pub grain: usize,
}

impl AvailableWorkers {
    /// How many workers this many elements are worth.
    pub fn workers_for(&self, elements: usize) -> usize {
        self.workers.min(elements / self.grain.max(1)).max(1)
    }
}

impl Targets {
    /// Targets of no elements yet, through these maps with their arities.
    pub fn new(maps: impl Iterator<Item = (usize, usize)>) -> Targets {
        let maps = maps.map(|(map, arity)| MapTargets { map, arity, indices: Vec::new() });
        Targets { rows: Vec::new(), maps: maps.collect() }
    }

    /// Adds an element, marked [`OWNED`] or not, with its target rows for each map.
    pub fn push(&mut self, row: u32, targets: impl Iterator<Item = impl Iterator<Item = u32>>) {
        self.rows.push(row);
        for (map, targets) in self.maps.iter_mut().zip(targets) {
            map.indices.extend(targets);
            debug_assert_eq!(map.indices.len(), self.rows.len() * map.arity);
        }
    }

    /// Moves the finished lists near the workers.
    pub fn place(&mut self, pool: &ThreadPool) {
        self.rows = pool.place(std::mem::take(&mut self.rows));
        for map in &mut self.maps {
            map.indices = pool.place(std::mem::take(&mut map.indices));
        }
    }

    /// Number of listed elements.
    pub fn positions(&self) -> usize {
        self.rows.len()
    }

    /// The listed elements, marked [`OWNED`] or not.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The target rows through a map, by position.
    pub fn of(&self, map: usize) -> Option<&[u32]> {
        self.maps.iter().find(|m| m.map == map).map(|m| &m.indices[..])
    }

    fn bytes(&self) -> usize {
        4 * (self.rows.len() + self.maps.iter().map(|m| m.indices.len()).sum::<usize>())
    }
}

impl Step {
    /// Ranges of rows, owned or redundant, each divided among this many workers.
    pub fn ranges(ranges: impl Iterator<Item = (Range<usize>, bool)>, workers: usize) -> Step {
        let mut shares: Vec<Vec<Stretch>> = (0..workers).map(|_| Vec::new()).collect();
        for (rows, owned) in ranges {
            for (worker, stretches) in shares.iter_mut().enumerate() {
                let own = share(rows.len(), worker, workers);
                if !own.is_empty() {
                    stretches.push(Stretch::range(rows.start + own.start..rows.start + own.end, owned));
                }
            }
        }
        Step { shares }
    }
}

impl Stretch {
    pub fn range(rows: Range<usize>, owned: bool) -> Stretch {
        Stretch { rows: Rows::Range(rows), owned }
    }

    /// The elements listed since the last stretch, if there are any.
    pub fn listed(positions: &mut Range<usize>) -> Option<Stretch> {
        let taken = std::mem::replace(positions, positions.end..positions.end);
        (!taken.is_empty()).then_some(Stretch { rows: Rows::Listed(taken), owned: true })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Range(rows) | Rows::Listed(rows) => rows.len(),
        }
    }
}

impl Schedule {
    /// The core, then the boundary and imported elements, each by ascending row and divided among the workers.
    pub fn core_then_boundary(
        core: usize,
        owned: usize,
        exec: Vec<Range<usize>>,
        available: AvailableWorkers,
    ) -> Schedule {
        let rest =
            || std::iter::once((core..owned, true)).chain(exec.iter().map(|rows| (rows.clone(), false)));
        let phase = Phase {
            core: vec![Step::ranges(std::iter::once((0..core, true)), available.workers_for(core))],
            rest: vec![Step::ranges(rest(), available.workers_for(rest().map(|(rows, _)| rows.len()).sum()))],
        };
        Schedule { phases: vec![phase], ..Schedule::default() }
    }

    /// The same schedule with the number of colors over all ranks. Collective.
    pub fn colored(mut self, colors: &[u32], comm: &Comm) -> Schedule {
        let most = colors.iter().map(|&c| u64::from(c) + 1).max().unwrap_or(0);
        self.colors = Some(comm.max(most) as u32);
        self
    }

    /// All stretches, those of each worker in a step in the order of execution.
    pub fn stretches(&self) -> impl Iterator<Item = &Stretch> {
        self.phases.iter().flat_map(|p| p.core.iter().chain(&p.rest)).flat_map(|s| s.shares.iter().flatten())
    }

    /// Number of elements executed where they are owned, and number executed redundantly.
    pub fn counts(&self) -> (u64, u64) {
        let (mut owned, mut copies) = (0, 0);
        for stretch in self.stretches() {
            let here = match &stretch.rows {
                Rows::Range(rows) if stretch.owned => rows.len(),
                Rows::Range(_) => 0,
                Rows::Listed(at) => {
                    self.targets.rows()[at.clone()].iter().filter(|&r| r & OWNED != 0).count()
                }
            };
            owned += here as u64;
            copies += (stretch.len() - here) as u64;
        }
        (owned, copies)
    }

    /// Bytes of the schedule itself.
    pub fn bytes(&self) -> usize {
        let gathers: usize = self.gathers.iter().map(|g| 4 * (g.starts.len() + g.places.len())).sum();
        let restored: usize = self.restored.iter().map(|r| 4 * r.rows.len()).sum();
        let stretches = self.stretches().count() * size_of::<Stretch>();
        self.targets.bytes() + gathers + restored + stretches
    }
}
