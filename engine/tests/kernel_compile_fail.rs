//! What a kernel must not do does not compile, and the message says what to write instead.
//!
//! After a deliberate change of messages, `TRYBUILD=overwrite cargo test -p cfd-engine --test kernel_compile_fail`
//! writes the expected output anew.

#[test]
fn kernels_outside_the_language_are_refused_where_they_leave_it() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/kernel_*.rs");
}
