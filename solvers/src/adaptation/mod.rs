//! Adaptation: changes a mesh of triangles until its edges have unit length in a metric.
//!
//! Collapses, splits, swaps and moves produce a mesh whose edges e and triangles T satisfy, as closely as possible,
//!
//! ```text
//! sqrt(e^T M e) = 1,      q(T) = 1,      M: the metric, a symmetric positive definite tensor at each vertex
//! ```
//!
//! with the quality q of `cfd_adapt::geometry::Geometry::quality`. The crate `cfd-adapt` explains the operations and
//! why any number of ranks and threads gives the same mesh; docs/adaptation.md describes the case.
//!
//! An iteration is one adaptation, to the metric at its time. It begins with the domain's mesh and ends with a new
//! domain ([`Solver::new_mesh`]) on the adapted mesh in canonical order, whatever the ranks. Only this mesh, with its
//! metric if that comes from a file, passes from one iteration to the next, so a run from a checkpoint does the same as
//! an uninterrupted one. The residual is the share of elements that an iteration changed, (collapses + splits + swaps)
//! / elements; it falls towards 0 if the metric stays the same.
//!
//! ```text
//! case         what the program needs to know of it
//! config       keys of [adaptation]
//! metric       the metric of an iteration
//! grid         from the engine's mesh to the one that is adapted, and back
//! statistics   qualities and lengths of a mesh
//! before       the metric of the mesh before, at the vertices of the mesh after
//! report       what is said of the result: columns, figures, pictures
//! mod (here)   one iteration
//! ```

mod before;
mod case;
mod config;
mod grid;
mod metric;
mod report;
mod statistics;

use std::time::Instant;

use cfd_adapt::mesh::Mesh as Adapted;
use cfd_adapt::mesh::canonical::Canonical;
use cfd_adapt::metric::Measure;
use cfd_adapt::operation::{AdaptError, Adapter, Balance, Counts, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::mesh::Mesh;
use cfd_engine::plug::ThreadPool;
use cfd_engine::prelude::*;
use cfd_mesh::TRIANGLES;
use cfd_partition::{Options, Order, set_up};

use self::before::Before;
pub use self::config::{Config, Hessians, METRICS, Repartition};
use self::grid::Grid;
use self::metric::{Found, Source};
use self::report::Times;
use self::statistics::Statistics;
use crate::outcome::{Drawing, Figures};
use crate::{Environment, Field, Solver, Step, Stopped};

/// Minimum bytes per element of an adapted mesh, on all ranks together.
const BYTES: f64 = 800.0;
/// Upper bound on a metric's complexity per element of a mesh that fits it.
const COMPLEXITY_OF_AN_ELEMENT: f64 = 0.433;

/// State of a run.
pub struct Adaptation {
    config: Config,
    source: Source,
    grid: Grid,
    environment: Environment,
    iteration: u64,
    /// Operations and passes of all iterations.
    operations: Counts,
    passes: u64,
    /// Messages and their bytes on all ranks, in this run.
    traffic: [u64; 2],
    times: Times,
    last: Option<Last>,
    new_mesh: Option<Mesh>,
}

/// Statistics of the current mesh.
struct Last {
    statistics: Statistics,
    complexity: f64,
    /// Mean quality in the old mesh's metric.
    mean_before: Option<f64>,
}

impl Adaptation {
    /// On a domain of a mesh of triangles.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(domain: &mut Domain, config: &Config) -> Result<Adaptation, DomainError> {
        Ok(Adaptation {
            config: config.clone(),
            source: Source::of(config),
            grid: Grid::new(domain)?,
            environment: Environment::default(),
            iteration: 0,
            operations: Counts::default(),
            passes: 0,
            traffic: [0; 2],
            times: Times::default(),
            last: None,
            new_mesh: None,
        })
    }

    fn refused(&self, what: impl ToString) -> Stopped {
        Stopped::Refused { what: what.to_string(), iteration: self.iteration.max(1) }
    }

    /// The domain's mesh in the form for adaptation, without a metric. Collective.
    fn adapted(&self, domain: &mut Domain) -> Result<Adapted<2>, Stopped> {
        let input = self.grid.rows(domain)?.input();
        Adapted::new(domain.comm(), &input).map_err(|error| self.refused(error))
    }

    /// The domain's mesh in the form for adaptation, and an iteration's metric at its vertices. Collective.
    fn begin(&self, domain: &mut Domain, iteration: u64) -> Result<(Adapted<2>, Found), Stopped> {
        let mut mesh = self.adapted(domain)?;
        let carried = if iteration > 1 { Some(self.grid.metric_block(domain)?) } else { None };
        let found = self.source.metric(&self.config, &mesh, iteration, carried);
        let found = found.map_err(|what| self.refused(what))?;
        mesh.set_metric(&found.metrics);
        Ok((mesh, found))
    }

    /// Refuses a mesh that will not fit into memory. Collective.
    fn check_room(&self, comm: &Comm, complexity: f64) -> Result<(), Stopped> {
        let elements = complexity / COMPLEXITY_OF_AN_ELEMENT;
        let needed = elements * BYTES / comm.size() as f64;
        // The smallest room of any rank, so all reach the same conclusion.
        let room = !comm.max(!self.environment.room);
        if needed <= room as f64 {
            return Ok(());
        }
        Err(self.refused(format!(
            "not enough memory: the metric's complexity is {complexity:.4e}, so the mesh will have about \
             {elements:.2e} elements and take at least {needed:.2e} bytes per rank, but only {:.2e} are available; use \
             a larger adaptation.eta, a smaller adaptation.complexity, a larger adaptation.h_min, or more machines",
            room as f64
        )))
    }

    /// How vertices are divided among the ranks: all have the same cost.
    fn partition(&self) -> Options {
        Options { weights: None, ..self.environment.partition.clone() }
    }

    /// Adapts a mesh. Collective.
    fn adapt(&mut self, mesh: &mut Adapted<2>, found: &Found, threads: usize) -> Result<Counts, Stopped> {
        let pool = ThreadPool::new(threads);
        let formula = found.formula;
        let given =
            move |x: &[f64; 2]| formula.map_or(Tensor([[1.0, 0.0], [0.0, 1.0]]), |formula| formula.at(x));
        let metric = if formula.is_some() { MetricAt::Given(&given) } else { MetricAt::Carried };
        let options = self.partition();
        let balance = (self.config.repartition == Repartition::Passes)
            .then_some(Balance { options: &options, above: self.config.imbalance });
        let adapter = Adapter { bounds: self.config.bounds(), metric, pool: &pool, balance };
        let began = Instant::now();
        let report = adapter.adapt(mesh, check_pass).map_err(|error| match error {
            AdaptError::Identity { .. } => {
                Stopped::Failed { what: error.to_string(), iteration: self.iteration }
            }
            AdaptError::Metric { .. } | AdaptError::Thin { .. } | AdaptError::Balance(_) => {
                self.refused(error)
            }
        })?;
        self.times.add_passes(mesh.comm(), began.elapsed(), report.times);
        self.passes += report.passes.len() as u64;
        Ok(report.total)
    }

    /// Continues on the domain of an adapted mesh. Collective.
    fn replace(
        &mut self,
        domain: &mut Domain,
        mesh: &Adapted<2>,
        canonical: Canonical,
    ) -> Result<(), Stopped> {
        let comm = domain.comm().clone();
        let Canonical { mesh: rows, vertex_rows, element_rows } = canonical;
        let options = DomainOptions { color_cache: None, ..domain.options().clone() };
        let primary = TRIANGLES.primary(&rows);
        let next = set_up(&comm, rows.clone(), &primary, &self.environment.partition, Order::File, options);
        domain.replace(next.map_err(|error| self.refused(error))?);
        self.grid = Grid::new(domain).map_err(|error| self.refused(error))?;
        self.new_mesh = Some(rows);
        self.grid.write(domain, mesh, &vertex_rows, &element_rows);
        Ok(())
    }
}

/// In debug builds, every pass must leave the mesh intact.
fn check_pass(mesh: &Adapted<2>, phase: cfd_adapt::operation::Phase) {
    if cfg!(debug_assertions) {
        mesh.check().unwrap_or_else(|defect| panic!("after {phase:?}: {defect}"));
    }
}

impl Solver for Adaptation {
    fn step(&mut self, domain: &mut Domain, _report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        let comm = domain.comm().clone();
        let began = Instant::now();
        let (mut mesh, found) = self.begin(domain, self.iteration)?;
        self.check_room(&comm, found.complexity)?;
        let before = Before::of(&mesh);
        self.times.add(&comm, Times::METRIC, began.elapsed());

        let began = Instant::now();
        if self.config.repartition != Repartition::Never {
            mesh.balance(&self.partition()).map_err(|error| self.refused(error))?;
        }
        self.times.add(&comm, Times::BALANCE, began.elapsed());
        let threads = domain.options().threads;
        let counts = self.adapt(&mut mesh, &found, threads)?;
        let traffic = mesh.traffic();
        self.traffic[0] += comm.sum(traffic.messages);
        self.traffic[1] += comm.sum(traffic.bytes);

        let began = Instant::now();
        let statistics = Statistics::of(&mesh);
        let mean_before = Some(before.mean_quality(&mesh));
        let canonical = mesh.canonical();
        self.replace(domain, &mesh, canonical)?;
        self.times.add(&comm, Times::FINISH, began.elapsed());
        add(&mut self.operations, counts);
        let residual = counts.changes() as f64 / statistics.elements as f64;
        let values = report::values(counts, &statistics, found.complexity);
        self.last = Some(Last { statistics, complexity: found.complexity, mean_before });
        Ok(Step { residual, values })
    }

    /// A run without iterations computes its report here: for an initial mesh with the first iteration's metric, for a
    /// checkpoint's mesh with the metric it has.
    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        if self.last.is_some() {
            return Ok(());
        }
        let (mesh, complexity) = if self.iteration == 0 {
            let (mesh, found) = self.begin(domain, 1)?;
            let canonical = mesh.canonical();
            self.replace(domain, &mesh, canonical)?;
            (mesh, found.complexity)
        } else {
            let mut mesh = self.adapted(domain)?;
            let numbers = self.grid.metric_block(domain)?;
            let metrics = metric::listed(&mesh, &numbers).map_err(|error| self.refused(error))?;
            mesh.set_metric(&metrics);
            let complexity = Measure::new(&mesh).complexity(&mesh, &metrics);
            (mesh, complexity)
        };
        self.last = Some(Last { statistics: Statistics::of(&mesh), complexity, mean_before: None });
        Ok(())
    }

    fn columns(&self) -> Vec<String> {
        report::COLUMNS.map(String::from).to_vec()
    }

    fn fields(&self) -> Vec<Field> {
        let Grid { x, metric, quality, .. } = self.grid;
        vec![
            Field { name: "coordinates".into(), dat: x.into(), components: &["x", "y"] },
            Field { name: "metric".into(), dat: metric.into(), components: &["xx", "xy", "yy"] },
            Field { name: "quality".into(), dat: quality.into(), components: &["quality"] },
        ]
    }

    /// The metric in the form for programs that draw tensors.
    fn derived_fields(&self, domain: &mut Domain) -> Result<Vec<Field>, BackendError> {
        self.grid.write_tensor(domain)?;
        let components = &["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"];
        Ok(vec![Field { name: "tensor".into(), dat: self.grid.tensor.into(), components }])
    }

    fn state(&self) -> Vec<Field> {
        self.fields().split_off(1)
    }

    fn numbers(&self) -> Vec<f64> {
        let Counts { collapses, splits, swaps, moves } = self.operations;
        [collapses, splits, swaps, moves, self.passes].map(|count| count as f64).to_vec()
    }

    fn new_mesh(&mut self) -> Option<Mesh> {
        self.new_mesh.take()
    }

    fn use_environment(&mut self, environment: Environment) {
        self.environment = environment;
    }

    fn remarks(&self) -> Vec<String> {
        vec![self.times.line()]
    }

    fn figures(&self) -> Figures {
        report::figures(self)
    }

    fn drawings(&self) -> Vec<Drawing> {
        report::drawings(self)
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        if let [collapses, splits, swaps, moves, passes] = *numbers {
            let [collapses, splits, swaps, moves] =
                [collapses, splits, swaps, moves].map(|count| count as u64);
            self.operations = Counts { collapses, splits, swaps, moves };
            self.passes = passes as u64;
        }
    }

    fn work_set(&self) -> &'static str {
        cfd_adapt::mesh::canonical::names::ELEMENTS
    }

    fn work_steps(&self, iterations: u64) -> crate::WorkSteps {
        crate::WorkSteps { name: "adaptations", count: iterations }
    }
}

fn add(total: &mut Counts, counts: Counts) {
    total.collapses += counts.collapses;
    total.splits += counts.splits;
    total.swaps += counts.swaps;
    total.moves += counts.moves;
}
