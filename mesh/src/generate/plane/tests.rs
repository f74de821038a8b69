use std::f64::consts::PI;

use super::*;
use crate::survey::{Survey, survey};

type Generator = fn(&Comm, [u64; 2]) -> Result<ElementMesh, MeshError>;

/// Name; generator; small size; number of nodes; area and its relative error; boundaries with their sides.
type Grid = (&'static str, Generator, [u64; 2], u64, [f64; 2], &'static str);

#[rustfmt::skip]
const GRIDS: [Grid; 8] = [
    ("flat plate", flat_plate, [35, 25], 875, [2.33333, 1e-14],
        "far_field 34, inlet 24, outlet 24, symmetry 6, wall 28"),
    // The channel without the bump: 0.05 times 3/8 of 0.9.
    ("bump", bump, [45, 21], 945, [51.5 * 5.0 - 0.05 * 0.9 * 3.0 / 8.0, 1e-6],
        "inlet 20, outlet 20, symmetry 24, top 44, wall 20"),
    // Between parabolas: 16/3 of the extent to the fourth.
    ("airfoil", airfoil, [113, 33], 113 * 33 - 25, [16.0 / 3.0 * 251_763.1, 2e-2], "airfoil 64, far_field 176"),
    ("cylinder", cylinder, [49, 33], 48 * 33, [PI * (400.0 - 0.25), 1e-2], "cylinder 48, far_field 48"),
    ("wedge", wedge, [31, 21], 651, [1.5 - 0.5 * 0.176_326_980_708_464_98, 1e-14],
        "inlet 20, lower 30, outlet 20, upper 30"),
    ("channel", channel, [9, 17], 153, [4.0, 1e-14], "inlet 16, lower 8, outlet 16, upper 8"),
    ("forward step", forward_step, [31, 11], 31 * 11 - 2 * 24, [3.0 - 2.4 * 0.2, 1e-14],
        "inlet 10, lower 6, outlet 8, step 26, upper 30"),
    ("half cylinder", half_cylinder, [33, 9], 33 * 9, [PI * (1.25 * 2.5 - 0.25) / 2.0, 1e-2],
        "cylinder 32, inlet 32, outlet 16"),
];

fn boundaries(survey: &Survey) -> String {
    let of = survey.groups.iter().map(|group| format!("{} {}", group.names.join(","), group.elements));
    of.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_grid_fits_together_and_has_its_area_and_its_boundaries() {
    for (name, generator, size, nodes, [area, error], names) in GRIDS {
        let comm = Comm::single();
        let mesh = generator(&comm, size).unwrap();
        let found = survey(&comm, &mesh);
        assert_eq!(mesh.mesh.count("nodes"), nodes, "{name}");
        assert!((found.total / area - 1.0).abs() < error, "{name}: {} instead of {area}", found.total);
        assert_eq!(boundaries(&found), names, "{name}");
        assert!(found.twins.is_none() && found.faces.defects.is_empty(), "{name}: {found:?}");
        assert!(found.measures[0].value > 0.0, "{name}: {:?}", found.measures);
    }
}

#[test]
fn elements_run_counter_clockwise_as_they_are_made() {
    // Boundary sides keep their direction where an element would be turned, so then they would run the other way.
    for (name, generator, size, ..) in GRIDS {
        let mesh = generator(&Comm::single(), size).unwrap();
        let lists = mesh.elements();
        let cells = lists.iter().find(|list| !list.boundary).unwrap().nodes;
        let sides = lists.iter().find(|list| list.boundary).unwrap().nodes;
        let has = |a: u64, b: u64| {
            cells.chunks_exact(4).any(|cell| (0..4).any(|k| (cell[k], cell[(k + 1) % 4]) == (a, b)))
        };
        assert!(sides.chunks_exact(2).all(|side| has(side[0], side[1])), "{name}");
    }
}

#[test]
fn every_grid_is_the_same_on_any_number_of_ranks() {
    for (name, generator, size, ..) in GRIDS {
        let gathered = |comm: Comm| {
            let mesh = generator(&comm, size).unwrap();
            let lists = mesh.elements();
            let nodes: Vec<Vec<u64>> =
                lists.iter().map(|list| comm.all_gather(list.nodes).concat()).collect();
            let groups: Vec<Vec<i32>> =
                lists.iter().map(|list| comm.all_gather(list.groups).concat()).collect();
            (comm.all_gather(mesh.x()).concat(), nodes, groups, mesh.groups.clone())
        };
        let one = gathered(Comm::single());
        for ranks in [2, 5] {
            assert!(Comm::simulate(ranks, gathered).iter().all(|other| *other == one), "{name}");
        }
    }
}

/// The bump in three dimensions has the volume of that in the plane, which leans, since no column changes its length.
#[test]
fn the_bump_in_space_has_its_volume_its_boundaries_and_its_wall_on_any_ranks() {
    let size = [45, 21, 9];
    let gathered = |comm: Comm| {
        let mesh = bump_in_space(&comm, size).unwrap();
        let found = survey(&comm, &mesh);
        let lists = mesh.elements();
        let nodes: Vec<Vec<u64>> = lists.iter().map(|list| comm.all_gather(list.nodes).concat()).collect();
        let rows = (mesh.mesh.count("nodes"), found.total.to_bits(), boundaries(&found));
        assert!(found.twins.is_none() && found.faces.defects.is_empty(), "{found:?}");
        assert!(found.measures[0].value > 0.0, "{:?}", found.measures);
        (rows, comm.all_gather(mesh.x()).concat(), nodes)
    };
    let one = gathered(Comm::single());
    for ranks in [2, 5] {
        assert!(Comm::simulate(ranks, gathered).iter().all(|other| *other == one), "{ranks} ranks");
    }
    let ((nodes, volume, names), x, _) = one;
    assert_eq!(nodes, 45 * 21 * 9);
    let area = 51.5 * 5.0 - 0.05 * 0.9 * 3.0 / 8.0;
    // Where the shift changes along x, so do widths of columns, by as much before the plate as behind it.
    assert!((f64::from_bits(volume) / area - 1.0).abs() < 1e-5, "{} not {area}", f64::from_bits(volume));
    // Before and behind the plate 24 sides a layer, and 44 x 20 at each side of the channel.
    assert_eq!(names, format!("inlet 160, outlet 160, symmetry {}, top 352, wall 160", 24 * 8 + 2 * 880));
    // The crest, 0.75 along the plate, is 0.3 further in the middle.
    let highest = |y: f64| {
        let mut layers = x.as_chunks::<3>().0.chunks(45 * 21);
        let wall = &layers.find(|layer| layer[0][1] == y).unwrap()[..45];
        let crest = wall.iter().max_by(|a, b| a[2].total_cmp(&b[2])).unwrap();
        [crest[0], crest[2]]
    };
    for (y, place) in [(0.0, 0.75), (-1.0, 0.75), (-0.5, 1.05), (-0.25, 0.825)] {
        let [along, height] = highest(y);
        assert!((along - place).abs() < 1e-12 && (height - 0.05).abs() < 1e-12, "{y}: {along} {height}");
    }
    assert!(bump_in_space(&Comm::single(), [45, 21, 1]).is_err());
    assert!(bump_in_space(&Comm::single(), [46, 21, 5]).is_err());
}

#[test]
fn every_second_node_of_a_fine_grid_is_one_of_the_next_coarser() {
    for (name, generator, size, ..) in GRIDS.into_iter().filter(|(name, ..)| *name != "forward step") {
        let join = match name {
            "airfoil" => Join::Wake(3 * (size[0] - 1) / 14),
            "cylinder" => Join::Around,
            _ => Join::Nothing,
        };
        let comm = Comm::single();
        let fine_size = size.map(|nodes| 2 * nodes - 1);
        let coarse_plane = Plane::new(&comm, size, join).unwrap();
        let fine_join = if let Join::Wake(wake) = join { Join::Wake(2 * wake) } else { join };
        let fine_plane = Plane::new(&comm, fine_size, fine_join).unwrap();
        let (coarse, fine) = (generator(&comm, size).unwrap(), generator(&comm, fine_size).unwrap());
        for i in 0..size[0] {
            for j in 0..size[1] {
                let at =
                    |mesh: &ElementMesh, node: u64| [0, 1].map(|axis| mesh.x()[2 * node as usize + axis]);
                let a = at(&coarse, coarse_plane.node(i, j));
                let b = at(&fine, fine_plane.node(2 * i, 2 * j));
                let scale = a[0].abs().max(a[1].abs()).max(1.0);
                assert!(
                    (a[0] - b[0]).abs().max((a[1] - b[1]).abs()) < 1e-13 * scale,
                    "{name} ({i}, {j}): {a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn nodes_of_a_tunnel_with_a_step_are_nodes_of_the_next_finer() {
    let comm = Comm::single();
    let [coarse, fine] = [[31, 11], [61, 21]].map(|size| forward_step(&comm, size).unwrap());
    let points = |mesh: &ElementMesh| mesh.x().as_chunks::<2>().0.to_vec();
    let fine = points(&fine);
    for a in points(&coarse) {
        assert!(fine.iter().any(|b| (a[0] - b[0]).abs().max((a[1] - b[1]).abs()) < 1e-14), "{a:?}");
    }
    assert!(forward_step(&comm, [32, 11]).unwrap_err().to_string().contains("31, 61"));
    assert!(forward_step(&comm, [31, 12]).unwrap_err().to_string().contains("second number"));
    assert!(forward_step(&comm, [1, 1]).is_err());
}

#[test]
fn steps_at_walls_are_those_of_the_finest_grids() {
    let comm = Comm::single();
    let spacing = |mesh: &ElementMesh, name: &str| {
        let found = survey(&comm, mesh);
        found.groups.iter().find(|group| group.names == [name]).unwrap().spacing.unwrap()
    };
    let plate = flat_plate(&comm, [545, 385]).unwrap();
    let [low, high] = spacing(&plate, "wall");
    assert!((low / 5e-7 - 1.0).abs() < 1e-9 && (high / 5e-7 - 1.0).abs() < 1e-9, "{low} {high}");
}

#[test]
fn steps_of_the_finest_airfoil_are_those_of_the_family() {
    let comm = Comm::single();
    // At the trailing edge the surface is 8 degrees off the chord, and 1 % longer.
    let close = |found: f64, step: f64| assert!((found / step - 1.0).abs() < 0.015, "{found} {step}");
    let between = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let columns = airfoil(&comm, [7169, 2]).unwrap();
    let wake = 3 * 7168 / 14;
    let plane = Plane::new(&comm, [7169, 2], Join::Wake(wake)).unwrap();
    let place = |mesh: &ElementMesh, node: u64| [0, 1].map(|axis| mesh.x()[2 * node as usize + axis]);
    let along = |i: u64| between(place(&columns, plane.node(i, 0)), place(&columns, plane.node(i + 1, 0)));
    for (column, step) in [(3583, 1.25e-5), (3584, 1.25e-5), (wake, 1.25e-5), (7168 - wake - 1, 1.25e-5)] {
        close(along(column), step);
    }
    // The first step in the wake is as long as the last on the airfoil.
    close(along(7168 - wake), 1.25e-5);
    let rows = airfoil(&comm, [15, 2049]).unwrap();
    let plane = Plane::new(&comm, [15, 2049], Join::Wake(3)).unwrap();
    let [foot, next] = [0, 1].map(|j| place(&rows, plane.node(9, j)));
    close(between(foot, next), 1e-7);
}

#[test]
fn impossible_sizes_are_refused_with_what_is_possible() {
    let comm = Comm::single();
    let message = |generator: Generator, size| generator(&comm, size).unwrap_err().to_string();
    assert!(message(flat_plate, [36, 25]).contains("one more than a multiple of 17: 35, 69"));
    assert!(message(flat_plate, [1, 25]).contains("multiple of 17"));
    assert!(message(bump, [44, 21]).contains("multiple of 11"));
    assert!(message(airfoil, [114, 33]).contains("multiple of 14"));
    assert!(message(wedge, [3, 33]).contains("multiple of 3"));
    assert!(message(cylinder, [3, 33]).contains("sizes are at least 4,2"));
    assert!(message(channel, [2, 1]).contains("sizes are at least 2,2"));
    assert!(message(channel, [1 << 20, 1 << 20]).contains("too large for 1 ranks"));
    assert!(message(channel, [u64::MAX, 3]).contains("too large"));
}
