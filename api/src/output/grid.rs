//! The cells that dats are drawn on, as files for ParaView and VisIt.

use std::path::Path;

use cfd_engine::mesh::{Blocks, rows_to_blocks};
use cfd_engine::prelude::*;
use cfd_io::{Array, CellList, Datum, FieldData, GlobalGrid, Piece, to_blocks};
use cfd_topology::ElementKind;

use super::{OutputError, TimeLevel};

/// The cells that dats are drawn on, and the names of the dats' components.
#[derive(Clone, Debug)]
pub struct Grid {
    kind: ElementKind,
    corners: AnyMap,
    coordinates: AnyDat,
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
        Grid { kind, corners: corners.into(), coordinates: coordinates.into(), components: Vec::new() }
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
        let (arity, kind) = (self.corners.arity(), self.kind);
        if arity != kind.nodes() {
            let (name, nodes) = (kind.name(), kind.nodes());
            return Err(OutputError::Grid(format!("a {name} has {nodes} corners, the map leads to {arity}")));
        }
        let (coordinates, dims) = (self.coordinates, 2..=3);
        if coordinates.set() != self.corners.to() || !dims.contains(&coordinates.dim()) {
            let message =
                "coordinates are two or three components on the set that the map of corners leads to";
            return Err(OutputError::Grid(message.into()));
        }
        if coordinates.element_type() != ElementType::F64 {
            return Err(OutputError::Grid("coordinates are of double precision".into()));
        }
        Ok(())
    }

    /// This rank's own cells, with the dats on them and on their corners.
    #[track_caller]
    fn piece(&self, domain: &mut Domain, dats: &[AnyDat]) -> Result<Piece, OutputError> {
        self.check()?;
        let coordinates = self.coordinates.read_with_halo(domain)?;
        let targets = domain.any_targets(self.corners);
        let (kinds, cells) =
            targets.chunks_exact(self.corners.arity()).map(|cell| drawn(self.kind, cell)).unzip();
        let mut piece = Piece {
            points: in_space(&coordinates, self.coordinates.dim()),
            kinds,
            cells,
            global_ids: domain.global_ids(self.corners.from()).to_vec(),
            ..Piece::default()
        };
        for &dat in dats {
            match self.place(domain, dat)? {
                Place::Cells => {
                    let values = dat.read(domain)?;
                    piece.cell_data.extend(self.arrays(domain, dat, values));
                }
                Place::Corners => {
                    let values = dat.read_with_halo(domain)?;
                    piece.point_data.extend(self.arrays(domain, dat, values));
                }
            }
        }
        Ok(piece)
    }

    /// This rank's block of all cells in global order, with the dats on them and on their corners.
    #[track_caller]
    pub(super) fn global(&self, domain: &mut Domain, dats: &[AnyDat]) -> Result<GlobalGrid, OutputError> {
        self.check()?;
        let comm = domain.comm().clone();
        let (set, arity) = (self.corners.from(), self.corners.arity());
        let rows = domain.rows(set);
        let (targets, ids) = (domain.any_target_ids(self.corners), domain.global_ids(set));
        let targets = rows_to_blocks(&comm, "cells", Blocks::new(rows, comm.size()), arity, ids, &targets);
        let (kinds, nodes): (Vec<ElementKind>, Vec<Vec<u64>>) =
            targets.chunks_exact(arity).map(|cell| drawn(self.kind, cell)).unzip();
        let coordinates = FieldData::owned(domain, "coordinates", self.coordinates)?;
        let points = to_blocks(&comm, &coordinates).into_values();
        let mut grid = GlobalGrid {
            dimension: coordinates.dim,
            points: coordinates.rows,
            x: in_space(&Values::F64(points), coordinates.dim).concat(),
            cells: vec![CellList { name: "cells", rows, kinds, nodes: nodes.concat(), groups: Vec::new() }],
            ..GlobalGrid::default()
        };
        for &dat in dats {
            let place = self.place(domain, dat)?;
            let name = domain.name_of(dat).to_string();
            let values = to_blocks(&comm, &FieldData::owned(domain, &name, dat)?).into_values();
            let values = match dat.element_type() {
                ElementType::F64 => Values::F64(values),
                ElementType::I32 => Values::I32(values.into_iter().map(|value| value as i32).collect()),
            };
            let arrays = self.arrays(domain, dat, values);
            match place {
                Place::Cells => grid.cell_data.extend(arrays),
                Place::Corners => grid.point_data.extend(arrays),
            }
        }
        Ok(grid)
    }

    fn place(&self, domain: &Domain, dat: AnyDat) -> Result<Place, OutputError> {
        match dat.set() {
            set if set == self.corners.from() => Ok(Place::Cells),
            set if set == self.corners.to() => Ok(Place::Corners),
            _ => {
                let name = domain.name_of(dat);
                let what = format!("\"{name}\" lives neither on the grid's cells nor on their corners");
                Err(OutputError::Grid(what))
            }
        }
    }

    fn arrays(&self, domain: &Domain, dat: AnyDat, values: Values) -> Vec<Array> {
        let named = self.components.iter().find(|(other, _)| *other == dat);
        let components = named.map_or(&[][..], |(_, names)| names);
        Array::of_field(domain.name_of(dat), components, dat.dim(), values)
    }
}

/// What a dat is drawn on.
enum Place {
    Cells,
    Corners,
}

/// Points in space; those in the plane at height 0.
fn in_space(coordinates: &Values, dim: usize) -> Vec<[f64; 3]> {
    let Values::F64(coordinates) = coordinates else { unreachable!("coordinates are checked") };
    let point = |row: &[f64]| [row[0], row[1], row.get(2).copied().unwrap_or(0.0)];
    coordinates.chunks_exact(dim).map(point).collect()
}

/// A cell's kind and corners: a quadrilateral with one corner twice in a row is a triangle.
fn drawn<T: Copy + PartialEq>(kind: ElementKind, cell: &[T]) -> (ElementKind, Vec<T>) {
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

/// The time level as data of a file.
pub(super) fn known(level: TimeLevel) -> Vec<Datum> {
    vec![Datum::number("TimeValue", level.time), Datum::count("step", level.step)]
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
    let mut piece = grid.piece(domain, dats)?;
    piece.field_data = known(level);
    let comm = domain.comm().clone();
    Ok(cfd_io::write_vtu(&comm, directory.as_ref(), stem, &piece)?)
}
