//! The distance from points to the nearest of some faces: exact, the same on any ranks.
//!
//! ```text
//! mod (here)   faces of all ranks in turn
//! nearest      distance from a point to a line or a triangle
//! ```

mod nearest;

use cfd_engine::comm::Comm;

use crate::boxes::Boxes;

/// Faces that a rank holds at a time, of all ranks together.
const HELD: u64 = 1 << 16;

/// The distance from each of this rank's points to the nearest of all ranks' faces; infinite if there are none. Points have
/// `DIM` coordinates, faces `DIM` corners: lines in the plane, triangles in space. Collective.
///
/// The faces of all ranks come by in rounds, so that no rank holds more than a share of them. A minimum depends neither on
/// their order nor on the ranks.
pub fn distances<const DIM: usize>(
    comm: &Comm,
    points: &[[f64; DIM]],
    faces: &[[[f64; DIM]; DIM]],
) -> Vec<f64>
where
    [[f64; DIM]; DIM]: bytemuck::Pod,
{
    let each = (HELD / comm.size() as u64).max(1) as usize;
    let rounds = comm.max(faces.len().div_ceil(each) as u64) as usize;
    let mut squares = vec![f64::INFINITY; points.len()];
    for round in 0..rounds {
        let at = |count: usize| faces.len().min(count * each);
        let boxes = Boxes::new(comm.all_gather(&faces[at(round)..at(round + 1)]).concat());
        for (square, point) in squares.iter_mut().zip(points) {
            *square = boxes.nearest(*point, *square, &mut |face| nearest::square(*point, face));
        }
    }
    squares.into_iter().map(f64::sqrt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    fn cloud<const DIM: usize>(count: u64, seed: u64) -> Vec<[f64; DIM]> {
        (0..count).map(|k| std::array::from_fn(|axis| noise(seed + 3 * k + axis as u64))).collect()
    }

    /// Small faces at random places.
    fn faces<const DIM: usize>(count: u64) -> Vec<[[f64; DIM]; DIM]> {
        let middles = cloud::<DIM>(count, 1000);
        let corner = |k: usize, corner: usize| {
            let shift: [f64; DIM] = cloud(1, (7919 * k + 31 * corner) as u64)[0];
            std::array::from_fn(|axis| middles[k][axis] + 0.1 * shift[axis])
        };
        (0..middles.len()).map(|k| std::array::from_fn(|at| corner(k, at))).collect()
    }

    /// As few ranks' shares as there are, and no tree.
    fn each<const DIM: usize>(points: &[[f64; DIM]], faces: &[[[f64; DIM]; DIM]]) -> Vec<f64> {
        let nearest = |point: &[f64; DIM]| {
            faces.iter().map(|face| nearest::square(*point, face)).fold(f64::INFINITY, f64::min).sqrt()
        };
        points.iter().map(nearest).collect()
    }

    fn same_everywhere<const DIM: usize>(count: u64)
    where
        [[f64; DIM]; DIM]: bytemuck::Pod,
    {
        let (points, faces) = (cloud::<DIM>(300, 0), faces::<DIM>(count));
        let expected = each(&points, &faces);
        for ranks in [1, 2, 5] {
            let found = Comm::simulate(ranks, |comm| {
                let own = |rows: usize| {
                    let blocks = cfd_engine::mesh::Blocks::new(rows as u64, comm.size());
                    let range = blocks.range(comm.rank());
                    range.start as usize..range.end as usize
                };
                distances(&comm, &points[own(points.len())], &faces[own(faces.len())])
            });
            assert_eq!(found.concat(), expected, "{DIM} dimensions, {count} faces, {ranks} ranks");
        }
    }

    #[test]
    fn every_face_counts_whatever_the_tree_and_the_ranks() {
        for count in [0, 1, 2, 200] {
            same_everywhere::<2>(count);
            same_everywhere::<3>(count);
        }
    }
}
