//! A half-written file never replaces a good one: write beside, then rename.
//!
//! What has the file's name already decides where its content goes. A symbolic link stays, and what it leads to is
//! replaced. A device, a FIFO or an open file (`/dev/stdout`) is written to, as it cannot be replaced by anything.

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

/// Links that lead from one to the next at most; as many as Linux follows.
const MOST_LINKS: usize = 40;
/// Names of temporary files that are tried at most.
const MOST_NAMES: usize = 100;

static IDENTITY: Mutex<String> = Mutex::new(String::new());

/// Names this run, of letters, digits and hyphens, in the names of temporary files: `.NAME.IDENTITY.part`. Until it is
/// called, that is a number made of host, process and time, so that two runs hardly ever have the same.
pub fn set_identity(text: &str) {
    assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "\"{text}\" is part of file names");
    text.clone_into(&mut identity());
}

fn identity() -> MutexGuard<'static, String> {
    IDENTITY.lock().expect("nobody panics while holding it")
}

/// What is set, or the number.
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
/// Not collective: one rank calls it. Errors: what `write` says, or why the file system refused; the temporary
/// file is gone then, and a file that was at `path` is untouched.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), IoError> {
    let mut begun = Begun::new(path)?;
    write(&mut begun.file).map_err(|e| IoError::write(path, e))?;
    begun.commit()
}

/// The same from all ranks together, of a file that must be read and written anywhere: every rank calls `write` with the
/// name of the same temporary file, which is there and empty.
pub(crate) fn write_collectively(
    comm: &Comm,
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    collectively(comm, if comm.is_root() { Begun::replacing(path).map(Some) } else { Ok(None) }, write)
}

/// Fills on all ranks together what rank 0 has begun.
fn collectively(
    comm: &Comm,
    begun: Result<Option<Begun>, IoError>,
    write: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    // The error travels, the file does not.
    comm.agree(begun.as_ref().map(|_| ()).map_err(IoError::clone))?;
    let begun = begun?;
    let own = begun.as_ref().map(|begun| begun.temporary().to_string_lossy().into_owned());
    let temporary: String = comm.broadcast(0, own);
    let result = comm.agree(write(Path::new(&temporary)));
    comm.agree(result.and_then(|()| begun.map_or(Ok(()), Begun::commit)))
}

/// The same of a file that is there and whose content `change` only adds to: it has the name of a temporary file meanwhile, so
/// that what has its own name is complete. It has that again whatever happens; only if this program is killed the temporary file
/// stays behind.
pub(crate) fn change_collectively(
    comm: &Comm,
    path: &Path,
    change: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    collectively(comm, if comm.is_root() { Begun::changing(path).map(Some) } else { Ok(None) }, change)
}

/// Makes and removes a temporary file, to see whether a directory can be written to.
///
/// # Errors
/// The system's reason why it cannot.
pub fn try_directory(directory: &Path) -> io::Result<()> {
    let (_, temporary) = create_beside(&directory.join("cfd"))?;
    fs::remove_file(temporary)
}

/// A file that is being written; dropped before it is committed, it has never been.
pub(crate) struct Begun {
    /// The name that the user has given.
    path: PathBuf,
    pub(crate) file: File,
    /// The temporary file, and the one that it replaces; none where the content goes straight to what is there.
    names: Option<(PathBuf, PathBuf)>,
    /// Whether it is one that was there before, and must not go.
    changes: bool,
}

impl Begun {
    /// Begins a file whose content comes from beginning to end, for which anything will do that can be written to.
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
        // The name goes to other ranks as text, and the HDF5 library takes only UTF-8.
        if target.to_str().is_none() {
            return Err(IoError::file(path, "the file name is not valid UTF-8"));
        }
        let (file, temporary) = create_beside(&target).map_err(|e| IoError::write(path, e))?;
        Ok(Begun { path: path.into(), file, names: Some((temporary, target)), changes: false })
    }

    fn temporary(&self) -> &Path {
        &self.names.as_ref().expect("a file that replaces another is temporary").0
    }

    /// Makes the file what has its name.
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
            let _ = if self.changes { fs::rename(temporary, target) } else { fs::remove_file(temporary) };
        }
    }
}

/// Makes a file in the directory of `target` that nobody else has: never one that is there, nor where a link leads.
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
    /// Into a regular file of this name, which is there or not.
    File(PathBuf),
    /// Into what is there, and stays.
    There(PathBuf),
}

impl Target {
    /// What a name leads to.
    fn of(path: &Path) -> Result<Target, IoError> {
        let mut target = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            let kind = match fs::symlink_metadata(&target) {
                Ok(found) => found.file_type(),
                // To write what cannot be looked at says why, unless it can be made.
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

/// Opens what is there for writing, behind what has been written to it before, if it keeps that.
fn open_there(path: &Path, there: &Path) -> Result<File, IoError> {
    // Without a reader, to open a FIFO would wait for one.
    let opened = File::options().append(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(there);
    match opened.and_then(waiting) {
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
            Err(IoError::file(path, "this FIFO has no reader; start one first, or give a file name"))
        }
        opened => opened.map_err(|error| IoError::write(path, error)),
    }
}

/// A file that waits, from now on, for its reader.
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
