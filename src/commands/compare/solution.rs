//! Two solutions, piece by piece: neither is ever held as a whole, unless they are on two meshes.
//!
//! For this program's solutions, the fields count and, on request, the fields derived from them, under `derived/`; for
//! other programs' files, all tables of floating-point numbers.

use std::path::Path;

use cfd_engine::given::short;
use cfd_io::{FieldShape, IoError, SolutionFile};
use serde::Serialize;

use super::CompareOptions;
use super::field::{Beyond, FieldDifference};
use super::meshes::Meshes;
use super::unlike;
use crate::exit::Error;

/// The prefix of the names of derived fields.
const DERIVED: &str = "derived/";
/// Size of one piece of one file.
const PIECE_BYTES: u64 = 4 << 20;

/// How two solutions differ.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SolutionDifference {
    /// Field by field, ordered by name.
    pub fields: Vec<FieldDifference>,
    /// Nodes of the meshes of A and B, if B's fields were interpolated at the nodes of A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpolated: Option<[u64; 2]>,
    /// Datasets that are not fields, or that only one file has: not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl SolutionDifference {
    /// True when all bits of all fields are equal.
    pub fn equal(&self) -> bool {
        self.fields.iter().all(FieldDifference::equal)
    }

    /// What differs first, in a few words; with a tolerance, what first exceeds it.
    pub fn verdict(&self) -> Option<String> {
        let field = self.fields.iter().find(|field| !field.agrees())?;
        if let Some(Beyond { values, first: Some(first) }) = &field.beyond {
            return Some(format!(
                "{values} of {} values of field {} by more than the tolerance, the first at {}",
                field.values,
                short(&field.name),
                first.place
            ));
        }
        let first = field.first.as_ref().expect("a field that is not equal has a first difference");
        let different = field.values - field.equal_bits;
        Some(format!(
            "{different} of {} values of field {}, the first at {}",
            field.values,
            short(&field.name),
            first.place
        ))
    }

    /// The figures of all fields, for people.
    pub fn text(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(FieldDifference::text).collect();
        let mut text = fields.join("\n");
        if let Some(how) = self.how() {
            text.push_str(&format!("\n{how}\n"));
        }
        if !self.left_out.is_empty() {
            text.push_str(&format!("\nnot compared: {}\n", self.left_out.join(", ")));
        }
        text
    }

    /// How the values of two meshes were compared, if there are two.
    pub fn how(&self) -> Option<String> {
        self.interpolated.map(|[nodes_a, nodes_b]| {
            format!("interpolated: B's {nodes_b} nodes at A's {nodes_a}; norms are means over the volume")
        })
    }

    /// Adds the fields of another pair of files, prefixed with the files' name.
    pub fn add(&mut self, file: &str, other: SolutionDifference) {
        let named = |name: &str| format!("{file}: {name}");
        self.fields.extend(other.fields.into_iter().map(|mut field| {
            field.name = named(&field.name);
            field
        }));
        self.left_out.extend(other.left_out.iter().map(|name| named(name)));
        self.interpolated = self.interpolated.or(other.interpolated);
    }
}

/// Compares two solution files.
///
/// # Errors
/// One of them is missing, damaged or not a solution, or their fields have different names or shapes.
pub fn compare(a: &Path, b: &Path, options: CompareOptions<'_>) -> Result<SolutionDifference, Error> {
    compare_by(a, b, options, rows_of_a_piece)
}

/// Rows of a field that are read at once.
pub fn rows_of_a_piece(field: &FieldShape) -> u64 {
    (PIECE_BYTES / (field.dim.max(1) as u64 * 8)).max(1)
}

/// Hands over the values of two fields of one shape, `piece` rows at once, each with the first row's global id.
///
/// # Errors
/// Part of a file is damaged.
pub fn each_piece(
    [file_a, file_b]: &[SolutionFile; 2],
    (in_a, in_b): (&FieldShape, &FieldShape),
    piece: u64,
    mut take: impl FnMut(u64, &[f64], &[f64]),
) -> Result<(), IoError> {
    let mut start = 0;
    while start < in_a.rows {
        let rows = start..in_a.rows.min(start.saturating_add(piece));
        take(start, &file_a.rows(&in_a.name, rows.clone())?, &file_b.rows(&in_b.name, rows.clone())?);
        start = rows.end;
    }
    Ok(())
}

fn compare_by(
    a: &Path,
    b: &Path,
    options: CompareOptions<'_>,
    rows_of_a_piece: impl Fn(&FieldShape) -> u64,
) -> Result<SolutionDifference, Error> {
    let files = [SolutionFile::open(a)?, SolutionFile::open(b)?];
    let [file_a, file_b] = &files;
    let meshes = if options.interpolate { Some(Meshes::read(a, b)?) } else { None };
    let Paired { pairs, mut left_out } = Paired::of(&files, options).map_err(|what| unlike(a, b, what))?;
    let others = file_a.others().iter().chain(file_b.others());
    for name in others.map(|name| format!("{} (not a field of floating-point numbers)", short(name))) {
        if !left_out.contains(&name) {
            left_out.push(name);
        }
    }
    let mut fields = Vec::new();
    for (in_a, in_b) in &pairs {
        if meshes.as_ref().is_some_and(|meshes| [in_a.rows, in_b.rows] != meshes.nodes()) {
            left_out.push(format!("{} (not a value for each node)", short(&in_a.name)));
            continue;
        }
        let alike = match &meshes {
            Some(_) => same_dim(in_a, in_b),
            None => same_shape(in_a, in_b).map_err(|what| format!("{what}, or on two with --interpolate")),
        };
        alike.map_err(|what| unlike(a, b, what))?;
        let single = in_a.single || in_b.single;
        let name =
            if in_a.name == in_b.name { in_a.name.clone() } else { format!("{}={}", in_a.name, in_b.name) };
        let mut difference = FieldDifference::new(&name, in_a.rows, in_a.dim, single, options.tolerance);
        match &meshes {
            None => {
                let piece = rows_of_a_piece(in_a);
                each_piece(&files, (in_a, in_b), piece, |first, a, b| difference.add(first, a, b))?;
            }
            Some(meshes) => {
                let of_b = meshes.at_nodes_of_a(in_b.dim, &file_b.rows(&in_b.name, 0..in_b.rows)?);
                let of_a = file_a.rows(&in_a.name, 0..in_a.rows)?;
                difference.add_weighted(0, &of_a, &of_b, |row| meshes.shares()[row as usize]);
            }
        }
        fields.push(difference);
    }
    if meshes.is_some() && fields.is_empty() {
        let what = format!("no field has a value for each node of its mesh; {}", left_out.join(", "));
        return Err(unlike(a, b, what));
    }
    Ok(SolutionDifference { fields, left_out, interpolated: meshes.map(|meshes| meshes.nodes()) })
}

/// What is compared with what.
struct Paired {
    /// Derived fields come last, so the first difference is one of the solution's.
    pairs: Vec<(FieldShape, FieldShape)>,
    /// Fields that only one file has.
    left_out: Vec<String>,
}

impl Paired {
    /// Pairs the fields of two files: those that the options name, and those of equal names. Errors: what is wrong.
    fn of(files: &[SolutionFile; 2], options: CompareOptions<'_>) -> Result<Paired, String> {
        let mut rest = files.each_ref().map(|file| {
            let is_derived = |field: &&FieldShape| field.name.starts_with(DERIVED);
            let (derived, fields): (Vec<_>, Vec<_>) = file.fields().iter().partition(is_derived);
            (fields, derived)
        });
        let mut paired = Paired { pairs: Vec::new(), left_out: Vec::new() };
        for (one, other) in options.map {
            paired.pairs.push(named(files, one, other)?);
        }
        for (side, (fields, derived)) in rest.iter_mut().enumerate() {
            let is_free =
                |field: &&FieldShape| !paired.pairs.iter().any(|(a, b)| [a, b][side].name == field.name);
            fields.retain(is_free);
            derived.retain(is_free);
        }
        let [(fields_a, derived_a), (fields_b, derived_b)] = rest;
        match options.map.is_empty() {
            // A missing field of a solution is a difference, unless the files are said to be of different programs.
            true if names(&fields_a) != names(&fields_b) => {
                let [of_a, of_b] = [&fields_a, &fields_b].map(|fields| list(fields));
                return Err(format!(
                    "the fields are {of_a} and {of_b}; compare solutions of the same case, or name the pairs: --map \
                     NAME=NAME"
                ));
            }
            _ => paired.add_equal(&fields_a, &fields_b),
        }
        if options.derived {
            // Versions of the program derive different fields.
            paired.add_equal(&derived_a, &derived_b);
        }
        Ok(paired)
    }

    /// Pairs the fields of equal names, and leaves out the others.
    fn add_equal(&mut self, fields_a: &[&FieldShape], fields_b: &[&FieldShape]) {
        let mut only_b = fields_b.to_vec();
        for &field in fields_a {
            match only_b.iter().position(|other| other.name == field.name) {
                Some(at) => self.pairs.push((field.clone(), only_b.remove(at).clone())),
                None => self.left_out.push(format!("{} (only in A)", short(&field.name))),
            }
        }
        self.left_out.extend(only_b.into_iter().map(|field| format!("{} (only in B)", short(&field.name))));
    }
}

/// The field that has one of two names in A and the other in B.
fn named(files: &[SolutionFile; 2], one: &str, other: &str) -> Result<(FieldShape, FieldShape), String> {
    let [a, b] = files;
    let find =
        |file: &SolutionFile, name: &str| file.fields().iter().find(|field| field.name == name).cloned();
    let found = find(a, one).zip(find(b, other)).or_else(|| find(a, other).zip(find(b, one)));
    found.ok_or_else(|| {
        let [of_a, of_b] = files.each_ref().map(|file| list(&file.fields().iter().collect::<Vec<_>>()));
        format!(
            "--map {}={}: the one must be a field of A, the other of B; the fields are {of_a} and {of_b}",
            short(one),
            short(other)
        )
    })
}

/// The names of fields.
pub fn names<'a>(fields: &[&'a FieldShape]) -> Vec<&'a str> {
    fields.iter().map(|field| field.name.as_str()).collect()
}

/// Names of fields, for a message.
fn list(fields: &[&FieldShape]) -> String {
    short(&names(fields).join(", ")).into_owned()
}

/// Refuses fields of different shapes.
///
/// # Errors
/// What is wrong.
pub fn same_shape(in_a: &FieldShape, in_b: &FieldShape) -> Result<(), String> {
    if (in_a.rows, in_a.dim) == (in_b.rows, in_b.dim) {
        return Ok(());
    }
    let [of_a, of_b] = [in_a, in_b].map(|field| format!("({}, {})", field.rows, field.dim));
    Err(format!(
        "field {} has the shapes {of_a} and {of_b}; compare solutions on the same mesh",
        short(&in_a.name)
    ))
}

/// Refuses fields of two meshes whose nodes have different numbers of values.
fn same_dim(in_a: &FieldShape, in_b: &FieldShape) -> Result<(), String> {
    if in_a.dim == in_b.dim {
        return Ok(());
    }
    let (name, of_a, of_b) = (short(&in_a.name), in_a.dim, in_b.dim);
    Err(format!(
        "field {name} has {of_a} and {of_b} values for each node; compare solutions of the same case"
    ))
}

#[cfg(test)]
mod tests {
    use cfd_engine::comm::Comm;
    use cfd_io::{Field, write_solution};

    use super::*;

    #[test]
    fn the_figures_do_not_depend_on_the_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, change: fn(u64) -> f64| {
            let path = folder.path().join(name);
            let block = (0..10 * 3).map(|k| 1.0 / (1.0 + k as f64) + change(k)).collect();
            let field = Field { name: "q".into(), dim: 3, rows: 10, block };
            write_solution(&Comm::single(), &path, &[], &[field]).unwrap();
            path
        };
        let a = write("a.h5", |_| 0.0);
        let b = write("b.h5", |k| if k % 4 == 1 { 1e-13 * k as f64 } else { 0.0 });
        let whole = compare(&a, &b, CompareOptions::default()).unwrap();
        assert_eq!(whole.fields[0].values - whole.fields[0].equal_bits, 8);
        assert_eq!(
            whole.verdict().unwrap(),
            "8 of 30 values of field q, the first at global id 0, component 1"
        );
        for piece in [1, 3, 7, 10, u64::MAX] {
            let pieces = compare_by(&a, &b, CompareOptions::default(), |_| piece).unwrap();
            assert_eq!(
                serde_json::to_value(&pieces).unwrap(),
                serde_json::to_value(&whole).unwrap(),
                "pieces of {piece} rows"
            );
        }
        assert!(compare(&a, &a, CompareOptions::default()).unwrap().verdict().is_none());
    }
}
