//! Schedules in which every owned target receives all its increments in one given order.
//!
//! 1. The owned targets are divided into regions of about equal work, and the regions among the workers.
//! 2. A region executes every element that touches one of its targets, in the order given. An element on the border of
//!    two regions is executed by both; changes to another region's targets go to a scratch row, of which every worker
//!    has its own.
//! 3. One of the regions owns the element, and only its direct results and contributions to globals count.
//!
//! This is done twice. In the first pass, the regions execute the core while halo copies are in transit. What the core
//! has added to the boundary targets, those whose sources touch something foreign, is then taken back. In the second
//! pass, the boundary targets, divided into regions of their own, receive the whole list of their sources.
//!
//! Because each target sees its whole list of sources inside one region, in order, neither ranks, threads, regions nor
//! overlap can change a bit.

use super::changes::{ChangedThrough, Changes};
use super::class::HashClass;
use super::coloring::Coloring;
use super::division::{Division, FOREIGN};
use super::request::Request;
use crate::base::share::share;
use crate::schedule::steps::{
    AvailableWorkers, OWNED, Phase, Restored, Rows, Schedule, Step, Stretch, Targets,
};
use crate::store::dat_storage::scratch_row;

/// Shortest run of consecutive rows that becomes a range; rows in shorter runs are listed.
const SHORTEST_RANGE: usize = 32;

/// How owned targets are divided.
#[derive(Clone, Copy, Debug)]
struct Regions {
    /// About how many targets a region has; 0: one region per worker.
    rows: usize,
    available: AvailableWorkers,
}

/// Strategy `regions`.
pub(super) fn regions(request: &Request<'_>) -> Schedule {
    in_regions(request, &request.changes.in_order(None))
}

/// Strategy `trivial-coloring`.
pub(super) fn trivial_coloring(request: &Request<'_>) -> Schedule {
    in_one_sequence(&request.changes, &request.changes.in_order(None))
}

/// Strategy `greedy-coloring`.
pub(super) fn greedy_coloring(request: &Request<'_>) -> Schedule {
    in_regions_by_color(request, Coloring::Greedy)
}

/// Strategy `distributed-coloring`.
pub(super) fn distributed_coloring(request: &Request<'_>) -> Schedule {
    in_regions_by_color(request, Coloring::Distributed)
}

fn in_regions_by_color(request: &Request<'_>, coloring: Coloring) -> Schedule {
    let (sequence, colors) = request.by_color(coloring);
    in_regions(request, &sequence).colored(&colors, request.comm)
}

/// All executed rows one after the other, after the halo exchange.
fn in_one_sequence(changes: &Changes<'_>, sequence: &[u32]) -> Schedule {
    let mut builder = Builder::new(changes);
    let owned = |row: usize| row < changes.set.owned;
    let rest = builder.pass(sequence, &Division::whole(changes), 1, |_| true, owned);
    Schedule { phases: vec![Phase { core: Vec::new(), rest: vec![rest] }], ..builder.schedule() }
}

/// By regions: the core, then all sources of the boundary targets.
fn in_regions(request: &Request<'_>, sequence: &[u32]) -> Schedule {
    let Request { ref changes, region_rows, available, .. } = *request;
    // An element's own row must not change before every region has read it.
    if changes.direct_rw {
        return in_one_sequence(changes, sequence);
    }
    let (core, owned) = (changes.set.core, changes.set.owned);
    let exposed = exposed(changes, sequence);
    let boundary = |set: usize, row: usize| exposed[set][row];
    let regions = Regions { rows: region_rows, available };
    let (first, workers) = regions.divide(changes, &sequence_of(sequence, |row| row < core), |_, _| true);
    let mut builder = Builder::new(changes);
    let pass = builder.pass(sequence, &first, workers, |row| row < core, |_| true);
    let again = again(changes, sequence, &exposed);
    let rest = if again.is_empty() {
        Step { shares: vec![Vec::new()] }
    } else {
        let (second, more) = regions.divide(changes, &again, boundary);
        builder.pass(&again, &second, more, |_| true, |row| (core..owned).contains(&row))
    };
    let phase = Phase { core: vec![pass], rest: vec![rest] };
    Schedule { phases: vec![phase], restored: restored(changes, &exposed), ..builder.schedule() }
}

/// Strategy `core`: the core, then the boundary and imported elements, each by ascending row: one sequence for each
/// worker, which executes what touches its own part of the targets.
pub(super) fn core(request: &Request<'_>) -> Schedule {
    let Request { ref changes, available, .. } = *request;
    let (core, owned) = (changes.set.core, changes.set.owned);
    if available.workers == 1 || changes.direct_rw {
        let alone = AvailableWorkers { workers: 1, ..available };
        return Schedule::core_then_boundary(core, owned, changes.exec_ranges(), alone);
    }
    let rows: Vec<u32> = changes.executed_rows().map(|row| row as u32).collect();
    let regions = Regions { rows: 0, available };
    let mut builder = Builder::new(changes);
    let mut step = |in_core: bool| {
        let now = |row: usize| (row < core) == in_core;
        let (division, workers) = regions.divide(changes, &sequence_of(&rows, now), |_, _| true);
        builder.pass(&rows, &division, workers, now, |row| row < owned)
    };
    let phase = Phase { core: vec![step(true)], rest: vec![step(false)] };
    Schedule { phases: vec![phase], ..builder.schedule() }
}

/// A phase for each color over all ranks, for loops that read what they change. Elements of one color share no target,
/// so the core may come first, and workers may share them. The colors are greedy in the class of that name, else
/// distributed: the canonical order would take a phase for each step of its longest chain of elements that share targets.
pub(crate) fn color_by_color(request: &Request<'_>, class: HashClass) -> Schedule {
    let Request { ref changes, available, comm, .. } = *request;
    let coloring = if class == HashClass::Greedy { Coloring::Greedy } else { Coloring::Distributed };
    let (sequence, colors) = request.by_color(coloring);
    let mut schedule = Schedule::default().colored(&colors, comm);
    let count = schedule.colors.expect("just counted");
    schedule.phases.resize_with(count as usize, Phase::default);
    let division = Division::whole(changes);
    let mut builder = Builder::new(changes);
    for color in sequence.chunk_by(|&a, &b| colors[a as usize] == colors[b as usize]) {
        let phase = &mut schedule.phases[colors[color[0] as usize] as usize];
        let mark = |&row: &u32| if (row as usize) < changes.set.owned { row | OWNED } else { row };
        let (core, rest): (Vec<u32>, Vec<u32>) =
            color.iter().map(mark).partition(|&member| ((member & !OWNED) as usize) < changes.set.core);
        for (part, members) in [(&mut phase.core, core), (&mut phase.rest, rest)] {
            let workers = available.workers_for(members.len());
            let own = |worker| &members[share(members.len(), worker, workers)];
            let shares = (0..workers).map(|w| builder.stretches(own(w), 0, &division, w)).collect();
            part.push(Step { shares });
        }
    }
    schedule.targets = builder.targets;
    schedule
}

impl Regions {
    /// The selected owned targets, divided by the work that `rows` do on them, and the number of workers.
    fn divide(
        &self,
        changes: &Changes<'_>,
        rows: &[u32],
        selected: impl Fn(usize, usize) -> bool,
    ) -> (Division, usize) {
        let works = |&&row: &&u32| {
            let mut maps = changes.maps.iter();
            maps.any(|map| map.targets(row as usize).iter().any(|&t| selected(map.to, t as usize)))
        };
        let workers = self.available.workers_for(rows.iter().filter(works).count());
        (Division::by_work(changes, rows, selected, workers, self.rows), workers)
    }
}

fn sequence_of(rows: &[u32], wanted: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut sequence = Vec::with_capacity(rows.len());
    sequence.extend(rows.iter().filter(|&&row| wanted(row as usize)));
    sequence
}

/// For every set, the targets touched by an element that itself touches something foreign.
fn exposed(changes: &Changes<'_>, sequence: &[u32]) -> Vec<Vec<bool>> {
    let mut exposed: Vec<Vec<bool>> = changes.sets.iter().map(|s| vec![false; s.total()]).collect();
    for map in &changes.maps {
        for &row in sequence.iter().filter(|&&row| row as usize >= changes.set.core) {
            for &target in map.targets(row as usize) {
                exposed[map.to][target as usize] = true;
            }
        }
    }
    exposed
}

/// What the second pass executes: elements that touch a boundary target or are not in the core.
fn again(changes: &Changes<'_>, sequence: &[u32], exposed: &[Vec<bool>]) -> Vec<u32> {
    let core = changes.set.core;
    // On one rank there is nothing to find.
    if sequence.iter().all(|&row| (row as usize) < core) {
        return Vec::new();
    }
    let touches = |map: &ChangedThrough<'_>, row: usize| {
        map.targets(row).iter().any(|&target| exposed[map.to][target as usize])
    };
    sequence_of(sequence, |row| row >= core || changes.maps.iter().any(|map| touches(map, row)))
}

/// The owned boundary targets of each set.
fn restored(changes: &Changes<'_>, exposed: &[Vec<bool>]) -> Vec<Restored> {
    let mut restored: Vec<Restored> = Vec::new();
    for map in &changes.maps {
        if !restored.iter().any(|r| r.set == map.to) {
            let owned = &exposed[map.to][..changes.sets[map.to].owned];
            let rows = (0u32..).zip(owned).filter(|(_, exposed)| **exposed).map(|(row, _)| row);
            restored.push(Restored { set: map.to, rows: rows.collect() });
        }
    }
    restored
}

/// Collects listed elements and their targets.
struct Builder<'a> {
    changes: &'a Changes<'a>,
    targets: Targets,
}

impl<'a> Builder<'a> {
    fn new(changes: &'a Changes<'a>) -> Self {
        Builder { changes, targets: Targets::new(changes.maps.iter().map(|m| (m.map, m.arity))) }
    }

    /// What has been listed, without phases.
    fn schedule(self) -> Schedule {
        Schedule { targets: self.targets, ..Schedule::default() }
    }

    /// One step in which every region executes the elements that touch it, among those that run `now`.
    fn pass(
        &mut self,
        sequence: &[u32],
        division: &Division,
        workers: usize,
        now: impl Fn(usize) -> bool,
        owned: impl Fn(usize) -> bool,
    ) -> Step {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); division.regions()];
        let mut touched: Vec<u32> = Vec::new();
        for &row in sequence.iter().filter(|&&row| now(row as usize)) {
            touched.clear();
            for map in &self.changes.maps {
                for &target in map.targets(row as usize) {
                    let region = division.region_of(map.to, target);
                    if region != FOREIGN && !touched.contains(&region) {
                        touched.push(region);
                    }
                }
            }
            let owned = owned(row as usize);
            if owned && touched.is_empty() {
                // It changes nothing here, but its direct results and sums are this rank's.
                touched.push(0);
            }
            for (i, &region) in touched.iter().enumerate() {
                members[region as usize].push(if owned && i == 0 { row | OWNED } else { row });
            }
        }
        let mut shares: Vec<Vec<Stretch>> = (0..workers).map(|_| Vec::new()).collect();
        for (region, members) in members.iter().enumerate() {
            let worker = division.worker(region, workers);
            shares[worker].extend(self.stretches(members, region as u32, division, worker));
        }
        Step { shares }
    }

    /// A region's elements: long runs of consecutive rows with all targets in the region as ranges, the others listed.
    fn stretches(
        &mut self,
        members: &[u32],
        region: u32,
        division: &Division,
        worker: usize,
    ) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut listed = self.targets.positions()..self.targets.positions();
        let mut at = 0;
        while at < members.len() {
            let run = self.run(&members[at..], region, division);
            if run >= SHORTEST_RANGE {
                stretches.extend(Stretch::listed(&mut listed));
                let (first, owned) = ((members[at] & !OWNED) as usize, members[at] & OWNED != 0);
                stretches.push(Stretch { rows: Rows::Range(first..first + run), owned });
                listed = self.targets.positions()..self.targets.positions();
                at += run;
            } else {
                for &member in &members[at..at + run.max(1)] {
                    self.list(member, region, division, worker);
                }
                listed.end = self.targets.positions();
                at += run.max(1);
            }
        }
        stretches.extend(Stretch::listed(&mut listed));
        stretches
    }

    /// Number of members, from the first on, that are consecutive rows, all owned or none, with all targets in the
    /// region.
    fn run(&self, members: &[u32], region: u32, division: &Division) -> usize {
        let first = members[0];
        let mut length = 0;
        while length < members.len()
            && members[length] == first + length as u32
            && self.stays_inside(members[length] & !OWNED, region, division)
        {
            length += 1;
        }
        length
    }

    fn stays_inside(&self, row: u32, region: u32, division: &Division) -> bool {
        self.changes.maps.iter().all(|map| {
            map.targets(row as usize).iter().all(|&target| division.region_of(map.to, target) == region)
        })
    }

    /// Lists an element, with the worker's scratch row in place of targets outside the region.
    fn list(&mut self, member: u32, region: u32, division: &Division, worker: usize) {
        let changes = self.changes;
        let row = (member & !OWNED) as usize;
        let targets = changes.maps.iter().map(|map| {
            let scratch = scratch_row(changes.sets[map.to].total(), worker) as u32;
            let inside = move |&t: &u32| if division.region_of(map.to, t) == region { t } else { scratch };
            map.targets(row).iter().map(inside)
        });
        self.targets.push(member, targets);
    }
}
