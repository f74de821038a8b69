//! A cuboid of hexahedra without a body, for known flows.

use super::FAR_FIELD;
use crate::MeshError;
use crate::noise::noise;

/// From here on a shift could fold a hexahedron.
const FOLDING: f64 = 0.25;

/// A cuboid [0, lengths] of hexahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Lengths along x, y, z.
    pub lengths: [f64; 3],
    /// Largest shift of an inner node along each axis, in widths of a hexahedron. It is pseudo-random and depends only
    /// on the node's number; nodes on the boundary stay in place.
    pub distortion: f64,
    /// Group of each side: low and high x, low and high y, low and high z.
    pub groups: [i32; 6],
}

impl Default for Cuboid {
    /// The unit cube without distortion, all of its boundary far field.
    fn default() -> Cuboid {
        Cuboid { lengths: [1.0; 3], distortion: 0.0, groups: [FAR_FIELD; 6] }
    }
}

impl Cuboid {
    pub(super) fn check(&self) -> Result<(), MeshError> {
        let Cuboid { lengths, distortion, groups } = self;
        let wrong = |what: String| Err(MeshError::Generate(what));
        if !lengths.iter().all(|&l| l > 0.0 && l.is_finite()) {
            return wrong(format!("a cuboid of lengths {lengths:?} is not possible; lengths are positive"));
        }
        if !(0.0..FOLDING).contains(distortion) {
            return wrong(format!(
                "a cuboid whose nodes are shifted by {distortion} widths is not possible; the shift is at least 0 and below {FOLDING}"
            ));
        }
        if !groups.iter().all(|group| (0..=7).contains(group)) {
            return wrong(format!("the groups {groups:?} are not possible; a group is 0 to 7"));
        }
        Ok(())
    }

    /// Coordinates of the node at a place of a grid of `size` hexahedra.
    pub(super) fn position(&self, size: [u64; 3], place: [u64; 3]) -> [f64; 3] {
        let inner = (0..3).all(|d| place[d] > 0 && place[d] < size[d]);
        let node = (place[2] * (size[1] + 1) + place[1]) * (size[0] + 1) + place[0];
        [0, 1, 2].map(|d| {
            let shift = if inner { self.distortion * noise(3 * node + d as u64) } else { 0.0 };
            self.lengths[d] * ((place[d] as f64 + shift) / size[d] as f64)
        })
    }
}
