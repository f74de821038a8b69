//! Cells in the plane with their edges and boundary edges.
//!
//! ```text
//! derive   from triangles and quadrilaterals
//! check    what makes such a mesh usable
//! ```
//!
//! Cells are the triangles, then the quadrilaterals. With d = x(a) - x(b) for an edge's nodes a, b, cell 1 lies to the
//! right of a to b, and so does a boundary edge's cell. Edges are numbered by the lower of their cells, then by its side;
//! boundary edges as the mesh lists them.

mod check;
#[cfg(test)]
pub(super) mod tests;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, rows_to_blocks};

use super::faces::{Face, Faces, ring};
use super::periodic::seams;
use super::primary::Primary;
use super::schema::{Content, Schema, Table};
use super::stars::Stars;
use super::{Cells, Derived, Request};
use crate::blocks::blocks_of;
use crate::{ElementBlock, ElementKind, ElementMesh, FAR_FIELD, Groups, MeshError, WALL};

/// Cells of four nodes, counter-clockwise; interior edges between two of them, boundary edges of one, each with the flag
/// of its kind. A triangle is a quadrilateral whose last node is repeated.
///
/// A mesh that was derived from elements also has `boundary`, the group of each boundary edge, and, where boundaries are
/// periodic, `seams` ([`super::periodic`]).
pub static CELL_EDGES: Derived = Derived {
    tag: "airfoil",
    about: "cells with edges",
    dimensions: &[2],
    has_levels: false,
    cells: Cells { set: "cells", nodes: "nodes", corners: "cell_nodes", ring: None, coordinates: "x" },
    schema: |_, _| schema(),
    primary: |_| Primary { nodes: Some("cell_nodes".into()), ..Primary::located("cells", "edge_cells") },
    derive,
    elements: Some(elements),
    check: check::check,
};

/// Positions in a row of `cell_nodes` that go around the cell counter-clockwise.
const RING: [usize; 4] = [0, 1, 2, 3];

fn schema() -> Schema {
    let tables = vec![
        Table::map("edge_nodes", "edges", "nodes", 2),
        Table::map("edge_cells", "edges", "cells", 2),
        Table::map("bedge_nodes", "bedges", "nodes", 2),
        Table::map("bedge_cell", "bedges", "cells", 1),
        Table::map("cell_nodes", "cells", "nodes", 4),
        Table::coordinates(2),
        Table::dat("bound", "bedges", 1, Content::I32, "bedge_bound"),
    ];
    Schema::new(["nodes", "edges", "bedges", "cells"], &["nodes", "cells"], tables)
}

/// This rank's block of all cells in the order (kind, row): four nodes each, those of a triangle with the last one twice.
pub(super) fn cells(comm: &Comm, mesh: &ElementMesh) -> (u64, Vec<u64>) {
    let lists = mesh.elements();
    let lists: Vec<_> = lists.iter().filter(|list| !list.boundary).collect();
    let rows = lists.iter().map(|list| list.rows).sum();
    let blocks = Blocks::new(rows, comm.size());
    let (mut ids, mut nodes, mut first) = (Vec::new(), Vec::new(), 0);
    for list in lists {
        let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
        ids.extend(own.map(|row| first + row));
        for corners in list.nodes.chunks_exact(list.kind.nodes()) {
            nodes.extend((0..4).map(|k| corners[k.min(corners.len() - 1)]));
        }
        first += list.rows;
    }
    (rows, rows_to_blocks(comm, "cells", blocks, 4, &ids, &nodes))
}

fn derive(comm: &Comm, mesh: &ElementMesh, request: &Request<'_>) -> Result<Mesh, MeshError> {
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let faces = Faces::new(comm, mesh, &stars, &outer)?;
    let (cell_rows, cell_nodes) = cells(comm, mesh);
    let (edge_rows, edges) = edges(comm, &stars, &faces, cell_rows);
    let lines = mesh.elements().into_iter().find(|list| list.boundary);
    let bedge_rows = lines.map_or(0, |list| list.rows);
    let (mut rows, mut bedges, mut sides) = (Vec::new(), Vec::new(), Vec::new());
    for &(face, line) in &faces.boundary {
        // Its cell's side runs the other way.
        let [b, a] = ends(&stars, face);
        rows.push(outer.places[line as usize]);
        bedges.extend([a, b, face.place]);
        sides.push(([a, b], face.place, outer.groups[line as usize]));
    }
    let bedges =
        rows_to_blocks(comm, "boundary edges", Blocks::new(bedge_rows, comm.size()), 3, &rows, &bedges);
    let groups = lines.map_or(Vec::new(), |list| list.groups.to_vec());

    let mut derived = Mesh::default();
    let node_set = derived.add_set("nodes", mesh.node_blocks(comm).rows);
    let edge_set = derived.add_set("edges", edge_rows);
    let bedge_set = derived.add_set("bedges", bedge_rows);
    let cell_set = derived.add_set("cells", cell_rows);
    let columns = |rows: &[u64], width: usize, range: std::ops::Range<usize>| {
        rows.chunks_exact(width).flat_map(|row| row[range.clone()].iter().copied()).collect::<Vec<u64>>()
    };
    derived.add_map("edge_nodes", edge_set, node_set, 2, columns(&edges, 4, 0..2));
    derived.add_map("edge_cells", edge_set, cell_set, 2, columns(&edges, 4, 2..4));
    derived.add_map("bedge_nodes", bedge_set, node_set, 2, columns(&bedges, 3, 0..2));
    derived.add_map("bedge_cell", bedge_set, cell_set, 1, columns(&bedges, 3, 2..3));
    derived.add_map("cell_nodes", cell_set, node_set, 4, cell_nodes);
    derived.add_dat("x", node_set, 2, Values::F64(mesh.x().to_vec()));
    let flags = groups.iter().map(|&group| request.boundaries.flag(group)).collect();
    derived.add_dat("bound", bedge_set, 1, Values::I32(flags));
    derived.add_dat("boundary", bedge_set, 1, Values::I32(groups));
    seams::add(comm, mesh, request.boundaries.pairs(), &sides, &mut derived)?;
    Ok(derived)
}

/// The two nodes of a side, in the direction of its cell.
fn ends(stars: &Stars, face: Face) -> [u64; 2] {
    let mut nodes = ring(stars, face);
    std::array::from_fn(|_| nodes.next().expect("a side has two nodes"))
}

/// The edges, by the lower of their cells, then by its side: their number, and this rank's block of nodes and cells.
fn edges(comm: &Comm, stars: &Stars, faces: &Faces, cell_rows: u64) -> (u64, Vec<u64>) {
    let blocks = Blocks::new(cell_rows, comm.size());
    let mut send: Vec<Vec<[u64; 6]>> = vec![Vec::new(); comm.size()];
    for [low, high] in &faces.interior {
        let [a, b] = ends(stars, *low);
        // Going from the lower node to the higher, the cell whose side goes the other way lies to the right.
        let (right, left) = if a < b { (high, low) } else { (low, high) };
        let edge = [low.place, low.face.into(), a.min(b), a.max(b), right.place, left.place];
        send[blocks.owner(low.place)].push(edge);
    }
    let mut own = comm.all_to_all(send).concat();
    own.sort_unstable();
    let values: Vec<u64> = own.iter().flat_map(|edge| edge[2..].iter().copied()).collect();
    blocks_of(comm, 4, &values)
}

/// The triangles and quadrilaterals that a mesh of cells with edges has, and its boundary edges in groups of their flags,
/// with the usual names of these. Collective.
fn elements(comm: &Comm, mesh: &Mesh) -> ElementMesh {
    let rows = |name: &str| &mesh.maps[mesh.map(name).expect("it has its schema's maps")].rows;
    let dat = |name: &str| &mesh.dats[mesh.dat(name).expect("it has its schema's dats")].values;
    let (Values::F64(x), Values::I32(bound)) = (dat("x"), dat("bound")) else { panic!("types are checked") };
    let mut blocks = plane_cells(comm, rows("cell_nodes"), RING);
    let bedges = mesh.sets[mesh.set("bedges").expect("it has its schema's sets")].rows;
    let lines = rows("bedge_nodes").as_chunks::<2>().0.iter().flat_map(|&[a, b]| [b, a]).collect();
    blocks.push(ElementBlock { kind: ElementKind::Line, rows: bedges, nodes: lines, groups: bound.clone() });
    let nodes = mesh.sets[mesh.set("nodes").expect("it has its schema's sets")].rows;
    let mut groups = Groups::default();
    [WALL, FAR_FIELD].iter().for_each(|kind| groups.add(1, kind.flag, kind.name));
    ElementMesh::from_blocks(2, nodes, x.clone(), blocks, groups)
}

/// The triangles and quadrilaterals among cells of four nodes, which go around them in the order `ring`. Collective.
pub(super) fn plane_cells(comm: &Comm, cell_nodes: &[u64], ring: [usize; 4]) -> Vec<ElementBlock> {
    let (mut triangles, mut quadrilaterals) = (Vec::new(), Vec::new());
    for cell in cell_nodes.as_chunks::<4>().0 {
        let mut corners = ring.map(|k| cell[k]).to_vec();
        corners.dedup();
        if corners.first() == corners.last() {
            corners.pop();
        }
        if corners.len() == 3 { &mut triangles } else { &mut quadrilaterals }.extend(corners);
    }
    let lists = [(ElementKind::Triangle, triangles), (ElementKind::Quadrilateral, quadrilaterals)];
    lists
        .into_iter()
        .map(|(kind, corners)| {
            let (rows, nodes) = blocks_of(comm, kind.nodes(), &corners);
            let groups = vec![0; nodes.len() / kind.nodes()];
            ElementBlock { kind, rows, nodes, groups }
        })
        .collect()
}
