//! include/same_math.hpp is what the sources generate.

use std::path::Path;

/// The text with one statement per line.
fn header() -> String {
    let mut header = String::from(
        "// Written by `UPDATE_HEADER=1 cargo test -p same-math --test header` from src/; do not edit.\n#pragma once\n",
    );
    for line in same_math::CPP_TEXT.lines() {
        let function = line.starts_with("SAME_MATH_") && line.contains("let ") && !line.starts_with("#");
        let split =
            line.replace("; ", ";\n    ").replace("{ let ", "{\n    let ").replace("{ if", "{\n    if");
        header += if function { &split } else { line };
        header.push('\n');
    }
    header
}

#[test]
fn the_header_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/same_math.hpp");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&path, header()).expect("the header can be written");
    }
    let stored = std::fs::read_to_string(&path).expect("there is a header");
    // A compiler may put other spaces between tokens.
    let words = |text: &str| text.split_whitespace().collect::<String>();
    assert!(
        words(&stored) == words(&header()),
        "UPDATE_HEADER=1 cargo test -p same-math --test header writes it anew"
    );
}
