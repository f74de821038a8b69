//! Solution files: fields in global row order, whatever the ranks that computed them.

use std::path::Path;

use cfd_engine::backend::BackendError;
use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_engine::prelude::{AnyDat, ElementType};

use crate::IoError;
use crate::field::{Block, FieldData, to_blocks};
use crate::grid::Grid;
use crate::hash::{Digest, field_hash};
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::{Attribute, Data, NewDataset, write_file};

/// This rank's block of a field in global order.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name, which is the dataset's; `/` separates groups.
    pub name: String,
    /// Values of one row.
    pub dim: usize,
    /// Number of rows over all ranks.
    pub rows: u64,
    /// `dim` values for each row of this rank's block.
    pub block: Block,
}

impl Field {
    /// This rank's block of a dat's values under a field's name; executes recorded loops. Collective.
    ///
    /// # Errors
    /// A device has failed.
    #[track_caller]
    pub fn of(domain: &mut Domain, name: &str, dat: AnyDat) -> Result<Field, BackendError> {
        let data = FieldData::owned(domain, name, dat)?;
        let block = to_blocks(domain.comm(), &data);
        Ok(Field { name: data.name, dim: data.dim, rows: data.rows, block })
    }

    /// Checks that a dat can have these values. Collective.
    ///
    /// # Errors
    /// What is wrong, the same on all ranks: the field has other rows or components than the dat, or a value that is not
    /// an integer for a dat of integers.
    #[track_caller]
    pub fn check(&self, domain: &Domain, dat: AnyDat) -> Result<(), String> {
        let (rows, dim) = (domain.rows(dat.set()), dat.dim());
        if (self.rows, self.dim) != (rows, dim) {
            let shape = format!("({}, {})", self.rows, self.dim);
            return Err(format!("the shape is {shape}, expected ({rows}, {dim})"));
        }
        let (element, values) = (dat.element_type(), self.block.values());
        let what = match element {
            ElementType::F64 => return Ok(()),
            ElementType::F32 => "single-precision number",
            ElementType::I32 => "32-bit integer",
        };
        let other = values.iter().find(|value| !element.holds(**value));
        domain.comm().agree(other.map_or(Ok(()), |value| Err(format!("{value} is not a {what}"))))
    }

    /// Gives a dat these values, wherever its rows are. Collective.
    ///
    /// # Errors
    /// As for [`Field::check`].
    #[track_caller]
    pub fn write(&self, domain: &mut Domain, dat: AnyDat) -> Result<(), String> {
        self.check(domain, dat)?;
        let (comm, blocks) = (domain.comm().clone(), Blocks::new(self.rows, domain.comm().size()));
        let ids = domain.global_ids(dat.set()).to_vec();
        let values = fetch_rows(&comm, blocks, self.dim, self.block.values(), &ids);
        dat.write_f64(domain, &values);
        Ok(())
    }

    /// The field's hash. Collective.
    ///
    /// # Errors
    /// A value is not finite.
    pub fn hash(&self, comm: &Comm) -> Result<Digest, IoError> {
        field_hash(comm, &self.name, self.dim, self.rows, self.block.values())
    }
}

/// Writes a solution: each field a dataset of shape (rows, dim), f64, in global order; `attributes` as text attributes
/// of the file. Collective; the file appears complete or not at all.
///
/// # Errors
/// [`IoError::Write`] if the file system or the HDF5 library refuses.
pub fn write_solution(
    comm: &Comm,
    path: &Path,
    attributes: &[(String, String)],
    fields: &[Field],
) -> Result<(), IoError> {
    write_with(comm, path, attributes, Attribute::Text, fields, Vec::new())
}

/// The group of a solution file that holds the mesh, if requested; no field is in it.
pub const MESH_GROUP: &str = "mesh";

/// [`write_solution`], with the mesh alongside the fields, in the group [`MESH_GROUP`]: `coordinates` of shape (points,
/// dimension) and, under the name of each list of cells, the points of each cell, of shape (cells, corners); cells with
/// fewer corners than others in their list repeat their last one. `NAME_group` are a list's groups, if it has any.
/// Collective.
///
/// # Errors
/// As [`write_solution`].
pub fn write_solution_on(
    comm: &Comm,
    path: &Path,
    attributes: &[(String, String)],
    fields: &[Field],
    mesh: &Grid,
) -> Result<(), IoError> {
    let own = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let mut outputs = Vec::new();
    let mut add = |name: &str, rows: u64, dim: Option<usize>, data| {
        let (all, own) = (rows as usize, own(rows));
        outputs.push(NewDataset {
            name: format!("{MESH_GROUP}/{name}"),
            shape: std::iter::once(all).chain(dim).collect(),
            rows: own.start as usize..own.end as usize,
            data,
            attributes: Vec::new(),
        });
    };
    let dimension = mesh.dimension;
    let x: Vec<f64> = mesh.x.chunks_exact(3).flat_map(|x| &x[..dimension]).copied().collect();
    add("coordinates", mesh.points, Some(dimension), Data::F64(x.into()));
    for list in &mesh.cells {
        let most = list.kinds.iter().map(|kind| kind.nodes() as u64).max().unwrap_or(0);
        let width = comm.max(most).max(1) as usize;
        let mut rest = &list.nodes[..];
        let mut nodes = Vec::new();
        for kind in &list.kinds {
            let (cell, after) = rest.split_at(kind.nodes());
            rest = after;
            let last = cell.last().copied().unwrap_or(0);
            nodes.extend(cell.iter().copied().chain(std::iter::repeat(last)).take(width).map(|n| n as i64));
        }
        add(list.name, list.rows, Some(width), Data::I64(nodes.into()));
        if comm.max(list.groups.len() as u64) > 0 {
            let name = format!("{}_group", list.name);
            add(&name, list.rows, None, Data::I32((&list.groups[..]).into()));
        }
    }
    write_with(comm, path, attributes, Attribute::Text, fields, outputs)
}

/// [`write_solution`] with the strings as arrays of bytes, for [`read_byte_attributes`]: they are in the file's header,
/// which has checksums, and not in a heap, in which the HDF5 library hangs or crashes if it is damaged. Collective.
///
/// # Errors
/// [`IoError::Write`] if the file system or the HDF5 library refuses.
pub fn write_fields(
    comm: &Comm,
    path: &Path,
    attributes: &[(String, String)],
    fields: &[Field],
) -> Result<(), IoError> {
    write_with(comm, path, attributes, |text| Attribute::Bytes(text.into_bytes()), fields, Vec::new())
}

fn write_with(
    comm: &Comm,
    path: &Path,
    attributes: &[(String, String)],
    stored: fn(String) -> Attribute,
    fields: &[Field],
    others: Vec<NewDataset<'_>>,
) -> Result<(), IoError> {
    let attributes: Vec<(&str, Attribute)> =
        attributes.iter().map(|(name, value)| (name.as_str(), stored(value.clone()))).collect();
    let outputs: Vec<NewDataset<'_>> = fields.iter().map(|field| output(comm, field)).chain(others).collect();
    write_file(comm, path, &attributes, &outputs)
}

/// The dataset of a field.
pub(crate) fn output<'a>(comm: &Comm, field: &'a Field) -> NewDataset<'a> {
    let own = Blocks::new(field.rows, comm.size()).range(comm.rank());
    NewDataset {
        name: field.name.clone(),
        shape: vec![field.rows as usize, field.dim],
        rows: own.start as usize..own.end as usize,
        data: Data::F64(field.block.values().into()),
        attributes: Vec::new(),
    }
}

/// Reads one field of a solution; each rank reads its block. Collective.
///
/// # Errors
/// The file or the field is missing or damaged, or the field is not a table of numbers.
pub fn read_field(comm: &Comm, path: &Path, name: &str) -> Result<Field, IoError> {
    let mut fields = read_fields(comm, path, [name])?;
    Ok(fields.remove(0))
}

/// [`read_field`] for fields of these names, in order. Collective.
///
/// # Errors
/// As for [`read_field`].
pub fn read_fields<'a>(
    comm: &Comm,
    path: &Path,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<Field>, IoError> {
    let read = |file: &Hdf5File, name: &str| {
        let table = file.table(name, Numbers::Float)?;
        let [rows, dim] = table.rows_and_dim()?;
        let block = table.floats(Blocks::new(rows, comm.size()).range(comm.rank()))?;
        Ok(Field { name: name.into(), dim: dim as usize, rows, block: block.into() })
    };
    let file = comm.agree(Hdf5File::open(path))?;
    names.into_iter().map(|name| comm.agree(read(&file, name))).collect()
}

/// Attributes of an HDF5 file that are arrays of bytes, if present. Not collective.
///
/// # Errors
/// The file is missing or damaged, or one of the attributes is not an array of bytes.
pub fn read_byte_attributes<const N: usize>(
    path: &Path,
    names: [&str; N],
) -> Result<[Option<Vec<u8>>; N], IoError> {
    let file = Hdf5File::open(path)?;
    let mut found = [const { None }; N];
    for (bytes, name) in found.iter_mut().zip(names) {
        *bytes = file.byte_attribute(name)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(comm: &Comm, name: &str, dim: usize, rows: u64) -> Field {
        let own = Blocks::new(rows, comm.size()).range(comm.rank());
        let block = (own.start * dim as u64..own.end * dim as u64).map(|k| 1.0 / (1.0 + k as f64)).collect();
        Field { name: name.into(), dim, rows, block }
    }

    #[test]
    fn the_hash_of_a_file_read_back_on_other_ranks_is_the_hash_in_memory() {
        let dir = tempfile::tempdir().unwrap();
        for ranks in [1, 3, 20] {
            let path = dir.path().join(format!("{ranks}.h5"));
            let hash = |comm: &Comm, f: &Field| f.hash(comm).unwrap();
            let written = Comm::simulate(ranks, |comm| {
                let fields = [field(&comm, "q", 4, 11), field(&comm, "level0/variables", 1, 3)];
                let attributes = [("case".to_string(), "waves".to_string())];
                write_solution(&comm, &path, &attributes, &fields).unwrap();
                fields.map(|f| hash(&comm, &f))
            });
            let read = Comm::simulate(4, |comm| {
                ["q", "level0/variables"].map(|n| hash(&comm, &read_field(&comm, &path, n).unwrap()))
            });
            assert_eq!(written[0], read[3], "{ranks} ranks");
            let case = Hdf5File::open(&path).unwrap().text_attribute("case").unwrap();
            assert_eq!(case.as_deref(), Some("waves"));
        }
    }

    #[test]
    fn all_rank_counts_write_the_same_bytes_at_any_time() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = |ranks: usize| {
            let path = dir.path().join(format!("{ranks}.h5"));
            Comm::simulate(ranks, |comm| {
                let fields =
                    [field(&comm, "q", 4, 11), field(&comm, "a/b/c", 1, 3), field(&comm, "a/d", 1, 3)];
                write_solution(&comm, &path, &[], &fields).unwrap();
            });
            std::fs::read(path).unwrap()
        };
        let one = bytes(1);
        // HDF5's times are in seconds.
        std::thread::sleep(std::time::Duration::from_millis(1100));
        assert!(one == bytes(3));
    }

    #[test]
    fn a_missing_file_or_field_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        let comm = Comm::single();
        let message = read_field(&comm, &path, "q").unwrap_err().to_string();
        assert!(message.contains("s.h5: cannot be read: No such file"), "{message}");
        write_solution(&comm, &path, &[], &[field(&comm, "q", 1, 2)]).unwrap();
        let message = read_field(&comm, &path, "phi").unwrap_err().to_string();
        assert!(message.ends_with("s.h5: `phi`: the dataset is missing"), "{message}");
    }

    #[test]
    fn texts_of_any_length_are_read_back_as_bytes_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("a.h5"), dir.path().join("b.h5"));
        let comm = Comm::single();
        let texts = ["", "blake3", &"{\"numbers\":[]}\n".repeat(20_000)];
        let attributes: Vec<(String, String)> =
            texts.iter().enumerate().map(|(k, text)| (format!("a{k}"), text.to_string())).collect();
        write_fields(&comm, &path, &attributes, &[]).unwrap();
        for (name, text) in &attributes {
            assert_eq!(read_byte_attributes(&path, [name]).unwrap()[0].as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(read_byte_attributes(&path, ["b"]).unwrap(), [None]);
        write_solution(&comm, &other, &attributes, &[]).unwrap();
        let message = read_byte_attributes(&other, ["a1"]).unwrap_err().to_string();
        assert!(message.contains("b.h5: `a1`: the attribute is not an array of bytes"), "{message}");
    }

    #[test]
    fn an_unwritable_place_is_an_error_on_every_rank() {
        let results = Comm::simulate(2, |comm| {
            write_solution(&comm, Path::new("no/such/dir/s.h5"), &[], &[field(&comm, "q", 1, 2)])
        });
        for result in results {
            let message = result.unwrap_err().to_string();
            assert!(message.starts_with("no/such/dir/s.h5: cannot be written: No such file"), "{message}");
        }
    }
}
