//! Lines: sequences of elements along which loops sweep, each element after the one before it.

use super::{Domain, DomainError};
use crate::cpu::operand::Operands;
use crate::model::handle::{DomainId, Map, Set};
use crate::model::kernel::Kernel;
use crate::model::loop_info::SweepInfo;
use crate::store::lines::{Broken, LineLists};

/// Lines of a set's elements; see [`Domain::new_lines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    pub(crate) domain: DomainId,
    pub(crate) id: u32,
    set: Set,
}

impl Lines {
    /// The set of their elements.
    pub fn set(self) -> Set {
        self.set
    }
}

/// Which end of the lines a sweep begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first element of each line to the last.
    Forward,
    /// From the last to the first.
    Backward,
}

impl Domain {
    /// Lines, from the maps to the element before and the element after each element of a set; where there is none, a map
    /// leads to the element itself. An element alone is a line of one. Lines must not be cut: all elements of a line
    /// belong to one rank. Runs what was recorded. Collective.
    ///
    /// # Errors
    /// Maps that do not lead back and forth along lines, or a line that belongs to several ranks.
    ///
    /// # Panics
    /// If the maps do not lead from one set to itself.
    #[track_caller]
    pub fn new_lines(&mut self, before: Map<1>, after: Map<1>) -> Result<Lines, DomainError> {
        self.run_queue(true);
        let set = self.state.set_index(before.from);
        assert!(
            [before.to, after.from, after.to].iter().all(|other| *other == before.from),
            "lines are along maps from a set to itself"
        );
        let maps = [before.id as usize, after.id as usize];
        let owned = self.state.sets[set].owned;
        let [to_before, to_after] = maps.map(|map| &self.state.local.maps[map][..]);
        let made = LineLists::new(set, maps, owned, to_before, to_after).map_err(|broken| {
            let (row, cut) = match broken {
                Broken::Cut(row) => (row, true),
                Broken::Loose(row) => (row, false),
            };
            let of = &self.state.sets[set];
            DomainError::Lines { set: of.name.clone(), element: of.global_ids[row as usize], cut }
        });
        // Lists stay on their rank; only errors are shared.
        let (lines, broken) = match made {
            Ok(lines) => (Some(lines), Ok(())),
            Err(error) => (None, Err(error)),
        };
        self.state.comm.agree(broken)?;
        let lines = lines.expect("no rank has an error");
        maps.into_iter().for_each(|map| self.state.maps[map].stays_home = true);
        self.state.lines.push(lines);
        let id = (self.state.lines.len() - 1) as u32;
        Ok(Lines { domain: self.state.id, id, set: before.from })
    }

    /// Those lines whose first element `keep` chooses, by its place among the owned elements ([`Domain::global_ids`]): for sweeps
    /// along part of the lines.
    ///
    /// # Panics
    /// If the lines belong to another domain.
    pub fn lines_where(&mut self, lines: Lines, keep: impl FnMut(usize) -> bool) -> Lines {
        assert!(lines.domain == self.state.id, "the lines belong to another domain");
        let part = self.state.lines[lines.id as usize].filtered(keep);
        self.state.lines.push(part);
        Lines { id: (self.state.lines.len() - 1) as u32, ..lines }
    }

    /// The place of each owned element on its line, from 0, and the line's number of elements; 0 for elements in no line.
    ///
    /// # Panics
    /// If the lines belong to another domain.
    pub fn places_on(&self, lines: Lines) -> Vec<[u32; 2]> {
        assert!(lines.domain == self.state.id, "the lines belong to another domain");
        let lists = &self.state.lines[lines.id as usize];
        let mut places = vec![[0; 2]; self.state.sets[lists.set].owned];
        for line in (0..lists.len()).map(|line| lists.line(line)) {
            for (place, &row) in (0u32..).zip(line) {
                places[row as usize] = [place, line.len() as u32];
            }
        }
        places
    }

    /// Records a sweep: a loop over the elements of the lines that runs along each line, so that an element finds what the
    /// loop has written to the element before it, at the target of the map to that element. Lines do not depend on each
    /// other: lanes, threads and devices share them, and no bit depends on how.
    ///
    /// ```
    /// # use cfd_engine::prelude::*;
    /// /// The sum of all values of a line up to here.
    /// #[kernel]
    /// fn sum(is_first: Read<1, i32>, x: Read<1>, before: Read<1>, sum: Rw<1>) {
    ///     sum[0] = if is_first[0] == 1 { x[0] } else { before[0] + x[0] };
    /// }
    /// # fn sums(domain: &mut Domain, lines: Lines, before: Map<1>, is_first: Dat<1, i32>, x: Dat<1>, s: Dat<1>) {
    /// domain.sweep(sum, lines, Direction::Forward, (is_first, x, s.at(before.target::<0>()), s), &());
    /// # }
    /// ```
    ///
    /// # Panics
    /// As for [`Domain::par_loop`]; also if an operand is changed through a map, or found through one that is not the
    /// lines'. A dat that is written may also be read at the element before (backwards, the element after).
    #[track_caller]
    pub fn sweep<K: Kernel, A: Operands<K::Params>>(
        &mut self,
        _kernel: fn() -> K,
        lines: Lines,
        direction: Direction,
        operands: A,
        constants: &K::Constants,
    ) {
        assert!(lines.domain == self.state.id, "sweep \"{}\": the lines belong to another domain", K::NAME);
        let sweep = SweepInfo { lines: lines.id as usize, backward: direction == Direction::Backward };
        self.record::<K, A>(lines.set, Some(sweep), operands, constants);
    }
}
