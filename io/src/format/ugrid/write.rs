//! Writing UGRID: text, or binary by the ending of the name.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementMesh, Elements};

use super::binary::Layout;
use super::{ENDINGS, KINDS, SURFACE};
use crate::IoError;
use crate::format::mapbc;
use crate::listed::Width;
use crate::row_file::{RowFile, put_line};

/// Writes a mesh, and the names of its boundaries beside it. Collective.
pub(super) fn write(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    if mesh.dimension() != 3 {
        return Err(IoError::file(path, "UGRID holds meshes of three dimensions; this one has two"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if [".r8.ugrid", ".lr8.ugrid"].iter().any(|end| name.ends_with(end)) {
        return Err(IoError::file(
            path,
            "UGRID with Fortran's records is not written; use .b8.ugrid or .lb8.ugrid",
        ));
    }
    let layout = Layout::of_name(&name);
    let lists = mesh.elements();
    let lists = KINDS.map(|(kind, _)| lists.iter().find(|list| list.kind == kind));
    let nodes = mesh.node_blocks(comm).rows;
    let counts: Vec<u64> =
        [nodes].into_iter().chain(lists.iter().map(|list| list.map_or(0, |list| list.rows))).collect();
    if layout.is_some_and(|layout| layout.integers == Width::Four)
        && counts.iter().any(|count| *count > i32::MAX as u64)
    {
        let what =
            "the mesh has more nodes or elements than integers of four bytes can count; write .b8.ugrid64";
        return Err(IoError::file(path, what));
    }
    let (numbers, names) = mapbc::numbers(&mesh.groups, 2);
    let mut file = RowFile::begin(comm, path)?;
    let integers = |buffer: &mut Vec<u8>, values: &[i64]| match layout {
        Some(layout) => values.iter().for_each(|value| layout.put_integer(buffer, *value)),
        None => put_line(buffer, values),
    };
    let mut header = Vec::new();
    integers(&mut header, &counts.iter().map(|count| *count as i64).collect::<Vec<i64>>());
    file.put(header);
    file.rows(nodes, 3, mesh.x(), |buffer, x| match layout {
        Some(layout) => x.iter().for_each(|x| layout.put_number(buffer, *x)),
        None => put_line(buffer, x),
    });
    for (place, (kind, order)) in KINDS.into_iter().enumerate() {
        if place == SURFACE.len() {
            for list in lists[..place].iter().flatten() {
                let groups: Vec<i64> = list
                    .groups
                    .iter()
                    .map(|group| i64::from(numbers.get(group).copied().unwrap_or(*group)))
                    .collect();
                file.rows(list.rows, 1, &groups, integers);
            }
        }
        if let Some(list) = lists[place] {
            file.rows(list.rows, kind.nodes(), &rows(list, order), integers);
        }
    }
    file.finish()?;
    let beside = mapbc::beside(path, &ENDINGS);
    comm.agree(if comm.is_root() { mapbc::write(&beside, &names) } else { Ok(()) })
}

/// Nodes from 1 in the order of the file.
fn rows(list: &Elements<'_>, order: &[usize]) -> Vec<i64> {
    let place = |k: usize| order.iter().position(|at| *at == k).expect("every place is in the order");
    let elements = list.nodes.chunks_exact(order.len());
    elements.flat_map(|nodes| (0..order.len()).map(|k| nodes[place(k)] as i64 + 1)).collect()
}
