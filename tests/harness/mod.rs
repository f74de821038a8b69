//! Domains on simulated ranks, for tests that run the engine without a launcher.

// Each test program uses its own part.
#![allow(dead_code)]

pub mod case;
pub mod cube;
pub mod flow;
pub mod hashes;
pub mod levels;
pub mod matrix;
pub mod potential;
pub mod references;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use cfd_device::{Cuda, Device, DeviceOptions, Emulated, Placement};
use cfd_engine::layout::Layout;
use cfd_engine::mesh::Mesh;
use cfd_engine::prelude::*;
use cfd_mesh::{BILINEAR, CELL_EDGES};
use cfd_partition::{Method, Options, Order, Primary};

/// What is partitioned in an airfoil mesh.
pub fn cells() -> Primary {
    CELL_EDGES.primary(&Mesh::default())
}

/// What is partitioned in a mesh of bilinear elements.
pub fn nodes() -> Primary {
    BILINEAR.primary(&Mesh::default())
}

/// How a test distributes a mesh.
#[derive(Clone)]
pub struct Split {
    pub ranks: usize,
    pub method: &'static str,
    pub seed: u64,
    pub order: Order,
    pub options: DomainOptions,
    /// Run on the emulated device, threads and blocks in an order drawn from this seed.
    pub device: Option<u64>,
    /// The ranks that have a device, one bit each; the others run on processors.
    pub device_ranks: u32,
    /// Halo messages go from device memory to device memory.
    pub direct: bool,
    /// How the device stores dats.
    pub placement: Placement,
}

impl Split {
    pub fn new(ranks: usize, method: &'static str) -> Split {
        Split {
            ranks,
            method,
            seed: 1,
            order: Order::File,
            options: DomainOptions::default(),
            device: None,
            device_ranks: u32::MAX,
            direct: false,
            placement: Placement::ByUse,
        }
    }

    /// The same on the emulated device.
    pub fn on_device(self, seed: u64) -> Split {
        Split { device: Some(seed), ..self }
    }

    /// The same with a device only on these ranks, one bit each.
    pub fn mixed(self, device_ranks: u32) -> Split {
        Split { device_ranks, ..self }
    }

    /// The same with halo messages from device memory to device memory.
    pub fn direct(self) -> Split {
        Split { direct: true, ..self }
    }

    pub fn with(mut self, change: impl FnOnce(&mut DomainOptions)) -> Split {
        change(&mut self.options);
        self
    }
}

impl std::fmt::Debug for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DomainOptions {
            overlap, mode, strategy, region_rows, threads, lanes, backend, tile_rows, ..
        } = &self.options;
        let Split { ranks, method, seed, order, device_ranks, direct, placement, .. } = self;
        write!(
            f,
            "{ranks} ranks of {threads} threads in {lanes} lanes by {method} (seed {seed}), {mode:?}, {strategy:?}, "
        )?;
        write!(f, "regions of {region_rows}, overlap {overlap}, {order} order, ")?;
        write!(
            f,
            "chains {}, tiles of {tile_rows}, device {:?} on ranks {device_ranks:b}, direct messages {direct}, {placement:?}",
            backend.is_some(),
            self.device
        )
    }
}

/// Distributes an airfoil mesh on every simulated rank and returns the rank's domain.
pub fn domain(comm: &Comm, mesh: Mesh, split: &Split) -> Domain {
    domain_by(comm, mesh, split, &cells())
}

/// The same with any mesh, whose `primary` is partitioned.
pub fn domain_by(comm: &Comm, mesh: Mesh, split: &Split, primary: &Primary) -> Domain {
    let mut domain = Domain::new(comm.clone(), layout_by(comm, mesh, split, primary), split.options.clone());
    use_device(&mut domain, split);
    domain
}

/// Gives a domain the device that the test requests.
pub fn use_device(domain: &mut Domain, split: &Split) {
    if let Some(seed) = split.device {
        if split.device_ranks >> domain.comm().rank() & 1 == 0 {
            domain.expect_failures();
            return;
        }
        let device: Rc<dyn Device> = match std::env::var("CFD_TEST_DEVICE").as_deref() {
            // Simulated ranks share the first GPU.
            Ok("cuda") => Rc::new(Cuda::open(0, Some(&texts())).expect("a GPU")),
            _ => Rc::new(Emulated::new(&texts(), seed + domain.comm().rank() as u64)),
        };
        let options = DeviceOptions {
            threads: Some(64),
            directory: None,
            direct_messages: split.direct,
            placement: split.placement,
        };
        cfd_device::use_device(domain, device, options).expect("the device offers what the test asks for");
    }
}

/// This rank's part of a mesh whose `primary` is partitioned.
pub fn layout_by(comm: &Comm, mesh: Mesh, split: &Split, primary: &Primary) -> Layout {
    let method: Method = split.method.parse().expect("a partitioner's name");
    let options = Options { method, seed: split.seed, ..Options::default() };
    cfd_partition::layout(comm, mesh, primary, &options, split.order).expect("a sound mesh")
}

/// Where compiled code is kept from test to test.
pub fn texts() -> PathBuf {
    match std::env::var_os("CFD_TEST_TEXTS") {
        // The program may have been carried to a machine without the folder that it was built in.
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("device-texts"),
    }
}

/// The values of a dat in global order, from what each simulated rank owns.
pub fn in_global_order<const D: usize>(parts: Vec<(Vec<u64>, Vec<f64>)>) -> Vec<[f64; D]> {
    let mut rows: Vec<(u64, [f64; D])> = Vec::new();
    for (ids, values) in &parts {
        for (&id, row) in ids.iter().zip(values.chunks_exact(D)) {
            rows.push((id, row.try_into().expect("a row")));
        }
    }
    rows.sort_by_key(|(id, _)| *id);
    assert!(rows.iter().enumerate().all(|(i, (id, _))| *id == i as u64), "every element has one owner");
    rows.into_iter().map(|(_, row)| row).collect()
}
