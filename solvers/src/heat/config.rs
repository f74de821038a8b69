//! The keys of `[heat]`.

use std::collections::BTreeMap;

use cfd_engine::prelude::Constants;
use cfd_mesh::{NamedBoundary, PERIODIC};

cfd_keys::conditions! {
    /// What holds on a boundary.
    pub enum Condition {
        /// the temperature `hot`
        Hot = "hot" {}
        /// the temperature `cold`
        Cold = "cold" {}
        /// a temperature of its own
        Temperature = "temperature" {
            /// the temperature
            value: f64, Number(Free, Free), required = true;
        }
        /// no heat flows through
        Insulated = "insulated" {}
        /// the mesh continues at another boundary, which is this one, translated or rotated
        Periodic = "periodic" {
            /// name of the other boundary, which then needs no condition
            partner: String, Text, required = true;
            /// from this boundary to the other; unset: that between their bounding boxes
            translation: Option<Vec<f64>>, Numbers(OneOf(&[2]), Free, Free), unit = "length";
            /// angle by which this boundary is rotated onto the other, counterclockwise, instead of a translation
            angle: Option<f64>, Number(Closed(-180.0), Closed(180.0)), unit = "degrees";
            /// the point about which it is rotated; unset: the origin
            center: Option<Vec<f64>>, Numbers(OneOf(&[2]), Free, Free), unit = "length";
            /// largest distance of a node from its partner's position, as a share of the shortest edge at the node
            tolerance: f64, Number(Open(0.0), Open(0.5)), default = 1e-3;
        }
    }
}

cfd_keys::table! {
    /// Steady heat conduction around a body: cell-centered finite volumes, Jacobi iterations
    pub struct Config = "heat" {
        /// the condition of each named boundary of the mesh, in the table `[heat.boundaries]`: `hole = "hot"`,
        /// `rim = { kind = "temperature", value = 0.5 }`
        boundaries: BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
        /// temperature of hot boundaries
        hot: f64, Number(Free, Free), default = 1.0;
        /// temperature of cold boundaries
        cold: f64, Number(Free, Free), default = 0.0;
        /// maximum number of Jacobi iterations; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 2000, unit = "iterations";
        /// stop when the residual is below this; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
    }
}

/// The temperatures of hot and cold boundaries, as the kernels know them.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Boundary {
    /// Of hot boundaries.
    pub hot: f64,
    /// Of cold ones.
    pub cold: f64,
}

impl Boundary {
    /// The temperatures of a configuration.
    pub fn new(config: &Config) -> Boundary {
        Boundary { hot: config.hot, cold: config.cold }
    }
}

/// One of the named boundaries, as a kernel knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Constants)]
pub struct Which {
    /// Its number.
    pub boundary: i32,
}

impl Config {
    /// The temperature on a boundary; `None` if no heat flows through it.
    pub fn temperature(&self, boundary: &NamedBoundary) -> Option<f64> {
        match self.boundaries.get(&boundary.name) {
            Some(Condition::Hot {}) => Some(self.hot),
            Some(Condition::Cold {}) => Some(self.cold),
            Some(Condition::Temperature { value }) => Some(*value),
            Some(Condition::Insulated {} | Condition::Periodic { .. }) => None,
            // Known by its name.
            None => match boundary.kind.name {
                "hot" => Some(self.hot),
                "insulated" | PERIODIC => None,
                _ => Some(self.cold),
            },
        }
    }
}
