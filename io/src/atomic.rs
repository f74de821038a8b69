//! A half-written file never replaces a good one: write a temporary file next to it, then rename.
//!
//! What already has the file's name decides where the content goes. A symbolic link stays, and its target is replaced.
//! A device, a FIFO or an open file (`/dev/stdout`) is written to, because nothing can replace it.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use cfd_engine::comm::Comm;
use cfd_engine::given;

use crate::IoError;

/// Maximum length of a chain of links; as many as Linux follows.
const MOST_LINKS: usize = 40;
/// Maximum number of temporary file names to try.
const MOST_NAMES: usize = 100;

static IDENTITY: Mutex<String> = Mutex::new(String::new());

/// Sets this run's identity, of letters, digits and hyphens, for names of temporary files: `.NAME.IDENTITY.part`. Until
/// then it is a number derived from host, process and time, which two runs hardly ever share.
pub fn set_identity(text: &str) {
    assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "\"{text}\" is part of file names");
    text.clone_into(&mut identity());
}

fn identity() -> MutexGuard<'static, String> {
    IDENTITY.lock().expect("nobody panics while holding it")
}

/// The identity that was set, or the number.
fn set_or_made() -> String {
    let mut identity = identity();
    if identity.is_empty() {
        let mut hash = blake3::Hasher::new();
        hash.update(&fs::read("/proc/sys/kernel/hostname").unwrap_or_default());
        hash.update(&std::process::id().to_le_bytes());
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        hash.update(&time.as_nanos().to_le_bytes());
        hash.finalize().to_hex()[..16].clone_into(&mut identity);
    }
    identity.clone()
}

/// Writes a file completely or not at all: `write` fills a temporary file in the same directory, which is then
/// flushed to disk and renamed to `path`.
///
/// Not collective: one rank calls it. Errors: those of `write`, or of the file system; then the temporary file is
/// removed, and a file that was at `path` is untouched.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), IoError> {
    let mut begun = Begun::new(path)?;
    write(&mut begun.file).map_err(|e| IoError::write(path, e))?;
    begun.commit()
}

/// The same from all ranks together, for a file with random access: every rank calls `write` with the name of the same
/// temporary file, which exists and is empty.
pub(crate) fn write_collectively(
    comm: &Comm,
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    collectively(comm, if comm.is_root() { Begun::replacing(path).map(Some) } else { Ok(None) }, write)
}

/// Fills, on all ranks together, the file that rank 0 began.
fn collectively(
    comm: &Comm,
    begun: Result<Option<Begun>, IoError>,
    write: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    // Errors are shared with all ranks; the file is not.
    comm.agree(begun.as_ref().map(|_| ()).map_err(IoError::clone))?;
    let begun = begun?;
    let own = begun.as_ref().map(|begun| begun.temporary().to_string_lossy().into_owned());
    let temporary: String = comm.broadcast(0, own);
    let result = comm.agree(write(Path::new(&temporary)));
    comm.agree(match begun {
        Some(begun) => begun.end(result),
        None => result,
    })
}

/// The same for an existing file that `change` only appends to: meanwhile it has a temporary name, so a file under its
/// own name is always complete. If that fails, it gets the name [`incomplete`], which the error says: its library may
/// no longer be able to read what was there before. Only if this program is killed does the temporary file stay behind.
pub(crate) fn change_collectively(
    comm: &Comm,
    path: &Path,
    change: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    collectively(comm, if comm.is_root() { Begun::changing(path).map(Some) } else { Ok(None) }, change)
}

/// The name of a file that could not be changed completely: `solution.incomplete.vtkhdf`.
pub(crate) fn incomplete(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(".incomplete");
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// A file being written; if dropped before it is committed, it leaves no trace, or, of one that existed before, the
/// incomplete file.
pub(crate) struct Begun {
    /// The name that the user has given.
    path: PathBuf,
    pub(crate) file: File,
    /// The temporary file and the one it replaces; `None` if the content goes straight to an existing target.
    names: Option<(PathBuf, PathBuf)>,
    /// Whether it existed before, and must not be removed.
    changes: bool,
}

impl Begun {
    /// Begins a file that is written sequentially; any writable target will do.
    pub(crate) fn new(path: &Path) -> Result<Begun, IoError> {
        match Target::of(path)? {
            Target::File(target) => Begun::beside(path, target),
            Target::There(there) => {
                Ok(Begun { path: path.into(), file: open_there(path, &there)?, names: None, changes: false })
            }
        }
    }

    /// Begins a file that must be a regular one.
    fn replacing(path: &Path) -> Result<Begun, IoError> {
        match Target::of(path)? {
            Target::File(target) => Begun::beside(path, target),
            Target::There(_) => {
                let what = "HDF5 cannot be written to a device, a FIFO or an open file; give a file name";
                Err(IoError::file(path, what))
            }
        }
    }

    /// Takes a regular file aside.
    fn changing(path: &Path) -> Result<Begun, IoError> {
        let mut begun = Begun::replacing(path)?;
        let (temporary, target) = begun.names.as_ref().expect("a file that replaces another is temporary");
        let failed = |e: io::Error| IoError::write(path, e);
        fs::rename(target, temporary).map_err(failed)?;
        begun.changes = true;
        begun.file = File::options().append(true).open(temporary).map_err(failed)?;
        Ok(begun)
    }

    fn beside(path: &Path, target: PathBuf) -> Result<Begun, IoError> {
        // The name is sent to other ranks as text, and the HDF5 library accepts only UTF-8.
        if target.to_str().is_none() {
            return Err(IoError::file(path, "the file name is not valid UTF-8"));
        }
        let (file, temporary) = create_beside(&target).map_err(|e| IoError::write(path, e))?;
        Ok(Begun { path: path.into(), file, names: Some((temporary, target)), changes: false })
    }

    fn temporary(&self) -> &Path {
        &self.names.as_ref().expect("a file that replaces another is temporary").0
    }

    /// Puts a file that has been `written` under its name.
    fn end(self, written: Result<(), IoError>) -> Result<(), IoError> {
        let aside = self.names.as_ref().filter(|_| self.changes).map(|(_, target)| incomplete(target));
        written.and_then(|()| self.commit()).map_err(|error| match (error, aside) {
            (IoError::Write { path, reason }, Some(aside)) => {
                let reason = format!("{reason}; what there is of it is now {}", aside.display());
                IoError::Write { path, reason }
            }
            (error, _) => error,
        })
    }

    /// Puts the file under its name.
    pub(crate) fn commit(mut self) -> Result<(), IoError> {
        let Some((temporary, target)) = &self.names else { return Ok(()) };
        let failed = |e: io::Error| IoError::write(&self.path, e);
        self.file.sync_all().map_err(failed)?;
        fs::rename(temporary, target).map_err(failed)?;
        // The rename itself must reach the disk, too; not every file system can flush a directory.
        let directory = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(directory) = File::open(directory) {
            let _ = directory.sync_all();
        }
        self.names = None;
        Ok(())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some((temporary, target)) = &self.names {
            // The error that led here is the one to report.
            let _ = match self.changes {
                true => fs::rename(temporary, incomplete(target)),
                false => fs::remove_file(temporary),
            };
        }
    }
}

/// Creates a file of its own in the directory of `target`: never an existing one, nor through a link.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let identity = set_or_made();
    let mut error = None;
    for number in 0..MOST_NAMES {
        let number = if number == 0 { String::new() } else { format!("-{number}") };
        let temporary = target.with_file_name(format!(".{name}.{identity}{number}.part"));
        match File::create_new(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => error = Some(taken),
            Err(other) => return Err(other),
        }
    }
    Err(error.expect("some names have been tried"))
}

/// Where the content of a file goes.
enum Target {
    /// Into a regular file of this name, existing or not.
    File(PathBuf),
    /// Into the existing target, which stays.
    There(PathBuf),
}

impl Target {
    /// What a name leads to.
    fn of(path: &Path) -> Result<Target, IoError> {
        let mut target = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            let kind = match fs::symlink_metadata(&target) {
                Ok(found) => found.file_type(),
                // If it cannot be examined, writing it will say why, unless it can be created.
                Err(_) if target.file_name().is_some() => return Ok(Target::File(target)),
                Err(_) => return Err(IoError::file(path, "this is not a file name")),
            };
            if kind.is_file() {
                return Ok(Target::File(target));
            }
            if kind.is_fifo() || kind.is_char_device() {
                return Ok(Target::There(target));
            }
            if !kind.is_symlink() {
                return Err(IoError::file(path, format!("this is {}; give a file name", given::kind(kind))));
            }
            let directory = target.parent().unwrap_or(Path::new(""));
            if lists_open_files(directory) {
                return Ok(Target::There(target));
            }
            let next = fs::read_link(&target).map_err(|e| IoError::write(path, e))?;
            target = directory.join(next);
        }
        let what = format!("symbolic links form a cycle here, or there are more than {MOST_LINKS}");
        Err(IoError::file(path, what))
    }
}

/// Whether a directory is one of the system's, with links to the files that a process has open: `/proc/self/fd`.
fn lists_open_files(directory: &Path) -> bool {
    fs::canonicalize(directory).is_ok_and(|found| found.starts_with("/proc") && found.ends_with("fd"))
}

/// Opens the existing target for writing, after earlier output if it keeps that.
fn open_there(path: &Path, there: &Path) -> Result<File, IoError> {
    // Without a reader, opening a FIFO would wait for one.
    let opened = File::options().append(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(there);
    match opened.and_then(waiting) {
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
            Err(IoError::file(path, "this FIFO has no reader; start one first, or give a file name"))
        }
        opened => opened.map_err(|error| IoError::write(path, error)),
    }
}

/// From now on, writes to the file wait for its reader.
fn waiting(file: File) -> io::Result<File> {
    // SAFETY: the descriptor is open, and its flags may be read and set at any time.
    let set = unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK)
    };
    if set == -1 { Err(io::Error::last_os_error()) } else { Ok(file) }
}

#[cfg(test)]
mod tests;
