//! Meshes of mixed elements, with the data on them, as VTU files.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, MeshDat, Values};
use cfd_mesh::{ElementMesh, Elements};

use crate::IoError;
use crate::grid::{Array, Grid, on_cells};
use crate::vtu::write_vtu;

/// Writes a mesh of mixed elements and its dats for ParaView: `STEM.vtu`, or on several ranks `STEM-0000.vtu` and so on
/// and `STEM.pvtu`; returns the name of the file to open. Collective.
///
/// Elements of the domain and of the boundary are cells of one grid; the array `dimension` distinguishes them, `group`
/// has their groups, `global_id` numbers them. Every dat on nodes is an array on points, every dat on elements one on
/// cells; an array has its dat's name without the kind of element, so `triangle_p`, `quadrilateral_p` and
/// `boundary_line_p` are one array `p`. Missing values are NaN, or 0 for integers. Two values are padded to three, a
/// vector; dats without values are omitted.
///
/// # Errors
/// Dats whose arrays share a name but not type and size; [`IoError::Write`] if the file system refuses.
pub fn write_element_vtu(
    comm: &Comm,
    directory: &Path,
    stem: &str,
    mesh: &ElementMesh,
) -> Result<String, IoError> {
    let cell_data = cell_arrays(&mesh.mesh, &mesh.elements());
    let cell_data = cell_data.map_err(|what| IoError::file(&directory.join(stem), what))?;
    let on_cells = |array: Array| {
        let values = on_cells(comm, mesh, array.dim, &array.values);
        Array { values, ..array }.in_space()
    };
    let cell_data = cell_data.into_iter().map(on_cells).collect();
    let mut grid = Grid { cell_data, ..Grid::of_elements(comm, mesh, false) };
    let nodes = mesh.mesh.set("nodes").expect("a mesh of elements has nodes");
    for dat in mesh.mesh.dats.iter().filter(|dat| dat.set == nodes && dat.name != "x" && dat.dim > 0) {
        let (name, values) = (dat.name.clone(), dat.values.clone());
        grid.point_data.push(Array { name, dim: dat.dim, components: Vec::new(), values }.in_space());
    }
    let piece = grid.piece(comm);
    write_vtu(comm, directory, stem, &piece)
}

/// The arrays on all elements of this rank, in the order of `elements`, of all dats on elements.
fn cell_arrays(mesh: &Mesh, elements: &[Elements<'_>]) -> Result<Vec<Array>, String> {
    let rows = |of_kind: &Elements<'_>| of_kind.nodes.len() / of_kind.kind.nodes();
    let all: usize = elements.iter().map(rows).sum();
    let of_dimension = |of_kind: &Elements<'_>| vec![of_kind.kind.dimension() as i32; rows(of_kind)];
    let dimensions = Values::I32(elements.iter().flat_map(of_dimension).collect());
    // Each with the set that last contributed to it, so no set contributes twice.
    let dimension = Array { name: "dimension".into(), dim: 1, components: Vec::new(), values: dimensions };
    let mut arrays: Vec<(Array, usize)> = vec![(dimension, usize::MAX)];
    let mut before = 0;
    for of_kind in elements {
        for dat in mesh.dats.iter().filter(|dat| dat.set == of_kind.set && dat.dim > 0) {
            let name = array_name(dat, of_kind);
            if name == "global_id" || name == "dimension" {
                return Err(format!(
                    "the dat \"{}\" would be the array `{name}`, which every file has; rename it",
                    dat.name
                ));
            }
            let place = arrays.iter().position(|(array, _)| array.name == name).unwrap_or_else(|| {
                let values = match dat.values {
                    Values::F64(_) => Values::F64(vec![f64::NAN; all * dat.dim]),
                    Values::I32(_) => Values::I32(vec![0; all * dat.dim]),
                };
                let array = Array { name: name.into(), dim: dat.dim, components: Vec::new(), values };
                arrays.push((array, usize::MAX));
                arrays.len() - 1
            });
            let (array, last) = &mut arrays[place];
            if std::mem::replace(last, of_kind.set) == of_kind.set {
                return Err(format!(
                    "two dats on the {} would be the array `{name}`; rename one of them",
                    mesh.sets[dat.set].name
                ));
            }
            let range = before * dat.dim..(before + rows(of_kind)) * dat.dim;
            match (&mut array.values, &dat.values) {
                (Values::F64(to), Values::F64(from)) if array.dim == dat.dim => {
                    to[range].copy_from_slice(from)
                }
                (Values::I32(to), Values::I32(from)) if array.dim == dat.dim => {
                    to[range].copy_from_slice(from)
                }
                _ => {
                    return Err(format!(
                        "the dat \"{}\" would be part of the array `{name}`, but has another type or size than the \
                         dat that the array is made of; rename one of them",
                        dat.name
                    ));
                }
            }
        }
        before += rows(of_kind);
    }
    Ok(arrays.into_iter().map(|(array, _)| array).collect())
}

/// The name of a dat's array: its own without the kind of its elements.
fn array_name<'a>(dat: &'a MeshDat, of_kind: &Elements<'_>) -> &'a str {
    let name = if of_kind.boundary { dat.name.strip_prefix("boundary_") } else { Some(&dat.name[..]) };
    let name = name.and_then(|name| name.strip_prefix(of_kind.kind.name())?.strip_prefix('_'));
    name.filter(|name| !name.is_empty()).unwrap_or(&dat.name)
}
