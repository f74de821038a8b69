//! The kernels of Airfoil on devices.

use crate::device_tests;

device_tests::kernels! {
    airfoil: crate::airfoil::kernels =>
        free_stream save_soln adt_calc res_calc bres_calc update check_state cell_middle wall_force wall_pressure;
}
