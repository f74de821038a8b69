//! The metric that a mesh is adapted to.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use cfd_adapt::mesh::Mesh;
use cfd_adapt::metric::{
    Analytic, Background, Curvature, MetricError, Reached, Recovery, View, from_list, hessian, implied,
    intersect_all, reach, reach_formula,
};
use cfd_adapt::remesh::{Adapting, Remesh};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_mesh::ElementMesh;

use super::{Config, outline};

/// Longest line of a file of metrics.
const LINE: u64 = 1000;

/// Where a metric comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    /// The field of the published benchmark.
    Front,
    /// A formula.
    Formula(Analytic),
    /// Numbers for the vertices of the first mesh.
    File(PathBuf),
    /// The same in Medit's format.
    Medit(PathBuf),
    /// A field of a solution.
    Field,
    /// One size everywhere.
    Uniform(f64),
    /// The sizes of the first mesh.
    Mesh,
}

/// The metric at any point.
pub(super) type Formula = Box<dyn Fn(&[f64; 2]) -> Tensor<2> + Sync>;

/// The metric at every local vertex of a mesh.
pub(super) struct Found {
    pub metrics: Vec<Tensor<2>>,
    pub complexity: f64,
    /// The same at any point, if it is known there: from a formula, without gradation, which makes sizes depend on those
    /// at other vertices.
    pub formula: Option<Formula>,
}

/// The metric that there is already, of one that only the first mesh has from files.
pub(super) enum Before {
    /// None on the first mesh.
    Nothing,
    /// From the previous adaptation: the numbers of this rank's block of vertices.
    Block(Vec<f64>),
    /// From the first mesh, at every local vertex.
    Everywhere(Vec<Tensor<2>>),
}

impl Source {
    /// Of the key `metric`, whose words have been checked.
    pub fn of(config: &Config) -> Source {
        if let Some(path) = config.metric.strip_prefix("file:") {
            let path = PathBuf::from(path);
            let is_medit = path.extension().is_some_and(|end| end == "sol" || end == "solb");
            return if is_medit { Source::Medit(path) } else { Source::File(path) };
        }
        match config.metric.as_str() {
            "field" => return Source::Field,
            "uniform" => return Source::Uniform(config.size.unwrap_or(1.0)),
            "mesh" => return Source::Mesh,
            _ => {}
        }
        config.metric.parse().map_or(Source::Front, Source::Formula)
    }

    /// Whether the metric is known at any point.
    pub fn is_formula(&self, config: &Config) -> bool {
        match self {
            Source::Formula(_) | Source::Uniform(_) => true,
            Source::Front => config.recovery().is_none(),
            _ => false,
        }
    }

    /// The first mesh, made of these elements, with its metric before it is scaled and limited. Collective.
    ///
    /// # Errors
    /// What is wrong with the mesh, the file or the metric; the same on all ranks.
    pub fn background(
        &self,
        comm: &Comm,
        config: &Config,
        remesh: &Remesh,
        elements: &ElementMesh,
        given: &[Vec<f64>],
    ) -> Result<Background, String> {
        // What bounds it does not matter, as it does not change.
        let remesh = Remesh { outline: None, ..remesh.clone() };
        let mut adapting = Adapting::new(&remesh, comm, elements).map_err(|error| error.to_string())?;
        let metrics = self.at_vertices(config, adapting.mesh(), 1, Before::Nothing, given)?;
        adapting.set_metric(&metrics);
        Ok(Background::of(adapting.mesh()))
    }

    /// The metric of an iteration, counted from 1. `given` has the numbers of files
    /// ([`crate::case::Environment::node_values`]) for the first mesh. Collective.
    ///
    /// # Errors
    /// What is wrong with the file, the metric or the settings; the same on all ranks.
    pub fn metric(
        &self,
        config: &Config,
        mesh: &Mesh<2>,
        iteration: u64,
        before: Before,
        given: &[Vec<f64>],
    ) -> Result<Found, String> {
        let wanted = config.wanted();
        let in_words = |error| format!("the metric: {}", by_row(mesh, error));
        let formula = self.formula(config, mesh, iteration).map_err(in_words)?;
        let sizes = config.outline.sizes_at_vertices(mesh);
        let metrics = match &formula {
            Some(_) if sizes.is_none() => None,
            Some(formula) => Some(places(mesh).iter().map(formula).collect()),
            None => Some(self.at_vertices(config, mesh, iteration, before, given)?),
        };
        let reached = match (metrics, &formula) {
            (Some(metrics), _) => reach(mesh, &outline::within(metrics, sizes.as_deref()), &wanted),
            (None, Some(formula)) => reach_formula(mesh, formula, &wanted),
            (None, None) => unreachable!("a metric is known at vertices or everywhere"),
        };
        let reached = reached.map_err(in_words)?;
        check(config, &reached)?;
        let scale = reached.scale;
        let formula = formula.filter(|_| wanted.beta.is_none() && sizes.is_none());
        let formula = formula
            .map(|formula| Box::new(move |x: &[f64; 2]| wanted.applied(scale, &formula(x))) as Formula);
        Ok(Found { metrics: reached.metrics, complexity: reached.complexity, formula })
    }

    /// A metric that is known at vertices only, before it is scaled and limited. Collective.
    fn at_vertices(
        &self,
        config: &Config,
        mesh: &Mesh<2>,
        iteration: u64,
        before: Before,
        given: &[Vec<f64>],
    ) -> Result<Vec<Tensor<2>>, String> {
        let of_file =
            |name: &str, numbers: &[f64]| listed(mesh, numbers).map_err(|error| format!("{name}: {error}"));
        if matches!(self, Source::Front) {
            return front(config, mesh, iteration)
                .map_err(|error| format!("the metric: {}", by_row(mesh, error)));
        }
        // What there is already has all that followed from the files.
        match before {
            Before::Nothing => {}
            Before::Block(numbers) => return of_file("the metric of the iteration before", &numbers),
            Before::Everywhere(metrics) => return Ok(metrics),
        }
        let (first, others) = match self {
            Source::File(path) => {
                let numbers = mesh.comm().agree(read(mesh.comm(), path, mesh.counts()[0]))?;
                (of_file(&path.display().to_string(), &numbers)?, given)
            }
            Source::Mesh => {
                let metrics = implied(mesh);
                (metrics.map_err(|error| format!("the mesh: {}", by_row(mesh, error)))?, given)
            }
            Source::Medit(path) => (of_file(&path.display().to_string(), &given[0])?, &given[1..]),
            _ => {
                let metrics = of_field(config, mesh, &at_rows(mesh, 1, &given[0]));
                (metrics.map_err(|error| format!("the metric: {}", by_row(mesh, error)))?, &given[1..])
            }
        };
        let names = config.intersect.iter().flatten();
        let others: Vec<Vec<Tensor<2>>> =
            names.zip(others).map(|(name, numbers)| of_file(name, numbers)).collect::<Result<_, _>>()?;
        let all: Vec<&[Tensor<2>]> = std::iter::once(&first).chain(&others).map(Vec::as_slice).collect();
        Ok(intersect_all(&all))
    }

    /// What gives the metric, before it is scaled and limited, at any point; none if it is known at vertices only.
    /// Collective.
    fn formula(
        &self,
        config: &Config,
        mesh: &Mesh<2>,
        iteration: u64,
    ) -> Result<Option<Formula>, MetricError> {
        match self {
            Source::Formula(formula) => {
                let formula = *formula;
                Ok(Some(Box::new(move |x| formula.at(x))))
            }
            Source::Uniform(size) => {
                let metric = Tensor::diagonal([1.0 / (size * size); 2]);
                Ok(Some(Box::new(move |_| metric)))
            }
            Source::Front if config.recovery().is_none() => {
                let field = config.front(iteration);
                let hessians: Vec<Tensor<2>> = places(mesh).iter().map(|x| field.hessian(x)).collect();
                let curvature = Curvature { norm: config.norm(), floors: config.floors() };
                let scaled = curvature.scaled(mesh, &hessians)?;
                Ok(Some(Box::new(move |x| scaled.metric(&field.hessian(x)))))
            }
            _ => Ok(None),
        }
    }
}

fn places(mesh: &Mesh<2>) -> Vec<[f64; 2]> {
    (0..View::vertices(mesh) as u32).map(|v| View::position(mesh, v)).collect()
}

/// An error, the same on all ranks, that names its vertex by the row in the input. Collective.
fn by_row(mesh: &Mesh<2>, error: MetricError) -> MetricError {
    match error {
        MetricError::Vertex { identity, position, problem } => {
            let row = mesh.input_rows(&[identity])[0];
            MetricError::Vertex { identity: row.map_or(identity, u128::from), position, problem }
        }
        other => other,
    }
}

/// The front's metric from its values at the vertices.
fn front(config: &Config, mesh: &Mesh<2>, iteration: u64) -> Result<Vec<Tensor<2>>, MetricError> {
    let field = config.front(iteration);
    let values: Vec<f64> = places(mesh).iter().map(|x| field.value(x)).collect();
    of_field(config, mesh, &values)
}

/// The metric of a field from its values at the vertices. Collective.
fn of_field(config: &Config, mesh: &Mesh<2>, values: &[f64]) -> Result<Vec<Tensor<2>>, MetricError> {
    // Only the front has a formula for exact ones.
    let recovery = config.recovery().unwrap_or(Recovery::LeastSquares);
    let hessians = hessian(mesh, values, recovery)?;
    Curvature { norm: config.norm(), floors: config.floors() }.metric(mesh, &hessians)
}

/// Refuses a metric that misses the target.
fn check(config: &Config, reached: &Reached<2>) -> Result<(), String> {
    let Reached { complexity, reached, settled, rounds, .. } = reached;
    if let (Some(wanted), false) = (config.complexity, *reached) {
        return Err(format!(
            "adaptation.complexity = {wanted} cannot be reached: with the given h_min, h_max, aspect_ratio and \
             gradation, {rounds} rounds of scaling led to {complexity:.6e}; change one of these keys"
        ));
    }
    if !settled {
        return Err(
            "adaptation.gradation: sizes still grow too fast after the maximum number of sweeps; allow a \
                    larger factor, or set adaptation.h_min"
                .into(),
        );
    }
    Ok(())
}

/// Values at the local vertices of a mesh just built from numbered rows; this rank has its block of `dim` for each row.
/// Collective.
fn at_rows(mesh: &Mesh<2>, dim: usize, block: &[f64]) -> Vec<f64> {
    let comm = mesh.comm();
    let identities: Vec<u128> = (0..View::vertices(mesh) as u32).map(|v| View::identity(mesh, v)).collect();
    let rows: Vec<u64> = mesh.input_rows(&identities).into_iter().flatten().collect();
    fetch_rows(comm, Blocks::new(mesh.counts()[0], comm.size()), dim, block, &rows)
}

/// The metric from three numbers for each vertex of a mesh just built from numbered rows; this rank has its block of
/// them. Collective.
pub(super) fn listed(mesh: &Mesh<2>, block: &[f64]) -> Result<Vec<Tensor<2>>, MetricError> {
    let numbers = at_rows(mesh, 3, block);
    let entries: Vec<f64> = numbers.chunks_exact(3).flat_map(|m| [m[0], m[1], m[1], m[2]]).collect();
    from_list(mesh, &entries).map_err(|error| by_row(mesh, error))
}

/// This rank's block of a text file with one line per vertex: xx, xy and yy.
fn read(comm: &Comm, path: &Path, vertices: u64) -> Result<Vec<f64>, String> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let file = given::open(path, "metrics").map_err(|error| wrong(error.to_string()))?;
    let mut reader = BufReader::new(file);
    let own = Blocks::new(vertices, comm.size()).range(comm.rank());
    let mut numbers = Vec::new();
    let mut line = Vec::new();
    let mut row = 0;
    loop {
        line.clear();
        let length = reader.by_ref().take(LINE).read_until(b'\n', &mut line);
        if length.map_err(|error| wrong(error.to_string()))? == 0 {
            break;
        }
        if own.contains(&row) {
            let text = String::from_utf8_lossy(&line);
            let found: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
            let found = found.ok().filter(|found| found.len() == 3).ok_or_else(|| {
                let shown = given::short(text.trim()).into_owned();
                wrong(format!(
                    "line {}: \"{shown}\"; expected three numbers: xx, xy and yy of a metric",
                    row + 1
                ))
            })?;
            numbers.extend(found);
        }
        row += 1;
        if row > vertices {
            break;
        }
    }
    if row != vertices {
        let found = if row > vertices { "more lines than that".into() } else { format!("{row} lines") };
        return Err(wrong(format!(
            "expected one line for each of the {vertices} vertices; there are {found}"
        )));
    }
    Ok(numbers)
}
