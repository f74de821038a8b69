//! The part of a loop's code for one element: what its lists say, what is loaded, called and stored.

use std::fmt::Write;

use cfd_engine::kernel::Access;
use cfd_engine::plug::Place;
use cfd_engine::prelude::ElementType;

use super::kernel_code;
use super::loop_code::{
    Argument, Method, Shape, combine_function, computed_type, dat_of, rank_function, type_of,
};

impl Shape {
    /// True if an element's own row is needed: for its own values, or for results that count where it is owned.
    pub(super) fn needs_rows(&self) -> bool {
        let through_maps = self.arguments.iter().all(|a| matches!(a.place, Place::Indirect { .. }));
        !(matches!(self.method, Method::Regions(_)) && through_maps)
    }

    /// The maps of a loop, and their arity.
    fn maps(&self) -> Vec<(usize, usize)> {
        let mut maps: Vec<(usize, usize)> = Vec::new();
        for argument in &self.arguments {
            let Place::Indirect { map, .. } = argument.place else { continue };
            if !maps.contains(&(map, argument.arity)) {
                maps.push((map, argument.arity));
            }
        }
        maps
    }

    /// What lists say about an element, and the function that reads it. In regions, the rows of maps lie in the order
    /// of the sources, so no read depends on an earlier one.
    pub(super) fn declare_listed(&self, code: &mut String) {
        let (mut fields, mut reads) = (String::new(), String::new());
        let row = match self.method {
            Method::Regions(_) | Method::Colored(_) | Method::Lines => "cfd_row<1>(a.sources, position)[0]",
            _ => "a.rows != 0 ? cfd_row<1>(a.rows, position)[0] : (unsigned)position | CFD_OWNED",
        };
        if self.needs_rows() {
            writeln!(
                code,
                "CFD_FUNCTION unsigned cfd_listed_row(const Arguments& a, const i64 position) {{ return {row}; }}"
            )
            .expect("writing to a string succeeds");
        }
        let mut read = |field: String, value: String| {
            writeln!(fields, "    {field};").expect("writing to a string succeeds");
            writeln!(reads, "    listed.{value};").expect("writing to a string succeeds");
        };
        if self.needs_rows() {
            read("unsigned row".into(), "row = cfd_listed_row(a, position)".into());
        }
        let at = match self.method {
            Method::Regions(_) => "position",
            _ => "listed.row & ~CFD_OWNED",
        };
        for (map, arity) in self.maps() {
            read(
                format!("Row<unsigned, {arity}> m{map}"),
                format!("m{map} = cfd_row<{arity}>(a.m{map}, {at})"),
            );
        }
        let places = self.increments().len();
        match self.method {
            Method::Regions(_) => {
                read(
                    format!("Row<u16, {places}> places"),
                    format!("places = cfd_row<{places}>(a.places, {at})"),
                );
            }
            Method::Buffered => read(
                format!("Row<unsigned, {places}> places"),
                format!("places = cfd_row<{places}>(a.places, {at})"),
            ),
            Method::None | Method::Atomic | Method::Colored(_) | Method::Lines => {}
        }
        write!(
            code,
            "struct Listed {{\n{fields}}};\n\
             CFD_FUNCTION Listed cfd_listed(const Arguments& a, const i64 position) {{\n\
             \x20   Listed listed;\n{reads}    return listed;\n}}\n"
        )
        .expect("writing to a string succeeds");
    }

    /// The elements from number `first` to number `end`, `step` apart. In a region, the lists' entries for the next
    /// element are read while the previous one is executed; elsewhere, that would cost registers and gain nothing.
    pub(super) fn elements(&self, code: &mut String, first: &str, step: &str) {
        let (before, begin) = match self.method {
            Method::Regions(_) => (
                "Listed next;\nif (position < end) next = cfd_listed(a, position);\n",
                format!(
                    "const Listed listed = next;\n\
                     if (position + {step} < end) next = cfd_listed(a, position + {step});"
                ),
            ),
            _ => ("", "const Listed listed = cfd_listed(a, position);".into()),
        };
        writeln!(
            code,
            "i64 position = {first};\n{before}for (; position < end; position += {step}) {{\n{begin}"
        )
        .expect("writing to a string succeeds");
        self.element(code);
        code.push_str("}\n");
    }

    /// One element, with its list entries in `listed`.
    pub(super) fn element(&self, code: &mut String) {
        let mut line = |content: String| {
            code.push_str(&content);
            code.push('\n');
        };
        let increments = self.increments();
        if self.needs_rows() {
            line("const i64 row = listed.row & ~CFD_OWNED; (void)row;".into());
            line("const bool owned = (listed.row & CFD_OWNED) != 0; (void)owned;".into());
        }
        // Each target once, however many arguments refer to it.
        let mut targets: Vec<(usize, usize)> = Vec::new();
        for argument in &self.arguments {
            let Place::Indirect { map, index, .. } = argument.place else { continue };
            if !targets.contains(&(map, index)) {
                line(format!("const i64 t{map}_{index} = listed.m{map}[{index}];"));
                targets.push((map, index));
            }
        }
        for (k, argument) in self.arguments.iter().enumerate() {
            let (ty, dim) = (computed_type(argument), argument.dim);
            let start = match argument.access {
                Access::Read | Access::Rw => match self.long_row(k) {
                    Some(row) => format!("cfd_load_shared<{dim}>({row})"),
                    None => load(argument),
                },
                Access::Write => format!("cfd_filled<{ty}, {dim}>(0)"),
                Access::Inc | Access::Sum if argument.element == ElementType::I32 => {
                    format!("cfd_filled<{ty}, {dim}>(0)")
                }
                // The exact identity of addition.
                Access::Inc | Access::Sum => format!("cfd_filled<{ty}, {dim}>(-0.0)"),
                Access::Min => {
                    format!("cfd_filled<{ty}, {dim}>(cfd_from_bits({:#x}ULL))", f64::INFINITY.to_bits())
                }
                Access::Max => {
                    format!("cfd_filled<{ty}, {dim}>(cfd_from_bits({:#x}ULL))", f64::NEG_INFINITY.to_bits())
                }
            };
            let constant = if argument.access == Access::Read { "const " } else { "" };
            line(format!("{constant}Row<{ty}, {dim}> x{k} = {start};"));
        }
        // Everything is loaded before the kernel's first division or root, across which compilers move no load.
        for (k, argument) in self.arguments.iter().enumerate() {
            if matches!(argument.access, Access::Read | Access::Rw) {
                line(format!("cfd_asked_for(x{k});"));
            }
        }
        let names: Vec<String> = (0..self.arguments.len()).map(|k| format!("x{k}")).collect();
        line(format!("{}({}, a.constants);", kernel_code::kernel_name(self.kernel), names.join(", ")));
        for (k, argument) in self.arguments.iter().enumerate() {
            let dim = argument.dim;
            let row = row_of(argument.place);
            // Increments are rounded to the dat's type before they are added.
            let value = format!("({})x{k}[m]", type_of(argument));
            match (argument.access, argument.place) {
                (Access::Read, _) => {}
                (Access::Write | Access::Rw, Place::Direct { .. }) => {
                    line(match self.long_row(k) {
                        Some(row) => format!("cfd_store_shared<{dim}>({row}, x{k});"),
                        None => format!("if (owned) {}", store(argument, &format!("x{k}"))),
                    });
                }
                (Access::Write | Access::Rw, _) => line(store(argument, &format!("x{k}"))),
                (Access::Inc | Access::Min | Access::Max, Place::Direct { dat }) => {
                    let at = self.component(dat, &row, "m");
                    let combine = combine_function(argument.access);
                    line(format!(
                        "if (owned) for (int m = 0; m < {dim}; ++m) a.d{dat}[{at}] = \
                         {combine}(a.d{dat}[{at}], {value});"
                    ));
                }
                (Access::Inc | Access::Min | Access::Max, Place::Indirect { dat, .. }) => {
                    let group =
                        self.groups.iter().position(|&g| g == dat).expect("incremented dats are groups");
                    let combine = combine_function(argument.access);
                    let slot = increments.iter().position(|&other| other == k).expect("it is an increment");
                    let place = format!("listed.places[{slot}]");
                    match self.method {
                        Method::None | Method::Lines => {
                            unreachable!("a loop with increments has a method for them")
                        }
                        Method::Atomic => {
                            let at = self.component(dat, &row, "m");
                            line(format!(
                                "for (int m = 0; m < {dim}; ++m) {combine}_atomic(a.d{dat} + {at}, {value});"
                            ));
                        }
                        Method::Buffered => line(format!(
                            "{{ const unsigned p = {place}; if (p != ~0u) \
                             cfd_store<{dim}>(a.buffered{group}, (i64)p, x{k}); }}"
                        )),
                        Method::Colored(_) => line(format!(
                            "for (int m = 0; m < {dim}; ++m) apart{k}[i * {dim} + m] = {value};"
                        )),
                        Method::Regions(_) => line(format!(
                            "{{ const unsigned p = {place}; if (p != CFD_NOWHERE) \
                             for (int m = 0; m < {dim}; ++m) buffered{group}[p * {} + m] = {value}; }}",
                            self.step_of_group(group)
                        )),
                    }
                }
                (Access::Sum, _) => line(format!(
                    "if (owned) for (int m = 0; m < {dim}; ++m) \
                     cfd_deposit(sum{k} + m * CFD_SUM, a.g{k} + m * (CFD_WORDS + 1), thread, x{k}[m]);"
                )),
                (Access::Min | Access::Max, Place::Global { .. }) => {
                    let rank = rank_function(argument.access);
                    line(format!(
                        "if (owned) for (int m = 0; m < {dim}; ++m) {{ Best& best = best{k}[m * CFD_THREADS + thread]; \
                         const u64 rank = {rank}(x{k}[m]); \
                         if (rank <= best.rank) {{ const Best found = {{rank, a.ids[row]}}; cfd_improve(best, found); }} }}"
                    ));
                }
                (Access::Inc, Place::Global { .. }) => unreachable!("a global is a sum or an extremum"),
            }
        }
    }
}

/// The row of an argument's dat.
fn row_of(place: Place) -> String {
    match place {
        Place::Direct { .. } | Place::Global { .. } => "row".into(),
        Place::Indirect { map, index, .. } => format!("t{map}_{index}"),
    }
}

fn load(argument: &Argument) -> String {
    let (dat, row) = (dat_of(argument.place).expect("what is loaded is a dat's"), row_of(argument.place));
    match argument.columns {
        true => format!("cfd_load_columns<{}>(a.d{dat}, a.n{dat}, {row})", argument.dim),
        false => format!("cfd_load<{}>(a.d{dat}, {row})", argument.dim),
    }
}

fn store(argument: &Argument, value: &str) -> String {
    let (dat, row) = (dat_of(argument.place).expect("what is stored is a dat's"), row_of(argument.place));
    match argument.columns {
        true => format!("cfd_store_columns<{}>(a.d{dat}, a.n{dat}, {row}, {value});", argument.dim),
        false => format!("cfd_store<{}>(a.d{dat}, {row}, {value});", argument.dim),
    }
}
