//! What a kernel must not do, and what contradicts its signature in a call of par_loop, does not compile, and the message
//! says what to write instead.
//!
//! After a deliberate change of messages, `TRYBUILD=overwrite cargo test -p cfd-engine --test compile_fail` writes the
//! expected output anew.

#[test]
fn what_contradicts_the_language_of_kernels_is_refused_where_it_does() {
    let cases = trybuild::TestCases::new();
    // With a case that compiles, the others are built to the end, where a target's index is checked.
    cases.pass("tests/pass/par_loop.rs");
    cases.compile_fail("tests/compile_fail/*.rs");
}
