//! Which moments of a run its film shows, and the frames of those.
//!
//! Steady flow has a frame for meshes whose adaptations are evenly apart, of the state in which each is left; flow in
//! time one for times evenly apart. The end of the run is the last.

use crate::output::Frame;

/// The film of a run.
#[derive(Debug, Default)]
pub struct Film {
    /// Frames that it should have; 0: none is wanted.
    count: u64,
    /// Those that have not been shown.
    left: Vec<Frame>,
}

impl Film {
    /// Of so many frames.
    pub fn new(count: u64) -> Film {
        Film { count, left: Vec::new() }
    }

    /// Whether the mesh of so many adaptations, of all `cycles`, is in it.
    pub fn has_mesh(&self, cycle: u64, cycles: u64) -> bool {
        // There may be so many cycles that twice their number is no u64.
        let [cycle, cycles, spaces] = [cycle, cycles, self.count.saturating_sub(1)].map(u128::from);
        (0..spaces).any(|k| (2 * k * cycles + spaces) / (2 * spaces) == cycle)
    }

    /// Whether a moment of it lies between two shares of the time, of which the second belongs to it.
    pub fn has_time(&self, [before, after]: [f64; 2]) -> bool {
        let of = |k: u64| k as f64 / self.count as f64;
        (1..self.count).any(|k| before < of(k) && of(k) <= after)
    }

    /// Adds a frame.
    pub fn add(&mut self, frame: Frame) {
        self.left.push(frame);
    }

    /// Those that have not been shown.
    pub fn take(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::Film;

    #[test]
    fn frames_are_evenly_apart_and_the_end_is_not_among_them() {
        let meshes = |count, cycles| -> Vec<u64> {
            (0..=cycles).filter(|&cycle| Film::new(count).has_mesh(cycle, cycles)).collect()
        };
        assert_eq!(meshes(4, 12), [0, 4, 8]);
        assert_eq!(meshes(4, 10), [0, 3, 7]);
        assert_eq!(meshes(2, 12), [0]);
        assert_eq!(meshes(6, 2), [0, 1, 2], "there are fewer meshes");
        assert!(Film::new(3).has_mesh(u64::MAX / 2 + 1, u64::MAX));
        assert!(meshes(1, 5).is_empty() && meshes(0, 5).is_empty());
        let times = |count| -> Vec<u64> {
            let at = |step: u64| step as f64 / 10.0;
            (1..=10).filter(|&step| Film::new(count).has_time([at(step - 1), at(step)])).collect()
        };
        assert_eq!(times(4), [3, 5, 8]);
        assert!(times(1).is_empty() && times(0).is_empty());
    }
}
