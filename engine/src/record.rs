//! A recorded loop: kernel, set, operands and constants, waiting to run.

use std::ops::Range;

use crate::handle::Set;
use crate::kernel::{Access, Kernel, OpCount};
use crate::operand::{ArgInfo, Bounds, Local, Operands, Place};

/// What is known of a loop without knowing its kernel's type.
#[derive(Clone, Debug)]
pub(crate) struct LoopInfo {
    pub(crate) name: &'static str,
    pub(crate) param_names: &'static [&'static str],
    pub(crate) set: Set,
    pub(crate) args: Vec<ArgInfo>,
    pub(crate) ops: OpCount,
}

impl ArgInfo {
    /// The dat, unless the argument is a global.
    pub(crate) fn dat(&self) -> Option<usize> {
        match self.place {
            Place::Direct { dat } | Place::Indirect { dat, .. } => Some(dat),
            Place::Global { .. } => None,
        }
    }

    /// The map, if the argument is indirect.
    pub(crate) fn map(&self) -> Option<usize> {
        match self.place {
            Place::Indirect { map, .. } => Some(map),
            _ => None,
        }
    }

    /// The global, if the argument is one.
    pub(crate) fn global(&self) -> Option<usize> {
        match self.place {
            Place::Global { global } => Some(global),
            _ => None,
        }
    }
}

impl Access {
    /// The loop uses the values that were there before it.
    pub(crate) fn reads(self) -> bool {
        matches!(self, Access::Read | Access::Rw)
    }

    /// The loop changes the values.
    pub(crate) fn modifies(self) -> bool {
        matches!(self, Access::Write | Access::Rw | Access::Inc)
    }
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

/// A loop that can be run over ranges of its set.
pub(crate) trait Recorded {
    fn info(&self) -> &LoopInfo;

    /// Runs the elements of `range` in ascending order; `counted` adds them to the global results.
    ///
    /// # Safety
    /// `range` lies within the executed rows of the loop's set, and the handles belong to `local`'s domain.
    unsafe fn run(&self, local: &mut Local, range: Range<usize>, counted: bool);
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

    unsafe fn run(&self, local: &mut Local, range: Range<usize>, counted: bool) {
        let bounds = self.operands.bind(local, self.info.set.id as usize);
        // SAFETY: the caller's conditions; `local` is borrowed mutably, so nobody else accesses the storage.
        let bounds = unsafe { scalar::<K, A::Bounds>(bounds, &self.constants, range) };
        if counted {
            bounds.finish(&mut local.globals);
        }
    }
}

/// The scalar executor: one element after the other.
///
/// # Safety
/// As [`Recorded::run`].
unsafe fn scalar<K: Kernel, B: Bounds<K::Params>>(
    mut bounds: B,
    constants: &K::Constants,
    range: Range<usize>,
) -> B {
    let constants = *constants;
    for e in range {
        // SAFETY: `e` is an executed row.
        unsafe {
            let mut locals = bounds.load(e);
            K::call::<f64>(&mut locals, &constants);
            bounds.store(e, &locals);
        }
    }
    bounds
}
