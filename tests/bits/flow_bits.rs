//! Flow gives one hash on any ranks, threads, partitioners and lanes, and on devices: both dimensions, each set of
//! equations, each scheme and flux.

use cfd_engine::lane::Width;
use cfd_solvers::CASES;
use cfd_solvers::case::Reference;

use crate::harness::case::ending;
use crate::harness::{Split, matrix};

/// Settings of a run.
type Settings = &'static [(&'static str, &'static str)];

const SIDES_2D: &str = "{ x_min = 'inlet', x_max = 'outlet', y_min = 'slip', y_max = 'far_field' }";

/// Of turbulent flow.
const PLATE: &str = "{ wall = 'no_slip', symmetry = 'symmetry', inlet = 'inlet', outlet = 'outlet', far_field = 'far_field' }";
const BOX: &str = "{ x_min = 'velocity_inlet', x_max = { kind = 'outlet', pressure = 0.7 }, y_min = 'no_slip', \
                   y_max = 'far_field', z_min = 'symmetry', z_max = 'slip' }";

const RUNS: [Settings; 10] = [
    &[
        ("mesh.generate.size", "[36, 27]"),
        ("mesh.generate.elements", "'mixed'"),
        ("mesh.generate.distortion", "0.2"),
        ("flow.boundaries", SIDES_2D),
        ("flow.alpha", "4.0"),
        ("flow.coarse_levels", "2"),
        ("flow.iterations", "3"),
    ],
    &[
        ("mesh.generate.size", "[10, 8]"),
        ("mesh.generate.elements", "'triangles'"),
        ("mesh.generate.distortion", "0.1"),
        (
            "flow.boundaries",
            "{ x_min = 'velocity_inlet', x_max = { kind = 'outlet', mass_flow = 0.4 }, y_min = 'no_slip', y_max = 'symmetry' }",
        ),
        ("flow.equations", "'laminar'"),
        ("flow.reynolds", "50.0"),
        ("flow.scheme", "'rk3'"),
        ("flow.flux", "'hllc'"),
        ("flow.limiter", "'venkatakrishnan'"),
        ("flow.iterations", "6"),
    ],
    &[
        ("mesh.generate.size", "[5, 4, 4]"),
        ("mesh.generate.elements", "'mixed'"),
        ("mesh.generate.distortion", "0.15"),
        (
            "flow.boundaries",
            "{ x_min = 'supersonic_inlet', x_max = 'supersonic_outlet', y_min = { kind = 'no_slip', temperature = 1.1 }, \
             y_max = 'far_field', z_min = 'symmetry', z_max = 'slip' }",
        ),
        ("flow.equations", "'laminar'"),
        ("flow.viscosity", "0.01"),
        ("flow.mach", "1.5"),
        ("flow.flux", "'roe-low-mach'"),
        ("flow.limiter", "'none'"),
        ("flow.iterations", "4"),
    ],
    &[
        ("mesh.generate.shape", "'cylinder'"),
        ("mesh.generate.size", "[17, 11]"),
        ("mesh.generate.wall", "0.001"),
        ("flow.boundaries", "{ cylinder = 'no_slip', far_field = 'far_field' }"),
        ("flow.equations", "'laminar'"),
        ("flow.reynolds", "40.0"),
        ("flow.mach", "0.2"),
        ("flow.scheme", "'newton'"),
        ("flow.jacobian", "'matrix-free'"),
        ("flow.coarse_levels", "3"),
        ("flow.target_lift", "0.5"),
        ("flow.lift_steps", "2"),
        ("flow.iterations", "6"),
    ],
    &[
        ("mesh.generate.size", "[5, 4, 3]"),
        ("mesh.generate.elements", "'mixed'"),
        (
            "flow.boundaries",
            "{ x_min = 'inlet', x_max = { kind = 'outlet', pressure = 0.7 }, y_min = { kind = 'no_slip', temperature = 1.1 }, \
             y_max = 'far_field', z_min = 'symmetry', z_max = 'slip' }",
        ),
        ("flow.equations", "'laminar'"),
        ("flow.viscosity", "0.01"),
        ("flow.flux", "'hllc'"),
        ("flow.scheme", "'bdf2'"),
        ("flow.jacobian", "'matrix-free'"),
        ("flow.relaxation", "'jacobi'"),
        ("flow.time_step", "0.2"),
        ("flow.iterations", "3"),
    ],
    &[
        ("mesh.generate.shape", "'flat-plate'"),
        ("mesh.generate.size", "[18, 11]"),
        ("flow.boundaries", PLATE),
        ("flow.equations", "'spalart-allmaras'"),
        ("flow.reynolds", "5e6"),
        ("flow.mach", "0.2"),
        ("flow.limiter", "'none'"),
        ("flow.scheme", "'newton'"),
        ("flow.iterations", "5"),
    ],
    &[
        ("mesh.generate.size", "[5, 4, 3]"),
        ("mesh.generate.elements", "'mixed'"),
        ("mesh.generate.distortion", "0.1"),
        ("flow.boundaries", BOX),
        ("flow.equations", "'spalart-allmaras'"),
        ("flow.reynolds", "1e4"),
        ("flow.kappa", "0.5"),
        ("flow.turbulence_order", "2"),
        ("flow.scheme", "'newton'"),
        ("flow.jacobian", "'matrix-free'"),
        ("flow.iterations", "4"),
    ],
    &[
        ("mesh.generate.shape", "'flat-plate'"),
        ("mesh.generate.size", "[18, 11]"),
        ("flow.boundaries", PLATE),
        ("flow.equations", "'sst'"),
        ("flow.reynolds", "5e6"),
        ("flow.mach", "0.2"),
        ("flow.limiter", "'none'"),
        ("flow.scheme", "'newton'"),
        ("flow.iterations", "4"),
    ],
    &[
        ("mesh.generate.size", "[5, 4, 3]"),
        ("mesh.generate.elements", "'mixed'"),
        ("mesh.generate.distortion", "0.1"),
        ("flow.boundaries", BOX),
        ("flow.equations", "'sst'"),
        ("flow.reynolds", "1e4"),
        ("flow.turbulence_order", "2"),
        ("flow.scheme", "'newton'"),
        ("flow.jacobian", "'matrix-free'"),
        ("flow.coarse_levels", "1"),
        ("flow.iterations", "3"),
    ],
    &[
        ("mesh.generate.size", "[14, 11]"),
        ("mesh.generate.elements", "'mixed'"),
        ("mesh.generate.distortion", "0.1"),
        (
            "flow.boundaries",
            "{ x_max = { kind = 'periodic', partner = 'x_min' }, y_min = 'no_slip', y_max = 'far_field' }",
        ),
        ("flow.equations", "'laminar'"),
        ("flow.reynolds", "100.0"),
        ("flow.cfl", "100.0"),
        ("flow.scheme", "'newton'"),
        ("flow.coarse_levels", "2"),
        ("flow.iterations", "3"),
    ],
];

#[test]
fn one_hash_on_any_ranks_threads_and_partitioners() {
    let &flow = CASES.iter().find(|case| case.name() == "flow").expect("the case");
    for (number, settings) in RUNS.into_iter().enumerate() {
        let run = |split: &Split| {
            let ending = ending(flow, &Reference { settings, hashes: &[] }, split);
            (ending.solution, ending.history)
        };
        let expected = run(&Split::new(1, "block"));
        let threads = |split: Split, threads: usize| {
            split.with(|options| {
                options.threads = threads;
                options.grain = 20;
            })
        };
        let narrow = |split: Split| split.with(|options| options.lanes = Width::SCALAR);
        let device = Split::new(2, "metis").on_device(7);
        let splits = [
            threads(Split::new(1, "rcb"), 3),
            Split::new(3, "random"),
            threads(Split::new(2, "hilbert"), 2),
            narrow(threads(Split::new(3, "block"), 2)),
        ];
        // By day, each run in every other way.
        for (way, split) in splits.into_iter().chain([device]).enumerate() {
            if matrix::is_whole() || way == 4 || (number + way).is_multiple_of(2) {
                assert_eq!(run(&split), expected, "{settings:?}, {split:?}");
            }
        }
    }
}
