//! Fields that the mesh carries along while it is adapted.
//!
//! A *vertex field* has values at vertices and is linear in each element. A vertex that splits an edge or moves takes the
//! value of the field at its new place before the operation: linear fields stay what they are, nothing is conserved.
//!
//! A *cell field* has mean values of elements and is conserved. An operation replaces the elements of a *cavity* (the star of
//! a vertex that vanishes or moves, the two elements at an edge that is swapped, the element that is split) by others that
//! cover the same area, and each new element takes what lay where it lies now (Alauzet, Mehrenberger 2010,
//! doi:10.1002/nme.2902, within a cavity instead of the whole mesh):
//!
//! ```text
//! a(n,o)     measure of what new element n and old element o have in common, by clipping, then scaled for each o so that
//!            sum over n of a(n,o) = |o|
//! c(n,o)     its centroid
//! mass(n)  = sum over o of a(n,o) (u(o) + g(o) . (c(n,o) - c(o))),   c(o) = sum over n of a(n,o) c(n,o) / |o|
//! u(n)     = mass(n) / |n|, but within the lowest and the highest of the terms in brackets
//! ```
//!
//! The gradient g is 0 for [`Order::First`], and for [`Order::Second`] that of planes fitted to the elements round vertices,
//! limited where the field is not smooth. Sums run over the elements in the order of their corners' identities.
//!
//! | | [`Conserve::Rounding`] | [`Conserve::Exact`] |
//! | --- | --- | --- |
//! | an element holds | its mean value | its mass as a whole number of units, a power of two fixed when the field is added |
//! | the total mass | is kept up to rounding | is kept to the last bit: a sum of whole numbers |
//! | a constant | is kept to the last bit | is kept up to a unit an element |
//! | first order, bounds | are kept to the last bit | are kept up to a unit an element |
//!
//! For `Exact` the masses of a cavity's new elements are rounded down to units, and what is left of the cavity's total is
//! handed out unit by unit in the order of the elements.
//!
//! Bounds and constants hold where the cavity keeps its area. Where a vertex goes onto a curved boundary or along it, or a
//! boundary is straightened, the area changes; then mass is kept, and values change.
//!
//! All that a cavity's new values depend on is held by the rank that carries the operation out; only [`Order::Second`] needs
//! a message to neighbours for each field, component and pass.

mod add;
mod blocks;
mod canonical;
mod carry;
mod cavity;
mod copies;
mod error;
mod fields;
mod moves;
mod read;
mod slopes;

use serde::{Deserialize, Serialize};

pub use self::error::FieldError;

pub(crate) use self::cavity::{Replacement, carry_all, carry_children, put};
pub(crate) use self::fields::Fields;
pub(crate) use self::moves::{carry_moves, exchange_moves, put_moved};
pub(crate) use self::slopes::{Slopes, update_slopes};

/// What a cell field looks like within an element when it is shared out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Constant: no new extremes, steps are spread.
    #[default]
    First,
    /// Linear with limited gradients: linear fields stay what they are, steps are spread less.
    Second,
}

/// To what a cell field's total mass is kept.
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
    /// What it looks like within an element.
    pub order: Order,
    /// To what its mass is kept.
    pub conserve: Conserve,
}
