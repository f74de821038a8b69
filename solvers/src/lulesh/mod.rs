//! LULESH: explicit Lagrangian hydrodynamics of a point blast in a cube of hexahedra.
//!
//! The nodes move with the material: a cycle computes the forces on them from the elements' stresses, moves them, and
//! computes the elements' volumes, viscosity, energies and pressures from their new positions. `docs/lulesh.md` has the
//! equations. Sources: Hornung, Keasler and Gokhale, "Hydrodynamics Challenge Problem", LLNL-TR-490254 (2011); Karlin,
//! Keasler and Neely, "LULESH 2.0 Updates and Changes", LLNL-TR-641973 (2013).
//!
//! ```text
//! case         what the program needs to know of it
//! config       keys of [lulesh]
//! cube         the mesh, its keys
//! kernels/     one function a loop
//! loops        the loops of a cycle, in order, with their operands
//! clock        the length of a step
//! regions      which elements cost more
//! diagnostics  energy at the origin, symmetry
//! mod (here)   state and cycle
//! ```

mod case;
mod clock;
mod config;
mod cube;
mod diagnostics;
pub mod kernels;
mod loops;
mod regions;

use cfd_engine::prelude::*;

pub use self::clock::{Clock, END};
pub use self::config::Config;
pub use self::cube::{Cube, Keys};
use self::diagnostics::Diagnostics;
use self::loops::Loops;
pub use self::regions::Regions;
use crate::output::{Output, Picture};
use crate::{Field, Solver, Step, Stopped, Work};
use kernels::output as looks;

/// The energy at the origin of a cube of 45 elements per edge.
const BLAST: f64 = 3.948746e7;
/// The viscosity at which a run ends.
const Q_STOP: f64 = 1e12;

/// State of a run.
pub struct Lulesh {
    loops: Loops,
    clock: Clock,
    diagnostics: Diagnostics,
    lowest_volume: Global<Min<1>>,
    highest_energy: Global<Max<1>>,
    iteration: u64,
}

impl Lulesh {
    /// Sets up the blast on a domain with the sets `nodes` and `elems`, the maps `elem_nodes` and `elem_elem` and the dats `x`,
    /// `node_symmetry` and `elem_sides`.
    ///
    /// # Errors
    /// The mesh lacks something.
    pub fn new(domain: &mut Domain, config: &Config) -> Result<Lulesh, DomainError> {
        let regions = Regions { count: config.regions, cost: config.cost };
        let loops = Loops::new(domain, regions)?;
        let (elems, e) = (loops.elems, loops.e);
        let edge = cube::edge(domain.rows(elems)).unwrap_or(0);
        loops.record_start(domain);
        let scale = edge as f64 / 45.0;
        let energy = BLAST * scale * scale * scale;
        let own = domain.global_ids(elems).iter();
        let energies: Vec<f64> = own.map(|&id| if id == 0 { energy } else { 0.0 }).collect();
        domain.write(e, &energies);
        let [volume] = domain.element(loops.volo, 0)?;
        let clock = Clock::new(0.5 * same_math::cbrt(volume) / (2.0 * energy).sqrt());
        Ok(Lulesh {
            diagnostics: Diagnostics::new(domain, elems, edge),
            lowest_volume: domain.new_min("lowest volume"),
            highest_energy: domain.new_max("highest energy"),
            loops,
            clock,
            iteration: 0,
        })
    }

    /// Time, step and the bounds on the next one.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The error for an element with an unphysical value.
    fn diverged(
        &self,
        domain: &mut Domain,
        quantity: &str,
        Extremum { value, element }: Extremum,
    ) -> Result<(), Stopped> {
        let Some(element) = element else { return Ok(()) };
        let position = self.loops.middle_of(domain, element)?;
        Err(Stopped::Diverged {
            quantity: quantity.into(),
            set: "elems".into(),
            element,
            position,
            value: format!("{value}"),
            iteration: self.iteration,
        })
    }

    /// An error if an element has turned inside out, or its viscosity exceeds the bound.
    fn inspect(&self, domain: &mut Domain) -> Result<(), Stopped> {
        let Loops { lowest_determinant, lowest_before, lowest_after, highest_q, .. } = self.loops;
        let volumes = [
            ("volume", lowest_determinant),
            ("relative volume", lowest_before),
            ("new volume", lowest_after),
        ];
        for (quantity, lowest) in volumes {
            let [found] = domain.extremum(lowest)?;
            if found.value.is_nan() || found.value <= 0.0 {
                self.diverged(domain, quantity, found)?;
            }
        }
        let [found] = domain.extremum(highest_q)?;
        if found.value.is_nan() || found.value > Q_STOP {
            self.diverged(domain, "artificial viscosity", found)?;
        }
        Ok(())
    }

    /// The numbers by which implementations of LULESH are compared.
    fn final_values(&self, domain: &mut Domain) -> Result<Vec<(String, f64)>, BackendError> {
        self.diagnostics.record(domain, self.loops.e);
        let energy = self.diagnostics.energy(domain)?;
        let [largest, total, relative] = self.diagnostics.asymmetry(domain, self.loops.e)?;
        let values = [
            ("cycles", self.iteration as f64),
            ("time", self.clock.t),
            ("origin_energy", energy),
            ("max_abs_diff", largest),
            ("total_abs_diff", total),
            ("max_rel_diff", relative),
        ];
        Ok(values.map(|(name, value)| (name.to_string(), value)).to_vec())
    }
}

impl Solver for Lulesh {
    /// The residual of a cycle is the length of its step.
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        self.iteration += 1;
        self.clock.advance(self.iteration == 1);
        self.loops.record_cycle(domain, self.clock.dt);
        // Before the first result is requested, so all are sent in one message.
        if report {
            self.diagnostics.record(domain, self.loops.e);
        }
        self.inspect(domain)?;
        let ([courant], [hydro]) = (domain.extremum(self.loops.courant)?, domain.extremum(self.loops.hydro)?);
        let bound = |found: Extremum| found.element.map(|_| found.value);
        self.clock.bound(bound(courant), bound(hydro));
        if !self.clock.t.is_finite() {
            self.check(domain)?;
            return Err(Stopped::Residual { value: format!("{}", self.clock.dt), iteration: self.iteration });
        }
        let values = if report { vec![self.clock.t, self.diagnostics.energy(domain)?] } else { Vec::new() };
        Ok(Step::new(self.clock.dt, values))
    }

    fn values(&mut self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        self.diagnostics.record(domain, self.loops.e);
        Ok(vec![self.clock.t, self.diagnostics.energy(domain)?])
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        let Loops { elems, v, e, .. } = self.loops;
        domain.par_loop(looks::find_lowest_volume, elems, (v, self.lowest_volume), &());
        domain.par_loop(looks::find_highest_energy, elems, (e, self.highest_energy), &());
        let [volume] = domain.extremum(self.lowest_volume)?;
        let [energy] = domain.extremum(self.highest_energy)?;
        if volume.value.is_nan() || volume.value <= 0.0 {
            self.diverged(domain, "relative volume", volume)?;
        }
        if !energy.value.is_finite() {
            self.diverged(domain, "energy", energy)?;
        }
        Ok(())
    }

    /// The time after the cycle, and the energy of the element at the origin.
    fn columns(&self) -> Vec<String> {
        ["time", "origin_energy"].map(String::from).to_vec()
    }

    fn fields(&self) -> Vec<Field> {
        let Loops { x, u, e, p, q, v, ss, .. } = self.loops;
        let axes = &["x", "y", "z"];
        vec![
            Field::new("position", x, axes),
            Field::new("velocity", u, axes),
            Field::new("energy", e, &["energy"]),
            Field::new("pressure", p, &["pressure"]),
            Field::new("viscosity", q, &["viscosity"]),
            Field::new("volume", v, &["volume"]),
            Field::new("sound_speed", ss, &["sound_speed"]),
        ]
    }

    fn numbers(&self) -> Vec<f64> {
        let Clock { t, dt, courant, hydro } = self.clock;
        vec![t, dt, courant, hydro]
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        if let &[t, dt, courant, hydro] = numbers {
            self.clock = Clock { t, dt, courant, hydro };
        }
    }

    fn done(&self) -> Option<f64> {
        Some(self.clock.t / END)
    }

    fn outputs(&self) -> Vec<Output<'_>> {
        vec![
            Output::values(|domain| self.final_values(domain)),
            Output::Picture(Picture::of("pressure", "Pressure")),
        ]
    }

    fn work(&self, iterations: u64) -> Work {
        Work { steps: "cycles", name: Some("zones"), ..Work::of("elems", iterations) }
    }
}
