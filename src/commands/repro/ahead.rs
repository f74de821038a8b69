//! Forecasts: whether the ranks of a run have room, and how long the runs may take.

use super::{Outcome, Variant};

/// Ranks that can share a processor in a test of bits; with more, a run mostly waits for messages.
const MOST_ON_A_PROCESSOR: u64 = 64;
/// A shorter wait needs no warning.
const SHORT_S: f64 = 10.0;

/// Resources for runs on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub processors: u64,
    /// Free memory, in bytes.
    pub memory: Option<u64>,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let memory = crate::memory::room().machine;
        Machine { processors, memory: (memory < u64::MAX).then_some(memory) }
    }

    /// A warning about a run with more ranks than the processors can serve.
    pub fn crowded(self, ranks: u32) -> Option<String> {
        (u64::from(ranks) > MOST_ON_A_PROCESSOR.saturating_mul(self.processors)).then(|| {
            format!(
                "{ranks} ranks share {} here; such a run can take very long or run out of memory",
                counted(self.processors, "processor")
            )
        })
    }

    /// A warning about a run whose ranks, each as large as those of an earlier run, need more memory than is free.
    pub fn full(self, done: &Outcome, ranks: u32) -> Option<String> {
        let (free, each) = (self.memory?, done.bytes? / done.ranks.max(1));
        let needed = each.saturating_mul(ranks.into());
        (needed > free).then(|| {
            let [each, needed, free] = [each, needed, free].map(|bytes| bytes / 1_000_000);
            format!("{ranks} ranks of {each} MB each need {needed} MB, but {free} MB are free here")
        })
    }

    /// The time that the remaining runs may take, judged by a finished one: each rank needs as much processor time as
    /// one of its ranks did.
    pub fn seconds(self, done: &Outcome, ahead: &[Variant]) -> f64 {
        let turns = |ranks: u64| ranks.max(self.processors) as f64;
        ahead.iter().map(|next| done.time_s * turns(next.ranks.into()) / turns(done.ranks)).sum()
    }

    /// A message about the remaining runs after the first one; `None` if they are too short to mention.
    pub fn forecast(self, done: &Outcome, ahead: &[Variant]) -> Option<String> {
        let seconds = self.seconds(done, ahead);
        let time = match seconds {
            0.0..SHORT_S => return None,
            SHORT_S..120.0 => format!("{seconds:.0} s"),
            120.0..7200.0 => format!("{:.0} min", seconds / 60.0),
            _ => format!("{:.0} h", seconds / 3600.0),
        };
        let (took, more) = (done.time_s, counted(ahead.len() as u64, "more run"));
        Some(format!("the first run took {took:.1} s; {more} may take about {time}"))
    }
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use cfd_engine::strategy::Strategy;

    use super::*;
    use crate::commands::repro::report::tests::outcome;

    fn ahead(ranks: &[u32]) -> Vec<Variant> {
        let variant = |&ranks| Variant {
            build: 0,
            binary: None,
            ranks,
            threads: None,
            partitioner: None,
            seed: None,
            strategy: None,
            backend: None,
        };
        ranks.iter().map(variant).collect()
    }

    #[test]
    fn ranks_beyond_the_processors_take_turns() {
        let machine = Machine { processors: 2, memory: None };
        let mut done = outcome(Strategy::Regions, 1, "a", "h");
        done.time_s = 3.0;
        assert_eq!(machine.seconds(&done, &ahead(&[1, 2])), 6.0);
        assert_eq!(machine.forecast(&done, &ahead(&[1, 2])), None);
        let forecast = machine.forecast(&done, &ahead(&[2, 5000])).unwrap();
        assert_eq!(forecast, "the first run took 3.0 s; 2 more runs may take about 2 h");
        done.ranks = 5000;
        assert_eq!(machine.seconds(&done, &ahead(&[5000])), 3.0);
    }

    #[test]
    fn too_many_ranks_for_processors_or_memory_are_warned_of() {
        let machine = Machine { processors: 2, memory: Some(8_000_000_000) };
        assert_eq!(machine.crowded(128), None);
        assert!(machine.crowded(129).unwrap().starts_with("129 ranks share 2 processors here"));
        let mut done = outcome(Strategy::Regions, 2, "a", "h");
        assert_eq!(machine.full(&done, 5000), None, "the system does not tell");
        done.bytes = Some(100_000_000);
        assert_eq!(machine.full(&done, 160), None);
        let full = machine.full(&done, 5000).unwrap();
        assert_eq!(full, "5000 ranks of 50 MB each need 250000 MB, but 8000 MB are free here");
    }
}
