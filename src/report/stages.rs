//! What the stages of setting up take: seconds and memory.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::time::Instant;

use cfd_engine::comm::{Comm, ReduceOp};

use crate::memory;

/// The stages that have ended on this rank.
pub struct Stages {
    ended: RefCell<Vec<Stage>>,
    last: Cell<Instant>,
}

/// One stage: its name, microseconds, and bytes in memory at its end and at most so far.
struct Stage {
    name: &'static str,
    figures: [u64; 3],
}

impl Stages {
    /// The first stage begins now.
    pub fn begin() -> Stages {
        Stages { ended: RefCell::default(), last: Cell::new(Instant::now()) }
    }

    /// A stage ends, and the next begins.
    pub fn end(&self, name: &'static str) {
        let now = Instant::now();
        let micros = (now - self.last.replace(now)).as_micros() as u64;
        let figures = [micros, memory::resident().unwrap_or(0), memory::peak().unwrap_or(0)];
        self.ended.borrow_mut().push(Stage { name, figures });
    }

    /// The largest figures over ranks, stage by stage. Collective.
    pub fn table(&self, comm: &Comm) -> String {
        let ended = self.ended.borrow();
        let mut figures: Vec<u64> = ended.iter().flat_map(|stage| stage.figures).collect();
        comm.all_reduce(&mut figures, ReduceOp::Max);
        let mut table = format!("{:<13} {:>9} {:>11} {:>9}", "stage", "seconds", "memory MiB", "peak MiB");
        for (stage, figures) in ended.iter().zip(figures.chunks_exact(3)) {
            let (seconds, mib) = (figures[0] as f64 / 1e6, |bytes: u64| bytes as f64 / (1u64 << 20) as f64);
            let (memory, peak) = (mib(figures[1]), mib(figures[2]));
            write!(table, "\n{:<13} {seconds:>9.2} {memory:>11.1} {peak:>9.1}", stage.name)
                .expect("writing to a string");
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_and_largest_rank_of_each_stage_counts() {
        let tables = Comm::simulate(2, |comm| {
            let figures =
                |slow: u64| if comm.rank() as u64 == slow { [2_500_000, 3 << 20, 7 << 20] } else { [0; 3] };
            let ended = vec![
                Stage { name: "mesh", figures: figures(0) },
                Stage { name: "partition", figures: figures(1) },
            ];
            let stages = Stages { ended: RefCell::new(ended), ..Stages::begin() };
            stages.table(&comm)
        });
        assert_eq!(tables[0], tables[1]);
        let lines: Vec<Vec<&str>> = tables[0].lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1..], [["mesh", "2.50", "3.0", "7.0"], ["partition", "2.50", "3.0", "7.0"]]);
    }
}
