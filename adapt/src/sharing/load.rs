//! Synthetic loops: the amount of work of each item.
//!
//! Source: G. Rokos, Scalable multithreaded algorithms for mutable irregular data with application to anisotropic mesh
//! adaptivity, Imperial College London, 2014, section 7.5. The thesis describes the five loads in words. The lengths of
//! their pieces are chosen here to reproduce the ratios between its measured times (Table 7.1).

use super::random::Numbers;

/// A distribution of work over the items of a loop. An item has a state from 0, no work, to 3; see [`work`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// State 2 everywhere.
    Regular,
    /// States 0 to 3 at random.
    Random,
    /// The first sixteenth has states 0 to 2 at random, the last quarter state 3, the rest 0.
    DenseEnd,
    /// [`Load::DenseEnd`] in reverse.
    DenseBegin,
    /// A pattern of 32 items with states 3, 2 and 3 at three multiples of 8, and 0 elsewhere. Dealing single items in
    /// rotation to 2, 4 or 8 workers thus gives all of them to one worker.
    Periodic,
}

/// Items of the periodic pattern.
const PERIOD: usize = 32;

/// Positions and states of the periodic pattern's nonzero items.
const PATTERN: [(usize, u8); 3] = [(0, 3), (8, 2), (16, 3)];

impl Load {
    /// All loads, in the thesis's order.
    pub const ALL: [Load; 5] =
        [Load::Regular, Load::Random, Load::DenseEnd, Load::DenseBegin, Load::Periodic];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Load::Regular => "regular",
            Load::Random => "random",
            Load::DenseEnd => "dense end",
            Load::DenseBegin => "dense begin",
            Load::Periodic => "periodic",
        }
    }

    /// The states of this many items; the seed determines the random ones.
    pub fn states(self, items: usize, seed: u64) -> Vec<u8> {
        let mut numbers = Numbers::new(seed);
        let mut below = |bound| numbers.below(bound) as u8;
        match self {
            Load::Regular => vec![2; items],
            Load::Random => (0..items).map(|_| below(4)).collect(),
            Load::DenseEnd => (0..items)
                .map(|item| match item {
                    _ if item < items / 16 => below(3),
                    _ if item >= items - items / 4 => 3,
                    _ => 0,
                })
                .collect(),
            Load::DenseBegin => {
                let mut states = Load::DenseEnd.states(items, seed);
                states.reverse();
                states
            }
            Load::Periodic => (0..items)
                .map(|item| {
                    PATTERN.iter().find(|(at, _)| item % PERIOD == *at).map_or(0, |&(_, state)| state)
                })
                .collect(),
        }
    }
}

/// The work of an item: nothing in state 0; in state 1, sines of a number x and its powers; in state 2, cosines as
/// well; in state 3, hyperbolic sines as well. x follows from the item and lies in (0, 1], where all functions take
/// equally long.
pub fn work(state: u8, item: usize) -> f64 {
    if state == 0 {
        return 0.0;
    }
    let x = (item % 1024 + 1) as f64 / 1024.0;
    let powers = [x, x * x, x * x * x];
    let sum = |function: fn(f64) -> f64| powers.iter().map(|&power| function(power)).sum::<f64>();
    let mut value = sum(same_math::sin);
    if state >= 2 {
        value += sum(same_math::cos);
    }
    if state >= 3 {
        value += sum(same_math::sinh);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{Load, work};

    fn counts(load: Load) -> [usize; 4] {
        let mut counts = [0; 4];
        load.states(3200, 5).iter().for_each(|&state| counts[usize::from(state)] += 1);
        counts
    }

    #[test]
    fn loads_have_the_shares_they_say() {
        assert_eq!(counts(Load::Regular), [0, 0, 3200, 0]);
        assert!(counts(Load::Random).iter().all(|count| (700..900).contains(count)));
        let [idle, one, two, three] = counts(Load::DenseEnd);
        assert_eq!((three, idle + one + two), (800, 2400));
        assert!((40..95).contains(&one) && (40..95).contains(&two));
        assert_eq!(counts(Load::DenseBegin), counts(Load::DenseEnd));
        assert_eq!(counts(Load::Periodic), [2900, 0, 100, 200]);
        assert_eq!(Load::DenseBegin.states(100, 1)[..25], [3; 25]);
        assert!(Load::Periodic.states(320, 0).iter().enumerate().all(|(i, &s)| s == 0 || i % 8 == 0));
    }

    #[test]
    fn work_grows_with_the_state() {
        assert_eq!(work(0, 7), 0.0);
        // At x = 1 all powers are 1.
        assert_eq!(work(1, 1023), 3.0 * same_math::sin(1.0));
        assert!(work(1, 7) < work(2, 7) && work(2, 7) < work(3, 7));
    }
}
