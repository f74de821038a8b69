//! Prints a hash of every function's results, on which two machines must agree.
//!
//! ```text
//! cargo run -p same-math --example hashes
//! ```

#[path = "../tests/hashes/mod.rs"]
mod hashes;

fn main() {
    for (name, hash) in hashes::hashes() {
        println!("{name} {hash:016x}");
    }
}
