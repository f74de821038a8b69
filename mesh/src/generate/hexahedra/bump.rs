//! A channel with a smooth bump on its floor.
//!
//! ```text
//! floor  y = 0.0625 exp(-25 x^2),    x in [-1.5, 1.5],    ceiling y = 0.8,    z in [0, 0.5]
//! ```
//!
//! Source: Z. J. Wang et al., High-order CFD methods: current status and perspective, International Journal for
//! Numerical Methods in Fluids 72 (2013) 811-845, doi:10.1002/fld.3767, case C1.1. A subsonic flow without shocks has
//! the same entropy everywhere, so any deviation is error.

use super::{FAR_FIELD, SYMMETRY, WALL};

/// Inlet, outlet, floor, ceiling, sides.
pub(super) const GROUPS: [i32; 6] = [FAR_FIELD, FAR_FIELD, WALL, WALL, SYMMETRY, SYMMETRY];

const HALF_LENGTH: f64 = 1.5;
const HEIGHT: f64 = 0.8;
const WIDTH: f64 = 0.5;

/// The channel's columns, and its size in hexahedra.
pub(super) struct Bump {
    /// x and floor of each column of nodes.
    columns: Vec<[f64; 2]>,
    size: [u64; 3],
}

impl Bump {
    /// A channel of `size` hexahedra.
    pub(super) fn new(size: [u64; 3]) -> Bump {
        let column = |i: u64| {
            // From -1 to 1, rounded once, so the two halves are mirror images.
            let t = (2.0 * i as f64 - size[0] as f64) / size[0] as f64;
            // Half the distance of equally spaced columns over the bump.
            let x = HALF_LENGTH * t * (0.5 + 0.5 * t * t);
            [x, 0.0625 * same_math::exp(-25.0 * x * x)]
        };
        Bump { columns: (0..=size[0]).map(column).collect(), size }
    }

    /// Coordinates of the node at a place.
    pub(super) fn position(&self, [i, j, k]: [u64; 3]) -> [f64; 3] {
        let [x, floor] = self.columns[i as usize];
        let up = j as f64 / self.size[1] as f64;
        [x, floor + (HEIGHT - floor) * up, WIDTH * (k as f64 / self.size[2] as f64)]
    }
}
