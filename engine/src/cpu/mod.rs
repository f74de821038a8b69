//! From a loop on a stretch of rows to the registers.
//!
//! ```text
//! work           a step on all workers
//! blocks         the same with privatised increments; buffers: room for them, and snapshots
//! record         a recorded loop; operand: its operands, matched to the kernel's parameters
//! bound/         arguments: operands bound to local storage; running: global results on their way through a loop
//! executor       runs a kernel over elements, as many at a time as there are lanes
//! element_block  these elements
//! prefetch       asks for what comes after them
//! ```

pub mod blocks;
pub mod bound;
pub mod buffers;
pub mod element_block;
pub mod executor;
pub mod operand;
pub mod prefetch;
pub mod record;
pub mod running;
pub mod work;
