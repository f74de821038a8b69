//! Which fields a mesh has, and their values.

use cfd_engine::comm::ReduceOp;

use super::carry::{of_units, units};
use super::{Conserve, FieldError, Order, Rule};
use crate::geometry::{Geometry, Space};
use crate::mesh::canonical::names;
use crate::mesh::{Local, Mesh};

/// Bits of the sum of all masses of an exact field when it is added: sums of a few times that still fit.
const MASS_BITS: i32 = 60;

/// The least unit: masses in it are still exact.
const LEAST_EXPONENT: i32 = -1000;

/// A field: components `first` to `first + dim` of the values of a vertex or an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub name: String,
    pub dim: usize,
    pub first: usize,
    pub kind: Kind,
}

/// Where a field lives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Vertex,
    /// With the unit of each component's mass, if it is exact.
    Cell(Rule, Vec<f64>),
}

/// A component of a cell field.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    order: Order,
    unit: Option<f64>,
}

/// The fields of a mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    fields: Vec<Field>,
    vertex_width: usize,
    columns: Vec<Column>,
}

impl Fields {
    pub fn iter(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Components of all cell fields.
    #[inline]
    pub fn cell_width(&self) -> usize {
        self.columns.len()
    }

    pub fn is_second_order(&self, column: usize) -> bool {
        self.columns[column].order == Order::Second
    }

    /// The unit of mass of a component, if it is exact.
    pub fn unit(&self, column: usize) -> Option<f64> {
        self.columns[column].unit
    }

    fn find(&self, name: &str, cell: bool) -> Result<&Field, FieldError> {
        let of_kind = |f: &&Field| cell == matches!(f.kind, Kind::Cell(..));
        let found = self.fields.iter().filter(of_kind).find(|f| f.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.fields.iter().filter(of_kind).map(|f| f.name.as_str()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            let kind = if cell { "cell" } else { "vertex" };
            FieldError::Unknown { kind: kind.into(), name: name.into(), known }
        })
    }

    fn check_name(&self, name: &str) -> Result<(), FieldError> {
        let taken = [
            names::VERTICES,
            names::ELEMENTS,
            names::FACETS,
            names::ELEMENT_VERTICES,
            names::FACET_VERTICES,
            names::X,
            names::BOUNDARY,
        ];
        let why = if name.is_empty() {
            "it needs a name"
        } else if taken.contains(&name) {
            "the mesh itself has something of that name"
        } else if self.fields.iter().any(|f| f.name == name) {
            "another field has that name"
        } else {
            return Ok(());
        };
        Err(FieldError::Name { name: name.into(), why: why.into() })
    }
}

impl<const D: usize> Mesh<D> {
    /// Adds a field of `dim` values at each vertex: `values` by local vertex number, of which those of this rank's own
    /// vertices count. Collective.
    ///
    /// # Errors
    /// A name that is taken, no component, a wrong number of values, values that are not finite; the same on all ranks.
    pub fn add_vertex_field(&mut self, name: &str, dim: usize, values: &[f64]) -> Result<(), FieldError> {
        let own: Vec<u32> = self.local.own_vertices().collect();
        self.comm.agree(self.check_field(name, dim, values, self.local.vertices.len(), &own))?;
        let first = self.fields.vertex_width;
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
        self.fields.fields.push(Field { name: name.into(), dim, first, kind: Kind::Vertex });
        self.fields.vertex_width += dim;
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
    /// Adds a field of `dim` mean values of each element: `values` by local element number, of which those of this rank's own
    /// elements count. Collective.
    ///
    /// # Errors
    /// A name that is taken, no component, a wrong number of values, values that are not finite; the same on all ranks.
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
        let column = |i: usize| Column { order: rule.order, unit: units.get(i).copied() };
        self.fields.columns.extend((0..dim).map(column));
        self.fields.fields.push(Field { name: name.into(), dim, first, kind: Kind::Cell(rule, units) });
        self.local.elements.values = self.owners_values();
        Ok(())
    }

    /// A power of two in which all masses together have [`MASS_BITS`] bits. Collective.
    fn unit_of(&self, values: impl Iterator<Item = (u32, f64)>) -> f64 {
        let all = self.exact_sum(values.map(|(e, value)| value.abs() * self.local.measure(e)));
        let exponent = (all.to_bits() >> 52) as i32 - 1022;
        power_of_two((exponent - MASS_BITS).max(LEAST_EXPONENT))
    }

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

    /// Total mass of each component of a cell field: the correctly rounded sum of the elements' masses. Collective.
    ///
    /// # Errors
    /// The mesh has no such cell field.
    pub fn total(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let field = self.fields.find(name, true)?;
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
    /// The mesh has no such cell field, or it has no units.
    pub fn total_units(&self, name: &str) -> Result<Vec<(i64, f64)>, FieldError> {
        let field = self.fields.find(name, true)?;
        let Kind::Cell(_, own_units) = &field.kind else { unreachable!("a cell field") };
        if own_units.is_empty() {
            return Err(FieldError::NoUnits { name: name.into() });
        }
        let sum = |column| -> i64 { self.local.own_elements().map(|e| units(&self.local, e, column)).sum() };
        let mut sums: Vec<u64> = (field.first..field.first + field.dim).map(|c| sum(c) as u64).collect();
        // Sums of two's complement wrap to the right number.
        self.comm.all_reduce(&mut sums, ReduceOp::Sum);
        Ok(sums.into_iter().map(|sum| sum as i64).zip(own_units.iter().copied()).collect())
    }
}

/// 2 to the power of an exponent of a normal number.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
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
