//! Compiles the C libraries compared with, where the environment says that they are:
//!
//! ```text
//! XSUM=FOLDER        R. M. Neal's xsum: FOLDER/xsum.c and xsum.h
//! REPROBLAS=FOLDER   ReproBLAS, built there: FOLDER/include and FOLDER/build/lib, or FOLDER/lib
//! CC, CFLAGS         the compiler, gcc -O3 -march=native by default
//! ```

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(xsum_c, reproblas)");
    for name in ["XSUM", "REPROBLAS", "CC", "CFLAGS"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let compiler = env::var("CC").unwrap_or("gcc".into());
    let flags = env::var("CFLAGS").unwrap_or("-O3 -march=native".into());
    println!("cargo::rustc-env=C_COMPILER={}, {flags}", version(&compiler));
    println!("cargo::rustc-env=RUST_COMPILER={}", version(&env::var("RUSTC").expect("set by cargo")));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    if let Some(folder) = env::var_os("XSUM").map(PathBuf::from) {
        let object = out.join("xsum.o");
        let shim = out.join("shim.o");
        let compile = |source: &Path, object: &Path| {
            let mut command = Command::new(&compiler);
            command
                .args(flags.split_whitespace())
                .arg("-I")
                .arg(&folder)
                .arg("-c")
                .arg(source)
                .arg("-o")
                .arg(object);
            assert!(command.status().expect("the C compiler runs").success(), "{command:?}");
        };
        compile(&folder.join("xsum.c"), &object);
        compile(Path::new("shim.c"), &shim);
        let library = out.join("libxsum_c.a");
        let archived = Command::new("ar").arg("rcs").arg(library).args([object, shim]).status();
        assert!(archived.expect("ar runs").success());
        println!(
            "cargo::rustc-link-search={}\ncargo::rustc-link-lib=static=xsum_c\ncargo::rustc-cfg=xsum_c",
            out.display()
        );
    }
    if let Some(folder) = env::var_os("REPROBLAS").map(PathBuf::from) {
        let built = folder.join("build/lib");
        let libraries = if built.exists() { built } else { folder.join("lib") };
        println!("cargo::rustc-link-search={}", libraries.display());
        for library in ["reproBLAS", "binnedBLAS", "binned"] {
            println!("cargo::rustc-link-lib=static={library}");
        }
        println!("cargo::rustc-link-lib=m\ncargo::rustc-cfg=reproblas");
    }
}

/// The first line that a compiler prints about itself.
fn version(compiler: &str) -> String {
    let output = Command::new(compiler).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("no compiler").to_string()
}
