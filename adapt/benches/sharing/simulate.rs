//! The same loops in counted time: any number of workers, all running at the same speed.
//!
//! The worker with the least time takes its next range and adds the costs of its items. The cost of dealing is not
//! counted, so this shows only how evenly the work is divided.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use cfd_adapt::sharing::{Deal, Load, Way};

/// Costs of states 0 to 3: about the nanoseconds that they take on one core.
const COSTS: [u64; 4] = [1, 40, 80, 140];

/// The time of the last worker relative to the mean of all, for each way and load.
pub fn table(workers: usize, ways: &[Way], states: &[Vec<u8>]) -> String {
    let names = Load::ALL.map(Load::name);
    let mut text = format!("### Simulated workers: {workers}\n\n| way | {} |\n", names.join(" | "));
    text.push_str(&format!("| --- |{}\n", " ---: |".repeat(names.len())));
    for way in ways {
        text.push_str(&format!("| {way} |"));
        for states in states {
            text.push_str(&format!(" {:.3} |", imbalance(*way, workers, states)));
        }
        text.push('\n');
    }
    text
}

fn imbalance(way: Way, workers: usize, states: &[u8]) -> f64 {
    let mut until = vec![0];
    until.extend(states.iter().scan(0, |sum, &state| {
        *sum += COSTS[usize::from(state)];
        Some(*sum)
    }));
    let cost = |range: Range<usize>| until[range.end] - until[range.start];
    let deal = Deal::new(way, states.len(), workers);
    let mut hands: Vec<_> = (0..workers).map(|worker| deal.hand(worker)).collect();
    // Among workers at the same time, the first goes first.
    let mut waiting: BinaryHeap<Reverse<(u64, usize)>> = (0..workers).map(|w| Reverse((0, w))).collect();
    let mut last = 0;
    while let Some(Reverse((time, worker))) = waiting.pop() {
        match hands[worker].next() {
            Some(range) => waiting.push(Reverse((time + cost(range), worker))),
            None => last = last.max(time),
        }
    }
    last as f64 * workers as f64 / until[states.len()] as f64
}
