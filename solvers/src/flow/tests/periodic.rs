//! Periodic boundaries.

use cfd_mesh::ElementKind;
use cfd_mesh::generate::plane::flat_plate;

use super::manufactured::{LENGTHS, errors_on, steady};
use super::turbulence::turbulent;
use super::*;

/// A box continues along some axes; its other sides have a condition.
fn continued(axes: &[usize], dimension: usize, other: &Json) -> Vec<(&'static str, Json)> {
    let along = |axis: usize| -> Vec<(&'static str, Json)> {
        let [low, high] = [SIDES[2 * axis], SIDES[2 * axis + 1]];
        match axes.contains(&axis) {
            true => vec![(high, json!({ "kind": "periodic", "partner": low, "tolerance": 1e-3 }))],
            false => vec![(low, other.clone()), (high, other.clone())],
        }
    };
    (0..dimension).flat_map(along).collect()
}

/// The axes along which opposite sides of a box are cut alike.
fn alike(filling: Filling) -> &'static [usize] {
    match (filling, filling.dimension()) {
        (Filling::MixedSpace, _) => &[2],
        (_, 2) => &[0, 1],
        _ => &[0, 1, 2],
    }
}

/// Places with bits of states, of all ranks, by place.
fn bits(states: Vec<States>) -> Vec<([u64; 3], [u64; 5])> {
    let mut rows: Vec<_> =
        states.concat().into_iter().map(|(x, w)| (x.map(f64::to_bits), w.map(f64::to_bits))).collect();
    rows.sort_unstable();
    rows
}

fn places<P: Probe>(domain: &mut Domain, flow: &P) -> States {
    flow.positions(domain).into_iter().zip(flow.states(domain)).collect()
}

fn keeps_it_between_periods<P: Probe>(filling: Filling, config: &Config) {
    let mesh = |comm: &Comm| small(filling).mesh(comm).expect("a box");
    let conditions = continued(alike(filling), P::DIMENSION, &kind("far_field"));
    let offs = on_mesh(2, mesh, conditions, config, |domain, flow: &mut P| {
        for _ in 0..5 {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        let free: State = FreeStream::new(config).primitive();
        largest(flow.states(domain).iter().flat_map(|w| (0..5).map(|m| w[m] - free[m]).collect::<Vec<_>>()))
    });
    let off = largest(offs);
    assert!(off < 1e-13, "{filling:?}, {:?}: {off:e}", config.scheme);
}

#[test]
fn the_free_stream_stays_between_periodic_boundaries() {
    for filling in Filling::ALL {
        for scheme in [Scheme::Explicit, Scheme::Rk3, Scheme::Newton, Scheme::Bdf2] {
            let is_implicit = scheme.is_implicit();
            let (cfl, time_step) = match scheme {
                Scheme::Bdf2 => (None, Some(0.1)),
                _ => (Some(if is_implicit { 10.0 } else { 0.5 }), None),
            };
            let config = Config { scheme, cfl, time_step, alpha: 12.0, ..viscous() };
            in_its_dimension!(filling, keeps_it_between_periods(&config));
        }
    }
}

/// The error in density and velocity of a vortex that leaves a box through a corner and so comes in through the other one.
fn error_around_a_corner(filling: Filling, n: u64) -> [f64; 2] {
    let (length, middle) = (10.0, 8.5);
    let config = Config {
        mach: 1.0,
        alpha: 45.0,
        vortex: vec![middle, middle, 1.0, 0.2],
        end_time: Some(3.0 * f64::sqrt(2.0)),
        ..vortex()
    };
    let exact = start::exact::<2, 4>(&config);
    // The vortex's nearest image, 3 further along both axes at the end.
    let periodic = |x: Vector, time: f64, way: f64| -> State {
        let near = |x: f64| {
            let off = x - middle - way;
            x - length * (off / length).round()
        };
        in_space(&exact(&[near(x[0]), near(x[1])], time))
    };
    let mesh = ElementBox { filling, cells: [n, n, 1], lengths: [length, length, 1.0], distortion: 0.1 };
    let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
    let errors =
        on_mesh(2, mesh, continued(&[0, 1], 2, &Json::Null), &config, |domain, flow: &mut plane::Flow| {
            flow.give(domain, &|x| periodic(x, 0.0, 0.0));
            while flow.done().is_some_and(|share| share < 1.0) {
                flow.step(domain, false).expect("a flow that stays sound");
            }
            let (rows, time) = (places(domain, flow), config.end_time.expect("it is set"));
            [0, 2].map(|m| rows.iter().map(|(x, w)| (w[m] - periodic(*x, time, 3.0)[m]).powi(2)).sum::<f64>())
        });
    let nodes = ((n + 1) * (n + 1)) as f64;
    [0, 1].map(|k| (errors.iter().map(|of_rank| of_rank[k]).sum::<f64>() / nodes).sqrt())
}

#[test]
fn a_vortex_that_leaves_comes_in_again_with_second_order() {
    for filling in [Filling::Only(ElementKind::Triangle), Filling::MixedPlane] {
        let [coarse, fine] = [32, 64].map(|n| error_around_a_corner(filling, n));
        for m in 0..2 {
            let order = (coarse[m] / fine[m]).log2();
            assert!((1.7..2.9).contains(&order), "{filling:?}: order {order:.2}: {coarse:?}, {fine:?}");
        }
    }
}

/// The vortex of the configuration is not quite the same at both sides of a box; copies of a node start with one state.
#[test]
fn copies_of_a_node_start_with_one_state() {
    let mesh = ElementBox {
        filling: Filling::MixedPlane,
        cells: [6, 6, 1],
        lengths: [8.0, 8.0, 1.0],
        distortion: 0.1,
    };
    let rows = on_mesh(
        1,
        |comm| mesh.mesh(comm).expect("a box"),
        continued(&[0, 1], 2, &Json::Null),
        &vortex(),
        |domain, flow: &mut plane::Flow| {
            (0..3).for_each(|_| drop(flow.step(domain, false).expect("a flow that stays sound")));
            places(domain, flow)
        },
    );
    let at = |x: f64, y: f64| rows[0].iter().find(|(place, _)| *place == [x, y, 0.0]).expect("a corner").1;
    let corners = [at(0.0, 0.0), at(8.0, 0.0), at(0.0, 8.0), at(8.0, 8.0)];
    assert!(corners.iter().all(|w| *w == corners[0]), "{corners:?}");
}

/// Waves of velocity decay as exp(-nu k^2 t), also where they meet themselves.
#[test]
fn shear_between_periodic_boundaries_decays_at_its_rate() {
    let config = Config { scheme: Scheme::Rk3, end_time: Some(0.2), limiter: Limiter::None, ..viscous() };
    let (k, amplitude) = (std::f64::consts::TAU, 0.01);
    let wave = |x: Vector| (k * (x[1] - 0.13)).sin();
    for filling in [Filling::Only(ElementKind::Triangle), Filling::MixedPlane] {
        let mesh = ElementBox { filling, cells: [6, 24, 1], lengths: [0.25, 1.0, 1.0], distortion: 0.1 };
        let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
        let sums = on_mesh(
            2,
            mesh,
            continued(&[0, 1], 2, &Json::Null),
            &config,
            |domain, flow: &mut plane::Flow| {
                flow.give(domain, &|x| [1.0, amplitude * wave(x), 0.0, 0.0, 1.0 / 1.4]);
                while flow.done().is_some_and(|share| share < 1.0) {
                    flow.step(domain, false).expect("a flow that stays sound");
                }
                let rows = places(domain, flow);
                let sum =
                    |of: &dyn Fn(f64, f64) -> f64| rows.iter().map(|(x, w)| of(wave(*x), w[1])).sum::<f64>();
                [sum(&|wave, u| wave * u), sum(&|wave, _| wave * wave)]
            },
        );
        let [along, of_wave] = [0, 1].map(|m| sums.iter().map(|sum| sum[m]).sum::<f64>());
        let (found, exact) = (along / of_wave / amplitude, (-0.02 * k * k * 0.2).exp());
        assert!((found / exact - 1.0).abs() < 0.01, "{filling:?}: {found} is not {exact}");
    }
}

/// Steady flow that goes on along y, by Newton's method.
#[test]
fn steady_flow_between_periodic_boundaries_has_second_order() {
    let wave = |x: Vector, along: f64, phase: f64| {
        (std::f64::consts::TAU * x[1] / LENGTHS[1] + along * x[0] + phase).sin()
    };
    let state = |x: Vector| -> State {
        [
            1.0 + 0.05 * wave(x, 1.3, 0.3),
            0.5 + 0.05 * wave(x, -1.0, 1.1),
            0.3 + 0.05 * wave(x, 0.7, 2.2),
            0.0,
            0.8 + 0.05 * wave(x, -0.6, 0.2),
        ]
    };
    for filling in [Filling::Only(ElementKind::Triangle), Filling::MixedPlane] {
        let [coarse, fine] = [[18, 15, 1], [36, 30, 1]].map(|cells| {
            let mesh = ElementBox { filling, cells, lengths: LENGTHS, distortion: 0.1 };
            let conditions = continued(&[1], 2, &kind("far_field"));
            errors_on::<plane::Flow>(mesh, conditions, &steady(), &state)
        });
        for m in [0, 1, 2, 4] {
            let order = (coarse[m] / fine[m]).log2();
            assert!(order > 1.75, "{filling:?}: order {order:.2} of {m}: {coarse:?}, {fine:?}");
        }
    }
}

/// Between walls: a wave along a channel of some periods; states by place, and the drag.
fn in_a_channel<P: Probe>(filling: Filling, periods: u64, config: &Config) -> (States, f64) {
    let mut cells = if P::DIMENSION == 2 { [6, 7, 1] } else { [4, 5, 3] };
    cells[0] *= periods;
    let mesh = ElementBox { filling, cells, lengths: [periods as f64, 0.8, 0.6], distortion: 0.0 };
    let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
    let wall = json!({ "kind": "no_slip", "temperature": 1.1 });
    // Walls below and above; in space the sides, too, continue.
    let conditions = continued(&[0, 2], P::DIMENSION, &wall);
    let k = std::f64::consts::TAU;
    let ends = on_mesh(2, mesh, conditions, config, |domain, flow: &mut P| {
        flow.give(domain, &|x| {
            [1.0 + 0.1 * (k * x[0]).sin(), 0.4 * x[1], 0.1 * (k * x[0]).cos(), 0.0, 0.7 + 0.1 * x[1]]
        });
        for _ in 0..5 {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        (places(domain, flow), value(&final_values(domain, flow), "drag"))
    });
    let drag = ends[0].1;
    (ends.into_iter().flat_map(|(states, _)| states).collect(), drag)
}

fn is_each_of_two<P: Probe>(filling: Filling, config: &Config, bound: f64) {
    let ([(one, drag), (two, of_two)], by_place) =
        ([1, 2].map(|periods| in_a_channel::<P>(filling, periods, config)), |a: Vector, b: Vector| {
            (0..3).all(|k| (a[k] - b[k]).abs() < 1e-9)
        });
    for (x, w) in &two {
        let place = [if x[0] > 1.0 + 1e-9 { x[0] - 1.0 } else { x[0] }, x[1], x[2]];
        let (_, alone) = one.iter().find(|(own, _)| by_place(*own, place)).expect("a node there");
        assert!(largest((0..5).map(|m| w[m] - alone[m])) < bound, "{filling:?}, {x:?}: {w:?}, {alone:?}");
    }
    assert!(drag.abs() > 1e-3 && (of_two - 2.0 * drag).abs() < bound, "{drag}, {of_two}");
}

#[test]
fn one_period_alone_is_each_of_two() {
    let config = Config { cfl: Some(0.8), ..viscous() };
    for kind in [ElementKind::Quadrilateral, ElementKind::Hexahedron] {
        in_its_dimension!(Filling::Only(kind), is_each_of_two(&config, 1e-12));
    }
}

/// Implicit steps whose linear systems are solved to rounding: matrices, too, go on through periodic boundaries. The Courant
/// number stays at its limit: it follows the residual, in which copies count, and so would differ in its last digits.
#[test]
fn one_period_alone_is_each_of_two_by_implicit_steps() {
    let exactly = |config: Config| Config { linear_tolerance: 1e-13, linear_iterations: 300, ..config };
    let newton = exactly(Config { scheme: Scheme::Newton, cfl: Some(2.0), cfl_max: 2.0, ..viscous() });
    let in_time =
        exactly(Config { scheme: Scheme::Bdf2, time_step: Some(0.05), inner_steps: 3, ..viscous() });
    let turbulent = exactly(Config { cfl: Some(2.0), cfl_max: 2.0, turbulence_order: 2, ..turbulent() });
    for relaxation in [Relaxation::Jacobi, Relaxation::GaussSeidel] {
        let config = Config { relaxation, ..newton.clone() };
        for kind in [ElementKind::Quadrilateral, ElementKind::Hexahedron] {
            in_its_dimension!(Filling::Only(kind), is_each_of_two(&config, 1e-10));
        }
    }
    // Systems as far as differences solve them.
    for config in [&newton, &turbulent].map(|config| matrix_free(config.clone())) {
        is_each_of_two::<plane::Flow>(Filling::Only(ElementKind::Quadrilateral), &config, 1e-8);
    }
    for config in [in_time, turbulent] {
        is_each_of_two::<plane::Flow>(Filling::Only(ElementKind::Quadrilateral), &config, 1e-10);
    }
}

/// Newton's method with the derivative of the residual itself, whose products are differences: systems are solved to 1e-7.
pub(super) fn matrix_free(config: Config) -> Config {
    let linear_tolerance = config.linear_tolerance.max(1e-7);
    Config { jacobian: Jacobian::MatrixFree, linear_tolerance, linear_iterations: 60, ..config }
}

/// What a box between periodic boundaries ends with, on some ranks.
fn on_ranks<P: Probe>(
    ranks: usize,
    filling: Filling,
    axes: &[usize],
    config: &Config,
) -> Vec<([u64; 3], [u64; 5])> {
    let mesh = |comm: &Comm| small(filling).mesh(comm).expect("a box");
    let conditions = continued(axes, P::DIMENSION, &kind("no_slip"));
    bits(on_mesh(ranks, mesh, conditions, config, |domain, flow: &mut P| {
        flow.give(domain, &|x| {
            // All copies of a node start with one state.
            let x = if x[0] == 1.2 { 0.0 } else { x[0] };
            [1.0 + 0.1 * (5.0 * x).sin(), 0.3, 0.1 * (4.0 * x).cos(), 0.0, 0.7]
        });
        for _ in 0..4 {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        places(domain, flow)
    }))
}

fn has_the_same_bits<P: Probe>(filling: Filling, axes: &[usize], config: &Config) {
    let one = on_ranks::<P>(1, filling, axes, config);
    for ranks in [2, 3, 5] {
        assert!(on_ranks::<P>(ranks, filling, axes, config) == one, "{filling:?}, {ranks} ranks");
    }
    // Copies, too, have the bits of each other.
    let copies = one.iter().filter(|(x, _)| f64::from_bits(x[0]) == 0.0);
    for (x, w) in copies {
        let other = one.iter().find(|(other, _)| *other == [1.2_f64.to_bits(), x[1], x[2]]);
        assert_eq!(other.expect("the copy is there").1, *w);
    }
}

#[test]
fn ranks_change_no_bit_between_periodic_boundaries() {
    let explicit = Config { cfl: Some(0.8), ..viscous() };
    let newton = Config { scheme: Scheme::Newton, ..viscous() };
    let in_time = Config { scheme: Scheme::Bdf2, time_step: Some(0.05), ..viscous() };
    let [plane, space] = [Filling::MixedPlane, Filling::Only(ElementKind::Tetrahedron)];
    for config in [&explicit, &newton] {
        in_its_dimension!(plane, has_the_same_bits(&[0, 1], config));
        in_its_dimension!(space, has_the_same_bits(&[0, 1, 2], config));
    }
    let with_levels = |config: Config| Config { coarse_levels: Some(2), ..config };
    in_its_dimension!(plane, has_the_same_bits(&[0, 1], &with_levels(newton.clone())));
    in_its_dimension!(space, has_the_same_bits(&[0, 1, 2], &with_levels(newton.clone())));
    in_its_dimension!(plane, has_the_same_bits(&[0], &with_levels(matrix_free(turbulent()))));
    let sst = Config { equations: Equations::Sst, ..turbulent() };
    let coupled = [turbulent(), sst].map(matrix_free);
    for config in
        [&explicit, &newton, &matrix_free(newton.clone()), &in_time, &turbulent()].into_iter().chain(&coupled)
    {
        in_its_dimension!(plane, has_the_same_bits(&[0], config));
    }
    in_its_dimension!(space, has_the_same_bits(&[0], &explicit));
}

/// The agglomerates of coarse levels go on beyond periodic boundaries: fewer iterations, as many on any ranks.
#[test]
fn coarse_levels_save_iterations_between_periodic_boundaries() {
    let iterations = |ranks: usize, coarse_levels: u64| {
        let config = Config {
            mach: 0.3,
            scheme: Scheme::Newton,
            limiter: Limiter::None,
            cfl: Some(1000.0),
            linear_tolerance: 1e-6,
            linear_iterations: 300,
            coarse_levels: Some(coarse_levels),
            ..viscous()
        };
        let filling = Filling::MixedPlane;
        let mesh = ElementBox { filling, cells: [20, 20, 1], lengths: [1.0, 1.0, 0.5], distortion: 0.1 };
        let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
        let mut conditions = continued(&[0], 2, &kind("far_field"));
        conditions.iter_mut().find(|(name, _)| *name == "y_min").expect("a side").1 = kind("no_slip");
        let ends = on_mesh(ranks, mesh, conditions, &config, |domain, flow: &mut plane::Flow| {
            let columns = flow.columns();
            let column = columns.iter().position(|column| column == "linear_iterations").expect("a column");
            let step = |_| flow.step(domain, true).expect("a flow that stays sound").values[column];
            (0..6).map(step).sum::<f64>()
        });
        ends[0]
    };
    let with_levels = iterations(1, 3);
    assert!(with_levels < 0.2 * iterations(1, 0), "{with_levels}");
    for ranks in [2, 3] {
        assert_eq!(iterations(ranks, 3), with_levels, "{ranks} ranks");
    }
}

/// Before the plate is the end of the one before it.
#[test]
fn distances_from_walls_look_through_periodic_boundaries() {
    let conditions = || {
        let inlet = json!({ "kind": "periodic", "partner": "outlet", "tolerance": 1e-3 });
        let others = ["wall", "symmetry", "far_field"].into_iter().zip(["no_slip", "symmetry", "far_field"]);
        let others = others.map(|(name, condition)| (name, kind(condition)));
        others.chain([("inlet", inlet)]).collect()
    };
    let mesh = |comm: &Comm| flat_plate(comm, [35, 25]).expect("a grid");
    for ranks in [1, 3] {
        on_mesh(ranks, mesh, conditions(), &turbulent(), |domain, flow: &mut plane::Flow| {
            let positions = flow.positions(domain);
            let distance = flow.residual.turbulence.as_ref().expect("a turbulence model").distance;
            let begin = -0.33333;
            for (x, found) in positions.iter().zip(domain.read(distance).unwrap()) {
                let along = (-x[0]).max(0.0).min(x[0] - begin);
                let expected = along.hypot(x[1]);
                assert!((found - expected).abs() < 1e-12, "{ranks} ranks, {x:?}: {found}, not {expected}");
            }
        });
    }
}
