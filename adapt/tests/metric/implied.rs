use cfd_adapt::metric::{MetricError, implied};

use crate::mesh::Whole;

/// Every element of the boxes has the same shape and size.
#[test]
fn a_mesh_of_like_elements_has_one_metric() {
    for [a, b] in [[1.0, 1.0], [0.01, 3.0]] {
        let mut whole = Whole::<2>::boxes(3, 0.0);
        whole.positions.iter_mut().for_each(|p| *p = [a * p[0] + 0.5 * b * p[1], b * p[1]]);
        let metrics = implied(&whole.single()).expect("a metric");
        // The edges of an element: (a, 0), (b/2, b) and their sum, of thirds of boxes.
        let edges = [[a, 0.0], [0.5 * b, b], [a + 0.5 * b, b]].map(|e| e.map(|c| c / 3.0));
        for metric in metrics {
            // D edges of unit length in D dimensions, on average.
            let sum: f64 = edges.iter().map(|e| metric.quadratic(e)).sum();
            assert!((sum / 3.0 - 1.0).abs() < 1e-9, "{sum}");
        }
    }
}

#[test]
fn the_metric_of_an_equilateral_triangle_is_its_size_and_one_without_area_has_none() {
    let mut whole = Whole::<2> {
        positions: vec![[0.0, 0.0], [0.2, 0.0], [0.1, 0.1 * 3f64.sqrt()]],
        identities: vec![5, 3, 9],
        elements: vec![vec![0, 1, 2]],
    };
    for metric in implied(&whole.single()).expect("a metric") {
        let [[xx, xy], [yx, yy]] = metric.0;
        assert!((xx - 25.0).abs() < 1e-12 && (yy - 25.0).abs() < 1e-12 && xy == yx && xy.abs() < 1e-12);
    }
    whole.positions[2] = [0.1, 0.0];
    assert!(matches!(implied(&whole.single()), Err(MetricError::Vertex { .. })));
}
