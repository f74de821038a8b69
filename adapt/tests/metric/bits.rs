use cfd_adapt::metric::{
    Curvature, Floors, Limits, Measure, MetricAt, Norm, Recovery, Wanted, from_list, gradate, hessian,
    intersect_all, reach,
};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;

use crate::mesh::{Part, Whole, hash};

/// Bits of everything computed on a mesh, by vertex of the whole mesh.
fn everything<const D: usize>(whole: &Whole<D>, part: &Part<D>) -> Vec<(u32, Vec<u64>)> {
    let field = whole.on(part, |x| same_math::sin(3.0 * x[0] + x[D - 1]) + 0.3 * x[1] * x[1] * x[D - 1]);
    let squares = hessian(part, &field, Recovery::LeastSquares).unwrap();
    let projected = hessian(part, &field, Recovery::Projection).unwrap();
    let norm = Norm::Complexity { p: 2.0, complexity: 300.0 };
    let lp = Curvature { norm, floors: Floors::default() }.metric(part, &squares).unwrap();
    let norm = Norm::Eta { p: 2.0, eta: 1e-2, epsilon: 1e-9 };
    // A floor above many eigenvalues.
    let eta = Curvature { norm, floors: Floors { relative: 0.3, ..Floors::default() } }
        .metric(part, &projected)
        .unwrap();
    let limits = Limits { h_min: 0.02, h_max: 0.4, aspect_ratio: 10.0 };
    let both = intersect_all(&[&lp, &eta]);
    let graded = gradate(part, &both, 1.3, &limits).unwrap();
    let wanted = Wanted { complexity: Some(500.0), limits, beta: Some(1.5) };
    let reached = reach(part, &lp, &wanted).unwrap();
    let complexity = Measure::new(part).complexity(part, &reached.metrics, MetricAt::Carried);
    assert!(graded.settled && reached.reached && complexity == reached.complexity);
    let flat: Vec<f64> = lp.iter().flat_map(|m| m.0.into_iter().flatten()).collect();
    assert_eq!(from_list(part, &flat).unwrap(), lp);

    let all = [squares, projected, lp, eta, both, graded.metrics, reached.metrics];
    // Ghosts have their owners' values.
    for tensors in &all {
        let mut updated = tensors.clone();
        cfd_adapt::metric::View::update_ghosts(part, &mut updated);
        assert_eq!(bits(&updated), bits(tensors));
    }
    let of = |v: usize| {
        let counts = [complexity.to_bits(), graded.sweeps as u64, reached.rounds as u64];
        all.iter().flat_map(|t| bits(&t[v..=v])).chain(counts).collect()
    };
    let values: Vec<Vec<u64>> = (0..part.global.len()).map(of).collect();
    let numbers: Vec<usize> = (0..values.len()).collect();
    part.owned_values(&numbers).into_iter().map(|(v, l)| (v, values[l].clone())).collect()
}

fn bits<const D: usize>(tensors: &[Tensor<D>]) -> Vec<u64> {
    tensors.iter().flat_map(|m| m.0.into_iter().flatten()).map(f64::to_bits).collect()
}

fn by_vertex(mut parts: Vec<(u32, Vec<u64>)>) -> Vec<(u32, Vec<u64>)> {
    parts.sort_by_key(|(v, _)| *v);
    parts
}

/// In stripes, or at random for each vertex.
fn owners<const D: usize>(whole: &Whole<D>, ranks: usize, scattered: bool) -> Vec<u32> {
    let stripe = |v: usize| (whole.positions[v][0] * 0.999 * ranks as f64) as u32;
    let anywhere = |v: usize| (hash(v as u64 + 5) % ranks as u64) as u32;
    (0..whole.positions.len()).map(|v| if scattered { anywhere(v) } else { stripe(v) }).collect()
}

fn check<const D: usize>(whole: &Whole<D>, ranks: &[usize], stored: &str) {
    let expected = by_vertex(everything(whole, &whole.single()));
    assert_eq!(expected.len(), whole.positions.len());
    let words = expected.iter().flat_map(|(_, words)| words).flat_map(|word| word.to_le_bytes());
    let found = blake3::hash(&words.collect::<Vec<u8>>()).to_hex();
    assert_eq!(&found[..16], stored, "other bits than on other machines, or than before");
    for &ranks in ranks {
        for (seed, scattered) in [(0, false), (7, false), (8, true)] {
            let owners = owners(whole, ranks, scattered);
            let found =
                Comm::simulate(ranks, |comm| everything(whole, &Part::new(whole, comm, &owners, seed)));
            let found = by_vertex(found.into_iter().flatten().collect());
            assert!(found == expected, "{ranks} ranks, seed {seed}, scattered {scattered}");
        }
    }
}

#[test]
fn metrics_in_the_plane_have_the_same_bits_on_any_ranks_and_for_any_numbering() {
    check(&Whole::<2>::boxes(14, 0.3), &[1, 2, 3, 5], "0896171937f00f56");
}

#[test]
fn metrics_in_space_have_the_same_bits_on_any_ranks_and_for_any_numbering() {
    check(&Whole::<3>::boxes(4, 0.2), &[1, 2, 3], "b4b9e7afcf3fe076");
}

#[test]
fn ranks_without_vertices_take_part() {
    let whole = Whole::<2>::boxes(3, 0.1);
    let expected = by_vertex(everything(&whole, &whole.single()));
    let owners = vec![2; whole.positions.len()];
    let found = Comm::simulate(4, |comm| everything(&whole, &Part::new(&whole, comm, &owners, 3)));
    assert_eq!(by_vertex(found.into_iter().flatten().collect()), expected);
}
