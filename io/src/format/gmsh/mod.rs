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
//! The elements of the highest dimension fill the domain, whatever entity they belong to; those of one dimension less on an
//! entity with physical groups are the boundary. Other elements, points and all other sections are ignored. For all
//! first-order elements, Gmsh's node order is that of [`ElementKind`].

mod input;

use std::collections::BTreeMap;
use std::path::Path;

use cfd_mesh::ElementKind;

use self::input::{Encoding, Input};
use super::{Format, Holds, Signs, Start};
use crate::IoError;
use crate::listed::{Contents, Dealer, Kind, ListedGroup, NO_GROUP, read_elements};

/// Gmsh's format, which is read-only.
pub static GMSH: Format = Format {
    name: "Gmsh",
    option: "gmsh",
    endings: &[".msh"],
    derived: &[],
    signs: Signs { hdf5: None, other: Some("a mesh of Gmsh (4.1)") },
    dataset: crate::place::dataset,
    detect,
    read: |comm, request| read_elements(comm, &GMSH, request.path, rows),
    write: None,
};

fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let is_gmsh = start.bytes.trim_ascii_start().starts_with(b"$");
    Ok(is_gmsh.then_some(Holds::Elements))
}

/// Elements that are read, by their type; points are ignored.
const TYPES: [(i32, Option<ElementKind>); 8] = [
    (15, None),
    (1, Some(ElementKind::Line)),
    (2, Some(ElementKind::Triangle)),
    (3, Some(ElementKind::Quadrilateral)),
    (4, Some(ElementKind::Tetrahedron)),
    (5, Some(ElementKind::Hexahedron)),
    (6, Some(ElementKind::Prism)),
    (7, Some(ElementKind::Pyramid)),
];

/// Sections that a file has at most once. All others are ignored.
const SECTIONS: [&str; 5] = ["MeshFormat", "PhysicalNames", "Entities", "Nodes", "Elements"];

/// Types that are known but of no use here.
const OTHER_TYPES: [(i32, &str); 13] = [
    (8, "second-order lines"),
    (9, "second-order triangles"),
    (10, "second-order quadrilaterals (9 nodes)"),
    (11, "second-order tetrahedra"),
    (16, "second-order quadrilaterals (8 nodes)"),
    (20, "incomplete third-order triangles"),
    (21, "third-order triangles"),
    (22, "incomplete fourth-order triangles"),
    (23, "fourth-order triangles"),
    (26, "third-order lines"),
    (27, "fourth-order lines"),
    (36, "third-order quadrilaterals"),
    (37, "fourth-order quadrilaterals"),
];

/// Reads a file and distributes its rows.
fn rows(path: &Path, dealer: &mut Dealer<'_>) -> Result<Contents, IoError> {
    let mut file = Reader {
        input: Input::open(path)?,
        names: BTreeMap::new(),
        entities: BTreeMap::new(),
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
                let what = "$PartitionedEntities: Gmsh has partitioned this mesh; save it without partitions, cfd \
                    makes its own";
                return Err(file.input.error(what));
            }
            other => file.input.skip_section(other)?,
        }
    }
    if let Some(missing) = ["MeshFormat", "Nodes", "Elements"].into_iter().find(|name| !seen.contains(name)) {
        return Err(file.input.error(format!("the file ends here, without ${missing}")));
    }
    let group = |(dimension, tags): &(usize, Vec<i32>)| {
        let name =
            |tag: &i32| file.names.get(&(*dimension, *tag)).cloned().unwrap_or_else(|| tag.to_string());
        ListedGroup { dimension: *dimension, ids: tags.clone(), names: tags.iter().map(name).collect() }
    };
    let groups = file.groups.iter().map(group).collect();
    Ok(Contents { dimension: None, groups, tagged: true, binary: file.input.encoding != Encoding::Text })
}

/// The file and what has been read from it.
struct Reader {
    input: Input,
    /// Names of physical groups, by dimension and tag.
    names: BTreeMap<(usize, i32), String>,
    /// Tags of the physical groups of each entity that has any, by its dimension and tag.
    entities: BTreeMap<(usize, i32), Vec<i32>>,
    /// The groups of elements: dimension and physical tags of the entities that have elements.
    groups: Vec<(usize, Vec<i32>)>,
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
                let one: [u8; 4] = input.bytes("the number 1, which shows the byte order")?;
                let big_endian = match one {
                    [1, 0, 0, 0] => false,
                    [0, 0, 0, 1] => true,
                    _ => return Err(input.error("expected the number 1, which shows the byte order")),
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
            if let Ok(dimension @ 1..=3) = usize::try_from(dimension) {
                self.names.insert((dimension, tag), name.to_string());
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
                    // Negative if the group traverses the curve in the other direction.
                    physical.push(input.int(what)?.saturating_abs());
                }
                if dimension > 0 && !physical.is_empty() {
                    physical.sort_unstable();
                    physical.dedup();
                    self.entities.insert((dimension, tag), physical);
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
                    // Adding zero turns -0 into 0, so the mesh's hash does not depend on how it was computed.
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
                input.error(format!("the blocks have {read} nodes in total; $Nodes says there are {rows}"))
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
            let kind = self.kind(dimension, kind)?;
            let nodes = kind.map_or(1, ElementKind::nodes);
            let count = self.input.count("the number of elements in this block", 1 + nodes as u64)?;
            read += count;
            if read > rows {
                let what =
                    format!("the blocks up to here have {read} elements; $Elements says there are {rows}");
                return Err(self.input.error(what));
            }
            let group = match kind {
                Some(kind) if count > 0 => self.group(kind, entity),
                _ => NO_GROUP,
            };
            let input = &mut self.input;
            for _ in 0..count {
                input.size("the tag of an element")?;
                let place = input.place();
                let mut row = [0; ElementKind::MOST_NODES];
                for node in &mut row[..nodes] {
                    *node = input.size("a node of an element")?;
                }
                if let Some(kind) = kind {
                    dealer.add_element(kind, place, group, &row[..nodes]);
                }
            }
        }
        if read < rows {
            let what = format!("the blocks have {read} elements in total; $Elements says there are {rows}");
            return Err(self.input.error(what));
        }
        self.input.end("Elements")
    }

    /// The index in the list of the group of an entity's elements.
    fn group(&mut self, kind: ElementKind, entity: i32) -> u64 {
        let dimension = kind.dimension();
        let Some(tags) = self.entities.get(&(dimension, entity)) else { return NO_GROUP };
        let known = self.groups.iter().position(|group| group.0 == dimension && group.1 == *tags);
        let place = known.unwrap_or_else(|| {
            self.groups.push((dimension, tags.clone()));
            self.groups.len() - 1
        });
        place as u64
    }

    /// The kind of an element type; `None` for a point.
    fn kind(&self, dimension: i32, number: i32) -> Result<Option<ElementKind>, IoError> {
        let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == number) else {
            let name = OTHER_TYPES.iter().find(|(other, _)| *other == number);
            let name = name.map_or("elements of an unknown type", |(_, name)| name);
            return Err(self.input.error(format!(
                "type {number}, {name}: not supported; expected first-order elements (Mesh.ElementOrder = 1)"
            )));
        };
        let expected = kind.map_or(0, ElementKind::dimension);
        if usize::try_from(dimension) != Ok(expected) {
            let what = format!(
                "elements of type {number} on an entity of dimension {dimension}; expected {expected}"
            );
            return Err(self.input.error(what));
        }
        Ok(*kind)
    }
}
