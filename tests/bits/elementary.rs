//! exp, ln, sin and the like in kernels have the bits of `same-math`: in every strategy, on any ranks and threads, in any
//! number of lanes, in chains, on the emulated device and in the code for GPUs.

use cfd_engine::lane::Width;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_engine::prelude::*;
use cfd_engine::strategy::Strategy;

use crate::harness::matrix::gpu_architectures;
use crate::harness::{Split, use_device};

const POINTS: u64 = 4_000;
const PAIRS: u64 = 5_000;
const FUNCTIONS: usize = 26;

#[kernel]
fn all_functions(x: Read<2>, f: Write<26>) {
    f[0] = x[0].exp();
    f[1] = x[0].exp2();
    f[2] = x[0].exp_m1();
    f[3] = x[0].ln();
    f[4] = x[0].log2();
    f[5] = x[0].ln_1p();
    f[6] = x[0].cbrt();
    f[7] = x[0].sin();
    f[8] = x[0].cos();
    f[9] = x[0].tan();
    f[10] = x[0].asin();
    f[11] = x[0].acos();
    f[12] = x[0].atan();
    f[13] = x[0].atan2(x[1]);
    f[14] = x[0].sinh();
    f[15] = x[0].cosh();
    f[16] = x[0].tanh();
    f[17] = x[0].powf(x[1]);
    f[18] = x[0].powi(0);
    f[19] = x[0].powi(-1);
    f[20] = x[0].powi(2);
    f[21] = x[0].powi(-3);
    f[22] = f64::powi(x[0], 11);
    f[23] = x[0].powi(1234);
    f[24] = f64::powf(x[1], x[0]);
    f[25] = f64::exp(f64::sin(x[1])) * x[0].abs().sqrt().ln();
}

fn by_same_math([x, y]: [f64; 2]) -> [f64; FUNCTIONS] {
    use same_math::*;
    [
        exp(x),
        exp2(x),
        exp_m1(x),
        ln(x),
        log2(x),
        ln_1p(x),
        cbrt(x),
        sin(x),
        cos(x),
        tan(x),
        asin(x),
        acos(x),
        atan(x),
        atan2(x, y),
        sinh(x),
        cosh(x),
        tanh(x),
        powf(x, y),
        powi(x, 0),
        powi(x, -1),
        powi(x, 2),
        powi(x, -3),
        powi(x, 11),
        powi(x, 1234),
        powf(y, x),
        exp(sin(y)) * ln(x.abs().sqrt()),
    ]
}

/// A user's function may have the name of a built-in one.
#[device]
fn exp(x: f64) -> f64 {
    0.25 * x.exp()
}

/// Increments through a map, with a condition whose other side overflows.
#[kernel]
fn attract(x: [Read<2>; 2], pull: [Inc<1>; 2]) {
    let distance = (x[0][0] - x[1][0]).powi(2) + (x[0][1] - x[1][1]).powi(2);
    let force = if distance < 100.0 { exp(-distance) } else { distance.ln_1p().powf(-1.5) };
    pull[0][0] += force.tanh();
    pull[1][0] -= force.tanh();
}

/// SplitMix64.
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Arguments of every kind side by side, so adjacent lanes rarely take the same branch.
fn argument(seed: u64) -> f64 {
    let (kind, bits) = (random(2 * seed) % 8, random(2 * seed + 1));
    let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
    match kind {
        0 => 2.0 * unit - 1.0,
        1 => 40.0 * unit - 20.0,
        2 => 1e6 * unit,
        3 => f64::from_bits(bits),
        4 => [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5][(bits % 8) as usize],
        5 => f64::from_bits(bits >> 12),
        6 => (bits % 40) as f64 - 20.0,
        _ => unit,
    }
}

/// A row's bits, with all NaNs alike, because their bits vary between processors.
fn like(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn world(comm: &Comm, split: &Split) -> Domain {
    let rows = |count: u64| Blocks::new(count, comm.size()).range(comm.rank());
    let mut mesh = Mesh::default();
    let (points, pairs) = (mesh.add_set("points", POINTS), mesh.add_set("pairs", PAIRS));
    let ends = rows(PAIRS).flat_map(|pair| [random(3 * pair) % POINTS, random(3 * pair + 1) % POINTS]);
    mesh.add_map("ends", pairs, points, 2, ends.collect());
    let x = rows(POINTS).flat_map(|point| [argument(2 * point), argument(2 * point + 1)]);
    mesh.add_dat("x", points, 2, Values::F64(x.collect()));
    let place = rows(POINTS).flat_map(|point| {
        [random(5 * point), random(5 * point + 1)].map(|bits| (bits >> 40) as f64 / (1u64 << 19) as f64)
    });
    mesh.add_dat("place", points, 2, Values::F64(place.collect()));
    let owner = |i: u64| (random(split.seed * 7919 + i) % comm.size() as u64) as u32;
    let owners = [rows(POINTS).map(owner).collect(), rows(PAIRS).map(owner).collect::<Vec<u32>>()];
    let layout = cfd_partition::distribute(comm, mesh, &owners).expect("a layout");
    let mut domain = Domain::new(comm.clone(), layout, split.options.clone());
    use_device(&mut domain, split);
    domain
}

/// The functions' values and the points' pulls, in global order.
fn run(split: &Split) -> Vec<Vec<u64>> {
    let parts = Comm::simulate(split.ranks, |comm| {
        let mut domain = world(&comm, split);
        let (points, pairs) = (domain.set("points").unwrap(), domain.set("pairs").unwrap());
        let ends: Map<2> = domain.map("ends").unwrap();
        let (x, place): (Dat<2>, Dat<2>) = (domain.dat("x").unwrap(), domain.dat("place").unwrap());
        let (f, pull): (Dat<FUNCTIONS>, Dat<1>) =
            (domain.new_dat(points, "f"), domain.new_dat(points, "pull"));
        domain.par_loop(all_functions, points, (x, f), &());
        domain.par_loop(attract, pairs, (place.all(ends), pull.all(ends)), &());
        let (f, pull) = (domain.read(f).unwrap(), domain.read(pull).unwrap());
        let row = |(f, pull): (&[f64], &f64)| f.iter().chain([pull]).map(|&value| like(value)).collect();
        let rows: Vec<Vec<u64>> = f.chunks_exact(FUNCTIONS).zip(&pull).map(row).collect();
        domain.global_ids(points).iter().copied().zip(rows).collect::<Vec<_>>()
    });
    let mut rows = parts.concat();
    rows.sort_unstable();
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn kernels_have_the_bits_of_same_math_wherever_they_run() {
    let expected = run(&Split::new(1, "random"));
    for (point, row) in expected.iter().enumerate() {
        let x = [argument(2 * point as u64), argument(2 * point as u64 + 1)];
        assert_eq!(row[..FUNCTIONS], by_same_math(x).map(like), "{x:?}");
    }
    for (ranks, threads, lanes, strategy, tile_rows, device) in [
        (1, 2, 8, Strategy::Regions, None, None),
        (1, 1, 2, Strategy::Regions, None, None),
        (2, 1, 4, Strategy::TemporaryArray, None, None),
        (3, 2, 8, Strategy::TrivialColoring, None, None),
        (2, 2, 8, Strategy::Regions, Some(50), None),
        (8, 1, 1, Strategy::Regions, None, None),
        (1, 1, 1, Strategy::Regions, None, Some(3)),
        (3, 1, 1, Strategy::TemporaryArray, None, Some(4)),
    ] {
        let mut split = Split::new(ranks, "random").with(|options| {
            options.threads = threads;
            options.strategy = Some(strategy);
            options.lanes = Width::new(lanes).unwrap_or(Width::widest());
            options.backend = cfd_chains::backend_if(tile_rows.is_some());
            options.tile_rows = tile_rows.unwrap_or(0);
            options.grain = 1;
        });
        split.seed = ranks as u64;
        let split = if let Some(seed) = device { split.on_device(seed) } else { split };
        let found = run(&split);
        let differing = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differing, None, "{split:?}");
    }
}

#[test]
fn the_bits_of_a_program_with_functions_are_those_they_have_always_been() {
    let mut hasher = blake3::Hasher::new();
    run(&Split::new(1, "random")).iter().flatten().for_each(|bits| {
        hasher.update(&bits.to_le_bytes());
    });
    assert_eq!(hasher.finalize().to_hex()[..16], *"5d1e37e10cab0aa6");
}

#[test]
fn the_code_for_gpus_has_no_fused_operation() {
    if let Err(error) = cfd_device::nvrtc::version() {
        assert!(std::env::var_os("CFD_REQUIRE_NVRTC").is_none(), "{error}");
        eprintln!("not compiled: {error}");
        return;
    }
    let (text, _) = cfd_device::direct_loop::<all_functions>();
    for target in gpu_architectures().iter().copied().map(cfd_device::nvrtc::Target::Ptx) {
        let ptx =
            cfd_device::nvrtc::compile("all_functions", &text, target).unwrap_or_else(|e| panic!("{e}"));
        let ptx = String::from_utf8(ptx).expect("PTX is text");
        assert!(ptx.contains("div.rn.f64") && ptx.contains("sqrt.rn.f64"), "{ptx}");
        assert!(!ptx.contains("fma."), "{ptx}");
    }
}

#[path = "../../examples/heated_square.rs"]
#[allow(dead_code)]
mod heated_square;

#[test]
fn a_source_that_changes_in_time_gives_the_solution_it_is_made_for_with_the_same_bits_on_any_ranks() {
    let errors = [8, 16, 32].map(|n| {
        let ranks = if n == 16 { 3 } else { 1 };
        let found = Comm::simulate(ranks, |comm| {
            heated_square::run(&comm, n, DomainOptions::default()).expect("a square").0.to_bits()
        });
        assert!(found.iter().all(|error| *error == found[0]));
        if ranks > 1 {
            let alone = heated_square::run(&Comm::single(), n, DomainOptions::default()).expect("a square");
            assert_eq!(alone.0.to_bits(), found[0]);
        }
        f64::from_bits(found[0])
    });
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.9..2.1).contains(&order), "{errors:?}");
    }
    assert!(errors[2] < 2e-3, "{errors:?}");
}
