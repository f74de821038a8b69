//! One run, in either dimension.
//!
//! ```text
//! geometry        sets, maps and dats of the dual mesh
//! copies          nodes on periodic boundaries that are one
//! residual        R(q): gradients, fluxes, boundaries
//! turbulence      the turbulence model and its steps
//! distance        from walls
//! walls           nodes that have a wall's velocity and temperature
//! begin           the state to start from
//! joined          linear systems between periodic boundaries
//! march           explicit time steps
//! levels          coarse levels that correct them
//! newton          implicit steps
//! matrix          the matrix of the scheme of first order
//! preconditioner  lines, alone or on coarse levels too
//! products        products of that of the scheme itself
//! coupled         the same together with the equations of a turbulence model
//! watch           which of both Newton's method solves with
//! forces          forces, moments, mass flow; when they are steady
//! trim            the angle of attack for a given lift
//! output          fields, values along walls
//! sections        pressure on walls in planes across the span
//! remesh          the same flow on another mesh
//! mod (here)      state and iteration
//! ```

mod begin;
mod copies;
mod coupled;
mod distance;
mod forces;
mod geometry;
mod joined;
mod levels;
mod march;
mod matrix;
mod newton;
mod output;
mod preconditioner;
mod products;
mod remesh;
mod residual;
mod sections;
mod trim;
mod turbulence;
mod walls;
mod watch;

use cfd_adapt::remesh::{Carried, RemeshError, Round};
use cfd_engine::prelude::*;
use cfd_mesh::Named;

use self::copies::Copies;
use self::forces::Forces;
pub use self::geometry::{Faces, Geometry};
use self::levels::Levels;
use self::march::March;
use self::newton::Newton;
use self::output::Shown;
pub use self::residual::Residual;
use self::trim::Trim;
pub use self::turbulence::Turbulence;
pub use self::walls::Walls;
use super::{AXES, D, Elements, MEANS, N, ONE, P, STATE, TURNS, TWO, W, kernels, parts_of};
use crate::flow::config::{Config, Scheme, Up};
use crate::flow::gas::FreeStream;
use crate::flow::kernels::steps::Share;
use crate::output::{Output, Picture};
use crate::{Field, Solver, Step, Stopped, Work};

/// The equations whose residuals are shown: those of momentum count as one.
const EQUATIONS: [&str; 3] = ["density", "momentum", "energy"];
/// A residual is relative to its largest, and to no less than this share of the largest of all.
const LEAST: f64 = 1e-10;

/// A run's state.
pub struct Flow {
    config: Config,
    free: FreeStream,
    /// R, with the state's primitive variables.
    pub residual: Residual,
    /// Conserved variables: density, momentum, energy.
    pub q: Dat<N>,
    march: March,
    /// Of an explicit scheme with coarse levels; otherwise there are none.
    levels: Levels,
    /// Of an implicit scheme.
    newton: Option<Newton>,
    forces: Forces,
    /// Of a run that looks for a lift.
    trim: Option<Trim>,
    shown: Shown,
    squares: Global<Sum<N>>,
    lowest: Global<Min<1>>,
    /// The mean of w over time, and the states in it.
    mean: Option<(Dat<N>, u64)>,
    iteration: u64,
    /// Evaluations of R so far, with those for products of its derivative; those on coarse levels count by their share of the
    /// edges.
    evaluations: f64,
    /// Each equation's residual in the last step, and the largest so far.
    residuals: [f64; 3],
    largest: [f64; 3],
    /// The same of each quantity of the turbulence model.
    turbulent: Vec<[f64; 2]>,
}

impl Flow {
    /// Sets up the start on a domain of [`cfd_mesh::DUAL`], whose boundary faces are in sets by condition.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(domain: &mut Domain, config: &Config, boundaries: &Named) -> Result<Flow, DomainError> {
        let residual = Residual::new(domain, config, boundaries)?;
        let nodes = residual.geometry.nodes;
        let flow = Flow {
            q: domain.new_dat(nodes, "variables"),
            march: March::new(domain, nodes, config),
            levels: Levels::new(domain, config, boundaries, &residual)?,
            newton: (config.scheme.is_implicit())
                .then(|| Newton::new(domain, config, &residual))
                .transpose()?,
            forces: Forces::new(domain, config, &residual.geometry, boundaries)?,
            trim: Trim::new(config),
            shown: Shown::default(),
            squares: domain.new_sum("squares"),
            lowest: domain.new_min("lowest"),
            mean: config.average_from.map(|_| (domain.new_dat(nodes, "mean"), 0)),
            iteration: 0,
            evaluations: 0.0,
            residuals: [0.0; 3],
            largest: [0.0; 3],
            turbulent: vec![
                [0.0; 2];
                residual.turbulence.as_ref().map_or(0, |model| model.quantities().len())
            ],
            free: FreeStream::new(config),
            config: config.clone(),
            residual,
        };
        flow.give_start(domain)?;
        Ok(flow)
    }

    /// Records the loop that computes w of q.
    pub fn refresh(&self, domain: &mut Domain) {
        self.residual.refresh(domain, self.q);
    }

    /// Records the sum of squares of the residual in `res`.
    fn record_norm(&self, domain: &mut Domain) {
        let operands = (self.residual.res, self.residual.geometry.volume, self.squares);
        domain.par_loop(kernels::norm, self.residual.geometry.nodes, operands, &());
    }

    /// The root mean squares of the equations' rates of change, that were recorded last.
    fn read_norm(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        let squares = domain.get(self.squares)?;
        let nodes = domain.rows(self.residual.geometry.nodes) as f64;
        let momentum: f64 = squares[1..=D].iter().sum();
        self.residuals = [squares[0], momentum, squares[D + 1]].map(|sum| (sum / nodes).sqrt());
        for (largest, residual) in self.largest.iter_mut().zip(self.residuals) {
            *largest = largest.max(residual);
        }
        let quantities = self.residual.turbulence.iter().flat_map(Turbulence::quantities);
        for ([now, largest], quantity) in self.turbulent.iter_mut().zip(quantities) {
            *now = quantity.rate(domain)?;
            *largest = largest.max(*now);
        }
        Ok(())
    }

    /// Each equation's residual relative to its largest.
    fn relative(&self) -> Vec<f64> {
        let least = LEAST * self.largest.into_iter().fold(0.0, f64::max);
        let share = |residual: f64, largest: f64| if largest == 0.0 { 0.0 } else { residual / largest };
        let flow =
            self.residuals.iter().zip(self.largest).map(|(own, largest)| share(*own, largest.max(least)));
        let turbulence = self.turbulent.iter().map(|[own, largest]| share(*own, *largest));
        flow.chain(turbulence).collect()
    }

    /// The equations whose residuals are shown.
    fn equations(&self) -> impl Iterator<Item = &'static str> {
        let turbulence = self.residual.turbulence.iter().flat_map(Turbulence::quantities);
        EQUATIONS.into_iter().chain(turbulence.map(|quantity| quantity.name()))
    }

    /// Counts the state in the mean over time.
    fn add_to_mean(&mut self, domain: &mut Domain) {
        let from = self.config.average_from.unwrap_or(u64::MAX);
        if let Some((mean, count)) = self.mean.as_mut().filter(|_| self.iteration >= from) {
            *count += 1;
            let share = Share { share: 1.0 / *count as f64 };
            domain.par_loop(kernels::average, self.residual.geometry.nodes, (self.residual.w, *mean), &share);
        }
    }

    /// An error if `lowest`, of this step or of the state, shows a density or pressure that is not positive.
    fn look(&mut self, domain: &mut Domain, lowest: Global<Min<1>>) -> Result<(), Stopped> {
        let [Extremum { value, element }] = domain.extremum(lowest)?;
        let is_bad = |value: f64| value.is_nan() || value <= 0.0;
        let Some(node) = element.filter(|_| is_bad(value)) else { return Ok(()) };
        let w = domain.element(self.residual.w, node)?;
        let named = [("density", w[0]), ("pressure", w[N - 1])].into_iter().find(|(_, value)| is_bad(*value));
        // The state may have changed since the loop saw it.
        let (quantity, value) = named.unwrap_or(("the lower of density and pressure", value));
        Err(Stopped::Diverged {
            quantity: quantity.into(),
            set: "nodes".into(),
            element: node,
            position: domain.element(self.residual.geometry.x, node)?.to_vec(),
            value: format!("{value}"),
            iteration: self.iteration,
        })
    }

    /// The values of the last step: residuals, then forces.
    fn last_values(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        let mut values = self.relative();
        values.push(self.march.time);
        values.extend(self.forces.coefficients(domain)?);
        values.extend(self.trim.as_ref().map(|_| self.config.alpha));
        values.extend(self.newton.iter().flat_map(Newton::report));
        values.push(self.evaluations);
        Ok(values)
    }
}

impl Solver for Flow {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        self.turn(domain)?;
        self.give_outlets(domain)?;
        match self.config.scheme {
            Scheme::Explicit => self.step_locally(domain),
            Scheme::Rk3 => self.step_in_time(domain)?,
            Scheme::Newton => self.step_by_newton(domain)?,
            Scheme::Bdf2 => self.step_by_differences(domain)?,
        }
        self.add_to_mean(domain);
        let watches_forces = self.config.force_tolerance > 0.0;
        // Before the first result is requested, so all are sent in one message.
        if report || watches_forces || self.trim.is_some() {
            self.record_forces(domain);
        }
        if self.newton.is_none() {
            let lowest = self.march.lowest().iter().chain(self.levels.lowest());
            for lowest in lowest.copied().collect::<Vec<_>>() {
                self.look(domain, lowest)?;
            }
            self.read_norm(domain)?;
        }
        let mut all = self.residuals.into_iter().chain(self.turbulent.iter().map(|[now, _]| *now));
        if let Some(value) = all.find(|residual| !residual.is_finite()) {
            self.check(domain)?;
            return Err(Stopped::Residual { value: format!("{value}"), iteration: self.iteration });
        }
        if watches_forces {
            let now = self.forces.coefficients(domain)?;
            self.forces.watch(now);
        }
        self.watch_lift(domain)?;
        self.adjust_outlets(domain)?;
        let residual = self.residual_now();
        let values = if report { self.last_values(domain)? } else { Vec::new() };
        Ok(Step::new(residual, values))
    }

    fn values(&mut self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        if self.iteration == 0 {
            return Ok(Vec::new());
        }
        self.record_forces(domain);
        self.last_values(domain)
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        self.refresh(domain);
        domain.par_loop(kernels::check, self.residual.geometry.nodes, (self.residual.w, self.lowest), &());
        self.look(domain, self.lowest)
    }

    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = self.equations().map(|name| format!("residual_{name}")).collect();
        columns.push("time".into());
        columns.extend(forces::NAMES.map(String::from));
        columns.extend(self.trim.as_ref().map(|_| "alpha".to_string()));
        if self.newton.is_some() {
            columns.extend(newton::COLUMNS.map(String::from));
            columns.extend(self.residual.turbulence.iter().map(|_| newton::TURBULENT_COLUMN.into()));
        }
        columns.push("work".into());
        columns
    }

    fn console_columns(&self) -> Vec<String> {
        let shown: &[&str] = if self.config.scheme.is_in_time() {
            &["time", "lift", "drag", "moment", "linear_iterations"]
        } else {
            &["lift", "drag", "moment", "alpha", "cfl", "linear_iterations"]
        };
        self.columns().into_iter().filter(|column| shown.contains(&column.as_str())).collect()
    }

    fn fields(&self) -> Vec<Field> {
        let turbulence = self.residual.turbulence.iter().flat_map(Turbulence::quantities);
        let turbulence = turbulence.map(|quantity| quantity.field());
        [Field::new("variables", self.q, &STATE)].into_iter().chain(turbulence).collect()
    }

    fn state(&self) -> Vec<Field> {
        let mean = self.mean.map(|(mean, _)| Field::new("mean", mean, &MEANS));
        let levels = self.newton.as_ref().and_then(Newton::levels).into_iter().flatten();
        let names = ["one_step_before", "two_steps_before"].into_iter();
        let levels = names.zip(levels).map(|(name, level)| Field::new(name, level, &STATE));
        self.fields().into_iter().chain(mean).chain(levels).collect()
    }

    /// The time, states in the mean, evaluations, residuals and their largest; of an implicit scheme its own; of a lift
    /// that is looked for; of a turbulence model its residual and the largest; pressures of outlets.
    fn numbers(&self) -> Vec<f64> {
        let states = self.mean.map_or(0.0, |(_, count)| count as f64);
        let mut numbers = vec![self.march.time, states, self.evaluations];
        numbers.extend(self.residuals.iter().chain(&self.largest));
        numbers.extend(self.newton.iter().flat_map(Newton::numbers));
        numbers.extend(self.trim.iter().flat_map(|trim| trim.numbers(self.config.alpha)));
        numbers.extend(self.turbulent.iter().flatten());
        numbers.extend(self.forces.numbers());
        numbers
    }

    /// There is a row more for each step in which forces have been watched.
    fn takes(&self, numbers: &[f64]) -> bool {
        numbers
            .len()
            .checked_sub(self.numbers().len())
            .is_some_and(|more| more.is_multiple_of(forces::NAMES.len()))
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        self.march.time = numbers[0];
        self.mean = self.mean.map(|(mean, _)| (mean, numbers[1] as u64));
        self.evaluations = numbers[2];
        self.residuals.copy_from_slice(&numbers[3..6]);
        self.largest.copy_from_slice(&numbers[6..9]);
        let mut rest = &numbers[9..];
        if let Some(newton) = &mut self.newton {
            rest = newton.resume(rest);
        }
        rest = self.resume_lift(rest);
        let (turbulent, rest) = rest.split_at(2 * self.turbulent.len());
        self.turbulent.copy_from_slice(turbulent.as_chunks::<2>().0);
        self.forces.resume(rest);
    }

    fn begin(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        self.begin_elsewhere(domain)
    }

    fn work(&self, iterations: u64) -> Work {
        Work::of("nodes", iterations)
    }

    /// A run ends at a given time, or when forces are steady, and the lift the one that is looked for.
    fn done(&self) -> Option<f64> {
        let time = self.config.end_time.map(|end| self.march.time / end);
        if self.is_settled() { Some(1.0) } else { time }
    }

    fn settled(&self) -> Option<String> {
        let Config { force_tolerance, force_steps, .. } = self.config;
        let text = || format!("forces steady to {force_tolerance:e} over {force_steps} iterations");
        self.is_settled().then(text)
    }

    fn carried(&self) -> Result<Vec<Carried>, RemeshError> {
        Ok(self.carried_state())
    }

    fn rebuild(&mut self, domain: &mut Domain, round: Round) -> Result<(), RemeshError> {
        self.move_to(domain, &round)
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        let normal = if self.config.up == Up::Z { 1 } else { 2 };
        vec![
            Output::fields(|domain| self.shown.fields(domain, self)),
            Output::values(|domain| self.final_values(domain)),
            Output::table("wall.csv", |domain| self.along_walls(domain)),
            Output::wall_pressure(|domain| self.around_bodies(domain)),
            Output::sections(|domain| self.sections(domain)),
            Output::Picture(Picture { normal, ..Picture::of("mach", "Mach number") }),
        ]
    }
}
