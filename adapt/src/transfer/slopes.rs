//! Gradients of cell fields within elements, for second order.
//!
//! At a vertex v, with the surrounding elements i of mean values u(i) and centroids x(i), the best-fitting plane p is
//! defined by:
//!
//! ```text
//! sum over i of (p(x(i)) - u(i))²  least,   smooth(v) = max(0, 1 - 8 max |p(x(i)) - u(i)| / (max u(i) - min u(i)))
//! ```
//!
//! An element's gradient is the mean of those at its corners, times s + (1 - s) l: s is the least `smooth` of its
//! corners, and l the largest factor up to 1 for which the values at its corners stay between the lowest and the
//! highest u(i) there (Park, Yoon, Kim 2010, doi:10.1016/j.jcp.2009.10.011). Linear fields are thus not limited at all,
//! and steps are limited by their neighbours. Corners whose elements determine no plane are left out.

use cfd_engine::plug::ThreadPool;

use super::Fields;
use super::cavity::{mean, sort};
use crate::geometry::{FLAT, Geometry, Point, Space, difference, dot};
use crate::mesh::{Local, MOST_CORNERS, Mesh, Numbers};
use crate::threads::map;

/// Gradient; lowest and highest value around the vertex; whether there is a gradient, as 1 or 0, and `smooth`.
type Row<const D: usize> = [[f64; D]; 3];

/// Residuals above this fraction of the difference of values are not smooth.
const ROUGH: f64 = 0.125;

/// The bit of `Vertices::marks` for vertices around which an element has changed since their planes were computed.
const STALE: u8 = 128;

/// Planes at all vertices for each component of cell fields; none for those of first order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slopes<const D: usize> {
    columns: Vec<Vec<Row<D>>>,
    /// Whether the planes are those of this mesh, at vertices that are not stale.
    is_valid: bool,
}

/// Updates the mesh's planes. Collective.
pub(crate) fn update_slopes<const D: usize>(mesh: &mut Mesh<D>, pool: &ThreadPool)
where
    Space<D>: Geometry<D>,
{
    let width = mesh.fields.cell_width();
    if !(0..width).any(|column| mesh.fields.is_second_order(column)) {
        mesh.slopes.columns.resize(width, Vec::new());
        return;
    }
    let mut slopes = std::mem::take(&mut mesh.slopes);
    let (local, fields) = (&mesh.local, &mesh.fields);
    let is_stale = |&v: &u32| !slopes.is_valid || local.vertices.marks[v as usize] & STALE != 0;
    let stale: Vec<u32> = local.own_vertices().filter(is_stale).collect();
    slopes.columns.resize(width, Vec::new());
    for (column, rows) in slopes.columns.iter_mut().enumerate().filter(|&(c, _)| fields.is_second_order(c)) {
        let found = map(pool, &stale, |&v| plane(&around(local, fields, v, column)));
        rows.resize(local.vertices.len(), [[0.0; D]; 3]);
        stale.iter().zip(found).for_each(|(&v, row)| rows[v as usize] = row);
        mesh.update_ghosts(rows);
    }
    slopes.is_valid = true;
    stale.iter().for_each(|&v| mesh.local.vertices.marks[v as usize] &= !STALE);
    mesh.slopes = slopes;
}

impl<const D: usize> Slopes<D>
where
    Space<D>: Geometry<D>,
{
    /// A vertex of this rank whose planes are not those of the elements around it, though they should be.
    pub fn outdated(&self, local: &Local<D>, fields: &Fields) -> Option<u32> {
        let is_fresh = |&v: &u32| self.is_valid && local.vertices.marks[v as usize] & STALE == 0;
        let second_order = || (0..self.columns.len()).filter(|&column| self.has(column));
        local.own_vertices().filter(is_fresh).find(|&v| {
            second_order().any(|c| self.columns[c][v as usize] != plane(&around(local, fields, v, c)))
        })
    }

    /// Whether this component has gradients.
    pub fn has(&self, column: usize) -> bool {
        !self.columns[column].is_empty()
    }

    /// The gradient within an element with this mean value.
    pub fn limited(&self, local: &Local<D>, e: u32, value: f64, column: usize) -> Point<D> {
        let corners = local.elements.corners(e);
        let rows = corners.iter().map(|&c| &self.columns[column][c as usize]);
        let (mut known, mut gradient, mut smooth) = (0.0, [0.0; D], 1.0);
        for row in rows.clone().filter(|row| row[2][0] > 0.0) {
            known += 1.0;
            (0..D).for_each(|i| gradient[i] += row[0][i]);
            if row[2][1] < smooth {
                smooth = row[2][1];
            }
        }
        if known == 0.0 {
            return [0.0; D];
        }
        gradient.iter_mut().for_each(|g| *g /= known);
        let mut places = [[0.0; D]; MOST_CORNERS];
        for (place, &c) in places.iter_mut().zip(corners) {
            *place = difference(local.position(corners[0]), local.position(c));
        }
        let centre = mean(&places[..=D]);
        let mut limit = 1.0;
        for (place, row) in places.iter().zip(rows) {
            let change = dot(&gradient, &difference(&centre, place));
            let room = if change > 0.0 { row[1][1] - value } else { row[1][0] - value };
            if change != 0.0 && room / change < limit {
                limit = room / change;
            }
        }
        gradient.map(|g| g * (smooth + (1.0 - smooth) * limit))
    }
}

/// Centroids, relative to a vertex, and mean values of the elements around it, in the order of identities.
fn around<const D: usize>(local: &Local<D>, fields: &Fields, v: u32, column: usize) -> Vec<(Point<D>, f64)>
where
    Space<D>: Geometry<D>,
{
    let mut star: Numbers = local.star(v).iter().copied().collect();
    sort(local, &mut star);
    let cell = |&e: &u32| {
        let mut places = [[0.0; D]; MOST_CORNERS];
        for (place, &c) in places.iter_mut().zip(local.elements.corners(e)) {
            *place = difference(local.position(v), local.position(c));
        }
        (mean(&places[..=D]), fields.mean(local, e, local.measure(e), column))
    };
    star.iter().map(cell).collect()
}

/// The best-fitting plane through values at points.
fn plane<const D: usize>(cells: &[(Point<D>, f64)]) -> Row<D> {
    let mut row = [[0.0; D]; 3];
    let count = cells.len() as f64;
    let centre: Point<D> = std::array::from_fn(|i| cells.iter().map(|c| c.0[i]).sum::<f64>() / count);
    // Relative to one of the values, so that constants have no gradient.
    let start = cells[0].1;
    let level = cells.iter().map(|c| c.1 - start).sum::<f64>() / count;
    let (mut matrix, mut right) = ([[0.0; D]; D], [0.0; D]);
    for (place, value) in cells {
        let away = difference(&centre, place);
        for i in 0..D {
            right[i] += away[i] * ((value - start) - level);
            (0..D).for_each(|j| matrix[i][j] += away[i] * away[j]);
        }
    }
    let values = || cells.iter().map(|c| c.1);
    let lowest = values().fold(start, |low, u| if u < low { u } else { low });
    let highest = values().fold(start, |high, u| if u > high { u } else { high });
    (row[1][0], row[1][1]) = (lowest, highest);
    let Some(gradient) = solved(matrix, right) else { return row };
    row[0] = gradient;
    let away = |(place, value): &(Point<D>, f64)| {
        ((value - start) - level - dot(&gradient, &difference(&centre, place))).abs()
    };
    let residual = cells.iter().map(away).fold(0.0, |most, r| if r > most { r } else { most });
    let smooth = 1.0 - residual / (ROUGH * (highest - lowest));
    row[2][0] = 1.0;
    row[2][1] = if smooth > 0.0 { smooth } else { 0.0 };
    row
}

/// Solves a symmetric positive definite system by elimination; `None` if it is singular, or nearly so.
fn solved<const D: usize>(mut matrix: [[f64; D]; D], mut right: [f64; D]) -> Option<[f64; D]> {
    let diagonal: [f64; D] = std::array::from_fn(|i| matrix[i][i]);
    for k in 0..D {
        if matrix[k][k] <= FLAT * diagonal[k] {
            return None;
        }
        for i in k + 1..D {
            let factor = matrix[i][k] / matrix[k][k];
            (k..D).for_each(|j| matrix[i][j] -= factor * matrix[k][j]);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..D).rev() {
        let known: f64 = (k + 1..D).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [Point<2>; 6] =
        [[0.7, 0.1], [0.1, 0.6], [-0.1, 0.5], [-0.6, 0.1], [-0.3, -0.4], [0.2, -0.5]];

    #[test]
    fn the_plane_of_a_linear_field_is_that_field_and_smooth() {
        let cells = PLACES.map(|p| (p, 3.0 + 2.0 * p[0] - 5.0 * p[1]));
        let [gradient, _, [known, smooth]] = plane(&cells);
        assert!((gradient[0] - 2.0).abs() < 1e-14 && (gradient[1] + 5.0).abs() < 1e-14);
        assert!(known == 1.0 && smooth > 1.0 - 1e-14);
    }

    #[test]
    fn a_step_is_not_smooth_and_a_constant_has_no_gradient() {
        let step = PLACES.map(|p| (p, if p[0] > 0.0 { 1.0 } else { 0.0 }));
        assert_eq!(plane(&step)[2], [1.0, 0.0]);
        assert_eq!(plane(&PLACES.map(|p| (p, 0.7)))[0], [0.0; 2]);
    }

    #[test]
    fn places_on_a_line_determine_no_plane() {
        let cells = [0.1, 0.2, 0.7].map(|t| ([t, 0.3 * t], t));
        assert_eq!(plane(&cells)[2], [0.0; 2]);
        assert_eq!(plane(&cells[..1])[2], [0.0; 2]);
    }
}
