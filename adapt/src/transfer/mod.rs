//! Fields that are carried along while the mesh is adapted.
//!
//! A *vertex field* has values at vertices and is linear in each element. A vertex that splits an edge or moves takes
//! the field's value at its new position from before the operation: linear fields are preserved, but nothing is
//! conserved.
//!
//! A *cell field* has mean values of elements and is conserved. An operation replaces the elements of a *cavity* (the
//! star of a vertex that vanishes or moves, the two elements at an edge that is swapped, the element that is split) by
//! others that cover the same area, and each new element takes what lay where it lies now (Alauzet, Mehrenberger 2010,
//! doi:10.1002/nme.2902, within a cavity instead of the whole mesh):
//!
//! ```text
//! a(n,o)     measure of what new element n and old element o have in common, by clipping, then scaled for
//!            each o so that sum over n of a(n,o) = |o|
//! c(n,o)     its centroid
//! mass(n)  = sum over o of a(n,o) (u(o) + g(o) . (c(n,o) - c(o))),   c(o) = sum over n of a(n,o) c(n,o) / |o|
//! u(n)     = mass(n) / |n|, but within the lowest and the highest of the terms in brackets
//! ```
//!
//! The gradient g is 0 for [`Order::First`]; for [`Order::Second`], it is that of planes fitted to the elements around
//! vertices, limited where the field is not smooth. Sums run over the elements in the order of their corners'
//! identities.
//!
//! A *nodal field* has values at vertices, as a vertex field, and is conserved, as a cell field: for finite volumes around
//! vertices. Its mass is the sum of the values times the dual volumes V, the integral of the linear function. An element
//! holds a value u(e,v) for each corner v, that of the vertex until an operation replaces the element:
//!
//! ```text
//! V(v)   = sum over elements e at v of |e| / (D + 1)
//! u(n)   as above, where u(o) and g(o) are mean and gradient of the linear function with the values at o's corners
//! g(n)   = sum over o of a(n,o) g(o) / sum over o of a(n,o)
//! u(n,v) = u(n) + l(n) g(n) . (x(v) - x(n)),   x(n): the centroid of n
//! u(v)   = sum over elements e at v of |e| u(e,v) / sum over e of |e|,   at the end
//! ```
//!
//! l(n) is the largest factor up to 1 for which u(n,v) stays between the lowest and the highest value at corners of the old
//! elements; it leaves a linear function as it is. Where a field says which values of its components are admitted together
//! ([`Admits`]: a positive pressure, say), the gradients of all components are halved until those at all corners are, and
//! after ten times set to 0: the values admitted must be a convex set, so that means of some are admitted, too. A value that
//! a rounding separates from others that are not admitted may be lost.
//!
//! | | [`Conserve::Rounding`] | [`Conserve::Exact`] |
//! | --- | --- | --- |
//! | an element holds | its mean value | its mass in whole units, a power of two fixed when the field is added |
//! | of a nodal field | its corners' values | its corners' masses in whole units, of which the total has a hundred bits |
//! | the total mass | is conserved up to rounding | is conserved to the last bit: a sum of whole numbers |
//! | a constant | is preserved to the last bit | is preserved up to a unit per element, at nodes up to rounding |
//! | first order and nodes, bounds | hold to the last bit | hold up to a unit per element, at nodes up to rounding |
//! | where nothing changes, at nodes | a value is the same to the last bit | the mass is |
//!
//! For `Exact`, the masses of a cavity's new elements are rounded down to units, and the remainder of the cavity's
//! total is handed out unit by unit in the order of the elements. Of a nodal field, the corner with the largest mass takes
//! it: there, a unit is less than a rounding of any mass that matters, and small masses stay positive beside large ones. A
//! vertex's mass is a sum of units, and its value that mass over V(v), rounded once.
//!
//! A new element so flat that rounding decides what covers it takes the mean value of the cavity. No operation makes
//! one, but a mesh may bring some along.
//!
//! Where a vertex moves onto a curved boundary or along it, the cavity's area changes: some of it was outside the old
//! elements, and some of these is outside now. There a(n,o) is not scaled and the mean value is that of the part of a new
//! element that old ones cover,
//!
//! ```text
//! u(n) = sum over o of a(n,o) (u(o) + g(o) . (c(n,o) - c(o))) / sum over o of a(n,o),   c(o): the centroid of o
//! ```
//!
//! so constants and bounds hold, and what the boundary's motion sweeps enters or leaves with the value next to it. All
//! that the total changes by has entered or left in this way.
//!
//! The rank that carries out the operation holds everything on which a cavity's new values depend; only
//! [`Order::Second`] needs a message to neighbours for each field, component and pass.

mod add;
mod blocks;
mod canonical;
mod carry;
mod cavity;
mod copies;
mod error;
mod fields;
mod moves;
mod nodal;
mod read;
mod slopes;

use serde::{Deserialize, Serialize};

pub use self::error::FieldError;
pub use self::nodal::Admits;

pub(crate) use self::cavity::{Replacement, carry_all, carry_children, put};
pub(crate) use self::fields::Fields;
pub(crate) use self::moves::{carry_moves, exchange_moves, put_moved};
pub(crate) use self::slopes::{Slopes, update_slopes};

/// What a cell field looks like within an element when it is divided among new ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Constant: no new extremes; steps are spread.
    #[default]
    First,
    /// Linear with limited gradients: linear fields are preserved; steps are spread less.
    Second,
}

/// How exactly a field's total mass is conserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conserve {
    /// Up to rounding.
    #[default]
    Rounding,
    /// To the last bit.
    Exact,
}

/// How a cell field is carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Its shape within an element.
    pub order: Order,
    /// How exactly its mass is conserved.
    pub conserve: Conserve,
}
