//! MG-CFD: the three-dimensional Euler equations, node-centred and edge-based, on a sequence of levels.
//!
//! ```text
//! case         what the program needs to know of it
//! mesh         keys of [mesh.generate]
//! config       keys of [mgcfd], constants of the flow
//! level        one level's sets, maps and dats
//! state        what follows from a state; the free stream
//! proxy/       scheme = "proxy": the published performance proxy
//! euler/       scheme = "euler": second order, full approximation scheme
//! watch        finds a state that makes no sense in the loop that made it
//! aerodynamics forces, Mach number, pressure coefficient, sections of the wall
//! mod (here)   one run
//! ```

pub mod aerodynamics;
mod case;
pub mod config;
pub mod euler;
pub mod level;
mod mesh;
pub mod proxy;
pub mod state;
pub mod watch;

use cfd_engine::prelude::*;

use self::aerodynamics::Aerodynamics;
pub use self::config::{Config, Cycle, Flow, Limiter, Scheme, TimeStep, Up};
use self::euler::Euler;
use self::level::Level;
use self::proxy::Proxy;
use self::watch::Watch;
use crate::output::{Output, Picture};
use crate::{Field, Solver, Step, Stopped, Work};

/// State of an MG-CFD run.
pub struct Mgcfd {
    flow: Flow,
    levels: Vec<Level>,
    method: Method,
    aerodynamics: Aerodynamics,
    watch: Watch,
    lowest: Global<Min<1>>,
    iteration: u64,
    /// The work spent on the state whose residual the last step reported, and each level's residual; `None` before the
    /// first step.
    last: Option<(f64, Vec<f64>)>,
    /// Number of edges on each level relative to the finest.
    edges: Vec<f64>,
}

/// The scheme, with its data on the levels.
enum Method {
    Euler(Box<Euler>),
    Proxy(Proxy),
}

impl Mgcfd {
    /// Sets up the free stream on a domain with the sets `levelL/nodes`, `levelL/edges`, `levelL/bnodes`, the maps between
    /// them and the dats `levelL/x`, `levelL/edge_weights`, `levelL/bnode_weights`, `levelL/bnode_group`.
    ///
    /// # Errors
    /// The mesh lacks something, or has fewer levels than requested.
    pub fn new(domain: &mut Domain, config: &Config) -> Result<Mgcfd, DomainError> {
        let levels = Level::all(domain, config.levels)?;
        let flow = Flow::new(config);
        let method = match config.scheme {
            Scheme::Euler => Method::Euler(Box::new(Euler::new(domain, &levels, config, &flow)?)),
            Scheme::Proxy => Method::Proxy(Proxy::new(domain, &levels)?),
        };
        for level in &levels {
            domain.par_loop(state::free_stream, level.nodes, (level.q,), &flow);
        }
        let finest = domain.rows(levels[0].edges) as f64;
        Ok(Mgcfd {
            edges: levels.iter().map(|level| domain.rows(level.edges) as f64 / finest).collect(),
            aerodynamics: Aerodynamics::new(domain, config),
            watch: Watch::default(),
            lowest: domain.new_min("lowest"),
            iteration: 0,
            last: None,
            flow,
            levels,
            method,
        })
    }

    /// The conserved variables (rho, rho u, rho v, rho w, rho E) of each level's nodes, the finest first.
    pub fn variables(&self) -> Vec<Dat<5>> {
        self.levels.iter().map(|level| level.q).collect()
    }

    /// The scheme, if it is `euler`.
    pub fn euler(&mut self) -> Option<&mut Euler> {
        match &mut self.method {
            Method::Euler(euler) => Some(euler),
            Method::Proxy(_) => None,
        }
    }

    /// Evaluations of the residual on each level so far.
    fn evaluations(&self) -> &[u64] {
        match &self.method {
            Method::Euler(euler) => &euler.evaluations,
            Method::Proxy(proxy) => &proxy.evaluations,
        }
    }

    /// Evaluations of the residual so far, each level's counted by its share of edges: in evaluations on the finest level.
    fn work(&self) -> f64 {
        self.edges.iter().zip(self.evaluations()).map(|(share, &n)| share * n as f64).sum()
    }

    /// Root mean squares over each level's nodes.
    fn residuals(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        let sums = match &self.method {
            Method::Euler(euler) => euler.sums(domain),
            Method::Proxy(proxy) => proxy.sums(domain),
        }?;
        let mean = |(level, sum): (&Level, f64)| (sum / domain.rows(level.nodes) as f64).sqrt();
        Ok(self.levels.iter().zip(sums).map(mean).collect())
    }

    fn has_forces(&self) -> bool {
        matches!(self.method, Method::Euler(_))
    }

    /// The values of the last step, with the last recorded force; none before the first step.
    fn last_values(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        let Some((work, residuals)) = &self.last else { return Ok(Vec::new()) };
        let mut values = vec![*work];
        values.extend(&residuals[1..]);
        if self.has_forces() {
            values.extend(self.aerodynamics.lift_and_drag(domain)?);
        }
        Ok(values)
    }
}

impl Solver for Mgcfd {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        self.watch.begin();
        // The work spent on the state whose residual this step reports.
        let work = self.work() + 1.0;
        let Mgcfd { levels, flow, method, watch, iteration, .. } = self;
        let cycled = match method {
            Method::Euler(euler) => {
                euler.record_cycle(domain, watch);
                Ok(())
            }
            Method::Proxy(proxy) => proxy.cycle(domain, levels, flow, watch, *iteration),
        };
        // Before the first result is requested, so all are sent in one message.
        if report && self.has_forces() {
            self.aerodynamics.record_force(domain, &self.levels[0], &self.flow);
        }
        self.watch.inspect(domain, &self.levels, &self.flow, self.iteration)?;
        cycled?;
        let residuals = self.residuals(domain)?;
        let residual = residuals[0];
        if !residual.is_finite() {
            self.check(domain)?;
            return Err(Stopped::Residual { value: format!("{residual}"), iteration: self.iteration });
        }
        self.last = Some((work, residuals));
        let values = if report { self.last_values(domain)? } else { Vec::new() };
        Ok(Step::new(residual, values))
    }

    fn values(&mut self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        if self.has_forces() {
            self.aerodynamics.record_force(domain, &self.levels[0], &self.flow);
        }
        self.last_values(domain)
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        for level in &self.levels {
            domain.par_loop(state::check_state, level.nodes, (level.q, self.lowest), &self.flow);
            watch::look(domain, level, &self.flow, self.lowest, self.iteration)?;
        }
        Ok(())
    }

    /// The work spent on the state whose residual is reported, in evaluations of the finest level's residual; the coarse
    /// levels' residuals; lift and drag.
    fn columns(&self) -> Vec<String> {
        let mut columns = vec!["work".to_string()];
        columns.extend(self.levels[1..].iter().map(|level| format!("residual_level{}", level.number)));
        if self.has_forces() {
            columns.extend(["lift", "drag"].map(String::from));
        }
        columns
    }

    fn fields(&self) -> Vec<Field> {
        let components = &["density", "momentum_x", "momentum_y", "momentum_z", "energy"];
        let field =
            |level: &Level| Field::new(&format!("level{}/variables", level.number), level.q, components);
        self.levels.iter().map(field).collect()
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        let Mgcfd { levels, flow, aerodynamics, .. } = self;
        // The Mach number in the plane of the wing root.
        let picture = Picture { normal: aerodynamics.normal(), ..Picture::of("mach", "Mach number") };
        vec![
            Output::fields(|domain| Ok(aerodynamics.fields(domain, &levels[0], flow))),
            Output::sections(|domain| aerodynamics.sections(domain, &levels[0], flow)),
            Output::Picture(picture),
        ]
    }

    /// The evaluations of the residual so far, from which the work is counted.
    fn numbers(&self) -> Vec<f64> {
        self.evaluations().iter().map(|&n| n as f64).collect()
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        let evaluations = match &mut self.method {
            Method::Euler(euler) => &mut euler.evaluations,
            Method::Proxy(proxy) => &mut proxy.evaluations,
        };
        evaluations.iter_mut().zip(numbers).for_each(|(n, &number)| *n = number as u64);
    }

    fn work(&self, iterations: u64) -> Work {
        Work { steps: "cycles", ..Work::of("level0/nodes", iterations) }
    }
}
