//! VTKHDF: a grid and its fields at any number of times in one HDF5 file, which ParaView and VTK open
//! ([specification](https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/vtkhdf_specifications.html), version 2.0).
//!
//! Rows are in global order, all ranks write theirs at the same time, and the file has the same bytes on any number of
//! ranks (VTK's parts correspond to meshes, not ranks). An unchanged mesh is stored once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Values};
use cfd_mesh::Groups;
use hdf5::dataset::{AllocTime, FillTime};
use hdf5::types::{FixedAscii, VarLenAscii};
use hdf5::{File, Group, H5Type};

use crate::IoError;
use crate::atomic::{change_collectively, incomplete, write_collectively};
use crate::grid::{Array, CellList, Datum, DatumValue, Grid};
use crate::hdf5_output::{Data, Name, NewDataset, fill, name as fixed};

/// Version of the layout.
const VERSION: [i64; 2] = [2, 0];
/// Largest number of values in a chunk, which must be smaller than 4 GiB.
const LARGEST_CHUNK: usize = 1 << 27;
/// Rows in a chunk of a short dataset.
const FEW: usize = 64;

/// A file to which steps are added.
#[derive(Clone, Debug)]
pub struct VtkHdf {
    path: PathBuf,
    /// Rows so far of each dataset.
    rows: BTreeMap<String, usize>,
    steps: usize,
    /// The position of the current mesh.
    mesh: Mesh,
    /// Meshes so far.
    meshes: usize,
    /// The global data so far: names, each with a placeholder for steps without a value.
    known: BTreeMap<String, DatumValue>,
    /// The names of the current mesh's groups, which are in the file.
    groups: Groups,
}

/// The position of a mesh in the file.
#[derive(Clone, Copy, Debug, Default)]
struct Mesh {
    part: usize,
    points: usize,
    cells: usize,
    connectivity: usize,
    /// Corners of all its cells.
    corners: usize,
}

/// How a dataset grows with a step.
struct Growth {
    name: String,
    /// Rows of this step.
    rows: usize,
    /// Values per row; `None` for a plain list.
    dim: Option<usize>,
    kind: fn(&Group, &Growth) -> hdf5::Result<()>,
}

impl VtkHdf {
    /// A file without steps, not yet created.
    pub fn new(path: &Path) -> VtkHdf {
        VtkHdf {
            path: path.into(),
            rows: BTreeMap::new(),
            steps: 0,
            mesh: Mesh::default(),
            meshes: 0,
            known: BTreeMap::new(),
            groups: Groups::default(),
        }
    }

    /// Adds the fields at a time; with `same_mesh`, on the previous step's mesh. Afterwards the file is complete under
    /// its name; while it grows, it is not there. Collective.
    ///
    /// # Errors
    /// [`IoError::Write`] when the file system or the HDF5 library refuses; then the file has another name, which says
    /// that it is incomplete.
    pub fn add(&mut self, comm: &Comm, time: f64, grid: &Grid, same_mesh: bool) -> Result<(), IoError> {
        let mut next = self.clone();
        let new_mesh = !same_mesh || self.steps == 0;
        let (outputs, growths) = next.outputs(comm, grid, new_mesh);
        for Datum { name, value } in &grid.field_data {
            next.known.entry(name.clone()).or_insert_with(|| match value {
                DatumValue::Number(_) => DatumValue::Number(f64::NAN),
                DatumValue::Count(_) => DatumValue::Count(0),
                DatumValue::Text(_) => DatumValue::Text(String::new()),
            });
        }
        let path = self.path.clone();
        let write = |temporary: &Path| {
            fill(comm, &path, temporary, || grow(temporary, &growths, self.steps == 0), &outputs)?;
            // The number of steps is updated last.
            let told = match comm.is_root() {
                true => next.tell(temporary, time, grid, new_mesh).map_err(|e| IoError::write(&path, e)),
                false => Ok(()),
            };
            comm.agree(told)
        };
        match self.steps {
            0 => {
                write_collectively(comm, &path, write)?;
                if comm.is_root() {
                    // Of a run before this one.
                    let _ = std::fs::remove_file(incomplete(&path));
                }
            }
            _ => change_collectively(comm, &path, write)?,
        }
        for growth in growths {
            *next.rows.entry(growth.name).or_default() += growth.rows;
        }
        next.steps += 1;
        next.groups = grid.groups.clone();
        *self = next;
        Ok(())
    }

    /// This rank's rows of all datasets that hold a mesh or fields, and how these datasets grow.
    fn outputs<'a>(
        &mut self,
        comm: &Comm,
        grid: &'a Grid,
        new_mesh: bool,
    ) -> (Vec<NewDataset<'a>>, Vec<Growth>) {
        let mut out = Outputs { rows: &self.rows, outputs: Vec::new(), growths: Vec::new() };
        let lists: Vec<Slab> = slabs(comm, &grid.cells);
        let cells: u64 = grid.cells.iter().map(|list| list.rows).sum();
        let corners = lists.last().map_or(0, |last| last.corners_end);
        if new_mesh {
            let before = |name: &str| self.rows.get(name).copied().unwrap_or(0);
            self.mesh = Mesh {
                part: self.meshes,
                points: before("Points"),
                cells: before("Types"),
                connectivity: before("Connectivity"),
                corners: corners as usize,
            };
            self.meshes += 1;
            let own = Blocks::new(grid.points, comm.size()).range(comm.rank());
            out.grow("Points", grid.points as usize, Some(3), dataset::<f64>);
            out.rows("Points", own.start as usize, Some(3), Data::F64((&grid.x[..]).into()));
            out.grow("Connectivity", corners as usize, None, dataset::<i64>);
            out.grow("Offsets", cells as usize + 1, None, dataset::<i64>);
            out.grow("Types", cells as usize, None, dataset::<u8>);
            if comm.is_root() {
                out.rows("Offsets", 0, None, Data::I64(vec![0].into()));
            }
            for (list, slab) in grid.cells.iter().zip(&lists) {
                let nodes = list.nodes.iter().map(|&node| node as i64).collect();
                out.rows("Connectivity", slab.corners as usize, None, Data::I64(nodes));
                let mut end = slab.corners as i64;
                let ends = list.kinds.iter().map(|kind| {
                    end += kind.nodes() as i64;
                    end
                });
                out.rows("Offsets", slab.cells as usize + 1, None, Data::I64(ends.collect()));
                let types = list.kinds.iter().map(|kind| kind.vtk_type()).collect();
                out.rows("Types", slab.cells as usize, None, Data::U8(types));
            }
        }
        let own = Blocks::new(grid.points, comm.size()).range(comm.rank());
        for array in &grid.point_data {
            let name = format!("PointData/{}", array.name);
            out.array(&name, array, grid.points as usize, &[(own.start as usize, 0..array.values.len())]);
        }
        for array in &grid.cell_data {
            let mut begin = 0;
            let mut parts = Vec::new();
            for (list, slab) in grid.cells.iter().zip(&lists) {
                let end = begin + list.kinds.len() * array.dim;
                parts.push((slab.cells as usize, begin..end));
                begin = end;
            }
            out.array(&format!("CellData/{}", array.name), array, cells as usize, &parts);
        }
        (out.outputs, out.growths)
    }

    /// Extends the index of steps: on rank 0, from this state, which has not yet counted the step.
    fn tell(&self, path: &Path, time: f64, grid: &Grid, new_mesh: bool) -> hdf5::Result<()> {
        let file = File::open_rw(path)?;
        let root = file.group("VTKHDF")?;
        let step = self.steps;
        if new_mesh {
            let cells: u64 = grid.cells.iter().map(|list| list.rows).sum();
            let part = self.mesh.part;
            append(&root, "NumberOfPoints", part, &[grid.points as i64], false)?;
            append(&root, "NumberOfCells", part, &[cells as i64], false)?;
            append(&root, "NumberOfConnectivityIds", part, &[self.mesh.corners as i64], false)?;
        }
        let steps = child(&root, "Steps")?;
        let Mesh { part, points, cells, connectivity, .. } = self.mesh;
        append(&steps, "Values", step, &[time], false)?;
        append(&steps, "PartOffsets", step, &[part as i64], false)?;
        append(&steps, "NumberOfParts", step, &[1i64], false)?;
        append(&steps, "PointOffsets", step, &[points as i64], false)?;
        append(&steps, "CellOffsets", step, &[cells as i64], true)?;
        append(&steps, "ConnectivityIdOffsets", step, &[connectivity as i64], true)?;
        for (group, arrays) in [("PointData", &grid.point_data), ("CellData", &grid.cell_data)] {
            let offsets = child(&steps, &format!("{group}Offsets"))?;
            for array in arrays {
                let before = self.rows.get(&format!("{group}/{}", array.name)).copied().unwrap_or(0);
                append(&offsets, &array.name, step, &[before as i64], false)?;
            }
        }
        let (data, offsets) = (child(&root, "FieldData")?, child(&steps, "FieldDataOffsets")?);
        for (name, unknown) in &self.known {
            let found = grid.field_data.iter().find(|datum| datum.name == *name).map(|datum| &datum.value);
            // A new name has no values at earlier steps.
            let first = if data.link_exists(name) { step } else { 0 };
            for at in first..step {
                add_datum(&data, name, at, unknown)?;
                append(&offsets, name, at, &[at as i64], false)?;
            }
            add_datum(&data, name, step, found.unwrap_or(unknown))?;
            append(&offsets, name, step, &[step as i64], false)?;
        }
        if self.groups != grid.groups {
            write_groups(&file, &grid.groups)?;
        }
        let count = step as i64 + 1;
        match steps.attr_names()?.iter().any(|name| name == "NSteps") {
            true => steps.attr("NSteps")?.write_scalar(&count)?,
            false => steps.new_attr::<i64>().shape(()).create("NSteps")?.write_scalar(&count)?,
        }
        file.close()
    }
}

/// Writes the names of groups as in the general layout, beside what VTK knows, in place of earlier ones.
fn write_groups(file: &File, groups: &Groups) -> hdf5::Result<()> {
    if file.link_exists("groups") {
        file.unlink("groups")?;
    }
    if groups.iter().next().is_none() {
        return Ok(());
    }
    let group = child(file, "groups")?;
    let dimensions: Vec<i32> = groups.iter().map(|group| group.dimension as i32).collect();
    let ids: Vec<i32> = groups.iter().map(|group| group.id).collect();
    let name = |group: &cfd_mesh::Group| {
        fixed(&group.name).ok_or(format!("the name of a group is too long: {}", group.name))
    };
    let names: Vec<Name> = groups.iter().map(name).collect::<Result<_, String>>()?;
    group.new_dataset::<i32>().shape([dimensions.len()]).create("dimension")?.write_raw(&dimensions)?;
    group.new_dataset::<i32>().shape([ids.len()]).create("id")?.write_raw(&ids)?;
    group.new_dataset::<Name>().shape([names.len()]).create("name")?.write_raw(&names)
}

/// Adds a value of field data.
fn add_datum(data: &Group, name: &str, at: usize, value: &DatumValue) -> hdf5::Result<()> {
    match value {
        DatumValue::Number(value) => append(data, name, at, &[*value], false),
        DatumValue::Count(value) => append(data, name, at, &[*value as i64], false),
        DatumValue::Text(text) => {
            // VTK reads ASCII only.
            let plain: String =
                text.chars().map(|c| if c.is_ascii() && c != '\0' { c } else { '?' }).collect();
            let text = VarLenAscii::from_ascii(&plain).map_err(|e| format!("{name}: {e}"))?;
            append(data, name, at, &[text], false)
        }
    }
}

/// The data collected for a step.
struct Outputs<'a, 'b> {
    rows: &'b BTreeMap<String, usize>,
    outputs: Vec<NewDataset<'a>>,
    growths: Vec<Growth>,
}

impl<'a> Outputs<'a, '_> {
    /// A dataset grows by this many rows.
    fn grow(
        &mut self,
        name: &str,
        rows: usize,
        dim: Option<usize>,
        kind: fn(&Group, &Growth) -> hdf5::Result<()>,
    ) {
        self.growths.push(Growth { name: name.into(), rows, dim, kind });
    }

    /// This rank's rows of it, from `start` on within this step's rows.
    fn rows(&mut self, name: &str, start: usize, dim: Option<usize>, data: Data<'a>) {
        let values = match &data {
            Data::F64(values) => values.len(),
            Data::I32(values) => values.len(),
            Data::I64(values) => values.len(),
            Data::U8(values) => values.len(),
            Data::Text(values) => values.len(),
        };
        let first = self.rows.get(name).copied().unwrap_or(0) + start;
        self.outputs.push(NewDataset {
            name: format!("VTKHDF/{name}"),
            // The file knows the number of rows.
            shape: std::iter::once(0).chain(dim).collect(),
            rows: first..first + values / dim.unwrap_or(1),
            data,
            attributes: Vec::new(),
        });
    }

    /// An array; this rank has these values, starting at these rows.
    fn array(
        &mut self,
        name: &str,
        array: &'a Array,
        rows: usize,
        parts: &[(usize, std::ops::Range<usize>)],
    ) {
        let dim = (array.dim > 1).then_some(array.dim);
        match &array.values {
            Values::F64(values) => {
                self.grow(name, rows, dim, dataset::<f64>);
                for (start, part) in parts {
                    self.rows(name, *start, dim, Data::F64((&values[part.clone()]).into()));
                }
            }
            Values::I32(values) => {
                self.grow(name, rows, dim, dataset::<i32>);
                for (start, part) in parts {
                    self.rows(name, *start, dim, Data::I32((&values[part.clone()]).into()));
                }
            }
        }
    }
}

/// The position of a rank's cells of a list among all cells.
struct Slab {
    cells: u64,
    corners: u64,
    /// Where the list's corners end.
    corners_end: u64,
}

/// The positions of this rank's cells of each list among the cells and corners of all lists. Collective.
fn slabs(comm: &Comm, lists: &[CellList]) -> Vec<Slab> {
    let (mut cells, mut corners) = (0, 0);
    let slab = |list: &CellList| {
        let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
        assert_eq!(own.end - own.start, list.kinds.len() as u64, "a rank has its block of the cells");
        let here = list.nodes.len() as u64;
        let end = corners + comm.sum(here);
        let slab =
            Slab { cells: cells + own.start, corners: corners + comm.exclusive_sum(here), corners_end: end };
        (cells, corners) = (cells + list.rows, end);
        slab
    };
    lists.iter().map(slab).collect()
}

/// Creates or extends the datasets of a file.
fn grow(path: &Path, growths: &[Growth], new: bool) -> hdf5::Result<()> {
    let file = match new {
        true => File::with_options()
            .with_fapl(|p| p.libver_v18())
            .with_fcpl(|p| p.obj_track_times(false))
            .create(path)?,
        false => File::open_rw(path)?,
    };
    let root = child(&file, "VTKHDF")?;
    if new {
        root.new_attr::<i64>().shape([2]).create("Version")?.write_raw(&VERSION)?;
        let kind = FixedAscii::<16>::from_ascii("UnstructuredGrid").map_err(|e| e.to_string())?;
        root.new_attr::<FixedAscii<16>>().shape(()).create("Type")?.write_scalar(&kind)?;
        for group in ["PointData", "CellData", "FieldData"] {
            child(&root, group)?;
        }
    }
    for growth in growths {
        (growth.kind)(&root, growth)?;
    }
    file.close()
}

/// A group within a group, created if missing.
fn child(group: &Group, name: &str) -> hdf5::Result<Group> {
    if group.link_exists(name) {
        return group.group(name);
    }
    group.create_group_builder().obj_track_times(false).create(name)
}

/// Creates a dataset, or extends it, with room for its rows.
fn dataset<T: H5Type>(root: &Group, growth: &Growth) -> hdf5::Result<()> {
    let Growth { name, rows, dim, .. } = growth;
    if root.link_exists(name) {
        let dataset = root.dataset(name)?;
        let all = dataset.shape()[0] + rows;
        return match dim {
            None => dataset.resize([all]),
            Some(dim) => dataset.resize([all, *dim]),
        };
    }
    extendible::<T>(root, name, *rows, *dim, *rows)
}

/// Creates an extensible dataset with early allocation: a rank that only writes rows must not change the file's
/// structure.
fn extendible<T: H5Type>(
    group: &Group,
    name: &str,
    rows: usize,
    dim: Option<usize>,
    chunk: usize,
) -> hdf5::Result<()> {
    let width = dim.unwrap_or(1);
    let chunk = chunk.clamp(1, (LARGEST_CHUNK / width).max(1));
    let builder = group.new_dataset::<T>().alloc_time(Some(AllocTime::Early)).fill_time(FillTime::Never);
    match dim {
        None => builder.chunk([chunk]).shape([rows..]).create(name)?,
        Some(dim) => builder.chunk([chunk, dim]).shape((rows.., dim)).create(name)?,
    };
    Ok(())
}

/// Appends values, one per row, to a dataset with `before` rows; of shape (rows, 1) with `column`.
fn append<T: H5Type>(
    group: &Group,
    name: &str,
    before: usize,
    values: &[T],
    column: bool,
) -> hdf5::Result<()> {
    if !group.link_exists(name) {
        let dim = column.then_some(1);
        let builder = group.new_dataset::<T>();
        match dim {
            None => builder.chunk([FEW]).shape([0..]).create(name)?,
            Some(dim) => builder.chunk([FEW, dim]).shape((0.., dim)).create(name)?,
        };
    }
    let dataset = group.dataset(name)?;
    let all = before + values.len();
    if column {
        dataset.resize([all, 1])?;
        let view = ndarray::ArrayView::from_shape((values.len(), 1), values).map_err(|e| e.to_string())?;
        dataset.write_slice(view, (before..all, ..))
    } else {
        dataset.resize([all])?;
        dataset.write_slice(values, before..all)
    }
}

#[cfg(test)]
mod tests {
    use cfd_mesh::ElementKind;

    use super::*;

    /// A triangle and a quadrilateral, a line next to them, and a field each on points and on cells.
    fn grid(comm: &Comm, shift: f64) -> Grid {
        let block = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
        let of = |cells: &[(ElementKind, &[u64])], name| {
            let own = block(cells.len() as u64);
            let own = &cells[own.start as usize..own.end as usize];
            CellList {
                name,
                rows: cells.len() as u64,
                kinds: own.iter().map(|(kind, _)| *kind).collect(),
                nodes: own.iter().flat_map(|(_, nodes)| nodes.to_vec()).collect(),
                groups: vec![7; own.len()],
            }
        };
        let cells = [
            of(&[(ElementKind::Triangle, &[0, 1, 2]), (ElementKind::Quadrilateral, &[1, 3, 4, 2])], "cells"),
            of(&[(ElementKind::Line, &[0, 1])], "surface"),
        ];
        let array = |name: &str, dim: usize, rows: Vec<u64>| Array {
            name: name.into(),
            dim,
            components: Vec::new(),
            values: Values::F64(
                rows.iter().flat_map(|&r| (0..dim).map(move |m| shift + r as f64 + m as f64 / 8.0)).collect(),
            ),
        };
        let (first, second) = (block(2), block(1));
        let mut groups = Groups::default();
        groups.add(1, 7, if shift == 2.0 { "far field" } else { "wall" });
        Grid {
            dimension: 2,
            points: 5,
            x: block(5).flat_map(|p| [p as f64, 0.5 * p as f64, 0.0]).collect(),
            point_data: vec![array("p", 1, block(5).collect())],
            cell_data: vec![array("v", 3, first.chain(second.map(|row| 2 + row)).collect())],
            cells: cells.to_vec(),
            field_data: [Datum::number("mach", 0.4 + shift), Datum::text("case", "waves")]
                .into_iter()
                .chain((shift == 2.0).then(|| Datum::number("late", 5.0)))
                .collect(),
            groups,
        }
    }

    /// Three steps, the last on a new mesh.
    fn written(path: &Path, ranks: usize) -> Vec<u8> {
        Comm::simulate(ranks, |comm| {
            let mut file = VtkHdf::new(path);
            for (step, same) in [(0, false), (1, true), (2, false)] {
                file.add(&comm, 10.0 * f64::from(step), &grid(&comm, f64::from(step)), same).unwrap();
                let names = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
                comm.barrier();
                assert_eq!(names, 1, "nothing is beside the file");
            }
        });
        std::fs::read(path).unwrap()
    }

    #[test]
    fn steps_have_their_fields_and_a_mesh_that_stays_is_stored_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.vtkhdf");
        written(&path, 1);
        let file = File::open(&path).unwrap();
        let numbers =
            |name: &str| file.dataset(&format!("VTKHDF/{name}")).unwrap().read_raw::<f64>().unwrap();
        let integers =
            |name: &str| file.dataset(&format!("VTKHDF/{name}")).unwrap().read_raw::<i64>().unwrap();
        assert_eq!(numbers("Steps/Values"), [0.0, 10.0, 20.0]);
        let late = numbers("FieldData/late");
        assert!(late[0].is_nan() && late[1].is_nan() && late[2] == 5.0, "{late:?}");
        assert_eq!(integers("Steps/FieldDataOffsets/late"), [0, 1, 2]);
        assert_eq!(integers("NumberOfPoints"), [5, 5]);
        assert_eq!(
            (integers("NumberOfCells"), integers("NumberOfConnectivityIds")),
            (vec![3, 3], vec![9, 9])
        );
        assert_eq!(integers("Connectivity"), [[0, 1, 2, 1, 3, 4, 2, 0, 1]; 2].concat());
        assert_eq!(integers("Offsets"), [[0, 3, 7, 9]; 2].concat());
        for (name, offsets) in [
            ("PartOffsets", [0, 0, 1]),
            ("PointOffsets", [0, 0, 5]),
            ("CellOffsets", [0, 0, 3]),
            ("ConnectivityIdOffsets", [0, 0, 9]),
            ("PointDataOffsets/p", [0, 5, 10]),
            ("CellDataOffsets/v", [0, 3, 6]),
            ("FieldDataOffsets/mach", [0, 1, 2]),
        ] {
            assert_eq!(integers(&format!("Steps/{name}")), offsets, "{name}");
        }
        let p: Vec<f64> = (0..3).flat_map(|step| (0..5).map(move |row| f64::from(step + row))).collect();
        assert_eq!(numbers("PointData/p"), p);
        assert_eq!(numbers("CellData/v")[9..12], [1.0, 1.125, 1.25]);
        let names = file.dataset("groups/name").unwrap().read_raw::<Name>().unwrap();
        assert_eq!(names.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["far field"]);
        assert_eq!(
            file.group("VTKHDF/Steps").unwrap().attr("NSteps").unwrap().read_scalar::<i64>().unwrap(),
            3
        );
    }

    #[test]
    fn any_ranks_write_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = [1, 2, 5].map(|ranks| {
            let folder = dir.path().join(ranks.to_string());
            std::fs::create_dir(&folder).unwrap();
            written(&folder.join("a.vtkhdf"), ranks)
        });
        assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2]);
    }

    #[test]
    fn a_file_to_which_a_step_cannot_be_added_gets_another_name_which_the_next_file_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.vtkhdf");
        let comm = Comm::single();
        let mut file = VtkHdf::new(&path);
        file.add(&comm, 0.0, &grid(&comm, 0.0), false).unwrap();
        std::fs::write(&path, "no HDF5").unwrap();
        let message = file.add(&comm, 1.0, &grid(&comm, 1.0), true).unwrap_err().to_string();
        assert!(message.contains("a.vtkhdf: cannot be written"), "{message}");
        assert!(
            message.contains("; what there is of it is now ") && message.ends_with("/a.incomplete.vtkhdf")
        );
        let only = |name: &str| {
            let names = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
            assert_eq!(names.collect::<Vec<_>>(), [name]);
        };
        only("a.incomplete.vtkhdf");
        VtkHdf::new(&path).add(&comm, 0.0, &grid(&comm, 0.0), false).unwrap();
        only("a.vtkhdf");
    }
}
