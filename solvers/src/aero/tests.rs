//! The kernels of Aero on devices.

crate::device::kernels! {
    aero: cfd_solvers::aero::kernels =>
        init_phi res_calc res_calc_power dirichlet spmv diagonal update check_state;
    aero_fields: cfd_solvers::aero::fields => cell_fields cell_sides cell_middle;
}
