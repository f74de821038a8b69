//! Airfoil: the two-dimensional Euler equations around an airfoil, cell-centered finite volumess, explicit
//! predictor-corrector with local time steps.
//!
//! ```text
//! case         what the program needs to know of it
//! config       keys of [airfoil], constants of the flow
//! kernels      one function a loop
//! mod (here)   state and time loop
//! ```

mod case;
mod config;
pub mod kernels;

use std::cell::OnceCell;

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;

pub use self::config::{Config, Flow};
use crate::output::{Output, Picture};
use crate::{Field, Solver, Step, Stopped, Work};
use kernels::{adt_calc, bres_calc, check_state, free_stream, res_calc, save_soln, update};

/// State of an Airfoil run.
pub struct Airfoil {
    flow: Flow,
    sets: Sets,
    maps: Maps,
    x: Dat<2>,
    q: Dat<4>,
    q_old: Dat<4>,
    adt: Dat<1>,
    res: Dat<4>,
    bound: Dat<1, i32>,
    cp: Dat<4>,
    /// Created when output first needs them.
    derived: OnceCell<Derived>,
    /// Sum of the squared changes in each sub-step.
    rms: [Global<Sum<1>>; 2],
    /// Lowest of density and squared sound speed, in each sub-step and in a separate check.
    lowest: [Global<Min<1>>; 3],
    force: Global<Sum<2>>,
    alpha: f64,
    iteration: u64,
}

/// Dats for output, on cells.
#[derive(Clone, Copy)]
struct Derived {
    velocity: Dat<2>,
    pressure: Dat<1>,
    mach: Dat<1>,
    cp: Dat<1>,
}

#[derive(Clone, Copy)]
struct Sets {
    edges: Set,
    bedges: Set,
    cells: Set,
}

/// The targets of each map, named after what they point to.
#[derive(Clone, Copy)]
struct Maps {
    cell_corner: (Target<4, 0>, Target<4, 1>, Target<4, 2>, Target<4, 3>),
    edge_end: (Target<2, 0>, Target<2, 1>),
    edge_cell: (Target<2, 0>, Target<2, 1>),
    bedge_end: (Target<2, 0>, Target<2, 1>),
    bedge_cell: Target<1, 0>,
}

impl Maps {
    fn new(domain: &Domain) -> Result<Maps, DomainError> {
        let cell_nodes: Map<4> = domain.map("cell_nodes")?;
        let edge_nodes: Map<2> = domain.map("edge_nodes")?;
        let edge_cells: Map<2> = domain.map("edge_cells")?;
        let bedge_nodes: Map<2> = domain.map("bedge_nodes")?;
        let bedge_cell: Map<1> = domain.map("bedge_cell")?;
        let c = cell_nodes;
        Ok(Maps {
            cell_corner: (c.target::<0>(), c.target::<1>(), c.target::<2>(), c.target::<3>()),
            edge_end: (edge_nodes.target::<0>(), edge_nodes.target::<1>()),
            edge_cell: (edge_cells.target::<0>(), edge_cells.target::<1>()),
            bedge_end: (bedge_nodes.target::<0>(), bedge_nodes.target::<1>()),
            bedge_cell: bedge_cell.target::<0>(),
        })
    }
}

impl Airfoil {
    /// Sets up the free stream on a domain with the sets `nodes`, `edges`, `bedges`, `cells`, the maps between
    /// them and the dats `x` and `bound`.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(domain: &mut Domain, config: &Config) -> Result<Airfoil, DomainError> {
        let sets =
            Sets { edges: domain.set("edges")?, bedges: domain.set("bedges")?, cells: domain.set("cells")? };
        let solver = Airfoil {
            flow: Flow::new(config),
            maps: Maps::new(domain)?,
            x: domain.dat("x")?,
            q: domain.new_dat(sets.cells, "q"),
            q_old: domain.new_transient(sets.cells, "q_old"),
            adt: domain.new_transient(sets.cells, "adt"),
            res: domain.new_transient(sets.cells, "res"),
            bound: domain.dat("bound")?,
            cp: domain.new_dat(sets.bedges, "cp"),
            derived: OnceCell::new(),
            rms: [domain.new_sum("predictor rms"), domain.new_sum("corrector rms")],
            lowest: [
                domain.new_min("predictor lowest"),
                domain.new_min("corrector lowest"),
                domain.new_min("lowest"),
            ],
            force: domain.new_sum("force"),
            sets,
            alpha: config.alpha,
            iteration: 0,
        };
        domain.par_loop(free_stream, solver.sets.cells, (solver.q,), &solver.flow);
        Ok(solver)
    }

    /// The conserved variables (rho, rho u, rho v, rho E) of the cells.
    pub fn q(&self) -> Dat<4> {
        self.q
    }

    fn iterate(&mut self, domain: &mut Domain) {
        let Airfoil { flow, sets, x, q, q_old, adt, res, bound, .. } = *self;
        let (n1, n2, n3, n4) = self.maps.cell_corner;
        let (a, b) = self.maps.edge_end;
        let (c1, c2) = self.maps.edge_cell;
        let (ba, bb) = self.maps.bedge_end;
        let bc = self.maps.bedge_cell;

        domain.par_loop(save_soln, sets.cells, (q, q_old), &());
        for stage in 0..2 {
            let (rms, lowest) = (self.rms[stage], self.lowest[stage]);
            domain.par_loop(
                adt_calc,
                sets.cells,
                (x.at(n1), x.at(n2), x.at(n3), x.at(n4), q, adt, lowest),
                &flow,
            );
            domain.par_loop(
                res_calc,
                sets.edges,
                (x.at(a), x.at(b), q.at(c1), q.at(c2), adt.at(c1), adt.at(c2), res.at(c1), res.at(c2)),
                &flow,
            );
            domain.par_loop(
                bres_calc,
                sets.bedges,
                (x.at(ba), x.at(bb), q.at(bc), adt.at(bc), res.at(bc), bound),
                &flow,
            );
            domain.par_loop(update, sets.cells, (q_old, q, res, adt, rms), &());
        }
    }

    /// Records the loop that sums the force on the wall.
    fn record_force(&self, domain: &mut Domain) {
        let (a, b) = self.maps.bedge_end;
        let operands = (self.x.at(a), self.x.at(b), self.q.at(self.maps.bedge_cell), self.bound, self.force);
        domain.par_loop(kernels::wall_force, self.sets.bedges, operands, &self.flow);
    }

    /// Lift and drag: the force on the wall, rotated into the wind direction.
    fn lift_and_drag(&self, domain: &mut Domain) -> Result<[f64; 2], BackendError> {
        let [fx, fy] = domain.get(self.force)?;
        let angle = self.alpha.to_radians();
        let (cos, sin) = (same_math::cos(angle), same_math::sin(angle));
        Ok([fy * cos - fx * sin, fx * cos + fy * sin])
    }

    /// An error if some cell's density or squared sound speed was not positive in the loop that computed `lowest`.
    fn inspect(&self, domain: &mut Domain, lowest: Global<Min<1>>) -> Result<(), Stopped> {
        let [Extremum { value, element }] = domain.extremum(lowest)?;
        let Some(cell) = element.filter(|_| value.is_nan() || value <= 0.0) else { return Ok(()) };
        let q = domain.element(self.q, cell)?;
        let (density, pressure) = (q[0], self.flow.pressure(q));
        let bad = |value: f64| value.is_nan() || value <= 0.0;
        let (quantity, value) = if bad(density) {
            ("density", density)
        } else if bad(pressure) {
            ("pressure", pressure)
        } else {
            // The state has changed since the loop saw it.
            ("the lower of density and squared sound speed", value)
        };
        let middle = domain.new_dat(self.sets.cells, "middle");
        let (n1, n2, n3, n4) = self.maps.cell_corner;
        let x = self.x;
        let operands = (x.at(n1), x.at(n2), x.at(n3), x.at(n4), middle);
        domain.par_loop(kernels::cell_middle, self.sets.cells, operands, &());
        Err(Stopped::Diverged {
            quantity: quantity.into(),
            set: "cells".into(),
            element: cell,
            position: domain.element(middle, cell)?.to_vec(),
            value: format!("{value}"),
            iteration: self.iteration,
        })
    }

    /// Velocity, pressure, Mach number and pressure coefficient of the cells.
    fn cell_fields(&self, domain: &mut Domain) -> Result<Vec<Field>, BackendError> {
        let cells = self.sets.cells;
        let Derived { velocity, pressure, mach, cp } = *self.derived.get_or_init(|| Derived {
            velocity: domain.new_dat(cells, "velocity"),
            pressure: domain.new_dat(cells, "pressure"),
            mach: domain.new_dat(cells, "mach"),
            cp: domain.new_dat(cells, "cell_cp"),
        });
        domain.par_loop(kernels::cell_fields, cells, (self.q, velocity, pressure, mach, cp), &self.flow);
        Ok(vec![
            Field::new("velocity", velocity, &["x", "y"]),
            Field::new("pressure", pressure, &["pressure"]),
            Field::new("mach", mach, &["mach"]),
            Field::new("cp", cp, &["cp"]),
        ])
    }

    /// The pressure coefficient along the wall, on rank 0 (empty elsewhere): (x, y, cp) by boundary edge. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn wall_pressure(&self, domain: &mut Domain) -> Result<Vec<[f64; 3]>, BackendError> {
        let (a, b) = self.maps.bedge_end;
        let operands = (self.x.at(a), self.x.at(b), self.q.at(self.maps.bedge_cell), self.bound, self.cp);
        domain.par_loop(kernels::wall_pressure, self.sets.bedges, operands, &self.flow);
        let values = domain.read(self.cp)?;
        let ids = domain.global_ids(self.sets.bedges);
        let own: Vec<[f64; 4]> = ids
            .iter()
            .zip(values.chunks_exact(4))
            .filter(|(_, row)| row[3] == 1.0)
            .map(|(&id, row)| [id as f64, row[0], row[1], row[2]])
            .collect();
        let mut wall = domain.comm().gather(own).concat();
        wall.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Ok(wall.into_iter().map(|[_, x, y, cp]| [x, y, cp]).collect())
    }
}

impl Solver for Airfoil {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        self.iterate(domain);
        // Before the first result is requested, so all are sent in one message.
        if report {
            self.record_force(domain);
        }
        let [sum] = domain.get(self.rms[1])?;
        self.inspect(domain, self.lowest[0])?;
        self.inspect(domain, self.lowest[1])?;
        let residual = (sum / domain.rows(self.sets.cells) as f64).sqrt();
        if !residual.is_finite() {
            self.check(domain)?;
            return Err(Stopped::Residual { value: format!("{residual}"), iteration: self.iteration });
        }
        let values = if report { self.lift_and_drag(domain)?.to_vec() } else { Vec::new() };
        Ok(Step::new(residual, values))
    }

    fn values(&mut self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        self.record_force(domain);
        self.lift_and_drag(domain).map(Vec::from)
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        let lowest = self.lowest[2];
        domain.par_loop(check_state, self.sets.cells, (self.q, lowest), &self.flow);
        self.inspect(domain, lowest)
    }

    fn columns(&self) -> Vec<String> {
        ["lift", "drag"].map(String::from).to_vec()
    }

    fn fields(&self) -> Vec<Field> {
        let components = &["density", "momentum_x", "momentum_y", "energy"];
        vec![Field::new("q", self.q, components)]
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        vec![
            Output::fields(|domain| self.cell_fields(domain)),
            Output::wall_pressure(|domain| self.wall_pressure(domain)),
            Output::Picture(Picture::of("mach", "Mach number")),
        ]
    }

    fn resume(&mut self, iteration: u64, _numbers: &[f64]) {
        self.iteration = iteration;
    }

    fn work(&self, iterations: u64) -> Work {
        Work::of("cells", iterations)
    }
}
