//! Mesh files, mesh generation, validation, solution files and hashes.
//!
//! ```text
//! schema             what a case's mesh consists of: a table of sets, maps and dats and their names in files
//! read, write        one mesh in, one mesh out; the format is found from the content or the file name
//!   mesh_hdf5        the project's HDF5 layout and OP2's
//!   mgcfd_hdf5       MG-CFD's layout, one file a level, and mgcfd_input, which names them
//!   op2_text         OP2's text formats new_grid.dat and FE_grid.dat
//!   outside/         meshes of other programs, Gmsh's and SU2's: elements and named boundaries made a mesh
//! validate/          what makes a mesh usable, checked by all ranks on load
//! closure            how well dual cells close
//! generate/          meshes made from formulas
//! level              one level of an edge-based mesh in memory
//! agglomerate/       coarse levels made by putting nodes together
//! field, solution    values on a set's elements, in global order; solution.h5
//! vtu                grids with fields for ParaView
//! solution_file      listing a solution's fields and reading their rows in pieces
//! hash               BLAKE3 of meshes, fields and solutions
//! hdf5_file          reading slabs from hostile HDF5 files
//! hdf5_output        writing slabs from all ranks, by MPI-IO or one rank after the other
//! disk               why a file could not be written, asked of the file system
//! noise              numbers that look random
//! stream, atomic     blocks through rank 0 piece by piece; write beside, then rename
//! ```
//!
//! Every rank holds one block of each set ([`cfd_engine::mesh::Blocks`]) and reads, checks, writes and hashes only
//! that. All functions that take a [`cfd_engine::comm::Comm`] are collective: every rank calls them, and an error on
//! one rank is returned on all.

mod agglomerate;
mod atomic;
mod closure;
mod disk;
mod error;
mod field;
pub mod generate;
mod hash;
mod hdf5_file;
mod hdf5_output;
mod level;
mod mesh_hdf5;
mod mgcfd_hdf5;
mod mgcfd_input;
mod noise;
mod op2_text;
mod outside;
mod place;
mod read;
pub mod schema;
mod solution;
mod solution_file;
mod stream;
mod validate;
mod vtu;
mod write;

pub use agglomerate::agglomerate;
pub use atomic::{set_identity, try_directory, write_atomically};
pub use closure::{ClosureDefect, closure_defect, smallest_volume};
pub use error::IoError;
pub use field::{FieldData, to_blocks};
pub use hash::{Digest, bits_hash, field_hash, mesh_hash, solution_hash};
pub use hdf5_output::{Hdf5Info, hdf5_info, start_hdf5};
pub use outside::{Boundaries, FAR_FIELDS, WALLS};
pub use read::{read_mesh, read_mesh_as_is, read_mesh_with};
pub use schema::{Case, Format};
pub use solution::{Field, read_byte_attribute, read_field, write_fields, write_solution};
pub use solution_file::{FieldShape, SolutionFile};
pub use validate::validate;
pub use vtu::{Array, Piece, write_vtu};
pub use write::{write_mesh, write_mesh_as};
