//! The kernels of conjugate gradients on devices.

crate::device::kernels! {
    cg: cfd_solvers::cg::kernels =>
        init_cg jacobi clear_diagonal dot_pv update_ur update_p init_directions update_directions advance;
}
