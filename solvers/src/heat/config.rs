//! The keys of `[heat]`.

use cfd_engine::prelude::Constants;

cfd_keys::table! {
    /// Steady heat conduction around a body: cell-centred finite volume, Jacobi iterations
    #[derive(Copy)]
    pub struct Config = "heat" {
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

/// The boundary's temperatures, as the kernels know them.
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
