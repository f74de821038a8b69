//! Strategies: how loops that change values through maps are executed.
//!
//! Several elements change the same target, so the order in which they do matters to the last bit. A strategy turns a
//! loop into a `Schedule`; one driver and one executor run every schedule.
//!
//! ```text
//! list             the strategies: name, class of bits, what each does, what makes its schedule
//! ordered          each target receives its increments in one given order: canonical, by color, by local row
//! temporary_array  increments are buffered, then added target by target
//! blocks           blocks of consecutive elements, those of one color at the same time
//! privatised       by local row; a worker's increments are buffered, then combined by a plug-in
//! accumulate       what a plug-in strategy provides
//! coloring/        colors of the elements: greedy on one rank, or distributed
//! division         owned targets cut into regions, by work
//! changes          what a loop changes through maps
//! ```
//!
//! A loop that reads and writes through a map (`Rw`) runs color by color in every strategy, with fresh copies of what it
//! changes before each color: greedy colors with `greedy-coloring`, distributed ones with all others.
//!
//! The colorings, temporary arrays and their comparison are published in Siklósi, Mudalige, Reguly, "Enabling bitwise
//! reproducibility for the unstructured computational motif", Applied Sciences 14(2):639, 2024,
//! DOI 10.3390/app14020639 (Algorithms 1-3); the regions are the owner-compute rule applied inside a rank.

pub(crate) mod accumulate;
mod blocks;
pub(crate) mod changes;
pub(crate) mod class;
pub mod coloring;
mod division;
pub(crate) mod list;
pub(crate) mod ordered;
pub(crate) mod privatised;
pub(crate) mod request;
mod temporary_array;

pub use self::accumulate::{Accumulate, Accumulation, Increments, Merge, Plug, Slot};
pub use self::class::{HashClass, Mode};
pub use self::list::Strategy;
