//! Numbers of a mesh file, and what can be wrong with a mesh.

use std::fmt;
use std::str::FromStr;

/// What is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshError(pub(crate) String);

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MeshError {}

/// The next `N` numbers.
pub(crate) fn row<'a, T: FromStr + Copy + Default, const N: usize>(
    words: &mut impl Iterator<Item = (usize, &'a str)>,
    what: &str,
) -> Result<[T; N], MeshError> {
    let mut row = [T::default(); N];
    for value in &mut row {
        let (at, word) = words.next().ok_or_else(|| MeshError(format!("the file ends inside a {what}")))?;
        *value =
            word.parse().map_err(|_| MeshError(format!("word {at} ({word:?}) is no number of a {what}")))?;
    }
    Ok(row)
}

/// Refuses indices of `rows` or more.
pub(crate) fn within<const N: usize>(name: &str, map: &[[u32; N]], rows: usize) -> Result<(), MeshError> {
    match map.iter().position(|targets| targets.iter().any(|&t| t as usize >= rows)) {
        None => Ok(()),
        Some(at) => Err(MeshError(format!("{name}: row {at} is {:?}, but there are {rows} rows", map[at]))),
    }
}
