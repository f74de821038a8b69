//! From a loop on a stretch of rows to the registers.
//!
//! ```text
//! work       a step on all workers; blocks: the same for strategies from outside
//! record     a recorded loop; operand: its operands, matched to the kernel's parameters
//! bound/     operands bound to local storage; running: global results on their way through a loop
//! executor   runs a kernel over elements, as many at a time as there are lanes
//! visits     these elements; ahead: fetches what comes after them
//! ```

pub mod ahead;
pub mod blocks;
pub mod bound;
pub mod buffers;
pub mod executor;
pub mod operand;
pub mod record;
pub mod running;
pub mod visits;
pub mod work;
