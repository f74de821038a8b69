use cfd_adapt::geometry::{Point, between};
use cfd_adapt::mesh::Input;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use robust::{Coord, incircle, orient2d};

/// Corners of the domain; no side is parallel to an axis, so points on a side lie on a line only up to rounding.
const CORNERS: [Point<2>; 4] = [[0.1, 0.07], [1.03, 0.21], [0.88, 1.13], [-0.09, 0.96]];

/// Corners of a triangle far around the domain.
const AROUND: [Point<2>; 3] = [[-1e4, -1e4], [1e4, -1e4], [0.0, 1e4]];

type Triangle = [usize; 3];

/// SplitMix64, as a number from 0 to 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn coord(p: &Point<2>) -> Coord<f64> {
    Coord { x: p[0], y: p[1] }
}

/// Random points: `n` on each side without its end, then about `n * n / 2` inside, none close to another. Those on sides
/// are up to `off` beside them.
fn points(seed: u64, n: usize, off: f64) -> Vec<Point<2>> {
    let mut random = random(seed);
    let mut points = Vec::new();
    for side in 0..4 {
        for i in 0..n {
            let mut around = || 2.0 * random() - 1.0;
            let t = if i == 0 { 0.0 } else { (i as f64 + 0.3 * around()) / n as f64 };
            let [x, y] = between(&CORNERS[side], &CORNERS[(side + 1) % 4], t);
            points.push([x + off * around(), y + off * around()]);
        }
    }
    let least = 0.6 / n as f64;
    for _ in 0..8 * n * n {
        let p = [1.2 * random() - 0.1, 1.2 * random()];
        // The sides have a length of about 1: twice the area is about the distance.
        let inside =
            (0..4).all(|i| orient2d(coord(&CORNERS[i]), coord(&CORNERS[(i + 1) % 4]), coord(&p)) > least);
        if inside && points.iter().all(|q| (p[0] - q[0]).hypot(p[1] - q[1]) > least) {
            points.push(p);
        }
    }
    points
}

/// The Delaunay triangulation of points, one after the other (Bowyer 1981, doi:10.1093/comjnl/24.2.162).
fn delaunay(points: &[Point<2>]) -> Vec<Triangle> {
    let n = points.len();
    let all: Vec<Point<2>> = points.iter().copied().chain(AROUND).collect();
    let mut triangles: Vec<Triangle> = vec![[n, n + 1, n + 2]];
    for (p, point) in points.iter().enumerate() {
        let holds = |t: &Triangle| {
            let [a, b, c] = t.map(|v| coord(&all[v]));
            incircle(a, b, c, coord(point)) > 0.0
        };
        let (gone, mut left): (Vec<Triangle>, Vec<Triangle>) = triangles.into_iter().partition(holds);
        let edges: Vec<[usize; 2]> = gone.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        left.extend(edges.iter().filter(|&&[a, b]| !edges.contains(&[b, a])).map(|&[a, b]| [a, b, p]));
        triangles = left;
    }
    triangles.retain(|t| t.iter().all(|&v| v < n));
    triangles
}

/// How far the points of a mesh are off the sides.
pub fn off(seed: u64) -> f64 {
    if seed.is_multiple_of(2) { 0.0 } else { 1e-12 }
}

/// A quadrilateral cut into random triangles, its four sides a boundary each. The points along a side are on its line only
/// up to rounding, and in every other mesh up to 1e-12, as a mesh generator places them.
pub fn mesh(comm: &Comm, seed: u64, n: usize) -> Input<2> {
    let places = points(seed, n, off(seed));
    let mut triangles = delaunay(&places);
    // Along a side, the points leave triangles of hardly any height.
    let facet = |a: usize| [a, (a + 1) % (4 * n)];
    let is_on = |side: usize, v: usize| v < 4 * n && (v / n == side || v == (side + 1) * n % (4 * n));
    triangles.retain(|t| !(0..4).any(|side| t.iter().all(|&v| is_on(side, v))));
    let rows = [places.len(), triangles.len(), 4 * n].map(|count| count as u64);
    let block = |i: usize| {
        let range = Blocks::new(rows[i], comm.size()).range(comm.rank());
        range.start as usize..range.end as usize
    };
    let number = |v: usize| v as u64;
    Input {
        rows,
        positions: places[block(0)].to_vec(),
        elements: triangles[block(1)].iter().flatten().copied().map(number).collect(),
        facets: block(2).flat_map(facet).map(number).collect(),
        tags: block(2).map(|f| 1 + (f / n) as u16).collect(),
        boundaries: ["bottom", "right", "top", "left"].map(String::from).to_vec(),
        ..Input::default()
    }
}
