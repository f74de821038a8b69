//! Bounds on sizes.

use serde::{Deserialize, Serialize};

use super::error::{MetricError, require};
use crate::tensor::Tensor;

/// Bounds on the sizes that a metric asks for; h = 1 / sqrt(lambda) along the eigenvector of lambda.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Least size.
    pub h_min: f64,
    /// Greatest size.
    pub h_max: f64,
    /// Greatest ratio of two sizes at a vertex; the smaller size is kept.
    pub aspect_ratio: f64,
}

impl Default for Limits {
    /// No limits.
    fn default() -> Limits {
        Limits { h_min: 0.0, h_max: f64::INFINITY, aspect_ratio: f64::INFINITY }
    }
}

impl Limits {
    /// Those that are given.
    pub fn given(h_min: Option<f64>, h_max: Option<f64>, aspect_ratio: Option<f64>) -> Limits {
        let none = Limits::default();
        Limits {
            h_min: h_min.unwrap_or(none.h_min),
            h_max: h_max.unwrap_or(none.h_max),
            aspect_ratio: aspect_ratio.unwrap_or(none.aspect_ratio),
        }
    }

    /// # Errors
    /// No size lies within the bounds.
    pub fn check(&self) -> Result<(), MetricError> {
        require(self.h_min >= 0.0 && self.h_min < f64::INFINITY, "h_min", self.h_min, "a number from 0 on")?;
        require(self.h_max >= self.h_min && self.h_max > 0.0, "h_max", self.h_max, "a size from h_min on")?;
        require(self.aspect_ratio >= 1.0, "aspect_ratio", self.aspect_ratio, "a number from 1 on")
    }

    /// lambda := min(max(lambda, h_max^-2), h_min^-2), then lambda := max(lambda, greatest lambda / aspect_ratio^2).
    /// A tensor within the bounds is unchanged, to the bit.
    pub fn apply<const D: usize>(&self, m: &Tensor<D>) -> Tensor<D> {
        let eigen = m.eigen();
        let (least, most) = (1.0 / (self.h_max * self.h_max), 1.0 / (self.h_min * self.h_min));
        let mut limited = eigen.map(|value| if value < least { least } else { value });
        limited = limited.map(|value| if value > most { most } else { value });
        let floor = limited.values[0] / (self.aspect_ratio * self.aspect_ratio);
        limited = limited.map(|value| if value < floor { floor } else { value });
        if limited == eigen { *m } else { Tensor::from_eigen(&limited) }
    }
}
