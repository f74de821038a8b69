//! A solver's results as files, in one call each.

use std::path::Path;

use cfd_engine::backend::BackendError;
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use cfd_io::{Array, Digest, Field, FieldData, IoError, Piece, to_blocks};

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
        let data = owned(domain, dat)?;
        let block = to_blocks(&comm, &data);
        fields.push(Field { name: data.name, dim: data.dim, rows: data.rows, block });
    }
    cfd_io::write_solution(&comm, path.as_ref(), &[], &fields)?;
    let mut digests = Vec::new();
    for Field { name, dim, rows, block } in &fields {
        digests.push(cfd_io::field_hash(&comm, name, *dim, *rows, block)?);
    }
    Ok(cfd_io::solution_hash(&digests))
}

/// The cells that fields are drawn on: a map from the cells to their corners, two to four in order around the cell, and the
/// corners' coordinates, of two or three components.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// From cells to corners.
    pub corners: AnyMap,
    /// Coordinates of the corners.
    pub coordinates: AnyDat,
}

impl Grid {
    /// Cells of `N` corners at `D` coordinates.
    pub fn new<const N: usize, const D: usize>(corners: Map<N>, coordinates: Dat<D>) -> Grid {
        Grid { corners: corners.into(), coordinates: coordinates.into() }
    }
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
    grid: Grid,
    dats: &[AnyDat],
) -> Result<String, OutputError> {
    let (cells, nodes, arity) = (grid.corners.from(), grid.corners.to(), grid.corners.arity());
    let dim = grid.coordinates.dim();
    if !(2..=4).contains(&arity) {
        return Err(OutputError::Grid(format!("cells have two to four corners, the map leads to {arity}")));
    }
    if grid.coordinates.set() != nodes || !(2..=3).contains(&dim) {
        let message = "coordinates are two or three components on the set that the map of corners leads to";
        return Err(OutputError::Grid(message.into()));
    }
    let points = with_halo(domain, grid.coordinates)?;
    let targets = domain.any_targets(grid.corners);
    let corners = |cell: &[u32]| {
        let mut corners = cell.to_vec();
        corners.dedup();
        if corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        corners
    };
    let mut piece = Piece {
        points: points
            .chunks_exact(dim)
            .map(|row| [row[0], row[1], row.get(2).copied().unwrap_or(0.0)])
            .collect(),
        cells: targets.chunks_exact(arity).map(corners).collect(),
        global_ids: domain.global_ids(cells).to_vec(),
        ..Piece::default()
    };
    for &dat in dats {
        let name = domain.name_of(dat).to_string();
        if dat.set() == cells {
            piece.cell_data.push(array(name, dat, dat.read_f64(domain)?));
        } else if dat.set() == nodes {
            let values = with_halo(domain, dat)?;
            piece.point_data.push(array(name, dat, values));
        } else {
            return Err(OutputError::Grid(format!(
                "\"{name}\" lives neither on the grid's cells nor on their corners"
            )));
        }
    }
    let comm = domain.comm().clone();
    Ok(cfd_io::write_vtu(&comm, directory.as_ref(), stem, &piece)?)
}

/// A dat as ParaView takes it: vectors have three components, and a fourth or more none that has a name.
fn array(name: String, dat: AnyDat, values: Vec<f64>) -> Array {
    let (dim, values) = match dat.dim() {
        2 => (3, values.chunks_exact(2).flat_map(|row| [row[0], row[1], 0.0]).collect()),
        dim => (dim, values),
    };
    Array { name, dim, components: Vec::new(), values }
}

/// The owned rows of a dat.
fn owned(domain: &mut Domain, dat: AnyDat) -> Result<FieldData, BackendError> {
    let set = dat.set();
    Ok(FieldData {
        name: domain.name_of(dat).to_string(),
        dim: dat.dim(),
        rows: domain.rows(set),
        values: dat.read_f64(domain)?,
        global_ids: domain.global_ids(set).to_vec(),
    })
}

/// All rows that this rank has, as double precision.
fn with_halo(domain: &mut Domain, dat: AnyDat) -> Result<Vec<f64>, BackendError> {
    Ok(match dat.read_with_halo(domain)? {
        Values::F64(values) => values,
        Values::I32(values) => values.into_iter().map(f64::from).collect(),
    })
}
