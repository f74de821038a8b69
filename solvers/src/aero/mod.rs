//! Aero: two-dimensional steady potential flow around an airfoil, bilinear finite elements, Newton's method with
//! conjugate gradients.
//!
//! ```text
//! case         what the program needs to know of it
//! config       keys of [aero], constants of the flow
//! kernels      one function a loop
//! power        x^n from exactly rounded operations
//! stiffness    the linear operator: element matrices, far-field nodes constrained
//! fields       velocity, Mach number, pressure coefficient; the wall
//! mod (here)   state and Newton's method
//! ```

mod case;
mod config;
pub mod fields;
pub mod kernels;
pub mod power;
mod stiffness;

use std::cell::OnceCell;

use cfd_engine::handle::At;
use cfd_engine::prelude::*;

pub use self::config::{Config, Flow};
use self::stiffness::Stiffness;
pub use self::stiffness::matrix;
use crate::output::{Output, Picture};
use crate::{Field, Solver, Step, Stopped, Work};
use cfd_implicit::cg::{ConjugateGradients, Unsolved};
use kernels::{check_state, dirichlet, init_phi, res_calc, res_calc_power, update};

/// Bound on the residual relative to the first step's: if Newton's method diverges, it exceeds any bound within a few
/// steps; if it converges, it never comes close.
const GROWTH_LIMIT: f64 = 1e3;

/// State of an Aero run.
pub struct Aero {
    flow: Flow,
    /// gamma is 1.4, so the density needs no general power.
    square_root: bool,
    nodes: Set,
    cells: Set,
    corner: Corners,
    bnode_node: Map<1>,
    x: Dat<2>,
    phi: Dat<1>,
    res: Dat<1>,
    u: Dat<1>,
    stiffness: Stiffness,
    cg: ConjugateGradients,
    /// Created when output first needs them.
    derived: OnceCell<Derived>,
    sides: OnceCell<Dat<12>>,
    /// Sum of the squared changes.
    rms: Global<Sum<1>>,
    /// Lowest temperature, of a step and of a separate check.
    lowest: [Global<Min<1>>; 2],
    iteration: u64,
    cg_steps: u64,
    /// The first residual that is not 0.
    first: f64,
}

/// The nodes of a cell, in the order (0,0), (1,0), (0,1), (1,1).
#[derive(Clone, Copy)]
struct Corners {
    cell_nodes: Map<4>,
}

/// A dat at the four nodes of a cell.
type AtCorners<const D: usize> = (At<D, f64, 4, 0>, At<D, f64, 4, 1>, At<D, f64, 4, 2>, At<D, f64, 4, 3>);

impl Corners {
    fn of<const D: usize>(self, dat: Dat<D>) -> AtCorners<D> {
        let map = self.cell_nodes;
        (
            dat.at(map.target::<0>()),
            dat.at(map.target::<1>()),
            dat.at(map.target::<2>()),
            dat.at(map.target::<3>()),
        )
    }
}

/// Dats for output, on cells.
#[derive(Clone, Copy)]
struct Derived {
    velocity: Dat<2>,
    mach: Dat<1>,
    cp: Dat<1>,
}

impl Aero {
    /// Sets up phi = M x on a domain with the sets `nodes`, `cells`, `bnodes`, the maps `cell_nodes` (a cell's corners
    /// (0,0), (1,0), (0,1), (1,1)) and `bnode_node` (the far-field nodes), and the dat `x`.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(domain: &mut Domain, config: &Config) -> Result<Aero, DomainError> {
        let (nodes, cells, bnodes) = (domain.set("nodes")?, domain.set("cells")?, domain.set("bnodes")?);
        let cell_nodes: Map<4> = domain.map("cell_nodes")?;
        let bnode_node: Map<1> = domain.map("bnode_node")?;
        let corner = Corners { cell_nodes };
        let solver = Aero {
            flow: Flow::new(config),
            square_root: config.gamma == 1.4,
            nodes,
            cells,
            corner,
            bnode_node,
            x: domain.dat("x")?,
            phi: domain.new_dat(nodes, "phi"),
            res: domain.new_dat(nodes, "res"),
            u: domain.new_dat(nodes, "u"),
            stiffness: Stiffness {
                cells,
                bnodes,
                corner,
                far: bnode_node.target::<0>(),
                k: domain.new_dat(cells, "k"),
            },
            cg: ConjugateGradients::new(domain, nodes, config.cg_options()),
            derived: OnceCell::new(),
            sides: OnceCell::new(),
            rms: domain.new_sum("rms"),
            lowest: [domain.new_min("lowest of the step"), domain.new_min("lowest")],
            iteration: 0,
            cg_steps: 0,
            first: 0.0,
        };
        domain.par_loop(init_phi, nodes, (solver.x, solver.phi), &solver.flow);
        Ok(solver)
    }

    /// The potential of the nodes.
    pub fn phi(&self) -> Dat<1> {
        self.phi
    }

    /// The cell stiffnesses that the last step used; [`matrix`] builds a matrix from a cell's ten values.
    pub fn k(&self) -> Dat<10> {
        self.stiffness.k
    }

    /// Records the loops that compute residual and stiffness of the current potential.
    fn assemble(&self, domain: &mut Domain) {
        let Aero { x, phi, res, corner, .. } = *self;
        let ((x0, x1, x2, x3), (phi0, phi1, phi2, phi3)) = (corner.of(x), corner.of(phi));
        let (res0, res1, res2, res3) = corner.of(res);
        let operands = (
            x0,
            x1,
            x2,
            x3,
            phi0,
            phi1,
            phi2,
            phi3,
            res0,
            res1,
            res2,
            res3,
            self.stiffness.k,
            self.lowest[0],
        );
        match self.square_root {
            true => domain.par_loop(res_calc, self.cells, operands, &self.flow),
            false => domain.par_loop(res_calc_power, self.cells, operands, &self.flow),
        }
        let Stiffness { bnodes, far, .. } = self.stiffness;
        domain.par_loop(dirichlet, bnodes, (res.at(far),), &());
    }

    /// An error if some cell's temperature was not positive in the loop that computed `lowest`; otherwise the lowest.
    fn inspect(&self, domain: &mut Domain, lowest: Global<Min<1>>) -> Result<f64, Stopped> {
        let [Extremum { value, element }] = domain.extremum(lowest)?;
        let Some(cell) = element.filter(|_| value.is_nan() || value <= 0.0) else { return Ok(value) };
        Err(Stopped::Diverged {
            quantity: "temperature".into(),
            set: "cells".into(),
            element: cell,
            position: self.middle(domain, cell)?.to_vec(),
            value: format!("{value}"),
            iteration: self.iteration,
        })
    }

    /// Where a cell is.
    fn middle(&self, domain: &mut Domain, cell: u64) -> Result<[f64; 2], BackendError> {
        let middle: Dat<2> = domain.new_dat(self.cells, "middle");
        let (x0, x1, x2, x3) = self.corner.of(self.x);
        let operands = (x0, x1, x2, x3, middle);
        domain.par_loop(fields::cell_middle, self.cells, operands, &());
        domain.element(middle, cell)
    }

    /// Velocity, Mach number and pressure coefficient of the cells.
    pub fn cell_fields(&self, domain: &mut Domain) -> Vec<Field> {
        let Aero { x, phi, cells, corner, .. } = *self;
        let Derived { velocity, mach, cp } = *self.derived.get_or_init(|| Derived {
            velocity: domain.new_dat(cells, "velocity"),
            mach: domain.new_dat(cells, "mach"),
            cp: domain.new_dat(cells, "cp"),
        });
        let ((x0, x1, x2, x3), (phi0, phi1, phi2, phi3)) = (corner.of(x), corner.of(phi));
        let operands = (x0, x1, x2, x3, phi0, phi1, phi2, phi3, velocity, mach, cp);
        domain.par_loop(fields::cell_fields, cells, operands, &self.flow);
        vec![
            Field::new("velocity", velocity, &["x", "y"]),
            Field::new("mach", mach, &["mach"]),
            Field::new("cp", cp, &["cp"]),
        ]
    }

    /// The pressure coefficient along the wall, on rank 0 (empty elsewhere): (x, y, cp) in wall order. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn wall_pressure(&self, domain: &mut Domain) -> Result<Vec<[f64; 3]>, BackendError> {
        let Aero { x, phi, cells, corner, .. } = *self;
        let sides = *self.sides.get_or_init(|| domain.new_dat(cells, "sides"));
        let ((x0, x1, x2, x3), (phi0, phi1, phi2, phi3)) = (corner.of(x), corner.of(phi));
        let operands = (x0, x1, x2, x3, phi0, phi1, phi2, phi3, sides);
        domain.par_loop(fields::cell_sides, self.cells, operands, &self.flow);
        let values = domain.read(sides)?;
        Ok(fields::wall(domain, corner.cell_nodes, self.bnode_node, &values))
    }

    /// An error if the residual shows that Newton's method diverges.
    fn judge(&mut self, residual: f64) -> Result<(), Stopped> {
        let iteration = self.iteration;
        if !residual.is_finite() {
            return Err(Stopped::Residual { value: format!("{residual}"), iteration });
        }
        if self.first == 0.0 {
            self.first = residual;
        }
        if residual > GROWTH_LIMIT * self.first {
            let (value, first) = (format!("{residual:e}"), format!("{:e}", self.first));
            return Err(Stopped::Growth { value, first, iteration });
        }
        Ok(())
    }
}

impl Solver for Aero {
    fn step(&mut self, domain: &mut Domain, _report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        self.assemble(domain);
        let solved = self.cg.solve(domain, &self.stiffness, self.res, self.u);
        // The lowest temperature came with the system's first sum. If it is not positive, it is the cause of an unsound
        // system.
        let lowest = self.inspect(domain, self.lowest[0])?;
        let mach_max = self.flow.mach_at(lowest);
        let solved = solved.map_err(|unsolved| match unsolved {
            Unsolved::Backend(error) => Stopped::Backend(error),
            Unsolved::Breakdown(cause) => Stopped::LinearSystem {
                iteration: self.iteration,
                state: format!("highest Mach number {mach_max:.3}"),
                cause: Box::new(cause),
            },
        })?;
        self.cg_steps += solved.steps;
        let Aero { phi, res, u, rms, .. } = *self;
        domain.par_loop(update, self.nodes, (phi, res, u, rms), &());
        let [sum] = domain.get(rms)?;
        let residual = (sum / domain.rows(self.nodes) as f64).sqrt();
        self.judge(residual)?;
        let values = vec![solved.steps as f64, solved.reduction(), mach_max];
        Ok(Step::new(residual, values))
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        let Aero { x, phi, corner, .. } = *self;
        let ((x0, x1, x2, x3), (phi0, phi1, phi2, phi3)) = (corner.of(x), corner.of(phi));
        let operands = (x0, x1, x2, x3, phi0, phi1, phi2, phi3, self.lowest[1]);
        domain.par_loop(check_state, self.cells, operands, &self.flow);
        self.inspect(domain, self.lowest[1]).map(drop)
    }

    /// Conjugate-gradient steps, the factor by which they reduced the linear system's residual (above the tolerance if
    /// the step limit was reached), and the highest Mach number before the step.
    fn columns(&self) -> Vec<String> {
        ["cg_iterations", "cg_reduction", "mach_max"].map(String::from).to_vec()
    }

    fn fields(&self) -> Vec<Field> {
        vec![Field::new("phi", self.phi, &["potential"])]
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        vec![
            Output::fields(|domain| Ok(self.cell_fields(domain))),
            Output::wall_pressure(|domain| self.wall_pressure(domain)),
            Output::Picture(Picture::of("mach", "Mach number")),
        ]
    }

    /// The residual against which the growth of later ones is judged.
    fn numbers(&self) -> Vec<f64> {
        vec![self.first]
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        self.first = numbers[0];
    }

    fn work(&self, _iterations: u64) -> Work {
        Work { steps: "CG-steps", ..Work::of("cells", self.cg_steps) }
    }
}
