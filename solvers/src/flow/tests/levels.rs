//! Explicit steps with coarse levels and with a time step for each wave.

use super::*;

/// A wall that turns supersonic flow away, in either dimension: large enough for two coarse levels in the plane, one in space.
fn wedge(filling: Filling) -> (ElementBox, Vec<Json>, Config) {
    let cells = if filling.dimension() == 2 { [70, 64, 1] } else { [12, 10, 9] };
    let mesh = ElementBox { filling, cells, lengths: [1.0; 3], distortion: 0.1 };
    let conditions =
        ["supersonic_inlet", "supersonic_outlet", "slip", "supersonic_inlet", "symmetry", "slip"];
    let config = Config { mach: 2.0, alpha: -10.0, ..Config::default() };
    (mesh, conditions.map(kind).to_vec(), config)
}

/// The state after which every residual is below 1e-7 of its largest, with the steps and the work that took.
fn settled<P: Probe>(ranks: usize, filling: Filling, config: &Config) -> (u64, f64, Vec<State>) {
    let (mesh, conditions, _) = wedge(filling);
    let ends = on(ranks, mesh, &conditions, config, |domain, flow: &mut P| {
        for step in 1..=3000 {
            let done = flow.step(domain, true).expect("a flow that stays sound");
            if done.residual < 1e-7 {
                let nodes = domain.set("nodes").unwrap();
                let ids = domain.global_ids(nodes).to_vec();
                return (step, *done.values.last().unwrap(), ids, flow.states(domain));
            }
        }
        panic!("not converged");
    });
    let (steps, work) = (ends[0].0, ends[0].1);
    let mut rows: Vec<(u64, State)> = Vec::new();
    for (own_steps, own_work, ids, states) in ends {
        assert_eq!((own_steps, own_work), (steps, work));
        rows.extend(ids.into_iter().zip(states));
    }
    rows.sort_by_key(|row| row.0);
    (steps, work, rows.into_iter().map(|row| row.1).collect())
}

fn off(a: &[State], b: &[State]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()))
}

fn levels_save_work<P: Probe>(filling: Filling, share: f64) {
    let (_, _, single) = wedge(filling);
    let by_wave = Config { local_step: Some(LocalStep::Matrix), ..single.clone() };
    let with_levels = Config { coarse_levels: Some(5), ..single.clone() };
    let (_, work, expected) = settled::<P>(1, filling, &single);
    let (_, _, state) = settled::<P>(1, filling, &by_wave);
    assert!(off(&state, &expected) < 1e-5, "a time step for each wave: {:e}", off(&state, &expected));
    let (steps, less, state) = settled::<P>(1, filling, &with_levels);
    assert!(off(&state, &expected) < 1e-5, "levels: {:e}", off(&state, &expected));
    assert!(less < share * work, "{filling:?}: {less} of {work}");
    for ranks in [2, 3] {
        let (own_steps, own_work, own) = settled::<P>(ranks, filling, &with_levels);
        assert_eq!((own_steps, own_work), (steps, less), "{ranks} ranks");
        assert!(own == state, "{ranks} ranks");
    }
}

#[test]
fn coarse_levels_lead_to_the_same_flow_with_less_work_on_any_ranks() {
    levels_save_work::<plane::Flow>(Filling::MixedPlane, 0.6);
    levels_save_work::<space::Flow>(Filling::Only(cfd_mesh::ElementKind::Tetrahedron), 0.7);
}

#[test]
fn the_free_stream_stays_on_coarse_levels() {
    for filling in [Filling::MixedPlane, Filling::MixedSpace] {
        let config = Config { coarse_levels: Some(3), mach: 0.6, alpha: 12.0, ..Config::default() };
        in_its_dimension!(filling, keeps_the_free_stream(wedge(filling).0, &config));
    }
}
