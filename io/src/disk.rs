//! Why a file could not be written, in the system's words.
//!
//! The HDF5 library has the system's words only when it writes by itself, deep inside its own message. Of a failed
//! MPI-IO write it knows nothing more. So a plain write to the same file asks the file system again for its reason, and
//! how much room it has.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Bytes of one plain write.
const PIECE: usize = 1 << 20;
/// Maximum bytes to try: a failed write leaves less room than that on the disk.
const MOST: u64 = 64 << 20;

/// Why `bytes` bytes could not be written to the temporary file `beside`, which is no longer needed: `error`, with the
/// system's reason before it.
pub(crate) fn reason(beside: &Path, bytes: u64, error: impl Display) -> String {
    // Before the test uses up the rest.
    let free = free_bytes(beside);
    match append(beside, bytes) {
        Ok(()) => error.to_string(),
        Err(refused) => {
            let is_full = refused.kind() == io::ErrorKind::StorageFull;
            let free = free.filter(|_| is_full).map_or(String::new(), |free| format!(", {}", in_words(free)));
            format!("{refused}{free} ({error})")
        }
    }
}

/// Appends as many bytes to a file as were to be written: they meet the same limits of the disk, the user or the
/// process.
fn append(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = File::options().append(true).open(path)?;
    let zeros = vec![0; PIECE];
    let mut left = bytes.clamp(1, MOST);
    while left > 0 {
        // Less than a piece fits into a number of any machine.
        let next = left.min(PIECE as u64) as usize;
        file.write_all(&zeros[..next])?;
        left -= next as u64;
    }
    file.sync_all()
}

fn in_words(free: u64) -> String {
    match free {
        0..10_000 => format!("{free} bytes free there"),
        10_000..10_000_000 => format!("{} kB free there", free / 1000),
        _ => format!("{} MB free there", free / 1_000_000),
    }
}

/// The room left for this user on a file's file system, if it tells.
#[cfg(target_os = "linux")]
fn free_bytes(path: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;

    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends with a zero byte; if the call returns 0, it has filled in the structure, which is read only
    // then.
    let found = unsafe {
        if libc::statvfs(path.as_ptr(), found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(target_os = "linux"))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_reason_comes_before_what_the_library_says() {
        let text = reason(Path::new("no/such/file"), 1, "can't write data");
        assert!(text.starts_with("No such file or directory (os error 2)"), "{text}");
        assert!(text.ends_with(" (can't write data)"), "{text}");
        // Nothing fits into this device, whatever its file system has left.
        let full = Path::new("/dev/full");
        if full.exists() {
            let text = reason(full, 10 << 20, "can't write data");
            assert!(text.starts_with("No space left on device (os error 28)"), "{text}");
            assert!(text.contains(" free there (can't write data)"), "{text}");
        }
    }

    #[test]
    fn without_a_reason_of_the_system_the_library_s_stands_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.part");
        std::fs::write(&path, "begun").unwrap();
        assert_eq!(reason(&path, 3, "can't write data"), "can't write data");
    }

    #[test]
    fn free_room_is_told_in_a_unit_that_can_be_read() {
        assert_eq!(in_words(0), "0 bytes free there");
        assert_eq!(in_words(12_345), "12 kB free there");
        assert_eq!(in_words(3_200_000_000), "3200 MB free there");
        if cfg!(target_os = "linux") {
            assert!(free_bytes(Path::new(".")).is_some_and(|free| free > 0));
        }
    }
}
