//! Nodes of the tree: groups with a label and values.

use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};

/// The most numbers or letters of a node that is not an array of the mesh.
const MOST_VALUES: u64 = 1 << 12;

/// A child of a node.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) name: String,
    pub(super) label: String,
    /// The way to it from the root.
    pub(super) path: String,
}

/// The children of a node that have a label, by name.
pub(super) fn children(file: &Hdf5File, path: &str) -> Result<Vec<Child>, IoError> {
    let mut found = Vec::new();
    for name in file.groups_of(path)? {
        let path = format!("{}/{name}", path.trim_end_matches('/'));
        if let Some(label) = file.text_of_group(&path, "label")? {
            found.push(Child { name, label, path });
        }
    }
    Ok(found)
}

/// The children with a label.
pub(super) fn labelled(file: &Hdf5File, path: &str, label: &str) -> Result<Vec<Child>, IoError> {
    Ok(children(file, path)?.into_iter().filter(|child| child.label == label).collect())
}

/// The bases of a file.
pub(super) fn bases(file: &Hdf5File) -> Result<impl Iterator<Item = Child>, IoError> {
    Ok(labelled(file, "/", "CGNSBase_t")?.into_iter())
}

/// The dataset with a node's values.
pub(super) fn data(path: &str) -> String {
    format!("{path}/ data")
}

/// The integers of a small node.
pub(super) fn integers(file: &Hdf5File, path: &str) -> Result<Vec<i64>, IoError> {
    let table = file.table(&data(path), Numbers::Integer)?;
    let rows = table.shape.first().copied().unwrap_or(0);
    if table.shape.iter().product::<u64>() > MOST_VALUES {
        return Err(file.wrong(path, format!("values of shape {:?}; expected a few", table.shape)));
    }
    table.integers(0..rows)
}

/// The text of a node.
pub(super) fn text(file: &Hdf5File, path: &str) -> Result<String, IoError> {
    let bytes: Vec<u8> = integers(file, path)?.into_iter().map(|byte| byte as u8).collect();
    Ok(String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ']).to_string())
}

/// The text of a node, if it is there.
pub(super) fn text_if(file: &Hdf5File, path: &str) -> Result<Option<String>, IoError> {
    if file.has(path) { text(file, path).map(Some) } else { Ok(None) }
}
