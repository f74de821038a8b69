//! Ways to share a loop: each item once, whatever the way, the threads and the distribution of work.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cfd_adapt::sharing::{Load, Way, work};
use cfd_engine::plug::ThreadPool;

/// Miri runs a hundred times slower.
const SCALE: usize = if cfg!(miri) { 50 } else { 1 };
const WORKERS: &[usize] = if cfg!(miri) { &[1, 3] } else { &[1, 2, 3, 7] };

fn ways() -> Vec<Way> {
    let names = [
        "static",
        "cyclic",
        "dynamic",
        "dynamic:7",
        "dynamic:MAX",
        "guided",
        "work-sharing",
        "work-sharing:5",
    ];
    let largest = usize::MAX.to_string();
    let parsed = |name: &str| name.replace("MAX", &largest).parse().expect("a way's name");
    names.into_iter().chain(["work-sharing:MAX"]).map(parsed).collect()
}

/// Runs a loop, and returns how often each item was executed.
fn times(way: Way, pool: &ThreadPool, items: usize, body: impl Fn(usize) + Sync) -> Vec<usize> {
    let counts: Vec<AtomicUsize> = (0..items).map(|_| AtomicUsize::new(0)).collect();
    way.for_each(pool, items, |item| {
        body(item);
        counts[item].fetch_add(1, Ordering::Relaxed);
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

fn spin(times: usize) {
    (0..times).for_each(|_| std::hint::spin_loop());
}

/// Loops whose work is all in one place, doubles from item to item, or is zero.
fn bodies(items: usize) -> Vec<Box<dyn Fn(usize) + Sync>> {
    let long = 10_000 / SCALE;
    vec![
        Box::new(|_| ()),
        Box::new(move |item| spin(if item == 0 { long } else { 0 })),
        Box::new(move |item| spin(if item + 1 == items { long } else { 0 })),
        Box::new(move |item| spin(if item > items / 2 { 20 } else { 0 })),
        Box::new(move |item| spin(1 << (item * 10 / (items + 1)))),
    ]
}

#[test]
fn each_item_is_executed_once() {
    for &workers in WORKERS {
        let pool = ThreadPool::new(workers);
        for way in ways() {
            for items in [0, 1, workers - 1, workers + 1, 1001 / SCALE] {
                for body in bodies(items) {
                    let times = times(way, &pool, items, body);
                    assert!(times.iter().all(|&times| times == 1), "{way}, {workers} workers: {times:?}");
                }
            }
        }
    }
}

/// Many loops of few items, where workers meet at the end of each.
#[test]
fn short_loops_follow_each_other() {
    let pool = ThreadPool::new(4);
    for way in ways() {
        for items in 0..200 / SCALE {
            let times = times(way, &pool, items, |_| ());
            assert!(times.iter().all(|&times| times == 1), "{way}: {times:?}");
        }
    }
}

/// One item waits for all others: its worker's own share must be done by others.
#[test]
fn nobody_waits_behind_a_long_item() {
    for name in ["work-sharing", "dynamic", "dynamic:1"] {
        let way: Way = name.parse().expect(name);
        for &workers in WORKERS.iter().filter(|&&workers| workers > 1) {
            let (pool, items) = (ThreadPool::new(workers), 200 / SCALE);
            for long in [0, 1, items / 2, items - 1] {
                let done = AtomicUsize::new(0);
                way.for_each(&pool, items, |item| {
                    while item == long && done.load(Ordering::Relaxed) < items - 1 {
                        std::thread::yield_now();
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(done.into_inner(), items);
            }
        }
    }
}

fn dealt(way: Way, workers: usize, items: usize) -> Vec<(usize, Range<usize>)> {
    let dealt = Mutex::new(Vec::new());
    way.deal(&ThreadPool::new(workers), items, |worker, range| {
        dealt.lock().expect("nobody panics").push((worker, range));
    });
    let mut dealt = dealt.into_inner().expect("nobody panics");
    dealt.sort_by_key(|(_, range)| range.start);
    dealt
}

#[test]
fn fixed_shares_are_equal() {
    assert_eq!(dealt(Way::Static, 3, 10), [(0, 0..3), (1, 3..6), (2, 6..10)]);
    assert_eq!(dealt(Way::Static, 4, 2), [(1, 0..1), (3, 1..2)]);
    assert_eq!(dealt(Way::Cyclic, 2, 3), [(0, 0..1), (1, 1..2), (0, 2..3)]);
}

/// Loops longer than the numbers in which ranges are kept.
#[cfg(target_pointer_width = "64")]
#[test]
fn ranges_cover_loops_of_any_length() {
    let items = 2 * (u32::MAX as usize) + 10;
    for name in ["static", "guided", "dynamic:4294967296", "work-sharing:4294967296"] {
        let way: Way = name.parse().expect(name);
        let mut next = 0;
        for (_, range) in dealt(way, 3, items) {
            assert_eq!(range.start, next, "{way}");
            assert!(!range.is_empty());
            next = range.end;
        }
        assert_eq!(next, items, "{way}");
    }
}

#[test]
fn a_body_that_panics_takes_its_caller_along() {
    let pool = ThreadPool::new(2);
    for way in ways() {
        let loops =
            AssertUnwindSafe(|| way.for_each(&pool, 50, |item| assert_ne!(item, 31, "this one fails")));
        assert!(catch_unwind(loops).is_err(), "{way}");
        assert_eq!(times(way, &pool, 50, |_| ()), [1; 50]);
    }
}

#[test]
fn all_ways_do_the_work_of_the_synthetic_loops() {
    let items = 2000 / SCALE;
    for load in Load::ALL {
        let states = load.states(items, 1);
        let bits = |item: usize| work(states[item], item).to_bits();
        let expected = (0..items).map(bits).fold(0, u64::wrapping_add);
        for way in ways() {
            let sum = std::sync::atomic::AtomicU64::new(0);
            way.for_each(&ThreadPool::new(3), items, |item| _ = sum.fetch_add(bits(item), Ordering::Relaxed));
            assert_eq!(sum.into_inner(), expected, "{way}, {}", load.name());
        }
    }
}

#[test]
fn ways_have_names() {
    for way in ways() {
        assert_eq!(way.to_string().parse(), Ok(way));
    }
    for name in ["", "stealing", "dynamic:0", "dynamic:", "static:3", "guided:2", "work-sharing:-1"] {
        let error = name.parse::<Way>().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("\"{name}\" is not a way to share a loop; use static")),
            "{error}"
        );
    }
}
