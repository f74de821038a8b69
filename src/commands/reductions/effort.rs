//! What a study takes: refused if that is hours, reported if it is seconds.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use cfd_reductions::study::{Summed, Work};

use super::simulate::{SETS_OF_ALL, candidates, variants};
use super::{Study, calls, delays};
use crate::console::complain;
use crate::exit::Error;

/// The most numbers that a study sums, which takes about an hour on a core.
const MOST: f64 = 1e11;
/// When a study is long enough to say how long.
const FIRST: Duration = Duration::from_secs(2);
/// Time between two reports.
const EVERY: Duration = Duration::from_secs(5);

/// How many numbers a study sums on all its numbers of ranks.
///
/// # Errors
/// There are too many; names the option to change.
pub fn numbers(study: &Study) -> Result<f64, Error> {
    let works = study.args.ranks.iter().flat_map(|&ranks| {
        let candidates = candidates(study, ranks).len();
        study.sources.iter().map(move |source| {
            let sets = source.sets(ranks, study.sets(ranks));
            Work::of(ranks, sets, sets.min(SETS_OF_ALL), candidates, variants(study, ranks))
        })
    });
    let (mut sets, mut variants) = (0.0, 0.0);
    for work in works {
        sets += work.sets;
        variants += work.variants;
    }
    for &ranks in &study.args.ranks {
        sets += calls::work(study, ranks);
        variants += delays::work(study, ranks);
    }
    let total = sets + variants;
    if total <= MOST {
        return Ok(total);
    }
    let args = &study.args;
    let (option, given) = if sets > variants { ("--sets", args.sets) } else { ("--variants", args.variants) };
    let argument = given.map_or("--ranks".into(), |given| format!("{option} {given}"));
    let reason = format!(
        "the study would sum {total:.1e} numbers, but at most {MOST:.0e} are possible, which take about an hour; ask for \
         fewer --sets, --variants, --ranks, --trees or --placements"
    );
    Err(Error::Argument { argument, reason })
}

/// Does the work of a study of `total` numbers, and says on stderr how long it will take if that is more than seconds.
pub fn reported<R>(total: f64, summed: &Summed, work: impl FnOnce() -> R) -> R {
    std::thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<()>();
        scope.spawn(move || report(total, summed, &ended));
        let result = work();
        drop(working);
        result
    })
}

fn report(total: f64, summed: &Summed, ended: &Receiver<()>) {
    let begin = Instant::now();
    let mut pause = FIRST;
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        complain(format_args!("{}", line(summed.count() as f64, total, begin.elapsed())));
        pause = EVERY;
    }
}

fn line(done: f64, total: f64, elapsed: Duration) -> String {
    let (share, seconds) = (done / total, elapsed.as_secs_f64());
    let left = seconds * (1.0 - share).max(0.0) / share.max(f64::MIN_POSITIVE);
    let left = if left < 1e6 { format!("about {left:.0} s left") } else { "not yet known how long".into() };
    format!("{:.0} % of {total:.1e} numbers summed, {seconds:.0} s so far, {left}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_how_much_is_done_and_how_long_the_rest_takes() {
        let report = |done: f64| line(done, 4e9, Duration::from_secs(20));
        assert_eq!(report(1e9), "25 % of 4.0e9 numbers summed, 20 s so far, about 60 s left");
        assert_eq!(report(4e9), "100 % of 4.0e9 numbers summed, 20 s so far, about 0 s left");
        assert_eq!(report(0.0), "0 % of 4.0e9 numbers summed, 20 s so far, not yet known how long");
    }
}
