//! LULESH: explicit Lagrangian hydrodynamics of a point blast in a cube of hexahedra.
//!
//! The project's page on LULESH gives the equations, the loops and the order of evaluation. The program they describe:
//! Hornung, Keasler and Gokhale, "Hydrodynamics Challenge Problem", Lawrence Livermore National Laboratory,
//! LLNL-TR-490254 (2011); Karlin, Keasler and Neely, "LULESH 2.0 Updates and Changes", LLNL-TR-641973 (2013).
//!
//! ```text
//! hexahedron   geometry of an element
//! material     viscosity, ideal gas, sound speed
//! step         the length of a step
//! mod (here)   set-up and the loops of a cycle
//! ```

mod hexahedron;
mod material;
mod step;

use hexahedron::{Corners, Vector};
use material::Side;

pub use material::State;
pub use step::{END, Step};

/// The edge of the cube.
const EDGE: f64 = 1.125;
/// The energy at the origin of a cube of 45 elements per edge.
const BLAST: f64 = 3.948746e7;
const HOURGLASS: f64 = 3.0;
const U_CUT: f64 = 1e-7;
const V_CUT: f64 = 1e-10;
const Q_STOP: f64 = 1e12;
const TINY: f64 = 1e-36;

/// Why a run cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An element has no volume left.
    Volume,
    /// An element's viscosity exceeds the bound.
    Viscosity,
}

/// The differences of velocity and the lengths along an element's three directions.
type Gradients = ([f64; 3], [f64; 3]);

/// The state of a run.
pub struct Lulesh {
    cbrt: fn(f64) -> f64,
    edge: usize,
    elem_nodes: Vec<[usize; 8]>,
    /// Neighbours of an element and what they are, along xi, eta and zeta, the lower first.
    neighbours: Vec<[(Side, usize); 6]>,
    x: Vec<Vector>,
    u: Vec<Vector>,
    nodal_mass: Vec<f64>,
    /// Which components of a node's acceleration are zero.
    fixed: Vec<[bool; 3]>,
    volo: Vec<f64>,
    v: Vec<f64>,
    state: Vec<State>,
    step: Step,
}

impl Lulesh {
    /// The blast in a cube of `edge` elements per edge, with the caller's cube root.
    pub fn new(edge: usize, cbrt: fn(f64) -> f64) -> Lulesh {
        let width = edge + 1;
        let place = |i: usize| EDGE * i as f64 / edge as f64;
        let triples =
            |n: usize| (0..n).flat_map(move |k| (0..n).flat_map(move |j| (0..n).map(move |i| [i, j, k])));
        let x: Vec<Vector> = triples(width).map(|node| node.map(place)).collect();
        let elem_nodes: Vec<[usize; 8]> = triples(edge)
            .map(|[i, j, k]| {
                let n = i + width * (j + width * k);
                let ring = [n, n + 1, n + width + 1, n + width];
                std::array::from_fn(|a| ring[a % 4] + a / 4 * width * width)
            })
            .collect();
        let volo: Vec<f64> =
            elem_nodes.iter().map(|nodes| hexahedron::volume(&nodes.map(|n| x[n]))).collect();
        let mut nodal_mass = vec![0.0; x.len()];
        for (nodes, volume) in elem_nodes.iter().zip(&volo) {
            nodes.iter().for_each(|&n| nodal_mass[n] += volume / 8.0);
        }
        let scale = edge as f64 / 45.0;
        let energy = BLAST * scale * scale * scale;
        let mut state = vec![State::default(); volo.len()];
        state[0].e = energy;
        Lulesh {
            cbrt,
            edge,
            neighbours: triples(edge).map(|place| neighbours(place, edge)).collect(),
            elem_nodes,
            u: vec![[0.0; 3]; x.len()],
            fixed: triples(width).map(|node| node.map(|i| i == 0)).collect(),
            x,
            nodal_mass,
            v: vec![1.0; volo.len()],
            state,
            step: Step::new(0.5 * cbrt(volo[0]) / (2.0 * energy).sqrt()),
            volo,
        }
    }

    /// Runs cycles to the end; returns their number.
    ///
    /// # Errors
    /// An element's state is unphysical.
    pub fn run(&mut self) -> Result<u64, Stop> {
        let mut cycles = 0;
        while !self.step.is_over() {
            self.cycle()?;
            cycles += 1;
        }
        Ok(cycles)
    }

    /// One cycle.
    ///
    /// # Errors
    /// An element's state is unphysical.
    pub fn cycle(&mut self) -> Result<(), Stop> {
        self.step.advance();
        let force = self.forces()?;
        self.move_nodes(&force);
        self.update_elements()
    }

    /// Positions of the nodes.
    pub fn x(&self) -> &[Vector] {
        &self.x
    }

    /// Velocities of the nodes.
    pub fn u(&self) -> &[Vector] {
        &self.u
    }

    /// Relative volumes of the elements.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// States of the elements.
    pub fn state(&self) -> &[State] {
        &self.state
    }

    /// Time, step and the bounds on the next one.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// The deviation of the plane of low zeta from symmetry: the largest difference of energies, their sum, the largest
    /// relative one.
    pub fn asymmetry(&self) -> [f64; 3] {
        let n = self.edge;
        let (mut largest, mut total, mut relative) = (0.0, 0.0, 0.0);
        for (j, k) in (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k))) {
            let (one, other) = (self.state[j * n + k].e, self.state[k * n + j].e);
            let difference = (one - other).abs();
            total += difference;
            largest = f64::max(largest, difference);
            relative = f64::max(relative, difference / other);
        }
        [largest, total, relative]
    }

    fn corners(&self, nodes: &[usize; 8]) -> (Corners, Corners) {
        (nodes.map(|n| self.x[n]), nodes.map(|n| self.u[n]))
    }

    /// All stress terms in the order of the elements, then all hourglass terms.
    fn forces(&self) -> Result<Vec<Vector>, Stop> {
        let mut force = vec![[0.0; 3]; self.x.len()];
        for (nodes, State { p, q, .. }) in self.elem_nodes.iter().zip(&self.state) {
            let (x, _) = self.corners(nodes);
            let sigma = -p - q;
            if hexahedron::jacobian(&x).0 <= 0.0 {
                return Err(Stop::Volume);
            }
            for (&n, area) in nodes.iter().zip(hexahedron::corner_areas(&x)) {
                for m in 0..3 {
                    force[n][m] += -(sigma * area[m]);
                }
            }
        }
        for (at, nodes) in self.elem_nodes.iter().enumerate() {
            let (x, u) = self.corners(nodes);
            let volume = self.volo[at] * self.v[at];
            if self.v[at] <= 0.0 {
                return Err(Stop::Volume);
            }
            let dv = hexahedron::volume_derivatives(&x);
            let coefficient = -HOURGLASS * 0.01 * self.state[at].ss * self.volo[at] / (self.cbrt)(volume);
            let forces = hexahedron::hourglass_forces(&x, &dv, &u, volume, coefficient);
            for (&n, own) in nodes.iter().zip(forces) {
                for m in 0..3 {
                    force[n][m] += own[m];
                }
            }
        }
        Ok(force)
    }

    fn move_nodes(&mut self, force: &[Vector]) {
        for (n, force) in force.iter().enumerate() {
            for m in 0..3 {
                let a = if self.fixed[n][m] { 0.0 } else { force[m] / self.nodal_mass[n] };
                let u = self.u[n][m] + a * self.step.dt;
                self.u[n][m] = if u.abs() < U_CUT { 0.0 } else { u };
                self.x[n][m] += self.u[n][m] * self.step.dt;
            }
        }
    }

    fn update_elements(&mut self) -> Result<(), Stop> {
        let elements = self.volo.len();
        let (mut vnew, mut delv, mut length) =
            (vec![0.0; elements], vec![0.0; elements], vec![0.0; elements]);
        let mut vdov = vec![0.0; elements];
        let mut gradients: Vec<Gradients> = Vec::with_capacity(elements);
        for (at, nodes) in self.elem_nodes.iter().enumerate() {
            let (mut x, u) = self.corners(nodes);
            let volume = hexahedron::volume(&x);
            vnew[at] = volume / self.volo[at];
            delv[at] = vnew[at] - self.v[at];
            length[at] = hexahedron::characteristic_length(&x, volume);
            gradients.push(viscosity_gradients(&x, &u, self.volo[at] * vnew[at]));
            let half = 0.5 * self.step.dt;
            for (x, u) in x.iter_mut().zip(&u) {
                *x = std::array::from_fn(|m| x[m] - half * u[m]);
            }
            let [dx, dy, dz] = hexahedron::velocity_gradient(&x, &u);
            vdov[at] = dx + dy + dz;
            if vnew[at] <= 0.0 {
                return Err(Stop::Volume);
            }
        }
        if self.state.iter().any(|state| state.q > Q_STOP) {
            return Err(Stop::Viscosity);
        }
        self.step.unbound();
        for at in 0..elements {
            let (changes, phi) = self.limited(at, &gradients);
            let rho = self.volo[at] / (self.volo[at] * vnew[at]);
            let parts = material::viscosity(vdov[at], rho, changes, phi);
            self.state[at] = material::equation_of_state(self.state[at], vnew[at], delv[at], parts);
            self.v[at] = if (vnew[at] - 1.0).abs() < V_CUT { 1.0 } else { vnew[at] };
            if let Some(steps) = material::longest_steps(self.state[at].ss, length[at], vdov[at]) {
                self.step.bound(steps);
            }
        }
        Ok(())
    }

    /// Products of velocity difference and length, and the limiter, of an element's three directions.
    fn limited(&self, at: usize, gradients: &[Gradients]) -> ([f64; 3], [f64; 3]) {
        let (delx, delv) = &gradients[at];
        let side = |direction: usize, face: usize| {
            let (side, neighbour) = self.neighbours[at][face];
            (side, gradients[neighbour].1[direction])
        };
        let phi = [0, 1, 2].map(|d| material::limiter(delv[d], side(d, 2 * d), side(d, 2 * d + 1)));
        ([0, 1, 2].map(|d| delv[d] * delx[d]), phi)
    }
}

/// The double nearest to a cube root.
pub fn nearest_cube_root(x: f64) -> f64 {
    libm::cbrt(x)
}

/// The neighbour of an element, or the element itself at the boundary.
fn neighbours(place: [usize; 3], edge: usize) -> [(Side, usize); 6] {
    let strides = [1, edge, edge * edge];
    let own: usize = place.iter().zip(strides).map(|(i, stride)| i * stride).sum();
    std::array::from_fn(|face| {
        let (i, stride) = (place[face / 2], strides[face / 2]);
        match face % 2 {
            0 if i == 0 => (Side::Symmetry, own),
            0 => (Side::Inside, own - stride),
            _ if i + 1 == edge => (Side::Free, own),
            _ => (Side::Inside, own + stride),
        }
    })
}

/// Lengths and velocity differences along xi, eta and zeta.
fn viscosity_gradients(x: &Corners, u: &Corners, volume: f64) -> Gradients {
    let component = |w: &Corners, m: usize| w.map(|corner| corner[m]);
    // By axis, then by direction.
    let (dx, du) = (
        [0, 1, 2].map(|m| hexahedron::along(&component(x, m))),
        [0, 1, 2].map(|m| hexahedron::along(&component(u, m))),
    );
    let n = 1.0 / (volume + TINY);
    let (mut delx, mut delv) = ([0.0; 3], [0.0; 3]);
    for d in 0..3 {
        // The area between the two other directions, in turn.
        let (a, b) = ([0, 1, 2].map(|m| dx[m][(d + 1) % 3]), [0, 1, 2].map(|m| dx[m][(d + 2) % 3]));
        let area = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        delx[d] = volume / (area[0] * area[0] + area[1] * area[1] + area[2] * area[2] + TINY).sqrt();
        delv[d] = n * area[0] * du[0][d] + n * area[1] * du[1][d] + n * area[2] * du[2][d];
    }
    (delx, delv)
}
