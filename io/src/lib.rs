//! Mesh files, validation, solution files and hashes.
//!
//! ```text
//! read, write        one mesh in, one mesh out; the format is found from the content or the file name
//! format/            mesh formats, one module each, and the list of them
//! listed/            nodes, elements and named groups that text formats list, made a mesh
//! validate           what makes a mesh usable, checked by all ranks on load
//! source             where a row of a mesh stands in its file
//! field, solution    values on a set's elements, in global order; solution.h5
//! grid               cells, points and fields, as files and pictures show them
//! state              a solver's state: fields that know their hash, single values
//! vtu, element_vtu   grids with fields for ParaView; meshes of elements with their dats
//! pvd                the list of a series of such files, with their times
//! vtkhdf             grids with fields at any number of times for ParaView, in one file
//! solution_file      listing a solution's fields and reading their rows in pieces
//! solution_mesh      the mesh that a solution may hold
//! matrix_market      sparse matrices, for benchmarks
//! hash               BLAKE3 of meshes, fields and solutions
//! hdf5_file          reading slabs from hostile HDF5 files
//! hdf5_output        writing slabs from all ranks, by MPI-IO or one rank after the other
//! disk               why a file could not be written, asked of the file system
//! stream, atomic     blocks through rank 0 piece by piece; write beside, then rename
//! row_file           a file that rank 0 writes of all ranks' rows
//! ```
//!
//! The mesh (`cfd-mesh`) says what it consists of; this crate does not know who computes on it. Every rank
//! holds one block of each set ([`cfd_engine::mesh::Blocks`]) and reads, checks, writes and hashes only that. All
//! functions that take a [`cfd_engine::comm::Comm`] are collective: every rank calls them, and an error on one rank is
//! returned on all.

mod atomic;
mod disk;
mod element_vtu;
mod error;
mod field;
pub mod format;
mod grid;
mod hash;
mod hdf5_file;
mod hdf5_output;
mod listed;
mod matrix_market;
mod pvd;
mod read;
mod row_file;
mod solution;
mod solution_file;
mod solution_mesh;
mod source;
mod state;
mod stream;
mod validate;
mod vtkhdf;
mod vtu;
mod write;

pub use atomic::{set_identity, write_atomically};
pub use element_vtu::write_element_vtu;
pub use error::IoError;
pub use field::{Block, FieldData, to_blocks};
pub use format::general::{is_any_mesh, read_any_mesh, write_any_mesh};
pub use format::medit::fields::{FieldKind, NodeField, NodeFields, read_node_fields, write_node_fields};
pub use format::{FORMATS, Format, Holds};
pub use grid::{Array, CellList, Datum, DatumValue, DomainCells, Grid, Piece};
pub use hash::{Digest, bits_hash, field_hash, given_hash, mesh_hash, solution_hash};
pub use hdf5_output::{Hdf5Info, hdf5_info, start_hdf5};
pub use matrix_market::{Entries, read_matrix_market};
pub use pvd::Collection;
pub use read::{
    Notes, read_derived, read_element_mesh, read_mesh, read_mesh_as_is, read_mesh_of, read_noted,
};
pub use solution::{
    Field, MESH_GROUP, read_byte_attributes, read_field, read_fields, write_fields, write_solution,
    write_solution_on,
};
pub use solution_file::{FieldShape, SolutionFile};
pub use solution_mesh::read_solution_mesh;
pub use state::{read_count, read_number, read_state, write_state};
pub use validate::{validate, validate_with};
pub use vtkhdf::VtkHdf;
pub use vtu::write_vtu;
pub use write::{write_element_mesh, write_given, write_mesh};
