//! The state that a run starts from.

use cfd_engine::prelude::*;
use cfd_implicit::{Loops, VectorLoops};

use super::{D, Flow, N, kernels};
use crate::flow::start;
use crate::gas::copies::CopyLoops;

impl Flow {
    /// Gives the nodes the start of the configuration.
    ///
    /// # Errors
    /// A device has failed.
    pub(super) fn give_start(&self, domain: &mut Domain) -> Result<(), BackendError> {
        let x = domain.read(self.residual.geometry.x)?;
        let state = start::state::<D, N>(&self.config);
        let values: Vec<f64> = x.as_chunks::<D>().0.iter().flat_map(state).collect();
        domain.write(self.q, &values);
        if let Some(turbulence) = &self.residual.turbulence {
            turbulence.start(domain)?;
        }
        self.hold_walls(domain);
        Ok(())
    }

    /// Continues from q and the turbulence model's quantities, which have been given from elsewhere. Residuals are relative to
    /// those of the configuration's own start all the same, so a run ends where one from there would.
    ///
    /// # Errors
    /// A device has failed.
    pub(super) fn begin_elsewhere(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        let given = self.march.steps.old;
        Loops::copy(domain, self.q, given);
        let model = self.residual.turbulence.as_ref();
        let turbulence = model.map(|model| model.given(domain)).transpose()?;
        self.give_start(domain)?;
        self.measure(domain)?;
        Loops::copy(domain, given, self.q);
        if let (Some(model), Some(given)) = (&self.residual.turbulence, turbulence) {
            for (quantity, values) in model.quantities().into_iter().zip(given) {
                domain.write(quantity.n, &values);
            }
        }
        self.hold_walls(domain);
        Ok(())
    }

    /// Evaluates the residual of a state whose w has been computed.
    ///
    /// # Errors
    /// A device has failed.
    pub(super) fn measure(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        self.residual.record(domain);
        self.record_norm(domain);
        let (nodes, res) = (self.residual.geometry.nodes, self.residual.res);
        domain.par_loop(kernels::clear_residual, nodes, (res,), &());
        self.read_norm(domain)
    }

    /// Records the loops that give copies of nodes one state and the nodes of walls what they hold, and compute w of q and
    /// the eddy viscosity.
    pub fn hold_walls(&self, domain: &mut Domain) {
        if let Some(copies) = &self.residual.geometry.copies {
            copies.states.share(domain, self.q);
        }
        if let Some(walls) = &self.residual.walls {
            walls.begin(domain, self.q, &self.residual.gas);
        }
        self.refresh(domain);
        if let Some(turbulence) = &self.residual.turbulence {
            turbulence.begin(domain, &self.residual);
        }
    }
}
