//! Partial halos: the rows of a set's halo that loops reach, where these are fewer than the halo.
//!
//! A set's halo serves all maps of the mesh, and a loop reads through some of them: over edges, for instance, it never
//! reaches cells that touch the rank's own at a node only. What a loop reaches is listed when it is first met, and from
//! then on its exchanges carry these rows alone.
//!
//! All ranks decide alike: whether rows are listed and which list contains which is reduced over the ranks when a list is
//! made, and everything else follows from the sequence of loops.

use crate::comm::{Comm, ReduceOp};
use crate::store::layout::{LocalSet, NeighbourRows};

/// Rows are listed if they are at most this share of the halo, over all ranks: a list takes memory, and a whole halo is
/// stored faster.
const LARGEST_SHARE: f64 = 0.9;

/// Which rows of a halo are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// None on any rank.
    Nothing,
    /// Those of the partial halo with this number.
    Partial(usize),
    /// All.
    Whole,
}

impl Reached {
    /// The number of the partial halo, if it is one.
    pub fn partial(self) -> Option<usize> {
        match self {
            Reached::Partial(number) => Some(number),
            Reached::Nothing | Reached::Whole => None,
        }
    }
}

/// A part of a set's halo.
pub struct PartialHalo {
    /// The number of the set.
    set: usize,
    /// By row of the halo: whether it is in this part.
    rows: Vec<bool>,
    /// What is exchanged with other ranks, ascending by rank.
    pub neighbours: Vec<NeighbourRows>,
    /// The partial halos that are parts of this one on every rank, itself included.
    contained: Vec<usize>,
}

/// All partial halos of a rank, in the order in which they were made: the same on every rank.
#[derive(Default)]
pub struct PartialHalos {
    halos: Vec<PartialHalo>,
}

impl PartialHalos {
    /// The partial halo with this number.
    pub fn get(&self, number: usize) -> &PartialHalo {
        &self.halos[number]
    }

    /// Whether one partial halo has all rows of another on every rank.
    pub fn contains(&self, one: usize, other: usize) -> bool {
        self.halos[one].contained.contains(&other)
    }

    /// Lists these rows of a set's halo, unless they are few or many or are already listed. Collective.
    pub fn list(&mut self, rows: Vec<bool>, set: usize, sets: &[LocalSet], comm: &Comm) -> Reached {
        assert_eq!(rows.len(), sets[set].total() - sets[set].owned, "a mark for every row of the halo");
        let known: Vec<usize> = (0..self.halos.len()).filter(|&at| self.halos[at].set == set).collect();
        // Rows listed and in all; then, for every known list, how many of its rows the new one lacks, and vice versa.
        let mut counts = vec![missing(&rows, &[]), rows.len() as u64];
        for &at in &known {
            let other = &self.halos[at].rows;
            counts.extend([missing(other, &rows), missing(&rows, other)]);
        }
        comm.all_reduce(&mut counts, ReduceOp::Sum);
        let (listed, all) = (counts[0], counts[1]);
        if listed == 0 {
            return Reached::Nothing;
        }
        if listed as f64 > LARGEST_SHARE * all as f64 {
            return Reached::Whole;
        }
        let lacking: Vec<(usize, u64, u64)> =
            known.iter().zip(counts[2..].chunks_exact(2)).map(|(&at, c)| (at, c[0], c[1])).collect();
        if let Some(&(same, ..)) = lacking.iter().find(|&&(_, of_known, of_new)| of_known + of_new == 0) {
            return Reached::Partial(same);
        }
        let new = self.halos.len();
        let within = lacking.iter().filter(|&&(_, of_known, _)| of_known == 0).map(|&(at, ..)| at);
        let contained = within.chain([new]).collect();
        for &(around, ..) in lacking.iter().filter(|&&(_, _, of_new)| of_new == 0) {
            self.halos[around].contained.push(new);
        }
        let neighbours = neighbours(&rows, &sets[set], comm);
        self.halos.push(PartialHalo { set, rows, neighbours, contained });
        Reached::Partial(new)
    }

    /// The rows of two partial halos of a set together. Collective.
    pub fn union(&mut self, one: usize, other: usize, sets: &[LocalSet], comm: &Comm) -> Reached {
        let (a, b) = (&self.halos[one], &self.halos[other]);
        let rows = a.rows.iter().zip(&b.rows).map(|(a, b)| a | b).collect();
        self.list(rows, a.set, sets, comm)
    }

    /// Bytes of all lists.
    pub fn bytes(&self) -> usize {
        let rows = |n: &NeighbourRows| 4 * (n.send.len() + n.receive.len());
        self.halos.iter().map(|halo| halo.rows.len() + halo.neighbours.iter().map(rows).sum::<usize>()).sum()
    }
}

/// How many rows of one list another lacks; of an empty one, how many there are.
fn missing(rows: &[bool], other: &[bool]) -> u64 {
    let lacks = |at: usize| !other.get(at).copied().unwrap_or(false);
    rows.iter().enumerate().filter(|&(at, &listed)| listed && lacks(at)).count() as u64
}

/// What each pair of ranks exchanges: the receiver asks for rows by their places in what the other sends it for the whole
/// halo. Collective.
fn neighbours(rows: &[bool], set: &LocalSet, comm: &Comm) -> Vec<NeighbourRows> {
    let mut asked: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
    let mut neighbours: Vec<NeighbourRows> = Vec::new();
    for n in &set.neighbours {
        let halo = n.receive_exec.clone().chain(n.receive_nonexec.clone());
        let (places, receive): (Vec<u32>, Vec<u32>) =
            (0u32..).zip(halo).filter(|&(_, row)| rows[row as usize - set.owned]).unzip();
        asked[n.rank] = places;
        neighbours.push(NeighbourRows { rank: n.rank, send: Vec::new(), receive });
    }
    let asked = comm.all_to_all(asked);
    for (n, listed) in set.neighbours.iter().zip(&mut neighbours) {
        let (exec, nonexec) = (&n.send_exec, &n.send_nonexec);
        let sent = |&place: &u32| {
            let place = place as usize;
            exec.get(place).copied().unwrap_or_else(|| nonexec[place - exec.len()])
        };
        listed.send = asked[n.rank].iter().map(sent).collect();
    }
    neighbours.retain(|n| !n.send.is_empty() || !n.receive.is_empty());
    neighbours
}
