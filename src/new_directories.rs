//! Directories that a run makes, and leaves only if it fills them.

use std::io;
use std::path::{Path, PathBuf};

/// The directories made for one path, from the innermost outwards. Dropping it removes those that are empty.
#[derive(Debug)]
pub struct NewDirectories(Vec<PathBuf>);

impl NewDirectories {
    /// Makes a directory with all that it is in.
    ///
    /// # Errors
    /// The system's reason why it cannot; then none of them stays.
    pub fn make(directory: &Path) -> io::Result<NewDirectories> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made =
            NewDirectories(directory.ancestors().take_while(is_missing).map(Path::to_path_buf).collect());
        std::fs::create_dir_all(directory)?;
        Ok(made)
    }
}

impl Drop for NewDirectories {
    fn drop(&mut self) {
        // The system removes empty directories only.
        let _ = self.0.iter().try_for_each(std::fs::remove_dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_stay_that_were_there_or_are_filled() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("old")).unwrap();
        drop(NewDirectories::make(&path("old")).unwrap());
        drop(NewDirectories::make(&path("old/a/b")).unwrap());
        assert!(path("old").is_dir() && !path("old/a").exists());
        let made = NewDirectories::make(&path("new/a/b")).unwrap();
        std::fs::write(path("new/file"), "").unwrap();
        drop(made);
        assert!(path("new/file").is_file() && !path("new/a").exists());
        NewDirectories::make(&path("new/file/a")).unwrap_err();
        NewDirectories::make(&path(&format!("c/{}", "d".repeat(300)))).unwrap_err();
        assert!(!path("c").exists(), "made for one that the system refuses");
    }
}
