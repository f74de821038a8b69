//! The numbers of a checkpoint.

use crate::adaptation::tally::COUNTS;

/// The first number in a checkpoint. Builds that did not keep the figures of the mesh had the adaptations there.
pub const LAYOUT: f64 = -2.0;
/// Numbers in a checkpoint before those of the mesh's figures, the outline and the flow: the layout, the adaptations, the
/// steps since the last, how many numbers the figures and the outline have, and the tally's.
const OWN: usize = 5 + COUNTS;

/// What the numbers of a checkpoint are.
pub struct Kept<'a> {
    /// Adaptations so far.
    pub cycle: u64,
    /// Steps since the last.
    pub steps: u64,
    /// What adaptations have taken.
    pub tally: &'a [f64; COUNTS],
    /// The figures of the mesh.
    pub figures: &'a [f64],
    /// The outline of the run's first mesh.
    pub outline: &'a [f64],
    /// The flow's own.
    pub flow: &'a [f64],
}

impl Kept<'_> {
    /// `None` if they are of another layout.
    pub fn of(numbers: &[f64]) -> Option<Kept<'_>> {
        let (own, rest) = numbers.split_first_chunk::<OWN>()?;
        let (&[layout, cycle, steps, figures, outline], tally) = own.split_first_chunk()?;
        if layout != LAYOUT {
            return None;
        }
        let (figures, rest) = rest.split_at_checked(figures as usize)?;
        let (outline, flow) = rest.split_at_checked(outline as usize)?;
        let (cycle, steps, tally) = (cycle as u64, steps as u64, tally.first_chunk()?);
        Some(Kept { cycle, steps, tally, figures, outline, flow })
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTS, Kept, LAYOUT, OWN};

    #[test]
    fn numbers_of_builds_that_kept_no_figures_are_of_another_layout() {
        let counts = [2.0, 3.0, 1.0, 2.0];
        let rest = [7.0; COUNTS].into_iter().chain([1.0, 2.0, 3.0, 4.0]);
        let numbers: Vec<f64> = [LAYOUT].into_iter().chain(counts).chain(rest).collect();
        let Kept { cycle, steps, figures, outline, flow, .. } = Kept::of(&numbers).unwrap();
        assert_eq!((cycle, steps), (2, 3));
        assert_eq!([figures, outline, flow], [&[1.0][..], &[2.0, 3.0], &[4.0]]);
        assert!(Kept::of(&numbers[..OWN]).is_none(), "figures are missing");
        // Adaptations, steps, numbers of the outline, the tally, the flow.
        let before: Vec<f64> = [2.0, 3.0, 0.0].into_iter().chain([7.0; COUNTS]).chain([4.0; 20]).collect();
        assert!(Kept::of(&before).is_none());
    }
}
