//! Memory of this process and what is left on the machine, if the system tells (Linux).

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

use crate::exit::Code;

/// Current resident memory, in bytes.
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

/// A field of such a file, in kibibytes.
fn parse(status: &str, field: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(1024 * value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}

/// Memory that may still be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// By all processes of the machine, or of their control group.
    pub machine: u64,
    /// By this process: its limit on addresses (`ulimit -v`).
    pub process: u64,
}

/// Memory that may still be allocated; the largest number if the system does not tell.
pub fn room() -> Room {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let free = read("/proc/meminfo").and_then(|text| parse(&text, "MemAvailable:"));
    let machine = free.into_iter().chain(group_room(&read)).min().unwrap_or(u64::MAX);
    let taken = status("VmSize:").unwrap_or(0);
    let process = address_limit().map_or(u64::MAX, |limit| limit.saturating_sub(taken));
    Room { machine, process }
}

/// What this process's control groups leave it, from the files of either version. File pages do not count as used: the
/// system reclaims them.
fn group_room(read: &impl Fn(&str) -> Option<String>) -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let number = |path: String| read(&path)?.trim().parse::<u64>().ok();
    let cached = |folder: &str, field: &str| {
        let text = read(&format!("{folder}/memory.stat"))?;
        text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(' ')?.parse::<u64>().ok())
    };
    let left = |folder: String, limit: &str, usage: &str, file: &str| {
        let limit = number(format!("{folder}/{limit}"))?;
        let used = number(format!("{folder}/{usage}"))?.saturating_sub(cached(&folder, file).unwrap_or(0));
        Some(limit.saturating_sub(used))
    };
    let mut rooms = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        // The limits of all parent groups apply, too.
        for (at, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let path = &path[..at];
            if controllers.is_empty() {
                rooms.extend(left(format!("/sys/fs/cgroup{path}"), "memory.max", "memory.current", "file"));
            } else if controllers.split(',').any(|controller| controller == "memory") {
                let folder = format!("/sys/fs/cgroup/memory{path}");
                rooms.extend(left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"));
            }
        }
    }
    rooms.into_iter().min()
}

/// This process's limit on its address space, if any.
#[cfg(unix)]
fn address_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills in the given structure.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

#[cfg(not(unix))]
fn address_limit() -> Option<u64> {
    None
}

/// The allocator of the program: the system's, but a refusal ends the process with one line and exit code 1.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: all calls are forwarded unchanged; a refusal never returns.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds this call's contract.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        granted(unsafe { System.realloc(pointer, layout, size) }, size)
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The memory, or else the end of the process; the launcher ends the other ranks.
#[inline]
fn granted(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        refuse(bytes)
    }
    pointer
}

/// Nothing here allocates, and no exit handlers run.
#[cold]
fn refuse(bytes: usize) -> ! {
    let mut line = [0u8; 160];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "error: not enough memory: {bytes} more bytes were refused; use more machines or a smaller mesh"
    );
    let length = 160 - rest.len();
    // SAFETY: the bytes are the array's; both calls are allowed anywhere.
    unsafe {
        libc::write(2, line.as_ptr().cast(), length);
        libc::_exit(Code::Failure as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts_and_cached_files_do_not() {
        let files = |path: &str| {
            let text = match path {
                "/proc/self/cgroup" => "0::/job/step",
                "/sys/fs/cgroup/job/memory.max" => "1000",
                "/sys/fs/cgroup/job/memory.current" => "700",
                "/sys/fs/cgroup/job/memory.stat" => "anon 500\nfile 200\nfile_mapped 5\n",
                "/sys/fs/cgroup/job/step/memory.max" => "max",
                "/sys/fs/cgroup/job/step/memory.current" => "700",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(group_room(&files), Some(500));
        let old = |path: &str| {
            let text = match path {
                "/proc/self/cgroup" => "3:cpu:/x\n2:memory:/job",
                "/sys/fs/cgroup/memory/job/memory.limit_in_bytes" => "90",
                "/sys/fs/cgroup/memory/job/memory.usage_in_bytes" => "100",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(group_room(&old), Some(0));
        assert_eq!(group_room(&|_: &str| None), None);
        assert!(room().machine > 1 << 20);
    }

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
