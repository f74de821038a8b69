//! Configuration keys: each is described once, and everything else is derived from that description.
//!
//! ```text
//! key        a key: name, kind, default, unit, meaning; a table of keys
//! kind       types and limits of values
//! value      one value: checked, printed as TOML and JSON
//! condition  conditions on the named boundaries of a mesh
//! similar    what an unknown word could have meant
//! describe   table! and choice!: a description and the Rust type it fills
//! ```
//!
//! Checks and their messages, defaults, the complete configuration of a run, the reference page and the command-line
//! options for keys all read these descriptions. A solver describes its keys next to its equations and gets a struct
//! filled from checked values:
//!
//! ```
//! cfd_keys::choice! {
//!     /// A method.
//!     pub enum Method {
//!         /// One step at a time.
//!         Explicit = "explicit",
//!         /// A linear system a step.
//!         Implicit = "implicit",
//!     }
//! }
//! cfd_keys::table! {
//!     /// Heat in a plate: an example
//!     pub struct Config = "plate" {
//!         /// time step
//!         step: f64, Number(Open(0.0), Free), default = 0.5, unit = "s";
//!         /// how a step is made
//!         method: Method, Choice(Method::WORDS), default = "explicit";
//!         /// temperature of the wall; unset: that of the air
//!         wall: Option<f64>, Number(Free, Free);
//!     }
//! }
//! let config = Config::default();
//! assert_eq!((config.step, config.method, config.wall), (0.5, Method::Explicit, None));
//! use cfd_keys::Keys;
//! assert_eq!(Config::TABLE.keys[0].meaning, "time step");
//! ```

mod condition;
mod describe;
mod key;
mod kind;
mod similar;
mod value;

pub use self::condition::{BoundaryCondition, Condition};
#[doc(hidden)]
pub use self::describe::defaults;
pub use self::describe::{Keys, typed};
pub use self::key::{Key, Table};
pub use self::kind::{Bound, Count, Kind, LARGEST};
pub use self::similar::nearest;
pub use self::value::{Mismatch, Value, describe};
