//! A small mesh with random maps, and programs of loops on it: run by the engine, and by a plain sequential program
//! that executes each loop's elements one after the other in the class's order.

use cfd_engine::prelude::*;
use cfd_engine::strategy::HashClass;

use super::coloring::{Target, distributed, greedy};
use super::random::Random;
use super::sum::correctly_rounded;

/// One of the loops in [`kernels`](super::kernels).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    Collect,
    Deal,
    Split,
    Age,
    Relax,
    Settle,
    Bound,
    Pin,
    Save,
    Restore,
    Renew,
    Trade,
    Note,
    Recall,
    Damp,
}

impl Loop {
    pub const ALL: [Loop; 15] = [
        Loop::Collect,
        Loop::Deal,
        Loop::Split,
        Loop::Age,
        Loop::Relax,
        Loop::Settle,
        Loop::Bound,
        Loop::Pin,
        Loop::Save,
        Loop::Restore,
        Loop::Renew,
        Loop::Trade,
        Loop::Note,
        Loop::Recall,
        Loop::Damp,
    ];
}

/// How the maps of a world lead to their targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maps {
    /// Anywhere.
    Random,
    /// To one point twice, and to the last zone twice, as for a triangle among quadrilaterals.
    Degenerate,
}

/// Sets of sources, points and zones; maps from the sources; values on all sets in global order.
#[derive(Clone, Debug)]
pub struct World {
    /// Two points of each source.
    pub points: Vec<[u64; 2]>,
    /// Three zones of each source.
    pub zones: Vec<[u64; 3]>,
    /// The sources' keys in the canonical order; none: file order.
    pub keys: Vec<u64>,
    pub values: Values,
}

/// The dats.
#[derive(Clone, Debug)]
pub struct Values {
    pub w: Vec<f64>,
    pub seen: Vec<f64>,
    pub tally: Vec<f64>,
    pub age: Vec<f64>,
    pub p: Vec<[f64; 2]>,
    pub kept: Vec<[f64; 2]>,
    pub n: Vec<i32>,
    pub z: Vec<f64>,
}

/// The results of a loop's globals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Globals {
    pub total: Option<[f64; 2]>,
    pub low: Option<Extremum>,
    pub high: Option<Extremum>,
}

impl Globals {
    /// As integers, so that -0 differs from 0.
    pub fn bits(&self) -> Vec<u64> {
        let place = |e: Extremum| [e.value.to_bits(), e.element.map_or(u64::MAX, |id| id)];
        let extrema = [self.low, self.high].into_iter().flatten().flat_map(place);
        self.total.into_iter().flatten().map(f64::to_bits).chain(extrema).collect()
    }
}

impl Values {
    /// Name and bits of every dat.
    pub fn bits(&self) -> [(&'static str, Vec<u64>); 7] {
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect();
        [
            ("seen", bits(&self.seen)),
            ("tally", bits(&self.tally)),
            ("age", bits(&self.age)),
            ("p", bits(self.p.as_flattened())),
            ("kept", bits(self.kept.as_flattened())),
            ("n", self.n.iter().map(|&n| u64::from(n as u32)).collect()),
            ("z", bits(&self.z)),
        ]
    }
}

impl World {
    /// A world with these numbers of sources, points and zones; `ordered`: in another order than the file's, with ties.
    /// Without points or zones, there are no sources either.
    pub fn new(seed: u64, sizes: [u64; 3], maps: Maps, ordered: bool) -> World {
        let mut random = Random(seed);
        let [sources, points, zones] = sizes;
        let sources = if points * zones == 0 { 0 } else { sources };
        let one = |random: &mut Random| {
            let mut point = || random.below(points);
            let (first, second) = (point(), point());
            let mut zone = || random.below(zones);
            let (a, b, c) = (zone(), zone(), zone());
            match maps {
                Maps::Random => ([first, second], [a, b, c]),
                Maps::Degenerate => ([first, first], [a, b, b]),
            }
        };
        let (points_of, zones_of) = (0..sources).map(|_| one(&mut random)).unzip();
        let keys = if ordered { (0..sources).map(|_| random.below(4)).collect() } else { Vec::new() };
        let mut values = |n: u64| -> Vec<f64> { (0..n).map(|_| random.value()).collect() };
        let zeros = || vec![0.0; sources as usize];
        let values = Values {
            w: values(sources),
            seen: zeros(),
            tally: zeros(),
            age: values(sources),
            p: values(2 * points).as_chunks().0.to_vec(),
            kept: values(2 * points).as_chunks().0.to_vec(),
            n: (0..points as i32).collect(),
            z: values(zones),
        };
        World { points: points_of, zones: zones_of, keys, values }
    }

    /// Runs a program element by element; returns the results of each loop's globals.
    pub fn run(&mut self, program: &[Loop], class: HashClass) -> Vec<Globals> {
        program.iter().map(|&step| self.run_loop(step, class)).collect()
    }

    /// The sources in the order in which a loop executes them.
    fn order(&self, step: Loop, class: HashClass) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|&s| (self.keys.get(s).copied(), s));
        // Whichever targets of a map a loop changes, all of the map's targets keep elements apart.
        let (points, zones) = match step {
            Loop::Collect | Loop::Age | Loop::Relax | Loop::Pin | Loop::Recall => (false, true),
            Loop::Deal => (true, false),
            Loop::Split | Loop::Settle | Loop::Bound => (true, true),
            Loop::Save | Loop::Restore | Loop::Renew | Loop::Trade | Loop::Note | Loop::Damp => {
                return Vec::new();
            }
        };
        let targets = |s: usize| -> Vec<Target> {
            let through_points = self.points[s].iter().filter(|_| points).map(|&t| (0, t));
            through_points.chain(self.zones[s].iter().filter(|_| zones).map(|&t| (1, t))).collect()
        };
        let elements: Vec<Vec<Target>> = (0..self.points.len()).map(targets).collect();
        let reads_what_it_changes = matches!(step, Loop::Relax | Loop::Settle);
        let colors = match class {
            HashClass::Greedy => greedy(&elements, &order),
            HashClass::Distributed => distributed(&elements),
            _ if reads_what_it_changes => distributed(&elements),
            _ => vec![0; elements.len()],
        };
        order.sort_by_key(|&s| colors[s]);
        order
    }

    fn run_loop(&mut self, step: Loop, class: HashClass) -> Globals {
        let order = self.order(step, class);
        let Values { w, seen, tally, age, p, kept, n, z } = &mut self.values;
        let (mut totals, mut lows, mut highs) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
        let mut total = |terms: [f64; 2]| (0..2).for_each(|m| totals[m].push(terms[m]));
        // A call's additions to one argument are summed from -0, the exact identity of addition.
        const NOTHING: f64 = -0.0;
        for s in order {
            let [p1, p2] = self.points[s].map(|t| t as usize);
            let [z1, z2, z3] = self.zones[s].map(|t| t as usize);
            let w = w[s];
            match step {
                Loop::Collect => {
                    let f = w * (p[p1][0] - p[p2][1]);
                    seen[s] = f;
                    z[z1] += NOTHING + f + 0.3 * w;
                    z[z2] += NOTHING - 0.7 * f;
                    z[z3] += NOTHING + w;
                    total([NOTHING + f + w, NOTHING - w]);
                    lows.push((0.0 * w, s));
                    highs.push((0.0 * w, s));
                }
                Loop::Deal => {
                    let f = 0.1 * w + z[z2];
                    p[p1][0] += NOTHING + f;
                    p[p1][1] += NOTHING - w;
                    p[p2][0] += NOTHING - f;
                    p[p2][1] += NOTHING + w;
                    n[p1] += 1;
                    n[p2] += 3;
                }
                Loop::Split => {
                    p[p1][0] += NOTHING + w;
                    p[p2][1] += NOTHING + 0.2 * w;
                    z[z3] += NOTHING - 0.9 * w;
                    tally[s] += 1.0;
                    total([NOTHING, NOTHING + 0.9 * w]);
                }
                Loop::Age => {
                    z[z1] += NOTHING + age[s];
                    total([NOTHING + age[s], NOTHING]);
                    age[s] = 0.5 * age[s] + w;
                }
                Loop::Relax => {
                    let (a, b) = (z[z1], z[z3]);
                    let d = 0.3 * (b - a) + 0.001 * w;
                    z[z1] = a + d;
                    z[z3] = b - d;
                    total([NOTHING + d, NOTHING]);
                    lows.push((if w < 0.0 { -1.0 } else { 1.0 }, s));
                }
                Loop::Settle => {
                    let new = 0.5 * (p[p2][0] + w);
                    p[p2] = [new, 0.25 * p[p2][1] - new];
                    z[z2] += NOTHING + 0.4 * w;
                    age[s] = 0.5 * age[s] + new;
                }
                Loop::Bound => {
                    let lower = |value: &mut f64, to: f64| *value = least([*value, to]);
                    lower(&mut p[p1][0], w);
                    lower(&mut p[p1][1], 0.0 * w);
                    lower(&mut p[p2][1], age[s]);
                    if w > 0.0 {
                        lower(&mut p[p2][0], 0.0 * age[s]);
                    }
                    z[z1] = -least([-z[z1], -(0.0 * w)]);
                    z[z3] = -least([-z[z3], -(0.5 * age[s])]);
                }
                Loop::Pin => z[z2] = 0.125,
                Loop::Recall => z[z1] += NOTHING + (w * kept[p2][0] - kept[p2][1]),
                _ => unreachable!("without maps, below"),
            }
        }
        match step {
            Loop::Save => kept.clone_from(p),
            Loop::Restore => p.clone_from(kept),
            Loop::Renew => {
                for (p, kept) in p.iter_mut().zip(kept) {
                    *p = [0.75 * kept[1], kept[0] + 0.5 * kept[1]];
                    total([NOTHING + p[1], NOTHING]);
                }
            }
            Loop::Trade => {
                for (p, kept) in p.iter_mut().zip(kept) {
                    *p = [kept[0] - 0.25 * kept[1], 0.5 * kept[0]];
                    kept[0] = 0.5 * kept[0] + kept[1];
                }
            }
            Loop::Note => tally.clone_from(seen),
            Loop::Damp => {
                for (id, p) in p.iter_mut().enumerate() {
                    *p = p.map(|value| 0.5 * value);
                    total(*p);
                    highs.push((p[0], id));
                }
            }
            _ => {}
        }
        let sums = totals.map(correctly_rounded);
        let low = || first(lows.iter().copied(), f64::INFINITY);
        let high = || {
            let negative = first(highs.iter().map(|&(value, id)| (-value, id)), f64::INFINITY);
            Extremum { value: -negative.value, ..negative }
        };
        match step {
            Loop::Collect => Globals { total: Some(sums), low: Some(low()), high: Some(high()) },
            Loop::Split | Loop::Age | Loop::Renew => Globals { total: Some(sums), ..Globals::default() },
            Loop::Relax => Globals { total: Some(sums), low: Some(low()), high: None },
            Loop::Damp => Globals { total: Some(sums), low: None, high: Some(high()) },
            _ => Globals::default(),
        }
    }
}

/// The least value, -0 before 0.
fn least(values: [f64; 2]) -> f64 {
    values.into_iter().min_by(f64::total_cmp).expect("two values")
}

/// The least value, -0 before 0, and the lowest element that has it.
fn first(candidates: impl Iterator<Item = (f64, usize)>, of_none: f64) -> Extremum {
    let least = candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    match least {
        Some((value, id)) => Extremum { value, element: Some(id as u64) },
        None => Extremum { value: of_none, element: None },
    }
}
