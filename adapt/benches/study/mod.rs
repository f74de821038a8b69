//! Measuring and printing for both studies.

// Each benchmark uses its own part.
#![allow(dead_code)]

pub mod chart;

use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant};

use cfd_engine::plug::ThreadPool;

/// Longer than the workers of another pool spin for their next call; while they spin, they take time from others.
const REST: Duration = Duration::from_millis(3);

/// Seconds that a task takes after `wake` has woken its threads.
pub fn seconds<R>(wake: impl FnOnce(), task: impl FnOnce() -> R) -> (f64, R) {
    std::thread::sleep(REST);
    wake();
    let start = Instant::now();
    let result = task();
    (start.elapsed().as_secs_f64(), result)
}

/// Wakes the workers of a pool.
pub fn wake(pool: &ThreadPool) {
    pool.run(|| (), |_| ());
}

/// Positions below `count` in rotation: each round starts with a different one.
pub fn turns(count: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |place| (place + round) % count)
}

/// The middle value, or the mean of the two middle ones.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The median of the ratios within the rounds.
pub fn ratio(a: &[f64], b: &[f64]) -> f64 {
    median(a.iter().zip(b).map(|(a, b)| a / b).collect())
}

/// The single value, or the smallest and the largest one.
pub fn range<T: Copy + Ord + Display>(values: impl Iterator<Item = T> + Clone) -> String {
    match (values.clone().min(), values.max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(least), _) => least.to_string(),
        (None, _) => "-".into(),
    }
}

/// Where and how the measurement was made, above all tables.
pub fn heading(setting: &str, rounds: usize) -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = text.split_whitespace().next().unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let setting = if setting.is_empty() { String::new() } else { format!("{setting}, ") };
    format!("{setting}{cores} processors; medians of {rounds} rounds, all in turns; load average {load}.\n")
}

/// Writes a picture into a folder, creating it if needed.
pub fn write_picture(folder: &Path, name: &str, svg: &str) {
    let file = folder.join(name);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, svg));
    written.unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
    eprintln!("{}", file.display());
}
