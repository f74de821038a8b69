//! Newton's method: steps to a steady state, and the steps of an implicit scheme in time.
//!
//! ```text
//! (pace / cfl dq/dw + dR/dw) dw = -R(w)
//! ```
//!
//! Systems are solved by GMRES with lines of nodes as preconditioner, none of which a partition changes, so neither does the
//! number of steps. A step after which a density, a pressure or the residual is of no use is taken back, and repeated with a
//! shorter time step.
//!
//! dR/dw is that of R itself ([`products`](super::products)), preconditioned by lines of the matrix of first order
//! ([`matrix`](super::matrix)). How much of its equations a step has solved decides the next time step, as in Knoll, Keyes,
//! "Jacobian-free Newton-Krylov methods", J. Comput. Phys. 193 (2004), DOI 10.1016/j.jcp.2003.08.010. Or dR/dw is the matrix of
//! first order itself, which is defect correction: it ends where R of second order is 0, too. Then the local time step grows
//! as the residual falls (Mulder, van Leer, "Experiments with implicit upwind methods for the Euler equations", J. Comput.
//! Phys. 59 (1985), DOI 10.1016/0021-9991(85)90144-5).

use std::cell::Cell;

use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options, Unsolved};
use cfd_implicit::lines::LineSet;
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::{Loops, VectorLoops};
use cfd_mesh::derive::lines::names;

use super::coupled::Coupled;
use super::joined::{self, JoinedMatrix, Sides};
use super::preconditioner::Preconditioning;
use super::products::{Derivative, Products};
use super::turbulence::TurbulentSystem;
use super::watch::Watch;
use super::{Flow, Geometry, N, Residual, kernels};
use crate::Stopped;
use crate::flow::config::{self, Config, Jacobian};
use crate::flow::kernels::newton::Rate;

/// The names of what a step reports.
pub const COLUMNS: [&str; 5] = ["cfl", "newton_steps", "linear_iterations", "limited_nodes", "coarse_levels"];
/// What a turbulence model adds.
pub const TURBULENT_COLUMN: &str = "turbulence_iterations";
/// Colors of lines.
const COLORS: usize = 2;
/// Vectors of a cycle of GMRES.
pub(super) const RESTART: usize = 30;
/// The Courant number grows by this factor in a step at most.
const FASTEST: f64 = 1.5;
/// What is left of it after a step whose linear system was far from solved.
const UNSOLVED: f64 = 0.7;
/// A step that multiplies the residual by more is taken back.
const WORST: f64 = 4.0;
/// What is left of the Courant number then.
const RETREAT: f64 = 0.25;
/// A step that leaves less than the second share of its equations is followed by a longer one, by a much longer one if it
/// leaves less than the first; one that leaves more than the third by a shorter one.
const QUALITIES: [f64; 3] = [0.2, 0.5, 0.8];
/// What multiplies the Courant number after one that leaves least.
const BOLD: f64 = 3.0;
/// What is left of the Courant number after one that leaves more.
const HESITANT: f64 = 0.5;
/// No step is repeated with a smaller one.
const LEAST_CFL: f64 = 1e-3;

/// What Newton's method needs beside the residual.
pub struct Newton {
    pub(super) matrix: JoinedMatrix<N, { N * N }>,
    pub(super) preconditioner: Preconditioning<N, { N * N }>,
    /// Of the derivative of R itself, if it may be used.
    products: Option<Products>,
    /// Whether it is.
    is_free: bool,
    /// Its systems together with the turbulence model's, from the first on: many runs never need these vectors.
    coupled: Option<Coupled>,
    options: Options,
    watch: Watch,
    gmres: Gmres<N>,
    /// Those of the turbulence model's quantities.
    pub turbulence: Vec<TurbulentSystem>,
    pub(super) right: Dat<N>,
    pub(super) change: Dat<N>,
    limited: Global<Sum<1>>,
    lowest: Global<Min<1>>,
    /// The states one and two time steps before, of a scheme in time.
    levels: Option<[Dat<N>; 2]>,
    /// The time step before; 0 before the second.
    last_step: f64,
    /// The Courant number.
    pub cfl: f64,
    /// The right-hand side's norm.
    start: f64,
    /// What was left of the last linear system's residual.
    reduction: f64,
    /// What the last step has left of its equations; known where there are products.
    quality: Option<f64>,
    /// Steps of Newton's method, iterations of GMRES, nodes whose change was limited and coarse levels of the flow's systems, in
    /// the last step.
    report: [f64; 4],
    /// Iterations of GMRES for the turbulence model.
    pub turbulence_iterations: u64,
    /// Steps of Newton's method, iterations of GMRES, those for the turbulence model, of all steps before the last.
    before: [f64; 3],
}

impl Newton {
    /// On a domain of [`cfd_mesh::DUAL`]. Collective.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(domain: &mut Domain, config: &Config, residual: &Residual) -> Result<Newton, DomainError> {
        let ends: Map<2> = domain.map("edge_nodes")?;
        let nodes = ends.to();
        let blocks = BlockMatrix::new(domain, ends, "jacobian");
        let along = [domain.map(names::BEFORE)?, domain.map(names::AFTER)?, domain.map(names::NODE_LINE)?];
        let colors = match config.relaxation {
            config::Relaxation::Jacobi => 1,
            config::Relaxation::GaussSeidel => COLORS,
        };
        let lines = LineSet::new(domain, along, ends, colors)?;
        let options = Options {
            tolerance: config.linear_tolerance,
            iterations: config.linear_iterations,
            restart: RESTART.min(config.linear_iterations as usize),
            flexible: false,
        };
        let is_in_time = config.scheme == config::Scheme::Bdf2;
        let copies = residual.geometry.copies;
        let sides = copies.map(|copies| Sides {
            vectors: copies.states,
            blocks: copies.blocks,
            products: domain.new_dat(nodes, "products"),
        });
        let matrix = JoinedMatrix { blocks, sides };
        let may_be_free = match config.jacobian {
            Jacobian::Automatic => !is_in_time,
            jacobian => jacobian == Jacobian::MatrixFree,
        };
        let levels = ["one step before", "two steps before"];
        Ok(Newton {
            turbulence: match &residual.turbulence {
                None => Vec::new(),
                Some(turbulence) => turbulence.systems(domain, config, copies, &lines, options)?,
            },
            preconditioner: Preconditioning::new(domain, config, matrix, &lines)?,
            matrix,
            products: may_be_free.then(|| Products::new(domain, nodes)),
            is_free: config.jacobian == Jacobian::MatrixFree,
            coupled: None,
            options,
            watch: Watch::new(config.is_turbulent()),
            gmres: Gmres::new(domain, nodes, options),
            right: domain.new_dat(nodes, "right-hand side"),
            change: domain.new_dat(nodes, "change"),
            limited: domain.new_sum("limited nodes"),
            lowest: domain.new_min("lowest of density and pressure"),
            levels: is_in_time.then(|| levels.map(|name| domain.new_dat(nodes, name))),
            last_step: 0.0,
            cfl: if is_in_time { config.cfl_max } else { config.cfl() },
            start: 0.0,
            reduction: 0.0,
            quality: None,
            report: [0.0; 4],
            turbulence_iterations: 0,
            before: [0.0; 3],
        })
    }

    /// The states before, of a scheme in time.
    pub fn levels(&self) -> Option<[Dat<N>; 2]> {
        self.levels
    }

    /// What a restart needs beside the states.
    pub fn numbers(&self) -> [f64; 10] {
        let [least, stalled, patience] = self.watch.numbers();
        let [steps, iterations, turbulent] = self.totals();
        let is_free = f64::from(u8::from(self.is_free));
        let on_levels = f64::from(self.systems_on_levels());
        [self.cfl, self.last_step, is_free, least, stalled, patience, steps, iterations, turbulent, on_levels]
    }

    /// Which systems are solved on coarse levels: a bit for the flow's, then one for each quantity of the turbulence model.
    fn systems_on_levels(&self) -> u8 {
        let of_model = self.turbulence.iter().map(|system| system.preconditioner.coarse_levels());
        let all = std::iter::once(self.preconditioner.coarse_levels()).chain(of_model);
        (0..).zip(all).map(|(bit, levels)| u8::from(levels > 0) << bit).sum()
    }

    /// Systems that were solved on coarse levels are so again.
    fn put_on_levels(&self, systems: u8) {
        let is_on = |bit: usize| systems >> bit & 1 == 1;
        if is_on(0) {
            self.preconditioner.use_levels();
        }
        for (bit, system) in (1..).zip(&self.turbulence) {
            if is_on(bit) {
                system.preconditioner.use_levels();
            }
        }
    }

    /// After a restart; the numbers that follow.
    pub fn resume<'a>(&mut self, numbers: &'a [f64]) -> &'a [f64] {
        let (own, rest) = numbers.split_at(self.numbers().len());
        (self.cfl, self.last_step, self.is_free) = (own[0], own[1], own[2] == 1.0);
        self.put_on_levels(own[9] as u8);
        self.watch = Watch::of([own[3], own[4], own[5]]);
        self.before = [own[6], own[7], own[8]];
        rest
    }

    /// Steps of Newton's method, iterations of GMRES and those for the turbulence model, of all steps.
    pub fn totals(&self) -> [f64; 3] {
        let [steps, iterations, ..] = self.report;
        let [all, of_gmres, turbulent] = self.before;
        [all + steps, of_gmres + iterations, turbulent + self.turbulence_iterations as f64]
    }

    /// The same, by name.
    pub fn final_values(&self) -> impl Iterator<Item = (String, f64)> {
        let [steps, iterations, turbulent] = self.totals();
        let turbulent = (!self.turbulence.is_empty()).then_some((TURBULENT_COLUMN, turbulent));
        let named = [("newton_steps", steps), ("linear_iterations", iterations)].into_iter().chain(turbulent);
        named.map(|(name, value)| (format!("total.{name}"), value))
    }

    /// Begins to count another step.
    fn begin_step(&mut self) {
        self.before = self.totals();
        (self.report, self.turbulence_iterations) = ([0.0; 4], 0);
    }

    fn watch_anew(&mut self) {
        self.watch = Watch::new(!self.turbulence.is_empty());
    }

    /// Begins with the matrix that a run begins with, as on a new mesh.
    pub fn begin_anew(&mut self, jacobian: Jacobian) {
        self.is_free = jacobian == Jacobian::MatrixFree;
        self.watch_anew();
    }

    /// Reports the last step of another mesh as its own, whose totals it has.
    pub fn report_as(&mut self, before: &Newton) {
        (self.report, self.turbulence_iterations) = (before.report, before.turbulence_iterations);
        self.before = before.before;
    }

    /// The Courant number, steps of Newton's method, iterations of GMRES, limited nodes, coarse levels of the flow's systems, of
    /// the last step; with a turbulence model the iterations for it.
    pub fn report(&self) -> Vec<f64> {
        let turbulent = (!self.turbulence.is_empty()).then_some(self.turbulence_iterations as f64);
        std::iter::once(self.cfl).chain(self.report).chain(turbulent).collect()
    }
}

impl Flow {
    /// A step towards a steady state.
    ///
    /// # Errors
    /// The time step becomes too short, or a device has failed.
    pub(super) fn step_by_newton(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        self.newton().begin_step();
        let before = self.evaluate(domain, None)?;
        // A free stream that has just turned moves what is far away, where cells are large and rates of change small: the
        // residual grows as near cells follow, which is no reason to take the step back.
        let has_turned = self.has_turned();
        let now = self.newton_step(domain, None, if has_turned { f64::MAX / WORST } else { before })?;
        let Config { cfl_max, linear_tolerance, .. } = self.config;
        let bold = self.config.cfl_growth();
        let newton = self.newton();
        let [best, good, poor] = QUALITIES;
        let growth = match (newton.quality, newton.reduction) {
            (Some(left), _) if left < best => BOLD,
            (Some(left), _) if left < good => FASTEST,
            (Some(left), _) if left < poor => 1.0,
            (Some(_), _) => HESITANT,
            (None, reduction) if reduction > linear_tolerance.sqrt() => UNSOLVED,
            (None, reduction) if has_turned || reduction > linear_tolerance => 1.0,
            // Where there was nothing to solve, the quotient of the residuals is no number.
            (None, _) if now == 0.0 => FASTEST,
            (None, _) => (bold * before / now).clamp(1.0 / FASTEST, FASTEST),
        };
        newton.cfl = (newton.cfl * growth).clamp(LEAST_CFL.min(cfl_max), cfl_max);
        if self.config.jacobian == Jacobian::Automatic {
            self.choose_matrix(has_turned);
        }
        Ok(())
    }

    /// Takes the other matrix if this one no longer makes the residual fall.
    fn choose_matrix(&mut self, has_turned: bool) {
        let residual = self.residual_now();
        let newton = self.newton();
        if has_turned {
            newton.watch_anew();
        }
        let stalls = newton.watch.stalls(residual);
        newton.is_free = newton.products.is_some() && (newton.is_free != stalls);
    }

    /// A step in time, of the scheme of backward differences of second order; the first of first order.
    ///
    /// # Errors
    /// The same.
    pub(super) fn step_by_differences(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        let dt = self.next_time_step(self.config.time_step.expect("it is checked"));
        let ratio = if self.newton().last_step > 0.0 { dt / self.newton().last_step } else { 0.0 };
        let of = |share: f64| share / ((1.0 + ratio) * dt);
        let shares = [of(1.0 + 2.0 * ratio), of(-(1.0 + ratio) * (1.0 + ratio)), of(ratio * ratio)];
        let rate = Rate { shares };
        let cfl = self.config.cfl_max;
        let newton = self.newton();
        newton.begin_step();
        newton.cfl = cfl;
        let [before, two_before] = newton.levels.expect("a scheme in time keeps states");
        Loops::copy(domain, before, two_before);
        Loops::copy(domain, self.q, before);
        let start = self.evaluate(domain, Some(rate))?;
        let goals = self.residuals.map(|residual| self.config.inner_tolerance * residual);
        let mut size = start;
        for _ in 0..self.config.inner_steps {
            size = self.newton_step(domain, Some(rate), size)?;
            if self.residuals.iter().zip(goals).all(|(residual, goal)| *residual <= goal) {
                break;
            }
        }
        self.newton().last_step = dt;
        self.advance_time(dt);
        Ok(())
    }

    pub(super) fn newton(&mut self) -> &mut Newton {
        self.newton.as_mut().expect("the scheme is implicit")
    }

    /// R of the state, in the right-hand side; its norm over all equations.
    fn evaluate(&mut self, domain: &mut Domain, rate: Option<Rate>) -> Result<f64, Stopped> {
        self.evaluations += 1.0;
        let nodes = self.residual.geometry.nodes;
        let right = self.newton().right;
        let res = self.residual.res;
        self.refresh(domain);
        self.residual.record_turbulence(domain);
        self.record_equations(domain, rate);
        self.record_norm(domain);
        domain.par_loop(kernels::right, nodes, (res, right), &self.residual.gas);
        self.read_norm(domain)?;
        let unit = self.residual.gas.flux_unit;
        let [density, momentum, energy] = self.residuals;
        let sizes = [density / unit[0], momentum / unit[1], energy / unit[4]];
        Ok(sizes.iter().map(|size| size * size).sum::<f64>().sqrt())
    }

    /// Records the loops that add R of w to `res`, with the rate of change in time of q.
    pub(super) fn record_equations(&self, domain: &mut Domain, rate: Option<Rate>) {
        let Geometry { nodes, volume, .. } = self.residual.geometry;
        let levels = self.newton.as_ref().and_then(Newton::levels);
        self.residual.record_fluxes(domain);
        if let (Some(rate), Some([before, two_before])) = (rate, levels) {
            let operands = (volume, self.q, before, two_before, self.residual.res);
            domain.par_loop(kernels::rate, nodes, operands, &rate);
        }
        self.residual.hold_walls(domain);
    }

    /// A step of Newton's method from a state whose residual has been evaluated, to another one; that one's residual, and before,
    /// the norm.
    fn newton_step(&mut self, domain: &mut Domain, rate: Option<Rate>, before: f64) -> Result<f64, Stopped> {
        self.record_pace(domain);
        loop {
            let iterations = self.solve(domain, rate)?;
            let is_turbulence_solved = self.is_coupled() || self.solve_turbulence(domain)?;
            self.record_update(domain);
            let newton = self.newton();
            let (limited, lowest) = (newton.limited, newton.lowest);
            let [limited] = domain.get(limited)?;
            let [Extremum { value: lowest, .. }] = domain.extremum(lowest)?;
            let residuals = (self.residuals, self.largest, self.turbulent.clone());
            let is_sound = iterations.is_some() && is_turbulence_solved && lowest > 0.0;
            let now = if is_sound { self.evaluate(domain, rate)? } else { f64::INFINITY };
            let is_good = self.judge(domain, rate)?.map_or(now <= WORST * before, |left| left < 1.0);
            let newton = self.newton();
            newton.report[0] += 1.0;
            newton.report[1] += iterations.unwrap_or(0) as f64;
            newton.report[2] = limited;
            let is_shortest = newton.cfl * RETREAT < LEAST_CFL;
            // What still grows in the shortest step is rounding, as where nothing is left to solve.
            if is_sound && is_good || is_shortest && now.is_finite() {
                return Ok(now);
            }
            if is_shortest {
                let lowest = newton.lowest;
                self.look(domain, lowest)?;
                return Err(Stopped::Residual { value: format!("{now}"), iteration: self.iteration });
            }
            newton.cfl *= RETREAT;
            // Back to the state before the step, and its right-hand side.
            Loops::copy(domain, self.march.steps.old, self.q);
            for (quantity, system) in self.turbulent_systems() {
                system.take_back(domain, quantity);
            }
            self.evaluate(domain, rate)?;
            (self.residuals, self.largest, self.turbulent) = residuals;
        }
    }

    /// The iterations that the system took; `None` if it has no solution.
    fn solve(&mut self, domain: &mut Domain, rate: Option<Rate>) -> Result<Option<u64>, Stopped> {
        if self.is_coupled() && self.newton().coupled.is_none() {
            let options = self.newton().options;
            self.newton().coupled = Coupled::new(domain, &self.residual, options);
        }
        self.record_matrix(domain, rate);
        let preconditioner = &self.newton().preconditioner;
        preconditioner.update(domain);
        let levels = preconditioner.coarse_levels();
        let newton = self.newton.as_ref().expect("the scheme is implicit");
        let Newton { matrix, preconditioner, gmres, coupled, right, change, .. } = newton;
        let found = match self.derivative(rate) {
            Some(derivative) => {
                Loops::copy(domain, self.residual.w, derivative.products.base);
                let solved = match coupled {
                    Some(coupled) => coupled.solve(domain, &derivative),
                    None => joined::solve(domain, gmres, &derivative, preconditioner, [*right, *change]),
                };
                self.evaluations += derivative.evaluations.get() as f64;
                solved
            }
            None => joined::solve(domain, gmres, matrix, preconditioner, [*right, *change]),
        };
        match found {
            Ok(solved) => {
                let is_coupled = self.is_coupled();
                let newton = self.newton();
                newton.report[3] = levels as f64;
                newton.preconditioner.watch(solved.iterations);
                if is_coupled {
                    newton
                        .turbulence
                        .iter()
                        .for_each(|system| system.preconditioner.watch(solved.iterations));
                }
                (newton.start, newton.reduction) = (solved.start, solved.reduction());
                Ok(Some(solved.iterations))
            }
            Err(Unsolved::NotFinite { .. }) => Ok(None),
            Err(Unsolved::Backend(error)) => Err(error.into()),
        }
    }

    /// The derivative of R, if it is used.
    fn derivative(&self, rate: Option<Rate>) -> Option<Derivative<'_>> {
        let Newton { products, is_free, right, cfl, .. } = *self.newton.as_ref()?;
        products.filter(|_| is_free).map(|products| Derivative {
            flow: self,
            products,
            right,
            cfl,
            rate,
            evaluations: Cell::new(0),
        })
    }

    /// Whether the turbulence model is part of the flow's systems.
    fn is_coupled(&self) -> bool {
        self.newton.as_ref().is_some_and(|newton| newton.is_free && !newton.turbulence.is_empty())
    }

    /// What the last step has left of its equations, as a share of their size before; `None` with the matrix of first order.
    fn judge(&mut self, domain: &mut Domain, rate: Option<Rate>) -> Result<Option<f64>, Stopped> {
        let coupled = self.newton.as_ref().and_then(|newton| newton.coupled.as_ref());
        let left =
            self.derivative(rate).map(|derivative| derivative.imbalance(domain, coupled)).transpose()?;
        let newton = self.newton();
        newton.quality = left.map(|left| if newton.start > 0.0 { left / newton.start } else { 0.0 });
        Ok(newton.quality)
    }

    /// Records the loops that add the change to the state.
    fn record_update(&self, domain: &mut Domain) {
        let Newton { change, limited, lowest, .. } = *self.newton.as_ref().expect("the scheme is implicit");
        let Residual { geometry, gas, w, walls, .. } = &self.residual;
        domain.par_loop(kernels::update, geometry.nodes, (change, *w, self.q, limited, lowest), gas);
        if let Some(walls) = walls {
            walls.begin(domain, self.q, gas);
        }
        for (quantity, system) in self.turbulent_systems() {
            system.record_update(domain, quantity);
        }
    }
}
