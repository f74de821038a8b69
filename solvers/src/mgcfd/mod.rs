//! MG-CFD: the three-dimensional Euler equations, node-centred and edge-based, on a sequence of levels.
//!
//! ```text
//! config       keys of [mgcfd], constants of the flow
//! level        one level's sets, maps and dats
//! state        what follows from a state; the free stream
//! proxy/       scheme = "proxy": the published performance proxy
//! watch        finds a state that makes no sense in the loop that made it
//! output       forces, Mach number, pressure coefficient, sections of the wall
//! mod (here)   one run
//! ```

pub mod config;
pub mod level;
pub mod output;
pub mod proxy;
pub mod state;
pub mod watch;

use cfd_engine::prelude::*;

pub use self::config::{Config, Cycle, Flow, Limiter, Scheme};
use self::level::Level;
use self::output::Output;
use self::proxy::Proxy;
use self::watch::Watch;
use crate::{AnyDat, Field, Section, Solver, Step, Stopped, WorkSteps};

/// State of an MG-CFD run.
pub struct Mgcfd {
    flow: Flow,
    levels: Vec<Level>,
    method: Method,
    output: Output,
    watch: Watch,
    lowest: Global<Min<1>>,
    iteration: u64,
    /// Evaluations of the residual so far, in evaluations on level 0.
    work: f64,
    /// The same of one cycle.
    work_of_cycle: f64,
}

/// The scheme, with what it has on the levels.
enum Method {
    Proxy(Proxy),
}

impl Mgcfd {
    /// Sets up the free stream on a domain with the sets `levelL/nodes`, `levelL/edges`, `levelL/bnodes`, the maps between
    /// them and the dats `levelL/x`, `levelL/edge_weights`, `levelL/bnode_weights`, `levelL/bnode_group`.
    ///
    /// # Errors
    /// The mesh lacks something, or has fewer levels than are asked for.
    pub fn new(domain: &mut Domain, config: &Config) -> Result<Mgcfd, DomainError> {
        let levels = Level::all(domain, config.levels)?;
        let flow = Flow::new(config);
        let method = match config.scheme {
            Scheme::Proxy => Method::Proxy(Proxy::new(domain, &levels)),
            Scheme::Euler => Method::Proxy(Proxy::new(domain, &levels)),
        };
        for level in &levels {
            domain.par_loop(state::free_stream, level.nodes, (level.q,), &flow);
        }
        let evaluations = match &method {
            Method::Proxy(proxy) => proxy.evaluations(),
        };
        let edges = |level: &Level| domain.rows(level.edges) as f64;
        let work = levels.iter().zip(evaluations).map(|(l, n)| n as f64 * edges(l) / edges(&levels[0]));
        Ok(Mgcfd {
            work_of_cycle: work.sum(),
            output: Output::new(domain, config),
            watch: Watch::default(),
            lowest: domain.new_min("lowest"),
            iteration: 0,
            work: 0.0,
            flow,
            levels,
            method,
        })
    }

    /// The conserved variables (rho, rho u, rho v, rho w, rho E) of each level's nodes, the finest first.
    pub fn variables(&self) -> Vec<Dat<5>> {
        self.levels.iter().map(|level| level.q).collect()
    }

    /// Root mean squares, over each level's nodes, of sums.
    fn means(&self, domain: &mut Domain, sums: &[f64]) -> Vec<f64> {
        let mean = |(level, sum): (&Level, &f64)| (sum / domain.rows(level.nodes) as f64).sqrt();
        self.levels.iter().zip(sums).map(mean).collect()
    }
}

impl Solver for Mgcfd {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        self.work += self.work_of_cycle;
        self.watch.begin();
        let Mgcfd { levels, flow, method, watch, iteration, .. } = self;
        let outcome = match method {
            Method::Proxy(proxy) => proxy.cycle(domain, levels, flow, watch, *iteration),
        };
        // Before the first result is asked for, so that all travel in one message.
        if report {
            self.output.record_force(domain, &self.levels[0], &self.flow);
        }
        self.watch.inspect(domain, &self.levels, &self.flow, self.iteration)?;
        outcome?;
        let sums = match &self.method {
            Method::Proxy(proxy) => proxy.sums(domain),
        };
        let residuals = self.means(domain, &sums);
        let residual = residuals[0];
        if !residual.is_finite() {
            self.check(domain)?;
            return Err(Stopped::Residual { value: format!("{residual}"), iteration: self.iteration });
        }
        let mut values = Vec::new();
        if report {
            values.push(self.work);
            values.extend(&residuals[1..]);
            values.extend(self.output.lift_and_drag(domain));
        }
        Ok(Step { residual, values })
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        for level in &self.levels {
            domain.par_loop(state::check_state, level.nodes, (level.q, self.lowest), &self.flow);
            watch::look(domain, level, &self.flow, self.lowest, self.iteration)?;
        }
        Ok(())
    }

    /// The work so far in evaluations of the finest level's residual, the coarse levels' residuals, lift and drag.
    fn columns(&self) -> Vec<String> {
        let coarse = self.levels[1..].iter().map(|level| format!("residual_level{}", level.number));
        let forces = ["lift", "drag"].map(String::from);
        std::iter::once("work".into()).chain(coarse).chain(forces).collect()
    }

    fn fields(&self) -> Vec<Field> {
        let field = |level: &Level| Field {
            name: format!("level{}/variables", level.number),
            dat: AnyDat::D5(level.q),
            components: &["density", "momentum_x", "momentum_y", "momentum_z", "energy"],
        };
        self.levels.iter().map(field).collect()
    }

    fn derived_fields(&self, domain: &mut Domain) -> Vec<Field> {
        self.output.fields(domain, &self.levels[0], &self.flow)
    }

    fn work_set(&self) -> &'static str {
        "level0/nodes"
    }

    fn work_steps(&self, iterations: u64) -> WorkSteps {
        WorkSteps { name: "cycles", count: iterations }
    }

    fn sections(&self, domain: &mut Domain) -> Vec<Section> {
        self.output.sections(domain, &self.levels[0], &self.flow)
    }
}
