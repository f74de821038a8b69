//! The part of a loop's code for long rows: they pass through shared memory.
//!
//! Threads that write long rows next to each other write a few bytes of many sectors each time. If a loop writes such a
//! row, all threads of the block together move their consecutive rows to shared memory and back. Shorter rows of that
//! loop go the same way, because shared memory leaves them little of the first cache.

use std::fmt::Write;

use cfd_engine::kernel::Access;
use cfd_engine::plug::Place;
use cfd_engine::prelude::ElementType;

use super::loop_code::{Argument, Method, Shape, dat_of, padded};
use super::results_code::{FEWEST_THREADS, SHARED_BYTES};

/// Number of values from which a row is long: more than a sector of a GPU's memory.
const LONG: usize = 5;
/// Number of values from which a row goes along with long ones: more than one load has.
const ALONG: usize = 3;

impl Shape {
    /// The arguments whose rows pass through shared memory.
    pub(super) fn long_rows(&self) -> Vec<usize> {
        let once = matches!(self.method, Method::None | Method::Atomic | Method::Buffered);
        let by_rows = |a: &Argument, least: usize| {
            once && matches!(a.place, Place::Direct { .. })
                && !a.columns
                && a.element == ElementType::F64
                && a.dim >= least
        };
        let written = |a: &Argument| by_rows(a, LONG) && matches!(a.access, Access::Write | Access::Rw);
        if !self.arguments.iter().any(written) {
            return Vec::new();
        }
        let in_shared =
            |&k: &usize| by_rows(&self.arguments[k], ALONG) && !self.arguments[k].access.combines();
        let rows: Vec<usize> = (0..self.arguments.len()).filter(in_shared).collect();
        if self.bytes_of(&rows, FEWEST_THREADS) > SHARED_BYTES / 2 { Vec::new() } else { rows }
    }

    /// Bytes of shared memory for the rows of this many threads.
    pub(super) fn long_row_bytes(&self, threads: usize) -> usize {
        self.bytes_of(&self.long_rows(), threads)
    }

    fn bytes_of(&self, rows: &[usize], threads: usize) -> usize {
        rows.iter().map(|&k| 8 * threads * padded(self.arguments[k].dim)).sum()
    }

    /// Declares the shared memory for them.
    pub(super) fn declare_long_rows(&self, code: &mut String) {
        for k in self.long_rows() {
            let step = padded(self.arguments[k].dim);
            writeln!(code, "CFD_SHARED(double, rows{k}, CFD_THREADS * {step});")
                .expect("writing to a string succeeds");
        }
    }

    /// Fetches the rows of elements `begin` to `end` that the kernel reads.
    pub(super) fn fetch_long_rows(&self, code: &mut String) {
        self.move_long_rows(code, true);
    }

    /// Stores the rows that it has written, where elements are owned.
    pub(super) fn store_long_rows(&self, code: &mut String) {
        self.move_long_rows(code, false);
    }

    /// If numbers are rows and every thread has an element, all values are consecutive, and a thread requests all of
    /// its own at once.
    fn move_long_rows(&self, code: &mut String, fetch: bool) {
        let unmoved = if fetch { Access::Write } else { Access::Read };
        let mut rows = self.long_rows();
        rows.retain(|&k| self.arguments[k].access != unmoved);
        if rows.is_empty() {
            return;
        }
        let mut line = |content: String| {
            code.push_str(&content);
            code.push('\n');
        };
        // Destination and source of value i of the block's rows; in the dat, `at` says where it lies.
        let way = |k: usize, at: &str| {
            let dat = dat_of(self.arguments[k].place).expect("rows are a dat's");
            let dim = self.arguments[k].dim;
            let gap = if padded(dim) > dim { format!(" + i / {dim}") } else { String::new() };
            let (here, there) = (format!("rows{k}[i{gap}]"), format!("a.d{dat}[{at}]"));
            if fetch { (here, there) } else { (there, here) }
        };
        line("CFD_PHASE\nif (a.rows == 0 && end - begin == CFD_THREADS) {".into());
        let each = |k: usize, action: String| {
            format!(
                "#pragma unroll\n\
                 for (int m = 0; m < {}; ++m) {{ const int i = m * CFD_THREADS + (int)thread; {action}; }}",
                self.arguments[k].dim
            )
        };
        let whole = |k: usize| way(k, &format!("begin * {} + i", self.arguments[k].dim));
        for &k in &rows {
            line(format!("double value{k}[{}];", self.arguments[k].dim));
            line(each(k, format!("value{k}[m] = {}", whole(k).1)));
        }
        for &k in &rows {
            line(each(k, format!("{} = value{k}[m]", whole(k).0)));
        }
        line("} else {".into());
        for &k in &rows {
            let dim = self.arguments[k].dim;
            let (to, from) = way(k, &format!("(i64)(listed & ~CFD_OWNED) * {dim} + i % {dim}"));
            let condition = if fetch { "" } else { "if ((listed & CFD_OWNED) != 0) " };
            line(format!(
                "for (int i = thread; i < (int)(end - begin) * {dim}; i += CFD_THREADS) {{\n\
                 const unsigned listed = cfd_listed_row(a, begin + i / {dim});\n\
                 {condition}{to} = {from};\n\
                 }}"
            ));
        }
        line("}\nCFD_END_PHASE".into());
    }

    /// A long row in shared memory.
    pub(super) fn long_row(&self, k: usize) -> Option<String> {
        let place = format!("rows{k} + (position - begin) * {}", padded(self.arguments[k].dim));
        self.long_rows().contains(&k).then_some(place)
    }
}
