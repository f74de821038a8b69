//! How much of a test's matrix is run: points that hold every value of its axes by day, all of it at night.

/// Whether `CFD_TEST_MATRIX=all` requests the whole matrix.
pub fn is_whole() -> bool {
    std::env::var("CFD_TEST_MATRIX").is_ok_and(|value| value == "all")
}

/// Architectures that code for GPUs is compiled for: one from 2018, and with the whole matrix one from 2022.
pub fn gpu_architectures() -> &'static [u32] {
    if is_whole() { &[75, 90] } else { &[75] }
}
