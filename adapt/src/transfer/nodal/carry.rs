//! What a cavity's new elements receive of a nodal field.

use smallvec::smallvec;

use super::Nodal;
use super::linear::{AtCorners, Linear, places, weighted};
use super::part::part;
use crate::geometry::{FLAT, Geometry, Point, Space};
use crate::mesh::{Local, MOST_CORNERS};
use crate::transfer::carry::{EMPTY, shared, with, within};
use crate::transfer::cavity::{Cavity, Cell, Few};
use crate::transfer::fields::Field;

/// How often gradients are halved before they are 0.
const HALVINGS: usize = 10;

/// Factors of gradients, one after the other.
fn factors() -> impl Iterator<Item = f64> {
    std::iter::successors(Some(1.0), |factor| Some(0.5 * factor)).take(HALVINGS + 1).chain([0.0])
}

/// What components are within the new elements: for each component, one function an element.
struct Functions<const D: usize> {
    all: Vec<Linear<D>>,
    /// New elements.
    count: usize,
}

impl<const D: usize> Functions<D> {
    /// Those of a component.
    fn of(&self, component: usize) -> &[Linear<D>] {
        &self.all[component * self.count..][..self.count]
    }

    /// Those within an element, component by component.
    fn within(&self, n: usize) -> impl Iterator<Item = &Linear<D>> {
        self.all.iter().skip(n).step_by(self.count)
    }
}

/// The old elements of a cavity: the rows of numbers that they hold, and as below.
struct Old<'a, const D: usize> {
    rows: Few<&'a [f64]>,
    cells: &'a [Cell<D>],
    parts: Few<f64>,
    flat: Few<bool>,
}

/// The new elements of a cavity.
struct New<const D: usize> {
    /// Their corners relative to their centroids.
    places: Few<[Point<D>; MOST_CORNERS]>,
    /// What each corner has of their measures.
    parts: Few<f64>,
    /// Whether they are too flat to be more than rounding.
    flat: Few<bool>,
    /// The cavity's mass of each component in whole units, where it is kept exactly.
    totals: Few<Option<i128>>,
}

impl Nodal {
    /// Numbers that the new elements of a cavity hold of a field, one element after the other; `old` are the old ones, and
    /// `cells` these and the new ones.
    pub fn carried<const D: usize>(
        &self,
        field: &Field,
        local: &Local<D>,
        old: &[u32],
        [before, after]: [&[Cell<D>]; 2],
        cavity: &Cavity<D>,
    ) -> Vec<f64>
    where
        Space<D>: Geometry<D>,
    {
        let row = |&e: &u32| &local.elements.values(e)[field.first..][..self.columns(field.dim)];
        let old = Old {
            rows: old.iter().map(row).collect(),
            cells: before,
            parts: before.iter().map(|cell| part(&cell.points[..=D])).collect(),
            flat: flat(&cavity.old),
        };
        let total = |i: usize| -> i128 {
            old.rows.iter().flat_map(|row| (0..=D).map(move |c| self.units(row, i, c))).sum()
        };
        let is_kept = self.is_exact() && !cavity.moved;
        let new = New {
            places: after.iter().map(|cell| places(&cell.points[..=D])).collect(),
            parts: after.iter().map(|cell| part(&cell.points[..=D])).collect(),
            flat: flat(&cavity.new),
            totals: (0..field.dim).map(|i| is_kept.then(|| total(i))).collect(),
        };
        let count = cavity.new.len();
        let mut functions = Functions { all: Vec::with_capacity(field.dim * count), count };
        for i in 0..field.dim {
            self.divide(&old, cavity, &new, i, &mut functions.all);
        }
        self.admitted(&new, functions, &cavity.new)
    }

    /// Adds what a component is within each new element.
    fn divide<const D: usize>(
        &self,
        old: &Old<D>,
        cavity: &Cavity<D>,
        new: &New<D>,
        component: usize,
        to: &mut Vec<Linear<D>>,
    ) where
        Space<D>: Geometry<D>,
    {
        let (mut means, mut gradients) = (Few::new(), Few::new());
        let mut range = EMPTY;
        for (((row, cell), &flat), &part) in old.rows.iter().zip(old.cells).zip(&old.flat).zip(&old.parts) {
            let mut held: AtCorners = [0.0; MOST_CORNERS];
            (0..=D).for_each(|c| held[c] = self.value(row, component, c, part));
            if part > 0.0 {
                range = held[..=D].iter().fold(range, |range, &value| with(range, value));
            }
            let Linear { mean, gradient } = Linear::of(&cell.points[..=D], &held[..=D], flat);
            means.push(mean);
            gradients.push(gradient);
        }
        let is_bounded = cavity.moved || cavity.keeps_measure();
        let function = |(n, mean): (usize, f64)| {
            let mean = if is_bounded { within(mean, range) } else { mean };
            let gradient = if new.flat[n] { [0.0; D] } else { gradient(cavity, n, &gradients, &old.flat) };
            Linear { mean, gradient }.limited(&new.places[n][..=D], range)
        };
        to.extend(shared(cavity, &means, &gradients).into_iter().enumerate().map(function));
    }

    /// The new elements' numbers, with smaller gradients where a corner's values would not be admitted together.
    fn admitted<const D: usize>(
        &self,
        new: &New<D>,
        mut functions: Functions<D>,
        measures: &[f64],
    ) -> Vec<f64> {
        let Some(admits) = self.admits else { return self.rows(new, &functions) };
        let dim = new.totals.len();
        if !self.is_exact() {
            // The values at corners are those of the functions, and as a rule all are admitted.
            let rows = self.rows(new, &functions);
            if self.admits_all(new, &rows, dim, admits, true) {
                return rows;
            }
        }
        let mut state: Few<f64> = smallvec![0.0; dim];
        for n in 0..measures.len() {
            let mut is_admitted = |factor: f64| {
                new.places[n][..=D].iter().all(|place| {
                    let values = functions.within(n).map(|linear| linear.scaled(factor).at(place));
                    state.iter_mut().zip(values).for_each(|(to, value)| *to = value);
                    admits(&state)
                })
            };
            let factor = factors().find(|&factor| is_admitted(factor)).unwrap_or(0.0);
            let within = functions.all.iter_mut().skip(n).step_by(functions.count);
            within.for_each(|linear| *linear = linear.scaled(factor));
        }
        // Whole units, and the means themselves, are what they should be only up to rounding, which decides where values are
        // that near to others that are not admitted.
        for factor in factors() {
            let rows = if factor == 1.0 {
                self.rows(new, &functions)
            } else {
                let all = functions.all.iter().map(|linear| linear.scaled(factor)).collect();
                self.rows(new, &Functions { all, count: functions.count })
            };
            if self.admits_all(new, &rows, dim, admits, false) {
                return rows;
            }
        }
        let same = |i: usize| {
            let of = functions.of(i).iter().zip(measures);
            let mean = weighted(of.map(|(linear, &measure)| (measure, linear.mean)));
            std::iter::repeat_n(Linear { mean, gradient: [0.0; D] }, functions.count)
        };
        self.rows(new, &Functions { all: (0..dim).flat_map(same).collect(), count: functions.count })
    }

    /// Whether the values at all corners are admitted; those of elements that are only rounding count if `flat_too`.
    fn admits_all<const D: usize>(
        &self,
        new: &New<D>,
        rows: &[f64],
        dim: usize,
        admits: super::Admits,
        flat_too: bool,
    ) -> bool {
        let mut state: Few<f64> = smallvec![0.0; dim];
        let mut elements = rows.chunks_exact(self.columns(dim)).zip(&new.parts).zip(&new.flat);
        elements.all(|((row, &part), &flat)| {
            flat && !flat_too
                || (0..=D).all(|c| {
                    state.iter_mut().enumerate().for_each(|(i, to)| *to = self.value(row, i, c, part));
                    admits(&state)
                })
        })
    }

    /// The new elements' numbers for these functions.
    fn rows<const D: usize>(&self, new: &New<D>, functions: &Functions<D>) -> Vec<f64> {
        let dim = new.totals.len();
        let columns = self.columns(dim);
        let mut rows = vec![0.0; new.parts.len() * columns];
        for i in 0..dim {
            let elements = || functions.of(i).iter().zip(&new.places).zip(&new.parts);
            let Some(unit) = self.units.get(i) else {
                for (row, ((linear, places), _)) in rows.chunks_exact_mut(columns).zip(elements()) {
                    for (to, place) in row[i * self.corners..].iter_mut().zip(&places[..=D]) {
                        *to = linear.at(place);
                    }
                }
                continue;
            };
            let values = elements().flat_map(|((linear, places), part)| {
                places[..=D].iter().map(move |place| linear.at(place) * part / unit)
            });
            let masses = in_units(values, new.totals[i]);
            for (row, masses) in rows.chunks_exact_mut(columns).zip(masses.chunks_exact(D + 1)) {
                masses.iter().enumerate().for_each(|(c, &mass)| self.put_units(row, i, c, mass));
            }
        }
        rows
    }
}

/// Whether each of these measures is too small beside the whole to be more than rounding.
#[inline]
fn flat(measures: &[f64]) -> Few<bool> {
    let all: f64 = measures.iter().sum();
    measures.iter().map(|&measure| measure <= FLAT * all).collect()
}

/// The mean gradient of what covers a new element, without old elements too flat for a gradient.
fn gradient<const D: usize>(cavity: &Cavity<D>, n: usize, gradients: &[Point<D>], flat: &[bool]) -> Point<D>
where
    Space<D>: Geometry<D>,
{
    let (mut covered, mut sum) = (0.0, [0.0; D]);
    for ((piece, gradient), _) in cavity.pieces(n).iter().zip(gradients).zip(flat).filter(|(_, flat)| !**flat)
    {
        covered += piece.measure;
        (0..D).for_each(|i| sum[i] += piece.measure * gradient[i]);
    }
    if covered > 0.0 { sum.map(|part| part / covered) } else { [0.0; D] }
}

/// Masses as whole numbers that add up to `total`, if one is to be kept: rounded down, and the largest of them, the first of
/// several, takes the remainder. Masses have more units than an f64 has digits, so the remainder is a rounding of the
/// largest, however small others are.
pub(super) fn in_units(masses: impl Iterator<Item = f64>, total: Option<i128>) -> Vec<i128> {
    let mut masses: Vec<i128> = masses.map(|mass| mass.floor() as i128).collect();
    let left = total.map_or(0, |total| total - masses.iter().sum::<i128>());
    if let Some(largest) = masses.iter_mut().rev().max_by_key(|mass| mass.abs()) {
        *largest += left;
    }
    masses
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Point<2>; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

    /// Two elements of one component that must be positive, with these means and the same gradient along x.
    fn positive(means: [f64; 2], gradient: f64) -> Vec<f64> {
        let nodal = Nodal { corners: 3, units: Vec::new(), admits: Some(|u| u[0] > 0.0) };
        let part = part(&CORNERS);
        let new = New {
            places: smallvec![places(&CORNERS); 2],
            parts: smallvec![part; 2],
            flat: smallvec![false; 2],
            totals: smallvec![None],
        };
        let functions = means.map(|mean| Linear { mean, gradient: [gradient, 0.0] });
        nodal.admitted(&new, Functions { all: functions.to_vec(), count: 2 }, &[3.0 * part; 2])
    }

    /// Values that differ in their last bits: the smallest excess is one of these.
    #[test]
    fn means_are_within_the_old_values_to_the_last_bit() {
        let nodal = Nodal { corners: 3, units: Vec::new(), admits: None };
        let [a, b, c] = CORNERS;
        let cell = |a, b, c| Cell::new([a, b, c, c]);
        let whole = [cell(a, b, c)];
        let whole_part = part(&CORNERS);
        for share in [1e-3, 0.1, 0.5] {
            let middle = [1.0 - share, share];
            let parts = [cell(a, b, middle), cell(a, middle, c)];
            let cavity = Cavity::divided(&whole[0], &parts, false);
            let new = New {
                places: parts.iter().map(|part| places(&part.points[..3])).collect(),
                parts: parts.iter().map(|cell| part(&cell.points[..3])).collect(),
                flat: smallvec![false; 2],
                totals: smallvec![None],
            };
            for start in [0.1, 0.3, 0.7, 1.0, 5.1] {
                for ulps in (0..1000u64).map(|i| [i % 10, i / 10 % 10, i / 100]) {
                    let row = ulps.map(|more| f64::from_bits(f64::to_bits(start) + more));
                    let [lowest, highest] = row.iter().fold(EMPTY, |range, &value| with(range, value));
                    let old = Old {
                        rows: smallvec![&row[..]],
                        cells: &whole,
                        parts: smallvec![whole_part],
                        flat: smallvec![false],
                    };
                    let mut divided = Vec::new();
                    nodal.divide(&old, &cavity, &new, 0, &mut divided);
                    for linear in divided {
                        assert!((lowest..=highest).contains(&linear.mean), "{row:?} {linear:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn gradients_are_halved_where_values_are_not_admitted() {
        let [third, gradient] = [1.0 / 3.0, 6.0];
        let values = positive([1.0, 3.0], gradient);
        // Corners are a third to the left of the centroid, and two thirds to the right.
        let expected =
            |mean: f64, factor: f64| [-third, 2.0 * third, -third].map(|x| mean + factor * gradient * x);
        for (found, expected) in values.iter().zip([expected(1.0, 0.25), expected(3.0, 1.0)].concat()) {
            assert!((found - expected).abs() < 1e-14, "{values:?}");
        }
        assert_eq!(positive([1.0, 1.0], 1e9), [1.0; 6]);
    }

    #[test]
    fn if_a_mean_is_not_admitted_all_elements_take_that_of_the_cavity() {
        assert_eq!(positive([1.0, -0.5], 0.1), [0.25; 6]);
    }

    #[test]
    fn the_largest_mass_takes_the_remainder() {
        let shares = |masses: &[f64], total| in_units(masses.iter().copied(), total);
        assert_eq!(shares(&[3.4, 3.9, 3.3], Some(11)), [5, 3, 3]);
        assert_eq!(shares(&[1.0, -7.5, 0.5], Some(-6)), [1, -7, 0]);
        assert_eq!(shares(&[1.0, 7.5, 0.5], None), [1, 7, 0]);
        let huge = (1i128 << 90) + 12345;
        assert_eq!(shares(&[huge as f64, 0.1], Some(huge)), [huge, 0]);
    }
}
