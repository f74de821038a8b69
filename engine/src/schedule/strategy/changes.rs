//! What a loop changes through maps.

use std::ops::Range;

use crate::model::kernel::Access;
use crate::model::loop_info::LoopInfo;
use crate::store::layout::{Layout, LocalSet};
use crate::store::tables::Geometry;

/// A map through which a loop changes values.
pub struct ChangedThrough<'a> {
    /// Its number.
    pub map: usize,
    /// Its name.
    pub name: &'a str,
    /// Targets per element.
    pub arity: usize,
    /// The number of the set to which it leads.
    pub to: usize,
    /// Rows of the owned and exec source rows.
    indices: &'a [u32],
}

impl ChangedThrough<'_> {
    /// Local rows of an element's targets.
    pub fn targets(&self, row: usize) -> &[u32] {
        &self.indices[row * self.arity..(row + 1) * self.arity]
    }
}

/// What a loop changes through maps, and the rows that do.
pub struct Changes<'a> {
    /// The loop's set.
    pub set: &'a LocalSet,
    /// All sets.
    pub sets: &'a [LocalSet],
    /// The maps, each once, in the order of the arguments.
    pub maps: Vec<ChangedThrough<'a>>,
    /// Whether the loop reads and writes through a map, so that its elements must run one after the other.
    pub reads_what_it_changes: bool,
    /// Whether the loop reads and writes on its own set: an element executed twice would see its own result.
    pub direct_rw: bool,
}

impl<'a> Changes<'a> {
    /// Those of a loop.
    pub fn new(info: &LoopInfo, geometry: &Geometry<'a>) -> Changes<'a> {
        let mut maps: Vec<ChangedThrough<'a>> = Vec::new();
        for arg in info.args.iter().filter(|a| a.access.modifies()) {
            let Some(map) = arg.map() else { continue };
            if maps.iter().all(|m| m.map != map) {
                let shape = &geometry.maps[map];
                let indices = &geometry.indices[map][..];
                maps.push(ChangedThrough {
                    map,
                    name: &shape.name,
                    arity: shape.arity,
                    to: shape.to,
                    indices,
                });
            }
        }
        let rw = |indirect: bool| {
            info.args.iter().any(|a| a.access == Access::Rw && a.map().is_some() == indirect)
        };
        Changes {
            set: &geometry.sets[info.set.id as usize],
            sets: geometry.sets,
            maps,
            reads_what_it_changes: rw(true),
            direct_rw: rw(false),
        }
    }

    /// Those through these maps, which start from one set, without a loop.
    pub fn through(layout: &'a Layout, set: usize, maps: &[usize]) -> Changes<'a> {
        let changed = |&map: &usize| {
            let shape = &layout.maps[map];
            assert_eq!(shape.from, set, "map {} starts from the set whose elements it colors", shape.name);
            ChangedThrough {
                map,
                name: &shape.name,
                arity: shape.arity,
                to: shape.to,
                indices: &shape.indices,
            }
        };
        Changes {
            set: &layout.sets[set],
            sets: &layout.sets,
            maps: maps.iter().map(changed).collect(),
            reads_what_it_changes: false,
            direct_rw: false,
        }
    }

    /// Imported rows that change an owned target.
    fn exec_rows(&self) -> impl Iterator<Item = usize> {
        let through = self.maps.iter().fold(0u64, |bits, m| bits | 1 << m.map);
        let owned = self.set.owned;
        self.set
            .exec_maps
            .iter()
            .enumerate()
            .filter(move |(_, maps)| *maps & through != 0)
            .map(move |(i, _)| owned + i)
    }

    /// The imported rows that change an owned target, as ranges.
    pub fn exec_ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for row in self.exec_rows() {
            match ranges.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => ranges.push(row..row + 1),
            }
        }
        ranges
    }

    /// The place of a local row of the loop's set in the canonical order.
    pub fn canonical(&self, row: usize) -> (u64, u64) {
        (self.set.order_keys.get(row).copied().unwrap_or(0), self.set.global_ids[row])
    }

    /// All executed rows, ascending.
    pub fn executed_rows(&self) -> impl Iterator<Item = usize> {
        (0..self.set.owned).chain(self.exec_rows())
    }

    /// All executed rows, by color if there are colors, then in canonical order.
    pub fn in_order(&self, colors: Option<&[u32]>) -> Vec<u32> {
        let mut rows: Vec<u32> = self.executed_rows().map(|row| row as u32).collect();
        let color = |row: u32| colors.map_or(0, |colors| colors[row as usize]);
        rows.sort_by_key(|&row| (color(row), self.canonical(row as usize)));
        rows
    }
}
