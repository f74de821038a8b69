//! A file is first read by a child process.
//!
//! The HDF5 library trusts what it finds: one wrong bit in a heap, in a tree or in the description of a large attribute
//! makes it loop, crash or ask for all memory, where its older formats have no checksum. So before a process opens a
//! file, a child of it does with the file what readers do, within limits on its processor time and memory. What ends the
//! child is an error about the file.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::{Duration, SystemTime};

use hdf5::types::FixedAscii;
use hdf5::{File, Group, Location, LocationType};

use super::{Hdf5File, Numbers};

/// Processor time of a trial: of any file, and for each further 4 MiB.
const SECONDS: u64 = 2;
const BYTES_A_SECOND: u64 = 4 << 20;
/// Memory that a trial may take beyond what this process has.
const MOST_MEMORY: u64 = 1 << 30;
/// A child that does not end for this long is kept from working, by other work or by a lock of this process, and says
/// nothing about the file.
const PATIENCE_MS: i32 = 60_000;
/// Seconds after which a child that has not begun is replaced by another, and the number of children.
const LONGEST_BEGINNING: u32 = 1;
const BEGINNINGS: u32 = 20;
/// No signal: the child ended itself.
const CRASHED: i32 = 0;
/// A file that has changed within this time may change again without a new timestamp.
const FRESH: Duration = Duration::from_millis(50);
/// Maximum nesting of groups.
const DEEPEST: usize = 20;
/// Chunks are read up to this size of a dataset in the file; of larger ones, the first and the last.
const MOST_CHUNKS: u64 = 16 << 20;
/// Rows read at once.
const ROWS: u64 = 1 << 16;

/// What tells a file from others, and from itself after a change.
type Identity = (u64, u64, u64, i64, i64);

/// Files that have passed.
static PASSED: Mutex<Option<BTreeSet<Identity>>> = Mutex::new(None);

/// The bindings are ready for a child.
static READY: Once = Once::new();

/// A file in memory that has what readers look at.
fn example() -> hdf5::Result<Hdf5File> {
    let file = File::with_options().with_fapl(|access| access.core_filebacked(false)).create("example")?;
    let group = file.create_group("group")?;
    group.new_dataset::<f64>().chunk([1]).deflate(1).shape([1]).create("numbers")?.write_raw(&[1.0])?;
    group.new_dataset::<i32>().shape([1, 1]).create("integers")?.write_raw(&[1])?;
    file.new_attr::<u8>().shape([1]).create("bytes")?.write_raw(&[1])?;
    file.new_attr::<i32>().shape(()).create("integer")?.write_scalar(&1)?;
    file.new_attr::<FixedAscii<4>>().shape(()).create("text")?.write_scalar(&FixedAscii::<4>::new())?;
    Ok(Hdf5File { file, path: PathBuf::new(), bytes: 1 << 16 })
}

/// Reads a file in a child process, unless it has been read so before.
///
/// # Errors
/// What the library does with it.
pub(super) fn pass(path: &Path, found: &Metadata) -> Result<(), &'static str> {
    let identity = (found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec());
    let passed = || PASSED.lock().expect("nobody panics while holding it");
    if passed().get_or_insert_default().contains(&identity) {
        return Ok(());
    }
    READY.call_once(|| {
        // What the bindings make when it is first used, a child could not wait for while another thread makes it.
        if let Ok(file) = example() {
            file.try_all(&file.file, "", DEEPEST);
        }
    });
    let began = SystemTime::now();
    in_child(found.len(), || {
        if let Ok(file) = File::open(path) {
            let file = Hdf5File { file, path: path.into(), bytes: found.len() };
            file.try_all(&file.file, "", DEEPEST);
        }
    })?;
    let changed = found.modified().unwrap_or(began);
    if began.duration_since(changed).is_ok_and(|age| age > FRESH) {
        passed().get_or_insert_default().insert(identity);
    }
    Ok(())
}

/// Works in a child process, for as long as a file of this many bytes may take.
fn in_child(bytes: u64, work: impl Fn()) -> Result<(), &'static str> {
    // While another thread panics, a child cannot begin.
    for _ in 0..BEGINNINGS {
        match in_one_child(bytes, &work) {
            Some(libc::SIGALRM) => {}
            Some(libc::SIGXCPU | libc::SIGKILL) => return Err("reading it does not come to an end"),
            Some(_) => return Err("reading it crashes the HDF5 library"),
            None => return Ok(()),
        }
    }
    Ok(())
}

/// [`in_child`], once: the signal that ended the child, or [`CRASHED`]; `None` if nothing is known against the file.
fn in_one_child(bytes: u64, work: &impl Fn()) -> Option<i32> {
    let memory = own_memory().map(|own| own + MOST_MEMORY);
    // The child has the other end until it ends. Where there can be no child, the file is read without a trial.
    let (end, childs) = std::io::pipe().ok()?;
    // The library's lock is held by this thread alone, which is the one that the child goes on with.
    let child = hdf5::sync::sync(|| {
        // SAFETY: the C library keeps its heap usable in the child. Of this program's other locks the child needs none;
        // if it waited for one all the same, the parent would end it.
        match unsafe { libc::fork() } {
            0 => {
                limit(SECONDS + bytes / BYTES_A_SECOND, memory);
                work();
                exit(0)
            }
            child => child,
        }
    });
    drop(childs);
    match wait(child, &end)? {
        status if libc::WIFSIGNALED(status) => Some(libc::WTERMSIG(status)),
        status => (libc::WEXITSTATUS(status) != 0).then_some(CRASHED),
    }
}

/// Waits for a child, if there is one; its status, unless that says nothing about the file.
fn wait(child: libc::pid_t, end: &PipeReader) -> Option<i32> {
    if child < 0 {
        return None;
    }
    let mut waited = libc::pollfd { fd: end.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor, which is open.
    let ready = again(|| unsafe { libc::poll(&mut waited, 1, PATIENCE_MS) });
    let mut status = 0;
    if ready == 0 {
        // SAFETY: the child is this process's own and has not been waited for.
        unsafe { libc::kill(child, libc::SIGKILL) };
    }
    // SAFETY: as above; the status has room for what is written.
    let ended = again(|| unsafe { libc::waitpid(child, &mut status, 0) });
    (ended == child && ready != 0).then_some(status)
}

/// Repeats a system call that a signal interrupts.
fn again(mut call: impl FnMut() -> i32) -> i32 {
    loop {
        let result = call();
        if result != -1 || io::Error::last_os_error().kind() != ErrorKind::Interrupted {
            return result;
        }
    }
}

/// Limits what this process, a child, can do to itself and to its parent.
fn limit(seconds: u64, memory: Option<u64>) {
    // Neither messages nor handlers of the parent, which would end all ranks. If another thread of the parent panics just
    // now, it holds a lock on the handler, which nobody gives back in this process: so the alarm ends it.
    // SAFETY: the default of a signal of this process's own.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(LONGEST_BEGINNING);
    }
    std::panic::set_hook(Box::new(|_| exit(1)));
    // SAFETY: takes the alarm back.
    unsafe { libc::alarm(0) };
    // SAFETY: plain system calls on this process's own limits, handlers and descriptors.
    unsafe {
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGFPE, libc::SIGILL, libc::SIGXCPU]
        {
            libc::signal(signal, libc::SIG_DFL);
        }
        let limit = |resource, most| {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            libc::setrlimit(resource, &limit);
        };
        limit(libc::RLIMIT_CORE, 0);
        limit(libc::RLIMIT_CPU, seconds);
        if let Some(memory) = memory {
            limit(libc::RLIMIT_AS, memory);
        }
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(null, libc::STDOUT_FILENO);
        libc::dup2(null, libc::STDERR_FILENO);
    }
}

fn exit(code: i32) -> ! {
    // SAFETY: ends the process without the parent's handlers.
    unsafe { libc::_exit(code) }
}

/// Bytes of this process's address space.
fn own_memory() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').next()?.parse().ok()?;
    // SAFETY: asks for a constant.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}

/// What readers do. Errors are theirs to report.
impl Hdf5File {
    fn try_all(&self, group: &Group, prefix: &str, deepest: usize) {
        self.try_attributes(group);
        for member in group.member_names().unwrap_or_default() {
            let name = format!("{prefix}{member}");
            match group.loc_type_by_name(&member) {
                Ok(LocationType::Dataset) => self.try_dataset(&name),
                Ok(LocationType::Group) if deepest > 0 => {
                    if let Ok(inner) = group.group(&member) {
                        self.try_all(&inner, &format!("{name}/"), deepest - 1);
                    }
                }
                _ => {}
            }
        }
    }

    fn try_attributes(&self, of: &Location) {
        for name in of.attr_names().unwrap_or_default() {
            if let Ok(attribute) = of.attr(&name) {
                let _ = self.text(&name, &attribute);
                let _ = self.integer(&name, &attribute);
                let _ = self.bytes(&name, &attribute);
            }
        }
    }

    fn try_dataset(&self, name: &str) {
        if let Ok(dataset) = self.file.dataset(name) {
            self.try_attributes(&dataset);
        }
        for numbers in [Numbers::Integer, Numbers::Float, Numbers::Text] {
            let Ok(table) = self.table(name, numbers) else { continue };
            if numbers == Numbers::Text {
                let _ = table.texts();
                continue;
            }
            // Any number of rows without values takes no room.
            let rows = if table.shape.contains(&0) { 0 } else { table.shape.first().copied().unwrap_or(0) };
            let is_short = table.is_chunked_up_to(MOST_CHUNKS);
            let step = if is_short { ROWS } else { rows.saturating_sub(1).max(1) };
            for start in (0..rows).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
                let some = start..rows.min(start + if is_short { ROWS } else { 1 });
                let _ = if numbers == Numbers::Integer {
                    table.integers(some).map(drop)
                } else {
                    table.floats(some).map(drop)
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_or_crashes_is_an_error_and_harms_nobody() {
        let file = 1 << 10;
        in_child(file, || ()).unwrap();
        let endless = || while !std::hint::black_box(false) {};
        assert_eq!(in_child(file, endless), Err("reading it does not come to an end"));
        let crashes = Err("reading it crashes the HDF5 library");
        assert_eq!(in_child(file, || std::process::abort()), crashes);
        assert_eq!(in_child(file, || panic!("not printed, and no end of this test")), crashes);
        // A thread that panics does not keep children from beginning for long.
        let panics =
            std::thread::spawn(|| (0..200).for_each(|_| drop(std::panic::catch_unwind(|| panic!("meant")))));
        while !panics.is_finished() {
            assert_eq!(in_child(file, || std::process::abort()), crashes);
        }
        if own_memory().is_some() {
            assert_eq!(in_child(file, || drop(std::hint::black_box(vec![1u8; 1 << 31]))), crashes);
        }
    }

    #[test]
    fn what_readers_look_at_has_no_error() {
        let file = example().unwrap();
        assert_eq!(file.table("group/numbers", Numbers::Float).unwrap().floats(0..1).unwrap(), [1.0]);
        assert_eq!(file.table("group/integers", Numbers::Integer).unwrap().integers(0..1).unwrap(), [1]);
        assert_eq!(file.byte_attribute("bytes").unwrap().unwrap(), [1]);
        assert_eq!(file.integer_attribute("integer").unwrap(), Some(1));
        assert_eq!(file.text_attribute("text").unwrap().as_deref(), Some(""));
    }

    #[test]
    fn a_large_attribute_is_read_as_it_was_written_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let written = [("text".to_string(), "0123456789".repeat(7000))];
        crate::write_fields(&cfd_engine::comm::Comm::single(), &path, &written, &[]).unwrap();
        let good = std::fs::read(&path).unwrap();
        // Before it stands what it is, without a checksum.
        let begin = good.windows(10).position(|bytes| bytes == b"0123456789").unwrap();
        let mut crashes = 0;
        for at in begin - 48..begin {
            for bit in [1, 2, 32, 64] {
                let mut bytes = good.clone();
                bytes[at] ^= bit;
                std::fs::write(&path, bytes).unwrap();
                match Hdf5File::open(&path).and_then(|file| file.byte_attribute("text")) {
                    Ok(Some(bytes)) => assert!(bytes.len() <= good.len(), "byte {at}"),
                    Ok(None) => {}
                    Err(error) => {
                        crashes += usize::from(error.to_string().contains("crashes the HDF5 library"))
                    }
                }
            }
        }
        assert!(crashes > 0, "one of them does");
    }

    #[test]
    fn a_file_that_has_passed_is_not_tried_again_before_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        // However slow the machine is, this is just now.
        let just_now = SystemTime::now() + Duration::from_secs(900);
        let write = |text: &str, changed: SystemTime| {
            std::fs::write(&path, text).unwrap();
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(changed).unwrap();
        };
        write("no HDF5, which is for the reader to say", just_now);
        let found = || std::fs::metadata(&path).unwrap();
        let has_passed = || {
            let identity =
                (found().dev(), found().ino(), found().len(), found().mtime(), found().mtime_nsec());
            pass(&path, &found()).unwrap();
            PASSED.lock().unwrap().as_ref().unwrap().contains(&identity)
        };
        assert!(!has_passed(), "it may still change");
        write("no HDF5, which is for the reader to say", SystemTime::now() - Duration::from_secs(9));
        assert!(has_passed());
        write("another", just_now);
        assert!(!has_passed());
    }
}
