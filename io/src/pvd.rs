//! The list of a series of VTK files, each with its time, which ParaView opens (`.pvd`).

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::IoError;
use crate::atomic::write_atomically;

/// The files of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// Times and names of files, which are relative to the list's directory.
    pub files: Vec<(f64, String)>,
}

impl Collection {
    /// The files of a list; none if it is missing or not such a list. Not collective.
    pub fn read(path: &Path) -> Collection {
        let attribute = |line: &str, name: &str| {
            Some(line.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.to_string())
        };
        let file = |line: &str| Some((attribute(line, "timestep")?.parse().ok()?, attribute(line, "file")?));
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().filter(|line| line.starts_with("<DataSet "));
        Collection { files: lines.filter_map(file).collect() }
    }

    /// Writes the list. Not collective.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn write(&self, path: &Path) -> Result<(), IoError> {
        let line = |(time, file): &(f64, String)| {
            format!("<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>\n")
        };
        let text = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n\
             <Collection>\n{}</Collection>\n</VTKFile>\n",
            self.files.iter().map(line).collect::<String>()
        );
        write_atomically(path, |file| file.write_all(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_back_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pvd");
        let list = Collection {
            files: vec![(10.0, "solution-10.vtu".into()), (0.1 + 0.2, "solution-20.pvtu".into())],
        };
        list.write(&path).unwrap();
        assert_eq!(Collection::read(&path), list);
        assert!(fs::read_to_string(&path).unwrap().contains("timestep=\"10\""), "whole numbers stay whole");
        fs::write(&path, "<DataSet timestep=\"x\" file=\"a\"/>\n<DataSet timestep=\"1\"/>\n").unwrap();
        assert_eq!(Collection::read(&path), Collection::default());
        assert_eq!(Collection::read(&dir.path().join("none.pvd")), Collection::default());
    }
}
