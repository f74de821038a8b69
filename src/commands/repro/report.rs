//! The results of the runs: table, verdict, JSON.

use cfd_engine::strategy::{HashClass, Mode};
use serde::Serialize;

use super::{Build, Outcome};
use crate::cli::ReproArgs;
use crate::exit::Error;
use crate::report::page::{Mood, Page};

/// What follows from fast mode.
const NO_SURPRISE: &str = "fast mode promises the same bits only for the same ranks, threads, partitioner, seed and \
    build, so differences are expected; --mode reproducible gives the same bits for all of them";

/// The table's heading; with a column for builds if there are several.
pub fn heading(builds: bool) -> String {
    if builds { format!("{HEADING}  build") } else { HEADING.into() }
}

const HEADING: &str = "ranks threads  partitioner  seed  strategy              class        solution          history           backend     time s";

/// Hexadecimal digits of a hash in the table.
const DIGITS: usize = 16;

/// All runs and the conclusions from them.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    config: String,
    launcher: String,
    runs: Vec<Outcome>,
    classes: Vec<Class>,
    /// True when all runs are equal within each class.
    equal: bool,
    first_difference: Option<Difference>,
}

/// The runs of one class.
#[derive(Clone, Debug, Serialize)]
struct Class {
    class: HashClass,
    runs: usize,
    solutions: usize,
    histories: usize,
}

/// Two runs of one class that differ; positions count from 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Difference {
    class: HashClass,
    what: &'static str,
    runs: [usize; 2],
    hashes: [String; 2],
}

impl Outcome {
    /// The run's row in the table.
    pub fn row(&self) -> String {
        let Outcome { ranks, threads, partitioner, seed, strategy, backend, class, .. } = self;
        let Outcome { solution, history, time_s, binary, .. } = self;
        let binary = binary.as_ref().map_or(String::new(), |name| format!("  {name}"));
        format!(
            "{ranks:>5} {threads:>7}  {partitioner:<11} {seed:>5}  {:<20}  {:<11}  {:<DIGITS$}  {:<DIGITS$}  {backend:<8}  {time_s:>8.2}{binary}",
            strategy.0.name(),
            class.name(),
            short(solution),
            short(history),
        )
    }

    fn words(&self) -> String {
        let Outcome { ranks, threads, partitioner, seed, strategy, backend, .. } = self;
        let on = if backend == "cpu" { String::new() } else { format!(" on {backend}") };
        let plural = if *ranks == 1 { "" } else { "s" };
        let each = if *threads == 1 { String::new() } else { format!(" of {threads} threads") };
        let binary = self.binary.as_ref().map_or(String::new(), |name| format!(", {name}"));
        format!(
            "{ranks} rank{plural}{each}{on} by {partitioner} (seed {seed}), strategy {}{binary}",
            strategy.0.name()
        )
    }
}

/// The first digits of a hash.
fn short(hash: &str) -> &str {
    let digits = hash.strip_prefix("blake3:").unwrap_or(hash);
    digits.get(..DIGITS).unwrap_or(digits)
}

impl Report {
    /// Compares the runs.
    pub fn new(args: &ReproArgs, builds: &[Build], runs: Vec<Outcome>) -> Report {
        let first_difference = first_difference(&runs);
        let launchers: Vec<String> = builds.iter().map(|build| build.launcher.to_string()).collect();
        Report {
            config: args.config.clone(),
            launcher: launchers.join("; "),
            classes: classes(&runs),
            equal: first_difference.is_none(),
            first_difference,
            runs,
        }
    }

    /// One line per class, and the verdict.
    pub fn verdict(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for Class { class, runs, solutions, histories } in &self.classes {
            let hashes =
                |count: usize, of: &str| format!("{count} {of} hash{}", if count == 1 { "" } else { "es" });
            let (solutions, histories) = (hashes(*solutions, "solution"), hashes(*histories, "history"));
            lines.push(format!("class {:<11}  {runs} runs: {solutions}, {histories}", class.name()));
        }
        lines.push(format!("verdict            {}", self.outcome()));
        if let Some(why) = self.no_surprise() {
            lines.push(format!("                   {why}"));
        }
        lines.join("\n")
    }

    fn outcome(&self) -> &'static str {
        if self.equal { "equal within each class" } else { "DIFFERENT" }
    }

    /// Why runs in fast mode differ, if they do.
    fn no_surprise(&self) -> Option<&'static str> {
        let Difference { runs: [a, b], .. } = self.first_difference.as_ref()?;
        [a, b].iter().all(|run| self.runs[**run].mode == Mode::Fast).then_some(NO_SURPRISE)
    }

    /// The table and the verdict as a page.
    pub fn to_html(&self) -> String {
        let line = format!("{}, {} runs, launcher {}", self.config, self.runs.len(), self.launcher);
        let mut page = Page::new("Reproducibility", &line);
        page.verdict(if self.equal { Mood::Good } else { Mood::Bad }, self.outcome());
        self.no_surprise().iter().for_each(|why| page.paragraph(why));
        if let Err(error) = self.result() {
            page.paragraph(&error.to_string());
        }
        page.heading("Classes");
        let class = |class: &Class| {
            let Class { class, runs, solutions, histories } = class;
            vec![class.name().into(), runs.to_string(), solutions.to_string(), histories.to_string()]
        };
        let rows: Vec<Vec<String>> = self.classes.iter().map(class).collect();
        page.table(&["class", "runs", "solution hashes", "history hashes"], &rows);
        page.heading("Runs");
        let builds = self.runs.iter().any(|run| run.binary.is_some());
        let row = |run: &Outcome| {
            let mut row = vec![
                run.ranks.to_string(),
                run.threads.to_string(),
                run.partitioner.clone(),
                run.seed.to_string(),
                run.strategy.0.name().into(),
                run.class.name().into(),
                run.backend.clone(),
                short(&run.solution).into(),
                short(&run.history).into(),
                format!("{:.2}", run.time_s),
            ];
            row.extend(builds.then(|| run.binary.clone().unwrap_or_default()));
            row
        };
        let mut columns = vec![
            "ranks",
            "threads",
            "partitioner",
            "seed",
            "strategy",
            "class",
            "backend",
            "solution",
            "history",
            "time s",
        ];
        columns.extend(builds.then_some("build"));
        page.table(&columns, &self.runs.iter().map(row).collect::<Vec<_>>());
        page.html()
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("reports have string keys")
    }

    /// An error with the first pair that differs.
    pub fn result(&self) -> Result<(), Error> {
        let Some(Difference { class, what, runs, hashes }) = &self.first_difference else { return Ok(()) };
        let [a, b] = runs.map(|run| self.runs[run].words());
        let [one, other] = hashes;
        let what = format!("class \"{}\", but the {what} hashes are {one} and {other}", class.name());
        Err(Error::Different { a, b, what })
    }
}

/// Classes in the order in which they first ran.
fn classes(runs: &[Outcome]) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for run in runs {
        if classes.iter().any(|known| known.class == run.class) {
            continue;
        }
        let members: Vec<&Outcome> = runs.iter().filter(|other| other.class == run.class).collect();
        let distinct = |hash: fn(&Outcome) -> &str| {
            let mut hashes: Vec<&str> = members.iter().map(|run| hash(run)).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes.len()
        };
        classes.push(Class {
            class: run.class,
            runs: members.len(),
            solutions: distinct(|run| &run.solution),
            histories: distinct(|run| &run.history),
        });
    }
    classes
}

/// The first run that differs from the first of its class.
fn first_difference(runs: &[Outcome]) -> Option<Difference> {
    runs.iter().enumerate().find_map(|(at, run)| {
        let first = runs.iter().position(|other| other.class == run.class)?;
        let hashes = |run: &Outcome| {
            let mesh = run.mesh.clone().unwrap_or_else(|| "none".into());
            [("solution", run.solution.clone()), ("history", run.history.clone()), ("mesh", mesh)]
        };
        let mut pairs = hashes(&runs[first]).into_iter().zip(hashes(run));
        let ((what, one), (_, other)) = pairs.find(|(one, other)| one != other)?;
        let hashes = [one, other];
        Some(Difference { class: run.class, what, runs: [first, at], hashes })
    })
}

#[cfg(test)]
pub(super) mod tests {
    use cfd_engine::strategy::{Mode, Strategy};

    use super::*;
    use crate::config::ByName;

    pub fn outcome(strategy: Strategy, ranks: u64, solution: &str, history: &str) -> Outcome {
        Outcome {
            binary: None,
            ranks,
            threads: 1,
            partitioner: "metis".into(),
            seed: 0,
            mode: Mode::Reproducible,
            strategy: ByName(strategy),
            backend: "cpu".into(),
            class: strategy.class(),
            solution: solution.into(),
            history: history.into(),
            mesh: None,
            time_s: 1.5,
            bytes: None,
        }
    }

    #[test]
    fn runs_are_compared_within_their_class_alone() {
        let (regions, greedy) = (Strategy::Regions, Strategy::GreedyColoring);
        let mut runs = vec![
            outcome(regions, 1, "a", "h"),
            outcome(greedy, 1, "b", "i"),
            outcome(Strategy::TemporaryArray, 3, "a", "h"),
            outcome(greedy, 3, "b", "i"),
        ];
        assert_eq!(first_difference(&runs), None);
        let found: Vec<_> = classes(&runs).iter().map(|c| (c.class, c.runs, c.solutions)).collect();
        assert_eq!(found, [(HashClass::Sequential, 2, 1), (HashClass::Greedy, 2, 1)]);
        runs[2].mesh = Some("m".into());
        let difference = first_difference(&runs).unwrap();
        assert_eq!((difference.what, difference.runs), ("mesh", [0, 2]));
        runs[2].mesh = None;
        runs[3].history = "j".into();
        let difference = first_difference(&runs).unwrap();
        assert_eq!((difference.what, difference.runs), ("history", [1, 3]));
        runs[2].solution = "c".into();
        let difference = first_difference(&runs).unwrap();
        assert_eq!((difference.what, difference.runs), ("solution", [0, 2]));
        assert_eq!(classes(&runs)[0].solutions, 2);
    }

    #[test]
    fn runs_of_fast_mode_that_differ_are_no_surprise_and_others_are() {
        let report = |mode| {
            let run = |ranks, solution| Outcome { mode, ..outcome(Strategy::Core, ranks, solution, "h") };
            let runs = vec![run(1, "a"), run(3, "b")];
            let (first, classes) = (first_difference(&runs), classes(&runs));
            Report {
                config: "c.toml".into(),
                launcher: "none".into(),
                runs,
                classes,
                equal: false,
                first_difference: first,
            }
        };
        assert!(report(Mode::Fast).verdict().contains("differences are expected"));
        assert!(report(Mode::Fast).to_html().contains("differences are expected"));
        assert!(!report(Mode::Reproducible).verdict().contains("differences are expected"));
    }

    #[test]
    fn rows_are_as_wide_as_the_heading() {
        let hash = format!("blake3:{}", "0123456789abcdef".repeat(4));
        let row = outcome(Strategy::DistributedColoring, 16, &hash, &hash).row();
        assert_eq!(row.len(), HEADING.len(), "\n{HEADING}\n{row}");
        assert!(row.contains(" 0123456789abcdef "));
    }
}
