//! Metrics by name, for tests and benchmarks.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::error::MetricError;
use crate::tensor::{Eigen, Tensor};

/// Metrics given by formulas on the unit square and the unit cube.
///
/// Sizes along x, y, z, or along the radius and the angle about a point or about the axis x = y = 0; f(h, c) stands for
/// h + (0.1 - h) abs(c - 0.5) / 0.5, and d for min(10 abs(r - 0.5), 1):
///
/// | name | sizes | complexity |
/// | --- | --- | ---: |
/// | `linear` | h_x = 0.1, h_y = f(0.01, y) | 255.84 |
/// | `linear-fine` | h_x = 0.1, h_y = f(0.0001, y) | 691.47 |
/// | `ramp` | h_x = 0.1, h_y = 0.01 + 0.09 y | 255.84 |
/// | `polar-2` | h_r = f(0.001, r), h_t = 0.1 d + 0.025 (1 - d), about (0, 0) | 758.72 |
/// | `cosine` | h_x = 0.01 + 0.2 cos(pi (x - 0.5)), h_y = 0.001 exp(6 y) | 1954.3 |
/// | `radial` | h_r = 0.01, h_t = 0.1, about (-0.5, 0.5) | 1000 |
/// | `linear-3d` | h_x = h_y = 0.1, h_z = f(0.001, z) | 4651.69 |
/// | `polar-1-3d` | h_r = f(0.001, r), h_t = h_z = 0.1 | 3828.97 |
/// | `polar-2-3d` | h_r, h_t as `polar-2`, h_z = 0.1 | 7587.24 |
///
/// The three-dimensional ones are from the Unstructured Grid Adaptation Working Group,
/// <https://github.com/UGAWG/adapt-benchmarks>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Analytic {
    /// `linear`
    Linear,
    /// `linear-fine`
    LinearFine,
    /// `ramp`
    Ramp,
    /// `polar-2`
    Polar2,
    /// `cosine`
    Cosine,
    /// `radial`
    Radial,
    /// `linear-3d`
    Linear3d,
    /// `polar-1-3d`
    Polar1In3d,
    /// `polar-2-3d`
    Polar2In3d,
}

impl Analytic {
    /// All metrics, with their names and dimensions.
    pub const ALL: [(Analytic, &str, usize); 9] = [
        (Analytic::Linear, "linear", 2),
        (Analytic::LinearFine, "linear-fine", 2),
        (Analytic::Ramp, "ramp", 2),
        (Analytic::Polar2, "polar-2", 2),
        (Analytic::Cosine, "cosine", 2),
        (Analytic::Radial, "radial", 2),
        (Analytic::Linear3d, "linear-3d", 3),
        (Analytic::Polar1In3d, "polar-1-3d", 3),
        (Analytic::Polar2In3d, "polar-2-3d", 3),
    ];

    fn entry(self) -> (Analytic, &'static str, usize) {
        *Analytic::ALL.iter().find(|(metric, ..)| *metric == self).expect("the list is complete")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// Its dimension.
    pub fn dimension(self) -> usize {
        self.entry().2
    }

    /// # Errors
    /// The metric is for another dimension.
    pub fn check_dimension(self, dimension: usize) -> Result<(), MetricError> {
        if self.dimension() == dimension {
            return Ok(());
        }
        Err(MetricError::Dimension { name: self.name().into(), needs: self.dimension(), dimension })
    }

    /// The metric at a point.
    ///
    /// # Panics
    /// If `D` is not [`Analytic::dimension`].
    pub fn at<const D: usize>(self, x: &[f64; D]) -> Tensor<D> {
        assert_eq!(D, self.dimension(), "{} is of another dimension", self.name());
        let near = |h: f64, c: f64| h + (0.1 - h) * (c - 0.5).abs() / 0.5;
        match self {
            Analytic::Linear => along_axes(|i| if i == 0 { 0.1 } else { near(0.01, x[1]) }),
            Analytic::LinearFine => along_axes(|i| if i == 0 { 0.1 } else { near(0.0001, x[1]) }),
            Analytic::Ramp => along_axes(|i| if i == 0 { 0.1 } else { 0.01 + 0.09 * x[1] }),
            Analytic::Cosine => along_axes(|i| match i {
                0 => 0.01 + 0.2 * same_math::cos(PI * (x[0] - 0.5)),
                _ => 0.001 * same_math::exp(6.0 * x[1]),
            }),
            Analytic::Radial => along_radius(x, [-0.5, 0.5], |_| [0.01, 0.1]),
            Analytic::Polar2 | Analytic::Polar2In3d => {
                along_radius(x, [0.0, 0.0], |r| [near(0.001, r), across(r)])
            }
            Analytic::Polar1In3d => along_radius(x, [0.0, 0.0], |r| [near(0.001, r), 0.1]),
            Analytic::Linear3d => along_axes(|i| if i < 2 { 0.1 } else { near(0.001, x[2]) }),
        }
    }
}

/// h_t of `polar-2`.
fn across(r: f64) -> f64 {
    let d = 10.0 * (r - 0.5).abs();
    let d = if d < 1.0 { d } else { 1.0 };
    0.1 * d + 0.025 * (1.0 - d)
}

fn square(h: f64) -> f64 {
    1.0 / (h * h)
}

/// The metric with these sizes along the axes.
fn along_axes<const D: usize>(size: impl Fn(usize) -> f64) -> Tensor<D> {
    Tensor::diagonal(std::array::from_fn(|i| square(size(i))))
}

/// The metric with these sizes along the radius in the plane of the first two axes and across it, and 0.1 along a third
/// axis; at the centre, the first axis serves as the radius.
fn along_radius<const D: usize>(x: &[f64; D], about: [f64; 2], sizes: impl Fn(f64) -> [f64; 2]) -> Tensor<D> {
    let (dx, dy) = (x[0] - about[0], x[1] - about[1]);
    let r = (dx * dx + dy * dy).sqrt();
    let (cosine, sine) = if r > 0.0 { (dx / r, dy / r) } else { (1.0, 0.0) };
    let mut vectors = Tensor::<D>::diagonal([1.0; D]).0;
    (vectors[0][0], vectors[0][1], vectors[1][0], vectors[1][1]) = (cosine, sine, -sine, cosine);
    let [along, across] = sizes(r);
    let values = std::array::from_fn(|i| square([along, across, 0.1][i]));
    Tensor::from_eigen(&Eigen { values, vectors })
}

impl TryFrom<String> for Analytic {
    type Error = MetricError;

    fn try_from(name: String) -> Result<Analytic, MetricError> {
        name.parse()
    }
}

impl std::str::FromStr for Analytic {
    type Err = MetricError;

    fn from_str(name: &str) -> Result<Analytic, MetricError> {
        if let Some((metric, ..)) = Analytic::ALL.iter().find(|(_, known, _)| *known == name) {
            return Ok(*metric);
        }
        let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, &name.to_lowercase());
        let names = Analytic::ALL.iter().map(|(_, known, _)| *known);
        let similar = names.clone().map(|known| (likeness(known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
        let hint = match similar {
            Some((score, known)) if score > 0.5 => format!("did you mean \"{known}\"?"),
            _ => format!("use one of {}", names.collect::<Vec<_>>().join(", ")),
        };
        Err(MetricError::Unknown { name: name.into(), hint })
    }
}

impl From<Analytic> for String {
    fn from(metric: Analytic) -> String {
        metric.name().into()
    }
}
