//! The number of threads per block: tried out loop by loop in the first calls, and kept for later runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The candidates, in the order of trial.
const CANDIDATES: [usize; 4] = [256, 128, 512, 64];
/// Calls with each; the first warms up, and the fastest of the others counts.
const CALLS: usize = 4;

/// The choices of one rank.
pub(crate) struct Tuner {
    /// Used for all loops; none: tried out.
    fixed: Option<usize>,
    /// Where choices are kept.
    directory: Option<PathBuf>,
    /// By plan.
    trials: BTreeMap<usize, Trial>,
}

/// A loop for which the choice is being made.
struct Trial {
    /// Where its choice is kept.
    file: Option<PathBuf>,
    calls: usize,
    /// The fastest so far.
    best: Option<(f64, usize)>,
}

impl Tuner {
    pub(crate) fn new(fixed: Option<usize>, directory: Option<&Path>) -> Tuner {
        Tuner { fixed, directory: directory.map(Path::to_path_buf), trials: BTreeMap::new() }
    }

    /// The threads of the next call of a loop. `what` names the device and the loop with its size.
    pub(crate) fn threads(&mut self, plan: usize, name: &str, what: impl FnOnce() -> String) -> usize {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        let trial = self.trials.entry(plan).or_insert_with(|| {
            let key = blake3::hash(what().as_bytes()).to_hex();
            let file = self.directory.as_ref().map(|d| d.join(format!("{name}-{}.threads", &key[..16])));
            let kept = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
            let kept = kept.and_then(|text| text.trim().parse().ok()).filter(|n| CANDIDATES.contains(n));
            match kept {
                Some(threads) => {
                    Trial { file: None, calls: CANDIDATES.len() * CALLS, best: Some((0.0, threads)) }
                }
                None => Trial { file, calls: 0, best: None },
            }
        });
        match (CANDIDATES.get(trial.calls / CALLS), trial.best) {
            (Some(&candidate), _) => candidate,
            (None, Some((_, best))) => best,
            (None, None) => CANDIDATES[0],
        }
    }

    /// True while the loop's calls are still timed one by one.
    pub(crate) fn tries(&self, plan: usize) -> bool {
        self.trials.get(&plan).is_some_and(|trial| trial.calls < CANDIDATES.len() * CALLS)
    }

    /// Records the time of a call.
    pub(crate) fn note(&mut self, plan: usize, seconds: f64) {
        let Some(trial) = self.trials.get_mut(&plan) else { return };
        let threads = CANDIDATES[trial.calls / CALLS];
        let warm = trial.calls % CALLS > 0;
        trial.calls += 1;
        if warm && trial.best.is_none_or(|(best, _)| seconds < best) {
            trial.best = Some((seconds, threads));
        }
        if let (true, Some(file), Some((_, best))) =
            (trial.calls == CANDIDATES.len() * CALLS, &trial.file, trial.best)
        {
            // A choice that cannot be kept is tried out again by the next run.
            let _ = std::fs::write(file, format!("{best}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_candidate_is_chosen_and_found_again_by_the_next_run() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tuner-test");
        std::fs::create_dir_all(&directory).unwrap();
        let what = || format!("a device, {}", std::process::id());
        let mut tuner = Tuner::new(None, Some(&directory));
        let seconds = |threads| if threads == 512 { 1.0 } else { 2.0 };
        while {
            let threads = tuner.threads(3, "loop", what);
            let tried = tuner.tries(3);
            if tried {
                tuner.note(3, seconds(threads));
            }
            tried
        } {}
        assert_eq!(tuner.threads(3, "loop", what), 512);
        let mut next = Tuner::new(None, Some(&directory));
        assert_eq!(next.threads(7, "loop", what), 512);
        assert!(!next.tries(7));
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn the_first_call_with_a_size_only_warms_up() {
        let mut tuner = Tuner::new(None, None);
        let mut calls = BTreeMap::new();
        tuner.threads(0, "loop", String::new);
        while tuner.tries(0) {
            let threads = tuner.threads(0, "loop", String::new);
            let call = calls.entry(threads).or_insert(0);
            *call += 1;
            // 64 is the fastest, except in its first call; 128 only in its first call.
            tuner.note(
                0,
                if (*call == 1) == (threads == 128) { 1.0 } else { 9.0 }
                    - if threads == 64 { 0.5 } else { 0.0 },
            );
        }
        assert!(calls.values().all(|&calls| calls == CALLS));
        assert_eq!(tuner.threads(0, "loop", String::new), 64);
    }

    #[test]
    fn a_fixed_size_is_used_for_every_loop() {
        let mut tuner = Tuner::new(Some(64), None);
        assert_eq!(tuner.threads(0, "loop", String::new), 64);
        assert!(!tuner.tries(0));
    }
}
