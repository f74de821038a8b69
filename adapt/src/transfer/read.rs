//! Reading fields.

use cfd_engine::comm::ReduceOp;

use super::FieldError;
use super::carry::units;
use super::fields::{Field, Fields, Kind};
use crate::geometry::{Geometry, Space};
use crate::mesh::{Local, Mesh};

impl<const D: usize> Mesh<D> {
    /// Values of a vertex field, by local vertex number.
    ///
    /// # Errors
    /// The mesh has no such vertex field.
    pub fn vertex_field(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let Field { first, dim, .. } = *self.fields.find(name, false)?;
        let vertices = &self.local.vertices;
        Ok((0..vertices.len() as u32).flat_map(|v| &vertices.values(v)[first..][..dim]).copied().collect())
    }
}

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// Mean values of a cell field, by local element number; 0 for free numbers.
    ///
    /// # Errors
    /// The mesh has no such cell field.
    pub fn cell_field(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let Field { first, dim, .. } = *self.fields.find(name, true)?;
        let mut values = vec![0.0; dim * self.local.elements.len()];
        for e in self.local.elements.iter() {
            let measure = self.local.measure(e);
            for i in 0..dim {
                values[e as usize * dim + i] = self.fields.mean(&self.local, e, measure, first + i);
            }
        }
        Ok(values)
    }

    /// Masses of an exact cell field, by local element number: two numbers for each component, the mass and what rounding
    /// it left out, both exact; 0 for free numbers.
    ///
    /// # Errors
    /// The mesh has no such cell field, or the field has no units.
    pub fn cell_masses(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let field = self.fields.find(name, true)?;
        let Kind::Cell(_, own_units) = &field.kind else { unreachable!("a cell field") };
        if own_units.is_empty() {
            return Err(FieldError::NoUnits { name: name.into() });
        }
        let mut masses = vec![0.0; 2 * field.dim * self.local.elements.len()];
        for e in self.local.elements.iter() {
            for (i, unit) in own_units.iter().enumerate() {
                let units = units(&self.local, e, field.first + i);
                let rounded = units as f64;
                let rest = (i128::from(units) - rounded as i128) as f64;
                masses[2 * (e as usize * field.dim + i)..][..2]
                    .copy_from_slice(&[rounded * unit, rest * unit]);
            }
        }
        Ok(masses)
    }

    /// Total mass of each component of a cell field: the sum of the elements' masses, correctly rounded. Collective.
    ///
    /// # Errors
    /// The mesh has no such cell field.
    pub fn total(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let field = self.fields.find(name, true)?;
        if let Ok(totals) = self.total_units(name) {
            return Ok(totals.into_iter().map(|(units, unit)| units as f64 * unit).collect());
        }
        let mass = |e: u32, column: usize| {
            let measure = self.local.measure(e);
            measure * self.fields.mean(&self.local, e, measure, column)
        };
        let total = |column| self.exact_sum(self.local.own_elements().map(|e| mass(e, column)));
        Ok((field.first..field.first + field.dim).map(total).collect())
    }

    /// Total mass of each component of an exact cell field in whole units, and the unit. Collective.
    ///
    /// # Errors
    /// The mesh has no such cell field, or the field has no units.
    pub fn total_units(&self, name: &str) -> Result<Vec<(i64, f64)>, FieldError> {
        let field = self.fields.find(name, true)?;
        let Kind::Cell(_, own_units) = &field.kind else { unreachable!("a cell field") };
        if own_units.is_empty() {
            return Err(FieldError::NoUnits { name: name.into() });
        }
        let sum = |column| -> i64 { self.local.own_elements().map(|e| units(&self.local, e, column)).sum() };
        let mut sums: Vec<u64> = (field.first..field.first + field.dim).map(|c| sum(c) as u64).collect();
        // Sums in two's complement wrap to the right number.
        self.comm.all_reduce(&mut sums, ReduceOp::Sum);
        Ok(sums.into_iter().map(|sum| sum as i64).zip(own_units.iter().copied()).collect())
    }
}

/// The values of a field at vertices or elements by local number, as bits.
pub(super) fn bits_of<const D: usize>(
    local: &Local<D>,
    fields: &Fields,
    field: &Field,
    numbers: &[u32],
) -> Vec<u64>
where
    Space<D>: Geometry<D>,
{
    let columns = field.first..field.first + field.dim;
    let value = |i: u32, column: usize| match field.kind {
        Kind::Vertex => local.vertices.values(i)[column],
        Kind::Cell(..) => fields.mean(local, i, local.measure(i), column),
    };
    numbers.iter().flat_map(|&i| columns.clone().map(move |column| value(i, column).to_bits())).collect()
}
