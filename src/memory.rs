//! Memory of this process, where the system tells (Linux).

/// Resident memory now, in bytes.
pub fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// The largest resident memory so far, in bytes.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(field: &str) -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?, field)
}

/// A field of `/proc/self/status`, which counts in kibibytes.
fn parse(status: &str, field: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(1024 * value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        let status = "Name:\tcfd\nVmHWM:\t   2048 kB\nVmRSS:\t    512 kB\n";
        assert_eq!(parse(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(parse(status, "VmRSS:"), Some(512 << 10));
        assert_eq!(parse(status, "VmSwap:"), None);
        if cfg!(target_os = "linux") {
            assert!(peak().unwrap() >= resident().unwrap() / 2 && resident().unwrap() > 0);
        }
    }
}
