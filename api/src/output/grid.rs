//! The cells that dats are drawn on, as files for ParaView and VisIt.

use std::path::Path;

use cfd_engine::prelude::*;
use cfd_io::{Array, Datum, DomainCells};
use cfd_mesh::ElementKind;

use super::{OutputError, TimeLevel};

/// The cells that dats are drawn on, and the names of the dats' components.
#[derive(Clone, Debug)]
pub struct Grid {
    cells: DomainCells,
    components: Vec<(AnyDat, Vec<String>)>,
}

impl Grid {
    /// Cells of a kind, the map to their corners in the order of the kind, and the corners' coordinates, two or three. A
    /// quadrilateral with one corner twice is drawn as a triangle.
    pub fn new<const N: usize, const D: usize>(
        kind: ElementKind,
        corners: Map<N>,
        coordinates: Dat<D>,
    ) -> Grid {
        let cells =
            DomainCells { kind, corners: corners.into(), ring: None, coordinates: coordinates.into() };
        Grid { cells, components: Vec::new() }
    }

    /// Names the components of a dat. Those that are the coordinates of a vector (`momentum_x`, `momentum_y`) are drawn as
    /// one; the others are arrays of their own, under these names.
    ///
    /// ```
    /// # use cfd_api::prelude::*;
    /// # fn of(corners: Map<4>, x: Dat<2>, q: Dat<4>) -> Grid {
    /// Grid::new(ElementKind::Quadrilateral, corners, x)
    ///     .components(q, ["density", "momentum_x", "momentum_y", "energy"])
    /// # }
    /// ```
    pub fn components<const D: usize, T: cfd_engine::Stored>(
        mut self,
        dat: Dat<D, T>,
        names: [&str; D],
    ) -> Grid {
        self.components.push((dat.into(), names.map(String::from).to_vec()));
        self
    }

    /// An error if cells, corners and coordinates do not fit together.
    fn check(&self) -> Result<(), OutputError> {
        let DomainCells { corners, kind, coordinates, .. } = self.cells;
        let refuse = |what: String| Err(OutputError::Grid(what));
        if corners.arity() != kind.nodes() {
            let (name, nodes) = (kind.name(), kind.nodes());
            return refuse(format!("a {name} has {nodes} corners, the map leads to {}", corners.arity()));
        }
        if coordinates.set() != corners.to() || !(2..=3).contains(&coordinates.dim()) {
            let what = "coordinates are two or three components on the set that the map of corners leads to";
            return refuse(what.into());
        }
        if coordinates.element_type() != ElementType::F64 {
            return refuse("coordinates are of double precision".into());
        }
        Ok(())
    }

    /// The cells with the dats on them and on their corners, each rank its blocks. Collective.
    #[track_caller]
    pub(super) fn filled(
        &self,
        domain: &mut Domain,
        level: TimeLevel,
        dats: &[AnyDat],
    ) -> Result<cfd_io::Grid, OutputError> {
        self.check()?;
        let comm = domain.comm().clone();
        let mut grid = cfd_io::Grid::of_cells(&comm, domain, &self.cells)?;
        grid.field_data = vec![Datum::number("TimeValue", level.time), Datum::count("step", level.step)];
        for &dat in dats {
            let Array { name, values, .. } = Array::of(domain, dat)?;
            let named = self.components.iter().find(|(other, _)| *other == dat);
            let components = named.map_or(&[][..], |(_, names)| names);
            let arrays = Array::of_field(&name, components, dat.dim(), values);
            if dat.set() == self.cells.set() {
                grid.cell_data.extend(arrays);
            } else if dat.set() == self.cells.nodes() {
                grid.point_data.extend(arrays);
            } else {
                let what = format!("\"{name}\" lives neither on the grid's cells nor on their corners");
                return Err(OutputError::Grid(what));
            }
        }
        Ok(grid)
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
    level: TimeLevel,
    grid: &Grid,
    dats: &[AnyDat],
) -> Result<String, OutputError> {
    let comm = domain.comm().clone();
    let piece = grid.filled(domain, level, dats)?.piece(&comm);
    Ok(cfd_io::write_vtu(&comm, directory.as_ref(), stem, &piece)?)
}
