use std::collections::HashMap;

use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;

use crate::random::{CASES, Random};

/// Triangles of a mesh.
const TRIANGLES: usize = 5_000;

/// A triangle that is not inverted, with edges of very different lengths.
fn triangle(random: &mut Random) -> [[f64; 2]; 3] {
    let (long, thin) = (random.uniform(0.1, 10.0), 10f64.powf(random.uniform(-6.0, 0.5)));
    let [along, across] = random.frame::<2>();
    let origin: [f64; 2] = random.vector();
    let at = |s: f64, t: f64| [0, 1].map(|i| origin[i] + long * (s * along[i] + thin * t * across[i]));
    let corners = [at(0.0, 0.0), at(1.0, 0.0), at(random.uniform(-0.5, 1.5), 1.0)];
    let [a, b, c] = corners;
    let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if twice_area > 0.0 { corners } else { [a, c, b] }
}

fn bits(place: &[f64; 2]) -> [u64; 2] {
    place.map(f64::to_bits)
}

/// Triangles with nothing in common, the corners of each rotated by `turn`.
fn scattered(triangles: &[[[f64; 2]; 3]], turn: usize) -> Input<2> {
    let count = triangles.len() as u64;
    let sides = (0..count).flat_map(|t| [[0, 1], [1, 2], [2, 0]].map(|side| side.map(|c| 3 * t + c)));
    Input {
        rows: [3 * count, count, 3 * count],
        positions: triangles.as_flattened().to_vec(),
        elements: (0..count).flat_map(|t| [0, 1, 2].map(|c| 3 * t + (c + turn as u64) % 3)).collect(),
        facets: sides.flatten().collect(),
        tags: vec![1; 3 * triangles.len()],
        boundaries: vec!["side".into()],
        ..Input::default()
    }
}

#[test]
fn the_three_orders_of_a_triangles_corners_give_the_same_bits() {
    let mut random = Random(12);
    for _ in 0..CASES.div_ceil(TRIANGLES) {
        let triangles: Vec<_> = (0..TRIANGLES).map(|_| triangle(&mut random)).collect();
        let metrics: Vec<Tensor<2>> = (0..3 * TRIANGLES).map(|_| random.metric(1e6)).collect();
        let places = triangles.as_flattened().iter().map(bits);
        let metric_of: HashMap<[u64; 2], Tensor<2>> = places.zip(metrics).collect();
        let qualities = [0, 1, 2].map(|turn| {
            let mut mesh = Mesh::new(&Comm::single(), &scattered(&triangles, turn)).expect("a mesh");
            mesh.set_metric_at(|place| metric_of[&bits(place)]);
            let local = mesh.local();
            let place =
                |e| local.elements().corners(e).iter().map(|&c| bits(local.vertices().position(c))).min();
            let mut qualities: Vec<_> =
                local.own_elements().map(|e| (place(e), local.quality(e).to_bits())).collect();
            qualities.sort_unstable();
            qualities
        });
        assert_eq!(qualities[0].len(), TRIANGLES);
        assert_eq!(qualities[0], qualities[1]);
        assert_eq!(qualities[0], qualities[2]);
    }
}
