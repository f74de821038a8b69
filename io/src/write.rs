//! Writing a mesh file of any known format.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use crate::schema::{Case, Format};
use crate::validate::check_shape;
use crate::{IoError, mesh_hdf5, mgcfd_hdf5, op2_text};

/// Writes a mesh in the format that the file name asks for ([`Format::from_name`]). Collective; the file appears complete
/// or not at all.
///
/// # Errors
/// An unknown extension, a mesh that is not of this case, or [`IoError::Write`].
pub fn write_mesh(comm: &Comm, mesh: &Mesh, case: Case, path: &Path) -> Result<(), IoError> {
    write_mesh_as(comm, mesh, case, path, Format::from_name(path, case)?)
}

/// Writes a mesh in a format. Collective; errors as [`write_mesh`].
pub fn write_mesh_as(
    comm: &Comm,
    mesh: &Mesh,
    case: Case,
    path: &Path,
    format: Format,
) -> Result<(), IoError> {
    let schema = case.schema_of(mesh);
    comm.agree(check_shape(comm, mesh, &schema, path))?;
    if matches!(format, Format::Gmsh | Format::Su2) {
        let what = format!("the format {format} is only read; a mesh can be written as HDF5 (.h5)");
        return Err(IoError::file(path, what));
    }
    // Only Mgcfd has MG-CFD's format, and it has none of OP2's.
    if format != Format::Hdf5 && (case == Case::Mgcfd) != (format == Format::MgCfd) {
        let what = format!("case \"{case}\" has no format {format}; its mesh can be written as HDF5 (.h5)");
        return Err(IoError::file(path, what));
    }
    match format {
        Format::MgCfd => mgcfd_hdf5::write(comm, mesh, &schema, path),
        Format::Hdf5 | Format::Op2Hdf5 => mesh_hdf5::write(comm, mesh, &schema, format, path),
        Format::Op2Text => op2_text::write(comm, mesh, &schema, path),
        Format::Gmsh | Format::Su2 => unreachable!("formats that are only read have been refused"),
    }
}
