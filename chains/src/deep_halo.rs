//! The deep halo: rows beyond the halo, which a rank must know to run a chain for its own rows.
//!
//! The halo of a layout is one layer deep: the elements that touch an owned row, and what they touch. A chain reaches
//! further. From its last loop to its first, a rank works out which rows it needs (as its tiles will, `growth`) and
//! asks their owners, who know all sources of their own rows, and all targets: one question and one answer for each
//! step, on all ranks together. Rows that are new here are put behind a dat's scratch rows.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;
use cfd_engine::plug::{DeepSet, LocalSet, MapInfo, NeighbourRows};

use super::growth::Projection;
use super::space::{Inverse, Space};

/// A rank's search for rows.
pub(super) struct Survey<'a> {
    comm: &'a Comm,
    sets: &'a [LocalSet],
    maps: &'a [MapInfo],
    indices: &'a mut [Vec<u32>],
    deep: &'a mut [DeepSet],
    /// Scratch rows of a dat.
    scratch: usize,
    /// By set: global ids of the layout's rows with their rows, sorted.
    numbers: Vec<Vec<(u64, u32)>>,
    /// By set: rows beyond the halo by global id.
    deeper: Vec<BTreeMap<u64, u32>>,
    /// By set: owners of the halo's rows.
    owners: Vec<Vec<usize>>,
    /// By map: who touches what, of owned and imported elements.
    inverses: Vec<Option<Inverse>>,
    /// By set: rows needed so far, and by row whether they are.
    rows: Vec<Vec<u32>>,
    needed: Vec<Vec<bool>>,
}

impl<'a> Survey<'a> {
    pub(super) fn new(
        comm: &'a Comm,
        sets: &'a [LocalSet],
        maps: &'a [MapInfo],
        indices: &'a mut [Vec<u32>],
        deep: &'a mut [DeepSet],
        scratch: usize,
    ) -> Survey<'a> {
        let numbers = sets.iter().map(|set| {
            let mut numbers: Vec<(u64, u32)> = set.global_ids.iter().copied().zip(0u32..).collect();
            numbers.sort_unstable();
            numbers
        });
        let deeper = sets.iter().zip(&*deep).map(|(set, deep)| {
            deep.ids.iter().copied().zip((set.total() + scratch) as u32..).collect::<BTreeMap<u64, u32>>()
        });
        let owners = sets.iter().map(|set| {
            let mut owners = vec![0; set.total() - set.owned];
            for n in &set.neighbours {
                for row in n.receive_exec.clone().chain(n.receive_nonexec.clone()) {
                    owners[row as usize - set.owned] = n.rank;
                }
            }
            owners
        });
        Survey {
            comm,
            sets,
            maps,
            scratch,
            numbers: numbers.collect(),
            deeper: deeper.collect(),
            owners: owners.collect(),
            inverses: maps.iter().map(|_| None).collect(),
            rows: sets.iter().map(|set| (0..set.owned as u32).collect()).collect(),
            needed: sets.iter().map(|set| vec![true; set.owned]).collect(),
            indices,
            deep,
        }
    }

    /// Follows a chain from its last loop to its first, through `maps`. Collective.
    pub(super) fn follow(&mut self, projections: &[Projection], maps: &[usize]) {
        let changed = projections.iter().flat_map(|p| &p.changes);
        let rows: Vec<usize> =
            self.deep.iter().zip(self.sets).map(|(d, s)| s.total() + self.scratch + d.ids.len()).collect();
        for &map in changed {
            if self.inverses[map].is_none() {
                let space =
                    Space { sets: self.sets, maps: self.maps, indices: &*self.indices, rows: rows.clone() };
                self.inverses[map] = Some(Inverse::new(&space, map));
            }
        }
        for projection in projections.iter().rev() {
            for &map in &projection.changes {
                let sources = self.sources_of(map, self.maps[map].to);
                self.need(projection.set, &sources);
            }
            for &map in maps.iter().filter(|&&m| self.maps[m].from == projection.set) {
                self.learn_targets(map);
            }
            for &map in &projection.reads {
                let arity = self.maps[map].arity;
                let targets: Vec<u32> = self.rows[projection.set]
                    .iter()
                    .flat_map(|&row| &self.indices[map][row as usize * arity..(row as usize + 1) * arity])
                    .copied()
                    .collect();
                self.need(self.maps[map].to, &targets);
            }
        }
    }

    fn need(&mut self, set: usize, rows: &[u32]) {
        for &row in rows {
            let at = row as usize;
            if self.needed[set].len() <= at {
                self.needed[set].resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.needed[set][at], true) {
                self.rows[set].push(row);
            }
        }
    }

    fn place(&self, set: usize, row: u32) -> (u64, usize) {
        let (at, local) = (row as usize, &self.sets[set]);
        if at < local.owned {
            return (local.global_ids[at], self.comm.rank());
        }
        if at < local.total() {
            return (local.global_ids[at], self.owners[set][at - local.owned]);
        }
        let deep = at - local.total() - self.scratch;
        (self.deep[set].ids[deep], self.deep[set].owners[deep])
    }

    /// The local row of a global id that `owner` owns; a new one if it is not held here.
    fn row(&mut self, set: usize, id: u64, owner: usize) -> u32 {
        if let Some(row) = self.known(set, id) {
            return row;
        }
        let row = self.sets[set].total() + self.scratch + self.deep[set].ids.len();
        let row = u32::try_from(row).ok().filter(|row| row >> 31 == 0).expect("local rows fit into 31 bits");
        self.deep[set].ids.push(id);
        self.deep[set].owners.push(owner);
        self.deeper[set].insert(id, row);
        row
    }

    fn known(&self, set: usize, id: u64) -> Option<u32> {
        let numbers = &self.numbers[set];
        let held = numbers.binary_search_by_key(&id, |n| n.0).ok().map(|at| numbers[at].1);
        held.or_else(|| self.deeper[set].get(&id).copied())
    }

    /// The rows that touch a needed row of `set` through a map. Collective.
    fn sources_of(&mut self, map: usize, set: usize) -> Vec<u32> {
        let from = self.maps[map].from;
        let inverse = self.inverses[map].take().expect("made for every map that changes go through");
        let (owned, foreign): (Vec<u32>, Vec<u32>) =
            self.rows[set].iter().partition(|&&row| (row as usize) < self.sets[set].owned);
        let mut sources: Vec<u32> = owned.iter().flat_map(|&t| inverse.of(t as usize)).copied().collect();
        let answers = self.ask(set, &foreign, |survey, row, answer| {
            let of = inverse.of(row as usize);
            answer.push(of.len() as u64);
            of.iter().for_each(|&source| survey.push_place(from, source, answer));
        });
        for answer in &answers {
            let mut answer = &answer[..];
            while let [count, rest @ ..] = answer {
                let (places, rest) = rest.split_at(2 * *count as usize);
                for place in places.chunks_exact(2) {
                    sources.push(self.row(from, place[0], place[1] as usize));
                }
                answer = rest;
            }
        }
        self.inverses[map] = Some(inverse);
        sources
    }

    fn push_place(&self, set: usize, row: u32, words: &mut Vec<u64>) {
        let (id, owner) = self.place(set, row);
        words.extend([id, owner as u64]);
    }

    /// Learns the targets of all needed rows of a map's set. Collective.
    fn learn_targets(&mut self, map: usize) {
        let MapInfo { from, to, arity, .. } = self.maps[map];
        let nobody = self.sets[to].total() as u32;
        let unknown = |&row: &u32| {
            let at = row as usize * arity;
            self.indices[map].get(at..at + arity).is_none_or(|known| known.iter().all(|&t| t == nobody))
        };
        let rows: Vec<u32> = self.rows[from].iter().copied().filter(unknown).collect();
        let answers = self.ask(from, &rows, |survey, row, answer| {
            let at = row as usize * arity;
            survey.indices[map][at..at + arity].iter().for_each(|&t| survey.push_place(to, t, answer));
        });
        for (rank, answer) in answers.iter().enumerate() {
            let asked: Vec<u32> =
                rows.iter().copied().filter(|&row| self.place(from, row).1 == rank).collect();
            for (row, places) in asked.iter().zip(answer.chunks_exact(2 * arity)) {
                let targets: Vec<u32> =
                    places.chunks_exact(2).map(|p| self.row(to, p[0], p[1] as usize)).collect();
                let at = *row as usize * arity;
                let len = self.indices[map].len().max(at + arity);
                self.indices[map].resize(len, nobody);
                self.indices[map][at..at + arity].copy_from_slice(&targets);
            }
        }
    }

    /// Asks the owners of these rows; the answers, by rank, are those to its rows in their order here. Collective.
    fn ask(&self, set: usize, rows: &[u32], answer: impl Fn(&Self, u32, &mut Vec<u64>)) -> Vec<Vec<u64>> {
        let mut questions: Vec<Vec<u64>> = vec![Vec::new(); self.comm.size()];
        for &row in rows {
            let (id, owner) = self.place(set, row);
            questions[owner].push(id);
        }
        let asked = self.comm.all_to_all(questions);
        let answers = asked.iter().map(|ids| {
            let mut words = Vec::new();
            for &id in ids {
                let row = self.known(set, id).expect("only owners are asked");
                answer(self, row, &mut words);
            }
            words
        });
        self.comm.all_to_all(answers.collect())
    }

    /// Arranges that the rows found since there were `before` of each set are exchanged; whether any rank has some, by
    /// set. Collective.
    pub(super) fn connect(&mut self, before: &[usize]) -> Vec<bool> {
        (0..self.sets.len()).map(|set| self.connect_set(set, before[set])).collect()
    }

    fn connect_set(&mut self, set: usize, before: usize) -> bool {
        let first = self.sets[set].total() + self.scratch;
        let new: Vec<u32> = (before..self.deep[set].ids.len()).map(|i| (first + i) as u32).collect();
        if self.comm.sum(new.len() as u64) == 0 {
            return false;
        }
        let keys = &self.sets[set].order_keys;
        let answers = self.ask(set, &new, |_, row, words| {
            words.push(keys.get(row as usize).copied().unwrap_or(0));
        });
        let mut next = vec![0; self.comm.size()];
        let mut lists: Vec<[Vec<u64>; 2]> = vec![Default::default(); self.comm.size()];
        for &row in &new {
            let (id, owner) = self.place(set, row);
            self.deep[set].keys.push(answers[owner][next[owner]]);
            next[owner] += 1;
            lists[owner][0].push(u64::from(row));
            lists[owner][1].push(id);
        }
        let wanted = self.comm.all_to_all(lists.iter().map(|l| l[1].clone()).collect());
        for (rank, (wanted, [received, _])) in wanted.into_iter().zip(lists).enumerate() {
            if wanted.is_empty() && received.is_empty() {
                continue;
            }
            let send = wanted.iter().map(|&id| self.known(set, id).expect("only owners are asked"));
            let send: Vec<u32> = send.collect();
            let neighbours = &mut self.deep[set].neighbours;
            let at = neighbours.partition_point(|n| n.rank < rank);
            if neighbours.get(at).is_none_or(|n| n.rank != rank) {
                neighbours.insert(at, NeighbourRows { rank, ..NeighbourRows::default() });
            }
            neighbours[at].send.extend(send);
            neighbours[at].receive.extend(received.iter().map(|&row| row as u32));
        }
        true
    }
}
