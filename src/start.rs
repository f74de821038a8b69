//! Start values from the solution of another run, by the names of fields, on the same mesh or another one.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::prelude::AnyDat;
use cfd_io::{Field, FieldShape, IoError, SolutionFile};
use cfd_mesh::{ElementMesh, interpolated};
use cfd_solvers::Solver;
use serde::Serialize;

use crate::config::Run;
use crate::console::Console;
use crate::exit::Error;
use crate::setup::MeshFacts;

/// The solution that a run starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StartFrom {
    /// The file.
    pub file: PathBuf,
    /// Hash of the solution in it.
    pub solution_hash: Option<String>,
    /// Whether it is on another mesh, from whose elements it was interpolated.
    pub interpolated: bool,
    /// Fields of this run that the file does not have, which keep their own start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// Gives a solver's fields the values of the solution that its configuration names, if it names one. Collective.
///
/// # Errors
/// The file is missing, damaged or no solution of this case, does not fit the run, or is on another mesh that it does not
/// hold.
pub fn apply(
    comm: &Comm,
    run: &Run,
    facts: &MeshFacts,
    domain: &mut Domain,
    solver: &mut dyn Solver,
    console: Console,
) -> Result<Option<StartFrom>, Error> {
    let Some(path) = run.case.start_from(&run.keys).map(PathBuf::from) else { return Ok(None) };
    let file = comm.agree(SolutionFile::open(&path))?;
    let [case, mesh_hash, solution_hash] = comm.agree(texts(&file))?;
    if case.as_deref() != Some(run.case.name()) {
        let whose = case.map_or("of another program".into(), |case| format!("of case \"{case}\""));
        let what = format!("this is a solution {whose}, but the run is \"{}\"", run.case.name());
        return Err(IoError::file(&path, what).into());
    }
    let mut start = StartFrom {
        file: path.clone(),
        solution_hash,
        interpolated: mesh_hash.as_deref() != Some(&facts.hash[..]),
        without: Vec::new(),
    };
    let other = if start.interpolated { Some(Other::read(comm, &path, run, domain)?) } else { None };
    let fields = solver.fields();
    for (at, own) in fields.iter().enumerate() {
        let Some(shape) = file.fields().iter().find(|shape| shape.name == own.name) else {
            if at == 0 {
                return Err(missing(&path, &own.name, file.fields()).into());
            }
            start.without.push(own.name.clone());
            continue;
        };
        if shape.dim != own.dat.dim() {
            let what = format!(
                "it has {} values of a row, but the run has {} ({}): a solution of other equations or another dimension",
                shape.dim,
                own.dat.dim(),
                own.components.join(", ")
            );
            return Err(IoError::dataset(&path, &own.name, what).into());
        }
        let field = cfd_io::read_field(comm, &path, &own.name)?;
        let given = match &other {
            None => field.write(domain, own.dat),
            Some(other) => other.give(comm, &field, domain, own.dat),
        };
        given.map_err(|what| IoError::dataset(&path, &own.name, what))?;
    }
    solver.begin(domain)?;
    domain.flush()?;
    announce(&start, console);
    Ok(Some(start))
}

fn texts(file: &SolutionFile) -> Result<[Option<String>; 3], IoError> {
    Ok([file.text("case")?, file.text("mesh_hash")?, file.text("solution_hash")?])
}

fn missing(path: &Path, name: &str, fields: &[FieldShape]) -> IoError {
    let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    IoError::file(path, format!("there is no field `{name}` to start from; its fields: {}", known.join(", ")))
}

fn announce(start: &StartFrom, console: Console) {
    let how = if start.interpolated { "interpolated from another mesh" } else { "on the same mesh" };
    let without = match start.without.as_slice() {
        [] => String::new(),
        names => format!("; without {}, which start as they would otherwise", names.join(", ")),
    };
    console.entry("start", &format!("{}: {how}{without}", start.file.display()));
}

/// The mesh in a file whose solution is on another one than the run's. Collective.
///
/// # Errors
/// The file is damaged, or does not hold its mesh.
pub fn mesh_of(comm: &Comm, path: &Path) -> Result<ElementMesh, Error> {
    cfd_io::read_solution_mesh(comm, path)?.ok_or_else(|| {
        let what = "this solution is on another mesh than the run, and the file does not hold that mesh; expected one that \
                    was written with output.mesh = true, or on the run's mesh";
        IoError::file(path, what).into()
    })
}

/// Another mesh, and where this run's nodes are.
struct Other {
    mesh: ElementMesh,
    /// Coordinates of this rank's nodes.
    points: Vec<f64>,
    x: AnyDat,
}

impl Other {
    /// The mesh in a solution file. Collective.
    fn read(comm: &Comm, path: &Path, run: &Run, domain: &mut Domain) -> Result<Other, Error> {
        let mesh = mesh_of(comm, path)?;
        let x = domain.any_dat(run.case.facts().needs[0].cells.coordinates)?;
        if mesh.dimension() != x.dim() {
            let (theirs, own) = (mesh.dimension(), x.dim());
            let what = format!(
                "this solution is on a mesh of {theirs} dimensions, but the run's has {own} dimensions"
            );
            return Err(IoError::file(path, what).into());
        }
        Ok(Other { mesh, points: x.read_f64(domain)?, x })
    }

    /// Gives a dat on the nodes a field of the other mesh. Collective.
    fn give(&self, comm: &Comm, field: &Field, domain: &mut Domain, dat: AnyDat) -> Result<(), String> {
        let nodes = self.mesh.node_blocks(comm).rows;
        if field.rows != nodes || dat.set() != self.x.set() {
            return Err(format!(
                "{} rows, expected one for each of the {nodes} nodes of its mesh",
                field.rows
            ));
        }
        let values = field.block.values();
        let values = match self.x.dim() {
            2 => interpolated(comm, &self.mesh, field.dim, values, self.points.as_chunks::<2>().0),
            _ => interpolated(comm, &self.mesh, field.dim, values, self.points.as_chunks::<3>().0),
        };
        dat.write_f64(domain, &values);
        Ok(())
    }
}
