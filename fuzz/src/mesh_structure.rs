//! HDF5 meshes whose datasets have any names, types, shapes and values: a small good mesh, table by table changed as the
//! input says, and written with the HDF5 library.

use std::path::Path;

use arbitrary::Unstructured;
use cfd_engine::mesh::{Mesh, Values};
use cfd_io::format::{HDF5, MGCFD, OP2_HDF5};
use cfd_io::{Format, Holds};
use cfd_mesh::{Content, Derived, NEIGHBOURS, STORED, Table};
use hdf5::dataset::Layout;
use hdf5::types::{FixedAscii, VarLenUnicode};
use hdf5::{File, H5Type};

use super::meshes;

/// Why a file was not made: the input is used up, or the HDF5 library refuses what it asks for.
#[derive(Debug)]
enum NotMade {
    Input,
    Library,
}

impl From<arbitrary::Error> for NotMade {
    fn from(_: arbitrary::Error) -> NotMade {
        NotMade::Input
    }
}

impl From<hdf5::Error> for NotMade {
    fn from(_: hdf5::Error) -> NotMade {
        NotMade::Library
    }
}

/// Makes the file that the input describes, and reads it; where `several`, also on three ranks.
pub fn check(folder: &Path, data: &[u8], several: bool) {
    let path = folder.join("structure.h5");
    // What the library refuses to write half-way is a file as well.
    let _ = build(&path, &mut Unstructured::new(data));
    if path.exists() {
        meshes::check_file(&path, several);
        let _ = cfd_io::SolutionFile::open(&path);
    }
}

fn build(path: &Path, u: &mut Unstructured<'_>) -> Result<(), NotMade> {
    // Inputs of the corpus keep their meaning.
    let derived = match u.arbitrary::<u8>()? {
        240.. => &NEIGHBOURS,
        older => STORED[usize::from(older % 4)],
    };
    let own = u.arbitrary::<u8>()?.is_multiple_of(2);
    let others = [&MGCFD, &OP2_HDF5].into_iter().filter(|_| !own);
    let format = others.chain([&HDF5]).find(|format| format.can_hold(Holds::Derived(derived)));
    let format = format.expect("HDF5 holds any mesh");
    let mesh = meshes::small(derived);
    let file = File::create(path)?;
    if format == &HDF5 {
        attributes(&file, derived, u)?;
    }
    let schema = derived.schema_of(&mesh);
    if format == &OP2_HDF5 {
        for set in &schema.sets {
            let rows = mesh.sets[mesh.set(set).expect("a mesh has its schema's sets")].rows;
            // OP2's program calls the far-field nodes so.
            let name = if set == "bnodes" { "bedges" } else { set };
            let dataset = Dataset { name: name.into(), integers: true, shape: vec![1], ..Dataset::default() };
            Dataset { values: vec![rows as f64], ..dataset }.change_and_write(&file, u)?;
        }
    }
    for table in &schema.tables {
        if format == &MGCFD && table.dataset.starts_with("level1") {
            continue;
        }
        Dataset::of(&mesh, table, format).change_and_write(&file, u)?;
    }
    Ok(())
}

/// The attributes `case` and `schema`, as they should be or not.
fn attributes(file: &File, derived: &Derived, u: &mut Unstructured<'_>) -> Result<(), NotMade> {
    match u.arbitrary::<u8>()? % 8 {
        1 => {}
        2 => file.new_attr::<i64>().create("case")?.write_scalar(&u.arbitrary::<i64>()?)?,
        3 => {
            let text: String = u.arbitrary()?;
            let text: VarLenUnicode = text.parse().map_err(|_| NotMade::Library)?;
            file.new_attr::<VarLenUnicode>().create("case")?.write_scalar(&text)?;
        }
        4 => file
            .new_attr::<FixedAscii<10>>()
            .shape([3])
            .create("case")?
            .write_raw(&[ascii::<10>("aero"); 3])?,
        5 => file.new_attr::<FixedAscii<300>>().create("case")?.write_scalar(&ascii::<300>("aero"))?,
        6 => file.new_attr::<f64>().shape([u.int_in_range(0..=3usize)?, 0]).create("case").map(drop)?,
        _ => file.new_attr::<FixedAscii<10>>().create("case")?.write_scalar(&ascii::<10>(derived.tag))?,
    }
    match u.arbitrary::<u8>()? % 8 {
        1 => {}
        2 => file.new_attr::<i64>().create("schema")?.write_scalar(&u.arbitrary::<i64>()?)?,
        3 => file.new_attr::<u64>().create("schema")?.write_scalar(&u.arbitrary::<u64>()?)?,
        4 => file.new_attr::<f64>().create("schema")?.write_scalar(&u.arbitrary::<f64>()?)?,
        5 => file.new_attr::<i32>().shape([2]).create("schema")?.write_raw(&[1, 1])?,
        _ => file.new_attr::<i32>().create("schema")?.write_scalar(&1)?,
    }
    Ok(())
}

fn ascii<const N: usize>(text: &str) -> FixedAscii<N> {
    FixedAscii::from_ascii(text).expect("a short text in ASCII")
}

/// A dataset to write.
#[derive(Clone, Debug, Default)]
struct Dataset {
    name: String,
    integers: bool,
    shape: Vec<usize>,
    /// As many as the shape says, or none: what is never written takes no room in the file.
    values: Vec<f64>,
    layout: u8,
    width: u8,
}

impl Dataset {
    /// A table as it should be.
    fn of(mesh: &Mesh, table: &Table, format: &Format) -> Dataset {
        let own = format == &HDF5;
        let (integers, values): (bool, Vec<f64>) = if let Content::Map { .. } = table.content {
            let map = mesh.map(&table.name).expect("a mesh has its schema's maps");
            (true, mesh.maps[map].rows.iter().map(|&row| row as f64).collect())
        } else {
            let dat = mesh.dat(&table.name).expect("a mesh has its schema's dats");
            match &mesh.dats[dat].values {
                Values::F64(values) => (false, values.clone()),
                Values::I32(values) => (true, values.iter().copied().map(f64::from).collect()),
            }
        };
        let rows = values.len() / table.dim;
        let shape = if own && table.dim == 1 { vec![rows] } else { vec![rows, table.dim] };
        let name = format.dataset(table);
        Dataset { name: name.into(), integers, shape, values, ..Dataset::default() }
    }

    /// Changes it as the input says; an input that is used up changes nothing.
    fn change_and_write(mut self, file: &File, u: &mut Unstructured<'_>) -> Result<(), NotMade> {
        for (end, _) in self.name.match_indices('/') {
            if !file.link_exists(&self.name[..end]) {
                file.create_group(&self.name[..end])?;
            }
        }
        match u.arbitrary::<u8>()? % 24 {
            12 => return Ok(()),
            13 => self.width = 1 + u.arbitrary::<u8>()? % 12,
            14 => self.integers = !self.integers,
            15 => {
                // A shape that nothing is stored for.
                self.shape = (0..u.int_in_range(0..=4)?)
                    .map(|_| Ok(u.arbitrary::<u64>()? as usize >> u.int_in_range(0..=63)?))
                    .collect::<Result<_, arbitrary::Error>>()?;
                self.values.clear();
            }
            16 => return Ok(file.create_group(&self.name).map(drop)?),
            17 => return Ok(file.link_soft(&self.name, &self.name)?),
            18 => return Ok(file.link_hard("/", &self.name)?),
            19 => self.rows(u.int_in_range(0..=12)?),
            20 | 21 => {
                for _ in 0..u.int_in_range(1..=3)? {
                    if let Some(at) = self.values.len().checked_sub(1) {
                        let at = u.int_in_range(0..=at)?;
                        self.values[at] =
                            if self.integers { f64::from(u.arbitrary::<i8>()?) } else { u.arbitrary()? };
                    }
                }
            }
            22 => {
                self.layout = 1 + u.arbitrary::<u8>()? % 5;
                self.width = u.arbitrary::<u8>()? % 13;
            }
            23 if self.values.len() >= 2 => {
                let last = self.values.len() - 1;
                self.values.swap(u.int_in_range(0..=last)?, u.int_in_range(0..=last)?);
            }
            _ => {}
        }
        self.write(file)
    }

    /// As many rows as these, the first ones again and again.
    fn rows(&mut self, rows: usize) {
        let width: usize = self.shape[1..].iter().product();
        self.values = self.values.iter().copied().cycle().take(rows * width).collect();
        self.shape[0] = self.values.len() / width.max(1);
    }

    fn write(&self, file: &File) -> Result<(), NotMade> {
        let integers = |v: &f64| *v as i64;
        match (self.width, self.integers) {
            (0, true) | (1, _) => self.write_as(file, |v| integers(v) as i32),
            (0, false) | (2, _) => self.write_as(file, |v| *v),
            (3, _) => self.write_as(file, |v| *v as f32),
            (4, _) => self.write_as(file, |v| integers(v) as i8),
            (5, _) => self.write_as(file, |v| integers(v) as u8),
            (6, _) => self.write_as(file, |v| integers(v) as u16),
            (7, _) => self.write_as(file, |v| integers(v) as u32),
            (8, _) => self.write_as(file, |v| integers(v) as u64),
            (9, _) => self.write_as(file, integers),
            (10, _) => self.write_as(file, |v| *v > 0.0),
            (11, _) => self.write_as(file, |v| [*v, *v]),
            _ => self.write_as(file, |_| ascii::<4>("text")),
        }
    }

    fn write_as<T: H5Type>(&self, file: &File, convert: impl Fn(&f64) -> T) -> Result<(), NotMade> {
        // Of more values than can be counted the bindings themselves make nothing; such files are among those of any bytes.
        let values = self.shape.iter().try_fold(64usize, |product, &n| product.checked_mul(n.max(1)));
        if values.is_none() {
            return Err(NotMade::Library);
        }
        let builder = file.new_dataset::<T>();
        // Chunks may be larger than the dataset, where it can grow.
        let chunk = |factor: usize| -> Vec<usize> {
            self.shape.iter().map(|&n| (n * factor).clamp(1, 4096)).collect()
        };
        let growing = || self.shape.iter().map(|&n| n..).collect::<Vec<_>>();
        let dataset = match self.layout {
            0 => builder.no_chunk().shape(&self.shape[..]).create(&self.name[..])?,
            1 => builder.layout(Layout::Compact).shape(&self.shape[..]).create(&self.name[..])?,
            2 => builder.chunk(chunk(1)).shape(&self.shape[..]).create(&self.name[..])?,
            3 => builder.chunk(chunk(1)).deflate(9).shape(&self.shape[..]).create(&self.name[..])?,
            4 => builder.chunk(chunk(64)).deflate(9).shape(growing()).create(&self.name[..])?,
            _ => builder.chunk(chunk(64)).shuffle().fletcher32().shape(growing()).create(&self.name[..])?,
        };
        if !self.values.is_empty() {
            dataset.write_raw(&self.values.iter().map(convert).collect::<Vec<T>>())?;
        }
        Ok(())
    }
}
