//! Writing SU2's format.
//!
//! A marker has all its elements in one place. Where a mesh has them elsewhere in between, each line of a marker ends with the
//! element's place among those of its kind, from which a reader has the order of the mesh again; SU2 does not read it.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::{ElementMesh, Elements, blocks_of};

use crate::IoError;
use crate::row_file::{RowFile, put_line};

/// Writes a mesh. Collective.
pub(super) fn write(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    let dimension = mesh.dimension();
    let lists = mesh.elements();
    let (cells, boundary): (Vec<Elements<'_>>, Vec<Elements<'_>>) =
        lists.into_iter().partition(|list| !list.boundary);
    let nodes = mesh.node_blocks(comm).rows;
    let mut file = RowFile::begin(comm, path)?;
    let elements: u64 = cells.iter().map(|list| list.rows).sum();
    file.put(format!("NDIME= {dimension}\nNELEM= {elements}\n"));
    let mut number = 0u64;
    for list in &cells {
        let kind = u64::from(list.kind.vtk_type());
        file.rows(list.rows, list.kind.nodes(), list.nodes, |buffer, nodes| {
            put_line(buffer, &[&[kind], nodes, &[number]].concat());
            number += 1;
        });
    }
    file.put(format!("NPOIN= {nodes}\n"));
    let mut number = 0u64;
    file.rows(nodes, dimension, mesh.x(), |buffer, x| {
        put_line(buffer, x);
        // The node's number, at the end of its line.
        buffer.pop();
        buffer.extend_from_slice(format!(" {number}\n").as_bytes());
        number += 1;
    });
    let (order, is_together) = markers(comm, &boundary);
    file.put(format!("NMARK= {}\n", order.len()));
    for group in order {
        let names: Vec<&str> = mesh.groups.names(dimension - 1, group).collect();
        let name = if names.is_empty() { group.to_string() } else { names.join(",") };
        let of_marker: Vec<(u64, Vec<u64>)> = boundary
            .iter()
            .map(|list| blocks_of(comm, list.kind.nodes() + 1, &rows(comm, list, group)))
            .collect();
        let all: u64 = of_marker.iter().map(|(rows, _)| rows).sum();
        file.put(format!("MARKER_TAG= {name}\nMARKER_ELEMS= {all}\n"));
        for (list, (rows, values)) in boundary.iter().zip(&of_marker) {
            let kind = u64::from(list.kind.vtk_type());
            let kept = list.kind.nodes() + usize::from(!is_together);
            file.rows(*rows, list.kind.nodes() + 1, values, |buffer, row| {
                put_line(buffer, &[&[kind], &row[..kept]].concat());
            });
        }
    }
    file.finish()
}

/// Nodes and place of this rank's elements of a group.
fn rows(comm: &Comm, list: &Elements<'_>, group: i32) -> Vec<u64> {
    let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
    let elements = own.zip(list.nodes.chunks_exact(list.kind.nodes())).zip(list.groups);
    let of_group = elements.filter(|(_, of)| **of == group);
    of_group.flat_map(|((place, nodes), _)| nodes.iter().copied().chain([place])).collect()
}

/// The groups in the order of their first elements, and whether each kind's elements of a group are all together in this
/// order. Collective.
fn markers(comm: &Comm, boundary: &[Elements<'_>]) -> (Vec<i32>, bool) {
    let mut first: Vec<[u64; 2]> = Vec::new();
    let mut before = 0;
    for list in boundary {
        let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
        for (row, group) in own.zip(list.groups).filter(|(_, group)| **group != 0) {
            let group = u64::from(group.cast_unsigned());
            if !first.iter().any(|known| known[1] == group) {
                first.push([before + row, group]);
            }
        }
        before += list.rows;
    }
    let mut all = comm.all_gather(&first).concat();
    all.sort_unstable();
    let mut order: Vec<i32> = Vec::new();
    for [_, group] in all {
        let group = (group as u32).cast_signed();
        if !order.contains(&group) {
            order.push(group);
        }
    }
    let mut is_together = true;
    for list in boundary {
        let place = |group: &i32| order.iter().position(|known| known == group).map(|place| place as u64);
        let places: Vec<u64> = list.groups.iter().filter_map(place).collect();
        let ends = [places.first(), places.last()].into_iter().flatten().copied().collect::<Vec<u64>>();
        is_together &= places.is_sorted() && comm.all_gather(&ends).concat().is_sorted();
    }
    (order, comm.sum(u64::from(!is_together)) == 0)
}
