//! Two solutions, piece by piece: neither is ever held as a whole.
//!
//! For this program's solutions, the fields count and, on request, the fields derived from them, under `derived/`; for
//! other programs' files, all tables of floating-point numbers.

use std::path::Path;

use cfd_engine::given::short;
use cfd_io::{FieldShape, SolutionFile};
use serde::Serialize;

use super::Asked;
use super::field::{Beyond, FieldDifference};
use super::unlike;
use crate::exit::Error;

/// The prefix of the names of derived fields.
const DERIVED: &str = "derived/";
/// Size of one piece of one file.
const PIECE_BYTES: u64 = 4 << 20;

/// How two solutions differ.
#[derive(Clone, Debug, Serialize)]
pub struct SolutionDifference {
    /// Field by field, ordered by name.
    pub fields: Vec<FieldDifference>,
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
                field.values, field.name, first.place
            ));
        }
        let first = field.first.as_ref().expect("a field that is not equal has a first difference");
        let different = field.values - field.equal_bits;
        Some(format!(
            "{different} of {} values of field {}, the first at {}",
            field.values, field.name, first.place
        ))
    }

    /// The figures of all fields, for people.
    pub fn text(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(FieldDifference::text).collect();
        let mut text = fields.join("\n");
        if !self.left_out.is_empty() {
            text.push_str(&format!("\nnot compared: {}\n", self.left_out.join(", ")));
        }
        text
    }

    /// Adds the fields of another pair of files, prefixed with the files' name.
    pub fn add(&mut self, file: &str, other: SolutionDifference) {
        let named = |name: &str| format!("{file}: {name}");
        self.fields.extend(other.fields.into_iter().map(|mut field| {
            field.name = named(&field.name);
            field
        }));
        self.left_out.extend(other.left_out.iter().map(|name| named(name)));
    }
}

/// Compares two solution files.
///
/// # Errors
/// One of them is missing, damaged or not a solution, or their fields have different names or shapes.
pub fn compare(a: &Path, b: &Path, asked: Asked) -> Result<SolutionDifference, Error> {
    compare_by(a, b, asked, |field| (PIECE_BYTES / (field.dim.max(1) as u64 * 8)).max(1))
}

fn compare_by(
    a: &Path,
    b: &Path,
    asked: Asked,
    rows_of_a_piece: impl Fn(&FieldShape) -> u64,
) -> Result<SolutionDifference, Error> {
    let (file_a, file_b) = (SolutionFile::open(a)?, SolutionFile::open(b)?);
    let is_derived = |field: &FieldShape| field.name.starts_with(DERIVED);
    let split = |file: &SolutionFile| -> (Vec<FieldShape>, Vec<FieldShape>) {
        file.fields().iter().cloned().partition(|field| !is_derived(field))
    };
    let ((mut fields_a, derived_a), (mut fields_b, derived_b)) = (split(&file_a), split(&file_b));
    let mut left_out = Vec::new();
    if asked.derived {
        // Versions of the program derive different fields.
        let names = |fields: &[FieldShape]| fields.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        let (names_a, names_b) = (names(&derived_a), names(&derived_b));
        let (both_a, only_a) = derived_a.into_iter().partition::<Vec<_>, _>(|f| names_b.contains(&f.name));
        let (both_b, only_b) = derived_b.into_iter().partition::<Vec<_>, _>(|f| names_a.contains(&f.name));
        fields_a.extend(both_a);
        fields_b.extend(both_b);
        left_out.extend(only_a.into_iter().map(|field| format!("{} (only in A)", field.name)));
        left_out.extend(only_b.into_iter().map(|field| format!("{} (only in B)", field.name)));
    }
    alike(a, b, &fields_a, &fields_b)?;
    let others = file_a.others().iter().chain(file_b.others());
    for name in others.map(|name| format!("{name} (not a field of floating-point numbers)")) {
        if !left_out.contains(&name) {
            left_out.push(name);
        }
    }
    let mut fields = Vec::new();
    // Derived fields come last, so the first difference is one of the solution's.
    for (field, of_b) in fields_a.iter().zip(&fields_b) {
        let single = field.single || of_b.single;
        let mut difference =
            FieldDifference::new(&field.name, field.rows, field.dim, single, asked.tolerance);
        let piece = rows_of_a_piece(field);
        let mut start = 0;
        while start < field.rows {
            let rows = start..field.rows.min(start.saturating_add(piece));
            start = rows.end;
            let first = rows.start;
            difference.add(first, &file_a.rows(&field.name, rows.clone())?, &file_b.rows(&field.name, rows)?);
        }
        fields.push(difference);
    }
    Ok(SolutionDifference { fields, left_out })
}

/// Refuses files with other fields or shapes.
fn alike(a: &Path, b: &Path, fields_a: &[FieldShape], fields_b: &[FieldShape]) -> Result<(), Error> {
    let names = |fields: &[FieldShape]| -> Vec<String> { fields.iter().map(|f| f.name.clone()).collect() };
    if names(fields_a) != names(fields_b) {
        let [of_a, of_b] =
            [names(fields_a), names(fields_b)].map(|names| short(&names.join(", ")).into_owned());
        return Err(unlike(
            a,
            b,
            format!("the fields are {of_a} and {of_b}; compare solutions of the same case"),
        ));
    }
    for (in_a, in_b) in fields_a.iter().zip(fields_b) {
        if (in_a.rows, in_a.dim) != (in_b.rows, in_b.dim) {
            let shape = |field: &FieldShape| format!("({}, {})", field.rows, field.dim);
            let [of_a, of_b] = [in_a, in_b].map(shape);
            return Err(unlike(
                a,
                b,
                format!(
                    "field {} has the shapes {of_a} and {of_b}; compare solutions on the same mesh",
                    short(&in_a.name)
                ),
            ));
        }
    }
    Ok(())
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
        let whole = compare(&a, &b, Asked::default()).unwrap();
        assert_eq!(whole.fields[0].values - whole.fields[0].equal_bits, 8);
        assert_eq!(
            whole.verdict().unwrap(),
            "8 of 30 values of field q, the first at global id 0, component 1"
        );
        for piece in [1, 3, 7, 10, u64::MAX] {
            let pieces = compare_by(&a, &b, Asked::default(), |_| piece).unwrap();
            assert_eq!(
                serde_json::to_value(&pieces).unwrap(),
                serde_json::to_value(&whole).unwrap(),
                "pieces of {piece} rows"
            );
        }
        assert!(compare(&a, &a, Asked::default()).unwrap().verdict().is_none());
    }
}
