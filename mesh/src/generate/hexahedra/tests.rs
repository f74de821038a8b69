//! Properties of every generated mesh, on every level.

use cfd_engine::mesh::Values;

use super::*;
use crate::derive::dual_levels::level::{self, DualLevel};
use crate::derive::dual_levels::levels;
use crate::whole::{same_bits, whole};
use crate::{closure_defect, smallest_volume};

fn crooked() -> Cuboid {
    Cuboid { lengths: [2.0, 1.0, 3.0], distortion: 0.2, groups: [3, 4, 2, 2, 1, 0] }
}

fn numbers<'a>(mesh: &'a Mesh, level: usize, name: &str) -> &'a [f64] {
    let Values::F64(v) = &mesh.dats[mesh.dat(&level_name(level, name)).unwrap()].values else {
        panic!("numbers are f64")
    };
    v
}

fn targets<'a>(mesh: &'a Mesh, level: usize, name: &str) -> &'a [u64] {
    &mesh.maps[mesh.map(&level_name(level, name)).unwrap()].rows
}

/// Volumes of all levels' dual cells, on one rank.
fn all_volumes(mesh: &Mesh) -> Vec<Vec<f64>> {
    let nodes = |level| mesh.sets[mesh.set(&level_name(level, "nodes")).unwrap()].rows;
    let finest = level::volumes(&Comm::single(), &DualLevel::finest(mesh.clone()));
    let mut volumes = vec![finest];
    for level in 1..levels(mesh) {
        let mut coarse = vec![0.0; nodes(level) as usize];
        for (volume, &up) in volumes[level - 1].iter().zip(targets(mesh, level - 1, "node_mg_node")) {
            coarse[up as usize] += volume;
        }
        volumes.push(coarse);
    }
    volumes
}

#[test]
fn dual_cells_of_a_crooked_cuboid_close_on_every_level() {
    let comm = Comm::single();
    let mesh = cuboid(&comm, [9, 6, 12], 2, &crooked()).unwrap();
    let worst = closure_defect(&comm, &mesh);
    assert!(worst.defect < 1e-13, "{worst:?}");
}

#[test]
fn dual_cells_fill_the_cuboid_on_every_level() {
    let mesh = cuboid(&Comm::single(), [9, 6, 12], 2, &crooked()).unwrap();
    for volumes in all_volumes(&mesh) {
        assert!(volumes.iter().all(|&v| v > 0.0));
        let sum: f64 = volumes.iter().sum();
        assert!((sum - 6.0).abs() < 1e-13 * 6.0, "{sum}");
    }
}

#[test]
fn a_mesh_does_not_depend_on_the_ranks() {
    let wing = Spec { shape: Shape::Wing, size: [8, 4, 6], levels: 2 };
    let bump = Spec { shape: Shape::Bump, size: [4, 3, 4], levels: 2 };
    let meshes = |ranks| {
        let mut parts = [const { Vec::new() }; 3];
        for made in Comm::simulate(ranks, |comm| {
            let crooked = cuboid(&comm, [3, 3, 4], 2, &crooked()).unwrap();
            let [wing, bump] = [wing, bump].map(|spec| generate(&comm, &spec).unwrap());
            [crooked, wing, bump]
        }) {
            parts.iter_mut().zip(made).for_each(|(parts, mesh)| parts.push(mesh));
        }
        parts.map(whole)
    };
    let one = meshes(1);
    for ranks in [2, 3, 7, 20] {
        let same = meshes(ranks).iter().zip(&one).all(|(mesh, one)| same_bits(mesh, one));
        assert!(same, "{ranks} ranks");
    }
}

fn shapes() -> [Spec; 3] {
    [
        Spec { shape: Shape::Wing, size: [32, 12, 16], levels: 3 },
        Spec { shape: Shape::Bump, size: [16, 9, 5], levels: 2 },
        Spec { shape: Shape::Box, size: [8, 9, 11], levels: 3 },
    ]
}

#[test]
fn dual_cells_of_every_shape_are_closed_and_positive_on_every_level() {
    let comm = Comm::single();
    for spec in shapes() {
        let mesh = generate(&comm, &spec).unwrap();
        let worst = closure_defect(&comm, &mesh);
        assert!(worst.defect < 1e-13, "{spec:?}: {worst:?}");
        for (level, volumes) in all_volumes(&mesh).into_iter().enumerate() {
            let worst = volumes.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            assert!(worst.1 > 0.0, "{spec:?}, level {level}: {worst:?}");
            if level == 0 {
                assert_eq!(smallest_volume(&comm, &mesh), (worst.0 as u64, worst.1));
            }
        }
    }
}

#[test]
fn coarse_nodes_are_means_of_blocks_and_coarse_faces_sums_of_fine_ones() {
    let mesh = generate(&Comm::single(), &Spec { shape: Shape::Wing, size: [16, 7, 8], levels: 3 }).unwrap();
    let volumes = all_volumes(&mesh);
    for level in 0..2 {
        let up = targets(&mesh, level, "node_mg_node");
        let (fine, coarse) = (numbers(&mesh, level, "x"), numbers(&mesh, level + 1, "x"));
        let mut means = vec![0.0; coarse.len()];
        for (node, &up) in up.iter().enumerate() {
            for d in 0..3 {
                means[3 * up as usize + d] += volumes[level][node] * fine[3 * node + d];
            }
        }
        for (k, (mean, x)) in means.iter().zip(coarse).enumerate() {
            assert!((mean / volumes[level + 1][k / 3] - x).abs() < 1e-13 * (1.0 + x.abs()), "level {level}");
        }
        let sum_of = |level, a: u64, b: u64, of: &dyn Fn(u64) -> u64| {
            let edges = targets(&mesh, level, "edge_nodes").chunks_exact(2);
            let mut sum = [0.0; 3];
            for (ends, w) in edges.zip(numbers(&mesh, level, "edge_weights").chunks_exact(3)) {
                let sign = match (of(ends[0]), of(ends[1])) {
                    (c, d) if (c, d) == (a, b) => 1.0,
                    (c, d) if (c, d) == (b, a) => -1.0,
                    _ => continue,
                };
                sum.iter_mut().zip(w).for_each(|(sum, w)| *sum += sign * w);
            }
            sum
        };
        for ends in targets(&mesh, level + 1, "edge_nodes").chunks_exact(2).step_by(7) {
            let [fine, coarse] = [
                sum_of(level, ends[0], ends[1], &|node| up[node as usize]),
                sum_of(level + 1, ends[0], ends[1], &|node| node),
            ];
            assert_eq!(fine, coarse, "level {level}, {ends:?}");
        }
    }
}

#[test]
fn impossible_sizes_and_levels_are_refused_with_what_is_possible() {
    let message = |shape, size, levels| {
        generate(&Comm::single(), &Spec { shape, size, levels }).unwrap_err().to_string()
    };
    let m = message(Shape::Box, [7, 7, 3], 3);
    assert!(m.contains("7 x 7 x 3 hexahedra cannot have 3 levels; 1 to 2 are possible"), "{m}");
    assert!(message(Shape::Box, [0, 4, 4], 1).contains("at least 1"));
    assert!(message(Shape::Box, [4, 4, 4], 0).contains("are possible"));
    assert!(message(Shape::Wing, [9, 4, 4], 1).contains("even"));
    assert!(message(Shape::Wing, [2, 4, 4], 1).contains("the first at least 4"));
    assert!(message(Shape::Wing, [8, 4, 1], 1).contains("at least 2 along the span"));
    assert!(message(Shape::Bump, [1 << 20, 1 << 20, 4], 1).contains("too large for 1 ranks"));
    let comm = Comm::single();
    let crooked = |distortion| cuboid(&comm, [4, 4, 4], 1, &Cuboid { distortion, ..Cuboid::default() });
    assert!(crooked(0.25).unwrap_err().to_string().contains("below 0.25"));
    assert!("cube".parse::<Shape>().unwrap_err().to_string().contains("\"wing\""));
}

#[test]
fn the_body_has_two_sides_of_the_planform_and_the_symmetry_plane_faces_the_wing() {
    let mesh = generate(&Comm::single(), &Spec { shape: Shape::Wing, size: [48, 8, 24], levels: 2 }).unwrap();
    for level in 0..2 {
        let dat = &mesh.dats[mesh.dat(&level_name(level, "bnode_group")).unwrap()];
        let Values::I32(groups) = &dat.values else { panic!("groups are integers") };
        let (mut up, mut down) = (0.0, 0.0);
        for (&group, w) in groups.iter().zip(numbers(&mesh, level, "bnode_weights").chunks_exact(3)) {
            match group {
                // Into the domain means away from the body.
                BODY if w[1] > 0.0 => up += w[1],
                BODY => down -= w[1],
                SYMMETRY => assert!(w[2] > 0.0 && w[0].abs() + w[1].abs() < 1e-12 * w[2], "{w:?}"),
                _ => assert_eq!(group, FAR_FIELD),
            }
        }
        let planform = 1.1963 * 0.8059 * (1.0 + 0.562) / 2.0;
        // At the ends of the chord and the span a node has faces on both sides, whose vectors nearly cancel out.
        let tolerance = if level == 0 { 0.03 } else { 0.1 };
        assert!((up / planform - 1.0).abs() < tolerance && (down / up - 1.0).abs() < 1e-2, "{up} {down}");
    }
}

/// A ring of nodes that begins with its lowest.
fn from_lowest(mut ring: Vec<u64>) -> Vec<u64> {
    let lowest = (0..ring.len()).min_by_key(|&at| ring[at]).unwrap();
    ring.rotate_left(lowest);
    ring
}

#[test]
fn hexahedra_that_are_shown_fill_the_mesh_and_the_sides_of_only_one_are_its_boundary() {
    use crate::ElementKind::Hexahedron;
    for spec in shapes() {
        let given = given(&Comm::single(), &spec).unwrap();
        let Given::Derived { mesh, elements: Some(elements), .. } = given else {
            panic!("a mesh with elements")
        };
        let lists = elements.elements();
        let [cells, faces] = &lists[..] else { panic!("hexahedra and sides") };
        assert_eq!(cells.rows, spec.size.iter().product::<u64>());
        let x = numbers(&mesh, 0, "x");
        let at = |node: &u64| &x[3 * *node as usize..][..3];
        let (mut volume, mut sides) = (0.0, Vec::new());
        for cell in cells.nodes.chunks_exact(8) {
            let own = Hexahedron.measure(3, &cell.iter().flat_map(at).copied().collect::<Vec<f64>>());
            assert!(own > 0.0, "{spec:?}: {cell:?}");
            volume += own;
            sides.extend(Hexahedron.faces().iter().map(|face| {
                let ring: Vec<u64> = face.iter().map(|&corner| cell[corner]).collect();
                let mut nodes = ring.clone();
                nodes.sort_unstable();
                (nodes, from_lowest(ring))
            }));
        }
        let all: f64 = all_volumes(&mesh)[0].iter().sum();
        assert!((volume / all - 1.0).abs() < 1e-2, "{spec:?}: {volume} of {all}");
        sides.sort_unstable();
        let single = sides.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
        let mut single: Vec<Vec<u64>> = single.map(|side| side[0].1.clone()).collect();
        single.sort_unstable();
        let mut shown: Vec<Vec<u64>> =
            faces.nodes.chunks_exact(4).map(|face| from_lowest(face.to_vec())).collect();
        shown.sort_unstable();
        assert!(single == shown && faces.groups.len() as u64 == faces.rows, "{spec:?}");
        let body = faces.groups.iter().filter(|&&group| group == BODY + 1).count() as u64;
        let on_wing = if spec.shape == Shape::Wing { spec.size[0] * wing::tip(spec.size[2]) } else { 0 };
        assert_eq!(body, on_wing, "{spec:?}");
    }
}
