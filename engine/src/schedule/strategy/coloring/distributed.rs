//! Distributed coloring by independent sets (Algorithm 3 of the source named in [`crate::schedule::strategy`], after Osama et
//! al., "Graph coloring on the GPU", 2019, DOI 10.1109/IPDPSW.2019.00046).
//!
//! 1. Two elements are neighbours if they share a target. A rank learns all neighbours of its own elements from the
//!    targets' owners, including those around targets that others own (the second ghost layer).
//! 2. In round i every uncolored element whose (hash(i, id), id) is the least among its uncolored neighbours takes
//!    color 2i; one for which it is the greatest takes color 2i + 1. The id makes neighbours with equal hashes differ.
//! 3. The colors of the ghosts are exchanged, until every element has one.
//!
//! The rounds see only global ids, so the colors are the same for any number of ranks.

use crate::comm::Comm;
use crate::schedule::strategy::changes::Changes;
use crate::store::layout::LocalSet;

/// The color of an element that has none yet.
const UNCOLORED: u32 = u32::MAX;

/// The colors of the owned rows. Collective.
pub(super) fn colors(changes: &Changes<'_>, comm: &Comm) -> Vec<u32> {
    let owned = changes.set.owned;
    let graph = Neighbourhood::new(changes, comm);
    let mut colors = vec![UNCOLORED; graph.ids.len()];
    for round in 0.. {
        let uncolored = colors[..owned].iter().filter(|&&c| c == UNCOLORED).count();
        if comm.sum(uncolored as u64) == 0 {
            break;
        }
        let rank_of = |i: usize| (hash(round, graph.ids[i]), graph.ids[i]);
        let mut next = colors[..owned].to_vec();
        for e in (0..owned).filter(|&e| colors[e] == UNCOLORED) {
            let own = rank_of(e);
            let rivals = || graph.of(e).filter(|&n| colors[n] == UNCOLORED && n != e).map(rank_of);
            if rivals().all(|other| own < other) {
                next[e] = 2 * round;
            } else if rivals().all(|other| own > other) {
                next[e] = 2 * round + 1;
            }
        }
        colors[..owned].copy_from_slice(&next);
        graph.refresh(comm, &mut colors);
    }
    colors.truncate(owned);
    colors
}

/// Mixes a round and a global id (the finaliser of SplitMix64).
fn hash(round: u32, id: u64) -> u64 {
    let mut z = id.wrapping_add((u64::from(round) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The neighbours of the owned elements.
struct Neighbourhood {
    /// Global ids of the owned elements, then of the ghosts.
    ids: Vec<u64>,
    /// Neighbours of owned element e: `list[starts[e]..starts[e + 1]]`, as positions in `ids`.
    starts: Vec<usize>,
    list: Vec<u32>,
    /// For each rank, the owned rows whose colors it wants.
    send: Vec<Vec<u32>>,
    /// For each rank, the ghosts it owns, in the order requested.
    receive: Vec<Vec<u32>>,
}

impl Neighbourhood {
    fn of(&self, e: usize) -> impl Iterator<Item = usize> {
        self.list[self.starts[e]..self.starts[e + 1]].iter().map(|&n| n as usize)
    }

    fn new(changes: &Changes<'_>, comm: &Comm) -> Neighbourhood {
        let set = changes.set;
        let row_of = sorted_rows(set);
        let around: Vec<Option<Sources>> = (0..changes.sets.len())
            .map(|s| changes.maps.iter().any(|m| m.to == s).then(|| Sources::new(changes, s, &row_of, comm)))
            .collect();
        let of = |to: usize| around[to].as_ref().expect("made for every set a map of the changes leads to");

        let mut ghosts: Vec<Ghost> =
            around.iter().flatten().flat_map(|s| &s.list).filter_map(|source| source.ghost()).collect();
        ghosts.sort_unstable();
        ghosts.dedup();
        let mut ids = set.global_ids[..set.owned].to_vec();
        ids.extend(ghosts.iter().map(|ghost| ghost.id));
        let position = |source: Source| match source {
            Source::Own(row) => row,
            Source::Ghost(ghost) => {
                let at = ghosts.binary_search(&ghost).expect("every foreign neighbour is a ghost");
                (set.owned + at) as u32
            }
        };
        let (mut starts, mut list, mut own) = (vec![0], Vec::new(), Vec::new());
        for row in 0..set.owned {
            for map in &changes.maps {
                for &t in map.targets(row) {
                    own.extend(of(map.to).of(t as usize).iter().map(|&source| position(source)));
                }
            }
            own.sort_unstable();
            own.dedup();
            list.append(&mut own);
            starts.push(list.len());
        }

        let mut wanted: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        let mut receive: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
        for (i, ghost) in ghosts.iter().enumerate() {
            wanted[ghost.owner as usize].push(ghost.id);
            receive[ghost.owner as usize].push((set.owned + i) as u32);
        }
        let asked = comm.all_to_all(wanted);
        let send = asked.iter().map(|ids| ids.iter().map(|&id| local_row(&row_of, id)).collect()).collect();
        Neighbourhood { ids, starts, list, send, receive }
    }

    /// Updates the ghosts' colors.
    fn refresh(&self, comm: &Comm, colors: &mut [u32]) {
        let send =
            self.send.iter().map(|rows| rows.iter().map(|&row| colors[row as usize]).collect()).collect();
        for (rows, values) in self.receive.iter().zip(comm.all_to_all::<u32>(send)) {
            for (&row, color) in rows.iter().zip(values) {
                colors[row as usize] = color;
            }
        }
    }
}

/// An element of another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ghost {
    id: u64,
    owner: u32,
}

/// An element that touches a target.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// An owned row.
    Own(u32),
    /// Another rank's element.
    Ghost(Ghost),
}

impl Source {
    fn ghost(self) -> Option<Ghost> {
        match self {
            Source::Ghost(ghost) => Some(ghost),
            Source::Own(_) => None,
        }
    }
}

/// The elements that touch each local row of a target set: for owned rows, as this rank knows them; for foreign rows
/// that owned elements touch, as their owners know them.
struct Sources {
    starts: Vec<usize>,
    list: Vec<Source>,
}

impl Sources {
    fn of(&self, target: usize) -> &[Source] {
        &self.list[self.starts[target]..self.starts[target + 1]]
    }

    /// Collective.
    fn new(changes: &Changes<'_>, target_set: usize, row_of: &[(u64, u32)], comm: &Comm) -> Sources {
        let (set, targets) = (changes.set, &changes.sets[target_set]);
        let maps = || changes.maps.iter().filter(|m| m.to == target_set);
        let mut owner = vec![comm.rank() as u32; set.executed()];
        for n in &set.neighbours {
            owner[n.receive_exec.start as usize..n.receive_exec.end as usize].fill(n.rank as u32);
        }
        // Counting sort by target.
        let visits = || {
            maps().flat_map(|map| {
                (0..set.executed())
                    .flat_map(move |row| map.targets(row).iter().map(move |&t| (t as usize, row)))
            })
        };
        let mut starts = vec![0; targets.owned + 1];
        visits().filter(|(t, _)| *t < targets.owned).for_each(|(t, _)| starts[t + 1] += 1);
        for t in 0..targets.owned {
            starts[t + 1] += starts[t];
        }
        let mut next = starts.clone();
        let mut list = vec![Source::Own(0); starts[targets.owned]];
        for (t, row) in visits().filter(|(t, _)| *t < targets.owned) {
            list[next[t]] = if row < set.owned {
                Source::Own(row as u32)
            } else {
                Source::Ghost(Ghost { id: set.global_ids[row], owner: owner[row] })
            };
            next[t] += 1;
        }
        let mut sources = Sources { starts, list };
        let foreign = visits().filter(|(t, row)| *t >= targets.owned && *row < set.owned).map(|(t, _)| t);
        sources.fetch(changes, target_set, foreign.collect(), row_of, comm);
        sources
    }

    /// Adds the lists of foreign targets, from their owners.
    fn fetch(
        &mut self,
        changes: &Changes<'_>,
        target_set: usize,
        mut foreign: Vec<usize>,
        row_of: &[(u64, u32)],
        comm: &Comm,
    ) {
        let targets = &changes.sets[target_set];
        let mut owner = vec![comm.rank(); targets.total()];
        for n in &targets.neighbours {
            owner[n.receive_exec.start as usize..n.receive_exec.end as usize].fill(n.rank);
            owner[n.receive_nonexec.start as usize..n.receive_nonexec.end as usize].fill(n.rank);
        }
        foreign.sort_unstable();
        foreign.dedup();
        let mut wanted: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        for &t in &foreign {
            wanted[owner[t]].push(targets.global_ids[t]);
        }
        let target_row = sorted_rows(targets);
        // For every target requested, the answer has the number of its sources, then the id and owner of each.
        let asked: Vec<Vec<u64>> = comm.all_to_all(wanted);
        let answers = asked.iter().map(|ids| {
            let mut answer: Vec<u64> = Vec::new();
            for &id in ids {
                let list = self.of(local_row(&target_row, id) as usize);
                answer.push(list.len() as u64);
                for source in list {
                    match *source {
                        Source::Own(row) => {
                            answer.extend([changes.set.global_ids[row as usize], comm.rank() as u64])
                        }
                        Source::Ghost(ghost) => answer.extend([ghost.id, u64::from(ghost.owner)]),
                    }
                }
            }
            answer
        });
        let answers = comm.all_to_all(answers.collect());
        let mut read = vec![0; comm.size()];
        let mut foreign = foreign.into_iter().peekable();
        for t in targets.owned..targets.total() {
            if foreign.next_if_eq(&t).is_some() {
                let (answer, at) = (&answers[owner[t]], &mut read[owner[t]]);
                let count = answer[*at] as usize;
                for pair in answer[*at + 1..*at + 1 + 2 * count].chunks_exact(2) {
                    let ghost = Ghost { id: pair[0], owner: pair[1] as u32 };
                    let own = ghost.owner as usize == comm.rank();
                    self.list.push(if own {
                        Source::Own(local_row(row_of, ghost.id))
                    } else {
                        Source::Ghost(ghost)
                    });
                }
                *at += 1 + 2 * count;
            }
            self.starts.push(self.list.len());
        }
    }
}

/// The owned rows by global id.
fn sorted_rows(set: &LocalSet) -> Vec<(u64, u32)> {
    let mut rows: Vec<(u64, u32)> =
        set.global_ids[..set.owned].iter().enumerate().map(|(row, &id)| (id, row as u32)).collect();
    rows.sort_unstable();
    rows
}

fn local_row(rows: &[(u64, u32)], id: u64) -> u32 {
    rows[rows.binary_search_by_key(&id, |&(id, _)| id).expect("asked of the owner")].1
}
