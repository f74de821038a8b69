//! The length of a step.

/// Where a run ends.
pub const END: f64 = 1e-2;
/// No bound.
const FAR: f64 = 1e20;
/// The longest step.
const LONGEST: f64 = 1e-2;
/// A step that would grow by less than the lower factor stays as it is; growth is capped at the upper factor.
const GROWTH: [f64; 2] = [1.1, 1.2];

/// Time, step, and the bounds on the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// The time.
    pub t: f64,
    /// The last step's length.
    pub dt: f64,
    /// The longest step that waves allow.
    pub courant: f64,
    /// The longest step that volume changes allow.
    pub hydro: f64,
}

impl Clock {
    /// Begins with a step of this length.
    pub fn new(dt: f64) -> Clock {
        Clock { t: 0.0, dt, courant: FAR, hydro: FAR }
    }

    /// Records the bounds that a cycle found; `None` if no element's volume changes.
    pub fn bound(&mut self, courant: Option<f64>, hydro: Option<f64>) {
        self.courant = courant.unwrap_or(FAR);
        self.hydro = hydro.unwrap_or(FAR);
    }

    /// Advances by one step, whose length follows from the last one's and the bounds; the first step's is given.
    pub fn advance(&mut self, is_first: bool) {
        let mut rest = END - self.t;
        if !is_first {
            self.dt = self.next();
        }
        // Prefer two steps to the end over one plus a tiny one.
        if rest > self.dt && rest < 4.0 * self.dt / 3.0 {
            rest = 2.0 * self.dt / 3.0;
        }
        if rest < self.dt {
            self.dt = rest;
        }
        self.t += self.dt;
    }

    fn next(&self) -> f64 {
        let mut new = FAR;
        if self.courant < new {
            new = self.courant / 2.0;
        }
        if self.hydro < new {
            new = self.hydro * 2.0 / 3.0;
        }
        let [small, large] = GROWTH;
        let ratio = new / self.dt;
        if (1.0..small).contains(&ratio) {
            new = self.dt;
        } else if ratio > large {
            new = self.dt * large;
        }
        if new > LONGEST { LONGEST } else { new }
    }
}
