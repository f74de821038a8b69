//! Adding fields to a mesh.

use super::carry::of_units;
use super::fields::Kind;
use super::{Conserve, FieldError, Rule, Slopes};
use crate::geometry::{Geometry, Space};
use crate::mesh::Mesh;

/// Bits of the sum of all masses of an exact field when it is added: sums of a few times that size still fit.
const MASS_BITS: i32 = 60;

/// Bits beyond that before sums of a few times that size do not fit any more.
const MORE_BITS: i32 = 1;

/// The exponent of the least unit: masses in it are still exact.
const LEAST_EXPONENT: i32 = -1000;

impl<const D: usize> Mesh<D> {
    /// Adds a field of `dim` values at each vertex: `values` are by local vertex number, and only those of this rank's
    /// own vertices count. Collective.
    ///
    /// # Errors
    /// A name that is taken, no components, a wrong number of values, values that are not finite; the same on all
    /// ranks.
    pub fn add_vertex_field(&mut self, name: &str, dim: usize, values: &[f64]) -> Result<(), FieldError> {
        let own: Vec<u32> = self.local.own_vertices().collect();
        self.comm.agree(self.check_field(name, dim, values, self.local.vertices.len(), &own))?;
        let first = self.local.vertices.width;
        self.local.vertices.widen(dim);
        for v in own {
            let row = &values[v as usize * dim..][..dim];
            self.local.vertices.values_mut(v)[first..].copy_from_slice(row);
        }
        for column in first..first + dim {
            let vertices = &self.local.vertices;
            let mut rows: Vec<f64> = (0..vertices.len() as u32).map(|v| vertices.values(v)[column]).collect();
            self.update_ghosts(&mut rows);
            (0..).zip(rows).for_each(|(v, value)| self.local.vertices.values_mut(v)[column] = value);
        }
        self.fields.add(name, dim, Kind::Vertex);
        Ok(())
    }

    pub(super) fn check_field(
        &self,
        name: &str,
        dim: usize,
        values: &[f64],
        rows: usize,
        own: &[u32],
    ) -> Result<(), FieldError> {
        self.fields.check_name(name)?;
        if dim == 0 {
            return Err(FieldError::NoComponent { name: name.into() });
        }
        if values.len() != rows * dim {
            let (rank, values, expected) = (self.comm.rank(), values.len(), rows * dim);
            return Err(FieldError::Count { name: name.into(), rank, values, expected, dim });
        }
        let rows = own.iter().map(|&i| (i, &values[i as usize * dim..][..dim]));
        match rows.flat_map(|(i, row)| row.iter().map(move |v| (i, v))).find(|(_, v)| !v.is_finite()) {
            None => Ok(()),
            Some((i, value)) => {
                let place = format!("local number {i} of rank {}", self.comm.rank());
                Err(FieldError::NotFinite { name: name.into(), value: value.to_string(), place })
            }
        }
    }
}

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// Adds a field of `dim` mean values of each element: `values` are by local element number, and only those of this
    /// rank's own elements count. Collective.
    ///
    /// # Errors
    /// A name that is taken, no components, a wrong number of values, values that are not finite; the same on all
    /// ranks.
    pub fn add_cell_field(
        &mut self,
        name: &str,
        dim: usize,
        rule: Rule,
        values: &[f64],
    ) -> Result<(), FieldError> {
        self.add_cell_field_with_masses(name, dim, rule, values, None)
    }

    /// As [`Mesh::add_cell_field`], with the masses that [`Mesh::cell_masses`] returned when the field was last carried, as
    /// far as the rule conserves them exactly: a mass counts where the value is still its mean value, up to rounding.
    /// Collective.
    ///
    /// # Errors
    /// As [`Mesh::add_cell_field`]; also for a wrong number of masses, or masses that are not finite.
    pub fn add_cell_field_with_masses(
        &mut self,
        name: &str,
        dim: usize,
        rule: Rule,
        values: &[f64],
        masses: Option<&[f64]>,
    ) -> Result<(), FieldError> {
        let own: Vec<u32> = self.local.own_elements().collect();
        let rows = self.local.elements.len();
        self.comm.agree(self.check_field(name, dim, values, rows, &own))?;
        let masses = masses.unwrap_or_default();
        if !masses.is_empty() {
            self.comm.agree(self.check_field(name, 2 * dim, masses, rows, &own))?;
        }
        let first = self.fields.cell_width();
        let value = |e: u32, i: usize| values[e as usize * dim + i];
        let mass = |e: u32, i: usize| {
            let mass = masses.get(2 * (e as usize * dim + i)..)?;
            Some([*mass.first()?, *mass.get(1)?])
        };
        let known = |e: u32, i: usize| {
            let (measure, cube) = (self.local.measure(e), self.local.cube(e));
            mass(e, i).filter(|[mass, _]| is_mean(value(e, i), *mass, measure, cube))
        };
        let units: Vec<f64> = match rule.conserve {
            Conserve::Rounding => Vec::new(),
            Conserve::Exact => {
                let mass = |e: u32, i: usize| {
                    known(e, i).unwrap_or_else(|| [value(e, i) * self.local.measure(e), 0.0])
                };
                (0..dim)
                    .map(|i| {
                        self.unit_of(MASS_BITS, own.iter().map(|&e| (mass(e, i), known(e, i).is_some())))
                    })
                    .collect()
            }
        };
        let held = |e: u32, i: usize| match (units.get(i), known(e, i)) {
            (None, _) => value(e, i),
            (Some(unit), None) => of_units((value(e, i) * self.local.measure(e) / unit + 0.5).floor() as i64),
            (Some(unit), Some([mass, rest])) => {
                let [mass, rest] = [mass, rest].map(|part| i128::from((part / unit).floor() as i64));
                of_units((mass + rest) as i64)
            }
        };
        let all: Vec<f64> =
            own.iter().flat_map(|&e| (0..dim).map(move |i| (e, i))).map(|(e, i)| held(e, i)).collect();
        self.local.elements.widen(dim);
        for (&e, held) in own.iter().zip(all.chunks_exact(dim)) {
            self.local.elements.values_mut(e)[first..].copy_from_slice(held);
        }
        self.fields.add(name, dim, Kind::Cell(rule, units));
        self.slopes = Slopes::default();
        self.local.elements.values = self.owners_values();
        Ok(())
    }

    /// A power of two in which all masses together have so many bits, or up to [`MORE_BITS`] more, if that keeps every
    /// known mass a whole number. Of each element or vertex, the mass in two parts, and whether it is known. Collective.
    pub(super) fn unit_of(&self, bits: i32, masses: impl Iterator<Item = ([f64; 2], bool)> + Clone) -> f64 {
        let all = self.exact_sum(masses.clone().map(|([mass, _], _)| mass.abs()));
        let usual = ((exponent_of(all) + 1) - bits).max(LEAST_EXPONENT);
        let known = masses.filter(|(_, known)| *known).flat_map(|(parts, _)| parts);
        let least = known.filter_map(last_exponent).min().unwrap_or(usual);
        // Exponents are above -1100.
        let least = 1100 - self.comm.max((1100 - least) as u64) as i32;
        power_of_two(if least >= usual - MORE_BITS { usual.min(least) } else { usual })
    }
}

/// Whether a value is the mean of this mass over this measure, up to rounding: of the value, and of the measure, which has
/// an error of one and a half parts in 2^52 of the `cube` over the longest edge, and had another one where the corners
/// were in another order.
pub(super) fn is_mean(value: f64, mass: f64, measure: f64, cube: f64) -> bool {
    let most = (4.0 + 3.0 * cube / measure) * f64::EPSILON;
    (mass / measure - value).abs() <= most * value.abs()
}

/// The exponent of the first bit of a normal number.
fn exponent_of(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// The exponent of the last bit that is 1.
fn last_exponent(value: f64) -> Option<i32> {
    let bits = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
    (value != 0.0).then(|| exponent_of(value) - 52 + bits.trailing_zeros() as i32)
}

/// 2 to the power of a normal number's exponent.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::is_mean;
    use crate::geometry::{Geometry, Space};

    /// The corners of a mesh that is read again may begin at another one, which changes the area of a thin triangle by more
    /// than a rounding.
    #[test]
    fn a_mean_is_known_whichever_corner_comes_first() {
        let area = |points: &[[f64; 2]]| <Space<2> as Geometry<2>>::measure(points);
        let mut beyond_rounding = 0;
        for i in 1..=1000 {
            let (t, h) = (f64::from(i) * 0.73 % 1.0, 1e-4 * f64::from(i % 7 + 1));
            let a = [0.3 + t / 3.0, 0.7 - t / 7.0];
            let (b, c) = ([a[0] + 0.11, a[1] + 0.07], [a[0] + 0.05 - h, a[1] + 0.03 + h]);
            let (before, after) = (area(&[a, b, c]).abs(), area(&[b, c, a]).abs());
            let (mass, cube) = (1.0 / 3.0, 0.11 * 0.11 + 0.07 * 0.07);
            let value = mass / before;
            assert!(is_mean(value, mass, after, cube), "{before:e} and {after:e}");
            assert!(!is_mean(value * (1.0 + 1e-11), mass, after, cube), "a value that has changed");
            beyond_rounding += usize::from(!is_mean(value, mass, after, 0.0));
        }
        assert!(beyond_rounding > 0, "some areas differ by more than four roundings");
    }
}
