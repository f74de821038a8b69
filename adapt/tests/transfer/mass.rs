use cfd_adapt::transfer::Conserve;
use cfd_engine::comm::Comm;

use crate::mesh::{FIRST, FIRST_EXACT, SECOND, SECOND_EXACT, adapt, at_centroids, start};

/// One field that is not smooth and one that is, of both signs.
fn field(p: &[f64; 2]) -> [f64; 2] {
    let inside = (p[0] - 0.4) * (p[0] - 0.4) + (p[1] - 0.5) * (p[1] - 0.5) < 0.09;
    [if inside { 3.0 } else { 0.2 }, p[0] * p[0] - 2.0 * p[1] + 0.7]
}

#[test]
fn ten_adaptations_there_and_back_keep_the_mass() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mut mesh = start(&comm);
            let rules = [("a", FIRST), ("b", SECOND), ("c", FIRST_EXACT), ("d", SECOND_EXACT)];
            for (name, rule) in rules {
                mesh.add_cell_field(name, 2, rule, &at_centroids(&mesh, field)).unwrap();
            }
            let before = rules.map(|(name, _)| mesh.total(name).unwrap());
            let units = ["c", "d"].map(|name| mesh.total_units(name).unwrap());
            for turn in 0..10 {
                adapt(&mut mesh, turn, 1);
            }
            for (i, (name, rule)) in rules.into_iter().enumerate() {
                for (then, now) in before[i].iter().zip(mesh.total(name).unwrap()) {
                    // Relative to 1, about the size of both fields' absolute values: the second's mass nearly cancels.
                    let allowed = if rule.conserve == Conserve::Exact { 0.0 } else { 1e-13 };
                    assert!((now - then).abs() <= allowed, "{name}: {now:e} instead of {then:e}");
                }
            }
            assert_eq!(["c", "d"].map(|name| mesh.total_units(name).unwrap()), units);
            assert!(units[0][0].0 > 1 << 58, "a total has about sixty bits: {:?}", units[0]);
        });
    }
}
