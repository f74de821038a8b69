//! Hexahedra and their neighbours through each face.

mod check;
#[cfg(test)]
mod tests;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, rows_to_blocks};

use super::faces::{Face, Faces, ring};
use super::primary::Primary;
use super::schema::{Content, Schema, Table};
use super::stars::Stars;
use super::{Cells, Derived, Request};
use crate::{BoundaryKind, ElementBlock, ElementKind, ElementMesh, Groups, MeshError};

/// A face between two hexahedra.
pub const FACE_INSIDE: i32 = 0;
/// A face of a hexahedron in a plane of symmetry.
pub const FACE_SYMMETRY: i32 = 1;
/// A free face of a hexahedron.
pub const FACE_FREE: i32 = 2;

/// Hexahedra and their neighbours: the eight nodes in VTK's order; across the faces of low xi, high xi, low eta, high
/// eta, low zeta, high zeta, another element or, at the boundary, itself, and the kind of face; for each node, the
/// coordinates that planes of symmetry hold (1) or leave free (0).
pub static NEIGHBOURS: Derived = Derived {
    tag: "lulesh",
    about: "hexahedra with neighbors",
    dimensions: &[3],
    has_levels: false,
    cells: Cells { set: "elems", nodes: "nodes", corners: "elem_nodes", ring: None, coordinates: "x" },
    schema: |_, _| schema(),
    primary: |_| Primary::located("nodes", "elem_nodes"),
    derive,
    elements: Some(elements),
    check: check::check,
};

/// The kinds of boundaries: planes of symmetry across each axis, and free faces.
pub const KINDS: [BoundaryKind; 4] = [
    symmetry("symmetry_x", 3, &["symmetry_x", "x_min", "xmin"]),
    symmetry("symmetry_y", 4, &["symmetry_y", "y_min", "ymin"]),
    symmetry("symmetry_z", 5, &["symmetry_z", "z_min", "zmin"]),
    BoundaryKind { name: "free", flag: FACE_FREE, known: &["free"], meaning: "free surfaces" },
];

const fn symmetry(name: &'static str, flag: i32, known: &'static [&'static str]) -> BoundaryKind {
    BoundaryKind { name, flag, known, meaning: "planes of symmetry" }
}

/// The faces in the order of `elem_elem`, as faces of [`ElementKind::Hexahedron`].
const FACES: [usize; 6] = [5, 3, 2, 4, 0, 1];

fn schema() -> Schema {
    let tables = vec![
        Table::map("elem_nodes", "elems", "nodes", 8),
        Table::map("elem_elem", "elems", "elems", 6),
        Table::coordinates(3),
        Table::dat("node_symmetry", "nodes", 3, Content::I32, "node_symmetry"),
        Table::dat("elem_sides", "elems", 6, Content::I32, "elem_sides"),
    ];
    Schema::new(["nodes", "elems"], &["nodes", "elems"], tables)
}

/// The position of a face in `elem_elem`.
fn position(face: u8) -> usize {
    FACES.iter().position(|&known| known == face as usize).expect("a hexahedron has these faces")
}

fn derive(comm: &Comm, mesh: &ElementMesh, request: &Request<'_>) -> Result<Mesh, MeshError> {
    let lists = mesh.elements();
    if let Some(other) = lists.iter().find(|list| !list.boundary && list.kind != ElementKind::Hexahedron) {
        let what = format!("the mesh has {} {}; expected hexahedra only", other.rows, other.kind.plural());
        return Err(MeshError::Unsuitable(what));
    }
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let faces = Faces::new(comm, mesh, &stars, &outer)?;
    comm.agree(aligned(&faces))?;

    // For each face of each element: what is across, and the kind.
    let (mut ids, mut across): (Vec<u64>, Vec<[u64; 2]>) = (Vec::new(), Vec::new());
    let mut add = |own: Face, other: u64, kind: i32| {
        ids.push(6 * own.place + position(own.face) as u64);
        across.push([other, kind as u64]);
    };
    for &[low, high] in &faces.interior {
        add(low, high.place, FACE_INSIDE);
        add(high, low.place, FACE_INSIDE);
    }
    let mut held: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    let nodes = mesh.node_blocks(comm);
    for &(face, element) in &faces.boundary {
        let flag = request.boundaries.flag(outer.groups[element as usize]);
        let is_symmetry = flag != FACE_FREE;
        add(face, face.place, if is_symmetry { FACE_SYMMETRY } else { FACE_FREE });
        if is_symmetry {
            let axis = (flag - KINDS[0].flag) as u64;
            ring(&stars, face).for_each(|node| held[nodes.owner(node)].push([node, axis]));
        }
    }
    let elems = lists.iter().find(|list| !list.boundary).expect("a mesh has elements");
    let own = Blocks::new(elems.rows, comm.size()).range(comm.rank());
    let across = to_elements(comm, elems.rows, &ids, &across);
    let start = nodes.range(comm.rank()).start;
    let mut symmetry = vec![0; mesh.x().len()];
    for [node, axis] in comm.all_to_all(held).into_iter().flatten() {
        symmetry[3 * (node - start) as usize + axis as usize] = 1;
    }

    let mut derived = Mesh::default();
    let node_set = derived.add_set("nodes", nodes.rows);
    let elem_set = derived.add_set("elems", elems.rows);
    derived.add_map("elem_nodes", elem_set, node_set, 8, elems.nodes.to_vec());
    assert_eq!(across.len() as u64, 6 * (own.end - own.start), "every face is known");
    derived.add_map("elem_elem", elem_set, elem_set, 6, across.iter().map(|row| row[0]).collect());
    derived.add_dat("x", node_set, 3, Values::F64(mesh.x().to_vec()));
    derived.add_dat("node_symmetry", node_set, 3, Values::I32(symmetry));
    let kinds = across.iter().map(|row| row[1] as i32).collect();
    derived.add_dat("elem_sides", elem_set, 6, Values::I32(kinds));
    Ok(derived)
}

/// This rank's block of what is known of elements' faces, six rows each, by number of element and face.
fn to_elements(comm: &Comm, elements: u64, ids: &[u64], across: &[[u64; 2]]) -> Vec<[u64; 2]> {
    let values: Vec<u64> = across.as_flattened().to_vec();
    let by_face = rows_to_blocks(comm, "faces", Blocks::new(6 * elements, comm.size()), 2, ids, &values);
    // Blocks of six times as many rows do not end where elements do.
    let first = Blocks::new(6 * elements, comm.size()).range(comm.rank()).start;
    let blocks = Blocks::new(elements, comm.size());
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    for (face, row) in (first..).zip(by_face.as_chunks::<2>().0) {
        send[blocks.owner(face / 6)].push(*row);
    }
    comm.all_to_all(send).concat()
}

/// Neighbours touch each other with opposite faces, so that directions go on from element to element.
fn aligned(faces: &Faces) -> Result<(), MeshError> {
    let turned = faces.interior.iter().find(|[low, high]| position(low.face) ^ 1 != position(high.face));
    turned.map_or(Ok(()), |[low, high]| {
        Err(MeshError::Unsuitable(format!(
            "hexahedra {} and {} touch with faces that are not opposite ones; expected a mesh whose directions go on from \
             element to element",
            low.place, high.place
        )))
    })
}

/// The hexahedra; their boundary is in no group. Collective.
fn elements(_comm: &Comm, mesh: &Mesh) -> ElementMesh {
    let map = &mesh.maps[mesh.map("elem_nodes").expect("it has its schema's maps")];
    let Values::F64(x) = &mesh.dats[mesh.dat("x").expect("it has coordinates")].values else {
        panic!("types are checked")
    };
    let (rows, nodes) = (mesh.sets[map.from].rows, mesh.sets[map.to].rows);
    let groups = vec![0; map.rows.len() / 8];
    let block = ElementBlock { kind: ElementKind::Hexahedron, rows, nodes: map.rows.clone(), groups };
    ElementMesh::from_blocks(3, nodes, x.clone(), vec![block], Groups::default())
}
