//! `keeper`: every row has a keeper, which alone changes it; the others send requests.

use std::sync::RwLockWriteGuard;

use super::cell::Cell;
use super::slot::Slot;
use super::target::{Part, Target, no_such_row, share};
use super::{Addend, Adder, Options, Reducer, Shape};

/// Every worker keeps the rows of its [`share`] and adds to them at once. What it adds to others' rows goes into a
/// queue for their keeper, which applies it in the merge: first the requests of worker 0, then of worker 1, and so on.
///
/// Good if workers mostly add to their own rows. A worker that adds everywhere stores every addition.
#[derive(Debug)]
pub struct Keeper<T> {
    shape: Shape,
    requests: Vec<Slot<Requests<T>>>,
}

/// What one worker asks the keepers to add: a queue for each keeper.
#[derive(Debug)]
struct Requests<T>(Vec<Queue<T>>);

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Requests(Vec::new())
    }
}

/// Additions in the order in which they were requested.
#[derive(Debug)]
struct Queue<T> {
    rows: Vec<usize>,
    /// `dim` numbers per row.
    values: Vec<T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue { rows: Vec::new(), values: Vec::new() }
    }
}

/// An adder of [`Keeper`]. Everything that an addition reads is here and never changes, so that the compiler can keep
/// it in registers.
#[derive(Debug)]
pub struct KeeperAdder<'a, T, const D: usize> {
    /// The rows that this worker keeps.
    first: usize,
    kept: &'a [[Cell<T>; D]],
    sender: Box<Sender<'a, T, D>>,
}

/// Puts additions to others' rows into their queues.
#[derive(Debug)]
struct Sender<'a, T, const D: usize> {
    /// Rows of the target.
    rows: usize,
    /// Rows that each worker keeps.
    each: usize,
    requests: RwLockWriteGuard<'a, Requests<T>>,
}

impl<T: Addend> Reducer<T> for Keeper<T> {
    type Adder<'a, const D: usize> = KeeperAdder<'a, T, D>;

    fn new(workers: usize, _options: Options) -> Self {
        Keeper { shape: Shape::default(), requests: Slot::for_each(workers) }
    }

    fn workers(&self) -> usize {
        self.requests.len()
    }

    fn begin(&mut self, shape: Shape) {
        self.shape = shape;
        let workers = self.requests.len();
        for requests in &mut self.requests {
            let queues = &mut requests.get_mut().0;
            queues.resize_with(workers, Queue::default);
            for queue in queues {
                queue.rows.clear();
                queue.values.clear();
            }
        }
    }

    fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, worker: usize) -> KeeperAdder<'a, T, D> {
        let (rows, workers) = (target.cells.as_chunks::<D>().0, self.requests.len());
        let own = share(rows.len(), workers, worker);
        let sender = Sender {
            rows: rows.len(),
            each: share(rows.len(), workers, 0).len().max(1),
            requests: self.requests[worker].hold(worker),
        };
        KeeperAdder { first: own.start, kept: &rows[own], sender: Box::new(sender) }
    }

    fn merge(&self, mut part: Part<'_, T>) {
        let keeper = part.index();
        for requests in &self.requests {
            let queue = &requests.read().0[keeper];
            for (&row, values) in queue.rows.iter().zip(queue.values.chunks_exact(self.shape.dim)) {
                part.add_row(row, values);
            }
        }
    }

    fn bytes(&self) -> usize {
        let of = |queue: &Queue<T>| {
            queue.rows.capacity() * size_of::<usize>() + queue.values.capacity() * size_of::<T>()
        };
        self.requests.iter().map(|requests| requests.read().0.iter().map(of).sum::<usize>()).sum()
    }
}

impl<T: Addend, const D: usize> Adder<T, D> for KeeperAdder<'_, T, D> {
    #[inline(always)]
    fn add_row(&mut self, row: usize, values: [T; D]) {
        // A row before the first kept one wraps to a number that is too large.
        match self.kept.get(row.wrapping_sub(self.first)) {
            Some(cells) => {
                for m in 0..D {
                    // SAFETY: until the merge, only its keeper changes a row, with one adder at a time.
                    unsafe { cells[m].add(values[m]) }
                }
            }
            None => self.sender.request(row, values),
        }
    }
}

impl<T: Addend, const D: usize> Sender<'_, T, D> {
    #[inline(never)]
    fn request(&mut self, row: usize, values: [T; D]) {
        if row >= self.rows {
            no_such_row(row, self.rows);
        }
        let queue = &mut self.requests.0[row / self.each];
        queue.rows.push(row);
        queue.values.extend(values);
    }
}
