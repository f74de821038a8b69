//! Which rows of a halo a loop reaches.

use crate::model::loop_info::{LoopInfo, Place};
use crate::schedule::strategy::changes::Changes;
use crate::store::tables::Geometry;

/// How a loop reaches elements of a set: loops with equal ones reach the same rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The number of the set reached.
    pub set: usize,
    /// The number of the loop's set.
    from: usize,
    /// The maps through which the loop changes values: these say which imported elements it executes.
    changed: Vec<usize>,
    /// The targets read, as numbers of map and target; none: the element itself.
    read: Vec<Option<[usize; 2]>>,
}

impl Reach {
    /// How a loop reaches what it reads of a dat.
    pub fn of(info: &LoopInfo, dat: usize, geometry: &Geometry<'_>) -> Reach {
        let mut changed: Vec<usize> = Changes::new(info, geometry).maps.iter().map(|m| m.map).collect();
        changed.sort_unstable();
        let place = |place: Place| match place {
            Place::Indirect { map, index, .. } => Some([map, index]),
            _ => None,
        };
        let args = info.args.iter().filter(|a| a.dat() == Some(dat) && a.access.reads());
        let mut read: Vec<Option<[usize; 2]>> = args.map(|a| place(a.place)).collect();
        read.sort_unstable();
        read.dedup();
        Reach { set: geometry.dats[dat].set, from: info.set(), changed, read }
    }

    /// By row of the halo: whether an element that the loop executes on this rank, by any strategy, reads it.
    pub fn halo_rows(&self, info: &LoopInfo, geometry: &Geometry<'_>) -> Vec<bool> {
        let set = &geometry.sets[self.set];
        let mut reached = vec![false; set.total()];
        let changes = Changes::new(info, geometry);
        for &place in &self.read {
            let row_read = |row: usize| match place {
                None => row,
                Some([map, index]) => geometry.indices[map][row * geometry.maps[map].arity + index] as usize,
            };
            changes.executed_rows().for_each(|row| reached[row_read(row)] = true);
        }
        reached.split_off(set.owned)
    }
}
