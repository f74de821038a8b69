//! Reducers: whatever the kind, the threads and the distribution of work, no addition is lost, doubled or misplaced.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cfd_reducers::{
    Addend, Adder, AnyReducer, BlockCas, BlockLock, Greatest, Kind, Least, Options, Product, Reducer,
    Reduction, Scoped, Team, Work, reduce, reduce_by, share,
};

/// Miri runs a hundred times slower.
const SCALE: usize = if cfg!(miri) { 100 } else { 1 };

fn team(threads: usize) -> Scoped {
    Scoped(NonZeroUsize::new(threads).expect("at least one thread"))
}

/// Pseudo-random numbers: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// An integer as an addend.
trait Whole: Addend + PartialEq + std::fmt::Debug {
    fn whole(number: usize) -> Self;
}

macro_rules! whole {
    ($($number:ty),*) => {
        $(impl Whole for $number {
            fn whole(number: usize) -> Self {
                number as $number
            }
        })*
    };
}

whole!(f32, f64, i32, i64, u32, u64);

/// Uneven work: worker w of n does 4^w of a fixed amount, in bursts around a place that wanders through the array, so
/// that all workers meet everywhere, and some continue long after most have ended.
struct Uneven {
    rows: usize,
    workers: usize,
    seed: u64,
}

impl Uneven {
    /// Calls `add(row, number)` for everything that a worker adds.
    fn each(&self, worker: usize, mut add: impl FnMut(usize, usize)) {
        let mut numbers = Numbers(self.seed ^ worker as u64);
        let bursts = 4usize.pow((worker + 5 - self.workers.min(5)) as u32 % 6) * 4 / SCALE + 1;
        for burst in 0..bursts {
            let place = numbers.below(self.rows);
            for _ in 0..if cfg!(miri) { 8 } else { 64 } {
                add((place + numbers.below(40)) % self.rows, 1 + numbers.below(9));
            }
            if burst % 16 == 0 {
                std::thread::yield_now();
            }
        }
    }

    /// The result of sequential additions.
    fn expected<T: Whole, const D: usize>(&self, rounds: usize) -> Vec<T> {
        let mut sums = vec![T::whole(0); self.rows * D];
        for _ in 0..rounds {
            for worker in 0..self.workers {
                self.each(worker, |row, number| {
                    for m in 0..D {
                        let sum = &mut sums[row * D + m];
                        *sum = sum.plus(T::whole(number + m));
                    }
                });
            }
        }
        sums
    }
}

impl<T: Whole, const D: usize> Work<T, D> for Uneven {
    fn run<A: Adder<T, D>>(&self, worker: usize, adder: &mut A) {
        self.each(worker, |row, number| adder.add_row(row, std::array::from_fn(|m| T::whole(number + m))));
    }
}

/// All kinds; those with blocks, with small and large ones.
fn all_options() -> impl Iterator<Item = Options> {
    Kind::ALL.into_iter().flat_map(|kind| {
        let sizes: &[usize] = match kind.has_blocks() {
            true if cfg!(miri) => &[16],
            true => &[1, 16, 300, 1 << 14],
            false => &[1],
        };
        sizes.iter().map(move |&block_rows| Options { kind, block_rows })
    })
}

fn uneven_work_adds_up<T: Whole, const D: usize>(rows: usize) {
    for workers in [2, 4, 8] {
        let team = team(workers);
        let work = Uneven { rows, workers, seed: rows as u64 };
        let expected = work.expected::<T, D>(1);
        for options in all_options() {
            let mut sums = vec![T::whole(0); rows * D];
            reduce_by::<T, D>(options, &mut sums, &team, &work);
            assert!(sums == expected, "{options:?} with {workers} threads");
        }
    }
}

#[test]
fn uneven_work_loses_no_whole_number_of_f64() {
    uneven_work_adds_up::<f64, 1>(3000);
}

#[test]
fn uneven_work_loses_no_whole_number_of_i64_where_threads_crowd() {
    uneven_work_adds_up::<i64, 1>(50);
}

#[test]
fn uneven_work_loses_no_whole_number_of_u64() {
    uneven_work_adds_up::<u64, 1>(1000);
}

#[test]
fn uneven_work_loses_no_whole_number_of_four_bytes() {
    uneven_work_adds_up::<f32, 1>(2000);
    uneven_work_adds_up::<i32, 2>(300);
    uneven_work_adds_up::<u32, 1>(1000);
}

/// The operations besides addition, whose results do not depend on the order of whole numbers.
#[test]
fn the_least_the_greatest_and_products_are_found_whatever_the_reducer() {
    fn found<T: Addend>(options: Options, mut numbers: Vec<T>, work: &Uneven, of: fn(usize) -> T) -> Vec<T> {
        reduce(options, &mut numbers, &team(work.workers), |worker, adder| {
            work.each(worker, |row, number| adder.add(row, of(number)));
        });
        numbers
    }
    let work = Uneven { rows: 400, workers: 4, seed: 3 };
    let (mut least, mut greatest, mut product) = (vec![9.0f64; 400], vec![0i32; 400], vec![1u64; 400]);
    for worker in 0..work.workers {
        work.each(worker, |row, number| {
            least[row] = least[row].min(number as f64 - 5.0);
            greatest[row] = greatest[row].max(number as i32);
            product[row] = product[row].wrapping_mul(2 * number as u64 + 1);
        });
    }
    for options in all_options() {
        let of_least = found(options, vec![Least(9.0f64); 400], &work, |number| Least(number as f64 - 5.0));
        assert!(of_least.iter().map(|number| number.0).eq(least.iter().copied()), "{options:?}");
        let of_greatest = found(options, vec![Greatest(0i32); 400], &work, |number| Greatest(number as i32));
        assert!(of_greatest.iter().map(|number| number.0).eq(greatest.iter().copied()), "{options:?}");
        let of_product =
            found(options, vec![Product(1u64); 400], &work, |number| Product(2 * number as u64 + 1));
        assert!(of_product.iter().map(|number| number.0).eq(product.iter().copied()), "{options:?}");
    }
    let mut numbers = [3.0f32, -0.0];
    reduce(Options::new(Kind::Dense), Least::wrap(&mut numbers), &team(2), |worker, adder| {
        adder.add(0, Least(worker as f32));
        adder.add(1, Least(0.0));
    });
    assert_eq!(numbers.map(f32::to_bits), [0.0f32, -0.0].map(f32::to_bits));
}

#[test]
fn uneven_work_on_rows_of_several_numbers_adds_up() {
    uneven_work_adds_up::<f64, 4>(700);
    uneven_work_adds_up::<f64, 3>(700);
}

#[test]
fn a_reducer_adds_up_again_and_again_and_for_other_shapes() {
    let workers = 4;
    let team = team(workers);
    for options in all_options() {
        let mut reducer = AnyReducer::new(workers, options);
        let wide = Uneven { rows: 900, workers, seed: 1 };
        let mut sums = vec![0.0; 900];
        for _ in 0..3 {
            Reduction::new(&mut reducer, &mut sums, 1)
                .run(&team, |worker, adder| Work::<f64, 1>::run(&wide, worker, adder));
        }
        assert!(sums == wide.expected::<f64, 1>(3), "{options:?}");

        let narrow = Uneven { rows: 100, workers, seed: 2 };
        let mut sums = vec![0.0; 200];
        for _ in 0..2 {
            Reduction::new(&mut reducer, &mut sums, 2)
                .run(&team, |worker, adder| Work::<f64, 2>::run(&narrow, worker, adder));
        }
        assert!(sums == narrow.expected::<f64, 2>(2), "{options:?}");
    }
}

/// Like a scheduler that hands out small tasks: a worker has one adder after the other.
#[test]
fn adders_of_a_worker_may_come_and_go() {
    let workers = 4;
    for options in all_options() {
        let mut reducer = AnyReducer::<u64>::new(workers, options);
        let mut sums = vec![0; 500];
        let reduction = Reduction::new(&mut reducer, &mut sums, 1);
        team(workers).run(&|worker| {
            for task in 0..50 / SCALE + 2 {
                let mut adder = reduction.adder::<1>(worker);
                (0..500 / SCALE).for_each(|i| adder.add((i * (1 + worker) + task * 7) % 500, 1));
            }
        });
        reduction.into_parts().into_iter().for_each(|part| part.merge());
        let all = workers * (50 / SCALE + 2) * (500 / SCALE);
        assert_eq!(sums.iter().sum::<u64>(), all as u64, "{options:?}");
    }
}

#[test]
fn a_rayon_pool_is_a_team() {
    if cfg!(miri) {
        return; // The pool's own threads never end, which Miri reports.
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("four threads");
    let work = Uneven { rows: 800, workers: 4, seed: 5 };
    for options in all_options() {
        let mut sums = vec![0u64; 800];
        reduce_by::<u64, 1>(options, &mut sums, &pool, &work);
        assert!(sums == work.expected::<u64, 1>(1), "{options:?}");
    }
}

/// Sums whose last bits reveal the order of additions.
fn thirds(kind: Kind) -> Vec<u64> {
    let mut sums = vec![0.1; 200];
    reduce(Options { kind, block_rows: 8 }, &mut sums, &team(4), |worker, adder| {
        let mut numbers = Numbers(worker as u64);
        for _ in 0..2000 / SCALE {
            adder.add(numbers.below(200), 1.0 / (3.0 + numbers.below(100) as f64));
        }
    });
    sums.into_iter().map(f64::to_bits).collect()
}

#[test]
fn deterministic_kinds_give_the_same_bits_every_time() {
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_deterministic()) {
        let first = thirds(kind);
        for _ in 0..10 / SCALE + 1 {
            assert!(thirds(kind) == first, "{kind:?}");
        }
    }
}

#[test]
fn what_nothing_is_added_to_keeps_its_bits() {
    for options in all_options() {
        let mut sums = vec![-0.0f64; 64];
        reduce(options, &mut sums, &team(4), |worker, adder| adder.add(16 * worker, 1.0));
        for (row, sum) in sums.iter().enumerate() {
            let expected: f64 = if row % 16 == 0 { 1.0 } else { -0.0 };
            assert_eq!(sum.to_bits(), expected.to_bits(), "{options:?}, row {row}");
        }
    }
}

#[test]
fn an_empty_array_and_more_workers_than_rows_are_no_trouble() {
    for options in all_options() {
        reduce(options, &mut [] as &mut [f64], &team(3), |_, _| {});
        let mut sums = vec![0i64; 3];
        reduce(options, &mut sums, &team(8), |worker, adder| adder.add(worker % 3, 1));
        assert_eq!(sums, [3, 3, 2], "{options:?}");
    }
}

#[test]
fn memory_follows_the_kind() {
    let rows = if cfg!(miri) { 1 << 14 } else { 1 << 16 };
    // Each of four workers adds to a quarter of the array and to a row of the first quarter.
    let bytes = |kind| {
        reduce(Options { kind, block_rows: 256 }, &mut vec![0.0f64; rows], &team(4), |worker, adder| {
            share(rows, 4, worker).step_by(16).for_each(|row| adder.add(row, 1.0));
            adder.add(0, 1.0);
        })
    };
    let array = 8 * rows;
    assert_eq!(bytes(Kind::Atomic), 0);
    assert_eq!(bytes(Kind::Dense), 3 * array);
    let private = bytes(Kind::BlockPrivate);
    assert!(
        (array..array + array / 4).contains(&private),
        "all blocks once, the first four times: {private}"
    );
    for kind in [Kind::BlockLock, Kind::BlockCas, Kind::Keeper] {
        assert!(bytes(kind) < array / 4, "{kind:?}: a few blocks or requests, {}", bytes(kind));
    }
    assert!(bytes(Kind::Map) > rows / 16 * 16);
}

#[test]
fn a_lock_given_back_goes_to_the_next_and_a_claim_by_compare_and_swap_stays() {
    // Worker 0 ends before worker 1 begins; blocks of one row.
    const ROWS: usize = if cfg!(miri) { 64 } else { 1024 };
    fn copies<R: Reducer<f64>>(kind: Kind) -> usize {
        let mut reducer = R::new(2, Options { kind, block_rows: 1 });
        let mut sums = vec![0.0; ROWS];
        let mut used = [0; 2];
        for (workers, used) in [1, 2].into_iter().zip(&mut used) {
            let reduction = Reduction::new(&mut reducer, &mut sums, 1);
            for worker in 0..workers {
                let mut adder = reduction.adder::<1>(worker);
                (0..ROWS).for_each(|row| adder.add_row(row, [1.0]));
            }
            reduction.into_parts().into_iter().for_each(|part| part.merge());
            *used = reducer.bytes();
        }
        assert!(sums.iter().all(|&sum| sum == 3.0));
        used[1] - used[0]
    }
    let (locks, claims) =
        (copies::<BlockLock<f64>>(Kind::BlockLock), copies::<BlockCas<f64>>(Kind::BlockCas));
    assert!(claims >= locks + ROWS * 8, "{claims} and {locks}");
}

#[test]
fn wrong_uses_are_refused() {
    let refused = |what: &str, wrong: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(wrong)).expect_err(what);
        let message = panic.downcast_ref::<String>().expect("a message");
        assert!(message.contains(what), "{message}");
    };
    for options in all_options() {
        let reducer = || AnyReducer::<f64>::new(2, options);
        refused("row 10 of an array of 10 rows", &|| {
            let (mut reducer, mut sums) = (reducer(), [0.0; 10]);
            Reduction::new(&mut reducer, &mut sums, 1).adder::<1>(1).add(10, 1.0);
        });
        refused("worker 2 of 2", &|| {
            let (mut reducer, mut sums) = (reducer(), [0.0; 10]);
            let _ = Reduction::new(&mut reducer, &mut sums, 1).adder::<1>(2);
        });
        refused("rows of 2 numbers, not 1", &|| {
            let (mut reducer, mut sums) = (reducer(), [0.0; 10]);
            let _ = Reduction::new(&mut reducer, &mut sums, 2).adder::<1>(0);
        });
        refused("10 numbers is not made of rows of 3", &|| {
            let (mut reducer, mut sums) = (reducer(), [0.0; 10]);
            drop(Reduction::new(&mut reducer, &mut sums, 3));
        });
        refused("a team of 3 for a reducer of 2 workers", &|| {
            let (mut reducer, mut sums) = (reducer(), [0.0; 10]);
            Reduction::new(&mut reducer, &mut sums, 1).run::<1>(&team(3), |_, _| {});
        });
        if options.kind != Kind::Atomic {
            refused("worker 1 has an adder already", &|| {
                let (mut reducer, mut sums) = (reducer(), [0.0; 10]);
                let reduction = Reduction::new(&mut reducer, &mut sums, 1);
                let _first = reduction.adder::<1>(1);
                let _ = reduction.adder::<1>(1);
            });
        }
    }
}

#[test]
fn a_worker_that_panics_leaves_a_reducer_that_can_be_used_again() {
    for options in all_options() {
        let mut reducer = AnyReducer::new(2, options);
        let mut lost = vec![0u64; 100];
        let reduction = Reduction::new(&mut reducer, &mut lost, 1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            reduction.run(&team(2), |worker, adder| {
                (0..100).for_each(|row| adder.add(row, 1));
                assert!(worker == 0, "as a kernel might");
            });
        }));
        assert!(panicked.is_err());
        let mut sums = vec![0u64; 100];
        Reduction::new(&mut reducer, &mut sums, 1).run(&team(2), |_, adder| {
            (0..100).for_each(|row| adder.add(row, 1));
        });
        assert!(sums.iter().all(|&sum| sum == 2), "{options:?}");
    }
}

#[test]
fn names_are_those_of_configurations() {
    let names = Kind::ALL.map(Kind::name);
    assert_eq!(names, ["atomic", "dense", "map", "block-private", "block-lock", "block-cas", "keeper"]);
    for kind in Kind::ALL {
        assert_eq!(serde_json::to_value(kind).expect("a name"), kind.name());
    }
}
