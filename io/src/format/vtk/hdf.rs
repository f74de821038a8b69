//! The last mesh of a VTKHDF file, which each rank reads in blocks.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::{ElementKind, ElementMesh};

use super::{Cells, VTKHDF, contents, unknown};
use crate::IoError;
use crate::format::{Reading, general};
use crate::grid::Grid;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::listed::{Kind, Rows, assemble};
use crate::vtkhdf::VtkHdf;

/// Where a mesh is in the datasets.
struct Part {
    /// Which one, from 0: each has one more offset than cells.
    number: u64,
    points: [u64; 2],
    cells: [u64; 2],
    connectivity: [u64; 2],
}

/// Reads this rank's blocks. Collective.
pub(super) fn read(comm: &Comm, path: &Path) -> Result<Reading, IoError> {
    let opened = Hdf5File::open(path).and_then(|file| {
        let part = last(&file)?;
        let groups = general::groups(&file)?;
        Ok((file, part, groups))
    });
    let (file, part, groups) = comm.agree(opened)?;
    let mut rows = Rows::default();
    comm.agree(points(comm, &file, &part, &mut rows))?;
    let cells = comm.agree(cells(comm, &file, &part))?;
    let contents = contents(&groups);
    let added = cells.add(comm, part.cells[1], &mut rows);
    comm.agree(added.map_err(|cell| unknown(path, &contents, cell)))?;
    assemble(comm, &VTKHDF, path, &contents, rows)
}

/// The mesh of the last step, or the only one.
fn last(file: &Hdf5File) -> Result<Part, IoError> {
    let all = |name: &str| -> Result<Vec<i64>, IoError> {
        let table = file.table(&format!("VTKHDF/{name}"), Numbers::Integer)?;
        let rows = table.shape.first().copied().unwrap_or(0);
        table.integers(0..rows)
    };
    let natural = |name: &str, values: &[i64], at: usize| {
        let value = values.get(at).and_then(|value| u64::try_from(*value).ok());
        value.ok_or_else(|| {
            file.wrong(&format!("VTKHDF/{name}"), format!("expected a number of at least 0 in row {at}"))
        })
    };
    let size = |name: &str, at: u64| natural(name, &all(name)?, at as usize);
    let parts = all("NumberOfPoints")?.len();
    let (number, begin) = match file.has("VTKHDF/Steps") {
        true => {
            let of_last = |name: &str| {
                let name = format!("Steps/{name}");
                let values = all(&name)?;
                natural(&name, &values, values.len().saturating_sub(1))
            };
            let begin = ["PointOffsets", "CellOffsets", "ConnectivityIdOffsets"];
            let [points, cells, connectivity] = begin.map(of_last);
            (of_last("PartOffsets")?, [points?, cells?, connectivity?])
        }
        false if parts == 1 => (0, [0; 3]),
        false => {
            let what = format!(
                "{parts} parts without steps; expected one: merge the blocks in ParaView before saving"
            );
            return Err(file.wrong("VTKHDF/NumberOfPoints", what));
        }
    };
    Ok(Part {
        number,
        points: [begin[0], size("NumberOfPoints", number)?],
        cells: [begin[1], size("NumberOfCells", number)?],
        connectivity: [begin[2], size("NumberOfConnectivityIds", number)?],
    })
}

fn points(comm: &Comm, file: &Hdf5File, part: &Part, rows: &mut Rows) -> Result<(), IoError> {
    let table = file.table("VTKHDF/Points", Numbers::Float)?.double_precision()?;
    let [first, count] = part.points;
    match table.shape[..] {
        [rows, 3] if first.checked_add(count).is_some_and(|end| end <= rows) => {}
        _ => return Err(wrong_shape(file, "Points", &table.shape, "three coordinates for each point")),
    }
    let own = Blocks::new(count, comm.size()).range(comm.rank());
    let x = table.floats(first + own.start..first + own.end)?;
    if let Some(at) = x.iter().position(|x| !x.is_finite()) {
        let what = format!("row {}: {} is not a finite number", first + own.start + at as u64 / 3, x[at]);
        return Err(file.wrong("VTKHDF/Points", what));
    }
    let bits: Vec<u64> = x.into_iter().map(|x| (x + 0.0).to_bits()).collect();
    rows.set_count(Kind::Point, count);
    rows.add(Kind::Point, own.start, &bits);
    Ok(())
}

/// This rank's cells.
fn cells(comm: &Comm, file: &Hdf5File, part: &Part) -> Result<Cells, IoError> {
    let [first, count] = part.cells;
    let own = Blocks::new(count, comm.size()).range(comm.rank());
    let slice = |name: &str, first: u64, rows: std::ops::Range<u64>| -> Result<Vec<i64>, IoError> {
        let table = file.table(&format!("VTKHDF/{name}"), Numbers::Integer)?;
        let end = first.checked_add(rows.end);
        match table.shape[..] {
            [all] if end.is_some_and(|end| end <= all) => {
                table.integers(first + rows.start..first + rows.end)
            }
            _ => Err(wrong_shape(file, name, &table.shape, "a number for each cell or corner")),
        }
    };
    let types: Vec<u64> = slice("Types", first, own.clone())?.into_iter().map(|value| value as u64).collect();
    // Each mesh has one offset more than cells.
    let offsets = slice("Offsets", first + part.number, own.start..own.end + 1)?;
    let corners = part.connectivity[1] as i64;
    let are_right = offsets.is_sorted() && offsets.iter().all(|offset| (0..=corners).contains(offset));
    let expected = |(number, ends): (&u64, &[i64])| {
        ElementKind::of_vtk_type(*number).is_none_or(|kind| ends[1] - ends[0] == kind.nodes() as i64)
    };
    if !are_right || !types.iter().zip(offsets.windows(2)).all(expected) {
        let what = format!(
            "expected ascending numbers up to {corners}, one more than cells, apart by the corners of each"
        );
        return Err(file.wrong("VTKHDF/Offsets", what));
    }
    let ends = [offsets[0], offsets[offsets.len() - 1]].map(|offset| offset as u64);
    let nodes = slice("Connectivity", part.connectivity[0], ends[0]..ends[1])?;
    let node = |node: i64| {
        let known = u64::try_from(node).ok().filter(|node| *node < part.points[1]);
        known.ok_or_else(|| file.wrong("VTKHDF/Connectivity", format!("there is no point {node}")))
    };
    let nodes = nodes.into_iter().map(node).collect::<Result<Vec<u64>, IoError>>()?;
    let groups = match file.has("VTKHDF/CellData/group") {
        true => {
            let offsets = "VTKHDF/Steps/CellDataOffsets/group";
            let first = match file.has(offsets) {
                true => {
                    let table = file.table(offsets, Numbers::Integer)?;
                    let steps = table.shape.first().copied().unwrap_or(0);
                    let last = table.integers(steps.saturating_sub(1)..steps)?.pop();
                    last.and_then(|last| u64::try_from(last).ok())
                        .ok_or_else(|| file.wrong(offsets, "expected a number"))?
                }
                false => first,
            };
            let number = |group: i64| {
                let known = i32::try_from(group);
                known.map_err(|_| {
                    file.wrong("VTKHDF/CellData/group", format!("{group} is not a 32-bit integer"))
                })
            };
            slice("CellData/group", first, own)?.into_iter().map(number).collect::<Result<_, _>>()?
        }
        false => vec![0; types.len()],
    };
    Ok(Cells { types, groups, nodes })
}

fn wrong_shape(file: &Hdf5File, name: &str, shape: &[u64], expected: &str) -> IoError {
    file.wrong(&format!("VTKHDF/{name}"), format!("the shape is {shape:?}, expected {expected}"))
}

/// Writes a mesh. Collective.
pub(super) fn write(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    VtkHdf::new(path).add(comm, 0.0, &Grid::of_elements(comm, mesh, false), false)
}
