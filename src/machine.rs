//! The machine that this process runs on.

/// Its name, for people.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "an unknown host".into() } else { name.into() }
}

/// What no other machine has, not even this one after its next start.
pub fn identity() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!("{} {}", host(), boot.trim())
}
