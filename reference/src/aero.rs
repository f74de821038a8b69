//! Aero: steady two-dimensional potential flow, div(rho grad phi) = 0, bilinear finite elements on quadrilaterals,
//! Newton's method with conjugate gradients.
//!
//! Speeds are in units of the free stream's speed of sound, gamma = 1.4. A Newton step: `res_calc`, `dirichlet`,
//! `init_cg`; per step of the conjugate gradients `spmv`, `dirichlet`, `dot_pv`, `update_ur`, `update_p`; `update`.
//! Source of the application: Mudalige et al., "OP2: An active library framework for solving unstructured mesh-based
//! applications", InPar (2012), DOI 10.1109/InPar.2012.6339594. Conjugate gradients: Hestenes and Stiefel, "Methods of
//! conjugate gradients for solving linear systems", Journal of Research of the National Bureau of Standards 49
//! (1952), DOI 10.6028/jres.049.044.

use std::time::{Duration, Instant};

use crate::input::{MeshError, within};
use crate::sum::Sum;

/// The names of the loops, in the order of [`Aero::times`].
pub const LOOPS: [&str; 8] =
    ["res_calc", "dirichlet", "init_cg", "spmv", "dot_pv", "update_ur", "update_p", "update"];

/// Ratio of specific heats.
const GAMMA: f64 = 1.4;
/// Gauss points of the unit interval, (1 -+ 1/sqrt 3) / 2; the weight of a pair of them is 1/4.
const GAUSS: [f64; 2] = [0.21132486540518713, 0.7886751345948129];

/// A mesh of quadrilaterals, all indices 0-based, in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Coordinates of the nodes.
    pub x: Vec<[f64; 2]>,
    /// The nodes of each cell, at (0,0), (1,0), (0,1), (1,1) of the unit square.
    pub cell_nodes: Vec<[u32; 4]>,
    /// The far-field nodes, which have the free stream's potential.
    pub bnode_node: Vec<u32>,
}

/// The parameters of the flow and the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Mach number of the free stream.
    pub mach: f64,
    /// A linear system is solved once its residual is at most this fraction of its initial value.
    pub cg_tolerance: f64,
    /// Maximum number of conjugate-gradient steps per linear system.
    pub cg_steps: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { mach: 0.1, cg_tolerance: 0.1, cg_steps: 200 }
    }
}

/// The result of a Newton step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonStep {
    /// sqrt(sum(u^2) / nodes), u being the change of phi.
    pub residual: f64,
    /// Steps of the conjugate gradients.
    pub cg_steps: u64,
    /// The remaining share of the linear system's residual.
    pub cg_reduction: f64,
}

/// The state of a run.
pub struct Aero {
    mesh: Mesh,
    options: Options,
    phi: Vec<f64>,
    res: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
    /// The stiffness of each cell, row by row.
    k: Vec<[[f64; 4]; 4]>,
    times: [Duration; LOOPS.len()],
}

impl Aero {
    /// phi = M x everywhere.
    ///
    /// # Errors
    ///
    /// A map that names a row that does not exist.
    pub fn new(mesh: Mesh, options: Options) -> Result<Aero, MeshError> {
        let nodes = mesh.x.len();
        within("cell_nodes", &mesh.cell_nodes, nodes)?;
        within("bnode_node", mesh.bnode_node.as_chunks::<1>().0, nodes)?;
        Ok(Aero {
            phi: mesh.x.iter().map(|x| options.mach * x[0]).collect(),
            res: vec![0.0; nodes],
            u: vec![0.0; nodes],
            v: vec![0.0; nodes],
            p: vec![0.0; nodes],
            k: vec![[[0.0; 4]; 4]; mesh.cell_nodes.len()],
            mesh,
            options,
            times: Default::default(),
        })
    }

    /// The potential of all nodes.
    pub fn phi(&self) -> &[f64] {
        &self.phi
    }

    /// Time spent in each of the [`LOOPS`] since the start.
    pub fn times(&self) -> [Duration; LOOPS.len()] {
        self.times
    }

    /// One Newton step, with sums of the kind `S`.
    pub fn newton<S: Sum>(&mut self) -> NewtonStep {
        self.timed(0, Aero::res_calc);
        self.timed(1, |aero| dirichlet(&mut aero.res, &aero.mesh.bnode_node));
        let (cg_steps, cg_reduction) = self.solve::<S>();
        let sum = self.timed(7, Aero::update::<S>);
        NewtonStep { residual: (sum / self.phi.len() as f64).sqrt(), cg_steps, cg_reduction }
    }

    /// K u = res from u = 0, as far as the options require; returns the steps and the norm of the final `res`, relative
    /// to the initial one.
    fn solve<S: Sum>(&mut self) -> (u64, f64) {
        let Options { cg_tolerance, cg_steps, .. } = self.options;
        let start = self.timed(2, Aero::init_cg::<S>);
        let (mut rr, mut steps) = (start, 0);
        let goes_on = |rr: f64, steps| steps < cg_steps && rr.sqrt() > cg_tolerance * start.sqrt();
        while goes_on(rr, steps) {
            self.timed(3, Aero::spmv);
            self.timed(1, |aero| dirichlet(&mut aero.v, &aero.mesh.bnode_node));
            let pv = self.timed(4, |aero| dot_pv::<S>(&aero.p, &aero.v));
            let alpha = rr / pv;
            let left = self.timed(5, |aero| aero.update_ur::<S>(alpha));
            let beta = left / rr;
            (rr, steps) = (left, steps + 1);
            if goes_on(rr, steps) {
                self.timed(6, |aero| update_p(&mut aero.p, &aero.res, beta));
            }
        }
        (steps, if start > 0.0 { (rr / start).sqrt() } else { 0.0 })
    }

    fn timed<T>(&mut self, index: usize, run: impl FnOnce(&mut Aero) -> T) -> T {
        let start = Instant::now();
        let result = run(self);
        self.times[index] += start.elapsed();
        result
    }

    fn res_calc(&mut self) {
        let mach = self.options.mach;
        for (nodes, k) in self.mesh.cell_nodes.iter().zip(&mut self.k) {
            let nodes = nodes.map(|node| node as usize);
            let (x, phi) = (nodes.map(|node| self.mesh.x[node]), nodes.map(|node| self.phi[node]));
            let (res, stiffness) = element(x, phi, mach);
            for (node, res) in nodes.into_iter().zip(res) {
                self.res[node] += res;
            }
            *k = stiffness;
        }
    }

    /// p = res, u = v = 0; returns the sum of res^2.
    fn init_cg<S: Sum>(&mut self) -> f64 {
        let mut sum = S::default();
        for (p, res) in self.p.iter_mut().zip(&self.res) {
            *p = *res;
            sum.add(res * res);
        }
        self.u.fill(0.0);
        self.v.fill(0.0);
        sum.value()
    }

    /// v += K p.
    fn spmv(&mut self) {
        for (nodes, k) in self.mesh.cell_nodes.iter().zip(&self.k) {
            let nodes = nodes.map(|node| node as usize);
            let p = nodes.map(|node| self.p[node]);
            for (node, row) in nodes.into_iter().zip(k) {
                self.v[node] += (row[0] * p[0] + row[1] * p[1]) + (row[2] * p[2] + row[3] * p[3]);
            }
        }
    }

    /// u += alpha p, res -= alpha v, v = 0; returns the sum of the new res^2.
    fn update_ur<S: Sum>(&mut self, alpha: f64) -> f64 {
        let mut sum = S::default();
        let rows = self.u.iter_mut().zip(&mut self.res).zip(&self.p).zip(&mut self.v);
        for (((u, res), p), v) in rows {
            *u += alpha * p;
            *res -= alpha * *v;
            *v = 0.0;
            sum.add(*res * *res);
        }
        sum.value()
    }

    /// phi -= u, res = 0; returns the sum of u^2.
    fn update<S: Sum>(&mut self) -> f64 {
        let mut sum = S::default();
        for ((phi, res), u) in self.phi.iter_mut().zip(&mut self.res).zip(&self.u) {
            *phi -= u;
            *res = 0.0;
            sum.add(u * u);
        }
        sum.value()
    }
}

/// Values of the far-field nodes are 0.
fn dirichlet(values: &mut [f64], bnode_node: &[u32]) {
    for &node in bnode_node {
        values[node as usize] = 0.0;
    }
}

/// The sum of p v.
fn dot_pv<S: Sum>(p: &[f64], v: &[f64]) -> f64 {
    let mut sum = S::default();
    p.iter().zip(v).for_each(|(p, v)| sum.add(p * v));
    sum.value()
}

/// p = beta p + res.
fn update_p(p: &mut [f64], res: &[f64], beta: f64) {
    p.iter_mut().zip(res).for_each(|(p, res)| *p = beta * *p + res);
}

/// A cell's part of the residual int rho grad phi . grad N_j, and of its derivative
/// K_jk = int rho (grad N_j . grad N_k) - (rho / D) (grad phi . grad N_j)(grad phi . grad N_k), by four Gauss points;
/// D = 1 + (gamma - 1)/2 (M^2 - |grad phi|^2), rho = D^2 sqrt(D).
#[inline(always)]
fn element(x: [[f64; 2]; 4], phi: [f64; 4], mach: f64) -> ([f64; 4], [[f64; 4]; 4]) {
    let (mut res, mut k) = ([0.0; 4], [[0.0; 4]; 4]);
    for eta in GAUSS {
        for xi in GAUSS {
            let [x_xi, x_eta] = slopes(x.map(|x| x[0]), xi, eta);
            let [y_xi, y_eta] = slopes(x.map(|x| x[1]), xi, eta);
            let [phi_xi, phi_eta] = slopes(phi, xi, eta);
            let jacobian = x_xi * y_eta - x_eta * y_xi;
            let u = (y_eta * phi_xi - y_xi * phi_eta) / jacobian;
            let v = (x_xi * phi_eta - x_eta * phi_xi) / jacobian;
            let d = 1.0 + 0.5 * (GAMMA - 1.0) * (mach * mach - (u * u + v * v));
            let rho = (d * d) * d.sqrt();
            // The Jacobian times the gradients of the shape functions, and times their derivatives along the flow.
            let n_xi = [-(1.0 - eta), 1.0 - eta, -eta, eta];
            let n_eta = [-(1.0 - xi), -xi, 1.0 - xi, xi];
            let gradient: [[f64; 2]; 4] = std::array::from_fn(|j| {
                [y_eta * n_xi[j] - y_xi * n_eta[j], x_xi * n_eta[j] - x_eta * n_xi[j]]
            });
            let along = gradient.map(|[gx, gy]| u * gx + v * gy);
            let weight = 0.25 * rho;
            let scale = weight / jacobian;
            let inverse = 1.0 / d;
            for j in 0..4 {
                res[j] += weight * along[j];
                for m in 0..4 {
                    let dot = gradient[j][0] * gradient[m][0] + gradient[j][1] * gradient[m][1];
                    k[j][m] += scale * (dot - inverse * (along[j] * along[m]));
                }
            }
        }
    }
    (res, k)
}

/// Derivatives by xi and eta of the bilinear function with these corner values.
#[inline(always)]
fn slopes(f: [f64; 4], xi: f64, eta: f64) -> [f64; 2] {
    let (bottom, top) = (f[1] - f[0], f[3] - f[2]);
    let (left, right) = (f[2] - f[0], f[3] - f[1]);
    [bottom + eta * (top - bottom), left + xi * (right - left)]
}
