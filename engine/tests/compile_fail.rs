//! What a kernel must not do, and what contradicts its signature in a call of par_loop, does not compile, and the message
//! says what to write instead.
//!
//! After a deliberate change of messages, `TRYBUILD=overwrite cargo test -p cfd-engine --test compile_fail` writes the
//! expected output anew, with `-- --ignored`. `run-scripts/nightly built` runs them: each builds the engine once more.

#[test]
#[ignore = "checks the engine once more: run-scripts/nightly built"]
fn what_contradicts_the_language_of_kernels_is_refused_where_it_does() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

/// A target's index is checked when code is made of it. With a case that compiles, the others are built to the end.
#[test]
#[ignore = "builds the engine once more: run-scripts/nightly built"]
fn what_is_found_when_code_is_made_is_refused() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/pass/par_loop.rs");
    cases.compile_fail("tests/built/*.rs");
}
