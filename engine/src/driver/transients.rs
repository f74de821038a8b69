//! Dats whose values do not outlive the loops up to the next result.

use super::state::State;
use crate::model::kernel::Access;
use crate::model::loop_info::LoopInfo;
use crate::store::tables::{DatInfo, Start};

impl State {
    /// Notes how each transient is first used, and refuses loops that read values that do not exist.
    #[track_caller]
    pub fn begin_transients(&mut self, info: &LoopInfo) {
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
                    info.name, info.argument_names[i], dat.name
                ),
            });
        }
    }

    /// Called after loops, with `last` if a result follows: notes which transients still hold values.
    pub fn end_transients(&mut self, loops: &[&LoopInfo], last: bool) {
        for dat in 0..self.dats.len() {
            let info = &mut self.dats[dat];
            if !last {
                info.live |=
                    info.transient && loops.iter().flat_map(|l| &l.args).any(|a| a.dat() == Some(dat));
                continue;
            }
            info.live = false;
            let start = info.start.take();
            if cfg!(debug_assertions) {
                self.check_transient(dat, start);
            }
        }
    }

    /// Poisons dead values, and panics where zeros should have been left.
    fn check_transient(&mut self, dat: usize, start: Option<Start>) {
        let DatInfo { name, set, dim, .. } = &self.dats[dat];
        let storage = &mut self.local.storages[dat];
        match start {
            None => {}
            Some(Start::Written) => storage.poison_from(0),
            Some(Start::Zeros) => {
                if let Some(row) = storage.first_other_than_zero(self.sets[*set].owned, *dim) {
                    panic!("{}", not_cleared(name, row));
                }
            }
        }
    }

    /// Panics when a transient is asked for its values.
    pub fn refuse_transient(&self, dat: usize) {
        let DatInfo { name, transient, .. } = &self.dats[dat];
        assert!(
            !transient,
            "\"{name}\" is transient: what a chain of loops leaves in it cannot be read; make it with new_dat"
        );
    }
}

/// What is wrong with a transient from which sums start.
pub fn not_cleared(dat: &str, row: usize) -> String {
    format!(
        "transient \"{dat}\" is incremented before it is written, so the last loop that uses it must leave zeros, but local \
         row {row} has others"
    )
}
