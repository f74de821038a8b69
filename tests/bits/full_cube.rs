//! Every point of the cube of ranks, partitioners, seeds, overlap, strategies and regions gives the one hash of its
//! class. About an hour of the optimised program, and so a stage of `run-scripts/nightly`:
//! `cargo test --release --test bits full_cube -- --ignored --nocapture`. With `CFD_TEST_CUBE=K/N` in the environment it takes every Nth
//! point, from the Kth on; N should share no factor with the numbers of values (2, 5, 7).

use std::time::Instant;

use crate::harness::cube::{full, run_and_compare};

#[test]
#[ignore = "takes an hour: run-scripts/nightly cube"]
fn every_point_of_the_cube_gives_the_hash_of_its_class() {
    let (first, step) = part();
    let (points, start) = (full().into_iter().skip(first).step_by(step).collect::<Vec<_>>(), Instant::now());
    let mut wrong = Vec::new();
    for (done, split) in points.iter().enumerate() {
        if let Err(difference) = run_and_compare(split) {
            println!("{difference}");
            wrong.push(difference);
        }
        if (done + 1) % 50 == 0 {
            let (count, seconds) = (points.len(), start.elapsed().as_secs());
            println!("{} of {count} points in {seconds} s, {} wrong", done + 1, wrong.len());
        }
    }
    assert!(wrong.is_empty(), "{} of {} points:\n{}", wrong.len(), points.len(), wrong.join("\n"));
}

/// The first point to take, counted from 0, and the step to the next.
fn part() -> (usize, usize) {
    let Ok(asked) = std::env::var("CFD_TEST_CUBE") else { return (0, 1) };
    let part = asked.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match part {
        Some((k, n)) if (1..=n).contains(&k) => (k - 1, n),
        _ => panic!("CFD_TEST_CUBE={asked} is not K/N with K from 1 to N"),
    }
}
