//! Schedules in which every owned target receives all its increments in one given order.
//!
//! 1. The owned targets are divided into regions: interior ones, whose sources touch nothing foreign, and boundary
//!    ones.
//! 2. A region executes every element that touches one of its targets, in the order given. An element on the border
//!    of two regions is executed by both; changes to targets of another region go to a scratch row.
//! 3. One of the regions is an owned element's home, where its direct results and its contributions to globals count.
//!
//! One worker needs no scratch rows in the interior: it executes the core whole, in long stretches, and puts the
//! boundary targets back as they were before it executes all their sources.
//!
//! Because each target sees its whole list of sources inside one region, in order, neither ranks, regions nor
//! overlap can change a bit.

use super::changes::Changes;
use crate::comm::Comm;
use crate::schedule::{HOME, Phase, Restored, Rows, Schedule, Stretch, Targets};

/// Consecutive rows that run as a range of their own; fewer are listed.
const SHORTEST_RANGE: usize = 32;
/// The region of a target that nobody here owns.
const FOREIGN: u32 = u32::MAX;

/// All executed rows as one region, after the halo exchange.
pub(super) fn in_one_sequence(changes: &Changes<'_>, sequence: &[u32]) -> Schedule {
    build(changes, sequence, &Division::whole(changes))
}

/// Regions of at most `rows` targets; 0: an interior and a boundary.
pub(super) fn in_regions(changes: &Changes<'_>, sequence: &[u32], rows: usize) -> Schedule {
    // An element's own row must not change before every region has read it.
    if changes.direct_rw {
        return in_one_sequence(changes, sequence);
    }
    match rows {
        0 => in_two_passes(changes, sequence),
        _ => build(changes, sequence, &Division::new(changes, sequence, rows)),
    }
}

/// The core, with what it adds to boundary targets taken back, then all sources of the boundary targets.
fn in_two_passes(changes: &Changes<'_>, sequence: &[u32]) -> Schedule {
    let (core, owned) = (changes.set.core, changes.set.owned);
    let division = Division::boundary(changes, sequence);
    let touches_boundary = |row: usize| {
        let mut maps = changes.maps.iter().zip(&division.region_of);
        maps.any(|(map, region_of)| map.targets(row).iter().any(|&t| region_of[t as usize] != FOREIGN))
    };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for &row in sequence {
        let at = row as usize;
        if at < core {
            first.push(row | HOME);
        }
        if (core..owned).contains(&at) {
            second.push(row | HOME);
        } else if touches_boundary(at) {
            second.push(row);
        }
    }
    let mut builder = Builder::new(changes);
    let phase = Phase {
        core: builder.stretches(&first, 0, &Division::whole(changes)),
        rest: builder.stretches(&second, 0, &division),
    };
    let mut restored: Vec<Restored> = Vec::new();
    for (map, region_of) in changes.maps.iter().zip(&division.region_of) {
        if !restored.iter().any(|r| r.set == map.to) {
            let rows = (0u32..).zip(region_of).filter(|(_, region)| **region != FOREIGN).map(|(row, _)| row);
            restored.push(Restored { set: map.to, rows: rows.collect() });
        }
    }
    Schedule { phases: vec![phase], targets: builder.targets, restored, ..Schedule::default() }
}

/// A phase for each color over all ranks, for loops that read what they change: `sequence` is by color. Elements of
/// one color share no target, so the core may come first.
pub(super) fn color_by_color(
    changes: &Changes<'_>,
    sequence: &[u32],
    colors: &[u32],
    comm: &Comm,
) -> Schedule {
    let mut schedule = Schedule::default().colored(colors, comm);
    let count = schedule.colors.expect("just counted");
    schedule.phases.resize_with(count as usize, Phase::default);
    let division = Division::whole(changes);
    let mut builder = Builder::new(changes);
    for color in sequence.chunk_by(|&a, &b| colors[a as usize] == colors[b as usize]) {
        let phase = &mut schedule.phases[colors[color[0] as usize] as usize];
        let mark = |&row: &u32| if (row as usize) < changes.set.owned { row | HOME } else { row };
        let (core, rest): (Vec<u32>, Vec<u32>) =
            color.iter().map(mark).partition(|&member| ((member & !HOME) as usize) < changes.set.core);
        phase.core = builder.stretches(&core, 0, &division);
        phase.rest = builder.stretches(&rest, 0, &division);
    }
    schedule.targets = builder.targets;
    schedule
}

/// The regions of the owned targets.
struct Division {
    /// For each map of the changes, the region of every local row of its target set.
    region_of: Vec<Vec<u32>>,
    interior: usize,
    boundary: usize,
}

impl Division {
    fn whole(changes: &Changes<'_>) -> Division {
        let region_of = changes.maps.iter().map(|m| {
            let set = &changes.sets[m.to];
            (0..set.total()).map(|row| if row < set.owned { 0 } else { FOREIGN }).collect()
        });
        Division { region_of: region_of.collect(), interior: 0, boundary: 1 }
    }

    /// The owned targets in the boundary as one region.
    fn boundary(changes: &Changes<'_>, sequence: &[u32]) -> Division {
        let exposed = exposed(changes, sequence);
        let region_of = changes.maps.iter().map(|m| {
            let owned = changes.sets[m.to].owned;
            let region = |(row, &exposed): (usize, &bool)| if exposed && row < owned { 0 } else { FOREIGN };
            exposed[m.to].iter().enumerate().map(region).collect()
        });
        Division { region_of: region_of.collect(), interior: 0, boundary: 1 }
    }

    fn new(changes: &Changes<'_>, sequence: &[u32], rows: usize) -> Division {
        let exposed = exposed(changes, sequence);
        let mut targeted: Vec<bool> = vec![false; changes.sets.len()];
        changes.maps.iter().for_each(|map| targeted[map.to] = true);
        // Cut each target set into the same number of regions, interior and boundary apart.
        let count = |set: usize, wanted: bool| {
            exposed[set][..changes.sets[set].owned].iter().filter(|&&e| e == wanted).count()
        };
        let pieces = |wanted: bool| {
            (0..targeted.len())
                .filter(|&s| targeted[s])
                .map(|s| count(s, wanted).div_ceil(rows))
                .max()
                .unwrap_or(0)
        };
        let (interior, boundary) = (pieces(false), pieces(true).max(1));
        let regions: Vec<Vec<u32>> = (0..targeted.len())
            .map(|set| {
                if !targeted[set] {
                    return Vec::new();
                }
                let totals = [count(set, false), count(set, true)];
                let (mut seen, owned) = ([0, 0], changes.sets[set].owned);
                let mut regions = vec![FOREIGN; changes.sets[set].total()];
                for row in 0..owned {
                    let kind = usize::from(exposed[set][row]);
                    let (first, number) = [(0, interior), (interior, boundary)][kind];
                    regions[row] = (first + seen[kind] * number / totals[kind]) as u32;
                    seen[kind] += 1;
                }
                regions
            })
            .collect();
        let region_of = changes.maps.iter().map(|m| regions[m.to].clone()).collect();
        Division { region_of, interior, boundary }
    }

    fn regions(&self) -> usize {
        self.interior + self.boundary
    }
}

/// For every set, the targets that an element touches which itself touches something foreign.
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

fn build(changes: &Changes<'_>, sequence: &[u32], division: &Division) -> Schedule {
    // Each region's elements in order, an element's home marked.
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); division.regions()];
    let mut regions: Vec<u32> = Vec::new();
    for &row in sequence {
        regions.clear();
        for (map, region_of) in changes.maps.iter().zip(&division.region_of) {
            for &target in map.targets(row as usize) {
                let region = region_of[target as usize];
                if region != FOREIGN && !regions.contains(&region) {
                    regions.push(region);
                }
            }
        }
        let owned = (row as usize) < changes.set.owned;
        if owned && regions.is_empty() {
            // It changes nothing here, but its direct results and sums are this rank's.
            regions.push(division.regions() as u32 - 1);
        }
        for (i, &region) in regions.iter().enumerate() {
            members[region as usize].push(if owned && i == 0 { row | HOME } else { row });
        }
    }
    let mut builder = Builder::new(changes);
    let mut phase = Phase::default();
    for (region, rows) in members.iter().enumerate() {
        let stretches = builder.stretches(rows, region as u32, division);
        if region < division.interior { phase.core.extend(stretches) } else { phase.rest.extend(stretches) }
    }
    Schedule { phases: vec![phase], targets: builder.targets, ..Schedule::default() }
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

    /// A region's elements: long runs of consecutive rows whose targets are all the region's as ranges, the others
    /// listed.
    fn stretches(&mut self, members: &[u32], region: u32, division: &Division) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut listed = self.targets.positions()..self.targets.positions();
        let mut at = 0;
        while at < members.len() {
            let run = self.run(&members[at..], region, division);
            if run >= SHORTEST_RANGE {
                stretches.extend(Stretch::listed(&mut listed));
                let (first, home) = ((members[at] & !HOME) as usize, members[at] & HOME != 0);
                stretches.push(Stretch { rows: Rows::Range(first..first + run), home });
                at += run;
            } else {
                for &member in &members[at..at + run.max(1)] {
                    self.list(member, region, division);
                }
                listed.end = self.targets.positions();
                at += run.max(1);
            }
        }
        stretches.extend(Stretch::listed(&mut listed));
        stretches
    }

    /// How many members from the first on are consecutive rows, alike at home or not, with all targets in the region.
    fn run(&self, members: &[u32], region: u32, division: &Division) -> usize {
        let first = members[0];
        let mut length = 0;
        while length < members.len()
            && members[length] == first + length as u32
            && self.stays_inside(members[length] & !HOME, region, division)
        {
            length += 1;
        }
        length
    }

    fn stays_inside(&self, row: u32, region: u32, division: &Division) -> bool {
        self.changes.maps.iter().zip(&division.region_of).all(|(map, region_of)| {
            map.targets(row as usize).iter().all(|&target| region_of[target as usize] == region)
        })
    }

    fn list(&mut self, member: u32, region: u32, division: &Division) {
        let changes = self.changes;
        let row = (member & !HOME) as usize;
        let targets = changes.maps.iter().zip(&division.region_of).map(|(map, region_of)| {
            let scratch = changes.sets[map.to].total() as u32;
            let inside = move |&t: &u32| if region_of[t as usize] == region { t } else { scratch };
            map.targets(row).iter().map(inside)
        });
        self.targets.push(member, targets);
    }
}
