//! How good a partition is: halo sizes, neighbours, balance, cut.

use bytemuck::{Pod, Zeroable};
use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::{Mesh, fetch_rows};
use serde::Serialize;

use crate::check::{check_mesh, check_owners};
use crate::halo::halos;
use crate::primary::find;
use crate::{PartitionError, Primary};

/// Elements of one set in every part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SetCounts {
    /// Name of the set.
    pub name: String,
    /// Owned elements of each part.
    pub owned: Vec<u64>,
    /// Exec-halo elements of each part.
    pub exec: Vec<u64>,
    /// Non-exec-halo elements of each part.
    pub nonexec: Vec<u64>,
}

/// Two parts that exchange halo copies of a set.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
struct Link {
    part: u32,
    other: u32,
    set: u64,
}

/// Figures of a partition, the same on every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Number of parts.
    pub parts: usize,
    /// Index in `sets` of the set whose elements are balanced: the primary set, or that of its members.
    pub balanced: usize,
    /// The sets, in the order of the mesh.
    pub sets: Vec<SetCounts>,
    /// Elements of the graph maps' source sets whose targets lie in more than one part: if each edge joins two cells,
    /// the cut edges.
    pub edge_cut: u64,
    links: Vec<Link>,
}

/// Which elements a [`Summary`] counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    /// Names of the sets; all sets when empty.
    pub sets: Vec<String>,
    /// Whether only exec halos count, not non-exec halos.
    pub exec_only: bool,
}

/// Averages over the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Mean number of parts with which a part exchanges copies.
    pub neighbours_mean: f64,
    /// Largest number of them.
    pub neighbours_max: u64,
    /// Mean number of elements a part holds, owned and halo.
    pub elements_mean: f64,
    /// Largest number of them.
    pub elements_max: u64,
    /// Mean number of halo elements of a part.
    pub halo_mean: f64,
    /// Mean over the parts of halo elements / elements; 0 for a part without elements.
    pub halo_share: f64,
}

/// Measures a partition into any number of parts, whatever the number of ranks. Collective.
///
/// The lists are those of [`distribute`](crate::distribute), counted but not built.
///
/// # Errors
/// A mesh that does not fit together, owners that are not parts, or more than 64 maps; the same on every rank.
pub fn quality(
    comm: &Comm,
    mesh: &Mesh,
    primary: &Primary,
    owners: &[Vec<u32>],
    parts: usize,
) -> Result<Quality, PartitionError> {
    let found = find(primary, mesh)?;
    check_mesh(comm, mesh)?;
    check_owners(comm, mesh, owners, parts)?;
    let halos = halos(comm, mesh, owners, parts)?;
    let mut links = Vec::new();
    let sets = mesh
        .sets
        .iter()
        .enumerate()
        .map(|(set, description)| {
            let rows = || halos[set].exec.iter().chain(&halos[set].nonexec);
            links.extend(rows().flat_map(|row| {
                let (part, other, set) = (row.part, row.owner, set as u64);
                [Link { part, other, set }, Link { part: other, other: part, set }]
            }));
            links.sort_unstable();
            links.dedup();
            SetCounts {
                name: description.name.clone(),
                owned: count(comm, parts, owners[set].iter().copied()),
                exec: count(comm, parts, halos[set].exec.iter().map(|row| row.part)),
                nonexec: count(comm, parts, halos[set].nonexec.iter().map(|row| row.part)),
            }
        })
        .collect();
    let links = everyones_links(comm, links);
    let edge_cut = found.graph.iter().map(|&map| edge_cut(comm, mesh, map, &owners[found.set])).sum();
    let balanced = found.members.map_or(found.set, |members| mesh.maps[members].from);
    Ok(Quality { parts, balanced, sets, edge_cut, links })
}

impl Quality {
    /// Averages over the parts, for the elements that `counting` names.
    ///
    /// Sums run over parts in order, alike on every rank. Names that are not sets count as empty.
    pub fn summary(&self, counting: &Counting) -> Summary {
        let counted: Vec<bool> = (self.sets.iter())
            .map(|set| counting.sets.is_empty() || counting.sets.contains(&set.name))
            .collect();
        let mut owned = vec![0; self.parts];
        let mut halo = vec![0; self.parts];
        for (set, _) in self.sets.iter().zip(&counted).filter(|(_, counted)| **counted) {
            for part in 0..self.parts {
                owned[part] += set.owned[part];
                halo[part] += set.exec[part] + if counting.exec_only { 0 } else { set.nonexec[part] };
            }
        }
        let mut neighbours = vec![0; self.parts];
        let mut pairs: Vec<(u32, u32)> =
            self.links.iter().filter(|l| counted[l.set as usize]).map(|l| (l.part, l.other)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for (part, _) in pairs {
            neighbours[part as usize] += 1;
        }
        let elements: Vec<u64> = owned.iter().zip(&halo).map(|(o, h)| o + h).collect();
        let shares =
            halo.iter().zip(&elements).map(|(&h, &e)| if e == 0 { 0.0 } else { h as f64 / e as f64 });
        Summary {
            neighbours_mean: mean(&neighbours),
            neighbours_max: largest(&neighbours),
            elements_mean: mean(&elements),
            elements_max: largest(&elements),
            halo_mean: mean(&halo),
            halo_share: shares.sum::<f64>() / self.parts as f64,
        }
    }

    /// The largest part of the balanced set relative to the mean; 1 is perfect, also for an empty set.
    pub fn imbalance(&self) -> f64 {
        let owned = &self.sets[self.balanced].owned;
        let mean = mean(owned);
        if mean == 0.0 { 1.0 } else { largest(owned) as f64 / mean }
    }

    /// Number of parts without an element of the balanced set.
    pub fn empty_parts(&self) -> usize {
        self.sets[self.balanced].owned.iter().filter(|&&owned| owned == 0).count()
    }
}

fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

fn largest(values: &[u64]) -> u64 {
    values.iter().copied().max().unwrap_or(0)
}

/// How often each part appears, over all ranks.
fn count(comm: &Comm, parts: usize, items: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut counts = vec![0; parts];
    for part in items {
        counts[part as usize] += 1;
    }
    comm.all_reduce(&mut counts, ReduceOp::Sum);
    counts
}

/// All ranks' links, each once: a few for every part.
fn everyones_links(comm: &Comm, links: Vec<Link>) -> Vec<Link> {
    let mut all = comm.all_gather(&links).concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Source elements of the graph map whose targets have different owners.
fn edge_cut(comm: &Comm, mesh: &Mesh, graph: usize, owners: &[u32]) -> u64 {
    let map = &mesh.maps[graph];
    let targets = fetch_rows(comm, mesh.blocks(map.to, comm), 1, owners, &map.rows);
    let cut = targets.chunks_exact(map.arity.max(1)).filter(|row| row.iter().any(|&o| o != row[0])).count();
    comm.sum(cut as u64)
}
