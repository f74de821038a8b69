//! Times of all variants in turns.

use std::sync::Mutex;
use std::time::Instant;

use cfd_reducers::{
    Atomic, BlockCas, BlockLock, BlockPrivate, Dense, Keeper, Kind, Map, Options as ReducerOptions, Reducer,
    Reduction, Team, share,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Options;
use crate::case::{Case, Plain};
use crate::timing::{median, ratio};

/// A way to run a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variant {
    /// The plain loop.
    Sequential,
    /// Gathered by targets.
    Pull,
    /// Through a reducer.
    Reduced(ReducerOptions),
}

/// The cost of a variant.
pub struct Row {
    /// The variant.
    pub variant: Variant,
    /// Its threads.
    pub threads: usize,
    /// Seconds of the first sweep, in each round.
    pub first: Vec<f64>,
    /// Mean seconds of the later sweeps, in each round.
    pub later: Vec<f64>,
    /// Bytes in addition to the plain loop's.
    pub bytes: usize,
    /// Bytes of memory that a process needs for it, if that was measured.
    pub resident: Option<u64>,
}

impl Row {
    /// Median milliseconds of a first and of a later sweep.
    pub fn milliseconds(&self) -> (f64, f64) {
        (1e3 * median(self.first.clone()), 1e3 * median(self.later.clone()))
    }

    /// Times as long as another.
    pub fn against(&self, other: &Row) -> f64 {
        ratio(&self.later, &other.later)
    }
}

/// Runs all variants in turns.
pub fn time<C: Case>(case: &C, options: &Options) -> Vec<Row> {
    let mut rows = rows(options);
    let pools: Vec<ThreadPool> = options.threads.iter().map(|&threads| pool(threads)).collect();
    let expected = expected(case);
    for round in 0..options.rounds {
        for turn in 0..rows.len() {
            let index = (turn + round) % rows.len();
            let row = &mut rows[index];
            let pool = pools.iter().find(|pool| pool.current_num_threads() == row.threads);
            let mut trial = Trial { case, expected: Some(&expected), sweeps: options.sweeps, row };
            trial.run(pool.unwrap_or(&pools[0]));
        }
    }
    rows
}

/// Runs one sweep of the variant of this number.
pub fn run_once<C: Case>(case: &C, options: &Options, variant: usize) {
    let row = &mut rows(options)[variant];
    let pool = pool(row.threads);
    Trial { case, expected: None, sweeps: 0, row }.run(&pool);
}

fn rows(options: &Options) -> Vec<Row> {
    let row =
        |(variant, threads)| Row { variant, threads, first: vec![], later: vec![], bytes: 0, resident: None };
    variants(options).map(row).collect()
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
}

fn expected<C: Case>(case: &C) -> Vec<f64> {
    let mut expected = vec![0.0; case.targets()];
    case.scatter(0..case.sources(), &mut Plain(&mut expected));
    expected
}

fn variants(options: &Options) -> impl Iterator<Item = (Variant, usize)> {
    let reducers = Kind::ALL.into_iter().flat_map(|kind| {
        let sizes = if kind.has_blocks() { &options.block_rows[..] } else { &[1] };
        sizes.iter().map(move |&block_rows| Variant::Reduced(ReducerOptions { kind, block_rows }))
    });
    let parallel: Vec<Variant> = std::iter::once(Variant::Pull).chain(reducers).collect();
    let parallel = parallel
        .into_iter()
        .flat_map(|variant| options.threads.iter().map(move |&threads| (variant, threads)));
    std::iter::once((Variant::Sequential, 1)).chain(parallel)
}

/// A variant's turn in a round.
struct Trial<'a, C> {
    case: &'a C,
    /// What is compared.
    expected: Option<&'a [f64]>,
    sweeps: usize,
    row: &'a mut Row,
}

impl<C: Case> Trial<'_, C> {
    fn run(&mut self, pool: &ThreadPool) {
        let case = self.case;
        match self.row.variant {
            Variant::Sequential => self.sweep(|out| case.scatter(0..case.sources(), &mut Plain(out))),
            Variant::Pull => {
                self.row.bytes = case.pull_bytes();
                self.sweep(|out| {
                    let each = share(out.len(), pool.size(), 0).len();
                    let parts: Vec<_> = out.chunks_mut(each).map(Mutex::new).collect();
                    pool.run(&|worker| {
                        let mut part = parts[worker].lock().expect("a worker has its own part");
                        case.pull(share(case.targets(), pool.size(), worker), &mut part);
                    });
                });
            }
            Variant::Reduced(options) => match options.kind {
                Kind::Atomic => self.reduce::<Atomic>(options, pool),
                Kind::Dense => self.reduce::<Dense<f64>>(options, pool),
                Kind::Map => self.reduce::<Map<f64>>(options, pool),
                Kind::BlockPrivate => self.reduce::<BlockPrivate<f64>>(options, pool),
                Kind::BlockLock => self.reduce::<BlockLock<f64>>(options, pool),
                Kind::BlockCas => self.reduce::<BlockCas<f64>>(options, pool),
                Kind::Keeper => self.reduce::<Keeper<f64>>(options, pool),
            },
        }
    }

    fn reduce<R: Reducer<f64>>(&mut self, options: ReducerOptions, pool: &ThreadPool) {
        let (case, workers) = (self.case, pool.size());
        let mut reducer = R::new(workers, options);
        self.sweep(|out| {
            Reduction::new(&mut reducer, out, 1)
                .run(pool, |worker, adder| case.scatter(share(case.sources(), workers, worker), adder));
        });
        self.row.bytes = self.row.bytes.max(reducer.bytes());
    }

    /// Times the first sweep, checks what it computed, and times the others.
    fn sweep(&mut self, mut sweep: impl FnMut(&mut [f64])) {
        let mut out = vec![0.0; self.case.targets()];
        // Touched, so no variant pays for the pages of the result.
        out.fill(std::hint::black_box(0.0));
        let mut timed = |sweeps: usize, out: &mut [f64]| {
            let start = Instant::now();
            (0..sweeps).for_each(|_| sweep(out));
            start.elapsed().as_secs_f64() / sweeps as f64
        };
        self.row.first.push(timed(1, &mut out));
        for (at, (sum, expected)) in out.iter().zip(self.expected.unwrap_or(&[])).enumerate() {
            // Terms of both signs may cancel.
            let scale = expected.abs().max(self.case.scale());
            assert!((sum - expected).abs() <= 1e-12 * scale, "{:?}, {at}: {sum}", self.row.variant);
        }
        if self.sweeps == 0 {
            return;
        }
        self.row.later.push(timed(self.sweeps, &mut out));
    }
}
