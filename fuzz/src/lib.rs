//! What hostile inputs must not do, as functions of bytes: no panic, no hang, no memory out of proportion.
//!
//! ```text
//! config          a configuration file and options of the command line
//! op2_text        meshes in text: OP2's, MG-CFD's input.dat
//! outside         meshes of other programs, text and binary
//! mesh_structure  mesh files whose datasets have any names, types, shapes and values, made with the HDF5 library
//! mesh_bytes      HDF5 files with any bytes, opened by the program in a process of its own
//! checkpoint      checkpoints with any header and datasets
//! meshes          small meshes that inputs start from; reading on one rank and on several
//! limit           the allocator that notices a lying header
//! ```
//!
//! The programs in `fuzz_targets/` feed them from libFuzzer, `tests/fuzz_corpus.rs` of the main workspace from the
//! files in `corpus/`.

pub mod checkpoint;
pub mod config;
pub mod limit;
pub mod mesh_bytes;
pub mod mesh_structure;
pub mod meshes;
pub mod op2_text;
pub mod outside;
