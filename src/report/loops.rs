//! The cost of the loops: the table on the console, with notes on what could be misread, and `loops.csv`.

use std::fmt::Write;

use cfd_api::loops::{self, Peak, Spread, rate};
pub use cfd_api::loops::{LoopCost, gather};

use crate::bandwidth::Bandwidth;
use crate::console::entry;

/// The table on the console, with notes: the share is of the time of all iterations. If memory bandwidth and arithmetic
/// rate were measured, it shows each loop's shares of them.
pub fn table(loops: &[LoopCost], solve_s: f64, measured: Option<&Bandwidth>, ranks: usize) -> String {
    let peak = measured.map(|m| Peak { triad: m.triad.best, arithmetic: m.arithmetic.best });
    let mut lines = vec![loops::table(loops, solve_s, peak, ranks)];
    let width = loops::name_width(loops);
    lines.extend(notes(loops, measured).iter().map(|(word, note)| entry(word, width + 1, note)));
    lines.join("\n")
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
         elements,redundant_elements,setup_s,colors,share_of_triad,share_of_peak,halo_bytes,whole_halo_bytes\n",
    );
    for cost in loops {
        let LoopCost { name, calls, time_s, halo_wait_s, gbytes, gflop, elements, .. } = cost;
        let LoopCost { redundant_elements, setup_s, halo_bytes, whole_halo_bytes, .. } = cost;
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
             {gflop},{speed:.6},{elements},{redundant_elements},{setup_s:.6},{colors},{of_triad},{of_peak},\
             {halo_bytes},{whole_halo_bytes}"
        )
        .expect("writing to a string");
    }
    csv
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cfd_engine::comm::Comm;
    use cfd_engine::timer::{LoopTimer, SetWork};

    use super::*;
    use crate::bandwidth::Rate;

    fn timer(rank: u64) -> LoopTimer {
        LoopTimer {
            name: "update".into(),
            calls: 10,
            compute: Duration::from_secs(1 + rank),
            halo_wait: Duration::from_millis(500),
            halo_bytes: 800,
            whole_halo_bytes: 1000,
            bytes: 3_000_000_000,
            flops: 1_000_000_000,
            work: vec![SetWork { set: "cells".into(), elements: 100, redundant: rank }],
            setup: Duration::from_millis(250 * (1 + rank)),
            colors: (rank == 1).then_some(4),
        }
    }

    #[test]
    fn csv_and_table_have_a_row_for_every_loop() {
        let loops = gather(&Comm::single(), &[timer(0), timer(1)]);
        let csv = to_csv(&loops, 5.0, None);
        let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(widths, [19, 19, 19]);
        assert!(csv.lines().nth(1).unwrap().ends_with(",0.250000,,,,800,1000"), "{csv}");
        assert!(csv.lines().nth(2).unwrap().ends_with(",0.500000,4,,,800,1000"), "{csv}");
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
        let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>();
        assert!(words(3).ends_with(&["0.750", "15.0", "%"]), "{table}");
        assert!(words(4).ends_with(&["0.250", "5.0", "%"]), "{table}");
        assert!(
            lines[0].contains(" halo MB of whole ") && words(1)[3..6] == ["0.00", "80.0", "%"],
            "{table}"
        );
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
        assert!(
            csv.lines()
                .next()
                .unwrap()
                .ends_with(",share_of_triad,share_of_peak,halo_bytes,whole_halo_bytes"),
            "{csv}"
        );
        assert!(csv.lines().nth(1).unwrap().ends_with(",0.250000,0.333333,800,1000"), "{csv}");
        let with = table(&loops, 5.0, Some(&measured), 1);
        let lines: Vec<&str> = with.lines().collect();
        assert!(lines[0].contains("GB/s of triad") && lines[1].contains(" 25.0 %"), "{with}");
        assert!(lines[0].contains("GFLOP/s of peak") && lines[1].contains("0.67  33.3 %"), "{with}");
        assert_eq!(lines[0].len(), lines[1].len(), "{with}");
        assert!(lines[4].contains("the memory's (8.00 GB/s) come from caches"), "{with}");
        assert!(!table(&loops, 5.0, None, 1).contains("triad"));
    }
}
