//! Boundaries that match, on any ranks, and those that do not.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::{Motion, PERIODIC, Periodic, USUAL_TOLERANCE};
use crate::generate::element_box::{ElementBox, Filling};
use crate::whole::{same_bits, whole};
use crate::{
    Boundaries, BoundaryKind, CELL_EDGES, DUAL, Derived, ElementKind, ElementMesh, ElementMeshBuilder, Given,
};

const KINDS: &[BoundaryKind] = &[
    BoundaryKind { name: PERIODIC, flag: 1, known: &[], meaning: "periodic boundaries" },
    BoundaryKind {
        name: "wall",
        flag: 2,
        known: &["x_min", "x_max", "y_min", "y_max", "z_min", "z_max", "inner", "outer", "start", "end"],
        meaning: "walls",
    },
];

fn pair(first: &str, second: &str, motion: Motion) -> Periodic {
    Periodic { names: [first.into(), second.into()], motion, tolerance: USUAL_TOLERANCE }
}

fn found(first: &str, second: &str) -> Periodic {
    pair(first, second, Motion::Translation(None))
}

fn derived(
    comm: &Comm,
    mesh: ElementMesh,
    needs: &'static Derived,
    pairs: &[Periodic],
) -> Result<Mesh, String> {
    let boundaries = pairs.iter().cloned().fold(Boundaries::new(KINDS), Boundaries::pair);
    let prepared = Given::Elements(mesh).prepare(comm, &[needs], &boundaries, 1);
    prepared.map(|prepared| prepared.mesh).map_err(|error| error.to_string())
}

/// The same on any ranks.
fn on_ranks(
    mesh: impl Fn(&Comm) -> ElementMesh + Sync,
    needs: &'static Derived,
    pairs: &[Periodic],
) -> Result<Mesh, String> {
    let run = |ranks: usize| -> Result<Mesh, String> {
        let parts = Comm::simulate(ranks, |comm| derived(&comm, mesh(&comm), needs, pairs));
        parts.into_iter().collect::<Result<Vec<_>, _>>().map(whole)
    };
    let one = run(1);
    for ranks in [2, 3, 5] {
        match (&one, run(ranks)) {
            (Ok(one), Ok(other)) => assert!(same_bits(one, &other), "{ranks} ranks"),
            (one, other) => assert_eq!(one.as_ref().err(), other.as_ref().err(), "{ranks} ranks"),
        }
    }
    one
}

fn box_of(filling: Filling, cells: [u64; 3]) -> impl Fn(&Comm) -> ElementMesh + Sync {
    move |comm| ElementBox { filling, cells, lengths: [1.2, 0.9, 0.7], distortion: 0.2 }.mesh(comm).unwrap()
}

#[test]
fn corners_of_periodic_boxes_are_one_node() {
    let pairs = [found("x_min", "x_max"), found("y_max", "y_min"), found("z_min", "z_max")];
    let plane = on_ranks(box_of(Filling::MixedPlane, [4, 3, 1]), &DUAL, &pairs[..2]).unwrap();
    // Of 5 x 4 nodes, 4 x 3 differ.
    assert_eq!((plane.count("nodes"), plane.count("copies")), (20, 8));
    assert_eq!(plane.count("copy_edges"), 3 + 4);
    let copies = plane.targets("copy_nodes").as_chunks::<2>().0;
    let of_corner: Vec<u64> = copies.iter().filter(|[node, _]| *node == 0).map(|pair| pair[1]).collect();
    assert_eq!(of_corner, [4, 15, 19]);
    assert!(plane.set(PERIODIC).is_none() && plane.set("wall").is_none());
    for kind in [ElementKind::Tetrahedron, ElementKind::Pyramid, ElementKind::Hexahedron] {
        let filled = |cells| box_of(Filling::Only(kind), cells);
        let space = on_ranks(filled([3, 2, 2]), &DUAL, &pairs).unwrap();
        assert_eq!(space.count("copies"), 4 * 3 * 3 - 3 * 2 * 2);
        if kind == ElementKind::Hexahedron {
            // Each of the nodes that differ begins an edge along each axis.
            let edges = 3 * 3 * 3 + 4 * 2 * 3 + 4 * 3 * 2;
            assert_eq!(space.count("copy_edges"), edges - 3 * (3 * 2 * 2));
        }
        let walls = on_ranks(filled([3, 2, 2]), &DUAL, &pairs[1..]).unwrap();
        assert_eq!(walls.count("copies"), 4 * (3 * 3 - 2 * 2));
        assert!(walls.set("wall").is_some());
    }
}

/// What a checkpoint holds leads back to all boundary elements.
#[test]
fn the_way_back_to_elements_has_those_of_periodic_boundaries() {
    let groups = |mesh: &ElementMesh| -> Vec<i32> {
        let lists = mesh.elements();
        let mut groups: Vec<i32> =
            lists.iter().filter(|list| list.boundary).flat_map(|list| list.groups).copied().collect();
        groups.sort_unstable();
        groups
    };
    for filling in [Filling::MixedPlane, Filling::Only(ElementKind::Hexahedron)] {
        let given = box_of(filling, [4, 3, 2])(&Comm::single());
        let expected = groups(&given);
        let boundaries = Boundaries::new(KINDS).pair(found("x_min", "x_max"));
        let boundaries = boundaries
            .give("wall", ["y_min", "y_max", "z_min", "z_max"][..given.dimension() * 2 - 2].to_vec());
        let prepared = Given::Elements(given).prepare(&Comm::single(), &[&DUAL], &boundaries, 1).unwrap();
        let back = DUAL.elements.unwrap()(&Comm::single(), &prepared.mesh);
        assert_eq!(groups(&back), expected, "{filling:?}");
    }
}

/// The first of edges that are one has the couplings of all.
#[test]
fn what_couples_the_ends_of_an_edge_is_moved_to_the_first_that_is_the_same() {
    let pairs = [found("x_min", "x_max"), found("y_max", "y_min")];
    let [apart, united] = [&pairs[..0], &pairs].map(|pairs| {
        let mesh = on_ranks(box_of(Filling::MixedPlane, [4, 3, 1]), &DUAL, pairs).unwrap();
        mesh.numbers("edge_coupling").to_vec()
    });
    let changed: Vec<usize> = (0..apart.len()).filter(|&edge| apart[edge] != united[edge]).collect();
    // Each of 7 pairs of edges.
    assert_eq!(changed.len(), 2 * (3 + 4));
    assert_eq!(changed.iter().filter(|&&edge| united[edge] == 0.0).count(), 3 + 4);
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    assert!((sum(&apart) - sum(&united)).abs() < 1e-12);
}

#[test]
fn faces_that_are_cut_in_another_way_are_refused() {
    let mixed = || box_of(Filling::MixedSpace, [3, 3, 2]);
    let message = on_ranks(mixed(), &DUAL, &[found("x_min", "x_max")]).unwrap_err();
    assert!(message.contains("the nodes do, but the face of nodes 3, 7, "), "{message}");
    assert!(message.ends_with("not both: expected elements that are cut alike"), "{message}");
    let along = on_ranks(mixed(), &DUAL, &[found("z_min", "z_max")]).unwrap();
    assert_eq!(along.count("copies"), 16);
}

/// Every copy is where its node is, moved.
#[test]
fn a_copy_lies_one_period_from_its_node() {
    let mesh = on_ranks(box_of(Filling::MixedPlane, [4, 3, 1]), &DUAL, &[found("x_max", "x_min")]).unwrap();
    let x = mesh.numbers("x");
    for [node, copy] in mesh.targets("copy_nodes").as_chunks::<2>().0 {
        let [a, b] = [node, copy].map(|node| [x[2 * *node as usize], x[2 * *node as usize + 1]]);
        assert_eq!([a[0], b[0], a[1] - b[1]], [0.0, 1.2, 0.0]);
    }
}

/// A quarter of a ring between the radii 1 and 2, `n` cells around and `m` across; its sides are "start", along x, and "end",
/// along y.
fn quarter(comm: &Comm, n: usize, m: usize) -> ElementMesh {
    let node = |i: usize, j: usize| (i + (n + 1) * j) as u64;
    let mut builder = ElementMeshBuilder::new(2);
    for (id, name) in [(1, "inner"), (2, "outer"), (3, "start"), (4, "end")] {
        builder.name_group(1, id, name);
    }
    if comm.is_root() {
        for (i, j) in (0..=m).flat_map(|j| (0..=n).map(move |i| (i, j))) {
            let (r, angle) = (1.0 + j as f64 / m as f64, 0.5 * std::f64::consts::PI * i as f64 / n as f64);
            builder.add_nodes([r * same_math::cos(angle), r * same_math::sin(angle)]);
        }
        for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let corners = [node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)];
            builder.add_elements(ElementKind::Quadrilateral, 0, corners);
        }
        for i in 0..n {
            builder.add_elements(ElementKind::Line, 1, [node(i, 0), node(i + 1, 0)]);
            builder.add_elements(ElementKind::Line, 2, [node(i, m), node(i + 1, m)]);
        }
        for j in 0..m {
            builder.add_elements(ElementKind::Line, 3, [node(0, j), node(0, j + 1)]);
            builder.add_elements(ElementKind::Line, 4, [node(n, j + 1), node(n, j)]);
        }
    }
    builder.build(comm).unwrap()
}

fn turned(angle: f64) -> Motion {
    Motion::Rotation { center: vec![0.0, 0.0], axis: [0.0, 0.0, 1.0], angle }
}

#[test]
fn seams_join_the_cells_of_both_sides() {
    let mesh = |comm: &Comm| quarter(comm, 4, 3);
    let seams = on_ranks(mesh, &CELL_EDGES, &[pair("start", "end", turned(90.0))]).unwrap();
    assert_eq!(seams.targets("seam_cells"), [0, 3, 4, 7, 8, 11]);
    assert_eq!(seams.targets("seam_nodes"), [0, 5, 4, 9, 5, 10, 9, 14, 10, 15, 14, 19]);
    assert!(seams.numbers("seam_turn").as_chunks::<2>().0.iter().all(|turn| turn[1] == 1.0));
    let back = on_ranks(mesh, &CELL_EDGES, &[pair("end", "start", turned(-90.0))]).unwrap();
    assert_eq!(back.targets("seam_cells"), [3, 0, 7, 4, 11, 8]);
}

#[test]
fn copies_of_a_turned_boundary_know_how_vectors_turn() {
    let mesh = |comm: &Comm| quarter(comm, 4, 3);
    for (first, second, angle) in [("start", "end", 90.0), ("end", "start", -90.0)] {
        let mesh = on_ranks(mesh, &DUAL, &[pair(first, second, turned(angle))]).unwrap();
        assert_eq!(mesh.targets("copy_nodes"), [0, 4, 5, 9, 10, 14, 15, 19]);
        assert_eq!(mesh.targets("copy_edge_nodes"), [4, 9, 9, 14, 14, 19]);
        for turn in mesh.numbers("copy_turn").as_chunks::<9>().0 {
            let expected = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            assert!(turn.iter().zip(expected).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-15), "{turn:?}");
        }
    }
    // Only pairs that are turned need it.
    let moved = on_ranks(box_of(Filling::MixedPlane, [4, 3, 1]), &DUAL, &[found("x_min", "x_max")]).unwrap();
    assert!(moved.dat("copy_turn").is_none() && moved.count("copy_edges") == 3);
}

/// A node between both boundaries would be its own copy.
#[test]
fn nodes_on_the_axis_and_vectors_of_another_dimension_are_refused() {
    let wedge = |comm: &Comm| {
        let mut builder = ElementMeshBuilder::new(2);
        for (id, name) in [(1, "outer"), (2, "start"), (3, "end")] {
            builder.name_group(1, id, name);
        }
        if comm.is_root() {
            builder.add_nodes([0., 0., 1., 0., 0., 1.]);
            builder.add_elements(ElementKind::Triangle, 0, [0, 1, 2]);
            builder.add_elements(ElementKind::Line, 1, [1, 2]);
            builder.add_elements(ElementKind::Line, 2, [0, 1]);
            builder.add_elements(ElementKind::Line, 3, [2, 0]);
        }
        builder.build(comm).unwrap()
    };
    let message = on_ranks(wedge, &DUAL, &[pair("start", "end", turned(90.0))]).unwrap_err();
    assert!(message.starts_with("node 0, at (0, 0), is on both of the periodic boundaries"), "{message}");
    let rotation = |center: Vec<f64>, axis: [f64; 3]| Motion::Rotation { center, axis, angle: 90.0 };
    for (motion, words) in [
        (rotation(vec![0.0; 3], [0.0, 0.0, 1.0]), "has a center of 3 numbers, but the mesh has 2 dimensions"),
        (rotation(Vec::new(), [0.0; 3]), "has an axis of length 0"),
        (rotation(Vec::new(), [0.0, 1.0, 1.0]), "has an axis that leaves the plane of the mesh"),
        (Motion::Translation(Some(vec![1.0])), "has a translation of 1 numbers"),
    ] {
        let message = on_ranks(wedge, &CELL_EDGES, &[pair("start", "end", motion)]).unwrap_err();
        assert!(
            message.starts_with("the periodic boundary \"start\" ") && message.contains(words),
            "{message}"
        );
    }
}

#[test]
fn boundaries_that_do_not_match_are_refused_with_the_worst_pair() {
    let mesh = |comm: &Comm| quarter(comm, 4, 3);
    for (pairs, words) in [
        (
            vec![pair("start", "end", turned(80.0))],
            "the periodic boundaries \"start\" and \"end\" do not match: node 15, at (2, 0), goes to (0.34729635533386",
        ),
        (vec![pair("start", "end", turned(80.0))], "but the nearest node there is 19, at ("),
        (vec![found("inner", "outer")], "expected at most 1e-3 (the first has 5 nodes, the second 5)"),
        (vec![found("start", "start")], "the periodic boundary \"start\" is in more than one pair"),
        (
            vec![pair("start", "end", turned(90.0)), pair("end", "start", turned(-90.0))],
            "is in more than one pair; expected each pair once, given for one of its two boundaries",
        ),
    ] {
        let message = on_ranks(mesh, &CELL_EDGES, &pairs).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
    // Few nodes onto many: all of the first have a partner, but not all of the second.
    let uneven = |comm: &Comm| {
        let mut builder = ElementMeshBuilder::new(2);
        for (id, name) in [(1, "inner"), (2, "start"), (3, "end")] {
            builder.name_group(1, id, name);
        }
        if comm.is_root() {
            builder.add_nodes([0., 0., 1., 0., 1., 0.5, 1., 1., 0., 1.]);
            builder.add_elements(ElementKind::Triangle, 0, [0, 1, 2, 0, 2, 4, 2, 3, 4]);
            builder.add_elements(ElementKind::Line, 1, [0, 1, 3, 4]);
            builder.add_elements(ElementKind::Line, 2, [4, 0]);
            builder.add_elements(ElementKind::Line, 3, [1, 2, 2, 3]);
        }
        builder.build(comm).unwrap()
    };
    let message = on_ranks(uneven, &DUAL, &[found("start", "end")]).unwrap_err();
    assert!(message.ends_with("do not match: the first has 2 nodes, the second 3"), "{message}");
    let loose = Periodic { tolerance: 2.0, ..found("end", "start") };
    let message = on_ranks(uneven, &CELL_EDGES, &[loose]).unwrap_err();
    assert!(message.ends_with("do not match: the first has 3 nodes, the second 2"), "{message}");
}

#[test]
fn a_periodic_boundary_needs_a_partner() {
    let comm = Comm::single();
    let boundaries = Boundaries::new(KINDS).give(PERIODIC, ["start"]).give("wall", ["end"]);
    let given = Given::Elements(quarter(&comm, 2, 2));
    let message = given.prepare(&comm, &[&CELL_EDGES], &boundaries, 1).unwrap_err().to_string();
    assert!(message.starts_with("the periodic boundary \"start\" has no partner"), "{message}");
}

/// A mesh may state its pairs itself; a condition that is given for one of both takes precedence, and cases that do not know
/// periodic boundaries see none.
#[test]
fn pairs_that_a_mesh_states_need_not_be_given() {
    let comm = Comm::single();
    let mut mesh = ElementBox::unit(Filling::MixedPlane, [4, 3, 1]).mesh(&comm).unwrap();
    let copies = |mesh: &ElementMesh, boundaries: &Boundaries| {
        let prepared = Given::Elements(mesh.clone()).prepare(&comm, &[&DUAL], boundaries, 1).unwrap();
        prepared.mesh.set("copies").map(|set| prepared.mesh.sets[set].rows)
    };
    let boundaries = Boundaries::new(KINDS);
    assert_eq!(copies(&mesh, &boundaries), None);
    mesh.groups.periodic.push(pair("x_min", "x_max", Motion::Translation(Some(vec![1.0, 0.0]))));
    assert_eq!(copies(&mesh, &boundaries), Some(4));
    assert_eq!(copies(&mesh, &boundaries.clone().pair(found("x_max", "x_min"))), Some(4));
    assert_eq!(copies(&mesh, &boundaries.give("wall", ["x_max"])), None);
    assert_eq!(copies(&mesh, &Boundaries::new(&KINDS[1..])), None);
}
