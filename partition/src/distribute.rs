//! Gives each rank its part of the mesh: lists, local numbering, local maps, fresh dats.
//!
//! 1. Each rank learns its halos ([`halo`](crate::halo)) and the ids of the elements it owns.
//! 2. It asks each owner for its imports; the requests that an owner receives are its exports, in the importer's order.
//!    Owned elements that no rank imports for execution are the core.
//! 3. Local rows: core, boundary, exec halo, non-exec halo; maps, dats and keys of the canonical order are fetched
//!    by global id.

use cfd_engine::comm::Comm;
use cfd_engine::layout::{Layout, LocalDat, LocalMap, LocalSet, Neighbour};
use cfd_engine::memory;
use cfd_engine::mesh::{Blocks, Mesh, MeshSet, Values, fetch_rows};

use crate::PartitionError;
use crate::check::{check_keys, check_mesh, check_owners};
use crate::error::MOST_LOCAL_ROWS;
use crate::halo::{HaloRow, SetHalos, halos};
use crate::numbering::Numbering;
use crate::whole::whole;

/// Distributes a mesh, one part per rank. `owners[set][i]` is the rank that will own row i of this rank's block.
/// Collective.
///
/// The owners need not come from [`follow`](crate::follow): any ownership of any set gives a correct layout. The
/// canonical order is the file's; [`distribute_in_order`] takes another.
///
/// # Errors
/// A mesh that does not fit together, owners that are not ranks, more than 64 maps, or more than 2^31 - 1 local rows of
/// a set; the same on every rank.
pub fn distribute(comm: &Comm, mesh: Mesh, owners: &[Vec<u32>]) -> Result<Layout, PartitionError> {
    let file_order = vec![Vec::new(); mesh.sets.len()];
    distribute_in_order(comm, mesh, owners, &file_order)
}

/// As [`distribute`], with a canonical order other than the file's: every set's rows by ascending key, then global
/// id.
///
/// `keys[set][i]` is the key of row i of this rank's block ([`canonical_keys`](crate::canonical_keys)); a set
/// without any keys keeps the file's order. The keys travel with their rows
/// ([`LocalSet::order_keys`]); they do not change how rows are numbered. Collective.
///
/// # Errors
/// As for [`distribute`]; also keys for only some rows of a set.
pub fn distribute_in_order(
    comm: &Comm,
    mesh: Mesh,
    owners: &[Vec<u32>],
    keys: &[Vec<u64>],
) -> Result<Layout, PartitionError> {
    check_mesh(comm, &mesh)?;
    check_owners(comm, &mesh, owners, comm.size())?;
    distribute_checked(comm, mesh, owners, keys)
}

/// As [`distribute_in_order`], for a checked mesh and checked owners. Collective.
pub(crate) fn distribute_checked(
    comm: &Comm,
    mesh: Mesh,
    owners: &[Vec<u32>],
    keys: &[Vec<u64>],
) -> Result<Layout, PartitionError> {
    let ordered = check_keys(comm, &mesh, keys)?;
    let halos = halos(comm, &mesh, owners, comm.size())?;
    if comm.size() == 1 {
        mesh.sets.iter().try_for_each(|set| check_count(comm, set, set.rows))?;
        return Ok(whole(mesh, keys));
    }
    let owned: Vec<Vec<u64>> =
        (0..mesh.sets.len()).map(|set| migrate_ids(comm, &mesh, set, &owners[set])).collect();
    let mut counts = mesh.sets.iter().zip(owned.iter().zip(&halos));
    comm.agree(counts.try_for_each(|(set, (owned, halo))| {
        check_count(comm, set, (owned.len() + halo.exec.len() + halo.nonexec.len()) as u64)
    }))?;

    let blocks: Vec<Blocks> = (0..mesh.sets.len()).map(|set| mesh.blocks(set, comm)).collect();
    let mut sets = Vec::with_capacity(mesh.sets.len());
    let mut numberings = Vec::with_capacity(mesh.sets.len());
    for (set, (owned, halos)) in owned.into_iter().zip(halos).enumerate() {
        let (local, numbering) = local_set(comm, owned, &halos);
        let order_keys = match ordered[set] {
            true => fetch_rows(comm, blocks[set], 1, &keys[set], &local.global_ids),
            false => Vec::new(),
        };
        let MeshSet { name, rows } = mesh.sets[set].clone();
        sets.push(LocalSet { name, global_rows: rows, order_keys, ..local });
        numberings.push(numbering);
    }
    let maps = mesh
        .maps
        .into_iter()
        .map(|map| {
            let from: &LocalSet = &sets[map.from];
            let wanted = &from.global_ids[..from.executed()];
            let targets = fetch_rows(comm, blocks[map.from], map.arity, &map.rows, wanted);
            let mut indices = memory::with_capacity(targets.len());
            indices.extend(targets.into_iter().map(|id| numberings[map.to].local(id)));
            LocalMap { name: map.name, from: map.from, to: map.to, arity: map.arity, indices }
        })
        .collect();
    let dats = mesh
        .dats
        .into_iter()
        .map(|dat| {
            let ids = &sets[dat.set].global_ids;
            let values = match &dat.values {
                Values::F64(block) => Values::F64(fetch_rows(comm, blocks[dat.set], dat.dim, block, ids)),
                Values::I32(block) => Values::I32(fetch_rows(comm, blocks[dat.set], dat.dim, block, ids)),
            };
            LocalDat { name: dat.name, set: dat.set, dim: dat.dim, values }
        })
        .collect();
    Ok(Layout { sets, maps, dats })
}

/// The ids of the elements of a set that this rank owns, ascending.
fn migrate_ids(comm: &Comm, mesh: &Mesh, set: usize, owners: &[u32]) -> Vec<u64> {
    let mut counts = vec![0; comm.size()];
    owners.iter().for_each(|&owner| counts[owner as usize] += 1);
    let mut send: Vec<Vec<u64>> = counts.into_iter().map(memory::with_capacity).collect();
    for (id, &owner) in mesh.blocks(set, comm).range(comm.rank()).zip(owners) {
        send[owner as usize].push(id);
    }
    // Blocks are received in rank order, so the ids are sorted already.
    comm.all_to_all(send).concat()
}

/// Refuses more rows of a set than a rank can number.
fn check_count(comm: &Comm, set: &MeshSet, rows: u64) -> Result<(), PartitionError> {
    if rows <= MOST_LOCAL_ROWS {
        return Ok(());
    }
    Err(PartitionError::TooManyLocalRows { rank: comm.rank(), set: set.name.clone(), rows })
}

/// Numbers one set and determines its exports. Leaves name, global size and keys to the caller. Collective.
fn local_set(comm: &Comm, owned: Vec<u64>, halos: &SetHalos) -> (LocalSet, Numbering) {
    let exports_exec = ask_owners(comm, &halos.exec);
    let exports_nonexec = ask_owners(comm, &halos.nonexec);

    let mut boundary = vec![false; owned.len()];
    for id in exports_exec.iter().flatten() {
        boundary[owned.binary_search(id).expect("only owners are asked")] = true;
    }
    let with =
        |wanted: bool| owned.iter().zip(&boundary).filter(move |(_, b)| **b == wanted).map(|(id, _)| *id);
    // Sorted by owner, then id: all rows here are this rank's part.
    let imported = halos.exec.iter().chain(&halos.nonexec).map(|row| row.id);
    let mut global_ids = memory::with_capacity(owned.len() + halos.exec.len() + halos.nonexec.len());
    global_ids.extend(with(false));
    let core = global_ids.len();
    global_ids.extend(with(true).chain(imported));
    let numbering = Numbering::new(&global_ids);

    let (mut exec_end, mut nonexec_end) = (owned.len() as u32, (owned.len() + halos.exec.len()) as u32);
    let mut neighbours = Vec::new();
    for rank in 0..comm.size() {
        let local = |ids: &[u64]| ids.iter().map(|&id| numbering.local(id)).collect();
        let (exec_start, nonexec_start) = (exec_end, nonexec_end);
        exec_end += owned_by(&halos.exec, rank);
        nonexec_end += owned_by(&halos.nonexec, rank);
        let neighbour = Neighbour {
            rank,
            send_exec: local(&exports_exec[rank]),
            send_nonexec: local(&exports_nonexec[rank]),
            receive_exec: exec_start..exec_end,
            receive_nonexec: nonexec_start..nonexec_end,
        };
        let sends = !neighbour.send_exec.is_empty() || !neighbour.send_nonexec.is_empty();
        if sends || !neighbour.receive_exec.is_empty() || !neighbour.receive_nonexec.is_empty() {
            neighbours.push(neighbour);
        }
    }
    let set = LocalSet {
        core,
        owned: owned.len(),
        exec: halos.exec.len(),
        nonexec: halos.nonexec.len(),
        global_ids,
        exec_maps: halos.exec.iter().map(|row| row.maps).collect(),
        neighbours,
        ..LocalSet::default()
    };
    (set, numbering)
}

/// Sends every imported id to its owner; returns the ids that each rank imports from here, in that rank's order.
fn ask_owners(comm: &Comm, imports: &[HaloRow]) -> Vec<Vec<u64>> {
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    for row in imports {
        send[row.owner as usize].push(row.id);
    }
    comm.all_to_all(send)
}

/// Number of a part's halo rows, sorted by owner, that belong to `rank`.
fn owned_by(rows: &[HaloRow], rank: usize) -> u32 {
    let below = |limit: usize| rows.partition_point(|row| (row.owner as usize) < limit);
    (below(rank + 1) - below(rank)) as u32
}
