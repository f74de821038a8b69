//! Newton's method and implicit steps in time: derivatives, convergence, orders in time, the same number of steps on any
//! ranks.

use cfd_solvers::flow::kernels::jacobian::{along_2d, along_2d_tangent, along_3d, along_3d_tangent};
use cfd_solvers::flow::kernels::open;
use cfd_solvers::gas::hllc::{hllc_3d, hllc_3d_tangent};
use cfd_solvers::gas::roe::{roe_3d, roe_3d_tangent, roe_low_mach_3d, roe_low_mach_3d_tangent};
use cfd_solvers::gas::state::flux_3d;

use super::*;

/// A step of differences: small enough that no state crosses a kink.
const H: f64 = 2e-3;
/// Weights of the differences over 2 H, 4 H, 6 H and 8 H, whose error is of the eighth order.
const WEIGHTS: [f64; 4] = [1.6, -0.4, 8.0 / 105.0, -1.0 / 140.0];
/// An eddy viscosity.
const EDDIES: f64 = 0.03;

/// The derivative of a function in a direction, by differences.
fn by_differences<const N: usize>(f: impl Fn([f64; N]) -> [f64; N], w: [f64; N], way: [f64; N]) -> [f64; N] {
    let at = |h: f64| f(std::array::from_fn(|k| w[k] + h * way[k]));
    let mut slope = [0.0; N];
    for (steps, weight) in (1..).zip(WEIGHTS) {
        let (ahead, behind) = (at(f64::from(steps) * H), at(-f64::from(steps) * H));
        (0..N).for_each(|k| slope[k] += weight * (ahead[k] - behind[k]) / (2.0 * H));
    }
    slope
}

pub(super) fn unit<const N: usize>(m: usize) -> [f64; N] {
    std::array::from_fn(|k| f64::from(u8::from(k == m)))
}

#[track_caller]
fn assert_near<const N: usize>(found: [f64; N], expected: [f64; N], what: &str) {
    let off = largest((0..N).map(|k| found[k] - expected[k]));
    assert!(off < 1e-11, "{what}: {found:?}, expected {expected:?}");
}

/// The derivative of a numerical flux is that of differences: subsonic, supersonic, and where the entropy fix acts.
#[test]
fn numerical_fluxes_have_their_derivatives() {
    type Flux = fn(State, State, Vector, f64, f64, [f64; 2]) -> State;
    type Tangent = fn(State, State, Vector, f64, f64, [f64; 2], State, State) -> State;
    let all: [(&str, Flux, Tangent); 3] = [
        ("roe", roe_3d, roe_3d_tangent),
        ("roe-low-mach", roe_low_mach_3d, roe_low_mach_3d_tangent),
        ("hllc", hllc_3d, hllc_3d_tangent),
    ];
    let area = [0.6, -0.3, 0.4];
    for (name, flux, tangent) in all {
        for speed in [0.3, -0.2, 1.02, -1.1, 2.5] {
            let l = [1.1, speed, 0.1, -0.2, 0.8];
            let r = [0.9, 1.1 * speed, 0.15, -0.1, 0.7];
            for fix in [[0.1, 0.05], [0.0, 0.0]] {
                for m in 0..5 {
                    let (way, none) = (unit(m), [0.0; 5]);
                    let of_l = by_differences(|l| flux(l, r, area, 1.4, 0.4, fix), l, way);
                    assert_near(tangent(l, r, area, 1.4, 0.4, fix, way, none), of_l, name);
                    let of_r = by_differences(|r| flux(l, r, area, 1.4, 0.4, fix), r, way);
                    assert_near(tangent(l, r, area, 1.4, 0.4, fix, none, way), of_r, name);
                }
            }
        }
    }
}

#[test]
fn viscous_fluxes_have_their_derivatives() {
    let gas = Gas::new(&Config { equations: Equations::Laminar, reynolds: Some(20.0), ..Config::default() });
    let (a, b, d, area) = ([1.1, 0.3, -0.1, 0.8], [0.9, 0.2, 0.3, 0.7], [0.3, 0.1], [0.2, 0.5]);
    for m in 0..4 {
        let (way, none) = (unit(m), [0.0; 4]);
        let of_a = by_differences(|a| along_2d(a, b, d, area, EDDIES, &gas), a, way);
        assert_near(along_2d_tangent(a, b, d, area, EDDIES, way, none, &gas), of_a, "a");
        let of_b = by_differences(|b| along_2d(a, b, d, area, EDDIES, &gas), b, way);
        assert_near(along_2d_tangent(a, b, d, area, EDDIES, none, way, &gas), of_b, "b");
    }
    let (a, b) = ([1.1, 0.3, -0.1, 0.2, 0.8], [0.9, 0.2, 0.3, 0.1, 0.7]);
    let (d, area) = ([0.3, 0.1, -0.2], [0.2, 0.5, 0.1]);
    for m in 0..5 {
        let (way, none) = (unit(m), [0.0; 5]);
        let of_a = by_differences(|a| along_3d(a, b, d, area, EDDIES, &gas), a, way);
        assert_near(along_3d_tangent(a, b, d, area, EDDIES, way, none, &gas), of_a, "a");
    }
}

/// The derivative of a flux through a boundary is what an implicit scheme uses: it is that of differences.
#[test]
fn fluxes_through_boundaries_have_their_derivatives() {
    type Flux3 = fn(State, Vector, State, &Gas) -> State;
    type Tangent3 = fn(State, Vector, State, State, &Gas) -> State;
    let all: [(&str, Flux3, Tangent3, State); 4] = [
        ("inlet", open::inlet_flux_3d, open::inlet_flux_3d_tangent, [0.95, -0.8, 0.6, 0.0, 1.1]),
        (
            "velocity inlet",
            open::velocity_inlet_flux_3d,
            open::velocity_inlet_flux_3d_tangent,
            [1.1, -0.5, 0.1, 0.1, 0.0],
        ),
        ("outlet", open::outlet_flux_3d, open::outlet_flux_3d_tangent, [0.6, 0.0, 0.0, 0.0, 0.0]),
        (
            "supersonic outlet",
            open::supersonic_outlet_flux_3d,
            open::supersonic_outlet_flux_3d_tangent,
            [0.0; 5],
        ),
    ];
    let (gas, area) = (Gas::new(&Config::default()), [0.9, 0.1, -0.2]);
    let w = [1.1, -0.3, -0.1, 0.2, 0.8];
    for (name, flux, tangent, given) in all {
        for m in 0..5 {
            let direction: State = std::array::from_fn(|k| f64::from(u8::from(k == m)));
            let at = |h: f64| flux(std::array::from_fn(|k| w[k] + h * direction[k]), area, given, &gas);
            let (ahead, behind) = (at(1e-5), at(-1e-5));
            let found = tangent(w, area, given, direction, &gas);
            for k in 0..5 {
                let expected = (ahead[k] - behind[k]) / 2e-5;
                assert!((found[k] - expected).abs() < 1e-8, "{name}, {m}: {found:?}, expected {expected}");
            }
        }
    }
    // What leaves faster than sound leaves with its own flux.
    assert_eq!(
        open::supersonic_outlet_flux_3d(w, area, [0.0; 5], &gas),
        flux_3d(w, area, gas.gamma, gas.gm1)
    );
}

/// Steps until the residual is below a share of its largest.
pub(super) fn in_newton_steps<P: Probe>(domain: &mut Domain, flow: &mut P, tolerance: f64) {
    let mut residual = || flow.step(domain, true).expect("a flow that stays sound").residual;
    assert!((0..300).any(|_| residual() < tolerance), "not converged in 300 steps");
}

/// Runs have ended before.
const MOST_STEPS: u64 = 300;

/// The steps that a run takes to a residual of 1e-10, and the iterations of GMRES in them, for the flow and for a turbulence
/// model.
pub(super) fn steps_and_iterations<P: Probe>(
    ranks: usize,
    mesh: ElementBox,
    conditions: &[Json],
    config: &Config,
) -> [u64; 3] {
    let ends = on(ranks, mesh, conditions, config, |domain, flow: &mut P| {
        let columns = flow.columns();
        let column = |name: &str| columns.iter().position(|column| column == name);
        let columns = ["linear_iterations", "turbulence_iterations"].map(column);
        let mut iterations = [0; 2];
        for step in 1..=MOST_STEPS {
            let done = flow.step(domain, true).expect("a flow that stays sound");
            for (sum, column) in iterations.iter_mut().zip(columns) {
                *sum += column.map_or(0, |column| done.values[column] as u64);
            }
            if done.residual < 1e-10 {
                return [step, iterations[0], iterations[1]];
            }
        }
        panic!("not converged in {MOST_STEPS} steps");
    });
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    ends[0]
}

/// With the matrix of the scheme itself, of first order, Newton's method takes few steps, however large the time step: only
/// blocks of boundary faces are approximate. A wrong block shows at once.
#[test]
fn first_order_converges_in_few_steps_in_both_dimensions() {
    let conditions = [kind("supersonic_inlet"), kind("supersonic_outlet"), kind("slip")];
    for flux in [Flux::Roe, Flux::Hllc] {
        let config = Config {
            order: 1,
            mach: 2.0,
            alpha: 5.0,
            flux,
            scheme: Scheme::Newton,
            cfl: Some(1000.0),
            linear_tolerance: 0.01,
            ..Config::default()
        };
        for filling in [Filling::MixedPlane, Filling::MixedSpace] {
            let [steps, ..] = in_its_dimension!(filling, steps_alone(&conditions, &config));
            assert!(steps <= 40, "{filling:?}, {flux:?}: {steps} steps");
        }
    }
}

/// With the derivative of the residual itself, steps are those of Newton's method proper, of second order, with diffusion and all
/// kinds of boundaries: few, however exact the result. A wrong product shows at once.
#[test]
fn the_derivative_of_the_residual_converges_in_few_steps_in_both_dimensions() {
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    let held = json!({ "kind": "no_slip", "temperature": 1.05, "velocity": [0.1, 0.0] });
    let held_in_space = json!({ "kind": "no_slip", "temperature": 1.05, "velocity": [0.1, 0.0, 0.0] });
    let config = Config {
        mach: 0.3,
        limiter: Limiter::None,
        scheme: Scheme::Newton,
        jacobian: Jacobian::MatrixFree,
        cfl: Some(1e6),
        cfl_max: 1e6,
        linear_tolerance: 1e-6,
        linear_iterations: 600,
        ..viscous()
    };
    for (filling, wall) in [(Filling::MixedPlane, held), (Filling::MixedSpace, held_in_space)] {
        for wall in [wall, kind("no_slip")] {
            for entry in [kind("velocity_inlet"), kind("inlet"), kind("far_field")] {
                let conditions = [entry, outlet.clone(), wall.clone(), kind("symmetry")];
                let residuals = in_its_dimension!(filling, residuals_alone(&conditions, &config));
                assert!(residuals[9] < 1e-10, "{filling:?}, {conditions:?}: {residuals:?}");
            }
        }
    }
}

fn residuals_alone<P: Probe>(filling: Filling, conditions: &[Json], config: &Config) -> Vec<f64> {
    let mut ends = on(1, small(filling), conditions, config, |domain, flow: &mut P| {
        (0..10).map(|_| flow.step(domain, false).expect("a flow that stays sound").residual).collect()
    });
    ends.remove(0)
}

fn steps_alone<P: Probe>(filling: Filling, conditions: &[Json], config: &Config) -> [u64; 3] {
    steps_and_iterations::<P>(1, small(filling), conditions, config)
}

/// Subsonic flow along a wall that it sticks to: the same steps and iterations on any ranks.
#[test]
fn the_number_of_steps_and_iterations_is_the_same_on_any_ranks() {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [14, 9, 1],
        lengths: [2.0, 1.0, 1.0],
        distortion: 0.1,
    };
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    let conditions = [kind("velocity_inlet"), outlet, kind("no_slip"), kind("symmetry")];
    for (relaxation, jacobian) in [
        (Relaxation::Jacobi, Jacobian::FirstOrder),
        (Relaxation::GaussSeidel, Jacobian::FirstOrder),
        (Relaxation::GaussSeidel, Jacobian::MatrixFree),
    ] {
        let scheme = Scheme::Newton;
        let config = Config { mach: 0.3, limiter: Limiter::None, scheme, relaxation, jacobian, ..viscous() };
        let expected = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &config);
        assert!(expected[0] < 60, "{expected:?}");
        for ranks in [2, 3, 5] {
            let found = steps_and_iterations::<plane::Flow>(ranks, mesh, &conditions, &config);
            assert_eq!(found, expected, "{ranks} ranks");
        }
    }
}

/// Multigrid takes fewer iterations, ever fewer in comparison the finer the mesh is, the same on any ranks.
#[test]
fn coarse_levels_save_iterations_on_any_ranks() {
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    let conditions = [kind("velocity_inlet"), outlet, kind("no_slip"), kind("symmetry")];
    let scheme = Scheme::Newton;
    let alone = Config {
        mach: 0.3,
        limiter: Limiter::None,
        scheme,
        cfl: Some(1000.0),
        coarse_levels: Some(0),
        ..viscous()
    };
    let with_levels = Config { coarse_levels: Some(3), ..alone.clone() };
    let shares = [1, 2].map(|finer| {
        let filling = Filling::MixedPlane;
        let mesh = ElementBox {
            filling,
            cells: [16 * finer, 12 * finer, 1],
            lengths: [2.0, 1.0, 1.0],
            distortion: 0.1,
        };
        let [_, without, _] = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &alone);
        let expected = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &with_levels);
        for ranks in [2, 3] {
            let found = steps_and_iterations::<plane::Flow>(ranks, mesh, &conditions, &with_levels);
            assert_eq!(found, expected, "{ranks} ranks");
        }
        expected[1] as f64 / without as f64
    });
    assert!(shares[0] < 0.6 && shares[1] < shares[0], "{shares:?}");
}

/// Steps go on where only rounding is left, whose residual may be zero in one step and not in the next.
#[test]
fn nothing_left_to_solve_is_no_error() {
    let mesh = small(Filling::MixedPlane);
    let config = Config { mach: 0.3, scheme: Scheme::Newton, limiter: Limiter::None, ..viscous() };
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    for conditions in
        [vec![kind("slip")], vec![kind("velocity_inlet"), outlet, kind("no_slip"), kind("symmetry")]]
    {
        on(1, mesh, &conditions, &config, |domain, flow: &mut plane::Flow| {
            flow.give(domain, &|_| [1.0, 0.0, 0.0, 0.0, 0.7]);
            for _ in 0..150 {
                flow.step(domain, false).expect("a state that stays as it is");
            }
        });
    }
}

/// The free stream in a single cell has a residual of 0 from the first step on: Courant numbers stay numbers.
#[test]
fn a_flow_that_is_steady_from_the_start_stays_so() {
    let filling = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
    let mesh = ElementBox { filling, cells: [1, 1, 1], lengths: [1.0; 3], distortion: 0.0 };
    let conditions = [kind("far_field"), kind("far_field"), kind("slip"), kind("far_field")];
    let config = Config { scheme: Scheme::Newton, ..Config::default() };
    on(1, mesh, &conditions, &config, |domain, flow: &mut plane::Flow| {
        let columns = flow.columns();
        let column = columns.iter().position(|name| name == "cfl").expect("a Courant number");
        let steps: Vec<_> = (0..3).map(|_| flow.step(domain, true).expect("a steady flow")).collect();
        assert_eq!(steps[0].residual, 0.0);
        assert_eq!(steps.iter().map(|step| step.values[column]).collect::<Vec<_>>(), [15.0, 22.5, 33.75]);
    });
}

/// The density of a vortex at the end of some time steps.
fn densities(config: &Config, dt: f64) -> Vec<f64> {
    let config = Config { time_step: Some(dt), ..config.clone() };
    let filling = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
    let mesh = ElementBox { filling, cells: [20, 20, 1], lengths: [10.0, 10.0, 1.0], distortion: 0.0 };
    let mut ends = on(1, mesh, &[kind("far_field")], &config, |domain, flow: &mut plane::Flow| {
        while flow.done().is_some_and(|share| share < 1.0) {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        flow.states(domain).iter().map(|w| w[0]).collect()
    });
    ends.remove(0)
}

/// How much smaller differences become when time steps are halved, as a power of two.
fn order_in_time(config: &Config, dt: f64) -> f64 {
    let [coarse, middle, fine] = [dt, 0.5 * dt, 0.25 * dt].map(|dt| densities(config, dt));
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    (distance(&coarse, &middle) / distance(&middle, &fine)).log2()
}

#[test]
fn schemes_in_time_have_their_orders() {
    let config = Config { end_time: Some(1.6), ..vortex() };
    let order = order_in_time(&config, 0.2);
    assert!((2.7..3.3).contains(&order), "rk3: {order:.2}");
    let config = Config { scheme: Scheme::Bdf2, cfl: None, inner_tolerance: 1e-7, inner_steps: 50, ..config };
    let order = order_in_time(&config, 0.1);
    assert!((1.8..2.2).contains(&order), "bdf2: {order:.2}");
}
