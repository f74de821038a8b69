//! The length of a step.

/// Where a run ends.
pub const END: f64 = 1e-2;
/// No bound.
const FAR: f64 = 1e20;
/// The longest step.
const LONGEST: f64 = 1e-2;

/// Time, step, and the bounds on the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The time.
    pub t: f64,
    /// The last step's length.
    pub dt: f64,
    /// The longest step that waves allow.
    pub courant: f64,
    /// The longest step that volume changes allow.
    pub hydro: f64,
    is_first: bool,
}

impl Step {
    /// Begins with a step of this length.
    pub(super) fn new(dt: f64) -> Step {
        Step { t: 0.0, dt, courant: FAR, hydro: FAR, is_first: true }
    }

    /// Whether the end is reached.
    pub fn is_over(&self) -> bool {
        self.t >= END
    }

    /// Chooses the next step and takes it.
    pub(super) fn advance(&mut self) {
        let mut rest = END - self.t;
        if !std::mem::take(&mut self.is_first) {
            self.adapt();
        }
        if rest > self.dt && rest < 4.0 * self.dt / 3.0 {
            rest = 2.0 * self.dt / 3.0;
        }
        if rest < self.dt {
            self.dt = rest;
        }
        self.t += self.dt;
    }

    fn adapt(&mut self) {
        let mut new = FAR;
        if self.courant < new {
            new = self.courant / 2.0;
        }
        if self.hydro < new {
            new = self.hydro * 2.0 / 3.0;
        }
        let ratio = new / self.dt;
        if ratio >= 1.0 {
            if ratio < 1.1 {
                new = self.dt;
            } else if ratio > 1.2 {
                new = self.dt * 1.2;
            }
        }
        self.dt = if new > LONGEST { LONGEST } else { new };
    }

    /// Forgets the bounds.
    pub(super) fn unbound(&mut self) {
        (self.courant, self.hydro) = (FAR, FAR);
    }

    /// An element's bounds.
    pub(super) fn bound(&mut self, [courant, hydro]: [f64; 2]) {
        if courant < self.courant {
            self.courant = courant;
        }
        if hydro < self.hydro {
            self.hydro = hydro;
        }
    }
}
