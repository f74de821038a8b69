//! Registers of x86-64 processors.
//!
//! A register is used only in code that [`Width`](super::Width) has chosen after asking the processor. Every function
//! is inlined into a loop that is compiled for the instructions it needs; a function that is called instead would be
//! compiled for the baseline processor.
//!
//! ```text
//! sse2      2 lanes, which every x86-64 processor has
//! avx2      4 lanes
//! avx512    8 lanes
//! root      square roots of 8 lanes
//! gather    numbers from 8 places
//! trial     which of two ways is faster here
//! ```

pub mod avx2;
pub mod avx512;
pub mod gather;
pub mod root;
pub mod sse2;
mod trial;
