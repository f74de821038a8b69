//! A folder for the files of a test.

use std::fs;
use std::path::PathBuf;

/// It is removed with its files when the test ends.
pub struct Place(pub tempfile::TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}
