//! Meshes of other programs.

#![no_main]

use std::sync::LazyLock;

use cfd_fuzz::limit::{Counting, bounded};
use cfd_fuzz::meshes::on_several_ranks;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));

fuzz_target!(|data: &[u8]| bounded(data.len(), || cfd_fuzz::outside::check(
    FOLDER.path(),
    data,
    on_several_ranks(data)
)));
