//! Counters of processors and their memory that Linux shows (`/sys/class/powercap`, RAPL).

use std::path::{Path, PathBuf};

/// One counter, in microjoules, which wraps to 0 at the end of its range.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    file: PathBuf,
    /// Whether it counts memory, not a package.
    pub(super) of_memory: bool,
    range: u64,
    start: u64,
}

impl Counter {
    /// Microjoules since its creation; `None` if the counter is gone.
    pub(super) fn used(&self) -> Option<u64> {
        let now = number(&self.file)?;
        // At most one wrap: a counter's range lasts minutes at full power, hours on newer processors.
        Some(if now >= self.start { now - self.start } else { now + (self.range - self.start) })
    }
}

fn number(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The counters of packages (`intel-rapl:0`; the driver has this name on all makes) and of their memory
/// (`intel-rapl:0:1` named dram). Cores alone are part of a package and not counted again.
pub(super) fn counters(root: &Path) -> Vec<Counter> {
    let mut counters = Vec::new();
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let zone = std::fs::read_to_string(path.join("name")).unwrap_or_default();
        let of_memory = zone.trim() == "dram";
        // The same package may be shown a second time by another interface (intel-rapl-mmio).
        if !name.starts_with("intel-rapl:") || !(of_memory || zone.starts_with("package")) {
            continue;
        }
        let file = path.join("energy_uj");
        if let (Some(start), Some(range)) = (number(&file), number(&path.join("max_energy_range_uj"))) {
            counters.push(Counter { file, of_memory, range, start });
        }
    }
    counters
}
