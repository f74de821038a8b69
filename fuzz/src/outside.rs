//! Meshes of other programs: Gmsh's format 4.1, text and binary, and SU2's.

use std::path::Path;

use super::meshes;

/// Reads the input as a mesh of Gmsh or SU2; where `several`, on three ranks, too. Boundaries are known by their names.
pub fn check(folder: &Path, data: &[u8], several: bool) {
    let input = folder.join("m.msh");
    std::fs::write(&input, data).expect("a folder for files");
    meshes::check_file(&input, several);
}
