//! Prints a hash of every function's results: what two machines have to agree on.
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
