//! Dual meshes of boxes of every kind of element: volumes, closed cells, exact fluxes, the same on any ranks.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::DUAL;
use crate::generate::element_box::{ElementBox, Filling, SIDES};
use crate::whole::{same_bits, whole};
use crate::{Boundaries, BoundaryKind, ElementKind, ElementMesh, Given, Prepared, Request};

const KINDS: [BoundaryKind; 2] = [
    BoundaryKind { name: "wall", flag: 1, known: &["x_min", "y_min", "z_min"], meaning: "walls" },
    BoundaryKind { name: "open", flag: 2, known: &["x_max", "y_max", "z_max"], meaning: "open boundaries" },
];

fn shape(filling: Filling) -> ElementBox {
    ElementBox { filling, cells: [4, 5, 3], lengths: [2.0, 1.0, 1.5], distortion: 0.2 }
}

fn dual(comm: &Comm, filling: Filling) -> Mesh {
    let given = Given::Elements(shape(filling).mesh(comm).unwrap());
    let prepared = given.prepare(comm, &[&DUAL], &Boundaries::new(&KINDS), 1).unwrap();
    assert_eq!(DUAL.check(comm, &prepared.mesh, &KINDS), Ok(()), "{filling:?}");
    prepared.mesh
}

fn numbers<'a>(mesh: &'a Mesh, name: &str) -> (usize, &'a [f64]) {
    let dat = &mesh.dats[mesh.dat(name).unwrap_or_else(|| panic!("{name}"))];
    let Values::F64(values) = &dat.values else { panic!("{name} is of numbers") };
    (dat.dim, values)
}

fn rows<'a>(mesh: &'a Mesh, name: &str) -> &'a [u64] {
    &mesh.maps[mesh.map(name).unwrap_or_else(|| panic!("{name}"))].rows
}

/// A linear vector field: F_i = c_i + sum of g_ij x_j.
fn field(x: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|i| 0.3 + i as f64 + (0..x.len()).map(|j| gradient(i, j) * x[j]).sum::<f64>()).collect()
}

fn gradient(i: usize, j: usize) -> f64 {
    [[0.7, -1.1, 0.4], [1.3, 0.2, -0.9], [-0.5, 0.8, 1.9]][i][j]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn fluxes_of_a_linear_field_through_edges_and_boundary_faces_are_exact_at_every_node() {
    for filling in Filling::ALL {
        let mesh = dual(&Comm::single(), filling);
        let (dim, x) = numbers(&mesh, "x");
        let (_, volumes) = numbers(&mesh, "volume");
        let at = |node: u64| &x[dim * node as usize..][..dim];
        let mut sums = vec![0.0; volumes.len()];
        let moments = mesh.dat("edge_moments").map(|_| numbers(&mesh, "edge_moments").1);
        assert_eq!(moments.is_none(), matches!(filling, Filling::Only(kind) if kind.nodes() == dim + 1));
        let areas = numbers(&mesh, "edge_area").1.chunks_exact(dim);
        for (edge, (ends, area)) in rows(&mesh, "edge_nodes").chunks_exact(2).zip(areas).enumerate() {
            let middle: Vec<f64> = (0..dim).map(|k| 0.5 * (at(ends[0])[k] + at(ends[1])[k])).collect();
            let more = moments.map_or(0.0, |moments| {
                let entry = |k: usize| gradient(k % dim, k / dim) * moments[dim * dim * edge + k];
                (0..dim * dim).map(entry).sum()
            });
            let flux = dot(&field(&middle), area) + more;
            sums[ends[0] as usize] += flux;
            sums[ends[1] as usize] -= flux;
        }
        for kind in KINDS {
            let (width, shares) = numbers(&mesh, &format!("{}_middle", kind.name));
            let areas = numbers(&mesh, &format!("{}_area", kind.name)).1.chunks_exact(dim);
            let rings = rows(&mesh, &format!("{}_nodes", kind.name)).chunks_exact(width);
            for ((ring, shares), area) in rings.zip(shares.chunks_exact(width)).zip(areas) {
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-15);
                let point: Vec<f64> = (0..dim)
                    .map(|k| ring.iter().zip(shares).map(|(&node, s)| s * at(node)[k]).sum())
                    .collect();
                sums[ring[0] as usize] += dot(&field(&point), area);
            }
        }
        let divergence: f64 = (0..dim).map(|k| gradient(k, k)).sum();
        for (node, (sum, volume)) in sums.iter().zip(volumes).enumerate() {
            let off = (sum / volume - divergence).abs();
            assert!(off < 1e-11, "{filling:?}, node {node} at {:?}: off by {off:e}", at(node as u64));
        }
        let expected: f64 = shape(filling).lengths[..dim].iter().product();
        assert!((volumes.iter().sum::<f64>() - expected).abs() < 1e-13, "{filling:?}");
    }
}

/// Couplings of simplices are the integrals of -grad phi_a . grad phi_b: so the sum over a node's edges of coupling times the
/// difference of a linear function is 0 at inner nodes, and that of its squares over all edges, V |g|^2.
#[test]
fn simplices_couple_their_nodes_as_linear_finite_elements_do() {
    for kind in [ElementKind::Triangle, ElementKind::Tetrahedron] {
        let mesh = dual(&Comm::single(), Filling::Only(kind));
        let (dim, x) = numbers(&mesh, "x");
        let at = |node: u64| &x[dim * node as usize..][..dim];
        let linear = |node: u64| dot(&[0.7, -1.1, 0.4][..dim], at(node));
        let mut sums = vec![0.0; x.len() / dim];
        let mut squares = 0.0;
        let ends = rows(&mesh, "edge_nodes").as_chunks::<2>().0;
        for (&[a, b], coupling) in ends.iter().zip(numbers(&mesh, "edge_coupling").1) {
            let difference = linear(b) - linear(a);
            sums[a as usize] += coupling * difference;
            sums[b as usize] -= coupling * difference;
            squares += coupling * difference * difference;
        }
        let lengths = shape(Filling::Only(kind)).lengths;
        let is_inner =
            |node: &usize| (0..dim).all(|j| (1e-9..lengths[j] - 1e-9).contains(&at(*node as u64)[j]));
        let inner: Vec<usize> = (0..sums.len()).filter(is_inner).collect();
        assert!(
            !inner.is_empty() && inner.iter().all(|&node| sums[node].abs() < 1e-13),
            "{kind:?}: {sums:?}"
        );
        let slope2: f64 = [0.49, 1.21, 0.16][..dim].iter().sum();
        let expected = numbers(&mesh, "volume").1.iter().sum::<f64>() * slope2;
        assert!((squares - expected).abs() < 1e-12, "{kind:?}: {squares}, not {expected}");
    }
}

/// Those of other elements are A . d / |d|^2.
#[test]
fn other_elements_couple_the_ends_of_edges_by_the_faces_between_them() {
    for kind in
        [ElementKind::Quadrilateral, ElementKind::Pyramid, ElementKind::Prism, ElementKind::Hexahedron]
    {
        let mesh = dual(&Comm::single(), Filling::Only(kind));
        let (dim, x) = numbers(&mesh, "x");
        let ends = rows(&mesh, "edge_nodes").as_chunks::<2>().0;
        let areas = numbers(&mesh, "edge_area").1.chunks_exact(dim);
        for ((ends, area), found) in ends.iter().zip(areas).zip(numbers(&mesh, "edge_coupling").1) {
            let [a, b] = ends.map(|node| &x[dim * node as usize..][..dim]);
            let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
            let expected = dot(area, &d) / dot(&d, &d);
            assert!((found - expected).abs() < 1e-13, "{kind:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn boundary_faces_know_their_boundary_and_point_outwards() {
    for filling in Filling::ALL {
        let mesh = dual(&Comm::single(), filling);
        let dim = filling.dimension();
        let lengths = &shape(filling).lengths[..dim];
        let mut sides = vec![vec![0.0; dim]; 2 * dim];
        for kind in KINDS {
            let boundary = &mesh.dats[mesh.dat(&format!("{}_boundary", kind.name)).unwrap()].values;
            let Values::I32(boundary) = boundary else { panic!("boundaries are numbers") };
            let areas = numbers(&mesh, &format!("{}_area", kind.name)).1.chunks_exact(dim);
            for (&number, area) in boundary.iter().zip(areas) {
                // Numbers count names in their order.
                let side = number as usize - 1;
                let axis = SIDES[side].starts_with(["x", "y", "z"][side / 2]);
                assert!(axis, "{filling:?}: {number}");
                (0..dim).for_each(|k| sides[2 * (side / 2) + usize::from(kind.name == "open")][k] += area[k]);
            }
        }
        for (side, sum) in sides.iter().enumerate() {
            let area: f64 = lengths.iter().product::<f64>() / lengths[side / 2];
            for (axis, value) in sum.iter().enumerate() {
                let outward = if side % 2 == 0 { -area } else { area };
                let expected = if axis == side / 2 { outward } else { 0.0 };
                assert!((value - expected).abs() < 1e-13, "{filling:?}, side {side}: {sum:?}");
            }
        }
    }
}

#[test]
fn a_dual_mesh_is_the_same_on_any_number_of_ranks() {
    for filling in Filling::ALL {
        let one = dual(&Comm::single(), filling);
        for ranks in [2, 5] {
            let parts = Comm::simulate(ranks, |comm| dual(&comm, filling));
            assert!(same_bits(&one, &whole(parts)), "{filling:?} on {ranks} ranks");
        }
    }
}

#[test]
fn a_dual_mesh_leads_back_to_elements_that_give_it_again_on_any_ranks() {
    let elements = DUAL.elements.unwrap();
    let on_boundary = |mesh: &ElementMesh| -> u64 {
        mesh.elements().iter().filter(|list| list.boundary).map(|list| list.rows).sum()
    };
    for filling in Filling::ALL {
        let expected = dual(&Comm::single(), filling);
        for ranks in [1, 3] {
            let again = Comm::simulate(ranks, |comm| {
                let given = shape(filling).mesh(&comm).unwrap();
                let count = on_boundary(&given);
                let prepared = Given::Elements(given).prepare(&comm, &[&DUAL], &Boundaries::new(&KINDS), 1);
                let Prepared { mesh, boundaries, .. } = prepared.unwrap();
                let back = elements(&comm, &mesh);
                assert_eq!(on_boundary(&back), count, "{filling:?}");
                DUAL.derive(&comm, &back, &Request { boundaries: &boundaries, levels: 1.into() }).unwrap()
            });
            assert!(same_bits(&whole(again), &expected), "{filling:?} on {ranks} ranks");
        }
    }
}
