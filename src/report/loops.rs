//! The cost of the loops, over all ranks: the table on the console and `loops.csv`.

use std::fmt::Write;
use std::time::Duration;

use cfd_engine::comm::Comm;
use cfd_engine::timer::LoopTimer;
use serde::Serialize;

use crate::bandwidth::Bandwidth;
use crate::console::entry;

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
}

/// A quotient that is zero where nothing was measured.
fn rate(amount: f64, per: f64) -> f64 {
    if per > 0.0 { amount / per } else { 0.0 }
}

/// The integers of one timer that are sent to rank 0.
const FIGURES: usize = 8;

/// The costs of all ranks' loops, on rank 0 (empty elsewhere). Collective; all ranks have run the same loops.
pub fn gather(comm: &Comm, timers: &[LoopTimer]) -> Vec<LoopCost> {
    let nanoseconds =
        |time: Duration| u64::try_from(time.as_nanos()).expect("a loop runs for less than 584 years");
    let own: Vec<u64> = timers
        .iter()
        .flat_map(|timer| {
            let (compute, wait) = (nanoseconds(timer.compute), nanoseconds(timer.halo_wait));
            let (elements, redundant) = (timer.elements(), timer.redundant_elements());
            let setup = nanoseconds(timer.setup);
            [timer.calls, compute, wait, timer.bytes, timer.flops, elements, redundant, setup]
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
struct Column<'a> {
    heading: &'static str,
    width: usize,
    text: Box<dyn Fn(&LoopCost) -> String + 'a>,
}

fn column<'a>(
    heading: &'static str,
    width: usize,
    text: impl Fn(&LoopCost) -> String + 'a,
) -> Option<Column<'a>> {
    Some(Column { heading, width, text: Box::new(text) })
}

/// The columns after the name that apply to this run.
fn columns<'a>(
    loops: &[LoopCost],
    solve_s: f64,
    measured: Option<&'a Bandwidth>,
    ranks: usize,
) -> Vec<Column<'a>> {
    let parallel = ranks > 1;
    let share = |part: f64, whole: f64| format!("{:.1} %", 100.0 * rate(part, whole));
    let time = |heading, time: fn(&LoopCost) -> f64| column(heading, 7, move |cost| seconds(time(cost)));
    let has_colors = loops.iter().any(|cost| cost.colors.is_some());
    let all = [
        column("calls", 7, |cost| cost.calls.to_string()),
        parallel.then(|| time("min s", |cost| cost.time_s.min)).flatten(),
        time(if parallel { "mean s" } else { "time s" }, |cost| cost.time_s.mean),
        parallel.then(|| time("max s", |cost| cost.time_s.max)).flatten(),
        parallel.then(|| time("halo s", |cost| cost.halo_wait_s)).flatten(),
        column("share", 7, move |cost| share(cost.time_s.mean, solve_s)),
        column("GB/s", 7, |cost| format!("{:.2}", cost.gbytes_per_s())),
        measured.and_then(|m| column("of triad", 8, move |cost| share(cost.gbytes_per_s(), m.triad.best))),
        column("GFLOP/s", 7, |cost| format!("{:.2}", cost.gflop_per_s())),
        measured.and_then(|m| column("of peak", 7, move |cost| share(cost.gflop_per_s(), m.arithmetic.best))),
        parallel
            .then(|| column("redundant", 9, |cost| format!("{:.2} %", cost.redundant_percent())))
            .flatten(),
        has_colors
            .then(|| column("colors", 6, |cost| cost.colors.map_or("-".into(), |colors| colors.to_string())))
            .flatten(),
    ];
    all.into_iter().flatten().collect()
}

/// The table on the console, with notes on what could be misread: the share is of the time of all iterations. If memory
/// bandwidth and arithmetic rate were measured, it shows each loop's shares of them.
pub fn table(loops: &[LoopCost], solve_s: f64, measured: Option<&Bandwidth>, ranks: usize) -> String {
    let columns = columns(loops, solve_s, measured, ranks);
    let width = loops.iter().map(|cost| cost.name.len()).max().unwrap_or(0).max("(schedules, once)".len());
    let row = |name: &str, text: &dyn Fn(&Column<'_>) -> String| {
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
    lines.extend(notes(loops, measured).iter().map(|(word, note)| entry(word, width + 1, note)));
    lines.join("\n")
}

/// Seconds, in seven columns.
fn seconds(time: f64) -> String {
    match time {
        0.0..1e3 => format!("{time:.3}"),
        0.0..1e5 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

/// What could be misread in the table: a word, and its explanation.
fn notes(loops: &[LoopCost], measured: Option<&Bandwidth>) -> Vec<(String, String)> {
    let mut notes = Vec::new();
    for cost in loops.iter().filter(|cost| cost.elided) {
        let note = "takes no time: the copy and the original swap their storages instead";
        notes.push((cost.name.clone(), note.into()));
    }
    let memory = measured.map_or("(--bandwidth)".into(), |m| format!("({:.2} GB/s)", m.triad.best));
    let note = format!(
        "the bytes that loops name over their time; rates above the memory's {memory} come from caches"
    );
    if loops.iter().any(|cost| cost.gbytes > 0.0) {
        notes.push(("GB/s".into(), note));
    }
    notes
}

/// `loops.csv`; `measured` as for [`table`].
pub fn to_csv(loops: &[LoopCost], solve_s: f64, measured: Option<&Bandwidth>) -> String {
    let mut csv = String::from(
        "name,calls,time_min_s,time_mean_s,time_max_s,halo_wait_s,share,gbytes,gbytes_per_s,gflop,gflop_per_s,\
         elements,redundant_elements,setup_s,colors,share_of_triad,share_of_peak\n",
    );
    for cost in loops {
        let LoopCost { name, calls, time_s, halo_wait_s, gbytes, gflop, elements, .. } = cost;
        let LoopCost { redundant_elements, setup_s, .. } = cost;
        let colors = cost.colors.map_or(String::new(), |colors| colors.to_string());
        let Spread { min, mean, max } = time_s;
        let share = rate(*mean, solve_s);
        let (bandwidth, speed) = (cost.gbytes_per_s(), cost.gflop_per_s());
        let of = |value: f64, whole: Option<f64>| {
            whole.map_or(String::new(), |whole| format!("{:.6}", rate(value, whole)))
        };
        let of_triad = of(bandwidth, measured.map(|m| m.triad.best));
        let of_peak = of(speed, measured.map(|m| m.arithmetic.best));
        writeln!(
            csv,
            "{name},{calls},{min:.6},{mean:.6},{max:.6},{halo_wait_s:.6},{share:.6},{gbytes},{bandwidth:.6},\
             {gflop},{speed:.6},{elements},{redundant_elements},{setup_s:.6},{colors},{of_triad},{of_peak}"
        )
        .expect("writing to a string");
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandwidth::Rate;
    use cfd_engine::timer::SetWork;

    fn timer(rank: u64) -> LoopTimer {
        LoopTimer {
            name: "update".into(),
            calls: 10,
            compute: Duration::from_secs(1 + rank),
            halo_wait: Duration::from_millis(500),
            bytes: 3_000_000_000,
            flops: 1_000_000_000,
            work: vec![SetWork { set: "cells".into(), elements: 100, redundant: rank }],
            setup: Duration::from_millis(250 * (1 + rank)),
            colors: (rank == 1).then_some(4),
        }
    }

    #[test]
    fn costs_are_gathered_over_ranks() {
        let gathered = Comm::simulate(3, |comm| gather(&comm, &[timer(comm.rank() as u64)]));
        assert!(gathered[1].is_empty() && gathered[2].is_empty());
        let cost = &gathered[0][0];
        assert_eq!(cost.time_s, Spread { min: 1.5, mean: 2.5, max: 3.5 });
        assert_eq!((cost.halo_wait_s, cost.gbytes, cost.gflop), (0.5, 9.0, 3.0));
        assert_eq!((cost.elements, cost.redundant_elements, cost.calls), (300, 3, 10));
        assert_eq!(cost.gbytes_per_s(), 9.0 / 2.5);
        assert_eq!(cost.redundant_percent(), 1.0);
        assert_eq!((cost.setup_s, cost.colors), (0.75, None), "of the slowest rank");
    }

    #[test]
    fn csv_and_table_have_a_row_for_every_loop() {
        let loops = gather(&Comm::single(), &[timer(0), timer(1)]);
        let csv = to_csv(&loops, 5.0, None);
        let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(widths, [17, 17, 17]);
        assert!(csv.lines().nth(1).unwrap().ends_with(",0.250000,,,"), "{csv}");
        assert!(csv.lines().nth(2).unwrap().ends_with(",0.500000,4,,"), "{csv}");
        assert!(
            csv.lines()
                .nth(1)
                .unwrap()
                .starts_with("update,10,1.500000,1.500000,1.500000,0.500000,0.300000,3,")
        );
        let table = table(&loops, 5.0, None, 1);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 6, "{table}");
        // Of 5 s, loops took 1.5 s and 2.5 s, and their schedules 0.25 s and 0.5 s: 0.25 s is outside.
        assert!(lines[3].ends_with("0.750  15.0 %") && lines[4].ends_with("0.250   5.0 %"), "{table}");
        assert!(lines[5].starts_with("GB/s") && lines[5].ends_with("come from caches"), "{table}");
        assert!(!table.contains("redundant") && !lines[0].contains("min s"), "of one rank: {table}");
    }

    #[test]
    fn several_ranks_have_a_shortest_and_a_longest_time_and_no_line_is_too_long() {
        let gathered = Comm::simulate(3, |comm| {
            let long = LoopTimer { name: "boundary_conductance".into(), ..timer(comm.rank() as u64) };
            gather(&comm, &[timer(comm.rank() as u64), long, timer(1)])
        });
        let measured = bandwidth(8.0, 2.0);
        let table = table(&gathered[0], 123_456.0, Some(&measured), 3);
        let row: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row[..5], ["update", "10", "1.500", "2.500", "3.500"], "{table}");
        assert!(table.lines().all(|line| line.len() <= crate::console::COLUMNS), "{table}");
    }

    #[test]
    fn a_copy_that_was_never_made_has_a_note() {
        let saved = LoopTimer { name: "save_soln".into(), calls: 7, ..LoopTimer::default() };
        let empty = SetWork { set: "bedges".into(), elements: 0, redundant: 0 };
        let none = LoopTimer { name: "wall".into(), calls: 7, work: vec![empty], ..LoopTimer::default() };
        let loops = gather(&Comm::single(), &[saved, none]);
        assert_eq!([loops[0].elided, loops[1].elided], [true, false]);
        let table = table(&loops, 5.0, None, 1);
        let last = table.lines().last().unwrap();
        assert!(last.starts_with("save_soln") && last.contains("swap their storages"), "{table}");
    }

    fn bandwidth(triad: f64, arithmetic: f64) -> Bandwidth {
        let rate = |best| Rate { best, median: best };
        Bandwidth {
            threads: 1,
            array_bytes: 1,
            copy: rate(1.0),
            triad: rate(triad),
            copy_non_temporal: None,
            triad_non_temporal: None,
            arithmetic: rate(arithmetic),
        }
    }

    #[test]
    fn a_known_bandwidth_and_arithmetic_show_each_loops_share_of_them() {
        let loops = gather(&Comm::single(), &[timer(0)]);
        // 3 GB and 10^9 operations in 1.5 s, against 8 GB/s and 2 GFLOP/s.
        let measured = bandwidth(8.0, 2.0);
        let csv = to_csv(&loops, 5.0, Some(&measured));
        assert!(csv.lines().next().unwrap().ends_with(",share_of_triad,share_of_peak"), "{csv}");
        assert!(csv.lines().nth(1).unwrap().ends_with(",0.250000,0.333333"), "{csv}");
        let with = table(&loops, 5.0, Some(&measured), 1);
        let lines: Vec<&str> = with.lines().collect();
        assert!(lines[0].contains("GB/s of triad") && lines[1].contains(" 25.0 %"), "{with}");
        assert!(lines[0].contains("GFLOP/s of peak") && lines[1].contains("0.67  33.3 %"), "{with}");
        assert_eq!(lines[0].len(), lines[1].len(), "{with}");
        assert!(lines[4].contains("the memory's (8.00 GB/s) come from caches"), "{with}");
        assert!(!table(&loops, 5.0, None, 1).contains("triad"));
    }
}
