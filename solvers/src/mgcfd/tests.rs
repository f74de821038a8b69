//! MG-CFD: its kernels on devices, sections of wings.

use cfd_solvers::output::Section;

crate::device::kernels! {
    aerodynamics: cfd_solvers::mgcfd::aerodynamics => body_force node_fields count_faces find_tip cut_edge;
    state: cfd_solvers::mgcfd::state => free_stream check_state;
    proxy: cfd_solvers::mgcfd::proxy::kernels =>
        dual_volume damp count_children begin_visit edge_flux boundary_flux time_step last_step restrict_sum
        restrict_mean prolong_residual;
    gradients: cfd_solvers::mgcfd::euler::gradients => differences;
    blocks: cfd_solvers::mgcfd::euler::blocks =>
        begin_matrix_step add_blocks add_boundary_blocks matrix_stage matrix_stage_forced;
    euler: cfd_solvers::mgcfd::euler::kernels =>
        pyramids add_volume begin_step wave_speeds boundary_wave_speeds first_order_flux flux_unlimited flux_van_albada
        flux_venkatakrishnan boundary_flux stage stage_forced norm norm_forced;
}

#[test]
fn a_section_runs_from_the_trailing_edge_over_the_upper_side_and_back() {
    let points = vec![[1.0, -0.1, 1.0], [3.0, 0.0, 2.0], [1.0, 0.1, 3.0], [0.0, 0.0, 4.0], [2.0, -0.1, 5.0]];
    let around = |points: &[[f64; 3]]| Section::new(0.5, 1.0, points.to_vec()).points;
    let cps: Vec<f64> = around(&points).iter().map(|p| p[2]).collect();
    assert_eq!(cps, [2.0, 3.0, 4.0, 1.0, 5.0]);
    assert_eq!(around(&points)[1][0], 1.0 / 3.0);
    assert!(around(&[]).is_empty());
}

#[path = "tests/periodic.rs"]
mod periodic;
