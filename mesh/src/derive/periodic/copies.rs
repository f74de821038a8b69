//! Nodes that are one.

use std::cmp::Ordering;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};

use super::Pair;
use super::nodes::{matched, position};
use crate::blocks::blocks_of;
use crate::derive::dual_levels::level::padded;
use crate::{ElementMesh, MeshError};

/// The set of copies.
pub const COPIES: &str = "copies";
/// The map from a copy to the node that it is one of, the lowest of all that are one, and to itself.
pub const COPY_NODES: &str = "copy_nodes";

/// The dat of a copy: how vectors of its node are turned into its own, a matrix of 3 x 3, row by row.
pub const COPY_TURN: &str = "copy_turn";

/// A matrix of 3 x 3, row by row.
pub(crate) type Turn = [f64; 9];
/// The turn of what is not turned.
pub(crate) const NO_TURN: Turn = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Nodes of this rank's block that are one with others.
pub(crate) struct United {
    /// The lowest of all nodes that are one with each, itself if there are no others.
    pub(crate) lowest: Vec<u64>,
    /// From vectors at the lowest node to those at each; empty if no pair is turned.
    pub(crate) turns: Vec<Turn>,
}

/// Nodes of two boundaries at the same place.
pub(crate) struct Matches {
    blocks: Blocks,
    /// A node of the first boundary and one of the second.
    nodes: Vec<[u64; 2]>,
    /// From vectors at the first to those at the second.
    turns: Vec<Turn>,
    /// Whether a pair is turned.
    is_turned: bool,
}

impl Matches {
    /// Of all pairs of a mesh; `None` without pairs. Collective.
    ///
    /// # Errors
    /// Boundaries that do not match, or that meet on the axis about which they are turned.
    pub(crate) fn new(comm: &Comm, from: &ElementMesh, pairs: &[Pair]) -> Result<Option<Matches>, MeshError> {
        if pairs.is_empty() {
            return Ok(None);
        }
        let is_turned = |pair: &Pair| !pair.given.motion.is_translation();
        let mut matches = Matches {
            blocks: from.node_blocks(comm),
            nodes: Vec::new(),
            turns: Vec::new(),
            is_turned: pairs.iter().any(is_turned),
        };
        for pair in pairs {
            let nodes = matched(comm, from, pair)?;
            if is_turned(pair) {
                off_axis(comm, from, pair, &nodes)?;
            }
            matches.turns.extend(nodes.iter().map(|_| pair.given.motion.turn()));
            matches.nodes.extend(nodes);
        }
        Ok(Some(matches))
    }

    /// The nodes that are one: those in several pairs, as at corners of a box, with all their partners. Collective.
    pub(crate) fn united(&self, comm: &Comm) -> United {
        lowest(comm, self.blocks, &self.nodes, if self.is_turned { &self.turns } else { &[] })
    }

    /// The nodes that are one for coarse levels, which put nodes together that have the same vectors, and the sides of those
    /// that a turn joins. Collective.
    pub(crate) fn joined(&self, comm: &Comm) -> Joined {
        let is_moved = |(_, turn): &(&[u64; 2], &Turn)| **turn == NO_TURN;
        let (moved, turned): (Vec<_>, Vec<_>) = self.nodes.iter().zip(&self.turns).partition(is_moved);
        let moved: Vec<[u64; 2]> = moved.into_iter().map(|(nodes, _)| *nodes).collect();
        let lowest = lowest(comm, self.blocks, &moved, &[]).lowest;
        if !self.is_turned {
            return Joined { lowest, sides: Vec::new() };
        }
        let own = self.blocks.range(comm.rank());
        let mut send: Vec<Vec<[u64; 3]>> = vec![Vec::new(); comm.size()];
        for ([first, second], _) in turned {
            send[self.blocks.owner(*first)].push([*first, *first, u64::from(FIRST)]);
            send[self.blocks.owner(*second)].push([*second, *first, u64::from(SECOND)]);
        }
        let mut firsts: Vec<u64> = own.clone().collect();
        let mut sides = vec![INNER; firsts.len()];
        for [node, first, side] in comm.all_to_all(send).concat() {
            let row = (node - own.start) as usize;
            (firsts[row], sides[row]) = (first, side as u8);
        }
        let firsts = fetch_rows(comm, self.blocks, 1, &firsts, &lowest);
        Joined { lowest: fetch_rows(comm, self.blocks, 1, &lowest, &firsts), sides }
    }
}

/// A node that no turn joins with another one.
pub(crate) const INNER: u8 = 0;
/// A node of a boundary that is turned into another one.
pub(crate) const FIRST: u8 = 1;
/// A node of that other one.
pub(crate) const SECOND: u8 = 2;

/// Nodes of this rank's block that are one for coarse levels.
pub(crate) struct Joined {
    /// The lowest node that each is one with; of the first boundary, if a turn joins them.
    pub(crate) lowest: Vec<u64>,
    /// [`INNER`], [`FIRST`] or [`SECOND`]; empty if no pair is turned.
    pub(crate) sides: Vec<u8>,
}

/// Whether no node is its own partner: on the axis of a turn its vectors would have to be their own images.
fn off_axis(comm: &Comm, mesh: &ElementMesh, pair: &Pair, matched: &[[u64; 2]]) -> Result<(), MeshError> {
    let own = mesh.node_blocks(comm).range(comm.rank());
    let dim = mesh.dimension();
    let alone: Vec<[u64; 4]> =
        matched.iter().find(|[first, second]| first == second).map_or(Vec::new(), |[node, _]| {
            let at = dim * (node - own.start) as usize;
            let [x, y, z] = padded(&mesh.x()[at..at + dim]).map(f64::to_bits);
            vec![[*node, x, y, z]]
        });
    match comm.all_gather(&alone).concat().first() {
        None => Ok(()),
        Some([node, x @ ..]) => Err(MeshError::Unsuitable(format!(
            "node {node}, at {}, is on both of the periodic boundaries \"{}\" and \"{}\", and so on the axis, where all \
             directions across it would be one; expected a mesh that leaves out the axis",
            position(&x.map(f64::from_bits)[..dim]),
            pair.given.names[0],
            pair.given.names[1],
        ))),
    }
}

/// Adds the set [`COPIES`], by node, to a mesh with the set `nodes`; `prefix` stands before all names. Collective.
pub(crate) fn add(comm: &Comm, united: &United, mesh: &mut Mesh, prefix: &str) {
    let nodes = mesh.set(&format!("{prefix}nodes")).expect("nodes come first");
    let first = mesh.blocks(nodes, comm).range(comm.rank()).start;
    let United { lowest, turns } = united;
    let is_copy = |row: &usize| first + *row as u64 != lowest[*row];
    let rows: Vec<usize> = (0..lowest.len()).filter(is_copy).collect();
    let own: Vec<u64> = rows.iter().flat_map(|&row| [lowest[row], first + row as u64]).collect();
    let (count, copies) = blocks_of(comm, 2, &own);
    let set = mesh.add_set(&format!("{prefix}{COPIES}"), count);
    mesh.add_map(&format!("{prefix}{COPY_NODES}"), set, nodes, 2, copies);
    if comm.sum(turns.len() as u64) > 0 {
        let own: Vec<f64> = rows.iter().flat_map(|&row| turns[row]).collect();
        let (_, turns) = blocks_of(comm, 9, &own);
        mesh.add_dat(&format!("{prefix}{COPY_TURN}"), set, 9, Values::F64(turns));
    }
}

/// Which nodes of a mesh's set `PREFIXnodes` are one, of this rank's block; `None` if there are no copies. Collective.
pub(crate) fn united_of(comm: &Comm, mesh: &Mesh, prefix: &str) -> Option<United> {
    let map = &mesh.maps[mesh.map(&format!("{prefix}{COPY_NODES}"))?];
    let turns = mesh.dat(&format!("{prefix}{COPY_TURN}")).map(|dat| match &mesh.dats[dat].values {
        Values::F64(turns) => turns.as_chunks::<9>().0,
        Values::I32(_) => panic!("turns are in double precision"),
    });
    let blocks = mesh.blocks(map.to, comm);
    let own = blocks.range(comm.rank());
    let mut send: Vec<Vec<[u64; 11]>> = vec![Vec::new(); comm.size()];
    for (row, [node, copy]) in map.rows.as_chunks::<2>().0.iter().enumerate() {
        let turn = turns.map_or(NO_TURN, |turns| turns[row]);
        send[blocks.owner(*copy)].push(record(*copy, *node, &turn));
    }
    let mut united = United {
        lowest: own.clone().collect(),
        turns: turns.map_or(Vec::new(), |_| vec![NO_TURN; (own.end - own.start) as usize]),
    };
    for [copy, node, turn @ ..] in comm.all_to_all(send).concat() {
        let row = (copy - own.start) as usize;
        united.lowest[row] = node;
        if let Some(of_row) = united.turns.get_mut(row) {
            *of_row = turn.map(f64::from_bits);
        }
    }
    Some(united)
}

/// For each node of this rank's block, the lowest of all nodes that pairs connect with it, and the turn from there; `turns`
/// are those from the first to the second of each pair, if there are any. Collective.
///
/// All nodes learn at once what their partners knew before. Of turns from one node by several ways, which may differ by
/// rounding, the one of lowest bits counts: so ranks do not matter.
fn lowest(comm: &Comm, blocks: Blocks, pairs: &[[u64; 2]], turns: &[Turn]) -> United {
    let own = blocks.range(comm.rank());
    let is_turned = comm.sum(turns.len() as u64) > 0;
    let nodes = (own.end - own.start) as usize;
    let mut united = United {
        lowest: own.clone().collect(),
        turns: if is_turned { vec![NO_TURN; nodes] } else { Vec::new() },
    };
    loop {
        let ends = pairs.as_flattened();
        let known = fetch_rows(comm, blocks, 1, &united.lowest, ends);
        let known_turns = match is_turned {
            true => fetch_rows(comm, blocks, 9, united.turns.as_flattened(), ends),
            false => Vec::new(),
        };
        let mut send: Vec<Vec<[u64; 11]>> = vec![Vec::new(); comm.size()];
        for (row, ([first, second], known)) in pairs.iter().zip(known.as_chunks::<2>().0).enumerate() {
            let of = |end: usize| known_turns.as_chunks::<9>().0.get(2 * row + end).unwrap_or(&NO_TURN);
            let turn = turns.get(row).unwrap_or(&NO_TURN);
            let news = match known[0].cmp(&known[1]) {
                Ordering::Less => record(*second, known[0], &after(turn, of(0))),
                Ordering::Greater => record(*first, known[1], &after(&back(turn), of(1))),
                Ordering::Equal => continue,
            };
            send[blocks.owner(news[0])].push(news);
        }
        let mut news = comm.all_to_all(send).concat();
        news.sort_unstable();
        news.dedup_by_key(|record| record[0]);
        let mut changes = 0;
        for [node, least, turn @ ..] in news {
            let row = (node - own.start) as usize;
            if least < united.lowest[row] {
                changes += 1;
                united.lowest[row] = least;
                if is_turned {
                    united.turns[row] = turn.map(f64::from_bits);
                }
            }
        }
        if comm.sum(changes) == 0 {
            return united;
        }
    }
}

/// A node, one that it is one with, and the turn from there.
fn record(node: u64, other: u64, turn: &Turn) -> [u64; 11] {
    std::array::from_fn(|k| match k {
        0 => node,
        1 => other,
        _ => turn[k - 2].to_bits(),
    })
}

/// A turn after another one.
fn after(second: &Turn, first: &Turn) -> Turn {
    let entry = |i: usize, j: usize| (0..3).map(|k| second[3 * i + k] * first[3 * k + j]).sum();
    std::array::from_fn(|at| entry(at / 3, at % 3))
}

/// The turn back.
pub(crate) fn back(turn: &Turn) -> Turn {
    std::array::from_fn(|at| turn[3 * (at % 3) + at / 3])
}

/// What a vector becomes.
pub(crate) fn turned(turn: &Turn, v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| (0..3).map(|k| turn[3 * i + k] * v[k]).sum())
}
