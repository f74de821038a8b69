//! Every point of the cube of ranks, partitioners, seeds, overlap, strategies and regions gives the one hash of its
//! class. About an hour of the optimised program, and so a stage of its own:
//! `cargo test --release --test full_cube -- --nocapture`.

mod harness;

use std::time::Instant;

use harness::cube::{full, run_and_compare};

#[test]
fn every_point_of_the_cube_gives_the_hash_of_its_class() {
    let (points, start) = (full(), Instant::now());
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
