//! A recorded loop: kernel, set, operands and constants, waiting to run.

use std::ops::Range;

use cfd_lanes::Width;

use crate::cpu::bound::{BoundArguments, LoopContext, Placed};
use crate::cpu::element_block::{Consecutive, Listed};
use crate::cpu::executor::Execute;
use crate::cpu::operand::Operands;
use crate::cpu::prefetch::{Prefetch, PrefetchQueue};
use crate::model::kernel::{ConstantField, Constants, Kernel};
use crate::model::loop_info::LoopInfo;
use crate::model::source::KernelSource;
use crate::schedule::steps::{Rows, Schedule, Stretch};
use crate::store::global::GlobalStore;
use crate::store::local::Local;

/// Elements of a tile.
pub struct Elements<'a> {
    /// Their positions.
    pub range: Range<usize>,
    /// The rows at the tile's positions, each marked [`OWNED`](crate::schedule::steps::OWNED) or not.
    pub rows: &'a [u32],
    /// How their data are found.
    pub by: By,
}

/// How the data of a tile's elements are found.
#[derive(Clone, Copy)]
pub enum By {
    /// By position, all owned or not.
    Position {
        /// They are executed where they are owned.
        owned: bool,
    },
    /// By row.
    Row,
}

/// A loop that can be run stretch by stretch, by several workers at once.
pub trait Recorded: Sync {
    /// What is known of the loop.
    fn info(&self) -> &LoopInfo;

    /// The kernel's source in CUDA C.
    fn source(&self) -> &'static KernelSource;

    /// The fields of the constants.
    fn fields(&self) -> &'static [ConstantField];

    /// Appends the values of the constants, one word for each component.
    fn push_constants(&self, words: &mut Vec<u64>);

    /// Runs the elements of a stretch, or of the part that `piece` selects by offset. Global results continue from what
    /// is in `globals` and are left there: each worker has its own.
    ///
    /// # Safety
    /// The stretch belongs to a schedule made for this loop on `local`'s domain. Other workers that run elements on
    /// `local` at the same time change no row that these elements read or change, and read none that they change.
    unsafe fn run(
        &self,
        local: &Local,
        schedule: &Schedule,
        stretch: &Stretch,
        piece: Range<usize>,
        globals: &mut [GlobalStore],
    );

    /// Runs a tile's elements where a chain has placed the arguments, and prefetches what follows them.
    ///
    /// # Safety
    /// Every element leads to rows within its arguments' places, which exist until the call ends. Other workers change
    /// no row that these elements read or change, and read none that they change.
    unsafe fn run_placed(
        &self,
        local: &Local,
        placed: &[Placed],
        elements: Elements<'_>,
        prefetch: &mut PrefetchQueue,
        globals: &mut [GlobalStore],
    );

    /// Adds the increments that the schedule's stretches have buffered: worker number `worker` of `workers` takes its
    /// share of the targets.
    ///
    /// # Safety
    /// The stretches have run. Other workers on `local` take other shares.
    unsafe fn gather(&self, local: &Local, schedule: &Schedule, worker: usize, workers: usize);
}

/// A loop of kernel `K` with operands `A`.
pub struct Record<K: Kernel, A> {
    pub info: LoopInfo,
    pub operands: A,
    pub constants: K::Constants,
    /// Lanes in which the kernel works.
    pub width: Width,
}

impl<K: Kernel, A: Operands<K::Params>> Recorded for Record<K, A> {
    fn info(&self) -> &LoopInfo {
        &self.info
    }

    fn source(&self) -> &'static KernelSource {
        K::SOURCE
    }

    fn fields(&self) -> &'static [ConstantField] {
        K::Constants::FIELDS
    }

    fn push_constants(&self, words: &mut Vec<u64>) {
        self.constants.push_words(words);
    }

    unsafe fn run(
        &self,
        local: &Local,
        schedule: &Schedule,
        stretch: &Stretch,
        piece: Range<usize>,
        globals: &mut [GlobalStore],
    ) {
        let mut prefetch = if local.prefetches(&self.info) { Prefetch::Operands } else { Prefetch::Nothing };
        let (set, part) =
            (self.info.set.id as usize, |all: &Range<usize>| all.start + piece.start..all.start + piece.end);
        // SAFETY: the caller's conditions.
        let arguments = unsafe {
            match &stretch.rows {
                Rows::Range(rows) => {
                    let context = LoopContext {
                        local,
                        globals,
                        set,
                        targets: None,
                        buffered: &schedule.buffered,
                        placed: &[],
                        streaming: local.uses_streaming_stores(&self.info),
                        ids_of: &[],
                    };
                    let sequence = Consecutive::new(part(rows), stretch.owned);
                    let arguments = self.operands.bind(&context);
                    K::execute(self.width, &mut prefetch, arguments, &self.constants, sequence)
                }
                Rows::Listed(positions) => {
                    let targets = &schedule.targets;
                    let context = LoopContext {
                        local,
                        globals,
                        set,
                        targets: Some(targets),
                        buffered: &schedule.buffered,
                        placed: &[],
                        streaming: false,
                        ids_of: &[],
                    };
                    let positions = part(positions);
                    let sequence = Listed::new(positions, targets.rows());
                    let arguments = self.operands.bind(&context);
                    K::execute(self.width, &mut prefetch, arguments, &self.constants, sequence)
                }
            }
        };
        arguments.finish(globals);
    }

    unsafe fn run_placed(
        &self,
        local: &Local,
        placed: &[Placed],
        elements: Elements<'_>,
        prefetch: &mut PrefetchQueue,
        globals: &mut [GlobalStore],
    ) {
        let set = self.info.set.id as usize;
        let Elements { range, rows, by } = elements;
        let ids_of = if let By::Position { .. } = by { rows } else { &[] };
        let context = LoopContext {
            local,
            globals,
            set,
            targets: None,
            buffered: &[],
            placed,
            streaming: false,
            ids_of,
        };
        let (arguments, mut prefetch) = (self.operands.bind(&context), Prefetch::Tile(prefetch));
        // SAFETY: the caller's conditions.
        let arguments = unsafe {
            match by {
                By::Position { owned } => {
                    let sequence = Consecutive::new(range, owned);
                    K::execute(self.width, &mut prefetch, arguments, &self.constants, sequence)
                }
                By::Row => {
                    let sequence = Listed::new(range, rows);
                    K::execute(self.width, &mut prefetch, arguments, &self.constants, sequence)
                }
            }
        };
        arguments.finish(globals);
    }

    unsafe fn gather(&self, local: &Local, schedule: &Schedule, worker: usize, workers: usize) {
        // SAFETY: the caller's conditions.
        unsafe { self.operands.gather(local, schedule, worker, workers) }
    }
}
