//! The project's HDF5 layout.
//!
//! Attributes `case` and `schema`; one dataset a map or dat, of shape (rows, dim), or (rows) when dim is 1. A set's size is
//! the rows of its datasets. Indices are i32 where they fit, else i64.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_topology::{Schema, Topology, level_name};

use super::tables::{self, Layout, Single};
use super::{Format, Request, Signs, Start};
use crate::IoError;
use crate::hdf5_file::Hdf5File;
use crate::hdf5_output::{Attribute, write_file};
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
        case.parse().map_err(|e: cfd_topology::MeshError| file.wrong("case", e.to_string()))?;
    let version = file.integer_attribute("schema")?;
    if version != Some(i64::from(SCHEMA)) {
        let found = version.map_or("missing".into(), |v| v.to_string());
        return Err(file.wrong("schema", format!("the attribute is {found}, expected {SCHEMA}")));
    }
    Ok(Some(topology))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<(Mesh, Place), IoError> {
    tables::read(comm, request, &HDF5, &LAYOUT, |file| {
        let topology = request.topology;
        Ok(topology.schema(if topology == Topology::DualEdges { levels(file)? } else { 1 }))
    })
}

/// The number of levels of a file of dual edges: of its groups `level0`, `level1`, ... without a gap.
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
    // Of fixed length: texts of variable length lie in a heap, in which the library can hang when it is damaged.
    let case = Attribute::ShortText(schema.topology.tag());
    let attributes = [("case", case), ("schema", Attribute::Integer(SCHEMA))];
    write_file(comm, path, &attributes, &tables::table_outputs(comm, mesh, &schema.tables, &LAYOUT))
}
