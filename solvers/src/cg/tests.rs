//! The kernels of conjugate gradients on devices.

use crate::device_tests;

device_tests::kernels! {
    cg: crate::cg::kernels =>
        init_cg jacobi clear_diagonal dot_pv update_ur update_p init_directions update_directions advance;
}
