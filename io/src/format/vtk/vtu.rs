//! A mesh of VTU: each rank reads a share of every piece.

use std::ops::Range;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_mesh::ElementKind;

use super::xml::{Piece, pieces};
use super::{Cells, VTU, contents, unknown};
use crate::IoError;
use crate::field::block_of;
use crate::format::Reading;
use crate::listed::{Contents, Kind, Numbering, Rows, Slabs, Width, assemble};
use crate::vtu::GLOBAL_ID;

/// Type, group and nodes of a cell.
const WIDTH: usize = 2 + ElementKind::MOST_NODES;

/// What this rank reads of a piece.
struct Own {
    /// Ids of points.
    points: Vec<u64>,
    /// The bits of their coordinates.
    x: Vec<[u64; 3]>,
    /// Ids of cells.
    ids: Vec<u64>,
    /// For each cell its type, its group, and its nodes within the piece, padded.
    cells: Vec<[u64; WIDTH]>,
}

/// Reads a mesh. Collective.
pub(super) fn read(comm: &Comm, path: &Path) -> Result<Reading, IoError> {
    let found = comm.agree(if comm.is_root() { pieces(path).map(Some) } else { Ok(None) })?;
    let pieces: Vec<Piece> = comm.broadcast(0, found);
    let mut points: Vec<[u64; 4]> = Vec::new();
    let (mut ids, mut values) = (Vec::new(), Vec::new());
    for piece in &pieces {
        let mut own = comm.agree(piece.own(comm, pieces.len() == 1))?;
        // Nodes lie anywhere in the piece; from here on, they have their ids.
        let wanted: Vec<u64> =
            own.cells.iter().flat_map(|cell| &cell[2..2 + corners(cell)]).copied().collect();
        let blocks = Blocks::new(piece.points, comm.size());
        let mut known = fetch_rows(comm, blocks, 1, &own.points, &wanted).into_iter();
        for cell in &mut own.cells {
            let corners = corners(cell);
            cell[2..2 + corners].iter_mut().zip(known.by_ref()).for_each(|(node, id)| *node = id);
        }
        points.extend(own.points.iter().zip(&own.x).map(|(id, x)| [*id, x[0], x[1], x[2]]));
        ids.extend(own.ids);
        values.extend(own.cells.concat());
    }
    let mut rows = Rows::default();
    add_points(comm, points, &mut rows);
    let all: u64 = pieces.iter().map(|piece| piece.cells).sum();
    comm.agree(check_ids(comm, path, all, &ids))?;
    let mut cells = Cells::default();
    for cell in block_of(comm, "cells", WIDTH, all, &ids, &values).as_chunks::<WIDTH>().0 {
        cells.types.push(cell[0]);
        cells.groups.push((cell[1] as u32).cast_signed());
        cells.nodes.extend(&cell[2..2 + corners(cell)]);
    }
    let contents = Contents { numbering: Numbering::Tagged, ..contents(&pieces[0].groups()) };
    let added = cells.add(comm, all, &mut rows);
    comm.agree(added.map_err(|cell| unknown(path, &contents, cell)))?;
    assemble(comm, &VTU, path, &contents, rows)
}

/// The number of a cell's corners.
fn corners(cell: &[u64; WIDTH]) -> usize {
    ElementKind::of_vtk_type(cell[0]).map_or(0, ElementKind::nodes)
}

/// Adds points in the order of their ids: those on the sides of pieces are in several, with the same id. Collective.
fn add_points(comm: &Comm, points: Vec<[u64; 4]>, rows: &mut Rows) {
    let most = comm.max(points.iter().map(|point| point[0]).max().unwrap_or(0));
    let blocks = Blocks::new(most + 1, comm.size());
    let mut send = vec![Vec::new(); comm.size()];
    points.into_iter().for_each(|point| send[blocks.owner(point[0])].push(point));
    let mut points = comm.all_to_all(send).concat();
    points.sort_unstable();
    points.dedup();
    let first = comm.exclusive_sum(points.len() as u64);
    for kind in [Kind::Tag, Kind::Point] {
        rows.set_count(kind, comm.sum(points.len() as u64));
    }
    rows.add(Kind::Tag, first, &points.iter().flat_map(|point| [point[0], 0]).collect::<Vec<u64>>());
    rows.add(Kind::Point, first, &points.iter().flat_map(|point| point[1..].to_vec()).collect::<Vec<u64>>());
}

/// Checks that all ranks together have each id of a cell once. Collective, but for the error.
fn check_ids(comm: &Comm, path: &Path, all: u64, ids: &[u64]) -> Result<(), IoError> {
    let blocks = Blocks::new(all, comm.size());
    let mut send = vec![Vec::new(); comm.size()];
    for &id in ids.iter().filter(|id| **id < all) {
        send[blocks.owner(id)].push(id);
    }
    let mut received = comm.all_to_all(send).concat();
    received.sort_unstable();
    match received.into_iter().eq(blocks.range(comm.rank())) {
        true => Ok(()),
        false => {
            let what = format!("the pieces do not have each of {all} cells once, by their `{GLOBAL_ID}`");
            Err(IoError::file(path, what))
        }
    }
}

impl Piece {
    /// Integers of an array.
    fn integers(
        &self,
        file: &Slabs,
        (part, name, kind): (&str, &str, &str),
        values: u64,
        own: Range<u64>,
    ) -> Result<Vec<i64>, IoError> {
        let bytes = match kind {
            "UInt8" => 1,
            "Int32" => 4,
            _ => 8,
        };
        let begin = self.array(file, part, name, kind, values, bytes)?;
        let mut found = Vec::new();
        file.each(begin, bytes, own, name, |_, row| {
            found.push(match bytes {
                1 => i64::from(row[0]),
                4 => file.integer(Width::Four, row),
                _ => file.integer(Width::Eight, row),
            });
            Ok(())
        })?;
        Ok(found)
    }

    /// The global ids of some points or cells; where this is the `only` piece, they may be missing.
    fn ids(
        &self,
        file: &Slabs,
        part: &str,
        all: u64,
        own: Range<u64>,
        only: bool,
    ) -> Result<Vec<u64>, IoError> {
        if only && !self.has(part, GLOBAL_ID) {
            return Ok(own.collect());
        }
        let ids = self.integers(file, (part, GLOBAL_ID, "Int64"), all, own)?;
        let natural = |id: i64| {
            let what = || format!("{id} is no `{GLOBAL_ID}`; expected a number from 0");
            u64::try_from(id).map_err(|_| IoError::file(Path::new(&self.path), what()))
        };
        ids.into_iter().map(natural).collect()
    }

    /// This rank's share. Not collective.
    fn own(&self, comm: &Comm, only: bool) -> Result<Own, IoError> {
        let path = Path::new(&self.path);
        let file = Slabs::open(path, false)?;
        let wrong = |what: String| IoError::file(path, what);

        let own = Blocks::new(self.points, comm.size()).range(comm.rank());
        let points = self.ids(&file, "PointData", self.points, own.clone(), only)?;
        let mut x = Vec::new();
        let begin = self.array(&file, "Points", "Points", "Float64", self.points, 24)?;
        file.each(begin, 24, own, "points", |byte, row| {
            let mut bits = [0; 3];
            for (axis, bits) in bits.iter_mut().enumerate() {
                let at = 8 * axis;
                *bits = file.number(Width::Eight, byte + at as u64, &row[at..], "a coordinate")?.to_bits();
            }
            x.push(bits);
            Ok(())
        })?;

        let own = Blocks::new(self.cells, comm.size()).range(comm.rank());
        let types = self.integers(&file, ("Cells", "types", "UInt8"), self.cells, own.clone())?;
        let offsets = |rows| self.integers(&file, ("Cells", "offsets", "Int64"), self.cells, rows);
        let corners = offsets(self.cells.saturating_sub(1)..self.cells)?.first().copied().unwrap_or(0);
        // Where each cell ends; the first begins where the one before it ends.
        let mut ends = offsets(own.start.saturating_sub(1)..own.end)?;
        if own.start == 0 {
            ends.insert(0, 0);
        }
        if !ends.is_sorted() || !ends.iter().all(|end| (0..=corners).contains(end)) {
            return Err(wrong(format!("expected ascending `offsets` up to {corners}")));
        }
        let groups = match self.has("CellData", "group") {
            true => self.integers(&file, ("CellData", "group", "Int32"), self.cells, own.clone())?,
            false => vec![0; types.len()],
        };
        let (begin, end) = (ends[0] as u64, ends[ends.len() - 1] as u64);
        let nodes = self.integers(&file, ("Cells", "connectivity", "Int64"), corners as u64, begin..end)?;
        if let Some(node) = nodes.iter().find(|node| !(0..self.points as i64).contains(*node)) {
            return Err(wrong(format!(
                "there is no point {node} in this file; expected 0 to {}",
                self.points.saturating_sub(1)
            )));
        }
        let mut cells = Vec::new();
        for ((number, group), ends) in types.iter().zip(groups).zip(ends.windows(2)) {
            let of_cell = &nodes[ends[0] as usize - begin as usize..ends[1] as usize - begin as usize];
            let kind = ElementKind::of_vtk_type(*number as u64);
            if kind.is_some_and(|kind| kind.nodes() != of_cell.len()) {
                return Err(wrong(format!("a cell of type {number} with {} corners", of_cell.len())));
            }
            let mut cell = [0; WIDTH];
            (cell[0], cell[1]) = (*number as u64, u64::from((group as i32).cast_unsigned()));
            cell[2..].iter_mut().zip(of_cell).for_each(|(slot, node)| *slot = *node as u64);
            cells.push(cell);
        }
        Ok(Own { points, x, ids: self.ids(&file, "CellData", self.cells, own, only)?, cells })
    }
}
