//! The machine that this process runs on.

/// Its host name, for people.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "an unknown host".into() } else { name.into() }
}

/// An identity that no other machine has, not even this one after a reboot.
pub fn identity() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!("{} {}", host(), boot.trim())
}

/// The name of its processor, for people, or its architecture if the system has no name for it.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.trim_start().strip_prefix(':'));
    let words: Vec<&str> = model.unwrap_or_default().split_whitespace().collect();
    if words.is_empty() { std::env::consts::ARCH.into() } else { words.join(" ") }
}
