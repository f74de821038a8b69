//! The vectors by which a mesh between periodic boundaries goes on.

use cfd_engine::comm::Comm;

/// Vectors closer than this share of the shortest are one.
const NEAR: f64 = 0.25;

/// The shortest independent vectors between the copies of nodes, and their sums with factors 0, 1 and -1, without 0. Each rank gives the vectors that it knows, which may differ from each other by rounding; all get the same.
/// Collective.
pub fn periods<const DIM: usize>(comm: &Comm, known: &[[f64; DIM]]) -> Vec<[f64; DIM]>
where
    [f64; DIM]: bytemuck::Pod,
{
    let own = independent(known.to_vec());
    let all = sums(&independent(comm.all_gather(&own).concat()));
    all.into_iter().filter(|sum| square(sum) > 0.0).collect()
}

/// Of some vectors, the shortest of which no other one is a sum.
fn independent<const DIM: usize>(mut vectors: Vec<[f64; DIM]>) -> Vec<[f64; DIM]> {
    let by_bits = |a: &[f64; DIM], b: &[f64; DIM]| {
        (0..DIM)
            .map(|k| a[k].total_cmp(&b[k]))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    };
    vectors.sort_unstable_by(|a, b| square(a).total_cmp(&square(b)).then(by_bits(a, b)));
    let Some(shortest) = vectors.first().map(square) else { return vectors };
    let mut kept: Vec<[f64; DIM]> = Vec::new();
    for vector in vectors {
        let is_near = |sum: &[f64; DIM]| {
            square(&std::array::from_fn::<_, DIM, _>(|k| sum[k] - vector[k])) < NEAR * NEAR * shortest
        };
        if kept.len() < DIM && !sums(&kept).iter().any(is_near) {
            kept.push(vector);
        }
    }
    kept
}

/// The sums of some vectors, each with the factor 0, 1 or -1.
fn sums<const DIM: usize>(vectors: &[[f64; DIM]]) -> Vec<[f64; DIM]> {
    vectors.iter().fold(vec![[0.0; DIM]], |sums, vector| {
        let shifted = |sum: &[f64; DIM]| {
            let by = |factor: f64| std::array::from_fn(|k| sum[k] + factor * vector[k]);
            [*sum, by(1.0), by(-1.0)]
        };
        sums.iter().flat_map(shifted).collect()
    })
}

fn square<const DIM: usize>(vector: &[f64; DIM]) -> f64 {
    vector.iter().map(|component| component * component).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box's vectors from edges, corners and rounding are the same three on any ranks, with all sums of them.
    #[test]
    fn sums_of_independent_vectors_are_left_out_and_then_made() {
        let [x, y, z] = [[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.1, 0.0, 1.0]];
        let sum = |vectors: &[[f64; 3]]| std::array::from_fn(|k| vectors.iter().map(|v| v[k]).sum::<f64>());
        let known = [
            sum(&[x, y]),
            x,
            [2.0, 1e-16, 0.0],
            z,
            y,
            sum(&[x, y, z]),
            [-2.0, 0.0, 1e-17],
            sum(&[y, z]),
            [0.0, -0.5, 0.0],
        ];
        let expected = periods(&Comm::single(), &known);
        assert_eq!(expected.len(), 26);
        for way in [x, y, z, sum(&[x, z]), [2.0, -0.5, 0.0]] {
            let is_near = |period: &&[f64; 3]| (0..3).all(|k| (period[k] - way[k]).abs() < 1e-15);
            assert_eq!(expected.iter().filter(is_near).count(), 1, "{way:?}");
        }
        for ranks in [2, 3, 5] {
            let found = Comm::simulate(ranks, |comm| {
                let own = known.iter().skip(comm.rank()).step_by(ranks).copied().collect::<Vec<_>>();
                periods(&comm, &own)
            });
            assert!(found.iter().all(|found| *found == expected), "{ranks} ranks: {found:?}");
        }
        assert!(periods::<2>(&Comm::single(), &[]).is_empty());
    }
}
