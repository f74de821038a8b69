//! `exact_sum` under the names of `exact_sum.h`, as a static and a shared library.
//!
//! Every function returns a status, and no panic crosses the language boundary. The header says what each function
//! does.

mod border;
mod dot;
mod sum;

pub use border::Status;
pub use dot::*;
pub use sum::*;
