//! The output directory: every file is complete or absent.

use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_io::write_atomically;

use crate::checkpoint::signal::StopSignals;
use crate::exit::Error;
use crate::lock::{Lock, Refusal};
use crate::new_directories::NewDirectories;

/// The output directory and the files written to it.
#[derive(Debug)]
pub struct OutputDirectory {
    directory: PathBuf,
    files: Vec<String>,
    /// Rank 0 has it.
    _taken: Option<Taken>,
}

/// A directory that this run has for itself.
#[derive(Debug)]
struct Taken {
    /// Keeps other runs out. Its file goes first: only empty directories are removed.
    _lock: Lock,
    _made: NewDirectories,
}

impl OutputDirectory {
    /// Creates the directory, locks out other runs and tests it, before a long run could fail to write its result. A
    /// new directory without any file is removed when this is dropped. Collective.
    ///
    /// # Errors
    /// Another run uses the directory, or it cannot be written; a signal asks to stop.
    pub fn open(comm: &Comm, directory: &Path, signals: &StopSignals) -> Result<OutputDirectory, Error> {
        let taken = if comm.is_root() { take(directory, signals).map(Some) } else { Ok(None) };
        let path = directory.display().to_string();
        let (own, taken) = match taken {
            Ok(own) => (own, Ok(())),
            // The signal ends the run later.
            Err(Refusal::Stopped) => (None, Ok(())),
            Err(Refusal::InUse(reason)) => (None, Err(Error::DirectoryInUse { path, reason })),
            Err(Refusal::Failed(error)) => {
                (None, Err(Error::OutputDirectory { path, reason: error.to_string() }))
            }
        };
        comm.agree(taken)?;
        signals.check(comm)?;
        Ok(OutputDirectory { directory: directory.into(), files: Vec::new(), _taken: own })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Names of the files written so far.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The path of a file, which counts as written from now on.
    pub fn file(&mut self, name: &str) -> PathBuf {
        self.files.push(name.into());
        self.directory.join(name)
    }

    /// Writes a text file on rank 0, where `text` produces its content. Collective.
    pub fn write(&mut self, comm: &Comm, name: &str, text: impl FnOnce() -> String) -> Result<(), Error> {
        let path = self.file(name);
        let written = if comm.is_root() {
            write_atomically(&path, |file| file.write_all(text().as_bytes()))
        } else {
            Ok(())
        };
        Ok(comm.agree(written)?)
    }
}

/// Creates the directory and takes it: if it cannot be written, it cannot be locked, either.
fn take(directory: &Path, signals: &StopSignals) -> Result<Taken, Refusal> {
    let made = NewDirectories::make(directory)?;
    let lock = Lock::take(directory, || signals.seen().is_some())?;
    // A killed run's lock file may already exist, so only a new file shows whether the directory is writable. It has no
    // name, so that nothing is left if this run is killed here.
    tempfile::tempfile_in(directory)?;
    Ok(Taken { _lock: lock, _made: made })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_made_is_refused_on_all_ranks() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let directory = file.join("out");
        let results = Comm::simulate(3, |comm| {
            OutputDirectory::open(&comm, &directory, &StopSignals::default()).map(drop)
        });
        for result in results {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("cannot write into the output directory"), "{message}");
        }
    }

    #[test]
    fn a_text_is_written_once_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("a/b");
        Comm::simulate(2, |comm| {
            let mut output = OutputDirectory::open(&comm, &directory, &StopSignals::default()).unwrap();
            output.write(&comm, "x.csv", || format!("rank {}", comm.rank())).unwrap();
            assert_eq!(output.files(), ["x.csv"]);
        });
        let names: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["x.csv"]);
        assert_eq!(std::fs::read_to_string(directory.join("x.csv")).unwrap(), "rank 0");
    }
}
