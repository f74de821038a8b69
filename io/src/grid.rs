//! Grids with fields, as files and pictures show them: one description for all of them.

use std::ops::Range;

use bytemuck::Pod;
use cfd_engine::backend::BackendError;
use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::handle::Set;
use cfd_engine::mesh::{Blocks, Values, fetch_rows, rows_to_blocks};
use cfd_engine::prelude::{AnyDat, AnyMap};
use cfd_mesh::{Derived, ElementKind, ElementMesh, Groups};

use crate::field::{FieldData, block_of, to_blocks};

/// A grid with its fields, each rank holding its blocks of rows in global order ([`Blocks`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Meaningful coordinates of a point: two in the plane, otherwise three.
    pub dimension: usize,
    /// Number of points over all ranks.
    pub points: u64,
    /// Coordinates of this rank's points, three each.
    pub x: Vec<f64>,
    /// The cells, list by list.
    pub cells: Vec<CellList>,
    /// Values on points.
    pub point_data: Vec<Array>,
    /// Values on cells: of this rank's cells, list by list.
    pub cell_data: Vec<Array>,
    /// Global data; the same on every rank.
    pub field_data: Vec<Datum>,
    /// Names of the groups of cells, so that the grid can be read as a mesh; the same on every rank.
    pub groups: Groups,
}

/// Cells in global order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellList {
    /// Their name in a solution file.
    pub name: &'static str,
    /// Number of cells over all ranks.
    pub rows: u64,
    /// The kind of each of this rank's cells.
    pub kinds: Vec<ElementKind>,
    /// Their corners, points in the order of the kind, cell by cell.
    pub nodes: Vec<u64>,
    /// The group of each; empty if they have none.
    pub groups: Vec<i32>,
}

/// Names in a solution file of the cells that fill the domain, and of those on its boundary.
pub(crate) const LISTS: [&str; 2] = ["connectivity", "surface"];

/// One rank's part of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// Coordinates of the points.
    pub points: Vec<[f64; 3]>,
    /// Global ids of the points.
    pub point_ids: Vec<u64>,
    /// The kind of each cell.
    pub kinds: Vec<ElementKind>,
    /// Corners of each cell, points in the order of its kind.
    pub cells: Vec<Vec<u32>>,
    /// Global ids of the cells.
    pub global_ids: Vec<u64>,
    /// Values on points.
    pub point_data: Vec<Array>,
    /// Values on cells.
    pub cell_data: Vec<Array>,
    /// Global data; the same on every rank.
    pub field_data: Vec<Datum>,
    /// Names of the groups of cells; the same on every rank.
    pub groups: Groups,
}

/// Cells in a domain.
#[derive(Clone, Copy, Debug)]
pub struct DomainCells {
    /// From cells to corners.
    pub corners: AnyMap,
    /// The kind of the cells; a quadrilateral with one corner twice in a row is a triangle.
    pub kind: ElementKind,
    /// The order around a quadrilateral, if the map does not have it.
    pub ring: Option<[usize; 4]>,
    /// Coordinates of the corners, two or three.
    pub coordinates: AnyDat,
}

impl DomainCells {
    /// The cells that are shown of derived sets.
    ///
    /// # Errors
    /// The domain lacks them.
    pub fn of(domain: &Domain, derived: &Derived) -> Result<DomainCells, DomainError> {
        let cells = derived.cells;
        let corners = domain.any_map(cells.corners)?;
        let kind = match corners.arity() {
            2 => ElementKind::Line,
            3 => ElementKind::Triangle,
            8 => ElementKind::Hexahedron,
            _ => ElementKind::Quadrilateral,
        };
        Ok(DomainCells { corners, kind, ring: cells.ring, coordinates: domain.any_dat(cells.coordinates)? })
    }

    /// The set of the cells.
    pub fn set(&self) -> Set {
        self.corners.from()
    }

    /// The set of their corners.
    pub fn nodes(&self) -> Set {
        self.corners.to()
    }

    /// A cell's kind, and its corners in the order of the kind.
    fn cell(&self, corners: &[u64]) -> (ElementKind, Vec<u64>) {
        let mut around = match self.ring {
            Some(ring) => ring.map(|place| corners[place]).to_vec(),
            None => corners.to_vec(),
        };
        if self.kind == ElementKind::Quadrilateral {
            around.dedup();
            if around.len() > 3 && around.first() == around.last() {
                around.pop();
            }
            if around.len() == 3 {
                return (ElementKind::Triangle, around);
            }
        }
        (self.kind, around)
    }
}

impl Grid {
    /// The cells of a domain, without fields. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn of_cells(comm: &Comm, domain: &mut Domain, cells: &DomainCells) -> Result<Grid, BackendError> {
        let map = cells.corners;
        let rows = domain.rows(cells.set());
        let targets = domain.any_target_ids(map);
        let blocks = Blocks::new(rows, comm.size());
        let ids = domain.global_ids(cells.set());
        let targets = rows_to_blocks(comm, "corners", blocks, map.arity(), ids, &targets);
        let (kinds, nodes): (Vec<ElementKind>, Vec<Vec<u64>>) =
            targets.chunks_exact(map.arity()).map(|corners| cells.cell(corners)).unzip();
        let list = CellList { name: LISTS[0], rows, kinds, nodes: nodes.concat(), groups: Vec::new() };
        let coordinates = FieldData::owned(domain, "coordinates", cells.coordinates)?;
        Ok(Grid { cells: vec![list], ..Grid::of_points(comm, &coordinates) })
    }

    /// Points without cells.
    fn of_points(comm: &Comm, coordinates: &FieldData) -> Grid {
        Grid {
            dimension: coordinates.dim,
            points: coordinates.rows,
            x: to_blocks(comm, coordinates)
                .values()
                .chunks_exact(coordinates.dim)
                .flat_map(in_space)
                .collect(),
            ..Grid::default()
        }
    }

    /// The elements of a mesh: those that fill the domain, then those on its boundary; without fields but for their
    /// dimension and their group. With `surfaces`, of a mesh in space only the boundary. Collective.
    pub fn of_elements(comm: &Comm, mesh: &ElementMesh, surfaces: bool) -> Grid {
        let dimension = mesh.dimension();
        let mut grid = Grid {
            dimension,
            points: mesh.node_blocks(comm).rows,
            x: mesh.x().chunks_exact(dimension).flat_map(in_space).collect(),
            groups: mesh.groups.clone(),
            ..Grid::default()
        };
        for boundary in [false, true] {
            if surfaces && !boundary && dimension == 3 {
                continue;
            }
            let mut list = CellList { name: LISTS[usize::from(boundary)], ..CellList::default() };
            let lists = mesh.elements();
            let lists: Vec<_> = lists.iter().filter(|list| list.boundary == boundary).collect();
            list.rows = lists.iter().map(|of_kind| of_kind.rows).sum();
            if list.rows == 0 {
                continue;
            }
            let ids = places(comm, mesh, boundary);
            let mut rows = Vec::new();
            for of_kind in lists {
                for (corners, &group) in of_kind.nodes.chunks_exact(of_kind.kind.nodes()).zip(of_kind.groups)
                {
                    let mut row = [0; 2 + ElementKind::MOST_NODES];
                    (row[0], row[1]) = (of_kind.kind as u64, u64::from(group.cast_unsigned()));
                    row[2..2 + corners.len()].copy_from_slice(corners);
                    rows.extend(row);
                }
            }
            const WIDTH: usize = 2 + ElementKind::MOST_NODES;
            let blocks = Blocks::new(list.rows, comm.size());
            for row in rows_to_blocks(comm, "elements", blocks, WIDTH, &ids, &rows).as_chunks::<WIDTH>().0 {
                let kind = ElementKind::ALL[row[0] as usize];
                list.kinds.push(kind);
                list.groups.push((row[1] as u32).cast_signed());
                list.nodes.extend(&row[2..2 + kind.nodes()]);
            }
            grid.cells.push(list);
        }
        let kinds = grid.cells.iter().flat_map(|list| &list.kinds);
        let dimensions = kinds.map(|kind| kind.dimension() as i32).collect();
        let groups = grid.cells.iter().flat_map(|list| &list.groups).copied().collect();
        grid.cell_data.push(Array::integers("dimension", dimensions));
        grid.cell_data.push(Array::integers("group", groups));
        grid
    }

    /// This rank's blocks of the cells, with the points that they touch. Collective.
    pub fn piece(&self, comm: &Comm) -> Piece {
        let mut ids: Vec<u64> = self.cells.iter().flat_map(|list| &list.nodes).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        assert!(u32::try_from(ids.len()).is_ok(), "fewer than 2^32 points on a rank");
        let blocks = Blocks::new(self.points, comm.size());
        let x = fetch_rows(comm, blocks, 3, &self.x, &ids);
        let mut piece = Piece {
            points: x.as_chunks::<3>().0.to_vec(),
            cell_data: self.cell_data.clone(),
            field_data: self.field_data.clone(),
            groups: self.groups.clone(),
            ..Piece::default()
        };
        let mut before = 0;
        for list in &self.cells {
            let mut nodes = list.nodes.iter();
            for &kind in &list.kinds {
                let corners = nodes.by_ref().take(kind.nodes());
                let local = |node: &u64| ids.binary_search(node).expect("it is listed") as u32;
                piece.cells.push(corners.map(local).collect());
            }
            piece.kinds.extend(&list.kinds);
            let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
            piece.global_ids.extend(own.map(|row| before + row));
            before += list.rows;
        }
        piece.point_data = self
            .point_data
            .iter()
            .map(|array| {
                let values = match &array.values {
                    Values::F64(block) => Values::F64(fetch_rows(comm, blocks, array.dim, block, &ids)),
                    Values::I32(block) => Values::I32(fetch_rows(comm, blocks, array.dim, block, &ids)),
                };
                Array { values, ..array.clone() }
            })
            .collect();
        piece.point_ids = ids;
        piece
    }
}

/// The places of this rank's elements among all that fill the domain or all on its boundary: kind by kind.
fn places(comm: &Comm, mesh: &ElementMesh, boundary: bool) -> Vec<u64> {
    let (mut ids, mut before) = (Vec::new(), 0);
    for of_kind in mesh.elements().iter().filter(|list| list.boundary == boundary) {
        let own = Blocks::new(of_kind.rows, comm.size()).range(comm.rank());
        ids.extend(own.map(|row| before + row));
        before += of_kind.rows;
    }
    ids
}

/// Values on the elements of a mesh, kind by kind, in the order of the cells of [`Grid::of_elements`]. Collective.
pub(crate) fn on_cells(comm: &Comm, mesh: &ElementMesh, dim: usize, values: &Values) -> Values {
    fn spread<T: Pod>(comm: &Comm, mesh: &ElementMesh, dim: usize, mut values: &[T]) -> Vec<T> {
        let mut all = Vec::new();
        for boundary in [false, true] {
            let ids = places(comm, mesh, boundary);
            let (own, rest) = values.split_at(ids.len() * dim);
            let rows = comm.sum(ids.len() as u64);
            all.extend(rows_to_blocks(comm, "cells", Blocks::new(rows, comm.size()), dim, &ids, own));
            values = rest;
        }
        all
    }
    match values {
        Values::F64(values) => Values::F64(spread(comm, mesh, dim, values)),
        Values::I32(values) => Values::I32(spread(comm, mesh, dim, values)),
    }
}

fn in_space(row: &[f64]) -> [f64; 3] {
    [row[0], row[1], row.get(2).copied().unwrap_or(0.0)]
}

/// One global datum of a grid: a number or a string.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// Name.
    pub name: String,
    /// What it is.
    pub value: DatumValue,
}

/// The value of a [`Datum`].
#[derive(Clone, Debug, PartialEq)]
pub enum DatumValue {
    /// A number.
    Number(f64),
    /// A count.
    Count(u64),
    /// A text.
    Text(String),
}

impl Datum {
    /// A number under a name.
    pub fn number(name: &str, value: f64) -> Datum {
        Datum { name: name.into(), value: DatumValue::Number(value) }
    }

    /// A count under a name.
    pub fn count(name: &str, value: u64) -> Datum {
        Datum { name: name.into(), value: DatumValue::Count(value) }
    }

    /// A text under a name.
    pub fn text(name: &str, value: &str) -> Datum {
        Datum { name: name.into(), value: DatumValue::Text(value.into()) }
    }
}

/// Values on all points or cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name.
    pub name: String,
    /// Values of one point or cell.
    pub dim: usize,
    /// Names of the components; none for a scalar or a vector.
    pub components: Vec<String>,
    /// The values.
    pub values: Values,
}

/// Names of a vector's components.
const AXES: [&str; 3] = ["x", "y", "z"];

impl Array {
    /// The values of a dat under its name: this rank's block of rows. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn of(domain: &mut Domain, dat: AnyDat) -> Result<Array, BackendError> {
        let (set, dim, name) = (dat.set(), dat.dim(), domain.name_of(dat).to_string());
        let values = dat.read(domain)?;
        let (comm, rows, ids) = (domain.comm(), domain.rows(set), domain.global_ids(set));
        let values = match values {
            Values::F64(values) => Values::F64(block_of(comm, &name, dim, rows, ids, &values)),
            Values::I32(values) => Values::I32(block_of(comm, &name, dim, rows, ids, &values)),
        };
        Ok(Array { name, dim, components: Vec::new(), values })
    }

    /// One integer for each point or cell.
    pub fn integers(name: &str, values: Vec<i32>) -> Array {
        Array { name: name.into(), dim: 1, components: Vec::new(), values: Values::I32(values) }
    }

    /// A field of `dim` components as arrays that viewers understand. Components that are the coordinates of a vector
    /// (`momentum_x`, `momentum_y`) become one array of three, and so does a field that is a vector (`x`, `y`); the nine of a
    /// tensor (`xx`, `xy`, ... `zz`) become one array; others become one array each, under their names. A field whose components have no names is one array.
    pub fn of_field<S: AsRef<str>>(name: &str, components: &[S], dim: usize, values: Values) -> Vec<Array> {
        let array = |name: &str, components: &[&str], columns: Range<usize>| {
            let components = components.iter().map(|component| component.to_string()).collect();
            let dim_of_array = columns.len();
            let values = match &values {
                Values::F64(values) => Values::F64(some_columns(values, dim, columns)),
                Values::I32(values) => Values::I32(some_columns(values, dim, columns)),
            };
            Array { name: name.into(), dim: dim_of_array, components, values }.in_space()
        };
        let names: Vec<&str> = components.iter().map(AsRef::as_ref).collect();
        if dim == 1 || names.len() != dim {
            return vec![array(name, &[], 0..dim)];
        }
        if dim <= AXES.len() && names == AXES[..dim] {
            return vec![array(name, &AXES[..dim], 0..dim)];
        }
        let of_tensor = |(k, name): (usize, &&str)| *name == format!("{}{}", AXES[k / 3], AXES[k % 3]);
        if dim == 9 && names.iter().enumerate().all(of_tensor) {
            return vec![array(name, &names, 0..dim)];
        }
        let mut arrays = Vec::new();
        let mut at = 0;
        while at < dim {
            let stem = names[at].strip_suffix("_x").unwrap_or(names[at]);
            let along = |(k, axis): (usize, &&str)| {
                names.get(at + k).is_some_and(|name| *name == format!("{stem}_{axis}"))
            };
            match AXES.iter().enumerate().take_while(|&axis| along(axis)).count() {
                width @ 2.. => {
                    arrays.push(array(stem, &AXES[..width], at..at + width));
                    at += width;
                }
                _ => {
                    arrays.push(array(names[at], &[], at..at + 1));
                    at += 1;
                }
            }
        }
        arrays
    }

    /// A plane vector as a space vector, which ParaView requires for vectors; others unchanged.
    pub fn in_space(mut self) -> Array {
        fn padded<T: Copy + Default>(values: &[T]) -> Vec<T> {
            values.chunks_exact(2).flat_map(|v| [v[0], v[1], T::default()]).collect()
        }
        if self.dim == 2 {
            self.dim = 3;
            self.values = match self.values {
                Values::F64(values) => Values::F64(padded(&values)),
                Values::I32(values) => Values::I32(padded(&values)),
            };
            if !self.components.is_empty() {
                self.components.push("z".into());
            }
        }
        self
    }
}

/// Some columns of rows of `dim` values.
fn some_columns<T: Copy>(values: &[T], dim: usize, columns: Range<usize>) -> Vec<T> {
    values.chunks_exact(dim).flat_map(|row| &row[columns.clone()]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_that_are_coordinates_are_one_vector_and_others_arrays_of_their_own() {
        let names = |components: &[&str], values: &[f64]| {
            let arrays =
                Array::of_field("q", components, components.len().max(1), Values::F64(values.to_vec()));
            let array = |array: Array| (array.name, array.dim, array.values);
            arrays.into_iter().map(array).collect::<Vec<_>>()
        };
        let made = |name: &str, dim, values: &[f64]| (name.to_string(), dim, Values::F64(values.to_vec()));
        assert_eq!(
            names(&["rho", "m_x", "m_y", "e"], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
            [
                made("rho", 1, &[1.0, 5.0]),
                made("m", 3, &[2.0, 3.0, 0.0, 6.0, 7.0, 0.0]),
                made("e", 1, &[4.0, 8.0])
            ]
        );
        assert_eq!(names(&["x", "y"], &[1.0, 2.0]), [made("q", 3, &[1.0, 2.0, 0.0])]);
        assert_eq!(names(&[], &[1.0, 2.0]), [made("q", 1, &[1.0, 2.0])]);
        let tensor = ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"];
        assert_eq!(names(&tensor, &[1.0; 9]), [made("q", 9, &[1.0; 9])]);
        let symmetric = names(&["xx", "xy", "yy"], &[1.0, 2.0, 3.0]);
        assert_eq!(symmetric[1], made("xy", 1, &[2.0]));
    }
}
