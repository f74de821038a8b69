//! The bits: a hash of results for every function, the same from Rust on every processor and from C++.

mod hashes;

use std::path::{Path, PathBuf};
use std::process::Command;

use hashes::hashes;

/// The bits since the first version. A change here is a change of results everywhere.
const HASHES: [(&str, u64); 32] = [
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
    ("exp10", 0x681674baefdfe1db),
    ("log10", 0xe9a18721a973e78f),
    ("rsqrt", 0x9a2a8595e503a5d5),
    ("sin_pi", 0x51a540ad489475f4),
    ("cos_pi", 0x0918dfa70447e0ef),
    ("hypot", 0x71a3a0dec0026add),
    ("asinh", 0x9c288780639bca75),
    ("acosh", 0x7057a917c75f6174),
    ("atanh", 0xa9b8b108fc2b3ca0),
    ("erf", 0xc916c35e9fdf2d28),
    ("gamma", 0x35c18bf52c6cd128),
    ("ln_gamma", 0xdde8d05f614457f2),
    ("singles", 0x4d5d73db853e37a5),
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

/// Compiles a program with the host's compiler; none without a compiler, its complaints if it refuses.
fn compiled(compiler: &str, source: &str, more: &[&str]) -> Option<Result<PathBuf, String>> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{source}-{}", more.concat().replace(['/', '-', '='], "_")));
    let compiled = Command::new(compiler)
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(root().join("tests").join(source))
        .args(more)
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("There is no {compiler} here: not compared.");
        return None;
    };
    let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
    Some(if compiled.status.success() { Ok(program) } else { Err(complaints) })
}

#[test]
fn cpp_gives_the_same_bits() {
    let expected: String = hashes().iter().map(|(name, hash)| format!("{name} {hash:016x}\n")).collect();
    let native = if cfg!(target_arch = "x86_64") { "-march=native" } else { "-O2" };
    for (compiler, flags) in [
        ("g++", &["-std=gnu++17", native, "-ffp-contract=fast"][..]),
        ("g++", &["-std=c++11", "-O1", "-pedantic"]),
        ("clang++", &["-std=c++11", native, "-pedantic"]),
    ] {
        let Some(program) = compiled(compiler, "bits.cpp", flags) else { continue };
        let output = Command::new(program.expect("it compiles")).output().expect("the program runs");
        assert!(output.status.success(), "{compiler} {flags:?}: self_check()");
        assert_eq!(String::from_utf8(output.stdout).expect("text"), expected, "{compiler} {flags:?}");
    }
}

/// `tests/flags` tries many more.
#[test]
fn cpp_is_refused_where_the_bits_would_be_others() {
    for flags in [
        &["-ffast-math"][..],
        &["-Ofast"],
        &["-funsafe-math-optimizations"],
        &["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"],
        &["-freciprocal-math"],
        &["-O2", "-fno-signed-zeros"],
        &["-ffinite-math-only"],
        &["-fsingle-precision-constant"],
    ] {
        let Some(program) = compiled("g++", "bits.cpp", flags) else { return };
        let complaints = program.expect_err("it is refused");
        assert!(complaints.contains("same_math needs"), "{flags:?}: {complaints}");
    }
}

/// The instructions of the functions of `user.cpp`.
fn instructions(flags: &[&str]) -> Option<String> {
    let output = Command::new("g++")
        .args(flags)
        .args(["-S", "-o", "-"])
        .arg(root().join("tests/user.cpp"))
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).expect("text");
    let own = text.split("_Z3dot").skip(1).collect::<Vec<_>>().join("_Z3dot");
    Some(
        own.lines()
            .filter(|line| !line.trim_start().starts_with('.'))
            .map(|line| format!("{line}\n"))
            .collect(),
    )
}

#[test]
fn the_header_leaves_a_user_s_own_arithmetic_as_it_is() {
    let fused = if cfg!(target_arch = "x86_64") { &["-O2", "-mfma"][..] } else { &["-O2"] };
    for flags in [fused, &["-O3", "-fno-math-errno"]] {
        let Some(without) = instructions(flags) else { return };
        let with = instructions(&[flags, &["-DWITH_HEADER"]].concat()).expect("the compiler was there");
        assert!(without.contains("ret"), "{without}");
        assert_eq!(with, without, "{flags:?}");
        assert_eq!(flags.contains(&"-mfma"), with.contains("vfmadd"), "{with}");
    }
}
