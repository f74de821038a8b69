//! Loops on a device give the bits of loops on the host: Airfoil and Aero whole, on the emulated device, whose threads
//! and blocks run in random order.

use std::rc::Rc;
use std::sync::OnceLock;

use cfd_device::{DeviceOptions, Emulated, Placement};
use cfd_engine::prelude::*;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_mesh::generate;
use cfd_partition::Order;
use cfd_reducers::{Kind, strategies};
use cfd_solvers::Solver;

use crate::harness::flow::{self, bits};
use crate::harness::{self, Split, potential};

const FLOW: flow::Case = flow::Case { size: [20, 31], iterations: 10 };

fn potential() -> potential::Case {
    potential::Case { size: [12, 16], steps: 2, config: Default::default() }
}

#[track_caller]
fn assert_flow(split: Split) {
    static HOST: OnceLock<flow::Outcome> = OnceLock::new();
    let expected = HOST.get_or_init(|| FLOW.run(&Split::new(1, "block")));
    let found = FLOW.run(&split);
    assert_eq!(found.differing_values(&expected.q), 0, "{split:?}");
    assert_eq!(bits(&found.history), bits(&expected.history), "{split:?}");
}

#[track_caller]
fn assert_potential(split: Split) {
    static HOST: OnceLock<potential::Outcome> = OnceLock::new();
    let expected = HOST.get_or_init(|| potential().run(&Split::new(1, "block")));
    assert!(potential().run(&split).has_bits_of(expected), "{split:?}");
}

fn by(strategy: Strategy) -> impl Fn(usize, &'static str) -> Split {
    move |ranks, method| Split::new(ranks, method).with(|options| options.strategy = Some(strategy))
}

#[test]
fn airfoil_by_regions_has_the_bits_of_the_host_on_any_ranks() {
    for (ranks, seed) in [(1, 1), (1, 2), (2, 3), (3, 4)] {
        assert_flow(by(Strategy::Regions)(ranks, "metis").on_device(seed));
    }
}

#[test]
fn airfoil_by_temporary_array_has_the_bits_of_the_host_on_any_ranks() {
    for (ranks, seed) in [(1, 1), (2, 2), (3, 3)] {
        assert_flow(by(Strategy::TemporaryArray)(ranks, "random").on_device(seed));
    }
}

#[test]
fn aero_by_regions_has_the_bits_of_the_host_on_any_ranks() {
    for (ranks, seed) in [(1, 1), (2, 2), (3, 3)] {
        assert_potential(by(Strategy::Regions)(ranks, "rcb").on_device(seed));
    }
}

#[test]
fn aero_by_temporary_array_has_the_bits_of_the_host_on_any_ranks() {
    for (ranks, seed) in [(1, 1), (3, 2)] {
        assert_potential(by(Strategy::TemporaryArray)(ranks, "hilbert").on_device(seed));
    }
}

/// Ranks with and without a device in one job.
#[test]
fn any_mixture_of_processors_and_devices_has_the_bits_of_the_host() {
    for (mask, overlap) in [(0b001, true), (0b110, true), (0b010, false), (0b101, false)] {
        let mixed = |strategy| {
            let split =
                by(strategy)(3, "hilbert").with(|options| (options.overlap, options.threads) = (overlap, 2));
            split.on_device(6).mixed(mask)
        };
        assert_flow(mixed(Strategy::Regions));
        assert_flow(mixed(Strategy::TemporaryArray));
        assert_potential(mixed(Strategy::Regions));
    }
}

#[test]
fn exchanging_before_the_core_changes_no_bit() {
    assert_flow(by(Strategy::Regions)(3, "hilbert").with(|options| options.overlap = false).on_device(5));
}

#[test]
fn messages_from_device_to_device_change_no_bit() {
    for (strategy, seed) in [(Strategy::Regions, 13), (Strategy::TemporaryArray, 14)] {
        assert_flow(by(strategy)(3, "metis").direct().on_device(seed));
        assert_potential(by(strategy)(2, "random").direct().on_device(seed));
    }
    assert_flow(
        by(Strategy::Regions)(3, "hilbert").with(|options| options.overlap = false).direct().on_device(15),
    );
}

#[test]
fn how_a_device_stores_values_changes_no_bit() {
    for (placement, seed) in [(Placement::Rows, 16), (Placement::Columns, 17)] {
        for strategy in [Strategy::Regions, Strategy::TemporaryArray] {
            let placed = |split: Split| Split { placement, ..split.on_device(seed) };
            assert_flow(placed(by(strategy)(2, "metis")));
            assert_potential(placed(by(strategy)(2, "rcb")));
        }
    }
}

#[test]
fn worker_threads_of_the_host_change_nothing_on_a_device() {
    assert_flow(by(Strategy::Regions)(2, "rcb").with(|options| options.threads = 3).on_device(12));
}

#[test]
fn the_order_along_a_curve_has_its_own_bits_on_the_device_too() {
    let by_curve = |ranks| Split { order: Order::Hilbert, ..Split::new(ranks, "block") };
    let (host, device) = (FLOW.run(&by_curve(1)), FLOW.run(&by_curve(2).on_device(6)));
    assert_eq!(device.differing_values(&host.q), 0);
    assert!(host.differing_values(&FLOW.run(&Split::new(1, "block")).q) > 0, "the order fixes the bits");
}

#[test]
fn ranks_without_elements_have_their_device_too() {
    let tiny = flow::Case { size: [4, 1], iterations: 5 };
    let host = tiny.run(&Split::new(1, "block"));
    let device = tiny.run(&by(Strategy::Regions)(13, "random").on_device(7));
    assert_eq!(device.differing_values(&host.q), 0);
}

#[test]
fn atomic_additions_differ_by_rounding_only() {
    let fast = |ranks| {
        Split::new(ranks, "metis").with(|options| {
            options.mode = Mode::Fast;
            options.strategy = Some(strategies::of(Kind::Atomic));
        })
    };
    let (host, device) = (FLOW.run(&fast(1)), FLOW.run(&fast(2).on_device(8)));
    for (a, b) in host.q.as_flattened().iter().zip(device.q.as_flattened()) {
        assert!((a - b).abs() < 1e-12, "{a:e} on the host, {b:e} on the device");
    }
    for (a, b) in host.history.iter().zip(&device.history) {
        assert!((a / b - 1.0).abs() < 1e-12, "residual {a:e} on the host, {b:e} on the device");
    }
}

#[test]
fn colored_blocks_differ_by_rounding_only_and_repeat_their_bits() {
    let colored = |ranks| {
        Split::new(ranks, "metis").with(|options| {
            options.mode = Mode::Fast;
            options.strategy = Some(Strategy::ColoredBlocks);
        })
    };
    let host = FLOW.run(&Split::new(1, "block"));
    let (device, again) = (FLOW.run(&colored(2).on_device(9)), FLOW.run(&colored(2).on_device(10)));
    assert_eq!(device.differing_values(&again.q), 0, "no order of threads or blocks shows");
    for (a, b) in host.q.as_flattened().iter().zip(device.q.as_flattened()) {
        assert!((a - b).abs() < 1e-12, "{a:e} on the host, {b:e} on the device");
    }
}

#[test]
fn block_sizes_are_tried_out_without_changing_a_bit() {
    let comm = Comm::single();
    let mesh = generate::naca0012::cells(&comm, FLOW.size[0], FLOW.size[1], Some(6)).expect("a mesh");
    let mut domain = harness::domain(&comm, mesh, &Split::new(1, "block"));
    let device = Rc::new(Emulated::new(&harness::texts(), 11));
    cfd_device::use_device(&mut domain, device, DeviceOptions::default()).expect("a device");
    let mut airfoil = cfd_solvers::airfoil::Airfoil::new(&mut domain, &Default::default()).expect("a mesh");
    let history: Vec<f64> =
        (0..FLOW.iterations).map(|_| airfoil.step(&mut domain, false).expect("a flow").residual).collect();
    assert_eq!(bits(&history), bits(&FLOW.run(&Split::new(1, "block")).history));
}

/// The texts of all loops of a run.
fn texts_of(strategy: Strategy) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let comm = Comm::single();
    let device = |options: &mut DomainOptions| {
        options.strategy = Some(strategy);
        options.mode = if strategy.is_reproducible() { Mode::Reproducible } else { Mode::Fast };
        Rc::new(Emulated::new(&harness::texts(), 1))
    };
    {
        let mut split = Split::new(1, "block");
        let emulated = device(&mut split.options);
        let mesh = generate::naca0012::cells(&comm, 8, 9, Some(6)).expect("a mesh");
        let mut domain = harness::domain(&comm, mesh, &split);
        cfd_device::use_device(
            &mut domain,
            emulated.clone(),
            DeviceOptions { threads: Some(256), ..DeviceOptions::default() },
        )
        .expect("a device");
        let mut airfoil =
            cfd_solvers::airfoil::Airfoil::new(&mut domain, &Default::default()).expect("a mesh");
        airfoil.step(&mut domain, true).expect("a flow");
        airfoil.check(&mut domain).expect("a flow");
        texts.extend(emulated.texts());
    }
    {
        let mut split = Split::new(1, "block");
        let emulated = device(&mut split.options);
        let mesh = generate::naca0012::elements(&comm, 8, 9, Some(6)).expect("a mesh");
        let mut domain = harness::domain_by(&comm, mesh, &split, &harness::nodes());
        cfd_device::use_device(
            &mut domain,
            emulated.clone(),
            DeviceOptions { threads: Some(256), ..DeviceOptions::default() },
        )
        .expect("a device");
        let mut aero = cfd_solvers::aero::Aero::new(&mut domain, &Default::default()).expect("a mesh");
        aero.step(&mut domain, true).expect("a flow");
        texts.extend(emulated.texts());
    }
    {
        let mut split = Split::new(1, "block");
        let emulated = device(&mut split.options);
        let mesh = generate::cube(&comm, 3, 1.125).expect("a mesh");
        let primary = cfd_mesh::NEIGHBOURS.primary(&mesh);
        let mut domain = harness::domain_by(&comm, mesh, &split, &primary);
        cfd_device::use_device(
            &mut domain,
            emulated.clone(),
            DeviceOptions { threads: Some(256), ..DeviceOptions::default() },
        )
        .expect("a device");
        let mut blast = cfd_solvers::lulesh::Lulesh::new(&mut domain, &Default::default()).expect("a mesh");
        blast.step(&mut domain, true).expect("a blast");
        blast.check(&mut domain).expect("a blast");
        texts.extend(emulated.texts());
    }
    texts
}

const STRATEGIES: [Strategy; 4] =
    [Strategy::Regions, Strategy::TemporaryArray, strategies::of(Kind::Atomic), Strategy::ColoredBlocks];

/// Compiles every text of the runs.
#[test]
fn the_texts_of_whole_runs_compile_for_gpus_without_contraction() {
    if let Err(error) = cfd_device::nvrtc::version() {
        assert!(std::env::var_os("CFD_REQUIRE_NVRTC").is_none(), "{error}");
        eprintln!("not compiled: {error}");
        return;
    }
    for strategy in STRATEGIES {
        for (name, text) in texts_of(strategy) {
            for &architecture in harness::matrix::gpu_architectures() {
                let target = cfd_device::nvrtc::Target::Ptx(architecture);
                let ptx = cfd_device::nvrtc::compile(&name, &text, target).unwrap_or_else(|e| panic!("{e}"));
                let ptx = String::from_utf8(ptx).expect("PTX is text");
                assert!(ptx.contains(".entry"), "{name}: an entry is compiled");
                assert!(!ptx.contains("fma."), "{name}: no contraction:\n{ptx}");
            }
        }
    }
}
