//! The angle of attack for a given lift.

use cfd_mesh::generate::plane as grids;

use super::*;

/// What a run ends with: its steps, its lift, its angle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    steps: u64,
    lift: f64,
    alpha: f64,
}

/// Steps until the residual is below the tolerance.
fn run(domain: &mut Domain, flow: &mut plane::Flow, config: &Config) -> End {
    let columns = flow.columns();
    let column = |name: &str| columns.iter().position(|own| own == name);
    for steps in 1..=config.iterations {
        let done = flow.step(domain, true).expect("a flow that stays sound");
        if done.residual < config.tolerance {
            let lift = done.values[column("lift").expect("there is a column")];
            let alpha = column("alpha").map_or(config.alpha, |at| done.values[at]);
            return End { steps, lift, alpha };
        }
    }
    panic!("not converged in {} steps", config.iterations);
}

fn around_an_airfoil(ranks: usize, config: &Config) -> End {
    let mesh = |comm: &Comm| grids::airfoil_from(comm, [43, 13], 0.03).expect("a grid");
    let conditions = vec![("airfoil", kind("slip")), ("far_field", kind("far_field"))];
    let ends =
        on_mesh(ranks, mesh, conditions, config, |domain, flow: &mut plane::Flow| run(domain, flow, config));
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    ends[0]
}

/// Newton's method finds the angle of a lift; at that angle, the lift is that one. Ranks change no bit of either.
#[test]
fn an_airfoil_has_the_lift_it_is_asked_for_at_the_angle_that_has_it() {
    let config = Config {
        scheme: Scheme::Newton,
        limiter: Limiter::None,
        tolerance: 1e-8,
        target_lift: Some(0.2),
        lift_tolerance: 1e-5,
        iterations: 400,
        ..Config::default()
    };
    let found = around_an_airfoil(1, &config);
    assert!((found.lift - 0.2).abs() < 1e-5, "{found:?}");
    assert!((0.5..4.0).contains(&found.alpha), "{found:?}");
    assert_eq!(around_an_airfoil(2, &config), found);
    let fixed = Config { target_lift: None, alpha: found.alpha, ..config };
    let again = around_an_airfoil(1, &fixed);
    assert!((again.lift - found.lift).abs() < 1e-6, "{again:?}, {found:?}");
}

/// The same by explicit steps, in a supersonic flow that a wall turns.
#[test]
fn explicit_steps_find_the_angle_too() {
    let filling = Filling::Only(cfd_mesh::ElementKind::Quadrilateral);
    let mesh = ElementBox { filling, cells: [12, 12, 1], lengths: [1.0; 3], distortion: 0.0 };
    let inflow = kind("supersonic_inlet");
    let conditions = [inflow.clone(), kind("supersonic_outlet"), kind("slip"), inflow];
    // (p2 - p1) / (rho u^2 / 2) of a flow that is turned by 10 degrees, as the wall feels it: down.
    let area = 0.25;
    let target = -0.7066 / (0.7 * 4.0) * 10f64.to_radians().cos() / area;
    let config = Config {
        mach: 2.0,
        alpha: -5.0,
        cfl: Some(0.8),
        order: 1,
        reference_area: area,
        tolerance: 1e-7,
        target_lift: Some(target),
        lift_steps: Some(40),
        iterations: 2000,
        ..Config::default()
    };
    let ends = on(2, mesh, &conditions, &config, |domain, flow: &mut plane::Flow| run(domain, flow, &config));
    let End { lift, alpha, .. } = ends[0];
    assert!((lift - target).abs() < 1e-4, "{ends:?}");
    assert!((alpha + 10.0).abs() < 0.3, "{ends:?}");
}
