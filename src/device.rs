//! The device that a run's configuration asks for.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use cfd_device::{Device, DeviceError, DeviceOptions, Emulated, Placement};
use cfd_engine::comm::{Comm, GpuMessages};
use cfd_engine::domain::Domain;

use crate::config::{Backend, DeviceLayout, GpuAwareMpi, Run};
use crate::console::Console;
use crate::machine;

pub use self::gpu::{compiler, gpus};

/// Gives a domain its device, if the loops are not to run on the processor; the identifier of the GPU, if it is one.
/// Collective.
///
/// Kernels compiled for a GPU that cannot be kept cost the time to compile them again, and a warning.
///
/// # Errors
/// The device cannot be used, or does not offer what the configuration asks for.
pub fn use_device(
    comm: &Comm,
    run: &Run,
    domain: &mut Domain,
    console: Console,
) -> Result<Option<String>, DeviceError> {
    if run.execution.backend == Backend::Cpu {
        return Ok(None);
    }
    let local_rank = local_rank(comm);
    let direct_messages = direct_messages(comm, run)?;
    let directory = kernel_directory(run);
    let (device, gpu): (Rc<dyn Device>, _) = match run.execution.backend {
        Backend::Cpu => return Ok(None),
        Backend::Cuda => {
            if comm.is_root() {
                warn_if_not_kept(&directory, console);
            }
            gpu::open(local_rank, &directory)?
        }
        Backend::Emulated => (Rc::new(Emulated::new(&directory, comm.rank() as u64)), None),
    };
    let threads = usize::try_from(run.execution.device_threads).ok().filter(|&threads| threads > 0);
    let placement = match run.execution.device_layout {
        DeviceLayout::Auto => Placement::ByUse,
        DeviceLayout::Rows => Placement::Rows,
        DeviceLayout::Columns => Placement::Columns,
    };
    cfd_device::use_device(
        domain,
        device,
        DeviceOptions { threads, directory: Some(directory), direct_messages, placement },
    )?;
    Ok(gpu)
}

/// Whether halo messages are sent from and received into a device's memory.
fn direct_messages(comm: &Comm, run: &Run) -> Result<bool, DeviceError> {
    // The emulated device's memory is the host's.
    let reached = run.execution.backend == Backend::Emulated;
    match (run.execution.gpu_aware_mpi, comm.gpu_messages()) {
        (GpuAwareMpi::Off, _) => Ok(false),
        (GpuAwareMpi::Auto, answer) => Ok(answer == GpuMessages::Possible),
        (GpuAwareMpi::On, GpuMessages::Impossible) if !reached => Err(DeviceError::Unsupported {
            asked: "execution.gpu_aware_mpi = \"on\"".into(),
            available: "\"auto\" and \"off\": the MPI library says that it cannot reach a GPU's memory"
                .into(),
        }),
        (GpuAwareMpi::On, _) => Ok(true),
    }
}

/// The way of a run's halo messages.
///
/// # Errors
/// As [`use_device`].
pub fn messages(comm: &Comm, run: &Run) -> Result<&'static str, DeviceError> {
    Ok(if direct_messages(comm, run)? { "from memory to memory of the devices" } else { "over the host" })
}

/// What the MPI library says about messages in a GPU's memory.
pub fn gpu_messages(comm: &Comm) -> &'static str {
    if comm.size() == 1 {
        return "none: one rank";
    }
    match comm.gpu_messages() {
        GpuMessages::Possible => "from GPU memory to GPU memory",
        GpuMessages::Impossible => "over the host's memory: the MPI library cannot reach a GPU's",
        GpuMessages::Unknown => {
            "over the host's memory: the MPI library does not say whether it reaches a GPU's"
        }
    }
}

/// Warns when compiled kernels cannot be written to their folder.
fn warn_if_not_kept(directory: &Path, console: Console) {
    let probe = directory.join(format!("probe-{}", std::process::id()));
    let written = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&probe, "kernels"));
    if let Err(error) = written.and_then(|()| std::fs::remove_file(&probe)) {
        let folder = directory.display();
        console.warn(format_args!(
            "{folder}: compiled kernels cannot be kept here, and every run compiles them again: {error}; set \
             execution.kernel_cache to a folder that can be written to"
        ));
    }
}

/// Where compiled kernels are kept.
fn kernel_directory(run: &Run) -> PathBuf {
    run.execution.kernel_cache.clone().unwrap_or_else(|| run.output.directory.join("kernels"))
}

/// Number of this rank among those of its machine. Collective.
fn local_rank(comm: &Comm) -> usize {
    let name = machine::host();
    let names = comm.all_gather(name.as_bytes());
    names[..comm.rank()].iter().filter(|other| other.as_slice() == name.as_bytes()).count()
}

/// NVIDIA's GPUs.
#[cfg(feature = "cuda")]
mod gpu {
    use std::path::Path;
    use std::rc::Rc;

    use cfd_device::{Cuda, Device, DeviceError};

    /// The GPU of a rank, and its identifier.
    pub fn open(local_rank: usize, kernels: &Path) -> Result<(Rc<dyn Device>, Option<String>), DeviceError> {
        let cuda = Cuda::open(local_rank, Some(kernels))?;
        let gpu = cuda.uuid();
        Ok((Rc::new(cuda), gpu))
    }

    /// The version of the compiler of kernels, or that there is none.
    pub fn compiler() -> String {
        match cfd_device::nvrtc::version() {
            Ok((major, minor)) => format!("{major}.{minor}"),
            Err(error) => format!("none: {error}"),
        }
    }

    /// The GPUs of this machine, a line each, or why there are none.
    pub fn gpus() -> Vec<String> {
        match cfd_device::gpus() {
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
}

/// A program that knows no GPUs.
#[cfg(not(feature = "cuda"))]
mod gpu {
    use std::path::Path;
    use std::rc::Rc;

    use cfd_device::{Device, DeviceError};

    /// There is none.
    pub fn open(
        _local_rank: usize,
        _kernels: &Path,
    ) -> Result<(Rc<dyn Device>, Option<String>), DeviceError> {
        Err(DeviceError::NotBuilt)
    }

    /// That there is no compiler of kernels.
    pub fn compiler() -> String {
        format!("none: {}", DeviceError::NotBuilt)
    }

    /// Why there are no GPUs.
    pub fn gpus() -> Vec<String> {
        vec![format!("none: {}", DeviceError::NotBuilt)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_one_machine_are_numbered_from_0() {
        assert_eq!(Comm::simulate(3, |comm| local_rank(&comm)), [0, 1, 2]);
    }
}
