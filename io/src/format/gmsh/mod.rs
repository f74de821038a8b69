//! Gmsh's mesh format, versions 2.2 and 4.1, text and binary.
//!
//! Source: Gmsh reference manual, sections "MSH file format" and "Legacy formats".
//!
//! ```text
//! $MeshFormat      version, text or binary
//! $PhysicalNames   names of physical groups                     (dimension, tag, "name")
//! $Entities        points, curves, surfaces, volumes            (each with the tags of its physical groups; 4.1)
//! $Nodes           blocks of nodes                              (tags, then coordinates; 2.2: a row each)
//! $Elements        blocks of elements of one type and entity    (tag, node tags; 2.2: also the physical group)
//! ```
//!
//! The elements of the highest dimension fill the domain, whatever entity they belong to; those of one dimension less in a
//! physical group are the boundary. Other elements, points and all other sections are ignored. For all
//! first-order elements, Gmsh's node order is that of [`ElementKind`].

mod blocks;
mod rows;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use cfd_mesh::ElementKind;

use super::{Format, Holds, Signs, Start, Writer};
use crate::IoError;
use crate::listed::{
    Contents, Dealer, Encoding, GroupList, ListedGroup, Numbering, Position, Scan, read_elements, short,
};

/// Gmsh's format.
pub static GMSH: Format = Format {
    name: "Gmsh",
    option: "gmsh",
    endings: &[".msh"],
    derived: &[],
    signs: Signs { hdf5: None, other: Some("a mesh of Gmsh (2.2 or 4.1)") },
    dataset: crate::source::dataset,
    detect,
    read: |comm, request| read_elements(comm, &GMSH, request.path, rows),
    write: Some(Writer::Elements(write::write)),
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
        version: 4,
        scan: Scan::open(path, None)?,
        names: BTreeMap::new(),
        entities: BTreeMap::new(),
        groups: Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = heading(&mut file.scan)? {
        if seen.is_empty() && name != "MeshFormat" {
            let what = format!("the file begins with ${}; expected $MeshFormat", short(&name));
            return Err(file.scan.error(what));
        }
        if let Some(section) = SECTIONS.into_iter().find(|section| *section == name) {
            if seen.contains(&section) {
                return Err(file.scan.error(format!("a second ${section}; expected it once")));
            }
            seen.push(section);
        }
        match name.as_str() {
            "MeshFormat" => file.format()?,
            "PhysicalNames" => file.physical_names()?,
            "Entities" => file.entities()?,
            "Nodes" if file.version == 2 => file.row_nodes(dealer)?,
            "Nodes" => file.block_nodes(dealer)?,
            "Elements" if file.version == 2 => file.row_elements(dealer)?,
            "Elements" => file.block_elements(dealer)?,
            "PartitionedEntities" => {
                let what = "$PartitionedEntities: Gmsh has partitioned this mesh; save it without partitions, cfd \
                    makes its own";
                return Err(file.scan.error(what));
            }
            other => skip_section(&mut file.scan, other)?,
        }
    }
    if let Some(missing) = ["MeshFormat", "Nodes", "Elements"].into_iter().find(|name| !seen.contains(name)) {
        return Err(file.scan.error(format!("the file ends here, without ${missing}")));
    }
    let group = |(dimension, tags): &(usize, Vec<i32>)| {
        let name =
            |tag: &i32| file.names.get(&(*dimension, *tag)).cloned().unwrap_or_else(|| tag.to_string());
        ListedGroup { dimension: *dimension, ids: tags.clone(), names: tags.iter().map(name).collect() }
    };
    let groups = GroupList::Listed(file.groups.iter().map(group).collect());
    let position = if file.scan.encoding == Encoding::Text { Position::Line } else { Position::Byte };
    Ok(Contents {
        dimension: None,
        groups,
        numbering: Numbering::Tagged,
        position,
        dropped: Vec::new(),
        periodic: Vec::new(),
    })
}

/// The file and what has been read from it.
struct Reader {
    scan: Scan,
    /// 2 or 4.
    version: u32,
    /// Names of physical groups, by dimension and tag.
    names: BTreeMap<(usize, i32), String>,
    /// Tags of the physical groups of each entity that has any, by its dimension and tag (4.1).
    entities: BTreeMap<(usize, i32), Vec<i32>>,
    /// The groups of elements: dimension and physical tags of the entities that have elements.
    groups: Vec<(usize, Vec<i32>)>,
}

impl Reader {
    fn format(&mut self) -> Result<(), IoError> {
        let scan = &mut self.scan;
        scan.encoding = Encoding::Text;
        let line = scan.line()?;
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [version, kind, bytes] = fields[..] else {
            return Err(scan.error("expected three numbers after $MeshFormat, like 4.1 0 8"));
        };
        self.version = match version {
            "2" | "2.0" | "2.1" | "2.2" => 2,
            "4.1" => 4,
            _ => {
                return Err(scan.error(format!(
                    "this is version \"{}\" of Gmsh's format; expected 2.2 or 4.1: save it again with `gmsh in.msh -save \
                     -format msh41 -o out.msh`",
                    short(version)
                )));
            }
        };
        match (kind, bytes) {
            ("0", _) => {}
            ("1", "8") => {
                let one: [u8; 4] = scan.bytes("the number 1, which shows the byte order")?;
                let big_endian = match one {
                    [1, 0, 0, 0] => false,
                    [0, 0, 0, 1] => true,
                    _ => return Err(scan.error("expected the number 1, which shows the byte order")),
                };
                scan.encoding = Encoding::Binary { big_endian };
            }
            ("1", _) => {
                let bytes = short(bytes);
                let what = format!(
                    "integers of \"{bytes}\" bytes are not supported in binary files; expected 4.1 1 8"
                );
                return Err(scan.error(what));
            }
            _ => {
                let kind = short(kind);
                let what =
                    format!("\"{kind}\" is neither text (0) nor binary (1); expected 4.1 0 8 or 4.1 1 8");
                return Err(scan.error(what));
            }
        }
        end(scan, "MeshFormat")
    }

    /// Names of physical groups, which are text in binary files, too.
    fn physical_names(&mut self) -> Result<(), IoError> {
        let scan = &mut self.scan;
        let encoding = std::mem::replace(&mut scan.encoding, Encoding::Text);
        let rows = scan.count("the number of physical names", 3)?;
        scan.rest_of_line()?;
        for _ in 0..rows {
            let what = "a physical name: dimension tag \"name\"";
            let dimension = scan.int(what)?;
            let tag = scan.int(what)?;
            let rest = scan.rest_of_line()?;
            let name = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                return Err(scan.error(format!("this is not {what}")));
            };
            if let Ok(dimension @ 1..=3) = usize::try_from(dimension) {
                self.names.insert((dimension, tag), name.to_string());
            }
        }
        end(scan, "PhysicalNames")?;
        scan.encoding = encoding;
        Ok(())
    }

    /// The index in the list of a group of elements: the physical groups that they are in.
    fn group(&mut self, dimension: usize, tags: &[i32]) -> u64 {
        let known = self.groups.iter().position(|group| group.0 == dimension && group.1 == tags);
        let place = known.unwrap_or_else(|| {
            self.groups.push((dimension, tags.to_vec()));
            self.groups.len() - 1
        });
        place as u64
    }

    /// The kind of an element type; `None` for a point.
    fn kind(&self, number: i32) -> Result<Option<ElementKind>, IoError> {
        let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == number) else {
            let name = OTHER_TYPES.iter().find(|(other, _)| *other == number);
            let name = name.map_or("elements of an unknown type", |(_, name)| name);
            return Err(self.scan.error(format!(
                "type {number}, {name}: not supported; expected first-order elements (Mesh.ElementOrder = 1)"
            )));
        };
        Ok(*kind)
    }
}

/// The next heading, without its `$`; `None` at the end of the file.
fn heading(scan: &mut Scan) -> Result<Option<String>, IoError> {
    scan.skip_blanks()?;
    let line = scan.line()?;
    match line.strip_prefix('$') {
        Some(name) => Ok(Some(name.to_string())),
        None if line.is_empty() => Ok(None),
        None => {
            let line = short(&line);
            Err(scan.error(format!("\"{line}\" is not a heading; expected a section, like $Nodes")))
        }
    }
}

/// Reads `$EndNAME`.
fn end(scan: &mut Scan, name: &str) -> Result<(), IoError> {
    scan.skip_blanks()?;
    let line = scan.line()?;
    if line.strip_prefix("$End") == Some(name) {
        return Ok(());
    }
    let found =
        if line.is_empty() { "the file ends here".into() } else { format!("found \"{}\"", short(&line)) };
    Err(scan.error(format!("{found}; expected $End{name} after as many rows as ${name} says there are")))
}

/// Reads up to and including `$EndNAME`.
fn skip_section(scan: &mut Scan, name: &str) -> Result<(), IoError> {
    match scan.skip_past(format!("$End{name}").as_bytes())? {
        true => Ok(()),
        false => Err(scan.error(format!("the file ends here; expected $End{}", short(name)))),
    }
}
