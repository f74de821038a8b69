//! The HDF5 layout of OP2's programs airfoil and aero.
//!
//! One dataset of one integer per set, with its size; one dataset per map or dat, of shape (rows, dim), with attributes
//! `size`, `dim` and `type`. Indices are int or long. Other datasets are ignored when reading; when writing, those that
//! OP2's programs read with the mesh are included: their start state, and airfoil's constants.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{BILINEAR, CELL_EDGES, Content, Derived, Given, Table};

use super::tables::{self, Layout, Single};
use super::{Format, Holds, Reading, Request, Signs, Start, Writer};
use crate::IoError;
use crate::hdf5_output::{Attribute, Data, NewDataset, write_file};

/// OP2's HDF5.
pub static OP2_HDF5: Format = Format {
    name: "OP2 HDF5",
    option: "op2-h5",
    endings: &[".op2.h5", ".op2.hdf5"],
    derived: &[&CELL_EDGES, &BILINEAR],
    signs: Signs { hdf5: Some("OP2's datasets (`nodes`, `cells`, `bedges`, `pcell`, ...)"), other: None },
    dataset: LAYOUT.dataset,
    detect,
    read,
    write: Some(Writer::Derived(write)),
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

fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let Some(file) = &start.hdf5 else { return Ok(None) };
    if !["nodes", "cells", "bedges"].iter().all(|name| file.has(name)) && !file.has("pcell") {
        return Ok(None);
    }
    // Both programs call a set `bedges`; only airfoil has edges.
    let edges = ["edges", "pedge", "pecell", "pbecell"].iter().any(|name| file.has(name));
    Ok(Some(Holds::Derived(if edges { &CELL_EDGES } else { &BILINEAR })))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let derived = request.derived();
    let (mesh, place) = tables::read(comm, request, &OP2_HDF5, &LAYOUT, |_| Ok(derived.schema(1)))?;
    Ok(Reading::new(Given::derived(derived, mesh), place))
}

fn write(comm: &Comm, derived: &'static Derived, given: &Given, path: &Path) -> Result<(), IoError> {
    let (mesh, schema) = (given.content(), derived.schema(1));
    tables::check_sizes(mesh, "OP2's HDF5 holds", path)?;
    let mut outputs = tables::size_outputs(comm, mesh, &schema, set_size);
    outputs.extend(tables::table_outputs(comm, mesh, &schema.tables, &LAYOUT));
    if derived == &CELL_EDGES {
        outputs.extend(airfoil_state(comm, mesh));
        outputs.extend(AirfoilConstants::published().outputs(comm));
    } else {
        outputs.extend(aero_state(comm, mesh));
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
    fn outputs(&self, comm: &Comm) -> Vec<NewDataset<'static>> {
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
            NewDataset {
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

/// The start state that OP2's airfoil reads with the mesh.
fn airfoil_state(comm: &Comm, mesh: &Mesh) -> Vec<NewDataset<'static>> {
    vec![
        constant(comm, mesh, "p_q", "cells", &AirfoilConstants::published().free_stream()),
        constant(comm, mesh, "p_qold", "cells", &[0.0; 4]),
        constant(comm, mesh, "p_adt", "cells", &[0.0]),
        constant(comm, mesh, "p_res", "cells", &[0.0; 4]),
    ]
}

/// The start state that OP2's aero reads with the mesh: the potential of a free stream of Mach 0.1, M x.
fn aero_state(comm: &Comm, mesh: &Mesh) -> Vec<NewDataset<'static>> {
    let potential = mesh.numbers("x").chunks_exact(2).map(|x| 0.1 * x[0]).collect();
    let mut state = vec![op2_dat(comm, mesh, "p_phim", "nodes", 1, potential)];
    state.extend(["p_resm", "p_V", "p_P", "p_U"].map(|name| constant(comm, mesh, name, "nodes", &[0.0])));
    state.push(constant(comm, mesh, "p_none", "nodes", &[0.0; 4]));
    state.push(constant(comm, mesh, "p_K", "cells", &[0.0; 16]));
    state
}

/// A dat with the same values in every row.
fn constant(
    comm: &Comm,
    mesh: &Mesh,
    op2: &'static str,
    set: &'static str,
    row: &[f64],
) -> NewDataset<'static> {
    let own =
        mesh.blocks(mesh.set(set).expect("a checked mesh has its schema's sets"), comm).range(comm.rank());
    op2_dat(comm, mesh, op2, set, row.len(), row.repeat((own.end - own.start) as usize))
}

fn op2_dat(
    comm: &Comm,
    mesh: &Mesh,
    op2: &'static str,
    set: &'static str,
    dim: usize,
    values: Vec<f64>,
) -> NewDataset<'static> {
    let table = Table::dat(op2, set, dim, Content::F64, op2);
    let set = mesh.set(set).expect("a checked mesh has its schema's sets");
    tables::output(comm, mesh, set, &table, &LAYOUT, Data::F64(values.into()))
}
