//! Meshes in text: OP2's `new_grid.dat` and `FE_grid.dat`, and MG-CFD's `input.dat`.

use std::path::Path;

use cfd_io::format::MGCFD;
use cfd_mesh::DUAL_LEVELS;

use super::meshes;

/// Reads the input as a mesh in text. Beside it lie `m.level0.h5` and `m.level1.h5`, which an `input.dat` can name.
/// Where `several`, it is read on three ranks, too.
pub fn check(folder: &Path, data: &[u8], several: bool) {
    let input = folder.join("m.dat");
    if !folder.join("m.level0.h5").exists() {
        meshes::write_small(&DUAL_LEVELS, &MGCFD, &input);
    }
    std::fs::write(&input, data).expect("a folder for files");
    meshes::check_file(&input, several);
}
