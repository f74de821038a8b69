//! Flow that adapts its mesh: time steps, an adaptation to the metric of the state, and on from the state carried along.
//!
//! ```text
//! step ──► step ──► ... ──► due? ──► metric of the state ──► adapt, carry ──► new dual mesh ──► step ──► ...
//! ```
//!
//! Everything stays in memory, on all ranks: sensors' second derivatives give the metric, [`Adapting`] changes the
//! triangles, masses of density, momentum and energy are conserved on the way ([`Carried`](cfd_adapt::remesh::Carried)), and
//! the domain moves to the dual mesh derived from the new elements, divided anew, on the backend that it had. None of it
//! depends on ranks or threads, so neither do the meshes nor the states on them.
//!
//! ```text
//! config      keys of [flow.adaptation]
//! metric      the metric of a state
//! window      metrics of several steps in time
//! film        which moments a film shows
//! kept        the numbers of a checkpoint
//! mod (here)  when the mesh is adapted, and an adaptation
//! ```

pub mod config;
mod film;
mod kept;
mod metric;
mod window;

use std::time::Instant;

use cfd_adapt::metric::intersect_all;
use cfd_adapt::operation::MetricAt;
use cfd_adapt::remesh::{Adapting, Remesh, RemeshError, Round};
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use cfd_mesh::{Boundaries, ElementMesh, PERIODIC};

pub use self::config::Config;
use self::film::Film;
use self::kept::{Kept, LAYOUT};
use self::metric::{AtVertices, STATE};
use self::window::Window;
use super::conditions::KINDS;
use super::config::Config as FlowConfig;
use super::plane::Flow;
use crate::adaptation::tally::{self, Last, Tally, Times};
use crate::case::{Application, Environment};
use crate::output::{Film as Shown, Frame, Output};
use crate::{Field, NewMesh, Solver, Step, Stopped, Work};

/// Minimum bytes per triangle of a mesh that is adapted and then computed on, on all ranks together.
const BYTES: f64 = 1500.0;
/// State of a run.
pub struct Adaptive {
    flow: Flow,
    config: FlowConfig,
    remesh: Remesh,
    /// The outline in a checkpoint, as numbers.
    outline: Vec<f64>,
    /// What the domain was made from.
    elements: ElementMesh,
    /// Adaptations so far.
    cycle: u64,
    /// Steps since the last.
    steps: u64,
    window: Window,
    film: Film,
    tally: Tally,
    new_mesh: Option<NewMesh>,
}

impl Adaptive {
    /// On a domain of the dual mesh of triangles. Collective.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(
        domain: &mut Domain,
        config: &FlowConfig,
        environment: &Environment,
    ) -> Result<Adaptive, DomainError> {
        let named = environment.boundaries.iter().filter(|named| named.kind.name != PERIODIC);
        let boundaries = named.fold(Boundaries::new(KINDS), |boundaries, named| {
            boundaries.give(named.kind.name, [named.name.as_str()])
        });
        let pairs = environment.boundaries.pairs().iter().map(|pair| pair.given.clone());
        let boundaries = pairs.fold(boundaries, Boundaries::pair);
        // The smallest room of any rank, so all reach the same conclusion.
        let room = !domain.comm().max(!environment.room);
        let remesh = Remesh {
            most: Some((room as f64 * domain.comm().size() as f64 / BYTES) as u64),
            partition: environment.partition.clone(),
            levels: <Flow as Application>::levels(config),
            ..Remesh::new(<Flow as Application>::FACTS.needs, boundaries)
        };
        let elements = environment.elements.clone().expect("a dual mesh comes with its elements");
        let flow = Flow::new(domain, config, &environment.boundaries)?;
        let nodes = flow.residual.geometry.nodes;
        let window = Window::new(domain, nodes, &config.adaptation, config.scheme.is_in_time());
        Ok(Adaptive {
            flow,
            config: config.clone(),
            remesh,
            outline: Vec::new(),
            elements,
            cycle: 0,
            steps: 0,
            window,
            film: Film::new(environment.film),
            tally: Tally::default(),
            new_mesh: None,
        })
    }

    fn keys(&self) -> &Config {
        &self.config.adaptation
    }

    fn stopped(&self, error: RemeshError) -> Stopped {
        tally::stopped(error, self.flow.iteration(), BYTES, "a smaller flow.adaptation.complexity")
    }

    /// How the mesh is adapted, within the outline of the mesh that the run was given. Collective.
    fn remesh(&mut self, domain: &Domain) -> Result<&Remesh, Stopped> {
        if self.remesh.outline.is_none() {
            let outline = self.config.outline.outline(domain.comm(), &mut self.elements, &self.outline);
            self.remesh.outline = Some(outline.map_err(|error| self.stopped(error))?);
        }
        Ok(&self.remesh)
    }

    /// Whether the mesh is to be adapted after a step of this residual.
    fn is_due(&self, residual: f64) -> bool {
        let Config { cycles, steps, tolerance, .. } = *self.keys();
        let is_over = self.config.end_time.is_some() && self.flow.done().is_some_and(|share| share >= 1.0);
        self.cycle < cycles
            && !is_over
            && (self.steps >= steps || residual < tolerance || self.flow.is_settled())
    }

    /// Adapts the mesh to the state and goes on from there; a line about it. Collective.
    fn adapt(&mut self, domain: &mut Domain) -> Result<String, Stopped> {
        if !self.is_in_time() && self.film.has_mesh(self.cycle, self.keys().cycles) {
            let frame = self.frame(domain)?;
            self.film.add(frame);
        }
        let comm = domain.comm().clone();
        let remesh = self.remesh(domain)?.clone();
        let complexity = self.keys().complexity_of(self.cycle + 1);
        let began = Instant::now();
        let w = self.flow.primitive(domain);
        let adapting = Adapting::new(&remesh, &comm, &self.elements);
        let mut adapting = adapting.map_err(|error| self.stopped(error))?;
        let refused = |what| Stopped::Refused { what, iteration: self.flow.iteration() };
        let found = {
            let mesh = adapting.mesh();
            let mut metrics = Vec::new();
            for state in self.window.states().iter().copied().chain([w]) {
                let values =
                    self.values_at_vertices(domain, &adapting, state).map_err(|error| self.stopped(error))?;
                let of_state = metric::of_state(self.keys(), mesh, &values, self.config.gamma, complexity);
                metrics.push(of_state.map_err(refused)?);
            }
            let metrics = intersect_all(&metrics.iter().map(Vec::as_slice).collect::<Vec<_>>());
            metric::limited(self.keys(), &self.config.outline, mesh, metrics, complexity).map_err(refused)?
        };
        let fields = self.flow.carried().map_err(|error| self.stopped(error))?;
        adapting.carry(domain, &fields).map_err(|error| self.stopped(error))?;
        adapting.set_metric(&found.metrics);
        self.tally.times.add(&comm, Times::METRIC, began.elapsed());

        let threads = domain.options().threads;
        let adapted = self.tally.adapt(&mut adapting, MetricAt::Carried, found.complexity, threads);
        adapted.map_err(|error| self.stopped(error))?;
        let began = Instant::now();
        let round = adapting.finish(domain).and_then(|round| self.rebuild(domain, round));
        round.map_err(|error| self.stopped(error))?;
        self.tally.times.add(&comm, Times::FINISH, began.elapsed());
        (self.cycle, self.steps) = (self.cycle + 1, 0);
        let statistics = &self.tally.last.as_ref().expect("the mesh has been looked at").statistics;
        let (nodes, triangles) = (statistics.vertices, statistics.elements);
        Ok(format!(
            "{:>10}  {} of {}: {nodes} nodes, {triangles} triangles, complexity {:.0}\n{}",
            "mesh",
            self.cycle,
            self.keys().cycles,
            found.complexity,
            self.tally.times.line()
        ))
    }

    /// What sensors are computed from. A turbulence model's quantities are those of now, whatever the state: turbulent
    /// flow is steady, and has no other. Collective.
    fn values_at_vertices(
        &self,
        domain: &mut Domain,
        adapting: &Adapting<'_>,
        state: Dat<STATE>,
    ) -> Result<AtVertices, RemeshError> {
        let mut turbulence = Vec::new();
        for &sensor in &self.keys().sensors {
            if let Some(dat) = self.flow.turbulent_field(domain, sensor.word()) {
                turbulence.push((sensor, adapting.at_vertices(domain, dat)?));
            }
        }
        Ok(AtVertices { w: adapting.at_vertices(domain, state)?, turbulence })
    }

    fn is_in_time(&self) -> bool {
        self.config.scheme.is_in_time()
    }

    /// Whether meshes are for the steps to come.
    fn is_ahead(&self) -> bool {
        self.keys().window == config::Window::Ahead && self.is_in_time()
    }

    /// The share of the time of a flow in time that is over.
    fn share(&self) -> f64 {
        let steps = || self.flow.iteration() as f64 / self.config.iterations as f64;
        self.flow.done().unwrap_or_else(steps)
    }

    /// A frame of a film: the mesh, and the Mach number on it. Collective.
    fn frame(&self, domain: &mut Domain) -> Result<Frame, BackendError> {
        let label = match (self.is_in_time(), self.cycle) {
            (true, _) => format!("time {:.4}", self.flow.time()),
            (false, 0) => "first mesh".into(),
            (false, 1) => "after 1 adaptation".into(),
            (false, cycle) => format!("after {cycle} adaptations"),
        };
        let mach = self.flow.shown_field(domain, "mach")?;
        let Values::F64(values) = mach.read_block(domain)? else { unreachable!("it is made as f64") };
        Ok(Frame { elements: self.elements.clone(), values, label })
    }

    /// Makes the steps up to the next adaptation for the states that they lead through, and takes them back. Collective.
    fn look_ahead(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        let state: Vec<AnyDat> = self.flow.state().into_iter().map(|field| field.dat).collect();
        let kept = state.iter().map(|dat| dat.read_block(domain)).collect::<Result<Vec<_>, _>>()?;
        let (numbers, iteration) = (self.flow.numbers(), self.flow.iteration());
        let Adaptive { flow, window, config, .. } = self;
        for steps in 1..=config.adaptation.steps {
            if flow.done().is_some_and(|share| share >= 1.0) {
                break;
            }
            flow.step(domain, false)?;
            window.add(domain, steps, |domain| flow.primitive(domain));
        }
        for (dat, values) in state.iter().zip(&kept) {
            dat.write_block(domain, values);
        }
        flow.resume(iteration, &numbers);
        flow.hold_walls(domain);
        Ok(())
    }

    /// Lowers the Courant number for the first steps on a new mesh.
    fn lower_courant_number(&mut self) {
        let given = self.keys().cfl;
        let usual = self.config.cfl();
        if let Some(cfl) = self.flow.courant_number() {
            *cfl = given.unwrap_or(cfl.min(usual));
        }
    }
}

impl Solver for Adaptive {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        // What is wrong with boundaries is said before anything is computed.
        self.remesh(domain)?;
        self.steps += 1;
        let is_ahead = self.is_ahead();
        let mut remarks = Vec::new();
        if is_ahead && self.cycle < self.keys().cycles && (self.cycle == 0 || self.steps > self.keys().steps)
        {
            self.look_ahead(domain)?;
            remarks.push(self.adapt(domain)?);
            self.steps = 1;
        }
        let before = self.share();
        let mut step = self.flow.step(domain, report)?;
        step.remarks = remarks;
        if self.is_in_time() && self.film.has_time([before, self.share()]) {
            let frame = self.frame(domain)?;
            self.film.add(frame);
        }
        if !is_ahead {
            let Adaptive { flow, window, steps, .. } = self;
            window.add(domain, *steps, |domain| flow.primitive(domain));
        }
        if !is_ahead && self.is_due(step.residual) {
            let line = self.adapt(domain)?;
            // Values are those on the new mesh, and requested if they are shown.
            step = Step { residual: self.flow.residual_now(), values: Vec::new(), remarks: vec![line] };
        } else if report {
            step.values.push(domain.rows(self.flow.residual.geometry.nodes) as f64);
        }
        Ok(step)
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        self.flow.check(domain)
    }

    fn values(&mut self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        let mut values = self.flow.values(domain)?;
        if !values.is_empty() {
            values.push(domain.rows(self.flow.residual.geometry.nodes) as f64);
        }
        Ok(values)
    }

    fn columns(&self) -> Vec<String> {
        self.flow.columns().into_iter().chain(["nodes".into()]).collect()
    }

    fn console_columns(&self) -> Vec<String> {
        self.flow.console_columns().into_iter().chain(["nodes".into()]).collect()
    }

    fn fields(&self) -> Vec<Field> {
        self.flow.fields()
    }

    fn state(&self) -> Vec<Field> {
        self.flow.state().into_iter().chain(self.window.fields()).collect()
    }

    fn numbers(&self) -> Vec<f64> {
        let outline = self.remesh.outline.as_ref().filter(|outline| !outline.is_straight());
        let outline = outline.map_or(Vec::new(), |outline| outline.to_numbers());
        let figures = self.tally.last.as_ref().map_or(Vec::new(), Last::to_numbers);
        let counts = [self.cycle, self.steps, figures.len() as u64, outline.len() as u64];
        let own = std::iter::once(LAYOUT).chain(counts.map(|count| count as f64));
        own.chain(self.tally.numbers()).chain(figures).chain(outline).chain(self.flow.numbers()).collect()
    }

    /// A mesh that has been adapted has figures; an outline, and forces that have been watched, may be there, too.
    fn takes(&self, numbers: &[f64]) -> bool {
        let Some(Kept { cycle, figures, flow, .. }) = Kept::of(numbers) else { return false };
        let expected = if cycle > 0 { Last::NUMBERS } else { 0 };
        figures.len() == expected && self.flow.takes(flow)
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        let Kept { cycle, steps, tally, figures, outline, flow } =
            Kept::of(numbers).expect("they have been looked at");
        (self.cycle, self.steps) = (cycle, steps);
        self.tally.resume(tally);
        self.tally.last = Last::of_numbers(figures);
        self.outline = outline.to_vec();
        self.window.resume(self.steps);
        self.flow.resume(iteration, flow);
    }

    fn begin(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        self.flow.begin(domain)
    }

    fn work(&self, iterations: u64) -> Work {
        self.flow.work(iterations)
    }

    /// A run does not end before its last adaptation, but by its time.
    fn done(&self) -> Option<f64> {
        let done = self.flow.done();
        if self.cycle < self.keys().cycles && self.config.end_time.is_none() { None } else { done }
    }

    fn settled(&self) -> Option<String> {
        self.flow.settled().filter(|_| self.done().is_some())
    }

    fn new_mesh(&mut self) -> Option<NewMesh> {
        self.new_mesh.take()
    }

    fn frames(&mut self) -> Vec<Frame> {
        self.film.take()
    }

    fn rebuild(&mut self, domain: &mut Domain, round: Round) -> Result<(), RemeshError> {
        self.flow.move_to(domain, &round)?;
        let Round { elements, sets, .. } = round;
        self.elements = elements.clone();
        let nodes = self.flow.residual.geometry.nodes;
        self.window = Window::new(domain, nodes, self.keys(), self.is_in_time());
        self.lower_courant_number();
        self.new_mesh = Some(NewMesh { sets, elements: Some(elements) });
        Ok(())
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        let mut outputs = self.flow.outputs();
        outputs.extend(self.tally.outputs());
        outputs.push(Output::Mesh(&self.elements));
        let last = Box::new(|domain: &mut Domain| self.frame(domain));
        outputs.push(Output::Film(Shown { title: "Mach number", last }));
        outputs
    }
}
