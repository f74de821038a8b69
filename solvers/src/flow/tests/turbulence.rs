//! The turbulence model: its functions against the published formulas, its derivatives, what it refuses.

use cfd_solvers::flow::kernels::spalart_allmaras::{
    NEGATIVE, damping, damping_tangent, diffusivity, diffusivity_tangent, source, source_tangent, strain,
};

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
pub(super) const STATES: [[f64; 4]; 7] = [
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
        let (found, expected) = (source(n, nu, vorticity, d, 0.0), published(n, nu, vorticity, d));
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
    let found = source(n, nu, vorticity, d, 0.0);
    assert!((found / balance - 1.0).abs() < 1e-2, "{found}, expected {balance}");
}

/// SA-neg with f_t2, as published (ICCFD7-1902, equations 20 to 24 and section 2).
fn published_negative(n: f64, nu: f64, vorticity: f64, d: f64) -> f64 {
    let (cb1, kappa, cw1, ct3, ct4) = (0.1355, 0.41f64, 3.239_067_8, 1.2, 0.5);
    if n < 0.0 {
        return cb1 * (1.0 - ct3) * vorticity * n + cw1 * (n / d).powi(2);
    }
    let ft2 = ct3 * (-ct4 * (n / nu).powi(2)).exp();
    // Without f_t2 production is c_b1 S n.
    let x = n / nu;
    let fv1 = x.powi(3) / (x.powi(3) + 7.1f64.powi(3));
    let bar = n * (1.0 - x / (1.0 + x * fv1)) / (kappa * d).powi(2);
    let s = if bar >= -0.7 * vorticity {
        vorticity + bar
    } else {
        vorticity + vorticity * (0.49 * vorticity + 0.9 * bar) / (-0.5 * vorticity - bar)
    };
    published(n, nu, vorticity, d) - cb1 * ft2 * s * n + cb1 / kappa.powi(2) * ft2 * (n / d).powi(2)
}

#[test]
fn the_source_below_zero_is_the_published_one() {
    let below = STATES.map(|[n, nu, vorticity, d]| [-n, nu, vorticity, d]);
    for [n, nu, vorticity, d] in STATES.into_iter().chain(below) {
        let found = source(n, nu, vorticity, d, NEGATIVE.ct3);
        let expected = published_negative(n, nu, vorticity, d);
        let size = expected.abs().max(1e-3 * (n / d).powi(2));
        assert!((found - expected).abs() <= 1e-6 * size, "{n} {vorticity} {d}: {found}, expected {expected}");
        // More below 0, it comes back the faster, and the derivative says so.
        if n < 0.0 {
            let h = 1e-5 * n.abs();
            let ends = [n + h, n - h].map(|n| source(n, nu, vorticity, d, NEGATIVE.ct3));
            let by_n = source_tangent(n, nu, vorticity, d, NEGATIVE.ct3, 1.0);
            assert!(found > 0.0 && by_n < 0.0, "{n}: {found} {by_n}");
            assert!((by_n - (ends[0] - ends[1]) / (2.0 * h)).abs() < 1e-6 * by_n.abs(), "{n}: {by_n}");
        }
    }
}

#[test]
fn diffusion_stays_positive_below_zero_and_has_its_derivative() {
    let nu = 1e-5;
    for x in [-1e3, -30.0, -4.0, -2.5, -1.0, -0.5, -1e-3, 1e-3, 1.0, 50.0] {
        let n = x * nu;
        let found = diffusivity(n, nu);
        let published = if x < 0.0 { nu + n * (16.0 + x.powi(3)) / (16.0 - x.powi(3)) } else { nu + n };
        assert!(found > 0.0 && (found - published).abs() < 1e-13 * published.max(nu), "{x}: {found}");
        let h = 1e-5 * n.abs();
        let by_differences = (diffusivity(n + h, nu) - diffusivity(n - h, nu)) / (2.0 * h);
        let by_n = diffusivity_tangent(n, nu, 1.0);
        assert!((by_n - by_differences).abs() < 1e-6 * by_n.abs().max(1e-2), "{x}: {by_n}");
    }
}

#[test]
fn the_source_and_the_damping_have_their_derivatives() {
    for [n, nu, vorticity, d] in STATES.into_iter().filter(|[n, ..]| *n > 0.0) {
        let h = 1e-5 * n;
        let by_differences = |f: &dyn Fn(f64) -> f64| (f(n + h) - f(n - h)) / (2.0 * h);
        let expected = by_differences(&|n| source(n, nu, vorticity, d, 0.0));
        let found = source_tangent(n, nu, vorticity, d, 0.0, 1.0);
        let size = expected.abs().max(1e-6 * n / (d * d));
        assert!((found - expected).abs() < 1e-6 * size, "{n} {vorticity} {d}: {found}, expected {expected}");
        let (found, expected) = (damping_tangent(n, nu, 1.0, 0.0), by_differences(&|n| damping(n, nu)));
        assert!(
            (found - expected).abs() < 1e-7 * expected.abs().max(1e-9 / nu),
            "{found}, expected {expected}"
        );
    }
}

pub(super) fn turbulent() -> Config {
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
    let text = refused(Config { turbulence_intensity: Some(0.1), ..turbulent() }, &["no_slip"]);
    assert!(text.contains("flow.turbulence_intensity") && text.contains("sst"), "{text}");
    let without = Config { equations: Equations::Sst, free_turbulence: Some(0.0), ..turbulent() };
    let text = refused(without, &["no_slip"]);
    assert!(text.contains("flow.free_turbulence") && text.contains("positive"), "{text}");
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
    for (equations, jacobian) in [
        (Equations::SpalartAllmaras, Jacobian::FirstOrder),
        (Equations::SpalartAllmaras, Jacobian::MatrixFree),
        (Equations::Sst, Jacobian::MatrixFree),
    ] {
        let config = Config { equations, cfl_max: 500.0, jacobian, ..turbulent() };
        let expected = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &config);
        assert!(expected[0] < 130, "{expected:?}");
        // The model's system is a part of the flow's, or has iterations of its own.
        assert_eq!(expected[2] == 0, jacobian == Jacobian::MatrixFree, "{expected:?}");
        for ranks in [2, 3] {
            let found = steps_and_iterations::<plane::Flow>(ranks, mesh, &conditions, &config);
            assert_eq!(found, expected, "{ranks} ranks");
        }
    }
}

/// The residuals of so many steps.
fn residuals<P: Probe>(filling: Filling, conditions: &[Json], config: &Config, steps: usize) -> Vec<f64> {
    let mut ends = on(1, small(filling), conditions, config, |domain, flow: &mut P| {
        (0..steps).map(|_| flow.step(domain, false).expect("a flow that stays sound").residual).collect()
    });
    ends.remove(0)
}

/// With all of the derivative, of flow and model together, the last steps are those of Newton's method proper, as the time step
/// grows ever faster. A part that is missing shows at once.
#[test]
fn the_derivative_of_flow_and_model_converges_in_few_steps_in_both_dimensions() {
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    let [far, slip] = [kind("far_field"), kind("slip")];
    let conditions = [far.clone(), outlet, kind("no_slip"), far, kind("symmetry"), slip];
    let config = Config {
        jacobian: Jacobian::MatrixFree,
        cfl_max: 1e9,
        linear_tolerance: 1e-6,
        linear_iterations: 600,
        ..turbulent()
    };
    for equations in [Equations::SpalartAllmaras, Equations::NegativeSpalartAllmaras, Equations::Sst] {
        let config = Config { equations, ..config.clone() };
        for filling in [Filling::MixedPlane, Filling::MixedSpace] {
            let all = in_its_dimension!(filling, residuals_of(&conditions, &config));
            let begun = all.iter().position(|residual| *residual < 1e-4).expect("a flow that becomes steady");
            assert!(all[begun + 5] < 1e-11, "{equations:?}, {filling:?}: {:?}", &all[begun..]);
        }
    }
}

fn residuals_of<P: Probe>(filling: Filling, conditions: &[Json], config: &Config) -> Vec<f64> {
    residuals::<P>(filling, conditions, config, 60)
}

/// Second-order advection carries n below 0 where there is hardly any, where SA holds it. Systems of their own then go to and fro
/// for ever; of flow and model together they do not, and nodes that are held count as solved.
#[test]
fn second_order_advection_converges_with_the_whole_derivative() {
    let mesh = |comm: &Comm| cfd_mesh::generate::plane::airfoil(comm, [57, 17]).expect("a grid");
    let conditions = vec![("airfoil", kind("no_slip")), ("far_field", kind("far_field"))];
    let residuals = |jacobian, steps: usize| {
        let config = Config {
            mach: 0.15,
            alpha: 10.0,
            reynolds: Some(6e6),
            kappa: 0.5,
            turbulence_order: 2,
            jacobian,
            ..turbulent()
        };
        let ends = on_mesh(1, mesh, conditions.clone(), &config, |domain, flow: &mut plane::Flow| {
            let step = |_| flow.step(domain, false).expect("a flow that stays sound").residual;
            (0..steps).map(step).collect::<Vec<f64>>()
        });
        ends.into_iter().next().expect("a rank")
    };
    let alone = residuals(Jacobian::FirstOrder, 120);
    assert!(alone.iter().all(|residual| *residual > 1e-3), "{alone:?}");
    let coupled = residuals(Jacobian::MatrixFree, 60);
    assert!(coupled[59] < 1e-10, "{coupled:?}");
}

/// Multigrid takes fewer iterations for the flow and for what a model transports, the same on any ranks.
#[test]
fn coarse_levels_save_iterations_of_the_models() {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [24, 20, 1],
        lengths: [2.0, 0.5, 1.0],
        distortion: 0.1,
    };
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    let conditions = [kind("velocity_inlet"), outlet, kind("no_slip"), kind("symmetry")];
    for equations in [Equations::SpalartAllmaras, Equations::Sst] {
        let alone = Config { equations, cfl_max: 500.0, coarse_levels: Some(0), ..turbulent() };
        let with_levels = Config { coarse_levels: Some(2), ..alone.clone() };
        let [_, of_flow, of_model] = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &alone);
        let expected = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &with_levels);
        assert!(expected[1] < of_flow && expected[2] < of_model, "{expected:?}, {of_flow}, {of_model}");
        for ranks in [2, 3] {
            let found = steps_and_iterations::<plane::Flow>(ranks, mesh, &conditions, &with_levels);
            assert_eq!(found, expected, "{ranks} ranks");
        }
    }
}

/// In a channel whose cells are thousands of times as long as thick on coarse levels, too, where no lines solve for them:
/// cycles that leave much there would take more iterations than lines alone.
#[test]
fn coarse_levels_save_iterations_on_stretched_cells_in_space() {
    let mesh = |comm: &Comm| cfd_mesh::generate::plane::bump_in_space(comm, [23, 11, 3]).expect("a grid");
    let inlet = json!({ "kind": "inlet", "total_pressure": 0.73448571, "total_temperature": 1.008 });
    let [symmetry, outlet] = [kind("symmetry"), kind("outlet")];
    let names = ["wall", "symmetry", "inlet", "outlet", "top"];
    let conditions: Vec<_> =
        names.into_iter().zip([kind("no_slip"), symmetry.clone(), inlet, outlet, symmetry]).collect();
    let iterations = |coarse_levels| {
        let config = Config {
            mach: 0.2,
            reynolds: Some(3e6),
            kappa: 0.5,
            up: cfd_solvers::flow::config::Up::Z,
            coarse_levels,
            ..turbulent()
        };
        let ends = on_mesh(1, mesh, conditions.clone(), &config, |domain, flow: &mut space::Flow| {
            let columns = flow.columns();
            let column = columns.iter().position(|column| column == "linear_iterations").expect("a column");
            let step = |_| flow.step(domain, true).expect("a flow that stays sound").values[column];
            (0..30).map(step).sum::<f64>()
        });
        ends[0]
    };
    let [alone, with_levels] = [Some(0), Some(4)].map(iterations);
    assert!(with_levels < 0.5 * alone, "{with_levels}, {alone}");
}

/// The root mean square error of u . grad n at inner nodes, on so many cells along each side, by advection of this order.
fn error_of_advection(cells: u64, order: u64) -> f64 {
    use cfd_solvers::flow::kernels::spalart_allmaras::carry_2d;
    use cfd_solvers::flow::kernels::turbulence::carry_further_2d;
    use cfd_solvers::gas::gradients::{
        clear_one_2d, differences_one_2d, invert_2d, moments_2d, solve_one_2d,
    };
    const VELOCITY: [f64; 2] = [0.6, -0.8];
    let mesh = ElementBox {
        filling: Filling::Only(cfd_mesh::ElementKind::Quadrilateral),
        cells: [cells, cells, 1],
        lengths: [1.0, 1.0, 1.0],
        distortion: 0.0,
    };
    let errors = on::<plane::Flow, f64>(1, mesh, &[kind("far_field")], &Config::default(), |domain, flow| {
        let cfd_solvers::flow::plane::Geometry { nodes, edges, a, b, x, area, .. } = flow.residual.geometry;
        let coupling = domain.dat::<1, f64>("edge_coupling").unwrap();
        let places = flow.positions(domain);
        flow.give(domain, &|_| [1.0, VELOCITY[0], VELOCITY[1], 0.0, 1.0]);
        let [n, nu, distance, slope, res] =
            ["n", "nu", "distances", "slopes", "rates"].map(|name| domain.new_dat::<1, f64>(nodes, name));
        let (gradient, inverse) = (
            domain.new_dat::<2, f64>(nodes, "gradient of n"),
            domain.new_dat::<3, f64>(nodes, "inverse of sums"),
        );
        let [upper, lower] = ["upper", "lower"].map(|name| domain.new_dat::<1, f64>(edges, name));
        let values: Vec<f64> = places.iter().map(|x| 2.0 + (2.0 * x[0] + 3.0 * x[1]).sin()).collect();
        domain.write(n, &values);
        domain.write(nu, &vec![1.0; places.len()]);
        let w = flow.residual.w;
        let (x_a, x_b, w_a, w_b) = (x.at(a), x.at(b), w.at(a), w.at(b));
        let (n_a, n_b, nu_a, nu_b, res_a, res_b) =
            (n.at(a), n.at(b), nu.at(a), nu.at(b), res.at(a), res.at(b));
        let (distances, slopes) = ((distance.at(a), distance.at(b)), (slope.at(a), slope.at(b)));
        let operands = (
            w_a,
            w_b,
            n_a,
            n_b,
            nu_a,
            nu_b,
            distances.0,
            distances.1,
            area,
            coupling,
            upper,
            lower,
            slopes.0,
            slopes.1,
            res_a,
            res_b,
        );
        domain.par_loop(carry_2d, edges, operands, &());
        if order == 2 {
            domain.par_loop(clear_one_2d, nodes, (gradient,), &());
            domain.par_loop(moments_2d, edges, (x_a, x_b, inverse.at(a), inverse.at(b)), &());
            domain.par_loop(invert_2d, nodes, (inverse,), &());
            let sums = (gradient.at(a), gradient.at(b));
            domain.par_loop(differences_one_2d, edges, (x_a, x_b, n_a, n_b, sums.0, sums.1), &());
            domain.par_loop(solve_one_2d, nodes, (inverse, gradient), &());
            let operands = (x_a, x_b, w_a, w_b, n_a, n_b, nu_a, nu_b, sums.0, sums.1, area, res_a, res_b);
            domain.par_loop(carry_further_2d, edges, operands, &());
        }
        let (found, volumes) = (domain.read(res).unwrap(), flow.volumes(domain));
        let is_inner = |x: &&Vector| (0..2).all(|k| x[k] > 0.2 && x[k] < 0.8);
        let squares: Vec<f64> = places
            .iter()
            .zip(found.iter().zip(&volumes))
            .filter(|(x, _)| is_inner(x))
            .map(|(x, (found, volume))| {
                let exact = (2.0 * x[0] + 3.0 * x[1]).cos() * (2.0 * VELOCITY[0] + 3.0 * VELOCITY[1]);
                (found / volume - exact).powi(2)
            })
            .collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    });
    errors[0]
}

#[test]
fn advection_has_the_order_that_is_asked_for() {
    for order in [1, 2] {
        let [coarse, fine] = [16, 32].map(|cells| error_of_advection(cells, order));
        let found = (coarse / fine).log2();
        assert!((found - order as f64).abs() < 0.25, "order {found} instead of {order}: {coarse} and {fine}");
    }
}
