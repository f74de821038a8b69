//! The history of a run: the residual of every iteration, and the reported values of some.

use std::fmt::Write;
use std::time::Duration;

use cfd_solvers::Solver;

/// A row of `history.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Iteration, from 1.
    pub iteration: u64,
    /// Its residual.
    pub residual: f64,
    /// The solver's values (lift, drag).
    pub values: Vec<f64>,
    /// Time since the first iteration began, including the runs that this one continues.
    pub time: Duration,
}

/// What happened, iteration by iteration.
#[derive(Clone, Debug)]
pub struct History {
    columns: Vec<String>,
    /// Columns that a line on the console has, by their places.
    on_console: Vec<usize>,
    residuals: Vec<f64>,
    rows: Vec<Row>,
    /// Iterations between rows.
    row_every: u64,
    /// Iterations between lines on the console; 0 if the number of iterations is unknown.
    line_every: u64,
    last: u64,
}

impl History {
    /// An empty history of a run of at most `last` iterations with these reported values, and one row per iteration.
    pub fn new(columns: Vec<String>, last: u64) -> History {
        let (residuals, rows) = (Vec::new(), Vec::new());
        let on_console = (0..columns.len()).collect();
        History { columns, on_console, residuals, rows, row_every: 1, line_every: round(last / 20), last }
    }

    /// The history of a solver's run, with a row every this many iterations.
    pub fn of(solver: &dyn Solver, last: u64, row_every: u64) -> History {
        let mut history = History::new(solver.columns(), last).with_rows_every(row_every);
        let shown = solver.console_columns();
        history.on_console.retain(|&at| shown.contains(&history.columns[at]));
        if solver.done().is_some() { history.open() } else { history }
    }

    /// The same with a row every this many iterations.
    pub fn with_rows_every(self, iterations: u64) -> History {
        History { row_every: iterations, ..self }
    }

    /// The same for a run that may well end earlier.
    pub fn open(self) -> History {
        History { line_every: 0, ..self }
    }

    /// Continues where another run stopped.
    pub fn resume(&mut self, residuals: Vec<f64>, rows: Vec<Row>) {
        (self.residuals, self.rows) = (residuals, rows);
    }

    /// Number of reported values per iteration.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The reported rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// True if an iteration has a row wherever the run ends.
    pub fn has_row(&self, iteration: u64) -> bool {
        iteration.is_multiple_of(self.row_every)
    }

    /// The rows that stay however the run continues: all except that of an iteration at which it could have ended.
    pub fn settled(&self) -> &[Row] {
        match self.rows.split_last() {
            Some((last, before)) if !self.has_row(last.iteration) => before,
            _ => &self.rows,
        }
    }

    /// Adds an iteration's residual, and its row if it has reported values. A row off the regular interval stays only
    /// while its iteration is the last one.
    pub fn push(&mut self, residual: f64, values: Option<Vec<f64>>, time: Duration) {
        self.rows.truncate(self.settled().len());
        self.residuals.push(residual);
        if let Some(values) = values {
            self.rows.push(Row { iteration: self.iterations(), residual, values, time });
        }
    }

    /// Iterations done.
    pub fn iterations(&self) -> u64 {
        self.residuals.len() as u64
    }

    /// The residual of every iteration.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The last residual.
    pub fn residual(&self) -> Option<f64> {
        self.residuals.last().copied()
    }

    /// The last row.
    pub fn last_row(&self) -> Option<&Row> {
        self.rows.last()
    }

    /// True when an iteration gets a line on the console: the first, the last, and about twenty in between; if the last
    /// is unknown, 1, 2, 5, 10, 20, 50, ...
    pub fn has_line(&self, iteration: u64) -> bool {
        let between = match self.line_every {
            0 => iteration == round(iteration),
            every => iteration.is_multiple_of(every),
        };
        iteration == 1 || iteration == self.last || between
    }

    /// BLAKE3 over the bits of all residuals, little-endian, in order: `blake3:` and 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for residual in &self.residuals {
            hasher.update(&residual.to_bits().to_le_bytes());
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// The reported values of the last iteration; `None` if it has no row.
    pub fn last_values(&self) -> Option<&[f64]> {
        let row = self.last_row().filter(|row| row.iteration == self.iterations())?;
        Some(&row.values).filter(|values| !values.is_empty()).map(Vec::as_slice)
    }

    /// Values with their names.
    pub fn named(&self, values: Vec<f64>) -> impl Iterator<Item = (&str, f64)> {
        self.names().zip(values)
    }

    /// Heading of the lines on the console.
    pub fn heading(&self) -> String {
        let mut line = format!("{:>10}  {:>12}", "iteration", "residual");
        for &at in &self.on_console {
            let column = &self.columns[at];
            write!(line, "  {column:>12}").expect("writing to a string");
        }
        line
    }

    /// The line of an iteration, with its reported values if any.
    pub fn line(&self, iteration: u64, residual: f64, values: &[f64]) -> String {
        let mut line = format!("{iteration:>10}  {residual:>12.5e}");
        for (value, name) in self.on_console.iter().filter_map(|&at| values.get(at).zip(self.columns.get(at)))
        {
            let width = name.len().max(12);
            match is_count(*value) || *value == 0.0 {
                true => write!(line, "  {value:>width$}"),
                false => write!(line, "  {value:>width$.5e}"),
            }
            .expect("writing to a string");
        }
        line
    }

    /// `history.csv`, with all digits, so reading it gives the same bits.
    pub fn to_csv(&self) -> String {
        self.csv_heading() + &self.csv_rows(&self.rows)
    }

    /// The first line of `history.csv`.
    pub fn csv_heading(&self) -> String {
        format!(
            "{}\n",
            ["iteration", "residual"]
                .into_iter()
                .chain(self.names())
                .chain(["time_s"])
                .collect::<Vec<_>>()
                .join(",")
        )
    }

    /// Names of the reported values.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(String::as_str)
    }

    /// Rows of `history.csv`.
    pub fn csv_rows(&self, rows: &[Row]) -> String {
        let mut csv = String::new();
        for row in rows {
            write!(csv, "{},{:e}", row.iteration, row.residual).expect("writing to a string");
            // Checkpoints of earlier versions may have a last row without values: empty fields.
            for at in 0..self.columns.len() {
                match row.values.get(at) {
                    Some(value) if is_count(*value) => write!(csv, ",{value}").expect("writing to a string"),
                    Some(value) => write!(csv, ",{value:e}").expect("writing to a string"),
                    None => csv.push(','),
                }
            }
            writeln!(csv, ",{:.6}", row.time.as_secs_f64()).expect("writing to a string");
        }
        csv
    }
}

/// A value that counts something is printed as an integer.
pub fn is_count(value: f64) -> bool {
    value.fract() == 0.0 && (1.0..1e9).contains(&value)
}

/// The largest of 1, 2, 5, 10, 20, 50, ... that is at most `n`; at least 1.
fn round(n: u64) -> u64 {
    let mut decade: u64 = 1;
    while n / 10 >= decade {
        decade *= 10;
    }
    [5, 2, 1].into_iter().map(|m| m * decade).find(|&m| m <= n).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_all_digits_and_a_column_for_every_value() {
        let mut history = History::new(vec!["lift".into(), "drag".into()], 3);
        let residual = 0.1 + 0.2;
        history.push(residual, Some(vec![1.0 / 3.0, -2e-300]), Duration::from_millis(1500));
        history.push(0.5, None, Duration::from_secs(2));
        history.push(0.25, Some(vec![200.0, 0.0]), Duration::from_secs(3));
        let csv = history.to_csv();
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("iteration,residual,lift,drag,time_s"));
        let fields: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(fields[0], "1");
        assert_eq!(fields[1].parse::<f64>().unwrap().to_bits(), residual.to_bits());
        assert_eq!(fields[2].parse::<f64>().unwrap().to_bits(), (1.0f64 / 3.0).to_bits());
        assert_eq!(fields[3].parse::<f64>().unwrap(), -2e-300);
        assert_eq!(lines.next(), Some("3,2.5e-1,200,0e0,3.000000"));
        assert_eq!(lines.next(), None);
        assert_eq!(history.residuals(), [residual, 0.5, 0.25]);
    }

    #[test]
    fn lines_on_the_console_stand_below_their_heading() {
        let mut history = History::new(vec!["hidden".into(), "lift".into(), "linear_iterations".into()], 3);
        history.on_console.remove(0);
        let lines = [history.heading(), history.line(1, 0.1, &[9.0, -0.25, 12.0]), history.line(2, 0.1, &[])];
        assert_eq!(lines[0], " iteration      residual          lift  linear_iterations");
        assert_eq!(lines[1], "         1    1.00000e-1   -2.50000e-1                 12");
        assert_eq!(lines[2], "         2    1.00000e-1");
    }

    #[test]
    fn a_row_between_the_others_is_there_as_long_as_its_iteration_is_the_last() {
        let mut history = History::new(vec!["lift".into()], 20).with_rows_every(3);
        for iteration in 1..=7u64 {
            // Like a run that writes checkpoints after iterations 4 and 7.
            let reported = history.has_row(iteration) || iteration == 4 || iteration == 7;
            history.push(0.5, reported.then(|| vec![iteration as f64]), Duration::ZERO);
            assert_eq!(history.last_values().is_some(), reported);
        }
        let iterations = |rows: &[Row]| rows.iter().map(|row| row.iteration).collect::<Vec<_>>();
        assert_eq!(iterations(history.rows()), [3, 6, 7]);
        assert_eq!(iterations(history.settled()), [3, 6]);
        assert_eq!(history.last_values(), Some(&[7.0][..]));
        let named: Vec<_> = history.named(vec![7.0]).collect();
        assert_eq!(named, [("lift", 7.0)]);
        history.push(0.5, None, Duration::ZERO);
        assert_eq!(iterations(history.rows()), [3, 6]);
        assert_eq!(history.last_values(), None, "those of another iteration are not its own");
    }

    #[test]
    fn a_run_of_any_length_prints_a_readable_number_of_lines() {
        for last in [1, 7, 20, 99, 100, 1000, 12_345, 1_000_000] {
            let history = History::new(Vec::new(), last);
            let lines = (1..=last).filter(|&i| history.has_line(i)).count();
            assert!((1..=52).contains(&lines), "{lines} lines for {last} iterations");
            assert!(history.has_line(1) && history.has_line(last));
        }
        assert_eq!([0, 1, 3, 9, 10, 49, 50].map(round), [1, 1, 2, 5, 10, 20, 50]);
        let open = History::new(Vec::new(), u64::MAX).open();
        let lines: Vec<u64> = (1..=3145).filter(|&i| open.has_line(i)).collect();
        assert_eq!(lines, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]);
    }
}
