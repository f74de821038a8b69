//! States of several steps in time: the mesh is for all of them.

use cfd_engine::prelude::*;
use cfd_implicit::{Loops, VectorLoops};

use super::config::{self, Config};
use super::metric::STATE;
use crate::Field;

/// Names of the components of a state.
const NAMES: [&str; STATE] = ["density", "velocity_x", "velocity_y", "pressure"];

/// States between two adaptations, of which the last is not one.
#[derive(Clone, Debug)]
pub struct Window {
    samples: Vec<Dat<STATE>>,
    count: usize,
    every: u64,
    /// Whether they are of steps that have been made, so that a run needs them to go on.
    is_kept: bool,
}

impl Window {
    /// Without states; it has room for them if the flow is in time.
    pub fn new(domain: &mut Domain, nodes: Set, config: &Config, is_in_time: bool) -> Window {
        let room = if is_in_time && config.is_on() { config.samples_of_a_window() } else { 0 };
        let samples = (1..=room).map(|k| domain.new_dat(nodes, &format!("sample {k}")));
        Window {
            samples: samples.collect(),
            count: 0,
            every: config.samples,
            is_kept: config.window == config::Window::Behind,
        }
    }

    /// Adds the state after so many steps since the adaptation before, if it is to be one of them. Collective.
    pub fn add(&mut self, domain: &mut Domain, steps: u64, w: impl FnOnce(&mut Domain) -> Dat<STATE>) {
        if steps.is_multiple_of(self.every) && self.count < self.samples.len() {
            let w = w(domain);
            Loops::copy(domain, w, self.samples[self.count]);
            self.count += 1;
        }
    }

    /// The states.
    pub fn states(&self) -> &[Dat<STATE>] {
        &self.samples[..self.count]
    }

    /// What a run that goes on after so many steps has to be given.
    pub fn fields(&self) -> Vec<Field> {
        let kept = self.samples.iter().filter(|_| self.is_kept);
        (1..).zip(kept).map(|(k, dat)| Field::new(&format!("sample_{k}"), *dat, &NAMES)).collect()
    }

    /// Goes on after so many steps, with the fields set.
    pub fn resume(&mut self, steps: u64) {
        let count = usize::try_from(steps / self.every).unwrap_or(usize::MAX);
        self.count = if self.is_kept { count.min(self.samples.len()) } else { 0 };
    }
}
