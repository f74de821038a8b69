//! MG-CFD: three-dimensional Euler equations, node-centred and edge-based, on levels from fine to coarse; the published
//! performance proxy.
//!
//! A visit of a level: `begin_visit`, then three times `edge_flux`, `boundary_flux`, `time_step`. A cycle visits the
//! levels from the finest to the coarsest, restricting the states on the way, and back, correcting them by the coarser
//! level's changes. The project's page on MG-CFD gives the equations, the loops and the order of evaluation; the
//! program they describe: Owenson, Wright, Bunt, Ho, Street and Jarvis, "An unstructured CFD mini-application for the
//! performance prediction of a production CFD code", Concurrency and Computation: Practice and Experience 32 (2020),
//! DOI 10.1002/cpe.5443.
//!
//! ```text
//! grid         small levels of a box
//! gas          what follows from a state: velocity, pressure, fluxes
//! mod (here)   set-up, visits, cycles
//! ```

mod gas;
mod grid;

use std::time::{Duration, Instant};

use crate::input::{MeshError, within};
use crate::sum::Sum;
use gas::Gas;

pub use grid::{Side, box_levels};

/// Density, momentum, energy per volume.
pub type State = [f64; 5];

/// The names of the loops, in the order of [`Mgcfd::times`].
pub const LOOPS: [&str; 6] =
    ["begin_visit", "edge_flux", "boundary_flux", "time_step", "restrict", "prolong_residual"];

/// The largest group of a boundary weight that is a wall; higher ones are far field.
pub const LAST_WALL: i32 = 2;

/// Factor of all edge and boundary weights.
const WEIGHT_SCALE: f64 = 1e-7;

/// Runge-Kutta stages of a visit.
const STAGES: usize = 3;

/// One level of a mesh, all indices 0-based, in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Coordinates of the nodes.
    pub x: Vec<[f64; 3]>,
    /// The nodes a and b of each edge.
    pub edge_nodes: Vec<[u32; 2]>,
    /// Area vector of the face between the dual cells of a and b, from a to b.
    pub edge_weights: Vec<[f64; 3]>,
    /// The node of each boundary weight.
    pub bnode_node: Vec<u32>,
    /// Area vector of a boundary face, pointing inwards.
    pub bnode_weights: Vec<[f64; 3]>,
    /// 0 to [`LAST_WALL`]: wall; higher: far field.
    pub bnode_group: Vec<i32>,
    /// The node of the next coarser level that each node belongs to; empty on the coarsest.
    pub node_mg_node: Vec<u32>,
}

/// The parameters of the flow and the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// Mach number of the free stream.
    pub mach: f64,
    /// Angle of attack from x upwards, degrees.
    pub alpha: f64,
    /// The axis that points up: 1 or 2.
    pub up: usize,
    /// Coefficient of the smoothing part of the edge flux.
    pub smoothing: f64,
}

impl Default for Options {
    /// The published values; the smoothing coefficient is 0.2 in single precision.
    fn default() -> Options {
        Options { gamma: 1.4, mach: 1.2, alpha: 0.0, up: 1, smoothing: f64::from(0.2f32) }
    }
}

/// A level with its state.
struct Grid {
    mesh: Level,
    volume: Vec<f64>,
    /// Cube root of the volume.
    h: Vec<f64>,
    /// Nodes of the finer level that belong to each node.
    children: Vec<f64>,
    q: Vec<State>,
    old: Vec<State>,
    flux: Vec<State>,
    residual: Vec<State>,
    sum: Vec<State>,
}

/// The state of a run.
pub struct Mgcfd {
    gas: Gas,
    levels: Vec<Grid>,
    free_stream: State,
    times: [Duration; LOOPS.len()],
}

impl Mgcfd {
    /// The free stream everywhere; `levels` from the finest to the coarsest.
    ///
    /// # Errors
    ///
    /// No level, tables of different lengths, or a map that names a row that does not exist.
    pub fn new(levels: Vec<Level>, options: Options) -> Result<Mgcfd, MeshError> {
        check(&levels)?;
        let gas = Gas { gamma: options.gamma, smoothing: options.smoothing };
        let free_stream = gas.free_stream(options.mach, options.alpha, options.up);
        let mut grids: Vec<Grid> = levels.into_iter().map(|level| Grid::new(level, free_stream)).collect();
        for l in 1..grids.len() {
            let (finer, coarser) = pair(&mut grids, l - 1);
            finer.mesh.node_mg_node.iter().for_each(|&parent| coarser.children[parent as usize] += 1.0);
        }
        Ok(Mgcfd { gas, levels: grids, free_stream, times: Default::default() })
    }

    /// The states of a level's nodes.
    pub fn variables(&self, level: usize) -> &[State] {
        &self.levels[level].q
    }

    /// The volumes of a level's dual cells.
    pub fn volumes(&self, level: usize) -> &[f64] {
        &self.levels[level].volume
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Time spent in each of the [`LOOPS`] since the start.
    pub fn times(&self) -> [Duration; LOOPS.len()] {
        self.times
    }

    /// One cycle; returns sqrt(sum(residual^2) / nodes) of the finest level's visit, with a sum of the kind `S`.
    pub fn cycle<S: Sum>(&mut self) -> f64 {
        let coarsest = self.levels.len() - 1;
        let sum = self.visit::<S>(0);
        for l in 0..coarsest {
            self.timed(4, |run| run.restrict(l));
            self.visit::<S>(l + 1);
        }
        for l in (0..coarsest).rev() {
            self.timed(5, |run| run.prolong_residual(l));
            if l > 0 {
                self.visit::<S>(l);
            }
        }
        (sum / self.levels[0].q.len() as f64).sqrt()
    }

    /// Three stages on a level; returns the sum of its residual^2.
    fn visit<S: Sum>(&mut self, l: usize) -> f64 {
        let dt = self.timed(0, |run| run.levels[l].begin_visit(&run.gas));
        for stage in 0..STAGES {
            self.timed(1, |run| run.levels[l].edge_flux(&run.gas));
            self.timed(2, |run| run.levels[l].boundary_flux(&run.gas, &run.free_stream));
            self.timed(3, |run| run.levels[l].time_step(dt, (4 - stage) as f64));
        }
        self.timed(3, |run| run.levels[l].last_step::<S>())
    }

    /// The states of level l + 1: the means of their children's.
    fn restrict(&mut self, l: usize) {
        let (finer, coarser) = pair(&mut self.levels, l);
        for (q, &parent) in finer.q.iter().zip(&finer.mesh.node_mg_node) {
            add(&mut coarser.sum[parent as usize], q);
        }
        for ((q, sum), children) in coarser.q.iter_mut().zip(&mut coarser.sum).zip(&coarser.children) {
            *q = sum.map(|value| value / children);
            *sum = [0.0; 5];
        }
    }

    /// Corrects the states of level l by the difference of its residual and the coarser level's.
    fn prolong_residual(&mut self, l: usize) {
        let (finer, coarser) = pair(&mut self.levels, l);
        for (node, q) in finer.q.iter_mut().enumerate() {
            let parent = finer.mesh.node_mg_node[node] as usize;
            let (x, coarse_x) = (finer.mesh.x[node], coarser.mesh.x[parent]);
            let apart: [f64; 3] = std::array::from_fn(|m| (x[m] - coarse_x[m]).abs());
            let distance = length(apart);
            let factors = [distance, apart[0], apart[1], apart[2], distance];
            for m in 0..5 {
                q[m] -= factors[m] * (coarser.residual[parent][m] - finer.residual[node][m]);
            }
        }
    }

    fn timed<T>(&mut self, index: usize, run: impl FnOnce(&mut Mgcfd) -> T) -> T {
        let start = Instant::now();
        let result = run(self);
        self.times[index] += start.elapsed();
        result
    }
}

impl Grid {
    /// Volumes from edges, then edges' weights along them, all weights scaled.
    fn new(mut mesh: Level, free_stream: State) -> Grid {
        let nodes = mesh.x.len();
        let mut volume = vec![0.0; nodes];
        for (ends, weight) in mesh.edge_nodes.iter().zip(&mut mesh.edge_weights) {
            let [a, b] = ends.map(|node| node as usize);
            let d: [f64; 3] = std::array::from_fn(|m| mesh.x[b][m] - mesh.x[a][m]);
            let (distance, area) = (length(d), length(*weight));
            let part = (1.0 / 3.0) * 0.5 * distance * area;
            volume[a] += part;
            volume[b] += part;
            *weight = d.map(|d| d / distance * area / distance * WEIGHT_SCALE);
        }
        mesh.bnode_weights.iter_mut().flatten().for_each(|weight| *weight *= WEIGHT_SCALE);
        Grid {
            h: volume.iter().map(|&volume| same_math::cbrt(volume)).collect(),
            volume,
            children: vec![0.0; nodes],
            q: vec![free_stream; nodes],
            old: vec![[0.0; 5]; nodes],
            flux: vec![[0.0; 5]; nodes],
            residual: vec![[0.0; 5]; nodes],
            sum: vec![[0.0; 5]; nodes],
            mesh,
        }
    }

    /// old = q; returns the smallest of the nodes' time steps.
    fn begin_visit(&mut self, gas: &Gas) -> f64 {
        self.old.copy_from_slice(&self.q);
        let mut dt = f64::INFINITY;
        for (q, h) in self.q.iter().zip(&self.h) {
            let at = gas.at(q);
            let own = 0.5 * h / (at.speed + at.sound);
            if own < dt {
                dt = own;
            }
        }
        dt
    }

    fn edge_flux(&mut self, gas: &Gas) {
        for (ends, weight) in self.mesh.edge_nodes.iter().zip(&self.mesh.edge_weights) {
            let [a, b] = ends.map(|node| node as usize);
            let flux = gas.across(&self.q[a], &self.q[b], *weight);
            add(&mut self.flux[a], &flux);
            add(&mut self.flux[b], &flux.map(|flux| -flux));
        }
    }

    fn boundary_flux(&mut self, gas: &Gas, free_stream: &State) {
        let far = gas.at(free_stream);
        for (i, &node) in self.mesh.bnode_node.iter().enumerate() {
            let (at, weight) = (gas.at(&self.q[node as usize]), self.mesh.bnode_weights[i]);
            let flux = &mut self.flux[node as usize];
            if self.mesh.bnode_group[i] <= LAST_WALL {
                for m in 0..3 {
                    flux[m + 1] += weight[m] * at.pressure;
                }
            } else {
                let half = weight.map(|weight| 0.5 * weight);
                for m in 0..5 {
                    flux[m] += half[0] * (far.fluxes[0][m] + at.fluxes[0][m])
                        + half[1] * (far.fluxes[1][m] + at.fluxes[1][m])
                        + half[2] * (far.fluxes[2][m] + at.fluxes[2][m]);
                }
            }
        }
    }

    /// q = old + dt / volume / divisor flux; flux = 0.
    fn time_step(&mut self, dt: f64, divisor: f64) {
        for (node, flux) in self.flux.iter_mut().enumerate() {
            let factor = dt / self.volume[node] / divisor;
            for m in 0..5 {
                self.q[node][m] = self.old[node][m] + factor * flux[m];
            }
            *flux = [0.0; 5];
        }
    }

    /// residual = q - old; returns the sum of its squares, those of a node being one term.
    fn last_step<S: Sum>(&mut self) -> f64 {
        let mut sum = S::default();
        for ((residual, q), old) in self.residual.iter_mut().zip(&self.q).zip(&self.old) {
            *residual = std::array::from_fn(|m| q[m] - old[m]);
            let [r, mx, my, mz, e] = residual.map(|value| value * value);
            sum.add(r + mx + my + mz + e);
        }
        sum.value()
    }
}

/// Levels l and l + 1.
fn pair(levels: &mut [Grid], l: usize) -> (&mut Grid, &mut Grid) {
    let (finer, coarser) = levels.split_at_mut(l + 1);
    (&mut finer[l], &mut coarser[0])
}

fn add(to: &mut State, terms: &State) {
    to.iter_mut().zip(terms).for_each(|(to, term)| *to += term);
}

fn length(d: [f64; 3]) -> f64 {
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// Refuses tables of different lengths and indices that name no row.
fn check(levels: &[Level]) -> Result<(), MeshError> {
    if levels.is_empty() {
        return Err(MeshError("a mesh has at least one level".into()));
    }
    for (l, level) in levels.iter().enumerate() {
        let lengths = |name: &str, found: usize, expected: usize| {
            let wrong = || MeshError(format!("level {l}, {name}: {found} rows, expected {expected}"));
            (found == expected).then_some(()).ok_or_else(wrong)
        };
        let coarser = levels.get(l + 1);
        lengths("edge_weights", level.edge_weights.len(), level.edge_nodes.len())?;
        lengths("bnode_weights", level.bnode_weights.len(), level.bnode_node.len())?;
        lengths("bnode_group", level.bnode_group.len(), level.bnode_node.len())?;
        lengths("node_mg_node", level.node_mg_node.len(), coarser.map_or(0, |_| level.x.len()))?;
        within("edge_nodes", &level.edge_nodes, level.x.len())?;
        within("bnode_node", level.bnode_node.as_chunks::<1>().0, level.x.len())?;
        let coarse_nodes = coarser.map_or(0, |coarser| coarser.x.len());
        within("node_mg_node", level.node_mg_node.as_chunks::<1>().0, coarse_nodes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
