//! The field of the published benchmark of adaptation.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::tensor::Tensor;

/// A wave on a sharp front that moves, on the unit square:
///
/// ```text
/// psi = 0.1 sin(50 x + f) + atan2(-0.1, 2 x - sin(5 y + f)),  x = 2 X - 1, y = 2 Y - 1, f = 2 pi t / period
/// ```
///
/// atan2 of two arguments is continuous across the front, where 2 x = sin(5 y + f).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waves {
    /// Time.
    pub time: f64,
    /// Time after which the field repeats.
    pub period: f64,
}

/// The distance, in atan2's second argument, over which the front is smooth; with the sign of atan2's first argument.
const FRONT: f64 = -0.1;

impl Waves {
    fn phase(&self) -> f64 {
        2.0 * PI * self.time / self.period
    }

    /// x, 5 y + f, and the distance 2 x - sin(5 y + f) from the front, in the coordinates -1 to 1.
    fn arguments(&self, at: &[f64; 2]) -> (f64, f64, f64) {
        let [x, y] = at.map(|c| 2.0 * c - 1.0);
        let angle = 5.0 * y + self.phase();
        (x, angle, 2.0 * x - same_math::sin(angle))
    }

    /// psi at (X, Y).
    pub fn value(&self, at: &[f64; 2]) -> f64 {
        let (x, _, distance) = self.arguments(at);
        0.1 * same_math::sin(50.0 * x + self.phase()) + same_math::atan2(FRONT, distance)
    }

    /// Its second derivatives with respect to X and Y.
    ///
    /// With q = 2 x - sin(5 y + f) and A(q) = atan2(a, q): A' = -a / (a^2 + q^2), A'' = 2 a q / (a^2 + q^2)^2, and by
    /// the chain rule psi_xx = -250 sin(50 x + f) + 4 A'', psi_xy = 2 q_y A'', psi_yy = q_y^2 A'' + q_yy A'; each four
    /// times with respect to X, Y.
    pub fn hessian(&self, at: &[f64; 2]) -> Tensor<2> {
        let (x, angle, q) = self.arguments(at);
        let square = FRONT * FRONT + q * q;
        let (first, second) = (-FRONT / square, 2.0 * FRONT * q / (square * square));
        let (q_y, q_yy) = (-5.0 * same_math::cos(angle), 25.0 * same_math::sin(angle));
        Tensor::from_upper(|i, j| {
            4.0 * match (i, j) {
                (0, 0) => -250.0 * same_math::sin(50.0 * x + self.phase()) + 4.0 * second,
                (0, 1) => 2.0 * q_y * second,
                _ => q_y * q_y * second + q_yy * first,
            }
        })
    }
}
