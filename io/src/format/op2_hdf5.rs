//! The HDF5 layout of OP2's programs airfoil and aero.
//!
//! One dataset of one integer per set, with its size; one dataset per map or dat, of shape (rows, dim), with attributes
//! `size`, `dim` and `type`. Indices are int or long. Other datasets are ignored when reading; when writing, those that
//! OP2's programs read with the mesh are included: their start state, and airfoil's constants.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::{Content, Schema, Table, Topology};

use super::tables::{self, Layout, Single};
use super::{Format, Request, Signs, Start};
use crate::IoError;
use crate::hdf5_output::{Attribute, Data, Output, write_file};
use crate::place::Place;

/// OP2's HDF5.
pub static OP2_HDF5: Format = Format {
    name: "OP2 HDF5",
    option: "op2-h5",
    endings: &[".op2.h5", ".op2.hdf5"],
    topologies: &[Topology::CellEdges, Topology::Elements],
    lists_boundaries: false,
    signs: Signs { hdf5: Some("OP2's datasets (`nodes`, `cells`, `bedges`, `pcell`, ...)"), other: None },
    dataset: LAYOUT.dataset,
    detect,
    read,
    read_elements: None,
    write: Some(write),
};

const LAYOUT: Layout =
    Layout { dataset, set_size: Some(set_size), single: Single::Column, op2_attributes: true };

/// Maps and dats, and OP2's names for them.
const NAMES: [(&str, &str); 8] = [
    ("edge_nodes", "pedge"),
    ("edge_cells", "pecell"),
    ("bedge_nodes", "pbedge"),
    ("bedge_cell", "pbecell"),
    ("bnode_node", "pbedge"),
    ("cell_nodes", "pcell"),
    ("x", "p_x"),
    ("bound", "p_bound"),
];

fn dataset(table: &Table) -> &str {
    // The dats of the start state keep OP2's names.
    NAMES.iter().find(|(name, _)| *name == table.name).map_or(&table.name, |(_, op2)| op2)
}

fn set_size(set: &str) -> &str {
    // OP2's aero uses this name for the far-field nodes.
    if set == "bnodes" { "bedges" } else { set }
}

fn detect(start: &Start) -> Result<Option<Topology>, IoError> {
    let Some(file) = &start.hdf5 else { return Ok(None) };
    if !["nodes", "cells", "bedges"].iter().all(|name| file.has(name)) && !file.has("pcell") {
        return Ok(None);
    }
    // Both programs call a set `bedges`; only airfoil has edges.
    let edges = ["edges", "pedge", "pecell", "pbecell"].iter().any(|name| file.has(name));
    Ok(Some(if edges { Topology::CellEdges } else { Topology::Elements }))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<(Mesh, Place), IoError> {
    tables::read(comm, request, &OP2_HDF5, &LAYOUT, |_| Ok(request.topology.schema(1)))
}

fn write(comm: &Comm, mesh: &Mesh, schema: &Schema, path: &Path) -> Result<(), IoError> {
    tables::check_sizes(mesh, "OP2's HDF5 holds", path)?;
    let mut outputs = tables::size_outputs(comm, mesh, schema, set_size);
    outputs.extend(tables::table_outputs(comm, mesh, &schema.tables, &LAYOUT));
    outputs.extend(op2_state(comm, mesh, schema.topology));
    if schema.topology == Topology::CellEdges {
        outputs.extend(AirfoilConstants::published().outputs(comm));
    }
    write_file(comm, path, &[], &outputs)
}

/// The constants of OP2's published airfoil, which its form for HDF5 reads from the mesh's file.
struct AirfoilConstants {
    gamma: f64,
    cfl: f64,
    eps: f64,
    mach: f64,
    /// In radians; the program reads it and does not use it.
    alpha: f64,
}

impl AirfoilConstants {
    /// Rounded to single precision, as in the program.
    fn published() -> AirfoilConstants {
        let [gamma, cfl, eps, mach] = [1.4f32, 0.9, 0.05, 0.4].map(f64::from);
        AirfoilConstants { gamma, cfl, eps, mach, alpha: 3f64.to_radians() }
    }

    /// p = rho = 1, along x.
    fn free_stream(&self) -> [f64; 4] {
        let u = self.gamma.sqrt() * self.mach;
        [1.0, u, 0.0, 1.0 / (self.gamma - 1.0) + 0.5 * u * u]
    }

    /// The constants as OP2 writes them: datasets of their own, with their dimension and type. Rank 0 writes them.
    fn outputs(&self, comm: &Comm) -> Vec<Output<'static>> {
        let &AirfoilConstants { gamma, cfl, eps, mach, alpha } = self;
        let numbers = [
            ("gam", gamma),
            ("gm1", gamma - 1.0),
            ("cfl", cfl),
            ("eps", eps),
            ("mach", mach),
            ("alpha", alpha),
        ];
        let constants = numbers.map(|(name, number)| (name, vec![number]));
        let output = |(name, values): (&str, Vec<f64>)| {
            let dim = values.len();
            let own = if comm.is_root() { dim } else { 0 };
            Output {
                name: name.into(),
                shape: vec![dim],
                rows: 0..own,
                data: Data::F64(values[..own].to_vec().into()),
                attributes: vec![
                    ("dim", Attribute::IntegerArray(dim as i32)),
                    ("type", Attribute::ShortText("double")),
                ],
            }
        };
        constants.into_iter().chain([("qinf", self.free_stream().to_vec())]).map(output).collect()
    }
}

/// The start state that OP2's programs read with the mesh.
fn op2_state(comm: &Comm, mesh: &Mesh, topology: Topology) -> Vec<Output<'static>> {
    let rows = |set: &str| {
        let set = mesh.set(set).expect("a checked mesh has its schema's sets");
        let own = mesh.blocks(set, comm).range(comm.rank());
        (own.end - own.start) as usize
    };
    let constant = |op2: &'static str, set: &'static str, row: &[f64]| {
        op2_dat(comm, mesh, op2, set, row.len(), row.repeat(rows(set)))
    };
    match topology {
        Topology::CellEdges => vec![
            constant("p_q", "cells", &AirfoilConstants::published().free_stream()),
            constant("p_qold", "cells", &[0.0; 4]),
            constant("p_adt", "cells", &[0.0]),
            constant("p_res", "cells", &[0.0; 4]),
        ],
        // The potential of a free stream of Mach 0.1, M x.
        Topology::Elements => {
            let Values::F64(x) = &mesh.dats[mesh.dat("x").expect("a checked mesh has coordinates")].values
            else {
                panic!("a checked mesh has coordinates in double precision")
            };
            let potential = x.chunks_exact(2).map(|x| 0.1 * x[0]).collect();
            let mut state = vec![op2_dat(comm, mesh, "p_phim", "nodes", 1, potential)];
            state.extend(["p_resm", "p_V", "p_P", "p_U"].map(|name| constant(name, "nodes", &[0.0])));
            state.push(constant("p_none", "nodes", &[0.0; 4]));
            state.push(constant("p_K", "cells", &[0.0; 16]));
            state
        }
        Topology::DualEdges | Topology::Hexahedra | Topology::Triangles => Vec::new(),
    }
}

fn op2_dat(
    comm: &Comm,
    mesh: &Mesh,
    op2: &'static str,
    set: &'static str,
    dim: usize,
    values: Vec<f64>,
) -> Output<'static> {
    let table = Table { name: op2.into(), set: set.into(), dim, content: Content::F64, dataset: op2.into() };
    let set = mesh.set(set).expect("a checked mesh has its schema's sets");
    tables::output(comm, mesh, set, &table, &LAYOUT, Data::F64(values.into()))
}
