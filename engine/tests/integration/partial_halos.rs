//! Exchanges of the rows that a loop reaches: their values, bytes and number, on simulated ranks.

use std::cell::Cell;
use std::rc::Rc;

use cfd_engine::comm::{DeviceMemory, DeviceMessage, GpuMessages, InFlight, Message, ReduceOp, Transport};
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_engine::prelude::*;

use crate::strategies::random::Random;

/// Cells on each side of a square.
const SIDE: u64 = 12;
const RANKS: [usize; 4] = [1, 2, 3, 5];

#[kernel]
fn advance(u: Rw<2>) {
    u[0] = 0.75 * u[0] + u[1];
    u[1] = 0.5 * u[1] - 0.1 * u[0];
}

#[kernel]
fn difference(one: Read<2>, other: Read<2>, d: Write<2>) {
    d[0] = one[0] - other[1];
    d[1] = one[1] * other[0];
}

#[kernel]
fn spread(one: Read<2>, other: Read<2>, to_one: Inc<1>, to_other: Inc<1>) {
    to_one[0] += 0.3 * other[0];
    to_other[0] -= 0.7 * one[1];
}

/// The two cells of each pair at this distance along both axes.
fn pairs(step: [u64; 2]) -> Vec<u64> {
    let rows = (0..SIDE - step[1]).flat_map(|y| (0..SIDE - step[0]).map(move |x| SIDE * y + x));
    rows.flat_map(|cell| [cell, cell + step[0] + SIDE * step[1]]).collect()
}

/// Cells, and four kinds of pairs of them: side by side, across a corner, two apart, and a cell with itself. Whose a cell
/// is depends on the seed; a pair's owner is that of its first cell.
fn domain(comm: &Comm, seed: u64, partial_halos: bool) -> Domain {
    let mut mesh = Mesh::default();
    let mine = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let owner = |cell: u64| Random(seed ^ cell).below(comm.size() as u64) as u32;
    let cells = mesh.add_set("cells", SIDE * SIDE);
    let u = mine(SIDE * SIDE).flat_map(|cell| [(cell as f64 * 0.37).sin(), (cell as f64 * 0.11).cos()]);
    mesh.add_dat("u", cells, 2, Values::F64(u.collect()));
    let mut owners = vec![mine(SIDE * SIDE).map(owner).collect::<Vec<u32>>()];
    for (name, step) in [("sides", [1, 0]), ("corners", [1, 1]), ("far", [2, 0]), ("selves", [0, 0])] {
        let all = pairs(step);
        let mine = mine(all.len() as u64 / 2);
        let own = &all[2 * mine.start as usize..2 * mine.end as usize];
        let set = mesh.add_set(name, all.len() as u64 / 2);
        mesh.add_map(&format!("{name}_cells"), set, cells, 2, own.to_vec());
        owners.push(own.chunks_exact(2).map(|pair| owner(pair[0])).collect());
    }
    let layout = cfd_partition::distribute(comm, mesh, &owners).expect("a layout");
    Domain::new(comm.clone(), layout, DomainOptions { partial_halos, ..DomainOptions::default() })
}

/// The number of a dat, the global id of a row, and the bits of its values.
type Row = (usize, u64, Vec<u64>);

/// What loops over one kind of pairs need.
#[derive(Clone, Copy)]
struct Pairs {
    set: Set,
    map: Map<2>,
    d: Dat<2>,
}

struct Handles {
    cells: Set,
    u: Dat<2>,
    sum: Dat<1>,
    pairs: [Pairs; 4],
}

/// One of the loops.
#[derive(Clone, Copy, Debug)]
enum Step {
    Advance,
    /// Reads at both cells of each pair of this kind.
    Difference(usize),
    /// Also changes values at both, so that imported pairs are executed, too.
    Spread(usize),
}

impl Handles {
    fn new(domain: &mut Domain) -> Handles {
        let cells = domain.set("cells").unwrap();
        let pairs = ["sides", "corners", "far", "selves"].map(|name| {
            let set = domain.set(name).unwrap();
            let map = domain.map(&format!("{name}_cells")).unwrap();
            Pairs { set, map, d: domain.new_dat(set, &format!("{name}_d")) }
        });
        Handles { cells, u: domain.dat("u").unwrap(), sum: domain.new_dat(cells, "sum"), pairs }
    }

    /// Runs these loops; the exchanges and bytes of this rank.
    fn run(&self, domain: &mut Domain, steps: &[Step]) -> [u64; 2] {
        let before = domain.exchanges();
        for &step in steps {
            match step {
                Step::Advance => domain.par_loop(advance, self.cells, (self.u,), &()),
                Step::Difference(kind) => {
                    let Pairs { set, map, d } = self.pairs[kind];
                    let (a, b) = (self.u.at(map.target::<0>()), self.u.at(map.target::<1>()));
                    domain.par_loop(difference, set, (a, b, d), &());
                }
                Step::Spread(kind) => {
                    let Pairs { set, map, .. } = self.pairs[kind];
                    let (one, other) = (map.target::<0>(), map.target::<1>());
                    let operands = (self.u.at(one), self.u.at(other), self.sum.at(one), self.sum.at(other));
                    domain.par_loop(spread, set, operands, &());
                }
            }
        }
        domain.flush().unwrap();
        let after = domain.exchanges();
        [after.exchanges - before.exchanges, after.bytes - before.bytes]
    }

    /// Global ids and bits of everything that loops change.
    fn read(&self, domain: &mut Domain) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut add = |which: usize, ids: &[u64], values: Vec<f64>| {
            let bits: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
            let dim = bits.len() / ids.len().max(1);
            rows.extend(
                ids.iter().zip(bits.chunks(dim.max(1))).map(|(&id, bits)| (which, id, bits.to_vec())),
            );
        };
        let (u, sum) = (domain.read(self.u).unwrap(), domain.read(self.sum).unwrap());
        let ids = domain.global_ids(self.cells).to_vec();
        add(0, &ids, u);
        add(1, &ids, sum);
        for (kind, pairs) in self.pairs.iter().enumerate() {
            let d = domain.read(pairs.d).unwrap();
            add(2 + kind, domain.global_ids(pairs.set), d);
        }
        rows
    }
}

/// The values after these loops, in global order, and each rank's exchanges and bytes.
fn results(ranks: usize, seed: u64, partial: bool, steps: &[Step]) -> (Vec<Row>, Vec<[u64; 2]>) {
    let of_ranks = Comm::simulate(ranks, |comm| {
        let mut domain = domain(&comm, seed, partial);
        let handles = Handles::new(&mut domain);
        let counts = handles.run(&mut domain, steps);
        (handles.read(&mut domain), counts)
    });
    let counts = of_ranks.iter().map(|(_, counts)| *counts).collect();
    let mut rows: Vec<_> = of_ranks.into_iter().flat_map(|(rows, _)| rows).collect();
    rows.sort_unstable();
    (rows, counts)
}

/// A random program.
fn program(random: &mut Random) -> Vec<Step> {
    let kinds = [0, 1, 2, 3].map(|kind| [Step::Difference(kind), Step::Spread(kind)]).concat();
    let mut step = || kinds.get(random.below(11) as usize).copied().unwrap_or(Step::Advance);
    (0..30).map(|_| step()).collect()
}

#[test]
fn no_bit_depends_on_which_rows_are_exchanged() {
    let mut random = Random(7);
    for seed in 1..4 {
        let steps = program(&mut random);
        let (plain, _) = results(1, seed, false, &steps);
        for ranks in RANKS {
            for partial in [true, false] {
                let (rows, _) = results(ranks, seed, partial, &steps);
                assert!(rows == plain, "{ranks} ranks, partial halos {partial}, {steps:?}");
            }
        }
    }
}

#[test]
fn a_loop_that_reaches_other_rows_after_a_partial_exchange_reads_new_values() {
    let steps = [Step::Advance, Step::Difference(0), Step::Difference(1), Step::Difference(2)];
    let (plain, _) = results(1, 5, false, &steps);
    for ranks in RANKS {
        let (rows, counts) = results(ranks, 5, true, &steps);
        assert!(rows == plain, "{ranks} ranks");
        let exchanges = if ranks > 1 { 3 } else { 0 };
        assert!(counts.iter().all(|c| c[0] == exchanges), "each reaches rows of its own: {counts:?}");
    }
}

#[test]
fn bytes_are_those_of_the_rows_reached() {
    for ranks in RANKS {
        for kind in 0..3 {
            let counts = Comm::simulate(ranks, |comm| {
                let mut domain = domain(&comm, 3, true);
                let handles = Handles::new(&mut domain);
                let [_, bytes] = handles.run(&mut domain, &[Step::Advance, Step::Difference(kind)]);
                let owned = domain.global_ids(handles.cells).len();
                let targets = domain.targets(handles.pairs[kind].map).concat();
                let mut foreign: Vec<u32> = targets.into_iter().filter(|&t| t as usize >= owned).collect();
                foreign.sort_unstable();
                foreign.dedup();
                (bytes, 8 * 2 * foreign.len() as u64)
            });
            let [sent, reached] = [
                counts.iter().map(|(sent, _)| sent).sum::<u64>(),
                counts.iter().map(|(_, reached)| reached).sum(),
            ];
            assert_eq!(sent, reached, "{ranks} ranks, pairs {kind}");
            assert_eq!(sent == 0, ranks == 1);
        }
    }
}

#[test]
fn a_loop_learns_what_later_loops_reach_so_that_one_exchange_serves_them() {
    let steps = [Step::Advance, Step::Difference(0), Step::Difference(2)];
    for (rank, [first, second, whole]) in Comm::simulate(3, |comm| {
        let run = |partial: bool, rounds: usize| {
            let mut domain = domain(&comm, 11, partial);
            let handles = Handles::new(&mut domain);
            (0..rounds).map(|_| handles.run(&mut domain, &steps)).collect::<Vec<_>>()
        };
        let [first, second] = run(true, 2)[..] else { unreachable!("two rounds") };
        [first, second, run(false, 1)[0]]
    })
    .into_iter()
    .enumerate()
    {
        assert_eq!([first[0], second[0], whole[0]], [2, 1, 1], "exchanges of rank {rank}");
        assert!(second[1] < first[1] && second[1] < whole[1], "bytes of rank {rank}");
    }
}

#[test]
fn a_loop_whose_reach_a_larger_part_contains_needs_no_exchange() {
    // Spread also executes imported pairs, so it reaches all that Difference reaches.
    let steps = [Step::Advance, Step::Spread(0), Step::Difference(0)];
    let (_, counts) = results(3, 13, true, &steps);
    assert!(counts.iter().all(|c| c[0] == 1), "{counts:?}");
}

#[test]
fn whole_bytes_are_what_the_same_loops_send_when_they_exchange_whole_halos() {
    let mut random = Random(17);
    let mut programs: Vec<Vec<Step>> = (0..4).map(|_| program(&mut random)).collect();
    // The first loop reaches no copy at all; with whole halos, it would spare the second its exchange.
    programs.push(vec![Step::Advance, Step::Difference(3), Step::Difference(0)]);
    programs.push(vec![Step::Advance, Step::Difference(3)]);
    for (steps, ranks) in programs.iter().flat_map(|steps| RANKS.map(|ranks| (steps, ranks))) {
        let counted = Comm::simulate(ranks, |comm| {
            [true, false].map(|partial| {
                let mut domain = domain(&comm, 19, partial);
                Handles::new(&mut domain).run(&mut domain, steps);
                let timers = domain.timers().iter();
                let of_loops: Vec<[u64; 2]> = timers.map(|t| [t.halo_bytes, t.whole_halo_bytes]).collect();
                (of_loops, domain.exchanges())
            })
        });
        for [(partial, all), (whole, all_whole)] in counted {
            let columns = |which: usize, of: &[[u64; 2]]| of.iter().map(|b| b[which]).collect::<Vec<u64>>();
            assert_eq!(columns(1, &partial), columns(0, &whole), "by loop, {ranks} ranks: {steps:?}");
            assert_eq!(columns(1, &whole), columns(0, &whole), "by loop, {ranks} ranks: {steps:?}");
            assert_eq!(all.whole_bytes, all_whole.bytes, "of all loops, {ranks} ranks: {steps:?}");
            assert_eq!(all.bytes, columns(0, &partial).iter().sum::<u64>());
        }
    }
    let [_, last] = &programs[4..] else { unreachable!("two programs") };
    let sent = Comm::simulate(3, |comm| {
        let mut domain = domain(&comm, 19, true);
        Handles::new(&mut domain).run(&mut domain, last);
        domain.exchanges()
    });
    assert!(sent.iter().all(|sent| sent.exchanges == 0 && sent.whole_bytes > 0), "{sent:?}");
}

/// Simulated ranks that count the bytes of their halo messages.
struct Counting {
    ranks: Comm,
    sent: Rc<Cell<u64>>,
}

impl Transport for Counting {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn size(&self) -> usize {
        self.ranks.size()
    }

    fn barrier(&self) {
        self.ranks.barrier();
    }

    fn all_to_all(&self, send: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        self.ranks.all_to_all(send)
    }

    fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.ranks.all_gather(bytes)
    }

    fn all_reduce(&self, values: &mut [u64], op: ReduceOp) {
        self.ranks.all_reduce(values, op);
    }

    fn start(&self, sends: Vec<Message>, receives: Vec<Message>) -> Box<dyn InFlight> {
        let bytes: usize = sends.iter().map(|message| size_of_val(&message.words[..])).sum();
        self.sent.set(self.sent.get() + bytes as u64);
        self.ranks.start(sends, receives)
    }

    unsafe fn start_on_device(
        &self,
        _: &[DeviceMessage],
        _: &[DeviceMessage],
        _: Rc<dyn DeviceMemory>,
    ) -> Box<dyn InFlight> {
        unreachable!("no rank has a device")
    }

    fn gpu_messages(&self) -> GpuMessages {
        self.ranks.gpu_messages()
    }

    fn abort(&self, code: i32) -> ! {
        self.ranks.abort(code)
    }
}

#[test]
fn bytes_are_those_that_the_transport_sends_of_dats_of_any_type() {
    let counts = Comm::simulate(3, |ranks| {
        let sent = Rc::new(Cell::new(0));
        let comm = Comm::over(Counting { ranks, sent: sent.clone() });
        let mut domain = domain(&comm, 23, true);
        let Handles { cells, u, pairs, .. } = Handles::new(&mut domain);
        let v: Dat<2, f32> = domain.new_dat(cells, "v");
        let Pairs { set, map, d } = pairs[0];
        let (one, other) = (map.target::<0>(), map.target::<1>());
        let mut last = (0, 0);
        let mut sent_since = |domain: &mut Domain| {
            domain.flush().unwrap();
            let now = (domain.exchanges().bytes, sent.get());
            let before = std::mem::replace(&mut last, now);
            (now.0 - before.0, now.1 - before.1)
        };
        domain.par_loop(advance, cells, (u,), &());
        domain.par_loop(difference, set, (u.at(one), u.at(other), d), &());
        let double = sent_since(&mut domain);
        domain.par_loop(advance, cells, (v,), &());
        domain.par_loop(difference, set, (v.at(one), v.at(other), d), &());
        let single = sent_since(&mut domain);
        domain.par_loop(advance, cells, (u,), &());
        domain.par_loop(advance, cells, (v,), &());
        domain.par_loop(difference, set, (u.at(one), v.at(other), d), &());
        [double, single, sent_since(&mut domain)]
    });
    for [double, single, mixed] in counts {
        assert!(double.0 > 0 && mixed.0 > 0);
        assert!([double, single, mixed].iter().all(|(counted, sent)| counted == sent), "{double:?}");
        assert_eq!(double, single, "a value takes 8 bytes, whatever its type");
    }
}
