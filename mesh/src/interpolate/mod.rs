//! Values at points, interpolated from the nodes of a mesh of elements: the same on any ranks.
//!
//! ```text
//! mod (here)   elements of all ranks in turn
//! element      triangles or tetrahedra within an element
//! simplex      the point of one of them that is nearest to another
//! ```

mod element;
mod simplex;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use self::element::{Element, MOST, Nearest};
use crate::boxes::Boxes;
use crate::{ElementKind, ElementMesh};

/// Elements that a rank holds at a time, of all ranks together.
const HELD: u64 = 1 << 16;

/// The values at each of this rank's points of what the nodes of a mesh have, `width` numbers each, of which `values` is this
/// rank's block of nodes; as many for each point. Points have as many coordinates as the mesh. Collective.
///
/// Within triangles and tetrahedra values are linear; other elements are divided into such. So functions that are linear in
/// space are interpolated up to rounding. A point outside the mesh has the values of the nearest point of the mesh.
///
/// The elements of all ranks come by in rounds, so no rank holds more than its blocks and 65,536 elements; every rank looks at
/// every element. Of elements that are equally near, the first of the mesh counts, so neither ranks nor rounds do.
///
/// # Panics
/// If there is no element, `values` are not `width` for each node, or the mesh has another dimension.
pub fn interpolated<const DIM: usize>(
    comm: &Comm,
    mesh: &ElementMesh,
    width: usize,
    values: &[f64],
    points: &[[f64; DIM]],
) -> Vec<f64> {
    assert_eq!(mesh.dimension(), DIM, "coordinates of points in a mesh");
    assert_eq!(values.len() * DIM, mesh.x().len() * width, "{width} values of each node");
    let own = Own::elements(comm, mesh);
    let each = (HELD / comm.size() as u64).max(1) as usize;
    let rounds = comm.max(own.len().div_ceil(each) as u64) as usize;
    let mut best = vec![(f64::INFINITY, u64::MAX); points.len()];
    let mut found = vec![f64::NAN; width * points.len()];
    for round in 0..rounds {
        let at = |count: usize| own.len().min(count * each);
        let held =
            comm.all_gather(&words(comm, mesh, width, values, &own[at(round)..at(round + 1)])).concat();
        let rows: Vec<&[u64]> = held.chunks_exact(row(DIM, width)).collect();
        let boxes = Boxes::new(rows.iter().enumerate().map(|(at, row)| element::<DIM>(row, at)).collect());
        for ((point, best), found) in points.iter().zip(&mut best).zip(found.chunks_exact_mut(width)) {
            let mut nearest = (f64::INFINITY, u64::MAX, 0, [0.0; MOST]);
            boxes.nearest(*point, best.0, &mut |element| {
                let Nearest { square, shares } = element.place(*point);
                let id = rows[element.at][0];
                if (square, id) < (nearest.0, nearest.1) {
                    nearest = (square, id, element.at, shares);
                }
                square
            });
            let (square, id, at, shares) = nearest;
            if (square, id) < *best {
                *best = (square, id);
                let own = &rows[at][HEAD + MOST * DIM..];
                for (m, found) in found.iter_mut().enumerate() {
                    let value = |corner: usize| f64::from_bits(own[corner * width + m]);
                    *found = shares.iter().enumerate().map(|(corner, share)| share * value(corner)).sum();
                }
            }
        }
    }
    assert!(best.iter().all(|(square, _)| square.is_finite()), "a mesh without an element");
    found
}

/// One of this rank's elements: its number among all that fill the domain, its kind, its nodes, the first again for those that
/// it lacks.
struct Own {
    id: u64,
    kind: ElementKind,
    nodes: [u64; MOST],
}

impl Own {
    /// This rank's elements, kind by kind. Collective.
    fn elements(comm: &Comm, mesh: &ElementMesh) -> Vec<Own> {
        let (mut elements, mut before) = (Vec::new(), 0);
        for list in mesh.elements().iter().filter(|list| !list.boundary) {
            let (kind, rows) = (list.kind, Blocks::new(list.rows, comm.size()).range(comm.rank()));
            for (id, corners) in rows.zip(list.nodes.chunks_exact(kind.nodes())) {
                let node = |k: usize| corners.get(k).copied().unwrap_or(corners[0]);
                elements.push(Own { id: before + id, kind, nodes: std::array::from_fn(node) });
            }
            before += list.rows;
        }
        elements
    }
}

/// Words before the positions of an element's corners in a message: its number, its kind, its nodes.
const HEAD: usize = 2 + MOST;

/// Words of an element in a message.
fn row(dimension: usize, width: usize) -> usize {
    HEAD + MOST * (dimension + width)
}

/// Elements in a message: each with its number, kind, nodes, and positions and values of its corners. Collective.
fn words(comm: &Comm, mesh: &ElementMesh, width: usize, values: &[f64], elements: &[Own]) -> Vec<u64> {
    let (dimension, blocks) = (mesh.dimension(), mesh.node_blocks(comm));
    let nodes: Vec<u64> = elements.iter().flat_map(|element| element.nodes).collect();
    let x = fetch_rows(comm, blocks, dimension, mesh.x(), &nodes);
    let values = fetch_rows(comm, blocks, width, values, &nodes);
    let mut words = Vec::with_capacity(elements.len() * row(dimension, width));
    let corners = x.chunks_exact(MOST * dimension).zip(values.chunks_exact(MOST * width));
    for (Own { id, kind, nodes }, (x, values)) in elements.iter().zip(corners) {
        words.extend([*id, *kind as u64]);
        words.extend(nodes);
        words.extend(x.iter().chain(values).map(|value| value.to_bits()));
    }
    words
}

/// The element of a row of a message.
fn element<const DIM: usize>(row: &[u64], at: usize) -> Element<DIM> {
    let x = |corner: usize, axis: usize| f64::from_bits(row[HEAD + corner * DIM + axis]);
    Element {
        kind: ElementKind::ALL[row[1] as usize],
        nodes: std::array::from_fn(|k| row[2 + k]),
        corners: std::array::from_fn(|corner| std::array::from_fn(|axis| x(corner, axis))),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::element_box::{ElementBox, Filling};
    use crate::noise::noise;

    /// This rank's block of the values of functions at the nodes.
    fn at_nodes<const DIM: usize>(mesh: &ElementMesh, of: impl Fn([f64; DIM]) -> Vec<f64>) -> Vec<f64> {
        mesh.x().as_chunks::<DIM>().0.iter().flat_map(|x| of(*x)).collect()
    }

    fn points<const DIM: usize>(count: u64, lengths: [f64; 3]) -> Vec<[f64; DIM]> {
        let along = |k: u64, axis: usize| lengths[axis] * noise(101 * k + axis as u64).abs().fract();
        (0..count).map(|k| std::array::from_fn(|axis| along(k, axis))).collect()
    }

    fn linear<const DIM: usize>(x: [f64; DIM]) -> Vec<f64> {
        let sum: f64 = x.iter().zip([0.3, -1.7, 0.9]).map(|(x, slope)| slope * x).sum();
        vec![1.0 + sum, 5.0 - 2.0 * sum]
    }

    fn reproduces<const DIM: usize>(filling: Filling) {
        let cells = if DIM == 2 { [9, 7, 1] } else { [5, 4, 3] };
        let from = ElementBox { filling, cells, lengths: [1.5, 1.0, 0.5], distortion: 0.2 };
        let points = points::<DIM>(400, from.lengths);
        let expected: Vec<f64> = points.iter().flat_map(|x| linear(*x)).collect();
        let curved = |x: [f64; DIM]| vec![(7.0 * x[0]).sin() + x[1] * x[1]];
        let mut one_rank = Vec::new();
        for ranks in [1, 2, 3] {
            let found = Comm::simulate(ranks, |comm| {
                let mesh = from.mesh(&comm).unwrap();
                let own = Blocks::new(points.len() as u64, comm.size()).range(comm.rank());
                let own = &points[own.start as usize..own.end as usize];
                let values = at_nodes(&mesh, linear::<DIM>);
                let curved = at_nodes(&mesh, curved);
                let linear = interpolated(&comm, &mesh, 2, &values, own);
                (linear, interpolated(&comm, &mesh, 1, &curved, own))
            });
            let (linear, curved): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            let (linear, curved) = (linear.concat(), curved.concat());
            let off = linear.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-14, "{filling:?}: {off:e}");
            if ranks == 1 {
                one_rank = curved;
            } else {
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&curved), bits(&one_rank), "{filling:?}, {ranks} ranks");
            }
        }
    }

    #[test]
    fn linear_functions_are_reproduced_in_any_elements_and_bits_do_not_depend_on_ranks() {
        for filling in Filling::ALL {
            match filling.dimension() {
                2 => reproduces::<2>(filling),
                _ => reproduces::<3>(filling),
            }
        }
    }

    #[test]
    fn a_point_outside_has_the_value_of_the_nearest_point_of_the_mesh() {
        let filling = Filling::MixedSpace;
        let mesh = ElementBox { filling, cells: [3, 3, 2], lengths: [1.0; 3], distortion: 0.1 };
        let comm = Comm::single();
        let mesh = mesh.mesh(&comm).unwrap();
        let values = at_nodes(&mesh, |x: [f64; 3]| x.to_vec());
        let found = interpolated(&comm, &mesh, 3, &values, &[[0.3, 1.5, 0.4], [2.0, -1.0, 0.5], [9.0; 3]]);
        let expected = [0.3, 1.0, 0.4, 1.0, 0.0, 0.5, 1.0, 1.0, 1.0];
        let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-14, "{found:?}");
    }

    #[test]
    fn a_node_of_the_mesh_has_its_own_value() {
        let filling = Filling::MixedPlane;
        let mesh = ElementBox { filling, cells: [6, 5, 1], lengths: [1.0; 3], distortion: 0.2 };
        let comm = Comm::single();
        let mesh = mesh.mesh(&comm).unwrap();
        let values: Vec<f64> = (0..mesh.x().len() as u64 / 2).map(noise).collect();
        let found = interpolated(&comm, &mesh, 1, &values, mesh.x().as_chunks::<2>().0);
        let off = found.iter().zip(&values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-14, "{off:e}");
    }
}
