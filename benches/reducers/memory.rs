//! Resident memory of each variant, in a process of its own: what the others have left behind does not count.

use std::process::Command;

use crate::Options;
use crate::case::Case;
use crate::measure::{self, Row};

/// Runs a variant once; the most memory that this process has had, in bytes, beyond what it had with the case alone.
pub fn of_variant<C: Case>(case: &C, options: &Options, variant: usize) -> u64 {
    let before = resident("VmRSS");
    measure::run_once(case, options, variant);
    resident("VmHWM").saturating_sub(before)
}

/// Asks a process for each variant of a case.
pub fn of_all(case: usize, rows: &mut [Row]) {
    let program = std::env::current_exe().expect("a program knows its file");
    for (variant, row) in rows.iter_mut().enumerate() {
        let ended = Command::new(&program)
            .args(std::env::args_os().skip(1))
            .args(["--one", &case.to_string(), &variant.to_string()])
            .output()
            .expect("a program can start itself");
        let said = String::from_utf8_lossy(&ended.stdout);
        row.resident = said.trim().parse().ok();
        assert!(
            row.resident.is_some(),
            "variant {variant}: {said}{}",
            String::from_utf8_lossy(&ended.stderr)
        );
    }
}

/// A number of this process that Linux keeps, in bytes; 0 elsewhere.
fn resident(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    1024 * kilobytes.unwrap_or(0)
}
