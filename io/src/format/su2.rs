//! SU2's mesh format, in two dimensions.
//!
//! ```text
//! % a comment
//! NDIME= 2
//! NELEM= 2
//! 5 0 1 2 0               a triangle: type, nodes, and perhaps its number
//! 9 1 3 4 2 1             a quadrilateral
//! NPOIN= 5
//! 0.0 0.0 0               x y, and perhaps its number
//! NMARK= 1
//! MARKER_TAG= airfoil
//! MARKER_ELEMS= 1
//! 3 0 1                   a line
//! ```
//!
//! Source: SU2 documentation, "Mesh File". Nodes are numbered in order, from 0; the numbers at the ends of lines say
//! nothing. The sections come in any order, after `NDIME`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cfd_engine::given;
use cfd_topology::{ElementKind, Topology};

use super::{Format, Signs, Start};
use crate::IoError;
use crate::outside::{self, Contents, Dealer, Kind, ListedGroup, NO_GROUP, Wanted};

/// SU2's format, which is only read.
pub static SU2: Format = Format {
    name: "SU2",
    option: "su2",
    endings: &[".su2"],
    topologies: &outside::TOPOLOGIES,
    lists_boundaries: true,
    signs: Signs { hdf5: None, other: Some("a mesh of SU2") },
    dataset: super::hdf5::dataset,
    detect,
    read: |comm, request| outside::read(comm, &SU2, request, rows),
    read_elements: Some(|comm, path| outside::read_elements(comm, path, rows)),
    write: None,
};

/// A file of SU2 begins with a comment, or with a keyword and its value, known or not.
fn detect(start: &Start) -> Result<Option<Topology>, IoError> {
    let start = start.bytes.trim_ascii_start();
    let is_part = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_';
    let word = start.iter().take_while(is_part).count();
    let is_word = word > 0 && start[0].is_ascii_uppercase();
    let is_su2 = start.starts_with(b"%") || is_word && start[word..].trim_ascii_start().starts_with(b"=");
    Ok(is_su2.then_some(outside::TOPOLOGIES[0]))
}

/// No line of a mesh is longer.
const LONGEST_LINE: u64 = 4096;

/// Reads a file and deals out its rows.
fn rows(path: &Path, dealer: &mut Dealer<'_>) -> Result<Contents, IoError> {
    let mut file = Reader::open(path)?;
    let mut found = Found::default();
    while let Some(Keyword { name, value }) = file.keyword()? {
        match name.as_str() {
            "NDIME" => {
                file.once("NDIME", &mut found.dimension.is_some())?;
                found.dimension = Some(file.dimension(&value, dealer.wanted())?);
            }
            "NZONE" => {
                file.once("NZONE", &mut found.zones)?;
                if file.number::<u64>(&value, "the number of zones, NZONE= 1")? != 1 {
                    return Err(file.error(0, format!("the mesh has {value} zones; expected NZONE= 1")));
                }
            }
            "NELEM" | "NPOIN" | "MARKER_TAG" => {
                // Of a marker in the plane it is known that it has lines.
                let plane = (name == "MARKER_TAG" && dealer.wanted() == Wanted::PlaneCells).then_some(2);
                let Some(dimension) = found.dimension.or(plane) else {
                    return Err(file.error(0, format!("{name} comes before NDIME; expected NDIME= 2 first")));
                };
                match name.as_str() {
                    "NELEM" => file.elements(&value, dimension, &mut found.elements, dealer)?,
                    "NPOIN" => file.points(&value, dimension, &mut found.points, dealer)?,
                    _ => file.marker(&value, dimension, &mut found.markers, dealer)?,
                }
            }
            "NMARK" => {
                file.once("NMARK", &mut found.announced.is_some())?;
                found.announced = Some(file.number(&value, "the number of markers, NMARK= 2")?);
            }
            // Shapes for optimisation: they are always the last, and no part of the mesh.
            "FFD_NBOX" => break,
            name if name == "NPERIODIC" || name.starts_with("PERIODIC_") => {}
            _ => {
                let what = format!(
                    "unknown keyword \"{}\"; expected NDIME, NELEM, NPOIN, NMARK, MARKER_TAG and MARKER_ELEMS",
                    name.chars().take(40).collect::<String>().escape_debug()
                );
                return Err(file.error(0, what));
            }
        }
    }
    for (name, is_there) in
        [("NDIME", found.dimension.is_some()), ("NELEM", found.elements), ("NPOIN", found.points)]
    {
        if !is_there {
            return Err(file.error(0, format!("the file ends here, without {name}")));
        }
    }
    if let Some(announced) = found.announced.filter(|&announced| announced != found.markers.len() as u64) {
        let what = format!(
            "the file ends here with {} markers; NMARK says there are {announced}",
            found.markers.len()
        );
        return Err(file.error(0, what));
    }
    let dimension = found.dimension.unwrap_or(2);
    let group = |(id, name): (i32, String)| ListedGroup {
        dimension: dimension - 1,
        ids: vec![id],
        names: vec![name],
    };
    let groups = (1..).zip(found.markers).map(group).collect();
    Ok(Contents { dimension: Some(dimension), groups, tagged: false, binary: false })
}

/// What has been read so far.
#[derive(Default)]
struct Found {
    dimension: Option<usize>,
    zones: bool,
    elements: bool,
    points: bool,
    /// The number of markers that NMARK says there are.
    announced: Option<u64>,
    markers: Vec<String>,
}

/// A line like `NELEM= 2`.
struct Keyword {
    name: String,
    value: String,
}

/// The file, line by line.
struct Reader {
    input: BufReader<File>,
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    line: u64,
    text: String,
}

impl Reader {
    fn open(path: &Path) -> Result<Reader, IoError> {
        let file = given::open(path, "a mesh file").map_err(|e| IoError::read(path, e))?;
        let length = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        Ok(Reader { input: BufReader::new(file), path: path.into(), length, line: 0, text: String::new() })
    }

    /// The number of dimensions, which must be one that is wanted.
    fn dimension(&self, value: &str, wanted: Wanted) -> Result<usize, IoError> {
        let (expected, most) = match wanted {
            Wanted::PlaneCells => ("NDIME= 2", 2),
            Wanted::Elements => ("NDIME= 2 or NDIME= 3", 3),
        };
        let dimension: usize = self.number(value, &format!("the number of dimensions, {expected}"))?;
        if !(2..=most).contains(&dimension) {
            return Err(self.error(0, format!("the mesh has {value} dimensions; expected {expected}")));
        }
        Ok(dimension)
    }

    fn elements(
        &mut self,
        value: &str,
        dimension: usize,
        seen: &mut bool,
        dealer: &mut Dealer<'_>,
    ) -> Result<(), IoError> {
        self.once("NELEM", seen)?;
        let what = match dimension {
            2 => "a cell: 5 n1 n2 n3 (a triangle) or 9 n1 n2 n3 n4 (a quadrilateral)",
            _ => {
                "a cell: 10 and 4 nodes (a tetrahedron), 12 and 8 (a hexahedron), 13 and 6 (a prism) or 14 and 5 (a pyramid)"
            }
        };
        for _ in 0..self.count(value, "NELEM", 4)? {
            let (kind, nodes) = self.element(what, dimension)?;
            dealer.add_element(kind, self.line, NO_GROUP, &nodes[..kind.nodes()]);
        }
        Ok(())
    }

    fn points(
        &mut self,
        value: &str,
        dimension: usize,
        seen: &mut bool,
        dealer: &mut Dealer<'_>,
    ) -> Result<(), IoError> {
        self.once("NPOIN", seen)?;
        let what = if dimension == 2 { "a node: x y" } else { "a node: x y z" };
        // With the node's number or without it, but all alike: the number of a node without y would be taken for its y.
        let mut numbers = None;
        for row in 0..self.count(value, "NPOIN", dimension as u64)? {
            self.data(what)?;
            let here = self.fields().count();
            let mut fields = self.fields();
            let mut x = [0; 3];
            for x in &mut x[..dimension] {
                let (column, field) = self.field(&mut fields, what)?;
                let number: f64 = self.parsed(column, field, what)?;
                if !number.is_finite() {
                    return Err(
                        self.error(column, format!("{number} is not a finite number; expected {what}"))
                    );
                }
                // Adding zero makes -0 a plain 0, so that the mesh's hash does not depend on how it was computed.
                *x = (number + 0.0).to_bits();
            }
            let first = *numbers.get_or_insert(here);
            if here != first {
                let what = format!(
                    "{here} numbers, but the first node has {first}; expected {what}, and in all lines the node's \
                                    number or in none"
                );
                return Err(self.error(0, what));
            }
            if let Some((column, field)) = fields.next() {
                let index: u64 = self.parsed(column, field, "the node's number")?;
                if index != row {
                    let what =
                        format!("node {index} stands here as number {row}; expected nodes in order, from 0");
                    return Err(self.error(column, what));
                }
            }
            self.end(fields, what)?;
            dealer.add(Kind::Point, x);
        }
        Ok(())
    }

    fn marker(
        &mut self,
        tag: &str,
        dimension: usize,
        markers: &mut Vec<String>,
        dealer: &mut Dealer<'_>,
    ) -> Result<(), IoError> {
        if tag.is_empty() || tag == "SEND_RECEIVE" {
            let what = if tag.is_empty() {
                "a marker without a name; expected MARKER_TAG= name"
            } else {
                "SEND_RECEIVE: this mesh has been partitioned by SU2; expected the whole mesh in one file"
            };
            return Err(self.error(0, what.into()));
        }
        if markers.iter().any(|marker| marker == tag) {
            return Err(self.error(
                0,
                format!(
                    "the marker \"{}\" has been listed before; expected every marker once",
                    given::short(tag)
                ),
            ));
        }
        let what = "MARKER_ELEMS= and the number of the marker's lines";
        let next = self.keyword()?;
        let Some(Keyword { value, .. }) = next.filter(|keyword| keyword.name == "MARKER_ELEMS") else {
            return Err(self.error(0, format!("expected {what} after MARKER_TAG")));
        };
        let group = markers.len() as u64;
        markers.push(tag.into());
        let what = match dimension {
            2 => "a line of the boundary: 3 n1 n2",
            _ => "a face of the boundary: 5 n1 n2 n3 (a triangle) or 9 n1 n2 n3 n4 (a quadrilateral)",
        };
        for _ in 0..self.count(&value, "MARKER_ELEMS", 3)? {
            let (kind, nodes) = self.element(what, dimension - 1)?;
            dealer.add_element(kind, self.line, group, &nodes[..kind.nodes()]);
        }
        Ok(())
    }

    /// The next line's element, which must be of a dimension, and its nodes. Types are VTK's, and so is the order of nodes.
    fn element(
        &mut self,
        what: &str,
        dimension: usize,
    ) -> Result<(ElementKind, [u64; ElementKind::MOST_NODES]), IoError> {
        self.data(what)?;
        let mut fields = self.fields();
        let (column, field) = self.field(&mut fields, what)?;
        let number: u64 = self.parsed(column, field, what)?;
        let kind = ElementKind::of_vtk_type(number).filter(|kind| kind.dimension() == dimension);
        let Some(kind) = kind else {
            return Err(
                self.error(column, format!("elements of type {number} cannot stand here; expected {what}"))
            );
        };
        let mut nodes = [0; ElementKind::MOST_NODES];
        for node in &mut nodes[..kind.nodes()] {
            let (column, field) = self.field(&mut fields, what)?;
            *node = self.parsed(column, field, what)?;
        }
        // The element's number, which says nothing.
        if let Some((column, field)) = fields.next() {
            self.parsed::<u64>(column, field, "the element's number")?;
        }
        self.end(fields, what)?;
        Ok((kind, nodes))
    }

    /// A number of rows, of at least so many numbers each: one that the file can hold.
    fn count(&self, value: &str, name: &str, numbers: u64) -> Result<u64, IoError> {
        // NPOIN may be followed by the number of nodes without copies.
        let first = value.split_ascii_whitespace().next().unwrap_or_default();
        let rows: u64 = self.number(first, &format!("{name}= and a number"))?;
        // Every number takes a digit and a blank at least.
        if 2 * u128::from(numbers) * u128::from(rows) > u128::from(self.length) {
            let what = format!(
                "{name}= {rows} does not fit a file of {} bytes; the file is truncated or this number wrong",
                self.length
            );
            return Err(self.error(0, what));
        }
        Ok(rows)
    }

    fn once(&self, name: &str, seen: &mut bool) -> Result<(), IoError> {
        if std::mem::replace(seen, true) {
            return Err(self.error(0, format!("{name} has been given before; expected it once")));
        }
        Ok(())
    }

    /// The next line, which has a keyword; none at the end of the file.
    fn keyword(&mut self) -> Result<Option<Keyword>, IoError> {
        if !self.next_line()? {
            return Ok(None);
        }
        let Some((name, value)) = self.text.split_once('=') else {
            let what = format!(
                "\"{}\" is no keyword; expected a line like NPOIN= 5 (are there more rows than announced?)",
                self.text.trim().chars().take(40).collect::<String>().escape_debug()
            );
            return Err(self.error(0, what));
        };
        Ok(Some(Keyword { name: name.trim().into(), value: value.trim().into() }))
    }

    /// The next line, which has numbers.
    fn data(&mut self, what: &str) -> Result<(), IoError> {
        if self.next_line()? {
            Ok(())
        } else {
            Err(self.error(0, format!("the file ends here; expected {what}")))
        }
    }

    /// Reads a line that is not empty, without its comment; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, IoError> {
        loop {
            self.line += 1;
            self.text.clear();
            let mut bytes = Vec::new();
            let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            let read = read.map_err(|e| IoError::read(&self.path, e))?;
            if read as u64 == LONGEST_LINE {
                return Err(self.error(0, "the line is too long for a mesh".into()));
            }
            let line = String::from_utf8_lossy(&bytes);
            self.text.push_str(line.split('%').next().unwrap_or_default());
            if read == 0 || !self.text.trim().is_empty() {
                return Ok(read > 0);
            }
        }
    }

    /// The fields of the present line, with their columns from 0.
    fn fields(&self) -> impl Iterator<Item = (usize, &str)> + use<'_> {
        let text = self.text.as_str();
        text.split_ascii_whitespace()
            .map(move |field| (field.as_ptr() as usize - text.as_ptr() as usize, field))
    }

    fn field<'a>(
        &self,
        fields: &mut impl Iterator<Item = (usize, &'a str)>,
        what: &str,
    ) -> Result<(usize, &'a str), IoError> {
        let end = self.text.trim_end().len();
        fields.next().ok_or_else(|| self.error(end, format!("the line ends here; expected {what}")))
    }

    fn end<'a>(&self, mut fields: impl Iterator<Item = (usize, &'a str)>, what: &str) -> Result<(), IoError> {
        match fields.next() {
            None => Ok(()),
            Some((column, _)) => Err(self.error(column, format!("too many values; expected {what}"))),
        }
    }

    fn parsed<T: FromStr>(&self, column: usize, field: &str, what: &str) -> Result<T, IoError> {
        field.parse().map_err(|_| {
            let field: String = field.chars().take(40).collect();
            let field = field.escape_debug();
            self.error(column, format!("\"{field}\" is not the right kind of number; expected {what}"))
        })
    }

    fn number<T: FromStr>(&self, value: &str, what: &str) -> Result<T, IoError> {
        self.parsed(0, value, what)
    }

    /// An error at a column, from 0, of the present line.
    fn error(&self, column: usize, what: String) -> IoError {
        IoError::Text {
            path: self.path.display().to_string(),
            line: self.line,
            column: column as u64 + 1,
            what,
        }
    }
}
