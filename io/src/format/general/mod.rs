//! Meshes of any sets, maps and dats in HDF5: meshes of elements, and what solvers of one's own read.
//!
//! ```text
//! sets/NAME   one integer: the elements of a set
//! maps/NAME   (rows of the source set, arity): i32 where the target set has fewer than 2^31 elements, else i64;
//!             attributes `from` and `to`, names of sets
//! dats/NAME   (rows of the set, dim): f64 or i32; attribute `set`
//! groups/     names of groups of elements, of meshes that have some: datasets `dimension`, `id`, `name`, a row a name
//! ```
//!
//! Sets, maps and dats have the attribute `index`, their position among their kind in the mesh. The file has the
//! attributes `layout` ("general") and `schema` (1).
//!
//! ```text
//! write      checks a mesh and writes it
//! read       finds out what a file has and reads it
//! elements   a mesh of elements in such a file
//! ```

mod elements;
mod read;
mod write;

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Content, Groups, Table};

pub(crate) use self::read::{groups, read};
pub(crate) use self::write::write;
use super::tables::{Layout, Single};
use super::{Format, Holds, Signs, Start, Writer};
use crate::IoError;
use crate::hdf5_file::Hdf5File;
use crate::source::dataset;

/// The project's HDF5 for meshes of elements.
pub static GENERAL: Format = Format {
    name: "HDF5",
    option: "h5",
    endings: &[".h5", ".hdf5"],
    derived: &[],
    signs: Signs { hdf5: Some("the attribute `layout`"), other: None },
    dataset,
    detect: |start| match &start.hdf5 {
        Some(file) => Ok(is_general(file)?.then_some(Holds::Elements)),
        None => Ok(None),
    },
    read: |comm, request| elements::read(comm, request.path),
    write: Some(Writer::Elements(|comm, mesh, path| write(comm, &mesh.mesh, &mesh.groups, path))),
};

const LAYOUT: Layout = Layout { dataset, set_size: None, single: Single::Column, op2_attributes: false };

/// The attribute `layout`.
const NAME: &str = "general";

/// Version of the layout, the attribute `schema`.
const SCHEMA: i32 = 1;

/// How deeply names may be nested in groups: `a/b/c/d` is allowed.
const DEEPEST: usize = 3;

/// The maximum number of group names, which every rank holds.
const MOST_NAMES: u64 = 1 << 20;

/// Whether a file has this layout.
pub(super) fn is_general(file: &Hdf5File) -> Result<bool, IoError> {
    Ok(file.text_attribute("layout")?.as_deref() == Some(NAME))
}

/// Whether a file is HDF5 in the layout of [`write_any_mesh`]. Collective.
///
/// # Errors
/// The file cannot be read; the same on every rank.
pub fn is_any_mesh(comm: &Comm, path: &Path) -> Result<bool, IoError> {
    let look = || {
        let start = Start::of(path)?;
        start.hdf5.as_ref().map_or(Ok(false), is_general)
    };
    // One rank looks, so not all ranks query a parallel file system at once.
    let found = comm.agree(if comm.is_root() { look().map(Some) } else { Ok(None) })?;
    Ok(comm.broadcast(0, found))
}

/// Writes a mesh of any sets, maps and dats as HDF5, each rank its block; `docs/mesh-formats.md` has the layout.
/// Collective; the file appears complete or not at all.
///
/// # Errors
/// An inconsistent mesh, names that no file can have, or [`IoError::Write`]; the same on every rank.
pub fn write_any_mesh(comm: &Comm, mesh: &Mesh, path: &Path) -> Result<(), IoError> {
    write(comm, mesh, &Groups::default(), path)
}

/// Reads a mesh written by [`write_any_mesh`], on any number of ranks; for a mesh of elements, without the names of its
/// groups. Collective.
///
/// # Errors
/// The file is missing, damaged or of another layout: something missing, of the wrong type or shape, or an index out of
/// range, with dataset and row; the same on every rank.
pub fn read_any_mesh(comm: &Comm, path: &Path) -> Result<Mesh, IoError> {
    Ok(read(comm, path)?.0)
}

/// A map or dat of a mesh: `kind` is its group in files.
pub(crate) fn table(kind: &str, name: &str, set: String, dim: usize, content: Content) -> Table {
    Table { name: name.into(), set, dim, content, dataset: format!("{kind}/{name}") }
}
