//! Where the other sets go once the primary set is divided.
//!
//! First come the coarser levels, one after the other: each element goes to the owner of most of its children, or the
//! lowest of several such owners; elements without children go by blocks of rows. Then:
//!
//! 1. If there is one: a set with a map into a set that has owners follows it. Each element goes to the owner of its
//!    first target, through the first such map in the mesh's order (with cells: edges by `edge_cells`, bedges by
//!    `bedge_cell`). Repeat.
//! 2. Otherwise, a set that is the target of a map from a set that has owners: each element goes to the owner of the
//!    source element with the lowest global id that refers to it, through the first such map that refers to it at all
//!    (nodes by `cell_nodes`). Elements that none refers to go by blocks of rows. Then step 1 again.
//! 3. Otherwise, the first set without owners goes by blocks of rows. Then step 1 again.

use bytemuck::{Pod, Zeroable};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, fetch_rows};

use crate::check::{check_mesh, check_owners_of_set};
use crate::distinct::distinct;
use crate::numbering::Numbering;
use crate::partitioner::{Partitioning, block_owners, undivided};
use crate::primary::{Found, find};
use crate::{PartitionError, Primary};

/// The owner of every row of this rank's block of every set: `owners[set][i]`. Collective.
///
/// # Errors
/// A mesh that does not fit together, or parts that do not fit its primary set; the same on every rank.
pub fn follow(
    comm: &Comm,
    mesh: &Mesh,
    primary: &Primary,
    partitioning: Partitioning,
) -> Result<Vec<Vec<u32>>, PartitionError> {
    let found = find(primary, mesh)?;
    check_mesh(comm, mesh)?;
    comm.agree(check_owners_of_set(comm, mesh, found.set, &partitioning.owners, partitioning.parts))?;
    Ok(follow_checked(comm, mesh, &found, partitioning))
}

/// As [`follow`], for checked arguments. Collective.
pub(crate) fn follow_checked(
    comm: &Comm,
    mesh: &Mesh,
    found: &Found,
    partitioning: Partitioning,
) -> Vec<Vec<u32>> {
    let Partitioning { parts, owners, .. } = partitioning;
    if parts == 1 {
        return (0..mesh.sets.len()).map(|set| undivided(comm, mesh, set)).collect();
    }
    all_sets(comm, mesh, found.set, &found.coarser, owners, parts)
}

/// For each row of this rank's block of every set, the element of the primary set that it follows: the row goes where
/// that element goes, or, on a coarser level, it does so if no part has more of its children. The mesh has been
/// checked. Collective.
///
/// # Errors
/// The primary set has more elements than part numbers can count.
pub(crate) fn follow_elements(
    comm: &Comm,
    mesh: &Mesh,
    found: &Found,
) -> Result<Vec<Vec<u32>>, PartitionError> {
    let rows = mesh.sets[found.set].rows;
    let Ok(parts) = u32::try_from(rows) else { return Err(PartitionError::Parts { parts: rows }) };
    let own = mesh.blocks(found.set, comm).range(comm.rank());
    let each_its_own_part = own.map(|row| row as u32).collect();
    Ok(all_sets(comm, mesh, found.set, &found.coarser, each_its_own_part, parts as usize))
}

/// The owners of all sets, given those of the primary one. Collective.
fn all_sets(
    comm: &Comm,
    mesh: &Mesh,
    primary: usize,
    coarser: &[usize],
    owners: Vec<u32>,
    parts: usize,
) -> Vec<Vec<u32>> {
    let mut known: Vec<Option<Vec<u32>>> = vec![None; mesh.sets.len()];
    known[primary] = Some(owners);
    for &map in coarser {
        known[mesh.maps[map].to] = Some(by_most_children(comm, mesh, map, parts, &known));
    }
    // The known sets are the same on all ranks, so all take the same branch.
    while let Some(unknown) = known.iter().position(Option::is_none) {
        let source =
            mesh.maps.iter().position(|m| known[m.from].is_none() && known[m.to].is_some() && m.arity > 0);
        let target =
            mesh.maps.iter().find(|m| known[m.from].is_some() && known[m.to].is_none()).map(|m| m.to);
        if let Some(map) = source {
            known[mesh.maps[map].from] = Some(by_first_target(comm, mesh, map, &known));
        } else if let Some(set) = target {
            known[set] = Some(by_lowest_source(comm, mesh, set, parts, &known));
        } else {
            known[unknown] = Some(block_owners(comm, mesh, unknown, parts));
        }
    }
    known.into_iter().map(|owners| owners.expect("the loop ends when all are known")).collect()
}

/// How many children of a coarse element one part owns.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
struct Children {
    parent: u64,
    owner: u64,
    count: u64,
}

/// Sends each coarse element to the part with most of its children.
fn by_most_children(
    comm: &Comm,
    mesh: &Mesh,
    map: usize,
    parts: usize,
    known: &[Option<Vec<u32>>],
) -> Vec<u32> {
    let map = &mesh.maps[map];
    let blocks = mesh.blocks(map.to, comm);
    let owners = known[map.from].as_ref().expect("the finer level has owners");
    let child = |(&parent, &owner): (&u64, &u32)| Children { parent, owner: u64::from(owner), count: 1 };
    let mut send: Vec<Vec<Children>> = vec![Vec::new(); comm.size()];
    for children in counted(map.rows.iter().zip(owners).map(child).collect()) {
        send[blocks.owner(children.parent)].push(children);
    }
    let mut chosen = block_owners(comm, mesh, map.to, parts);
    let start = blocks.range(comm.rank()).start;
    let mut most = vec![0; chosen.len()];
    // In ascending order of owners, so a later one needs more children than an earlier one.
    for Children { parent, owner, count } in counted(comm.all_to_all(send).concat()) {
        let at = (parent - start) as usize;
        if count > most[at] {
            most[at] = count;
            chosen[at] = u32::try_from(owner).expect("it was 32 bits wide when it was sent");
        }
    }
    chosen
}

/// Sorts them, and merges the counts of equal parents and owners.
fn counted(mut children: Vec<Children>) -> Vec<Children> {
    children.sort_unstable();
    children.dedup_by(|next, kept| {
        let same = (next.parent, next.owner) == (kept.parent, kept.owner);
        if same {
            kept.count += next.count;
        }
        same
    });
    children
}

/// Sends each source element to the part of its first target.
fn by_first_target(comm: &Comm, mesh: &Mesh, map: usize, known: &[Option<Vec<u32>>]) -> Vec<u32> {
    let map = &mesh.maps[map];
    let first: Vec<u64> = map.rows.iter().step_by(map.arity).copied().collect();
    let owners = known[map.to].as_ref().expect("the target set has owners");
    fetch_rows(comm, mesh.blocks(map.to, comm), 1, owners, &first)
}

/// Sends each target element to the part of the first element that refers to it.
fn by_lowest_source(
    comm: &Comm,
    mesh: &Mesh,
    set: usize,
    parts: usize,
    known: &[Option<Vec<u32>>],
) -> Vec<u32> {
    let blocks = mesh.blocks(set, comm);
    let start = blocks.range(comm.rank()).start;
    let by_block = block_owners(comm, mesh, set, parts);
    let mut owners: Vec<Option<u32>> = vec![None; by_block.len()];
    for map in mesh.maps.iter().filter(|m| m.to == set && m.arity > 0) {
        let Some(source_owners) = &known[map.from] else { continue };
        if comm.sum(owners.iter().filter(|o| o.is_none()).count() as u64) == 0 {
            break;
        }
        // Rows ascend, so the first to refer to a target is the lowest.
        let targets = distinct(&map.rows);
        let numbering = Numbering::new(&targets);
        let mut first: Vec<Option<u32>> = vec![None; targets.len()];
        for (row, &owner) in map.rows.chunks_exact(map.arity).zip(source_owners) {
            row.iter().for_each(|&target| _ = first[numbering.local(target) as usize].get_or_insert(owner));
        }
        let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
        for (target, owner) in targets.into_iter().zip(first) {
            let owner = owner.expect("a row refers to each of the targets");
            send[blocks.owner(target)].push([target, u64::from(owner)]);
        }
        // Received in rank order, hence by ascending source: the first to arrive has the lowest source.
        let mut found: Vec<Option<u32>> = vec![None; owners.len()];
        for [target, owner] in comm.all_to_all(send).into_iter().flatten() {
            let owner = u32::try_from(owner).expect("it was 32 bits wide when it was sent");
            found[(target - start) as usize].get_or_insert(owner);
        }
        for (owner, found) in owners.iter_mut().zip(found) {
            *owner = owner.or(found);
        }
    }
    owners.into_iter().zip(by_block).map(|(owner, block)| owner.unwrap_or(block)).collect()
}
