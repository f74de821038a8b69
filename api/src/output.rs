//! A solver's results as files, in one call each.

use std::path::Path;

use cfd_engine::backend::BackendError;
use cfd_engine::prelude::*;
use cfd_io::{Array, Digest, Field, IoError, Piece};
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

/// The cells that fields are drawn on.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The kind of the cells. A quadrilateral with one corner twice is drawn as a triangle.
    pub kind: ElementKind,
    /// From cells to corners, in the order of the kind.
    pub corners: AnyMap,
    /// Coordinates of the corners, two or three.
    pub coordinates: AnyDat,
}

impl Grid {
    /// Cells of a kind.
    pub fn new<const N: usize, const D: usize>(
        kind: ElementKind,
        corners: Map<N>,
        coordinates: Dat<D>,
    ) -> Grid {
        Grid { kind, corners: corners.into(), coordinates: coordinates.into() }
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
    if arity != grid.kind.nodes() {
        let (name, nodes) = (grid.kind.name(), grid.kind.nodes());
        return Err(OutputError::Grid(format!("a {name} has {nodes} corners, the map leads to {arity}")));
    }
    if grid.coordinates.set() != nodes || !(2..=3).contains(&dim) {
        let message = "coordinates are two or three components on the set that the map of corners leads to";
        return Err(OutputError::Grid(message.into()));
    }
    let Values::F64(points) = grid.coordinates.read_with_halo(domain)? else {
        return Err(OutputError::Grid("coordinates are of double precision".into()));
    };
    let targets = domain.any_targets(grid.corners);
    let cells_drawn = targets.chunks_exact(arity).map(|cell| drawn(grid.kind, cell));
    let (kinds, corners) = cells_drawn.unzip();
    let mut piece = Piece {
        points: points
            .chunks_exact(dim)
            .map(|row| [row[0], row[1], row.get(2).copied().unwrap_or(0.0)])
            .collect(),
        kinds,
        cells: corners,
        global_ids: domain.global_ids(cells).to_vec(),
        ..Piece::default()
    };
    for &dat in dats {
        let name = domain.name_of(dat).to_string();
        if dat.set() == cells {
            piece.cell_data.push(array(name, dat, dat.read(domain)?));
        } else if dat.set() == nodes {
            piece.point_data.push(array(name, dat, dat.read_with_halo(domain)?));
        } else {
            return Err(OutputError::Grid(format!(
                "\"{name}\" lives neither on the grid's cells nor on their corners"
            )));
        }
    }
    let comm = domain.comm().clone();
    Ok(cfd_io::write_vtu(&comm, directory.as_ref(), stem, &piece)?)
}

/// A cell's kind and corners: a quadrilateral with one corner twice in a row is a triangle.
fn drawn(kind: ElementKind, cell: &[u32]) -> (ElementKind, Vec<u32>) {
    let mut corners = cell.to_vec();
    if kind == ElementKind::Quadrilateral {
        corners.dedup();
        if corners.len() > 3 && corners.first() == corners.last() {
            corners.pop();
        }
        if corners.len() == 3 {
            return (ElementKind::Triangle, corners);
        }
    }
    (kind, cell.to_vec())
}

fn array(name: String, dat: AnyDat, values: Values) -> Array {
    Array { name, dim: dat.dim(), components: Vec::new(), values }.in_space()
}
