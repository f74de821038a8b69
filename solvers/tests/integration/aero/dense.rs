//! Element matrices and a Newton step against dense linear algebra, using other formulas: shape functions and matrix
//! products instead of slopes, and differences of the energy.

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_solvers::Solver;
use cfd_solvers::aero::{Aero, Config, matrix};
use nalgebra::{DMatrix, DVector, Matrix2, Matrix2x4, Matrix4, Matrix4x2, Vector2, Vector4};

use crate::aero::harness::{Split, domain, naca0012};

/// A mesh in plain arrays.
struct Plain {
    x: Vec<[f64; 2]>,
    cells: Vec<[usize; 4]>,
    far: Vec<usize>,
}

impl Plain {
    fn new(mesh: &Mesh) -> Plain {
        let rows = |name| &mesh.maps[mesh.map(name).unwrap()].rows;
        let Values::F64(x) = &mesh.dats[mesh.dat("x").unwrap()].values else { panic!("coordinates are f64") };
        Plain {
            x: x.chunks_exact(2).map(|p| [p[0], p[1]]).collect(),
            cells: rows("cell_nodes")
                .chunks_exact(4)
                .map(|c| std::array::from_fn(|i| c[i] as usize))
                .collect(),
            far: rows("bnode_node").iter().map(|&n| n as usize).collect(),
        }
    }

    /// Area weight and gradients of the shape functions at the Gauss points of a cell.
    fn points(&self, cell: usize) -> [(f64, Matrix2x4<f64>); 4] {
        let x = Matrix4x2::from_fn(|i, m| self.x[self.cells[cell][i]][m]);
        let g = 0.5 / 3f64.sqrt();
        [(-g, -g), (g, -g), (-g, g), (g, g)].map(|(s, t)| {
            // N = (1/2 -+ s)(1/2 -+ t)
            let slope =
                Matrix2x4::new(t - 0.5, 0.5 - t, -0.5 - t, 0.5 + t, s - 0.5, -0.5 - s, 0.5 - s, 0.5 + s);
            let jacobian: Matrix2<f64> = slope * x;
            let inverse = jacobian.try_inverse().expect("cells are not degenerate");
            (0.25 * jacobian.determinant(), inverse * slope)
        })
    }

    /// Residual and stiffness of a cell.
    fn element(&self, cell: usize, phi: &[f64], config: &Config) -> (Vector4<f64>, Matrix4<f64>) {
        let phi = Vector4::from_fn(|i, _| phi[self.cells[cell][i]]);
        let (mut residual, mut stiffness) = (Vector4::zeros(), Matrix4::zeros());
        for (weight, gradients) in self.points(cell) {
            let velocity: Vector2<f64> = gradients * phi;
            let d = temperature(velocity.norm_squared(), config);
            let rho = d.powf(1.0 / (config.gamma - 1.0));
            let flux = Matrix2::identity() * rho - velocity * velocity.transpose() * (rho / d);
            residual += gradients.transpose() * velocity * (weight * rho);
            stiffness += gradients.transpose() * flux * gradients * weight;
        }
        (residual, stiffness)
    }

    /// The energy of the flow, minus the integral of the pressure: the residual is its gradient.
    fn energy(&self, cell: usize, phi: &[f64; 4], config: &Config) -> f64 {
        let phi = Vector4::from_column_slice(phi);
        let pressure = |gradients: Matrix2x4<f64>| {
            let d = temperature((gradients * phi).norm_squared(), config);
            d.powf(config.gamma / (config.gamma - 1.0)) / config.gamma
        };
        -self.points(cell).map(|(weight, gradients)| weight * pressure(gradients)).iter().sum::<f64>()
    }
}

fn temperature(speed2: f64, config: &Config) -> f64 {
    1.0 + 0.5 * (config.gamma - 1.0) * (config.mach * config.mach - speed2)
}

fn configs() -> [Config; 3] {
    [1.4, 1.3, 5.0 / 3.0].map(|gamma| Config {
        gamma,
        mach: 0.4,
        cg_tolerance: 1e-14,
        cg_iterations: 500,
        ..Config::default()
    })
}

/// The states after `steps` Newton steps and after one more, and the stiffness that this one used.
fn newton_step(config: &Config, steps: usize) -> (Plain, Vec<f64>, Vec<f64>, Vec<Matrix4<f64>>) {
    let comm = Comm::single();
    let mesh = naca0012(&comm, [4, 5]);
    let plain = Plain::new(&mesh);
    let mut domain = domain(&comm, mesh, &Split::new(1, "block"));
    let mut solver = Aero::new(&mut domain, config).expect("an Aero mesh");
    (0..steps).for_each(|_| drop(solver.step(&mut domain, false).expect("a sound flow")));
    let before = domain.read(solver.phi()).unwrap();
    solver.step(&mut domain, false).expect("a sound flow");
    let entries = domain.read(solver.k()).unwrap();
    let stiffness = entries.as_chunks().0.iter().map(|k| matrix(k).into()).collect();
    (plain, before, domain.read(solver.phi()).unwrap(), stiffness)
}

#[test]
fn element_matrices_are_those_of_shape_functions_and_matrix_products() {
    for config in configs() {
        let (plain, phi, _, k) = newton_step(&config, 1);
        for (cell, k) in k.iter().enumerate() {
            let (_, expected) = plain.element(cell, &phi, &config);
            assert!((k - expected).norm() < 1e-13 * expected.norm(), "cell {cell}: {k} is not {expected}");
        }
    }
}

#[test]
fn element_matrices_conserve_mass_and_are_positive_where_the_flow_is_subsonic() {
    for config in configs() {
        let (_, _, _, k) = newton_step(&config, 1);
        for k in k {
            let norm = k.amax();
            for row in k.row_iter() {
                assert!(row.sum().abs() < 1e-14 * norm, "a constant potential makes no flux");
            }
            // Zero for a constant potential, positive for all others, as long as the flow is subsonic.
            let mut values = k.symmetric_eigenvalues().data.0[0];
            values.sort_by(f64::total_cmp);
            assert!(values[0].abs() < 1e-14 * norm && values[1] > 1e-3 * norm, "{values:?}");
        }
    }
}

#[test]
fn the_residual_is_the_gradient_of_the_energy_and_the_stiffness_its_second_derivative() {
    for config in configs() {
        let (plain, phi, _, k) = newton_step(&config, 1);
        for (cell, k) in k.iter().enumerate().step_by(7) {
            let at: [f64; 4] = std::array::from_fn(|i| phi[plain.cells[cell][i]]);
            let (residual, _) = plain.element(cell, &phi, &config);
            let scale = k.amax();
            let h = 1e-3 * (0..4).map(|i| (at[i] - at[(i + 1) % 4]).abs()).fold(0.0, f64::max);
            let energy = |moves: &[(usize, f64)]| {
                let mut moved = at;
                moves.iter().for_each(|&(i, by)| moved[i] += by);
                plain.energy(cell, &moved, &config)
            };
            for j in 0..4 {
                let slope = (energy(&[(j, h)]) - energy(&[(j, -h)])) / (2.0 * h);
                assert!((slope - residual[j]).abs() < 1e-4 * scale * h * 1e3, "cell {cell}, node {j}");
                for m in 0..4 {
                    let second =
                        (energy(&[(j, h), (m, h)]) - energy(&[(j, h), (m, -h)]) - energy(&[(j, -h), (m, h)])
                            + energy(&[(j, -h), (m, -h)]))
                            / (4.0 * h * h);
                    let entry = k[(j, m)];
                    assert!((second - entry).abs() < 1e-4 * scale, "cell {cell}: {second} {entry}");
                }
            }
        }
    }
}

#[test]
fn a_newton_step_is_that_of_the_dense_system() {
    for config in configs() {
        for steps in [0, 1, 2] {
            let (plain, before, after, _) = newton_step(&config, steps);
            let n = before.len();
            let (mut stiffness, mut residual) = (DMatrix::zeros(n, n), DVector::zeros(n));
            for (cell, nodes) in plain.cells.iter().enumerate() {
                let (r, k) = plain.element(cell, &before, &config);
                for (j, &a) in nodes.iter().enumerate() {
                    residual[a] += r[j];
                    for (m, &b) in nodes.iter().enumerate() {
                        stiffness[(a, b)] += k[(j, m)];
                    }
                }
            }
            for &node in &plain.far {
                stiffness.row_mut(node).fill(0.0);
                stiffness.column_mut(node).fill(0.0);
                stiffness[(node, node)] = 1.0;
                residual[node] = 0.0;
            }
            let change = stiffness.cholesky().expect("positive definite").solve(&residual);
            let missed = (0..n).map(|i| (before[i] - change[i] - after[i]).abs()).fold(0.0, f64::max);
            assert!(
                missed < 1e-11 * change.amax() + 1e-15,
                "gamma {}, step {steps}: {missed:e}",
                config.gamma
            );
        }
    }
}
