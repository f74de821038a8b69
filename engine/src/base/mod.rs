//! What everything else stands on, and which knows nothing of meshes.
//!
//! ```text
//! memory, lines   huge pages, cache lines asked for ahead, stores past the cache; arrays of whole lines
//! team, share     the worker threads of a rank; shares of a range
//! timer           one timer a loop
//! given           what users give: files that must be regular ones, texts that messages repeat
//! ```

pub mod given;
pub mod lines;
pub mod memory;
pub mod share;
pub mod team;
pub mod timer;
