//! Loops that copy one dat to another and need not be executed.
//!
//! A solver saves a dat (`save_soln`) because it is about to overwrite it. Where the queue shows the loop that will, the
//! copy is made by exchanging the columns of the two before that loop: the copy takes over the old values, and the original
//! the room of the copy, of which nothing is left. No bit depends on it.

use crate::domain::Domain;
use crate::operand::{ArgInfo, Place};
use crate::record::{LoopInfo, Recorded};

/// A copy that is made by exchanging columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exchanged {
    /// The loop that copies, which is passed over.
    loop_: usize,
    /// The loop that overwrites the original.
    before: usize,
    original: usize,
    copy: usize,
}

impl Domain {
    /// Runs loops one by one on the host.
    pub(crate) fn execute_each(&mut self, records: &[Box<dyn Recorded>]) {
        // An observer is shown the copy when its loop has run.
        let infos: Vec<&LoopInfo> = match self.observer {
            None => records.iter().map(|record| record.info()).collect(),
            Some(_) => Vec::new(),
        };
        let exchanged = exchanged(&infos);
        for (loop_, record) in records.iter().enumerate() {
            for saved in exchanged.iter().filter(|saved| saved.before == loop_) {
                self.exchange_columns(saved.original, saved.copy);
            }
            match exchanged.iter().any(|saved| saved.loop_ == loop_) {
                true => {
                    let timer = self.timer_of(record.info().name);
                    self.timers[timer].calls += 1;
                }
                false => self.execute(&**record),
            }
        }
    }

    /// Exchanges the values of two dats of one shape on one set, halo copies included.
    fn exchange_columns(&mut self, one: usize, other: usize) {
        self.local.columns.swap(one, other);
        let [a, b] = self.dats.get_disjoint_mut([one, other]).expect("two dats");
        std::mem::swap(&mut a.stale, &mut b.stale);
        std::mem::swap(&mut a.deep_stale, &mut b.deep_stale);
    }
}

/// The copies among these loops that can be made by exchanging columns: the first loop after them that changes the original or
/// uses the copy overwrites the original.
fn exchanged(loops: &[&LoopInfo]) -> Vec<Exchanged> {
    let mut found: Vec<Exchanged> = Vec::new();
    for (loop_, info) in loops.iter().enumerate().filter(|(_, info)| info.copies) {
        let [Place::Direct { dat: original }, Place::Direct { dat: copy }] =
            [0, 1].map(|a| info.args[a].place)
        else {
            continue;
        };
        let taken = |saved: &Exchanged| {
            saved.before > loop_
                && [saved.original, saved.copy].iter().any(|dat| [original, copy].contains(dat))
        };
        if found.iter().any(taken) {
            continue;
        }
        let touches = |info: &LoopInfo| {
            info.args
                .iter()
                .any(|a| a.dat() == Some(copy) || (a.dat() == Some(original) && a.access.modifies()))
        };
        let Some(before) = (loop_ + 1..loops.len()).find(|&at| touches(loops[at])) else { continue };
        let mut uses = loops[before].args.iter().filter(|a| a.dat() == Some(original)).peekable();
        if uses.peek().is_some() && uses.all(ArgInfo::overwrites) {
            found.push(Exchanged { loop_, before, original, copy });
        }
    }
    found
}
