//! Names of boundaries in a `.mapbc` file beside the mesh, as FUN3D and the tools around it have them.
//!
//! ```text
//! 2                       the number of boundaries
//! 1 4000 wall             number, kind of condition, name
//! 2 5000 far field
//! ```
//!
//! A mesh refers to its boundaries by number. The kinds of conditions are FUN3D's, which say nothing here: on writing, they
//! are 0, to be filled in.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cfd_mesh::{Groups, MOST_GROUPS};

use crate::IoError;
use crate::atomic::write_atomically;
use crate::listed::Scan;

/// Names of boundaries by their number.
pub(super) type Names = BTreeMap<i32, String>;

/// The numbers of groups of a dimension in a file, by their ids; and their names, unless they are just their numbers.
pub(super) fn numbers(groups: &Groups, dimension: usize) -> (BTreeMap<i32, i32>, Names) {
    let all: Vec<(i32, String)> =
        groups.of_dimension(dimension).into_iter().map(|(id, names)| (id, names.join(","))).collect();
    let number = |name: &str| name.parse().ok().filter(|number: &i32| number.to_string() == name);
    let own: BTreeMap<i32, i32> = all.iter().filter_map(|(id, name)| Some((*id, number(name)?))).collect();
    match own.len() == all.len() {
        true => (own, Names::new()),
        false => (all.iter().map(|(id, _)| (*id, *id)).collect(), all.into_iter().collect()),
    }
}

/// The file beside a mesh whose name has one of these endings.
pub(super) fn beside(path: &Path, endings: &[&str]) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lower = name.to_lowercase();
    let longest = endings.iter().filter(|end| lower.ends_with(*end)).map(|end| end.len()).max();
    let stem = longest.and_then(|length| name.get(..name.len() - length)).unwrap_or(&name);
    path.with_file_name(format!("{stem}.mapbc"))
}

/// Reads the file, if it is there. Not collective.
///
/// # Errors
/// The file cannot be read, or is not as above.
pub(super) fn read(path: &Path) -> Result<Names, IoError> {
    let mut names = Names::new();
    if !path.exists() {
        return Ok(names);
    }
    let mut scan = Scan::open(path, Some(b'#'))?;
    let rows = scan.count("the number of boundaries", 2)?;
    if rows > MOST_GROUPS as u64 {
        return Err(scan.error(format!("{rows} boundaries; expected at most {MOST_GROUPS}")));
    }
    scan.rest_of_line()?;
    for _ in 0..rows {
        let what = "a boundary: number, kind of condition, name";
        let number = scan.int(what)?;
        if names.contains_key(&number) {
            return Err(scan.error(format!("the boundary {number} has been listed before; expected it once")));
        }
        scan.int(what)?;
        let name = scan.rest_of_line()?;
        let name = name.trim_matches(['\'', '"']).trim();
        names.insert(number, if name.is_empty() { number.to_string() } else { name.into() });
    }
    Ok(names)
}

/// Writes the file, or removes an older one if there are no names. Not collective.
///
/// # Errors
/// [`IoError::Write`].
pub(super) fn write(path: &Path, names: &Names) -> Result<(), IoError> {
    if names.is_empty() {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(IoError::write(path, error)),
            _ => Ok(()),
        };
    }
    write_atomically(path, |file| {
        let rows = names.iter().map(|(number, name)| format!("{number} 0 {name}\n"));
        file.write_all(format!("{}\n{}", names.len(), rows.collect::<String>()).as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_called_by_numbers_keep_them_and_others_are_numbered() {
        let mut groups = Groups::default();
        groups.add(1, 1, "10");
        groups.add(1, 2, "-2");
        assert_eq!(numbers(&groups, 1), (BTreeMap::from([(1, 10), (2, -2)]), Names::new()));
        groups.add(1, 3, "wall");
        let names = [(1, "10"), (2, "-2"), (3, "wall")].map(|(id, name)| (id, name.to_string()));
        assert_eq!(numbers(&groups, 1), (BTreeMap::from([(1, 1), (2, 2), (3, 3)]), Names::from(names)));
    }

    #[test]
    fn names_are_written_and_read_and_a_number_stands_for_one() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = folder.path().join("a.B8.ugrid");
        let path = beside(&mesh, &[".ugrid", ".b8.ugrid"]);
        assert_eq!(path, folder.path().join("a.mapbc"));
        assert_eq!(read(&path), Ok(Names::new()));
        let names = Names::from([(1, "wall".to_string()), (-7, "far field".to_string())]);
        write(&path, &names).unwrap();
        assert_eq!(read(&path), Ok(names));
        write(&path, &Names::new()).unwrap();
        assert!(!path.exists());
        std::fs::write(&path, "3\n1 4000 'upper wall'\n2 5000\n1 3000 a\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("a.mapbc:4:1: the boundary 1 has been listed before"), "{message}");
        std::fs::write(&path, "2\n1 4000 'upper wall'\n2 5000\n").unwrap();
        assert_eq!(read(&path), Ok(Names::from([(1, "upper wall".into()), (2, "2".into())])));
        std::fs::write(&path, "9\n1 4000 wall\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("do not fit"), "{message}");
    }
}
