//! Flow: what it keeps, exact solutions, orders of convergence, conservation, what it refuses.

use cfd_engine::domain::DomainOptions;
use cfd_engine::prelude::*;
use cfd_mesh::generate::element_box::{ElementBox, Filling, SIDES};
use cfd_mesh::{Boundaries, ElementMesh, Given, Motion, Periodic, USUAL_TOLERANCE};
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::Solver;
use cfd_solvers::case::{Application, Environment};
use cfd_solvers::flow::config::{
    Equations, Flux, Jacobian, Law, Limiter, LocalStep, Relaxation, Scheme, Start,
};
use cfd_solvers::flow::gas::FreeStream;
use cfd_solvers::flow::{Config, gas::Gas, plane, space, start};
use cfd_solvers::gas::state::{conserved_2d, conserved_3d};
use cfd_solvers::output::Output;
use serde_json::{Value as Json, json};

crate::device::kernels! {
    aerodynamics: cfd_solvers::flow::kernels::aerodynamics =>
        pressure_force_2d pressure_force_3d friction_force_2d friction_force_3d mass_flow_2d mass_flow_3d slip_values_2d
        slip_values_3d wall_point_2d wall_point_3d wall_values_2d wall_values_3d;
    edges: cfd_solvers::flow::kernels::edges =>
        roe_unlimited_2d roe_unlimited_3d roe_van_albada_2d roe_van_albada_3d roe_venkatakrishnan_2d
        roe_venkatakrishnan_3d low_mach_unlimited_2d low_mach_unlimited_3d low_mach_van_albada_2d
        low_mach_van_albada_3d low_mach_venkatakrishnan_2d low_mach_venkatakrishnan_3d hllc_unlimited_2d
        hllc_unlimited_3d hllc_van_albada_2d hllc_van_albada_3d hllc_venkatakrishnan_2d hllc_venkatakrishnan_3d
        moment_flux_2d moment_flux_3d;
    elements: cfd_solvers::flow::kernels::elements =>
        quadrilateral pyramid prism hexahedron;
    fields: cfd_solvers::flow::kernels::fields =>
        node_fields_2d node_fields_3d node_temperature_2d node_temperature_3d rotation_2d rotation_3d;
    jacobian: cfd_solvers::flow::kernels::jacobian =>
        roe_blocks_2d roe_blocks_3d low_mach_blocks_2d low_mach_blocks_3d hllc_blocks_2d hllc_blocks_3d viscous_blocks_2d
        viscous_blocks_3d slip_block_2d slip_block_3d far_field_block_2d far_field_block_3d inlet_block_2d inlet_block_3d
        velocity_inlet_block_2d velocity_inlet_block_3d outlet_block_2d outlet_block_3d supersonic_outlet_block_2d
        supersonic_outlet_block_3d inertia_2d inertia_3d hold_edge_2d hold_edge_3d hold_node_2d hold_node_3d;
    levels: cfd_solvers::flow::kernels::levels =>
        missed_flux_2d missed_flux_3d missed_waves_2d missed_waves_3d add_sizes_2d add_sizes_3d flatness;
    means: cfd_solvers::flow::kernels::means =>
        turn_triangle turn_quadrilateral turn_tetrahedron turn_pyramid turn_prism turn_hexahedron spread_triangle
        spread_quadrilateral spread_tetrahedron spread_pyramid spread_prism spread_hexahedron;
    mixing: cfd_solvers::flow::kernels::mixing =>
        mix_quadrilateral mix_pyramid mix_prism mix_hexahedron diffuse_quadrilateral diffuse_pyramid diffuse_prism
        diffuse_hexahedron;
    newton: cfd_solvers::flow::kernels::newton =>
        right_2d right_3d update_2d update_3d rate_2d rate_3d;
    open: cfd_solvers::flow::kernels::open =>
        far_field_2d far_field_3d inlet_2d inlet_3d velocity_inlet_2d velocity_inlet_3d outlet_2d outlet_3d
        supersonic_inlet_2d supersonic_inlet_3d supersonic_outlet_2d supersonic_outlet_3d open_stress_2d open_stress_3d;
    products: cfd_solvers::flow::kernels::products =>
        largest_4 largest_5 largest_6 largest_7 set_out_2d set_out_3d come_back_2d come_back_3d hold_product_2d
        hold_product_3d imbalance_2d imbalance_3d begin_coupled part_one_2d part_one_3d part_two_2d part_two_3d
        join_one_2d join_one_3d join_two_2d join_two_3d set_out_one come_back_one imbalance_one;
    simplex: cfd_solvers::flow::kernels::simplex =>
        triangle tetrahedron mix_triangle mix_tetrahedron diffuse_triangle diffuse_tetrahedron;
    steps: cfd_solvers::flow::kernels::steps =>
        to_primitive_2d to_primitive_3d begin_step_2d begin_step_3d pace_2d pace_3d boundary_pace_2d boundary_pace_3d
        crossing local_step global_step stage_2d stage_3d norm_2d norm_3d check_2d check_3d clear_residual_2d
        clear_residual_3d average_2d average_3d feed_2d feed_3d feed_one;
    turbulence: cfd_solvers::flow::kernels::turbulence =>
        carry_further_2d carry_further_3d convey_further_2d convey_further_3d enter_2d enter_3d enter_with_mass_2d
        enter_with_mass_3d mass_pace_2d mass_pace_3d turbulent_step turbulent_update eddy_ratio_2d eddy_ratio_3d;
    spalart_allmaras: cfd_solvers::flow::kernels::spalart_allmaras =>
        begin_turbulence_2d begin_turbulence_3d carry_2d carry_3d produce_2d produce_3d;
    sst: cfd_solvers::flow::kernels::sst =>
        gather_2d gather_3d begin_sst_2d begin_sst_3d convey_2d convey_3d gain;
    walls: cfd_solvers::flow::kernels::walls =>
        slip_2d slip_3d symmetry_stress_2d symmetry_stress_3d add_area_2d add_area_3d add_wall_2d add_wall_3d wall_at_node_2d wall_at_node_3d
        begin_wall_2d begin_wall_3d hold_wall_2d hold_wall_3d;
    waves: cfd_solvers::flow::kernels::waves =>
        begin_waves_2d begin_waves_3d add_waves_2d add_waves_3d add_boundary_waves_2d add_boundary_waves_3d wave_stage_2d
        wave_stage_3d;
}

/// A vector, and a state (rho, u, v, w, p) or its residual; in the plane the third components are 0.
type Vector = [f64; 3];
type State = [f64; 5];

/// What tests look at, in either dimension.
trait Probe: Solver + Sized {
    const DIMENSION: usize;
    fn start(domain: &mut Domain, config: &Config, environment: &Environment) -> Self;
    fn positions(&self, domain: &mut Domain) -> Vec<Vector>;
    fn volumes(&self, domain: &mut Domain) -> Vec<f64>;
    /// The nodes' states.
    fn states(&self, domain: &mut Domain) -> Vec<State>;
    /// Gives every node the state at its position.
    fn give(&self, domain: &mut Domain, state: &dyn Fn(Vector) -> State);
    /// R of the state.
    fn rates(&self, domain: &mut Domain) -> Vec<State>;
    fn gradients(&self, domain: &mut Domain) -> Vec<[Vector; 5]>;
    /// Puts a source into the cells, and a state outside of every boundary face. On one rank.
    fn manufacture(
        &mut self,
        domain: &mut Domain,
        source: &dyn Fn(Vector) -> State,
        outside: &dyn Fn(Vector) -> State,
    );
}

/// The components of a state in space, from those in its dimension.
fn in_space(row: &[f64]) -> State {
    let last = row.len() - 1;
    std::array::from_fn(|m| match m {
        4 => row[last],
        m if m < last => row[m],
        _ => 0.0,
    })
}

macro_rules! probe {
    ($module:ident, $d:literal, $n:literal, $conserved:ident) => {
        impl Probe for $module::Flow {
            const DIMENSION: usize = $d;

            fn start(domain: &mut Domain, config: &Config, environment: &Environment) -> Self {
                $module::Flow::new(domain, config, &environment.boundaries).expect("a dual mesh")
            }

            fn positions(&self, domain: &mut Domain) -> Vec<Vector> {
                let x = domain.read(self.residual.geometry.x).unwrap();
                let rows = x.as_chunks::<$d>().0.iter();
                rows.map(|x| std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0))).collect()
            }

            fn volumes(&self, domain: &mut Domain) -> Vec<f64> {
                domain.read(self.residual.geometry.volume).unwrap()
            }

            fn states(&self, domain: &mut Domain) -> Vec<State> {
                self.refresh(domain);
                let w = domain.read(self.residual.w).unwrap();
                w.as_chunks::<$n>().0.iter().map(|row| in_space(row)).collect()
            }

            fn give(&self, domain: &mut Domain, state: &dyn Fn(Vector) -> State) {
                let own = |x: Vector| {
                    let w = state(x);
                    let w: [f64; $n] = std::array::from_fn(|m| if m == $n - 1 { w[4] } else { w[m] });
                    $conserved(w, self.residual.gas.gm1)
                };
                let q: Vec<f64> = self.positions(domain).into_iter().flat_map(own).collect();
                domain.write(self.q, &q);
                self.refresh(domain);
            }

            fn rates(&self, domain: &mut Domain) -> Vec<State> {
                let zeros = vec![0.0; $n * domain.global_ids(self.residual.geometry.nodes).len()];
                domain.write(self.residual.res, &zeros);
                self.residual.record(domain);
                let rates = domain.read(self.residual.res).unwrap();
                domain.write(self.residual.res, &zeros);
                rates.as_chunks::<$n>().0.iter().map(|row| in_space(row)).collect()
            }

            fn gradients(&self, domain: &mut Domain) -> Vec<[Vector; 5]> {
                self.residual.record_gradients(domain);
                let gradients = domain.read(self.residual.gradient).unwrap();
                let of_node = |row: &[f64; $d * $n]| {
                    let along = |k: usize| {
                        let column: Vec<f64> = row.iter().skip(k).step_by($d).copied().collect();
                        in_space(&column)
                    };
                    let columns: Vec<State> = (0..$d).map(along).collect();
                    let of = |m: usize| std::array::from_fn(|k| columns.get(k).map_or(0.0, |c: &State| c[m]));
                    std::array::from_fn(of)
                };
                gradients.as_chunks::<{ $d * $n }>().0.iter().map(of_node).collect()
            }

            fn manufacture(
                &mut self,
                domain: &mut Domain,
                source: &dyn Fn(Vector) -> State,
                outside: &dyn Fn(Vector) -> State,
            ) {
                let own = |w: State| -> [f64; $n] {
                    std::array::from_fn(|m| if m == $n - 1 { w[4] } else { w[m] })
                };
                let (positions, volumes) = (self.positions(domain), self.volumes(domain));
                for faces in self.residual.geometry.faces.clone() {
                    let nodes = domain.targets(faces.nodes);
                    let shares = domain.read(faces.shares).unwrap();
                    let each = shares.len() / nodes.len().max(1);
                    let place = |(nodes, shares): (&[u32], &[f64])| -> Vector {
                        let along = |k: usize| {
                            nodes.iter().zip(shares).map(|(&n, s)| s * positions[n as usize][k]).sum()
                        };
                        std::array::from_fn(along)
                    };
                    let places =
                        nodes.iter().map(|nodes| &nodes[..]).zip(shares.chunks(each.max(1))).map(place);
                    let given: Vec<f64> = places.flat_map(|x| own(outside(x))).collect();
                    domain.write(faces.given, &given);
                }
                let of_cell = |(x, volume): (&Vector, &f64)| own(source(*x)).map(|rate| rate * volume);
                let rows: Vec<f64> = positions.iter().zip(&volumes).flat_map(of_cell).collect();
                let dat = domain.new_dat(self.residual.geometry.nodes, "source");
                domain.write(dat, &rows);
                self.residual.source = Some(dat);
            }
        }
    };
}
probe!(plane, 2, 4, conserved_2d);
probe!(space, 3, 5, conserved_3d);

/// A distorted box, small enough for any kind of element.
fn small(filling: Filling) -> ElementBox {
    let cells = if filling.dimension() == 2 { [7, 6, 1] } else { [4, 3, 3] };
    ElementBox { filling, cells, lengths: [1.2, 1.0, 0.8], distortion: 0.2 }
}

/// The condition of each side in turn; one stands for all.
fn sides(mesh: &ElementBox, conditions: &[Json]) -> Vec<(&'static str, Json)> {
    let names = SIDES.into_iter().take(2 * mesh.filling.dimension()).enumerate();
    names.map(|(k, name)| (name, conditions[k.min(conditions.len() - 1)].clone())).collect()
}

/// Runs `body` with a flow in a box whose sides have these conditions, on some simulated ranks; the result of each rank.
fn on<P: Probe, R: Send>(
    ranks: usize,
    mesh: ElementBox,
    conditions: &[Json],
    config: &Config,
    body: impl Fn(&mut Domain, &mut P) -> R + Sync,
) -> Vec<R> {
    assert_eq!(mesh.filling.dimension(), P::DIMENSION);
    on_mesh(ranks, |comm| mesh.mesh(comm).expect("a box"), sides(&mesh, conditions), config, body)
}

/// The same on any mesh with conditions for its boundaries.
fn on_mesh<P: Probe, R: Send>(
    ranks: usize,
    mesh: impl Fn(&Comm) -> ElementMesh + Sync,
    conditions: Vec<(&'static str, Json)>,
    config: &Config,
    body: impl Fn(&mut Domain, &mut P) -> R + Sync,
) -> Vec<R> {
    let (mut config, mut boundaries) = (config.clone(), Boundaries::new(plane::Flow::FACTS.boundaries));
    for (name, condition) in conditions {
        boundaries = match condition["partner"].as_str() {
            Some(partner) => boundaries.pair(Periodic {
                names: [name.into(), partner.into()],
                motion: match condition["angle"].as_f64() {
                    None => Motion::Translation(None),
                    Some(angle) => {
                        let center = serde_json::from_value(condition["center"].clone()).unwrap_or_default();
                        Motion::Rotation { center, axis: [0.0, 0.0, 1.0], angle }
                    }
                },
                tolerance: USUAL_TOLERANCE,
            }),
            None => boundaries.give(condition["kind"].as_str().expect("a kind"), [name]),
        };
        config.boundaries.insert(name.into(), serde_json::from_value(condition).expect("a condition"));
    }
    Comm::simulate(ranks, |comm| {
        let given = Given::Elements(mesh(&comm));
        let levels = plane::Flow::levels(&config);
        let prepared =
            given.prepare(&comm, plane::Flow::FACTS.needs, &boundaries, levels).expect("a dual mesh");
        plane::Flow::check_mesh(&comm, &prepared.mesh, &config).expect("a configuration that makes sense");
        let environment = Environment { boundaries: prepared.boundaries, ..Environment::default() };
        let primary = plane::Flow::FACTS.needs[0].primary(&prepared.mesh);
        let options = Options { method: Method::Rcb, ..Options::default() };
        let domain = set_up(&comm, prepared.mesh, &primary, &options, Order::File, DomainOptions::default());
        let mut domain = domain.expect("a domain");
        let mut flow = P::start(&mut domain, &config, &environment);
        body(&mut domain, &mut flow)
    })
}

/// Runs a generic test in the dimension of a filling.
macro_rules! in_its_dimension {
    ($filling:expr, $function:ident($($argument:expr),*)) => {
        match $filling.dimension() {
            2 => $function::<plane::Flow>($filling, $($argument),*),
            _ => $function::<space::Flow>($filling, $($argument),*),
        }
    };
}

fn kind(name: &str) -> Json {
    json!({ "kind": name })
}

/// A viscosity that does not depend on the temperature, and heat conduction.
fn viscous() -> Config {
    Config {
        equations: Equations::Laminar,
        viscosity: Some(0.02),
        viscosity_law: Law::Constant,
        ..Config::default()
    }
}

fn largest(rows: impl IntoIterator<Item = f64>) -> f64 {
    rows.into_iter().fold(0.0, |most, value| most.max(value.abs()))
}

fn keeps_the_free_stream<P: Probe>(filling: Filling, mesh: ElementBox, config: &Config) {
    let offs = on(2, mesh, &[kind("far_field")], config, |domain, flow: &mut P| {
        for _ in 0..5 {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        let free: State = FreeStream::new(config).primitive();
        largest(flow.states(domain).iter().flat_map(|w| (0..5).map(|m| w[m] - free[m]).collect::<Vec<_>>()))
    });
    let off = largest(offs);
    assert!(off < 1e-13, "{filling:?}, {:?}, {:?}: {off:e}", config.flux, config.scheme);
}

#[test]
fn the_free_stream_stays_on_distorted_elements_of_every_kind() {
    for filling in Filling::ALL {
        for (flux, limiter, scheme) in [
            (Flux::Roe, Limiter::VanAlbada, Scheme::Explicit),
            (Flux::RoeLowMach, Limiter::None, Scheme::Rk3),
            (Flux::Hllc, Limiter::Venkatakrishnan, Scheme::Explicit),
        ] {
            let config = Config { flux, limiter, scheme, cfl: Some(0.5), alpha: 12.0, ..viscous() };
            in_its_dimension!(filling, keeps_the_free_stream(small(filling), &config));
        }
        for (scheme, time_step) in [(Scheme::Newton, None), (Scheme::Bdf2, Some(0.1))] {
            let config = Config { scheme, time_step, alpha: 12.0, ..viscous() };
            in_its_dimension!(filling, keeps_the_free_stream(small(filling), &config));
        }
    }
}

/// Linear density, velocity and pressure.
const SLOPES: [Vector; 5] =
    [[0.1, -0.05, 0.07], [0.2, 0.1, -0.1], [-0.1, 0.3, 0.05], [0.15, 0.1, -0.2], [0.05, 0.02, -0.03]];

fn linear<const D: usize>(x: Vector) -> State {
    let base = [1.0, 0.4, 0.2, if D == 3 { -0.3 } else { 0.0 }, 0.7];
    let is_there = |m: usize| D == 3 || m != 3;
    std::array::from_fn(|m| {
        let sum: f64 = (0..D).map(|k| SLOPES[m][k] * x[k]).sum();
        if is_there(m) { base[m] + sum } else { 0.0 }
    })
}

fn has_exact_gradients<P: Probe>(filling: Filling) {
    let state = if P::DIMENSION == 2 { linear::<2> } else { linear::<3> };
    let offs = on(2, small(filling), &[kind("slip")], &Config::default(), |domain, flow: &mut P| {
        flow.give(domain, &state);
        let mut off: f64 = 0.0;
        for gradient in flow.gradients(domain) {
            for m in [0, 1, 2, 4] {
                off = off.max(largest((0..P::DIMENSION).map(|k| gradient[m][k] - SLOPES[m][k])));
            }
        }
        off
    });
    let off = largest(offs);
    assert!(off < 1e-12, "{filling:?}: {off:e}");
}

#[test]
fn gradients_of_linear_functions_are_exact_at_every_node() {
    for filling in Filling::ALL {
        in_its_dimension!(filling, has_exact_gradients());
    }
}

/// In a gas at rest whose pressure is linear, R is the pressure's gradient times the volume, at every node: the fluxes are
/// linear, and those through boundaries as exact as those between cells.
fn has_exact_fluxes<P: Probe>(filling: Filling, kappa: f64) {
    let config = Config { limiter: Limiter::None, kappa, ..Config::default() };
    let slope = [0.3, -0.2, if P::DIMENSION == 3 { 0.1 } else { 0.0 }];
    let state = |x: Vector| [1.0, 0.0, 0.0, 0.0, 1.0 + (0..3).map(|k| slope[k] * x[k]).sum::<f64>()];
    let offs = on(2, small(filling), &[kind("slip")], &config, |domain, flow: &mut P| {
        flow.give(domain, &state);
        let (rates, volumes) = (flow.rates(domain), flow.volumes(domain));
        let off = |(rate, volume): (&State, &f64)| largest((0..3).map(|k| rate[1 + k] / volume - slope[k]));
        largest(rates.iter().zip(&volumes).map(off))
    });
    let off = largest(offs);
    assert!(off < 1e-11, "{filling:?}: {off:e}");
}

#[test]
fn a_linear_pressure_has_its_own_gradient_as_force_on_every_cell() {
    for filling in Filling::ALL {
        in_its_dimension!(filling, has_exact_fluxes(0.0));
        in_its_dimension!(filling, has_exact_fluxes(0.5));
    }
}

/// What flows out of one cell flows into others: between walls, mass and energy stay.
fn conserves<P: Probe>(filling: Filling, config: &Config) {
    let state = |x: Vector| {
        let w = [1.0 + 0.2 * (3.0 * x[0]).sin(), (5.0 * x[1]).cos(), (4.0 * x[0]).sin(), (2.0 * x[2]).sin()];
        [w[0], 0.3 * w[1], 0.3 * w[2], 0.3 * w[3], 0.7 + 0.1 * (x[0] - x[1]).cos()]
    };
    let sums = on(2, small(filling), &[kind("slip")], config, |domain, flow: &mut P| {
        flow.give(domain, &state);
        let rates = flow.rates(domain);
        [0, 4].map(|m| [rates.iter().map(|r| r[m]).sum::<f64>(), rates.iter().map(|r| r[m].abs()).sum()])
    });
    for m in 0..2 {
        let [sum, size] = [0, 1].map(|k| sums.iter().map(|of_rank| of_rank[m][k]).sum::<f64>());
        assert!(size > 1e-3, "{filling:?}: something flows: {size:e}");
        assert!(sum.abs() < 1e-13 * size, "{filling:?}, {config:?}: {sum:e} of {size:e}");
    }
}

#[test]
fn mass_and_energy_between_walls_stay() {
    for filling in Filling::ALL {
        let euler = Config { flux: Flux::Hllc, ..Config::default() };
        in_its_dimension!(filling, conserves(&euler));
        in_its_dimension!(filling, conserves(&viscous()));
    }
}

/// The error in density and velocity, by its root mean square, of a vortex that the flow carries for a while.
fn error_of_the_vortex(filling: Filling, n: u64, config: &Config) -> [f64; 2] {
    let mesh = ElementBox { filling, cells: [n, n, 1], lengths: [10.0, 10.0, 1.0], distortion: 0.1 };
    let errors = on(2, mesh, &[kind("far_field")], config, |domain, flow: &mut plane::Flow| {
        while flow.done().is_some_and(|share| share < 1.0) {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        let exact = start::exact::<2, 4>(config);
        let (positions, states) = (flow.positions(domain), flow.states(domain));
        let off = |m: usize| {
            let pairs = positions.iter().zip(&states);
            let off = |(x, w): (&Vector, &State)| w[m] - exact(&[x[0], x[1]], config.end_time.unwrap())[m];
            pairs.map(|pair| off(pair).powi(2)).sum::<f64>()
        };
        [off(0), off(2)]
    });
    let nodes = ((n + 1) * (n + 1)) as f64;
    [0, 1].map(|k| (errors.iter().map(|of_rank| of_rank[k]).sum::<f64>() / nodes).sqrt())
}

fn vortex() -> Config {
    Config {
        scheme: Scheme::Rk3,
        limiter: Limiter::None,
        start: Start::Vortex,
        vortex: vec![4.5, 5.0, 1.0, 0.4],
        end_time: Some(2.0),
        cfl: Some(1.0),
        ..Config::default()
    }
}

#[test]
fn a_vortex_is_carried_with_second_order() {
    for filling in [Filling::Only(cfd_mesh::ElementKind::Triangle), Filling::MixedPlane] {
        let [coarse, fine] = [32, 64].map(|n| error_of_the_vortex(filling, n, &vortex()));
        for m in 0..2 {
            let order = (coarse[m] / fine[m]).log2();
            assert!((1.7..2.8).contains(&order), "{filling:?}: order {order:.2}: {coarse:?}, {fine:?}");
        }
    }
}

/// On quadrilaterals, where a third makes the reconstruction one of third order.
#[test]
fn kappa_damps_a_vortex_less() {
    let quadrilaterals = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
    let of = |kappa: f64| error_of_the_vortex(quadrilaterals, 32, &Config { kappa, ..vortex() });
    let (gradient, third) = (of(0.0), of(1.0 / 3.0));
    for m in 0..2 {
        assert!(third[m] < 0.8 * gradient[m], "{third:?}, {gradient:?}");
    }
}

#[test]
fn first_order_is_first_order() {
    let config = Config { order: 1, ..vortex() };
    let [coarse, fine] = [32, 64].map(|n| error_of_the_vortex(Filling::MixedPlane, n, &config));
    let order = (coarse[0] / fine[0]).log2();
    assert!((0.4..1.2).contains(&order), "order {order:.2}: {coarse:?}, {fine:?}");
}

/// Places with their states.
type States = Vec<(Vector, State)>;

/// Steps until every equation's residual is below a share of its largest, or as many as there may be; the states, and the
/// final numbers.
fn converged(mesh: ElementBox, conditions: &[Json], config: &Config) -> (States, Vec<(String, f64)>) {
    let mut ends = on(1, mesh, conditions, config, |domain, flow: &mut plane::Flow| {
        for _ in 0..config.iterations {
            let residual = flow.step(domain, false).expect("a flow that stays sound").residual;
            if residual < config.tolerance {
                break;
            }
        }
        let residual = value(&final_values(domain, flow), "residuals.density");
        assert!(config.tolerance == 0.0 || residual < config.tolerance, "the residual stays at {residual:e}");
        let states = flow.positions(domain).into_iter().zip(flow.states(domain)).collect::<Vec<_>>();
        (states, final_values(domain, flow))
    });
    ends.remove(0)
}

fn final_values(domain: &mut Domain, flow: &dyn Solver) -> Vec<(String, f64)> {
    let all = flow.outputs().into_iter().filter_map(|output| match output {
        Output::Values(values) => Some(values(domain).unwrap()),
        _ => None,
    });
    all.flatten().collect()
}

fn value(values: &[(String, f64)], name: &str) -> f64 {
    values.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("{name} in {values:?}")).1
}

#[test]
fn a_channel_between_total_and_static_pressure_has_the_isentropic_flow() {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [12, 4, 1],
        lengths: [3.0, 1.0, 1.0],
        distortion: 0.15,
    };
    // Total pressure and temperature 1 and 1, and the pressure of Mach 0.6.
    let mach: f64 = 0.6;
    let ratio = 1.0 + 0.2 * mach * mach;
    let pressure = ratio.powf(-3.5);
    let inlet = json!({ "kind": "inlet", "total_pressure": 1.0, "total_temperature": 1.0 });
    let conditions = [inlet, json!({ "kind": "outlet", "pressure": pressure }), kind("slip")];
    let config = Config {
        gas_constant: Some(1.0),
        mach: 0.3,
        limiter: Limiter::None,
        scheme: Scheme::Newton,
        iterations: 200,
        tolerance: 1e-10,
        ..Config::default()
    };
    let (states, values) = converged(mesh, &conditions, &config);
    let temperature = 1.0 / ratio;
    let (density, speed) = (pressure / temperature, mach * (1.4 * temperature).sqrt());
    let exact = [density, speed, 0.0, 0.0, pressure];
    for (x, w) in &states {
        let off = largest((0..5).map(|m| w[m] - exact[m]));
        assert!(off < 1e-8, "at {x:?}: {w:?}, expected {exact:?}");
    }
    let flow = density * speed;
    assert!((value(&values, "mass_flow.x_max") - flow).abs() < 1e-8, "{values:?}");
    assert!((value(&values, "mass_flow.x_min") + flow).abs() < 1e-8, "{values:?}");
    // The walls feel only pressure, and the same on both sides.
    assert!(value(&values, "drag").abs() < 1e-8 && value(&values, "lift").abs() < 1e-7, "{values:?}");
    assert!(value(&values, "forces.y_max.lift") > 0.1, "{values:?}");
}

#[test]
fn an_outlet_finds_the_pressure_for_its_mass_flow() {
    let filling = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
    let mesh = ElementBox { filling, cells: [10, 3, 1], lengths: [3.0, 1.0, 1.0], distortion: 0.0 };
    let inlet = json!({ "kind": "inlet", "total_pressure": 1.0, "total_temperature": 1.0 });
    let conditions = [inlet, json!({ "kind": "outlet", "mass_flow": 0.5 }), kind("symmetry")];
    let config = Config {
        gas_constant: Some(1.0),
        pressure: Some(0.9),
        mach: 0.3,
        limiter: Limiter::None,
        iterations: 10_000,
        tolerance: 1e-8,
        ..Config::default()
    };
    let (_, values) = converged(mesh, &conditions, &config);
    assert!((value(&values, "mass_flow.x_max") - 0.5).abs() < 1e-5, "{values:?}");
}

/// A supersonic flow that a wall turns by 10 degrees at Mach 2: the shock stands at 39.31 degrees to it, and behind it the
/// pressure is 1.7066 times that before, the Mach number 1.6405 (Ames Research Staff, NACA Report 1135, 1953).
#[test]
fn a_wedge_has_the_pressure_behind_an_oblique_shock() {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [36, 36, 1],
        lengths: [1.0, 1.0, 1.0],
        distortion: 0.1,
    };
    // The wind blows down onto the wall y = 0, which begins at x = 0.
    let inflow = kind("supersonic_inlet");
    let conditions = [inflow.clone(), kind("supersonic_outlet"), kind("slip"), inflow];
    // With a limiter at a shock, the residual need not fall to zero.
    let config = Config { mach: 2.0, alpha: -10.0, cfl: Some(0.8), iterations: 400, ..Config::default() };
    let (states, values) = converged(mesh, &conditions, &config);
    let free = FreeStream::new(&config);
    let behind = |x: &Vector| x[0] > 0.5 && x[1] < 0.2 * x[0];
    let mut count = 0;
    for (_, w) in states.iter().filter(|(x, _)| behind(x)) {
        let mach = ((w[1] * w[1] + w[2] * w[2]) / (1.4 * w[4] / w[0])).sqrt();
        assert!(
            (w[4] / free.pressure / 1.7066 - 1.0).abs() < 0.02,
            "pressure ratio {}",
            w[4] / free.pressure
        );
        assert!((mach / 1.6405 - 1.0).abs() < 0.03, "Mach number {mach}");
        count += 1;
    }
    assert!(count > 50, "{count} nodes lie behind the shock");
    // What flows in flows out.
    let flows: Vec<f64> =
        ["x_min", "x_max", "y_max"].map(|name| value(&values, &format!("mass_flow.{name}"))).into();
    assert!(flows[1] > 1.0 && flows.iter().sum::<f64>().abs() < 1e-3, "{flows:?}");
    // The force on the wall: (p2 - p1) over a length of 1, down.
    let force = 0.7066 * free.pressure / free.dynamic_pressure;
    let lift = value(&values, "lift");
    assert!((lift / (-force * 10f64.to_radians().cos()) - 1.0).abs() < 0.03, "{lift}, {force}");
}

/// Between a wall at rest and one that moves, the velocity is linear, and the temperature falls to the walls from where
/// friction heats: T = T0 + Pr U^2 / (2 cp) (y/H) (1 - y/H).
#[test]
fn between_a_wall_at_rest_and_a_moving_one_couette_flow_is_steady() {
    let filling = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
    let mesh = ElementBox { filling, cells: [6, 12, 1], lengths: [0.5, 1.0, 1.0], distortion: 0.0 };
    let (speed, mu) = (0.5, 0.1);
    let rest = json!({ "kind": "no_slip", "temperature": 1.0 });
    let moving = json!({ "kind": "no_slip", "temperature": 1.0, "velocity": [speed, 0.0] });
    let config = Config { limiter: Limiter::None, viscosity: Some(mu), ..viscous() };
    let heat = config.prandtl * speed * speed / (2.0 * 2.5);
    let exact = |x: Vector| {
        let t = 1.0 + heat * x[1] * (1.0 - x[1]);
        [1.0 / t, speed * x[1], 0.0, 0.0, 1.0 / 1.4]
    };
    let outflow = json!({ "kind": "outlet", "pressure": 1.0 / 1.4 });
    let conditions = [outflow.clone(), outflow, rest, moving];
    let ends = on(1, mesh, &conditions, &config, |domain, flow: &mut plane::Flow| {
        flow.give(domain, &exact);
        let (rates, volumes) = (flow.rates(domain), flow.volumes(domain));
        let positions = flow.positions(domain);
        // The ends of the channel are not part of the solution.
        let inner = |x: &Vector| (0.01..0.49).contains(&x[0]) && (0.01..0.99).contains(&x[1]);
        let rows = rates.iter().zip(&volumes).zip(&positions).filter(|(_, x)| inner(x));
        let off = largest(rows.flat_map(|((rate, volume), _)| rate.map(|rate| rate / volume)));
        (off, final_values(domain, flow))
    });
    let (off, values) = &ends[0];
    assert!(*off < 1e-12, "{off:e}");
    // The stress mu U / H drags both walls, over a length of 0.5, in opposite directions.
    let drag = mu * speed * 0.5 / FreeStream::new(&config).dynamic_pressure;
    for (name, drag) in [("forces.y_min.drag_viscous", drag), ("forces.y_max.drag_viscous", -drag)] {
        assert!((value(values, name) / drag - 1.0).abs() < 0.02, "{name}, expected {drag}: {values:?}");
    }
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let mesh = small(Filling::MixedPlane);
    let refused = |config: Config, words: &[&str]| {
        let comm = Comm::single();
        let given = Given::Elements(mesh.mesh(&comm).unwrap());
        let names = sides(&mesh, &[kind("slip")]).into_iter().map(|(name, _)| name);
        let boundaries = Boundaries::new(plane::Flow::FACTS.boundaries).give("slip", names);
        let prepared = given.prepare(&comm, plane::Flow::FACTS.needs, &boundaries, 1).unwrap();
        let error =
            plane::Flow::check_mesh(&comm, &prepared.mesh, &config).expect_err("a refusal").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let with = |conditions: &[(&str, Json)]| {
        let mut config = Config::default();
        for (name, condition) in conditions {
            config.boundaries.insert(name.to_string(), serde_json::from_value(condition.clone()).unwrap());
        }
        config
    };
    let laminar = Config { equations: Equations::Laminar, ..Config::default() };
    refused(laminar.clone(), &["viscosity", "reynolds"]);
    refused(Config { reynolds: Some(100.0), viscosity: Some(0.1), ..laminar }, &["reynolds", "keep one"]);
    refused(Config { reynolds: Some(100.0), ..Config::default() }, &["Euler", "laminar"]);
    refused(with(&[("y_min", kind("no_slip"))]), &["y_min", "slips"]);
    refused(Config { time_step: Some(0.1), ..Config::default() }, &["time_step", "rk3"]);
    let in_time = Config { scheme: Scheme::Bdf2, time_step: Some(0.1), ..Config::default() };
    refused(Config { time_step: None, ..in_time.clone() }, &["bdf2", "time_step"]);
    refused(Config { tolerance: 1e-6, ..in_time.clone() }, &["tolerance", "bdf2", "inner_tolerance"]);
    refused(Config { cfl: Some(1.0), ..in_time }, &["flow.cfl", "bdf2", "cfl_max"]);
    refused(Config { scheme: Scheme::Newton, cfl: Some(1e6), ..Config::default() }, &["cfl_max", "smaller"]);
    refused(
        Config { coarse_levels: Some(2), scheme: Scheme::Rk3, ..Config::default() },
        &["coarse_levels", "rk3"],
    );
    let laminar = Config { equations: Equations::Laminar, reynolds: Some(100.0), ..Config::default() };
    refused(
        Config { coarse_levels: Some(2), ..laminar },
        &["coarse_levels", "explicit", "laminar", "newton"],
    );
    let periodic = json!({ "kind": "periodic", "partner": "x_max", "tolerance": 1e-3 });
    let joined = with(&[("x_min", periodic)]);
    refused(Config { coarse_levels: Some(2), ..joined.clone() }, &["x_min", "explicit", "coarse_levels"]);
    let onto =
        |partner: &str| json!({ "kind": "periodic", "partner": partner, "tolerance": 1e-3, "angle": 30.0 });
    let turned = [("x_min", onto("x_max")), ("y_min", onto("y_max"))];
    let turned = Config { scheme: Scheme::Newton, alpha: 0.0, ..with(&turned) };
    refused(
        Config { coarse_levels: Some(2), ..turned },
        &["x_min", "y_min", "both rotated", "coarse_levels"],
    );
    refused(Config { local_step: Some(LocalStep::Matrix), ..joined }, &["x_min", "local_step"]);
    let scalar = Config { local_step: Some(LocalStep::Scalar), ..Config::default() };
    refused(
        Config { scheme: Scheme::Newton, ..scalar.clone() },
        &["local_step", "scalar", "newton", "explicit"],
    );
    refused(Config { coarse_levels: Some(2), ..scalar }, &["local_step", "coarse_levels"]);
    let start = Start::Vortex;
    refused(Config { start, vortex: vec![0.0, 0.0, -1.0, 0.1], ..Config::default() }, &["radius", "-1"]);
    refused(
        Config { start, mach: 1.0, vortex: vec![0.0, 0.0, 1.0, 9.0], ..Config::default() },
        &["temperature"],
    );
    refused(
        Config { start, start_from: Some("a.h5".into()), ..Config::default() },
        &["flow.start_from", "keep one"],
    );
    refused(Config { lift_steps: Some(5), ..Config::default() }, &["lift_steps", "target_lift"]);
    let turned = json!({ "kind": "periodic", "partner": "x_max", "angle": 30.0, "tolerance": 1e-3 });
    let open = with(&[("x_min", turned.clone()), ("y_max", kind("far_field"))]);
    refused(open, &["free stream of the boundary \"y_max\"", "axis about which \"x_min\" is turned"]);
    let about_x = json!({ "kind": "periodic", "partner": "x_max", "angle": 30.0, "axis": [2.0, 0.0, 0.0], "tolerance": 1e-3 });
    let open = with(&[("x_min", about_x), ("y_max", kind("far_field"))]);
    assert_eq!(cfd_solvers::flow::check::check(&open, 3), Ok(()));
    let wall = json!({ "kind": "velocity_inlet", "velocity": [0.1, 0.0] });
    refused(with(&[("x_min", turned), ("y_max", wall)]), &["velocity of the boundary \"y_max\""]);
    let lifts = |conditions: &[(&str, Json)]| Config { target_lift: Some(0.3), ..with(conditions) };
    let around = [("a", kind("slip")), ("b", kind("far_field"))];
    refused(Config { scheme: Scheme::Rk3, ..lifts(&around) }, &["target_lift = 0.3", "rk3", "newton"]);
    refused(lifts(&around[1..]), &["needs a wall", "slip"]);
    let inlet = json!({ "kind": "velocity_inlet", "velocity": [0.3, 0.0] });
    refused(lifts(&[("a", kind("slip")), ("b", inlet)]), &["free stream", "far_field"]);
    let inlet = json!({ "kind": "inlet", "total_pressure": 1.0 });
    let outlet = json!({ "kind": "outlet", "pressure": 1.5 });
    refused(with(&[("x_min", inlet), ("x_max", outlet)]), &["x_max", "1.5", "x_min", "nothing flows"]);
    let inlet = json!({ "kind": "inlet", "direction": [1.0, 0.0, 0.0] });
    refused(with(&[("x_min", inlet)]), &["x_min", "3 components", "2 dimensions"]);
    refused(with(&[("x_min", json!({ "kind": "inlet", "direction": [0.0, 0.0] }))]), &["x_min", "is 0"]);
    let slow = Config { mach: 0.3, ..with(&[("x_min", kind("supersonic_inlet"))]) };
    refused(slow, &["x_min", "Mach 0.300", "velocity_inlet"]);
    let fast =
        json!({ "kind": "supersonic_inlet", "velocity": [2.0, 0.0], "pressure": 1.0, "temperature": 1.0 });
    let fast = Config { mach: 0.3, ..with(&[("x_min", fast)]) };
    assert_eq!(cfd_solvers::flow::check::check(&fast, 2), Ok(()));
}

// After the macros that it uses.
#[path = "tests/implicit.rs"]
mod implicit;
#[path = "tests/jacobians.rs"]
mod jacobians;
#[path = "tests/levels.rs"]
mod levels;
#[path = "tests/limited.rs"]
mod limited;
#[path = "tests/manufactured.rs"]
mod manufactured;
#[path = "tests/periodic.rs"]
mod periodic;
#[path = "tests/sst.rs"]
mod sst;
#[path = "tests/trim.rs"]
mod trim;
#[path = "tests/turbulence.rs"]
mod turbulence;
#[path = "tests/turned.rs"]
mod turned;
