//! SU2's mesh format, in two and three dimensions.
//!
//! ```text
//! % a comment
//! NDIME= 2
//! NELEM= 2
//! 5 0 1 2 0               a triangle: type, nodes, and perhaps its number
//! 9 1 3 4 2 1             a quadrilateral
//! NPOIN= 5
//! 0.0 0.0 0               x y (z), and perhaps the node's number, by which elements name it
//! NMARK= 1
//! MARKER_TAG= airfoil
//! MARKER_ELEMS= 1
//! 3 0 1                   a line
//! ```
//!
//! Source: SU2 documentation, "Mesh File". The sections come in any order, after `NDIME`. Files whose nodes have other numbers
//! than elements name exist: SU2 itself counts nodes in the order of the file, and so does this reader then. In two
//! dimensions, nodes may have a z, which counts for nothing here but that all must have the same. Sections that SU2 knows and a mesh does not need
//! are skipped: angles of attack, actuator disks, free-form boxes.

mod periodic;
mod write;

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_mesh::ElementKind;

use self::periodic::Copies;
use super::{Format, Holds, Reading, Request, Signs, Start, Writer};
use crate::IoError;
use crate::listed::{
    Contents, Dealer, GroupList, Kind, ListedGroup, NO_GROUP, Numbering, Position, Scan, assemble, deal,
    short,
};

/// SU2's format.
pub static SU2: Format = Format {
    name: "SU2",
    option: "su2",
    endings: &[".su2"],
    derived: &[],
    signs: Signs { hdf5: None, other: Some("a mesh of SU2") },
    dataset: crate::source::dataset,
    detect,
    read,
    write: Some(Writer::Elements(write::write)),
};

/// An SU2 file begins with a comment, or with a keyword and its value, known or not.
fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let start = start.bytes.trim_ascii_start();
    let is_part = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_';
    let word = start.iter().take_while(is_part).count();
    let is_word = word > 0 && start[0].is_ascii_uppercase();
    let is_su2 = start.starts_with(b"%") || is_word && start[word..].trim_ascii_start().starts_with(b"=");
    Ok(is_su2.then_some(Holds::Elements))
}

/// Keywords that SU2 writes and a mesh does not need; those that end in `_` stand for all that begin with them. The lines
/// of numbers after them are skipped.
const OTHERS: [&str; 8] =
    ["NPERIODIC", "PERIODIC_", "FFD_", "NCHUNK", "NPOIN_", "ANGLE_", "AOA", "NACTDISK_"];

/// Lines of markers may end with the place of each element among those of its kind.
fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let path = request.path;
    let (contents, mut rows) = deal(comm, |dealer| rows(path, dealer))?;
    for kind in [ElementKind::Line, ElementKind::Triangle, ElementKind::Quadrilateral] {
        rows.put_in_place(comm, kind);
    }
    assemble(comm, &SU2, path, &contents, rows)
}

/// Reads a file and distributes its rows.
fn rows(path: &Path, dealer: &mut Dealer<'_>) -> Result<Contents, IoError> {
    let mut file = Reader { scan: Scan::open(path, Some(b'%'))?, found: Found::default() };
    // What is skipped may have rows of numbers.
    let mut skipping = false;
    while let Some((name, value)) = file.keyword(skipping)? {
        skipping = false;
        match name.as_str() {
            "NDIME" => {
                file.once("NDIME", file.found.dimension.is_some())?;
                file.found.dimension = Some(file.dimension(&value)?);
            }
            "NZONE" => {
                file.once("NZONE", file.found.zones)?;
                file.found.zones = true;
                if file.number::<u64>(&value, "the number of zones, NZONE= 1")? != 1 {
                    return Err(file.scan.error(format!("the mesh has {value} zones; expected NZONE= 1")));
                }
            }
            "NELEM" | "NPOIN" | "MARKER_TAG" => {
                let Some(dimension) = file.found.dimension else {
                    let what = format!("{name} comes before NDIME; expected NDIME= 2 or NDIME= 3 first");
                    return Err(file.scan.error(what));
                };
                match name.as_str() {
                    "NELEM" => file.elements(&value, dimension, dealer)?,
                    "NPOIN" => file.points(&value, dimension, dealer)?,
                    _ => file.marker(&value, dimension, dealer)?,
                }
            }
            "NMARK" => {
                file.once("NMARK", file.found.announced.is_some())?;
                file.found.announced = Some(file.number(&value, "the number of markers, NMARK= 2")?);
            }
            "PERIODIC_INDEX" => file.transformation(&value)?,
            // Free-form boxes: always last, and not part of the mesh.
            "FFD_NBOX" => break,
            name if OTHERS
                .iter()
                .any(|other| name == *other || other.ends_with('_') && name.starts_with(other)) =>
            {
                skipping = true;
            }
            _ => {
                return Err(file.scan.error(format!(
                    "unknown keyword \"{}\"; expected NDIME, NELEM, NPOIN, NMARK, MARKER_TAG and MARKER_ELEMS",
                    short(&name)
                )));
            }
        }
    }
    file.finish()
}

struct Reader {
    scan: Scan,
    found: Found,
}

/// What has been read so far.
#[derive(Default)]
struct Found {
    dimension: Option<usize>,
    zones: bool,
    elements: bool,
    points: bool,
    /// Whether nodes come with numbers.
    tagged: bool,
    /// Nodes that are no copies, where copies are announced.
    own: Option<u64>,
    /// The number of markers according to NMARK, and how many there were.
    announced: Option<u64>,
    seen: u64,
    markers: Vec<String>,
    copies: Copies,
}

impl Reader {
    /// The next line, which has a keyword and its value; `None` at the end of the file. Other lines are skipped or refused.
    fn keyword(&mut self, skipping: bool) -> Result<Option<(String, String)>, IoError> {
        loop {
            if !self.scan.skip_blanks()? {
                return Ok(None);
            }
            let line = self.scan.line()?;
            let line = line.split('%').next().unwrap_or_default();
            match line.split_once('=') {
                Some((name, value)) => return Ok(Some((name.trim().into(), value.trim().into()))),
                None if skipping => {}
                None => {
                    return Err(self.scan.error(format!(
                        "\"{}\" is not a keyword; expected a line like NPOIN= 5 (are there more rows than announced?)",
                        short(line.trim())
                    )));
                }
            }
        }
    }

    fn once(&self, name: &str, seen: bool) -> Result<(), IoError> {
        match seen {
            true => Err(self.scan.error(format!("{name} has been given before; expected it once"))),
            false => Ok(()),
        }
    }

    fn number<T: std::str::FromStr>(&self, value: &str, what: &str) -> Result<T, IoError> {
        value.parse().map_err(|_| {
            self.scan.error(format!("\"{}\" is not the right kind of number; expected {what}", short(value)))
        })
    }

    /// A number of rows, with at least this many numbers each; and a second number, if there is one.
    fn count(&self, value: &str, name: &str, numbers: u64) -> Result<(u64, Option<u64>), IoError> {
        let mut fields = value.split_ascii_whitespace();
        let rows = self.number(fields.next().unwrap_or_default(), &format!("{name}= and a number"))?;
        self.scan.check_count(rows, &format!("{name}= {rows}"), numbers)?;
        let second = fields.next().map(|field| self.number(field, &format!("{name}= and two numbers")));
        Ok((rows, second.transpose()?))
    }

    /// The number of dimensions, which must be a supported one.
    fn dimension(&self, value: &str) -> Result<usize, IoError> {
        let dimension: usize = self.number(value, "the number of dimensions, NDIME= 2 or NDIME= 3")?;
        if !(2..=3).contains(&dimension) {
            let what = format!("the mesh has {value} dimensions; expected NDIME= 2 or NDIME= 3");
            return Err(self.scan.error(what));
        }
        Ok(dimension)
    }

    fn elements(&mut self, value: &str, dimension: usize, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        self.once("NELEM", self.found.elements)?;
        self.found.elements = true;
        let what = match dimension {
            2 => "a cell: 5 n1 n2 n3 (a triangle) or 9 n1 n2 n3 n4 (a quadrilateral)",
            _ => {
                "a cell: 10 and 4 nodes (a tetrahedron), 12 and 8 (a hexahedron), 13 and 6 (a prism) or 14 and 5 (a pyramid)"
            }
        };
        for _ in 0..self.count(value, "NELEM", 4)?.0 {
            let (kind, nodes, place, _) = self.element(what, dimension)?;
            dealer.add_element(kind, place, NO_GROUP, &nodes[..kind.nodes()]);
        }
        Ok(())
    }

    fn points(&mut self, value: &str, dimension: usize, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        self.once("NPOIN", self.found.points)?;
        self.found.points = true;
        let (rows, own) = self.count(value, "NPOIN", dimension as u64)?;
        self.found.own = own.filter(|own| *own < rows);
        let what = if dimension == 2 { "a node: x y" } else { "a node: x y z" };
        // All alike: otherwise the number of a node without y would pass for its y.
        let mut layout = None;
        for row in 0..rows {
            let mut x = [0.0; 3];
            for x in &mut x[..dimension] {
                *x = self.scan.double(what)?;
            }
            let place = self.scan.place();
            let mut rest: [f64; 2] = [0.0; 2];
            let mut more = 0;
            while self.scan.has_more_in_line()? {
                if more == rest.len() {
                    return Err(self
                        .scan
                        .error(format!("too many numbers; expected {what}, and perhaps its number")));
                }
                rest[more] = self.scan.double("the node's z or its number")?;
                more += 1;
            }
            if more == rest.len() && dimension == 3 {
                return Err(self
                    .scan
                    .error(format!("too many numbers; expected {what}, and perhaps its number")));
            }
            if *layout.get_or_insert(more) != more {
                return Err(self.scan.error(format!(
                    "{} numbers, but the first node has {}; expected {what}, and in all lines the node's number or in none",
                    dimension + more,
                    dimension + layout.unwrap_or(more)
                )));
            }
            if more == 2 {
                // A plane mesh that says so.
                x[2] = rest[0];
            }
            if more > 0 {
                let number = rest[more - 1];
                if !(0.0..9e15).contains(&number) || number.fract() != 0.0 {
                    return Err(self.scan.error(format!("{number} is not a node's number")));
                }
                self.found.tagged = true;
                dealer.add(Kind::Tag, [number as u64, place]);
                if self.found.own.is_some_and(|own| row >= own) {
                    self.found.copies.all.insert(number as u64);
                }
            } else if self.found.own.is_some_and(|own| row >= own) {
                self.found.copies.all.insert(row);
            }
            dealer.add(Kind::Point, x.map(f64::to_bits));
        }
        Ok(())
    }

    fn marker(&mut self, tag: &str, dimension: usize, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        if tag.is_empty() {
            return Err(self.scan.error("a marker without a name; expected MARKER_TAG= name"));
        }
        self.found.seen += 1;
        let is_copies = tag == "SEND_RECEIVE";
        if !is_copies && self.found.markers.iter().any(|marker| marker == tag) {
            let tag = given::short(tag);
            let what = format!("the marker \"{tag}\" has been listed before; expected every marker once");
            return Err(self.scan.error(what));
        }
        let what = "MARKER_ELEMS= and the number of the marker's elements";
        let next = self.keyword(false)?.filter(|(name, _)| name == "MARKER_ELEMS");
        let Some((_, value)) = next else {
            return Err(self.scan.error(format!("expected {what} after MARKER_TAG")));
        };
        if is_copies {
            return self.copies(&value);
        }
        let group = self.found.markers.len() as u64;
        self.found.markers.push(tag.into());
        self.found.copies.begin(tag);
        let what = match dimension {
            2 => "a line of the boundary: 3 n1 n2",
            _ => "a face of the boundary: 5 n1 n2 n3 (a triangle) or 9 n1 n2 n3 n4 (a quadrilateral)",
        };
        for _ in 0..self.count(&value, "MARKER_ELEMS", 3)?.0 {
            let (kind, nodes, place, number) = self.element(what, dimension - 1)?;
            if let Some(number) = number {
                dealer.add(Kind::Position(kind), [number]);
            }
            let nodes = &nodes[..kind.nodes()];
            self.found.copies.add(nodes);
            dealer.add_element(kind, place, group, nodes);
        }
        Ok(())
    }

    /// A marker that lists copies of nodes, or the nodes they are copies of.
    fn copies(&mut self, value: &str) -> Result<(), IoError> {
        if self.found.own.is_none() {
            let what = "SEND_RECEIVE: SU2 has partitioned this mesh; expected the whole mesh in one file";
            return Err(self.scan.error(what));
        }
        let rows = self.count(value, "MARKER_ELEMS", 2)?.0;
        let what = "SEND_TO= after MARKER_ELEMS of a marker SEND_RECEIVE";
        let Some((_, to)) = self.keyword(false)?.filter(|(name, _)| name == "SEND_TO") else {
            return Err(self.scan.error(format!("expected {what}")));
        };
        let to: i64 = self.number(&to, what)?;
        for _ in 0..rows {
            let what = "a node that is sent or received: 1 n transformation";
            self.scan.size(what)?;
            let row = [self.scan.size(what)?, self.scan.size(what)?];
            self.scan.rest_of_line()?;
            let Copies { sent, received, .. } = &mut self.found.copies;
            if to > 0 { sent } else { received }.push(row);
        }
        Ok(())
    }

    /// A transformation of periodic boundaries.
    fn transformation(&mut self, index: &str) -> Result<(), IoError> {
        let index = self.number(index, "the number of a transformation, PERIODIC_INDEX= 1")?;
        let mut rows = [[0.0; 3]; 3];
        for value in rows.as_flattened_mut() {
            *value = self.scan.double("three lines of a transformation: center, angles, translation")?;
        }
        self.found.copies.transformations.insert(index, rows);
        Ok(())
    }

    /// The next line's element, which must be of a dimension, its nodes, its line, and its number, if there is one. Types are
    /// VTK's, and so is the order of nodes.
    fn element(
        &mut self,
        what: &str,
        dimension: usize,
    ) -> Result<(ElementKind, [u64; ElementKind::MOST_NODES], u64, Option<u64>), IoError> {
        let number = self.scan.size(what)?;
        let place = self.scan.place();
        let kind = ElementKind::of_vtk_type(number).filter(|kind| kind.dimension() == dimension);
        let Some(kind) = kind else {
            let what = format!("elements of type {number} cannot stand here; expected {what}");
            return Err(self.scan.error(what));
        };
        let mut nodes = [0; ElementKind::MOST_NODES];
        for node in &mut nodes[..kind.nodes()] {
            if !self.scan.has_more_in_line()? {
                return Err(self.scan.error(format!("the line ends here; expected {what}")));
            }
            *node = self.scan.size(what)?;
        }
        let number = match self.scan.has_more_in_line()? {
            true => Some(self.scan.size("the element's number")?),
            false => None,
        };
        if self.scan.has_more_in_line()? {
            self.scan.size("the end of the line")?;
            return Err(self.scan.error(format!("too many values; expected {what}")));
        }
        Ok((kind, nodes, place, number))
    }

    /// What the file lists in addition to its rows.
    fn finish(mut self) -> Result<Contents, IoError> {
        self.scan.skip_blanks()?;
        let Found { dimension, elements, points, announced, seen, .. } = self.found;
        for (name, is_there) in [("NDIME", dimension.is_some()), ("NELEM", elements), ("NPOIN", points)] {
            if !is_there {
                return Err(self.scan.error(format!("the file ends here, without {name}")));
            }
        }
        if let Some(announced) = announced.filter(|&announced| announced != seen) {
            let what = format!("the file ends here with {seen} markers; NMARK says there are {announced}");
            return Err(self.scan.error(what));
        }
        let dimension = dimension.expect("it is there");
        let group = |(id, name): (i32, String)| ListedGroup {
            dimension: dimension - 1,
            ids: vec![id],
            names: vec![name],
        };
        let (dropped, periodic) = (self.found.copies.dropped(), self.found.copies.pairs(dimension));
        let groups = (1..).zip(self.found.markers).map(group).collect();
        let numbering = if self.found.tagged { Numbering::TaggedOrPlaces } else { Numbering::From(0) };
        let groups = GroupList::Listed(groups);
        Ok(Contents {
            dimension: Some(dimension),
            groups,
            numbering,
            position: Position::Line,
            dropped,
            periodic,
        })
    }
}
