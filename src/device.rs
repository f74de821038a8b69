//! The device that a run's configuration asks for.

use std::path::PathBuf;
use std::rc::Rc;

use cfd_engine::comm::Comm;
use cfd_engine::device::{Cuda, Device, DeviceError, DeviceOptions, Emulated};
use cfd_engine::domain::Domain;

use crate::config::{Backend, Run};

/// Gives a domain its device, if the loops are not to run on the processor. Collective.
///
/// # Errors
/// The device cannot be used, or does not offer what the configuration asks for.
pub fn use_device(comm: &Comm, run: &Run, domain: &mut Domain) -> Result<(), DeviceError> {
    let directory = kernel_directory(run);
    let device: Rc<dyn Device> = match run.execution.backend {
        Backend::Cpu => return Ok(()),
        Backend::Cuda => Rc::new(Cuda::open(local_rank(comm), Some(&directory))?),
        Backend::Emulated => Rc::new(Emulated::new(&directory, comm.rank() as u64)),
    };
    let threads = usize::try_from(run.execution.device_threads).ok().filter(|&threads| threads > 0);
    domain.use_device(device, DeviceOptions { threads, directory: Some(directory) })
}

/// Where compiled kernels are kept.
fn kernel_directory(run: &Run) -> PathBuf {
    run.execution.kernel_cache.clone().unwrap_or_else(|| run.output.directory.join("kernels"))
}

/// Number of this rank among those of its machine. Collective.
fn local_rank(comm: &Comm) -> usize {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let names = comm.all_gather(name.as_bytes());
    names[..comm.rank()].iter().filter(|other| other.as_slice() == name.as_bytes()).count()
}

/// The GPUs of this machine, a line each, or why there are none.
pub fn gpus() -> Vec<String> {
    match cfd_engine::device::gpus() {
        Ok((driver, gpus)) => gpus
            .iter()
            .map(|gpu| {
                let (major, minor) = (gpu.architecture / 10, gpu.architecture % 10);
                let memory = gpu.memory >> 30;
                let processors = gpu.processors;
                format!(
                    "{}, {memory} GiB, {processors} multiprocessors of architecture {major}.{minor}, driver for CUDA {driver}",
                    gpu.name
                )
            })
            .collect(),
        Err(error) => vec![format!("none: {error}")],
    }
}
