//! Gmsh's mesh format, version 4.1, text and binary.
//!
//! Source: Gmsh reference manual, section "MSH file format", version 4.1.
//!
//! ```text
//! $MeshFormat      version, text or binary
//! $PhysicalNames   names of physical groups                     (dimension, tag, "name")
//! $Entities        points, curves, surfaces, volumes            (each with the tags of its physical groups)
//! $Nodes           blocks of nodes                              (tags, then coordinates)
//! $Elements        blocks of elements of one type and entity    (tag, node tags)
//! ```
//!
//! Triangles and quadrilaterals are cells, whatever surface they belong to. Lines on a curve with physical groups are
//! boundary edges; other lines, and points, are left out, and so are all other sections.

mod input;

use std::collections::BTreeMap;
use std::path::Path;

use cfd_topology::Topology;

use self::input::{Encoding, Input};
use super::{Format, Signs, Start};
use crate::IoError;
use crate::outside::{self, Contents, Dealer, Kind};

/// Gmsh's format, which is only read.
pub static GMSH: Format = Format {
    name: "Gmsh",
    option: "gmsh",
    endings: &[".msh"],
    topologies: &outside::TOPOLOGIES,
    lists_boundaries: true,
    signs: Signs { hdf5: None, other: Some("a mesh of Gmsh (4.1)") },
    dataset: super::hdf5::dataset,
    detect,
    read: |comm, request| outside::read(comm, &GMSH, request, rows),
    write: None,
};

fn detect(start: &Start) -> Result<Option<Topology>, IoError> {
    let is_gmsh = start.bytes.trim_ascii_start().starts_with(b"$");
    Ok(is_gmsh.then_some(outside::TOPOLOGIES[0]))
}

/// A kind of element that a plane mesh can have.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Point,
    Line,
    Triangle,
    Quadrilateral,
}

impl Shape {
    fn nodes(self) -> usize {
        match self {
            Shape::Point => 1,
            Shape::Line => 2,
            Shape::Triangle => 3,
            Shape::Quadrilateral => 4,
        }
    }

    /// The dimension of the entities it lies on.
    fn dimension(self) -> i32 {
        match self {
            Shape::Point => 0,
            Shape::Line => 1,
            Shape::Triangle | Shape::Quadrilateral => 2,
        }
    }
}

/// Sections that a file has once at most. All others are left out.
const SECTIONS: [&str; 5] = ["MeshFormat", "PhysicalNames", "Entities", "Nodes", "Elements"];

/// Types that are known but of no use here.
const OTHER_TYPES: [(i32, &str); 17] = [
    (4, "tetrahedra"),
    (5, "hexahedra"),
    (6, "prisms"),
    (7, "pyramids"),
    (8, "lines of second order"),
    (9, "triangles of second order"),
    (10, "quadrilaterals of second order (9 nodes)"),
    (11, "tetrahedra of second order"),
    (16, "quadrilaterals of second order (8 nodes)"),
    (20, "incomplete triangles of third order"),
    (21, "triangles of third order"),
    (22, "incomplete triangles of fourth order"),
    (23, "triangles of fourth order"),
    (26, "lines of third order"),
    (27, "lines of fourth order"),
    (36, "quadrilaterals of third order"),
    (37, "quadrilaterals of fourth order"),
];

/// Reads a file and deals out its rows.
fn rows(path: &Path, dealer: &mut Dealer<'_>) -> Result<Contents, IoError> {
    let mut file = Reader {
        input: Input::open(path)?,
        names: BTreeMap::new(),
        curves: BTreeMap::new(),
        groups: Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = file.input.heading()? {
        if seen.is_empty() && name != "MeshFormat" {
            let what = format!("the file begins with ${}; expected $MeshFormat", input::short(&name));
            return Err(file.input.error(what));
        }
        if let Some(section) = SECTIONS.into_iter().find(|section| *section == name) {
            if seen.contains(&section) {
                return Err(file.input.error(format!("a second ${section}; expected it once")));
            }
            seen.push(section);
        }
        match name.as_str() {
            "MeshFormat" => file.format()?,
            "PhysicalNames" => file.physical_names()?,
            "Entities" => file.entities()?,
            "Nodes" => file.nodes(dealer)?,
            "Elements" => file.elements(dealer)?,
            "PartitionedEntities" => {
                let what = "$PartitionedEntities: this mesh has been partitioned by Gmsh; save it without partitions, cfd \
                            makes its own";
                return Err(file.input.error(what));
            }
            other => file.input.skip_section(other)?,
        }
    }
    if let Some(missing) = ["MeshFormat", "Nodes", "Elements"].into_iter().find(|name| !seen.contains(name)) {
        return Err(file.input.error(format!("the file ends here, without ${missing}")));
    }
    let group = |tags: &Vec<i32>| {
        let name = |tag: &i32| file.names.get(tag).cloned().unwrap_or_else(|| tag.to_string());
        tags.iter().map(name).collect()
    };
    let groups = file.groups.iter().map(group).collect();
    Ok(Contents { groups, tagged: true, binary: file.input.encoding != Encoding::Text })
}

/// The file and what has been read of it.
struct Reader {
    input: Input,
    /// Names of physical curves, by tag.
    names: BTreeMap<i32, String>,
    /// Tags of the physical groups of each curve that has any.
    curves: BTreeMap<i32, Vec<i32>>,
    /// The groups of boundary edges: physical tags of the curves that have edges.
    groups: Vec<Vec<i32>>,
}

impl Reader {
    fn format(&mut self) -> Result<(), IoError> {
        let input = &mut self.input;
        input.encoding = Encoding::Text;
        let line = input.line()?;
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [version, kind, bytes] = fields[..] else {
            return Err(input.error("expected three numbers after $MeshFormat, like 4.1 0 8"));
        };
        if version != "4.1" {
            let what = format!(
                "this is version \"{}\" of Gmsh's format; expected 4.1: save it again with `gmsh in.msh -save -format msh41 -o \
                 out.msh`",
                version.chars().take(20).collect::<String>()
            );
            return Err(input.error(what));
        }
        match (kind, bytes) {
            ("0", _) => {}
            ("1", "8") => {
                let one: [u8; 4] = input.bytes("the number 1, which shows the order of bytes")?;
                let big_endian = match one {
                    [1, 0, 0, 0] => false,
                    [0, 0, 0, 1] => true,
                    _ => return Err(input.error("expected the number 1, which shows the order of bytes")),
                };
                input.encoding = Encoding::Binary { big_endian };
            }
            ("1", _) => {
                let bytes = input::short(bytes);
                let what = format!(
                    "integers of \"{bytes}\" bytes are not supported in binary files; expected 4.1 1 8"
                );
                return Err(input.error(what));
            }
            _ => {
                let kind = input::short(kind);
                let what =
                    format!("\"{kind}\" is neither text (0) nor binary (1); expected 4.1 0 8 or 4.1 1 8");
                return Err(input.error(what));
            }
        }
        input.end("MeshFormat")
    }

    /// Names of physical groups, which are text in binary files, too.
    fn physical_names(&mut self) -> Result<(), IoError> {
        let input = &mut self.input;
        let encoding = std::mem::replace(&mut input.encoding, Encoding::Text);
        let rows = input.count("the number of physical names", 3)?;
        input.rest_of_line()?;
        for _ in 0..rows {
            let what = "a physical name: dimension tag \"name\"";
            let dimension = input.int(what)?;
            let tag = input.int(what)?;
            let rest = input.rest_of_line()?;
            let name = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                return Err(input.error(format!("this is not {what}")));
            };
            if dimension == 1 {
                self.names.insert(tag, name.to_string());
            }
        }
        input.end("PhysicalNames")?;
        input.encoding = encoding;
        Ok(())
    }

    fn entities(&mut self) -> Result<(), IoError> {
        let input = &mut self.input;
        let what = "the number of entities of a dimension";
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = input.count(what, 4)?;
        }
        for (dimension, count) in counts.into_iter().enumerate() {
            let what = ["a point", "a curve", "a surface", "a volume"][dimension];
            for _ in 0..count {
                let tag = input.int(what)?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    input.double(what)?;
                }
                let groups = input.count("the number of an entity's physical groups", 1)?;
                let mut physical = Vec::new();
                for _ in 0..groups {
                    // Negative where the group takes the curve in the other direction.
                    physical.push(input.int(what)?.saturating_abs());
                }
                if dimension == 1 && !physical.is_empty() {
                    physical.sort_unstable();
                    physical.dedup();
                    self.curves.insert(tag, physical);
                }
                if dimension > 0 {
                    for _ in 0..input.count("the number of an entity's boundaries", 1)? {
                        input.int(what)?;
                    }
                }
            }
        }
        input.end("Entities")
    }

    fn nodes(&mut self, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        let input = &mut self.input;
        let blocks = input.count("the number of blocks of nodes", 4)?;
        let rows = input.count("the number of nodes", 4)?;
        input.size("the lowest tag of a node")?;
        input.size("the highest tag of a node")?;
        let mut read = 0;
        for _ in 0..blocks {
            let what = "a block of nodes: dimension entity parametric number";
            let dimension = input.int(what)?;
            input.int(what)?;
            let parametric = input.int(what)?;
            if !(0..=3).contains(&dimension) || !(0..=1).contains(&parametric) {
                return Err(
                    input.error(format!("this is not {what}; dimensions are 0 to 3, parametric is 0 or 1"))
                );
            }
            let count = input.count("the number of nodes in this block", 4)?;
            read += count;
            if read > rows {
                return Err(input.error(format!(
                    "the blocks up to here have {read} nodes; $Nodes says there are {rows}"
                )));
            }
            for _ in 0..count {
                let tag = input.size("the tag of a node")?;
                dealer.add(Kind::Tag, [tag, input.place()]);
            }
            for _ in 0..count {
                let mut x = [0; 3];
                for x in &mut x {
                    // Adding zero makes -0 a plain 0, so that the mesh's hash does not depend on how it was computed.
                    *x = (input.double("a node: x y z")? + 0.0).to_bits();
                }
                for _ in 0..dimension * parametric {
                    input.double("a parameter of a node")?;
                }
                dealer.add(Kind::Point, x);
            }
        }
        if read < rows {
            return Err(
                input.error(format!("the blocks have {read} nodes together; $Nodes says there are {rows}"))
            );
        }
        input.end("Nodes")
    }

    fn elements(&mut self, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
        let blocks = self.input.count("the number of blocks of elements", 4)?;
        let rows = self.input.count("the number of elements", 2)?;
        self.input.size("the lowest tag of an element")?;
        self.input.size("the highest tag of an element")?;
        let mut read = 0;
        for _ in 0..blocks {
            let what = "a block of elements: dimension entity type number";
            let dimension = self.input.int(what)?;
            let entity = self.input.int(what)?;
            let kind = self.input.int(what)?;
            let shape = self.shape(dimension, kind)?;
            let input = &mut self.input;
            let count = input.count("the number of elements in this block", 1 + shape.nodes() as u64)?;
            read += count;
            if read > rows {
                let what =
                    format!("the blocks up to here have {read} elements; $Elements says there are {rows}");
                return Err(input.error(what));
            }
            let group = match self.curves.get(&entity) {
                Some(tags) if shape == Shape::Line && count > 0 => {
                    let known = self.groups.iter().position(|group| group == tags);
                    Some(known.unwrap_or_else(|| {
                        self.groups.push(tags.clone());
                        self.groups.len() - 1
                    }))
                }
                _ => None,
            };
            for _ in 0..count {
                input.size("the tag of an element")?;
                let place = input.place();
                let mut nodes = [0; 4];
                for node in &mut nodes[..shape.nodes()] {
                    *node = input.size("a node of an element")?;
                }
                let [a, b, c, d] = nodes;
                match (shape, group) {
                    (Shape::Triangle, _) => dealer.add(Kind::Cell, [place, a, b, c, c]),
                    (Shape::Quadrilateral, _) => dealer.add(Kind::Cell, [place, a, b, c, d]),
                    (Shape::Line, Some(group)) => dealer.add(Kind::Side, [place, group as u64, a, b]),
                    (Shape::Line | Shape::Point, _) => {}
                }
            }
        }
        if read < rows {
            let what = format!("the blocks have {read} elements together; $Elements says there are {rows}");
            return Err(self.input.error(what));
        }
        self.input.end("Elements")
    }

    /// The shape of a type of element.
    fn shape(&self, dimension: i32, kind: i32) -> Result<Shape, IoError> {
        let shape = match kind {
            15 => Shape::Point,
            1 => Shape::Line,
            2 => Shape::Triangle,
            3 => Shape::Quadrilateral,
            _ => {
                let name = OTHER_TYPES.iter().find(|(other, _)| *other == kind);
                let name = name.map_or("elements of an unknown type", |(_, name)| name);
                let what = format!(
                    "type {kind}, {name}: not supported; expected triangles and quadrilaterals of first order (Mesh.ElementOrder \
                     = 1), and lines on their boundary"
                );
                return Err(self.input.error(what));
            }
        };
        if dimension != shape.dimension() {
            let what = format!(
                "elements of type {kind} on an entity of dimension {dimension}; expected {}",
                shape.dimension()
            );
            return Err(self.input.error(what));
        }
        Ok(shape)
    }
}
