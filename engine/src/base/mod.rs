//! What everything else stands on and what knows nothing of meshes.
//!
//! ```text
//! memory          huge pages, prefetch of a cache line, streaming stores
//! aligned_buffer  arrays that begin with a cache line
//! thread_pool     the workers of a rank
//! share           shares of a range
//! timer           one timer a loop
//! given           what users give: files that must be regular ones, texts that messages repeat
//! ```

pub mod aligned_buffer;
pub mod given;
pub mod memory;
pub mod share;
pub mod thread_pool;
pub mod timer;
