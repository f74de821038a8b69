//! A solver's state in a file, to be read back: fields that know their hash, and single values as attributes.

use std::path::Path;

use cfd_engine::comm::Comm;

use crate::IoError;
use crate::grid::{Datum, DatumValue};
use crate::hash::{Digest, solution_hash};
use crate::hdf5_file::Hdf5File;
use crate::hdf5_output::{Attribute, name, write_file};
use crate::solution::{Field, output, read_field};

/// The attribute of a dataset with the hash of its field.
const HASH: &str = "hash";
const MISSING: &str = "the attribute is missing";

/// Writes fields, as [`crate::write_solution`] does, each with its hash as the attribute `hash` of its dataset, and
/// attributes of the file; returns the solution's hash. Collective; the file appears complete or not at all.
///
/// # Errors
/// A value is not finite; [`IoError::Write`] if the file system or the HDF5 library refuses.
pub fn write_state(
    comm: &Comm,
    path: &Path,
    attributes: &[Datum],
    fields: &[Field],
) -> Result<Digest, IoError> {
    let digests: Vec<Digest> = fields.iter().map(|field| field.hash(comm)).collect::<Result<_, _>>()?;
    let attributes: Vec<(&str, Attribute)> =
        attributes.iter().map(|datum| (&datum.name[..], stored(&datum.value))).collect();
    let outputs: Vec<_> = fields
        .iter()
        .zip(&digests)
        .map(|(field, digest)| {
            let mut output = output(comm, field);
            output.attributes.push((HASH, text(&digest.to_string())));
            output
        })
        .collect();
    write_file(comm, path, &attributes, &outputs)?;
    Ok(solution_hash(&digests))
}

fn stored(value: &DatumValue) -> Attribute {
    match value {
        DatumValue::Number(value) => Attribute::Number(*value),
        DatumValue::Count(value) => Attribute::Count(*value),
        DatumValue::Text(value) => text(value),
    }
}

/// A string of fixed length; a longer one is an array of bytes.
fn text(value: &str) -> Attribute {
    match name(value) {
        Some(name) => Attribute::Name(Box::new(name)),
        None => Attribute::Bytes(value.as_bytes().to_vec()),
    }
}

/// Reads a field that [`write_state`] has written, and compares it with its hash; each rank reads its block. Collective.
///
/// # Errors
/// As for [`read_field`]; the field has no hash, or its values are not those that were written.
pub fn read_state(comm: &Comm, path: &Path, name: &str) -> Result<Field, IoError> {
    let field = read_field(comm, path, name)?;
    let written = comm.agree(Hdf5File::open(path).and_then(|file| file.text_of(name, HASH)))?;
    if field.hash(comm).is_ok_and(|hash| hash.to_string() == written) {
        return Ok(field);
    }
    let what = "the content is not what was written: its hash differs; the file is damaged";
    Err(IoError::dataset(path, name, what))
}

/// A count among the attributes of a file. Not collective.
///
/// # Errors
/// The file is missing or damaged, or has no such attribute.
pub fn read_count(path: &Path, name: &str) -> Result<u64, IoError> {
    let file = Hdf5File::open(path)?;
    let value = file.integer_attribute(name)?.ok_or_else(|| file.wrong(name, MISSING))?;
    u64::try_from(value).map_err(|_| file.wrong(name, format!("{value} is not a count")))
}

/// A number among the attributes of a file. Not collective.
///
/// # Errors
/// As for [`read_count`].
pub fn read_number(path: &Path, name: &str) -> Result<f64, IoError> {
    let file = Hdf5File::open(path)?;
    file.number_attribute(name)?.ok_or_else(|| file.wrong(name, MISSING))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, values: &[f64]) -> Field {
        Field { name: name.into(), dim: 1, rows: values.len() as u64, block: values.to_vec().into() }
    }

    #[test]
    fn fields_counts_numbers_and_texts_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let (path, comm) = (dir.path().join("s.h5"), Comm::single());
        let long = "word ".repeat(100);
        let attributes = [
            Datum::number("time", 0.1),
            Datum::count("step", (1 << 53) + 1),
            Datum::text("run", "solver --threads 2"),
            Datum::text("long", &long),
        ];
        let fields = [field("u", &[0.5, -0.0]), field("v", &[1e300])];
        let hash = write_state(&comm, &path, &attributes, &fields).unwrap();
        assert_eq!(hash, solution_hash(&fields.clone().map(|field| field.hash(&comm).unwrap())));
        assert_eq!(read_state(&comm, &path, "v").unwrap(), fields[1]);
        assert_eq!(read_number(&path, "time"), Ok(0.1));
        assert_eq!(read_count(&path, "step"), Ok((1 << 53) + 1));
        let file = Hdf5File::open(&path).unwrap();
        assert_eq!(file.text_attribute("run").unwrap().as_deref(), Some("solver --threads 2"));
        assert_eq!(
            crate::read_byte_attributes(&path, ["long"]).unwrap()[0].as_deref(),
            Some(long.as_bytes())
        );
        let message = read_count(&path, "steps").unwrap_err().to_string();
        assert!(message.ends_with("s.h5: `steps`: the attribute is missing"), "{message}");
        assert!(
            read_number(&path, "run")
                .unwrap_err()
                .to_string()
                .contains("`run`: the attribute is not a number")
        );
    }

    #[test]
    fn changed_values_are_refused_and_values_that_are_no_numbers_are_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let (path, comm) = (dir.path().join("s.h5"), Comm::single());
        write_state(&comm, &path, &[], &[field("u", &[0.5, 0.25])]).unwrap();
        let file = hdf5::File::open_rw(&path).unwrap();
        file.dataset("u").unwrap().write_raw(&[0.5, 0.125]).unwrap();
        drop(file);
        let message = read_state(&comm, &path, "u").unwrap_err().to_string();
        assert!(message.contains("`u`: the content is not what was written"), "{message}");
        let other = dir.path().join("t.h5");
        let error = write_state(&comm, &other, &[], &[field("u", &[f64::NAN])]).unwrap_err();
        assert!(matches!(error, IoError::NotFinite { .. }) && !other.exists(), "{error}");
        // A solution without hashes.
        crate::write_solution(&comm, &other, &[], &[field("u", &[1.0])]).unwrap();
        let message = read_state(&comm, &other, "u").unwrap_err().to_string();
        assert!(message.contains("`u.hash`: the attribute is missing"), "{message}");
    }
}
