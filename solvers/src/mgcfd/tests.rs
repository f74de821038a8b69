//! MG-CFD: its kernels on devices, fluxes and blocks, sections of wings.

use cfd_engine::kernel::Kernel;
use cfd_solvers::mgcfd::aerodynamics::around;
use cfd_solvers::mgcfd::config::{Config, Flow};
use cfd_solvers::mgcfd::euler::blocks::{SLOWEST, face_block, invert_blocks, precondition};
use cfd_solvers::mgcfd::euler::roe::{primitive, roe_flux, unlimited, van_albada, venkatakrishnan};
use cfd_solvers::mgcfd::state::motion;

crate::device::kernels! {
    aerodynamics: cfd_solvers::mgcfd::aerodynamics => body_force node_fields count_faces find_tip cut_edge;
    state: cfd_solvers::mgcfd::state => free_stream check_state;
    proxy: cfd_solvers::mgcfd::proxy::kernels =>
        dual_volume damp count_children begin_visit edge_flux boundary_flux time_step last_step restrict_sum
        restrict_mean prolong_residual;
    gradients: cfd_solvers::mgcfd::euler::gradients => moments invert clear differences solve;
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
    let cps: Vec<f64> = around(points.clone()).iter().map(|p| p[2]).collect();
    assert_eq!(cps, [2.0, 3.0, 4.0, 1.0, 5.0]);
    assert_eq!(around(points)[1][0], 1.0 / 3.0);
    assert!(around(Vec::new()).is_empty());
}

#[test]
fn limiters_keep_straight_lines_and_flatten_extrema() {
    for limiter in [unlimited::<f64>, van_albada::<f64>, venkatakrishnan::<f64>] {
        assert!((limiter(0.3, 0.3, 0.0) - 0.15).abs() < 1e-16);
        assert!((limiter(-0.3, -0.3, 0.0) + 0.15).abs() < 1e-16);
    }
    for limiter in [van_albada::<f64>, venkatakrishnan::<f64>] {
        assert_eq!(limiter(0.3, -0.1, 0.0), 0.0);
        assert_eq!(limiter(0.0, 0.0, 0.0), 0.0);
        assert!((limiter(0.3, -0.1, 1e6) - 0.15).abs() < 1e-6, "far below the threshold nothing is limited");
    }
}

#[test]
fn a_supersonic_flux_is_that_of_the_side_the_wind_comes_from() {
    let flow = Flow::new(&Config { entropy_fix: 0.0, ..Config::default() });
    let (l, r) = ([1.0, 3.0, 0.2, -0.1, 0.9], [0.5, 2.8, 0.0, 0.1, 0.4]);
    let w = [2.0, 0.1, -0.2];
    let (own, mixed) = (roe_flux(l, l, w, &flow), roe_flux(l, r, w, &flow));
    for m in 0..5 {
        assert!((own[m] - mixed[m]).abs() < 1e-13 * own[m].abs().max(1.0), "{own:?} {mixed:?}");
    }
    let back = roe_flux(r, l, w.map(|x: f64| -x), &flow);
    for m in 0..5 {
        assert!((mixed[m] + back[m]).abs() < 1e-13 * own[m].abs().max(1.0), "conservation");
    }
    assert_eq!(roe_flux(l, r, [0.0; 3], &flow), [0.0; 5]);
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
        let (here, there) = (primitive(q, flow.gm1), primitive(other, flow.gm1));
        let mut dissipation = [0.0; 5];
        for w in FACES {
            let (same, next) = (roe_flux(here, here, w, &flow), roe_flux(there, there, w, &flow));
            let mixed = roe_flux(here, there, w, &flow);
            dissipation = std::array::from_fn(|m| dissipation[m] + 0.5 * (same[m] + next[m]) - mixed[m]);
        }
        let back = precondition(q, dissipation, args.0, flow.gamma, flow.gm1);
        for m in 0..5 {
            let off = (back[m] - change[m]).abs();
            assert!(off < 1e-10, "{changed}: {back:?} instead of {change:?}");
        }
    }
}
