//! OP2's text meshes: `new_grid.dat` of its program airfoil, `FE_grid.dat` of its program aero.
//!
//! One row per line, numbers separated by blanks, indices from 0:
//!
//! ```text
//! new_grid.dat
//! nodes cells edges bedges            the numbers of elements
//! x y                                 for each node
//! n1 n2 n3 n4                         for each cell, its nodes
//! n1 n2 c1 c2                         for each edge, its nodes and cells
//! n1 n2 c bound                       for each boundary edge, its nodes, its cell and its flag
//!
//! FE_grid.dat
//! nodes cells bnodes
//! x y
//! n1 n2 n3 n4
//! n                                   for each far-field node
//! ```
//!
//! Rank 0 reads and writes the file, piece by piece; the other ranks only ever hold their blocks.

mod lines;

use std::path::Path;

use bytemuck::Pod;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::{BILINEAR, CELL_EDGES, Content, Derived, Given, Schema, Table};

use self::lines::{Number, Reader};
use super::tables::add_integers;
use super::{Format, Holds, Reading, Request, Signs, Start};
use crate::IoError;
use crate::row_file::{RowFile, put_line};
use crate::source::MeshSource;
use crate::stream::from_root;

/// OP2's text.
pub static OP2_TEXT: Format = Format {
    name: "OP2 text",
    option: "op2-text",
    endings: &[".dat"],
    derived: &[&CELL_EDGES, &BILINEAR],
    signs: Signs {
        hdf5: None,
        other: Some(
            "OP2's text, which begins with the numbers of nodes, cells, and edges and boundary edges or far-field nodes",
        ),
    },
    dataset: crate::source::dataset,
    detect,
    read,
    write: Some(super::Writer::Derived(write)),
};

/// A topology's file.
struct Layout {
    derived: &'static Derived,
    /// Its usual name.
    file: &'static str,
    /// Its lines after the header, which has the number of each.
    sections: &'static [Section],
    /// Whether the last number of a good file can have several digits, so truncation would not show.
    long_end: bool,
}

/// The lines of one set.
struct Section {
    set: &'static str,
    /// The maps and dats whose values are on a line, in sequence.
    tables: &'static [&'static str],
    /// A line in words, for messages.
    what: &'static str,
}

const NODES: Section = Section { set: "nodes", tables: &["x"], what: "a node: x y" };
const CELLS: Section = Section { set: "cells", tables: &["cell_nodes"], what: "a cell: n1 n2 n3 n4" };

static LAYOUTS: [Layout; 2] = [
    Layout {
        derived: &CELL_EDGES,
        file: "new_grid.dat",
        sections: &[
            NODES,
            CELLS,
            Section { set: "edges", tables: &["edge_nodes", "edge_cells"], what: "an edge: n1 n2 c1 c2" },
            Section {
                set: "bedges",
                tables: &["bedge_nodes", "bedge_cell", "bound"],
                what: "a boundary edge: n1 n2 c bound",
            },
        ],
        long_end: false,
    },
    Layout {
        derived: &BILINEAR,
        file: "FE_grid.dat",
        sections: &[
            NODES,
            CELLS,
            Section { set: "bnodes", tables: &["bnode_node"], what: "a far-field node: n" },
        ],
        long_end: true,
    },
];

fn layout(derived: &Derived) -> &'static Layout {
    let layout = LAYOUTS.iter().find(|layout| layout.derived == derived);
    layout.expect("all that the format can hold has a layout")
}

impl Section {
    /// Its tables, in the order of a line.
    fn tables<'a>(&self, schema: &'a Schema) -> impl Iterator<Item = &'a Table> {
        self.tables.iter().map(|name| schema.table(name))
    }

    /// Values in a line.
    fn dim(&self, schema: &Schema) -> usize {
        self.tables(schema).map(|table| table.dim).sum()
    }
}

/// What a text mesh holds, from the numbers in its first line; `None` if that is not a header.
fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let first_line = start.bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    let is_number = |token: &[u8]| token.iter().all(|b| b.is_ascii_digit() || *b == b'-');
    let tokens: Vec<&[u8]> =
        first_line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).collect();
    if tokens.is_empty() || !tokens.iter().all(|token| is_number(token)) {
        return Ok(None);
    }
    // A header with any other count of numbers is treated as one of cells with edges, and refused as such.
    let by_length = LAYOUTS.iter().find(|layout| layout.sections.len() == tokens.len());
    Ok(Some(Holds::Derived(by_length.map_or(&CELL_EDGES, |layout| layout.derived))))
}

/// The lines of a section, this rank's block of them.
enum Lines {
    Floats(Vec<f64>),
    Integers(Vec<i64>),
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let (derived, path) = (request.derived(), request.path);
    let (layout, schema) = (layout(derived), &derived.schema(1));
    let sections: Vec<(&str, usize)> = layout.sections.iter().map(|s| (s.set, s.dim(schema))).collect();
    let opened = if comm.is_root() { Reader::open(path, layout.file, &sections).map(Some) } else { Ok(None) };
    let (mut reader, sizes) = match comm.agree(opened)? {
        Some((reader, sizes)) => (Some(reader), Some(sizes)),
        None => (None, None),
    };
    let sizes: Vec<u64> = comm.broadcast(0, sizes);

    // In the order of the file.
    let mut first_line = 2;
    let mut first_lines = Vec::new();
    let mut lines = Vec::new();
    for (section, &rows) in layout.sections.iter().zip(&sizes) {
        first_lines.push((section.set, first_line));
        first_line += rows;
        let dim = section.dim(schema);
        let floats = section.tables(schema).all(|table| table.content == Content::F64);
        lines.push(if floats {
            Lines::Floats(section_lines(comm, &mut reader, rows, dim, section.what)?)
        } else {
            Lines::Integers(section_lines(comm, &mut reader, rows, dim, section.what)?)
        });
    }
    let end = reader.map_or(Ok(()), |mut reader| reader.end(layout.long_end));
    comm.agree(end)?;

    // In the order of the mesh.
    let source = MeshSource::text(path, OP2_TEXT.dataset, first_lines);
    let section_of = |set: &str| {
        layout.sections.iter().position(|section| section.set == set).expect("every set has lines")
    };
    let mut mesh = Mesh::default();
    for set in &schema.sets {
        mesh.add_set(set, sizes[section_of(set)]);
    }
    for table in &schema.tables {
        let section = section_of(&table.set);
        let set = mesh.set(&table.set).expect("all sets have been added");
        let start = mesh.blocks(set, comm).range(comm.rank()).start;
        let added = match &mut lines[section] {
            Lines::Floats(values) => {
                mesh.add_dat(&table.name, set, table.dim, Values::F64(std::mem::take(values)));
                Ok(())
            }
            Lines::Integers(values) => {
                let values = columns(schema, &layout.sections[section], table, values);
                add_integers(&mut mesh, &source, table, start, &values)
            }
        };
        comm.agree(added)?;
    }
    Ok(Reading::new(Given::derived(derived, mesh), source))
}

/// A table's columns in a section's lines.
fn columns(schema: &Schema, section: &Section, table: &Table, lines: &[i64]) -> Vec<i64> {
    let before = section.tables(schema).take_while(|t| t.name != table.name);
    let start: usize = before.map(|t| t.dim).sum();
    lines
        .chunks_exact(section.dim(schema))
        .flat_map(|line| &line[start..start + table.dim])
        .copied()
        .collect()
}

fn section_lines<T: Pod + Number>(
    comm: &Comm,
    reader: &mut Option<Reader>,
    rows: u64,
    dim: usize,
    what: &str,
) -> Result<Vec<T>, IoError> {
    from_root(comm, rows, dim, |range| {
        let reader = reader.as_mut().expect("rows are produced on rank 0, which has the file");
        let mut values = Vec::with_capacity((range.end - range.start) as usize * dim);
        for _ in range {
            reader.row(what, dim, &mut values)?;
        }
        Ok(values)
    })
}

/// Coordinates are the shortest decimal numbers that read back to the same bits.
fn write(comm: &Comm, derived: &'static Derived, given: &Given, path: &Path) -> Result<(), IoError> {
    let (layout, schema, mesh) = (layout(derived), &derived.schema(1), given.content());
    let rows = |section: &Section| {
        mesh.sets[mesh.set(section.set).expect("a checked mesh has its schema's sets")].rows
    };
    let mut file = RowFile::begin(comm, path)?;
    let mut header = Vec::new();
    put_line(&mut header, &layout.sections.iter().map(rows).collect::<Vec<u64>>());
    file.put(header);
    for section in layout.sections {
        let dim = section.dim(schema);
        match block(mesh, schema, section) {
            Lines::Floats(block) => file.rows(rows(section), dim, &block, put_line),
            Lines::Integers(block) => file.rows(rows(section), dim, &block, put_line),
        }
    }
    file.finish()
}

/// This rank's lines of a section.
fn block(mesh: &Mesh, schema: &Schema, section: &Section) -> Lines {
    let mut parts: Vec<(usize, Vec<i64>)> = Vec::new();
    for table in section.tables(schema) {
        let values = if let Content::Map { .. } = table.content {
            let map = mesh.map(&table.name).expect("a checked mesh has its schema's maps");
            mesh.maps[map].rows.iter().map(|&target| target as i64).collect()
        } else {
            let dat = mesh.dat(&table.name).expect("a checked mesh has its schema's dats");
            match &mesh.dats[dat].values {
                Values::F64(values) => return Lines::Floats(values.clone()),
                Values::I32(values) => values.iter().copied().map(i64::from).collect(),
            }
        };
        parts.push((table.dim, values));
    }
    let (dim, first) = &parts[0];
    let lines = 0..first.len() / dim;
    let line =
        |k: usize| parts.iter().flat_map(move |(dim, values)| values[k * dim..(k + 1) * dim].iter().copied());
    Lines::Integers(lines.flat_map(line).collect())
}
