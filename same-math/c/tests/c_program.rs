//! A C program linked with the library gets the same bits as Rust.

use std::path::Path;
use std::process::Command;

use same_math::*;

fn expected() -> String {
    let mut lines = String::new();
    for x in [0.75, -0.3, 1e6, 0.0] {
        macro_rules! show {
            ($($function:ident)*) => {
                $(lines += &format!("{} {:016x}\n", stringify!($function), $function(x).to_bits());)*
            };
        }
        show!(exp exp2 exp10 exp_m1 ln log2 log10 ln_1p cbrt rsqrt sin cos tan sin_pi cos_pi atan asin acos sinh cosh tanh
            asinh acosh atanh erf gamma ln_gamma);
        lines += &format!("atan2 {:016x}\n", atan2(x, 0.5).to_bits());
        lines += &format!("powf {:016x}\n", powf(x, 1.5).to_bits());
        lines += &format!("hypot {:016x}\n", hypot(x, 0.5).to_bits());
        lines += &format!("powi {:016x}\n", powi(x, -3).to_bits());
        let (sine, cosine) = sin_cos(x);
        lines += &format!("sine {:016x}\ncosine {:016x}\n", sine.to_bits(), cosine.to_bits());
        let y = x as f32;
        macro_rules! single {
            ($($function:ident)*) => {
                $(lines += &format!("single {} {:08x}\n", stringify!($function), single::$function(y).to_bits());)*
            };
        }
        single!(exp exp2 exp10 exp_m1 ln log2 log10 ln_1p cbrt rsqrt sin cos tan sin_pi cos_pi atan asin acos sinh cosh
            tanh asinh acosh atanh erf gamma ln_gamma);
        let [arc, power] = [single::atan2(y, 0.5), single::powf(y, 1.5)].map(f32::to_bits);
        let [length, whole] = [single::hypot(y, 0.5), single::powi(y, -3)].map(f32::to_bits);
        lines += &format!("single {arc:08x} {power:08x} {length:08x} {whole:08x}\n");
    }
    lines
}

#[test]
fn a_c_program_has_the_bits_of_rust() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("same-math-c-program");
    let test = std::env::current_exe().expect("the test has a path");
    let libraries = test.parent().expect("the library is beside the tests");
    let compiled = Command::new("gcc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"])
        .arg(here.join("../include"))
        .arg(here.join("tests/program.c"))
        .arg("-o")
        .arg(&program)
        .arg(libraries.join("libsame_math_c.a"))
        .args(["-lpthread", "-ldl", "-lm"])
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("There is no C compiler here: not compared.");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected());
}
