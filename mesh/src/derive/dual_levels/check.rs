//! Levels of an edge-based mesh: edges, boundary nodes, dual cells, and the maps between levels.

use cfd_engine::mesh::{Blocks, fetch_rows};

use super::level::sorted_at_owners;
use super::{level_name, levels};
use crate::derive::view::{Defect, View};

/// The largest group of a boundary node.
const LAST_GROUP: i32 = 7;

/// Checks every level, from the finest.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    let levels = levels(view.mesh);
    for level in 0..levels {
        let at = |name: &str| level_name(level, name);
        view.comm.agree(groups(view, &at("bnode_group"), &at("bnodes")))?;
        view.comm.agree(distinct_ends(view, &at("edge_nodes"), &at("edges")))?;
        let duplicates = duplicates(view, &at("edge_nodes"), &at("edges"), &at("nodes"));
        view.comm.agree(duplicates)?;
        let flat = flat_cells(view, level);
        view.comm.agree(flat)?;
        if level + 1 < levels {
            let childless = childless(view, &at("node_mg_node"), &level_name(level + 1, "nodes"));
            view.comm.agree(childless)?;
        }
    }
    Ok(())
}

/// Groups have known values.
fn groups(view: &View<'_>, table: &str, set: &str) -> Result<(), Defect> {
    let groups = view.integers(table);
    match groups.iter().position(|group| !(0..=LAST_GROUP).contains(group)) {
        None => Ok(()),
        Some(k) => {
            let what = format!(
                "the group {} is unknown; a boundary node's is 0 to 2 (wall) or 3 to {LAST_GROUP} (far field)",
                groups[k]
            );
            Err(view.error(table, view.start(set) + k as u64, what))
        }
    }
}

/// An edge's nodes are distinct.
fn distinct_ends(view: &View<'_>, table: &str, set: &str) -> Result<(), Defect> {
    match view.map(table).chunks_exact(2).position(|ends| ends[0] == ends[1]) {
        None => Ok(()),
        Some(k) => {
            let what = format!(
                "degenerate edge: both its nodes are {}; an edge joins two nodes",
                view.map(table)[2 * k]
            );
            Err(view.error(table, view.start(set) + k as u64, what))
        }
    }
}

/// No two edges have the same nodes: they meet at the owner of the lower one.
fn duplicates(view: &View<'_>, table: &str, set: &str, nodes: &str) -> Result<(), Defect> {
    let rows = (view.start(set)..).zip(view.map(table).chunks_exact(2));
    let records = rows.map(|(row, ends)| [ends[0].min(ends[1]), ends[0].max(ends[1]), row]);
    let met = sorted_at_owners(view.comm, view.blocks(nodes), records);
    match met.windows(2).find(|w| w[0][..2] == w[1][..2]) {
        None => Ok(()),
        Some(w) => {
            let what = format!("duplicate edge: row {} has the same nodes; add up their weights", w[0][2]);
            Err(view.error(table, w[1][2], what))
        }
    }
}

/// Every node has an edge to another place with a face of nonzero area; without one, its dual cell has no volume.
fn flat_cells(view: &View<'_>, level: usize) -> Result<(), Defect> {
    let at = |name: &str| level_name(level, name);
    let blocks = view.blocks(&at("nodes"));
    let edge_nodes = view.map(&at("edge_nodes"));
    let ends = fetch_rows(view.comm, blocks, 3, view.numbers(&at("x")), edge_nodes);
    let weights = view.numbers(&at("edge_weights")).chunks_exact(3);
    let mut solid: Vec<Vec<u64>> = vec![Vec::new(); view.comm.size()];
    for ((nodes, x), w) in edge_nodes.chunks_exact(2).zip(ends.chunks_exact(6)).zip(weights) {
        if x[..3] != x[3..] && w.iter().any(|&w| w != 0.0) {
            nodes.iter().for_each(|&node| solid[blocks.owner(node)].push(node));
        }
    }
    let start = view.start(&at("nodes"));
    match first_unmarked(view, blocks, solid) {
        None => Ok(()),
        Some(k) => {
            let what = "extra row: the node has no edge to another place, so its dual cell has no volume; remove it \
                        or add the missing edges";
            Err(view.error(&at("x"), start + k, what.into()))
        }
    }
}

/// Every coarse node has a child.
fn childless(view: &View<'_>, table: &str, coarse: &str) -> Result<(), Defect> {
    let blocks = view.blocks(coarse);
    let mut parents: Vec<Vec<u64>> = vec![Vec::new(); view.comm.size()];
    view.map(table).iter().for_each(|&parent| parents[blocks.owner(parent)].push(parent));
    match first_unmarked(view, blocks, parents) {
        None => Ok(()),
        Some(k) => {
            let node = view.start(coarse) + k;
            let what = format!("no row leads to row {node} of {coarse}; every coarse node has a child");
            Err(view.table_error(table, what))
        }
    }
}

/// The first of this rank's rows, counted from its first, that no rank has sent. Collective.
fn first_unmarked(view: &View<'_>, blocks: Blocks, send: Vec<Vec<u64>>) -> Option<u64> {
    let own = blocks.range(view.comm.rank());
    let mut marked = vec![false; (own.end - own.start) as usize];
    for row in view.comm.all_to_all(send).concat() {
        marked[(row - own.start) as usize] = true;
    }
    marked.iter().position(|marked| !marked).map(|k| k as u64)
}
