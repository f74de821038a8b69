use super::*;
use crate::sum::ExactSum;

const FAR_FIELD: i32 = 3;

/// No two directions are alike.
const SIZE: [f64; 3] = [1.0, 0.75, 0.5];

fn far_field(cells: [usize; 3], levels: usize) -> Mgcfd {
    Mgcfd::new(box_levels(cells, SIZE, levels, |_| FAR_FIELD), Options::default()).expect("a sound mesh")
}

#[test]
fn the_free_stream_has_the_published_values() {
    let run = far_field([2, 2, 2], 1);
    let [r, mx, my, mz, e] = run.variables(0)[0];
    assert_eq!([r, mx, my, mz], [1.4, 1.4 * 1.2, 0.0, 0.0]);
    // 1 / 0.4 + 1.4 1.2^2 / 2.
    assert!((e - 3.508).abs() < 1e-15, "{e}");
}

#[test]
fn an_angle_of_attack_turns_the_stream_upwards() {
    let gas = Gas { gamma: 1.4, smoothing: 0.0 };
    let level = gas.free_stream(0.5, 0.0, 1);
    for up in [1, 2] {
        let q = gas.free_stream(0.5, 30.0, up);
        assert!((q[1 + up] - 1.4 * 0.25).abs() < 1e-15 && q[4 - up] == 0.0, "{q:?}");
        assert!((q[1] - 0.75f64.sqrt() * level[1]).abs() < 1e-15 && (q[4] - level[4]).abs() < 1e-15, "{q:?}");
    }
}

#[test]
fn volumes_are_those_of_the_dual_cells() {
    let run = far_field([4, 4, 2], 2);
    for (level, cell) in [(0, 0.375), (1, 8.0 * 0.375)] {
        let volumes = run.volumes(level);
        let total: f64 = volumes.iter().sum();
        assert!((total - 4.0 * 4.0 * 2.0 * 0.375).abs() < 1e-12, "level {level}: {total}");
        // A node in a corner has an eighth of a cell.
        assert!((volumes[0] - cell / 8.0).abs() < 1e-15, "level {level}: {}", volumes[0]);
    }
}

#[test]
fn a_free_stream_through_a_box_of_unit_cubes_stays() {
    // An edge's weight is divided by its length, a boundary weight is not: they match where all edges have length 1.
    let run = |size| {
        let levels = box_levels([4, 4, 4], size, 1, |_| FAR_FIELD);
        let mut run = Mgcfd::new(levels, Options::default()).expect("a sound mesh");
        run.cycle::<ExactSum>()
    };
    assert!(run([1.0; 3]) < 1e-15);
    assert!(run([2.0; 3]) > 1e-9);
}

#[test]
fn a_wall_across_the_stream_gathers_mass() {
    let wall = Side { axis: 0, high: true };
    let levels = box_levels([4, 4, 4], [1.0; 3], 1, |side| if side == wall { 0 } else { FAR_FIELD });
    let mut run = Mgcfd::new(levels, Options::default()).expect("a sound mesh");
    let start = run.variables(0)[0];
    assert!(run.cycle::<ExactSum>() > 0.0);
    // What flows in at the wall stays there; the opposite side does not yet see it.
    let (q, row) = (run.variables(0), 5 * (2 + 5 * 2));
    let gained = |node: usize| q[node][0] - start[0];
    assert!(gained(row + 4) > 0.0 && gained(row).abs() < 1e-6 * gained(row + 4), "{:?}", &q[row..row + 5]);
}

#[test]
fn an_edge_takes_from_one_node_what_it_gives_the_other() {
    let level = Level {
        x: vec![[0.0, 0.0, 0.0], [1.0, 2.0, -1.0]],
        edge_nodes: vec![[0, 1]],
        edge_weights: vec![[0.3, 0.4, 0.1]],
        ..Level::default()
    };
    let mut grid = Grid::new(level, [1.4, 1.68, 0.0, 0.0, 3.508]);
    grid.q[1] = [1.0, 0.2, -0.3, 0.1, 2.6];
    grid.edge_flux(&Gas { gamma: 1.4, smoothing: 0.2 });
    assert!(grid.flux[0].iter().zip(grid.flux[1]).all(|(a, b)| *a != 0.0 && *a == -b), "{:?}", grid.flux);
    // By hand: |d| = sqrt 6, |w| = sqrt 0.26; w becomes 1e-7 d |w| / 6, of length 1e-7 |w| / |d|.
    let scale = 1e-7 * (0.26f64 / 6.0).sqrt();
    assert!((length(grid.mesh.edge_weights[0]) / scale - 1.0).abs() < 1e-14);
    assert!((grid.volume[0] - (6.0f64 * 0.26).sqrt() / 6.0).abs() < 1e-15);
    // Mass: lambda (1.4 - 1) + w . (m_a + m_b) / 2, with speeds 1.2 and sqrt 0.14, sound speeds 1 and sqrt(1.4 p).
    let pressure: f64 = 0.4 * (2.6 - 0.5 * 0.14);
    let speeds = 1.2 + 0.14f64.sqrt() + 1.0 + (1.4 * pressure).sqrt();
    let weight = scale / 6.0f64.sqrt();
    let mass = 0.1 * scale * speeds * 0.4 + 0.5 * weight * (1.88 - 0.6 - 0.1);
    assert!((grid.flux[0][0] / -mass - 1.0).abs() < 1e-13, "{} {mass}", grid.flux[0][0]);
}

#[test]
fn a_cycle_of_three_levels_visits_the_middle_one_on_both_ways() {
    let disturbed = || {
        let mut run = far_field([4, 4, 4], 3);
        run.levels[0].q[62][0] *= 1.01;
        run
    };
    let (mut run, mut by_hand) = (disturbed(), disturbed());
    let residual = run.cycle::<ExactSum>();
    let sum = by_hand.visit::<ExactSum>(0);
    by_hand.restrict(0);
    by_hand.visit::<ExactSum>(1);
    by_hand.restrict(1);
    by_hand.visit::<ExactSum>(2);
    by_hand.prolong_residual(1);
    by_hand.visit::<ExactSum>(1);
    by_hand.prolong_residual(0);
    assert_eq!(residual, (sum / 125.0).sqrt());
    assert!(residual > 0.0);
    for level in 0..3 {
        assert_eq!(run.variables(level), by_hand.variables(level), "level {level}");
    }
}

#[test]
fn coarse_states_are_means_and_corrections_scale_with_the_distance() {
    let mut run = far_field([2, 2, 2], 2);
    let before = run.levels[0].q.clone();
    // Node 13 is in the middle, its coarse node 0 at the origin, together with 7 others.
    run.levels[0].q[13] = [9.4, 0.0, 0.0, 0.0, 3.508];
    run.restrict(0);
    assert!((run.variables(1)[0][0] - (1.4 + 8.0 / 8.0)).abs() < 1e-15);
    run.levels[0].q = before;
    run.levels[1].residual[0] = [0.5, 0.25, 1.0, 2.0, 4.0];
    run.levels[0].residual[13] = [0.25; 5];
    run.prolong_residual(0);
    let distance = (1.0f64 + 0.5625 + 0.25).sqrt();
    let factors = [0.25 * distance, 0.0, 0.75 * 0.75, 0.5 * 1.75, 3.75 * distance];
    for m in 0..5 {
        let moved = run.free_stream[m] - run.variables(0)[13][m];
        assert!((moved - factors[m]).abs() < 1e-14, "component {m}: {moved}");
    }
    assert_eq!(run.variables(0)[26], run.free_stream);
}

#[test]
fn bad_meshes_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Vec<Level>)| {
        let mut levels = box_levels([2, 2, 2], SIZE, 2, |_| FAR_FIELD);
        change(&mut levels);
        Mgcfd::new(levels, Options::default()).err().expect("it is bad").to_string()
    };
    assert!(refused(&|levels| levels.clear()).contains("at least one level"));
    assert!(
        refused(&|levels| levels[1].edge_weights.truncate(3)).starts_with("level 1, edge_weights: 3 rows")
    );
    assert!(refused(&|levels| levels[1].node_mg_node.push(0)).contains("node_mg_node: 1 rows, expected 0"));
    assert!(refused(&|levels| levels[0].node_mg_node[4] = 8).contains("row 4 is [8], but there are 8 rows"));
    assert!(refused(&|levels| levels[0].bnode_node[0] = 27).contains("bnode_node: row 0"));
}
