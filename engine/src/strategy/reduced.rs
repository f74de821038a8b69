//! Increments through maps go to a reducer, which brings together what several workers add to one array.
//!
//! The elements are divided among the workers by rows, without regard to their targets. A worker's increments are
//! stored for a batch of elements, then handed to its adder; the reducers are those of [`crate::reducer`].

use super::changes::Changes;
use crate::domain::DatInfo;
use crate::kernel::Access;
use crate::operand::Place;
use crate::record::LoopInfo;
use crate::schedule::{Crew, Reduced, Schedule, Slot, Staged};

/// Elements in a batch: their increments stay in the first-level cache until they are handed over.
pub(crate) const BATCH: usize = 256;

/// The schedule of a loop that changes values through maps by incrementing numbers alone; none for others.
pub(super) fn schedule(
    changes: &Changes<'_>,
    info: &LoopInfo,
    dats: &[DatInfo],
    crew: Crew,
) -> Option<Schedule> {
    let set = changes.set;
    let mut schedule = Schedule::core_then_boundary(set.core, set.owned, changes.exec_ranges(), crew);
    schedule.staging = vec![None; info.args.len()];
    for (arg, argument) in info.args.iter().enumerate().filter(|(_, a)| a.access.modifies()) {
        let Place::Indirect { dat, map, index } = argument.place else { continue };
        if argument.access != Access::Inc || dats[dat].element_bytes != size_of::<f64>() {
            return None;
        }
        let arity =
            changes.maps.iter().find(|m| m.map == map).expect("the loop changes values through it").arity;
        let known = schedule.reduced.iter().position(|r| r.dat == dat);
        let buffer = known.unwrap_or_else(|| {
            schedule.reduced.push(Reduced { dat, dim: dats[dat].dim, first_arg: arg, slots: Vec::new() });
            schedule.reduced.len() - 1
        });
        let slots = &mut schedule.reduced[buffer].slots;
        slots.push(Slot { map, arity, index });
        schedule.staging[arg] =
            Some(Staged { buffer, slots: 0, slot: slots.len() - 1, first: 0, positions: BATCH });
    }
    for staged in schedule.staging.iter_mut().flatten() {
        staged.slots = schedule.reduced[staged.buffer].slots.len();
    }
    Some(schedule)
}
