//! A mesh of elements in the general layout.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Content, ElementKind, ElementMesh, Given, orient};

use super::table;
use crate::IoError;
use crate::format::Reading;
use crate::source::MeshSource;

/// A mesh in the general layout, if it is one of elements.
pub(super) fn read(comm: &Comm, path: &Path) -> Result<Reading, IoError> {
    let (mesh, groups, source) = super::read(comm, path)?;
    let mut found = ElementMesh::new(mesh, groups).map_err(|e| IoError::file(path, e.to_string()))?;
    let (dimension, x) = (found.dimension(), found.x().to_vec());
    let nodes = found.node_blocks(comm);
    let first = nodes.range(comm.rank()).start;
    let finite = match x.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let what = format!("the coordinate {} is not a finite number", x[at]);
            let table = table("dats", "x", "nodes".into(), dimension, Content::F64);
            Err(source.row(&table, first + (at / dimension) as u64, what))
        }
    };
    comm.agree(finite)?;
    let kinds: Vec<(ElementKind, usize)> = found.elements().iter().map(|e| (e.kind, e.map)).collect();
    for (kind, map) in kinds {
        let oriented = orient(comm, dimension, nodes, &x, kind, &mut found.mesh.maps[map].rows);
        comm.agree(oriented.map_err(|(row, what)| element(comm, &found.mesh, map, &source, row, what)))?;
    }
    let found = found.with_groups_by_name(comm).map_err(|error| IoError::of_mesh(path, error))?;
    Ok(Reading::new(Given::Elements(found), source))
}

/// An error about one of this rank's elements.
fn element(comm: &Comm, mesh: &Mesh, map: usize, source: &MeshSource, row: usize, what: String) -> IoError {
    let map = &mesh.maps[map];
    let set = &mesh.sets[map.from].name;
    let first = mesh.blocks(map.from, comm).range(comm.rank()).start;
    let table = table("maps", &map.name, set.clone(), map.arity, Content::Map { to: "nodes".into() });
    source.row(&table, first + row as u64, what)
}
