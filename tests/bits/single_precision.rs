//! Dats of f32: loops compute in double precision with the values that the dats hold, and round what they store; the
//! same bits on any ranks, threads, lanes, strategies and tiles, and on the emulated device.

use cfd_engine::lane::Width;
use cfd_engine::prelude::*;
use cfd_engine::strategy::Strategy;
use cfd_mesh::generate;

use crate::harness::{Split, domain};

#[kernel]
fn begin(corners: [Read<2>; 4], t: Write<5>, size: Rw<1>) {
    for m in 0..2 {
        t[m] = (corners[0][m] + corners[2][m]) / 3.0;
        t[m + 2] = corners[1][m] * corners[3][m];
    }
    t[4] = corners[0][0] - corners[2][1];
    size[0] += t[4] * t[4];
}

#[kernel]
fn flux(t1: Read<5>, t2: Read<5>, w: Rw<3>, r1: Inc<3>, r2: Inc<3>) {
    for m in 0..3 {
        let f = (t2[m] - t1[m + 2]) / 7.0 + w[m];
        r1[m] += f;
        r2[m] -= f;
        w[m] = 0.5 * (f - t1[m]);
    }
}

#[kernel]
fn to_corners(t: Read<5>, corners: [Inc<1>; 4], total: Sum<5>) {
    for k in 0..4 {
        corners[k][0] += t[k] * t[k + 1] / 3.0;
    }
    for m in 0..5 {
        total[m] += t[m];
    }
}

#[kernel]
fn copy(from: Read<3>, to: Write<3>) {
    for m in 0..3 {
        to[m] = from[m];
    }
}

#[kernel]
fn third(x: Rw<3>) {
    for m in 0..3 {
        x[m] = x[m] / 3.0;
    }
}

/// Bits by global id, of every dat in turn.
type Rows = Vec<Vec<(u64, Vec<u64>)>>;

struct Dats {
    t: Dat<5, f32>,
    size: Dat<1, f32>,
    w: Dat<3, f32>,
    single: Dat<3, f32>,
    double: Dat<3>,
    corners: Dat<1, f32>,
    copied: Dat<3, f32>,
    total: Global<Sum<5>>,
}

/// Three rounds of all loops.
fn run(domain: &mut Domain) -> (Dats, [f64; 5]) {
    let [cells, edges, nodes] = ["cells", "edges", "nodes"].map(|name| domain.set(name).expect("a set"));
    let sides: Map<2> = domain.map("edge_cells").expect("a map");
    let corners: Map<4> = domain.map("cell_nodes").expect("a map");
    let x: Dat<2> = domain.dat("x").expect("coordinates");
    let dats = Dats {
        t: domain.new_dat(cells, "t"),
        size: domain.new_dat(cells, "size"),
        w: domain.new_dat(edges, "w"),
        single: domain.new_dat(cells, "single"),
        double: domain.new_dat(cells, "double"),
        corners: domain.new_dat(nodes, "corners"),
        copied: domain.new_dat(cells, "copied"),
        total: domain.new_sum("total"),
    };
    let Dats { t, size, w, single, double, copied, .. } = dats;
    let (left, right) = (t.at(sides.target::<0>()), t.at(sides.target::<1>()));
    for _ in 0..3 {
        domain.par_loop(begin, cells, (x.all(corners), t, size), &());
        // Both increments to one type, then each to another: opposite increments are stored once only if types agree.
        let to = (single.at(sides.target::<0>()), single.at(sides.target::<1>()));
        domain.par_loop(flux, edges, (left, right, w, to.0, to.1), &());
        let to = (single.at(sides.target::<0>()), double.at(sides.target::<1>()));
        domain.par_loop(flux, edges, (left, right, w, to.0, to.1), &());
        let to = (double.at(sides.target::<0>()), single.at(sides.target::<1>()));
        domain.par_loop(flux, edges, (left, right, w, to.0, to.1), &());
        // A copy to another type, whose original then changes.
        domain.par_loop(copy, cells, (double, copied), &());
        domain.par_loop(third, cells, (double,), &());
        domain.par_loop(to_corners, cells, (t, dats.corners.all(corners), dats.total), &());
    }
    let total = domain.get(dats.total).expect("a sum");
    (dats, total)
}

fn results(domain: &mut Domain) -> (Rows, [u64; 5]) {
    let (dats, total) = run(domain);
    let Dats { t, size, w, single, double, corners, copied, .. } = dats;
    let all: [AnyDat; 7] =
        [t.into(), size.into(), w.into(), single.into(), double.into(), corners.into(), copied.into()];
    let rows = all.map(|dat| {
        let values = dat.read_f64(domain).expect("values");
        let bits = values.chunks(dat.dim()).map(|row| row.iter().map(|v| v.to_bits()).collect());
        domain.global_ids(dat.set()).iter().copied().zip(bits).collect()
    });
    (rows.into(), total.map(f64::to_bits))
}

/// The whole dats, in global order.
fn on(split: &Split) -> (Rows, [u64; 5]) {
    let parts = Comm::simulate(split.ranks, |comm| {
        let mesh = generate::naca0012::cells(&comm, 9, 13, None).expect("a mesh");
        results(&mut domain(&comm, mesh, split))
    });
    let mut whole: Rows = vec![Vec::new(); 7];
    for (rows, _) in &parts {
        whole.iter_mut().zip(rows).for_each(|(all, own)| all.extend(own.iter().cloned()));
    }
    whole.iter_mut().for_each(|all| all.sort());
    (whole, parts[0].1)
}

#[test]
fn the_bits_are_the_same_on_ranks_threads_lanes_strategies_tiles_and_a_device() {
    let expected =
        on(&Split::new(1, "block").with(|options| options.lanes = Width::new(1).expect("one lane")));
    for (ranks, threads, lanes, tile_rows) in [
        (1, 1, 2, None),
        (1, 2, 4, None),
        (1, 1, 8, None),
        (3, 2, 8, None),
        (1, 1, 8, Some(5)),
        (3, 2, 4, Some(11)),
        (8, 1, 1, None),
    ] {
        let split = Split::new(ranks, "random").with(|options| {
            options.threads = threads;
            options.lanes = Width::new(lanes).unwrap_or(Width::widest());
            options.backend = cfd_chains::backend_if(tile_rows.is_some());
            options.tile_rows = tile_rows.unwrap_or(0);
            options.grain = 1;
        });
        assert!(on(&split) == expected, "{split:?}");
    }
    for strategy in Strategy::ALL.into_iter().filter(|strategy| strategy.is_reproducible()) {
        let split = |ranks| {
            Split::new(ranks, "random").with(|options| {
                (options.strategy, options.threads, options.region_rows) = (Some(strategy), 2, 7);
            })
        };
        let expected = on(&split(1));
        assert!(on(&split(3)) == expected, "{:?}", split(3));
        if matches!(strategy, Strategy::Regions | Strategy::TemporaryArray) {
            for ranks in [1, 3] {
                let split = split(ranks).on_device(ranks as u64);
                assert!(on(&split) == expected, "{split:?}");
            }
        }
    }
}

#[test]
fn values_are_widened_exactly_and_rounded_once() {
    let comm = Comm::single();
    let mesh = generate::naca0012::cells(&comm, 9, 13, None).expect("a mesh");
    let mut domain = domain(&comm, mesh, &Split::new(1, "block"));
    let [cells, edges] = ["cells", "edges"].map(|name| domain.set(name).expect("a set"));
    let sides: Map<2> = domain.map("edge_cells").expect("a map");
    let (t, w): (Dat<5, f32>, Dat<3, f32>) = (domain.new_dat(cells, "t"), domain.new_dat(edges, "w"));
    let r: Dat<3, f32> = domain.new_dat(cells, "r");
    let number = |k: usize| (k as f32 + 0.1).sin();
    let t_values: Vec<f32> = (0..5 * domain.global_ids(cells).len()).map(number).collect();
    let w_values: Vec<f32> = (0..3 * domain.global_ids(edges).len()).map(|k| number(k + 7)).collect();
    domain.write(t, &t_values);
    domain.write(w, &w_values);
    let ends: Vec<[u32; 2]> = domain.targets(sides).to_vec();
    domain.par_loop(
        flux,
        edges,
        (
            t.at(sides.target::<0>()),
            t.at(sides.target::<1>()),
            w,
            r.at(sides.target::<0>()),
            r.at(sides.target::<1>()),
        ),
        &(),
    );
    let (mut w_expected, mut r_expected) = (w_values.clone(), vec![0f32; 3 * domain.global_ids(cells).len()]);
    for (edge, [a, b]) in ends.into_iter().map(|ends| ends.map(|end| end as usize)).enumerate() {
        for m in 0..3 {
            let [t1, t2] = [t_values[5 * a + m + 2], t_values[5 * b + m]].map(f64::from);
            let f = (t2 - t1) / 7.0 + f64::from(w_values[3 * edge + m]);
            r_expected[3 * a + m] += f as f32;
            r_expected[3 * b + m] -= f as f32;
            w_expected[3 * edge + m] = (0.5 * (f - f64::from(t_values[5 * a + m]))) as f32;
        }
    }
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&domain.read(w).expect("values")), bits(&w_expected));
    assert_eq!(bits(&domain.read(r).expect("values")), bits(&r_expected));
    // What is read untyped equals it, and can be written back; other numbers are refused.
    let untyped = AnyDat::from(r).read_f64(&mut domain).expect("values");
    assert!(untyped.iter().zip(&r_expected).all(|(wide, single)| *wide == f64::from(*single)));
    AnyDat::from(r).write_f64(&mut domain, &untyped);
    assert_eq!(domain.read(r).expect("values"), r_expected);
    let not_single = vec![0.1; untyped.len()];
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        AnyDat::from(r).write_f64(&mut domain, &not_single);
    }));
    let message = *refused.expect_err("0.1 is no f32").downcast::<String>().expect("a text");
    assert_eq!(message, "\"r\" holds f32, and 0.1 is none");
}
