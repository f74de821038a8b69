//! Boundaries that are turned into each other, on the finest level and below.

use super::*;
use crate::ring::{SECTOR, around, ring, turned};

const HEXAHEDRA: Filling = Filling::Only(ElementKind::Hexahedron);

/// Walls inside and outside, ends that are open or go on, sides that are turned.
fn sides(sectors: u64, other: &Conditions) -> Boundaries {
    let motion = Motion::Rotation {
        center: vec![0.0, 0.0, 0.3],
        axis: [0.0, 0.0, 2.0],
        angle: SECTOR * sectors as f64,
    };
    let names = ["x_max", "x_min"].map(String::from);
    let goes_on = if other.len() == 4 { continued(&[], other) } else { continued(&[2], other) };
    goes_on.pair(Periodic { names, motion, tolerance: USUAL_TOLERANCE })
}

const TUBE: &Conditions =
    &[("y_min", "wall"), ("y_max", "wall"), ("z_min", "far_field"), ("z_max", "far_field")];
const WALLS: &Conditions = &[("y_min", "wall"), ("y_max", "wall")];

/// Along the axis.
fn axial(levels: u64) -> Config {
    Config { levels, alpha: Some(90.0), up: Up::Z, ..Config::default() }
}

#[test]
fn a_stream_along_the_axis_stays_on_all_levels() {
    for kind in [ElementKind::Hexahedron, ElementKind::Tetrahedron] {
        for time_step in [TimeStep::Matrix, TimeStep::Scalar] {
            let config = Config { time_step, ..axial(2) };
            let free = free_stream(&config);
            let mesh = |comm: &Comm| ring(comm, Filling::Only(kind), [7, 7, 7], 1);
            for (rows, _) in after(5, 2, mesh, &sides(1, TUBE), &config, |_| None) {
                let off = largest(&rows, |_, q| (0..5).map(|m| (q[m] - free[m]).abs()).sum());
                assert!(off < 1e-12, "{kind:?}, {time_step:?}: {off:e}");
            }
        }
    }
}

/// A swirl with waves that is the same in all sectors, but for its direction.
fn wave(x: [f64; 3]) -> Option<[f64; 5]> {
    let angle = x[1].atan2(x[0]);
    let [s, c] = [(6.0 * angle).sin(), (std::f64::consts::TAU * x[2] / 0.8).cos()];
    let [u, v, w] = around(x, [0.1 * s, 0.4 + 0.1 * c, 0.3]);
    Some([1.4 + 0.1 * s, u, v, w, 3.0])
}

fn momentum_turned(q: [f64; 5], sectors: f64) -> [f64; 5] {
    let [u, v, w] = turned([q[1], q[2], q[3]], sectors);
    [q[0], u, v, w, q[4]]
}

/// For each place of one sector, what two sectors have there and one sector behind.
fn off_two(one: &Rows, two: &Rows) -> f64 {
    let (mut off, mut found) = (0.0f64, 0);
    for (x, q) in one {
        for back in [0.0, -1.0] {
            let (place, expected) = (turned(*x, back), momentum_turned(*q, back));
            let is_there = |other: &[f64; 3]| (0..3).all(|k| (other[k] - place[k]).abs() < 1e-9);
            for (_, other) in two.iter().filter(|(other, _)| is_there(other)) {
                off = (0..5).fold(off, |off, m| off.max((other[m] - expected[m]).abs()));
                found += 1;
            }
        }
    }
    assert!(found >= two.len(), "{found} of {}", two.len());
    off
}

/// The inner wall has a bump all around; multigrid finds the flow past it, on coarse cells of one sector as on those of two.
#[test]
fn multigrid_finds_the_same_flow_in_one_sector_and_in_two() {
    let config = Config { mach: Some(0.4), limiter: Limiter::None, ..axial(3) };
    let bump = |comm: &Comm, sectors: u64| {
        let mut mesh = ring(comm, HEXAHEDRA, [6, 8, 16], sectors);
        let x = mesh.mesh.dat("x").expect("positions");
        let Values::F64(x) = &mut mesh.mesh.dats[x].values else { panic!("positions are real numbers") };
        for x in x.as_chunks_mut::<3>().0 {
            let along = (std::f64::consts::PI * x[2] / 0.8).sin().powi(2);
            let r = x[0].hypot(x[1]);
            let wider = 1.0 + 0.05 * along * (2.0 - r) / r;
            (x[0], x[1]) = (wider * x[0], wider * x[1]);
        }
        mesh
    };
    let [one, two] = [1, 2].map(|sectors| {
        let mesh = |comm: &Comm| bump(comm, sectors);
        let (rows, residual) =
            after(125, 1, mesh, &sides(sectors, TUBE), &config, |_| None).pop().expect("one rank");
        assert!(residual < 1e-8, "{sectors} sectors: {residual:e}");
        rows
    });
    let off = off_two(&one, &two);
    assert!(off < 1e-6, "{off:e}");
    let disturbed = largest(&one, |_, q| q[0] - 1.4);
    assert!(disturbed > 0.01, "a bump that nothing feels: {disturbed:e}");
}

#[test]
fn ranks_change_no_bit_between_turned_boundaries() {
    let config = Config { levels: 3, ..Config::default() };
    let mesh = |comm: &Comm| ring(comm, Filling::Only(ElementKind::Tetrahedron), [6, 6, 6], 1);
    let bits = |ranks: usize| {
        let all = after(3, ranks, mesh, &sides(1, WALLS), &config, wave);
        let mut rows: Vec<_> = all
            .into_iter()
            .flat_map(|(rows, _)| rows)
            .map(|(x, q)| (x.map(f64::to_bits), q.map(f64::to_bits)))
            .collect();
        rows.sort_unstable();
        rows
    };
    let one = bits(1);
    for ranks in [2, 3, 5] {
        assert!(bits(ranks) == one, "{ranks} ranks");
    }
}
