//! The four operations, and passes of them over the mesh.
//!
//! | operation | changes | where |
//! | --- | --- | --- |
//! | collapse | moves a vertex onto a neighbour, where an edge is short, or where there are too many elements | [`coarsen`] |
//! | split | puts a vertex on every long edge, or on the longest edges of stretched elements | [`refine`] |
//! | swap | replaces an edge by the other diagonal, where an element is bad | [`swap`] |
//! | move | moves a vertex within its star | [`smooth`] |

mod align;
mod bisect;
pub mod coarsen;
mod driver;
mod error;
mod evaluate;
mod middle;
mod pass;
mod periodic;
pub mod refine;
mod select;
pub mod smooth;
pub mod swap;
mod thin;

pub use self::driver::{Adapter, Balance, Counts, Phase, Report};
pub use self::error::AdaptError;
pub use self::evaluate::{Evaluation, evaluations};
pub use crate::metric::MetricAt;

/// What counts as short, long and bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Edges shorter than this are collapsed.
    pub short: f64,
    /// Edges longer than this are split.
    pub long: f64,
    /// Edges of elements of lower quality are swapped.
    pub swap: f64,
    /// Elements of lower quality are bad: vertices move to improve them.
    pub quality: f64,
    /// The smallest gain in quality for which a vertex moves.
    pub gain: f64,
    /// At most this many passes of refine, coarsen and swap.
    pub passes: usize,
    /// How often bad elements are improved by collapses and swaps, each time after smoothing.
    pub turns: usize,
    /// Longest edges that such a collapse may create.
    pub longest: f64,
    /// Edges shorter than this are collapsed even if no element gains, unless a bad one would result.
    pub shortest: f64,
    /// Sweeps of Laplacian smoothing each time.
    pub laplacian: usize,
    /// Sweeps of optimisation.
    pub optimisation: usize,
    /// Rounds in which a pass selects operations.
    pub rounds: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            short: std::f64::consts::FRAC_1_SQRT_2,
            long: std::f64::consts::SQRT_2,
            swap: 0.9,
            quality: 0.7,
            gain: 1e-6,
            passes: 20,
            turns: 2,
            longest: 1.7,
            shortest: 0.6,
            laplacian: 3,
            optimisation: 20,
            rounds: 5,
        }
    }
}
