//! Lines that a file lists twice, as Mmg does with those inside: once for each triangle beside them.

use std::collections::BTreeSet;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_mesh::{ElementKind, ElementMesh, blocks_of};

/// Keeps the first of the lines that have the same ends and the same group. Collective.
pub(super) fn drop_lines(comm: &Comm, mesh: &mut ElementMesh) {
    let lists = mesh.elements();
    let Some(lines) = lists.iter().find(|list| list.kind == ElementKind::Line) else { return };
    let (set, map) = (lines.set, lines.map);
    let key = |(ends, group): (&[u64; 2], &i32)| [ends[0].min(ends[1]), ends[0].max(ends[1]), *group as u64];
    let own: Vec<[u64; 3]> = lines.nodes.as_chunks::<2>().0.iter().zip(lines.groups).map(key).collect();
    // A boundary is small beside the mesh.
    let all = comm.all_gather(&own);
    let mut seen: BTreeSet<[u64; 3]> = all[..comm.rank()].iter().flatten().copied().collect();
    let is_first: Vec<bool> = own.iter().map(|key| seen.insert(*key)).collect();
    if comm.sum(is_first.iter().filter(|first| !**first).count() as u64) == 0 {
        return;
    }
    let kept = || is_first.iter().enumerate().filter(|(_, first)| **first).map(|(row, _)| row);
    let nodes: Vec<u64> = kept().flat_map(|row| lines.nodes[2 * row..][..2].to_vec()).collect();
    let groups: Vec<i32> = kept().map(|row| lines.groups[row]).collect();
    let (rows, nodes) = blocks_of(comm, 2, &nodes);
    let (_, groups) = blocks_of(comm, 1, &groups);
    let mesh = &mut mesh.mesh;
    mesh.sets[set].rows = rows;
    mesh.maps[map].rows = nodes;
    let of_set = mesh.dats.iter_mut().find(|dat| dat.set == set).expect("lines have groups");
    of_set.values = Values::I32(groups);
}
