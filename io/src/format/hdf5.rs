//! The project's HDF5 layout.
//!
//! Attributes `case` and `schema`; one dataset per map or dat, of shape (rows, dim), or (rows) if dim is 1. A set's
//! size is the number of rows of its datasets. Indices are i32 if they fit, otherwise i64.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh};
use cfd_mesh::generate::hexahedra;
use cfd_mesh::{DUAL_LEVELS, Derived, ElementBlock, ElementKind, ElementMesh, Given, STORED, level_name};

use super::tables::{self, Layout, Single};
use super::{Format, Holds, Reading, Request, Signs, Start, Writer};
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::{Attribute, Data, NewDataset, write_file};
use crate::source::dataset;

/// The project's HDF5 for derived sets.
pub static HDF5: Format = Format {
    name: "HDF5",
    option: "h5",
    endings: &[".h5", ".hdf5"],
    derived: &STORED,
    signs: Signs { hdf5: Some("the attribute `case`"), other: None },
    dataset: LAYOUT.dataset,
    detect,
    read,
    write: Some(Writer::Derived(write)),
};

const LAYOUT: Layout = Layout { dataset, set_size: None, single: Single::Flat, op2_attributes: false };

/// Version of the layout, the attribute `schema`.
const SCHEMA: i32 = 1;

fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let Some(file) = &start.hdf5 else { return Ok(None) };
    let Some(case) = file.text_attribute("case")? else { return Ok(None) };
    if file.text_attribute("solution_hash")?.is_some() {
        let what = format!(
            "this is a solution of case {case:?}, without the mesh's boundaries; read the file that the run has read, or, if \
             it has changed its mesh, adapted.h5 beside this"
        );
        return Err(file.wrong("case", what));
    }
    let derived = Derived::of_tag(&case).map_err(|e| file.wrong("case", e.to_string()))?;
    let version = file.integer_attribute("schema")?;
    if version != Some(i64::from(SCHEMA)) {
        let found = version.map_or("missing".into(), |v| v.to_string());
        return Err(file.wrong("schema", format!("the attribute is {found}, expected {SCHEMA}")));
    }
    Ok(Some(Holds::Derived(derived)))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let derived = request.derived();
    let (mesh, place) = tables::read(comm, request, &HDF5, &LAYOUT, |file| {
        let schema = derived.schema(if derived.has_levels { levels(file)? } else { 1 });
        Ok(schema.with(|table| file.has((LAYOUT.dataset)(table))))
    })?;
    let elements = match derived == &DUAL_LEVELS {
        true => comm.agree(read_elements(comm, request.path, &mesh))?,
        false => None,
    };
    Ok(Reading::new(Given::Derived { derived, mesh, elements }, place))
}

/// The elements that dual edges were derived from: the datasets' name, and the kind.
const ELEMENTS: [(&str, ElementKind); 2] =
    [("cell", ElementKind::Hexahedron), ("face", ElementKind::Quadrilateral)];

/// This rank's blocks of the elements that dual edges were derived from, if the file has them.
fn read_elements(comm: &Comm, path: &Path, mesh: &Mesh) -> Result<Option<ElementMesh>, IoError> {
    let file = Hdf5File::open(path)?;
    let nodes = &mesh.sets[mesh.set(&level_name(0, "nodes")).expect("dual edges have nodes")];
    let mut blocks = Vec::new();
    for (name, kind) in ELEMENTS {
        let name = level_name(0, name);
        let [dataset, groups] = [nodes_of(&name), groups_of(&name)];
        if !file.has(&dataset) {
            continue;
        }
        let table = file.table(&dataset, Numbers::Integer)?;
        let [rows, columns] = table.shape[..] else {
            return Err(file.wrong(&dataset, format!("the shape is {:?}, expected two sizes", table.shape)));
        };
        if columns != kind.nodes() as u64 {
            return Err(file.wrong(&dataset, format!("{columns} nodes a row, expected {}", kind.nodes())));
        }
        let own = Blocks::new(rows, comm.size()).range(comm.rank());
        let corners = table.integers(own.clone())?;
        if nodes.rows == 0 {
            // Validation reports what the mesh lacks.
            continue;
        }
        let known = |&node: &i64| u64::try_from(node).is_ok_and(|node| node < nodes.rows);
        if let Some(at) = corners.iter().position(|node| !known(node)) {
            let row = own.start + (at / kind.nodes()) as u64;
            let what = format!("row {row}: node {}; allowed are 0 to {}", corners[at], nodes.rows - 1);
            return Err(file.wrong(&dataset, what));
        }
        let groups = if file.has(&groups) {
            let table = file.table(&groups, Numbers::Integer)?;
            if table.shape != [rows] {
                return Err(file.wrong(&groups, format!("the shape is {:?}, expected ({rows})", table.shape)));
            }
            // Group 0 of the file is a boundary, too.
            let group = |group: i64| {
                let next = group.checked_add(1).and_then(|next| i32::try_from(next).ok());
                next.ok_or_else(|| file.wrong(&groups, format!("the value {group} does not fit in 32 bits")))
            };
            table.integers(own)?.into_iter().map(group).collect::<Result<_, _>>()?
        } else {
            vec![0; corners.len() / kind.nodes()]
        };
        let nodes = corners.into_iter().map(i64::cast_unsigned).collect();
        blocks.push(ElementBlock { kind, rows, nodes, groups });
    }
    if !blocks.iter().any(|block| block.kind == ElementKind::Hexahedron) {
        return Ok(None);
    }
    let x = mesh.numbers(&level_name(0, "x")).to_vec();
    Ok(Some(ElementMesh::from_blocks(3, nodes.rows, x, blocks, hexahedra::group_names())))
}

/// The dataset of elements' corners.
fn nodes_of(name: &str) -> String {
    format!("{name}_nodes")
}

/// The dataset of elements' groups.
fn groups_of(name: &str) -> String {
    format!("{name}_group")
}

/// This rank's rows of the elements that dual edges were derived from, those of one kind.
fn element_outputs<'a>(comm: &Comm, elements: &'a ElementMesh) -> Vec<NewDataset<'a>> {
    let mut outputs = Vec::new();
    let small = elements.node_blocks(comm).rows <= i32::MAX as u64;
    for list in elements.elements() {
        let Some((name, _)) = ELEMENTS.iter().find(|(_, kind)| *kind == list.kind) else { continue };
        let name = level_name(0, name);
        let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
        let rows = list.rows as usize;
        let output = |name: String, shape: Vec<usize>, data: Data<'a>| NewDataset {
            name,
            shape,
            rows: own.start as usize..own.end as usize,
            data,
            attributes: Vec::new(),
        };
        let data = match small {
            true => Data::I32(list.nodes.iter().map(|&node| node as i32).collect()),
            false => Data::I64(list.nodes.iter().map(|&node| node as i64).collect()),
        };
        outputs.push(output(nodes_of(&name), vec![rows, list.kind.nodes()], data));
        if list.boundary {
            let groups = list.groups.iter().map(|group| group - 1).collect();
            outputs.push(output(groups_of(&name), vec![rows], Data::I32(groups)));
        }
    }
    outputs
}

/// The number of levels in a file of dual edges: its groups `level0`, `level1`, ... without a gap.
fn levels(file: &Hdf5File) -> Result<usize, IoError> {
    let levels = (0..).take_while(|&level| file.has(&format!("level{level}"))).count();
    let beyond = level_name(levels.saturating_sub(1), "node_mg_node");
    if levels == 0 {
        Err(file.wrong("level0", "the group of the finest level is missing"))
    } else if file.has(&beyond) {
        Err(file
            .wrong(&format!("level{levels}"), format!("the group is missing, but `{beyond}` leads to it")))
    } else {
        Ok(levels)
    }
}

fn write(comm: &Comm, derived: &'static Derived, given: &Given, path: &Path) -> Result<(), IoError> {
    // Fixed length: strings of variable length are in a heap, in which the library can hang if it is damaged.
    let case = Attribute::ShortText(derived.tag);
    let attributes = [("case", case), ("schema", Attribute::Integer(SCHEMA))];
    let mesh = given.content();
    let mut outputs = tables::table_outputs(comm, mesh, &derived.schema_of(mesh).tables, &LAYOUT);
    if let Given::Derived { elements: Some(elements), .. } = given
        && derived == &DUAL_LEVELS
    {
        outputs.extend(element_outputs(comm, elements));
    }
    write_file(comm, path, &attributes, &outputs)
}
