//! A dat at all targets of a map has the bits of the same dat at its targets one by one: in every strategy, on any ranks
//! and threads, in any number of lanes, in chains and on the emulated device, also where targets of an element are one row.

use cfd_engine::lane::Width;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_engine::prelude::*;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_reducers::strategies;

use crate::harness::{Split, use_device};

const ELEMENTS: u64 = 90;
const NODES: u64 = 61;

/// As in hydrodynamics on hexahedra: 24 increments, some the negatives of others.
#[kernel]
fn forces(w: Read<8>, fx: [Inc<1>; 8], fy: [Inc<1>; 8], fz: [Inc<1>; 8]) {
    for i in 0..4 {
        let d = w[i] * w[(i + 3) % 8];
        fx[i][0] += d;
        fx[7 - i][0] -= d;
    }
    for i in 0..8 {
        fy[(i + 3) % 8][0] -= w[i];
        fz[i][0] += 0.1 * w[i];
        if w[i] < 0.5 {
            fz[i][0] -= w[7 - i];
        }
    }
}

#[kernel]
fn forces_one_by_one(
    w: Read<8>,
    fx0: Inc<1>,
    fx1: Inc<1>,
    fx2: Inc<1>,
    fx3: Inc<1>,
    fx4: Inc<1>,
    fx5: Inc<1>,
    fx6: Inc<1>,
    fx7: Inc<1>,
    fy0: Inc<1>,
    fy1: Inc<1>,
    fy2: Inc<1>,
    fy3: Inc<1>,
    fy4: Inc<1>,
    fy5: Inc<1>,
    fy6: Inc<1>,
    fy7: Inc<1>,
    fz0: Inc<1>,
    fz1: Inc<1>,
    fz2: Inc<1>,
    fz3: Inc<1>,
    fz4: Inc<1>,
    fz5: Inc<1>,
    fz6: Inc<1>,
    fz7: Inc<1>,
) {
    let d = [w[0] * w[3], w[1] * w[4], w[2] * w[5], w[3] * w[6]];
    fx0[0] += d[0];
    fx7[0] -= d[0];
    fx1[0] += d[1];
    fx6[0] -= d[1];
    fx2[0] += d[2];
    fx5[0] -= d[2];
    fx3[0] += d[3];
    fx4[0] -= d[3];
    fy3[0] -= w[0];
    fz0[0] += 0.1 * w[0];
    if w[0] < 0.5 {
        fz0[0] -= w[7];
    }
    fy4[0] -= w[1];
    fz1[0] += 0.1 * w[1];
    if w[1] < 0.5 {
        fz1[0] -= w[6];
    }
    fy5[0] -= w[2];
    fz2[0] += 0.1 * w[2];
    if w[2] < 0.5 {
        fz2[0] -= w[5];
    }
    fy6[0] -= w[3];
    fz3[0] += 0.1 * w[3];
    if w[3] < 0.5 {
        fz3[0] -= w[4];
    }
    fy7[0] -= w[4];
    fz4[0] += 0.1 * w[4];
    if w[4] < 0.5 {
        fz4[0] -= w[3];
    }
    fy0[0] -= w[5];
    fz5[0] += 0.1 * w[5];
    if w[5] < 0.5 {
        fz5[0] -= w[2];
    }
    fy1[0] -= w[6];
    fz6[0] += 0.1 * w[6];
    if w[6] < 0.5 {
        fz6[0] -= w[1];
    }
    fy2[0] -= w[7];
    fz7[0] += 0.1 * w[7];
    if w[7] < 0.5 {
        fz7[0] -= w[0];
    }
}

#[device]
fn weighted(p: [f64; 2], w: f64) -> f64 {
    p[0] * w - 0.3 * p[1]
}

/// As on tetrahedra of second order: ten nodes of three increments, and integers.
#[kernel]
fn spread(w: Read<8>, p: [Read<2>; 10], r: [Inc<3>; 10], n: [Inc<1, i32>; 10]) {
    for i in 0..10 {
        let d = weighted(p[i], w[i % 8]);
        let row = p[(i + 1) % 10];
        for m in 0..3 {
            r[i][m] += d * w[m];
        }
        r[9 - i][0] += row[1];
        n[i][0] += 1 + 2 * 3;
    }
}

#[kernel]
fn spread_one_by_one(
    w: Read<8>,
    p0: Read<2>,
    p1: Read<2>,
    p2: Read<2>,
    p3: Read<2>,
    p4: Read<2>,
    p5: Read<2>,
    p6: Read<2>,
    p7: Read<2>,
    p8: Read<2>,
    p9: Read<2>,
    r0: Inc<3>,
    r1: Inc<3>,
    r2: Inc<3>,
    r3: Inc<3>,
    r4: Inc<3>,
    r5: Inc<3>,
    r6: Inc<3>,
    r7: Inc<3>,
    r8: Inc<3>,
    r9: Inc<3>,
    n0: Inc<1, i32>,
    n1: Inc<1, i32>,
    n2: Inc<1, i32>,
    n3: Inc<1, i32>,
    n4: Inc<1, i32>,
    n5: Inc<1, i32>,
    n6: Inc<1, i32>,
    n7: Inc<1, i32>,
    n8: Inc<1, i32>,
    n9: Inc<1, i32>,
) {
    let d0 = weighted(p0, w[0]);
    for m in 0..3 {
        r0[m] += d0 * w[m];
    }
    r9[0] += p1[1];
    n0[0] += 7;
    let d1 = weighted(p1, w[1]);
    for m in 0..3 {
        r1[m] += d1 * w[m];
    }
    r8[0] += p2[1];
    n1[0] += 7;
    let d2 = weighted(p2, w[2]);
    for m in 0..3 {
        r2[m] += d2 * w[m];
    }
    r7[0] += p3[1];
    n2[0] += 7;
    let d3 = weighted(p3, w[3]);
    for m in 0..3 {
        r3[m] += d3 * w[m];
    }
    r6[0] += p4[1];
    n3[0] += 7;
    let d4 = weighted(p4, w[4]);
    for m in 0..3 {
        r4[m] += d4 * w[m];
    }
    r5[0] += p5[1];
    n4[0] += 7;
    let d5 = weighted(p5, w[5]);
    for m in 0..3 {
        r5[m] += d5 * w[m];
    }
    r4[0] += p6[1];
    n5[0] += 7;
    let d6 = weighted(p6, w[6]);
    for m in 0..3 {
        r6[m] += d6 * w[m];
    }
    r3[0] += p7[1];
    n6[0] += 7;
    let d7 = weighted(p7, w[7]);
    for m in 0..3 {
        r7[m] += d7 * w[m];
    }
    r2[0] += p8[1];
    n7[0] += 7;
    let d8 = weighted(p8, w[0]);
    for m in 0..3 {
        r8[m] += d8 * w[m];
    }
    r1[0] += p9[1];
    n8[0] += 7;
    let d9 = weighted(p9, w[1]);
    for m in 0..3 {
        r9[m] += d9 * w[m];
    }
    r0[0] += p0[1];
    n9[0] += 7;
}

/// Opposite fluxes, whose rows are stored once.
#[kernel]
fn exchange(w: Read<8>, r: [Inc<3>; 2]) {
    for m in 0..3 {
        let f = w[m] - w[m + 1];
        r[0][m] += f;
        r[1][m] -= f;
    }
}

#[kernel]
fn exchange_one_by_one(w: Read<8>, r0: Inc<3>, r1: Inc<3>) {
    for m in 0..3 {
        let f = w[m] - w[m + 1];
        r0[m] += f;
        r1[m] -= f;
    }
}

/// SplitMix64.
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn number(seed: u64) -> f64 {
    (random(seed) >> 11) as f64 / (1u64 << 53) as f64
}

/// Elements that lead to arbitrary nodes; every seventh leads to one node several times.
fn world(comm: &Comm, split: &Split) -> Domain {
    let rows = |count: u64| Blocks::new(count, comm.size()).range(comm.rank());
    let node = |element: u64, target: u64| {
        let target = if element.is_multiple_of(7) { target / 3 } else { target };
        random(1000 * element + target) % NODES
    };
    let mut mesh = Mesh::default();
    let (elements, nodes) = (mesh.add_set("elements", ELEMENTS), mesh.add_set("nodes", NODES));
    for (name, arity) in [("pairs", 2), ("corners", 8), ("tens", 10)] {
        let to = rows(ELEMENTS).flat_map(|e| (0..arity).map(move |i| node(e, i))).collect();
        mesh.add_map(name, elements, nodes, arity as usize, to);
    }
    let numbers = |set: u64, dim: u64, stream: u64| {
        Values::F64(
            rows(set).flat_map(|i| (0..dim).map(move |m| number((i * dim + m) * 64 + stream))).collect(),
        )
    };
    mesh.add_dat("w", elements, 8, numbers(ELEMENTS, 8, 1));
    for (stream, name) in ["fx", "fy", "fz"].into_iter().enumerate() {
        mesh.add_dat(name, nodes, 1, numbers(NODES, 1, 2 + stream as u64));
    }
    mesh.add_dat("p", nodes, 2, numbers(NODES, 2, 7));
    mesh.add_dat("r", nodes, 3, numbers(NODES, 3, 8));
    mesh.add_dat("n", nodes, 1, Values::I32(rows(NODES).map(|i| i as i32).collect()));
    let owner =
        |set: u64, i: u64| (random(split.seed * 7919 + set * 1_000_003 + i) % comm.size() as u64) as u32;
    let owners = [
        rows(ELEMENTS).map(|i| owner(0, i)).collect(),
        rows(NODES).map(|i| owner(1, i)).collect::<Vec<u32>>(),
    ];
    let layout = cfd_partition::distribute(comm, mesh, &owners).expect("a layout");
    let mut domain = Domain::new(comm.clone(), layout, split.options.clone());
    use_device(&mut domain, split);
    domain
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Whole,
    OneByOne,
}

/// The global ids of the nodes and the bits of what the loops changed, on one rank.
fn run(domain: &mut Domain, form: Form) -> (Vec<u64>, Vec<Vec<u64>>) {
    let (elements, nodes) = (domain.set("elements").unwrap(), domain.set("nodes").unwrap());
    let pairs: Map<2> = domain.map("pairs").unwrap();
    let corners: Map<8> = domain.map("corners").unwrap();
    let tens: Map<10> = domain.map("tens").unwrap();
    let w: Dat<8> = domain.dat("w").unwrap();
    let [fx, fy, fz]: [Dat<1>; 3] = ["fx", "fy", "fz"].map(|name| domain.dat(name).unwrap());
    let (p, r): (Dat<2>, Dat<3>) = (domain.dat("p").unwrap(), domain.dat("r").unwrap());
    let n: Dat<1, i32> = domain.dat("n").unwrap();
    for _ in 0..2 {
        match form {
            Form::Whole => {
                domain.par_loop(
                    forces,
                    elements,
                    (w, fx.all(corners), fy.all(corners), fz.all(corners)),
                    &(),
                );
                domain.par_loop(spread, elements, (w, p.all(tens), r.all(tens), n.all(tens)), &());
                domain.par_loop(exchange, elements, (w, r.all(pairs)), &());
            }
            Form::OneByOne => {
                domain.par_loop(
                    forces_one_by_one,
                    elements,
                    (
                        w,
                        fx.at(corners.target::<0>()),
                        fx.at(corners.target::<1>()),
                        fx.at(corners.target::<2>()),
                        fx.at(corners.target::<3>()),
                        fx.at(corners.target::<4>()),
                        fx.at(corners.target::<5>()),
                        fx.at(corners.target::<6>()),
                        fx.at(corners.target::<7>()),
                        fy.at(corners.target::<0>()),
                        fy.at(corners.target::<1>()),
                        fy.at(corners.target::<2>()),
                        fy.at(corners.target::<3>()),
                        fy.at(corners.target::<4>()),
                        fy.at(corners.target::<5>()),
                        fy.at(corners.target::<6>()),
                        fy.at(corners.target::<7>()),
                        fz.at(corners.target::<0>()),
                        fz.at(corners.target::<1>()),
                        fz.at(corners.target::<2>()),
                        fz.at(corners.target::<3>()),
                        fz.at(corners.target::<4>()),
                        fz.at(corners.target::<5>()),
                        fz.at(corners.target::<6>()),
                        fz.at(corners.target::<7>()),
                    ),
                    &(),
                );
                domain.par_loop(
                    spread_one_by_one,
                    elements,
                    (
                        w,
                        p.at(tens.target::<0>()),
                        p.at(tens.target::<1>()),
                        p.at(tens.target::<2>()),
                        p.at(tens.target::<3>()),
                        p.at(tens.target::<4>()),
                        p.at(tens.target::<5>()),
                        p.at(tens.target::<6>()),
                        p.at(tens.target::<7>()),
                        p.at(tens.target::<8>()),
                        p.at(tens.target::<9>()),
                        r.at(tens.target::<0>()),
                        r.at(tens.target::<1>()),
                        r.at(tens.target::<2>()),
                        r.at(tens.target::<3>()),
                        r.at(tens.target::<4>()),
                        r.at(tens.target::<5>()),
                        r.at(tens.target::<6>()),
                        r.at(tens.target::<7>()),
                        r.at(tens.target::<8>()),
                        r.at(tens.target::<9>()),
                        n.at(tens.target::<0>()),
                        n.at(tens.target::<1>()),
                        n.at(tens.target::<2>()),
                        n.at(tens.target::<3>()),
                        n.at(tens.target::<4>()),
                        n.at(tens.target::<5>()),
                        n.at(tens.target::<6>()),
                        n.at(tens.target::<7>()),
                        n.at(tens.target::<8>()),
                        n.at(tens.target::<9>()),
                    ),
                    &(),
                );
                let (a, b) = (pairs.target::<0>(), pairs.target::<1>());
                domain.par_loop(exchange_one_by_one, elements, (w, r.at(a), r.at(b)), &());
            }
        }
    }
    let mut all = Vec::new();
    for dat in [fx, fy, fz] {
        all.push(domain.read(dat).unwrap().iter().map(|v| v.to_bits()).collect());
    }
    all.push(domain.read(p).unwrap().iter().map(|v| v.to_bits()).collect());
    all.push(domain.read(r).unwrap().iter().map(|v| v.to_bits()).collect());
    all.push(domain.read(n).unwrap().iter().map(|&v| u64::from(v as u32)).collect());
    (domain.global_ids(nodes).to_vec(), all)
}

/// The dats in global order.
fn bits(split: &Split, form: Form) -> Vec<Vec<u64>> {
    let parts = Comm::simulate(split.ranks, |comm| run(&mut world(&comm, split), form));
    (0..parts[0].1.len())
        .map(|dat| {
            let mut rows: Vec<(u64, Vec<u64>)> = Vec::new();
            for (ids, dats) in parts.iter().filter(|(ids, _)| !ids.is_empty()) {
                let dim = dats[dat].len() / ids.len();
                rows.extend(ids.iter().copied().zip(dats[dat].chunks_exact(dim).map(<[u64]>::to_vec)));
            }
            rows.sort_unstable();
            assert_eq!(rows.len() as u64, NODES);
            rows.into_iter().flat_map(|(_, row)| row).collect()
        })
        .collect()
}

#[track_caller]
fn assert_same_forms(split: &Split) -> Vec<Vec<u64>> {
    let whole = bits(split, Form::Whole);
    assert_eq!(whole, bits(split, Form::OneByOne), "{split:?}");
    whole
}

#[test]
fn both_forms_have_the_same_bits_in_every_strategy() {
    for strategy in strategies::all() {
        // What no strategy guarantees is still the same on one rank with one thread.
        let promised = strategy.is_reproducible();
        let ranks_and_threads: &[_] = if promised { &[(1, 1), (3, 2), (5, 1)] } else { &[(1, 1)] };
        for &(ranks, threads) in ranks_and_threads {
            for lanes in [1, 8] {
                let split = Split::new(ranks, "random").with(|options| {
                    options.strategy = Some(strategy);
                    options.mode = if promised { Mode::Reproducible } else { Mode::Fast };
                    options.threads = threads;
                    options.lanes = Width::new(lanes).unwrap_or(Width::widest());
                    options.region_rows = 7;
                    options.grain = 1;
                });
                assert_same_forms(&split);
            }
        }
    }
}

#[test]
fn whole_maps_have_one_answer_on_any_ranks_threads_lanes_and_in_chains() {
    let expected = assert_same_forms(&Split::new(1, "random"));
    for (ranks, threads, lanes, tile_rows) in [
        (1, 2, 2, None),
        (2, 1, 4, None),
        (3, 2, 8, None),
        (1, 1, 8, Some(5)),
        (3, 2, 4, Some(11)),
        (8, 1, 1, None),
    ] {
        let mut split = Split::new(ranks, "random").with(|options| {
            options.threads = threads;
            options.lanes = Width::new(lanes).unwrap_or(Width::widest());
            options.backend = cfd_chains::backend_if(tile_rows.is_some());
            options.tile_rows = tile_rows.unwrap_or(0);
            options.grain = 1;
        });
        split.seed = ranks as u64;
        assert_eq!(assert_same_forms(&split), expected, "{split:?}");
    }
}

#[test]
fn whole_maps_have_the_bits_of_the_processor_on_the_emulated_device() {
    for strategy in [Strategy::Regions, Strategy::TemporaryArray] {
        for ranks in [1, 3] {
            let split = Split::new(ranks, "random").with(|options| options.strategy = Some(strategy));
            let expected = assert_same_forms(&split);
            assert_eq!(assert_same_forms(&split.clone().on_device(5)), expected, "{split:?}");
        }
    }
}
