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
//! domain ([`Solver::new_mesh`]) on the adapted mesh in canonical order, whatever the ranks. Only this mesh, the outline of
//! the first one, the metric if it comes from a file, and fields that are carried along pass from one iteration to the next,
//! so a run from a checkpoint does the same as an uninterrupted one. The residual is the share of elements that an
//! iteration changed, (collapses + splits + swaps) / elements; it falls towards 0 if the metric stays the same.
//!
//! ```text
//! case         what the program needs to know of it
//! config       keys of [adaptation]
//! outline      those of what bounds the mesh
//! metric       the metric of an iteration
//! fields       what a domain of triangles has beside the mesh
//! report       the values of an iteration
//! tally        what adaptations have taken, and what the mesh is like: figures, pictures
//! mod (here)   one iteration
//! ```

mod case;
mod config;
mod fields;
mod metric;
pub mod outline;
mod report;
pub(crate) mod tally;

use std::time::Instant;

use cfd_adapt::mesh::Statistics;
use cfd_adapt::mesh::canonical::names;
use cfd_adapt::metric::{Background, Measure};
use cfd_adapt::operation::MetricAt;
use cfd_adapt::remesh::{Adapting, Redistribute, Remesh, RemeshError, Round};
use cfd_engine::prelude::*;
use cfd_mesh::{Boundaries, ElementMesh, TRIANGLES};
use serde_json::{Map, Value as Json, json};

pub use self::config::{Config, Hessians, METRICS, Repartition, VertexNumbers};
use self::fields::Fields;
pub use self::fields::Transfer;
use self::metric::{Before, Found, Source};
pub use self::outline::Shape;
use self::tally::{COUNTS, Last, Tally, Times};
use crate::case::{Application, Environment};
use crate::output::Output;
use crate::{Field, NewMesh, Solver, Step, Stopped, Work};

/// Minimum bytes per element of an adapted mesh, on all ranks together.
const BYTES: f64 = 800.0;
/// What makes a mesh smaller.
const COARSER: &str = "a larger adaptation.eta, a smaller adaptation.complexity, a larger adaptation.h_min";
/// Upper bound on a metric's complexity per element of a mesh that fits it.
const COMPLEXITY_OF_AN_ELEMENT: f64 = 0.433;

/// State of a run.
pub struct Adaptation {
    config: Config,
    source: Source,
    /// Numbers of files for the source, by row of the first mesh.
    given: Vec<Vec<f64>>,
    remesh: Remesh,
    /// The outline in a checkpoint, as numbers.
    outline: Vec<f64>,
    /// The elements of the first mesh, if the metric always comes from there.
    first: Option<ElementMesh>,
    /// The first mesh with its metric, once it has been needed.
    background: Option<Background>,
    /// Integrals of the fields that are conserved.
    integrals: Map<String, Json>,
    /// What the domain was made from.
    elements: ElementMesh,
    fields: Fields,
    /// Bytes that each rank may still use.
    room: u64,
    iteration: u64,
    /// Whether the mesh is that of a checkpoint.
    is_continued: bool,
    tally: Tally,
    new_mesh: Option<NewMesh>,
}

impl Adaptation {
    /// On a domain of a mesh of triangles. Collective.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(
        domain: &mut Domain,
        config: &Config,
        environment: &Environment,
    ) -> Result<Adaptation, DomainError> {
        let mut elements = match &environment.elements {
            Some(elements) => elements.clone(),
            None => {
                let elements = TRIANGLES.elements.expect("triangles keep their elements");
                let mesh = domain.to_mesh()?;
                elements(domain.comm(), &mesh)
            }
        };
        for boundary in environment.boundaries.iter() {
            elements.groups.add(1, boundary.group, &boundary.name);
        }
        let redistribute = match config.repartition {
            Repartition::Never => Redistribute::Never,
            Repartition::Before => Redistribute::First,
            Repartition::Passes => Redistribute::Above(config.imbalance),
        };
        // The smallest room of any rank, so all reach the same conclusion.
        let room = !domain.comm().max(!environment.room);
        let most = room as f64 * domain.comm().size() as f64 / BYTES;
        let remesh = Remesh {
            most: Some(most as u64),
            bounds: config.bounds(),
            partition: environment.partition.clone(),
            redistribute,
            numbering: config.numbering(),
            ..Remesh::new(
                Adaptation::FACTS.needs,
                Boundaries { pairs: config.outline.pairs_with_those_of(&elements), ..Boundaries::new(&[]) },
            )
        };
        let carried = config.carried();
        let is_continued = !environment.state.is_empty();
        let given = &environment.node_values;
        let blocks = &given[given.len().saturating_sub(carried.len())..];
        let dims: Vec<usize> = match is_continued {
            true => carried.iter().map(|(name, _)| dim_of(&environment.state, name)).collect(),
            false => blocks.iter().map(|block| block.dim).collect(),
        };
        let fields = Fields::new(domain, &carried, &dims)?;
        // A checkpoint has those of a run that continues.
        if !is_continued {
            fields.begin(domain, blocks.iter().map(|block| &block.values));
        }
        let first = config.background.then(|| environment.first.as_ref().unwrap_or(&elements).clone());
        Ok(Adaptation {
            config: config.clone(),
            source: Source::of(config),
            given: given.iter().map(|block| block.values.clone()).collect(),
            first,
            background: None,
            integrals: Map::new(),
            remesh,
            outline: Vec::new(),
            elements,
            fields,
            room,
            iteration: 0,
            is_continued: false,
            tally: Tally::default(),
            new_mesh: None,
        })
    }

    fn refused(&self, what: impl ToString) -> Stopped {
        Stopped::Refused { what: what.to_string(), iteration: self.iteration.max(1) }
    }

    fn stopped(&self, error: RemeshError) -> Stopped {
        tally::stopped(error, self.iteration, BYTES, COARSER)
    }

    /// How the mesh is adapted, within the outline of the mesh that the run was given. Collective.
    fn remesh(&mut self, comm: &Comm) -> Result<Remesh, Stopped> {
        if self.remesh.outline.is_none() {
            let outline = self.config.outline.outline(comm, &mut self.elements, &self.outline);
            self.remesh.outline = Some(outline.map_err(|error| self.stopped(error))?);
        }
        Ok(self.remesh.clone())
    }

    /// The metric of an iteration at the vertices of the domain's mesh. Collective.
    fn metric(
        &mut self,
        domain: &mut Domain,
        adapting: &mut Adapting<'_>,
        iteration: u64,
    ) -> Result<Found, Stopped> {
        // Files are for the mesh that the run was given; the metric of a later one, or of a checkpoint's, is in its fields.
        let is_first = iteration == 1 && !self.is_continued;
        let before = match is_first {
            true => Before::Nothing,
            false => Before::Block(self.fields.metric_block(domain)?),
        };
        let before = match (before, &self.first) {
            (Before::Block(block), Some(first)) => {
                // Beyond the first mesh, this counts.
                let carried = metric::listed(adapting.mesh(), &block);
                adapting.set_metric(&carried.map_err(|error| self.refused(error))?);
                let comm = domain.comm().clone();
                if self.background.is_none() {
                    let background =
                        self.source.background(&comm, &self.config, &self.remesh, first, &self.given);
                    self.background = Some(background.map_err(|what| self.refused(what))?);
                }
                let background = self.background.as_ref().expect("it has been made");
                Before::Everywhere(background.metrics(adapting.mesh()))
            }
            (before, _) => before,
        };
        let found = self.source.metric(&self.config, adapting.mesh(), iteration, before, &self.given);
        found.map_err(|what| self.refused(what))
    }

    /// Refuses a mesh that will not fit into memory, judging by its metric; [`Remesh::most`] stops one that grows beyond
    /// that on the way.
    fn check_room(&self, comm: &Comm, complexity: f64) -> Result<(), Stopped> {
        let elements = complexity / COMPLEXITY_OF_AN_ELEMENT;
        if self.remesh.most.is_none_or(|most| elements <= most as f64) {
            return Ok(());
        }
        Err(self.refused(format!(
            "not enough memory: the metric's complexity is {complexity:.4e}, so the mesh will have about \
             {elements:.2e} elements and take at least {:.2e} bytes per rank, but only {:.2e} are available; use \
             {COARSER}, or more machines",
            elements * BYTES / comm.size() as f64,
            self.room as f64
        )))
    }

    /// Where the metric of iterations after the first comes from, and integrals.
    fn entries(&self) -> Map<String, Json> {
        let metric_from = if self.source.is_formula(&self.config) {
            "formula"
        } else if matches!(self.source, Source::Front) {
            "values on each mesh"
        } else if self.config.background {
            "first mesh"
        } else {
            "previous mesh"
        };
        let mut entries = Map::from_iter([("metric_from".to_string(), json!(metric_from))]);
        if !self.integrals.is_empty() {
            entries.insert("integrals".into(), Json::Object(self.integrals.clone()));
        }
        entries
    }

    /// The metric in the form for programs that draw tensors.
    fn tensor(&self, domain: &mut Domain) -> Result<Vec<Field>, BackendError> {
        self.fields.write_tensor(domain)?;
        let components = &["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"];
        Ok(vec![Field::new("tensor", self.fields.tensor, components)])
    }
}

/// Components of a field in the state of a checkpoint; a scalar if it lacks the field, which is then missing.
fn dim_of(state: &[(String, usize)], name: &str) -> usize {
    let found = state.iter().find(|(of, _)| of == name).map(|(_, dim)| *dim);
    found.filter(|dim| (1..=fields::MOST).contains(dim)).unwrap_or(1)
}

impl Solver for Adaptation {
    fn step(&mut self, domain: &mut Domain, _report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        let comm = domain.comm().clone();
        let began = Instant::now();
        let remesh = self.remesh(&comm)?;
        let adapting = Adapting::new(&remesh, &comm, &self.elements);
        let mut adapting = adapting.map_err(|error| self.stopped(error))?;
        self.fields.carry(&mut adapting, domain).map_err(|error| self.stopped(error))?;
        let found = self.metric(domain, &mut adapting, self.iteration)?;
        adapting.set_metric(&found.metrics);
        self.check_room(&comm, found.complexity)?;
        self.tally.times.add(&comm, Times::METRIC, began.elapsed());

        let metric = found.formula.as_ref().map_or(MetricAt::Carried, |formula| MetricAt::Given(formula));
        let counts = self.tally.adapt(&mut adapting, metric, found.complexity, domain.options().threads);
        let counts = counts.map_err(|error| self.stopped(error))?;
        let began = Instant::now();
        self.integrals = self.fields.integrals(&adapting).map_err(|error| self.stopped(error))?;
        Fields::add(&mut adapting);
        let round = adapting.finish(domain).and_then(|round| self.rebuild(domain, round));
        round.map_err(|error| self.stopped(error))?;
        self.tally.times.add(&comm, Times::FINISH, began.elapsed());
        let statistics = &self.tally.last.as_ref().expect("the mesh has been looked at").statistics;
        let residual = counts.changes() as f64 / statistics.elements as f64;
        let values = report::values(counts, statistics, found.complexity);
        Ok(Step { residual, values, remarks: vec![self.tally.times.line()] })
    }

    /// A run without iterations computes its report here: for an initial mesh with the first iteration's metric, for a
    /// checkpoint's mesh with the metric it has.
    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        if self.tally.last.is_some() {
            return Ok(());
        }
        let remesh = self.remesh(domain.comm())?;
        let adapting = Adapting::new(&remesh, domain.comm(), &self.elements);
        let mut adapting = adapting.map_err(|error| self.stopped(error))?;
        self.fields.carry(&mut adapting, domain).map_err(|error| self.stopped(error))?;
        self.integrals = self.fields.integrals(&adapting).map_err(|error| self.stopped(error))?;
        let (statistics, complexity) = if self.iteration == 0 {
            let found = self.metric(domain, &mut adapting, 1)?;
            adapting.set_metric(&found.metrics);
            let statistics = Statistics::of(adapting.mesh());
            Fields::add(&mut adapting);
            let round = adapting.finish(domain).and_then(|round| self.rebuild(domain, round));
            round.map_err(|error| self.stopped(error))?;
            (statistics, found.complexity)
        } else {
            let numbers = self.fields.metric_block(domain)?;
            let mesh = adapting.mesh();
            let metrics = metric::listed(mesh, &numbers).map_err(|error| self.refused(error))?;
            let complexity = Measure::new(mesh).complexity(mesh, &metrics, MetricAt::Carried);
            adapting.set_metric(&metrics);
            (Statistics::of(adapting.mesh()), complexity)
        };
        self.tally.last = Some(Last { statistics, complexity, mean_before: None });
        Ok(())
    }

    fn columns(&self) -> Vec<String> {
        report::COLUMNS.map(String::from).to_vec()
    }

    fn console_columns(&self) -> Vec<String> {
        report::ON_THE_CONSOLE.map(String::from).to_vec()
    }

    fn fields(&self) -> Vec<Field> {
        self.fields.shown()
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        let mut outputs = vec![Output::fields(|domain| self.tensor(domain))];
        outputs.extend(self.tally.outputs());
        outputs.push(Output::Entries(self.entries()));
        outputs.push(Output::Mesh(&self.elements));
        if self.config.medit {
            outputs.push(Output::Medit(&self.elements, self.fields.metric.into()));
        }
        outputs
    }

    fn state(&self) -> Vec<Field> {
        self.fields.state()
    }

    fn numbers(&self) -> Vec<f64> {
        let outline = self.remesh.outline.as_ref().filter(|outline| !outline.is_straight());
        self.tally
            .numbers()
            .into_iter()
            .chain(outline.map_or(Vec::new(), |outline| outline.to_numbers()))
            .collect()
    }

    /// Counts, and the outline of the run's first mesh if it is curved.
    fn takes(&self, numbers: &[f64]) -> bool {
        numbers.len() >= COUNTS
    }

    fn new_mesh(&mut self) -> Option<NewMesh> {
        self.new_mesh.take()
    }

    /// Continues on the new mesh's domain. Collective.
    fn rebuild(&mut self, domain: &mut Domain, round: Round) -> Result<(), RemeshError> {
        self.fields = Fields::new(domain, &self.config.carried(), &self.fields.dims())?;
        self.fields.write(domain, &round)?;
        self.elements = round.elements;
        self.new_mesh = Some(NewMesh { sets: round.sets, elements: None });
        Ok(())
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        self.is_continued = true;
        if let Some((counts, outline)) = numbers.split_first_chunk::<COUNTS>() {
            self.outline = outline.to_vec();
            self.tally.resume(counts);
        }
    }

    fn work(&self, iterations: u64) -> Work {
        Work { steps: "adaptations", ..Work::of(names::ELEMENTS, iterations) }
    }
}
