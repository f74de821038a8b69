//! The output directory: every file complete or not there.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_io::write_atomically;

use crate::exit::Error;

/// The output directory and what has been written into it.
#[derive(Debug)]
pub struct Output {
    directory: PathBuf,
    files: Vec<String>,
}

impl Output {
    /// Makes the directory and tries it out, before a long run could fail to write its result. Collective.
    pub fn open(comm: &Comm, directory: &Path) -> Result<Output, Error> {
        let tried = if comm.is_root() { try_out(directory) } else { Ok(()) };
        let failed = |error: std::io::Error| Error::OutputDirectory {
            path: directory.display().to_string(),
            reason: error.to_string(),
        };
        comm.agree(tried.map_err(failed))?;
        Ok(Output { directory: directory.into(), files: Vec::new() })
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

    /// Writes a text file from rank 0, where `text` makes its content. Collective.
    pub fn write(&mut self, comm: &Comm, name: &str, text: impl FnOnce() -> String) -> Result<(), Error> {
        let path = self.file(name);
        let written = if comm.is_root() {
            write_atomically(&path, |temporary| std::fs::write(temporary, text()))
        } else {
            Ok(())
        };
        Ok(comm.agree(written)?)
    }
}

fn try_out(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let probe = directory.join(format!(".cfd-{}.part", std::process::id()));
    std::fs::write(&probe, "")?;
    std::fs::remove_file(&probe)
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
        let results = Comm::simulate(3, |comm| Output::open(&comm, &directory).map(drop));
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
            let mut output = Output::open(&comm, &directory).unwrap();
            output.write(&comm, "x.csv", || format!("rank {}", comm.rank())).unwrap();
            assert_eq!(output.files(), ["x.csv"]);
        });
        let names: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["x.csv"]);
        assert_eq!(std::fs::read_to_string(directory.join("x.csv")).unwrap(), "rank 0");
    }
}
