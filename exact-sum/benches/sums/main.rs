//! Sums compared: nanoseconds per term, whether the order of the terms changes the bits, errors, bytes. Every way runs
//! once per round; the tables, in Markdown, give medians over the rounds, and medians of the ratios to the plain sum of
//! the same round.
//!
//! ```text
//! cargo bench -p exact-sum --bench sums [-- --rounds 51]
//! ```

mod ways;

use std::hint::black_box;
use std::time::Instant;

use exact_sum::{DigitRange, ExactDot, ExactSum, WORDS};

use ways::{WAYS, Way};

/// Terms that fit into L1.
const CACHED: usize = 2048;

/// Terms that come from memory: 128 MiB.
const LARGE: usize = 1 << 24;

/// Terms summed in one measurement: a fraction of a millisecond, during which a busy machine is rarely interrupted.
const MEASURED: usize = 1 << 18;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds = arguments.iter().skip_while(|argument| *argument != "--rounds").nth(1);
    let rounds = rounds.map_or(51, |rounds| rounds.parse().expect("--rounds and a number"));
    times(rounds);
    fixed_costs(rounds);
    errors();
}

/// A small random number generator (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number of either sign, in one of `binades` binades around 1.
    fn number(&mut self, binades: u64) -> f64 {
        let fraction = 1.0 + (self.next() >> 12) as f64 / 2f64.powi(52);
        let exponent = (self.next() >> 20) % binades;
        let sign = if self.next() >> 63 == 0 { 1.0 } else { -1.0 };
        sign * fraction * 2f64.powi(exponent as i32 - (binades / 2) as i32)
    }

    fn shuffle(&mut self, terms: &mut [f64]) {
        for i in (1..terms.len()).rev() {
            terms.swap(i, (self.next() >> 11) as usize % (i + 1));
        }
    }
}

/// The kinds of terms.
fn inputs() -> Vec<(&'static str, Vec<f64>)> {
    let mut random = Random(20);
    let mut spread =
        |count: usize, binades| -> Vec<f64> { (0..count).map(|_| random.number(binades)).collect() };
    let forty = spread(CACHED, 40);
    let halved = forty.iter().map(|&number| if number < 0.0 { 0.0 } else { number }).collect();
    vec![
        ("L1, all equal", vec![0.7; CACHED]),
        ("L1, 40 binades", forty),
        ("L1, half zeros", halved),
        ("L1, 150 binades", spread(CACHED, 150)),
        ("L1, 2000 binades", spread(CACHED, 2000)),
        ("memory, 40 binades", spread(LARGE, 40)),
    ]
}

fn times(rounds: usize) {
    let inputs = inputs();
    let mut times = vec![vec![Vec::new(); inputs.len()]; WAYS.len()];
    for round in 0..=rounds {
        for (i, (_, terms)) in inputs.iter().enumerate() {
            for (w, (way, times)) in WAYS.iter().zip(&mut times).enumerate() {
                // Different terms every time, so that they come from memory if there are that many.
                let place = (round * WAYS.len() + w) % terms.len().div_ceil(MEASURED);
                // The first round touches all memory.
                match time(way, &terms[place * MEASURED..][..terms.len().min(MEASURED)]) {
                    Some(time) if round > 0 => times[i].push(time),
                    _ => {}
                }
            }
        }
    }
    println!("Nanoseconds a term, {rounds} rounds, medians; in brackets times the plain sum\n");
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    println!("| sum | {} |\n| --- |{}", names.join(" | "), " --- |".repeat(names.len()));
    for (way, of_way) in WAYS.iter().zip(&times) {
        if of_way[0].is_empty() {
            continue;
        }
        let cell = |(times, plain): (&Vec<f64>, &Vec<f64>)| {
            let ratios = times.iter().zip(plain).map(|(time, plain)| time / plain).collect();
            format!("{:.2} ({:.2})", median(times.clone()), median(ratios))
        };
        let cells: Vec<String> = of_way.iter().zip(&times[0]).map(cell).collect();
        println!("| {} | {} |", way.name, cells.join(" | "));
    }
}

/// None if the processor lacks the registers.
fn time(way: &Way, terms: &[f64]) -> Option<f64> {
    let repeats = (MEASURED / terms.len()).max(1);
    let start = Instant::now();
    let sum = (way.sum)(&mut (0..repeats).map(|_| black_box(terms)))?;
    black_box(sum);
    Some(start.elapsed().as_secs_f64() * 1e9 / (repeats * terms.len()) as f64)
}

/// The fixed cost of a sum, with 41 binades in use.
fn fixed_costs(rounds: usize) {
    let terms: Vec<f64> = (-20..=20).map(|exponent| 1.25 * 2f64.powi(exponent)).collect();
    let mut sum = ExactSum::new();
    sum.add_slice(&terms);
    let mut words = [0; WORDS];
    let mut range = DigitRange::WHOLE;
    sum.write_digits(&range, &mut words);
    range.follow(&words);
    let mut digits = vec![0; range.len()];
    sum.write_digits(&range, &mut digits);
    let mut sent = digits.clone();
    let mut total = ExactSum::new();
    let mut dot = ExactDot::new();
    let mut costs: Vec<(&str, Vec<f64>)> = Vec::new();
    for round in 0..rounds {
        let mut measure = |name: &'static str, work: &mut dyn FnMut()| {
            const TIMES: u32 = 10_000;
            let start = Instant::now();
            (0..TIMES).for_each(|_| work());
            if round == 0 {
                costs.push((name, Vec::new()));
            }
            let cost = costs.iter_mut().find(|(known, _)| *known == name).expect("pushed in the first round");
            cost.1.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES));
        };
        measure("value", &mut || {
            black_box(black_box(&sum).value());
        });
        measure("words", &mut || {
            black_box(black_box(&sum).words());
        });
        measure("digits in use", &mut || {
            black_box(black_box(&sum).write_digits(&range, &mut sent));
        });
        measure("their rounding", &mut || {
            black_box(range.round(black_box(&digits)));
        });
        measure("merge", &mut || total.merge(black_box(&sum)));
        measure("41 terms and clear", &mut || {
            total.clear();
            total.add_slice(black_box(&terms));
        });
        measure("41 products", &mut || dot.add_products(black_box(&terms), black_box(&terms)));
    }
    let costs = costs.into_iter().map(|(name, times)| format!("{name} {:.0}", median(times)));
    println!("\nOnce a sum, ns: {}.\n", costs.collect::<Vec<_>>().join(", "));
}

/// Terms whose sum is known, to be added in any order: random ones, their opposites, and a last one of size 1.
fn ill_conditioned(binades: u64) -> Vec<f64> {
    let mut random = Random(binades);
    let half: Vec<f64> = (0..1000).map(|_| random.number(binades)).collect();
    let opposite: Vec<f64> = half.iter().map(|term| -term).collect();
    let mut terms = [half, opposite, vec![1.0]].concat();
    random.shuffle(&mut terms);
    terms
}

fn errors() {
    let cases = [
        ("1e300 + 1 - 1e300", vec![1e300, 1.0, -1e300]),
        ("1e308 + 1e308 - 1e308", vec![1e308, 1e308, -1e308]),
        ("2001 terms, condition 1e9", ill_conditioned(40)),
        ("condition 1e24", ill_conditioned(140)),
        ("condition 1e90", ill_conditioned(600)),
    ];
    let names = cases.each_ref().map(|(name, _)| *name);
    println!("Errors relative to the exact sum; results of the fourth in 100 orders; bytes\n");
    println!("| sum | {} | results | bytes | message |", names.join(" | "));
    println!("| --- |{} --- | --- | --- |", " --- |".repeat(names.len()));
    for way in WAYS.iter().filter(|way| way.bytes > 0) {
        let sum = |terms: &[f64]| (way.sum)(&mut std::iter::once(terms)).expect("on any processor");
        let error = |(_, terms): &(&str, Vec<f64>)| {
            let mut exact = ExactSum::new();
            exact.add_slice(terms);
            let expected = exact.value();
            let error = (sum(terms) - expected).abs() / expected.abs();
            if error == 0.0 { "0".to_string() } else { format!("{error:.0e}") }
        };
        let mut terms = cases[3].1.clone();
        let mut random = Random(3);
        let mut results: Vec<u64> = (0..100)
            .map(|_| {
                random.shuffle(&mut terms);
                sum(&terms).to_bits()
            })
            .collect();
        results.sort_unstable();
        results.dedup();
        let cells: Vec<String> = cases.iter().map(error).collect();
        println!(
            "| {} | {} | {} | {} | {} |",
            way.name,
            cells.join(" | "),
            results.len(),
            way.bytes,
            way.message
        );
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
