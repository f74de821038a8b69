//! What is known of a recorded loop without its kernel's type: set, arguments, operations.

use super::handle::{DomainId, Set};
use super::kernel::{Access, OpCount};

/// What is known of a loop without its kernel's type.
#[derive(Clone, Debug)]
pub struct LoopInfo {
    /// The kernel's name.
    pub name: &'static str,
    /// Its arguments' names.
    pub argument_names: &'static [&'static str],
    pub(crate) set: Set,
    /// Its arguments, in the order of the parameters and of their targets.
    pub args: Vec<ArgInfo>,
    /// Operations per element.
    pub ops: OpCount,
    /// Whether the loop only copies its first argument to its second, whose values are of the same type.
    pub copies: bool,
    /// The lines along which it sweeps, if it does.
    pub sweep: Option<SweepInfo>,
}

/// A sweep along lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepInfo {
    /// The lines' number.
    pub lines: usize,
    /// From the last element of each line to the first.
    pub backward: bool,
}

impl LoopInfo {
    /// The number of its set.
    pub fn set(&self) -> usize {
        self.set.id as usize
    }

    /// Global results of the loop.
    pub fn globals(&self) -> impl Iterator<Item = usize> {
        self.args.iter().filter_map(|a| a.global())
    }

    /// True when the loop changes values through a map, so that imported elements must be executed too.
    pub fn modifies_indirectly(&self) -> bool {
        self.args.iter().any(|a| a.map().is_some() && a.access.modifies())
    }
}

/// Where an argument's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the loop's own set.
    Direct {
        /// The dat's number.
        dat: usize,
    },
    /// At a target of a map.
    Indirect {
        /// The dat's number.
        dat: usize,
        /// The map's number.
        map: usize,
        /// Which of the map's targets.
        index: usize,
    },
    /// A global result.
    Global {
        /// The global's number.
        global: usize,
    },
}

/// One argument of a recorded loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgInfo {
    /// Where its values are.
    pub place: Place,
    /// How the loop uses them.
    pub access: Access,
    /// The domain of the dat or global.
    pub(crate) domain: DomainId,
    /// The domain of the map, if there is one.
    pub(crate) map_domain: Option<DomainId>,
}

impl ArgInfo {
    /// The dat, unless the argument is a global.
    pub fn dat(&self) -> Option<usize> {
        match self.place {
            Place::Direct { dat } | Place::Indirect { dat, .. } => Some(dat),
            Place::Global { .. } => None,
        }
    }

    /// True if none of the previous values remain: all rows of the loop's set are written.
    pub fn overwrites(&self) -> bool {
        self.access == Access::Write && self.map().is_none()
    }

    /// The map, if the argument is indirect.
    pub fn map(&self) -> Option<usize> {
        match self.place {
            Place::Indirect { map, .. } => Some(map),
            _ => None,
        }
    }

    /// The global, if the argument is one.
    pub fn global(&self) -> Option<usize> {
        match self.place {
            Place::Global { global } => Some(global),
            _ => None,
        }
    }
}
