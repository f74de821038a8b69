//! HDF5 files of any bytes, in a process of their own: the program that the variable CFD_PROGRAM names.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use cfd_fuzz::limit::{Counting, bounded};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    std::env::var_os("CFD_PROGRAM").expect("CFD_PROGRAM is the path of the program cfd").into()
});

fuzz_target!(|data: &[u8]| bounded(data.len(), || cfd_fuzz::mesh_bytes::check(
    &PROGRAM,
    FOLDER.path(),
    data
)));
