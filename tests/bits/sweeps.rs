//! Sweeps along lines: the bits of a plain loop along each line, on any ranks, threads, lanes and devices; lines that are cut
//! or broken are refused.

use cfd_engine::lane::Width;
use cfd_engine::mesh::Blocks;
use cfd_engine::prelude::*;
use cfd_partition::Primary;

use crate::harness::{Split, domain_by};

/// What the element before has left, turned and added to.
#[kernel]
fn forward(m: Read<4>, b: Read<2>, before: Read<2>, y: Rw<2>, sum: Sum<1>) {
    for i in 0..2 {
        y[i] = b[i] - (m[2 * i] * before[0] + m[2 * i + 1] * before[1]);
    }
    sum[0] += y[0] * y[1];
}

#[kernel]
fn backward(m: Read<4>, after: Read<2>, y: Rw<2>) {
    let x = [y[0] - m[1] * after[1], y[1] - m[2] * after[0]];
    y[0] = x[0];
    y[1] = x[1];
}

/// Lines of 1 to 40 elements, whose elements lie anywhere: for each element, its line and the elements before and after it.
struct Made {
    line: Vec<u64>,
    before: Vec<u64>,
    after: Vec<u64>,
    lines: Vec<Vec<u64>>,
}

fn made() -> Made {
    let lengths: Vec<usize> = (0..90).map(|i| if i % 5 == 0 { 1 + i * 7 % 40 } else { 1 + i % 9 }).collect();
    let count: usize = lengths.iter().sum();
    // A permutation: 17 has no factor in common with the count.
    assert!(!count.is_multiple_of(17));
    let mut next = (0..count).map(|k| (k * 17 % count) as u64);
    let lines: Vec<Vec<u64>> =
        lengths.iter().map(|&length| (0..length).map(|_| next.next().unwrap()).collect()).collect();
    let (mut line, mut before, mut after) = (vec![0; count], vec![0; count], vec![0; count]);
    for (number, elements) in lines.iter().enumerate() {
        for (k, &element) in elements.iter().enumerate() {
            let at = element as usize;
            line[at] = number as u64;
            before[at] = elements[k.saturating_sub(1)];
            after[at] = elements[(k + 1).min(elements.len() - 1)];
        }
    }
    Made { line, before, after, lines }
}

fn values(dim: usize, count: usize, seed: usize) -> Vec<f64> {
    (0..dim * count).map(|k| ((k * 7919 + seed) % 1013) as f64 / 1013.0 - 0.4).collect()
}

/// This rank's blocks of the mesh.
fn mesh(comm: &Comm, made: &Made) -> Mesh {
    let count = made.line.len();
    let mut mesh = Mesh::default();
    let lines = mesh.add_set("lines", made.lines.len() as u64);
    let nodes = mesh.add_set("nodes", count as u64);
    let own = |rows: usize| {
        let range = Blocks::new(rows as u64, comm.size()).range(comm.rank());
        range.start as usize..range.end as usize
    };
    let map = |all: &[u64]| all[own(count)].to_vec();
    mesh.add_map("node_line", nodes, lines, 1, map(&made.line));
    mesh.add_map("before", nodes, nodes, 1, map(&made.before));
    mesh.add_map("after", nodes, nodes, 1, map(&made.after));
    let all = made.lines.len();
    for (name, set, rows, dim, seed) in [
        ("m", nodes, count, 4, 5),
        ("b", nodes, count, 2, 11),
        ("x", nodes, count, 2, 3),
        ("middle", lines, all, 2, 1),
    ] {
        let (all, own) = (values(dim, rows, seed), own(rows));
        mesh.add_dat(name, set, dim, Values::F64(all[dim * own.start..dim * own.end].to_vec()));
    }
    mesh
}

fn primary(set: &str) -> Primary {
    let (graph, coordinates) = if set == "lines" { ("node_line", "middle") } else { ("before", "x") };
    Primary { coordinates: coordinates.into(), ..Primary::located(set, graph) }
}

/// y after both sweeps, and the sum.
fn swept(comm: &Comm, split: &Split, made: &Made) -> (Vec<u64>, u64) {
    let mut domain = domain_by(comm, mesh(comm, made), split, &primary("lines"));
    let (before, after): (Map<1>, Map<1>) = (domain.map("before").unwrap(), domain.map("after").unwrap());
    let (m, b): (Dat<4>, Dat<2>) = (domain.dat("m").unwrap(), domain.dat("b").unwrap());
    let nodes = domain.set("nodes").unwrap();
    let lines = domain.new_lines(before, after).unwrap();
    let y: Dat<2> = domain.new_dat(nodes, "y");
    let sum = domain.new_sum::<1>("sum");
    domain.sweep(forward, lines, Direction::Forward, (m, b, y.at(before.target::<0>()), y, sum), &());
    let total = domain.get(sum).unwrap()[0];
    domain.sweep(backward, lines, Direction::Backward, (m, y.at(after.target::<0>()), y), &());
    let y: AnyDat = y.into();
    let Values::F64(block) = y.read_block(&mut domain).unwrap() else { panic!("of f64") };
    (comm.all_gather(&block).concat().into_iter().map(f64::to_bits).collect(), total.to_bits())
}

/// The same by plain loops.
fn expected(made: &Made) -> (Vec<u64>, f64) {
    let count = made.line.len();
    let (m, b) = (values(4, count, 5), values(2, count, 11));
    let mut y = vec![[0.0; 2]; count];
    let mut sum = 0.0;
    for line in &made.lines {
        let mut last = [0.0; 2];
        for &element in line {
            let e = element as usize;
            let row = |i: usize| b[2 * e + i] - (m[4 * e + 2 * i] * last[0] + m[4 * e + 2 * i + 1] * last[1]);
            y[e] = [row(0), row(1)];
            sum += y[e][0] * y[e][1];
            last = y[e];
        }
        // An end is its own neighbour.
        let mut last = y[*line.last().unwrap() as usize];
        for &element in line.iter().rev() {
            let e = element as usize;
            y[e] = [y[e][0] - m[4 * e + 1] * last[1], y[e][1] - m[4 * e + 2] * last[0]];
            last = y[e];
        }
    }
    (y.into_iter().flatten().map(f64::to_bits).collect(), sum)
}

#[test]
fn sweeps_have_the_bits_of_a_loop_along_each_line() {
    let made = made();
    let (bits, sum) = expected(&made);
    let mut sums = Vec::new();
    let one_lane = |options: &mut DomainOptions| options.lanes = Width::new(1).expect("a width");
    for split in [
        Split::new(1, "block"),
        Split::new(1, "block").with(one_lane),
        Split::new(2, "random").with(|options| options.threads = 3),
        Split::new(5, "block"),
        Split::new(1, "block").on_device(1),
        Split::new(3, "random").on_device(2),
    ] {
        for (found, total) in Comm::simulate(split.ranks, |comm| swept(&comm, &split, &made)) {
            assert!(found == bits, "{split:?}");
            sums.push(total);
        }
    }
    assert!(sums.iter().all(|&total| total == sums[0]));
    assert!((f64::from_bits(sums[0]) - sum).abs() < 1e-12 * sum.abs().max(1.0));
}

#[test]
fn lines_that_are_cut_are_refused() {
    let made = made();
    // Elements are divided, not lines.
    let errors = Comm::simulate(3, |comm| {
        let mut domain = domain_by(&comm, mesh(&comm, &made), &Split::new(3, "block"), &primary("nodes"));
        let (before, after): (Map<1>, Map<1>) = (domain.map("before").unwrap(), domain.map("after").unwrap());
        domain.new_lines(before, after).unwrap_err().to_string()
    });
    assert!(errors.iter().all(|error| *error == errors[0]));
    assert!(errors[0].contains("on a line that belongs to several ranks"), "{}", errors[0]);
}

#[test]
#[should_panic(expected = "through the maps of its lines only")]
fn a_sweep_reads_along_its_lines_only() {
    let made = made();
    let comm = Comm::single();
    let mut domain = domain_by(&comm, mesh(&comm, &made), &Split::new(1, "block"), &primary("lines"));
    let (before, after): (Map<1>, Map<1>) = (domain.map("before").unwrap(), domain.map("after").unwrap());
    let lines = domain.new_lines(before, after).unwrap();
    let to_line: Map<1> = domain.map("node_line").unwrap();
    let of_lines: Dat<2> = domain.new_dat(to_line.to(), "of_lines");
    let (m, y): (Dat<4>, Dat<2>) = (domain.dat("m").unwrap(), domain.new_dat(lines.set(), "y"));
    domain.sweep(backward, lines, Direction::Backward, (m, of_lines.at(to_line.target::<0>()), y), &());
}
