//! Detects an unphysical state in the loop that computed it.

use cfd_engine::prelude::*;

use super::config::Flow;
use super::level::Level;
use crate::Stopped;

/// The lowest density or pressure that each loop of a cycle computed, in loop order.
///
/// A cycle's loops are always the same, so the globals are created in the first cycle and reused. They are checked once
/// per cycle, so no loop waits for them.
#[derive(Default)]
pub struct Watch {
    globals: Vec<(usize, Global<Min<1>>)>,
    used: usize,
}

impl Watch {
    /// Begins a cycle.
    pub fn begin(&mut self) {
        self.used = 0;
    }

    /// The global for the next loop that computes states on a level.
    pub fn next(&mut self, domain: &mut Domain, level: usize) -> Global<Min<1>> {
        if self.used == self.globals.len() {
            self.globals.push((level, domain.new_min("lowest of density and pressure")));
        }
        self.used += 1;
        let (expected, global) = self.globals[self.used - 1];
        assert_eq!(expected, level, "the loops of a cycle are those of every other");
        global
    }

    /// An error if a loop of the cycle computed a non-positive density or pressure: reports the first such loop and its
    /// lowest value.
    pub fn inspect(
        &self,
        domain: &mut Domain,
        levels: &[Level],
        flow: &Flow,
        iteration: u64,
    ) -> Result<(), Stopped> {
        self.globals[..self.used]
            .iter()
            .try_for_each(|&(level, global)| look(domain, &levels[level], flow, global, iteration))
    }
}

/// An error if some node's density or pressure was not positive in the loop that computed `lowest`.
pub fn look(
    domain: &mut Domain,
    level: &Level,
    flow: &Flow,
    lowest: Global<Min<1>>,
    iteration: u64,
) -> Result<(), Stopped> {
    let [Extremum { value, element }] = domain.extremum(lowest)?;
    match element.filter(|_| is_bad(value)) {
        Some(node) => Err(diverged(domain, level, flow, node, value, iteration)?),
        None => Ok(()),
    }
}

/// True for values that no density, pressure or time step can have.
pub fn is_bad(value: f64) -> bool {
    value.is_nan() || value <= 0.0
}

/// The error about a node in which `value` was found.
pub fn diverged(
    domain: &mut Domain,
    level: &Level,
    flow: &Flow,
    node: u64,
    value: f64,
    iteration: u64,
) -> Result<Stopped, BackendError> {
    let q = domain.element(level.q, node)?;
    let (density, pressure) = (q[0], flow.pressure(q));
    let (quantity, value) = if is_bad(density) {
        ("density", density)
    } else if is_bad(pressure) {
        ("pressure", pressure)
    } else {
        // The state has changed since the loop saw it.
        ("the lower of density and pressure", value)
    };
    Ok(Stopped::Diverged {
        quantity: quantity.into(),
        set: format!("level{}/nodes", level.number),
        element: node,
        position: domain.element(level.x, node)?.to_vec(),
        value: format!("{value}"),
        iteration,
    })
}
