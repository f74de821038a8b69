//! Loops by concept: direct, indirect, increments, globals, halos, recording; on simulated ranks.

use cfd_engine::prelude::*;
use cfd_mesh::generate;

use crate::harness::{Split, domain, in_global_order};

const RANKS: [usize; 4] = [1, 2, 3, 8];

/// Runs `body` on a small airfoil mesh on each number of ranks, with and without overlap.
fn on_all_ranks<R: Send>(body: impl Fn(&mut Domain) -> R + Sync, check: impl Fn(&Split, Vec<R>)) {
    for ranks in RANKS {
        for (method, overlap) in [("hilbert", true), ("random", false)] {
            let split = Split::new(ranks, method).with(|options| options.overlap = overlap);
            let results = Comm::simulate(ranks, |comm| {
                let mesh = generate::naca0012::cells(&comm, 6, 8, None).expect("a mesh");
                body(&mut domain(&comm, mesh, &split))
            });
            check(&split, results);
        }
    }
}

#[kernel]
fn number_rows(x: Read<2>, y: Write<1>) {
    y[0] = 3.0 * x[0] - x[1];
}

#[kernel]
fn scale(y: Rw<1>, c: &Factor) {
    y[0] = c.factor * y[0];
}

#[derive(Clone, Copy, Constants)]
struct Factor {
    factor: f64,
}

#[test]
fn direct_loop_visits_every_owned_element_once() {
    on_all_ranks(
        |domain| {
            let nodes = domain.set("nodes").unwrap();
            let x: Dat<2> = domain.dat("x").unwrap();
            let y: Dat<1> = domain.new_dat(nodes, "y");
            domain.par_loop(number_rows, nodes, (x, y), &());
            domain.par_loop(scale, nodes, (y,), &Factor { factor: 2.0 });
            let expected: Vec<f64> =
                domain.read(x).unwrap().chunks_exact(2).map(|x| 2.0 * (3.0 * x[0] - x[1])).collect();
            assert_eq!(domain.read(y).unwrap(), expected);
        },
        |_, _| {},
    );
}

#[kernel]
fn sum_of_corners(x1: Read<2>, x2: Read<2>, x3: Read<2>, x4: Read<2>, s: Write<2>) {
    for m in 0..2 {
        s[m] = ((x1[m] + x2[m]) + x3[m]) + x4[m];
    }
}

#[kernel]
fn difference(s1: Read<2>, s2: Read<2>, d: Write<2>) {
    for m in 0..2 {
        d[m] = s1[m] - s2[m];
    }
}

/// A loop that writes a dat and one that reads it through a map, on whole rows in global order.
fn corner_differences(domain: &mut Domain) -> (Vec<u64>, Vec<f64>) {
    let (cells, edges) = (domain.set("cells").unwrap(), domain.set("edges").unwrap());
    let c: Map<4> = domain.map("cell_nodes").unwrap();
    let sides: Map<2> = domain.map("edge_cells").unwrap();
    let x: Dat<2> = domain.dat("x").unwrap();
    let s: Dat<2> = domain.new_dat(cells, "s");
    let d: Dat<2> = domain.new_dat(edges, "d");
    let corners =
        (x.at(c.target::<0>()), x.at(c.target::<1>()), x.at(c.target::<2>()), x.at(c.target::<3>()), s);
    domain.par_loop(sum_of_corners, cells, corners, &());
    domain.par_loop(difference, edges, (s.at(sides.target::<0>()), s.at(sides.target::<1>()), d), &());
    (domain.global_ids(edges).to_vec(), domain.read(d).unwrap())
}

#[test]
fn indirect_reads_see_what_other_ranks_have_just_written() {
    let reference = in_global_order::<2>(Comm::simulate(1, |comm| {
        let mesh = generate::naca0012::cells(&comm, 6, 8, None).unwrap();
        corner_differences(&mut domain(&comm, mesh, &Split::new(1, "block")))
    }));
    on_all_ranks(corner_differences, |split, parts| {
        assert_eq!(in_global_order::<2>(parts), reference, "{split:?}");
    });
}

#[kernel]
fn one_to_both(a: Inc<1>, b: Inc<1, i32>) {
    a[0] += 1.0;
    b[0] += 1;
}

#[test]
fn increments_reach_every_owned_target_once_from_each_source() {
    on_all_ranks(
        |domain| {
            let (cells, edges, bedges) =
                (domain.set("cells").unwrap(), domain.set("edges").unwrap(), domain.set("bedges").unwrap());
            let sides: Map<2> = domain.map("edge_cells").unwrap();
            let inside: Map<1> = domain.map("bedge_cell").unwrap();
            let a: Dat<1> = domain.new_dat(cells, "a");
            let b: Dat<1, i32> = domain.new_dat(cells, "b");
            let (left, right) = (sides.target::<0>(), sides.target::<1>());
            domain.par_loop(one_to_both, edges, (a.at(left), b.at(left)), &());
            domain.par_loop(one_to_both, edges, (a.at(right), b.at(right)), &());
            domain.par_loop(
                one_to_both,
                bedges,
                (a.at(inside.target::<0>()), b.at(inside.target::<0>())),
                &(),
            );
            // Every quadrilateral has four sides.
            assert!(domain.read(a).unwrap().iter().all(|&n| n == 4.0));
            assert!(domain.read(b).unwrap().iter().all(|&n| n == 4));
        },
        |_, _| {},
    );
}

#[kernel]
fn coordinates(x: Read<2>, total: Sum<2>, left: Min<2>, right: Max<1>) {
    for m in 0..2 {
        total[m] += x[m];
        left[m] = x[m];
    }
    right[0] = x[0];
}

#[test]
fn globals_count_every_element_once_and_find_extrema_with_their_place() {
    on_all_ranks(
        |domain| {
            let nodes = domain.set("nodes").unwrap();
            let x: Dat<2> = domain.dat("x").unwrap();
            let total = domain.new_sum::<2>("total");
            let (left, right) = (domain.new_min::<2>("left"), domain.new_max::<1>("right"));
            domain.par_loop(coordinates, nodes, (x, total, left, right), &());
            let sums = domain.get(total).unwrap();
            let (lows, [high]) = (domain.extremum(left).unwrap(), domain.extremum(right).unwrap());
            let rows: Vec<(u64, f64, f64)> = domain
                .global_ids(nodes)
                .to_vec()
                .into_iter()
                .zip(domain.read(x).unwrap().chunks_exact(2))
                .map(|(id, x)| (id, x[0], x[1]))
                .collect();
            (sums, lows, high, rows)
        },
        |split, results| {
            let (sums, lows, high, _) = results[0];
            let mut rows: Vec<_> = results.iter().flat_map(|r| r.3.clone()).collect();
            rows.sort_by_key(|r| r.0);
            let exact = rows.iter().fold((0.0, 0.0), |s, r| (s.0 + r.1, s.1 + r.2));
            assert!((sums[0] - exact.0).abs() < 1e-9 * rows.len() as f64, "{split:?}");
            assert!((sums[1] - exact.1).abs() < 1e-9 * rows.len() as f64, "{split:?}");
            let first = |best: f64, key: fn(&(u64, f64, f64)) -> f64| {
                rows.iter().find(|r| key(r) == best).map(|r| r.0)
            };
            let least = |key: fn(&(u64, f64, f64)) -> f64| rows.iter().map(key).fold(f64::INFINITY, f64::min);
            assert_eq!((lows[0].value, lows[0].element), (least(|r| r.1), first(least(|r| r.1), |r| r.1)));
            assert_eq!((lows[1].value, lows[1].element), (least(|r| r.2), first(least(|r| r.2), |r| r.2)));
            let most = rows.iter().map(|r| r.1).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!((high.value, high.element), (most, first(most, |r| r.1)));
            assert!(results.iter().all(|r| (r.0, r.1, r.2) == (sums, lows, high)), "every rank knows");
        },
    );
}

#[kernel]
fn count_edges(n: Sum<1>, seen: Inc<1>) {
    n[0] += 1.0;
    seen[0] += 1.0;
}

#[test]
fn redundantly_executed_elements_are_not_counted_in_sums() {
    on_all_ranks(
        |domain| {
            let (cells, edges) = (domain.set("cells").unwrap(), domain.set("edges").unwrap());
            let sides: Map<2> = domain.map("edge_cells").unwrap();
            let seen: Dat<1> = domain.new_dat(cells, "seen");
            let n = domain.new_sum::<1>("n");
            domain.par_loop(count_edges, edges, (n, seen.at(sides.target::<1>())), &());
            assert_eq!(domain.get(n).unwrap(), [domain.rows(edges) as f64]);
            let redundant = domain.timers()[0].redundant_elements();
            domain.comm().sum(redundant)
        },
        |split, redundant| assert_eq!(redundant[0] > 0, split.ranks > 1, "{split:?}"),
    );
}

#[test]
fn a_global_holds_the_last_loops_result_and_nothing_runs_before_it_is_asked_for() {
    let calls = Comm::simulate(2, |comm| {
        let mesh = generate::naca0012::cells(&comm, 6, 8, None).unwrap();
        let mut domain = domain(&comm, mesh, &Split::new(2, "rcb"));
        let nodes = domain.set("nodes").unwrap();
        let x: Dat<2> = domain.dat("x").unwrap();
        let y: Dat<1> = domain.new_dat(nodes, "y");
        let largest = domain.new_max::<1>("largest");
        for factor in [5.0, 1.0] {
            domain.par_loop(number_rows, nodes, (x, y), &());
            domain.par_loop(scale, nodes, (y,), &Factor { factor });
            domain.par_loop(largest_value, nodes, (y, largest), &());
        }
        assert!(domain.timers().is_empty(), "nothing has run");
        let [peak] = domain.extremum(largest).unwrap();
        let values = domain.read(y).unwrap();
        assert!(values.iter().all(|&v| v <= peak.value) && peak.value < 14.0 * 5.0);
        let own = values.contains(&peak.value);
        assert_eq!(comm.sum(own as u64), 1, "the second pass's result");
        domain.timers().iter().map(|t| t.calls).collect::<Vec<_>>()
    });
    assert_eq!(calls, [[2, 2, 2], [2, 2, 2]]);
}

#[kernel]
fn largest_value(y: Read<1>, largest: Max<1>) {
    largest[0] = y[0];
}

#[test]
fn one_message_a_neighbour_carries_all_stale_dats_and_fresh_ones_stay_home() {
    // A loop that reads data unchanged since the last exchange does not wait for halos again.
    Comm::simulate(3, |comm| {
        let mesh = generate::naca0012::cells(&comm, 6, 8, None).unwrap();
        let mut domain = domain(&comm, mesh, &Split::new(3, "rcb"));
        corner_differences(&mut domain);
        let before = domain.exchanges();
        assert_eq!(before.exchanges, 1, "s is exchanged once, x never");
        assert!(before.messages <= 2, "one message for each neighbour");
        domain.flush().unwrap();
        assert_eq!(domain.exchanges(), before);
    });
}

#[kernel]
fn constrain(fixed: Write<1>) {
    fixed[0] = -1.0;
}

#[kernel]
fn write_to_cell(x: Read<2>, first: Write<1>) {
    first[0] = x[0];
}

#[test]
fn what_is_written_through_a_map_reaches_its_target_wherever_the_writer_is() {
    on_all_ranks(
        |domain| {
            let (bedges, nodes) = (domain.set("bedges").unwrap(), domain.set("nodes").unwrap());
            let ends: Map<2> = domain.map("bedge_nodes").unwrap();
            let y: Dat<1> = domain.new_dat(nodes, "y");
            domain.par_loop(constrain, bedges, (y.at(ends.target::<0>()),), &());
            domain.par_loop(constrain, bedges, (y.at(ends.target::<1>()),), &());
            let written = domain.read(y).unwrap().iter().filter(|&&v| v == -1.0).count() as u64;
            domain.comm().sum(written)
        },
        |split, written| {
            let mesh = generate::naca0012::cells(&Comm::single(), 6, 8, None).expect("a mesh");
            let ends: std::collections::BTreeSet<u64> =
                mesh.maps[mesh.map("bedge_nodes").expect("a map")].rows.iter().copied().collect();
            assert_eq!(written[0], ends.len() as u64, "{split:?}");
        },
    );
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "debug builds look for them")]
fn different_values_written_to_one_target_are_found() {
    let message = refusal(|domain| {
        let (edges, cells) = (domain.set("edges").unwrap(), domain.set("cells").unwrap());
        let (ends, sides): (Map<2>, Map<2>) =
            (domain.map("edge_nodes").unwrap(), domain.map("edge_cells").unwrap());
        let x: Dat<2> = domain.dat("x").unwrap();
        let y: Dat<1> = domain.new_dat(cells, "y");
        let operands = (x.at(ends.target::<0>()), y.at(sides.target::<0>()));
        domain.par_loop(write_to_cell, edges, operands, &());
        domain.read(y).unwrap();
    });
    assert!(message.contains("two elements write different values"), "{message}");
}

/// The message of the panic that `body` ends with.
fn refusal(body: impl Fn(&mut Domain) + Sync) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Comm::simulate(1, |comm| {
            let mesh = generate::naca0012::cells(&comm, 6, 8, None).unwrap();
            body(&mut domain(&comm, mesh, &Split::new(1, "block")))
        })
    }))
    .expect_err("the loop is refused");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn a_dat_on_the_wrong_set_is_refused() {
    let message = refusal(|domain| {
        let (nodes, cells) = (domain.set("nodes").unwrap(), domain.set("cells").unwrap());
        let y: Dat<1> = domain.new_dat(nodes, "y");
        domain.par_loop(scale, cells, (y,), &Factor { factor: 1.0 });
    });
    assert!(message.contains("\"scale\"") && message.contains("\"y\" is on nodes"), "{message}");
}

#[test]
fn a_map_that_starts_or_ends_elsewhere_is_refused() {
    let message = refusal(|domain| {
        let (nodes, cells) = (domain.set("nodes").unwrap(), domain.set("cells").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let y: Dat<1> = domain.new_dat(nodes, "y");
        let z: Dat<1> = domain.new_dat(cells, "z");
        let n = domain.new_sum::<1>("n");
        domain.par_loop(count_edges, cells, (n, z.at(sides.target::<0>())), &());
        let _ = y;
    });
    assert!(message.contains("map \"edge_cells\" leads from edges to cells"), "{message}");
}

#[kernel]
fn copy_and_add(from: Read<1>, to: Inc<1>) {
    to[0] += from[0];
}

#[test]
fn one_dat_under_two_modes_is_refused() {
    let message = refusal(|domain| {
        let (edges, cells) = (domain.set("edges").unwrap(), domain.set("cells").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let y: Dat<1> = domain.new_dat(cells, "y");
        let operands = (y.at(sides.target::<0>()), y.at(sides.target::<1>()));
        domain.par_loop(copy_and_add, edges, operands, &());
    });
    assert!(message.contains("\"y\" is used both as Read and as Inc"), "{message}");
}

#[test]
fn handles_are_refused_with_the_names_there_are() {
    Comm::simulate(1, |comm| {
        let mesh = generate::naca0012::cells(&comm, 6, 8, None).unwrap();
        let domain = domain(&comm, mesh, &Split::new(1, "block"));
        assert!(domain.set("faces").unwrap_err().to_string().contains("nodes, edges, bedges, cells"));
        let error = domain.map::<3>("edge_cells").unwrap_err().to_string();
        assert!(error.contains("arity 2") && error.contains("arity 3"), "{error}");
        let error = domain.dat::<2, f64>("bound").unwrap_err().to_string();
        assert!(error.contains("1 i32") && error.contains("2 f64"), "{error}");
    });
}
