//! A small random mesh, and programs of loops on it.

use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_engine::prelude::*;

use crate::kernels::{
    bend, bump, collect, draw, drift, flux, hear, keep, lean, limit, pass, peek, pin, press, push, settle,
    smooth, stretch, tell, twist, wear, weigh,
};

/// A loop of [`kernels`](crate::kernels).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    Keep,
    Flux,
    Collect,
    Weigh,
    Settle,
    Smooth,
    Tell,
    Hear,
    Draw,
    Pass,
    Pin,
    Bump,
    Push,
    Press,
    Stretch,
    Twist,
    Wear,
    Drift,
    Bend,
    Lean,
    Peek,
    Limit,
}

impl Loop {
    pub const ALL: [Loop; 22] = [
        Loop::Keep,
        Loop::Flux,
        Loop::Collect,
        Loop::Weigh,
        Loop::Settle,
        Loop::Smooth,
        Loop::Tell,
        Loop::Hear,
        Loop::Draw,
        Loop::Pass,
        Loop::Pin,
        Loop::Bump,
        Loop::Push,
        Loop::Press,
        Loop::Stretch,
        Loop::Twist,
        Loop::Wear,
        Loop::Drift,
        Loop::Bend,
        Loop::Lean,
        Loop::Peek,
        Loop::Limit,
    ];
}

/// Numbers of nodes and edges, and a seed for everything else.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub seed: u64,
    pub nodes: u64,
    pub edges: u64,
    /// Neighbours have near numbers, as in a mesh, or any.
    pub local: bool,
    /// The edges have another canonical order than the file's.
    pub ordered: bool,
}

/// Numbers that depend on a seed alone: Knuth's linear congruential generator, its high bits.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Of either sign, with magnitudes so different that the order of a sum shows.
    fn value(&mut self) -> f64 {
        let sign = if self.next().is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * (1.0 + self.next() as f64 / f64::from(1 << 31)) * 2f64.powi(self.below(12) as i32 - 6)
    }
}

/// Handles of everything a program needs.
pub struct Handles {
    nodes: Set,
    edges: Set,
    corners: Set,
    ends: Map<2>,
    near: Map<3>,
    link: Map<1>,
    sides: Map<2>,
    tip: Map<1>,
    w: Dat<1>,
    a: Dat<2>,
    b: Dat<2>,
    c: Dat<1>,
    k: Dat<1, i32>,
    f: Dat<2>,
    p: Dat<2>,
    h: Dat<9>,
    v: Dat<9>,
    t: Dat<1>,
    s: Dat<2>,
    g: Dat<1>,
}

/// The global results of one loop.
#[derive(Clone, Copy)]
pub enum Result {
    None,
    Sum(Global<Sum<1>>),
    Min(Global<Min<1>>),
    Max(Global<Max<1>>),
}

impl World {
    /// This rank's domain: every element belongs to anyone.
    pub fn domain(&self, comm: &Comm, options: DomainOptions) -> Domain {
        let mut random = Random(self.seed);
        let mut pick = |from: u64, count: u64, of: u64| -> u64 {
            if self.local { (from * of / count + random.below(4)) % of } else { random.below(of) }
        };
        let (n, e) = (self.nodes, self.edges);
        let ends: Vec<u64> = (0..e).flat_map(|edge| [edge, edge]).map(|edge| pick(edge, e, n)).collect();
        let near: Vec<u64> = (0..n).flat_map(|node| [node; 3]).map(|node| pick(node, n, n)).collect();
        let link: Vec<u64> = (0..n).map(|node| pick(node, n, e)).collect();
        let corners = n / 2 + 1;
        let sides: Vec<u64> = (0..2 * e).map(|side| pick(side / 2, e, corners)).collect();
        let tip: Vec<u64> = (0..n).map(|node| pick(node, n, corners)).collect();
        let mut values = |count: u64| -> Vec<f64> { (0..count).map(|_| random.value()).collect() };
        let (w, a, b, c, f) = (values(e), values(2 * n), values(2 * n), values(n), values(2 * e));
        let p = values(2 * corners);
        let range = |rows: u64| {
            let range = Blocks::new(rows, comm.size()).range(comm.rank());
            range.start as usize..range.end as usize
        };
        let part = |all: &[f64], rows: u64, dim: usize| {
            let range = range(rows);
            Values::F64(all[dim * range.start..dim * range.end].to_vec())
        };
        let indices = |all: &[u64], rows: u64, arity: usize| {
            let range = range(rows);
            all[arity * range.start..arity * range.end].to_vec()
        };
        let mut mesh = Mesh::default();
        let (nodes, edges) = (mesh.add_set("nodes", n), mesh.add_set("edges", e));
        let tips = mesh.add_set("corners", corners);
        mesh.add_map("ends", edges, nodes, 2, indices(&ends, e, 2));
        mesh.add_map("near", nodes, nodes, 3, indices(&near, n, 3));
        mesh.add_map("link", nodes, edges, 1, indices(&link, n, 1));
        mesh.add_map("sides", edges, tips, 2, indices(&sides, e, 2));
        mesh.add_map("tip", nodes, tips, 1, indices(&tip, n, 1));
        mesh.add_dat("p", tips, 2, part(&p, corners, 2));
        mesh.add_dat("w", edges, 1, part(&w, e, 1));
        mesh.add_dat("a", nodes, 2, part(&a, n, 2));
        mesh.add_dat("b", nodes, 2, part(&b, n, 2));
        mesh.add_dat("c", nodes, 1, part(&c, n, 1));
        mesh.add_dat("f", edges, 2, part(&f, e, 2));
        let owner = |set: u64, row: usize| {
            let number = if self.local { row as u64 / 5 } else { row as u64 };
            Random(self.seed ^ (set << 40) ^ number).below(comm.size() as u64) as u32
        };
        let owners: Vec<Vec<u32>> = [(0, n), (1, e), (2, corners)]
            .map(|(set, rows)| range(rows).map(|row| owner(set, row)).collect())
            .to_vec();
        let keys =
            if self.ordered { range(e).map(|row| Random(row as u64).below(5)).collect() } else { vec![] };
        let layout = cfd_partition::distribute_in_order(comm, mesh, &owners, &[Vec::new(), keys, Vec::new()]);
        Domain::new(comm.clone(), layout.expect("a sound mesh"), options)
    }
}

impl Handles {
    pub fn new(domain: &mut Domain) -> std::result::Result<Handles, DomainError> {
        let (nodes, edges) = (domain.set("nodes")?, domain.set("edges")?);
        Ok(Handles {
            nodes,
            edges,
            corners: domain.set("corners")?,
            ends: domain.map("ends")?,
            near: domain.map("near")?,
            link: domain.map("link")?,
            sides: domain.map("sides")?,
            tip: domain.map("tip")?,
            w: domain.dat("w")?,
            a: domain.dat("a")?,
            b: domain.dat("b")?,
            c: domain.dat("c")?,
            f: domain.dat("f")?,
            p: domain.dat("p")?,
            k: domain.new_dat(nodes, "k"),
            h: domain.new_dat(edges, "h"),
            v: domain.new_dat(nodes, "v"),
            t: domain.new_transient(nodes, "t"),
            s: domain.new_transient(nodes, "s"),
            g: domain.new_transient(edges, "g"),
        })
    }

    /// Records a loop.
    pub fn record(&self, domain: &mut Domain, step: Loop) -> Result {
        let Handles { nodes, edges, corners, ends, near, link, sides, tip, .. } = *self;
        let Handles { w, a, b, c, k, f, p, h, v, t, s, g, .. } = *self;
        let (first, second) = (ends.target::<0>(), ends.target::<1>());
        let (x, y, z) = (near.target::<0>(), near.target::<1>(), near.target::<2>());
        let total = domain.new_sum(&format!("{step:?}"));
        let (low, high) = (domain.new_min(&format!("{step:?}")), domain.new_max(&format!("{step:?}")));
        match step {
            Loop::Keep => domain.par_loop(keep, nodes, (a, b), &()),
            Loop::Flux => {
                let operands = (w, a.at(first), a.at(second), c.at(first), c.at(second), total);
                domain.par_loop(flux, edges, operands, &());
            }
            Loop::Collect => {
                let operands = (w, a.at(first), t.at(first), t.at(second), s.at(first), s.at(second));
                domain.par_loop(collect, edges, operands, &());
            }
            Loop::Weigh => domain.par_loop(weigh, nodes, (a, c, t, low), &()),
            Loop::Settle => domain.par_loop(settle, nodes, (b, a, s, total), &()),
            Loop::Smooth => domain.par_loop(smooth, nodes, (a.at(x), a.at(y), a.at(z), c, high), &()),
            Loop::Tell => domain.par_loop(tell, edges, (c.at(first), f, k.at(second)), &()),
            Loop::Hear => domain.par_loop(hear, nodes, (f.at(link.target::<0>()), a), &()),
            Loop::Draw => domain.par_loop(draw, edges, (w, c.at(first), c.at(second), g), &()),
            Loop::Pass => domain.par_loop(pass, edges, (g, f, c.at(first), low), &()),
            Loop::Pin => domain.par_loop(pin, edges, (c.at(first),), &()),
            Loop::Bump => domain.par_loop(bump, nodes, (a, c, k), &()),
            Loop::Push => domain.par_loop(push, nodes, (c, a.at(y), a.at(z)), &()),
            Loop::Press => domain.par_loop(press, edges, (h, c.at(first), high), &()),
            Loop::Stretch => domain.par_loop(stretch, edges, (w, c.at(first), h, k.at(second)), &()),
            Loop::Twist => domain.par_loop(twist, nodes, (a, v, low), &()),
            Loop::Wear => domain.par_loop(wear, nodes, (v, c, t), &()),
            Loop::Drift => domain.par_loop(drift, corners, (p,), &()),
            Loop::Bend => {
                let (left, right) = (sides.target::<0>(), sides.target::<1>());
                domain.par_loop(bend, edges, (p.at(left), p.at(right), c.at(second)), &());
            }
            Loop::Lean => domain.par_loop(lean, nodes, (p.at(tip.target::<0>()), a), &()),
            Loop::Peek => domain.par_loop(peek, edges, (s.at(first), f), &()),
            Loop::Limit => domain.par_loop(limit, edges, (w, f, c.all(ends), a.at(first)), &()),
        }
        match step {
            Loop::Flux | Loop::Settle => Result::Sum(total),
            Loop::Weigh | Loop::Pass | Loop::Twist => Result::Min(low),
            Loop::Smooth | Loop::Press => Result::Max(high),
            _ => Result::None,
        }
    }

    /// Bits of every lasting dat on this rank, with global ids.
    pub fn read(&self, domain: &mut Domain) -> Vec<(usize, u64, Vec<u64>)> {
        let mut rows = Vec::new();
        let mut add = |dat: usize, ids: &[u64], words: Vec<u64>| {
            let dim = words.len().checked_div(ids.len()).unwrap_or(1).max(1);
            rows.extend(ids.iter().zip(words.chunks(dim)).map(|(&id, row)| (dat, id, row.to_vec())));
        };
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<u64>>();
        let (a, b, c, f) = (
            domain.read(self.a).unwrap(),
            domain.read(self.b).unwrap(),
            domain.read(self.c).unwrap(),
            domain.read(self.f).unwrap(),
        );
        let (k, h, v, p) = (
            domain.read(self.k).unwrap(),
            domain.read(self.h).unwrap(),
            domain.read(self.v).unwrap(),
            domain.read(self.p).unwrap(),
        );
        let (nodes, edges, corners) =
            (domain.global_ids(self.nodes), domain.global_ids(self.edges), domain.global_ids(self.corners));
        add(0, nodes, bits(a));
        add(1, nodes, bits(b));
        add(2, nodes, bits(c));
        add(3, edges, bits(f));
        add(5, edges, bits(h));
        add(6, nodes, bits(v));
        add(7, corners, bits(p));
        add(4, nodes, k.into_iter().map(|k| u64::from(k as u32)).collect());
        rows
    }
}

impl Result {
    /// Its bits; of an extremum also where it is.
    pub fn bits(self, domain: &mut Domain) -> Vec<u64> {
        let place = |e: Extremum| vec![e.value.to_bits(), e.element.unwrap_or(u64::MAX)];
        match self {
            Result::None => Vec::new(),
            Result::Sum(sum) => domain.get(sum).unwrap().map(f64::to_bits).to_vec(),
            Result::Min(low) => place(domain.extremum(low).unwrap()[0]),
            Result::Max(high) => place(domain.extremum(high).unwrap()[0]),
        }
    }
}

/// What a program leaves: results of its loops, and every lasting dat in global order.
pub type Outcome = (Vec<Vec<u64>>, Vec<(usize, u64, Vec<u64>)>);

/// Runs a program whose parts end with a result each, on simulated ranks.
pub fn run(world: World, program: &[Vec<Loop>], ranks: usize, options: &DomainOptions) -> Outcome {
    let parts = Comm::simulate(ranks, |comm| {
        let mut domain = world.domain(&comm, options.clone());
        let handles = Handles::new(&mut domain).expect("the world has what its loops need");
        let mut results = Vec::new();
        for part in program {
            let recorded: Vec<Result> = part.iter().map(|&step| handles.record(&mut domain, step)).collect();
            results.extend(recorded.into_iter().map(|result| result.bits(&mut domain)));
            domain.flush().unwrap();
        }
        (results, handles.read(&mut domain))
    });
    let results = parts[0].0.clone();
    let mut rows: Vec<(usize, u64, Vec<u64>)> = parts.into_iter().flat_map(|(_, rows)| rows).collect();
    rows.sort_unstable();
    // Long programs overflow. Which sign a NaN has is nobody's promise.
    for value in rows.iter_mut().flat_map(|row| &mut row.2).filter(|value| f64::from_bits(**value).is_nan()) {
        *value = f64::NAN.to_bits();
    }
    (results, rows)
}
