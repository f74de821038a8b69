//! The Euler scheme's order of accuracy, measured with a manufactured solution.
//!
//! The free stream is disturbed by a smooth bump that vanishes at the boundary. The flow that solves the Euler
//! equations with the source div F(exact) is the disturbed one; the scheme's solution differs from it by its error.

use cfd_engine::prelude::*;
use cfd_mesh::generate::hexahedra::{Cuboid, cuboid};
use cfd_solvers::mgcfd::euler::kernels;
use cfd_solvers::mgcfd::{Config, Flow, Limiter, Mgcfd};

use crate::harness::{Split, domain_by};

/// Not a cube, so swapped axes show.
const LENGTHS: [f64; 3] = [1.2, 1.0, 0.8];
/// Courant number and Runge-Kutta coefficients of the test's own time steps.
const STAGES: [f64; 3] = [0.1918, 0.4929, 1.0];
const CFL: f64 = 0.69;

/// rho, u, v, w, p of the free stream and the size of their disturbances.
const MEAN: [f64; 5] = [1.4, 2.0, 0.0, 0.0, 1.0];
const BUMP: [f64; 5] = [0.1, 0.1, 0.08, -0.06, 0.1];

fn config(limiter: Limiter) -> Config {
    // A low threshold, so the limiters act even where the flow is smooth.
    Config { mach: Some(2.0), alpha: Some(0.0), levels: 1, limiter, limiter_k: 1.0, ..Config::default() }
}

/// The exact rho, u, v, w, p.
fn exact(x: [f64; 3]) -> [f64; 5] {
    let wave = |d: usize| {
        let sine = (std::f64::consts::PI * x[d] / LENGTHS[d]).sin();
        sine * sine
    };
    let bump = wave(0) * wave(1) * wave(2);
    std::array::from_fn(|m| MEAN[m] + BUMP[m] * bump)
}

fn conserved([r, u, v, w, p]: [f64; 5], gamma: f64) -> [f64; 5] {
    [r, r * u, r * v, r * w, p / (gamma - 1.0) + 0.5 * r * (u * u + v * v + w * w)]
}

/// The flux along an axis.
fn flux(x: [f64; 3], axis: usize, gamma: f64) -> [f64; 5] {
    let state = exact(x);
    let q = conserved(state, gamma);
    let (through, p) = (state[1 + axis], state[4]);
    let mut flux = q.map(|value| through * value);
    flux[1 + axis] += p;
    flux[4] += through * p;
    flux
}

/// div F of the exact flow, by sixth-order differences, which are far more accurate than the scheme.
fn source(x: [f64; 3], gamma: f64) -> [f64; 5] {
    let h = 1e-3;
    let mut sum = [0.0; 5];
    for axis in 0..3 {
        for (steps, weight) in [(1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0)] {
            let at = |sign: f64| {
                let mut place = x;
                place[axis] += sign * steps * h;
                flux(place, axis, gamma)
            };
            let (ahead, behind) = (at(1.0), at(-1.0));
            for m in 0..5 {
                sum[m] += weight * (ahead[m] - behind[m]) / h;
            }
        }
    }
    sum
}

#[derive(Clone, Copy, Debug, Constants)]
struct Step {
    factor: f64,
}

/// q = old - factor / wave (R - V source); R = 0.
#[kernel]
fn driven_stage(
    old: Read<5>,
    wave: Read<1>,
    volume: Read<1>,
    source: Read<5>,
    res: Rw<5>,
    q: Write<5>,
    change: Sum<1>,
    c: &Step,
) {
    let step = c.factor / wave[0];
    for m in 0..5 {
        let difference = step * (res[m] - volume[0] * source[m]);
        q[m] = old[m] - difference;
        change[0] += difference * difference;
        res[m] = 0.0;
    }
}

/// Root mean square of q - exact on a grid of `size` hexahedra, once the flow is steady.
fn error(limiter: Limiter, size: [u64; 3]) -> f64 {
    let comm = Comm::single();
    let shape = Cuboid { lengths: LENGTHS, ..Cuboid::default() };
    let mesh = cuboid(&comm, size, 1, &shape).expect("a mesh");
    let primary = cfd_mesh::DUAL_LEVELS.primary(&mesh);
    let mut domain = domain_by(&comm, mesh, &Split::new(1, "block"), &primary);
    let config = config(limiter);
    let flow = Flow::new(&config);
    let mut solver = Mgcfd::new(&mut domain, &config).expect("a mesh for MG-CFD");
    let q = solver.variables()[0];
    let nodes = q.set();
    let euler = solver.euler().expect("the Euler scheme");
    let volume = euler.volumes()[0];

    let x: Dat<3> = domain.dat("level0/x").expect("the mesh's coordinates");
    let places = domain.read(x).unwrap();
    let places = places.as_chunks::<3>().0;
    let sources: Vec<f64> = places.iter().flat_map(|&x| source(x, flow.gamma)).collect();
    let exact: Vec<f64> = places.iter().flat_map(|&x| conserved(exact(x), flow.gamma)).collect();
    let driven: Dat<5> = domain.new_dat(nodes, "source");
    let (old, wave): (Dat<5>, Dat<1>) = (domain.new_dat(nodes, "old"), domain.new_dat(nodes, "wave"));
    domain.write(driven, &sources);
    domain.write(q, &exact);
    let change = domain.new_sum::<1>("change");

    let (edges, bnodes) = (domain.set("level0/edges").unwrap(), domain.set("level0/bnodes").unwrap());
    let edge_nodes: Map<2> = domain.map("level0/edge_nodes").unwrap();
    let bnode_node: Map<1> = domain.map("level0/bnode_node").unwrap();
    let (a, b, end) = (edge_nodes.target::<0>(), edge_nodes.target::<1>(), bnode_node.target::<0>());
    let (w, bw): (Dat<3>, Dat<3>) =
        (domain.dat("level0/edge_weights").unwrap(), domain.dat("level0/bnode_weights").unwrap());
    for _ in 0..600 {
        domain.par_loop(kernels::begin_step, nodes, (q, old, wave), &());
        domain.par_loop(kernels::wave_speeds, edges, (q.at(a), q.at(b), w, wave.at(a), wave.at(b)), &flow);
        domain.par_loop(kernels::boundary_wave_speeds, bnodes, (q.at(end), bw, wave.at(end)), &flow);
        for stage in STAGES {
            let res = euler.record_residual(&mut domain, 0);
            let operands = (old, wave, volume, driven, res, q, change);
            domain.par_loop(driven_stage, nodes, operands, &Step { factor: CFL * stage });
        }
        let [change] = domain.get(change).unwrap();
        if (change / domain.rows(nodes) as f64).sqrt() < 3e-7 {
            let values = domain.read(q).unwrap();
            let sum: f64 = values.iter().zip(&exact).map(|(q, exact)| (q - exact) * (q - exact)).sum();
            return (sum / domain.rows(nodes) as f64).sqrt();
        }
    }
    panic!("{limiter:?}, {size:?}: no steady flow");
}

#[test]
fn the_error_falls_with_the_square_of_the_edges_length() {
    for limiter in [Limiter::None, Limiter::VanAlbada, Limiter::Venkatakrishnan] {
        let (coarse, fine) = (error(limiter, [8, 7, 5]), error(limiter, [16, 14, 10]));
        let order = (coarse / fine).log2();
        println!("{limiter:?}: errors {coarse:.3e} and {fine:.3e}, order {order:.2}");
        assert!(order >= 1.8, "{limiter:?}: errors {coarse:e} and {fine:e} make an order of {order}");
        assert!(fine < 2e-2, "{limiter:?}: error {fine:e}");
    }
}
