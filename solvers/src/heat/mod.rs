//! Heat: two-dimensional steady heat conduction, cell-centered finite volumess, Jacobi iterations.
//!
//! The temperature T is given on the boundary, or no heat flows through it. The heat flow between two cells is proportional to their
//! temperature difference, the length of their common side and the inverse distance between their centres:
//!
//! ```text
//! sum over sides k (T_neighbour - T) = 0,      k = length of the side / distance of the two cells' middles
//! T += (sum over sides k (T_neighbour - T)) / (sum over sides k)
//! ```
//!
//! ```text
//! case         what the program needs to know of it
//! config       keys of [heat], conditions on boundaries
//! kernels      one function a loop
//! mod (here)   state and iteration
//! ```

mod case;
mod config;
pub mod kernels;

use std::collections::BTreeSet;

use cfd_adapt::remesh::{Carried, RemeshError, Round};
use cfd_adapt::transfer::{Conserve, Order, Rule};
use cfd_engine::handle::Target;
use cfd_engine::prelude::*;
use cfd_mesh::Named;

pub use self::config::{Boundary, Condition, Config, Which};
use crate::output::{Output, Picture};
use crate::{Field, Solver, Step, Stopped, Work};
use kernels::{boundary_flux, flux, heat_flow, jacobi};

/// How the temperature goes to another mesh: linear within a cell, its integral kept to the last bit.
const RULE: Rule = Rule { order: Order::Second, conserve: Conserve::Exact };

/// State of a run.
pub struct Heat {
    config: Config,
    boundary: Boundary,
    cells: Set,
    edges: Set,
    bedges: Set,
    /// The cells of an edge, the cell of a boundary edge.
    cell: (Target<2, 0>, Target<2, 1>),
    bcell: Target<1, 0>,
    bend: (Target<2, 0>, Target<2, 1>),
    /// Where boundaries are periodic.
    seams: Option<Seams>,
    x: Dat<2>,
    /// The kind of a boundary edge's condition, and the number of its boundary.
    bound: Dat<1, i32>,
    boundary_of: Dat<1, i32>,
    /// The temperature on a boundary edge.
    outside: Dat<1>,
    middle: Dat<2>,
    k: Dat<1>,
    bk: Dat<1>,
    sum: Dat<1>,
    heat: Dat<1>,
    t: Dat<1>,
    /// The integral of the temperature over each cell of an adapted mesh, and what that number lacks.
    mass: Option<Dat<2>>,
    change: Global<Sum<1>>,
    flow: Global<Sum<2>>,
    /// The named boundaries and their numbers, and the heat through one of them.
    names: Vec<(String, i32)>,
    through: Global<Sum<1>>,
    hottest: Global<Max<1>>,
    body: (Global<Min<1>>, Global<Max<1>>),
    iteration: u64,
}

/// Pairs of boundary edges that are one.
#[derive(Clone, Copy)]
struct Seams {
    set: Set,
    /// The cells of both edges.
    cell: (Target<2, 0>, Target<2, 1>),
    k: Dat<1>,
}

impl Seams {
    /// Those of a domain, if it has any, their conductances added to the cells' sums.
    fn new(
        domain: &mut Domain,
        x: Dat<2>,
        middle: Dat<2>,
        sum: Dat<1>,
    ) -> Result<Option<Seams>, DomainError> {
        let Ok(set) = domain.set("seams") else { return Ok(None) };
        let (ends, cells): (Map<4>, Map<2>) = (domain.map("seam_nodes")?, domain.map("seam_cells")?);
        let turn: Dat<2> = domain.dat("seam_turn")?;
        let (c1, c2) = (cells.target::<0>(), cells.target::<1>());
        let k = domain.new_dat(set, "seam k");
        let (a1, b1) = (x.at(ends.target::<0>()), x.at(ends.target::<1>()));
        let (a2, b2) = (x.at(ends.target::<2>()), x.at(ends.target::<3>()));
        let operands = (a1, b1, a2, b2, middle.at(c1), middle.at(c2), turn, k, sum.at(c1), sum.at(c2));
        domain.par_loop(kernels::seam_conductance, set, operands, &());
        Ok(Some(Seams { set, cell: (c1, c2), k }))
    }
}

impl Heat {
    /// Computes the conductances on a domain with the sets `nodes`, `edges`, `bedges`, `cells`, the maps between them
    /// and the dats `x`, `bound` and, if its boundaries have names, `boundary`; `seams` where they are periodic.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(domain: &mut Domain, config: &Config, boundaries: &Named) -> Result<Heat, DomainError> {
        let (cells, edges, bedges) = (domain.set("cells")?, domain.set("edges")?, domain.set("bedges")?);
        let corners: Map<4> = domain.map("cell_nodes")?;
        let ends: Map<2> = domain.map("edge_nodes")?;
        let sides: Map<2> = domain.map("edge_cells")?;
        let bends: Map<2> = domain.map("bedge_nodes")?;
        let bcell = domain.map::<1>("bedge_cell")?.target::<0>();
        let x: Dat<2> = domain.dat("x")?;
        let bound: Dat<1, i32> = domain.dat("bound")?;
        let boundary_of = domain.dat("boundary").unwrap_or(bound);
        let (outside, conducts) = Heat::conditions(domain, config, boundaries, boundary_of)?;
        let names = Heat::names(domain, boundaries, boundary_of)?;
        let mut solver = Heat {
            config: config.clone(),
            boundary: Boundary::new(config),
            cells,
            edges,
            bedges,
            cell: (sides.target::<0>(), sides.target::<1>()),
            bcell,
            bend: (bends.target::<0>(), bends.target::<1>()),
            seams: None,
            x,
            bound,
            boundary_of,
            outside,
            middle: domain.new_dat(cells, "middle"),
            k: domain.new_dat(edges, "k"),
            bk: domain.new_dat(bedges, "bk"),
            sum: domain.new_dat(cells, "sum"),
            heat: domain.new_dat(cells, "heat"),
            t: domain.new_dat(cells, "temperature"),
            mass: None,
            change: domain.new_sum("change"),
            flow: domain.new_sum("heat flow"),
            names,
            through: domain.new_sum("heat through a boundary"),
            hottest: domain.new_max("hottest"),
            body: (domain.new_min("low end of the body"), domain.new_max("high end of the body")),
            iteration: 0,
        };
        let Heat { middle, k, bk, sum, t, cell: (c1, c2), .. } = solver;
        let (n1, n2) = (corners.target::<0>(), corners.target::<1>());
        let (n3, n4) = (corners.target::<2>(), corners.target::<3>());
        domain.par_loop(kernels::cell_middle, cells, (x.at(n1), x.at(n2), x.at(n3), x.at(n4), middle), &());
        let (a, b) = (ends.target::<0>(), ends.target::<1>());
        let operands = (x.at(a), x.at(b), middle.at(c1), middle.at(c2), k, sum.at(c1), sum.at(c2));
        domain.par_loop(kernels::conductance, edges, operands, &());
        let (a, b) = solver.bend;
        let operands = (x.at(a), x.at(b), middle.at(bcell), conducts, bk, sum.at(bcell));
        domain.par_loop(kernels::boundary_conductance, bedges, operands, &());
        solver.seams = Seams::new(domain, x, middle, sum)?;
        domain.par_loop(kernels::start, cells, (t,), &solver.boundary);
        Ok(solver)
    }

    /// The temperature on each boundary edge, and 0 for an insulated one, 1 for any other.
    fn conditions(
        domain: &mut Domain,
        config: &Config,
        boundaries: &Named,
        boundary_of: Dat<1, i32>,
    ) -> Result<(Dat<1>, Dat<1>), DomainError> {
        let numbers = domain.read(boundary_of)?;
        let of_edge = |number: &i32| {
            boundaries.of_group(*number).map_or(Some(config.cold), |named| config.temperature(named))
        };
        let temperatures: Vec<Option<f64>> = numbers.iter().map(of_edge).collect();
        let bedges = boundary_of.set();
        let (outside, conducts) = (domain.new_dat(bedges, "outside"), domain.new_dat(bedges, "conducts"));
        let values: Vec<f64> = temperatures.iter().map(|t| t.unwrap_or(0.0)).collect();
        domain.write(outside, &values);
        let values: Vec<f64> = temperatures.iter().map(|t| f64::from(u8::from(t.is_some()))).collect();
        domain.write(conducts, &values);
        Ok((outside, conducts))
    }

    /// The names and numbers of the boundaries that have edges. Collective.
    fn names(
        domain: &mut Domain,
        boundaries: &Named,
        boundary_of: Dat<1, i32>,
    ) -> Result<Vec<(String, i32)>, DomainError> {
        let own: BTreeSet<i32> = domain.read(boundary_of)?.into_iter().collect();
        let all = domain.comm().all_gather(&Vec::from_iter(own)).concat();
        let present = boundaries.iter().filter(|named| all.contains(&named.group));
        Ok(present.map(|named| (named.name.clone(), named.group)).collect())
    }

    /// The temperature of the cells.
    pub fn temperature(&self) -> Dat<1> {
        self.t
    }

    /// Records the loop that sums the heat through the boundaries.
    fn record_flow(&self, domain: &mut Domain) {
        let operands = (self.bk, self.t.at(self.bcell), self.outside, self.bound, self.flow);
        domain.par_loop(heat_flow, self.bedges, operands, &());
    }

    /// The heat that flows in through each named boundary.
    fn heat_through_boundaries(&self, domain: &mut Domain) -> Result<Vec<(String, f64)>, BackendError> {
        let mut values = Vec::new();
        for (name, boundary) in &self.names {
            let operands = (self.bk, self.t.at(self.bcell), self.outside, self.boundary_of, self.through);
            domain.par_loop(kernels::boundary_heat, self.bedges, operands, &Which { boundary: *boundary });
            let [heat] = domain.get(self.through)?;
            values.push((format!("heat.{name}"), heat));
        }
        Ok(values)
    }

    /// The extent of hot boundaries along x.
    fn body(&self, domain: &mut Domain) -> Result<Option<[f64; 2]>, BackendError> {
        let ((a, b), (low, high)) = (self.bend, self.body);
        let operands = (self.x.at(a), self.x.at(b), self.bound, low, high);
        domain.par_loop(kernels::find_body, self.bedges, operands, &());
        let ([low], [high]) = (domain.extremum(low)?, domain.extremum(high)?);
        Ok(low.element.map(|_| [low.value, high.value]))
    }
}

impl Solver for Heat {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        let Heat { cells, edges, bedges, cell: (c1, c2), bcell, outside, k, bk, sum, heat, t, .. } = *self;
        domain.par_loop(flux, edges, (k, t.at(c1), t.at(c2), heat.at(c1), heat.at(c2)), &());
        if let Some(Seams { set, cell: (c1, c2), k }) = self.seams {
            domain.par_loop(flux, set, (k, t.at(c1), t.at(c2), heat.at(c1), heat.at(c2)), &());
        }
        domain.par_loop(boundary_flux, bedges, (bk, t.at(bcell), outside, heat.at(bcell)), &());
        domain.par_loop(jacobi, cells, (sum, heat, t, self.change), &());
        // Before the first result is requested, so all are sent in one message.
        if report {
            self.record_flow(domain);
        }
        let [squares] = domain.get(self.change)?;
        let residual = (squares / domain.rows(cells) as f64).sqrt();
        if !residual.is_finite() {
            self.check(domain)?;
            return Err(Stopped::Residual { value: format!("{residual}"), iteration: self.iteration });
        }
        let values = if report { domain.get(self.flow)?.to_vec() } else { Vec::new() };
        Ok(Step::new(residual, values))
    }

    fn values(&mut self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        self.record_flow(domain);
        domain.get(self.flow).map(Vec::from)
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        domain.par_loop(kernels::find_hottest, self.cells, (self.t, self.hottest), &());
        let [Extremum { value, element }] = domain.extremum(self.hottest)?;
        let Some(cell) = element.filter(|_| !value.is_finite()) else { return Ok(()) };
        Err(Stopped::Diverged {
            quantity: "temperature".into(),
            set: "cells".into(),
            element: cell,
            position: domain.element(self.middle, cell)?.to_vec(),
            value: format!("{value}"),
            iteration: self.iteration,
        })
    }

    /// The heat that flows in through hot boundaries and out through cold ones.
    fn columns(&self) -> Vec<String> {
        ["heat_in", "heat_out"].map(String::from).to_vec()
    }

    fn fields(&self) -> Vec<Field> {
        vec![Field::new("temperature", self.t, &["temperature"])]
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        let picture = Picture::of("temperature", "Temperature");
        vec![
            Output::values(|domain| self.heat_through_boundaries(domain)),
            Output::Picture(Picture { body: Some(Box::new(|domain| self.body(domain))), ..picture }),
        ]
    }

    fn resume(&mut self, iteration: u64, _numbers: &[f64]) {
        self.iteration = iteration;
    }

    fn carried(&self) -> Result<Vec<Carried>, RemeshError> {
        if self.seams.is_some() {
            let what =
                "adaptation does not keep the sides of periodic boundaries alike; expected a mesh without";
            return Err(RemeshError::Unsuitable(what.into()));
        }
        Ok(vec![match self.mass {
            None => Carried::cells("temperature", self.t, RULE),
            Some(mass) => Carried::cells_with_masses("temperature", self.t, RULE, mass),
        }])
    }

    fn rebuild(&mut self, domain: &mut Domain, round: Round) -> Result<(), RemeshError> {
        let mut solver = Heat::new(domain, &self.config, &round.boundaries)?;
        let mass = domain.new_dat(solver.cells, "temperature.mass");
        round.write(domain, "temperature", solver.t)?;
        round.write_masses(domain, "temperature", mass)?;
        (solver.mass, solver.iteration) = (Some(mass), self.iteration);
        *self = solver;
        Ok(())
    }

    fn work(&self, iterations: u64) -> Work {
        Work::of("cells", iterations)
    }
}
