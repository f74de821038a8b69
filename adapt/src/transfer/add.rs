//! Adding fields to a mesh.

use super::carry::of_units;
use super::fields::Kind;
use super::{Conserve, FieldError, Rule, Slopes};
use crate::geometry::{Geometry, Space};
use crate::mesh::Mesh;

/// Bits of the sum of all masses of an exact field when it is added: sums of a few times that size still fit.
const MASS_BITS: i32 = 60;

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

    fn check_field(
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
        let own: Vec<u32> = self.local.own_elements().collect();
        self.comm.agree(self.check_field(name, dim, values, self.local.elements.len(), &own))?;
        let first = self.fields.cell_width();
        let value = |e: u32, i: usize| values[e as usize * dim + i];
        let units: Vec<f64> = match rule.conserve {
            Conserve::Rounding => Vec::new(),
            Conserve::Exact => {
                (0..dim).map(|i| self.unit_of(own.iter().map(|&e| (e, value(e, i))))).collect()
            }
        };
        self.local.elements.widen(dim);
        for &e in &own {
            let measure = self.local.measure(e);
            for i in 0..dim {
                let held = match units.get(i) {
                    None => value(e, i),
                    Some(unit) => of_units((value(e, i) * measure / unit + 0.5).floor() as i64),
                };
                self.local.elements.values_mut(e)[first + i] = held;
            }
        }
        self.fields.add(name, dim, Kind::Cell(rule, units));
        self.slopes = Slopes::default();
        self.local.elements.values = self.owners_values();
        Ok(())
    }

    /// A power of two in which all masses together have [`MASS_BITS`] bits. Collective.
    fn unit_of(&self, values: impl Iterator<Item = (u32, f64)>) -> f64 {
        let all = self.exact_sum(values.map(|(e, value)| value.abs() * self.local.measure(e)));
        let exponent = (all.to_bits() >> 52) as i32 - 1022;
        power_of_two((exponent - MASS_BITS).max(LEAST_EXPONENT))
    }
}

/// 2 to the power of a normal number's exponent.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
