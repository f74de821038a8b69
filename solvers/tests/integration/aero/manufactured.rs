//! Known solutions: second order in L2, and the free stream.

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_solvers::aero::{Aero, Config};

use crate::aero::harness::{Split, domain, iterate};

/// A flow so slow that the temperature, and with it the density, is 1 to the last bit: Laplace's equation.
const SLOW: f64 = 1e-9;

/// A harmonic function, the real part of (x + i y)^4 with x and y from (0.3, -0.2), times the speed.
fn exact(x: f64, y: f64) -> f64 {
    let (x, y) = (x - 0.3, y + 0.2);
    SLOW * ((x * x) * (x * x) - 6.0 * (x * x) * (y * y) + (y * y) * (y * y))
}

/// `exact`, for the values on the boundary.
#[kernel]
fn boundary_values(x: Read<2>, phi: Write<1>) {
    let a = x[0] - 0.3;
    let b = x[1] + 0.2;
    phi[0] = 1e-9 * ((a * a) * (a * a) - 6.0 * (a * a) * (b * b) + (b * b) * (b * b));
}

#[kernel]
fn clear(phi: Write<1>) {
    phi[0] = 0.0;
}

/// The state before Laplace's equation is solved: the harmonic function on the boundary, 0 inside.
pub fn harmonic(mesh: Mesh, config: &Config) -> (Domain, Aero) {
    let mut domain = domain(&Comm::single(), mesh, &Split::new(1, "block"));
    let config = Config { mach: SLOW, ..config.clone() };
    let solver = Aero::new(&mut domain, &config).expect("an Aero mesh");
    let (nodes, bnodes) = (domain.set("nodes").unwrap(), domain.set("bnodes").unwrap());
    let far: Map<1> = domain.map("bnode_node").unwrap();
    let coordinates: Dat<2> = domain.dat("x").unwrap();
    domain.par_loop(clear, nodes, (solver.phi(),), &());
    let at = far.target::<0>();
    domain.par_loop(boundary_values, bnodes, (coordinates.at(at), solver.phi().at(at)), &());
    (domain, solver)
}

/// The L2 norm of the error on a square of n by n perturbed cells, by 3 x 3 Gauss points.
fn error(n: u64) -> f64 {
    let mesh = cfd_mesh::generate::square(&Comm::single(), n, 0.2).expect("a mesh");
    let cells = mesh.maps[mesh.map("cell_nodes").expect("cells")].rows.clone();
    let Values::F64(x) = mesh.dats[mesh.dat("x").expect("coordinates")].values.clone() else {
        panic!("coordinates are f64")
    };
    let config = Config { cg_tolerance: 1e-12, cg_iterations: 10_000, ..Config::default() };
    let (mut domain, mut solver) = harmonic(mesh, &config);
    let history = iterate(&mut solver, &mut domain, 2);
    assert!(history[1][0] < 1e-9 * history[0][0], "a linear problem needs one step: {history:?}");
    let phi = domain.read(solver.phi()).unwrap();

    let (points, weights) =
        ([0.5 - 0.15f64.sqrt(), 0.5, 0.5 + 0.15f64.sqrt()], [5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0]);
    let mut sum = 0.0;
    for corners in cells.chunks_exact(4) {
        let corners: [usize; 4] = std::array::from_fn(|i| corners[i] as usize);
        for (&s, &ws) in points.iter().zip(&weights) {
            for (&t, &wt) in points.iter().zip(&weights) {
                let shape = [(1.0 - s) * (1.0 - t), s * (1.0 - t), (1.0 - s) * t, s * t];
                let by_s = [t - 1.0, 1.0 - t, -t, t];
                let by_t = [s - 1.0, -s, 1.0 - s, s];
                let mix = |f: [f64; 4], value: &dyn Fn(usize) -> f64| -> f64 {
                    (0..4).map(|i| f[i] * value(corners[i])).sum()
                };
                let (px, py) = (&|i: usize| x[2 * i], &|i: usize| x[2 * i + 1]);
                let jacobian = mix(by_s, px) * mix(by_t, py) - mix(by_t, px) * mix(by_s, py);
                let miss = mix(shape, &|i| phi[i]) - exact(mix(shape, px), mix(shape, py));
                sum += ws * wt * jacobian * miss * miss;
            }
        }
    }
    sum.sqrt() / SLOW
}

#[test]
fn the_linear_problem_converges_with_second_order_in_l2() {
    let errors = [12, 24, 48, 96].map(error);
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.9..2.1).contains(&order), "order {order} from errors {errors:?}");
    }
}

#[test]
fn the_free_stream_is_a_solution_on_any_cells() {
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::square(&comm, 12, 0.24).expect("a mesh");
    let mut domain = domain(&comm, mesh, &Split::new(1, "block"));
    let config = Config { mach: 0.5, gamma: 1.3, ..Config::default() };
    let mut solver = Aero::new(&mut domain, &config).expect("an Aero mesh");
    let before = domain.read(solver.phi()).unwrap();
    let history = iterate(&mut solver, &mut domain, 3);
    assert!(history.iter().all(|row| row[0] < 1e-16), "{history:?}");
    let change =
        before.iter().zip(domain.read(solver.phi()).unwrap()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(change < 1e-15, "{change:e}");
}
