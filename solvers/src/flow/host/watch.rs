//! When Newton's method takes its other matrix.

/// Steps that the matrix of first order has to halve the residual, at first.
const STALL: u64 = 30;
/// The same with a turbulence model: while a boundary layer becomes turbulent, residuals do not fall.
const TURBULENT_STALL: u64 = 60;

/// Whether the residual still falls, for `automatic`: each matrix in turn has half as many steps more than the other before to
/// halve it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watch {
    /// Half the residual that it last fell to.
    least: f64,
    /// Steps since then.
    steps: u64,
    /// Steps after which the other matrix is taken.
    patience: u64,
}

impl Watch {
    /// At the beginning.
    pub fn new(is_turbulent: bool) -> Watch {
        let patience = if is_turbulent { TURBULENT_STALL } else { STALL };
        Watch { least: f64::INFINITY, steps: 0, patience }
    }

    /// What a restart needs.
    pub fn numbers(&self) -> [f64; 3] {
        [self.least, self.steps as f64, self.patience as f64]
    }

    /// After a restart.
    pub fn of([least, steps, patience]: [f64; 3]) -> Watch {
        Watch { least, steps: steps as u64, patience: patience as u64 }
    }

    /// Whether the residual has not halved for long; the next time it has longer.
    pub fn stalls(&mut self, residual: f64) -> bool {
        self.steps += 1;
        if residual < self.least {
            (self.least, self.steps) = (0.5 * residual, 0);
        }
        let stalls = self.steps >= self.patience;
        if stalls {
            (self.steps, self.patience) = (0, self.patience + self.patience / 2);
        }
        stalls
    }
}
