//! A loop ready for the device: its compiled code and its lists.

use std::ops::Range;

use cfd_engine::plug::{Changes, Geometry, LineLists, LoopInfo, OWNED, Place, Recorded, State};
use cfd_engine::prelude::ElementType;
use cfd_engine::strategy::Strategy;

use super::colored::ColoredBlocks;
use super::error::DeviceError;
use super::interface::{Buffer, Function, Source};
use super::loop_code::{Argument, Capacity, KernelArgument, Method, Shape, padded};
use super::mirror::{DeviceMirror, Extent};
use super::region_lists::{Group, GroupLists, Increment, Increments, Limits, Listed, RegionLists};
use super::results::Results;
use super::results_code;

/// The strategy of atomic additions, which is a plug-in.
pub(crate) const ATOMIC: &str = "atomic";

/// Most bytes of shared memory for increments, and fewest in regions.
const BUFFERED_BYTES: usize = 30 * 1024;
const FEWEST_BUFFERED_BYTES: usize = 8 * 1024;
/// Registers of a multiprocessor; fewest and most of a thread.
const REGISTERS: usize = 64 * 1024;
const REGISTERS_OF_A_THREAD: (usize, usize) = (32, 255);
/// Threads of a block for which a region is sized.
const USUAL_THREADS: usize = 128;
/// Bytes of a block's shared memory that the driver uses.
const DRIVER_BYTES: usize = 1024;
/// Most elements in a colored block.
const COLORED_ELEMENTS: usize = 256;
/// Most targets in a region.
const REGION_TARGETS: usize = 256;
/// Capacities are rounded up to multiples of this, so that similar loops have the same code.
const CAPACITY_STEP: usize = 64;
/// Most elements that a thread of a loop with global results visits: fewer results remain to be added.
const MOST_TILES: usize = 16;
/// Blocks that a multiprocessor should get, so that none idles, and those it runs at once do not all load, then all
/// compute.
const BLOCKS_A_PROCESSOR: usize = 64;

/// A launch: elements, regions or components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) first: u64,
    pub(crate) end: u64,
    /// Address of listed rows; 0: numbers are rows.
    pub(crate) rows: u64,
    pub(crate) blocks: u32,
}

/// Dats and maps in the order of first use.
#[derive(Default)]
struct Numbered {
    dats: Vec<usize>,
    maps: Vec<usize>,
}

impl Numbered {
    fn place(&mut self, place: Place) -> Place {
        fn number(known: &mut Vec<usize>, id: usize) -> usize {
            known.iter().position(|&k| k == id).unwrap_or_else(|| {
                known.push(id);
                known.len() - 1
            })
        }
        match place {
            Place::Direct { dat } => Place::Direct { dat: number(&mut self.dats, dat) },
            Place::Indirect { dat, map, index } => {
                Place::Indirect { dat: number(&mut self.dats, dat), map: number(&mut self.maps, map), index }
            }
            global => global,
        }
    }
}

/// The launches of a loop.
pub(crate) struct Pieces {
    /// Those that need no halo copies.
    pub(crate) core: Vec<Piece>,
    pub(crate) rest: Vec<Piece>,
}

/// Where the increments of a loop go.
enum Lists {
    None,
    Buffered { places: Buffer, starts: Vec<Buffer>, buffered: Vec<Buffer> },
    Regions { interior: u64, regions: u64, buffers: RegionBuffers },
    Colored { core: Vec<Range<u32>>, rest: Vec<Range<u32>>, buffers: ColoredBuffers },
    Lines { bounds: Buffer, sources: Buffer, lines: u64 },
}

struct ColoredBuffers {
    bounds: Buffer,
    sources: Buffer,
    colors: Buffer,
    counts: Buffer,
}

struct RegionBuffers {
    bounds: Buffer,
    sources: Buffer,
    places: Buffer,
    /// Rows of the loop's maps in the order of the sources.
    maps: Vec<Buffer>,
    /// Target bounds, targets and starts of each group.
    groups: Vec<[Buffer; 3]>,
}

/// A loop ready for the device.
pub(crate) struct Prepared {
    pub(crate) plan: usize,
    shape: Shape,
    /// The dats and maps that the code has numbered.
    numbered: Numbered,
    /// The loop, then one gather for each group of a buffered loop.
    pub(crate) functions: Vec<Function>,
    kernel_arguments: Vec<KernelArgument>,
    lists: Lists,
    /// Components that each gather adds.
    pub(crate) gathered: Vec<usize>,
    core: usize,
    owned: usize,
    /// Imported rows that are executed, and how many.
    imported: Option<(Buffer, usize)>,
    processors: usize,
}

impl Prepared {
    pub(crate) fn new(
        state: &State,
        mirror: &DeviceMirror,
        record: &dyn Recorded,
        plan: usize,
        strategy: Strategy,
        threads: usize,
    ) -> Result<Prepared, DeviceError> {
        let info = record.info();
        let geometry =
            Geometry { sets: &state.sets, maps: &state.maps, indices: &state.local.maps, dats: &state.dats };
        let changes = Changes::new(info, &geometry);
        let set = changes.set;
        let mut groups: Vec<usize> = Vec::new();
        for arg in info.args.iter().filter(|a| a.access.combines() && a.map().is_some()) {
            let dat = arg.dat().expect("an indirect argument is a dat");
            if !groups.contains(&dat) {
                groups.push(dat);
            }
        }
        let mut numbered = Numbered::default();
        let arguments = arguments(state, mirror, record, &mut numbered);
        let imported: Vec<u32> = changes.exec_ranges().into_iter().flatten().map(|row| row as u32).collect();
        let (mut lists, mut method, mut gathered) = (Lists::None, Method::None, Vec::new());
        if let Some(sweep) = info.sweep {
            (lists, method) =
                (Lists::of_lines(mirror, &state.lines[sweep.lines], sweep.backward)?, Method::Lines);
        } else if !groups.is_empty() && strategy.name() == ATOMIC {
            method = Method::Atomic;
        } else if !groups.is_empty() && strategy == Strategy::ColoredBlocks {
            let increments = increments(state, record, &changes, &groups);
            let each: usize = increments.arguments.iter().map(|i| increments.groups[i.group].bytes).sum();
            // The largest power of two that fits.
            let size = 1 << (BUFFERED_BYTES / each).max(1).ilog2().min(COLORED_ELEMENTS.ilog2());
            let blocks = ColoredBlocks::new(&increments, &imported, size);
            (lists, method) = (Lists::of_blocks(mirror, blocks)?, Method::Colored(size));
        } else if !groups.is_empty() {
            let increments = increments(state, record, &changes, &groups);
            let listed = increments.listed();
            let bytes = room_for_increments(state, info, &increments.groups, mirror.device.shared_memory());
            let limits = Limits { targets: REGION_TARGETS, bytes };
            // An element that changes a value of its own that it has read must be executed only once.
            let divided = match strategy == Strategy::Regions && !changes.direct_rw {
                true => {
                    let room = results_code::SHARED_BYTES.saturating_sub(bytes_of_results(state, info));
                    regions(&increments, &listed, limits, room)
                }
                false => None,
            };
            (lists, method) = match divided {
                Some((lists, capacities)) => {
                    let maps: Vec<(&[u32], usize)> = numbered
                        .maps
                        .iter()
                        .map(|&map| (&state.local.maps[map][..], state.maps[map].arity))
                        .collect();
                    (Lists::of_regions(mirror, &lists, &maps)?, Method::Regions(capacities))
                }
                None => {
                    let places = increments.places(&listed, set.executed());
                    let device = &mirror.device;
                    let mut starts = Vec::new();
                    let mut buffered = Vec::new();
                    for (list, group) in listed.iter().zip(&increments.groups) {
                        let count = *list.starts.last().expect("there is a start more than targets") as usize;
                        starts.push(Buffer::holding(device, &list.starts, "lists of increments")?);
                        buffered.push(Buffer::new(device, count * group.bytes, "increments")?);
                    }
                    let places = Buffer::holding(device, &places, "lists of increments")?;
                    gathered = groups
                        .iter()
                        .map(|&dat| state.sets[state.dats[dat].set].owned * state.dats[dat].dim)
                        .collect();
                    (Lists::Buffered { places, starts, buffered }, Method::Buffered)
                }
            };
        }
        let number = |dat: &usize| numbered.dats.iter().position(|d| d == dat).expect("an argument's dat");
        let shape = Shape {
            name: info.name,
            kernel: record.source(),
            constants: record.fields(),
            arguments,
            groups: groups.iter().map(number).collect(),
            method,
            threads,
        };
        let mut prepared = Prepared {
            plan,
            shape,
            numbered,
            functions: Vec::new(),
            kernel_arguments: Vec::new(),
            lists,
            gathered,
            core: set.core,
            owned: set.owned,
            imported: match imported.is_empty() {
                true => None,
                false => Some((Buffer::holding(&mirror.device, &imported, "imported rows")?, imported.len())),
            },
            processors: mirror.device.processors(),
        };
        prepared.shape.threads = prepared.shape.fitting(threads);
        prepared.compile(mirror)?;
        Ok(prepared)
    }

    fn compile(&mut self, mirror: &DeviceMirror) -> Result<(), DeviceError> {
        let shared = self.shape.shared_bytes(self.shape.threads);
        if shared > results_code::SHARED_BYTES {
            return Err(DeviceError::Unsupported {
                asked: format!("{}: sums and extrema of {shared} bytes a block", self.shape.name),
                available: format!("{} of shared memory", results_code::SHARED_BYTES),
            });
        }
        let made = self.shape.code();
        let source = Source { name: self.shape.name, text: &made.code, entries: &made.entries };
        self.functions = mirror.device.compile(source)?;
        self.kernel_arguments = made.kernel_arguments;
        Ok(())
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> usize {
        self.shape.threads
    }

    /// Compiles the code again if a dat is now stored in another way, or blocks have another number of threads; returns
    /// whether it did.
    pub(crate) fn follow(
        &mut self,
        state: &State,
        mirror: &DeviceMirror,
        record: &dyn Recorded,
        threads: usize,
    ) -> Result<bool, DeviceError> {
        let arguments = arguments(state, mirror, record, &mut self.numbered);
        let before = (std::mem::replace(&mut self.shape.arguments, arguments), self.shape.threads);
        // What fits depends on how dats are stored.
        self.shape.threads = self.shape.fitting(threads);
        let other = before.0 != self.shape.arguments || before.1 != self.shape.threads;
        if other {
            self.compile(mirror)?;
        }
        Ok(other)
    }

    /// The launches; without an exchange, the core and the rest of the owned rows are a single one.
    pub(crate) fn pieces(&self, exchange: bool) -> Pieces {
        let threads = self.shape.threads;
        let results = self.shape.arguments.iter().any(|a| matches!(a.place, Place::Global { .. }));
        let tiles = match results {
            true => self.owned / (threads * self.processors * BLOCKS_A_PROCESSOR),
            false => 1,
        };
        let tiles = tiles.clamp(1, MOST_TILES);
        let elements = |first: usize, end: usize, rows: u64| {
            let blocks = (end - first).div_ceil(threads * tiles);
            let blocks = u32::try_from(blocks).expect("fewer than 2^32 blocks");
            Piece { first: first as u64, end: end as u64, rows, blocks }
        };
        let regions = |first: u64, end: u64| {
            let blocks = u32::try_from(end - first).expect("fewer than 2^32 regions");
            Piece { first, end, rows: 0, blocks }
        };
        let colors = |ranges: &[Range<u32>]| -> Vec<Piece> {
            ranges.iter().map(|range| regions(range.start.into(), range.end.into())).collect()
        };
        match &self.lists {
            Lists::Colored { core, rest, .. } => Pieces { core: colors(core), rest: colors(rest) },
            &Lists::Regions { interior, regions: all, .. } if exchange => {
                Pieces { core: vec![regions(0, interior)], rest: vec![regions(interior, all)] }
            }
            &Lists::Lines { lines, .. } => {
                let blocks = (lines as usize).div_ceil(threads);
                let blocks = u32::try_from(blocks).expect("fewer than 2^32 blocks");
                Pieces { core: Vec::new(), rest: vec![Piece { first: 0, end: lines, rows: 0, blocks }] }
            }
            &Lists::Regions { regions: all, .. } => Pieces { core: Vec::new(), rest: vec![regions(0, all)] },
            _ => {
                let first = if exchange { self.core } else { 0 };
                let core = if exchange { vec![elements(0, self.core, 0)] } else { Vec::new() };
                let mut rest = vec![elements(first, self.owned, 0)];
                rest.extend(self.imported.iter().map(|(rows, count)| elements(0, *count, rows.address())));
                Pieces { core, rest }
            }
        }
    }

    /// The kernel arguments of a launch, still without those of the piece.
    pub(crate) fn arguments(
        &self,
        state: &State,
        mirror: &mut DeviceMirror,
        results: &mut Results,
        record: &dyn Recorded,
        blocks: usize,
    ) -> Result<Vec<u64>, DeviceError> {
        let info = record.info();
        let mut words = Vec::new();
        for &argument in &self.kernel_arguments {
            words.push(match argument {
                KernelArgument::First
                | KernelArgument::End
                | KernelArgument::Blocks
                | KernelArgument::Rows
                | KernelArgument::FirstBlock => 0,
                KernelArgument::Dat(number) => {
                    let dat = self.numbered.dats[number];
                    let extent = Extent::of(dat, &state.dats, &state.sets);
                    mirror.dat(&state.local, dat, &state.dats[dat].name, extent)?
                }
                KernelArgument::RowsOf(number) => {
                    state.sets[state.dats[self.numbered.dats[number]].set].total() as u64
                }
                KernelArgument::Map(number) => match &self.lists {
                    Lists::Regions { buffers, .. } => buffers.maps[number].address(),
                    _ => {
                        let map = self.numbered.maps[number];
                        mirror.map(&state.local, map, &state.maps[map].name)?
                    }
                },
                KernelArgument::Ids => {
                    let set = info.set();
                    mirror.ids(&state.local, set, &state.sets[set].name)?
                }
                KernelArgument::Result(k) => {
                    let global = info.args[k].global().expect("a result is a global's");
                    results.begin(&mirror.device, global, &state.globals[global], blocks)?
                }
                listed => self.lists.address(listed),
            });
        }
        let fields = words.len();
        record.push_constants(&mut words);
        if words.len() == fields {
            words.push(0);
        }
        Ok(words)
    }

    /// The kernel arguments of a launch of one piece.
    pub(crate) fn with_piece(&self, arguments: &[u64], piece: Piece, first_block: u64) -> Vec<u64> {
        let mut words = arguments.to_vec();
        for (argument, value) in self.kernel_arguments.iter().zip(&mut words) {
            match argument {
                KernelArgument::First => *value = piece.first,
                KernelArgument::End => *value = piece.end,
                KernelArgument::Blocks => *value = piece.blocks.into(),
                KernelArgument::Rows => *value = piece.rows,
                KernelArgument::FirstBlock => *value = first_block,
                _ => {}
            }
        }
        words
    }
}

impl Lists {
    /// The loop's maps, as indices and arity.
    fn of_regions(
        mirror: &DeviceMirror,
        lists: &RegionLists,
        maps: &[(&[u32], usize)],
    ) -> Result<Lists, DeviceError> {
        let (device, what) = (&mirror.device, "lists of regions");
        let in_order = |&(indices, arity): &(&[u32], usize)| {
            Buffer::holding(device, &lists.in_order(indices, arity), what)
        };
        let mut groups = Vec::new();
        for group in &lists.groups {
            groups.push([
                Buffer::holding(device, &group.target_bounds, what)?,
                Buffer::holding(device, &group.targets, what)?,
                Buffer::holding(device, &group.starts, what)?,
            ]);
        }
        Ok(Lists::Regions {
            interior: lists.interior as u64,
            regions: lists.regions() as u64,
            buffers: RegionBuffers {
                bounds: Buffer::holding(device, &lists.bounds, what)?,
                sources: Buffer::holding(device, &lists.sources, what)?,
                places: Buffer::holding(device, &lists.places, what)?,
                maps: maps.iter().map(in_order).collect::<Result<_, _>>()?,
                groups,
            },
        })
    }

    fn of_lines(mirror: &DeviceMirror, lines: &LineLists, backward: bool) -> Result<Lists, DeviceError> {
        let (device, what) = (&mirror.device, "lists of lines");
        let along = |line: usize| {
            let mut rows = lines.line(line).to_vec();
            if backward {
                rows.reverse();
            }
            rows.into_iter().map(|row| row | OWNED)
        };
        let sources: Vec<u32> = (0..lines.len()).flat_map(along).collect();
        Ok(Lists::Lines {
            bounds: Buffer::holding(device, &lines.starts, what)?,
            sources: Buffer::holding(device, &sources, what)?,
            lines: lines.len() as u64,
        })
    }

    fn of_blocks(mirror: &DeviceMirror, blocks: ColoredBlocks) -> Result<Lists, DeviceError> {
        let (device, what) = (&mirror.device, "lists of blocks");
        let buffers = ColoredBuffers {
            bounds: Buffer::holding(device, &blocks.bounds, what)?,
            sources: Buffer::holding(device, &blocks.sources, what)?,
            colors: Buffer::holding(device, &blocks.colors, what)?,
            counts: Buffer::holding(device, &blocks.counts, what)?,
        };
        Ok(Lists::Colored { core: blocks.core, rest: blocks.rest, buffers })
    }

    /// The address of a list.
    fn address(&self, argument: KernelArgument) -> u64 {
        let buffer = match (self, argument) {
            (Lists::Buffered { places, .. }, KernelArgument::Places) => places,
            (Lists::Buffered { starts, .. }, KernelArgument::Starts(group)) => &starts[group],
            (Lists::Buffered { buffered, .. }, KernelArgument::Buffered(group)) => &buffered[group],
            (Lists::Lines { bounds, .. }, KernelArgument::Bounds) => bounds,
            (Lists::Lines { sources, .. }, KernelArgument::Sources) => sources,
            (Lists::Colored { buffers, .. }, KernelArgument::Bounds) => &buffers.bounds,
            (Lists::Colored { buffers, .. }, KernelArgument::Sources) => &buffers.sources,
            (Lists::Colored { buffers, .. }, KernelArgument::Places) => &buffers.colors,
            (Lists::Colored { buffers, .. }, KernelArgument::Colors) => &buffers.counts,
            (Lists::Regions { buffers, .. }, KernelArgument::Bounds) => &buffers.bounds,
            (Lists::Regions { buffers, .. }, KernelArgument::Sources) => &buffers.sources,
            (Lists::Regions { buffers, .. }, KernelArgument::Places) => &buffers.places,
            (Lists::Regions { buffers, .. }, KernelArgument::TargetBounds(group)) => {
                &buffers.groups[group][0]
            }
            (Lists::Regions { buffers, .. }, KernelArgument::Targets(group)) => &buffers.groups[group][1],
            (Lists::Regions { buffers, .. }, KernelArgument::Starts(group)) => &buffers.groups[group][2],
            _ => unreachable!("a loop's code declares the lists of its own method"),
        };
        buffer.address()
    }
}

/// Regions, and what a block needs for any of them, which fits into `room` bytes of shared memory; `None` if the increments of
/// a single target do not fit.
fn regions(
    increments: &Increments<'_>,
    listed: &[Listed],
    mut limits: Limits,
    room: usize,
) -> Option<(RegionLists, Vec<Capacity>)> {
    let rounded = |most: usize| most.max(1).next_multiple_of(CAPACITY_STEP);
    let capacity = |group: &GroupLists| Capacity {
        increments: rounded(group.most_increments),
        targets: rounded(group.most_targets),
    };
    while limits.bytes > 0 {
        let lists = increments.divide(listed, limits)?;
        let capacities: Vec<Capacity> = lists.groups.iter().map(capacity).collect();
        let bytes =
            capacities.iter().zip(&increments.groups).map(|(own, group)| own.increments * group.shared_bytes);
        if bytes.sum::<usize>() <= room {
            return Some((lists, capacities));
        }
        // Each region fits, but where groups belong to several sets, one is full of one group and another of another.
        limits.bytes /= 2;
    }
    None
}

/// Bytes of a block's shared memory for a loop's sums and extrema, at least.
fn bytes_of_results(state: &State, info: &LoopInfo) -> usize {
    let results = info.args.iter().filter_map(|arg| {
        let dim = state.globals[arg.global()?].values.len();
        Some(results_code::result_bytes(arg.access, dim, results_code::FEWEST_THREADS))
    });
    results.sum()
}

/// Bytes of shared memory that a region's increments may fill in addition to the loop's sums and extrema: no more than
/// allows as many blocks on a multiprocessor as the threads' registers do. Smaller regions execute more elements twice;
/// larger ones leave fewer threads waiting for memory at the same time.
fn room_for_increments(state: &State, info: &LoopInfo, groups: &[Group], shared: usize) -> usize {
    // All operands of an element, two registers per value, and some for addresses and lists.
    let values: usize = info.args.iter().filter_map(|arg| Some(state.dats[arg.dat()?].dim)).sum();
    let registers =
        (2 * values + 12).next_multiple_of(8).clamp(REGISTERS_OF_A_THREAD.0, REGISTERS_OF_A_THREAD.1);
    let blocks = (REGISTERS / (USUAL_THREADS * registers)).max(1);
    // Capacities are rounded up.
    let rounding: usize = groups.iter().map(|group| CAPACITY_STEP * group.shared_bytes).sum();
    let beside = bytes_of_results(state, info) + rounding;
    (shared / blocks)
        .saturating_sub(DRIVER_BYTES + beside)
        .clamp(FEWEST_BUFFERED_BYTES, BUFFERED_BYTES)
        .min(results_code::SHARED_BYTES.saturating_sub(beside))
}

/// The arguments as the code sees them.
fn arguments(
    state: &State,
    mirror: &DeviceMirror,
    record: &dyn Recorded,
    numbered: &mut Numbered,
) -> Vec<Argument> {
    let mut describe = |arg: &cfd_engine::plug::ArgInfo| {
        let arity = arg.map().map_or(0, |map| state.maps[map].arity);
        let (dim, element, columns) = match (arg.dat(), arg.global()) {
            (Some(dat), _) => {
                let info = &state.dats[dat];
                (info.dim, info.element, mirror.in_columns(dat))
            }
            (_, Some(global)) => (state.globals[global].values.len(), ElementType::F64, false),
            _ => unreachable!("an argument is a dat or a global"),
        };
        Argument { place: numbered.place(arg.place), access: arg.access, dim, element, arity, columns }
    };
    record.info().args.iter().map(&mut describe).collect()
}

fn increments<'a>(
    state: &'a State,
    record: &dyn Recorded,
    changes: &Changes<'_>,
    groups: &[usize],
) -> Increments<'a> {
    let arguments = record.info().args.iter().filter(|a| a.access.combines()).filter_map(|arg| {
        let Place::Indirect { dat, map, index } = arg.place else { return None };
        let group = groups.iter().position(|&g| g == dat).expect("incremented dats are groups");
        Some(Increment { group, indices: &state.local.maps[map], arity: state.maps[map].arity, index })
    });
    let group = |&dat: &usize| {
        let info = &state.dats[dat];
        let bytes = info.row_bytes();
        let shared_bytes = padded(info.dim) * info.element.bytes();
        Group { set: info.set, owned: state.sets[info.set].owned, bytes, shared_bytes }
    };
    Increments {
        arguments: arguments.collect(),
        groups: groups.iter().map(group).collect(),
        sequence: changes.in_order(None),
        core: changes.set.core,
        owned: changes.set.owned,
    }
}
