//! Dual cells of boxes of every kind of element, and of the mesh that they come from.

use cfd_engine::mesh::Values;

use super::closure::closure_defect;
use super::dual::dual;
use super::level::{DualLevel, to_mesh};
use super::*;
use crate::generate::element_box::{ElementBox, Filling};
use crate::whole::{same_bits, whole};

fn shape(filling: Filling) -> ElementBox {
    ElementBox { filling, cells: [4, 5, 3], lengths: [2.0, 1.0, 1.5], distortion: 0.2 }
}

fn level(comm: &Comm, filling: Filling) -> DualLevel {
    dual(comm, &shape(filling).mesh(comm).unwrap(), Some).unwrap()
}

#[test]
fn dual_cells_fill_the_box_and_close_at_every_node_for_every_kind_of_element() {
    let comm = Comm::single();
    for filling in Filling::ALL {
        let dimension = filling.dimension();
        let level = level(&comm, filling);
        let volume: f64 = level.volumes.iter().sum();
        let expected: f64 = shape(filling).lengths[..dimension].iter().product();
        assert!((volume - expected).abs() < 1e-13, "{filling:?}: {volume}");
        assert!(level.volumes.iter().all(|&volume| volume > 0.0));
        // The area vectors of each side of the box, into it.
        let mut sides = [[0.0; 3]; 6];
        for (&group, w) in level.bnode_group.iter().zip(level.bnode_weights.chunks_exact(dimension)) {
            (0..dimension).for_each(|axis| sides[group as usize - 1][axis] += w[axis]);
        }
        for (side, sum) in sides[..2 * dimension].iter().enumerate() {
            // Groups are numbered by their names: x_max, x_min, ...
            let sign = if side % 2 == 0 { -1.0 } else { 1.0 };
            for axis in 0..dimension {
                let area =
                    if axis == side / 2 { sign * expected / shape(filling).lengths[axis] } else { 0.0 };
                assert!((sum[axis] - area).abs() < 1e-13, "{filling:?}, side {side}: {sum:?}");
            }
        }
        let worst = closure_defect(&comm, &to_mesh(vec![level], Vec::new()));
        assert!(worst.defect < 1e-14, "{filling:?}: {worst:?}");
    }
}

#[test]
fn a_dual_mesh_is_the_same_on_any_number_of_ranks() {
    for filling in Filling::ALL {
        let mesh = |comm: &Comm| to_mesh(vec![level(comm, filling)], Vec::new());
        let one = mesh(&Comm::single());
        for ranks in [2, 5] {
            let parts = Comm::simulate(ranks, |comm| mesh(&comm));
            assert!(same_bits(&one, &whole(parts)), "{filling:?} on {ranks} ranks");
        }
    }
}

#[test]
fn edges_of_a_regular_grid_have_the_faces_of_its_cells() {
    let filling = Filling::Only(crate::ElementKind::Hexahedron);
    let shape = ElementBox::unit(filling, [4, 4, 4]);
    let level = dual(&Comm::single(), &shape.mesh(&Comm::single()).unwrap(), Some).unwrap();
    assert_eq!(level.edges, 3 * 4 * 5 * 5);
    let inner = 2 + 5 * (2 + 5 * 2);
    let faces = level.edge_nodes.chunks_exact(2).zip(level.edge_weights.chunks_exact(3));
    let mut found = 0;
    for (ends, w) in faces.filter(|(ends, _)| ends.contains(&inner)) {
        let axis = match ends[1] - ends[0] {
            1 => 0,
            5 => 1,
            _ => 2,
        };
        for k in 0..3 {
            let expected = if k == axis { 1.0 / 16.0 } else { 0.0 };
            assert!((w[k] - expected).abs() < 1e-16, "{ends:?}: {w:?}");
        }
        found += 1;
    }
    assert_eq!(found, 6);
}

#[test]
fn levels_of_a_box_of_any_elements_close_and_lead_to_each_other() {
    let comm = Comm::single();
    for filling in [Filling::Only(crate::ElementKind::Tetrahedron), Filling::MixedSpace] {
        let elements = ElementBox::unit(filling, [6, 6, 6]).mesh(&comm).unwrap();
        let boundaries = crate::Named::default();
        let request = Request { boundaries: &boundaries, levels: 3.into() };
        let mesh = DUAL_LEVELS.derive(&comm, &elements, &request).unwrap();
        DUAL_LEVELS.check(&comm, &mesh, &[]).unwrap();
        assert_eq!(levels(&mesh), 3);
        assert!(closure_defect(&comm, &mesh).defect < 1e-13);
        let Values::F64(x) = &mesh.dats[mesh.dat("level2/x").unwrap()].values else { panic!("coordinates") };
        assert!(x.iter().all(|x| (0.0..=1.0).contains(x)));
    }
}
