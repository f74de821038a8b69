//! Metrics from Hessians.

use serde::{Deserialize, Serialize};

use super::error::{MetricError, require};
use super::list::check_tensors;
use super::measure::{Measure, greatest};
use super::view::{View, at_vertices, owned};
use crate::tensor::Tensor;

/// Lower bounds of |H|: eigenvalues of H are replaced by max(|lambda|, absolute, relative * the greatest |lambda| of
/// the mesh).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floors {
    /// In units of the field by length squared; positive, so that |H| is positive definite.
    pub absolute: f64,
    /// Fraction of the greatest eigenvalue.
    pub relative: f64,
}

impl Default for Floors {
    fn default() -> Floors {
        Floors { absolute: 1e-12, relative: 1e-8 }
    }
}

/// How |H| is turned into a metric; d is the dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The metric of the wanted complexity with the least L^p norm of the interpolation error:
    ///
    /// ```text
    /// M = (complexity / integral of det|H|^(p/(2p+d)))^(2/d) det|H|^(-1/(2p+d)) |H|
    /// ```
    ///
    /// Source: Loseille, Alauzet, "Continuous mesh framework", SIAM Journal on Numerical Analysis 49, 2011,
    /// DOI 10.1137/090754078.
    Complexity {
        /// p >= 1.
        p: f64,
        /// The integral of sqrt(det M).
        complexity: f64,
    },
    /// The metric for an error of about eta:
    ///
    /// ```text
    /// M = (1 / eta) (det|H| + epsilon)^(-1/(2p+d)) |H|,  p > 0
    /// M = (1 / eta) |H|,                                 p <= 0: the maximum norm
    /// ```
    ///
    /// Source: Chen, Sun, Xu, "Optimal anisotropic meshes for minimizing interpolation errors in L^p-norm", Mathematics
    /// of Computation 76, 2007, DOI 10.1090/S0025-5718-06-01896-5.
    Eta {
        /// p; 0 or less for the maximum norm.
        p: f64,
        /// eta > 0.
        eta: f64,
        /// epsilon >= 0, added to the determinant; 0 unless it is to bound the sizes where the field is flat.
        #[serde(default)]
        epsilon: f64,
    },
}

/// How a metric is computed from a Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curvature {
    /// The formula.
    pub norm: Norm,
    /// Least eigenvalues of |H|.
    #[serde(default)]
    pub floors: Floors,
}

/// [`Curvature`] with the floor and the factor that belong to a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    curvature: Curvature,
    floor: f64,
    scale: f64,
}

impl Scaled {
    /// The metric for a Hessian.
    pub fn metric<const D: usize>(&self, hessian: &Tensor<D>) -> Tensor<D> {
        let h = absolute(hessian, self.floor);
        h.scaled(self.scale * self.curvature.factor::<D>(h.determinant()))
    }
}

impl Curvature {
    /// The metric for the Hessians of a field, without limits on sizes. Entries of ghosts are not read.
    ///
    /// # Errors
    /// A setting is out of range, or a Hessian is not finite.
    pub fn metric<const D: usize, V: View<D>>(
        &self,
        view: &V,
        hessians: &[Tensor<D>],
    ) -> Result<Vec<Tensor<D>>, MetricError> {
        let scaled = self.scaled(view, hessians)?;
        Ok(at_vertices(view, |v| scaled.metric(&hessians[v as usize])))
    }

    /// What the metric takes from the whole mesh: with it, a Hessian that is known at any place gives the metric there.
    ///
    /// # Errors
    /// As for [`Curvature::metric`].
    pub fn scaled<const D: usize, V: View<D>>(
        &self,
        view: &V,
        hessians: &[Tensor<D>],
    ) -> Result<Scaled, MetricError> {
        self.check()?;
        check_tensors(view, hessians, |h| {
            (!h.is_finite()).then(|| format!("the Hessian {:?} has an entry that is not finite", h.0))
        })?;
        let sizes = owned(view).flat_map(|v| hessians[v as usize].eigen().values).map(f64::abs);
        let floor = self.floors.absolute.max(self.floors.relative * greatest(view.comm(), sizes));
        let scale = match self.norm {
            Norm::Complexity { p, complexity } => {
                let determinant = |v: u32| absolute(&hessians[v as usize], floor).determinant();
                let density = |v: u32| power(determinant(v), p / (2.0 * p + D as f64));
                let ratio = complexity / Measure::new(view).integral(view, density);
                if D == 2 { ratio } else { power(ratio, 2.0 / 3.0) }
            }
            Norm::Eta { eta, .. } => 1.0 / eta,
        };
        Ok(Scaled { curvature: *self, floor, scale })
    }

    /// The metric at one place, for a formula that needs no integral: [`Norm::Eta`]; `None` for [`Norm::Complexity`].
    /// Only the absolute floor applies.
    pub fn metric_at<const D: usize>(&self, hessian: &Tensor<D>) -> Option<Tensor<D>> {
        let Norm::Eta { eta, .. } = self.norm else { return None };
        let h = absolute(hessian, self.floors.absolute);
        Some(h.scaled(1.0 / eta * self.factor::<D>(h.determinant())))
    }

    /// det^(-1/(2p+d)).
    fn factor<const D: usize>(&self, determinant: f64) -> f64 {
        match self.norm {
            Norm::Complexity { p, .. } => power(determinant, -1.0 / (2.0 * p + D as f64)),
            Norm::Eta { p, epsilon, .. } if p > 0.0 => {
                power(determinant + epsilon, -1.0 / (2.0 * p + D as f64))
            }
            Norm::Eta { .. } => 1.0,
        }
    }

    fn check(&self) -> Result<(), MetricError> {
        let positive = |x: f64| x > 0.0 && x < f64::INFINITY;
        let Floors { absolute, relative } = self.floors;
        require(positive(absolute), "floors.absolute", absolute, "a positive number")?;
        require((0.0..=1.0).contains(&relative), "floors.relative", relative, "a number from 0 to 1")?;
        match self.norm {
            Norm::Complexity { p, complexity } => {
                require((1.0..f64::INFINITY).contains(&p), "p", p, "a number from 1 on")?;
                require(positive(complexity), "complexity", complexity, "a positive number")
            }
            Norm::Eta { p, eta, epsilon } => {
                require(p.is_finite(), "p", p, "a number, 0 for the maximum norm")?;
                require(positive(eta), "eta", eta, "a positive number")?;
                let in_range = (0.0..f64::INFINITY).contains(&epsilon);
                require(in_range, "epsilon", epsilon, "a number from 0 on")
            }
        }
    }
}

fn power(x: f64, exponent: f64) -> f64 {
    same_math::powf(x, exponent)
}

/// |H| with its eigenvalues bounded below by the floor.
fn absolute<const D: usize>(hessian: &Tensor<D>, floor: f64) -> Tensor<D> {
    hessian.map(|value| if value.abs() < floor { floor } else { value.abs() })
}
