//! Temporary arrays: every element's increments go to an increment buffer, from which each owned target adds its own in
//! canonical order (Algorithms 1 and 2 of the source named in [`super`]).

use super::ordered;
use super::request::Request;
use crate::model::kernel::Access;
use crate::model::loop_info::Place;
use crate::schedule::steps::{Buffered, Gather, Schedule};

/// Increment buffers if a loop's only changes through maps are increments, minima and maxima; otherwise regions, since
/// workers that write what others also write would still do so at the same time.
pub(super) fn schedule(request: &Request<'_>) -> Schedule {
    stored(request).unwrap_or_else(|| ordered::regions(request))
}

fn stored(request: &Request<'_>) -> Option<Schedule> {
    let Request { ref changes, info, available, .. } = *request;
    if info.args.iter().any(|arg| arg.access == Access::Write && arg.map().is_some()) {
        return None;
    }
    let (set, executed) = (changes.set, changes.set.executed());
    let mut schedule = Schedule::core_then_boundary(set.core, set.owned, changes.exec_ranges(), available);
    schedule.buffered = vec![None; info.args.len()];

    // Arguments that increment the same dat share an increment buffer, with one slot each.
    let mut dats: Vec<usize> = Vec::new();
    let increments = |dat: usize| {
        info.args.iter().enumerate().filter(move |(_, a)| {
            a.access.combines() && matches!(a.place, Place::Indirect { dat: d, .. } if d == dat)
        })
    };
    for dat in info.args.iter().filter_map(|a| a.dat()) {
        if !dats.contains(&dat) && increments(dat).next().is_some() {
            dats.push(dat);
        }
    }
    let canonical = changes.in_order(None);
    for (buffer, &dat) in dats.iter().enumerate() {
        let slots = increments(dat).count();
        let mut through = Vec::new();
        for (slot, (arg, argument)) in increments(dat).enumerate() {
            let Place::Indirect { map, index, .. } = argument.place else {
                unreachable!("increments are indirect")
            };
            let map = changes.maps.iter().find(|m| m.map == map).expect("the loop changes values through it");
            schedule.buffered[arg] = Some(Buffered { buffer, slots, slot, first: 0, positions: executed });
            through.push((map, index));
        }
        let target = &changes.sets[through[0].0.to];
        let (first, _) = increments(dat).next().expect("there is one");
        let mut gather = Gather { arg: first, starts: vec![0; target.owned + 1], places: Vec::new() };
        // Counting sort by target keeps the canonical order of sources, then the order of arguments.
        let visits = || {
            canonical.iter().flat_map(|&row| {
                through.iter().enumerate().map(move |(slot, (map, index))| {
                    (map.targets(row as usize)[*index] as usize, row as usize * slots + slot)
                })
            })
        };
        for (t, _) in visits().filter(|(t, _)| *t < target.owned) {
            gather.starts[t + 1] += 1;
        }
        for t in 0..target.owned {
            gather.starts[t + 1] += gather.starts[t];
        }
        let mut next = gather.starts.clone();
        gather.places = vec![0; gather.starts[target.owned] as usize];
        for (t, place) in visits().filter(|(t, _)| *t < target.owned) {
            gather.places[next[t] as usize] =
                u32::try_from(place).expect("fewer than 2^32 increments on a rank");
            next[t] += 1;
        }
        schedule.gathers.push(gather);
    }
    Some(schedule)
}
