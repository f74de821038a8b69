//! The angle of attack at which the lift is a given one.
//!
//! ```text
//! alpha <- alpha + (target - lift) / slope,     slope = (lift - lift before) / (alpha - alpha before)
//! ```
//!
//! whenever the lift has been steady for some steps, compared with what is missing: the flow need not have settled where
//! much is missing, and must where little is. All of it follows from the lift, whose bits no partition changes.

use cfd_engine::prelude::*;

use super::{Faces, Flow, N};
use crate::flow::conditions::given;
use crate::flow::config::{Config, Scheme};
use crate::flow::gas::{FreeStream, Gas};

/// Lift per degree of a thin airfoil, with which the search begins: 2 pi per radian.
const THIN: f64 = 0.11;
/// The lift is steady when it moves by no more than this share of what is missing.
const STEADY: f64 = 0.1;
/// Two lifts tell the slope when they move by no more than this share of their difference.
const EXACT: f64 = 0.02;
/// No angle changes by more at once.
const LARGEST: f64 = 2.0;
/// A lift that is missed by less than this share of its tolerance changes no angle.
const ENOUGH: f64 = 0.5;
/// What a restart needs.
const NUMBERS: usize = 8;

/// The search for the angle.
pub struct Trim {
    target: f64,
    tolerance: f64,
    /// Steps over which the lift must be steady.
    steps: u64,
    /// The residual below which a run ends.
    goal: f64,
    /// The lift of the last step.
    lift: f64,
    /// Steps since the lift was last looked at, and the lowest and highest lift in them.
    count: u64,
    range: [f64; 2],
    /// Lift per degree.
    slope: f64,
    /// The angle before the last change, and its lift; none before the first change.
    before: Option<[f64; 2]>,
    /// Whether the boundaries have the free stream of the angle: not after a restart.
    is_given: bool,
    /// Whether the angle has changed for this step.
    has_turned: bool,
}

impl Trim {
    /// Of a configuration that asks for a lift.
    pub fn new(config: &Config) -> Option<Trim> {
        let usual = if config.scheme == Scheme::Newton { 10 } else { 200 };
        config.target_lift.map(|target| Trim {
            target,
            tolerance: config.lift_tolerance,
            steps: config.lift_steps.unwrap_or(usual),
            goal: config.tolerance,
            lift: f64::NAN,
            count: 0,
            range: [0.0; 2],
            slope: THIN,
            before: None,
            is_given: true,
            has_turned: false,
        })
    }

    /// Whether the lift of the last step is within the tolerance.
    fn is_met(&self) -> bool {
        (self.lift - self.target).abs() < self.tolerance
    }

    /// Remembers the lift of a step.
    fn watch(&mut self, lift: f64) {
        let [low, high] = if self.count == 0 { [lift; 2] } else { self.range };
        self.range = [low.min(lift), high.max(lift)];
        self.lift = lift;
        self.count += 1;
    }

    /// The angle to continue with, from the one so far, in degrees.
    fn next(&mut self, alpha: f64) -> f64 {
        if self.count < self.steps {
            return alpha;
        }
        self.count = 0;
        let (missing, moved) = (self.target - self.lift, self.range[1] - self.range[0]);
        if missing.abs() <= ENOUGH * self.tolerance || moved > STEADY * missing.abs() {
            return alpha;
        }
        if let Some([angle, lift]) = self.before {
            let slope = (self.lift - lift) / (alpha - angle);
            if slope > 0.0 && moved <= EXACT * (self.lift - lift).abs() {
                self.slope = slope;
            }
        }
        self.before = Some([alpha, self.lift]);
        alpha + (missing / self.slope).clamp(-LARGEST, LARGEST)
    }

    /// What a restart needs, with the angle of the last step.
    pub fn numbers(&self, alpha: f64) -> [f64; NUMBERS] {
        let [angle, lift] = self.before.unwrap_or([alpha, 0.0]);
        let now = if self.lift.is_nan() { 0.0 } else { self.lift };
        [alpha, now, self.count as f64, self.range[0], self.range[1], self.slope, angle, lift]
    }

    /// Continues with [`Trim::numbers`]; the angle of the last step.
    fn resume(&mut self, numbers: &[f64]) -> f64 {
        let [alpha, now, count, low, high, slope, angle, lift] = std::array::from_fn(|k| numbers[k]);
        (self.lift, self.count, self.range, self.slope) = (now, count as u64, [low, high], slope);
        self.is_given = false;
        // A change is never by nothing.
        self.before = (angle != alpha).then_some([angle, lift]);
        alpha
    }
}

impl Flow {
    /// Turns the free stream, if the lift is steady and not the one that is looked for, and gives it to the boundaries.
    ///
    /// # Errors
    /// A device has failed.
    pub(super) fn turn(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        let Some(trim) = &mut self.trim else { return Ok(()) };
        let alpha = trim.next(self.config.alpha);
        trim.has_turned = alpha != self.config.alpha;
        let is_given = std::mem::replace(&mut trim.is_given, true) && !trim.has_turned;
        self.set_angle(alpha);
        if is_given { Ok(()) } else { self.give_free_stream(domain) }
    }

    /// Whether the free stream has turned for this step.
    pub(super) fn has_turned(&self) -> bool {
        self.trim.as_ref().is_some_and(|trim| trim.has_turned)
    }

    /// Remembers the lift of a step whose forces have been recorded.
    ///
    /// # Errors
    /// A device has failed.
    pub(super) fn watch_lift(&mut self, domain: &mut Domain) -> Result<(), BackendError> {
        if let Some(trim) = &mut self.trim {
            trim.watch(self.forces.coefficients(domain)?[0]);
        }
        Ok(())
    }

    /// What is missing of the lift as a residual: below the run's tolerance where the lift is within its own.
    pub(super) fn residual_of_lift(&self) -> f64 {
        let of = |trim: &Trim| (trim.lift - trim.target).abs() / trim.tolerance * trim.goal;
        self.trim.as_ref().map_or(0.0, of)
    }

    /// Whether the lift is the one that is looked for, if one is.
    pub(super) fn has_its_lift(&self) -> bool {
        self.trim.as_ref().is_none_or(Trim::is_met)
    }

    /// After a restart; the numbers that follow.
    pub(super) fn resume_lift<'a>(&mut self, numbers: &'a [f64]) -> &'a [f64] {
        let Some(trim) = &mut self.trim else { return numbers };
        let alpha = trim.resume(numbers);
        self.set_angle(alpha);
        &numbers[NUMBERS..]
    }

    /// Everything but the boundaries has the free stream of another angle from now on.
    fn set_angle(&mut self, alpha: f64) {
        self.config.alpha = alpha;
        self.free = FreeStream::new(&self.config);
        self.residual.gas = Gas::new(&self.config);
        self.levels.turn(&self.residual.gas);
        self.forces.turn(&self.config);
    }

    /// Writes what conditions give to the faces of boundaries: with the free stream of the angle.
    ///
    /// # Errors
    /// A device has failed.
    pub(super) fn give_free_stream(&self, domain: &mut Domain) -> Result<(), BackendError> {
        for Faces { boundary, given: dat, .. } in self.faces() {
            let numbers = domain.read(*boundary)?;
            let of_face = |number: &i32| {
                given::<N>(self.config.boundaries.get(self.forces.name(*number)), &self.config)
            };
            let values: Vec<f64> = numbers.iter().flat_map(of_face).collect();
            domain.write(*dat, &values);
        }
        Ok(())
    }
}
