//! Periodic boundaries.

use cfd_adapt::mesh::{Input, Mesh, Paired, Sides, number_of};
use cfd_adapt::metric::Analytic;
use cfd_adapt::operation::{AdaptError, Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;
use cfd_mesh::{Motion, Periodic, USUAL_TOLERANCE};
use cfd_partition::{Method, Options};

use crate::square::{Wanted, adapt, hash, lengths, quality, random, square};

const BOTTOM: u16 = 1;
const RIGHT: u16 = 2;
const TOP: u16 = 3;
const LEFT: u16 = 4;

fn pair(numbers: [u16; 2], motion: Motion) -> Paired {
    let names = numbers.map(|number| ["bottom", "right", "top", "left"][usize::from(number) - 1].to_string());
    Paired {
        given: Periodic { names, motion, tolerance: USUAL_TOLERANCE },
        numbers: numbers.map(|number| vec![number]),
    }
}

/// Pairs of opposite sides of the square.
fn opposite() -> Vec<Paired> {
    let moved = || Motion::Translation(None);
    vec![pair([LEFT, RIGHT], moved()), pair([BOTTOM, TOP], moved())]
}

fn paired(comm: &Comm, input: &Input<2>, pairs: Vec<Paired>) -> Mesh<2> {
    Mesh::with_sides(comm, input, &Sides::default().with_pairs(pairs)).expect("a mesh")
}

/// The vertices on a boundary, in ascending order, on all ranks.
fn on(mesh: &Mesh<2>, number: u16) -> Vec<[f64; 2]> {
    let (local, mut found) = (mesh.local(), Vec::new());
    for e in local.own_elements() {
        let (corners, tags) = (local.elements().corners(e), local.elements().tags(e));
        for i in (0..3).filter(|&i| number_of(tags[i]) == number) {
            let ends = [corners[(i + 1) % 3], corners[(i + 2) % 3]];
            found.extend(ends.map(|v| *local.vertices().position(v)));
        }
    }
    let mut found = mesh.comm().all_gather(&found).concat();
    found.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
    found.dedup();
    found
}

const WANTED: [Wanted; 5] = [
    Wanted::Front { eta: 0.05, time: 0.0 },
    Wanted::Front { eta: 0.02, time: 13.0 },
    Wanted::Stretched { long: 0.4, aspect: 10.0, direction: 20.0 },
    Wanted::Stretched { long: 0.5, aspect: 300.0, direction: 45.0 },
    Wanted::Stretched { long: 0.7, aspect: 1.0, direction: 0.0 },
];

/// The hash of the adapted square and the vertices on its four sides.
fn adapted(
    wanted: Wanted,
    shape: fn(&mut Input<2>),
    ranks: usize,
    threads: usize,
    method: Option<Method>,
) -> (String, [Vec<[f64; 2]>; 4], [f64; 2]) {
    let all = Comm::simulate(ranks, |comm| {
        let mut input = square(&comm, 12);
        shape(&mut input);
        let mut mesh = paired(&comm, &input, opposite());
        if let Some(method) = &method {
            mesh.balance(&Options { method: method.clone(), ..Options::default() }).expect("parts");
        }
        if ranks == 1 {
            mesh.shuffle(random(3));
        }
        // The second time, most vertices stay where they are.
        for _ in 0..2 {
            adapt(&mut mesh, wanted, threads, Bounds::default());
        }
        (hash(&mesh), [BOTTOM, RIGHT, TOP, LEFT].map(|number| on(&mesh, number)), quality(&mesh))
    });
    all.into_iter().next().expect("a rank")
}

fn as_it_is(_: &mut Input<2>) {}

/// Vertices on the right and on the top are where none is on the other side.
fn uneven(input: &mut Input<2>) {
    for p in &mut input.positions {
        for (along, across) in [(0, 1), (1, 0)] {
            if p[across] == 1.0 {
                p[along] = p[along].powf(1.2);
            }
        }
    }
}

/// Both sides of each pair, without what differs between them.
fn sides([bottom, right, top, left]: [Vec<[f64; 2]>; 4]) -> [[Vec<u64>; 2]; 2] {
    let along = |side: Vec<[f64; 2]>, k: usize, at: f64| -> Vec<u64> {
        assert!(side.iter().all(|p| p[1 - k] == at), "a side that bends: {side:?}");
        let mut bits: Vec<u64> = side.iter().map(|p| p[k].to_bits()).collect();
        bits.sort_unstable();
        bits
    };
    [[along(left, 1, 0.0), along(right, 1, 1.0)], [along(bottom, 0, 0.0), along(top, 0, 1.0)]]
}

#[test]
fn opposite_sides_have_their_vertices_at_the_same_places() {
    for wanted in WANTED
        .into_iter()
        .chain(["radial", "linear-fine"].map(|name| Wanted::Named(name.parse::<Analytic>().expect("a name"))))
    {
        let (_, found, [worst, mean]) = adapted(wanted, as_it_is, 1, 1, None);
        for [one, other] in sides(found) {
            assert_eq!(one, other, "{wanted:?}");
        }
        let least =
            if matches!(wanted, Wanted::Stretched { aspect, .. } if aspect > 100.0) { 0.0 } else { 0.3 };
        assert!(worst > least && mean > 0.7, "{wanted:?}: quality {worst}, {mean}");
    }
}

#[test]
fn sides_that_differ_at_first_match_in_the_end() {
    for wanted in WANTED {
        let (_, found, _) = adapted(wanted, uneven, 1, 1, None);
        for [one, other] in sides(found) {
            let near = |(a, b): (&u64, &u64)| (f64::from_bits(*a) - f64::from_bits(*b)).abs() < 1e-12;
            assert!(one.len() == other.len() && one.iter().zip(&other).all(near), "{wanted:?}");
        }
    }
}

#[test]
fn periodic_boundaries_give_one_mesh_everywhere() {
    for (wanted, shape) in WANTED.into_iter().zip([as_it_is, uneven].into_iter().cycle()) {
        let (one, ..) = adapted(wanted, shape, 1, 1, None);
        let points = [
            (1, 3, None),
            (2, 1, Some(Method::Rcb)),
            (3, 2, Some(Method::Random)),
            (6, 1, None),
            (16, 1, Some(Method::Metis)),
        ];
        for (ranks, threads, method) in points {
            let here = format!("{wanted:?} on {ranks} ranks, {threads} threads, {method:?}");
            assert_eq!(adapted(wanted, shape, ranks, threads, method).0, one, "{here}");
        }
    }
}

/// The square bent into a sector of a ring of radii 1 and 2: the top is the bottom, turned.
fn sector(comm: &Comm, n: u64, angle: f64) -> Input<2> {
    let mut input = square(comm, n);
    for p in &mut input.positions {
        let (r, turn) = (1.0 + p[0], p[1] * angle);
        *p = [r * same_math::cos(turn), r * same_math::sin(turn)];
    }
    input
}

fn adapt_within(mesh: &mut Mesh<2>, at: impl Fn(&[f64; 2]) -> Tensor<2>) -> Result<(), AdaptError> {
    mesh.set_metric_at(at);
    let pool = ThreadPool::new(1);
    let (bounds, metric) = (Bounds::default(), MetricAt::Carried);
    let adapter = Adapter { bounds, metric, pool: &pool, balance: None, most: None };
    adapter
        .adapt(mesh, |mesh, phase| mesh.check().unwrap_or_else(|defect| panic!("{phase:?}: {defect}")))
        .map(drop)
}

#[test]
fn a_turned_boundary_has_its_vertices_where_they_go() {
    let degrees = 40.0f64;
    let angle = degrees.to_radians();
    let hashes = [1, 4].map(|ranks| {
        let all = Comm::simulate(ranks, |comm| {
            let motion = Motion::Rotation { center: vec![0.0, 0.0], axis: [0.0, 0.0, 1.0], angle: degrees };
            let mut mesh = paired(&comm, &sector(&comm, 8, angle), vec![pair([BOTTOM, TOP], motion)]);
            // Sizes along and across the radius: the same on both sides only if directions turn with the boundary.
            let (along, across) = (1.0 / (0.03f64 * 0.03), 1.0 / (0.2f64 * 0.2));
            let at = |p: &[f64; 2]| {
                let r = (p[0] * p[0] + p[1] * p[1]).sqrt();
                let [x, y] = [p[0] / r, p[1] / r];
                let mixed = (along - across) * x * y;
                Tensor([[along * x * x + across * y * y, mixed], [mixed, along * y * y + across * x * x]])
            };
            adapt_within(&mut mesh, at).expect("it can be adapted");
            let (bottom, top) = (on(&mesh, BOTTOM), on(&mesh, TOP));
            // 1 / 0.03 = 33 sides.
            assert_eq!([bottom.len(), top.len()], [34, 34]);
            let (sin, cos) = (same_math::sin(angle), same_math::cos(angle));
            for [x, y] in bottom {
                let goes = [cos * x - sin * y, sin * x + cos * y];
                let off =
                    top.iter().map(|p| (p[0] - goes[0]).hypot(p[1] - goes[1])).fold(f64::INFINITY, f64::min);
                assert!(off < 1e-14, "{x}, {y}: {off:e}");
            }
            assert!(quality(&mesh)[1] > 0.85 && lengths(&mesh).iter().all(|length| *length < 1.8));
            hash(&mesh)
        });
        all[0].clone()
    });
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn boundaries_that_do_not_go_onto_each_other_are_refused() {
    let refused = |input: fn(&Comm) -> Input<2>, pair: Paired, words: &str| {
        for ranks in [1, 3] {
            let errors = Comm::simulate(ranks, |comm| {
                let mut mesh = paired(&comm, &input(&comm), vec![pair.clone()]);
                adapt_within(&mut mesh, |_| Tensor([[100.0, 0.0], [0.0, 100.0]])).expect_err("they do not")
            });
            let message = errors[0].to_string();
            assert!(
                message.starts_with("the periodic boundaries \"") && message.contains(words),
                "{message}"
            );
            assert!(errors.iter().all(|error| error == &errors[0]));
        }
    };
    let moved = || Motion::Translation(None);
    let by = |x: f64| Motion::Translation(Some(vec![x, 0.0]));
    let whole = |comm: &Comm| square(comm, 4);
    refused(whole, pair([LEFT, TOP], moved()), "has no ends within");
    refused(whole, pair([LEFT, RIGHT], by(0.9)), "has no ends within");
    let closed = |comm: &Comm| {
        let mut input = square(comm, 4);
        input.tags.fill(LEFT);
        input
    };
    refused(closed, pair([LEFT, RIGHT], moved()), "closed");
    // The left side lacks its middle.
    let parted = |comm: &Comm| {
        let mut input = square(comm, 4);
        let blocks = cfd_engine::mesh::Blocks::new(input.rows[2], comm.size()).range(comm.rank());
        for (tag, facet) in input.tags.iter_mut().zip(blocks) {
            if facet == 13 {
                *tag = TOP;
            }
        }
        input
    };
    refused(parted, pair([LEFT, RIGHT], moved()), "the first has 2 parts, the second 1");
}
