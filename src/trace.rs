//! `trace.csv`: the hashes of what every loop changed, to find the first loop in which two runs differ.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use cfd_engine::domain::Domain;
use cfd_engine::observe::{Bits, Observed};

/// The heading of `trace.csv`. Iteration 0 has the loops that set up the start values; loops count from 1 within an
/// iteration, including those that change no dat and so have no row.
pub const HEADING: &str = "iteration,loop,name,dat,hash\n";

/// The rows collected so far, on rank 0.
#[derive(Clone, Debug)]
pub struct Trace {
    iterations: u64,
    rows: Rc<RefCell<String>>,
}

impl Trace {
    /// A trace of the set-up and of this many iterations.
    pub fn new(iterations: u64) -> Trace {
        Trace { iterations, rows: Rc::new(RefCell::new(HEADING.into())) }
    }

    /// Traces the loops recorded from now on as those of an iteration, or stops if it is not wanted. Collective;
    /// observing changes no bits.
    pub fn begin(&self, domain: &mut Domain, iteration: u64) {
        if iteration > self.iterations {
            return self.end(domain);
        }
        let rows = self.rows.clone();
        domain.observe(Some(Box::new(move |seen| add(&mut rows.borrow_mut(), iteration, &seen))));
    }

    /// Stops. Collective.
    pub fn end(&self, domain: &mut Domain) {
        domain.observe(None);
    }

    /// The file's text.
    pub fn to_csv(&self) -> String {
        self.rows.borrow().clone()
    }
}

fn add(rows: &mut String, iteration: u64, seen: &Observed<'_>) {
    let Observed { comm, loops, loop_name, dat, dim, rows: count, global_ids, values } = *seen;
    let hash = match values {
        Bits::F64(words) => cfd_io::bits_hash(comm, dat, dim, count, global_ids, words),
        Bits::I32(words) => {
            let wide: Vec<u64> = words.iter().map(|&word| i64::from(word as u32 as i32) as u64).collect();
            cfd_io::bits_hash(comm, dat, dim, count, global_ids, &wide)
        }
    };
    if comm.is_root() {
        writeln!(rows, "{iteration},{loops},{loop_name},{dat},{hash}").expect("writing to a string");
    }
}
