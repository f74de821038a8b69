//! A half-written file never replaces a good one: write beside, then rename.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use cfd_engine::comm::Comm;

use crate::IoError;

/// What the names of this process's temporary files carry.
static IDENTITY: RwLock<Option<String>> = RwLock::new(None);

/// Names this process in its temporary files, `.NAME.IDENTITY.part`. Until then it is its number.
pub fn set_identity(identity: &str) {
    *IDENTITY.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(identity.into());
}

/// Writes a file completely or not at all: `write` fills a temporary file in the same directory, which is then
/// flushed to disk and renamed to `path`.
///
/// Not collective: one rank calls it. Errors: what `write` says, or why the file system refused; the temporary
/// file is gone then, and a file that was at `path` is untouched.
pub fn write_atomically<E: std::fmt::Display>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), IoError> {
    let temporary = beside(path)?;
    let written =
        write(&temporary).map_err(|e| IoError::write(path, e)).and_then(|()| commit(&temporary, path));
    if written.is_err() {
        discard(&temporary);
    }
    written
}

/// The same from all ranks together: every rank calls `write` with the same temporary path.
pub(crate) fn write_collectively(
    comm: &Comm,
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<(), IoError> {
    let own = if comm.is_root() { beside(path).map(Some) } else { Ok(None) };
    let own = comm.agree(own)?;
    let temporary: String = comm.broadcast(0, own.map(|p| p.to_string_lossy().into_owned()));
    let temporary = PathBuf::from(temporary);
    let mut result = comm.agree(write(&temporary));
    if comm.is_root() {
        result = result.and_then(|()| commit(&temporary, path));
        if result.is_err() {
            discard(&temporary);
        }
    }
    comm.agree(result)
}

/// A name in the directory of `path` that no other process uses.
fn beside(path: &Path) -> Result<PathBuf, IoError> {
    let name = path.file_name().ok_or_else(|| IoError::write(path, "this is not a file name"))?;
    if path.is_dir() {
        return Err(IoError::write(path, "this is a directory; give a file name"));
    }
    // The name goes to other ranks as text, and the HDF5 library takes only UTF-8.
    let (Some(name), Some(_)) = (name.to_str(), path.to_str()) else {
        return Err(IoError::write(path, "the file name is not valid UTF-8"));
    };
    let identity = IDENTITY.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    let identity = identity.unwrap_or_else(|| std::process::id().to_string());
    Ok(path.with_file_name(format!(".{name}.{identity}.part")))
}

fn commit(temporary: &Path, path: &Path) -> Result<(), IoError> {
    let failed = |e: std::io::Error| IoError::write(path, e);
    File::open(temporary).and_then(|f| f.sync_all()).map_err(failed)?;
    fs::rename(temporary, path).map_err(failed)?;
    // The rename itself must reach the disk, too; not every file system can flush a directory.
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}

fn discard(temporary: &Path) {
    // It may never have come into being; the error that led here is the one to report.
    let _ = fs::remove_file(temporary);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.json");
        write_atomically(&path, |tmp| fs::write(tmp, "good")).unwrap();
        let error = write_atomically(&path, |tmp| {
            fs::write(tmp, "ha").unwrap();
            Err("disk full")
        })
        .unwrap_err();
        assert!(error.to_string().ends_with("summary.json: cannot be written: disk full"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "good");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_directory_is_an_error_on_every_rank() {
        let results = Comm::simulate(3, |comm| {
            let path = Path::new("no/such/directory/file");
            write_collectively(&comm, path, |tmp| {
                if comm.is_root() { fs::write(tmp, "x").map_err(|e| IoError::write(path, e)) } else { Ok(()) }
            })
        });
        for result in results {
            let message = result.unwrap_err().to_string();
            assert!(
                message.starts_with("no/such/directory/file: cannot be written: No such file"),
                "{message}"
            );
        }
    }
}
