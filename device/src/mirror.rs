//! The device mirror: a rank's data on its device, that is, dats, maps, global ids. They are copied to and fro when the
//! other side needs them.

use std::rc::Rc;

use cfd_engine::Stored;
use cfd_engine::plug::{DatInfo, DatStorage, Local, LocalSet};
use cfd_engine::prelude::ElementType;

use super::error::DeviceError;
use super::interface::{Buffer, Device, Stream};

/// Which copy of a dat is current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Newer {
    Host,
    Device,
    Neither,
}

/// A dat on the device.
struct DatCopy {
    buffer: Buffer,
    newer: Newer,
}

/// Number of rows of a dat, including halo copies, and of their components. The host has scratch rows after them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) rows: usize,
    pub(crate) dim: usize,
}

impl Extent {
    /// That of one of the domain's dats.
    pub(crate) fn of(dat: usize, dats: &[DatInfo], sets: &[LocalSet]) -> Extent {
        let DatInfo { set, dim, .. } = dats[dat];
        Extent { rows: sets[set].total(), dim }
    }

    fn values(self) -> usize {
        self.rows * self.dim
    }
}

/// How a dat is stored on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// How dats of several components are stored on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Row by row if a loop reaches the dat through a map, component by component otherwise.
    #[default]
    ByUse,
    /// All row by row.
    Rows,
    /// All component by component.
    Columns,
}

/// The device mirror of one rank: everything that loops on the device use.
pub(crate) struct DeviceMirror {
    pub(crate) device: Rc<dyn Device>,
    dats: Vec<Option<DatCopy>>,
    /// Which dats are stored component by component: neighbouring threads then read neighbouring values.
    columns: Vec<bool>,
    pub(crate) placement: Placement,
    maps: Vec<Option<Buffer>>,
    ids: Vec<Option<Buffer>>,
    /// Number of copies that the host has sent.
    pub(crate) uploads: u64,
}

impl DeviceMirror {
    pub(crate) fn new(device: Rc<dyn Device>, placement: Placement) -> DeviceMirror {
        let (dats, columns, maps, ids) = Default::default();
        DeviceMirror { device, dats, columns, placement, maps, ids, uploads: 0 }
    }

    /// The device.
    pub(crate) fn device(&self) -> &Rc<dyn Device> {
        &self.device
    }

    /// Notes that a loop uses a dat, and whether through a map.
    pub(crate) fn note_use(
        &mut self,
        local: &mut Local,
        dat: usize,
        extent: Extent,
        indirect: bool,
    ) -> Result<(), DeviceError> {
        self.make_room(dat);
        let by_rows = match self.placement {
            _ if extent.dim == 1 => true,
            Placement::ByUse => indirect,
            Placement::Rows => true,
            Placement::Columns => false,
        };
        if by_rows { self.store_by_rows(local, dat, extent) } else { Ok(()) }
    }

    /// Allocates a dat, which is stored component by component until a loop requires otherwise.
    fn make_room(&mut self, dat: usize) {
        if self.columns.len() <= dat {
            self.columns.resize(dat + 1, true);
            self.dats.resize_with(dat + 1, || None);
        }
    }

    /// Stores a dat row by row from now on.
    fn store_by_rows(&mut self, local: &mut Local, dat: usize, extent: Extent) -> Result<(), DeviceError> {
        if self.columns[dat] {
            // An existing copy is stored in the other way.
            self.fetch(local, dat, extent)?;
            self.columns[dat] = false;
            self.dats[dat] = None;
        }
        Ok(())
    }

    /// Swaps the copies of two dats of the same shape. Both are stored row by row from then on if one of them is.
    pub(crate) fn swap(
        &mut self,
        local: &mut Local,
        dats: [usize; 2],
        extent: Extent,
    ) -> Result<(), DeviceError> {
        dats.iter().for_each(|&dat| self.make_room(dat));
        if dats.iter().any(|&dat| !self.columns[dat]) {
            for dat in dats {
                self.store_by_rows(local, dat, extent)?;
            }
        }
        self.dats.swap(dats[0], dats[1]);
        Ok(())
    }

    /// True if a dat is stored component by component.
    pub(crate) fn in_columns(&self, dat: usize) -> bool {
        self.columns[dat]
    }

    pub(crate) fn steps(&self, dat: usize, Extent { rows, dim }: Extent) -> Steps {
        if self.columns[dat] { Steps { row: 1, column: rows } } else { Steps { row: dim, column: 1 } }
    }

    /// The address of a dat's values, which are copied there if needed.
    pub(crate) fn dat(
        &mut self,
        local: &Local,
        dat: usize,
        name: &str,
        extent: Extent,
    ) -> Result<u64, DeviceError> {
        let storage = &local.storages[dat];
        if self.dats[dat].is_none() {
            let buffer = Buffer::new(&self.device, extent.values() * storage.element_bytes(), name)?;
            self.dats[dat] = Some(DatCopy { buffer, newer: Newer::Host });
        }
        let columns = self.columns[dat];
        let copy = self.dats[dat].as_mut().expect("just made");
        if copy.newer == Newer::Host {
            self.uploads += 1;
            match storage.element_type() {
                ElementType::F64 => copy.upload::<f64>(storage, extent, columns)?,
                ElementType::F32 => copy.upload::<f32>(storage, extent, columns)?,
                ElementType::I32 => copy.upload::<i32>(storage, extent, columns)?,
            }
            copy.newer = Newer::Neither;
        }
        Ok(copy.buffer.address())
    }

    /// Notes that the device has changed a dat.
    pub(crate) fn changed_here(&mut self, dat: usize) {
        self.dats[dat].as_mut().expect("a loop has used it").newer = Newer::Device;
    }

    /// Notes that the host has changed a dat.
    pub(crate) fn changed_by_host(&mut self, dat: usize) {
        if let Some(Some(copy)) = self.dats.get_mut(dat) {
            copy.newer = Newer::Host;
        }
    }

    /// Fetches a dat's values to the host, unless they are already there.
    pub(crate) fn fetch(&mut self, local: &mut Local, dat: usize, extent: Extent) -> Result<(), DeviceError> {
        let Some(Some(copy)) = self.dats.get_mut(dat) else { return Ok(()) };
        if copy.newer != Newer::Device {
            return Ok(());
        }
        let storage = &mut local.storages[dat];
        let columns = self.columns[dat];
        match storage.element_type() {
            ElementType::F64 => copy.download::<f64>(storage, extent, columns)?,
            ElementType::F32 => copy.download::<f32>(storage, extent, columns)?,
            ElementType::I32 => copy.download::<i32>(storage, extent, columns)?,
        }
        copy.newer = Newer::Neither;
        Ok(())
    }

    /// The address of a map's indices.
    pub(crate) fn map(&mut self, local: &Local, map: usize, name: &str) -> Result<u64, DeviceError> {
        copied(&self.device, &mut self.maps, &mut self.uploads, map, &local.maps[map], name)
    }

    /// The address of the global ids of a set's rows.
    pub(crate) fn ids(&mut self, local: &Local, set: usize, name: &str) -> Result<u64, DeviceError> {
        copied(&self.device, &mut self.ids, &mut self.uploads, set, &local.global_ids[set], name)
    }
}

impl DatCopy {
    /// Copies a dat's values to the device.
    fn upload<T: Stored>(
        &mut self,
        storage: &DatStorage,
        extent: Extent,
        columns: bool,
    ) -> Result<(), DeviceError> {
        self.buffer.upload(&in_device_order(&storage.values::<T>(), extent, columns), Stream::Compute)
    }

    /// Copies the device's values to a dat.
    fn download<T: Stored>(
        &mut self,
        storage: &mut DatStorage,
        extent: Extent,
        columns: bool,
    ) -> Result<(), DeviceError> {
        let mut there = vec![T::ZERO; extent.values()];
        self.buffer.download(&mut there, Stream::Compute)?;
        storage.set_values(&in_host_order(there, extent, columns));
        Ok(())
    }
}

/// The address of a copy of immutable data, made when first needed.
fn copied<T: bytemuck::Pod>(
    device: &Rc<dyn Device>,
    copies: &mut Vec<Option<Buffer>>,
    uploads: &mut u64,
    id: usize,
    values: &[T],
    name: &str,
) -> Result<u64, DeviceError> {
    if copies.len() <= id {
        copies.resize_with(id + 1, || None);
    }
    if copies[id].is_none() {
        *uploads += 1;
        copies[id] = Some(Buffer::holding(device, values, name)?);
    }
    Ok(copies[id].as_ref().expect("just made").address())
}

/// Rows to columns, or unchanged. The scratch rows are left out.
fn in_device_order<T: Copy>(values: &[T], extent: Extent, columns: bool) -> Vec<T> {
    let (values, dim) = (&values[..extent.values()], extent.dim);
    match columns {
        true => (0..dim).flat_map(|m| values.iter().skip(m).step_by(dim).copied()).collect(),
        false => values.to_vec(),
    }
}

/// Columns to rows, or unchanged.
fn in_host_order<T: Copy>(values: Vec<T>, Extent { rows, dim }: Extent, columns: bool) -> Vec<T> {
    match columns {
        true => (0..rows * dim).map(|i| values[i % dim * rows + i / dim]).collect(),
        false => values,
    }
}
