//! Airfoil: two-dimensional Euler equations, cell-centred finite volumes on quadrilaterals, two sub-steps per
//! iteration: `save_soln`, then twice `adt_calc`, `res_calc`, `bres_calc`, `update`. The equations and the order of
//! evaluation are those of the Airfoil program of OP2: Giles, Ghate and Duta, "Using automatic differentiation for
//! adjoint CFD code development", Computational Fluid Dynamics Journal 16 (2008), and Mudalige et al., "OP2: An active
//! library framework for solving unstructured mesh-based applications", InPar (2012), DOI 10.1109/InPar.2012.6339594.
//! The field `q` has the same bits as in that program, run sequentially and compiled without fused multiply-add.

use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::input::{MeshError, row, within};

/// The bound of a boundary edge that is an inviscid wall; any other value is far field.
pub const WALL: i32 = 1;

/// The names of the five loops, in the order of [`Airfoil::times`].
pub const LOOPS: [&str; 5] = ["save_soln", "adt_calc", "res_calc", "bres_calc", "update"];

/// A mesh of quadrilaterals, all indices 0-based, in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Coordinates of the nodes.
    pub x: Vec<[f64; 2]>,
    /// The four nodes of each cell, counter-clockwise.
    pub cell_nodes: Vec<[u32; 4]>,
    /// The nodes a and b of each interior edge; cell 1 lies to the right of the direction from a to b.
    pub edge_nodes: Vec<[u32; 2]>,
    /// Cells 1 and 2 of each interior edge.
    pub edge_cells: Vec<[u32; 2]>,
    /// The nodes a and b of each boundary edge; its cell lies to the right of the direction from a to b.
    pub bedge_nodes: Vec<[u32; 2]>,
    /// The cell of each boundary edge.
    pub bedge_cell: Vec<u32>,
    /// [`WALL`] or far field, for each boundary edge.
    pub bedge_bound: Vec<i32>,
}

impl FromStr for Mesh {
    type Err = MeshError;

    /// Reads OP2's text format: the numbers of nodes, cells, interior and boundary edges; then two coordinates per
    /// node, four nodes per cell, two nodes and two cells per edge, and two nodes, a cell and the bound per boundary
    /// edge.
    fn from_str(text: &str) -> Result<Mesh, MeshError> {
        let mut words = text.split_ascii_whitespace().enumerate();
        let [nodes, cells, edges, bedges] = row(&mut words, "header")?;
        let mut mesh = Mesh::default();
        for _ in 0..nodes {
            mesh.x.push(row(&mut words, "node")?);
        }
        for _ in 0..cells {
            mesh.cell_nodes.push(row(&mut words, "cell")?);
        }
        for _ in 0..edges {
            let [a, b, cell_1, cell_2] = row(&mut words, "edge")?;
            mesh.edge_nodes.push([a, b]);
            mesh.edge_cells.push([cell_1, cell_2]);
        }
        for _ in 0..bedges {
            mesh.bedge_nodes.push(row(&mut words, "boundary edge")?);
            let [cell] = row(&mut words, "boundary edge")?;
            mesh.bedge_cell.push(cell);
            let [bound] = row(&mut words, "boundary edge")?;
            mesh.bedge_bound.push(bound);
        }
        match words.next() {
            None => Ok(mesh),
            Some((at, word)) => Err(MeshError(format!("word {at} ({word:?}) after the last boundary edge"))),
        }
    }
}

impl Mesh {
    /// Refuses maps of different lengths and indices that name no row.
    fn check(&self) -> Result<(), MeshError> {
        let lengths = |name: &str, a: usize, b: usize| {
            (a == b).then_some(()).ok_or_else(|| MeshError(format!("{name}: {a} rows, expected {b}")))
        };
        lengths("edge_cells", self.edge_cells.len(), self.edge_nodes.len())?;
        lengths("bedge_cell", self.bedge_cell.len(), self.bedge_nodes.len())?;
        lengths("bedge_bound", self.bedge_bound.len(), self.bedge_nodes.len())?;
        let (nodes, cells) = (self.x.len(), self.cell_nodes.len());
        within("cell_nodes", &self.cell_nodes, nodes)?;
        within("edge_nodes", &self.edge_nodes, nodes)?;
        within("edge_cells", &self.edge_cells, cells)?;
        within("bedge_nodes", &self.bedge_nodes, nodes)?;
        within("bedge_cell", self.bedge_cell.as_chunks::<1>().0, cells)
    }
}

/// The parameters of the equations and the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// Courant number.
    pub cfl: f64,
    /// Coefficient of the dissipation.
    pub eps: f64,
    /// Mach number of the free stream.
    pub mach: f64,
    /// Angle of attack, degrees.
    pub alpha: f64,
}

impl Default for Constants {
    fn default() -> Constants {
        Constants { gamma: 1.4, cfl: 0.9, eps: 0.05, mach: 0.4, alpha: 0.0 }
    }
}

impl Constants {
    /// Every constant rounded to single precision, as in the published program.
    pub fn rounded_to_single(self) -> Constants {
        let round = |value: f64| f64::from(value as f32);
        Constants {
            gamma: round(self.gamma),
            cfl: round(self.cfl),
            eps: round(self.eps),
            mach: round(self.mach),
            alpha: round(self.alpha),
        }
    }

    /// (rho, rho u, rho v, rho E) of the free stream: p = 1, rho = 1, |u| = sqrt(gamma p / rho) M.
    pub fn free_stream(&self) -> [f64; 4] {
        let (p, rho) = (1.0, 1.0);
        let speed = (self.gamma * p / rho).sqrt() * self.mach;
        let energy = p / (rho * (self.gamma - 1.0)) + 0.5 * speed * speed;
        let angle = self.alpha.to_radians();
        [rho, rho * (speed * same_math::cos(angle)), rho * (speed * same_math::sin(angle)), rho * energy]
    }
}

/// The state of a run.
pub struct Airfoil {
    mesh: Mesh,
    constants: Constants,
    free_stream: [f64; 4],
    q: Vec<[f64; 4]>,
    q_old: Vec<[f64; 4]>,
    adt: Vec<f64>,
    res: Vec<[f64; 4]>,
    times: [Duration; 5],
}

impl Airfoil {
    /// The free stream everywhere.
    ///
    /// # Errors
    ///
    /// A map that names a row that does not exist, or maps of different lengths.
    pub fn new(mesh: Mesh, constants: Constants) -> Result<Airfoil, MeshError> {
        mesh.check()?;
        let (cells, free_stream) = (mesh.cell_nodes.len(), constants.free_stream());
        Ok(Airfoil {
            mesh,
            constants,
            free_stream,
            q: vec![free_stream; cells],
            q_old: vec![free_stream; cells],
            adt: vec![0.0; cells],
            res: vec![[0.0; 4]; cells],
            times: [Duration::ZERO; 5],
        })
    }

    /// The conserved variables (rho, rho u, rho v, rho E) of all cells.
    pub fn q(&self) -> &[[f64; 4]] {
        &self.q
    }

    /// Time spent in each of the [`LOOPS`] since the start.
    pub fn times(&self) -> [Duration; 5] {
        self.times
    }

    /// One iteration; returns sqrt(sum(del^2) / cells) of its second sub-step, summed cell by cell.
    pub fn iterate(&mut self) -> f64 {
        let sum = self.iterate_and_fold(|| 0.0, |sum, term| sum + term);
        (sum / self.q.len() as f64).sqrt()
    }

    /// One iteration; folds what each cell contributes to sum(del^2) in its second sub-step, for sums of other kinds.
    pub fn iterate_and_fold<A>(&mut self, start: impl Fn() -> A, add: impl Fn(A, f64) -> A) -> A {
        self.timed(0, Airfoil::save_soln);
        let mut sum = start();
        for _ in 0..2 {
            self.timed(1, Airfoil::adt_calc);
            self.timed(2, Airfoil::res_calc);
            self.timed(3, Airfoil::bres_calc);
            sum = self.timed(4, |airfoil| airfoil.update(start(), &add));
        }
        sum
    }

    fn timed<T>(&mut self, index: usize, run: impl FnOnce(&mut Airfoil) -> T) -> T {
        let start = Instant::now();
        let result = run(self);
        self.times[index] += start.elapsed();
        result
    }

    fn save_soln(&mut self) {
        self.q_old.copy_from_slice(&self.q);
    }

    fn adt_calc(&mut self) {
        let (x, c) = (&self.mesh.x, &self.constants);
        for ((nodes, q), adt) in self.mesh.cell_nodes.iter().zip(&self.q).zip(&mut self.adt) {
            *adt = adt_calc(nodes.map(|node| &x[node as usize]), q, c);
        }
    }

    fn res_calc(&mut self) {
        let Airfoil { mesh, q, adt, res, constants, .. } = self;
        for (&[a, b], &[cell_1, cell_2]) in mesh.edge_nodes.iter().zip(&mesh.edge_cells) {
            let (a, b, cell_1, cell_2) = (a as usize, b as usize, cell_1 as usize, cell_2 as usize);
            let d = difference(&mesh.x[a], &mesh.x[b]);
            let mu = (0.5 * (adt[cell_1] + adt[cell_2])) * constants.eps;
            let f = flux(d, &q[cell_1], &q[cell_2], mu, constants);
            for (r, f) in res[cell_1].iter_mut().zip(f) {
                *r += f;
            }
            for (r, f) in res[cell_2].iter_mut().zip(f) {
                *r -= f;
            }
        }
    }

    fn bres_calc(&mut self) {
        let Airfoil { mesh, q, adt, res, constants, free_stream, .. } = self;
        let maps = mesh.bedge_nodes.iter().zip(&mesh.bedge_cell).zip(&mesh.bedge_bound);
        for ((&[a, b], &cell), &bound) in maps {
            let (cell, d) = (cell as usize, difference(&mesh.x[a as usize], &mesh.x[b as usize]));
            let (q, res) = (&q[cell], &mut res[cell]);
            if bound == WALL {
                let p = pressure(q, 1.0 / q[0], constants);
                res[1] += p * d[1];
                res[2] -= p * d[0];
            } else {
                let f = flux(d, q, free_stream, adt[cell] * constants.eps, constants);
                for (r, f) in res.iter_mut().zip(f) {
                    *r += f;
                }
            }
        }
    }

    /// Returns the sum of del^2: per cell first, then over the cells in order.
    fn update<A>(&mut self, mut sum: A, add: impl Fn(A, f64) -> A) -> A {
        let rows = self.q.iter_mut().zip(&self.q_old).zip(&mut self.res).zip(&self.adt);
        for (((q, q_old), res), adt) in rows {
            sum = add(sum, update(q_old, q, res, *adt));
        }
        sum
    }
}

/// adt = sum over the sides of (|u dy - v dx| + c sqrt(dx^2 + dy^2)) / CFL, a cell's area over its time step.
#[inline(always)]
fn adt_calc(x: [&[f64; 2]; 4], q: &[f64; 4], constants: &Constants) -> f64 {
    let ri = 1.0 / q[0];
    let (u, v) = (ri * q[1], ri * q[2]);
    let gamma = constants.gamma;
    let c = ((gamma * (gamma - 1.0)) * (ri * q[3] - 0.5 * (u * u + v * v))).sqrt();
    let side = |a: &[f64; 2], b: &[f64; 2]| {
        let [dx, dy] = difference(b, a);
        (u * dy - v * dx).abs() + c * (dx * dx + dy * dy).sqrt()
    };
    let [x1, x2, x3, x4] = x;
    (((side(x1, x2) + side(x2, x3)) + side(x3, x4)) + side(x4, x1)) / constants.cfl
}

/// p = (gamma - 1) (rho E - ((rho u)^2 + (rho v)^2) / (2 rho)), with ri = 1 / rho.
#[inline(always)]
fn pressure(q: &[f64; 4], ri: f64, constants: &Constants) -> f64 {
    (constants.gamma - 1.0) * (q[3] - (0.5 * ri) * (q[1] * q[1] + q[2] * q[2]))
}

/// (F(q1) + F(q2)) / 2 + mu (q1 - q2) through a side d = (dx, dy).
#[inline(always)]
fn flux([dx, dy]: [f64; 2], q1: &[f64; 4], q2: &[f64; 4], mu: f64, constants: &Constants) -> [f64; 4] {
    let ri = 1.0 / q1[0];
    let p1 = pressure(q1, ri, constants);
    let vol1 = ri * (q1[1] * dy - q1[2] * dx);
    let ri = 1.0 / q2[0];
    let p2 = pressure(q2, ri, constants);
    let vol2 = ri * (q2[1] * dy - q2[2] * dx);
    [
        0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]),
        0.5 * (((vol1 * q1[1] + p1 * dy) + vol2 * q2[1]) + p2 * dy) + mu * (q1[1] - q2[1]),
        0.5 * (((vol1 * q1[2] - p1 * dx) + vol2 * q2[2]) - p2 * dx) + mu * (q1[2] - q2[2]),
        0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]),
    ]
}

/// del = res / adt, q = q_old - del, res = 0; returns the sum of the four del^2.
#[inline(always)]
fn update(q_old: &[f64; 4], q: &mut [f64; 4], res: &mut [f64; 4], adt: f64) -> f64 {
    let adti = 1.0 / adt;
    let mut sum = 0.0;
    for n in 0..4 {
        let del = adti * res[n];
        q[n] = q_old[n] - del;
        res[n] = 0.0;
        sum += del * del;
    }
    sum
}

#[inline(always)]
fn difference(a: &[f64; 2], b: &[f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}
