//! What the compiler cannot check in a par_loop call: whether its operands fit together.

use super::state::State;
use crate::model::kernel::Access;
use crate::model::loop_info::{ArgInfo, LoopInfo, SweepInfo};
use crate::store::tables::{DatInfo, MapInfo};

impl LoopInfo {
    /// Checks what the compiler cannot check in a par_loop call.
    ///
    /// # Errors
    /// What does not fit, for the panic at the call.
    pub(crate) fn check(&self, state: &State) -> Result<(), String> {
        let loop_name = self.name;
        if self.set.domain != state.id {
            return Err(format!("par_loop \"{loop_name}\": the set belongs to another domain"));
        }
        let set = self.set.id as usize;
        let set_name = |id: usize| &state.sets[id].name;
        let fail = |arg: usize, why: String| {
            let name = self.argument_names[arg];
            Err(format!("par_loop \"{loop_name}\", argument {arg} ({name}): {why}"))
        };
        for (i, arg) in self.args.iter().enumerate() {
            if arg.domain != state.id {
                let what = if arg.dat().is_some() { "dat" } else { "global" };
                return fail(i, format!("the {what} belongs to another domain"));
            }
            if arg.map_domain.is_some_and(|of| of != state.id) {
                return fail(i, "the map belongs to another domain".into());
            }
            let Some(dat) = arg.dat() else {
                if self.args[..i].iter().any(|a| a.global() == arg.global()) {
                    return fail(i, "this global is already an argument of the loop".into());
                }
                continue;
            };
            let DatInfo { name, set: dat_set, .. } = &state.dats[dat];
            match arg.map() {
                None if *dat_set != set => {
                    let (dat_set, set) = (set_name(*dat_set), set_name(set));
                    return fail(
                        i,
                        format!("\"{name}\" is on {dat_set}, the loop on {set}; use .at(map.target::<I>())"),
                    );
                }
                Some(map) if state.maps[map].from != set || state.maps[map].to != *dat_set => {
                    let MapInfo { name: map, from, to, .. } = &state.maps[map];
                    let leads = format!("{} to {}", set_name(*from), set_name(*to));
                    let needed = format!("{} to {} for \"{name}\"", set_name(set), set_name(*dat_set));
                    return fail(
                        i,
                        format!("map \"{map}\" leads from {leads}, but the loop needs one from {needed}"),
                    );
                }
                _ => {}
            }
            if let Some(sweep) = self.sweep {
                let [before, after] = state.lines[sweep.lines].maps;
                if arg.map().is_some_and(|map| map != before && map != after) {
                    return fail(i, "a sweep finds other elements through the maps of its lines only".into());
                }
                if arg.map().is_some() && arg.access.modifies() {
                    return fail(i, format!("a sweep changes \"{name}\" at the element itself only"));
                }
            }
            for other in self.args[..i].iter().filter(|a| a.dat() == Some(dat)) {
                if self.meets_along_lines(arg, other, state) {
                    continue;
                }
                let (a, b) = (other.access, arg.access);
                let both_read = a == Access::Read && b == Access::Read;
                let both_combine = a == b && a.combines();
                let both_rw = a == Access::Rw && b == Access::Rw;
                if !both_read && !both_combine && !both_rw {
                    return fail(i, format!("\"{name}\" is used both as {a:?} and as {b:?}"));
                }
                if both_combine && other.map().is_some() != arg.map().is_some() {
                    let message = format!("\"{name}\" is used as {a:?} both directly and through a map");
                    return fail(i, message);
                }
                if both_rw && (other.map().is_none() || arg.map().is_none()) {
                    return fail(i, format!("\"{name}\" is used both as a direct Rw and as another Rw"));
                }
            }
        }
        Ok(())
    }

    /// Whether one of two arguments of a dat is what a sweep has written at the element before, the other the element's own.
    fn meets_along_lines(&self, one: &ArgInfo, other: &ArgInfo, state: &State) -> bool {
        let Some(SweepInfo { lines, backward }) = self.sweep else { return false };
        let [before, after] = state.lines[lines].maps;
        let earlier = Some(if backward { after } else { before });
        let is_earlier = |arg: &ArgInfo| arg.map() == earlier && arg.access == Access::Read;
        let is_own = |arg: &ArgInfo| arg.map().is_none();
        is_earlier(one) && is_own(other) || is_own(one) && is_earlier(other)
    }
}
