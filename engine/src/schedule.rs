//! How the elements of a loop are executed on one rank: what a strategy makes, and the executor runs.

use std::ops::Range;

/// The execution of one loop.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// Run one after the other, with fresh halo copies for each.
    pub(crate) phases: Vec<Phase>,
    /// Where changes through maps go.
    pub(crate) targets: Targets,
}

/// Elements between two halo exchanges.
#[derive(Debug, Default)]
pub(crate) struct Phase {
    /// What needs no halo copy, and runs while they are on their way.
    pub(crate) core: Vec<Stretch>,
    /// What may need them.
    pub(crate) rest: Vec<Stretch>,
}

/// Elements that are executed one after the other.
#[derive(Debug)]
pub(crate) struct Stretch {
    pub(crate) rows: Rows,
    /// Position of the first element in the schedule's targets; its row where there are none.
    pub(crate) position: usize,
    /// These elements' direct results and contributions to globals count; elsewhere they are executed redundantly.
    pub(crate) home: bool,
}

/// Local rows, in the order of execution.
#[derive(Debug)]
pub(crate) enum Rows {
    Range(Range<usize>),
}

/// Where a schedule sends what a loop changes through maps: for every position, other target rows than the map's own.
#[derive(Debug, Default)]
pub struct Targets {
    maps: Vec<(usize, Vec<u32>)>,
}

/// Where an argument's increments are kept until they are applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedArg {
    pub(crate) base: *mut u8,
    /// Increments kept for each position.
    pub(crate) slots: usize,
    /// This argument's among them.
    pub(crate) slot: usize,
}

impl Targets {
    /// The target rows of a map, by position, if they are not the map's own.
    pub(crate) fn of(&self, map: usize) -> Option<&[u32]> {
        self.maps.iter().find(|(m, _)| *m == map).map(|(_, indices)| &indices[..])
    }
}

impl Stretch {
    /// Consecutive rows that change what the maps say.
    fn plain(rows: Range<usize>, home: bool) -> Stretch {
        Stretch { position: rows.start, rows: Rows::Range(rows), home }
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        match &self.rows {
            Rows::Range(rows) => rows.len(),
        }
    }

    /// The rows, in the order of execution.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        match &self.rows {
            Rows::Range(rows) => rows.clone(),
        }
    }
}

impl Schedule {
    /// The core, then the boundary and imported elements, each by ascending row.
    pub(crate) fn core_then_boundary(core: usize, owned: usize, exec: Vec<Range<usize>>) -> Schedule {
        let mut rest = vec![Stretch::plain(core..owned, true)];
        rest.extend(exec.into_iter().map(|rows| Stretch::plain(rows, false)));
        let phase = Phase { core: vec![Stretch::plain(0..core, true)], rest };
        Schedule { phases: vec![phase], targets: Targets::default() }
    }

    /// All stretches, in the order of execution.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = &Stretch> {
        self.phases.iter().flat_map(|p| p.core.iter().chain(&p.rest))
    }
}
