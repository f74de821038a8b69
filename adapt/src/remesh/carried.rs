//! Fields that are carried from one mesh to the next.

use cfd_engine::mesh::Values;
use cfd_engine::prelude::{AnyDat, Domain, ElementType};

use super::RemeshError;
use crate::transfer::{Admits, Conserve, FieldError, Rule};

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
    /// The nodes, with a mass that is conserved; what their values must be, and the masses that these were divided from.
    Conserved(Conserve, Option<Admits>, Option<AnyDat>),
}

impl Carried {
    /// Values at nodes.
    pub fn nodes(name: &str, dat: impl Into<AnyDat>) -> Carried {
        Carried { name: name.into(), dat: dat.into(), on: On::Nodes }
    }

    /// Values at nodes whose mass is conserved, that is the sum of the values times the nodes' dual volumes. `admits`, if
    /// given, is true for all values that a node may have; means of such values must be such, too
    /// ([`Mesh::add_nodal_field`](crate::mesh::Mesh::add_nodal_field)).
    pub fn conserved_nodes(
        name: &str,
        dat: impl Into<AnyDat>,
        conserve: Conserve,
        admits: Option<Admits>,
    ) -> Carried {
        Carried { name: name.into(), dat: dat.into(), on: On::Conserved(conserve, admits, None) }
    }

    /// As [`Carried::conserved_nodes`], with the masses that [`super::Round::write_masses`] has written to `masses`, as for
    /// [`Carried::cells_with_masses`].
    pub fn conserved_nodes_with_masses(
        name: &str,
        dat: impl Into<AnyDat>,
        conserve: Conserve,
        admits: Option<Admits>,
        masses: impl Into<AnyDat>,
    ) -> Carried {
        let on = On::Conserved(conserve, admits, Some(masses.into()));
        Carried { name: name.into(), dat: dat.into(), on }
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
        let on = if matches!(self.on, On::Cells(..)) { "cells" } else { "nodes" };
        block(domain, dat, rows, &format!("field {:?}", self.name), on)
    }
}

/// This rank's block of a dat's values, which must have so many rows; `what` and `on` say what they are and what rows stand
/// for. Collective.
pub(super) fn block(
    domain: &mut Domain,
    dat: AnyDat,
    rows: u64,
    what: &str,
    on: &str,
) -> Result<Vec<f64>, RemeshError> {
    let set = dat.set();
    if dat.element_type() != ElementType::F64 || domain.rows(set) != rows {
        let what = format!(
            "{what} is not f64 on the {rows} {on} of the mesh: {} on a set of {} rows",
            dat.element_type(),
            domain.rows(set)
        );
        return Err(FieldError::Blocks { what }.into());
    }
    let Values::F64(values) = dat.read_block(domain)? else { unreachable!("the type has been checked") };
    Ok(values)
}
