//! The motions by which a mesh between periodic boundaries goes on.

use cfd_engine::comm::Comm;

use super::periods::periods;

/// Turns whose entries differ by less are one.
const NEAR: f64 = 1e-6;

/// A motion of points: x becomes T x + s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine<const DIM: usize> {
    /// T, a turn.
    pub turn: [[f64; DIM]; DIM],
    /// s.
    pub shift: [f64; DIM],
}

impl<const DIM: usize> Affine<DIM> {
    /// A motion by a vector.
    pub fn by(shift: [f64; DIM]) -> Affine<DIM> {
        let entry = |i: usize, j: usize| f64::from(u8::from(i == j));
        Affine { turn: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))), shift }
    }

    /// Where a point goes.
    pub fn apply(&self, x: [f64; DIM]) -> [f64; DIM] {
        std::array::from_fn(|i| (0..DIM).map(|j| self.turn[i][j] * x[j]).sum::<f64>() + self.shift[i])
    }

    /// The motion back.
    fn back(&self) -> Affine<DIM> {
        let turn = std::array::from_fn(|i| std::array::from_fn(|j| self.turn[j][i]));
        let shift = Affine { turn, shift: [0.0; DIM] }.apply(self.shift);
        Affine { turn, shift: shift.map(|component| -component) }
    }

    /// This motion and then one by a vector.
    fn then(&self, by: [f64; DIM]) -> Affine<DIM> {
        Affine { shift: std::array::from_fn(|k| self.shift[k] + by[k]), ..*self }
    }

    /// Whether vectors keep their direction.
    fn is_translation(&self) -> bool {
        self.has_turn_of(&Affine::by([0.0; DIM]))
    }

    fn has_turn_of(&self, other: &Affine<DIM>) -> bool {
        let pairs = self.turn.as_flattened().iter().zip(other.turn.as_flattened());
        pairs.into_iter().all(|(a, b)| (a - b).abs() < NEAR)
    }

    fn size(&self) -> f64 {
        self.shift.iter().map(|component| component * component).sum()
    }
}

/// The motions to the images of a mesh around it, without that to itself: by the shortest independent vectors between copies of
/// nodes, by turns between them, and by both. Each rank gives the motions from nodes to copies that it knows, which may differ
/// from each other by rounding; all get the same. Collective.
pub fn images<const DIM: usize>(comm: &Comm, known: &[Affine<DIM>]) -> Vec<Affine<DIM>>
where
    [f64; DIM]: bytemuck::Pod,
{
    let (moved, turned): (Vec<_>, Vec<_>) = known.iter().copied().partition(Affine::is_translation);
    let shifts: Vec<[f64; DIM]> = moved.iter().map(|motion| motion.shift).collect();
    let shifts = periods(comm, &shifts);
    let rows: Vec<[f64; DIM]> =
        independent(turned).iter().flat_map(|motion| motion.turn.into_iter().chain([motion.shift])).collect();
    let all = comm.all_gather(&rows).concat();
    let all = all
        .chunks_exact(DIM + 1)
        .map(|rows| Affine { turn: std::array::from_fn(|i| rows[i]), shift: rows[DIM] });
    let turns = independent(all.collect());
    let turns: Vec<_> = turns.iter().flat_map(|turn| [*turn, turn.back()]).collect();
    let both = turns.iter().flat_map(|turn| shifts.iter().map(|by| turn.then(*by)));
    shifts.iter().map(|by| Affine::by(*by)).chain(turns.iter().copied()).chain(both).collect()
}

/// One motion for each turn and its back: that of the shortest shift.
fn independent<const DIM: usize>(mut motions: Vec<Affine<DIM>>) -> Vec<Affine<DIM>> {
    let bits = |motion: &Affine<DIM>| -> Vec<u64> {
        motion.turn.as_flattened().iter().chain(&motion.shift).map(|number| number.to_bits()).collect()
    };
    motions.sort_by(|a, b| a.size().total_cmp(&b.size()).then_with(|| bits(a).cmp(&bits(b))));
    let mut kept: Vec<Affine<DIM>> = Vec::new();
    for motion in motions {
        if !kept.iter().any(|other| motion.has_turn_of(other) || motion.has_turn_of(&other.back())) {
            kept.push(motion);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sector about (1, 0), which also goes on along the axis: both neighbours around it, in each of three slices, and the
    /// slices before and after.
    #[test]
    fn a_sector_has_images_around_the_axis_and_along_it() {
        let [c, s] = [0.8, 0.6];
        let turn = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        let around = Affine { turn, shift: [1.0 - c, -s, 0.0] };
        let along = [0.0, 0.0, 2.0];
        let mut rounded = around.then([1e-16, 0.0, 0.0]);
        rounded.turn[0][0] += 1e-16;
        let known =
            [Affine::by(along), around.then(along), rounded, around.back(), around, Affine::by(along)];
        let one = images(&Comm::single(), &known);
        assert_eq!(one.len(), 8);
        for (motion, place) in [
            (around, [1.0 + c, s, 0.0]),
            (around.back(), [1.0 + c, -s, 0.0]),
            (around.then([0.0, 0.0, -2.0]), [1.0 + c, s, -2.0]),
            (Affine::by(along), [2.0, 0.0, 2.0]),
        ] {
            let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-15);
            assert!(near(motion.apply([2.0, 0.0, 0.0]), place), "{motion:?}");
            assert_eq!(one.iter().filter(|image| near(image.apply([2.0, 0.0, 0.0]), place)).count(), 1);
        }
        for ranks in [2, 3, 5] {
            let found = Comm::simulate(ranks, |comm| {
                let own: Vec<_> = known.iter().skip(comm.rank()).step_by(ranks).copied().collect();
                images(&comm, &own)
            });
            assert!(found.iter().all(|found| *found == one), "{ranks} ranks");
        }
        assert!(images::<2>(&Comm::single(), &[]).is_empty());
    }
}
