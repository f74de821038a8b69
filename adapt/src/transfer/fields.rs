//! Which fields a mesh has.

use super::nodal::Nodal;
use super::{FieldError, Order, Rule};
use crate::mesh::canonical::names;

/// A field of `dim` components: its columns of the values of a vertex or an element are `first` and those that follow, one
/// for each component, or more for a nodal field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: String,
    pub dim: usize,
    pub first: usize,
    pub kind: Kind,
}

/// Where a field is defined.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Vertex,
    /// With the unit of each component's mass, if it is exact.
    Cell(Rule, Vec<f64>),
    Node(Nodal),
}

/// Which fields a name is looked up among.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Among {
    Vertex,
    Cell,
    Nodal,
    /// Those that have a mass.
    Conserved,
}

impl Among {
    fn has(self, kind: &Kind) -> bool {
        match self {
            Among::Vertex => matches!(kind, Kind::Vertex),
            Among::Cell => matches!(kind, Kind::Cell(..)),
            Among::Nodal => matches!(kind, Kind::Node(_)),
            Among::Conserved => !matches!(kind, Kind::Vertex),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Among::Vertex => "vertex",
            Among::Cell => "cell",
            Among::Nodal => "nodal",
            Among::Conserved => "conserved",
        }
    }
}

/// A number that elements hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    /// A component of a cell field.
    Cell { order: Order, unit: Option<f64> },
    /// Of a nodal field.
    Corner,
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

    /// Numbers that an element holds: components of cell fields, and what nodal fields are at corners.
    #[inline]
    pub fn cell_width(&self) -> usize {
        self.columns.len()
    }

    /// The columns that are components of cell fields.
    pub fn cell_columns(&self) -> impl Iterator<Item = usize> {
        (0..).zip(&self.columns).filter(|(_, column)| **column != Column::Corner).map(|(at, _)| at)
    }

    pub fn is_second_order(&self, column: usize) -> bool {
        matches!(self.columns[column], Column::Cell { order: Order::Second, .. })
    }

    /// Adds a field of `dim` components after the others of its kind.
    pub fn add(&mut self, name: &str, dim: usize, kind: Kind) {
        let first = match &kind {
            Kind::Vertex => self.fields.iter().filter(|f| Among::Vertex.has(&f.kind)).map(|f| f.dim).sum(),
            Kind::Cell(rule, units) => {
                let first = self.columns.len();
                let column = |i: usize| Column::Cell { order: rule.order, unit: units.get(i).copied() };
                self.columns.extend((0..dim).map(column));
                first
            }
            Kind::Node(nodal) => {
                let first = self.columns.len();
                self.columns.resize(first + nodal.columns(dim), Column::Corner);
                first
            }
        };
        self.fields.push(Field { name: name.into(), dim, first, kind });
    }

    /// The unit of mass of a component, if it is exact.
    pub fn unit(&self, column: usize) -> Option<f64> {
        match self.columns[column] {
            Column::Cell { unit, .. } => unit,
            Column::Corner => None,
        }
    }

    pub fn find(&self, name: &str, among: Among) -> Result<&Field, FieldError> {
        let of_kind = |f: &&Field| among.has(&f.kind);
        let found = self.fields.iter().filter(of_kind).find(|f| f.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.fields.iter().filter(of_kind).map(|f| f.name.as_str()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            FieldError::Unknown { kind: among.name().into(), name: name.into(), known }
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
