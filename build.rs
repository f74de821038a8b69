//! What a program says of its own build: the compiler, and the commit that it is built from.
//!
//! The commit is what `CFD_COMMIT` says, as `./setup` sets it: a package knows of none, and a program that is compiled anew
//! after every commit would cost whoever works on it too much.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let version = if version.trim().is_empty() { "an unknown rustc" } else { version.trim() };
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let (target, level) = (variable("TARGET"), variable("OPT_LEVEL"));
    println!("cargo::rustc-env=CFD_COMPILER={version}, {target}, opt-level {level}");
    let commit = variable("CFD_COMMIT");
    let commit = commit.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("unknown");
    println!("cargo::rustc-env=CFD_BUILT_FROM={commit}");
    println!("cargo::rerun-if-env-changed=CFD_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
}
