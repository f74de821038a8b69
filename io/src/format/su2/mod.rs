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
//! Source: SU2 documentation, "Mesh File". Nodes are numbered in order, from 0; the numbers at the ends of lines carry
//! no information. The sections come in any order, after `NDIME`.

mod lines;

use std::path::Path;

use cfd_engine::given;
use cfd_mesh::ElementKind;

use self::lines::{Keyword, Reader};
use super::{Format, Holds, Signs, Start};
use crate::IoError;
use crate::listed::{Contents, Dealer, Kind, ListedGroup, NO_GROUP, read_elements};

/// SU2's format, which is read-only.
pub static SU2: Format = Format {
    name: "SU2",
    option: "su2",
    endings: &[".su2"],
    derived: &[],
    signs: Signs { hdf5: None, other: Some("a mesh of SU2") },
    dataset: crate::place::dataset,
    detect,
    read: |comm, request| read_elements(comm, &SU2, request.path, rows),
    write: None,
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

/// Reads a file and distributes its rows.
fn rows(path: &Path, dealer: &mut Dealer<'_>) -> Result<Contents, IoError> {
    let mut file = Reader::open(path)?;
    let mut found = Found::default();
    while let Some(Keyword { name, value }) = file.keyword()? {
        match name.as_str() {
            "NDIME" => {
                file.once("NDIME", &mut found.dimension.is_some())?;
                found.dimension = Some(file.dimension(&value)?);
            }
            "NZONE" => {
                file.once("NZONE", &mut found.zones)?;
                if file.number::<u64>(&value, "the number of zones, NZONE= 1")? != 1 {
                    return Err(file.error(0, format!("the mesh has {value} zones; expected NZONE= 1")));
                }
            }
            "NELEM" | "NPOIN" | "MARKER_TAG" => {
                let Some(dimension) = found.dimension else {
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
            // Shapes for optimisation: always last, and not part of the mesh.
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
    /// The number of markers according to NMARK.
    announced: Option<u64>,
    markers: Vec<String>,
}

impl Reader {
    /// The number of dimensions, which must be a supported one.
    fn dimension(&self, value: &str) -> Result<usize, IoError> {
        let dimension: usize = self.number(value, "the number of dimensions, NDIME= 2 or NDIME= 3")?;
        if !(2..=3).contains(&dimension) {
            let what = format!("the mesh has {value} dimensions; expected NDIME= 2 or NDIME= 3");
            return Err(self.error(0, what));
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
        // With the node's number or without it, but all alike: otherwise the number of a node without y would pass for
        // its y.
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
                // Adding zero turns -0 into 0, so the mesh's hash does not depend on how it was computed.
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
                "SEND_RECEIVE: SU2 has partitioned this mesh; expected the whole mesh in one file"
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
        // The element's number, which carries no information.
        if let Some((column, field)) = fields.next() {
            self.parsed::<u64>(column, field, "the element's number")?;
        }
        self.end(fields, what)?;
        Ok((kind, nodes))
    }
}
