//! The cost of the loops over all ranks, and the table of it.

use std::time::Duration;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::timer::LoopTimer;
use serde::Serialize;

/// Smallest, mean and largest time over ranks, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

impl Spread {
    /// The spread of some times; zero if there are none.
    fn of(times: &[Duration]) -> Spread {
        let seconds = |time: Option<Duration>| time.unwrap_or_default().as_secs_f64();
        let sum: Duration = times.iter().sum();
        Spread {
            min: seconds(times.iter().min().copied()),
            mean: sum.as_secs_f64() / times.len().max(1) as f64,
            max: seconds(times.iter().max().copied()),
        }
    }
}

/// One loop's cost over all ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopCost {
    /// The kernel's name.
    pub name: String,
    /// Executions.
    pub calls: u64,
    /// Time of a rank in the loop, including halo wait.
    pub time_s: Spread,
    /// Mean over ranks of the time spent on halo copies that did not overlap with the core.
    pub halo_wait_s: f64,
    /// Bytes of halo copies that all ranks have sent.
    pub halo_bytes: u64,
    /// What they would be if loops exchanged whole halos.
    pub whole_halo_bytes: u64,
    /// Bytes moved by all ranks, in 10^9.
    pub gbytes: f64,
    /// Floating-point operations of all ranks, in 10^9.
    pub gflop: f64,
    /// Elements executed by their owners.
    pub elements: u64,
    /// Elements executed by other ranks as well.
    pub redundant_elements: u64,
    /// Time of the slowest rank to build the loop's schedule, including colors; not part of `time_s`.
    pub setup_s: f64,
    /// Number of colors; `None` if the loop does not run by color.
    pub colors: Option<u32>,
    /// True for a copying loop that was never executed: the copy and the original swapped their storages.
    pub elided: bool,
}

impl LoopCost {
    /// 10^9 bytes per second, all ranks together.
    pub fn gbytes_per_s(&self) -> f64 {
        rate(self.gbytes, self.time_s.mean)
    }

    /// 10^9 floating-point operations per second, all ranks together.
    pub fn gflop_per_s(&self) -> f64 {
        rate(self.gflop, self.time_s.mean)
    }

    /// Redundant elements per hundred owned ones.
    pub fn redundant_percent(&self) -> f64 {
        100.0 * rate(self.redundant_elements as f64, self.elements as f64)
    }

    /// 10^6 bytes of halo copies sent, and percent of what whole halos would be, as text; none if the loop exchanges
    /// nothing either way.
    pub fn halo_text(&self) -> Option<[String; 2]> {
        let [sent, whole] = [self.halo_bytes, self.whole_halo_bytes].map(|bytes| bytes as f64);
        let digits = if sent < 1e10 { 2 } else { 0 };
        let share = if whole > 0.0 { format!("{:.1} %", 100.0 * sent / whole) } else { "-".into() };
        (sent + whole > 0.0).then(|| [format!("{:.digits$}", sent / 1e6), share])
    }
}

/// A quotient that is zero where nothing was measured.
pub fn rate(amount: f64, per: f64) -> f64 {
    if per > 0.0 { amount / per } else { 0.0 }
}

/// The integers of one timer that are sent to rank 0.
const FIGURES: usize = 10;

/// The costs of all ranks' loops, on rank 0 (empty elsewhere). Collective; all ranks have run the same loops.
pub fn gather(comm: &Comm, timers: &[LoopTimer]) -> Vec<LoopCost> {
    let nanoseconds =
        |time: Duration| u64::try_from(time.as_nanos()).expect("a loop runs for less than 584 years");
    let own: Vec<u64> = timers
        .iter()
        .flat_map(|timer| {
            let (compute, wait) = (nanoseconds(timer.compute), nanoseconds(timer.halo_wait));
            let (elements, redundant) = (timer.elements(), timer.redundant_elements());
            let (setup, halo, whole) = (nanoseconds(timer.setup), timer.halo_bytes, timer.whole_halo_bytes);
            [timer.calls, compute, wait, timer.bytes, timer.flops, elements, redundant, setup, halo, whole]
        })
        .collect();
    let ranks = comm.gather(own);
    if ranks.is_empty() {
        return Vec::new();
    }
    let figure = |at: usize, which: usize| ranks.iter().map(move |rank| rank[FIGURES * at + which]);
    let costs = timers.iter().enumerate().map(|(at, timer)| {
        let wait: Vec<Duration> = figure(at, 2).map(Duration::from_nanos).collect();
        let time: Vec<Duration> =
            figure(at, 1).zip(&wait).map(|(compute, wait)| Duration::from_nanos(compute) + *wait).collect();
        LoopCost {
            name: timer.name.clone(),
            calls: timer.calls,
            time_s: Spread::of(&time),
            halo_wait_s: Spread::of(&wait).mean,
            halo_bytes: figure(at, 8).sum(),
            whole_halo_bytes: figure(at, 9).sum(),
            gbytes: figure(at, 3).sum::<u64>() as f64 / 1e9,
            gflop: figure(at, 4).sum::<u64>() as f64 / 1e9,
            elements: figure(at, 5).sum(),
            redundant_elements: figure(at, 6).sum(),
            setup_s: Duration::from_nanos(figure(at, 7).max().unwrap_or(0)).as_secs_f64(),
            colors: timer.colors,
            // An executed loop has done work, even if on no element.
            elided: timer.calls > 0 && timer.work.is_empty(),
        }
    });
    costs.collect()
}

/// A column of the table: its heading, its width, and its text for a loop.
struct Column {
    heading: &'static str,
    width: usize,
    text: Box<dyn Fn(&LoopCost) -> String>,
}

fn column(
    heading: &'static str,
    width: usize,
    text: impl Fn(&LoopCost) -> String + 'static,
) -> Option<Column> {
    Some(Column { heading, width, text: Box::new(text) })
}

/// The columns after the name that apply to this run.
fn columns(loops: &[LoopCost], solve_s: f64, peak: Option<Peak>, ranks: usize) -> Vec<Column> {
    let parallel = ranks > 1;
    let share = |part: f64, whole: f64| format!("{:.1} %", 100.0 * rate(part, whole));
    let time = |heading, time: fn(&LoopCost) -> f64| column(heading, 7, move |cost| seconds(time(cost)));
    // Beside the shares of a peak, lines would be too long.
    let exchanges = peak.is_none() && loops.iter().any(|cost| cost.whole_halo_bytes > 0);
    let halo = |heading, width, which: usize| {
        let text = move |cost: &LoopCost| cost.halo_text().map_or("-".into(), |text| text[which].clone());
        exchanges.then(|| column(heading, width, text)).flatten()
    };
    let has_colors = loops.iter().any(|cost| cost.colors.is_some());
    let all = [
        column("calls", 7, |cost| cost.calls.to_string()),
        parallel.then(|| time("min s", |cost| cost.time_s.min)).flatten(),
        time(if parallel { "mean s" } else { "time s" }, |cost| cost.time_s.mean),
        parallel.then(|| time("max s", |cost| cost.time_s.max)).flatten(),
        parallel.then(|| time("halo s", |cost| cost.halo_wait_s)).flatten(),
        halo("halo MB", 7, 0),
        halo("of whole", 8, 1),
        column("share", 7, move |cost| share(cost.time_s.mean, solve_s)),
        column("GB/s", 7, |cost| format!("{:.2}", cost.gbytes_per_s())),
        peak.and_then(|p| column("of triad", 8, move |cost| share(cost.gbytes_per_s(), p.triad))),
        column("GFLOP/s", 7, |cost| format!("{:.2}", cost.gflop_per_s())),
        peak.and_then(|p| column("of peak", 7, move |cost| share(cost.gflop_per_s(), p.arithmetic))),
        parallel
            .then(|| column("redundant", 9, |cost| format!("{:.2} %", cost.redundant_percent())))
            .flatten(),
        has_colors
            .then(|| column("colors", 6, |cost| cost.colors.map_or("-".into(), |colors| colors.to_string())))
            .flatten(),
    ];
    all.into_iter().flatten().collect()
}

/// What the memory and the processors of all ranks deliver at most, for the columns of shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Memory bandwidth in 10^9 bytes per second.
    pub triad: f64,
    /// Arithmetic rate in 10^9 floating-point operations per second.
    pub arithmetic: f64,
}

/// Width of the table's column of names.
pub fn name_width(loops: &[LoopCost]) -> usize {
    loops.iter().map(|cost| cost.name.len()).max().unwrap_or(0).max("(schedules, once)".len())
}

/// The table of all loops; the share is that of `solve_s`, the time of all iterations in seconds. If it is known what the
/// machine delivers, each loop has its shares of that.
pub fn table(loops: &[LoopCost], solve_s: f64, peak: Option<Peak>, ranks: usize) -> String {
    let columns = columns(loops, solve_s, peak, ranks);
    let width = name_width(loops);
    let row = |name: &str, text: &dyn Fn(&Column) -> String| {
        let cells = columns.iter().map(|column| format!(" {:>1$}", text(column), column.width));
        format!("{name:<width$}{}", cells.collect::<String>()).trim_end().to_string()
    };
    let mut lines = vec![row("loop", &|column| column.heading.into())];
    lines.extend(loops.iter().map(|cost| row(&cost.name, &|column| (column.text)(cost))));
    let inside: f64 = loops.iter().map(|cost| cost.time_s.mean).sum();
    let setup: f64 = loops.iter().map(|cost| cost.setup_s).sum();
    let outside = (solve_s - inside - setup).max(0.0);
    for (name, time) in [("(schedules, once)", setup), ("(outside loops)", outside)] {
        lines.push(row(name, &|column| match column.heading {
            "mean s" | "time s" => seconds(time),
            "share" => format!("{:.1} %", 100.0 * rate(time, solve_s)),
            _ => String::new(),
        }));
    }
    lines.join("\n")
}

/// The table of all loops of a domain, of which `whole` is the time that shares refer to: on rank 0, empty elsewhere.
/// Collective.
///
/// ```text
/// loop                calls time s   share    GB/s GFLOP/s
/// residual               80   0.031  61.2 %    9.14    3.02
/// ```
pub fn loop_table(domain: &mut Domain, whole: Duration) -> String {
    let comm = domain.comm().clone();
    let costs = gather(&comm, domain.timers());
    if comm.is_root() { table(&costs, whole.as_secs_f64(), None, comm.size()) } else { String::new() }
}

/// Seconds, in seven columns.
fn seconds(time: f64) -> String {
    match time {
        0.0..1e3 => format!("{time:.3}"),
        0.0..1e5 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use cfd_engine::timer::SetWork;

    use super::*;

    #[test]
    fn costs_are_gathered_over_ranks() {
        let timer = |rank: u64| LoopTimer {
            name: "update".into(),
            calls: 10,
            compute: Duration::from_secs(1 + rank),
            halo_wait: Duration::from_millis(500),
            halo_bytes: 800 + rank,
            whole_halo_bytes: 1000,
            bytes: 3_000_000_000,
            flops: 1_000_000_000,
            work: vec![SetWork { set: "cells".into(), elements: 100, redundant: rank }],
            setup: Duration::from_millis(250 * (1 + rank)),
            colors: None,
        };
        let gathered = Comm::simulate(3, |comm| gather(&comm, &[timer(comm.rank() as u64)]));
        assert!(gathered[1].is_empty() && gathered[2].is_empty());
        let cost = &gathered[0][0];
        assert_eq!(cost.time_s, Spread { min: 1.5, mean: 2.5, max: 3.5 });
        assert_eq!((cost.halo_wait_s, cost.gbytes, cost.gflop), (0.5, 9.0, 3.0));
        assert_eq!((cost.halo_bytes, cost.whole_halo_bytes), (2403, 3000));
        assert_eq!((cost.elements, cost.redundant_elements, cost.calls), (300, 3, 10));
        assert_eq!(cost.gbytes_per_s(), 9.0 / 2.5);
        assert_eq!(cost.redundant_percent(), 1.0);
        assert_eq!((cost.setup_s, cost.colors), (0.75, None), "of the slowest rank");
    }

    #[test]
    fn halo_bytes_have_columns_if_ranks_exchange_any() {
        let cost = |name: &str, halo_bytes, whole_halo_bytes| LoopCost {
            name: name.into(),
            halo_bytes,
            whole_halo_bytes,
            ..gather(&Comm::single(), &[LoopTimer::default()]).remove(0)
        };
        let costs = [cost("some", 1_500_000, 6_000_000), cost("none", 0, 4_000_000), cost("local", 0, 0)];
        let text = table(&costs, 1.0, None, 2);
        let words = |line: usize| text.lines().nth(line).unwrap().split_whitespace().collect::<Vec<&str>>();
        assert!(words(0).join(" ").contains("halo s halo MB of whole share"), "{text}");
        assert_eq!(words(1)[6..9], ["1.50", "25.0", "%"], "{text}");
        assert_eq!(words(2)[6..9], ["0.00", "0.0", "%"], "{text}");
        assert_eq!(words(3)[6..8], ["-", "-"], "{text}");
        assert!(!table(&costs[2..], 1.0, None, 2).contains("halo MB"), "nothing is exchanged");
        let peak = Peak { triad: 1.0, arithmetic: 1.0 };
        assert!(!table(&costs, 1.0, Some(peak), 2).contains("halo MB"), "no room beside other shares");
        let long = cost("some", 123_456_000_000, 123_456_000_000);
        assert_eq!(long.halo_text().unwrap(), ["123456", "100.0 %"]);
        let later = cost("later", 2_000_000, 0);
        assert_eq!(later.halo_text().unwrap(), ["2.00", "-"], "an earlier loop would fetch whole halos");
    }
}
