//! The same flow on another mesh.

use cfd_adapt::remesh::{Carried, RemeshError, Round};
use cfd_adapt::transfer::Admits;
use cfd_engine::prelude::*;

use super::geometry::Geometry;
use super::output::EDDY_RATIO;
use super::{D, Flow, N, Turbulence};
use crate::Solver;
use crate::flow::config::Scheme;

impl Flow {
    /// The fields of the state, whose masses a round of adaptation conserves.
    pub(super) fn carried_state(&self) -> Vec<Carried> {
        let conserve = self.config.adaptation.conserve();
        let levels = self.newton.as_ref().and_then(|newton| newton.levels()).into_iter().flatten();
        let states: Vec<AnyDat> = std::iter::once(self.q).chain(levels).map(AnyDat::from).collect();
        let quantities = self.residual.turbulence.iter().flat_map(Turbulence::quantities);
        let not_negative = quantities.filter(|quantity| quantity.bounds.least >= 0.0);
        let not_negative: Vec<AnyDat> = not_negative.map(|quantity| quantity.n.into()).collect();
        let carried = |field: crate::Field| {
            let admits: Option<Admits> = match field.dat {
                dat if states.contains(&dat) => Some(is_sound),
                dat if not_negative.contains(&dat) => Some(is_not_negative),
                _ => None,
            };
            Carried::conserved_nodes(&field.name, field.dat, conserve, admits)
        };
        self.state().into_iter().map(carried).collect()
    }

    /// Continues on the mesh of a round, with the state that it has carried; the residual is that on the new mesh.
    ///
    /// # Errors
    /// The mesh or the round lacks something, or a device has failed.
    pub fn move_to(&mut self, domain: &mut Domain, round: &Round) -> Result<(), RemeshError> {
        self.forces.forget();
        let mut flow = Flow::new(domain, &self.config, &round.boundaries)?;
        for field in flow.state() {
            round.write(domain, &field.name, field.dat)?;
        }
        flow.unite_copies(domain)?;
        flow.resume(self.iteration, &self.numbers());
        if let (Some(newton), Some(before)) = (&mut flow.newton, &self.newton) {
            newton.begin_anew(self.config.jacobian);
            newton.report_as(before);
        }
        flow.hold_walls(domain);
        flow.measure(domain)?;
        *self = flow;
        Ok(())
    }

    /// Copies of a node on periodic boundaries have carried the masses of their own parts of its cell: each gets what the
    /// cell has. Collective.
    fn unite_copies(&self, domain: &mut Domain) -> Result<(), DomainError> {
        let Geometry { copies, volume, .. } = self.residual.geometry;
        let Some(copies) = copies else { return Ok(()) };
        let levels = self.newton.as_ref().and_then(|newton| newton.levels()).into_iter().flatten();
        for state in [self.q].into_iter().chain(levels) {
            copies.mean(domain, state, copies.states, volume)?;
        }
        for quantity in self.residual.turbulence.iter().flat_map(Turbulence::quantities) {
            copies.mean(domain, quantity.n, copies.numbers, volume)?;
        }
        Ok(())
    }

    /// Density, velocity and pressure of the state.
    pub fn primitive(&self, domain: &mut Domain) -> Dat<N> {
        self.refresh(domain);
        self.residual.w
    }

    /// The iterations made.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// The time that the flow has reached.
    pub fn time(&self) -> f64 {
        self.march.time
    }

    /// A field that is shown beside the solution, of the state. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn shown_field(&self, domain: &mut Domain, name: &str) -> Result<AnyDat, BackendError> {
        let fields = self.shown.fields(domain, self)?;
        Ok(fields.into_iter().find(|field| field.name == name).expect("it is shown").dat)
    }

    /// What the turbulence model has under the name of a field, of the state whose w has been computed; `None` without
    /// such a field. Collective.
    pub fn turbulent_field(&self, domain: &mut Domain, name: &str) -> Option<Dat<1>> {
        let turbulence = self.residual.turbulence.as_ref()?;
        if name == EDDY_RATIO {
            let ratio = domain.new_dat(self.residual.geometry.nodes, "sensor of the eddy viscosity");
            turbulence.record_ratio(domain, &self.residual, ratio);
            return Some(ratio);
        }
        turbulence
            .quantities()
            .into_iter()
            .find(|quantity| quantity.name() == name)
            .map(|quantity| quantity.n)
    }

    /// Whether the forces are steady, as far as that ends a run.
    pub fn is_settled(&self) -> bool {
        self.forces.are_steady() && self.has_its_lift()
    }

    /// The residual of the last step.
    pub fn residual_now(&self) -> f64 {
        self.relative().into_iter().fold(self.residual_of_lift(), f64::max)
    }

    /// The Courant number of Newton's method, to be changed.
    pub fn courant_number(&mut self) -> Option<&mut f64> {
        let is_steady = self.config.scheme == Scheme::Newton;
        self.newton.as_mut().filter(|_| is_steady).map(|newton| &mut newton.cfl)
    }
}

/// Whether a state has a positive density and pressure.
fn is_sound(state: &[f64]) -> bool {
    let squares: f64 = state[1..=D].iter().map(|momentum| momentum * momentum).sum();
    state[0] > 0.0 && state[D + 1] - 0.5 * squares / state[0] > 0.0
}

/// Whether a turbulence model's quantity is one that its equations keep from being negative.
fn is_not_negative(quantity: &[f64]) -> bool {
    quantity[0] >= 0.0
}
