//! Values at the nodes of a run's mesh, from the files that its configuration names.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_io::{FieldKind, IoError, SolutionFile};
use cfd_mesh::interpolated;
use cfd_solvers::case::{NodeBlock, NodeValues};

use crate::config::Run;
use crate::exit::Error;
use crate::setup::MeshFacts;
use crate::start::mesh_of;

/// This rank's blocks of what the case takes from files. Collective.
///
/// # Errors
/// A file is missing or damaged, has no such values, or does not fit the mesh.
pub fn read(comm: &Comm, run: &Run, facts: &MeshFacts, mesh: &Mesh) -> Result<Vec<NodeBlock>, Error> {
    let name = run.case.facts().needs[0].cells.coordinates;
    let place = |wanted: &NodeValues| match wanted {
        NodeValues::Metric(path) => {
            Ok(NodeBlock { dim: 3, values: metric(comm, path, nodes(mesh, name).0)? })
        }
        NodeValues::Field { file, name: field, most } => {
            let (nodes, points) = nodes(mesh, name);
            self::field(comm, facts, (file, field, *most), nodes, points)
        }
    };
    run.case.node_values(&run.keys).iter().map(place).collect()
}

/// The number of nodes of a mesh in the plane, and this rank's block of their coordinates.
fn nodes<'a>(mesh: &'a Mesh, name: &str) -> (u64, &'a [[f64; 2]]) {
    let dat = &mesh.dats[mesh.dat(name).expect("a mesh has coordinates")];
    let Values::F64(x) = &dat.values else { unreachable!("coordinates are f64") };
    (mesh.sets[dat.set].rows, x.as_chunks::<2>().0)
}

/// A metric in Medit's format: a matrix, or a size h, the metric of which is 1 / h^2 in all directions. Collective.
fn metric(comm: &Comm, path: &Path, nodes: u64) -> Result<Vec<f64>, Error> {
    let file = cfd_io::read_node_fields(comm, path)?;
    let wrong = |what: String| Err(IoError::file(path, what).into());
    if file.nodes != nodes {
        return wrong(format!(
            "values at {} nodes, but the mesh has {nodes}; expected a line for each, in the order of the mesh",
            file.nodes
        ));
    }
    if file.dimension != 2 {
        return wrong(format!(
            "a metric in {} dimensions; expected one in the plane (Dimension 2)",
            file.dimension
        ));
    }
    let [field] = &file.fields[..] else {
        return wrong(format!("{} fields; expected one, the metric", file.fields.len()));
    };
    match field.kind {
        FieldKind::Metric => Ok(field.values.clone()),
        FieldKind::Scalar => {
            let bad = field.values.iter().find(|h| !(**h > 0.0 && h.is_finite())).copied();
            comm.agree(match bad {
                None => Ok(()),
                Some(h) => Err(IoError::file(path, format!("the size {h}; expected positive numbers"))),
            })?;
            Ok(field.values.iter().flat_map(|h| [1.0 / (h * h), 0.0, 1.0 / (h * h)]).collect())
        }
        FieldKind::Vector => wrong(
            "a vector at each node; expected a size (kind 1) or a symmetric matrix (kind 3), which are metrics".into(),
        ),
    }
}

/// A field of a solution at the nodes, interpolated if it is on another mesh. Collective.
fn field(
    comm: &Comm,
    facts: &MeshFacts,
    (path, name, most): (&Path, &str, usize),
    nodes: u64,
    points: &[[f64; 2]],
) -> Result<NodeBlock, Error> {
    let file = comm.agree(SolutionFile::open(path))?;
    let names = [name.to_string(), format!("derived/{name}")];
    let Some(shape) = file.fields().iter().find(|shape| names.contains(&shape.name)) else {
        let known: Vec<&str> = file.fields().iter().map(|shape| shape.name.as_str()).collect();
        let what = format!(
            "there is no field `{name}` (adaptation.field, adaptation.fields); its fields: {}",
            known.join(", ")
        );
        return Err(IoError::file(path, what).into());
    };
    if !(1..=most).contains(&shape.dim) {
        let expected = match most {
            1 => "a scalar field (adaptation.field)".into(),
            _ => format!("at most {most} (adaptation.fields)"),
        };
        let what = format!("{} values of a row; expected {expected}", shape.dim);
        return Err(IoError::dataset(path, &shape.name, what).into());
    }
    let dim = shape.dim;
    let field = cfd_io::read_field(comm, path, &shape.name)?;
    let mesh_hash = comm.agree(file.text("mesh_hash"))?;
    if mesh_hash.as_deref() == Some(&facts.hash[..]) {
        if field.rows != nodes {
            let what = format!("{} rows; expected one for each of the {nodes} nodes of the mesh", field.rows);
            return Err(IoError::dataset(path, &shape.name, what).into());
        }
        return Ok(NodeBlock { dim, values: field.block.values().to_vec() });
    }
    let other = mesh_of(comm, path)?;
    let rows = other.node_blocks(comm).rows;
    if other.dimension() != 2 || field.rows != rows {
        let what =
            format!("{} rows; expected one for each of the {rows} nodes of a mesh in the plane", field.rows);
        return Err(IoError::dataset(path, &shape.name, what).into());
    }
    Ok(NodeBlock { dim, values: interpolated(comm, &other, dim, field.block.values(), points) })
}
