//! Periodic boundaries: what leaves through one comes in through the other.
//!
//! ```text
//! mod (here)   pairs of boundaries, and the motion from one to the other
//! nodes        nodes of the first boundary and of the second at the same place, by geometry
//! copies       nodes that are one: pairs put together, as at corners
//! edges        edges that are one
//! seams        sides of cells that are one
//! periods      vectors by which a mesh goes on
//! images       motions by which it does
//! ```
//!
//! A mesh keeps the nodes of both boundaries. [`DUAL`](crate::DUAL) gets a set `copies` of the nodes that are another one's,
//! and schemes add up what the copies of a node have, each of its own part of the cell; a set `copy_edges` has the edges within a
//! periodic boundary that are one of its partner, which count once where no face of a cell is meant. [`CELL_EDGES`](crate::CELL_EDGES)
//! gets a set `seams` of pairs of boundary edges, through which a cell meets the cell on the other side.

pub mod copies;
pub mod edges;
pub mod images;
mod nodes;
mod periods;
pub mod seams;
#[cfg(test)]
mod tests;

use std::f64::consts::PI;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of boundary that comes in pairs.
pub const PERIODIC: &str = "periodic";
/// A node may be this share of the shortest edge at it away from where it should be.
pub const USUAL_TOLERANCE: f64 = 1e-3;

/// Two boundaries, the second of which is the first, moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Periodic {
    /// The names of both.
    pub names: [String; 2],
    /// The motion from the first to the second.
    pub motion: Motion,
    /// How far a moved node of the first may be from one of the second, as a share of the shortest boundary edge at it.
    pub tolerance: f64,
}

/// How a boundary is moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// By a vector, or by that between the boxes around both boundaries.
    Translation(Option<Vec<f64>>),
    /// About a point, counter-clockwise about an axis in space, in degrees. In the plane the axis is z.
    Rotation {
        /// A point on the axis.
        center: Vec<f64>,
        /// The direction of the axis.
        axis: [f64; 3],
        /// The angle, in degrees.
        angle: f64,
    },
}

/// A pair of boundaries of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What is given of it.
    pub given: Periodic,
    /// The groups of the first boundary and of the second.
    pub groups: [Vec<i32>; 2],
}

/// A motion of points: x becomes turn (x - center) + center + shift.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    turn: [[f64; 3]; 3],
    center: [f64; 3],
    shift: [f64; 3],
}

impl Way {
    pub(crate) fn shift(shift: [f64; 3]) -> Way {
        Way { turn: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], center: [0.0; 3], shift }
    }

    /// Rodrigues' rotation.
    fn rotation(center: [f64; 3], axis: [f64; 3], angle: f64) -> Way {
        let length = (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
        let [x, y, z] = axis.map(|component| component / length);
        let radians = angle * PI / 180.0;
        let (c, s) = (same_math::cos(radians), same_math::sin(radians));
        let t = 1.0 - c;
        let turn = [
            [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
        ];
        Way { turn, center, shift: [0.0; 3] }
    }

    /// Where a point goes.
    pub fn place(&self, x: [f64; 3]) -> [f64; 3] {
        let Way { turn, center, shift } = self;
        // A motion without a turn is exact where the shift is.
        let d: [f64; 3] = std::array::from_fn(|k| x[k] - center[k]);
        std::array::from_fn(|k| {
            turn[k][0] * d[0] + turn[k][1] * d[1] + turn[k][2] * d[2] + center[k] + shift[k]
        })
    }
}

impl fmt::Display for Motion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vector = |x: &[f64]| x.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Motion::Translation(None) => write!(f, "moved"),
            Motion::Translation(Some(by)) => write!(f, "moved by ({})", vector(by)),
            Motion::Rotation { center, axis, angle } => {
                write!(f, "turned by {angle} degrees about ({}), axis ({})", vector(center), vector(axis))
            }
        }
    }
}

impl Motion {
    /// The motion of points from one boundary to another, with the lowest and highest coordinates of both.
    pub fn between(&self, [[low, high], [l, h]]: [[[f64; 3]; 2]; 2]) -> Way {
        self.way(std::array::from_fn(|k| 0.5 * ((l[k] - low[k]) + (h[k] - high[k]))))
    }

    /// The motion of points; `shift` is that between the boxes around both boundaries.
    fn way(&self, shift: [f64; 3]) -> Way {
        let vector = |given: &Vec<f64>| std::array::from_fn(|k| given.get(k).copied().unwrap_or(0.0));
        match self {
            Motion::Translation(given) => Way::shift(given.as_ref().map_or(shift, vector)),
            Motion::Rotation { center, axis, angle } => Way::rotation(vector(center), *axis, *angle),
        }
    }

    /// What it does to vectors: a matrix of 3 x 3, row by row.
    pub fn turn(&self) -> [f64; 9] {
        let turn = self.way([0.0; 3]).turn;
        std::array::from_fn(|at| turn[at / 3][at % 3])
    }

    /// Whether it is one of points of so many dimensions.
    ///
    /// # Errors
    /// What is wrong, to follow the boundary's name.
    pub fn check(&self, dimension: usize) -> Result<(), String> {
        let (name, vector) = match self {
            Motion::Translation(None) => return Ok(()),
            Motion::Translation(Some(by)) => ("translation", by),
            Motion::Rotation { axis: [0.0, 0.0, 0.0], .. } => {
                return Err("has an axis of length 0; expected a vector of any other length".into());
            }
            Motion::Rotation { axis, .. } if dimension == 2 && axis[..2] != [0.0, 0.0] => {
                return Err(
                    "has an axis that leaves the plane of the mesh; expected no axis, or that of z".into()
                );
            }
            // Unset, it is the origin.
            Motion::Rotation { center, .. } if center.is_empty() => return Ok(()),
            Motion::Rotation { center, .. } => ("center", center),
        };
        match vector.len() == dimension {
            true => Ok(()),
            false => Err(format!(
                "has a {name} of {} numbers, but the mesh has {dimension} dimensions",
                vector.len()
            )),
        }
    }

    /// Whether vectors keep their direction.
    pub fn is_translation(&self) -> bool {
        matches!(self, Motion::Translation(_))
    }
}
