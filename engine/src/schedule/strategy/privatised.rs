//! Increments through maps go to a plug-in strategy, which combines what several workers add to one dat.
//!
//! The elements are divided among the workers by rows, regardless of their targets. A worker's increments go to its
//! private increment buffer, one block of elements at a time, and are then handed over
//! ([`Accumulate`](super::Accumulate)).

use super::ordered;
use super::request::Request;
use crate::model::any::ElementType;
use crate::model::kernel::Access;
use crate::model::loop_info::Place;
use crate::schedule::steps::{Buffered, Privatised, Schedule, SlotOf};

/// Elements in a block: their increments stay in the first-level cache until they are handed over.
pub(crate) const BLOCK: usize = 256;

/// As above if a loop's only changes through maps are increments of numbers; otherwise, with minima and maxima, too, as
/// strategy `core`.
pub(super) fn schedule(request: &Request<'_>) -> Schedule {
    handed_over(request).unwrap_or_else(|| ordered::core(request))
}

fn handed_over(request: &Request<'_>) -> Option<Schedule> {
    let Request { ref changes, info, dats, available, .. } = *request;
    let set = changes.set;
    let mut schedule = Schedule::core_then_boundary(set.core, set.owned, changes.exec_ranges(), available);
    schedule.buffered = vec![None; info.args.len()];
    for (arg, argument) in info.args.iter().enumerate().filter(|(_, a)| a.access.modifies()) {
        let Place::Indirect { dat, map, index } = argument.place else { continue };
        if argument.access != Access::Inc || dats[dat].element != ElementType::F64 {
            return None;
        }
        let arity =
            changes.maps.iter().find(|m| m.map == map).expect("the loop changes values through it").arity;
        let known = schedule.privatised.iter().position(|r| r.dat == dat);
        let buffer = known.unwrap_or_else(|| {
            schedule.privatised.push(Privatised { dat, dim: dats[dat].dim, slots: Vec::new() });
            schedule.privatised.len() - 1
        });
        let slots = &mut schedule.privatised[buffer].slots;
        slots.push(SlotOf { map, arity, index });
        schedule.buffered[arg] =
            Some(Buffered { buffer, slots: 0, slot: slots.len() - 1, first: 0, positions: BLOCK });
    }
    for buffered in schedule.buffered.iter_mut().flatten() {
        buffered.slots = schedule.privatised[buffered.buffer].slots.len();
    }
    Some(schedule)
}
