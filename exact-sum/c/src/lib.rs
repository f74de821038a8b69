//! `exact_sum` under the names of `exact_sum.h`, as a static and a shared library.
//!
//! Every function returns a status, and no panic crosses the border. What a function does stands in the header.

mod border;
mod dot;
mod sum;

pub use border::Status;
pub use dot::*;
pub use sum::*;
