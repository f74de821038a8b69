//! A recorded loop: kernel, set, operands and constants, waiting to run.

use std::ops::Range;

use crate::bound::{Bounds, Local, Site, Visit};
use crate::handle::Set;
use crate::kernel::{Kernel, OpCount};
use crate::operand::{ArgInfo, Operands};
use crate::schedule::{Rows, Schedule, Stretch};

/// What is known of a loop without knowing its kernel's type.
#[derive(Clone, Debug)]
pub(crate) struct LoopInfo {
    pub(crate) name: &'static str,
    pub(crate) param_names: &'static [&'static str],
    pub(crate) set: Set,
    pub(crate) args: Vec<ArgInfo>,
    pub(crate) ops: OpCount,
}

impl LoopInfo {
    /// Global results of the loop.
    pub(crate) fn globals(&self) -> impl Iterator<Item = usize> {
        self.args.iter().filter_map(|a| a.global())
    }

    /// True when the loop changes values through a map, so that imported elements must be executed too.
    pub(crate) fn modifies_indirectly(&self) -> bool {
        self.args.iter().any(|a| a.map().is_some() && a.access.modifies())
    }
}

/// A loop that can be run stretch by stretch.
pub(crate) trait Recorded {
    fn info(&self) -> &LoopInfo;

    /// Runs the elements of a stretch, or of the part of it that `piece` selects by offset.
    ///
    /// # Safety
    /// The stretch belongs to a schedule made for this loop on `local`'s domain.
    unsafe fn run(&self, local: &mut Local, schedule: &Schedule, stretch: &Stretch, piece: Range<usize>);
}

/// A loop of kernel `K` with operands `A`.
pub(crate) struct Record<K: Kernel, A> {
    pub(crate) info: LoopInfo,
    pub(crate) operands: A,
    pub(crate) constants: K::Constants,
}

impl<K: Kernel, A: Operands<K::Params>> Recorded for Record<K, A> {
    fn info(&self) -> &LoopInfo {
        &self.info
    }

    unsafe fn run(&self, local: &mut Local, schedule: &Schedule, stretch: &Stretch, piece: Range<usize>) {
        let site = Site { local, set: self.info.set.id as usize, targets: &schedule.targets, staging: &[] };
        let mut bounds = self.operands.bind(&site);
        let position = stretch.position + piece.start;
        // SAFETY: the caller's conditions; `local` is borrowed mutably, so nobody else accesses the storage.
        unsafe {
            match &stretch.rows {
                Rows::Range(rows) => {
                    let rows = rows.start + piece.start..rows.start + piece.end;
                    if position == rows.start {
                        scalar_range::<K, _, true>(
                            &mut bounds,
                            &self.constants,
                            rows,
                            position,
                            stretch.home,
                        );
                    } else {
                        scalar_range::<K, _, false>(
                            &mut bounds,
                            &self.constants,
                            rows,
                            position,
                            stretch.home,
                        );
                    }
                }
            }
        }
        if stretch.home {
            bounds.finish(&mut local.globals);
        }
    }
}

/// The scalar executor: consecutive rows, one element after the other. With `SAME`, positions are rows, and what a
/// loop reads and changes through one map shares its loads of the map.
///
/// # Safety
/// As [`Recorded::run`].
unsafe fn scalar_range<K: Kernel, B: Bounds<K::Params>, const SAME: bool>(
    bounds: &mut B,
    constants: &K::Constants,
    rows: Range<usize>,
    position: usize,
    home: bool,
) {
    // Copies, so that running results and constants stay in registers.
    let (mut own, constants) = (*bounds, *constants);
    let offset = position.wrapping_sub(rows.start);
    for row in rows {
        let position = if SAME { row } else { row.wrapping_add(offset) };
        let visit = Visit { row, position, home };
        // SAFETY: the visit is one of the schedule's.
        unsafe {
            let mut locals = own.load(visit);
            K::call::<f64>(&mut locals, &constants);
            own.store(visit, &locals);
        }
    }
    *bounds = own;
}
