//! Each kernel's text, compiled by NVRTC.

use cfd_device::nvrtc::{self, Target};
use cfd_device::{DeviceError, direct_loop};

use crate::matrix::gpu_architectures;

/// True if NVRTC is present. CFD_REQUIRE_NVRTC is set where it must be.
pub fn there_is_a_compiler() -> bool {
    let found = nvrtc::version();
    if let Err(error) = &found {
        assert!(std::env::var_os("CFD_REQUIRE_NVRTC").is_none(), "{error}");
        eprintln!("not compiled: {error}");
    }
    found.is_ok()
}

pub fn compiles(name: &str, (text, entry): (String, String)) {
    if !there_is_a_compiler() {
        return;
    }
    for &architecture in gpu_architectures() {
        let ptx = nvrtc::compile(name, &text, Target::Ptx(architecture)).unwrap_or_else(|e| panic!("{e}"));
        let ptx = String::from_utf8(ptx).expect("PTX is text");
        assert!(ptx.contains(&format!(".entry {entry}")), "the loop is an entry of its own");
        assert!(!ptx.contains("fma."), "a product and a sum are two operations:\n{ptx}");
    }
}

#[test]
fn an_error_names_the_kernel_and_the_line_of_the_rust_source() {
    if !there_is_a_compiler() {
        return;
    }
    let (text, _) = direct_loop::<cfd_solvers::airfoil::kernels::save_soln>();
    let wrong = text.replacen("q_old_1[2] = q_0[2]", "q_old_1[2] = missing", 1);
    assert_ne!(text, wrong);
    let Err(DeviceError::Compile { name, log }) = nvrtc::compile("save_soln", &wrong, Target::Ptx(75)) else {
        panic!("the text is wrong")
    };
    assert_eq!(name, "save_soln");
    let source = include_str!("../../../src/airfoil/kernels.rs");
    let line =
        source.lines().position(|line| line.contains("q_old[m] = q[m]")).expect("save_soln is there") + 1;
    assert!(log.contains(&format!("kernels.rs({line})")), "{log}");
}
