//! Reading a mesh file of any known format.

use std::io::Read;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_engine::mesh::Mesh;

use crate::IoError;
use crate::place::Place;
use crate::schema::{Case, Format};
use crate::{Boundaries, mesh_hdf5, mgcfd_hdf5, mgcfd_input, op2_text, outside, validate};

/// What every HDF5 file begins with.
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Reads and validates a mesh; each rank gets its blocks. The format is found from the content. Collective.
///
/// # Errors
/// The file is missing, truncated, damaged or not a mesh, its case is not supported, or the mesh is not usable (see
/// [`crate::validate()`]).
pub fn read_mesh(comm: &Comm, path: &Path) -> Result<(Case, Mesh), IoError> {
    read_mesh_with(comm, path, &Boundaries::default())
}

/// [`read_mesh`], with names of boundaries for files that have them: Gmsh's and SU2's. Collective.
///
/// # Errors
/// As [`read_mesh`]; a name that does not fit the file, or any name for a file of another format.
pub fn read_mesh_with(comm: &Comm, path: &Path, boundaries: &Boundaries) -> Result<(Case, Mesh), IoError> {
    let (case, mesh, place) = read_located(comm, path, boundaries)?.0;
    validate::validate_at(comm, &mesh, case, &place)?;
    Ok((case, mesh))
}

/// Reads a mesh without validating more than types, shapes and index ranges; also says which format it has. Collective.
pub fn read_mesh_as_is(comm: &Comm, path: &Path) -> Result<(Case, Format, Mesh), IoError> {
    let ((case, mesh, _), format) = read_located(comm, path, &Boundaries::default())?;
    Ok((case, format, mesh))
}

type Located = (Case, Mesh, Place);

fn read_located(comm: &Comm, path: &Path, boundaries: &Boundaries) -> Result<(Located, Format), IoError> {
    // One rank looks first, so that a missing file is one question to the file system.
    let found = if comm.is_root() { detect(path).map(Some) } else { Ok(None) };
    let (case, format, is_hdf5) = comm.broadcast(0, comm.agree(found)?);
    if !boundaries.is_empty() && !matches!(format, Format::Gmsh | Format::Su2) {
        let what = format!(
            "names of boundaries (boundaries.wall, boundaries.far_field) mean nothing for {format}, which says of each \
             boundary edge what it is; remove them"
        );
        return Err(IoError::file(path, what));
    }
    let (mesh, place) = match format {
        Format::Hdf5 | Format::Op2Hdf5 => mesh_hdf5::read(comm, case, format, path)?,
        Format::Op2Text => op2_text::read(comm, &case.schema(1), path)?,
        Format::MgCfd => mgcfd_hdf5::read(comm, path, is_hdf5)?,
        Format::Gmsh | Format::Su2 => outside::read(comm, format, path, boundaries)?,
    };
    Ok(((case, mesh, place), format))
}

/// Case, format, and whether the file is HDF5 itself.
fn detect(path: &Path) -> Result<(Case, Format, bool), IoError> {
    let failed = |e: std::io::Error| IoError::read(path, e);
    let mut start = Vec::new();
    given::open(path, "a mesh file")
        .and_then(|file| file.take(256).read_to_end(&mut start))
        .map_err(failed)?;
    if start.starts_with(HDF5_SIGNATURE) {
        return mesh_hdf5::detect(path).map(|(case, format)| (case, format, true));
    }
    if outside::is_gmsh(&start) {
        return Ok((Case::Airfoil, Format::Gmsh, false));
    }
    if outside::is_su2(&start) {
        return Ok((Case::Airfoil, Format::Su2, false));
    }
    if mgcfd_input::detect(&start) {
        return Ok((Case::Mgcfd, Format::MgCfd, false));
    }
    let first_line = start.split(|&b| b == b'\n').next().unwrap_or_default();
    let case = op2_text::detect(first_line).ok_or_else(|| {
        IoError::file(
            path,
            "this is not a mesh file; expected HDF5, or OP2's text, which begins with the numbers of nodes, cells, and edges and boundary edges or far-field nodes, or MG-CFD's input.dat, or a mesh of Gmsh (4.1) or SU2",
        )
    })?;
    Ok((case, Format::Op2Text, false))
}
