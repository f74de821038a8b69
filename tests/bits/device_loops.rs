//! Loops by concept on the emulated device: sums and extrema of any numbers, integers, two targets sets in one loop,
//! values that a loop has of its own, and what only the host can do; always against the host.

use std::rc::Rc;

use cfd_device::{DeviceOptions, Emulated};
use cfd_engine::prelude::*;
use cfd_engine::strategy::Strategy;
use cfd_mesh::generate;

use crate::harness::{self, Split, domain, in_global_order};

/// SplitMix64 of a global id: the same values on any ranks.
fn random(id: u64, stream: u64) -> u64 {
    let mut z = id.wrapping_mul(64).wrapping_add(stream).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Runs `body` on the host with one rank, and on the device by each strategy that promises its bits.
fn same_on_device<R: Send + PartialEq + std::fmt::Debug>(
    body: impl Fn(&mut Domain) -> R + Sync,
    gather: impl Fn(Vec<R>) -> R,
) {
    // In the larger mesh, a thread of a loop with results executes several elements.
    for (x, y) in [(9, 13), (50, 80)] {
        let run = |split: &Split| {
            gather(Comm::simulate(split.ranks, |comm| {
                let mesh = generate::naca0012::cells(&comm, x, y, None).expect("a mesh");
                body(&mut domain(&comm, mesh, split))
            }))
        };
        let expected = run(&Split::new(1, "block"));
        for strategy in [Strategy::Regions, Strategy::TemporaryArray] {
            for ranks in [1, 3] {
                let split = Split::new(ranks, "random").with(|options| options.strategy = Some(strategy));
                assert_eq!(run(&split.clone().on_device(ranks as u64)), expected, "{split:?}");
            }
        }
    }
}

/// What all ranks know.
fn one<R: PartialEq + std::fmt::Debug>(mut all: Vec<R>) -> R {
    assert!(all.iter().all(|other| *other == all[0]));
    all.swap_remove(0)
}

#[kernel]
fn add_and_compare(a: Read<2>, sum: Sum<2>, least: Min<2>, most: Max<2>) {
    for m in 0..2 {
        sum[m] += a[m];
        least[m] = a[m];
        most[m] = a[m];
    }
}

/// Sums and extrema of numbers made from random words.
fn assert_results_of(number: impl Fn(u64) -> f64 + Sync) {
    let body = |domain: &mut Domain| {
        let edges = domain.set("edges").unwrap();
        let a: Dat<2> = domain.new_dat(edges, "a");
        let (sum, least, most) = (domain.new_sum("sum"), domain.new_min("least"), domain.new_max("most"));
        let other = domain.new_sum("other");
        let numbers = |&id: &u64| [number(random(id, 0)), number(random(id, 1))];
        let values: Vec<f64> = domain.global_ids(edges).iter().flat_map(numbers).collect();
        domain.write(a, &values);
        // Twice: a result is that of the last loop.
        for _ in 0..2 {
            domain.par_loop(add_and_compare, edges, (a, sum, least, most), &());
        }
        let extrema = [domain.extremum(least).unwrap(), domain.extremum(most).unwrap()];
        let bits = extrema.map(|pair| pair.map(|e| (e.value.to_bits(), e.element)));
        let sums = domain.get(sum).unwrap().map(f64::to_bits);
        // After it was read, too, and beside another one whose loop comes before.
        domain.par_loop(add_and_compare, edges, (a, other, least, most), &());
        domain.par_loop(add_and_compare, edges, (a, sum, least, most), &());
        let again =
            [domain.get(sum).unwrap(), domain.get(other).unwrap()].map(|values| values.map(f64::to_bits));
        assert_eq!(again, [sums; 2]);
        (sums, bits)
    };
    same_on_device(body, one);
}

#[test]
fn sums_and_extrema_of_numbers_of_all_sizes_have_the_bits_of_the_host() {
    assert_results_of(|word| {
        let value = f64::from_bits(word);
        if value.is_finite() { value } else { 1.0 }
    });
}

#[test]
fn subnormal_numbers_and_zeros_of_both_signs_are_added_and_compared() {
    assert_results_of(|word| match word % 4 {
        0 => 0.0,
        1 => -0.0,
        _ => f64::from_bits(word >> 12 | word << 63),
    });
}

#[test]
fn infinities_and_nan_decide_a_sum_and_the_lowest_id_decides_ties() {
    assert_results_of(|word| if word % 31 == 0 { f64::INFINITY } else { (word % 3) as f64 });
    assert_results_of(|word| match word % 31 {
        0 => f64::INFINITY,
        1 => f64::NEG_INFINITY,
        _ => -1.0,
    });
    assert_results_of(|word| if word % 31 == 0 { f64::NAN } else { 1.5 });
}

#[test]
fn results_stay_right_while_numbers_of_threads_are_tried_out() {
    let comm = Comm::single();
    let mesh = generate::naca0012::cells(&comm, 30, 70, None).expect("a mesh");
    let mut domain = domain(&comm, mesh, &Split::new(1, "block"));
    let device = Rc::new(Emulated::new(&harness::texts(), 1));
    cfd_device::use_device(&mut domain, device, DeviceOptions::default()).expect("a device");
    let cells = domain.set("cells").unwrap();
    let a: Dat<2> = domain.new_dat(cells, "a");
    let (sum, least, most) = (domain.new_sum("sum"), domain.new_min("least"), domain.new_max("most"));
    let ids = domain.global_ids(cells).to_vec();
    // Whole numbers: their sum has the same bits in any order.
    for step in 0..20 {
        let number = |id: u64, m: u64| (random(id, step) % 9973 + 10 * m) as f64;
        let values: Vec<[f64; 2]> = ids.iter().map(|&id| [number(id, 0), number(id, 1)]).collect();
        domain.write(a, values.as_flattened());
        domain.par_loop(add_and_compare, cells, (a, sum, least, most), &());
        let column = |m: usize| values.iter().map(move |row| row[m]);
        let sums = [0, 1].map(|m| column(m).sum::<f64>());
        assert_eq!(domain.get(sum).unwrap(), sums, "step {step}");
        let extrema =
            [0, 1].map(|m| (column(m).fold(f64::INFINITY, f64::min), column(m).fold(0.0, f64::max)));
        let (lowest, highest) = (domain.extremum(least).unwrap(), domain.extremum(most).unwrap());
        assert_eq!([0, 1].map(|m| (lowest[m].value, highest[m].value)), extrema, "step {step}");
    }
}

#[kernel]
fn count(cells1: Inc<1, i32>, cells2: Inc<1, i32>, node1: Inc<2>, node2: Inc<2>, own: Rw<1>, a: Read<1>) {
    cells1[0] += 1;
    cells2[0] += 3;
    for m in 0..2 {
        node1[m] += a[0] / 3.0;
        node2[m] -= a[0] * own[0];
    }
    own[0] = own[0] + a[0];
}

/// A dat's values by global id.
type Rows<T> = Vec<(u64, Vec<T>)>;

fn rows<const D: usize, T: cfd_engine::Stored>(domain: &mut Domain, dat: Dat<D, T>) -> Rows<T> {
    let values = domain.read(dat).unwrap();
    domain.global_ids(dat.set()).iter().copied().zip(values.chunks(D).map(<[T]>::to_vec)).collect()
}

/// The same, the bits of the values.
fn bits<const D: usize>(domain: &mut Domain, dat: Dat<D>) -> Rows<u64> {
    rows(domain, dat).into_iter().map(|(id, row)| (id, row.into_iter().map(f64::to_bits).collect())).collect()
}

/// The rows of several dats, from all ranks.
fn all_together(parts: Vec<Vec<Rows<u64>>>) -> Vec<Rows<u64>> {
    let mut columns: Vec<Vec<_>> = vec![Vec::new(); parts[0].len()];
    parts.into_iter().for_each(|part| columns.iter_mut().zip(part).for_each(|(all, own)| all.push(own)));
    columns.into_iter().map(together).collect()
}

fn together<T: Ord>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all: Vec<T> = parts.into_iter().flatten().collect();
    all.sort();
    all
}

#[test]
fn integers_two_target_sets_and_an_own_value_have_the_bits_of_the_host() {
    let body = |domain: &mut Domain| {
        let (cells, edges, nodes) =
            (domain.set("cells").unwrap(), domain.set("edges").unwrap(), domain.set("nodes").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let ends: Map<2> = domain.map("edge_nodes").unwrap();
        let counts: Dat<1, i32> = domain.new_dat(cells, "counts");
        let sums: Dat<2> = domain.new_dat(nodes, "sums");
        let (own, a): (Dat<1>, Dat<1>) = (domain.new_dat(edges, "own"), domain.new_dat(edges, "a"));
        let values: Vec<f64> =
            domain.global_ids(edges).iter().map(|&id| (random(id, 2) >> 11) as f64 * 1e-15).collect();
        domain.write(a, &values);
        for _ in 0..3 {
            let operands = (
                counts.at(sides.target::<0>()),
                counts.at(sides.target::<1>()),
                sums.at(ends.target::<0>()),
                sums.at(ends.target::<1>()),
                own,
                a,
            );
            domain.par_loop(count, edges, operands, &());
        }
        let counts: Vec<(u64, Vec<u64>)> =
            rows(domain, counts).into_iter().map(|(id, row)| (id, vec![row[0] as u64])).collect();
        vec![counts, bits(domain, sums), bits(domain, own)]
    };
    same_on_device(body, all_together);
}

#[kernel]
fn mix(long: Rw<9>, other: Read<10>, made: Write<12>, short: Rw<3>, two: Read<2>, size: Sum<1>) {
    for i in 0..9 {
        long[i] = long[i] * 0.75 + other[9 - i] + two[i % 2] * short[i % 3];
        made[i] = other[i] - long[i];
        size[0] += long[i];
    }
    for i in 0..3 {
        short[i] += long[8 - i];
    }
    made[9] = long[0];
    made[10] = other[9];
    made[11] = short[1];
}

#[kernel]
fn mix_and_spread(long: Rw<9>, made: Write<12>, a: Inc<1>, b: Inc<1>, size: Sum<1>) {
    for i in 0..9 {
        a[0] += long[i];
        b[0] -= long[8 - i] / 3.0;
        long[i] = long[i] * 0.5 + 0.125;
    }
    for i in 0..12 {
        made[i] = long[i / 2];
        size[0] += made[i];
    }
}

#[kernel]
fn compare(
    long_a: Read<9>,
    other_b: Read<10>,
    made_b: Read<12>,
    short_a: Read<3>,
    two_b: Read<2>,
    seen: Write<1>,
) {
    seen[0] = long_a[8] * other_b[9] - made_b[11] + short_a[2] * two_b[1];
}

#[test]
fn long_rows_have_the_bits_of_the_host() {
    let body = |domain: &mut Domain| {
        let [cells, edges, nodes] = ["cells", "edges", "nodes"].map(|name| domain.set(name).unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let corners: Map<4> = domain.map("cell_nodes").unwrap();
        let long: Dat<9> = domain.new_dat(cells, "long");
        let other: Dat<10> = domain.new_dat(cells, "other");
        let made: Dat<12> = domain.new_dat(cells, "made");
        let (short, two): (Dat<3>, Dat<2>) = (domain.new_dat(cells, "short"), domain.new_dat(cells, "two"));
        let (sums, seen): (Dat<1>, Dat<1>) = (domain.new_dat(nodes, "sums"), domain.new_dat(edges, "seen"));
        let size = domain.new_sum("size");
        let ids = domain.global_ids(cells).to_vec();
        let values = |dim: u64| -> Vec<f64> {
            let row = |&id: &u64| (0..dim).map(move |m| (random(id, m + dim) >> 11) as f64 * 1e-15);
            ids.iter().flat_map(row).collect()
        };
        domain.write(long, &values(9));
        domain.write(other, &values(10));
        domain.write(short, &values(3));
        domain.write(two, &values(2));
        // Reached through a map, all are stored row by row.
        let (a, b) = (sides.target::<0>(), sides.target::<1>());
        let mut found = Vec::new();
        for _ in 0..2 {
            let through = (long.at(a), other.at(b), made.at(b), short.at(a), two.at(b), seen);
            domain.par_loop(compare, edges, through, &());
            domain.par_loop(mix, cells, (long, other, made, short, two, size), &());
            found.extend(domain.get(size).unwrap());
            let (one, three) = (sums.at(corners.target::<0>()), sums.at(corners.target::<2>()));
            domain.par_loop(mix_and_spread, cells, (long, made, one, three, size), &());
            found.extend(domain.get(size).unwrap());
        }
        let found = vec![(0, found.into_iter().map(f64::to_bits).collect())];
        let rows = [bits(domain, long), bits(domain, made), bits(domain, short)];
        [vec![found], rows.to_vec(), vec![bits(domain, sums), bits(domain, seen)]].concat()
    };
    same_on_device(body, |parts| {
        let sums: Vec<_> = parts.iter().map(|part| part[0].clone()).collect();
        let mut all = all_together(parts);
        all[0] = one(sums);
        all
    });
}

#[kernel]
fn relax(a: Rw<1>, b: Rw<1>) {
    let mean = 0.5 * (a[0] + b[0]);
    a[0] = 0.9 * a[0] + 0.1 * mean;
    b[0] = 0.8 * b[0] + 0.2 * mean;
}

#[kernel]
fn double(a: Rw<1>) {
    a[0] = a[0] + a[0];
}

#[test]
fn a_loop_that_only_the_host_can_run_lies_between_loops_on_the_device() {
    let body = |domain: &mut Domain| {
        let (cells, edges) = (domain.set("cells").unwrap(), domain.set("edges").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let a: Dat<1> = domain.new_dat(cells, "a");
        let values: Vec<f64> = domain.global_ids(cells).iter().map(|&id| id as f64).collect();
        domain.write(a, &values);
        for _ in 0..2 {
            domain.par_loop(double, cells, (a,), &());
            domain.par_loop(relax, edges, (a.at(sides.target::<0>()), a.at(sides.target::<1>())), &());
        }
        (domain.global_ids(cells).to_vec(), domain.read(a).unwrap())
    };
    same_on_device(body, |parts| {
        let rows: Vec<[f64; 1]> = in_global_order(parts);
        (Vec::new(), rows.into_flattened())
    });
}

#[kernel]
fn keep(a: Read<2>, b: Write<2>) {
    b[0] = a[0];
    b[1] = a[1];
}

#[kernel]
fn spread(a1: Read<2>, b2: Read<2>, s1: Inc<2>, s2: Inc<2>) {
    s1[0] += 0.25 * b2[1];
    s1[1] -= a1[0];
    s2[0] += a1[1];
    s2[1] += 0.5 * b2[0];
}

#[kernel]
fn renew(b: Read<2>, s: Rw<2>, a: Write<2>) {
    a[0] = 0.5 * b[0] + 0.125 * s[1];
    a[1] = 0.25 * b[1] - 0.0625 * s[0];
    s[0] = 0.0;
    s[1] = 0.0;
}

/// Both are also reached through maps, the copy before and after it takes over the original's values, and the host looks on.
#[test]
fn a_copy_is_made_by_exchanging_buffers_and_has_the_bits_of_the_host() {
    let body = |domain: &mut Domain| {
        let (cells, edges) = (domain.set("cells").unwrap(), domain.set("edges").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let (one, other) = (sides.target::<0>(), sides.target::<1>());
        let a: Dat<2> = domain.new_dat(cells, "a");
        let (b, s): (Dat<2>, Dat<2>) = (domain.new_dat(cells, "b"), domain.new_dat(cells, "s"));
        let ids = domain.global_ids(cells).to_vec();
        let values = ids.iter().flat_map(|&id| [0, 1].map(|m| (random(id, m) >> 40) as f64 * 1e-3));
        domain.write(a, &values.collect::<Vec<f64>>());
        domain.par_loop(keep, cells, (a, b), &());
        domain.flush().unwrap();
        let executed =
            |domain: &mut Domain| domain.timers().iter().find(|t| t.name == "keep").unwrap().elements();
        let before = executed(domain);
        let mut seen = Vec::new();
        for step in 0..6 {
            domain.par_loop(keep, cells, (a, b), &());
            domain.par_loop(renew, cells, (b, s, a), &());
            domain.par_loop(spread, edges, (a.at(one), b.at(other), s.at(one), s.at(other)), &());
            if step % 2 == 1 {
                seen.extend(domain.read(b).unwrap());
            }
        }
        assert_eq!(executed(domain), before, "no copy is executed");
        let last = [a, s].map(|dat| domain.read(dat).unwrap());
        (ids, [seen, last.concat()].concat())
    };
    // A body does not return one element's values together: three times b, then a and s.
    same_on_device(body, |parts| {
        let columns = (0..5).map(|k| {
            let part = |(ids, values): &(Vec<u64>, Vec<f64>)| {
                (ids.clone(), values[2 * k * ids.len()..2 * (k + 1) * ids.len()].to_vec())
            };
            in_global_order::<2>(parts.iter().map(part).collect())
        });
        let rows: Vec<[f64; 2]> = columns.flatten().collect();
        (Vec::new(), rows.into_flattened())
    });
}
