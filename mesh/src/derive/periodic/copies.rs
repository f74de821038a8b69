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

/// Adds the set [`COPIES`], by node, to a mesh with the set `nodes`. Nodes that are in several pairs, as at corners of a box,
/// are one with all their partners. Collective.
///
/// # Errors
/// Boundaries that do not match, or that are turned.
pub(crate) fn add(comm: &Comm, from: &ElementMesh, pairs: &[Pair], mesh: &mut Mesh) -> Result<(), MeshError> {
    if pairs.is_empty() {
        return Ok(());
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
    let lowest = lowest(comm, from, &all);
    let first = from.node_blocks(comm).range(comm.rank()).start;
    let rows = (first..).zip(lowest).filter(|(node, lowest)| node != lowest);
    let own: Vec<u64> = rows.flat_map(|(node, lowest)| [lowest, node]).collect();
    let (count, copies) = blocks_of(comm, 2, &own);
    let nodes = mesh.set("nodes").expect("nodes come first");
    let set = mesh.add_set(COPIES, count);
    mesh.add_map(COPY_NODES, set, nodes, 2, copies);
    Ok(())
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
