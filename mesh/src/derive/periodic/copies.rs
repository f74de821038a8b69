//! Nodes that are one.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, fetch_rows};

use super::Pair;
use super::nodes::matched;
use crate::blocks::blocks_of;
use crate::{ElementMesh, MeshError};

/// The set of copies.
pub const COPIES: &str = "copies";
/// The map from a copy to the node that it is one of, the lowest of all that are one, and to itself.
pub const COPY_NODES: &str = "copy_nodes";

/// For each node of this rank's block, the lowest of all nodes that are one with it; `None` if all are themselves. Nodes that
/// are in several pairs, as at corners of a box, are one with all their partners. Collective.
///
/// # Errors
/// Boundaries that do not match, or that are turned.
pub(crate) fn united(comm: &Comm, from: &ElementMesh, pairs: &[Pair]) -> Result<Option<Vec<u64>>, MeshError> {
    if pairs.is_empty() {
        return Ok(None);
    }
    if let Some(pair) = pairs.iter().find(|pair| !pair.given.motion.is_translation()) {
        return Err(MeshError::Unsuitable(format!(
            "the boundary \"{}\" is turned into \"{}\", and with it velocities and gradients would have to turn, which \
             schemes on dual cells do not do; expected a translation",
            pair.given.names[0], pair.given.names[1]
        )));
    }
    let mut all = Vec::new();
    for pair in pairs {
        all.extend(matched(comm, from, pair)?);
    }
    Ok(Some(lowest(comm, from, &all)))
}

/// Adds the set [`COPIES`], by node, to a mesh with the set `nodes`; `prefix` stands before all names. `lowest` is that of
/// [`united`]. Collective.
pub(crate) fn add(comm: &Comm, lowest: &[u64], mesh: &mut Mesh, prefix: &str) {
    let nodes = mesh.set(&format!("{prefix}nodes")).expect("nodes come first");
    let first = mesh.blocks(nodes, comm).range(comm.rank()).start;
    let rows = (first..).zip(lowest).filter(|(node, lowest)| node != *lowest);
    let own: Vec<u64> = rows.flat_map(|(node, lowest)| [*lowest, node]).collect();
    let (count, copies) = blocks_of(comm, 2, &own);
    let set = mesh.add_set(&format!("{prefix}{COPIES}"), count);
    mesh.add_map(&format!("{prefix}{COPY_NODES}"), set, nodes, 2, copies);
}

/// For each node of a mesh's set `PREFIXnodes`, of this rank's block, the lowest of those that are one with it, itself if there
/// are no copies. Collective.
pub(crate) fn lowest_of(comm: &Comm, mesh: &Mesh, prefix: &str) -> Option<Vec<u64>> {
    let map = &mesh.maps[mesh.map(&format!("{prefix}{COPY_NODES}"))?];
    let blocks = mesh.blocks(map.to, comm);
    let own = blocks.range(comm.rank());
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    map.rows.as_chunks::<2>().0.iter().for_each(|row| send[blocks.owner(row[1])].push(*row));
    let mut lowest: Vec<u64> = own.clone().collect();
    for [node, copy] in comm.all_to_all(send).concat() {
        lowest[(copy - own.start) as usize] = node;
    }
    Some(lowest)
}

/// For each node of this rank's block, the lowest of all nodes that pairs connect with it. Collective.
fn lowest(comm: &Comm, mesh: &ElementMesh, pairs: &[[u64; 2]]) -> Vec<u64> {
    let blocks = mesh.node_blocks(comm);
    let own = blocks.range(comm.rank());
    let mut lowest: Vec<u64> = own.clone().collect();
    loop {
        let known = fetch_rows(comm, blocks, 1, &lowest, pairs.as_flattened());
        let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
        for (pair, known) in pairs.iter().zip(known.as_chunks::<2>().0) {
            let least = known[0].min(known[1]);
            pair.iter().for_each(|&node| send[blocks.owner(node)].push([node, least]));
        }
        let mut changes = 0;
        for [node, least] in comm.all_to_all(send).concat() {
            let value = &mut lowest[(node - own.start) as usize];
            changes += u64::from(least < *value);
            *value = least.min(*value);
        }
        if comm.sum(changes) == 0 {
            return lowest;
        }
    }
}
