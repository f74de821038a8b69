//! What a cavity's new elements receive of the old ones' values.

use super::cavity::{Cavity, Cell, Few};
use super::fields::Kind;
use super::{Fields, Slopes};
use crate::geometry::{FLAT, Geometry, Point, Space, dot};
use crate::mesh::Local;

impl Fields {
    /// Values of the new elements of a cavity, one element after the other; `cells` are the old ones, numbered `old`, and
    /// the new ones.
    pub fn carried<const D: usize>(
        &self,
        local: &Local<D>,
        slopes: &Slopes<D>,
        old: &[u32],
        cells: [&[Cell<D>]; 2],
        cavity: &Cavity<D>,
    ) -> Vec<f64>
    where
        Space<D>: Geometry<D>,
    {
        let width = self.cell_width();
        let mut values = vec![0.0; cavity.new.len() * width];
        for column in self.cell_columns() {
            let means: Vec<f64> =
                old.iter().zip(&cavity.old).map(|(&e, &m)| self.mean(local, e, m, column)).collect();
            let gradients: Vec<Point<D>> = match slopes.has(column) {
                true => old.iter().zip(&means).map(|(&e, &u)| slopes.limited(local, e, u, column)).collect(),
                false => vec![[0.0; D]; old.len()],
            };
            let mut carried = shared(cavity, &means, &gradients).into_vec();
            if let Some(unit) = self.unit(column) {
                let all = || old.iter().fold(0, |sum, &e| sum + i128::from(units(local, e, column)));
                carried = in_units(&carried, &cavity.new, (!cavity.moved).then(all), unit);
            }
            values.iter_mut().skip(column).step_by(width).zip(carried).for_each(|(to, value)| *to = value);
        }
        for field in self.iter() {
            let Kind::Node(nodal) = &field.kind else { continue };
            let rows = nodal.carried(field, local, old, cells, cavity);
            let columns = nodal.columns(field.dim);
            for (to, row) in values.chunks_exact_mut(width).zip(rows.chunks_exact(columns)) {
                to[field.first..][..columns].copy_from_slice(row);
            }
        }
        values
    }

    /// Mean value of an element of this measure.
    pub fn mean<const D: usize>(&self, local: &Local<D>, e: u32, measure: f64, column: usize) -> f64 {
        match self.unit(column) {
            None => local.elements.values(e)[column],
            Some(unit) => units(local, e, column) as f64 * unit / measure,
        }
    }
}

/// Mass of an element of an exact field, encoded in its value's bits.
pub(super) fn units<const D: usize>(local: &Local<D>, e: u32, column: usize) -> i64 {
    local.elements.values(e)[column].to_bits() as i64
}

/// A mass in units, as the value of an exact field.
pub(super) fn of_units(units: i64) -> f64 {
    f64::from_bits(units as u64)
}

/// Mean values of the new elements. Where a boundary has moved, what lies beyond the old elements is as what lies next to
/// it, within the new element.
pub(super) fn shared<const D: usize>(cavity: &Cavity<D>, means: &[f64], gradients: &[Point<D>]) -> Few<f64>
where
    Space<D>: Geometry<D>,
{
    let [before, after] = cavity.sums;
    let same_measure = cavity.keeps_measure();
    let mean_of_all = || {
        let mass: f64 = cavity.old.iter().zip(means).map(|(measure, mean)| measure * mean).sum();
        within(mass / before, means.iter().fold(EMPTY, |range, &u| with(range, u)))
    };
    let value = |(n, &measure): (usize, &f64)| {
        let (mut mass, mut covered, mut range) = (0.0, 0.0, EMPTY);
        for (piece, (mean, gradient)) in cavity.pieces(n).iter().zip(means.iter().zip(gradients)) {
            if piece.measure > 0.0 {
                let value = mean + dot(gradient, &piece.centroid);
                mass += piece.measure * value;
                covered += piece.measure;
                range = with(range, value);
            }
        }
        // Of a sliver, such as a mesh may bring along, rounding decides the measure and what covers it, if anything.
        match mass / measure {
            _ if measure <= FLAT * after || range == EMPTY => mean_of_all(),
            _ if cavity.moved => within(mass / covered, range),
            value if same_measure => within(value, range),
            value => value,
        }
    };
    cavity.new.iter().enumerate().map(value).collect()
}

/// The range, lowest and highest, of no value.
pub(super) const EMPTY: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

/// A range with another value in it.
#[inline]
pub(super) fn with([lowest, highest]: [f64; 2], value: f64) -> [f64; 2] {
    [if value < lowest { value } else { lowest }, if value > highest { value } else { highest }]
}

/// A value, or the end of the range that it is beyond.
#[inline]
pub(super) fn within(value: f64, [lowest, highest]: [f64; 2]) -> f64 {
    match value {
        _ if value < lowest => lowest,
        _ if value > highest => highest,
        _ => value,
    }
}

/// Masses as whole numbers of units that add up to `total`, if one is to be kept: rounded down, then the remainder is
/// handed out in turn.
fn in_units(means: &[f64], measures: &[f64], total: Option<i128>, unit: f64) -> Vec<f64> {
    let masses: Vec<i128> = means.iter().zip(measures).map(|(u, m)| (u * m / unit).floor() as i128).collect();
    let (left, count) = (total.map_or(0, |total| total - masses.iter().sum::<i128>()), masses.len() as i128);
    let (each, more) = (left.div_euclid(count), left.rem_euclid(count));
    let whole = |(i, mass): (i128, i128)| {
        let mass = mass + each + i128::from(i < more);
        of_units(i64::try_from(mass).expect("an element's mass is less than twice the whole field's"))
    };
    (0..).zip(masses).map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(a: Point<2>, b: Point<2>, c: Point<2>) -> Cell<2> {
        Cell::new([a, b, c, c])
    }

    #[test]
    fn a_cavity_that_grows_or_shrinks_keeps_its_mass_and_another_its_bounds() {
        let old = [cell([0.0, 0.0], [1.0, 0.0], [1.0, 1.0]), cell([0.0, 0.0], [1.0, 1.0], [0.0, 1.0])];
        let zero = [[0.0; 2]; 2];
        let carried = |corner: [f64; 2]| {
            let new = [cell([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]), cell([1.0, 0.0], corner, [0.0, 1.0])];
            let cavity = Cavity::clipped(&old, &new, false);
            let mass = |u: &[f64], m: &[f64]| u[0] * m[0] + u[1] * m[1];
            let values = shared(&cavity, &[1.0, 3.0], &zero);
            assert!((mass(&values, &cavity.new) - mass(&[1.0, 3.0], &cavity.old)).abs() < 1e-15);
            values
        };
        assert_eq!(carried([1.0, 1.0])[..], [2.0, 2.0]);
        assert!(carried([1.1, 1.1])[1] < 2.0);
        assert!(carried([0.9, 0.9])[1] > 2.0);
    }

    /// The sliver lies beyond the old elements by rounding, or has no measure at all.
    #[test]
    fn a_sliver_that_nothing_covers_takes_the_mean_of_the_cavity() {
        let (old, zero) = ([cell([0.0, 0.0], [1.0, 0.0], [0.0, 1.0])], [[0.0; 2]]);
        for depth in [1e-31, 1e-17, 0.0] {
            let sliver = cell([0.0, 0.0], [0.5, -depth], [1.0, 0.0]);
            for curved in [false, true] {
                let cavity = Cavity::clipped(&old, &[old[0], sliver], curved);
                assert_eq!(shared(&cavity, &[0.1], &zero)[..], [0.1; 2], "{depth:e}");
            }
        }
    }

    #[test]
    fn units_are_handed_out_to_the_first_elements_and_none_is_lost() {
        let shares = |means: &[f64], total| -> Vec<i64> {
            let measures = vec![1.0; means.len()];
            in_units(means, &measures, Some(total), 1.0).iter().map(|v| v.to_bits() as i64).collect()
        };
        assert_eq!(shares(&[3.4, 3.3, 3.3], 10), [4, 3, 3]);
        assert_eq!(shares(&[3.9, 3.9, 3.2], 11), [4, 4, 3]);
        assert_eq!(shares(&[-0.5, 0.5], 0), [0, 0]);
        assert_eq!(shares(&[-3.5, -3.5], -7), [-3, -4]);
        // Rounding loses more than there are elements.
        assert_eq!(shares(&[1.0, 1.0, 1.0], 10), [4, 3, 3]);
        assert_eq!(shares(&[1.0, 1.0, 1.0], 1), [1, 0, 0]);
    }
}
