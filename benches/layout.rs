//! Rows against columns: loops over dats of four values a cell, and the same loops over four dats of one value each,
//! equivalent to a dat stored column by column. Nanoseconds per element, in the cache and in memory, medians of
//! alternating rounds on one core, as a table in Markdown.
//!
//! `cargo bench --bench layout -- --setting "processor, date"`

mod timing;

use std::time::Instant;

use cfd_engine::prelude::*;
use cfd_partition::{Method, Options as PartitionOptions, Order, set_up};
use clap::Parser;

use timing::median;

/// Dats by rows and by columns, nanoseconds an element.
#[derive(Parser)]
struct Options {
    /// I,J: a mesh has 3 I J cells. May be given several times.
    #[arg(long, value_parser = size, default_values = ["50,60", "400,600"])]
    size: Vec<(u64, u64)>,
    /// Rounds, in each of which every loop runs in both forms.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Elements that a loop visits in a round.
    #[arg(long, default_value_t = 10_000_000)]
    elements: u64,
    /// Where it runs, for the table: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn size(text: &str) -> Result<(u64, u64), String> {
    let numbers: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[i, j]) if i > 0 && j > 0 => Ok((i, j)),
        _ => Err("two positive numbers, I,J".into()),
    }
}

/// Constant inputs.
#[derive(Clone, Copy, Constants)]
struct Flow {
    gm1: f64,
    nx: f64,
    ny: f64,
    mu: f64,
    step: f64,
}

const FLOW: Flow = Flow { gm1: 0.4, nx: 0.6, ny: -0.8, mu: 0.05, step: 1e-3 };

/// Velocity along the normal.
#[device]
fn normal_velocity(r: f64, ru: f64, rv: f64, c: &Flow) -> f64 {
    (ru * c.nx + rv * c.ny) / r
}

/// Pressure of the four conserved quantities.
#[device]
fn pressure(r: f64, ru: f64, rv: f64, re: f64, c: &Flow) -> f64 {
    c.gm1 * (re - 0.5 * (ru * ru + rv * rv) / r)
}

/// Mean of two fluxes, and dissipation.
#[device]
fn flux(f1: f64, f2: f64, a1: f64, a2: f64, c: &Flow) -> f64 {
    0.5 * (f1 + f2) + c.mu * (a1 - a2)
}

/// The first value of each cell, the others unused.
#[kernel]
fn first_by_rows(q: Read<4>, first: Write<1>) {
    first[0] = 2.0 * q[0];
}

#[kernel]
fn first_by_columns(q0: Read<1>, first: Write<1>) {
    first[0] = 2.0 * q0[0];
}

/// A step in time: all values of each cell, few operations.
#[kernel]
fn step_by_rows(old: Read<4>, q: Write<4>, res: Rw<4>, adt: Read<1>, c: &Flow) {
    for m in 0..4 {
        q[m] = old[m] - c.step * adt[0] * res[m];
        res[m] = 0.0;
    }
}

#[kernel]
fn step_by_columns(
    old0: Read<1>,
    old1: Read<1>,
    old2: Read<1>,
    old3: Read<1>,
    q0: Write<1>,
    q1: Write<1>,
    q2: Write<1>,
    q3: Write<1>,
    res0: Rw<1>,
    res1: Rw<1>,
    res2: Rw<1>,
    res3: Rw<1>,
    adt: Read<1>,
    c: &Flow,
) {
    q0[0] = old0[0] - c.step * adt[0] * res0[0];
    q1[0] = old1[0] - c.step * adt[0] * res1[0];
    q2[0] = old2[0] - c.step * adt[0] * res2[0];
    q3[0] = old3[0] - c.step * adt[0] * res3[0];
    res0[0] = 0.0;
    res1[0] = 0.0;
    res2[0] = 0.0;
    res3[0] = 0.0;
}

/// Fluxes through edges: all values of two cells, through a map.
#[kernel]
fn edge_by_rows(a: Read<4>, b: Read<4>, to_a: Inc<4>, to_b: Inc<4>, c: &Flow) {
    let va = normal_velocity(a[0], a[1], a[2], c);
    let vb = normal_velocity(b[0], b[1], b[2], c);
    let pa = pressure(a[0], a[1], a[2], a[3], c);
    let pb = pressure(b[0], b[1], b[2], b[3], c);
    let f0 = flux(va * a[0], vb * b[0], a[0], b[0], c);
    let f1 = flux(va * a[1] + c.nx * pa, vb * b[1] + c.nx * pb, a[1], b[1], c);
    let f2 = flux(va * a[2] + c.ny * pa, vb * b[2] + c.ny * pb, a[2], b[2], c);
    let f3 = flux(va * (a[3] + pa), vb * (b[3] + pb), a[3], b[3], c);
    to_a[0] -= f0;
    to_a[1] -= f1;
    to_a[2] -= f2;
    to_a[3] -= f3;
    to_b[0] += f0;
    to_b[1] += f1;
    to_b[2] += f2;
    to_b[3] += f3;
}

#[kernel]
fn edge_by_columns(
    a0: Read<1>,
    a1: Read<1>,
    a2: Read<1>,
    a3: Read<1>,
    b0: Read<1>,
    b1: Read<1>,
    b2: Read<1>,
    b3: Read<1>,
    to_a0: Inc<1>,
    to_a1: Inc<1>,
    to_a2: Inc<1>,
    to_a3: Inc<1>,
    to_b0: Inc<1>,
    to_b1: Inc<1>,
    to_b2: Inc<1>,
    to_b3: Inc<1>,
    c: &Flow,
) {
    let va = normal_velocity(a0[0], a1[0], a2[0], c);
    let vb = normal_velocity(b0[0], b1[0], b2[0], c);
    let pa = pressure(a0[0], a1[0], a2[0], a3[0], c);
    let pb = pressure(b0[0], b1[0], b2[0], b3[0], c);
    let f0 = flux(va * a0[0], vb * b0[0], a0[0], b0[0], c);
    let f1 = flux(va * a1[0] + c.nx * pa, vb * b1[0] + c.nx * pb, a1[0], b1[0], c);
    let f2 = flux(va * a2[0] + c.ny * pa, vb * b2[0] + c.ny * pb, a2[0], b2[0], c);
    let f3 = flux(va * (a3[0] + pa), vb * (b3[0] + pb), a3[0], b3[0], c);
    to_a0[0] -= f0;
    to_a1[0] -= f1;
    to_a2[0] -= f2;
    to_a3[0] -= f3;
    to_b0[0] += f0;
    to_b1[0] += f1;
    to_b2[0] += f2;
    to_b3[0] += f3;
}

/// A mesh with every dat in both forms.
struct Case {
    domain: Domain,
    cells: Set,
    edges: Set,
    sides: Map<2>,
    adt: Dat<1>,
    first: [Dat<1>; 2],
    old: (Dat<4>, [Dat<1>; 4]),
    q: (Dat<4>, [Dat<1>; 4]),
    res: (Dat<4>, [Dat<1>; 4]),
}

/// The loops by number.
const LOOPS: [&str; 3] =
    ["one value of four, direct", "all values, direct", "all values of two cells, through a map"];

impl Case {
    fn new((i, j): (u64, u64)) -> Case {
        let comm = Comm::single();
        let mesh = cfd_mesh::generate::naca0012::cells(&comm, i, j, None).expect("a mesh");
        let primary = cfd_mesh::CELL_EDGES.primary(&mesh);
        let options = PartitionOptions { method: Method::Block, ..PartitionOptions::default() };
        let domain = DomainOptions::default();
        let mut domain = set_up(&comm, mesh, &primary, &options, Order::File, domain).expect("one rank");
        let (cells, edges) = (domain.set("cells").expect("cells"), domain.set("edges").expect("edges"));
        let sides = domain.map("edge_cells").expect("edges have cells");
        let mut both = |name: &str| {
            let columns = std::array::from_fn(|m| domain.new_dat(cells, &format!("{name}_{m}")));
            (domain.new_dat::<4, f64>(cells, name), columns)
        };
        let (old, q, res) = (both("old"), both("q"), both("res"));
        let first = ["first_by_rows", "first_by_columns"].map(|name| domain.new_dat(cells, name));
        let adt = domain.new_dat(cells, "adt");
        let mut case = Case { domain, cells, edges, sides, adt, first, old, q, res };
        case.fill();
        case
    }

    /// A smooth state, the same in both forms.
    fn fill(&mut self) {
        let cells = usize::try_from(self.domain.rows(self.cells)).expect("they fit into memory");
        let wave = |cell: usize, m: usize| (cell as f64 * 0.01 + m as f64).sin();
        let value = |cell: usize, m: usize| [1.0, 0.4, 0.1, 3.0][m] + 0.05 * wave(cell, m);
        for (rows, columns) in [self.old, self.q] {
            let all: Vec<f64> = (0..cells).flat_map(|cell| (0..4).map(move |m| value(cell, m))).collect();
            self.domain.write(rows, &all);
            for (m, column) in columns.into_iter().enumerate() {
                let values: Vec<f64> = all.iter().skip(m).step_by(4).copied().collect();
                self.domain.write(column, &values);
            }
        }
        self.domain.write(self.adt, &vec![1.0; cells]);
    }

    fn elements(&self, at: usize) -> u64 {
        self.domain.rows(if at == 2 { self.edges } else { self.cells })
    }

    /// Runs loop number `at` by rows (0) or columns (1).
    fn run(&mut self, at: usize, form: usize) {
        let (a, b) = (self.sides.target::<0>(), self.sides.target::<1>());
        let (domain, cells, edges) = (&mut self.domain, self.cells, self.edges);
        let ((old, [o0, o1, o2, o3]), (q, [q0, q1, q2, q3])) = (self.old, self.q);
        let (res, [r0, r1, r2, r3]) = self.res;
        let (adt, [by_rows, by_columns]) = (self.adt, self.first);
        match (at, form) {
            (0, 0) => domain.par_loop(first_by_rows, cells, (q, by_rows), &()),
            (0, _) => domain.par_loop(first_by_columns, cells, (q0, by_columns), &()),
            (1, 0) => domain.par_loop(step_by_rows, cells, (old, q, res, adt), &FLOW),
            (1, _) => {
                let operands = (o0, o1, o2, o3, q0, q1, q2, q3, r0, r1, r2, r3, adt);
                domain.par_loop(step_by_columns, cells, operands, &FLOW);
            }
            (_, 0) => {
                let operands = (q.at(a), q.at(b), res.at(a), res.at(b));
                domain.par_loop(edge_by_rows, edges, operands, &FLOW);
            }
            _ => {
                let from = (q0.at(a), q1.at(a), q2.at(a), q3.at(a), q0.at(b), q1.at(b), q2.at(b), q3.at(b));
                let to = (r0.at(a), r1.at(a), r2.at(a), r3.at(a), r0.at(b), r1.at(b), r2.at(b), r3.at(b));
                let operands = (
                    from.0, from.1, from.2, from.3, from.4, from.5, from.6, from.7, to.0, to.1, to.2, to.3,
                    to.4, to.5, to.6, to.7,
                );
                domain.par_loop(edge_by_columns, edges, operands, &FLOW);
            }
        }
        domain.flush().unwrap();
    }

    /// Nanoseconds an element of loop number `at`.
    fn time(&mut self, at: usize, form: usize, elements: u64) -> f64 {
        let count = elements.div_ceil(self.elements(at));
        let start = Instant::now();
        (0..count).for_each(|_| self.run(at, form));
        start.elapsed().as_secs_f64() * 1e9 / (count * self.elements(at)) as f64
    }

    /// Panics unless both forms hold the same bits.
    fn compare(&mut self) {
        for (rows, columns) in [self.q, self.res] {
            let all = self.domain.read(rows).unwrap();
            for (m, column) in columns.into_iter().enumerate() {
                let column = self.domain.read(column).unwrap();
                let same =
                    all.iter().skip(m).step_by(4).zip(&column).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "rows and columns have the same bits");
            }
        }
        let [by_rows, by_columns] = self.first.map(|first| self.domain.read(first).unwrap());
        assert_eq!(by_rows, by_columns);
    }
}

fn main() {
    let options = Options::parse();
    println!("{} rounds, medians, one core. {}\n", options.rounds, options.setting);
    println!(
        "| loop | cells | rows, ns an element | columns | columns against rows |\n|{}",
        " --- |".repeat(5)
    );
    for &size in &options.size {
        let mut case = Case::new(size);
        let mut times = vec![[Vec::new(), Vec::new()]; LOOPS.len()];
        for round in 0..=options.rounds {
            // Every other round begins with the columns; the very first touches the memory.
            for (at, times) in times.iter_mut().enumerate() {
                for form in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                    let time = case.time(at, form, options.elements);
                    if round > 0 {
                        times[form].push(time);
                    }
                }
            }
            case.compare();
        }
        let cells = case.elements(0);
        for (name, [rows, columns]) in LOOPS.iter().zip(times) {
            let ratio = timing::ratio(&columns, &rows);
            println!("| {name} | {cells} | {:.2} | {:.2} | {ratio:.2} |", median(rows), median(columns));
        }
    }
}
