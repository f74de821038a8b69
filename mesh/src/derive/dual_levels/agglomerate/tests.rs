//! Properties of agglomerates of any mesh.

use super::*;
use crate::derive::dual_levels::{closure_defect, level_name, levels};
use crate::generate::hexahedra::{Cuboid, Shape, Spec, cuboid, generate};
use crate::whole::{same_bits, whole};

fn wing(comm: &Comm) -> Mesh {
    generate(comm, &Spec { shape: Shape::Wing, size: [24, 9, 12], levels: 1 }).unwrap()
}

fn nodes(mesh: &Mesh) -> Vec<u64> {
    let set = |level| &mesh.sets[mesh.set(&level_name(level, "nodes")).unwrap()];
    (0..levels(mesh)).map(|level| set(level).rows).collect()
}

#[test]
fn agglomerated_levels_are_closed_and_shrink() {
    let comm = Comm::single();
    let mesh = agglomerate(&comm, wing(&comm), 3).unwrap();
    let worst = closure_defect(&comm, &mesh);
    assert!(worst.defect < 1e-13, "{worst:?}");
    for pair in nodes(&mesh).windows(2) {
        assert!(pair[0] > 4 * pair[1] && pair[0] < 16 * pair[1], "{pair:?}");
    }
}

#[test]
fn agglomerates_do_not_depend_on_the_ranks_and_replace_other_levels() {
    let mesh = |ranks| whole(Comm::simulate(ranks, |comm| agglomerate(&comm, wing(&comm), 3).unwrap()));
    let one = mesh(1);
    for ranks in [2, 3, 7] {
        assert!(same_bits(&mesh(ranks), &one), "{ranks} ranks");
    }
    let comm = Comm::single();
    let nested = generate(&comm, &Spec { shape: Shape::Wing, size: [24, 9, 12], levels: 2 }).unwrap();
    assert!(same_bits(&agglomerate(&comm, nested, 3).unwrap(), &one));
}

#[test]
fn every_node_is_within_two_edges_of_the_others_of_its_agglomerate_s_seed() {
    let comm = Comm::single();
    let mesh = cuboid(&comm, [9, 9, 9], 1, &Cuboid::default()).unwrap();
    let fine = DualLevel::finest(mesh);
    let (up, count) = select::agglomerates(&comm, &fine);
    let place = |node: usize| [node % 10, node / 10 % 10, node / 100];
    for agglomerate in 0..count {
        let children: Vec<_> = (0..up.len()).filter(|&n| up[n] == agglomerate).map(place).collect();
        let distance = |a: [usize; 3], b: [usize; 3]| -> usize { (0..3).map(|d| a[d].abs_diff(b[d])).sum() };
        let is_centre = |seed: &[usize; 3]| children.iter().all(|&child| distance(*seed, child) <= 2);
        assert!(children.iter().any(is_centre), "{children:?}");
        // A seed has all its neighbours.
        assert!(children.len() >= 4, "{children:?}");
    }
}

#[test]
fn more_levels_than_possible_are_refused_with_the_most() {
    let comm = Comm::single();
    let mesh = cuboid(&comm, [3, 3, 3], 1, &Cuboid::default()).unwrap();
    let message = agglomerate(&comm, mesh, 5).unwrap_err().to_string();
    assert!(message.contains("64 nodes cannot have 5 levels; 1 to "), "{message}");
}
