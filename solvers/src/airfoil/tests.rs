//! The kernels of Airfoil on devices.

crate::device::kernels! {
    airfoil: cfd_solvers::airfoil::kernels =>
        free_stream save_soln adt_calc res_calc bres_calc update check_state cell_middle wall_force wall_pressure;
}
