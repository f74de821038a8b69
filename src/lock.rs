//! One run at a time in an output directory.
//!
//! A run holds an advisory lock on `.cfd.lock` in its directory. The system releases it when the process ends, however
//! it ends. The file names the run's host and process, for the message to a refused run, and counts heartbeats, which
//! decide where a lock cannot:
//!
//! ```text
//! lock held, by a process of this machine     refused at once
//! lock held, by one of another machine        refused at its next heartbeat; taken when the lock becomes free
//! lock free, last held on this machine        taken at once: its run has ended
//! lock free, last held on another machine     some file systems keep locks to themselves on each machine: taken once the
//!                                             heartbeats have been silent for a minute, refused at the next one
//! the file system has no locks                taken and refused by heartbeats alone
//! ```

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::console::complain;
use crate::machine;

/// The file in the output directory.
const NAME: &str = ".cfd.lock";
/// A run that has been silent for this long is dead.
const SILENCE: Duration = Duration::from_secs(60);
/// Maximum bytes read from the file.
const LONGEST: u64 = 4096;
/// Time between two heartbeats.
const BEAT: Duration = Duration::from_secs(10);
/// Time between two checks of another run's heartbeats.
const LOOK: Duration = Duration::from_millis(500);

/// A directory that no other run uses. Dropping it leaves the directory to others.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The locked file.
    file: File,
    /// Dropped before waiting for the heartbeat thread, which ends it.
    heart: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Why a directory cannot be taken.
#[derive(Debug)]
pub enum Refusal {
    /// Another run uses it.
    InUse(String),
    /// The file system's reason.
    Failed(io::Error),
    /// This run was asked to stop while it waited.
    Stopped,
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Failed(error)
    }
}

impl Lock {
    /// Takes the directory for this process; waits for up to a minute if only silence can tell that the earlier run has
    /// ended. `is_stopped` ends the wait.
    ///
    /// # Errors
    /// A live run uses it, or the file system refuses.
    pub fn take(directory: &Path, is_stopped: impl Fn() -> bool) -> Result<Lock, Refusal> {
        take_by(directory, is_stopped, File::try_lock)
    }
}

/// The same with another way to lock a file.
fn take_by(
    directory: &Path,
    is_stopped: impl Fn() -> bool,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<Lock, Refusal> {
    let path = directory.join(NAME);
    loop {
        let (mut file, is_new) = open(&path)?;
        let mut locked = lock(&file);
        if matches!(&locked, Err(TryLockError::Error(error)) if error.raw_os_error() == Some(libc::EBADF)) {
            // Over NFS, only a writable file can be locked.
            file = options().read(true).write(true).open(&path)?;
            locked = lock(&file);
        }
        match locked {
            // The earlier run removed the file between our two calls.
            Ok(()) if !is_at(&file, &path) => continue,
            Ok(()) => {
                let owner = Owner::read(&path);
                if !is_new && owner.as_ref().is_some_and(|owner| !owner.is_here()) {
                    Silence::begin(&path).wait(&is_stopped, || false)?;
                }
                return Lock::begin(path, file);
            }
            Err(TryLockError::WouldBlock) => {
                let owner = Owner::read(&path);
                if owner.as_ref().is_none_or(Owner::is_here) {
                    return Err(in_use(owner.as_ref()));
                }
                Silence::begin(&path).wait(&is_stopped, || lock(&file).is_ok())?;
                // Locks work across machines here. One still held after a minute of silence may belong to a suspended
                // run.
                match lock(&file) {
                    Ok(()) if is_at(&file, &path) => return Lock::begin(path, file),
                    Ok(()) => continue,
                    Err(_) => return Err(in_use(owner.as_ref())),
                }
            }
            Err(TryLockError::Error(error)) if !has_no_locks(&error) => return Err(error.into()),
            Err(TryLockError::Error(_)) if is_new => return Lock::begin(path, file),
            Err(TryLockError::Error(_)) => {
                let dead = Owner::read(&path);
                Silence::begin(&path).wait(&is_stopped, || false)?;
                remove(&path, dead.as_ref())?;
            }
        }
    }
}

/// Never through a link, and without waiting for a pipe's reader.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Opens the file for reading, so the file system can still be made read-only; true if it is new.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let is_new = match options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
        made => made.map(|_| true)?,
    };
    match options().read(true).open(path) {
        // Its run has just ended.
        Err(error) if error.kind() == ErrorKind::NotFound => open(path),
        opened => opened.map(|file| (file, is_new)),
    }
}

/// Writes this process's text, unless the file now belongs to another run.
fn write(path: &Path, locked: &File, beats: u64) -> io::Result<()> {
    let file = options().write(true).open(path)?;
    if !is_at(locked, path) {
        return Ok(());
    }
    let text = text(beats);
    file.write_all_at(text.as_bytes(), 0)?;
    file.set_len(text.len() as u64)
}

/// True while the path names `file`.
fn is_at(file: &File, path: &Path) -> bool {
    let same = |a: &Metadata, b: &Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!(&(file.metadata(), fs::symlink_metadata(path)), (Ok(a), Ok(b)) if same(a, b))
}

/// Removes the file of a dead run only: one of several waiting runs may already have created a new one.
fn remove(path: &Path, dead: Option<&Owner>) -> io::Result<()> {
    let aside = path.with_file_name(format!("{NAME}.{}", std::process::id()));
    match fs::rename(path, &aside) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        moved => moved?,
    }
    if Owner::read(&aside).as_ref() != dead {
        // Puts it back where its run expects it; if there is another one again, that one stays.
        let _ = fs::hard_link(&aside, path);
    }
    fs::remove_file(&aside)
}

/// True for errors of file systems without locks.
fn has_no_locks(error: &io::Error) -> bool {
    let codes = [libc::ENOSYS, libc::EOPNOTSUPP, libc::ENOLCK];
    error.kind() == ErrorKind::Unsupported || error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

fn in_use(owner: Option<&Owner>) -> Refusal {
    let who =
        owner.map_or("another run".into(), |owner| format!("process {} on {}", owner.process, owner.host));
    Refusal::InUse(format!("{who} is running there; wait until it has ended, or choose another directory"))
}

impl Lock {
    fn begin(path: PathBuf, file: File) -> Result<Lock, Refusal> {
        // Only the message to others depends on the text, so a full disk is no reason to refuse.
        let _ = write(&path, &file, 0);
        let (beating, at) = (file.try_clone()?, path.clone());
        let (sender, ended) = mpsc::channel::<()>();
        let beat = move || {
            let mut beats = 1;
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let _ = write(&at, &beating, beats);
                beats += 1;
            }
        };
        let heart = std::thread::Builder::new().name("heartbeat".into()).spawn(beat)?;
        Ok(Lock { path, file, heart: Some((sender, heart)) })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some((sender, heart)) = self.heart.take() {
            drop(sender);
            let _ = heart.join();
        }
        if is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// This process's text in the file: lines of constant length, so they can be overwritten.
fn text(beats: u64) -> String {
    let (process, host, machine) = (std::process::id(), machine::host(), machine::identity());
    format!("process {process}\nhost {host}\nmachine {machine}\nheartbeat {beats:020}\n")
}

/// The process that holds a directory, or last held it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owner {
    process: String,
    host: String,
    machine: String,
    beats: String,
}

impl Owner {
    /// The file's content; `None` before its run has written anything.
    fn read(path: &Path) -> Option<Owner> {
        let mut text = String::new();
        File::open(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
        let value = |key: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            found.map(String::from)
        };
        let [process, host, machine, beats] = ["process", "host", "machine", "heartbeat"].map(value);
        Some(Owner { process: process?, host: host?, machine: machine?, beats: beats? })
    }

    /// True for a process of this machine, whose locks this machine knows.
    fn is_here(&self) -> bool {
        self.machine == machine::identity()
    }
}

/// Waiting for a minute without heartbeats.
struct Silence<'a> {
    path: &'a Path,
    first: Option<Owner>,
    changed: Option<std::time::SystemTime>,
    left: Duration,
}

impl Silence<'_> {
    /// First look at the file: the time since its last heartbeat counts.
    fn begin(path: &Path) -> Silence<'_> {
        let changed = changed(path);
        let before =
            changed.and_then(|changed| now_there(path)?.duration_since(changed).ok()).unwrap_or_default();
        Silence { path, first: Owner::read(path), changed, left: SILENCE.saturating_sub(before) }
    }

    /// Returns when the minute is over or `is_free`.
    ///
    /// # Errors
    /// There is a heartbeat, so the run is alive, or this one is asked to stop.
    fn wait(self, is_stopped: impl Fn() -> bool, is_free: impl Fn() -> bool) -> Result<(), Refusal> {
        let mut left = self.left;
        if !left.is_zero()
            && let Some(Owner { process, host, .. }) = &self.first
        {
            let (path, seconds) = (self.path.display(), left.as_secs());
            complain(format_args!(
                "{path}: held by process {process} on {host}, which cannot be asked from here; waiting up to {seconds} s \
                 for a sign of life"
            ));
        }
        while !left.is_zero() && !is_free() {
            if is_stopped() {
                return Err(Refusal::Stopped);
            }
            let pause = left.min(LOOK);
            std::thread::sleep(pause);
            left -= pause;
            let owner = Owner::read(self.path);
            let is_gone = owner.is_none() && fs::symlink_metadata(self.path).is_err();
            if is_gone {
                return Ok(());
            }
            if owner != self.first || changed(self.path) != self.changed {
                return Err(in_use(owner.as_ref()));
            }
        }
        Ok(())
    }
}

fn changed(path: &Path) -> Option<std::time::SystemTime> {
    fs::symlink_metadata(path).and_then(|found| found.modified()).ok()
}

/// The time on the file system's own clock, which also stamps the heartbeats.
fn now_there(beside: &Path) -> Option<std::time::SystemTime> {
    let probe = tempfile::tempfile_in(beside.parent()?).ok()?;
    probe.metadata().and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn never() -> bool {
        false
    }

    /// A file system without locks.
    fn no_locks(_: &File) -> Result<(), TryLockError> {
        Err(TryLockError::Error(io::Error::from_raw_os_error(libc::ENOLCK)))
    }

    /// What a run killed on another machine this long ago leaves.
    fn left_elsewhere(directory: &Path, ago: Duration) {
        let path = directory.join(NAME);
        fs::write(&path, "process 12\nhost far\nmachine far 1\nheartbeat 00000000000000000003\n").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() - ago).unwrap();
    }

    fn reason(refused: Result<Lock, Refusal>) -> String {
        match refused {
            Err(Refusal::InUse(reason)) => reason,
            other => panic!("refused because it is in use: {other:?}"),
        }
    }

    #[test]
    fn a_directory_is_refused_while_a_run_uses_it_and_nothing_is_left_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path(), never).unwrap();
        let reason = reason(Lock::take(folder.path(), never));
        assert!(
            reason.contains(&format!("process {} on {}", std::process::id(), machine::host())),
            "{reason}"
        );
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        Lock::take(folder.path(), never).unwrap();
    }

    #[test]
    fn what_a_killed_run_of_this_machine_has_left_is_taken_at_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), text(7)).unwrap();
        // Asked to stop from the start, it does not wait.
        Lock::take(folder.path(), || true).unwrap();
    }

    #[test]
    fn another_machine_s_run_is_dead_after_a_minute_of_silence_with_locks_and_without() {
        let folder = tempfile::tempdir().unwrap();
        left_elsewhere(folder.path(), 2 * SILENCE);
        drop(Lock::take(folder.path(), || true).unwrap());
        left_elsewhere(folder.path(), 2 * SILENCE);
        drop(take_by(folder.path(), || true, no_locks).unwrap());
        // Less than a minute ago: it waits until asked to stop.
        left_elsewhere(folder.path(), SILENCE / 2);
        assert!(matches!(Lock::take(folder.path(), || true), Err(Refusal::Stopped)));
        assert!(matches!(take_by(folder.path(), || true, no_locks), Err(Refusal::Stopped)));
        // It waits for the rest of the minute.
        left_elsewhere(folder.path(), SILENCE - Duration::from_millis(300));
        Lock::take(folder.path(), never).unwrap();
    }

    #[test]
    fn a_heartbeat_tells_that_a_run_is_alive_with_locks_and_without() {
        for lock in [File::try_lock as fn(&File) -> Result<(), TryLockError>, no_locks] {
            let folder = tempfile::tempdir().unwrap();
            left_elsewhere(folder.path(), Duration::ZERO);
            let path = folder.path().join(NAME);
            let beating = std::thread::spawn(move || {
                std::thread::sleep(LOOK / 2);
                let file = File::options().write(true).open(&path).unwrap();
                file.write_all_at(
                    b"process 12\nhost far\nmachine far 1\nheartbeat 00000000000000000004\n",
                    0,
                )
                .unwrap();
            });
            let reason = reason(take_by(folder.path(), never, lock));
            assert!(reason.contains("process 12 on far"), "{reason}");
            beating.join().unwrap();
        }
    }

    #[test]
    fn without_locks_a_live_run_keeps_its_directory() {
        let folder = tempfile::tempdir().unwrap();
        let lock = take_by(folder.path(), never, no_locks).unwrap();
        assert!(matches!(take_by(folder.path(), || true, no_locks), Err(Refusal::Stopped)));
        assert!(Owner::read(&folder.path().join(NAME)).unwrap().is_here());
        drop(lock);
        drop(take_by(folder.path(), never, no_locks).unwrap());
    }

    #[test]
    fn a_link_in_place_of_the_lock_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join(NAME)).unwrap();
        assert!(matches!(Lock::take(folder.path(), never), Err(Refusal::Failed(_))));
        assert_eq!(fs::read_to_string(target).unwrap(), "kept");
    }
}
