//! What the compiler cannot see of a call: whose the handles are, and whether a loop's operands fit together.

use crate::domain::{DatInfo, Domain, MapInfo};
use crate::erased::{AnyDat, AnyMap};
use crate::handle::{DomainId, Global, Set};
use crate::kernel::Access;
use crate::record::LoopInfo;

/// The positions that handles stand for.
///
/// # Panics
/// If the handle belongs to another domain, where its position is that of something else.
impl Domain {
    #[track_caller]
    pub(crate) fn set_index(&self, set: Set) -> usize {
        self.index("set", set.domain, set.id)
    }

    #[track_caller]
    pub(crate) fn map_index(&self, map: AnyMap) -> usize {
        self.index("map", map.from.domain, map.id)
    }

    #[track_caller]
    pub(crate) fn dat_index(&self, dat: AnyDat) -> usize {
        self.index("dat", dat.set.domain, dat.id)
    }

    #[track_caller]
    pub(crate) fn global_index<P>(&self, global: Global<P>) -> usize {
        self.index("global", global.domain, global.id)
    }

    #[track_caller]
    fn index(&self, what: &str, domain: DomainId, id: u32) -> usize {
        assert!(domain == self.id, "the {what} belongs to another domain");
        id as usize
    }
}

impl LoopInfo {
    /// Checks what the compiler cannot see of a par_loop call.
    #[track_caller]
    pub(crate) fn check(&self, domain: &Domain) {
        let loop_name = self.name;
        assert!(self.set.domain == domain.id, "par_loop \"{loop_name}\": the set belongs to another domain");
        let set = self.set.id as usize;
        let set_name = |id: usize| &domain.sets[id].name;
        let fail = |arg: usize, why: String| -> ! {
            panic!("par_loop \"{loop_name}\", argument {arg} ({}): {why}", self.param_names[arg])
        };
        for (i, arg) in self.args.iter().enumerate() {
            if arg.domain != domain.id {
                let what = if arg.dat().is_some() { "dat" } else { "global" };
                fail(i, format!("the {what} belongs to another domain"));
            }
            if arg.map_domain.is_some_and(|of| of != domain.id) {
                fail(i, "the map belongs to another domain".into());
            }
            let Some(dat) = arg.dat() else {
                if self.args[..i].iter().any(|a| a.global() == arg.global()) {
                    fail(i, "this global is already an argument of the loop".into());
                }
                continue;
            };
            let DatInfo { name, set: home, .. } = &domain.dats[dat];
            match arg.map() {
                None if *home != set => {
                    let (home, set) = (set_name(*home), set_name(set));
                    fail(
                        i,
                        format!("\"{name}\" is on {home}, the loop on {set}; use .at(map.target::<I>())"),
                    );
                }
                Some(map) if domain.maps[map].from != set || domain.maps[map].to != *home => {
                    let MapInfo { name: map, from, to, .. } = &domain.maps[map];
                    let leads = format!("{} to {}", set_name(*from), set_name(*to));
                    let needed = format!("{} to {} for \"{name}\"", set_name(set), set_name(*home));
                    fail(
                        i,
                        format!("map \"{map}\" leads from {leads}, but the loop needs one from {needed}"),
                    );
                }
                _ => {}
            }
            for other in self.args[..i].iter().filter(|a| a.dat() == Some(dat)) {
                let (a, b) = (other.access, arg.access);
                let both_read = a == Access::Read && b == Access::Read;
                let both_inc = a == Access::Inc && b == Access::Inc;
                let both_rw = a == Access::Rw && b == Access::Rw;
                if !both_read && !both_inc && !both_rw {
                    fail(i, format!("\"{name}\" is used both as {a:?} and as {b:?}"));
                }
                if both_inc && other.map().is_some() != arg.map().is_some() {
                    fail(i, format!("\"{name}\" is incremented both directly and through a map"));
                }
                if both_rw && (other.map().is_none() || arg.map().is_none()) {
                    fail(i, format!("\"{name}\" is used both as a direct Rw and as another Rw"));
                }
            }
        }
    }
}
