//! Reading and writing files of meshes of mixed elements.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Content, ElementKind, ElementMesh, orient};

use crate::IoError;
use crate::format::{element_reader, general};
use crate::place::Place;

/// Reads a mesh of mixed elements from Gmsh (4.1), SU2 or the output of [`write_element_mesh`]; the format is detected
/// from the content. Each rank gets its blocks, the same mesh on any number of ranks. Collective.
///
/// The elements of the highest dimension that occurs, 2 or 3, fill the domain; those of one dimension less in a
/// physical group or a marker are its boundary. Elements that fill the domain and are inside out are reoriented,
/// keeping their first node. Nodes that they do not use are dropped; a mesh of two dimensions must lie in a plane of
/// constant z.
///
/// # Errors
/// The file is missing, truncated, damaged or of another format; a node that does not exist, a degenerate element, a
/// boundary element with a node that is in no cell; with line, byte, or dataset and row, the same on every rank.
pub fn read_element_mesh(comm: &Comm, path: &Path) -> Result<ElementMesh, IoError> {
    match element_reader(comm, path)? {
        Some(read) => read(comm, path),
        None => read_general(comm, path),
    }
}

/// Writes a mesh of mixed elements, with everything in its [`Mesh`] and the names of its groups, as HDF5 in the general
/// layout of [`crate::write_any_mesh`]. Collective; the file appears complete or not at all.
///
/// # Errors
/// As [`crate::write_any_mesh`].
pub fn write_element_mesh(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    general::write(comm, &mesh.mesh, &mesh.groups, path)
}

/// A mesh in the general layout, if it is one of elements.
fn read_general(comm: &Comm, path: &Path) -> Result<ElementMesh, IoError> {
    let (mesh, groups, place) = general::read(comm, path)?;
    let mut found = ElementMesh::new(mesh, groups).map_err(|e| IoError::file(path, e.to_string()))?;
    let (dimension, x) = (found.dimension(), found.x().to_vec());
    let nodes = found.mesh.blocks(found.mesh.set("nodes").expect("a mesh of elements has nodes"), comm);
    let first = nodes.range(comm.rank()).start;
    let finite = match x.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let what = format!("the coordinate {} is not a finite number", x[at]);
            let table = general::table("dats", "x", "nodes".into(), dimension, Content::F64);
            Err(place.row(&table, first + (at / dimension) as u64, what))
        }
    };
    comm.agree(finite)?;
    let kinds: Vec<(ElementKind, usize)> = found.elements().iter().map(|e| (e.kind, e.map)).collect();
    for (kind, map) in kinds {
        let oriented = orient(comm, dimension, nodes, &x, kind, &mut found.mesh.maps[map].rows);
        comm.agree(oriented.map_err(|(row, what)| element(comm, &found.mesh, map, &place, row, what)))?;
    }
    Ok(found)
}

/// An error about one of this rank's elements.
fn element(comm: &Comm, mesh: &Mesh, map: usize, place: &Place, row: usize, what: String) -> IoError {
    let map = &mesh.maps[map];
    let set = &mesh.sets[map.from].name;
    let first = mesh.blocks(map.from, comm).range(comm.rank()).start;
    let table =
        general::table("maps", &map.name, set.clone(), map.arity, Content::Map { to: "nodes".into() });
    place.row(&table, first + row as u64, what)
}
