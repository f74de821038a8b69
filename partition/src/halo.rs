//! The owner-compute halos of any number of parts, from the owners of all elements.
//!
//! With `O_b(F)` the elements of set F that part b owns, for every map m from F to T:
//!
//! - exec halo of b in F: the elements of F that b does not own and that touch, through some map, an element
//!   that b owns. b executes them too, so that its own elements receive every increment.
//! - non-exec halo of b in T: the elements of T that b neither owns nor has in its exec halo, and that an
//!   element b executes (owned or exec halo, of any set, through any map) refers to. b reads copies of them.
//!
//! The ranks that hold the maps' rows determine this:
//!
//! 1. The owners of all targets are fetched. A source row whose targets all have its own owner is done.
//! 2. Any other row f is in the exec halo of each foreign owner of its targets. The parts that execute f are its
//!    owner and those; each needs every target that it does not own.
//! 3. These (part, element) pairs go to the part's host; sorting removes repetitions, and whatever is in a part's exec
//!    halo is removed from its needs: the rest is its non-exec halo.
//!
//! The work is proportional to the rows of the maps plus the halos. Part p is hosted by rank `Blocks::new(parts,
//! ranks).owner(p)`: with as many parts as ranks, each rank hosts its own part.

use bytemuck::{Pod, Zeroable};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, fetch_rows};

use crate::PartitionError;

/// One halo element of one part. Ordered by part, then owner, then global id.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub(crate) struct HaloRow {
    /// The part that has a copy of the element.
    pub part: u32,
    /// The part that owns it.
    pub owner: u32,
    /// Its global id.
    pub id: u64,
    /// In an exec halo, the maps through which it touches an element of `part`; 0 in a non-exec halo.
    pub maps: u64,
}

/// The halos of one set for all parts hosted on this rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetHalos {
    /// Exec halos, sorted.
    pub exec: Vec<HaloRow>,
    /// Non-exec halos, sorted.
    pub nonexec: Vec<HaloRow>,
}

/// The most maps that a mesh can have: a halo row records them in the bits of one word.
const MAX_MAPS: usize = 64;

/// The halos of every set for the parts hosted on this rank. `owners` and the mesh have been checked. Collective.
///
/// # Errors
/// [`PartitionError::TooManyMaps`] for more than 64 maps; the same on every rank.
pub(crate) fn halos(
    comm: &Comm,
    mesh: &Mesh,
    owners: &[Vec<u32>],
    parts: usize,
) -> Result<Vec<SetHalos>, PartitionError> {
    if mesh.maps.len() > MAX_MAPS {
        return Err(PartitionError::TooManyMaps { maps: mesh.maps.len() });
    }
    // One part owns everything.
    if parts == 1 {
        return Ok(vec![SetHalos::default(); mesh.sets.len()]);
    }
    let hosts = Blocks::new(parts as u64, comm.size());
    let mut exec: Vec<Outbox> = vec![Outbox::new(comm, hosts); mesh.sets.len()];
    let mut needs = exec.clone();
    for set in 0..mesh.sets.len() {
        let targets = targets_of(comm, mesh, owners, set);
        let start = mesh.blocks(set, comm).range(comm.rank()).start;
        let mut foreign: Vec<(u32, u64)> = Vec::new();
        for (i, &own) in owners[set].iter().enumerate() {
            foreign.clear();
            for target in &targets {
                for &owner in target.owners_of(i) {
                    if owner != own {
                        note(&mut foreign, owner, 1 << target.map);
                    }
                }
            }
            for &(part, maps) in &foreign {
                exec[set].push(HaloRow { part, owner: own, id: start + i as u64, maps });
            }
            if foreign.is_empty() {
                continue;
            }
            for part in foreign.iter().map(|f| f.0).chain([own]) {
                for target in &targets {
                    for (&owner, &id) in target.owners_of(i).iter().zip(target.ids_of(mesh, i)) {
                        if owner != part {
                            needs[target.set].push(HaloRow { part, owner, id, maps: 0 });
                        }
                    }
                }
            }
        }
    }
    Ok(exec
        .into_iter()
        .zip(needs)
        .map(|(exec, needs)| {
            let exec = exec.deliver(comm);
            let nonexec = without(needs.deliver(comm), &exec);
            SetHalos { exec, nonexec }
        })
        .collect())
}

/// The targets of one map, for this rank's rows.
struct Targets {
    map: usize,
    set: usize,
    arity: usize,
    /// The owner of every target.
    owners: Vec<u32>,
}

impl Targets {
    fn owners_of(&self, row: usize) -> &[u32] {
        &self.owners[row * self.arity..][..self.arity]
    }

    fn ids_of<'a>(&self, mesh: &'a Mesh, row: usize) -> &'a [u64] {
        &mesh.maps[self.map].rows[row * self.arity..][..self.arity]
    }
}

/// All maps from a set, with the owners of their targets.
fn targets_of(comm: &Comm, mesh: &Mesh, owners: &[Vec<u32>], set: usize) -> Vec<Targets> {
    let maps = mesh.maps.iter().enumerate().filter(|(_, m)| m.from == set);
    maps.map(|(map, m)| {
        let owners = fetch_rows(comm, mesh.blocks(m.to, comm), 1, &owners[m.to], &m.rows);
        Targets { map, set: m.to, arity: m.arity, owners }
    })
    .collect()
}

/// Adds a map to a part's maps. A row touches few parts, so a linear search is fastest.
fn note(foreign: &mut Vec<(u32, u64)>, part: u32, map: u64) {
    match foreign.iter_mut().find(|f| f.0 == part) {
        Some(found) => found.1 |= map,
        None => foreign.push((part, map)),
    }
}

/// Halo rows on their way to the hosts of their parts.
#[derive(Clone)]
struct Outbox {
    hosts: Blocks,
    rows: Vec<Vec<HaloRow>>,
}

impl Outbox {
    fn new(comm: &Comm, hosts: Blocks) -> Outbox {
        Outbox { hosts, rows: vec![Vec::new(); comm.size()] }
    }

    fn push(&mut self, row: HaloRow) {
        self.rows[self.hosts.owner(u64::from(row.part))].push(row);
    }

    /// The rows of the parts hosted here, sorted and each once. Collective.
    fn deliver(mut self, comm: &Comm) -> Vec<HaloRow> {
        for rows in &mut self.rows {
            rows.sort_unstable();
            rows.dedup();
        }
        let mut received = comm.all_to_all(self.rows).concat();
        received.sort_unstable();
        received.dedup();
        received
    }
}

/// The needed rows that are not in an exec halo. Both sorted.
fn without(needed: Vec<HaloRow>, exec: &[HaloRow]) -> Vec<HaloRow> {
    let place = |row: &HaloRow| (row.part, row.owner, row.id);
    let mut exec = exec.iter().peekable();
    let mut absent = |row: &HaloRow| {
        while exec.next_if(|e| place(e) < place(row)).is_some() {}
        exec.peek().is_none_or(|e| place(e) != place(row))
    };
    needed.into_iter().filter(|row| absent(row)).collect()
}
