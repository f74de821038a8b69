//! What transients hold before and after loops.

use std::ops::Range;

use crate::domain::{DatInfo, Domain};
use crate::kernel::Access;
use crate::record::LoopInfo;

/// What a transient holds before the first loop that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing: the loop overwrites it.
    Written,
    /// Zeros, to which the loop adds.
    Zeros,
}

/// What is known of a dat before and after a chain, beyond its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Life {
    /// A later loop, or the user, may read what the chain leaves.
    pub(crate) live_after: bool,
    /// A transient that starts as zeros, and ends so.
    pub(crate) zeros: bool,
}

impl Domain {
    /// Notes how transients are used first, and refuses loops that read what is not there.
    pub(crate) fn begin_transients(&mut self, info: &LoopInfo) {
        for (i, arg) in info.args.iter().enumerate() {
            let Some(dat) = arg.dat().map(|dat| &mut self.dats[dat]) else { continue };
            if !dat.transient || dat.start.is_some() {
                continue;
            }
            dat.start = Some(match arg.access {
                Access::Inc => Start::Zeros,
                _ if arg.overwrites() => Start::Written,
                access => panic!(
                    "par_loop \"{}\", argument {i} ({}): \"{}\" is transient, and {access:?} needs values that no loop since \
                     the last result has written",
                    info.name, info.param_names[i], dat.name
                ),
            });
        }
    }

    /// What is known of every dat before and after some loops of a sequence; a result is asked for after the `last`.
    pub(super) fn lives(&self, all: &[&LoopInfo], range: &Range<usize>, last: bool) -> Vec<Life> {
        let first = |loops: &[&LoopInfo], dat: usize| {
            loops.iter().flat_map(|l| &l.args).find(|a| a.dat() == Some(dat)).copied()
        };
        let life = |(dat, info): (usize, &DatInfo)| {
            let here = first(&all[range.clone()], dat);
            let later = first(&all[range.end..], dat);
            let fresh = first(&all[..range.start], dat).is_none() && !info.carried;
            // What is first incremented starts as zeros. Once it has been stored, its column must get zeros back.
            let summed = info.start == Some(Start::Zeros);
            let live_after =
                !info.transient || (summed && !fresh) || later.map_or(!last, |a| !a.overwrites());
            let zeros = info.transient && summed && fresh && here.is_some();
            Life { live_after, zeros }
        };
        self.dats.iter().enumerate().map(life).collect()
    }

    /// After loops, the last before a result or not: notes which transients go on holding values.
    pub(super) fn end_transients(&mut self, loops: &[&LoopInfo], last: bool) {
        for dat in 0..self.dats.len() {
            let info = &mut self.dats[dat];
            if !last {
                info.carried |=
                    info.transient && loops.iter().flat_map(|l| &l.args).any(|a| a.dat() == Some(dat));
                continue;
            }
            info.carried = false;
            let start = info.start.take();
            if cfg!(debug_assertions) {
                self.check_transient(dat, start);
            }
        }
    }

    /// Poisons what is dead, and panics where zeros should have been left.
    fn check_transient(&mut self, dat: usize, start: Option<Start>) {
        let DatInfo { name, set, dim, .. } = &self.dats[dat];
        let column = &mut self.local.columns[dat];
        match start {
            None => {}
            Some(Start::Written) => column.poison_from(0),
            Some(Start::Zeros) => {
                if let Some(row) = column.first_other_than_zero(self.sets[*set].owned, *dim) {
                    panic!("{}", not_cleared(name, row));
                }
            }
        }
    }

    /// Panics where a transient is asked for its values.
    pub(crate) fn refuse_transient(&self, dat: usize) {
        let DatInfo { name, transient, .. } = &self.dats[dat];
        assert!(
            !transient,
            "\"{name}\" is transient: what a chain of loops leaves in it cannot be read; make it with new_dat"
        );
    }
}

/// What is wrong with a transient that sums start from.
pub(super) fn not_cleared(dat: &str, row: usize) -> String {
    format!(
        "transient \"{dat}\" is incremented before it is written, so the last loop that uses it must leave zeros, but local \
         row {row} has others"
    )
}
