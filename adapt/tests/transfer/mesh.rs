use cfd_adapt::geometry::Point;
use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_adapt::transfer::{Conserve, Order, Rule};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_engine::plug::ThreadPool;

/// Divisions per side of the meshes to be adapted.
pub const DIVISIONS: u64 = 10;

pub const FIRST: Rule = Rule { order: Order::First, conserve: Conserve::Rounding };
pub const SECOND: Rule = Rule { order: Order::Second, conserve: Conserve::Rounding };
pub const FIRST_EXACT: Rule = Rule { order: Order::First, conserve: Conserve::Exact };
pub const SECOND_EXACT: Rule = Rule { order: Order::Second, conserve: Conserve::Exact };

/// The unit square with its right side leaning to the left, so that a boundary is oblique: n divisions per side, whose
/// squares are cut in two along alternating diagonals.
pub fn square(comm: &Comm, n: u64) -> Input<2> {
    let rows = [(n + 1) * (n + 1), 2 * n * n, 4 * n];
    let block = |i: usize| Blocks::new(rows[i], comm.size()).range(comm.rank());
    let at = |i: u64, j: u64| j * (n + 1) + i;
    let part = |i: u64| i as f64 / n as f64;
    let position = |v: u64| {
        let y = part(v / (n + 1));
        [part(v % (n + 1)) * (1.0 - 0.3 * y), y]
    };
    let element = |e: u64| {
        let (i, j, k) = (e / 2 % n, e / 2 / n, e % 2);
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
        match (k, (i + j) % 2) {
            (0, 0) => [a, b, c],
            (_, 0) => [a, c, d],
            (0, _) => [a, b, d],
            _ => [b, c, d],
        }
    };
    let facet = |f: u64| match (f / n, f % n) {
        (0, i) => [at(i, 0), at(i + 1, 0)],
        (1, i) => [at(n, i), at(n, i + 1)],
        (2, i) => [at(i, n), at(i + 1, n)],
        (_, i) => [at(0, i), at(0, i + 1)],
    };
    Input {
        rows,
        positions: block(0).map(position).collect(),
        elements: block(1).flat_map(element).collect(),
        facets: block(2).flat_map(facet).collect(),
        tags: block(2).map(|f| 1 + (f / n) as u16).collect(),
        boundaries: ["bottom", "right", "top", "left"].map(String::from).to_vec(),
        ..Input::default()
    }
}

/// Alternating metrics: small sizes across a line, large ones along it.
pub fn metric(turn: usize, p: &Point<2>) -> Tensor<2> {
    let (x, y) = if turn.is_multiple_of(2) { (p[0], p[1]) } else { (p[1], p[0]) };
    let away = x - 0.2 - 0.6 * y;
    let (across, along) = (0.015 + 0.3 * away.abs(), 0.09);
    // The normal of the line, not normalised: its square is 1.36.
    let n = [1.0, -0.6];
    let (strong, weak) = (1.0 / (across * across), 1.0 / (along * along));
    let part = |i: usize, j: usize| {
        let unit = if i == j { weak } else { 0.0 };
        unit + (strong - weak).max(0.0) * n[i] * n[j] / 1.36
    };
    let m = [[part(0, 0), part(0, 1)], [part(1, 0), part(1, 1)]];
    if turn.is_multiple_of(2) { Tensor(m) } else { Tensor([[m[1][1], m[1][0]], [m[0][1], m[0][0]]]) }
}

/// The start of all tests.
pub fn start(comm: &Comm) -> Mesh<2> {
    Mesh::new(comm, &square(comm, DIVISIONS)).expect("it can be adapted")
}

/// Adapts the mesh to the metric of a turn; at new positions the metric is interpolated, or every third time the
/// formula's.
pub fn adapt(mesh: &mut Mesh<2>, turn: usize, threads: usize) {
    mesh.set_metric_at(|p| metric(turn, p));
    let pool = ThreadPool::new(threads);
    let bounds = Bounds { passes: 6, laplacian: 4, optimisation: 4, ..Bounds::default() };
    let given = |p: &Point<2>| metric(turn, p);
    let metric = if turn % 3 == 2 { MetricAt::Given(&given) } else { MetricAt::Carried };
    let adapter = Adapter { bounds, metric, pool: &pool, balance: None, most: None };
    let report = adapter.adapt(mesh, |mesh, phase| {
        if let Err(defect) = mesh.check() {
            panic!("after {phase:?}: {defect}");
        }
    });
    let report = report.expect("nothing is too thin");
    assert!(report.total.collapses > 20 && report.total.splits > 20, "{:?}", report.total);
    assert!(report.total.swaps > 10 && report.total.moves > 100, "{:?}", report.total);
}

/// Values of a function at vertices, by local number.
pub fn at_vertices<const N: usize>(mesh: &Mesh<2>, f: impl Fn(&Point<2>) -> [f64; N]) -> Vec<f64> {
    let vertices = mesh.local().vertices();
    (0..vertices.len() as u32).flat_map(|v| f(vertices.position(v))).collect()
}

/// Values of a function at centroids of elements, by local number.
pub fn at_centroids<const N: usize>(mesh: &Mesh<2>, f: impl Fn(&Point<2>) -> [f64; N]) -> Vec<f64> {
    let (vertices, elements) = (mesh.local().vertices(), mesh.local().elements());
    let value = |e: u32| {
        if !elements.is_alive(e) {
            return [0.0; N];
        }
        let [a, b, c] = [0, 1, 2].map(|i| *vertices.position(elements.corners(e)[i]));
        f(&[(a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0])
    };
    (0..elements.len() as u32).flat_map(value).collect()
}

/// The largest difference of values at this rank's elements.
pub fn largest_difference(mesh: &Mesh<2>, one: &[f64], other: &[f64], dim: usize) -> f64 {
    let own = mesh.local().own_elements().flat_map(|e| e as usize * dim..(e as usize + 1) * dim);
    own.map(|i| (one[i] - other[i]).abs()).fold(0.0, f64::max)
}

/// Assigns each vertex to a rank by its position.
pub fn scatter(mesh: &mut Mesh<2>, seed: u64) {
    let ranks = mesh.comm().size() as u64;
    let places: Vec<[f64; 2]> = {
        let vertices = mesh.local().vertices();
        (0..vertices.len() as u32).map(|v| *vertices.position(v)).collect()
    };
    let owner = |v: u32| {
        // Stripes whose width and direction depend on the seed: no rank's part is connected.
        let [x, y] = places[v as usize];
        let along = if seed.is_multiple_of(2) { x + 0.3 * y } else { y - 0.2 * x };
        ((along + 1.0) * (7 + seed % 5) as f64) as u64
    };
    mesh.migrate(|v| ((owner(v) + seed) % ranks) as usize);
}
