//! What contradicts a kernel's signature in a call of par_loop does not compile.
//!
//! `TRYBUILD=overwrite cargo test -p cfd-engine --test par_loop_compile_fail` writes the expected output anew.

#[test]
fn calls_that_contradict_the_kernel_are_refused() {
    let cases = trybuild::TestCases::new();
    // With a case that compiles, the others are built to the end, where a target's index is checked.
    cases.pass("tests/pass/par_loop.rs");
    cases.compile_fail("tests/compile_fail/par_loop.rs");
    cases.compile_fail("tests/compile_fail/target.rs");
}
