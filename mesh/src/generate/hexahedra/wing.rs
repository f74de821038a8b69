//! A swept, tapered wing in a grid that wraps around its sections.
//!
//! Planform: that of ONERA M6, in metres, x along the chord, y up, z along the span: root chord 0.8059, semi-span
//! 1.1963, leading edge swept by 30 degrees, taper 0.562, so the trailing edge is swept by 15.8 degrees. Source: V.
//! Schmitt, F. Charpin, Pressure distributions on the ONERA-M6-wing at transonic Mach numbers, AGARD AR-138 (1979), B1.
//! The section is M6's or, in MG-CFD's meshes, the NACA0012, whose trailing edge is closed here.
//!
//! One section, of chord 1, theta running from the trailing edge over the lower side to the nose and back over the upper:
//!
//! ```text
//! E(R, theta) = (1/2 + (R + 1/R)/4 cos theta, -(R - 1/R)/4 sin theta)         ellipses around the chord: Joukowsky's map
//! S(theta)    = ((1 + cos theta)/2, -+tau t((1 + cos theta)/2))               the section, tau its relative thickness
//! x(R, theta) = E(R, theta) + (S(theta) - E(R0, theta)) (R0/R)^2,   R from R0 to R1
//! ```
//!
//! The ellipse R0 has the section's nose radius, so around the nose the grid is nearly the orthogonal one of the
//! ellipses. The far field is at 16 root chords. Around the NACA0012 rings grow by a constant factor: ln R is equally spaced.
//! Around M6's section the steps of ln R themselves grow, so that there are more rings where the flow changes.
//!
//! Towards the tip tau falls to zero, so the wing ends in an edge. Beyond the tip the first ring is the chord, with its
//! two sides merged: R0 = 1. Sections out there continue to be swept and tapered for a while, then stay the same.

use std::f64::consts::PI;

use super::section::Section;
use super::{BODY, FAR_FIELD, SYMMETRY};
use crate::MeshError;

/// Wing, far field around it, symmetry plane at the root, far field beyond the tip.
pub(super) const GROUPS: [i32; 4] = [BODY, FAR_FIELD, SYMMETRY, FAR_FIELD];

const ROOT_CHORD: f64 = 0.8059;
const TAPER: f64 = 0.562;
const SEMI_SPAN: f64 = 1.1963;
/// Tangent of the leading edge's sweep of 30 degrees.
const SWEEP: f64 = 0.577_350_269_189_625_8;

/// Share of the semi-span over which the thickness falls to zero.
const CLOSING: f64 = 0.12;
/// Radius of the far field, in root chords.
const FAR: f64 = 16.0;
/// Distance of the far field beyond the tip, in root chords.
const BEYOND: f64 = 11.0;
/// Logarithm of the ratio of the last layer's thickness to the first's, beyond the tip.
const GROWTH: f64 = 4.5;
/// How much further apart sections are at the root than on average, relatively; they are as much closer at the tip.
const CLUSTERING: f64 = 0.6;
/// Distance from the tip, in semi-spans, over which sweep and taper continue.
const FADING: f64 = 0.4;

/// One point of a section of chord 1.
#[derive(Clone, Copy, Debug)]
struct Point {
    cos: f64,
    sin: f64,
    /// Half the thickness there, negative on the lower side.
    y: f64,
}

/// One section.
#[derive(Clone, Copy, Debug)]
struct Station {
    nose: f64,
    z: f64,
    chord: f64,
    /// Thickness in relation to the section's.
    tau: f64,
    /// R0.
    inner: f64,
    /// ln(R1/R0).
    rings: f64,
}

/// A wing's grid.
#[derive(Debug)]
pub(super) struct Wing {
    points: Vec<Point>,
    stations: Vec<Station>,
    /// Of each ring, ln(R/R0) / ln(R1/R0).
    outward: Vec<f64>,
}

impl Wing {
    /// A grid of `size` hexahedra around each section, outward, and along the span, half of them along the wing.
    ///
    /// # Errors
    /// Fewer than 2 hexahedra along the span.
    pub(super) fn new(size: [u64; 3], section: Section) -> Result<Wing, MeshError> {
        let [columns, rows, layers] = size;
        if layers < 2 {
            return Err(MeshError::Generate(format!(
                "a wing of {columns} x {rows} x {layers} hexahedra is not possible; there are at least 2 along the span"
            )));
        }
        let half_thickness = section.half_thickness();
        let points = (0..columns).map(|i| point(i, columns, &half_thickness)).collect();
        let stations = (0..=layers).map(|k| station(k, tip(layers), layers, section.ellipse())).collect();
        let outward = (0..=rows).map(|j| section.outward(j as f64 / rows as f64)).collect();
        Ok(Wing { points, stations, outward })
    }

    /// Coordinates of the node at a place.
    pub(super) fn position(&self, [i, j, k]: [u64; 3]) -> [f64; 3] {
        let Point { cos, sin, y } = self.points[i as usize];
        let Station { nose, z, chord, tau, inner, rings } = self.stations[k as usize];
        let growth = libm::exp(rings * self.outward[j as usize]);
        let [outer_x, outer_y] = ellipse(inner * growth, cos, sin);
        let [inner_x, inner_y] = ellipse(inner, cos, sin);
        let fade = 1.0 / (growth * growth);
        let section = [0.5 + 0.5 * cos, tau * y];
        // The first ring is the section itself, to the last bit.
        let at = |section: f64, outer: f64, inner: f64| {
            if j == 0 { section } else { outer + (section - inner) * fade }
        };
        [nose + chord * at(section[0], outer_x, inner_x), chord * at(section[1], outer_y, inner_y), z]
    }
}

fn ellipse(r: f64, cos: f64, sin: f64) -> [f64; 2] {
    [0.5 + 0.25 * (r + 1.0 / r) * cos, -0.25 * (r - 1.0 / r) * sin]
}

/// The layer of nodes at the tip, where the wing has no thickness: half of all, an even number if there are enough, so
/// no block of nodes straddles it.
pub(super) fn tip(layers: u64) -> u64 {
    if layers < 4 { layers / 2 } else { 2 * (layers / 4) }
}

/// The point in one column of `columns`. The two sides are mirror images to the last bit.
fn point(i: u64, columns: u64, half_thickness: impl Fn(f64) -> f64) -> Point {
    let mirrored = i.min(columns - i);
    let theta = 2.0 * PI * mirrored as f64 / columns as f64;
    let (cos, sin) = match () {
        () if mirrored == 0 => (1.0, 0.0),
        () if 2 * mirrored == columns => (-1.0, 0.0),
        () => (libm::cos(theta), libm::sin(theta)),
    };
    let y = if sin == 0.0 { 0.0 } else { half_thickness(0.5 + 0.5 * cos) };
    if i == mirrored { Point { cos, sin, y: -y } } else { Point { cos, sin: -sin, y } }
}

/// The section in layer `k` of `layers`, the wing's tip being in layer `tip`; `ellipse` is [`Section::ellipse`].
fn station(k: u64, tip: u64, layers: u64, ellipse: f64) -> Station {
    let along_wing = if k <= tip {
        let t = k as f64 / tip as f64;
        t * (1.0 + CLUSTERING * (1.0 - t))
    } else {
        1.0
    };
    let tau = if k < tip {
        let closing = (along_wing - (1.0 - CLOSING)).max(0.0) / CLOSING;
        1.0 - closing * closing
    } else {
        0.0
    };
    let beyond = (k.saturating_sub(tip)) as f64 / (layers - tip) as f64;
    let beyond = BEYOND * ROOT_CHORD * libm::expm1(GROWTH * beyond) / libm::expm1(GROWTH);
    let z = SEMI_SPAN * along_wing + beyond;
    // Where the planform's formulas are evaluated: at z, and beyond the tip at a distance that grows ever more slowly.
    let swept = SEMI_SPAN * (along_wing - FADING * libm::expm1(-beyond / (FADING * SEMI_SPAN)));
    let chord = ROOT_CHORD * (1.0 - (1.0 - TAPER) * swept / SEMI_SPAN);
    let axis = 2.0 * tau * ellipse;
    let inner = axis + (1.0 + axis * axis).sqrt();
    let rings = libm::log(4.0 * FAR * ROOT_CHORD / (chord * inner));
    Station { nose: SWEEP * swept, z, chord, tau, inner, rings }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [u64; 3] = [32, 16, 24];

    fn wing() -> Wing {
        Wing::new(SIZE, Section::Naca0012).unwrap()
    }

    #[test]
    fn the_planform_is_m6_s() {
        let wing = wing();
        let ends = |k| [0, 16].map(|i| wing.position([i, 0, k]));
        let ([trailing, nose], [trailing_tip, nose_tip]) = (ends(0), ends(tip(SIZE[2])));
        assert_eq!((nose[0], nose[2]), (0.0, 0.0));
        assert!((trailing[0] - 0.8059).abs() < 1e-15);
        assert!((nose_tip[2] - 1.1963).abs() < 1e-15);
        let tangent = |a: [f64; 3], b: [f64; 3]| (b[0] - a[0]) / (b[2] - a[2]);
        assert!((tangent(nose, nose_tip) - 30f64.to_radians().tan()).abs() < 1e-12);
        // The published angle has one decimal.
        assert!((tangent(trailing, trailing_tip).atan().to_degrees() - 15.8).abs() < 0.1);
    }

    #[test]
    fn the_first_ring_is_the_section_and_beyond_the_tip_one_line() {
        let wing = wing();
        let thickest = (0..=16).map(|i| -wing.position([i, 0, 0])[1] / ROOT_CHORD).fold(0.0, f64::max);
        assert!((thickest - 0.06).abs() < 1e-3, "{thickest}");
        for k in tip(SIZE[2])..=SIZE[2] {
            for i in 1..16 {
                let (lower, upper) = (wing.position([i, 0, k]), wing.position([32 - i, 0, k]));
                assert_eq!(lower, upper);
                assert_eq!(lower[1], 0.0);
            }
        }
    }

    #[test]
    fn the_far_field_is_16_root_chords_away() {
        let wing = wing();
        for k in 0..=SIZE[2] {
            let [x, y, z] = wing.position([8, 16, k]);
            let distance = (-y) / ROOT_CHORD;
            assert!((15.5..16.5).contains(&distance), "{x} {y} {z}");
        }
        assert!(wing.position([0, 0, SIZE[2]])[2] > SEMI_SPAN + 10.0 * ROOT_CHORD);
    }

    #[test]
    fn hexahedra_are_not_folded() {
        let wing = wing();
        for place in (0..SIZE[0] * SIZE[1] * SIZE[2]).map(|c| [c % 32, c / 32 % 16, c / (32 * 16)]) {
            // Means of the differences along each axis: the Jacobian's columns at the middle.
            let mut axes = [[0.0; 3]; 3];
            for corner in 0..8u64 {
                let up = [corner & 1, corner >> 1 & 1, corner >> 2];
                let at = [(place[0] + up[0]) % 32, place[1] + up[1], place[2] + up[2]];
                for (axis, up) in axes.iter_mut().zip(up) {
                    let sign = if up == 1 { 0.25 } else { -0.25 };
                    axis.iter_mut().zip(wing.position(at)).for_each(|(a, x)| *a += sign * x);
                }
            }
            let [a, b, c] = axes;
            let jacobian = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let skewness = jacobian / (length(a) * length(b) * length(c));
            assert!(skewness > 0.2, "{place:?}: {skewness}");
        }
    }
}
