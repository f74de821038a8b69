//! Dealing the items of one loop: what each worker takes next.

use std::ops::Range;

use cfd_engine::plug::share;

use super::Way;
use super::counter::Counter;
use super::ranges::Ranges;

/// The items of one loop, dealt to a number of workers. Each item is in one range of one worker.
///
/// Workers are the callers: threads ([`Way::deal`]), or steps of a simulation.
///
/// ```
/// use cfd_adapt::sharing::{Deal, Way};
///
/// let deal = Deal::new(Way::Guided, 9, 2);
/// let (mut first, mut second) = (deal.hand(0), deal.hand(1));
/// assert_eq!((first.next(), second.next(), first.next()), (Some(0..5), Some(5..7), Some(7..8)));
/// ```
pub struct Deal {
    items: usize,
    workers: usize,
    common: Common,
}

/// What workers share.
enum Common {
    Static,
    Cyclic,
    Dynamic {
        counter: Counter,
        chunk: usize,
    },
    Guided(Counter),
    /// Ranges hold 32-bit numbers: a longer loop is split into several.
    WorkSharing {
        ranges: Vec<Ranges>,
        piece: u32,
    },
}

/// Items of a loop whose numbers fit in a range of work sharing.
const LONGEST: usize = u32::MAX as usize;

impl Deal {
    /// A loop of `items`, not begun.
    ///
    /// # Panics
    /// Without workers.
    pub fn new(way: Way, items: usize, workers: usize) -> Deal {
        assert!(workers > 0, "a loop needs at least one worker");
        let common = match way {
            Way::Static => Common::Static,
            Way::Cyclic => Common::Cyclic,
            Way::Dynamic { chunk } => Common::Dynamic { counter: Counter::new(items), chunk: chunk.get() },
            Way::Guided => Common::Guided(Counter::new(items)),
            Way::WorkSharing { piece } => {
                let ranges = |start: usize| Ranges::new((items - start).min(LONGEST) as u32, workers);
                let piece = u32::try_from(piece.get()).unwrap_or(u32::MAX);
                Common::WorkSharing { ranges: (0..items).step_by(LONGEST).map(ranges).collect(), piece }
            }
        };
        Deal { items, workers, common }
    }

    /// What a worker is dealt. To be called once per worker: a second hand of a static or cyclic way deals the same
    /// items again.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn hand(&self, worker: usize) -> Hand<'_> {
        assert!(worker < self.workers, "there is no worker {worker} of {}", self.workers);
        let position = if matches!(self.common, Common::Cyclic) { worker } else { 0 };
        Hand { deal: self, worker, position }
    }
}

/// The ranges of one worker, one after the other; none is empty.
pub struct Hand<'a> {
    deal: &'a Deal,
    worker: usize,
    /// The next item (cyclic); the loop being shared (work sharing); the number of ranges so far (static).
    position: usize,
}

impl Iterator for Hand<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let Deal { items, workers, common } = self.deal;
        match common {
            Common::Static => {
                let range = share(*items, self.worker, *workers);
                let is_first = std::mem::replace(&mut self.position, 1) == 0;
                (is_first && !range.is_empty()).then_some(range)
            }
            Common::Cyclic => {
                let item = self.position;
                self.position = item.saturating_add(*workers);
                (item < *items).then(|| item..item + 1)
            }
            Common::Dynamic { counter, chunk } => counter.chunk(*chunk),
            Common::Guided(counter) => counter.guided(*workers),
            Common::WorkSharing { ranges, piece } => loop {
                let start = self.position * LONGEST;
                match ranges.get(self.position)?.next(self.worker, *piece) {
                    Some(range) => return Some(start + range.start as usize..start + range.end as usize),
                    None => self.position += 1,
                }
            },
        }
    }
}
