//! Writing a mesh file of any known format.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::Topology;

use crate::IoError;
use crate::format::{Format, written};
use crate::validate::check_shape;

/// Writes a mesh in the format implied by the file name ([`Format::from_name`]). Collective; the file appears complete
/// or not at all.
///
/// # Errors
/// An unknown extension, a mesh that is not of this topology, or [`IoError::Write`].
pub fn write_mesh(comm: &Comm, mesh: &Mesh, topology: Topology, path: &Path) -> Result<(), IoError> {
    write_mesh_as(comm, mesh, topology, path, Format::from_name(path, topology)?)
}

/// Writes a mesh in a format. Collective.
///
/// # Errors
/// Those of [`write_mesh`]; a read-only format, or one without such meshes.
pub fn write_mesh_as(
    comm: &Comm,
    mesh: &Mesh,
    topology: Topology,
    path: &Path,
    format: &Format,
) -> Result<(), IoError> {
    let schema = topology.schema_of(mesh);
    comm.agree(check_shape(comm, mesh, &schema, path))?;
    let Some(write) = format.write else {
        let what =
            format!("the format {format} is read-only; a mesh can be written as {}", written(topology));
        return Err(IoError::file(path, what));
    };
    if !format.topologies.contains(&topology) {
        let what = format!(
            "a mesh of {topology} cannot be written as {format}; it can be written as {}",
            written(topology)
        );
        return Err(IoError::file(path, what));
    }
    write(comm, mesh, &schema, path)
}
