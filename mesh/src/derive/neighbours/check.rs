//! Hexahedra and their neighbours.

use cfd_engine::mesh::fetch_rows;

use super::{FACE_FREE, FACE_INSIDE, FACE_SYMMETRY, FACES};
use crate::ElementKind;
use crate::derive::cells;
use crate::derive::view::{Defect, View};

/// Checks nodes, volumes, flags, neighbours.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    view.comm.agree(distinct_nodes(view))?;
    let volumes = volumes(view);
    view.comm.agree(volumes)?;
    let kinds = "0 (inside), 1 (symmetry) or 2 (free)";
    view.comm.agree(flags(view, "elem_sides", "elems", &[FACE_INSIDE, FACE_SYMMETRY, FACE_FREE], kinds))?;
    view.comm.agree(flags(view, "node_symmetry", "nodes", &[0, 1], "0 (free) or 1 (held)"))?;
    let neighbours = neighbours(view);
    view.comm.agree(neighbours)?;
    let unused = cells::unused_nodes(view, "nodes", "elem_nodes", "element");
    view.comm.agree(unused)
}

/// An element's nodes are distinct.
fn distinct_nodes(view: &View<'_>) -> Result<(), Defect> {
    for (row, nodes) in (view.start("elems")..).zip(view.map("elem_nodes").as_chunks::<8>().0) {
        let mut pairs = (0..8).flat_map(|k| (0..k).map(move |l| (l, k)));
        if let Some((l, k)) = pairs.find(|&(l, k)| nodes[l] == nodes[k]) {
            let what = format!("degenerate element: node {} is both its node {l} and its node {k}", nodes[k]);
            return Err(view.error("elem_nodes", row, what));
        }
    }
    Ok(())
}

/// Elements have a positive volume, with their nodes in the order of their kind.
fn volumes(view: &View<'_>) -> Result<(), Defect> {
    let corners = fetch_rows(view.comm, view.blocks("nodes"), 3, view.x(), view.map("elem_nodes"));
    for (row, x) in (view.start("elems")..).zip(corners.chunks_exact(24)) {
        let volume = ElementKind::Hexahedron.measure(3, x);
        // Written so that NaN, from overflow, is refused.
        let positive = volume > 0.0;
        if !positive {
            let what = format!(
                "degenerate element: its volume is {volume:e}; its nodes are the base, around its normal that points \
                 inwards, then the opposite face in the same order"
            );
            return Err(view.error("elem_nodes", row, what));
        }
    }
    Ok(())
}

/// Flags have known values.
fn flags(view: &View<'_>, table: &str, set: &str, known: &[i32], words: &str) -> Result<(), Defect> {
    let flags = view.integers(table);
    match flags.iter().position(|flag| !known.contains(flag)) {
        None => Ok(()),
        Some(k) => {
            let row = view.start(set) + (k / view.schema.table(table).dim) as u64;
            Err(view.error(table, row, format!("the flag {} is unknown; it is {words}", flags[k])))
        }
    }
}

/// Across an interior face is an element with the same face on its opposite side; across any other face, the element
/// itself.
fn neighbours(view: &View<'_>) -> Result<(), Defect> {
    let beyond = view.map("elem_elem");
    let elems = view.blocks("elems");
    let their_nodes = fetch_rows(view.comm, elems, 8, view.map("elem_nodes"), beyond);
    let their_neighbours = fetch_rows(view.comm, elems, 6, beyond, beyond);
    let kinds = view.integers("elem_sides");
    for (k, (&other, &kind)) in beyond.iter().zip(kinds).enumerate() {
        let (at, face) = (k / 6, k % 6);
        let row = view.start("elems") + at as u64;
        let error = |what: String| Err(view.error("elem_elem", row, format!("face {face}: {what}")));
        if kind != FACE_INSIDE {
            if other != row {
                return error(format!(
                    "it is at the boundary, but leads to element {other}; there, an element leads to itself"
                ));
            }
            continue;
        }
        let own = corners_of(&view.map("elem_nodes")[8 * at..8 * at + 8], face);
        let theirs = corners_of(&their_nodes[8 * k..8 * k + 8], face ^ 1);
        if own != theirs {
            return error(format!("element {other} has other nodes on its opposite face than {own:?}"));
        }
        let back = their_neighbours[6 * k + (face ^ 1)];
        if back != row {
            return error(format!("element {other} leads back to element {back}, not to this one"));
        }
    }
    Ok(())
}

/// The nodes of a face, ascending.
fn corners_of(nodes: &[u64], face: usize) -> Vec<u64> {
    let face = ElementKind::Hexahedron.faces()[FACES[face]];
    let mut corners: Vec<u64> = face.iter().map(|&corner| nodes[corner]).collect();
    corners.sort_unstable();
    corners
}
