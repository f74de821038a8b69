//! The devices that a run's configuration requests.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use cfd_device::{Device, DeviceError, DeviceOptions, Emulated, Placement};
use cfd_engine::comm::{Comm, GpuMessages};
use cfd_engine::domain::{Domain, DomainOptions};

pub use self::gpu::{compiler, gpus};
use crate::config::{Backend, DeviceLayout, GpuAwareMpi, Run};
use crate::console::Console;
use crate::machine;
use crate::new_directories::NewDirectories;

/// What runs the loops of every rank.
pub struct Backends {
    /// The name of each rank's.
    by_rank: Vec<&'static str>,
    /// Halo messages go directly between devices' memories.
    direct_messages: bool,
    /// The identifier of this rank's GPU.
    pub gpu: Option<String>,
    own: Own,
}

/// What runs this rank's loops.
enum Own {
    /// What a domain's options say: no rank has a device.
    Usual,
    /// The processor, next to ranks with devices.
    Processor,
    Device(Rc<dyn Device>, DeviceOptions),
}

impl Backends {
    /// Has the loops of this rank's domain run on its own.
    ///
    /// # Errors
    /// The device fails, or does not offer what the domain's options ask for.
    pub fn run_loops_of(&self, domain: &mut Domain) -> Result<(), DeviceError> {
        match &self.own {
            Own::Usual => Ok(()),
            Own::Processor => {
                domain.use_processor();
                Ok(())
            }
            Own::Device(device, options) => cfd_device::use_device(domain, device.clone(), options.clone()),
        }
    }

    /// The name for all: "mixed" if they differ.
    pub fn word(&self) -> &'static str {
        if self.by_rank.iter().all(|word| *word == self.by_rank[0]) { self.by_rank[0] } else { MIXED }
    }

    /// Every rank's, if they differ.
    pub fn listed(&self) -> Option<Vec<&'static str>> {
        (self.word() == MIXED).then(|| self.by_rank.clone())
    }

    /// The route of a run's halo messages.
    pub fn messages(&self) -> &'static str {
        if self.direct_messages { "from device memory to device memory" } else { "through the host" }
    }

    /// Some rank has a GPU.
    pub fn have_gpus(&self) -> bool {
        self.by_rank.contains(&Backend::Cuda.word())
    }

    /// How many ranks have a device.
    pub fn devices(&self) -> usize {
        self.by_rank.iter().filter(|word| **word != Backend::Cpu.word()).count()
    }
}

/// The backends of ranks that have different ones.
const MIXED: &str = "mixed";

/// For tests of `auto`: the ranks that have the emulated device, `0,2`.
const EMULATED_RANKS: &str = "CFD_TEST_EMULATED_RANKS";

/// What this rank gets.
#[derive(Clone, Copy)]
enum Choice {
    Processor,
    Emulated,
    /// The GPU of this number, modulo the number of GPUs.
    Gpu(usize),
}

/// Opens the devices of all ranks, for domains with these options. Collective.
///
/// If kernels compiled for a GPU cannot be kept, there is a warning, and every run compiles them again.
///
/// # Errors
/// The device cannot be used, or does not offer what the configuration asks for.
pub fn open(
    comm: &Comm,
    run: &Run,
    options: &DomainOptions,
    console: Console,
) -> Result<Backends, DeviceError> {
    let choice = match run.execution.backend {
        Backend::Cpu => Choice::Processor,
        Backend::Cuda => Choice::Gpu(local_rank(comm)),
        Backend::Emulated => Choice::Emulated,
        Backend::Auto if !run.case.facts().devices => Choice::Processor,
        Backend::Auto => choose(comm, options, console),
    };
    let word = match choice {
        Choice::Processor => Backend::Cpu,
        Choice::Emulated => Backend::Emulated,
        Choice::Gpu(_) => Backend::Cuda,
    };
    let words = comm.all_gather(&[word as u64]).concat();
    let all = [Backend::Cpu, Backend::Cuda, Backend::Emulated];
    let of =
        |word: u64| all.into_iter().find(|backend| *backend as u64 == word).expect("one of these").word();
    let by_rank = words.into_iter().map(of).collect();
    let mut backends = Backends { by_rank, direct_messages: false, gpu: None, own: Own::Usual };
    if backends.devices() == 0 {
        return Ok(backends);
    }
    if backends.word() == MIXED && run.execution.chain {
        console.warn(format_args!(
            "chains of loops are off: some ranks have a device, and devices run loops one by one"
        ));
    }
    // Ranks without a device cannot exchange messages in device memory.
    backends.direct_messages = backends.word() != MIXED && direct_messages(comm, run)?;
    let directory = kernel_directory(run);
    let device: Rc<dyn Device> = match choice {
        Choice::Processor => {
            backends.own = Own::Processor;
            return Ok(backends);
        }
        Choice::Emulated => Rc::new(Emulated::new(&directory, comm.rank() as u64)),
        Choice::Gpu(number) => {
            if comm.is_root() {
                warn_if_not_kept(&directory, console);
            }
            let (device, gpu) = gpu::open(number, &directory)?;
            backends.gpu = gpu;
            device
        }
    };
    let threads = usize::try_from(run.execution.device_threads).ok().filter(|&threads| threads > 0);
    let placement = match run.execution.device_layout {
        DeviceLayout::Auto => Placement::ByUse,
        DeviceLayout::Rows => Placement::Rows,
        DeviceLayout::Columns => Placement::Columns,
    };
    let direct_messages = backends.direct_messages;
    let options = DeviceOptions { threads, directory: Some(directory), direct_messages, placement };
    backends.own = Own::Device(device, options);
    Ok(backends)
}

/// GPUs for as many ranks of a machine as it has GPUs, by their identifiers: a rank may see only its own. Collective.
fn choose(comm: &Comm, options: &DomainOptions, console: Console) -> Choice {
    if let Err(error) = cfd_device::offers(options) {
        console.warn(format_args!("all ranks run on processors: {error}"));
        return Choice::Processor;
    }
    if let Ok(ranks) = std::env::var(EMULATED_RANKS) {
        let own = comm.rank().to_string();
        return if ranks.split(',').any(|rank| rank == own) { Choice::Emulated } else { Choice::Processor };
    }
    let seen = gpu::seen();
    let text = [machine::host()].into_iter().chain(seen).collect::<Vec<_>>().join("\n");
    let ranks = comm.all_gather(text.as_bytes());
    let ranks: Vec<Vec<&str>> = ranks
        .iter()
        .map(|rank| std::str::from_utf8(rank).unwrap_or_default().split('\n').collect())
        .collect();
    assign(&ranks)[comm.rank()].map_or(Choice::Processor, Choice::Gpu)
}

/// The GPU that each rank gets, by its number among those that the rank sees: the first that no earlier rank of the
/// machine has. For every rank, its machine, then its GPUs.
fn assign(ranks: &[Vec<&str>]) -> Vec<Option<usize>> {
    let mut taken: Vec<[&str; 2]> = Vec::new();
    let mut numbers = Vec::new();
    for rank in ranks {
        let (machine, gpus) = rank.split_first().expect("a rank has a machine");
        let free = gpus.iter().position(|gpu| !taken.contains(&[machine, gpu]));
        taken.extend(free.map(|number| [*machine, gpus[number]]));
        numbers.push(free);
    }
    numbers
}

/// Whether halo messages go directly between devices' memories.
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

/// What the MPI library says about messages in a GPU's memory.
pub fn gpu_messages(comm: &Comm) -> &'static str {
    if comm.size() == 1 {
        return "none: one rank";
    }
    match comm.gpu_messages() {
        GpuMessages::Possible => "from GPU memory to GPU memory",
        GpuMessages::Impossible => "through the host's memory: the MPI library cannot reach a GPU's",
        GpuMessages::Unknown => {
            "through the host's memory: the MPI library does not say whether it reaches a GPU's"
        }
    }
}

/// Warns if compiled kernels cannot be written to their directory.
fn warn_if_not_kept(directory: &Path, console: Console) {
    let probe = directory.join(format!("probe-{}", std::process::id()));
    // Without kernels it does not stay.
    let tried = NewDirectories::make(directory).and_then(|_made| {
        std::fs::write(&probe, "kernels")?;
        std::fs::remove_file(&probe)
    });
    if let Err(error) = tried {
        let folder = directory.display();
        console.warn(format_args!(
            "{folder}: compiled kernels cannot be kept here, so every run compiles them again: {error}; set \
             execution.kernel_cache to a writable directory"
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

    /// The identifiers of the GPUs that this process sees, in their order.
    pub fn seen() -> Vec<String> {
        let (_, gpus) = cfd_device::gpus().unwrap_or_default();
        let numbered = gpus.into_iter().enumerate();
        numbered.map(|(number, gpu)| gpu.uuid.unwrap_or_else(|| format!("{} {number}", gpu.name))).collect()
    }

    /// The version of the kernel compiler, or that there is none.
    pub fn compiler() -> String {
        match cfd_device::nvrtc::version() {
            Ok((major, minor)) => format!("{major}.{minor}"),
            Err(error) => format!("none: {error}"),
        }
    }

    /// The GPUs of this machine, one per line, or why there are none.
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

/// A program built without GPUs.
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

    /// None.
    pub fn seen() -> Vec<String> {
        Vec::new()
    }

    /// Says that there is no kernel compiler.
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
    fn every_gpu_goes_to_one_rank_of_its_machine() {
        // Machine a has two GPUs that all its ranks see; b's ranks see one each of three; c has none.
        let ranks = [
            vec!["a", "GPU-1", "GPU-2"],
            vec!["b", "GPU-3"],
            vec!["a", "GPU-1", "GPU-2"],
            vec!["a", "GPU-1", "GPU-2"],
            vec!["b", "GPU-4"],
            vec!["b", "GPU-3"],
            vec!["c"],
        ];
        assert_eq!(assign(&ranks), [Some(0), Some(0), Some(1), None, Some(0), None, None]);
    }

    #[test]
    fn ranks_of_one_machine_are_numbered_from_0() {
        assert_eq!(Comm::simulate(3, |comm| local_rank(&comm)), [0, 1, 2]);
    }
}
