//! Reading fields.

use cfd_engine::comm::ReduceOp;

use super::FieldError;
use super::carry::units;
use super::cavity::Few;
use super::fields::{Among, Field, Fields, Kind};
use crate::geometry::{Geometry, Space};
use crate::mesh::{Local, Mesh};

impl<const D: usize> Mesh<D> {
    /// Values of a vertex field, by local vertex number.
    ///
    /// # Errors
    /// The mesh has no such vertex field.
    pub fn vertex_field(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let Field { first, dim, .. } = *self.fields.find(name, Among::Vertex)?;
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
        let Field { first, dim, .. } = *self.fields.find(name, Among::Cell)?;
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
        let field = self.fields.find(name, Among::Cell)?;
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

    /// Total mass of each component of a cell field or a nodal field: the sum of the masses of elements, or of their
    /// corners, correctly rounded. Collective.
    ///
    /// # Errors
    /// The mesh has no such field.
    pub fn total(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let field = self.fields.find(name, Among::Conserved)?;
        if let Ok(totals) = self.total_units(name) {
            return Ok(totals.into_iter().map(|(units, unit)| units as f64 * unit).collect());
        }
        let local = &self.local;
        let total = |i: usize| match &field.kind {
            Kind::Node(nodal) => {
                self.exact_sum(local.own_elements().flat_map(|e| nodal.masses_of(field, local, e, i)))
            }
            _ => self.exact_sum(local.own_elements().map(|e| {
                let measure = local.measure(e);
                measure * self.fields.mean(local, e, measure, field.first + i)
            })),
        };
        Ok((0..field.dim).map(total).collect())
    }

    /// Total mass of each component of an exact field in whole units, and the unit. Collective.
    ///
    /// # Errors
    /// The mesh has no such cell field or nodal field, or the field has no units.
    pub fn total_units(&self, name: &str) -> Result<Vec<(i128, f64)>, FieldError> {
        let (field, local) = (self.fields.find(name, Among::Conserved)?, &self.local);
        let own_units = match &field.kind {
            Kind::Vertex => unreachable!("a field with a mass"),
            Kind::Cell(_, units) => units,
            Kind::Node(nodal) => &nodal.units,
        };
        if own_units.is_empty() {
            return Err(FieldError::NoUnits { name: name.into() });
        }
        let units = |e: u32, i: usize| match &field.kind {
            Kind::Node(nodal) => nodal.units_of(field, local, e, i),
            _ => i128::from(units(local, e, field.first + i)),
        };
        let sum = |i: usize| -> i128 { local.own_elements().map(|e| units(e, i)).sum() };
        let sums = self.whole_sums((0..field.dim).map(sum).collect());
        Ok(sums.into_iter().zip(own_units.iter().copied()).collect())
    }

    /// All ranks' sums of whole numbers. Collective.
    fn whole_sums(&self, terms: Vec<i128>) -> Vec<i128> {
        // In digits of 32 bits, which leave room for the sum over all ranks; the two's complement wraps to the right number.
        let digits = |term: i128| (0..4).map(move |at| u64::from((term >> (32 * at)) as u32));
        let mut digits: Vec<u64> = terms.into_iter().flat_map(digits).collect();
        self.comm.all_reduce(&mut digits, ReduceOp::Sum);
        let whole = |digits: &[u64]| {
            (0..)
                .zip(digits)
                .fold(0i128, |sum, (at, &digit)| sum.wrapping_add(i128::from(digit).wrapping_shl(32 * at)))
        };
        digits.chunks_exact(4).map(whole).collect()
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
    let values = |&n: &u32| -> Few<f64> {
        match &field.kind {
            Kind::Vertex => local.vertices.values(n)[columns.clone()].iter().copied().collect(),
            Kind::Cell(..) => {
                columns.clone().map(|column| fields.mean(local, n, local.measure(n), column)).collect()
            }
            Kind::Node(nodal) => nodal.at_vertex(field, local, n),
        }
    };
    numbers.iter().flat_map(values).map(f64::to_bits).collect()
}
