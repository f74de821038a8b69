//! Meshes of mixed elements, with the data on them, as VTU files.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, MeshDat, Values, fetch_rows};
use cfd_mesh::{ElementMesh, Elements};

use crate::IoError;
use crate::vtu::{Array, Piece, write_vtu};

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
    let elements = mesh.elements();
    let cell_data = cell_arrays(&mesh.mesh, &elements);
    let cell_data = cell_data.map_err(|what| IoError::file(&directory.join(stem), what))?;
    let mut ids: Vec<u64> = elements.iter().flat_map(|of_kind| of_kind.nodes).copied().collect();
    ids.sort_unstable();
    ids.dedup();
    assert!(u32::try_from(ids.len()).is_ok(), "fewer than 2^32 nodes on a rank");
    let local = |node: &u64| ids.binary_search(node).expect("every node of an element") as u32;

    let dimension = mesh.dimension();
    let nodes = mesh.mesh.set("nodes").expect("a mesh of elements has nodes");
    let blocks = mesh.mesh.blocks(nodes, comm);
    let x = fetch_rows(comm, blocks, dimension, mesh.x(), &ids);
    let mut piece = Piece {
        points: x.chunks_exact(dimension).map(|x| [x[0], x[1], x.get(2).copied().unwrap_or(0.0)]).collect(),
        cell_data,
        ..Piece::default()
    };
    let mut before = 0;
    for of_kind in &elements {
        let own = mesh.mesh.blocks(of_kind.set, comm).range(comm.rank());
        let cells = of_kind.nodes.chunks_exact(of_kind.kind.nodes());
        piece.kinds.extend(cells.clone().map(|_| of_kind.kind));
        piece.cells.extend(cells.map(|cell| cell.iter().map(local).collect::<Vec<u32>>()));
        piece.global_ids.extend(own.map(|row| before + row));
        before += of_kind.rows;
    }
    for dat in mesh.mesh.dats.iter().filter(|dat| dat.set == nodes && dat.name != "x" && dat.dim > 0) {
        let values = match &dat.values {
            Values::F64(v) => Values::F64(fetch_rows(comm, blocks, dat.dim, v, &ids)),
            Values::I32(v) => Values::I32(fetch_rows(comm, blocks, dat.dim, v, &ids)),
        };
        let array = Array { name: dat.name.clone(), dim: dat.dim, components: Vec::new(), values };
        piece.point_data.push(array.in_space());
    }
    write_vtu(comm, directory, stem, &piece)
}

/// The arrays on all cells of this rank, in the order of `elements`, of all dats on elements.
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
    Ok(arrays.into_iter().map(|(array, _)| array.in_space()).collect())
}

/// The name of a dat's array: its own without the kind of its elements.
fn array_name<'a>(dat: &'a MeshDat, of_kind: &Elements<'_>) -> &'a str {
    let name = if of_kind.boundary { dat.name.strip_prefix("boundary_") } else { Some(&dat.name[..]) };
    let name = name.and_then(|name| name.strip_prefix(of_kind.kind.name())?.strip_prefix('_'));
    name.filter(|name| !name.is_empty()).unwrap_or(&dat.name)
}
