//! Increments through maps go to a reducer, which brings together what several workers add to one array.
//!
//! The elements are divided among the workers by rows, without regard to their targets. A worker's increments are
//! stored for a batch of elements, then handed to its adder; the reducers are those of [`crate::reducer`].

use super::{Request, ordered};
use crate::kernel::Access;
use crate::operand::Place;
use crate::schedule::{Reduced, Schedule, Slot, Staged};

/// Elements in a batch: their increments stay in the first-level cache until they are handed over.
pub(crate) const BATCH: usize = 256;

/// Reducers where increments of numbers are all that the loop changes through maps; elsewhere as strategy `core`.
pub(super) fn schedule(request: &Request<'_>) -> Schedule {
    handed_over(request).unwrap_or_else(|| ordered::core(request))
}

fn handed_over(request: &Request<'_>) -> Option<Schedule> {
    let Request { ref changes, info, dats, crew, .. } = *request;
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
