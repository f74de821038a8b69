//! Boundaries that are turned into each other.

use cfd_mesh::ElementKind;

use super::periodic::matrix_free;
use super::turbulence::turbulent;
use super::*;
use crate::ring::{SECTOR, around, ring, turned};

/// Some sectors of a ring.
struct Sectors {
    filling: Filling,
    cells: [u64; 3],
    sectors: u64,
}

impl Sectors {
    fn of(filling: Filling, sectors: u64) -> Sectors {
        let cells = if filling.dimension() == 2 { [6, 7, 1] } else { [4, 5, 3] };
        Sectors { filling, cells, sectors }
    }

    /// What `body` finds with walls inside and outside; along the axis the flow goes on.
    fn run<P: Probe, R: Send>(
        &self,
        ranks: usize,
        wall: &Json,
        config: &Config,
        body: impl Fn(&mut Domain, &mut P) -> R + Sync,
    ) -> Vec<R> {
        let angle = SECTOR * self.sectors as f64;
        let side = json!({ "kind": "periodic", "partner": "x_min", "angle": angle, "tolerance": 1e-3 });
        let mut conditions = vec![("x_max", side), ("y_min", wall.clone()), ("y_max", wall.clone())];
        if P::DIMENSION == 3 {
            conditions.push(("z_max", json!({ "kind": "periodic", "partner": "z_min", "tolerance": 1e-3 })));
        }
        let mesh = |comm: &Comm| ring(comm, self.filling, self.cells, self.sectors);
        on_mesh(ranks, mesh, conditions, config, body)
    }
}

fn hot() -> Json {
    json!({ "kind": "no_slip", "temperature": 1.1 })
}

/// A state that is the same in all sectors, but for its direction, and at rest at the walls.
fn wave(x: Vector) -> State {
    let (angle, r) = (x[1].atan2(x[0]), x[0].hypot(x[1]));
    let [s, c] = [(6.0 * angle).sin(), (6.0 * angle).cos()];
    let along = 0.1 * (std::f64::consts::TAU * x[2] / 0.8).sin();
    let inside = 4.0 * (r - 1.0) * (2.0 - r);
    let [u, v, w] = around(x, [0.1 * s, 0.4 + 0.1 * c, along].map(|speed| inside * speed));
    [1.0 + 0.1 * s, u, v, w, 0.7 + 0.05 * c]
}

/// A state turned by some sectors.
fn state_turned(w: State, sectors: f64) -> State {
    let [u, v, z] = turned([w[1], w[2], w[3]], sectors);
    [w[0], u, v, z, w[4]]
}

fn rows<P: Probe>(sectors: &Sectors, ranks: usize, config: &Config, steps: usize) -> States {
    // A wall's temperature that is not the gas's makes residuals of implicit steps grow, and Courant numbers fall.
    let wall = if config.scheme.is_implicit() { kind("no_slip") } else { hot() };
    let ends = sectors.run(ranks, &wall, config, |domain, flow: &mut P| {
        flow.give(domain, &wave);
        for _ in 0..steps {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        flow.positions(domain).into_iter().zip(flow.states(domain)).collect::<States>()
    });
    ends.concat()
}

fn near(a: Vector, b: Vector) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < 1e-9)
}

fn off(a: &State, b: &State) -> f64 {
    largest((0..5).map(|m| a[m] - b[m]))
}

fn is_each_of_two<P: Probe>(filling: Filling, config: &Config, bound: f64) {
    let [one, two] = [1, 2].map(|sectors| rows::<P>(&Sectors::of(filling, sectors), 2, config, 5));
    let mut found = 0;
    for (x, w) in &one {
        for back in [0.0, -1.0] {
            let (place, expected) = (turned(*x, back), state_turned(*w, back));
            for (_, other) in two.iter().filter(|(other, _)| near(*other, place)) {
                assert!(off(other, &expected) < bound, "{filling:?}, {x:?}: {other:?}, {expected:?}");
                found += 1;
            }
        }
    }
    assert!(found >= two.len(), "{found} of {}", two.len());
    assert!(one.iter().any(|(x, w)| off(w, &wave(*x)) > 1e-3), "a flow that does not change");
}

/// Without a limiter, which looks at components, nothing knows of directions.
fn viscous_unlimited() -> Config {
    Config { limiter: Limiter::None, cfl: Some(0.8), ..viscous() }
}

#[test]
fn one_sector_alone_is_each_of_two() {
    for kind in [ElementKind::Quadrilateral, ElementKind::Triangle, ElementKind::Hexahedron] {
        for scheme in [Scheme::Explicit, Scheme::Rk3] {
            let config = Config { scheme, ..viscous_unlimited() };
            in_its_dimension!(Filling::Only(kind), is_each_of_two(&config, 1e-12));
        }
    }
}

/// Linear systems are solved to rounding, at one Courant number: it follows the residual, in which copies count.
#[test]
fn one_sector_alone_is_each_of_two_by_implicit_steps() {
    let exactly = |config: Config| Config {
        linear_tolerance: 1e-13,
        linear_iterations: 300,
        limiter: Limiter::None,
        ..config
    };
    let newton = exactly(Config { scheme: Scheme::Newton, cfl: Some(1.0), cfl_max: 1.0, ..viscous() });
    let in_time =
        exactly(Config { scheme: Scheme::Bdf2, time_step: Some(0.05), inner_steps: 3, ..viscous() });
    let turbulent = exactly(Config { cfl: Some(1.0), cfl_max: 1.0, turbulence_order: 2, ..turbulent() });
    for kind in [ElementKind::Quadrilateral, ElementKind::Hexahedron] {
        in_its_dimension!(Filling::Only(kind), is_each_of_two(&newton, 1e-10));
    }
    let config = matrix_free(newton.clone());
    is_each_of_two::<space::Flow>(Filling::Only(ElementKind::Hexahedron), &config, 1e-8);
    for config in [in_time, turbulent.clone()] {
        is_each_of_two::<plane::Flow>(Filling::Only(ElementKind::Quadrilateral), &config, 1e-10);
    }
    is_each_of_two::<space::Flow>(Filling::Only(ElementKind::Hexahedron), &turbulent, 1e-10);
}

fn has_the_same_bits<P: Probe>(filling: Filling, config: &Config) {
    let sorted = |ranks: usize| {
        let rows = rows::<P>(&Sectors::of(filling, 1), ranks, config, 4);
        let mut rows: Vec<_> =
            rows.into_iter().map(|(x, w)| (x.map(f64::to_bits), w.map(f64::to_bits))).collect();
        rows.sort_unstable();
        rows
    };
    let one = sorted(1);
    for ranks in [2, 3, 5] {
        assert!(sorted(ranks) == one, "{filling:?}, {ranks} ranks");
    }
    // Copies have each other's states, turned.
    let places = || one.iter().map(|(x, w)| (x.map(f64::from_bits), w.map(f64::from_bits)));
    let mut copies = 0;
    for (x, w) in places() {
        let image = turned(x, 1.0);
        for (_, other) in places().filter(|(other, _)| near(*other, image)) {
            assert!(off(&other, &state_turned(w, 1.0)) < 1e-14, "{x:?}: {w:?}, {other:?}");
            copies += 1;
        }
    }
    assert!(copies >= 6, "{copies}");
}

#[test]
fn ranks_change_no_bit_between_turned_boundaries() {
    let explicit = Config { cfl: Some(0.8), ..viscous() };
    let newton = Config { scheme: Scheme::Newton, ..viscous() };
    for config in [&explicit, &newton, &matrix_free(newton.clone()), &turbulent()] {
        has_the_same_bits::<plane::Flow>(Filling::Only(ElementKind::Triangle), config);
    }
    for config in [&explicit, &newton] {
        has_the_same_bits::<space::Flow>(Filling::Only(ElementKind::Tetrahedron), config);
    }
    let with_levels = |config: Config| Config { coarse_levels: Some(2), ..config };
    let turbulent = with_levels(matrix_free(turbulent()));
    has_the_same_bits::<plane::Flow>(Filling::Only(ElementKind::Quadrilateral), &turbulent);
    has_the_same_bits::<space::Flow>(Filling::Only(ElementKind::Hexahedron), &with_levels(newton));
}

/// The iterations of some steps at large Courant numbers, the most levels of one, and the states after them.
fn solved<P: Probe>(sectors: &Sectors, ranks: usize, config: &Config) -> (f64, f64, Vec<(u64, State)>) {
    let ends = sectors.run(ranks, &kind("no_slip"), config, |domain, flow: &mut P| {
        flow.give(domain, &wave);
        let columns = flow.columns();
        let at = |name: &str| columns.iter().position(|column| column == name).expect("a column");
        let (iterations, levels) = (at("linear_iterations"), at("coarse_levels"));
        let (mut sum, mut most) = (0.0, 0.0f64);
        for _ in 0..4 {
            let values = flow.step(domain, true).expect("a flow that stays sound").values;
            sum += values[iterations];
            most = most.max(values[levels]);
        }
        let nodes = domain.set("nodes").unwrap();
        let ids = domain.global_ids(nodes).to_vec();
        (sum, most, ids.into_iter().zip(flow.states(domain)).collect::<Vec<_>>())
    });
    let (sum, most) = (ends[0].0, ends[0].1);
    let mut states: Vec<_> = ends.into_iter().flat_map(|end| end.2).collect();
    states.sort_by_key(|(id, _)| *id);
    (sum, most, states)
}

/// Agglomerates of both sides are copies of each other: fewer iterations to the same flow, with the same bits on any ranks.
fn levels_save_iterations<P: Probe>(filling: Filling, cells: [u64; 3], share: f64) {
    let sectors = Sectors { filling, cells, sectors: 1 };
    let config = |coarse_levels: u64, cfl: f64, linear_tolerance: f64| Config {
        scheme: Scheme::Newton,
        limiter: Limiter::None,
        cfl: Some(cfl),
        cfl_max: cfl,
        linear_tolerance,
        linear_iterations: 1000,
        coarse_levels: Some(coarse_levels),
        ..viscous()
    };
    // Steps of a length at which lines alone solve systems to rounding, too.
    let [alone, both] = [0, 3].map(|levels| solved::<P>(&sectors, 1, &config(levels, 10.0, 1e-11)));
    assert!(alone.1 == 0.0 && both.1 >= 1.0, "{} and {} levels", alone.1, both.1);
    let most = largest(alone.2.iter().zip(&both.2).map(|(a, b)| off(&a.1, &b.1)));
    assert!(most < 1e-7, "{filling:?}: {most:e}");

    let [(many, ..), (few, _, found)] =
        [0, 3].map(|levels| solved::<P>(&sectors, 1, &config(levels, 1000.0, 1e-4)));
    assert!(few < share * many, "{filling:?}: {few} of {many} iterations");
    for ranks in [2, 3] {
        let (own, _, states) = solved::<P>(&sectors, ranks, &config(3, 1000.0, 1e-4));
        assert!(own == few && states == found, "{filling:?}, {ranks} ranks");
    }
}

#[test]
fn coarse_levels_save_iterations_between_turned_boundaries() {
    levels_save_iterations::<plane::Flow>(Filling::MixedPlane, [20, 20, 1], 0.15);
    levels_save_iterations::<space::Flow>(Filling::Only(ElementKind::Tetrahedron), [9, 9, 6], 0.3);
}

#[test]
fn a_free_stream_that_a_stated_turn_changes_is_refused() {
    let filling = Filling::Only(ElementKind::Quadrilateral);
    let pair = || Periodic {
        names: ["x_max".into(), "x_min".into()],
        motion: Motion::Rotation { center: Vec::new(), axis: [0.0, 0.0, 1.0], angle: SECTOR },
        tolerance: USUAL_TOLERANCE,
    };
    for outside in ["far_field", "no_slip"] {
        let kinds = Boundaries::new(plane::Flow::FACTS.boundaries);
        let boundaries = kinds.pair(pair()).give("no_slip", ["y_min"]).give(outside, ["y_max"]);
        let mut config = viscous();
        for (name, condition) in [("y_min", "no_slip"), ("y_max", outside)] {
            let condition = serde_json::from_value(kind(condition)).expect("a condition");
            config.boundaries.insert(name.into(), condition);
        }
        Comm::simulate(3, |comm| {
            let given = Given::Elements(ring(&comm, filling, [6, 7, 1], 1));
            let levels = plane::Flow::levels(&config);
            let prepared = given.prepare(&comm, plane::Flow::FACTS.needs, &boundaries, levels);
            let found = plane::Flow::check_mesh(&comm, &prepared.expect("a dual mesh").mesh, &config);
            let what = found.map_or_else(|error| error.to_string(), |()| "nothing".into());
            let is_refused = what.contains("the free stream of the boundary \"y_max\" is not along the axis");
            assert_eq!(is_refused, outside == "far_field", "{what}");
        });
    }
}

/// The error of a free vortex, which is steady, after most of a sector has gone by.
fn error_of_a_vortex(filling: Filling, n: u64) -> f64 {
    let vortex = |x: Vector| -> State {
        let speed = 0.6 / x[0].hypot(x[1]);
        let temperature = 1.0 - 0.2 * speed * speed;
        let density = temperature.powf(2.5);
        let [u, v, _] = around(x, [0.0, speed, 0.0]);
        [density, u, v, 0.0, density * temperature / 1.4]
    };
    let config = Config {
        equations: Equations::Euler,
        scheme: Scheme::Rk3,
        end_time: Some(1.5),
        limiter: Limiter::None,
        ..Config::default()
    };
    let sectors = Sectors { filling, cells: [n, n, 1], sectors: 1 };
    let sums = sectors.run(1, &kind("slip"), &config, |domain, flow: &mut plane::Flow| {
        flow.give(domain, &vortex);
        while flow.done().is_some_and(|share| share < 1.0) {
            flow.step(domain, false).expect("a flow that stays sound");
        }
        let (x, volumes) = (flow.positions(domain), flow.volumes(domain));
        let of_node = |((x, w), volume): ((Vector, State), f64)| {
            let exact = vortex(x);
            volume * (0..5).map(|m| (w[m] - exact[m]).powi(2)).sum::<f64>()
        };
        x.into_iter().zip(flow.states(domain)).zip(volumes).map(of_node).sum::<f64>()
    });
    sums[0].sqrt()
}

#[test]
fn a_vortex_that_goes_around_has_second_order() {
    for filling in [Filling::Only(ElementKind::Triangle), Filling::Only(ElementKind::Quadrilateral)] {
        let [coarse, fine] = [16, 32].map(|n| error_of_a_vortex(filling, n));
        let order = (coarse / fine).log2();
        assert!((1.5..3.0).contains(&order), "{filling:?}: order {order:.2}: {coarse:e}, {fine:e}");
    }
}

/// The wall goes on around the axis: sides are spirals, so that from some nodes the nearest place is on the next sector's wall.
#[test]
fn distances_from_walls_look_into_the_next_sectors() {
    let sectors = Sectors::of(Filling::Only(ElementKind::Quadrilateral), 1);
    let corner = |k: usize| {
        let angle = k as f64 * (SECTOR / 6.0).to_radians();
        [angle.cos(), angle.sin()]
    };
    let segments: Vec<[[f64; 2]; 2]> = (0..36).map(|k| [corner(k), corner(k + 1)]).collect();
    let to = |[x, y, _]: Vector, [a, b]: [[f64; 2]; 2]| {
        let (d, from) = ([b[0] - a[0], b[1] - a[1]], [x - a[0], y - a[1]]);
        let along = (d[0] * from[0] + d[1] * from[1]) / (d[0] * d[0] + d[1] * d[1]);
        let along = along.clamp(0.0, 1.0);
        (from[0] - along * d[0]).hypot(from[1] - along * d[1])
    };
    for ranks in [1, 3] {
        let angle = json!({ "kind": "periodic", "partner": "x_min", "angle": SECTOR, "tolerance": 1e-3 });
        let conditions = vec![("x_max", angle), ("y_min", kind("no_slip")), ("y_max", kind("slip"))];
        let mesh = |comm: &Comm| ring(comm, sectors.filling, sectors.cells, 1);
        on_mesh(ranks, mesh, conditions, &turbulent(), |domain, flow: &mut plane::Flow| {
            let positions = flow.positions(domain);
            let distance = flow.residual.turbulence.as_ref().expect("a turbulence model").distance;
            for (x, found) in positions.iter().zip(domain.read(distance).unwrap()) {
                let expected = segments.iter().map(|segment| to(*x, *segment)).fold(f64::INFINITY, f64::min);
                assert!((found - expected).abs() < 1e-12, "{ranks} ranks, {x:?}: {found}, not {expected}");
            }
        });
    }
}
