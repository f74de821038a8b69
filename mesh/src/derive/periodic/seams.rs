//! Sides of cells in the plane that are one.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values, fetch_rows};

use super::Pair;
use super::nodes::{matched, partners};
use crate::blocks::blocks_of;
use crate::{ElementMesh, MeshError};

/// The set of seams.
pub const SEAMS: &str = "seams";

/// A boundary edge: its nodes, its cell, its group.
pub(crate) type Side = ([u64; 2], u64, i32);

/// Adds the set `seams`, by the lower node of the first edge, to a mesh of cells with edges:
///
/// ```text
/// seam_nodes (4)   the nodes of the first edge, and those of the second at their places
/// seam_cells (2)   the cells of both
/// seam_turn (2)    cosine and sine of the angle by which the first edge is turned into the second
/// ```
///
/// Collective; each rank gives boundary edges that no other gives.
///
/// # Errors
/// Boundaries that do not match.
pub(crate) fn add(
    comm: &Comm,
    from: &ElementMesh,
    pairs: &[Pair],
    sides: &[Side],
    mesh: &mut Mesh,
) -> Result<(), MeshError> {
    if pairs.is_empty() {
        return Ok(());
    }
    let mut own: Vec<[u64; 7]> = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        own.extend(seams(comm, from, pair, sides, index as u64)?);
    }
    own.sort_unstable();
    let turn = |seam: &[u64; 7]| pairs[seam[6] as usize].given.motion.turn();
    let turns: Vec<f64> = own.iter().map(turn).flat_map(|turn| [turn[0], turn[3]]).collect();
    let nodes: Vec<u64> = own.iter().flat_map(|seam| [seam[0], seam[1], seam[2], seam[3]]).collect();
    let cells: Vec<u64> = own.iter().flat_map(|seam| [seam[4], seam[5]]).collect();
    let (rows, nodes) = blocks_of(comm, 4, &nodes);
    let (_, cells) = blocks_of(comm, 2, &cells);
    let (_, turns) = blocks_of(comm, 2, &turns);
    let set_of = |mesh: &Mesh, name: &str| mesh.set(name).expect("the derivation has added it");
    let (node_set, cell_set) = (set_of(mesh, "nodes"), set_of(mesh, "cells"));
    let set = mesh.add_set(SEAMS, rows);
    mesh.add_map("seam_nodes", set, node_set, 4, nodes);
    mesh.add_map("seam_cells", set, cell_set, 2, cells);
    mesh.add_dat("seam_turn", set, 2, Values::F64(turns));
    Ok(())
}

/// The seams of a pair whose lower first node is in this rank's block: the nodes of both edges, the lower of the first edge
/// first, both cells, the number of the pair. Collective.
fn seams(
    comm: &Comm,
    mesh: &ElementMesh,
    pair: &Pair,
    sides: &[Side],
    index: u64,
) -> Result<Vec<[u64; 7]>, MeshError> {
    let blocks = mesh.node_blocks(comm);
    let partners = partners(comm, mesh, &matched(comm, mesh, pair)?);
    let of = |side: usize| sides.iter().filter(move |(_, _, group)| pair.groups[side].contains(group));
    let firsts: Vec<(&[u64; 2], u64)> = of(0).map(|(nodes, cell, _)| (nodes, *cell)).collect();
    let ends: Vec<u64> = firsts.iter().flat_map(|(nodes, _)| nodes.iter().copied()).collect();
    let places = fetch_rows(comm, blocks, 1, &partners, &ends);
    // By the second edge's nodes: (lower, higher, 0: moved from the first or 1: of the second, first nodes, cell).
    let mut send: Vec<Vec<[u64; 6]>> = vec![Vec::new(); comm.size()];
    for ((nodes, cell), place) in firsts.iter().zip(places.as_chunks::<2>().0) {
        let [a, b] = if place[0] < place[1] { **nodes } else { [nodes[1], nodes[0]] };
        let (low, high) = (place[0].min(place[1]), place[0].max(place[1]));
        send[blocks.owner(low)].push([low, high, 0, a, b, *cell]);
    }
    for ([a, b], cell, _) in of(1) {
        let (low, high) = (*a.min(b), *a.max(b));
        send[blocks.owner(low)].push([low, high, 1, low, high, *cell]);
    }
    let mut met = comm.all_to_all(send).concat();
    met.sort_unstable();
    let mut send: Vec<Vec<[u64; 7]>> = vec![Vec::new(); comm.size()];
    for edges in met.chunk_by(|a, b| a[..2] == b[..2]) {
        let [[low, high, 0, a, b, first], [_, _, 1, _, _, second]] = *edges else {
            panic!("boundary elements are matched");
        };
        let seam = match a < b {
            true => [a, b, low, high, first, second, index],
            false => [b, a, high, low, first, second, index],
        };
        send[blocks.owner(seam[0])].push(seam);
    }
    Ok(comm.all_to_all(send).concat())
}
