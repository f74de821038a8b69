//! How fast mesh files of a million elements are read: `cargo bench -p cfd-io --bench reading [-- FILE...]`.
//!
//! Writes a square of a million triangles and a cube of a million tetrahedra in every format, or takes the files named, and
//! reads each five times on one rank. Prints the median time and the file's megabytes in a second.

use std::path::PathBuf;
use std::time::Instant;

use cfd_engine::comm::Comm;
use cfd_io::{IoError, read_element_mesh, write_element_mesh};
use cfd_mesh::ElementKind;
use cfd_mesh::generate::element_box::{ElementBox, Filling};

/// Writes the meshes into a folder.
fn written(folder: &std::path::Path) -> Result<Vec<PathBuf>, IoError> {
    let comm = Comm::single();
    let mut files = Vec::new();
    for (name, kind, cells, endings) in [
        ("plane", ElementKind::Triangle, [1000, 500, 1], &[".su2", ".msh", ".mesh", ".meshb"][..]),
        ("space", ElementKind::Tetrahedron, [60, 60, 47], &[".su2", ".msh", ".ugrid", ".lb8.ugrid", ".mesh"]),
    ] {
        let shape = ElementBox { distortion: 0.2, ..ElementBox::unit(Filling::Only(kind), cells) };
        let mesh = shape.mesh(&comm).expect("a size that is possible");
        for ending in endings {
            let path = folder.join(format!("{name}{ending}"));
            write_element_mesh(&comm, &mesh, &path)?;
            files.push(path);
        }
    }
    Ok(files)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named = std::env::args().skip(1).filter(|word| word != "--bench").map(PathBuf::from);
    let named: Vec<PathBuf> = named.collect();
    let folder = tempfile::tempdir()?;
    let files = if named.is_empty() { written(folder.path())? } else { named };
    for file in files {
        let mut seconds = Vec::new();
        for _ in 0..5 {
            let began = Instant::now();
            let mesh = read_element_mesh(&Comm::single(), &file)?;
            seconds.push(began.elapsed().as_secs_f64());
            assert!(mesh.dimension() > 1);
        }
        seconds.sort_by(f64::total_cmp);
        let (megabytes, median) = (std::fs::metadata(&file)?.len() as f64 / 1e6, seconds[2]);
        println!("{:<40} {megabytes:8.1} MB {median:7.3} s {:8.1} MB/s", file.display(), megabytes / median);
    }
    Ok(())
}
