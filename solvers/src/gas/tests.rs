//! Fluxes, limiters, stresses of a perfect gas against what is known of them.

use cfd_engine::kernel::Kernel;
use cfd_solvers::gas::hllc::{hllc_2d, hllc_3d};
use cfd_solvers::gas::limiters::{
    all_kept_2d, kept_2d, kept_3d, sound_or_2d, unlimited, van_albada, venkatakrishnan,
};
use cfd_solvers::gas::roe::{roe_2d, roe_3d, roe_low_mach_2d, roe_low_mach_3d};
use cfd_solvers::gas::state::{conserved_2d, conserved_3d, flux_2d, flux_3d, primitive_2d, primitive_3d};
use cfd_solvers::gas::transfer::{limited_2d, limited_3d};
use cfd_solvers::gas::viscous::{along_edge_2d, along_edge_3d, stress_2d, stress_3d, sutherland};
use cfd_solvers::gas::waves::{SLOWEST, face_block_2d, face_block_3d, invert_blocks_2d, invert_blocks_3d};
use cfd_solvers::gas::waves::{precondition_2d, precondition_3d};

crate::device::kernels! {
    copies: cfd_solvers::gas::copies =>
        take_1 take_2 take_3 take_4 take_5 take_6 take_8 take_11 take_15 take_16 take_25
        forget_1 forget_2 forget_3 forget_4 forget_5 forget_6 forget_8 forget_11 forget_15 forget_16 forget_25
        add_1 add_2 add_3 add_4 add_5 add_6 add_8 add_11 add_15 add_16 add_25
        turn_vector_2d turn_vector_3d turn_wall_2d turn_wall_3d turn_state_2d turn_state_3d turn_gradients_2d
        turn_gradients_3d turn_velocity_gradients_2d turn_velocity_gradients_3d turn_rows_2d turn_rows_3d
        turn_columns_2d turn_columns_3d turn_wave_vector turn_symmetric_2d turn_symmetric_3d turn_wave_matrix;
    gradients: cfd_solvers::gas::gradients =>
        moments_2d moments_3d fewer_moments_2d fewer_moments_3d invert_2d invert_3d clear_2d clear_3d differences_2d differences_3d solve_2d solve_3d
        clear_one_2d clear_one_3d differences_one_2d differences_one_3d solve_one_2d solve_one_3d;
    waves: cfd_solvers::gas::waves => invert_blocks_2d invert_blocks_3d;
    transfer: cfd_solvers::gas::transfer =>
        clear_coarse_2d clear_coarse_3d restrict_2d restrict_3d restrict_forced_3d start_coarse_2d start_coarse_3d
        make_forcing_2d make_forcing_3d fetch_place_3d add_nearness_3d
        fetch_correction_3d spread_correction_3d correct_3d move_by_2d move_by_3d
       ;
}

const GAMMA: f64 = 1.4;
const GM1: f64 = 0.4;

type Flux2 = fn([f64; 4], [f64; 4], [f64; 2], f64, f64, [f64; 2]) -> [f64; 4];
type Flux3 = fn([f64; 5], [f64; 5], [f64; 3], f64, f64, [f64; 2]) -> [f64; 5];
const FLUXES_2D: [Flux2; 3] = [roe_2d, roe_low_mach_2d, hllc_2d];
const FLUXES_3D: [Flux3; 3] = [roe_3d, roe_low_mach_3d, hllc_3d];

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance * scale);
    assert!(is_near, "{found:?}, expected {expected:?}");
}

#[test]
fn primitive_and_conserved_variables_are_each_others_inverse() {
    let (w2, w3) = ([1.3, 0.4, -0.2, 0.7], [1.3, 0.4, -0.2, 0.9, 0.7]);
    assert_near(&primitive_2d(conserved_2d(w2, GM1), GM1), &w2, 1e-15);
    assert_near(&primitive_3d(conserved_3d(w3, GM1), GM1), &w3, 1e-15);
    assert_eq!(conserved_2d([2.0, 3.0, 1.0, 0.8], GM1), [2.0, 6.0, 2.0, 12.0]);
}

#[test]
fn between_equal_states_there_is_only_their_own_flux() {
    let (w2, w3) = ([1.3, 0.4, -0.2, 0.7], [1.3, 0.4, -0.2, 0.9, 0.7]);
    for area in [[2.0, 0.1], [-0.3, 0.02], [0.0, -1e-8]] {
        for flux in FLUXES_2D {
            assert_near(&flux(w2, w2, area, GAMMA, GM1, [0.1, 0.0]), &flux_2d(w2, area, GAMMA, GM1), 1e-15);
        }
    }
    for flux in FLUXES_3D {
        let area = [0.2, -0.7, 0.4];
        assert_near(&flux(w3, w3, area, GAMMA, GM1, [0.1, 0.0]), &flux_3d(w3, area, GAMMA, GM1), 1e-15);
        assert_eq!(flux(w3, w3, [0.0; 3], GAMMA, GM1, [0.1; 2]), [0.0; 5]);
    }
}

#[test]
fn a_supersonic_flux_is_that_of_the_side_the_wind_comes_from() {
    let (l, r) = ([1.0, 3.0, 0.2, -0.1, 0.9], [0.5, 2.8, 0.0, 0.1, 0.4]);
    let (plane, other) = ([1.0, 3.0, 0.2, 0.9], [0.5, 2.8, 0.0, 0.4]);
    for flux in FLUXES_3D {
        let w = [2.0, 0.1, -0.2];
        assert_near(&flux(l, r, w, GAMMA, GM1, [0.0; 2]), &flux_3d(l, w, GAMMA, GM1), 1e-13);
    }
    for flux in FLUXES_2D {
        let w = [2.0, 0.1];
        assert_near(&flux(plane, other, w, GAMMA, GM1, [0.0; 2]), &flux_2d(plane, w, GAMMA, GM1), 1e-13);
    }
}

#[test]
fn what_leaves_one_side_enters_the_other() {
    let (l, r) = ([1.0, 0.3, 0.2, -0.1, 0.9], [0.5, 0.8, 0.0, 0.1, 0.4]);
    for flux in FLUXES_3D {
        let w = [0.7, 0.1, -0.2];
        let forth = flux(l, r, w, GAMMA, GM1, [0.1, 0.05]);
        let back = flux(r, l, w.map(|x| -x), GAMMA, GM1, [0.1, 0.05]);
        assert_near(&forth, &back.map(|x| -x), 1e-14);
    }
}

#[test]
fn a_contact_that_does_not_move_stays() {
    // Densities differ, velocity along the face, equal pressures: no mass goes through.
    let (l, r) = ([1.0, 0.0, 0.3, 0.7], [0.25, 0.0, 0.3, 0.7]);
    for flux in FLUXES_2D {
        assert_near(&flux(l, r, [1.0, 0.0], GAMMA, GM1, [0.1, 0.0]), &[0.0, 0.7, 0.0, 0.0], 1e-15);
    }
}

#[test]
fn the_low_mach_flux_damps_jumps_of_the_normal_velocity_by_the_mach_number() {
    let mach = 0.01;
    let sound = (GAMMA * 0.7f64 / 1.0).sqrt();
    let state = |change: f64| [1.0, mach * sound + change, 0.0, 0.7];
    let (l, r) = (state(0.0), state(1e-6));
    let pressure = |f: [f64; 4]| {
        f[1] - 0.5 * (flux_2d(l, [1.0, 0.0], GAMMA, GM1)[1] + flux_2d(r, [1.0, 0.0], GAMMA, GM1)[1])
    };
    let (full, low) = (
        pressure(roe_2d(l, r, [1.0, 0.0], GAMMA, GM1, [0.0; 2])),
        pressure(roe_low_mach_2d(l, r, [1.0, 0.0], GAMMA, GM1, [0.0; 2])),
    );
    assert!((low / full - mach).abs() < 0.02, "{low:e} of {full:e}");
}

#[test]
fn limiters_keep_straight_lines_and_flatten_extrema() {
    for limiter in [unlimited::<f64>, van_albada::<f64>, venkatakrishnan::<f64>] {
        assert!((limiter(0.3, 0.3, 0.3, 0.0) - 0.15).abs() < 1e-16);
        assert!((limiter(-0.3, -0.3, -0.3, 0.0) + 0.15).abs() < 1e-16);
    }
    for limiter in [van_albada::<f64>, venkatakrishnan::<f64>] {
        assert_eq!(limiter(0.3, 0.3, -0.1, 0.0), 0.0);
        assert_eq!(limiter(0.0, 0.0, 0.0, 0.0), 0.0);
        assert!(
            (limiter(0.3, 0.3, -0.1, 1e6) - 0.15).abs() < 1e-6,
            "far below the threshold nothing is limited"
        );
        assert!((limiter(0.3, 0.2, 0.1, 1e6) - 0.1).abs() < 1e-6, "not by the mean there");
    }
    assert_eq!(unlimited(0.3, 0.2, 0.1, 0.0), 0.1);
    let own = [1.0, 0.2, 0.0, 1.0];
    assert_eq!(sound_or_2d(own, [0.1, 0.3, 0.0, 1.0]), own);
    assert_eq!(sound_or_2d(own, [0.5, 0.3, 0.0, 0.1]), own);
    assert_eq!(sound_or_2d(own, [0.5, 0.3, 0.0, 0.5]), [0.5, 0.3, 0.0, 0.5]);
}

#[test]
fn slopes_are_kept_until_density_or_pressure_doubles_and_are_none_from_three_times_on() {
    let a = [1.0, 3.0, 0.0, 2.0];
    for ([density, pressure], share) in [
        ([1.0, 2.0], 1.0),
        ([2.0, 4.0], 1.0),
        ([0.5, 1.0], 1.0),
        ([2.5, 2.0], 0.5),
        ([1.0, 5.0], 0.5),
        ([1.25, 5.5], 0.25),
        ([3.0, 2.0], 0.0),
        ([0.25, 2.0], 0.0),
        ([1.0, 20.0], 0.0),
    ] {
        let b = [density, -1.0, 5.0, pressure];
        assert_eq!([kept_2d(a, b), kept_2d(b, a)], [share; 2], "{b:?}");
        let in_space = |w: [f64; 4]| [w[0], w[1], 7.0, w[2], w[3]];
        assert_eq!(kept_3d(in_space(a), in_space(b)), share, "{b:?}");
        assert_eq!(all_kept_2d(a, b), 1.0);
    }
}

#[test]
fn stresses_of_a_shear_and_of_a_uniform_expansion_are_those_of_the_law() {
    // u = y: the stress on an area along x pulls along y.
    let gradient = [0.0, 1.0, 0.0, 0.0, 0.0, 2.0];
    assert_eq!(stress_2d([3.0, 5.0], gradient, [1.0, 0.0], 0.1, 0.2), [-0.0, -0.0, -0.1, -0.5]);
    let f = stress_2d([3.0, 5.0], gradient, [0.0, 1.0], 0.1, 0.2);
    assert_near(&f, &[0.0, -0.1, 0.0, -0.3 - 0.4], 1e-15);
    // An expansion in all directions has no stress.
    let mut gradient = [0.0; 12];
    (0..3).for_each(|i| gradient[3 * i + i] = 0.7);
    assert_near(&stress_3d([1.0, 2.0, 3.0], gradient, [0.3, -0.1, 0.2], 0.5, 0.0), &[0.0; 5], 1e-15);
    assert_eq!(sutherland(1.0, 0.4), 1.0);
    // From T = 273.15 K, where mu = 1.716e-5 Pa s, to 500 K: 2.67e-5 Pa s.
    assert!((1.716e-5 * sutherland(500.0 / 273.15, 110.4 / 273.15) - 2.67e-5).abs() < 2e-8);
}

#[test]
fn along_an_edge_a_corrected_gradient_is_the_difference_of_its_ends() {
    let d = [0.3, -0.4];
    let corrected = along_edge_2d([1.0, 2.0, -1.0, 0.5, 0.0, 3.0], [0.1, -0.2, 0.7], d);
    for (m, difference) in [0.1, -0.2, 0.7].into_iter().enumerate() {
        assert!((corrected[2 * m] * d[0] + corrected[2 * m + 1] * d[1] - difference).abs() < 1e-15);
    }
    // Across the edge it is as it was.
    assert!((corrected[0] * 0.4 + corrected[1] * 0.3 - 1.0).abs() < 1e-15);
    let gradient: [f64; 12] = std::array::from_fn(|k| k as f64);
    let d = [1.0, 2.0, -1.0];
    let slopes = std::array::from_fn(|m| (0..3).map(|j| gradient[3 * m + j] * d[j]).sum());
    assert_near(&along_edge_3d(gradient, slopes, d), &gradient, 1e-15);
}

/// What small changes do to the sum of the dissipative fluxes between two states through some faces, is P.
macro_rules! dissipation {
    ($d:literal, $n:literal, $p:literal, $faces:expr, $roe:ident $primitive:ident $conserved:ident $block:ident
     $invert:ident $precondition:ident) => {
        let q = $conserved(std::array::from_fn(|m| [1.2, 0.5, 0.25, -1.0 / 6.0][m.min(3)]), GM1);
        let q: [f64; $n] = std::array::from_fn(|m| if m == $n - 1 { 2.9 } else { q[m] });
        let w = $primitive(q, GM1);
        let sound = (GAMMA * w[$n - 1] / w[0]).sqrt();
        let mut block = [0.0; $p];
        for area in $faces {
            let part = $block(std::array::from_fn(|k| w[1 + k]), sound, area, 0.0);
            block = std::array::from_fn(|i| block[i] + part[i]);
        }
        let mut args = (block,);
        $invert::call::<f64>(&mut args, &());
        for changed in 0..$n {
            let change: [f64; $n] = std::array::from_fn(|m| if m == changed { 1e-6 } else { 0.0 });
            let there = $primitive(std::array::from_fn(|m| q[m] + change[m]), GM1);
            let mut dissipation = [0.0; $n];
            let roe = |l, r, area| $roe(l, r, area, GAMMA, GM1, [SLOWEST; 2]);
            for area in $faces {
                let (same, next, mixed) = (roe(w, w, area), roe(there, there, area), roe(w, there, area));
                dissipation = std::array::from_fn(|m| dissipation[m] + 0.5 * (same[m] + next[m]) - mixed[m]);
            }
            let back = $precondition(q, dissipation, args.0, GAMMA, GM1);
            for m in 0..$n {
                let off = (back[m] - change[m]).abs();
                assert!(off < 1e-10, "{changed}: {back:?} instead of {change:?}");
            }
        }
    };
}

#[test]
fn the_block_is_the_derivative_of_the_dissipation() {
    let faces = [[1.0, 0.2, -0.1], [-0.3, 0.8, 0.1], [0.05, -0.2, 30.0], [-0.75, -0.8, -1.0]];
    dissipation!(3, 5, 11, faces, roe_3d primitive_3d conserved_3d face_block_3d invert_blocks_3d precondition_3d);
    let faces = [[1.0, 0.2], [-0.3, 30.0], [-0.75, -0.8]];
    dissipation!(2, 4, 7, faces, roe_2d primitive_2d conserved_2d face_block_2d invert_blocks_2d precondition_2d);
}

#[test]
fn a_limited_change_keeps_half_of_density_and_pressure() {
    let q = conserved_2d([1.0, 0.3, 0.1, 0.7], GM1);
    assert_near(&limited_2d(q, [0.1, 0.0, 0.0, 0.1], GM1), &[1.1, q[1], q[2], q[3] + 0.1], 1e-15);
    for change in [[-3.0, 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 0.0], [-2.0, 4.0, -4.0, -9.0]] {
        let w = primitive_2d(limited_2d(q, change, GM1), GM1);
        assert!(w[0] > 0.499 && w[3] > 0.349, "{change:?}: {w:?}");
    }
    let q = conserved_3d([1.0, 0.3, 0.1, -0.2, 0.7], GM1);
    let w = primitive_3d(limited_3d(q, [0.0, 0.0, 0.0, 9.0, 0.0], GM1), GM1);
    assert!(w[4] > 0.349, "{w:?}");
}
