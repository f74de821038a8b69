//! A solution file that is not held in memory: its fields are listed, and their rows are read in pieces.

use std::ops::Range;
use std::path::Path;

use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::solution::MESH_GROUP;

/// Maximum nesting of groups; otherwise a file whose groups contain themselves would never end.
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
    /// Whether its numbers are in single precision.
    pub single: bool,
}

/// A solution file, open for reading. Nothing here is collective.
#[derive(Debug)]
pub struct SolutionFile {
    file: Hdf5File,
    fields: Vec<FieldShape>,
    others: Vec<String>,
}

impl SolutionFile {
    /// Opens a solution and lists its fields, by name, without the mesh that may accompany them. Fields are tables of
    /// numbers in double or single precision, of one or two dimensions, whichever program wrote them.
    ///
    /// # Errors
    /// The file is missing, damaged, a mesh, or has no fields.
    pub fn open(path: &Path) -> Result<SolutionFile, IoError> {
        let file = Hdf5File::open(path)?;
        // Only meshes have a layout version.
        if file.integer_attribute("schema")?.is_some() {
            return Err(IoError::file(path, "this is a mesh, not a solution file"));
        }
        let (mut fields, mut others) = (Vec::new(), Vec::new());
        let is_mesh =
            |name: &String| name.split('/').next() == Some(MESH_GROUP) && name.matches('/').count() == 1;
        for name in file.datasets(DEEPEST)?.into_iter().filter(|name| !is_mesh(name)) {
            let Some(bytes @ (4 | 8)) = file.float_bytes(&name)? else {
                others.push(name);
                continue;
            };
            let table = file.table(&name, Numbers::Float)?;
            let [rows, dim] = match table.shape[..] {
                [rows] => [rows, 1],
                [_, _] => table.rows_and_dim()?,
                _ => {
                    others.push(name);
                    continue;
                }
            };
            fields.push(FieldShape { rows, dim: dim as usize, single: bytes == 4, name });
        }
        if fields.is_empty() {
            return Err(IoError::file(path, "this is not a solution file: it has no field"));
        }
        Ok(SolutionFile { file, fields, others })
    }

    /// Datasets that are not fields: integers, strings, tables of more dimensions.
    pub fn others(&self) -> &[String] {
        &self.others
    }

    /// The fields, ordered by name.
    pub fn fields(&self) -> &[FieldShape] {
        &self.fields
    }

    /// A text that describes the run (`case`, `mesh_hash`, ...), if the file has it.
    ///
    /// # Errors
    /// The attribute is damaged or no text.
    pub fn text(&self, name: &str) -> Result<Option<String>, IoError> {
        self.file.text_attribute(name)
    }

    /// Some rows of a field of this file, in sequence.
    ///
    /// # Errors
    /// That part of the file is damaged.
    pub fn rows(&self, field: &str, rows: Range<u64>) -> Result<Vec<f64>, IoError> {
        self.file.table(field, Numbers::Float)?.floats(rows)
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
        assert_eq!(pieces.concat(), fields[1].block.values());
    }

    #[test]
    fn a_mesh_and_an_empty_file_are_no_solutions() {
        let dir = tempfile::tempdir().unwrap();
        let comm = Comm::single();
        let path = dir.path().join("m.h5");
        let mesh = cfd_mesh::generate::block(&comm, 2, 2).unwrap();
        crate::write_mesh(&comm, &mesh, &cfd_mesh::CELL_EDGES, &path).unwrap();
        let message = SolutionFile::open(&path).unwrap_err().to_string();
        assert!(message.ends_with("m.h5: this is a mesh, not a solution file"), "{message}");
        write_solution(&comm, &path, &[], &[]).unwrap();
        let message = SolutionFile::open(&path).unwrap_err().to_string();
        assert!(message.ends_with("it has no field"), "{message}");
    }

    #[test]
    fn files_of_other_programs_have_lists_single_precision_and_what_is_no_field() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        let file = hdf5::File::create(&path).unwrap();
        file.new_dataset::<f32>().shape([3]).create("p").unwrap().write_raw(&[0.5f32, 0.25, 0.1]).unwrap();
        file.new_dataset::<f64>()
            .shape([2, 2])
            .create("u")
            .unwrap()
            .write_raw(&[1.0, 2.0, 3.0, 4.0])
            .unwrap();
        file.new_dataset::<i32>().shape([3]).create("id").unwrap();
        file.new_dataset::<f64>().shape([2, 2, 2]).create("tensor").unwrap().write_raw(&[1.0; 8]).unwrap();
        drop(file);
        let file = SolutionFile::open(&path).unwrap();
        let shapes: Vec<(&str, u64, usize, bool)> =
            file.fields().iter().map(|f| (f.name.as_str(), f.rows, f.dim, f.single)).collect();
        assert_eq!(shapes, [("p", 3, 1, true), ("u", 2, 2, false)]);
        assert_eq!(file.others(), ["id", "tensor"]);
        assert_eq!(file.rows("p", 1..3).unwrap(), [0.25, f64::from(0.1f32)]);
        assert_eq!(file.rows("u", 1..2).unwrap(), [3.0, 4.0]);
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
        assert!(message.contains("groups are nested more deeply"), "{message}");
    }
}
