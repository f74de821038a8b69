//! MG-CFD's `input.dat`, which names the HDF5 file of each level.
//!
//! ```text
//! # a comment
//! size = 305000                  nodes of the finest level
//! num_levels = 2
//! mesh_name = m6wing
//! base_array_index = 1           optional: the first element's number in the files
//! [levels]
//! 0 = fine.h5                    beside this file, the finest level first
//! 1 = coarse.h5
//! ```
//!
//! A section `[mg_mapping]` may follow, for meshes in text; the maps of HDF5 meshes are in the level's file, and it is
//! ignored here.

use std::path::{Path, PathBuf};

use cfd_engine::given::{self, short};

use crate::IoError;

/// Larger files are not an `input.dat`.
const MOST_BYTES: u64 = 1 << 20;
/// More levels than any mesh has.
const MOST_LEVELS: usize = 64;

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// The files of the levels, the finest first.
    pub(crate) files: Vec<PathBuf>,
    /// The first element's number in the files, if given.
    pub(crate) base: Option<u8>,
}

/// Whether a file that begins with these bytes is an `input.dat`: its first non-comment line is `key = value` or
/// `[section]`.
pub(crate) fn detect(start: &[u8]) -> bool {
    let mut lines = start.split(|&b| b == b'\n').map(|line| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| line.starts_with(b"[") || line.contains(&b'=') && line.is_ascii())
}

/// Reads a file. Not collective.
///
/// # Errors
/// The file cannot be read, or one of its lines is not as above.
pub(crate) fn read(path: &Path) -> Result<Input, IoError> {
    let text = given::read(path, "MG-CFD's input.dat", MOST_BYTES).map_err(|e| IoError::read(path, e))?;
    parse(path, &String::from_utf8_lossy(&text))
}

fn parse(path: &Path, text: &str) -> Result<Input, IoError> {
    let wrong = |line: usize, what: String| IoError::Text {
        path: path.display().to_string(),
        line: line as u64 + 1,
        column: 1,
        what,
    };
    let (mut levels, mut base, mut section) = (None, None, "");
    let mut files: Vec<Option<PathBuf>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            if !["[levels]", "[mg_mapping]"].contains(&line) {
                let what = format!("unknown section {}; known are [levels] and [mg_mapping]", short(line));
                return Err(wrong(number, what));
            }
            section = line;
            continue;
        }
        let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
            return Err(wrong(number, format!("expected \"key = value\", found \"{}\"", short(line))));
        };
        if section == "[mg_mapping]" {
            continue;
        }
        if section == "[levels]" {
            let levels: usize = levels
                .ok_or_else(|| wrong(number, "expected num_levels before the section [levels]".into()))?;
            files.resize(levels, None);
            let level: Option<usize> = key.parse().ok().filter(|&level| level < levels);
            let Some(level) = level else {
                let what = format!(
                    "the level \"{}\" is unknown; with num_levels = {levels} the levels are 0 to {}",
                    short(key),
                    levels - 1
                );
                return Err(wrong(number, what));
            };
            if files[level].is_some() {
                return Err(wrong(number, format!("level {level} has two files; expected one")));
            }
            files[level] = Some(path.with_file_name(value));
            continue;
        }
        let (shown_key, shown) = (short(key), short(value));
        match key {
            "num_levels" => {
                let found = value.parse().ok().filter(|n| (1..=MOST_LEVELS).contains(n));
                let what = || format!("num_levels is \"{shown}\", expected a number from 1 to {MOST_LEVELS}");
                levels = Some(found.ok_or_else(|| wrong(number, what()))?);
            }
            "base_array_index" => {
                let found = value.parse().ok().filter(|n| *n <= 9u8);
                let what = || format!("base_array_index is \"{shown}\", expected a number from 0 to 9");
                base = Some(found.ok_or_else(|| wrong(number, what()))?);
            }
            // The mesh itself gives its size; its name selects nothing here.
            "size" | "mesh_name" => {}
            _ => {
                let what = format!(
                    "unknown key \"{shown_key}\"; known are size, num_levels, mesh_name, base_array_index"
                );
                return Err(wrong(number, what));
            }
        }
    }
    let Some(levels) = levels else {
        return Err(IoError::file(path, "num_levels is missing; expected the number of levels"));
    };
    files.resize(levels, None);
    let missing = |level: usize| {
        IoError::file(
            path,
            format!("the section [levels] names no file for level {level}; expected \"{level} = FILE\""),
        )
    };
    let files = files.into_iter().enumerate().map(|(level, file)| file.ok_or_else(|| missing(level)));
    Ok(Input { files: files.collect::<Result<_, _>>()?, base })
}

/// The file next to `path` that holds one level of a mesh being written.
pub(crate) fn level_file(path: &Path, level: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}.level{level}.h5"))
}

/// The text for a mesh whose finest level has `nodes` nodes and whose levels are in [`level_file`]s.
pub(crate) fn text(path: &Path, nodes: u64, levels: usize) -> String {
    // MG-CFD knows only a few names and insists on one of them.
    let mut text = format!(
        "size = {nodes}\nnum_levels = {levels}\nmesh_name = m6wing\nbase_array_index = 0\n[levels]\n"
    );
    for level in 0..levels {
        let file = level_file(path, level);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        text.push_str(&format!("{level} = {name}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Input, String> {
        parse("a/input.dat".as_ref(), text).map_err(|e| e.to_string())
    }

    #[test]
    fn files_are_named_in_any_order_beside_the_input() {
        let text = "# M6\nsize = 10\nnum_levels=2\nmesh_name = m6wing\n\n[levels]\n1 = c.h5\n0 = f.h5\n[mg_mapping]\n0 = x\n";
        let input = parsed(text).unwrap();
        assert_eq!(input, Input { files: vec!["a/f.h5".into(), "a/c.h5".into()], base: None });
        assert!(detect(text.as_bytes()));
        assert_eq!(parsed(&text.replace("size = 10", "base_array_index = 1")).unwrap().base, Some(1));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = text("a/m.dat".as_ref(), 7, 3);
        let input = parsed(&text).unwrap();
        assert_eq!(input.base, Some(0));
        assert_eq!(input.files[2], Path::new("a/m.level2.h5"));
        assert!(detect(text.as_bytes()) && !detect(b"4 3 2 1\n"));
    }

    #[test]
    fn faults_name_the_line_and_what_would_be_right() {
        for (text, parts) in [
            ("num_levels = 0\n", ["a/input.dat:1:1", "from 1 to 64"]),
            ("size = 3\nlevels = 2\n", ["a/input.dat:2:1", "known are size, num_levels"]),
            ("[levels]\n0 = a\n", ["a/input.dat:2:1", "num_levels before"]),
            ("num_levels = 1\n[levels]\n1 = a\n", ["a/input.dat:3:1", "the levels are 0 to 0"]),
            ("num_levels = 1\n[levels]\n0 = a\n0 = b\n", ["a/input.dat:4:1", "two files"]),
            ("num_levels = 2\n[levels]\n0 = a\n", ["a/input.dat: ", "no file for level 1"]),
            ("size = 3\n", ["a/input.dat: ", "num_levels is missing"]),
            ("num_levels\n", ["a/input.dat:1:1", "key = value"]),
            ("[level]\n", ["a/input.dat:1:1", "[mg_mapping]"]),
        ] {
            let message = parsed(text).unwrap_err();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
    }
}
