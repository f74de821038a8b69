//! A solver's results as files, in one call each.

use std::path::Path;

use cfd_engine::backend::BackendError;
use cfd_engine::prelude::*;
use cfd_io::{Array, Digest, DomainCells, Field, Grid, IoError};
use cfd_mesh::ElementKind;

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The file system or the HDF5 library refuses.
    #[error(transparent)]
    Io(#[from] IoError),
    /// What should be drawn does not fit together.
    #[error("{0}")]
    Grid(String),
}

/// Writes dats to an HDF5 file, each a dataset of its name and of shape (rows, components) in the order of global ids, and
/// gives the solution's hash: the same on any number of ranks and threads where the bits are. Integers are stored as double
/// precision, in which they stand exactly. The file appears complete or not at all. Collective.
///
/// `h5py.File(path)["q"][...]` reads a dataset in Python.
///
/// # Errors
/// A device has failed; the file cannot be written.
#[track_caller]
pub fn save(domain: &mut Domain, path: impl AsRef<Path>, dats: &[AnyDat]) -> Result<Digest, OutputError> {
    let comm = domain.comm().clone();
    let mut fields = Vec::new();
    for &dat in dats {
        let name = domain.name_of(dat).to_string();
        fields.push(Field::of(domain, &name, dat)?);
    }
    cfd_io::write_solution(&comm, path.as_ref(), &[], &fields)?;
    let digests: Result<Vec<Digest>, IoError> = fields.iter().map(|field| field.hash(&comm)).collect();
    Ok(cfd_io::solution_hash(&digests?))
}

/// The cells of a domain: what fields are drawn on. A quadrilateral with one corner twice is drawn as a triangle.
///
/// `corners` leads from cells to corners, in the order of `kind`; `coordinates` has two or three of each corner.
pub fn cells<const N: usize, const D: usize>(
    kind: ElementKind,
    corners: Map<N>,
    coordinates: Dat<D>,
) -> DomainCells {
    DomainCells { kind, corners: corners.into(), ring: None, coordinates: coordinates.into() }
}

/// Writes a VTK file for ParaView and VisIt, `DIRECTORY/STEM.vtu`, or with several ranks one for each and `STEM.pvtu`, which
/// lists them; gives the name of the file to open. Dats are drawn on the grid's cells or corners, whichever they live on.
/// Collective.
///
/// # Errors
/// A dat lives on neither, or the grid does not fit together; a device has failed; a file cannot be written.
#[track_caller]
pub fn write_vtu(
    domain: &mut Domain,
    directory: impl AsRef<Path>,
    stem: &str,
    cells: DomainCells,
    dats: &[AnyDat],
) -> Result<String, OutputError> {
    let (arity, dim) = (cells.corners.arity(), cells.coordinates.dim());
    if arity != cells.kind.nodes() {
        let (name, nodes) = (cells.kind.name(), cells.kind.nodes());
        return Err(OutputError::Grid(format!("a {name} has {nodes} corners, the map leads to {arity}")));
    }
    if cells.coordinates.set() != cells.nodes() || !(2..=3).contains(&dim) {
        let message = "coordinates are two or three components on the set that the map of corners leads to";
        return Err(OutputError::Grid(message.into()));
    }
    let comm = domain.comm().clone();
    let mut grid = Grid::of_cells(&comm, domain, &cells)?;
    for &dat in dats {
        let array = Array::of(domain, dat)?.in_space();
        if dat.set() == cells.set() {
            grid.cell_data.push(array);
        } else if dat.set() == cells.nodes() {
            grid.point_data.push(array);
        } else {
            return Err(OutputError::Grid(format!(
                "\"{}\" lives neither on the grid's cells nor on their corners",
                array.name
            )));
        }
    }
    Ok(cfd_io::write_vtu(&comm, directory.as_ref(), stem, &grid.piece(&comm))?)
}
