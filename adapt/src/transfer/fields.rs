//! Which fields a mesh has.

use super::{FieldError, Order, Rule};
use crate::mesh::canonical::names;

/// A field: components `first` to `first + dim` of the values of a vertex or an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub name: String,
    pub dim: usize,
    pub first: usize,
    pub kind: Kind,
}

/// Where a field is defined.
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

    /// Adds a field of `dim` components after the others of its kind.
    pub fn add(&mut self, name: &str, dim: usize, kind: Kind) {
        let first = match &kind {
            Kind::Vertex => self.fields.iter().filter(|f| f.kind == Kind::Vertex).map(|f| f.dim).sum(),
            Kind::Cell(rule, units) => {
                let first = self.columns.len();
                let column = |i: usize| Column { order: rule.order, unit: units.get(i).copied() };
                self.columns.extend((0..dim).map(column));
                first
            }
        };
        self.fields.push(Field { name: name.into(), dim, first, kind });
    }

    /// The unit of mass of a component, if it is exact.
    pub fn unit(&self, column: usize) -> Option<f64> {
        self.columns[column].unit
    }

    pub fn find(&self, name: &str, cell: bool) -> Result<&Field, FieldError> {
        let of_kind = |f: &&Field| cell == matches!(f.kind, Kind::Cell(..));
        let found = self.fields.iter().filter(of_kind).find(|f| f.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.fields.iter().filter(of_kind).map(|f| f.name.as_str()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            let kind = if cell { "cell" } else { "vertex" };
            FieldError::Unknown { kind: kind.into(), name: name.into(), known }
        })
    }

    pub fn check_name(&self, name: &str) -> Result<(), FieldError> {
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
