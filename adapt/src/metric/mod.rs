//! Metrics from fields, formulas and lists; limits, gradation, complexity.
//!
//! A metric is a symmetric positive definite tensor at each vertex. An edge of length 1 in it has the wanted size;
//! along a unit eigenvector of eigenvalue lambda, that size is h = 1 / sqrt(lambda).
//!
//! ```text
//! view           what metrics see of a distributed mesh
//! star           elements and vertices around a vertex, in canonical order
//! neighbourhood  vertices a few edges away, on other ranks, too
//! measure        integrals as exact sums; complexity
//! quadrature     the integral of sqrt(det M) over an element
//! hessian        second derivatives of a field: least squares, double projection
//! curvature      |H| with floors; the L^p metric, the form with eta
//! limits         bounds on sizes and aspect ratio
//! gradation      sizes grow by at most a factor per edge
//! reach          limits and gradation with a wanted complexity; intersection of several metrics
//! analytic       metrics by name
//! waves          the field of the published benchmark, with its Hessian
//! list           metrics from a file
//! implied        the metric of a mesh as it is
//! background     the metric of another mesh
//! error          what can be wrong
//! ```
//!
//! Results have the same bits on any number of ranks and for any local numbering: they are sums over neighbours and
//! elements in the order of identities, exact sums over the mesh, and sweeps that read old values and write new ones.
//! Every function that takes a [`View`] is called by all ranks, and returns values for ghosts, too.

mod analytic;
mod background;
mod curvature;
mod error;
mod gradation;
mod hessian;
mod implied;
mod limits;
mod list;
mod measure;
mod neighbourhood;
mod quadrature;
mod reach;
mod star;
mod view;
mod waves;

pub use self::analytic::Analytic;
pub use self::background::Background;
pub use self::curvature::{Curvature, Floors, Norm, Scaled};
pub use self::error::MetricError;
pub use self::gradation::{Graded, gradate};
pub use self::hessian::{Recovery, hessian};
pub use self::implied::implied;
pub use self::limits::Limits;
pub use self::list::from_list;
pub use self::measure::Measure;
pub use self::reach::{Reached, Wanted, intersect_all, reach, reach_formula};
pub use self::view::{MetricAt, View};
pub use self::waves::Waves;
