//! Energy counters of NVIDIA GPUs, through the driver's management library (NVML), which is looked up when a run uses a
//! GPU: without it, nothing is counted.

#[cfg(feature = "cuda")]
use nvml_wrapper::Nvml;

/// Energy counters of GPUs.
pub(super) trait Counters {
    /// The energy a GPU has used since its driver was loaded, in millijoules; `None` if it does not count.
    fn millijoules(&self, gpu: &str) -> Option<u64>;
}

#[cfg(feature = "cuda")]
impl Counters for Nvml {
    fn millijoules(&self, gpu: &str) -> Option<u64> {
        // By its identifier: CUDA's numbers differ, because CUDA may see only some GPUs, in another order.
        self.device_by_uuid(gpu).ok()?.total_energy_consumption().ok()
    }
}

/// NVIDIA's library, initialised; `None` in a program without GPUs, or if it is missing or refuses. The name that
/// drivers install comes first, the name in development packages next.
#[cfg(feature = "cuda")]
pub(super) fn nvml() -> Option<Box<dyn Counters>> {
    let names = ["libnvidia-ml.so.1", "libnvidia-ml.so"];
    let started = names.iter().find_map(|name| Nvml::builder().lib_path(name.as_ref()).init().ok());
    started.map(|library| Box::new(library) as Box<dyn Counters>)
}

#[cfg(not(feature = "cuda"))]
pub(super) fn nvml() -> Option<Box<dyn Counters>> {
    None
}

/// The counter of one GPU.
pub(super) struct GpuMeter {
    source: Box<dyn Counters>,
    gpu: String,
    start: u64,
}

impl GpuMeter {
    /// Begins to count; `None` if the GPU has no readable counter.
    pub(super) fn start(source: Box<dyn Counters>, gpu: &str) -> Option<GpuMeter> {
        let start = source.millijoules(gpu)?;
        Some(GpuMeter { source, gpu: gpu.into(), start })
    }

    /// Millijoules since its creation. `None` if the counter is gone or was reset: at 64 bits it never overflows in
    /// practice, so a smaller value means that the driver was reloaded.
    pub(super) fn used(&self) -> Option<u64> {
        self.source.millijoules(&self.gpu)?.checked_sub(self.start)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Values of a counter, one per reading; `None` if it cannot be read.
    struct Readings(RefCell<Vec<Option<u64>>>);

    impl Counters for Readings {
        fn millijoules(&self, gpu: &str) -> Option<u64> {
            assert_eq!(gpu, "GPU-a");
            self.0.borrow_mut().remove(0)
        }
    }

    fn used(readings: &[Option<u64>]) -> Option<u64> {
        let source = Box::new(Readings(RefCell::new(readings.to_vec())));
        GpuMeter::start(source, "GPU-a")?.used()
    }

    #[test]
    fn energy_is_the_growth_of_the_counter_also_near_the_end_of_its_range() {
        assert_eq!(used(&[Some(7), Some(12)]), Some(5));
        assert_eq!(used(&[Some(u64::MAX - 3), Some(u64::MAX)]), Some(3));
    }

    #[test]
    fn a_counter_that_has_begun_anew_or_is_gone_counts_nothing() {
        assert_eq!(used(&[Some(1000), Some(10)]), None);
        assert_eq!(used(&[Some(1000), None]), None);
        assert_eq!(used(&[None]), None);
    }

    #[test]
    fn where_there_is_no_library_of_nvidia_nothing_fails() {
        // If there is one, it does not know this GPU.
        assert!(nvml().is_none_or(|library| library.millijoules("GPU-of-nobody").is_none()));
    }
}
