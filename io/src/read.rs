//! Reading a mesh file of any known format.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Boundaries, BoundaryKind, Derived, ElementMesh, FAR_FIELD, Given, WALL};

use crate::format::{self, Format, Reading, Request};
use crate::{IoError, validate};

/// What reading a mesh of elements changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Elements that were inside out and have been reoriented.
    pub turned: u64,
    /// Nodes that no element of the domain has, which have been left out.
    pub unused: u64,
    /// Nodes that lay on others where blocks touch, and have become one with them.
    pub merged: u64,
}

/// Reads and validates a mesh; each rank gets its blocks. The format is detected from the content. Collective.
///
/// # Errors
/// The file is missing, truncated, damaged or not a mesh, or the mesh is not usable ([`Derived::check`]; for elements,
/// [`read_element_mesh`]).
pub fn read_mesh(comm: &Comm, path: &Path) -> Result<Given, IoError> {
    const USUAL: [BoundaryKind; 2] = [WALL, FAR_FIELD];
    read_mesh_of(comm, path, &USUAL)
}

/// [`read_mesh`], for a mesh whose flags of boundaries stand for these kinds. Collective.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_mesh_of(comm: &Comm, path: &Path, kinds: &[BoundaryKind]) -> Result<Given, IoError> {
    Ok(read_noted(comm, path, kinds)?.0)
}

/// [`read_mesh_of`], with what reading changed, and the format. Collective.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_noted(
    comm: &Comm,
    path: &Path,
    kinds: &[BoundaryKind],
) -> Result<(Given, Notes, &'static Format), IoError> {
    let (Reading { given, source, notes }, format) = read_located(comm, path)?;
    if let Given::Derived { derived, mesh, .. } = &given {
        validate::validate_at(comm, mesh, derived, &source, kinds)?;
    }
    Ok((given, notes, format))
}

/// Reads a mesh and derives what a scheme computes on, if the file does not hold it already. Collective.
///
/// # Errors
/// Those of [`read_mesh`] and [`Given::prepare`].
pub fn read_derived(
    comm: &Comm,
    path: &Path,
    derived: &'static Derived,
    boundaries: &Boundaries,
) -> Result<Mesh, IoError> {
    let given = read_mesh_of(comm, path, boundaries.kinds)?;
    let prepared = given.prepare(comm, &[derived], boundaries, 1);
    Ok(prepared.map_err(|error| IoError::of_mesh(path, error))?.mesh)
}

/// Reads a mesh of elements; a mesh of derived sets if they tell their elements. Each rank gets its blocks, the same mesh on
/// any number of ranks. Collective.
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
    let given = read_mesh(comm, path)?;
    let about = match &given {
        Given::Derived { derived, .. } => derived.about,
        Given::Elements(_) => "elements",
    };
    let what = || format!("this is a mesh of {about}, which does not tell the elements that it comes from");
    given.elements(comm).ok_or_else(|| IoError::file(path, what()))
}

/// Reads a mesh, validating only types, shapes and index ranges; also returns its format. Collective.
///
/// # Errors
/// Those of [`read_mesh`], except for unusable meshes.
pub fn read_mesh_as_is(comm: &Comm, path: &Path) -> Result<(Given, &'static Format), IoError> {
    read_located(comm, path).map(|(reading, format)| (reading.given, format))
}

fn read_located(comm: &Comm, path: &Path) -> Result<(Reading, &'static Format), IoError> {
    let format::Found { format, derived, is_hdf5 } = format::detect(comm, path)?;
    Ok(((format.read)(comm, &Request { path, is_hdf5, derived })?, format))
}
