//! Medit's format in binary: rank 0 finds the tables, each rank reads its blocks of them.
//!
//! ```text
//! 1 version                          32-bit integers; the first shows the byte order
//! keyword next rows table            again and again: the next keyword's place in the file, the number of rows, the rows
//! 54                                 the end, which may be missing
//! ```

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use serde::{Deserialize, Serialize};

use super::fields::KEYWORDS;
use super::{ELEMENTS, MARKS, group};
use crate::IoError;
use crate::listed::{Kind, Rows, Slabs, Width};

/// Numbers of keywords.
const DIMENSION: i64 = 3;
const VERTICES: i64 = 4;
const END: i64 = 54;
/// Elements of second to fourth order.
const CURVED: [i64; 20] = [24, 25, 27, 30, 33, 86, 87, 88, 89, 90, 91, 92, 93, 96, 97, 98, 99, 100, 101, 102];

/// Whether a file begins as a binary one.
pub(super) fn is_binary(start: &[u8]) -> bool {
    let Some((code, version)) = start.first_chunk::<8>().map(|bytes| bytes.split_at(4)) else { return false };
    match code {
        [1, 0, 0, 0] => matches!(version, [1..=4, 0, 0, 0]),
        [0, 0, 0, 1] => matches!(version, [0, 0, 0, 1..=4]),
        _ => false,
    }
}

/// What a file has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Directory {
    pub(super) big_endian: bool,
    pub(super) integers: Width,
    pub(super) numbers: Width,
    pub(super) dimension: usize,
    pub(super) tables: Vec<Table>,
}

/// Rows of the file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Table {
    /// The number of its keyword.
    pub(super) keyword: i64,
    /// The byte after its number of rows, and the byte of the next keyword.
    pub(super) at: u64,
    pub(super) end: u64,
    pub(super) rows: u64,
}

impl Directory {
    /// The tables of a file. Not collective.
    pub(super) fn read(path: &Path) -> Result<(Slabs, Directory), IoError> {
        let mut file = Slabs::open(path, false)?;
        let one = file.integer_at(0, Width::Four, "the number 1, which shows the byte order")?;
        file.big_endian = one != 1;
        let version = file.integer_at(4, Width::Four, "the version, 1 to 4")?;
        let integers = if version == 4 { Width::Eight } else { Width::Four };
        let numbers = if version == 1 { Width::Four } else { Width::Eight };
        let places = if version >= 3 { Width::Eight } else { Width::Four };
        let mut dimension = None;
        let mut tables: Vec<Table> = Vec::new();
        let mut at = 8;
        let mut has_ended = false;
        while at < file.length {
            let keyword = file.integer_at(at, Width::Four, "a keyword")?;
            if keyword == END {
                has_ended = true;
                break;
            }
            let place = at + 4;
            let end = match file.integer_at(place, places, "the place of the next keyword")? {
                0 => {
                    has_ended = true;
                    file.length
                }
                end => u64::try_from(end).ok().filter(|end| (at + 1..=file.length).contains(end)).ok_or_else(|| {
                    let what = format!(
                        "the keyword {keyword} says that the next is at byte {end}; expected one up to the end, {}: \
                         the file is truncated or damaged",
                        file.length
                    );
                    file.error(place, what)
                })?,
            };
            at = place + places.bytes();
            match keyword {
                DIMENSION => match file.integer_at(at, Width::Four, "the dimension")? {
                    found @ (2 | 3) if dimension.is_none() => dimension = Some(found as usize),
                    other => {
                        let what = format!("the dimension {other}; expected 2 or 3, once");
                        return Err(file.error(at, what));
                    }
                },
                other if CURVED.contains(&other) => {
                    let what = format!(
                        "keyword {other}: elements with curved sides are not read; save the mesh in first order"
                    );
                    return Err(file.error(place, what));
                }
                _ if has_rows(keyword) => {
                    if tables.iter().any(|table| table.keyword == keyword) {
                        let what = format!("the keyword {keyword} a second time; expected it once");
                        return Err(file.error(place, what));
                    }
                    let rows = file.integer_at(at, integers, "a number of rows")?;
                    let rows = u64::try_from(rows).map_err(|_| {
                        file.error(at, format!("{rows} rows; expected a number of at least 0"))
                    })?;
                    tables.push(Table { keyword, at: at + integers.bytes(), end, rows });
                }
                _ => {}
            }
            at = end;
        }
        if !has_ended {
            return Err(
                file.error(at, format!("the file ends here, without the keyword {END}: it is truncated"))
            );
        }
        let Some(dimension) = dimension else {
            return Err(file.error(at, "the file ends here, without its dimension"));
        };
        let directory = Directory { big_endian: file.big_endian, integers, numbers, dimension, tables };
        Ok((file, directory))
    }

    /// The same on all ranks, each with the file. Collective.
    pub(super) fn read_all(comm: &Comm, path: &Path) -> Result<(Slabs, Directory), IoError> {
        let found =
            if comm.is_root() { Directory::read(path).map(|(_, found)| Some(found)) } else { Ok(None) };
        let found: Directory = comm.broadcast(0, comm.agree(found)?);
        let file = comm.agree(Slabs::open(path, found.big_endian))?;
        Ok((file, found))
    }

    /// Checks that a table's rows of this width end before the next keyword.
    pub(super) fn check(&self, file: &Slabs, table: &Table, width: u64, what: &str) -> Result<(), IoError> {
        file.check(table.at, table.rows, width, what)?;
        if table.at + table.rows * width > table.end {
            let what =
                format!("{} {what} do not fit before the next keyword at byte {}", table.rows, table.end);
            return Err(file.error(table.at, what));
        }
        Ok(())
    }
}

/// Whether a keyword's rows are read.
fn has_rows(keyword: i64) -> bool {
    keyword == VERTICES
        || KEYWORDS.contains(&keyword)
        || ELEMENTS.iter().any(|(_, known, _)| *known == keyword)
        || MARKS.iter().any(|(_, known, _)| *known == keyword)
}

/// Reads this rank's blocks; also returns the dimension. Collective.
pub(super) fn rows(comm: &Comm, path: &Path) -> Result<(usize, Rows), IoError> {
    let (file, found) = Directory::read_all(comm, path)?;
    let rows = comm.agree(own_rows(comm, path, &file, &found))?;
    Ok((found.dimension, rows))
}

fn own_rows(comm: &Comm, path: &Path, file: &Slabs, found: &Directory) -> Result<Rows, IoError> {
    let mut rows = Rows::default();
    let (int, float) = (found.integers, found.numbers);
    if !found.tables.iter().any(|table| table.keyword == VERTICES) {
        let what = match found.tables.iter().any(|table| KEYWORDS.contains(&table.keyword)) {
            true => {
                "these are values at the nodes of a mesh (SolAtVertices), without the mesh; give the mesh beside them"
            }
            false => "the mesh has no vertices (keyword 4)",
        };
        return Err(IoError::file(path, what));
    }
    for table in &found.tables {
        let own = Blocks::new(table.rows, comm.size()).range(comm.rank());
        let mut values = Vec::new();
        if table.keyword == VERTICES {
            let width = found.dimension as u64 * float.bytes() + int.bytes();
            found.check(file, table, width, "vertices")?;
            file.each(table.at, width, own.clone(), "vertices", |byte, row| {
                for axis in 0..3 {
                    let at = axis * float.bytes() as usize;
                    values.push(match axis < found.dimension {
                        true => file.number(float, byte + at as u64, &row[at..], "a coordinate")?.to_bits(),
                        false => 0,
                    });
                }
                Ok(())
            })?;
            rows.set_count(Kind::Point, table.rows);
            rows.add(Kind::Point, own.start, &values);
        }
        if let Some((word, _, mark)) = MARKS.iter().find(|(_, keyword, _)| *keyword == table.keyword) {
            found.check(file, table, int.bytes(), word)?;
            file.each(table.at, int.bytes(), own.clone(), word, |byte, row| {
                values.extend([byte, file.natural(int, byte, row, "a number from 1")?]);
                Ok(())
            })?;
            rows.set_count(Kind::Marked(*mark), table.rows);
            rows.add(Kind::Marked(*mark), own.start, &values);
        }
        let Some((.., kind)) = ELEMENTS.iter().find(|(_, keyword, _)| *keyword == table.keyword) else {
            continue;
        };
        let width = (kind.nodes() as u64 + 1) * int.bytes();
        found.check(file, table, width, kind.plural())?;
        file.each(table.at, width, own.clone(), kind.plural(), |byte, row| {
            let mut numbers = row.chunks_exact(int.bytes() as usize);
            let last = numbers.next_back().expect("a row ends with the number of a group");
            let number = i32::try_from(file.integer(int, last));
            let number =
                number.map_err(|_| file.error(byte, "expected the number of a group, of 32 bits"))?;
            values.extend([byte, group(number)]);
            for bytes in numbers {
                values.push(file.natural(int, byte, bytes, "a node, from 1")?);
            }
            Ok(())
        })?;
        rows.set_count(Kind::Element(*kind), table.rows);
        rows.add(Kind::Element(*kind), own.start, &values);
    }
    Ok(rows)
}
