//! Lists the tests in the cases' folders for the integration-test program: as tests of the library, they would make the
//! compiler build all loops a second time.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let sources = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where")).join("src");
    let folders = fs::read_dir(&sources).expect("the sources are there");
    let mut paths: Vec<_> = folders.map(|entry| entry.expect("a folder").path().join("tests.rs")).collect();
    paths.retain(|path| path.exists());
    paths.sort();
    let mut list = String::new();
    for path in paths {
        let case = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        writeln!(list, "#[path = {path:?}]\nmod {case};").expect("it grows");
    }
    let output = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&output).join("tests.rs"), list).expect("it can be written");
}
