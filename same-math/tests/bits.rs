//! The bits: a hash of results for every function, the same from Rust on every processor and from C++.

mod hashes;

use std::path::{Path, PathBuf};
use std::process::Command;

use hashes::hashes;

/// The bits since the first version. A change here is a change of results everywhere.
const HASHES: [(&str, u64); 19] = [
    ("exp", 0x181e1880a20e3e70),
    ("exp2", 0xaa7a64c06ecd2d36),
    ("exp_m1", 0x9907365c28db8355),
    ("ln", 0x5f7a4beeec9f5ca6),
    ("log2", 0xe66f11df1bde07ee),
    ("ln_1p", 0xc1429a5fd2e71175),
    ("cbrt", 0xd8721e8358148abf),
    ("sin", 0x45bb3ae1d4b7ba5d),
    ("cos", 0x319d203dffc58faf),
    ("tan", 0x4f7e9266cb706388),
    ("atan", 0xfbcd05d457ac35d7),
    ("asin", 0x3a70821e59a2c473),
    ("acos", 0xd5cd699d5756c829),
    ("sinh", 0x190af4a6bdf71e54),
    ("cosh", 0xd93a091a5706aed7),
    ("tanh", 0xa420be014b810fe5),
    ("atan2", 0x0bf8c167d82f0149),
    ("powf", 0x6860e2777de26566),
    ("powi", 0x60fbe4035038612f),
];

#[test]
fn results_have_the_bits_they_always_had() {
    assert_eq!(
        hashes().iter().map(|(name, hash)| format!("(\"{name}\", {hash:#018x})")).collect::<Vec<_>>(),
        HASHES.iter().map(|(name, hash)| format!("(\"{name}\", {hash:#018x})")).collect::<Vec<_>>()
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Compiles a program with the host's compiler and runs it; none without a compiler.
fn output_of(compiler: &str, source: &str, more: &[&str]) -> Option<String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{source}-{}", more.concat().replace(['/', '-', '='], "_")));
    let compiled = Command::new(compiler)
        .args(["-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-o"])
        .arg(&program)
        .arg(root().join("tests").join(source))
        .args(more)
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("There is no {compiler} here: not compared.");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn cpp_gives_the_same_bits() {
    let expected: String = hashes().iter().map(|(name, hash)| format!("{name} {hash:016x}\n")).collect();
    let native = if cfg!(target_arch = "x86_64") { "-march=native" } else { "-O2" };
    for flags in [&["-std=gnu++17", native][..], &["-std=c++14", "-O1"]] {
        if let Some(output) = output_of("g++", "bits.cpp", flags) {
            assert_eq!(output, expected, "{flags:?}");
        }
    }
}
