//! Whether a program still works, by its processor time, its output and its threads' states.
//!
//! A limit on the time of the clock would take a program that other work keeps waiting for one that hangs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Processor time of a clock tick of /proc.
const TICK: Duration = Duration::from_millis(10);

/// A program's threads and its output at some time.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Time since the program began.
    pub at: Duration,
    /// Processor time of each thread, by process and thread.
    pub worked: BTreeMap<(u32, u32), Duration>,
    /// Whether a thread works or waits for a processor or a disk, rather than for another.
    pub is_busy: bool,
    /// Bytes of output.
    pub output: u64,
}

/// What was seen of a program.
#[derive(Debug)]
pub struct Watch {
    /// Processor time of a thread, or time in which all wait, without output.
    limit: Duration,
    /// Time after which it is given up in any case.
    last: Duration,
    /// At the last output.
    output: Sample,
    /// When something was last busy.
    busy: Duration,
    seen: Sample,
}

impl Watch {
    pub fn new(limit: Duration, last: Duration) -> Watch {
        Watch { limit, last, output: Sample::default(), busy: Duration::ZERO, seen: Sample::default() }
    }

    /// Why the program hangs, if it does.
    pub fn see(&mut self, sample: Sample) -> Option<String> {
        if sample.output != self.output.output {
            self.output = sample.clone();
        }
        if sample.is_busy || sample.worked != self.seen.worked || sample.output != self.seen.output {
            self.busy = sample.at;
        }
        let before = |thread| self.output.worked.get(thread).copied().unwrap_or_default();
        let most = sample.worked.iter().map(|(thread, worked)| worked.saturating_sub(before(thread))).max();
        let (most, limit) = (most.unwrap_or_default(), self.limit);
        let why = if most > limit {
            Some(format!("a thread has worked for {most:?} without any output"))
        } else if sample.at - self.busy > limit {
            Some(format!("all threads have waited for {limit:?}"))
        } else if sample.at > self.last {
            Some(format!("it has not ended after {:?}", self.last))
        } else {
            None
        };
        self.seen = sample;
        why
    }
}

/// The threads of a process and of those that it has started, and theirs; without /proc, none, which are busy.
pub fn threads(process: u32) -> (BTreeMap<(u32, u32), Duration>, bool) {
    let (mut worked, mut is_busy) = (BTreeMap::new(), !Path::new("/proc/self/task").exists());
    for process in tree(process) {
        for (thread, stat) in tasks(process) {
            // After the name, in brackets: the state, and as the 12th and 13th fields the times.
            let fields: Vec<&str> =
                stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
            let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
            worked.insert((process, thread), TICK * (ticks(11) + ticks(12)));
            is_busy |= matches!(fields.first(), Some(&("R" | "D")));
        }
    }
    (worked, is_busy)
}

/// A process and those that it has started, and theirs.
pub fn tree(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut next = 0;
    while let Some(&process) = all.get(next) {
        for (thread, _) in tasks(process) {
            let path = format!("/proc/{process}/task/{thread}/children");
            let children = std::fs::read_to_string(path).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
        next += 1;
    }
    all
}

/// The threads of a process with their lines in /proc.
fn tasks(process: u32) -> Vec<(u32, String)> {
    let entries = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let task = |entry: std::fs::DirEntry| {
        let thread = entry.file_name().to_str()?.parse().ok()?;
        Some((thread, std::fs::read_to_string(entry.path().join("stat")).ok()?))
    };
    entries.filter_map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    /// Looks every second for ten minutes at a program of two threads; when it is found to hang, and why.
    fn looks(sample: impl Fn(u64) -> ([u64; 2], bool, u64)) -> Option<(u64, String)> {
        let mut watch = Watch::new(seconds(60), seconds(500));
        (1..=600).find_map(|at| {
            let (worked, is_busy, output) = sample(at);
            let worked = [((1, 1), seconds(worked[0])), ((1, 2), seconds(worked[1]))].into();
            Some((at, watch.see(Sample { at: seconds(at), worked, is_busy, output })?))
        })
    }

    #[test]
    fn what_others_keep_from_working_does_not_hang_before_the_last_limit() {
        let starved = looks(|at| ([at / 20, at / 30], true, 7));
        assert_eq!(starved, Some((501, "it has not ended after 500s".into())));
        let stopped = looks(|_| ([3, 0], true, 7));
        assert_eq!(stopped.unwrap().0, 501);
    }

    #[test]
    fn what_works_and_says_something_does_not_hang() {
        assert_eq!(looks(|at| ([at, at / 2], true, at / 50)).unwrap().0, 501);
        // It sleeps most of the time.
        assert_eq!(looks(|at| ([0, at / 40], false, 1)).unwrap().0, 501);
    }

    #[test]
    fn what_only_works_and_what_only_waits_hangs() {
        let (at, why) = looks(|at| ([5, at.saturating_sub(100)], true, 1 + at.min(50) / 10)).unwrap();
        assert_eq!((at, why.as_str()), (161, "a thread has worked for 61s without any output"));
        let (at, why) = looks(|at| ([at.min(30), 2], at < 30, 1)).unwrap();
        assert_eq!((at, why.as_str()), (91, "all threads have waited for 60s"));
    }

    #[test]
    fn threads_of_a_process_and_its_children_are_found_with_their_times() {
        if !Path::new("/proc/self/task").exists() {
            println!("not checked: no /proc here");
            return;
        }
        // The shell waits for another one, which works.
        let mut child =
            std::process::Command::new("sh").args(["-c", "sh -c 'while :; do :; done'; :"]).spawn().unwrap();
        let begin = std::time::Instant::now();
        let (mut worked, mut is_busy) = (BTreeMap::new(), false);
        while begin.elapsed() < seconds(60) && worked.values().all(|worked| *worked < 3 * TICK) {
            (worked, is_busy) = threads(child.id());
        }
        let all = tree(child.id());
        for process in all.iter().rev() {
            std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap();
        }
        child.wait().unwrap();
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(is_busy && worked[&(all[1], all[1])] >= 3 * TICK, "{worked:?}");
    }
}
