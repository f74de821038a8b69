//! The kernels of MG-CFD on devices.

use crate::device_tests;

device_tests::kernels! {
    output: crate::mgcfd::output => body_force node_fields count_faces find_tip cut_edge;
    state: crate::mgcfd::state => free_stream check_state;
    proxy: crate::mgcfd::proxy::kernels =>
        dual_volume damp count_children begin_visit edge_flux boundary_flux time_step last_step restrict_sum
        restrict_mean prolong_residual;
    gradients: crate::mgcfd::euler::gradients => moments invert clear differences solve;
    blocks: crate::mgcfd::euler::blocks =>
        begin_matrix_step add_blocks add_boundary_blocks invert_blocks matrix_stage matrix_stage_forced;
    euler: crate::mgcfd::euler::kernels =>
        pyramids add_volume begin_step wave_speeds boundary_wave_speeds first_order_flux flux_unlimited flux_van_albada
        flux_venkatakrishnan boundary_flux stage stage_forced norm norm_forced;
    transfer: crate::mgcfd::euler::transfer =>
        clear_coarse restrict restrict_forced start_coarse make_forcing fetch_place add_nearness fetch_correction
        spread_correction correct;
}
