//! Writing a mesh file of any known format.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Derived, ElementMesh, Given};

use crate::IoError;
use crate::format::{Format, Holds, Writer, written};
use crate::source::{MeshSource, dataset};

/// Writes a mesh of derived sets in the format implied by the file name ([`Format::from_name`]). Collective; the file appears
/// complete or not at all.
///
/// # Errors
/// An unknown extension, a mesh that has not these sets, or [`IoError::Write`].
pub fn write_mesh(comm: &Comm, mesh: &Mesh, derived: &'static Derived, path: &Path) -> Result<(), IoError> {
    let given = Given::derived(derived, mesh.clone());
    write_given(comm, &given, path, Format::from_name(path, Holds::of(&given))?)
}

/// Writes a mesh of elements in the format implied by the file name, with the names of its groups. Collective.
///
/// # Errors
/// An unknown extension, or [`IoError::Write`].
pub fn write_element_mesh(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    let format = Format::from_name(path, Holds::Elements)?;
    write_given(comm, &Given::Elements(mesh.clone()), path, format)
}

/// Writes a mesh in a format. Collective.
///
/// # Errors
/// Those of [`write_mesh`]; a read-only format, or one without such meshes.
pub fn write_given(comm: &Comm, given: &Given, path: &Path, format: &Format) -> Result<(), IoError> {
    let holds = Holds::of(given);
    if let Given::Derived { derived, mesh, .. } = given {
        let shapes = cfd_mesh::derive::values::shapes(comm, mesh, &derived.schema_of(mesh).tables);
        comm.agree(shapes.map_err(|defect| MeshSource::new(path, dataset).defect(defect)))?;
    }
    match (format.write, given) {
        (None, _) => {
            let what =
                format!("the format {format} is read-only; a mesh can be written as {}", written(holds));
            Err(IoError::file(path, what))
        }
        (Some(Writer::Elements(write)), Given::Elements(elements)) => write(comm, elements, path),
        (Some(Writer::Derived(write)), Given::Derived { derived, .. }) if format.can_hold(holds) => {
            write(comm, derived, given, path)
        }
        (Some(_), _) => {
            let what = format!(
                "a mesh of {holds} cannot be written as {format}; it can be written as {}",
                written(holds)
            );
            Err(IoError::file(path, what))
        }
    }
}
