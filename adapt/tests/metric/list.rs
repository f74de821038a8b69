use cfd_adapt::metric::{MetricError, from_list};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;

use crate::mesh::{Part, Whole};

fn with(v: usize, m: [[f64; 2]; 2]) -> Vec<f64> {
    let mut all = vec![Tensor::diagonal([2.0, 3.0]); 9];
    all[v] = Tensor(m);
    all.iter().flat_map(|m| m.0.into_iter().flatten()).collect()
}

#[test]
fn what_is_no_metric_is_refused_with_the_vertex_and_the_reason() {
    let mut whole = Whole::<2>::boxes(2, 0.0);
    whole.identities = (10..19).collect();
    let part = whole.single();
    let message = |m| from_list(&part, &with(5, m)).unwrap_err().to_string();
    assert_eq!(
        message([[1.0, 0.5], [0.25, 1.0]]),
        "vertex 15 at (1, 0.5): the metric is not symmetric: 0.5 in row 1, column 2, but 0.25 in row 2, column 1"
    );
    assert_eq!(
        message([[1.0, 2.0], [2.0, 1.0]]),
        "vertex 15 at (1, 0.5): the metric [[1.0, 2.0], [2.0, 1.0]] is not positive definite: \
         its least eigenvalue is -1e0"
    );
    assert_eq!(
        message([[f64::NAN, 0.0], [0.0, 1.0]]),
        "vertex 15 at (1, 0.5): the metric [[NaN, 0.0], [0.0, 1.0]] has an entry that is not finite"
    );
    assert_eq!(
        message([[1e160, 0.0], [0.0, 1.0]]),
        "vertex 15 at (1, 0.5): the metric [[1e160, 0.0], [0.0, 1.0]] has the entry 1e160; expected at most 1e150, which \
         stands for a size of 1e-75"
    );
    assert!(message([[0.0; 2]; 2]).contains("not positive definite"));
    assert_eq!(
        from_list(&part, &[1.0; 27]).unwrap_err().to_string(),
        "metric: 27 values for 9 vertices; expected 4 for each, 36"
    );
    assert_eq!(from_list(&part, &with(5, [[4.0, 1.0], [1.0, 4.0]])).unwrap()[5].0[0][1], 1.0);
}

#[test]
fn all_ranks_name_the_faulty_vertex_of_the_least_identity() {
    let whole = Whole::<2>::boxes(4, 0.0);
    let owners: Vec<u32> = (0..25).map(|v| 2 - v % 3).collect();
    let least = (0..25).filter(|v| v % 2 == 0).map(|v| whole.identities[v]).min().unwrap();
    let errors = Comm::simulate(3, |comm| {
        let part = Part::new(&whole, comm, &owners, 4);
        let bad = |v: &u32| if v.is_multiple_of(2) { [1.0, 2.0, 2.0, 1.0] } else { [1.0, 0.0, 0.0, 1.0] };
        let entries: Vec<f64> = part.global.iter().flat_map(bad).collect();
        from_list(&part, &entries).unwrap_err()
    });
    for error in errors {
        assert!(matches!(&error, MetricError::Vertex { identity, .. } if *identity == least), "{error}");
        assert!(error.to_string().starts_with(&format!("vertex {least:032x} at (")), "{error}");
    }
}
