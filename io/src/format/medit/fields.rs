//! Values at the nodes of a mesh: `.sol` in text, `.solb` in binary.
//!
//! ```text
//! MeshVersionFormatted 2
//! Dimension 3
//! SolAtVertices
//! 4                       how many nodes
//! 2 1 3                   how many fields; the kind of each: 1 a scalar, 2 a vector, 3 a metric
//! 0.5 1 0 1 0 0 1         the values of a node: of the first field, then of the next
//! End
//! ```

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use serde::{Deserialize, Serialize};

use super::binary::{Directory, is_binary};
use super::text;
use super::write::Binary;
use crate::IoError;
use crate::format::Start;
use crate::listed::{Scan, Slabs, Width};
use crate::row_file::{RowFile, put_line};
use crate::stream::from_root;

/// The keywords of tables of values, of which the first is read.
pub(super) const KEYWORDS: [i64; 1] = [SOL_AT_VERTICES];
const SOL_AT_VERTICES: i64 = 62;
/// The most fields of a file.
const MOST_FIELDS: u64 = 1 << 10;

/// What a field has at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// A number.
    Scalar,
    /// A number in each direction.
    Vector,
    /// A symmetric matrix, its lower triangle row by row: xx, xy, yy(, xz, yz, zz).
    Metric,
}

use FieldKind::{Metric, Scalar, Vector};

impl FieldKind {
    /// Values at a node of a mesh of so many dimensions.
    pub fn width(self, dimension: usize) -> usize {
        match self {
            Scalar => 1,
            Vector => dimension,
            Metric => dimension * (dimension + 1) / 2,
        }
    }

    /// Its number in files.
    fn number(self) -> i64 {
        match self {
            Scalar => 1,
            Vector => 2,
            Metric => 3,
        }
    }

    fn of_number(number: i64) -> Option<FieldKind> {
        [Scalar, Vector, Metric].into_iter().find(|kind| kind.number() == number)
    }
}

/// A field at the nodes of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeField {
    /// What it has at a node.
    pub kind: FieldKind,
    /// The values of this rank's block of the nodes ([`Blocks`]), node by node.
    pub values: Vec<f64>,
}

/// Fields at the nodes of a mesh: metrics, solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeFields {
    /// 2 or 3.
    pub dimension: usize,
    /// The number of nodes, over all ranks, in the order of the mesh's file.
    pub nodes: u64,
    /// The fields, which have no names in such files.
    pub fields: Vec<NodeField>,
}

/// What a file says before its values.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header {
    dimension: usize,
    nodes: u64,
    kinds: Vec<FieldKind>,
}

impl Header {
    /// Values of a node.
    fn width(&self) -> usize {
        self.kinds.iter().map(|kind| kind.width(self.dimension)).sum()
    }

    /// The fields of rows that have the values of all of them.
    fn fields(self, rows: &[f64]) -> NodeFields {
        let Header { dimension, nodes, ref kinds } = self;
        let all = self.width();
        let mut before = 0;
        let field = |kind: &FieldKind| {
            let own = before..before + kind.width(dimension);
            before = own.end;
            let values = rows.chunks_exact(all).flat_map(|row| row[own.clone()].iter().copied()).collect();
            NodeField { kind: *kind, values }
        };
        NodeFields { dimension, nodes, fields: kinds.iter().map(field).collect() }
    }
}

/// Reads the values at nodes of a `.sol` or `.solb` file; each rank gets its block of the nodes. Collective.
///
/// # Errors
/// The file is missing, truncated, damaged or of another format, or has matrices that are not symmetric; with line or byte.
pub fn read_node_fields(comm: &Comm, path: &Path) -> Result<NodeFields, IoError> {
    let start = if comm.is_root() { Start::of(path).map(Some) } else { Ok(None) };
    let is_binary = comm.agree(start)?.map(|start| is_binary(&start.bytes));
    match comm.broadcast(0, is_binary) {
        true => binary_fields(comm, path),
        false => text_fields(comm, path),
    }
}

fn kinds_of(
    numbers: impl Iterator<Item = Result<i64, IoError>>,
    wrong: impl Fn(String) -> IoError,
) -> Result<Vec<FieldKind>, IoError> {
    let kind = |number: Result<i64, IoError>| {
        let number = number?;
        FieldKind::of_number(number).ok_or_else(|| {
            wrong(format!(
                "{number} is not the kind of a field that can be read; expected 1 (a scalar), 2 (a vector) or 3 (a \
                 symmetric matrix)"
            ))
        })
    };
    numbers.map(kind).collect()
}

fn binary_fields(comm: &Comm, path: &Path) -> Result<NodeFields, IoError> {
    let (file, directory) = Directory::read_all(comm, path)?;
    let read = own_rows(comm, path, &file, &directory);
    let (header, rows) = comm.agree(read)?;
    Ok(header.fields(&rows))
}

fn own_rows(
    comm: &Comm,
    path: &Path,
    file: &Slabs,
    directory: &Directory,
) -> Result<(Header, Vec<f64>), IoError> {
    let table = directory.tables.iter().find(|table| table.keyword == SOL_AT_VERTICES);
    let Some(mut table) = table.copied() else {
        return Err(IoError::file(
            path,
            "there are no values at nodes in this file (keyword 62, SolAtVertices)",
        ));
    };
    let what = "the number of fields";
    let number = file.integer_at(table.at, Width::Four, what)?;
    let fields = u64::try_from(number).ok().filter(|fields| (1..=MOST_FIELDS).contains(fields));
    let Some(fields) = fields else {
        let what = format!("{number} is not {what}; expected 1 to {MOST_FIELDS}");
        return Err(file.error(table.at, what));
    };
    let kind = |k: u64| file.integer_at(table.at + 4 + 4 * k, Width::Four, "the kind of a field");
    let kinds = kinds_of((0..fields).map(kind), |what| file.error(table.at + 4, what))?;
    table.at += 4 + 4 * fields;
    let header = Header { dimension: directory.dimension, nodes: table.rows, kinds };
    let bytes = directory.numbers.bytes();
    let width = header.width() as u64 * bytes;
    directory.check(file, &table, width, "nodes with values")?;
    let mut values = Vec::new();
    let own = Blocks::new(table.rows, comm.size()).range(comm.rank());
    file.each(table.at, width, own, "nodes with values", |byte, row| {
        for (k, value) in row.chunks_exact(bytes as usize).enumerate() {
            values.push(file.number(
                directory.numbers,
                byte + k as u64 * bytes,
                value,
                "a value at a node",
            )?);
        }
        Ok(())
    })?;
    Ok((header, values))
}

fn text_fields(comm: &Comm, path: &Path) -> Result<NodeFields, IoError> {
    let opened = if comm.is_root() { text_header(path).map(Some) } else { Ok(None) };
    let (mut scan, header) = comm.agree(opened.map(Option::unzip))?;
    let header: Header = comm.broadcast(0, header);
    let width = header.width();
    let rows = from_root(comm, header.nodes, width, |rows| {
        let scan: &mut Scan = scan.as_mut().expect("rows are produced on rank 0, which has the file");
        let values = (rows.end - rows.start) * width as u64;
        (0..values).map(|_| scan.double("a value at a node")).collect()
    })?;
    Ok(header.fields(&rows))
}

/// Opens a file and reads up to the values at nodes.
fn text_header(path: &Path) -> Result<(Scan, Header), IoError> {
    let (mut scan, dimension) = text::open(path)?;
    while let Some(word) = text::keyword(&mut scan)? {
        if word != "SolAtVertices" {
            continue;
        }
        let nodes = scan.count("the number of nodes", 1)?;
        let what = format!("the number of fields, 1 to {MOST_FIELDS}");
        let fields = scan.count(&what, 1)?;
        if !(1..=MOST_FIELDS).contains(&fields) {
            return Err(scan.error(format!("{fields} fields; expected {what}")));
        }
        let mut numbers = Vec::new();
        for _ in 0..fields {
            numbers.push(scan.int("the kind of a field").map(i64::from));
        }
        let kinds = kinds_of(numbers.into_iter(), |what| scan.error(what))?;
        let header = Header { dimension, nodes, kinds };
        scan.check_count(nodes, "the number of nodes", header.width() as u64)?;
        return Ok((scan, header));
    }
    Err(scan.error("the file ends here, without SolAtVertices: there are no values at nodes in it"))
}

/// Writes values at nodes, each rank its block, as `.solb` in binary if the file has this name, otherwise in text with as many
/// digits as it takes to read the same bits. Collective; the file appears complete or not at all.
///
/// # Errors
/// [`IoError::Write`].
///
/// # Panics
/// If a field has not this rank's block of values.
pub fn write_node_fields(comm: &Comm, path: &Path, fields: &NodeFields) -> Result<(), IoError> {
    let NodeFields { dimension, nodes, ref fields } = *fields;
    let own = Blocks::new(nodes, comm.size()).range(comm.rank());
    let own = (own.end - own.start) as usize;
    let kinds: Vec<FieldKind> = fields.iter().map(|field| field.kind).collect();
    let mut rows = Vec::new();
    for node in 0..own {
        for field in fields {
            let width = field.kind.width(dimension);
            assert_eq!(field.values.len(), own * width, "a field has the values of this rank's block");
            rows.extend_from_slice(&field.values[node * width..(node + 1) * width]);
        }
    }
    let header = Header { dimension, nodes, kinds };
    let width = header.width();
    let mut numbers = vec![header.kinds.len() as i64];
    numbers.extend(header.kinds.iter().map(|kind| kind.number()));
    let mut file = RowFile::begin(comm, path)?;
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("solb")) {
        let bytes = 4 * (1 + header.kinds.len() as u64) + nodes * width as u64 * 8;
        let mut binary = Binary::begin(&mut file, dimension, nodes, bytes);
        binary.table(&mut file, SOL_AT_VERTICES, nodes, bytes);
        numbers.iter().for_each(|number| file.put((*number as i32).to_le_bytes()));
        file.rows(nodes, width, &rows, |buffer, row| {
            row.iter().for_each(|value| buffer.extend_from_slice(&value.to_le_bytes()));
        });
        binary.end(&mut file);
    } else {
        let mut start =
            format!("MeshVersionFormatted 2\nDimension {dimension}\nSolAtVertices\n{nodes}\n").into_bytes();
        put_line(&mut start, &numbers);
        file.put(start);
        file.rows(nodes, width, &rows, put_line);
        file.put("End\n");
    }
    file.finish()
}
