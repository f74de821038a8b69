//! Writing HDF5 files from all ranks: each writes its rows of each dataset, in global order.
//!
//! Rank 0 creates the file with its attributes and its datasets, contiguous and fully allocated. Then every rank opens it
//! and writes its rows,
//!
//! * by MPI-IO, all at the same time (feature `mpio`, which needs a parallel HDF5 library, and ranks of a real MPI
//!   job): independent writes of contiguous slabs, which cannot overlap;
//! * otherwise one rank after the other.
//!
//! Both give the same bytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use cfd_engine::comm::Comm;
use hdf5::dataset::{AllocTime, FillTime};
use hdf5::types::{FixedAscii, FixedUnicode, VarLenUnicode};
use hdf5::{File, H5Type, Location};
use ndarray::ArrayView;

use crate::IoError;
use crate::atomic::write_collectively;
use crate::disk;
use crate::hdf5_file::TEXT;

/// Largest number of values in one write, to keep byte counts in the MPI library well below 2^31.
const VALUES_PER_WRITE: usize = 1 << 26;

/// Values of one dataset, this rank's rows.
#[derive(Clone, Debug)]
pub(crate) enum Data<'a> {
    /// Double precision.
    F64(Cow<'a, [f64]>),
    /// 32-bit integers.
    I32(Cow<'a, [i32]>),
    /// 64-bit integers.
    I64(Cow<'a, [i64]>),
    /// Bytes.
    U8(Cow<'a, [u8]>),
    /// Texts.
    Text(Vec<Name>),
}

/// A fixed-length string: those of variable length are in a heap, in which the library can hang if it is damaged.
pub(crate) type Name = FixedUnicode<TEXT>;

/// A text as a [`Name`], if it fits: shorter than [`TEXT`] bytes and without a zero byte.
pub(crate) fn name(text: &str) -> Option<Name> {
    let fits = text.len() < TEXT && !text.contains('\0');
    fits.then(|| text.parse().ok()).flatten()
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) enum Attribute {
    /// A string of any length, stored in a heap of the file.
    Text(String),
    /// Bytes, stored with the attribute.
    Bytes(Vec<u8>),
    /// A number.
    Number(f64),
    /// A count.
    Count(u64),
    /// An integer.
    Integer(i32),
    /// One integer in an array, as OP2 writes it.
    IntegerArray(i32),
    /// A string of at most ten characters, stored with fixed length.
    ShortText(&'static str),
    /// A text of fixed length.
    Name(Box<Name>),
}

/// A dataset to write.
#[derive(Clone, Debug)]
pub(crate) struct NewDataset<'a> {
    /// Its name; `/` separates groups.
    pub(crate) name: String,
    /// Its shape over all ranks: one or two dimensions, the first of which is the rows.
    pub(crate) shape: Vec<usize>,
    /// The rows that this rank has.
    pub(crate) rows: Range<usize>,
    /// Their values.
    pub(crate) data: Data<'a>,
    /// Its attributes.
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
}

impl NewDataset<'_> {
    /// Bytes of this rank's rows.
    fn bytes(&self) -> u64 {
        let bytes = match &self.data {
            Data::F64(values) => size_of_val(&values[..]),
            Data::I32(values) => size_of_val(&values[..]),
            Data::I64(values) => size_of_val(&values[..]),
            Data::U8(values) => values.len(),
            Data::Text(values) => size_of_val(&values[..]),
        };
        bytes as u64
    }
}

/// How several ranks write one HDF5 file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    #[cfg(feature = "mpio")]
    Mpio,
    Ordered,
}

#[cfg(feature = "mpio")]
fn way(comm: &Comm) -> Way {
    if cfd_mpi::handle(comm).is_some() { Way::Mpio } else { Way::Ordered }
}

#[cfg(not(feature = "mpio"))]
fn way(_: &Comm) -> Way {
    Way::Ordered
}

/// The HDF5 library and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hdf5Info {
    /// Version of the library.
    pub version: String,
    /// Whether this program was built to use the library's MPI-IO.
    pub parallel: bool,
    /// How several ranks write one file.
    pub way: &'static str,
}

impl fmt::Display for Hdf5Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let built = if self.parallel { "with MPI-IO" } else { "without MPI-IO" };
        write!(f, "HDF5 {} ({built}), writes: {}", self.version, self.way)
    }
}

/// Starts the HDF5 library, which otherwise starts when it is first used.
pub fn start_hdf5() {
    hdf5::library_version();
}

/// The log's line about HDF5.
pub fn hdf5_info(comm: &Comm) -> Hdf5Info {
    let (major, minor, micro) = hdf5::library_version();
    let way = match way(comm) {
        #[cfg(feature = "mpio")]
        Way::Mpio => "MPI-IO, all ranks at once",
        Way::Ordered if comm.size() > 1 => "ordered, one rank after the other",
        Way::Ordered => "one rank",
    };
    Hdf5Info { version: format!("{major}.{minor}.{micro}"), parallel: cfg!(feature = "mpio"), way }
}

/// Writes a file with these attributes and datasets; it appears at `path` complete or not at all. Collective.
pub(crate) fn write_file(
    comm: &Comm,
    path: &Path,
    attributes: &[(&str, Attribute)],
    outputs: &[NewDataset<'_>],
) -> Result<(), IoError> {
    write_collectively(comm, path, |temporary| {
        fill(comm, path, temporary, || create(temporary, attributes, outputs), outputs)
    })
}

/// Rank 0 creates the datasets of a file (`prepare`); then every rank writes its rows of them. Messages name `path`,
/// the file that the user requested, not the temporary one. Collective.
pub(crate) fn fill(
    comm: &Comm,
    path: &Path,
    temporary: &Path,
    prepare: impl FnOnce() -> hdf5::Result<()>,
    outputs: &[NewDataset<'_>],
) -> Result<(), IoError> {
    let bytes = outputs.iter().map(NewDataset::bytes).sum();
    let failed = |e: hdf5::Error| IoError::write(path, disk::reason(temporary, bytes, e));
    let prepared = if comm.is_root() { prepare() } else { Ok(()) };
    let prepared = prepared.map_err(failed);
    comm.agree(prepared)?;
    let written = match way(comm) {
        #[cfg(feature = "mpio")]
        Way::Mpio => {
            let handle = cfd_mpi::handle(comm).expect("this way is chosen only where there is one");
            let file =
                File::with_options().with_fapl(|p| p.mpio(handle, None)).open_rw(temporary).map_err(failed);
            // Opening and closing are collective; an error in between must not keep a rank from closing.
            let file = comm.agree(file)?;
            write_and_close(file, outputs).map_err(failed)
        }
        Way::Ordered => {
            let mut result = Ok(());
            for turn in 0..comm.size() {
                if turn == comm.rank() {
                    result = write_own_rows(temporary, outputs).map_err(failed);
                }
                comm.barrier();
            }
            result
        }
    };
    comm.agree(written)
}

fn create(path: &Path, attributes: &[(&str, Attribute)], outputs: &[NewDataset<'_>]) -> hdf5::Result<()> {
    // Since version 1.8 the format has checksums over all metadata, so damage is an error. In the older format, the
    // library's default, damage can crash the library. Without timestamps, equal contents give equal files. The file
    // exists, is empty and belongs to nobody else.
    let file = File::with_options()
        .with_fapl(|p| p.libver_v18())
        .with_fcpl(|p| p.obj_track_times(false))
        .create(path)?;
    for (name, value) in attributes {
        write_attribute(&file, name, value)?;
    }
    for output in outputs {
        for (end, _) in output.name.match_indices('/') {
            let group = &output.name[..end];
            if !file.link_exists(group) {
                file.create_group_builder().obj_track_times(false).create(group)?;
            }
        }
        match output.data {
            Data::F64(_) => create_dataset::<f64>(&file, output)?,
            Data::I32(_) => create_dataset::<i32>(&file, output)?,
            Data::I64(_) => create_dataset::<i64>(&file, output)?,
            Data::U8(_) => create_dataset::<u8>(&file, output)?,
            Data::Text(_) => create_dataset::<Name>(&file, output)?,
        }
    }
    file.close()
}

fn create_dataset<T: H5Type>(file: &File, output: &NewDataset<'_>) -> hdf5::Result<()> {
    // Early allocation: a rank that only writes rows must not change the file's structure. Every value is written.
    let dataset = file
        .new_dataset::<T>()
        .no_chunk()
        .alloc_time(Some(AllocTime::Early))
        .fill_time(FillTime::Never)
        .shape(&output.shape[..])
        .create(output.name.as_str())?;
    for (name, value) in &output.attributes {
        write_attribute(&dataset, name, value)?;
    }
    Ok(())
}

fn write_attribute(to: &Location, name: &str, value: &Attribute) -> hdf5::Result<()> {
    match value {
        Attribute::Text(text) => {
            let text: VarLenUnicode = text.parse().map_err(|e| format!("attribute {name}: {e}"))?;
            to.new_attr::<VarLenUnicode>().shape(()).create(name)?.write_scalar(&text)
        }
        Attribute::Bytes(bytes) => to.new_attr::<u8>().shape([bytes.len()]).create(name)?.write_raw(bytes),
        Attribute::Number(value) => to.new_attr::<f64>().shape(()).create(name)?.write_scalar(value),
        Attribute::Count(value) => to.new_attr::<u64>().shape(()).create(name)?.write_scalar(value),
        Attribute::Integer(value) => to.new_attr::<i32>().shape(()).create(name)?.write_scalar(value),
        Attribute::IntegerArray(value) => to.new_attr::<i32>().shape([1]).create(name)?.write_raw(&[*value]),
        Attribute::ShortText(text) => {
            let text = FixedAscii::<10>::from_ascii(text).map_err(|e| format!("attribute {name}: {e}"))?;
            to.new_attr::<FixedAscii<10>>().shape(()).create(name)?.write_scalar(&text)
        }
        Attribute::Name(text) => to.new_attr::<Name>().shape(()).create(name)?.write_scalar(&**text),
    }
}

/// Writes this rank's rows into a file that no other rank has open.
fn write_own_rows(path: &Path, outputs: &[NewDataset<'_>]) -> hdf5::Result<()> {
    // Every value goes to the file system at once: if the disk turns out full while the library closes a dataset, with
    // the last values in a buffer, it reports no error.
    let file =
        File::with_options().with_fapl(|p| p.sieve_buf_size(0).chunk_cache(1, 0, 0.0)).open_rw(path)?;
    write_and_close(file, outputs)
}

fn write_and_close(file: File, outputs: &[NewDataset<'_>]) -> hdf5::Result<()> {
    let written = write_rows(&file, outputs);
    let closed = file.close();
    written.and(closed)
}

fn write_rows(file: &File, outputs: &[NewDataset<'_>]) -> hdf5::Result<()> {
    for output in outputs {
        match &output.data {
            Data::F64(values) => write_slab(file, output, values)?,
            Data::I32(values) => write_slab(file, output, values)?,
            Data::I64(values) => write_slab(file, output, values)?,
            Data::U8(values) => write_slab(file, output, values)?,
            Data::Text(values) => write_slab(file, output, values)?,
        }
    }
    Ok(())
}

fn write_slab<T: H5Type>(file: &File, output: &NewDataset<'_>, values: &[T]) -> hdf5::Result<()> {
    let NewDataset { name, shape, rows, .. } = output;
    let width: usize = shape[1..].iter().product();
    assert_eq!(values.len(), rows.len() * width, "dataset {name}: all values of this rank's rows");
    if values.is_empty() {
        return Ok(());
    }
    let dataset = file.dataset(name)?;
    let step = (VALUES_PER_WRITE / width).max(1);
    for start in (0..rows.len()).step_by(step) {
        let count = step.min(rows.len() - start);
        let part = &values[start * width..(start + count) * width];
        let to = rows.start + start..rows.start + start + count;
        match shape.len() {
            1 => dataset.write_slice(part, to)?,
            _ => {
                let view = ArrayView::from_shape((count, width), part).expect("count rows of width values");
                dataset.write_slice(view, (to, ..))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_engine::mesh::Blocks;

    #[test]
    fn ranks_write_their_rows_one_after_the_other_in_global_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let way = Comm::simulate(4, |comm| {
            let rows = Blocks::new(7, 4).range(comm.rank());
            let rows = rows.start as usize..rows.end as usize;
            let values: Vec<f64> = rows.clone().flat_map(|r| [r as f64, 0.5]).collect();
            let output = NewDataset {
                name: "level0/q".into(),
                shape: vec![7, 2],
                rows,
                data: Data::F64(values.into()),
                attributes: vec![],
            };
            write_file(&comm, &path, &[("case", Attribute::Text("waves".into()))], &[output]).unwrap();
            hdf5_info(&comm).way
        });
        assert_eq!(way[0], "ordered, one rank after the other");
        let read = File::open(&path).unwrap().dataset("level0/q").unwrap().read_raw::<f64>().unwrap();
        assert_eq!(read, (0..7).flat_map(|r| [r as f64, 0.5]).collect::<Vec<_>>());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn one_rank_s_failure_is_every_rank_s_error_and_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let results = Comm::simulate(3, |comm| {
            // The second dataset has the name of the first.
            let output = NewDataset {
                name: "q".into(),
                shape: vec![3],
                rows: comm.rank()..comm.rank() + 1,
                data: Data::I32(vec![1].into()),
                attributes: vec![],
            };
            write_file(&comm, &path, &[], &[output.clone(), output])
        });
        for result in results {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("a.h5: cannot be written: "), "{message}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn rows_beyond_2_to_32_are_written_and_read_at_their_place() {
        // Unwritten values take no room on the disk.
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let rows = (1usize << 32) + 100;
        let written = [1..3, (1 << 32) - 2..(1 << 32) + 3, rows - 1..rows];
        let values = |rows: &Range<usize>| rows.clone().flat_map(|r| [r as f64, -0.5]).collect::<Vec<f64>>();
        Comm::simulate(3, |comm| {
            let rows_here = written[comm.rank()].clone();
            let data = Data::F64(values(&rows_here).into());
            let shape = vec![rows, 2];
            let output = NewDataset { name: "q".into(), shape, rows: rows_here, data, attributes: vec![] };
            write_file(&comm, &path, &[], &[output]).unwrap();
        });
        let file = crate::hdf5_file::Hdf5File::open(&path).unwrap();
        let table = file.table("q", crate::hdf5_file::Numbers::Float).unwrap();
        assert_eq!(table.shape, [rows as u64, 2]);
        for rows in written {
            assert_eq!(table.floats(rows.start as u64..rows.end as u64).unwrap(), values(&rows));
        }
        assert_eq!(table.floats(0..1).unwrap(), [0.0; 2]);
    }
}
