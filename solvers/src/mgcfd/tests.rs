//! MG-CFD: its kernels on devices, fluxes and blocks, sections of wings.

use cfd_engine::kernel::Kernel;
use cfd_solvers::gas::roe::roe_3d;
use cfd_solvers::gas::state::primitive_3d;
use cfd_solvers::mgcfd::config::{Config, Flow};
use cfd_solvers::mgcfd::euler::blocks::{SLOWEST, face_block, invert_blocks, precondition};
use cfd_solvers::mgcfd::state::motion;
use cfd_solvers::output::Section;

crate::device::kernels! {
    aerodynamics: cfd_solvers::mgcfd::aerodynamics => body_force node_fields count_faces find_tip cut_edge;
    state: cfd_solvers::mgcfd::state => free_stream check_state;
    proxy: cfd_solvers::mgcfd::proxy::kernels =>
        dual_volume damp count_children begin_visit edge_flux boundary_flux time_step last_step restrict_sum
        restrict_mean prolong_residual;
    gradients: cfd_solvers::mgcfd::euler::gradients => differences;
    blocks: cfd_solvers::mgcfd::euler::blocks =>
        begin_matrix_step add_blocks add_boundary_blocks invert_blocks matrix_stage matrix_stage_forced;
    euler: cfd_solvers::mgcfd::euler::kernels =>
        pyramids add_volume begin_step wave_speeds boundary_wave_speeds first_order_flux flux_unlimited flux_van_albada
        flux_venkatakrishnan boundary_flux stage stage_forced norm norm_forced;
    transfer: cfd_solvers::mgcfd::euler::transfer =>
        clear_coarse restrict restrict_forced start_coarse make_forcing fetch_place add_nearness fetch_correction
        spread_correction correct;
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

const FACES: [[f64; 3]; 4] = [[1.0, 0.2, -0.1], [-0.3, 0.8, 0.1], [0.05, -0.2, 30.0], [-0.75, -0.8, -1.0]];

/// What small changes do to the sum of the dissipative fluxes between two states through the faces, is P.
#[test]
fn the_block_is_the_derivative_of_the_dissipation() {
    let flow = Flow::new(&Config { entropy_fix: SLOWEST, ..Config::default() });
    let q = [1.2, 0.6, 0.3, -0.2, 2.9];
    let m = motion(q, &flow);
    let mut block = [0.0; 11];
    for w in FACES {
        let part = face_block([m[0], m[1], m[2]], m[4], w);
        block = std::array::from_fn(|i| block[i] + part[i]);
    }
    let mut args = (block,);
    invert_blocks::call::<f64>(&mut args, &());
    for changed in 0..5 {
        let change: [f64; 5] = std::array::from_fn(|m| if m == changed { 1e-6 } else { 0.0 });
        let other: [f64; 5] = std::array::from_fn(|m| q[m] + change[m]);
        let (here, there) = (primitive_3d(q, flow.gm1), primitive_3d(other, flow.gm1));
        let mut dissipation = [0.0; 5];
        let roe = |l, r, w| roe_3d(l, r, w, flow.gamma, flow.gm1, [flow.entropy_fix; 2]);
        for w in FACES {
            let (same, next) = (roe(here, here, w), roe(there, there, w));
            let mixed = roe(here, there, w);
            dissipation = std::array::from_fn(|m| dissipation[m] + 0.5 * (same[m] + next[m]) - mixed[m]);
        }
        let back = precondition(q, dissipation, args.0, flow.gamma, flow.gm1);
        for m in 0..5 {
            let off = (back[m] - change[m]).abs();
            assert!(off < 1e-10, "{changed}: {back:?} instead of {change:?}");
        }
    }
}

#[path = "tests/periodic.rs"]
mod periodic;
