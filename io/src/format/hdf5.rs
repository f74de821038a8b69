//! The project's HDF5 layout.
//!
//! Attributes `case` and `schema`; one dataset per map or dat, of shape (rows, dim), or (rows) if dim is 1. A set's
//! size is the number of rows of its datasets. Indices are i32 if they fit, otherwise i64.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Shown};
use cfd_mesh::{SHOWN_CELLS, SHOWN_FACES, Schema, Topology, level_name};

use super::tables::{self, Layout, Single};
use super::{Format, Request, Signs, Start};
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::{Attribute, Data, Output, write_file};
use crate::place::{Place, dataset};

/// The project's HDF5.
pub static HDF5: Format = Format {
    name: "HDF5",
    option: "h5",
    endings: &[".h5", ".hdf5"],
    topologies: &Topology::ALL,
    lists_boundaries: false,
    signs: Signs { hdf5: Some("the attribute `case`"), other: None },
    dataset: LAYOUT.dataset,
    detect,
    read,
    read_elements: None,
    write: Some(write),
};

const LAYOUT: Layout = Layout { dataset, set_size: None, single: Single::Flat, op2_attributes: false };

/// Version of the layout, the attribute `schema`.
const SCHEMA: i32 = 1;

fn detect(start: &Start) -> Result<Option<Topology>, IoError> {
    let Some(file) = &start.hdf5 else { return Ok(None) };
    let Some(case) = file.text_attribute("case")? else { return Ok(None) };
    let topology: Topology =
        case.parse().map_err(|e: cfd_mesh::MeshError| file.wrong("case", e.to_string()))?;
    let version = file.integer_attribute("schema")?;
    if version != Some(i64::from(SCHEMA)) {
        let found = version.map_or("missing".into(), |v| v.to_string());
        return Err(file.wrong("schema", format!("the attribute is {found}, expected {SCHEMA}")));
    }
    Ok(Some(topology))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<(Mesh, Place), IoError> {
    let topology = request.topology;
    let (mut mesh, place) = tables::read(comm, request, &HDF5, &LAYOUT, |file| {
        Ok(topology.schema(if topology == Topology::DualEdges { levels(file)? } else { 1 }))
    })?;
    if topology == Topology::DualEdges {
        mesh.shown = comm.agree(read_shown(comm, request.path, &mesh))?;
    }
    Ok((mesh, place))
}

/// Display elements of dual edges: names, and corners per element.
const SHOWN: [(&str, usize); 2] = [(SHOWN_CELLS, 8), (SHOWN_FACES, 4)];

/// This rank's blocks of the elements kept for display only, as far as the file has them.
fn read_shown(comm: &Comm, path: &Path, mesh: &Mesh) -> Result<Vec<Shown>, IoError> {
    let file = Hdf5File::open(path)?;
    let mut all = Vec::new();
    for (name, corners) in SHOWN.map(|(name, corners)| (level_name(0, name), corners)) {
        let [dataset, groups] = [nodes_of(&name), groups_of(&name)];
        if !file.has(&dataset) {
            continue;
        }
        let to = mesh.set(&level_name(0, "nodes")).expect("dual edges have nodes");
        let table = file.table(&dataset, Numbers::Integer)?;
        let [rows, columns] = table.shape[..] else {
            return Err(file.wrong(&dataset, format!("the shape is {:?}, expected two sizes", table.shape)));
        };
        if columns != corners as u64 {
            return Err(file.wrong(&dataset, format!("{columns} nodes a row, expected {corners}")));
        }
        let own = Blocks::new(rows, comm.size()).range(comm.rank());
        let nodes = table.integers(own.clone())?;
        let known = mesh.sets[to].rows;
        if known == 0 {
            // Validation reports what the mesh lacks.
            continue;
        }
        if let Some(at) = nodes.iter().position(|&node| !u64::try_from(node).is_ok_and(|n| n < known)) {
            let row = own.start + (at / corners) as u64;
            let what = format!("row {row}: node {}; allowed are 0 to {}", nodes[at], known - 1);
            return Err(file.wrong(&dataset, what));
        }
        let groups = if file.has(&groups) {
            let table = file.table(&groups, Numbers::Integer)?;
            if table.shape != [rows] {
                return Err(file.wrong(&groups, format!("the shape is {:?}, expected ({rows})", table.shape)));
            }
            let narrow = |group: i64| {
                i32::try_from(group)
                    .map_err(|_| file.wrong(&groups, format!("the value {group} does not fit in 32 bits")))
            };
            table.integers(own)?.into_iter().map(narrow).collect::<Result<_, _>>()?
        } else {
            Vec::new()
        };
        let nodes = nodes.into_iter().map(i64::cast_unsigned).collect();
        all.push(Shown { name, to, corners, rows, nodes, groups });
    }
    Ok(all)
}

/// The dataset of the display elements' corners.
fn nodes_of(name: &str) -> String {
    format!("{name}_nodes")
}

/// The dataset of the display elements' groups.
fn groups_of(name: &str) -> String {
    format!("{name}_group")
}

/// This rank's rows of the elements kept for display only.
fn shown_outputs<'a>(comm: &Comm, mesh: &'a Mesh) -> Vec<Output<'a>> {
    let mut outputs = Vec::new();
    for shown in &mesh.shown {
        let own = Blocks::new(shown.rows, comm.size()).range(comm.rank());
        let rows = shown.rows as usize;
        let output = |name: String, shape: Vec<usize>, data: Data<'a>| Output {
            name,
            shape,
            rows: own.start as usize..own.end as usize,
            data,
            attributes: Vec::new(),
        };
        let data = if mesh.sets[shown.to].rows <= i32::MAX as u64 {
            Data::I32(shown.nodes.iter().map(|&node| node as i32).collect())
        } else {
            Data::I64(shown.nodes.iter().map(|&node| node as i64).collect())
        };
        outputs.push(output(nodes_of(&shown.name), vec![rows, shown.corners], data));
        // No rank knows whether others have any.
        if shown.rows > 0 && comm.max(shown.groups.len() as u64) > 0 {
            outputs.push(output(groups_of(&shown.name), vec![rows], Data::I32((&shown.groups[..]).into())));
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

fn write(comm: &Comm, mesh: &Mesh, schema: &Schema, path: &Path) -> Result<(), IoError> {
    // Fixed length: strings of variable length are in a heap, in which the library can hang if it is damaged.
    let case = Attribute::ShortText(schema.topology.tag());
    let attributes = [("case", case), ("schema", Attribute::Integer(SCHEMA))];
    let mut outputs = tables::table_outputs(comm, mesh, &schema.tables, &LAYOUT);
    outputs.extend(shown_outputs(comm, mesh));
    write_file(comm, path, &attributes, &outputs)
}
