//! Manufactured solutions: smooth functions that solve the equations with a source, which is worked out here by differences
//! of high order from the equations themselves. The error of what the solver makes of that source falls with the square of
//! the size of the cells, in all variables: inviscid, boundaries included; viscous, of flow that is uniform along boundaries,
//! since gradients at open ones are of first order. Method: Roache, "Code verification by the method of
//! manufactured solutions", J. Fluids Eng. 124 (2002), DOI 10.1115/1.1436090.

use cfd_mesh::ElementKind;
use cfd_solvers::flow::kernels::spalart_allmaras::{WITHOUT_FT2, source as production};

use super::implicit::in_newton_steps;
use super::*;

/// Differences over this distance are of fourth order.
const STEP: f64 = 1e-3;
/// The solver starts from the exact solution: what is left of the first residual, that of truncation.
pub(super) const REDUCTION: f64 = 1e-4;
/// Viscosity, constant.
const MU: f64 = 0.05;

/// The derivatives of a function along the axes.
fn gradient(f: &dyn Fn(Vector) -> f64, x: Vector, dimension: usize) -> Vector {
    let at = |k: usize, steps: f64| {
        let mut x = x;
        x[k] += steps * STEP;
        f(x)
    };
    let along = |k: usize| (8.0 * (at(k, 1.0) - at(k, -1.0)) - (at(k, 2.0) - at(k, -2.0))) / (12.0 * STEP);
    std::array::from_fn(|k| if k < dimension { along(k) } else { 0.0 })
}

/// The lengths of the box.
pub(super) const LENGTHS: Vector = [1.2, 1.0, 0.8];

/// A function that is 0 along the box's sides, with its first three derivatives.
pub(super) fn inside<const D: usize>(x: Vector) -> f64 {
    (0..D).map(|k| (std::f64::consts::PI * x[k] / LENGTHS[k]).sin().powi(4)).product()
}

/// The same flow as [`exact`] in the middle of the box, and uniform flow along its sides.
pub(super) fn calm<const D: usize>(x: Vector) -> State {
    let (flow, share) = (exact::<D>(x), inside::<D>(x));
    let base = [1.0, 0.45, 0.3, if D == 3 { 0.2 } else { 0.0 }, 0.8];
    std::array::from_fn(|m| base[m] + share * (flow[m] - base[m]))
}

/// The flow that is to be found.
fn exact<const D: usize>(x: Vector) -> State {
    let wave = |a: Vector, phase: f64| (a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + phase).sin();
    let depth = if D == 3 { 0.2 + 0.1 * wave([0.8, -0.9, 1.1], 0.4) } else { 0.0 };
    [
        1.0 + 0.12 * wave([1.7, 1.1, 0.6], 0.3),
        0.45 + 0.1 * wave([1.2, -1.4, 0.7], 1.1),
        0.3 + 0.1 * wave([-1.1, 1.5, -0.8], 0.2),
        depth,
        0.8 + 0.1 * wave([1.3, 0.9, -1.2], 2.0),
    ]
}

/// A flow and the eddy viscosity, over a dimension, with its gas.
pub(super) struct Exact<'a> {
    pub dimension: usize,
    pub gas: Gas,
    pub state: &'a dyn Fn(Vector) -> State,
    pub eddies: &'a dyn Fn(Vector) -> f64,
}

/// The eddy viscosity of Spalart and Allmaras's model with the viscosity n.
fn eddies_of(n: f64, rho: f64, gas: &Gas) -> f64 {
    let cube = (n * rho / gas.viscosity).powi(3);
    rho * n * cube / (cube + 7.1f64.powi(3))
}

impl Exact<'_> {
    pub fn of(&self, m: usize) -> impl Fn(Vector) -> f64 + '_ {
        move |x| (self.state)(x)[m]
    }

    pub fn gradient(&self, f: &dyn Fn(Vector) -> f64, x: Vector) -> Vector {
        gradient(f, x, self.dimension)
    }

    fn temperature(&self, x: Vector) -> f64 {
        let w = (self.state)(x);
        w[4] / (w[0] * self.gas.gas_constant)
    }

    /// The derivatives of the velocity's components.
    pub fn velocities(&self, x: Vector) -> [Vector; 3] {
        std::array::from_fn(|i| self.gradient(&self.of(1 + i), x))
    }

    /// The flux of mass, momentum and energy along an axis.
    fn flux(&self, k: usize, x: Vector) -> State {
        let w = (self.state)(x);
        let (gas, u) = (&self.gas, [w[1], w[2], w[3]]);
        let (mu, mu_t) = (gas.viscosity, (self.eddies)(x));
        let slopes = if mu > 0.0 { self.velocities(x) } else { [[0.0; 3]; 3] };
        let mean = 2.0 / 3.0 * (0..3).map(|i| slopes[i][i]).sum::<f64>();
        let stress = |i: usize| (mu + mu_t) * (slopes[i][k] + slopes[k][i] - if i == k { mean } else { 0.0 });
        let heat = match mu > 0.0 {
            true => self.gradient(&|x| self.temperature(x), x)[k],
            false => 0.0,
        };
        let conductivity = gas.conductivity * mu + gas.eddy_conductivity * mu_t;
        let enthalpy = gas.gamma / gas.gm1 * w[4] / w[0] + 0.5 * u.iter().map(|u| u * u).sum::<f64>();
        let through = w[0] * u[k];
        let power: f64 = (0..3).map(|i| u[i] * stress(i)).sum();
        std::array::from_fn(|m| match m {
            0 => through,
            4 => through * enthalpy - power - conductivity * heat,
            m => through * u[m - 1] + if m == 1 + k { w[4] } else { 0.0 } - stress(m - 1),
        })
    }

    /// The divergence of the fluxes: the source that keeps the flow steady.
    pub fn source(&self, x: Vector) -> State {
        let along = |m: usize, k: usize| self.gradient(&|x| self.flux(k, x)[m], x)[k];
        std::array::from_fn(|m| (0..self.dimension).map(|k| along(m, k)).sum())
    }

    /// What a flux that is coefficient times gradient brings in.
    pub fn diffusion(
        &self,
        coefficient: &dyn Fn(Vector) -> f64,
        of: &dyn Fn(Vector) -> f64,
        x: Vector,
    ) -> f64 {
        (0..self.dimension).map(|k| self.gradient(&|x| coefficient(x) * self.gradient(of, x)[k], x)[k]).sum()
    }

    /// The source that keeps the viscosity n of Spalart and Allmaras's model steady at this distance from a wall: by the
    /// equation, term by term.
    fn turbulent_source(&self, n: &dyn Fn(Vector) -> f64, x: Vector, distance: f64) -> f64 {
        let (sigma, cb2) = (2.0 / 3.0, 0.622);
        let (w, slopes) = ((self.state)(x), self.velocities(x));
        let nu = self.gas.viscosity / w[0];
        let by_place = self.gradient(n, x);
        let carried: f64 = (0..3).map(|k| w[1 + k] * by_place[k]).sum();
        let vorticity = (slopes[1][0] - slopes[0][1]).abs();
        let sum = |x: Vector| self.gas.viscosity / (self.state)(x)[0] + n(x);
        let diffusion = self.diffusion(&sum, n, x);
        let laplacian = self.diffusion(&|_| 1.0, n, x);
        let mixed = ((1.0 + cb2) * diffusion - cb2 * (nu + n(x)) * laplacian) / sigma;
        carried - production(n(x), nu, vorticity, distance, WITHOUT_FT2.ct3) - mixed
    }
}

/// How irregular meshes are.
const DISTORTION: f64 = 0.15;

/// Root mean square errors of density, velocity, pressure where there is such a component.
fn errors<P: Probe>(filling: Filling, cells: [u64; 3], config: &Config) -> State {
    let is_viscous = config.equations != Equations::Euler;
    let state = match (P::DIMENSION, is_viscous) {
        (2, false) => exact::<2>,
        (2, true) => calm::<2>,
        (_, false) => exact::<3>,
        (_, true) => calm::<3>,
    };
    let mesh = ElementBox { filling, cells, lengths: LENGTHS, distortion: DISTORTION };
    errors_on::<P>(mesh, sides(&mesh, &[kind("far_field")]), config, &state)
}

/// The same of any flow, in a box whose sides have these conditions.
pub(super) fn errors_on<P: Probe>(
    mesh: ElementBox,
    conditions: Vec<(&'static str, Json)>,
    config: &Config,
    state: &(dyn Fn(Vector) -> State + Sync),
) -> State {
    let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
    let mut ends = on_mesh(1, mesh, conditions, config, |domain, flow: &mut P| {
        let gas = Gas::new(config);
        let exact = Exact { dimension: P::DIMENSION, gas, state: &state, eddies: &|_| 0.0 };
        flow.manufacture(domain, &|x| exact.source(x), &state);
        flow.give(domain, &state);
        in_newton_steps(domain, flow, REDUCTION);
        let (positions, states) = (flow.positions(domain), flow.states(domain));
        let off = |m: usize| {
            let squares = positions.iter().zip(&states).map(|(x, w)| (w[m] - state(*x)[m]).powi(2));
            (squares.sum::<f64>() / states.len() as f64).sqrt()
        };
        std::array::from_fn(off)
    });
    ends.remove(0)
}

fn has_second_order<P: Probe>(filling: Filling, config: &Config) {
    let sizes = match (P::DIMENSION, config.equations) {
        (2, Equations::Euler) => [[12, 10, 1], [24, 20, 1]],
        (2, _) => [[24, 20, 1], [48, 40, 1]],
        _ => [[6, 5, 4], [12, 10, 8]],
    };
    let [coarse, fine] = sizes.map(|cells| errors::<P>(filling, cells, config));
    // Laminar flow in space is above 1.75, too, between 10 x 8 x 6 cells and twice as many along each axis; it takes long.
    let least = if P::DIMENSION == 3 && config.equations != Equations::Euler { 1.5 } else { 1.75 };
    for m in (0..5).filter(|&m| P::DIMENSION == 3 || m != 3) {
        let order = (coarse[m] / fine[m]).log2();
        assert!(
            order > least,
            "{filling:?}, {:?}: order {order:.2} of component {m}: {coarse:?}, {fine:?}",
            config.equations
        );
    }
}

pub(super) fn steady() -> Config {
    Config { scheme: Scheme::Newton, limiter: Limiter::None, ..Config::default() }
}

#[test]
fn inviscid_flow_in_the_plane_has_second_order() {
    for filling in Filling::ALL.into_iter().filter(|filling| filling.dimension() == 2) {
        for flux in [Flux::Roe, Flux::Hllc] {
            has_second_order::<plane::Flow>(filling, &Config { flux, ..steady() });
        }
    }
}

/// Limiters leave smooth flow as it is but for its extrema, and beside them fluxes lack the first moments of faces.
#[test]
fn limited_flow_in_the_plane_has_its_order() {
    for limiter in [Limiter::VanAlbada, Limiter::Venkatakrishnan] {
        for filling in Filling::ALL.into_iter().filter(|filling| filling.dimension() == 2) {
            for distortion in [0.0, DISTORTION] {
                let config = Config { limiter, ..steady() };
                let [coarse, fine] = [[24, 20, 1], [48, 40, 1]].map(|cells| {
                    let mesh = ElementBox { filling, cells, lengths: LENGTHS, distortion };
                    errors_on::<plane::Flow>(mesh, sides(&mesh, &[kind("far_field")]), &config, &exact::<2>)
                });
                // Triangles and regular squares have their faces' centroids halfway along edges, others do not.
                let is_centered = filling == Filling::Only(ElementKind::Triangle)
                    || filling == Filling::Only(ElementKind::Quadrilateral) && distortion == 0.0;
                let least = if is_centered { 1.75 } else { 0.85 };
                for m in [0, 1, 2, 4] {
                    let order = (coarse[m] / fine[m]).log2();
                    assert!(order > least, "{limiter:?}, {filling:?}, {distortion}: order {order:.2} of {m}");
                }
            }
        }
    }
}

fn laminar() -> Config {
    Config { equations: Equations::Laminar, viscosity: Some(MU), viscosity_law: Law::Constant, ..steady() }
}

#[test]
fn laminar_flow_in_the_plane_has_second_order() {
    let config = laminar();
    for filling in Filling::ALL.into_iter().filter(|filling| filling.dimension() == 2) {
        has_second_order::<plane::Flow>(filling, &config);
    }
}

#[test]
fn inviscid_flow_in_space_has_second_order() {
    has_second_order::<space::Flow>(Filling::Only(ElementKind::Tetrahedron), &steady());
}

#[test]
fn laminar_flow_in_space_has_second_order() {
    has_second_order::<space::Flow>(Filling::Only(ElementKind::Tetrahedron), &laminar());
}

/// The model's viscosity: as in the free stream along the sides of the box.
fn exact_turbulence(x: Vector, far: f64) -> f64 {
    far * (1.0 + 0.6 * inside::<2>(x))
}

/// Errors of density, velocity, pressure, and of the model's viscosity over its value far away, of a turbulent flow.
fn errors_with_turbulence(filling: Filling, cells: u64, order: u64) -> [f64; 5] {
    const DISTANCE: f64 = 0.7;
    let mut config = Config {
        equations: Equations::SpalartAllmaras,
        viscosity: Some(0.01),
        viscosity_law: Law::Constant,
        free_turbulence: Some(8.0),
        turbulence_order: order,
        ..steady()
    };
    let mesh = ElementBox { filling, cells: [cells, cells * 5 / 6, 1], lengths: LENGTHS, distortion: 0.0 };
    // The distances are given below; where a wall is does not matter then.
    let wall = serde_json::from_value(kind("no_slip")).expect("a condition");
    config.boundaries.insert("elsewhere".into(), wall);
    let mut ends = on(1, mesh, &[kind("far_field")], &config, |domain, flow: &mut plane::Flow| {
        let gas = Gas::new(&config);
        let far = gas.far_turbulence;
        let n = |x: Vector| exact_turbulence(x, far);
        let eddies = |x: Vector| eddies_of(n(x), calm::<2>(x)[0], &gas);
        let exact = Exact { dimension: 2, gas, state: &calm::<2>, eddies: &eddies };
        flow.manufacture(domain, &|x| exact.source(x), &calm::<2>);
        flow.give(domain, &calm::<2>);
        let (positions, volumes) = (flow.positions(domain), flow.volumes(domain));
        let nodes = flow.residual.geometry.nodes;
        let turbulence = flow.residual.turbulence.as_mut().expect("a turbulence model");
        let values: Vec<f64> = positions.iter().map(|x| n(*x)).collect();
        let distance = turbulence.distance;
        let [quantity] = &mut turbulence.quantities_mut()[..] else { panic!("one quantity") };
        domain.write(quantity.n, &values);
        let of_cell = |(x, volume): (&Vector, &f64)| exact.turbulent_source(&n, *x, DISTANCE) * volume;
        let rows: Vec<f64> = positions.iter().zip(&volumes).map(of_cell).collect();
        let source = domain.new_dat(nodes, "source of turbulence");
        domain.write(source, &rows);
        quantity.source = Some(source);
        let found = quantity.n;
        domain.write(distance, &vec![DISTANCE; positions.len()]);
        in_newton_steps(domain, flow, REDUCTION);
        let (states, found) = (flow.states(domain), domain.read(found).unwrap());
        let size = |squares: f64| (squares / states.len() as f64).sqrt();
        let of_state = |m: usize| {
            let off = |(x, w): (&Vector, &State)| (w[m] - calm::<2>(*x)[m]).powi(2);
            size(positions.iter().zip(&states).map(off).sum())
        };
        let off = |(x, found): (&Vector, &f64)| ((found - n(*x)) / far).powi(2);
        [
            of_state(0),
            of_state(1),
            of_state(2),
            of_state(4),
            size(positions.iter().zip(&found).map(off).sum()),
        ]
    });
    ends.remove(0)
}

#[test]
fn turbulent_flow_has_the_order_of_its_advection() {
    let [triangles, quadrilaterals] = [ElementKind::Triangle, ElementKind::Quadrilateral].map(Filling::Only);
    let second = 1.75..2.6;
    for (filling, order, range) in
        [(quadrilaterals, 1, 0.75..1.4), (quadrilaterals, 2, second.clone()), (triangles, 2, second)]
    {
        let [coarse, fine] = [18, 36].map(|cells| errors_with_turbulence(filling, cells, order));
        let found = (coarse[4] / fine[4]).log2();
        assert!(range.contains(&found), "{filling:?}: order {found:.2}: {coarse:?}, {fine:?}");
        for m in (0..4).filter(|_| order == 2) {
            let found = (coarse[m] / fine[m]).log2();
            assert!(found > 1.6, "{filling:?}, {m}: order {found:.2}: {coarse:?}, {fine:?}");
        }
    }
}
