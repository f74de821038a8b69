//! Reading a mesh file of any known format.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::Topology;

use crate::format::{self, Format, Found, Request};
use crate::place::Place;
use crate::{Boundaries, IoError, validate};

/// Reads and validates a mesh; each rank gets its blocks. The format is detected from the content. Collective.
///
/// A file that lists only cells and named boundaries, Gmsh's and SU2's, becomes cells with edges.
///
/// # Errors
/// The file is missing, truncated, damaged or not a mesh, its topology is not supported, or the mesh is not usable (see
/// [`crate::validate()`]).
pub fn read_mesh(comm: &Comm, path: &Path) -> Result<(Topology, Mesh), IoError> {
    read_mesh_with(comm, path, &Boundaries::default())
}

/// [`read_mesh`], with names of boundaries for files that have them: Gmsh's and SU2's. Collective.
///
/// # Errors
/// Those of [`read_mesh`]; a name that does not fit the file, or any name for a file in another format.
pub fn read_mesh_with(
    comm: &Comm,
    path: &Path,
    boundaries: &Boundaries,
) -> Result<(Topology, Mesh), IoError> {
    let found = format::detect(comm, path)?;
    let mesh = read_valid(comm, path, found, found.topology, boundaries)?;
    Ok((found.topology, mesh))
}

/// [`read_mesh_with`], for a mesh of one topology, which is built if the file lists only cells and named boundaries.
/// Collective.
///
/// # Errors
/// Those of [`read_mesh_with`], and a file with a mesh of another topology.
pub fn read_mesh_for(
    comm: &Comm,
    path: &Path,
    topology: Topology,
    boundaries: &Boundaries,
) -> Result<Mesh, IoError> {
    let found = format::detect(comm, path)?;
    let Found { format, topology: found_topology, .. } = found;
    if format.lists_boundaries && !format.topologies.contains(&topology) {
        let possible: Vec<String> = format.topologies.iter().map(Topology::to_string).collect();
        let possible = possible.join(" or ");
        let what = format!("a mesh of {format} can become {possible}, but {topology} are needed");
        return Err(IoError::file(path, what));
    }
    if !format.lists_boundaries && found_topology != topology {
        let what = format!("this is a mesh of {found_topology}, but {topology} are needed");
        return Err(IoError::file(path, what));
    }
    read_valid(comm, path, found, topology, boundaries)
}

/// Reads a mesh, validating only types, shapes and index ranges; also returns its format. Collective.
///
/// # Errors
/// Those of [`read_mesh`], except for unusable meshes.
pub fn read_mesh_as_is(comm: &Comm, path: &Path) -> Result<(Topology, &'static Format, Mesh), IoError> {
    let found = format::detect(comm, path)?;
    let (mesh, _) = read_located(comm, path, found, found.topology, &Boundaries::default())?;
    Ok((found.topology, found.format, mesh))
}

fn read_valid(
    comm: &Comm,
    path: &Path,
    found: Found,
    topology: Topology,
    boundaries: &Boundaries,
) -> Result<Mesh, IoError> {
    let (mesh, place) = read_located(comm, path, found, topology, boundaries)?;
    validate::validate_at(comm, &mesh, topology, &place, boundaries.kinds)?;
    Ok(mesh)
}

fn read_located(
    comm: &Comm,
    path: &Path,
    found: Found,
    topology: Topology,
    boundaries: &Boundaries,
) -> Result<(Mesh, Place), IoError> {
    let Found { format, is_hdf5, .. } = found;
    if !boundaries.is_empty() && !format.lists_boundaries {
        let what = format!(
            "names of boundaries have no meaning for {format}, which says what each boundary edge is; remove them"
        );
        return Err(IoError::file(path, what));
    }
    (format.read)(comm, &Request { path, is_hdf5, topology, boundaries })
}
