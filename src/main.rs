//! The cfd program.
fn main() {}
