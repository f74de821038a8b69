//! Fields that are carried from one mesh to the next.

use cfd_engine::mesh::Values;
use cfd_engine::prelude::{AnyDat, Domain, ElementType};

use super::RemeshError;
use crate::transfer::{FieldError, Rule};

/// A field of a domain that is carried along: its numbers on the nodes or the cells of the mesh of elements, row by row.
#[derive(Clone, Debug)]
pub struct Carried {
    pub(super) name: String,
    pub(super) dat: AnyDat,
    pub(super) on: On,
}

/// What a carried field is on.
#[derive(Clone, Debug)]
pub(super) enum On {
    /// The nodes; new ones lie on edges and take the mean of the ends, or are interpolated where they move to.
    Nodes,
    /// The cells, whose mean values are divided among new cells; and the masses that these were divided from.
    Cells(Rule, Option<AnyDat>),
}

impl Carried {
    /// Values at nodes.
    pub fn nodes(name: &str, dat: impl Into<AnyDat>) -> Carried {
        Carried { name: name.into(), dat: dat.into(), on: On::Nodes }
    }

    /// Mean values of cells.
    pub fn cells(name: &str, dat: impl Into<AnyDat>, rule: Rule) -> Carried {
        Carried { name: name.into(), dat: dat.into(), on: On::Cells(rule, None) }
    }

    /// Mean values of cells, with the masses that [`super::Round::write_masses`] has written to `masses`: two numbers for
    /// each component, whose sum is the mass. The mean value of a cell has fewer digits than its mass; where it has not
    /// changed, the mass is the one given here, so rounds on end conserve the total to the last bit.
    pub fn cells_with_masses(
        name: &str,
        dat: impl Into<AnyDat>,
        rule: Rule,
        masses: impl Into<AnyDat>,
    ) -> Carried {
        Carried { name: name.into(), dat: dat.into(), on: On::Cells(rule, Some(masses.into())) }
    }

    /// This rank's block of a dat's values. Collective.
    pub(super) fn block(&self, domain: &mut Domain, dat: AnyDat, rows: u64) -> Result<Vec<f64>, RemeshError> {
        let set = dat.set();
        if dat.element_type() != ElementType::F64 || domain.rows(set) != rows {
            let on = if matches!(self.on, On::Nodes) { "nodes" } else { "cells" };
            let what = format!(
                "field {:?} is not f64 on the {rows} {on} of the mesh: {} on a set of {} rows",
                self.name,
                dat.element_type(),
                domain.rows(set)
            );
            return Err(FieldError::Blocks { what }.into());
        }
        let Values::F64(values) = dat.read_block(domain)? else { unreachable!("the type has been checked") };
        Ok(values)
    }
}
