//! The turbulence model: its functions against the published formulas, its derivatives, what it refuses.

use cfd_solvers::flow::kernels::turbulence::{damping, damping_tangent, source, source_tangent, strain};

use super::implicit::steps_and_iterations;
use super::*;

/// The published formulas, as they stand: production less destruction from n, nu, the vorticity's size, d.
fn published(n: f64, nu: f64, vorticity: f64, d: f64) -> f64 {
    let (cb1, cb2, sigma, kappa): (f64, f64, f64, f64) = (0.1355, 0.622, 2.0 / 3.0, 0.41);
    let (cw2, cw3, cv1, c2, c3): (f64, f64, f64, f64, f64) = (0.3, 2.0, 7.1, 0.7, 0.9);
    let cw1 = 3.239_067_8;
    assert!((cw1 - (cb1 / kappa.powi(2) + (1.0 + cb2) / sigma)).abs() < 1e-7);
    let x = n / nu;
    let fv1 = x.powi(3) / (x.powi(3) + cv1.powi(3));
    let fv2 = 1.0 - x / (1.0 + x * fv1);
    let bar = n * fv2 / (kappa * d).powi(2);
    let s = if bar >= -c2 * vorticity {
        vorticity + bar
    } else {
        vorticity + vorticity * (c2 * c2 * vorticity + c3 * bar) / ((c3 - 2.0 * c2) * vorticity - bar)
    };
    let r = if s > 0.0 { (n / (s * (kappa * d).powi(2))).min(10.0) } else { 10.0 };
    let g = r + cw2 * (r.powi(6) - r);
    let fw = g * ((1.0 + cw3.powi(6)) / (g.powi(6) + cw3.powi(6))).powf(1.0 / 6.0);
    cb1 * s * n - cw1 * fw * (n / d).powi(2)
}

/// Values of n, nu, vorticity and d: a viscous sublayer, a logarithmic layer, where S is limited, without vorticity, far away.
const STATES: [[f64; 4]; 7] = [
    [1e-6, 1e-5, 3000.0, 1e-4],
    [4e-4, 1e-5, 120.0, 1e-3],
    [1e-3, 1e-5, 2.0, 5e-3],
    [3e-5, 1e-5, 5.0, 1e-3],
    [3e-5, 1e-5, 0.0, 1e-2],
    [3e-5, 1e-5, 1e-6, 50.0],
    [0.0, 1e-5, 10.0, 0.1],
];

#[test]
fn the_source_is_the_published_one() {
    for [n, nu, vorticity, d] in STATES {
        let (found, expected) = (source(n, nu, vorticity, d), published(n, nu, vorticity, d));
        // c_w1 is known to eight digits.
        let off = (found - expected).abs();
        assert!(off <= 1e-7 * expected.abs(), "{n} {nu} {vorticity} {d}: {found}, expected {expected}");
    }
    // The limit is taken where it should be, and keeps S above 0.1 W.
    let [n, nu, vorticity, d] = STATES[3];
    let s = strain(n, nu, vorticity, d);
    assert!(s > 0.1 * vorticity && s < 0.3 * vorticity, "{s}");
    // In the logarithmic layer, where n = kappa u_tau d, production, destruction and diffusion balance: S = u_tau / (kappa d),
    // r = 1, f_w = 1, and the source is that of the constants, c_b1 - kappa^2 c_w1, times u_tau^2.
    let (friction, d, nu) = (2.0, 0.01, 1e-7);
    let (n, vorticity) = (0.41 * friction * d, friction / (0.41 * d));
    let balance = -(1.0 + 0.622) * 1.5 * 0.41f64.powi(2) * friction * friction;
    let found = source(n, nu, vorticity, d);
    assert!((found / balance - 1.0).abs() < 1e-2, "{found}, expected {balance}");
}

#[test]
fn the_source_and_the_damping_have_their_derivatives() {
    for [n, nu, vorticity, d] in STATES.into_iter().filter(|[n, ..]| *n > 0.0) {
        let h = 1e-5 * n;
        let by_differences = |f: &dyn Fn(f64) -> f64| (f(n + h) - f(n - h)) / (2.0 * h);
        let expected = by_differences(&|n| source(n, nu, vorticity, d));
        let found = source_tangent(n, nu, vorticity, d, 1.0);
        let size = expected.abs().max(1e-6 * n / (d * d));
        assert!((found - expected).abs() < 1e-6 * size, "{n} {vorticity} {d}: {found}, expected {expected}");
        let (found, expected) = (damping_tangent(n, nu, 1.0, 0.0), by_differences(&|n| damping(n, nu)));
        assert!(
            (found - expected).abs() < 1e-7 * expected.abs().max(1e-9 / nu),
            "{found}, expected {expected}"
        );
    }
}

fn turbulent() -> Config {
    Config {
        equations: Equations::SpalartAllmaras,
        reynolds: Some(1e4),
        mach: 0.3,
        limiter: Limiter::None,
        scheme: Scheme::Newton,
        ..Config::default()
    }
}

#[test]
fn a_turbulence_model_without_a_wall_or_with_another_scheme_is_refused() {
    let refused = |config: Config, boundaries: &[&str]| {
        let given =
            |name: &&str| (name.to_string(), serde_json::from_value(kind(name)).expect("a condition"));
        let boundaries = boundaries.iter().map(given).collect();
        cfd_solvers::flow::check::check(&Config { boundaries, ..config }, 2).expect_err("makes no sense")
    };
    let text = refused(turbulent(), &["far_field", "slip"]);
    assert!(text.contains("distance from a wall") && text.contains("no_slip"), "{text}");
    for scheme in [Scheme::Explicit, Scheme::Rk3] {
        let text = refused(Config { scheme, ..turbulent() }, &["no_slip"]);
        assert!(text.contains("flow.scheme = \"newton\""), "{text}");
    }
    let text = refused(Config { reynolds: None, ..turbulent() }, &["no_slip"]);
    assert!(text.contains("flow.reynolds"), "{text}");
}

/// Both systems are solved to the end, in the same number of steps and iterations on any ranks.
#[test]
fn the_number_of_steps_and_iterations_is_the_same_on_any_ranks() {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [12, 10, 1],
        lengths: [2.0, 0.5, 1.0],
        distortion: 0.1,
    };
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    let conditions = [kind("velocity_inlet"), outlet, kind("no_slip"), kind("symmetry")];
    let config = Config { cfl_max: 500.0, ..turbulent() };
    let expected = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &config);
    assert!(expected[0] < 90, "{expected:?}");
    for ranks in [2, 3] {
        let found = steps_and_iterations::<plane::Flow>(ranks, mesh, &conditions, &config);
        assert_eq!(found, expected, "{ranks} ranks");
    }
}
