//! Writing Medit's format: all ranks' rows through rank 0.

use std::collections::BTreeSet;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::{ElementKind, ElementMesh, Elements, Mark, blocks_of};

use super::{ELEMENTS, ENDINGS, MARKS};
use crate::IoError;
use crate::format::mapbc;
use crate::row_file::{RowFile, put_line};

const VERTICES: i64 = 4;
/// The most bytes that a file of version 2 can have, and the most rows of one of version 3.
const SHORT: u64 = i32::MAX as u64;

/// Writes a mesh, in binary if the file has the name of a binary one, and the names of its boundaries beside it. Collective.
pub(super) fn write(comm: &Comm, mesh: &ElementMesh, path: &Path) -> Result<(), IoError> {
    let dimension = mesh.dimension();
    let (boundaries, names) = mapbc::numbers(&mesh.groups, dimension - 1);
    let (regions, _) = mapbc::numbers(&mesh.groups, dimension);
    let lists: Vec<(&str, i64, Elements<'_>, Vec<i64>)> = mesh
        .elements()
        .into_iter()
        .map(|list| {
            let (word, keyword, _) =
                ELEMENTS.iter().find(|(.., kind)| *kind == list.kind).expect("every kind is listed");
            let numbers = if list.boundary { &boundaries } else { &regions };
            let rows =
                list.nodes.chunks_exact(list.kind.nodes()).zip(list.groups).flat_map(|(nodes, group)| {
                    let number = numbers.get(group).copied().unwrap_or(*group);
                    nodes.iter().map(|node| *node as i64 + 1).chain([i64::from(number)])
                });
            (*word, *keyword, list, rows.collect())
        })
        .collect();
    let marks = marks(comm, mesh);
    let nodes = mesh.node_blocks(comm).rows;
    let mut file = RowFile::begin(comm, path)?;
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("meshb")) {
        // As if integers were of four bytes; with eight the file is a long one in any case.
        let vertex = 8 * dimension as u64 + 4;
        let elements = lists.iter().map(|(.., list, _)| list.rows * (list.kind.nodes() as u64 + 1) * 4);
        let most = lists.iter().map(|(.., list, _)| list.rows).max().unwrap_or(0).max(nodes);
        let marked = marks.iter().map(|(.., rows, _)| rows * 4);
        let bytes = nodes * vertex + elements.sum::<u64>() + marked.sum::<u64>();
        let mut binary = Binary::begin(&mut file, dimension, most, bytes);
        let int = binary.integer_bytes();
        binary.table(&mut file, VERTICES, nodes, nodes * (8 * dimension as u64 + int));
        file.rows(nodes, dimension, mesh.x(), |buffer, row| {
            row.iter().for_each(|x| buffer.extend_from_slice(&x.to_le_bytes()));
            binary.put(buffer, 0);
        });
        for (_, keyword, list, rows) in &lists {
            let width = list.kind.nodes() + 1;
            binary.table(&mut file, *keyword, list.rows, list.rows * width as u64 * int);
            file.rows(list.rows, width, rows, |buffer, row| {
                row.iter().for_each(|&value| binary.put(buffer, value))
            });
        }
        for (_, keyword, rows, own) in &marks {
            binary.table(&mut file, *keyword, *rows, *rows * int);
            file.rows(*rows, 1, own, |buffer, row| binary.put(buffer, row[0]));
        }
        binary.end(&mut file);
    } else {
        file.put(format!("MeshVersionFormatted 2\nDimension {dimension}\nVertices\n{nodes}\n"));
        file.rows(nodes, dimension, mesh.x(), |buffer, row| {
            put_line(buffer, row);
            // The vertex's number, at the end of its line.
            buffer.pop();
            buffer.extend_from_slice(b" 0\n");
        });
        for (word, _, list, rows) in &lists {
            file.put(format!("{word}\n{}\n", list.rows));
            file.rows(list.rows, list.kind.nodes() + 1, rows, put_line);
        }
        for (word, _, rows, own) in &marks {
            file.put(format!("{word}\n{rows}\n"));
            file.rows(*rows, 1, own, put_line);
        }
        file.put("End\n");
    }
    file.finish()?;
    let beside = mapbc::beside(path, &ENDINGS);
    comm.agree(if comm.is_root() { mapbc::write(&beside, &names) } else { Ok(()) })
}

/// The marks that a mesh has: keyword in text and in binary files, their number, this rank's block of them, from 1. Those on
/// elements that the mesh does not list are left out. Collective.
fn marks(comm: &Comm, mesh: &ElementMesh) -> Vec<(&'static str, i64, u64, Vec<i64>)> {
    let lists = mesh.elements();
    let numbers = |mark: Mark| -> Vec<i64> {
        let own = mesh.marked(mark);
        let kind = match mark {
            Mark::Corner | Mark::Node => return own.iter().map(|node| *node as i64 + 1).collect(),
            Mark::Line => ElementKind::Line,
            Mark::Triangle => ElementKind::Triangle,
        };
        let sorted = |row: &[u64]| -> Vec<u64> {
            let mut row = row.to_vec();
            row.sort_unstable();
            row
        };
        let all = comm.all_gather(own).concat();
        let marked: BTreeSet<Vec<u64>> = all.chunks_exact(mark.nodes()).map(sorted).collect();
        let Some(list) = lists.iter().find(|list| list.kind == kind) else { return Vec::new() };
        let first = Blocks::new(list.rows, comm.size()).range(comm.rank()).start as i64 + 1;
        let rows = (first..).zip(list.nodes.chunks_exact(mark.nodes()));
        rows.filter(|(_, row)| marked.contains(&sorted(row))).map(|(number, _)| number).collect()
    };
    let marks = MARKS.iter().map(|(word, keyword, mark)| {
        let (rows, own) = blocks_of(comm, 1, &numbers(*mark));
        (*word, *keyword, rows, own)
    });
    marks.filter(|(.., rows, _)| *rows > 0).collect()
}

/// A binary file being written, least significant bytes first.
pub(super) struct Binary {
    version: i32,
    /// Bytes so far.
    at: u64,
}

impl Binary {
    /// Begins a file whose tables have at most this many rows and together about this many bytes: in the lowest version
    /// that can hold it, for tools that know no other.
    pub(super) fn begin(file: &mut RowFile<'_>, dimension: usize, rows: u64, bytes: u64) -> Binary {
        // What is not counted in `bytes`: the headers of at most ten tables.
        let version = match (rows > SHORT, bytes + 1000 > SHORT) {
            (true, _) => 4,
            (_, true) => 3,
            _ => 2,
        };
        let mut binary = Binary { version, at: 0 };
        binary.word(file, 1);
        binary.word(file, version);
        binary.word(file, 3);
        let next = binary.at + binary.place_bytes() + 4;
        binary.place(file, next);
        binary.word(file, dimension as i32);
        binary
    }

    /// Begins a table of this many bytes, which the caller writes.
    pub(super) fn table(&mut self, file: &mut RowFile<'_>, keyword: i64, rows: u64, bytes: u64) {
        self.word(file, keyword as i32);
        let next = self.at + self.place_bytes() + self.integer_bytes() + bytes;
        self.place(file, next);
        let mut number = Vec::new();
        self.put(&mut number, rows as i64);
        file.put(number);
        self.at = next;
    }

    /// Ends the file.
    pub(super) fn end(mut self, file: &mut RowFile<'_>) {
        self.word(file, 54);
        self.place(file, 0);
    }

    /// Appends an integer to a row.
    pub(super) fn put(&self, buffer: &mut Vec<u8>, value: i64) {
        buffer.extend_from_slice(&value.to_le_bytes()[..self.integer_bytes() as usize]);
    }

    /// Bytes of an integer in a table.
    pub(super) fn integer_bytes(&self) -> u64 {
        if self.version == 4 { 8 } else { 4 }
    }

    fn place_bytes(&self) -> u64 {
        if self.version >= 3 { 8 } else { 4 }
    }

    fn word(&mut self, file: &mut RowFile<'_>, value: i32) {
        file.put(value.to_le_bytes());
        self.at += 4;
    }

    fn place(&mut self, file: &mut RowFile<'_>, place: u64) {
        file.put(&place.to_le_bytes()[..self.place_bytes() as usize]);
        self.at += self.place_bytes();
    }
}
