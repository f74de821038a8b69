//! A text file that grows during a run: additions reach the disk every few seconds.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cfd_io::{IoError, write_atomically};

use crate::console::Console;

/// Time between two writes.
const EVERY: Duration = Duration::from_secs(2);

/// The file; one rank has it.
#[derive(Debug)]
pub struct Series {
    path: PathBuf,
    console: Console,
    /// Bytes certain to be in the file; `None` if the name is not a regular file's: it is then written once, at the
    /// end.
    length: Option<u64>,
    /// Text not yet in the file.
    pending: String,
    written: Option<Instant>,
    failed: bool,
}

impl Series {
    /// Begins a file with this text.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(path: &Path, text: &str, console: Console) -> Result<Series, IoError> {
        let mut series = Series {
            path: path.into(),
            console,
            length: None,
            pending: text.into(),
            written: None,
            failed: false,
        };
        if !fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            write_atomically(path, |file| file.write_all(text.as_bytes()))?;
            series.length = Some(text.len() as u64);
            series.pending.clear();
        }
        Ok(series)
    }

    /// Adds lines; writes all pending ones if the last write was some time ago.
    pub fn add(&mut self, lines: impl FnOnce() -> String) {
        self.pending += &lines();
        if self.written.is_none_or(|written| written.elapsed() >= EVERY) {
            self.write();
        }
    }

    /// Writes all pending lines. After a failed write it warns and tries again later.
    pub fn write(&mut self) {
        if self.pending.is_empty() || self.length.is_none() {
            return;
        }
        self.written = Some(Instant::now());
        if let Err(error) = self.flush()
            && !std::mem::replace(&mut self.failed, true)
        {
            let path = self.path.display();
            self.console.warn(format_args!("{path} does not grow during the run: {error}"));
        }
    }

    /// Appends pending lines to the file, which is open only for that long, so the file system can be made read-only.
    fn flush(&mut self) -> io::Result<()> {
        let Some(length) = &mut self.length else { return Ok(()) };
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        if let Err(error) = file.write_all(self.pending.as_bytes()) {
            // Half a line must not stay.
            let _ = file.set_len(*length);
            return Err(error);
        }
        *length += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Writes the remaining lines.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(&mut self) -> Result<(), IoError> {
        if self.length.is_none() {
            return write_atomically(&self.path, |file| file.write_all(self.pending.as_bytes()));
        }
        let flushed = self.flush();
        let synced = |()| fs::File::open(&self.path)?.sync_all();
        flushed.and_then(synced).map_err(|error| IoError::write(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_beginning_at_once_and_everything_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let text = || fs::read_to_string(&path).unwrap();
        let mut series = Series::begin(&path, "a,b\n", Console::new(false)).unwrap();
        assert_eq!(text(), "a,b\n");
        series.add(|| "1,2\n".into());
        assert_eq!(text(), "a,b\n1,2\n", "the first lines, so that one sees that it works");
        series.add(|| "3,4\n".into());
        assert_eq!(text(), "a,b\n1,2\n", "some seconds later");
        series.written = Some(Instant::now() - EVERY);
        series.add(|| "5,6\n".into());
        assert_eq!(text(), "a,b\n1,2\n3,4\n5,6\n");
        series.add(|| "7,8\n".into());
        series.write();
        assert_eq!(text(), "a,b\n1,2\n3,4\n5,6\n7,8\n", "at once, because a checkpoint follows");
        series.add(|| "9,9\n".into());
        series.end().unwrap();
        assert_eq!(text(), "a,b\n1,2\n3,4\n5,6\n7,8\n9,9\n");
    }

    #[test]
    fn what_is_no_regular_file_is_written_once_at_the_end() {
        let null = Path::new("/dev/null");
        let mut series = Series::begin(null, "a\n", Console::new(false)).unwrap();
        series.add(|| "1\n".into());
        assert_eq!(series.pending, "a\n1\n");
        series.end().unwrap();
    }
}
