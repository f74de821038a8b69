//! A solution file that is looked at without holding it: its fields are listed, their rows are read in pieces.

use std::ops::Range;
use std::path::Path;

use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};

/// Groups in groups at most; a file whose groups contain themselves has no end otherwise.
const DEEPEST: usize = 16;

/// Name and shape of a field in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// Name, which is the dataset's; `/` separates groups.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Values of one row.
    pub dim: usize,
}

/// A solution file, open for reading. Nothing here is collective.
#[derive(Debug)]
pub struct SolutionFile {
    file: Hdf5File,
    fields: Vec<FieldShape>,
}

impl SolutionFile {
    /// Opens a solution and lists its fields, by name.
    ///
    /// # Errors
    /// The file is missing, damaged, or not a solution: it has no dataset, or one that is not a table of numbers in
    /// double precision (a mesh has tables of integers).
    pub fn open(path: &Path) -> Result<SolutionFile, IoError> {
        let file = Hdf5File::open(path)?;
        let mut fields = Vec::new();
        for name in file.datasets(DEEPEST)? {
            let table = file.table(&name, Numbers::Float).and_then(|table| table.double_precision());
            let shape = table.and_then(|table| table.rows_and_dim());
            let [rows, dim] = shape.map_err(|error| not_a_solution(&error))?;
            fields.push(FieldShape { rows, dim: dim as usize, name });
        }
        if fields.is_empty() {
            return Err(IoError::file(path, "this is not a solution file: it has no field"));
        }
        Ok(SolutionFile { file, fields })
    }

    /// The fields, ordered by name.
    pub fn fields(&self) -> &[FieldShape] {
        &self.fields
    }

    /// Some rows of a field of this file, one after the other.
    ///
    /// # Errors
    /// The file is damaged there.
    pub fn rows(&self, field: &str, rows: Range<u64>) -> Result<Vec<f64>, IoError> {
        self.file.table(field, Numbers::Float)?.floats(rows)
    }
}

/// The same error, saying what follows from it.
fn not_a_solution(error: &IoError) -> IoError {
    match error.clone() {
        IoError::Dataset { path, dataset, what } => {
            IoError::Dataset { path, dataset, what: format!("{what}; this is not a solution file") }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use cfd_engine::comm::Comm;

    use super::*;
    use crate::solution::{Field, write_solution};

    fn field(name: &str, dim: usize, rows: u64) -> Field {
        let block = (0..rows * dim as u64).map(|k| k as f64).collect();
        Field { name: name.into(), dim, rows, block }
    }

    #[test]
    fn fields_in_groups_are_listed_and_read_in_any_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        let fields = [field("level1/variables", 5, 2), field("level0/variables", 5, 7), field("a", 1, 0)];
        write_solution(&Comm::single(), &path, &[], &fields).unwrap();
        let file = SolutionFile::open(&path).unwrap();
        let shapes: Vec<(&str, u64, usize)> =
            file.fields().iter().map(|f| (f.name.as_str(), f.rows, f.dim)).collect();
        assert_eq!(shapes, [("a", 0, 1), ("level0/variables", 7, 5), ("level1/variables", 2, 5)]);
        let pieces = [0..3, 3..3, 3..7].map(|rows| file.rows("level0/variables", rows).unwrap());
        assert_eq!(pieces.concat(), fields[1].block);
    }

    #[test]
    fn a_mesh_and_an_empty_file_are_no_solutions() {
        let dir = tempfile::tempdir().unwrap();
        let comm = Comm::single();
        let path = dir.path().join("m.h5");
        let mesh = cfd_topology::generate::block(&comm, 2, 2).unwrap();
        crate::write_mesh(&comm, &mesh, cfd_topology::Topology::CellEdges, &path).unwrap();
        let message = SolutionFile::open(&path).unwrap_err().to_string();
        assert!(
            message.contains("m.h5: `bedge_bound`: the type is")
                && message.ends_with("this is not a solution file"),
            "{message}"
        );
        write_solution(&comm, &path, &[], &[]).unwrap();
        let message = SolutionFile::open(&path).unwrap_err().to_string();
        assert!(message.ends_with("it has no field"), "{message}");
    }

    #[test]
    fn rows_without_values_are_refused_since_they_can_be_any_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        let file = hdf5::File::create(&path).unwrap();
        file.new_dataset::<f64>().shape([1 << 60, 0]).create("q").unwrap();
        drop(file);
        let errors = [
            SolutionFile::open(&path).unwrap_err(),
            crate::read_field(&Comm::single(), &path, "q").unwrap_err(),
        ];
        for message in errors.map(|error| error.to_string()) {
            assert!(message.contains("`q`: the shape is [1152921504606846976, 0]"), "{message}");
        }
    }

    #[test]
    fn groups_that_contain_themselves_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        let file = hdf5::File::create(&path).unwrap();
        file.create_group("a").unwrap().link_hard("/a", "a").unwrap();
        drop(file);
        let message = SolutionFile::open(&path).unwrap_err().to_string();
        assert!(message.contains("groups lie deeper"), "{message}");
    }
}
