//! Menter's SST model: its functions against the published formulas, values on walls and at the start, what it refuses.

use cfd_solvers::flow::kernels::sst::{balance, in_boundary_layer, near_wall};

use super::implicit::{in_newton_steps, steps_and_iterations};
use super::manufactured::{Exact, LENGTHS, REDUCTION, calm, inside, steady};
use super::turbulence::turbulent;
use super::*;

/// A node: k, omega, rho, nu, S, grad k . grad ln omega, d.
type Node = [f64; 7];

/// In a viscous sublayer, in a logarithmic layer, in a wake, where production is limited, in a free stream, on a wall.
const NODES: [Node; 6] = [
    [1e-6, 8e4, 1.0, 1e-5, 3000.0, -0.025, 1e-4],
    [8e-3, 100.0, 1.1, 1e-5, 30.0, -0.003, 4e-3],
    [2e-3, 150.0, 0.9, 1e-5, 90.0, 0.003, 2e-2],
    [1e-5, 40.0, 1.0, 1e-5, 900.0, 0.0, 5e-2],
    [1e-7, 5.0, 1.2, 1e-5, 1e-3, -1e-12, 40.0],
    [0.0, 6e6, 1.0, 1e-5, 3000.0, 0.0, 0.0],
];
/// The least CD.
const CROSS: f64 = 1e-10;

/// The published equations, as they stand: F_1, F_2, mu_t, coefficients of diffusion, sources of k and omega.
fn published([k, omega, rho, nu, strain, cross, d]: Node) -> [f64; 7] {
    let (star, a1, sigma_omega2): (f64, f64, f64) = (0.09, 0.31, 0.856);
    // grad omega = omega grad ln omega.
    let dot = omega * cross;
    let cd = (2.0 * rho * sigma_omega2 * dot / omega).max(CROSS);
    let arg1 = (k.sqrt() / (star * omega * d))
        .max(500.0 * nu / (d * d * omega))
        .min(4.0 * rho * sigma_omega2 * k / (cd * d * d));
    let f1 = arg1.powi(4).tanh();
    let f2 = (2.0 * k.sqrt() / (star * omega * d)).max(500.0 * nu / (d * d * omega)).powi(2).tanh();
    let mu_t = rho * a1 * k / (a1 * omega).max(strain * f2);
    let produced = (mu_t * strain * strain).min(10.0 * star * rho * omega * k);
    let blend = |inner: f64, outer: f64| f1 * inner + (1.0 - f1) * outer;
    let mu = rho * nu;
    [
        f1,
        f2,
        mu_t,
        mu + blend(0.85, 1.0) * mu_t,
        mu + blend(0.5, 0.856) * mu_t,
        produced - star * rho * omega * k,
        blend(5.0 / 9.0, 0.44) * rho * produced / mu_t - blend(0.075, 0.0828) * rho * omega * omega
            + 2.0 * (1.0 - f1) * rho * sigma_omega2 / omega * dot,
    ]
}

#[test]
fn the_model_is_the_published_one() {
    for node in NODES.into_iter().filter(|node| node[6] > 0.0) {
        let [k, omega, rho, nu, strain, cross, d] = node;
        let [mu_t, mixed_k, mixed_omega, gain_k, _, gain_omega, _] =
            balance(k, omega, rho, nu, strain, cross, d, CROSS);
        let f1 = near_wall(k, omega, rho, nu, d, cross, CROSS);
        let f2 = in_boundary_layer(k, omega, nu, d);
        let found = [f1, f2, mu_t, mixed_k, mixed_omega, gain_k, gain_omega];
        let expected = published(node);
        // Sources are differences of what is produced and what is destroyed.
        let sizes = [1.0, 1.0, mu_t, mixed_k, mixed_omega, rho * omega * k, rho * omega * omega];
        for (at, size) in sizes.into_iter().enumerate() {
            let off = (found[at] - expected[at]).abs();
            assert!(off <= 1e-13 * size, "{node:?}, {at}: {} instead of {}", found[at], expected[at]);
        }
    }
    // The branches that the nodes are for.
    let functions = NODES.map(|node| published(node)[0]);
    assert!(
        functions[0] > 0.99 && functions[1] > 0.99 && functions[2] < 0.9 && functions[4] < 1e-3,
        "{functions:?}"
    );
    let [k, omega, rho, _, strain, ..] = NODES[3];
    let mu_t = published(NODES[3])[2];
    assert!(mu_t * strain * strain > 10.0 * 0.09 * rho * omega * k, "production is not limited");
}

#[test]
fn nothing_is_infinite_on_a_wall() {
    let [k, omega, rho, nu, strain, cross, d] = NODES[5];
    let all = balance(k, omega, rho, nu, strain, cross, d, CROSS);
    assert!(all.iter().all(|value| value.is_finite()), "{all:?}");
    assert_eq!(all[0], 0.0, "no eddies on a wall");
}

/// What of a source destroys: of k its derivative with the production kept; of omega the same, and what the product of gradients
/// takes away, over omega.
#[test]
fn destruction_is_the_derivative() {
    for node in NODES.into_iter().filter(|node| node[0] > 0.0) {
        let [k, omega, rho, _, _, cross, _] = node;
        let all = balance(k, omega, rho, node[3], node[4], cross, node[6], CROSS);
        let f1 = published(node)[0];
        assert_eq!(all[4], 0.09 * rho * omega);
        let beta = f1 * 0.075 + (1.0 - f1) * 0.0828;
        let spread = 2.0 * (1.0 - f1) * rho * 0.856 * (-cross).max(0.0) / omega;
        assert!((all[6] / (2.0 * beta * rho * omega + spread) - 1.0).abs() < 1e-13, "{node:?}");
        assert!(all[4] > 0.0 && all[6] > 0.0);
    }
}

pub(super) fn two_equations() -> Config {
    Config { equations: Equations::Sst, ..turbulent() }
}

fn channel() -> (ElementBox, [Json; 4]) {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [12, 10, 1],
        lengths: [2.0, 0.5, 1.0],
        distortion: 0.1,
    };
    let outlet = json!({ "kind": "outlet", "pressure": 0.7 });
    (mesh, [kind("velocity_inlet"), outlet, kind("no_slip"), kind("symmetry")])
}

/// All systems are solved to the end, in the same number of steps and iterations on any ranks.
#[test]
fn the_number_of_steps_and_iterations_is_the_same_on_any_ranks() {
    let (mesh, conditions) = channel();
    let config = Config { cfl_max: 500.0, ..two_equations() };
    let expected = steps_and_iterations::<plane::Flow>(1, mesh, &conditions, &config);
    assert!(expected[0] < 250, "{expected:?}");
    for ranks in [2, 3] {
        let found = steps_and_iterations::<plane::Flow>(ranks, mesh, &conditions, &config);
        assert_eq!(found, expected, "{ranks} ranks");
    }
}

/// k is 0 on walls and omega 60 nu / (beta_1 d_1^2); in the free stream both follow from the configuration.
#[test]
fn walls_and_the_free_stream_have_their_values() {
    const ROWS: u64 = 8;
    let mesh = ElementBox {
        filling: Filling::Only(cfd_mesh::ElementKind::Quadrilateral),
        cells: [6, ROWS, 1],
        lengths: [2.0, 0.4, 1.0],
        distortion: 0.0,
    };
    let conditions = [kind("far_field"), kind("far_field"), kind("no_slip"), kind("far_field")];
    let config = Config {
        turbulence_intensity: Some(0.02),
        free_turbulence: Some(0.5),
        viscosity_law: Law::Constant,
        ..two_equations()
    };
    on::<plane::Flow, ()>(1, mesh, &conditions, &config, |domain, flow| {
        let positions = flow.positions(domain);
        let free = FreeStream::new(&config);
        let nu = config.viscosity_of(&free) / free.density;
        let far_k = 1.5 * (0.02 * free.speed).powi(2);
        let far_omega = far_k / (0.5 * nu);
        let turbulence = flow.residual.turbulence.as_ref().expect("a turbulence model");
        let [k, omega] = turbulence.quantities()[..] else { panic!("two quantities") };
        let (k, omega) = (domain.read(k.n).unwrap(), domain.read(omega.n).unwrap());
        let first = 0.4 / ROWS as f64;
        for (x, (k, omega)) in positions.iter().zip(k.iter().zip(&omega)) {
            let [expected_k, expected_omega] = match x[1] == 0.0 {
                true => [0.0, 60.0 * nu / (0.075 * first * first)],
                false => [far_k, far_omega + 6.0 * nu / (0.075 * x[1] * x[1])],
            };
            assert!((k - expected_k).abs() <= 1e-14 * far_k, "{x:?}: k = {k}, expected {expected_k}");
            assert!(
                (omega / expected_omega - 1.0).abs() < 1e-12,
                "{x:?}: {omega}, expected {expected_omega}"
            );
        }
    });
}

/// A flow with k and omega that solve the equations with a source, which is worked out from the published equations.
struct Manufactured {
    gas: Gas,
    far: [f64; 2],
}

impl Manufactured {
    const DISTANCE: f64 = 0.3;

    /// k or omega: as in the free stream along the sides of the box.
    fn quantity(&self, at: usize, x: Vector) -> f64 {
        let share = [0.8, -0.4][at] * (1.0 + 0.3 * (1.5 * x[0] - 2.0 * x[1]).sin());
        self.far[at] * (1.0 + share * inside::<2>(x))
    }

    /// The published functions at a place.
    fn published(&self, x: Vector) -> [f64; 7] {
        let [k, omega] = [0, 1].map(|at| self.quantity(at, x));
        let still = Exact { dimension: 2, gas: self.gas, state: &calm::<2>, eddies: &|_| 0.0 };
        let slopes = still.velocities(x);
        let strain2: f64 = (0..4)
            .map(|at| 0.5 * (slopes[at / 2][at % 2] + slopes[at % 2][at / 2]))
            .map(|s| 2.0 * s * s)
            .sum();
        let by_place = [0, 1].map(|at| still.gradient(&|x| self.quantity(at, x), x));
        let dot: f64 = (0..2).map(|i| by_place[0][i] * by_place[1][i]).sum();
        let rho = calm::<2>(x)[0];
        let nu = self.gas.viscosity / rho;
        published([k, omega, rho, nu, strain2.sqrt(), dot / omega, Self::DISTANCE])
    }

    /// The source of k or omega that keeps it steady.
    fn source(&self, exact: &Exact, at: usize, x: Vector) -> f64 {
        let w = calm::<2>(x);
        let of = |x: Vector| self.quantity(at, x);
        let by_place = exact.gradient(&of, x);
        let carried: f64 = (0..2).map(|i| w[0] * w[1 + i] * by_place[i]).sum();
        // Mass has a source, too, of which none is in an equation for rho Dk/Dt.
        carried - self.published(x)[5 + at] - exact.diffusion(&|x| self.published(x)[3 + at], &of, x)
    }

    /// Errors of density, velocity, pressure, k and omega.
    fn errors(cells: u64, order: u64) -> [f64; 6] {
        let mut config = Config {
            equations: Equations::Sst,
            viscosity: Some(0.01),
            viscosity_law: Law::Constant,
            free_turbulence: Some(2.0),
            turbulence_intensity: Some(0.3),
            turbulence_order: order,
            ..steady()
        };
        let filling = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
        let mesh =
            ElementBox { filling, cells: [cells, cells * 5 / 6, 1], lengths: LENGTHS, distortion: 0.0 };
        // The distances are given below; where a wall is does not matter then.
        let wall = serde_json::from_value(kind("no_slip")).expect("a condition");
        config.boundaries.insert("elsewhere".into(), wall);
        let mut ends = on(1, mesh, &[kind("far_field")], &config, |domain, flow: &mut plane::Flow| {
            let (positions, volumes) = (flow.positions(domain), flow.volumes(domain));
            let nodes = flow.residual.geometry.nodes;
            let quantities = flow.residual.turbulence.as_ref().expect("a turbulence model").quantities();
            let [k, omega] = quantities[..] else { panic!("two quantities") };
            let all = Manufactured { gas: Gas::new(&config), far: [k.inflow.far, omega.inflow.far] };
            let eddies = |x: Vector| all.published(x)[2];
            let exact = Exact { dimension: 2, gas: all.gas, state: &calm::<2>, eddies: &eddies };
            flow.manufacture(domain, &|x| exact.source(x), &calm::<2>);
            flow.give(domain, &calm::<2>);
            let turbulence = flow.residual.turbulence.as_mut().expect("a turbulence model");
            domain.write(turbulence.distance, &vec![Self::DISTANCE; positions.len()]);
            let mut found = Vec::new();
            for (at, quantity) in turbulence.quantities_mut().into_iter().enumerate() {
                let values: Vec<f64> = positions.iter().map(|x| all.quantity(at, *x)).collect();
                domain.write(quantity.n, &values);
                let of_cell = |(x, volume): (&Vector, &f64)| all.source(&exact, at, *x) * volume;
                let rows: Vec<f64> = positions.iter().zip(&volumes).map(of_cell).collect();
                let source = domain.new_dat(nodes, &format!("source {at}"));
                domain.write(source, &rows);
                quantity.source = Some(source);
                found.push(quantity.n);
            }
            in_newton_steps(domain, flow, REDUCTION);
            let states = flow.states(domain);
            let size = |squares: f64| (squares / positions.len() as f64).sqrt();
            let of_state = |m: usize| {
                let off = |(x, w): (&Vector, &State)| (w[m] - calm::<2>(*x)[m]).powi(2);
                size(positions.iter().zip(&states).map(off).sum())
            };
            let mut of_quantity = |at: usize| {
                let values = domain.read(found[at]).unwrap();
                let off = |(x, n): (&Vector, &f64)| ((n - all.quantity(at, *x)) / all.far[at]).powi(2);
                size(positions.iter().zip(&values).map(off).sum())
            };
            [of_state(0), of_state(1), of_state(2), of_state(4), of_quantity(0), of_quantity(1)]
        });
        ends.remove(0)
    }
}

#[test]
fn two_equations_have_the_order_of_their_advection() {
    for (order, range) in [(1, 0.75..1.4), (2, 1.7..2.6)] {
        let [coarse, fine] = [24, 48].map(|cells| Manufactured::errors(cells, order));
        for m in 4..6 {
            let found = (coarse[m] / fine[m]).log2();
            assert!(range.contains(&found), "{m}: order {found:.2}: {coarse:?}, {fine:?}");
        }
        for m in (0..4).filter(|_| order == 2) {
            let found = (coarse[m] / fine[m]).log2();
            assert!(found > 1.6, "{m}: order {found:.2}: {coarse:?}, {fine:?}");
        }
    }
}
