//! Meshes of the unit square.

use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::metric::{Analytic, Curvature, Floors, Norm, Waves};
use cfd_adapt::operation::{Adapter, Balance, Bounds, MetricAt, Phase, Report};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_engine::plug::ThreadPool;

/// `n` by `n` squares, each cut by a diagonal, alternately in one and the other direction; a boundary for each side.
pub fn square(comm: &Comm, n: u64) -> Input<2> {
    let rows = [(n + 1) * (n + 1), 2 * n * n, 4 * n];
    let block = |i: usize| Blocks::new(rows[i], comm.size()).range(comm.rank());
    let at = |i: u64, j: u64| j * (n + 1) + i;
    let place = |v: u64| [(v % (n + 1)) as f64 / n as f64, (v / (n + 1)) as f64 / n as f64];
    let triangle = |e: u64| {
        let (i, j) = (e / 2 % n, e / 2 / n);
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        match (e % 2, (i + j) % 2) {
            (0, 0) => [a, b, c],
            (_, 0) => [a, c, d],
            (0, _) => [a, b, d],
            _ => [b, c, d],
        }
    };
    let side = |f: u64| {
        let i = f % n;
        match f / n {
            0 => [at(i, 0), at(i + 1, 0)],
            1 => [at(n, i), at(n, i + 1)],
            2 => [at(i, n), at(i + 1, n)],
            _ => [at(0, i), at(0, i + 1)],
        }
    };
    Input {
        rows,
        positions: block(0).map(place).collect(),
        elements: block(1).flat_map(triangle).collect(),
        facets: block(2).flat_map(side).collect(),
        tags: block(2).map(|f| 1 + (f / n) as u16).collect(),
        boundaries: ["bottom", "right", "top", "left"].map(String::from).to_vec(),
        ..Input::default()
    }
}

/// A rank's blocks of a mesh.
pub fn block_of(comm: &Comm, whole: &Input<2>) -> Input<2> {
    let [vertices, elements, facets] = whole.rows.map(|rows| {
        let own = Blocks::new(rows, comm.size()).range(comm.rank());
        own.start as usize..own.end as usize
    });
    let of = |list: &[u64], width: usize, own: std::ops::Range<usize>| {
        list[width * own.start..width * own.end].to_vec()
    };
    Input {
        positions: whole.positions[vertices].to_vec(),
        elements: of(&whole.elements, 3, elements),
        facets: of(&whole.facets, 2, facets.clone()),
        tags: whole.tags[facets].to_vec(),
        ..whole.clone()
    }
}

/// The same mesh as another program might write it: vertices, elements and facets in another order, their corners
/// rotated, some of them in the other direction.
pub fn shuffled(whole: &Input<2>, seed: u64) -> Input<2> {
    let mut draw = random(seed);
    let mut order = |rows: u64| -> Vec<usize> {
        let mut order: Vec<usize> = (0..rows as usize).collect();
        (1..order.len()).rev().for_each(|i| order.swap(i, draw(i + 1)));
        order
    };
    let [vertices, elements, facets] = whole.rows.map(&mut order);
    let mut new = vec![0; vertices.len()];
    vertices.iter().enumerate().for_each(|(to, &from)| new[from] = to as u64);
    let corners = |list: &[u64], width: usize, order: &[usize]| -> Vec<u64> {
        let turned = |(to, &from): (usize, &usize)| {
            let mut corners: Vec<u64> =
                list[width * from..width * (from + 1)].iter().map(|&c| new[c as usize]).collect();
            corners.rotate_left(to % width);
            if to % 5 == 0 {
                corners.reverse();
            }
            corners
        };
        order.iter().enumerate().flat_map(turned).collect()
    };
    Input {
        positions: vertices.iter().map(|&v| whole.positions[v]).collect(),
        elements: corners(&whole.elements, 3, &elements),
        facets: corners(&whole.facets, 2, &facets),
        tags: facets.iter().map(|&f| whole.tags[f]).collect(),
        ..whole.clone()
    }
}

pub fn mesh(comm: &Comm, n: u64) -> Mesh<2> {
    Mesh::new(comm, &square(comm, n)).expect("a mesh")
}

/// A metric to which tests adapt.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// The published benchmark's, by its formula, carried along.
    Front { eta: f64, time: f64 },
    /// By name, evaluated wherever needed.
    Named(Analytic),
    /// Sizes of `long` along a direction in degrees and `aspect` times less across it, the same everywhere, carried along.
    Stretched { long: f64, aspect: f64, direction: f64 },
}

impl Wanted {
    pub fn at(self, place: &[f64; 2]) -> Tensor<2> {
        match self {
            Wanted::Front { eta, time } => {
                let waves = Waves { time, period: 100.0 };
                let floors = Floors { absolute: 1e-3, ..Floors::default() };
                let curvature = Curvature { norm: Norm::Eta { p: 2.0, eta, epsilon: 0.0 }, floors };
                curvature.metric_at(&waves.hessian(place)).expect("a metric of a place")
            }
            Wanted::Named(analytic) => analytic.at(place),
            Wanted::Stretched { long, aspect, direction } => stretched(long, aspect, direction),
        }
    }
}

fn stretched(long: f64, aspect: f64, direction: f64) -> Tensor<2> {
    let angle = direction * std::f64::consts::PI / 180.0;
    let (sin, cos) = (same_math::sin(angle), same_math::cos(angle));
    let [along, across] = [long, long / aspect].map(|h| 1.0 / (h * h));
    let mixed = (along - across) * (sin * cos);
    Tensor([
        [along * (cos * cos) + across * (sin * sin), mixed],
        [mixed, along * (sin * sin) + across * (cos * cos)],
    ])
}

/// Adapts once; after every pass, checks everything that must hold.
pub fn adapt(mesh: &mut Mesh<2>, wanted: Wanted, threads: usize, bounds: Bounds) -> Report {
    adapt_balanced(mesh, wanted, threads, bounds, None)
}

pub fn adapt_balanced(
    mesh: &mut Mesh<2>,
    wanted: Wanted,
    threads: usize,
    bounds: Bounds,
    balance: Option<Balance>,
) -> Report {
    mesh.set_metric_at(|place| wanted.at(place));
    let pool = ThreadPool::new(threads);
    let formula = |place: &[f64; 2]| wanted.at(place);
    let metric = match wanted {
        Wanted::Front { .. } | Wanted::Stretched { .. } => MetricAt::Carried,
        Wanted::Named(_) => MetricAt::Given(&formula),
    };
    let adapter = Adapter { bounds, metric, pool: &pool, balance, most: None };
    adapter.adapt(mesh, check).expect("it can be adapted")
}

/// Everything that must hold after a pass.
pub fn check(mesh: &Mesh<2>, phase: Phase) {
    if let Err(defect) = mesh.check() {
        panic!("after {phase:?}: {defect}");
    }
    assert!((mesh.measure() - 1.0).abs() <= 1e-12, "after {phase:?} the area is {:e}", mesh.measure());
    let perimeter = perimeter(mesh);
    assert!((perimeter - 4.0).abs() <= 1e-12, "after {phase:?} the perimeter is {perimeter:e}");
}

pub fn perimeter(mesh: &Mesh<2>) -> f64 {
    let local = mesh.local();
    let edges = local.own_elements().flat_map(|e| {
        let (corners, tags) = (local.elements().corners(e), local.elements().tags(e));
        (0..3).filter(|&i| tags[i] != 0).map(|i| {
            let [a, b] = [corners[(i + 1) % 3], corners[(i + 2) % 3]].map(|c| *local.vertices().position(c));
            (b[0] - a[0]).hypot(b[1] - a[1])
        })
    });
    mesh.exact_sum(edges.collect::<Vec<f64>>().into_iter())
}

/// Least and mean quality.
pub fn quality(mesh: &Mesh<2>) -> [f64; 2] {
    let local = mesh.local();
    let qualities: Vec<f64> = local.own_elements().map(|e| local.quality(e)).collect();
    let least = qualities.iter().copied().fold(f64::INFINITY, f64::min);
    // Qualities are positive, so their bits have the same order.
    let least = f64::from_bits(!mesh.comm().max(!least.to_bits()));
    [least, mesh.exact_sum(qualities.into_iter()) / mesh.counts()[1] as f64]
}

/// Lengths of the edges of this rank's elements; inner edges count twice.
pub fn lengths(mesh: &Mesh<2>) -> Vec<f64> {
    let local = mesh.local();
    let edges = local.own_elements().flat_map(|e| {
        let corners = local.elements().corners(e);
        (0..3).map(|i| local.length(corners[i], corners[(i + 1) % 3]))
    });
    edges.collect()
}

/// The hash of the mesh in canonical order.
pub fn hash(mesh: &Mesh<2>) -> String {
    cfd_io::mesh_hash(mesh.comm(), &mesh.canonical().mesh).to_string()
}

/// Random numbers that are the same everywhere: SplitMix64.
pub fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below as u64) as usize
    }
}
