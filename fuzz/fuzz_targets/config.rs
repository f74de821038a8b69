//! Configuration files and options of the command line.

#![no_main]

use cfd_fuzz::limit::{Counting, bounded};
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fuzz_target!(|data: &[u8]| bounded(data.len(), || cfd_fuzz::config::check(data)));
