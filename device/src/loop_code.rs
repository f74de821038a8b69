//! The code of a loop around its kernel: what is loaded, called, stored and added, and by which threads.
//!
//! ```text
//! once       a thread per element; increments, if there are any, are added atomically or buffered
//! regions    a block per region: its threads call the kernel for all elements that touch the region and keep the
//!            increments in shared memory; then a thread for each component of a target adds up its own, in order
//! gather     a thread for each component of a target adds up what `once` has buffered, in order
//! lines      a thread per line, which calls the kernel for the line's elements in turn
//! colored    a block's threads call the kernel for its elements, then add the increments color by color
//! ```

use std::fmt::Write;

use cfd_engine::kernel::{Access, ConstantField, Constants, Kernel, Params};
use cfd_engine::plug::Place;
use cfd_engine::prelude::ElementType;
use cfd_engine::source::KernelSource;

use super::kernel_code::{self, PRELUDE};

/// How a loop's increments, minima and maxima through maps reach their targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// There are none.
    None,
    /// One atomic addition per component, in any order.
    Atomic,
    /// Increments are buffered, then added target by target.
    Buffered,
    /// Increments are buffered in shared memory, region by region; the most that a region has, by group.
    Regions(Vec<Capacity>),
    /// Added color by color, by blocks, where those of one launch share no target; the most elements in a block.
    Colored(usize),
    /// There are none: a thread runs the elements of a line, one after the other.
    Lines,
}

/// The most that a region has of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capacity {
    pub(crate) increments: usize,
    pub(crate) targets: usize,
}

/// An argument as the code sees it. Dats and maps are numbered in the order of first use, so loops of one kernel over
/// several meshes have the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) place: Place,
    pub(crate) access: Access,
    pub(crate) dim: usize,
    pub(crate) element: ElementType,
    /// Arity of the map, if there is one.
    pub(crate) arity: usize,
    /// Whether the dat is stored component by component.
    pub(crate) columns: bool,
}

/// What a loop's code is made from.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) kernel: &'static KernelSource,
    pub(crate) constants: &'static [ConstantField],
    pub(crate) arguments: Vec<Argument>,
    /// The dats that are incremented through maps, each a group.
    pub(crate) groups: Vec<usize>,
    pub(crate) method: Method,
    pub(crate) threads: usize,
}

/// Most components of targets that a thread processes at a time: more would take too many registers.
const MOST_AT_A_TIME: usize = 6;

/// A kernel argument: a word of a launch, in the order of the code's `Arguments`; the constants follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelArgument {
    /// The first element, region or component, and the one after the last.
    First,
    End,
    /// Number of blocks in this launch.
    Blocks,
    /// Listed rows; 0: an element's number is its row.
    Rows,
    Dat(usize),
    /// Rows of a dat.
    RowsOf(usize),
    Map(usize),
    /// Global ids of the loop's set.
    Ids,
    /// For an argument: the words of its sums, or a best candidate for each block and component.
    Result(usize),
    /// Number of the first block of this launch among all those of the loop.
    FirstBlock,
    /// The sources of region r are numbers Bounds[r] to Bounds[r + 1] of Sources.
    Bounds,
    Sources,
    /// Where an element's increments are stored.
    Places,
    /// The targets of region r in a group are numbers TargetBounds[r] to TargetBounds[r + 1] of Targets.
    TargetBounds(usize),
    Targets(usize),
    /// The increments of a target are numbers Starts[t] to Starts[t + 1].
    Starts(usize),
    /// An increment buffer.
    Buffered(usize),
    /// For a colored block: the number of its elements' colors.
    Colors,
}

/// A loop's code, and what its functions take.
pub(crate) struct LoopCode {
    pub(crate) code: String,
    /// The loop, then one gather for each group of a buffered one.
    pub(crate) entries: Vec<String>,
    pub(crate) kernel_arguments: Vec<KernelArgument>,
}

impl Shape {
    pub(crate) fn code(&self) -> LoopCode {
        let kernel_arguments = self.kernel_arguments();
        let mut entries = vec![format!("{}_loop", self.name)];
        let mut code = format!("#define CFD_THREADS {}\n{PRELUDE}", self.threads);
        code.push_str(&kernel_code::definitions(self.kernel, self.constants));
        writeln!(code, "\n#line 1 \"loop {}\"", self.name).expect("writing to a string succeeds");
        self.declare_arguments(&mut code, &kernel_arguments);
        self.declare_listed(&mut code);
        match self.method {
            Method::Regions(_) => self.regions(&mut code, &entries[0]),
            Method::Colored(size) => self.colored(&mut code, &entries[0], size),
            Method::Lines => self.lines(&mut code, &entries[0]),
            Method::None | Method::Atomic | Method::Buffered => self.once(&mut code, &entries[0]),
        }
        if self.method == Method::Buffered {
            for group in 0..self.groups.len() {
                entries.push(format!("{}_gather{group}", self.name));
                self.gather(&mut code, &entries[group + 1], group);
            }
        }
        LoopCode { code, entries, kernel_arguments }
    }

    fn kernel_arguments(&self) -> Vec<KernelArgument> {
        let mut kernel_arguments = vec![
            KernelArgument::First,
            KernelArgument::End,
            KernelArgument::Blocks,
            KernelArgument::Rows,
            KernelArgument::FirstBlock,
        ];
        let mut add = |kernel_argument: KernelArgument| {
            if !kernel_arguments.contains(&kernel_argument) {
                kernel_arguments.push(kernel_argument);
            }
        };
        for (k, argument) in self.arguments.iter().enumerate() {
            match argument.place {
                Place::Direct { dat } => {
                    add(KernelArgument::Dat(dat));
                    add(KernelArgument::RowsOf(dat));
                }
                Place::Indirect { dat, map, .. } => {
                    add(KernelArgument::Dat(dat));
                    add(KernelArgument::RowsOf(dat));
                    add(KernelArgument::Map(map));
                }
                Place::Global { .. } => add(KernelArgument::Result(k)),
            }
            if matches!((argument.access, argument.place), (Access::Min | Access::Max, Place::Global { .. }))
            {
                add(KernelArgument::Ids);
            }
        }
        match self.method {
            Method::None | Method::Atomic => {}
            Method::Lines => [KernelArgument::Bounds, KernelArgument::Sources].into_iter().for_each(&mut add),
            Method::Colored(_) => {
                [
                    KernelArgument::Bounds,
                    KernelArgument::Sources,
                    KernelArgument::Places,
                    KernelArgument::Colors,
                ]
                .into_iter()
                .for_each(&mut add);
            }
            Method::Buffered => {
                add(KernelArgument::Places);
                for group in 0..self.groups.len() {
                    add(KernelArgument::Starts(group));
                    add(KernelArgument::Buffered(group));
                }
            }
            Method::Regions(_) => {
                add(KernelArgument::Bounds);
                if self.needs_rows() {
                    add(KernelArgument::Sources);
                }
                add(KernelArgument::Places);
                for group in 0..self.groups.len() {
                    add(KernelArgument::TargetBounds(group));
                    add(KernelArgument::Targets(group));
                    add(KernelArgument::Starts(group));
                }
            }
        }
        kernel_arguments
    }

    fn declare_arguments(&self, code: &mut String, kernel_arguments: &[KernelArgument]) {
        code.push_str("struct Arguments {\n");
        for kernel_argument in kernel_arguments {
            let declared = match kernel_argument {
                KernelArgument::First => "i64 first".into(),
                KernelArgument::End => "i64 end".into(),
                KernelArgument::Blocks => "i64 blocks".into(),
                KernelArgument::FirstBlock => "i64 first_block".into(),
                KernelArgument::Rows => "const unsigned* rows".into(),
                KernelArgument::Dat(dat) => format!("{}* d{dat}", self.type_of_dat(*dat)),
                KernelArgument::RowsOf(dat) => format!("i64 n{dat}"),
                KernelArgument::Map(map) => format!("const unsigned* m{map}"),
                KernelArgument::Ids => "const u64* ids".into(),
                KernelArgument::Result(k) if self.arguments[*k].access == Access::Sum => format!("u64* g{k}"),
                KernelArgument::Result(k) => format!("Best* g{k}"),
                KernelArgument::Colors => "const unsigned* colors".into(),
                KernelArgument::Bounds => "const unsigned* bounds".into(),
                KernelArgument::Sources => "const unsigned* sources".into(),
                KernelArgument::Places if self.method == Method::Buffered => "const unsigned* places".into(),
                KernelArgument::Places => "const u16* places".into(),
                KernelArgument::TargetBounds(group) => format!("const unsigned* target_bounds{group}"),
                KernelArgument::Targets(group) => format!("const unsigned* targets{group}"),
                KernelArgument::Starts(group) => format!("const unsigned* starts{group}"),
                KernelArgument::Buffered(group) => format!("{}* buffered{group}", self.type_of_group(*group)),
            };
            writeln!(code, "    {declared};").expect("writing to a string succeeds");
        }
        code.push_str("    Constants constants;\n};\n");
    }

    /// The first argument that is this dat.
    fn argument_of(&self, dat: usize) -> &Argument {
        let argument = self.arguments.iter().find(|a| dat_of(a.place) == Some(dat));
        argument.expect("the dat is an argument's")
    }

    fn type_of_dat(&self, dat: usize) -> &'static str {
        type_of(self.argument_of(dat))
    }

    fn type_of_group(&self, group: usize) -> &'static str {
        self.type_of_dat(self.groups[group])
    }

    /// Distance between neighbouring increments in a region's shared memory: odd, so that neighbouring targets'
    /// components lie in different banks.
    pub(super) fn step_of_group(&self, group: usize) -> usize {
        padded(self.dim_of_group(group))
    }

    /// Bytes of one value of a dat.
    pub(super) fn value_bytes(&self, dat: usize) -> usize {
        self.argument_of(dat).element.bytes()
    }

    fn dim_of_group(&self, group: usize) -> usize {
        self.argument_of(self.groups[group]).dim
    }

    /// The function that combines a value of the group with an element's contribution.
    fn combine_function_of_group(&self, group: usize) -> &'static str {
        combine_function(self.argument_of(self.groups[group]).access)
    }

    /// The arguments that contribute to dats through maps, in order: an element's places.
    pub(super) fn increments(&self) -> Vec<usize> {
        let indirect = |a: &Argument| a.access.combines() && matches!(a.place, Place::Indirect { .. });
        (0..self.arguments.len()).filter(|&k| indirect(&self.arguments[k])).collect()
    }

    fn once(&self, code: &mut String, entry: &str) {
        writeln!(code, "CFD_ENTRY({entry}) {{\nCFD_BEGIN").expect("writing to a string succeeds");
        self.declare_long_rows(code);
        self.begin_results(code);
        // Adjacent blocks take neighbouring elements, then all move on by the same distance.
        let (first, step) = ("a.first + (i64)block * CFD_THREADS", "a.blocks * CFD_THREADS");
        if self.long_rows().is_empty() {
            code.push_str("const i64 end = a.end;\nCFD_PHASE\n");
            self.elements(code, &format!("{first} + thread"), step);
            code.push_str("CFD_END_PHASE\n");
        } else {
            // All threads bring the rows of all.
            write!(
                code,
                "for (i64 begin = {first}; begin < a.end; begin += {step}) {{\n\
                 const i64 end = begin + CFD_THREADS < a.end ? begin + CFD_THREADS : a.end;\n"
            )
            .expect("writing to a string succeeds");
            self.fetch_long_rows(code);
            code.push_str("CFD_PHASE\n");
            self.elements(code, "begin + thread", "CFD_THREADS");
            code.push_str("CFD_END_PHASE\n");
            self.store_long_rows(code);
            code.push_str("}\n");
        }
        self.end_results(code);
        code.push_str("}\n");
    }

    fn lines(&self, code: &mut String, entry: &str) {
        writeln!(code, "CFD_ENTRY({entry}) {{\nCFD_BEGIN").expect("writing to a string succeeds");
        self.begin_results(code);
        code.push_str(
            "CFD_PHASE\n\
             for (i64 line = a.first + (i64)block * CFD_THREADS + thread; line < a.end; line += a.blocks * CFD_THREADS) {\n\
             const i64 end = cfd_row<1>(a.bounds, line + 1)[0];\n",
        );
        self.elements(code, "(i64)cfd_row<1>(a.bounds, line)[0]", "1");
        code.push_str("}\nCFD_END_PHASE\n");
        self.end_results(code);
        code.push_str("}\n");
    }

    fn regions(&self, code: &mut String, entry: &str) {
        let Method::Regions(capacities) = &self.method else { unreachable!("only regions have this code") };
        writeln!(code, "CFD_ENTRY({entry}) {{\nCFD_BEGIN").expect("writing to a string succeeds");
        for (group, capacity) in capacities.iter().enumerate() {
            let (ty, size) = (self.type_of_group(group), capacity.increments * self.step_of_group(group));
            writeln!(code, "CFD_SHARED({ty}, buffered{group}, {size});")
                .expect("writing to a string succeeds");
        }
        self.begin_results(code);
        code.push_str(
            "const i64 region = a.first + block;\n\
             const i64 end = cfd_row<1>(a.bounds, region + 1)[0];\n",
        );
        for group in 0..self.groups.len() {
            writeln!(
                code,
                "const unsigned first{group} = cfd_row<1>(a.target_bounds{group}, region)[0];\n\
                 const unsigned components{group} = \
                 (cfd_row<1>(a.target_bounds{group}, region + 1)[0] - first{group}) * {dim}u;",
                dim = self.dim_of_group(group)
            )
            .expect("writing to a string succeeds");
        }
        code.push_str("CFD_PHASE\n");
        self.elements(code, "(i64)cfd_row<1>(a.bounds, region)[0] + thread", "CFD_THREADS");
        code.push_str("CFD_END_PHASE\nCFD_PHASE\n");
        for (group, capacity) in capacities.iter().enumerate() {
            self.add_buffered(code, group, capacity.targets);
        }
        code.push_str("CFD_END_PHASE\n");
        self.end_results(code);
        code.push_str("}\n");
    }

    /// Adds the increments of a region's targets: a thread processes several components at a time.
    fn add_buffered(&self, code: &mut String, group: usize, targets: usize) {
        let (dat, dim) = (self.groups[group], self.dim_of_group(group));
        let n = (targets * dim).div_ceil(self.threads).clamp(1, MOST_AT_A_TIME);
        // A region has one start more than targets. After the last component, a thread loads its first one again.
        writeln!(
            code,
            "for (unsigned begin = thread; begin < components{group}; begin += {n} * CFD_THREADS) {{\n\
             unsigned i[{n}], from[{n}], to[{n}], row[{n}];\n\
             {ty}* at[{n}];\n\
             {ty} value[{n}];\n\
             #pragma unroll\n\
             for (int k = 0; k < {n}; ++k) {{\n\
             i[k] = begin + k * CFD_THREADS;\n\
             if (i[k] >= components{group}) i[k] = begin;\n\
             const i64 target = (i64)first{group} + i[k] / {dim}u;\n\
             row[k] = cfd_row<1>(a.targets{group}, target)[0];\n\
             from[k] = cfd_row<1>(a.starts{group}, target + region)[0];\n\
             to[k] = cfd_row<1>(a.starts{group}, target + region + 1)[0];\n\
             }}\n\
             unsigned most = 0;\n\
             #pragma unroll\n\
             for (int k = 0; k < {n}; ++k) {{\n\
             const unsigned m = i[k] % {dim}u;\n\
             at[k] = a.d{dat} + {place};\n\
             value[k] = *at[k];\n\
             if (most < to[k] - from[k]) most = to[k] - from[k];\n\
             }}\n\
             #pragma unroll 1\n\
             for (unsigned p = 0; p < most; ++p) {{\n\
             #pragma unroll\n\
             for (int k = 0; k < {n}; ++k) {{\n\
             if (p < to[k] - from[k]) \
             value[k] = {combine}(value[k], buffered{group}[(from[k] + p) * {step} + i[k] % {dim}u]);\n\
             }}\n\
             }}\n\
             #pragma unroll\n\
             for (int k = 0; k < {n}; ++k) if (begin + k * CFD_THREADS < components{group}) *at[k] = value[k];\n\
             }}",
            combine = self.combine_function_of_group(group),
            step = self.step_of_group(group),
            ty = self.type_of_group(group),
            place = self.component(dat, "(i64)row[k]", "m"),
        )
        .expect("writing to a string succeeds");
    }

    fn colored(&self, code: &mut String, entry: &str, size: usize) {
        writeln!(code, "CFD_ENTRY({entry}) {{\nCFD_BEGIN").expect("writing to a string succeeds");
        for k in self.increments() {
            let (ty, dim) = (type_of(&self.arguments[k]), self.arguments[k].dim);
            writeln!(code, "CFD_SHARED({ty}, apart{k}, {size} * {dim});")
                .expect("writing to a string succeeds");
        }
        self.begin_results(code);
        code.push_str(
            "const i64 chosen = a.first + block;\n\
             const unsigned count = a.bounds[chosen + 1] - a.bounds[chosen];\n\
             CFD_PHASE\n\
             for (unsigned i = thread; i < count; i += CFD_THREADS) {\n\
             const Listed listed = cfd_listed(a, a.bounds[chosen] + i);\n",
        );
        self.element(code);
        code.push_str(
            "}\nCFD_END_PHASE\n\
             for (unsigned color = 0; color < a.colors[chosen]; ++color) {\n\
             CFD_PHASE\n\
             for (unsigned i = thread; i < count; i += CFD_THREADS) if (a.places[a.bounds[chosen] + i] == color) {\n\
             const i64 row = a.sources[a.bounds[chosen] + i] & ~CFD_OWNED;\n",
        );
        for k in self.increments() {
            let argument = &self.arguments[k];
            let (Place::Indirect { dat, map, index }, dim) = (argument.place, argument.dim) else {
                unreachable!("increments are indirect")
            };
            let at = self.component(dat, "target", "m");
            writeln!(
                code,
                "{{ const i64 target = a.m{map}[row * {arity} + {index}];\n\
                 for (int m = 0; m < {dim}; ++m) \
                 a.d{dat}[{at}] = {combine}(a.d{dat}[{at}], apart{k}[i * {dim} + m]); }}",
                arity = argument.arity,
                combine = combine_function(argument.access),
            )
            .expect("writing to a string succeeds");
        }
        code.push_str("}\nCFD_END_PHASE\n}\n");
        self.end_results(code);
        code.push_str("}\n");
    }

    fn gather(&self, code: &mut String, entry: &str, group: usize) {
        let (dat, dim) = (self.groups[group], self.dim_of_group(group));
        writeln!(
            code,
            "CFD_ENTRY({entry}) {{\nCFD_BEGIN\nCFD_PHASE\n\
             const i64 i = a.first + (i64)block * CFD_THREADS + thread;\n\
             if (i < a.end) {{\n\
             const i64 target = i / {dim}, m = i % {dim};\n\
             {ty}* at = a.d{dat} + {place};\n\
             {ty} value = *at;\n\
             const i64 end = a.starts{group}[target + 1];\n\
             for (i64 p = a.starts{group}[target]; p < end; ++p) \
             value = {combine}(value, a.buffered{group}[p * {dim} + m]);\n\
             *at = value;\n\
             }}\nCFD_END_PHASE\n}}",
            combine = self.combine_function_of_group(group),
            ty = self.type_of_group(group),
            place = self.component(dat, "target", "m"),
        )
        .expect("writing to a string succeeds");
    }

    /// The offset of a component of a dat's row.
    pub(super) fn component(&self, dat: usize, row: &str, m: &str) -> String {
        let argument = self.argument_of(dat);
        match argument.columns {
            true => format!("{m} * a.n{dat} + {row}"),
            false => format!("{row} * {} + {m}", argument.dim),
        }
    }
}

/// The code of a loop over a kernel in which every operand is a separate dat on the loop's set, or a global, and its
/// entry: enough to compile a kernel by itself.
pub fn direct_loop<K: Kernel>() -> (String, String) {
    loop_without_maps(K::NAME, K::SOURCE, K::Constants::FIELDS, K::Params::argument_shapes())
}

/// What of [`direct_loop`] is the same for all kernels' types.
fn loop_without_maps(
    name: &'static str,
    kernel: &'static KernelSource,
    constants: &'static [ConstantField],
    arguments: Vec<(Access, usize, bool)>,
) -> (String, String) {
    let arguments = arguments.into_iter().enumerate().map(|(k, (access, dim, integer))| {
        let global = matches!(access, Access::Sum | Access::Min | Access::Max);
        let element = if integer { ElementType::I32 } else { ElementType::F64 };
        let place = if global { Place::Global { global: k } } else { Place::Direct { dat: k } };
        Argument { place, access, dim, element, arity: 0, columns: false }
    });
    let arguments = arguments.collect();
    let (groups, method, threads) = (Vec::new(), Method::None, 256);
    let mut made = Shape { name, kernel, constants, arguments, groups, method, threads }.code();
    (made.code, made.entries.swap_remove(0))
}

/// Distance between neighbouring increments with this many components in shared memory.
pub(super) fn padded(dim: usize) -> usize {
    dim | 1
}

pub(super) fn dat_of(place: Place) -> Option<usize> {
    match place {
        Place::Direct { dat } | Place::Indirect { dat, .. } => Some(dat),
        Place::Global { .. } => None,
    }
}

/// The type in which an argument's values are stored.
pub(super) fn type_of(argument: &Argument) -> &'static str {
    match argument.element {
        ElementType::F64 => "double",
        ElementType::F32 => "float",
        ElementType::I32 => "int",
    }
}

/// The type in which a kernel computes with them.
pub(super) fn computed_type(argument: &Argument) -> &'static str {
    if argument.element == ElementType::I32 { "int" } else { "double" }
}

/// The function that combines a dat's value with an element's contribution; with `_atomic`, at once for all threads.
pub(super) fn combine_function(access: Access) -> &'static str {
    match access {
        Access::Min => "cfd_least",
        Access::Max => "cfd_greatest",
        _ => "cfd_plus",
    }
}

pub(super) fn rank_function(access: Access) -> &'static str {
    if access == Access::Min { "cfd_rank_min" } else { "cfd_rank_max" }
}
