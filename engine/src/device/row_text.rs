//! The part of a loop's text about long rows: they pass through shared memory.
//!
//! Threads that write long rows side by side write a few bytes of many sectors each time. Where a loop writes such a
//! row, its threads' rows, which lie one after the other, are brought to shared memory and back by all threads of the
//! block together. Shorter rows of that loop go the same way, because shared memory leaves them little of the first cache.

use std::fmt::Write;

use super::loop_text::{Argument, Method, Shape, dat_of, padded};
use super::results_text::{FEWEST_THREADS, SHARED_BYTES};
use crate::kernel::Access;
use crate::operand::Place;

/// Values of a row from which on it is a long one: more than two sectors of a GPU's memory.
const LONG: usize = 9;
/// Values of a row from which on it goes with long ones: more than one load has.
const ALONG: usize = 3;

impl Shape {
    /// The arguments whose rows pass through shared memory.
    pub(super) fn long_rows(&self) -> Vec<usize> {
        let once = matches!(self.method, Method::None | Method::Atomic | Method::Staged);
        let by_rows = |a: &Argument, least: usize| {
            once && matches!(a.place, Place::Direct { .. }) && !a.columns && !a.integer && a.dim >= least
        };
        let written = |a: &Argument| by_rows(a, LONG) && matches!(a.access, Access::Write | Access::Rw);
        if !self.arguments.iter().any(written) {
            return Vec::new();
        }
        let staged =
            |&k: &usize| by_rows(&self.arguments[k], ALONG) && self.arguments[k].access != Access::Inc;
        let rows: Vec<usize> = (0..self.arguments.len()).filter(staged).collect();
        if self.bytes_of(&rows, FEWEST_THREADS) > SHARED_BYTES / 2 { Vec::new() } else { rows }
    }

    /// Bytes of shared memory for the rows of so many threads.
    pub(super) fn long_row_bytes(&self, threads: usize) -> usize {
        self.bytes_of(&self.long_rows(), threads)
    }

    fn bytes_of(&self, rows: &[usize], threads: usize) -> usize {
        rows.iter().map(|&k| 8 * threads * padded(self.arguments[k].dim)).sum()
    }

    /// Shared memory for them.
    pub(super) fn declare_long_rows(&self, text: &mut String) {
        for k in self.long_rows() {
            let step = padded(self.arguments[k].dim);
            writeln!(text, "CFD_SHARED(double, rows{k}, CFD_THREADS * {step});")
                .expect("writing to a string succeeds");
        }
    }

    /// Brings the rows of elements `begin` to `end` that the kernel reads.
    pub(super) fn fetch_long_rows(&self, text: &mut String) {
        self.move_long_rows(
            text,
            |access| access != Access::Write,
            |here, there| format!("{here} = {there};"),
        );
    }

    /// Stores those that it has written, where elements are at home.
    pub(super) fn store_long_rows(&self, text: &mut String) {
        self.move_long_rows(
            text,
            |access| access != Access::Read,
            |here, there| format!("if ((listed & CFD_HOME) != 0) {there} = {here};"),
        );
    }

    fn move_long_rows(
        &self,
        text: &mut String,
        wanted: impl Fn(Access) -> bool,
        action: impl Fn(&str, &str) -> String,
    ) {
        let rows = self.long_rows();
        let moved: Vec<usize> = rows.into_iter().filter(|&k| wanted(self.arguments[k].access)).collect();
        if moved.is_empty() {
            return;
        }
        text.push_str("CFD_PHASE\n");
        for k in moved {
            let (argument, step) = (&self.arguments[k], padded(self.arguments[k].dim));
            let (dim, dat) = (argument.dim, dat_of(argument.place).expect("rows are a dat's"));
            let action = action(
                &format!("rows{k}[i / {dim} * {step} + i % {dim}]"),
                &format!("a.d{dat}[(i64)(listed & ~CFD_HOME) * {dim} + i % {dim}]"),
            );
            writeln!(
                text,
                "for (int i = thread; i < (int)(end - begin) * {dim}; i += CFD_THREADS) {{\n\
                 const unsigned listed = cfd_listed_row(a, begin + i / {dim});\n\
                 {action}\n\
                 }}"
            )
            .expect("writing to a string succeeds");
        }
        text.push_str("CFD_END_PHASE\n");
    }

    /// A long row in shared memory.
    pub(super) fn long_row(&self, k: usize) -> Option<String> {
        let place = format!("rows{k} + (position - begin) * {}", padded(self.arguments[k].dim));
        self.long_rows().contains(&k).then_some(place)
    }
}
