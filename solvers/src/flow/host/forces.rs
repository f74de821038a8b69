//! Forces and moments of walls, the mass that flows through other boundaries, and whether forces are steady.

use std::collections::VecDeque;

use cfd_engine::prelude::*;
use cfd_mesh::Named;

use super::{D, Faces, Flow, Geometry, Residual, kernels};
use crate::flow::config::{Condition, Config, Up};
use crate::flow::gas::FreeStream;
use crate::flow::kernels::aerodynamics::Of;

/// Components of a force and its moment: one about z in the plane, three in space.
const COMPONENTS: usize = 3 * D - 3;
/// Names of the coefficients.
pub const NAMES: [&str; 5] = ["lift", "drag", "drag_pressure", "drag_viscous", "moment"];
/// The share of what is missing by which the pressure of an outlet with a given mass flow moves in a step.
const RELAXATION: f64 = 0.1;

/// Conditions of walls, on which there are forces.
const WALLS: [&str; 2] = ["slip", "no_slip"];

/// Sums of forces, and their coefficients in the last steps.
pub struct Forces {
    /// Of pressure on walls with slip, on those without, and of friction there; none where no boundary is such a wall.
    sums: [Option<Global<Sum<COMPONENTS>>>; 3],
    flow: Global<Sum<2>>,
    /// Directions of lift and drag.
    directions: [[f64; 3]; 2],
    /// Axis about which the moment is taken, positive nose up.
    axis: (usize, f64),
    /// What a force and a moment are divided by.
    scale: [f64; 2],
    of: Of,
    /// Names, numbers and conditions of the boundaries.
    boundaries: Vec<(String, i32, &'static str)>,
    outlets: Vec<Outlet>,
    recent: VecDeque<[f64; NAMES.len()]>,
    steps: usize,
    tolerance: f64,
}

/// An outlet with a given mass flow.
struct Outlet {
    boundary: i32,
    mass_flow: f64,
    pressure: f64,
}

impl Forces {
    /// Nothing is summed yet.
    ///
    /// # Errors
    /// A device has failed.
    pub fn new(
        domain: &mut Domain,
        config: &Config,
        geometry: &Geometry,
        boundaries: &Named,
    ) -> Result<Forces, DomainError> {
        let free = FreeStream::new(config);
        let force = free.dynamic_pressure * config.reference_area;
        let point = |k: usize| config.moment_center.get(k).copied().unwrap_or(0.0);
        let of = Of { boundary: 0, pressure: free.pressure, center: [point(0), point(1), point(2)] };
        let mut list = Vec::new();
        for named in boundaries.iter() {
            if let Some(faces) = geometry.faces_of(named.kind.name) {
                list.push((named.name.clone(), named.group, faces.condition));
            }
        }
        let outlet = |(name, boundary, _): &(String, i32, &'static str)| match config.boundaries.get(name) {
            Some(Condition::Outlet { mass_flow: Some(mass_flow), pressure }) => Some(Outlet {
                boundary: *boundary,
                mass_flow: *mass_flow,
                pressure: pressure.unwrap_or(free.pressure),
            }),
            _ => None,
        };
        Ok(Forces {
            sums: [("slip", "pressure, slip"), ("no_slip", "pressure"), ("no_slip", "friction")].map(
                |(condition, name)| {
                    geometry.faces_of(condition).map(|_| domain.new_sum(&format!("force of {name}")))
                },
            ),
            flow: domain.new_sum("mass flow"),
            directions: [config.lift(), config.wind()],
            axis: if config.up == Up::Z && D == 3 { (1, 1.0) } else { (2, -1.0) },
            scale: [force, force * config.reference_length],
            of,
            outlets: list.iter().filter_map(outlet).collect(),
            boundaries: list,
            recent: VecDeque::new(),
            steps: usize::try_from(config.force_steps).unwrap_or(usize::MAX),
            tolerance: config.force_tolerance,
        })
    }

    /// Lift, drag, drag of pressure and of friction, moment, of the sums that were recorded last.
    pub fn coefficients(&self, domain: &mut Domain) -> Result<[f64; NAMES.len()], BackendError> {
        let mut forces = [[0.0; COMPONENTS]; 3];
        for (force, sum) in forces.iter_mut().zip(self.sums) {
            if let Some(sum) = sum {
                *force = domain.get(sum)?;
            }
        }
        let [slip, no_slip, friction] = forces;
        let pressure: [f64; COMPONENTS] = std::array::from_fn(|k| slip[k] + no_slip[k]);
        let along = |force: &[f64; COMPONENTS], direction: [f64; 3]| {
            (0..D).map(|k| force[k] * direction[k]).sum::<f64>() / self.scale[0]
        };
        let [lift, wind] = self.directions;
        let (axis, sign) = self.axis;
        // In the plane, the moment about z is the only one.
        let at = if D == 2 { D } else { D + axis };
        let moment = sign * (pressure[at] + friction[at]) / self.scale[1];
        let (of_pressure, of_friction) = (along(&pressure, wind), along(&friction, wind));
        Ok([
            along(&pressure, lift) + along(&friction, lift),
            of_pressure + of_friction,
            of_pressure,
            of_friction,
            moment,
        ])
    }

    /// Lift and drag are across and along the free stream of a configuration from now on.
    pub fn turn(&mut self, config: &Config) {
        self.directions = [config.lift(), config.wind()];
    }

    /// The name of a boundary.
    pub fn name(&self, number: i32) -> &str {
        let named = self.boundaries.iter().find(|(_, own, _)| *own == number);
        named.map_or("", |(name, ..)| name)
    }

    /// Forgets those that it remembers: the mesh has changed.
    pub fn forget(&mut self) {
        self.recent.clear();
    }

    /// Remembers the coefficients of a step.
    pub fn watch(&mut self, coefficients: [f64; NAMES.len()]) {
        self.recent.push_back(coefficients);
        if self.recent.len() > self.steps {
            self.recent.pop_front();
        }
    }

    /// Whether lift, drag and moment have stayed within the tolerance.
    pub fn are_steady(&self) -> bool {
        let within = |k: usize| {
            let values = || self.recent.iter().map(|row| row[k]);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
                < self.tolerance
        };
        self.tolerance > 0.0 && self.recent.len() >= self.steps && [0, 1, 4].into_iter().all(within)
    }

    /// Pressures of outlets with a given mass flow; coefficients of the steps that are watched.
    pub fn numbers(&self) -> Vec<f64> {
        let recent = self.recent.iter().flatten().copied();
        self.outlets.iter().map(|outlet| outlet.pressure).chain(recent).collect()
    }

    /// Continues with [`Forces::numbers`].
    pub fn resume(&mut self, numbers: &[f64]) {
        let (pressures, recent) = numbers.split_at(self.outlets.len());
        self.outlets.iter_mut().zip(pressures).for_each(|(outlet, &pressure)| outlet.pressure = pressure);
        self.recent.clear();
        recent.as_chunks::<{ NAMES.len() }>().0.iter().for_each(|row| self.watch(*row));
    }
}

impl Flow {
    /// Records the loops that sum the forces on all walls.
    pub(super) fn record_forces(&self, domain: &mut Domain) {
        self.record_forces_on(domain, &self.forces.of);
    }

    fn record_forces_on(&self, domain: &mut Domain, of: &Of) {
        let Residual { geometry, w, walls, .. } = &self.residual;
        let x = geometry.x;
        let [slip, no_slip, friction] = self.forces.sums;
        for (condition, sum) in WALLS.into_iter().zip([slip, no_slip]) {
            if let (Some(faces), Some(sum)) = (geometry.faces_of(condition), sum) {
                let Faces { set, nodes, area, shares, boundary, .. } = faces;
                let operands = (x.all(nodes), w.all(nodes), shares, area, boundary, sum);
                domain.par_loop(kernels::pressure_force, set, operands, of);
            }
        }
        if let (Some(faces), Some(walls), Some(friction)) = (geometry.faces_of("no_slip"), walls, friction) {
            let Faces { set, node, area, boundary, .. } = faces;
            let operands = (x.at(node), walls.taken.at(node), walls.wall.at(node), area, boundary, friction);
            domain.par_loop(kernels::friction_force, set, operands, of);
        }
    }

    /// The mass that flows out through a boundary in a unit of time, and its area.
    fn mass_flow(&self, domain: &mut Domain, faces: &Faces, number: i32) -> Result<[f64; 2], BackendError> {
        let Faces { set, area, boundary, through, .. } = *faces;
        let of = Of { boundary: number, ..self.forces.of };
        let operands = (through, area, boundary, self.forces.flow);
        domain.par_loop(kernels::mass_flow, set, operands, &of);
        domain.get(self.forces.flow)
    }

    /// Moves the pressures of outlets with a given mass flow: to first order, characteristics change the flow through an
    /// area A by -A dp / a.
    pub(super) fn adjust_outlets(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        let Some(faces) = self.residual.geometry.faces_of("outlet") else { return Ok(()) };
        let sound = (self.residual.gas.gamma * self.free.pressure / self.free.density).sqrt();
        for at in 0..self.forces.outlets.len() {
            let Outlet { boundary, mass_flow, pressure } = self.forces.outlets[at];
            let [flow, area] = self.mass_flow(domain, &faces, boundary)?;
            let moved = pressure - RELAXATION * sound * (mass_flow - flow) / area;
            // Far from the goal, a pressure changes by no more than a tenth.
            self.forces.outlets[at].pressure = moved.clamp(0.9 * pressure, 1.1 * pressure);
        }
        Ok(())
    }

    /// Writes the pressures of outlets with a given mass flow to their faces.
    pub(super) fn give_outlets(&self, domain: &mut Domain) -> Result<(), BackendError> {
        if self.forces.outlets.is_empty() {
            return Ok(());
        }
        for faces in self.faces().filter(|faces| faces.condition == "outlet") {
            let numbers = domain.read(faces.boundary)?;
            let mut given = domain.read(faces.given)?;
            for Outlet { boundary, pressure, .. } in &self.forces.outlets {
                let rows = given.as_chunks_mut::<{ D + 2 }>().0.iter_mut().zip(&numbers);
                rows.filter(|(_, number)| *number == boundary).for_each(|(row, _)| row[0] = *pressure);
            }
            domain.write(faces.given, &given);
        }
        Ok(())
    }

    /// Records the loops after which walls' friction, and what flows through boundaries, are those of the state, not those
    /// of the last stage.
    pub(super) fn record_exchange(&self, domain: &mut Domain) {
        self.refresh(domain);
        self.residual.record(domain);
        let Residual { geometry, res, .. } = &self.residual;
        domain.par_loop(kernels::clear_residual, geometry.nodes, (*res,), &());
    }

    /// Forces of all walls and of each, and the mass that flows out through each other boundary, of the state.
    pub(super) fn final_values(&self, domain: &mut Domain) -> Result<Vec<(String, f64)>, BackendError> {
        if self.trim.is_some() {
            // A restart has set another angle, perhaps without a step since.
            self.give_free_stream(domain)?;
            self.give_outlets(domain)?;
        }
        self.record_exchange(domain);
        let mut values = Vec::new();
        let mut add = |prefix: &str, coefficients: [f64; NAMES.len()]| {
            let named = NAMES.iter().zip(coefficients);
            values.extend(named.map(|(name, value)| (format!("{prefix}{name}"), value)));
        };
        self.record_forces(domain);
        add("", self.forces.coefficients(domain)?);
        let mut flows = Vec::new();
        for (name, number, condition) in &self.forces.boundaries {
            if WALLS.contains(condition) {
                self.record_forces_on(domain, &Of { boundary: *number, ..self.forces.of });
                add(&format!("forces.{name}."), self.forces.coefficients(domain)?);
            } else if *condition != "symmetry" {
                let faces = self.residual.geometry.faces_of(condition).expect("the boundary has faces");
                flows.push((format!("mass_flow.{name}"), self.mass_flow(domain, &faces, *number)?[0]));
            }
        }
        values.extend(flows);
        let equations = self.equations().zip(self.relative());
        values.extend(equations.map(|(name, value)| (format!("residuals.{name}"), value)));
        values.extend(self.newton.iter().flat_map(|newton| newton.final_values()));
        Ok(values)
    }
}
