//! The kernels of Aero on devices.

use crate::device_tests;

device_tests::kernels! {
    aero: crate::aero::kernels =>
        init_phi res_calc res_calc_power dirichlet spmv diagonal update check_state;
    aero_fields: crate::aero::fields => cell_fields cell_sides cell_middle;
}
