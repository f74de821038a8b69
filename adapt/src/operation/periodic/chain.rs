//! Periodic boundaries as chains of vertices, and which chain is which other one, moved.

use std::collections::BTreeMap;

use cfd_mesh::Way;

use crate::geometry::{Point, Side, difference, dot};
use crate::mesh::{Freedom, Identity, Mesh, Paired, number_of};
use crate::operation::AdaptError;
use crate::tensor::Tensor;

/// A vertex of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub identity: Identity,
    pub position: Point<2>,
    pub metric: Tensor<2>,
    /// Whether it stays.
    pub stays: bool,
}

/// A part of a boundary from end to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub stops: Vec<Stop>,
    /// The share of the chain's length that is before each of them, from 0 to 1.
    pub shares: Vec<f64>,
    /// Whether the side after each of them, but the last, stays as it is.
    pub required: Vec<bool>,
}

/// A chain of the first boundary of a pair and that of the second onto which it moves.
pub(super) struct Couple<'a> {
    pub pair: &'a Paired,
    pub way: Way,
    pub chains: [Chain; 2],
}

/// What a rank knows of a facet: identities in halves, positions, metrics, and whether vertices stay.
const WORDS: usize = 17;

/// Every pair's chains, the same on all ranks, from one end to the other in the same direction. Collective.
///
/// # Errors
/// A boundary that is closed, that crosses itself, or whose ends are not where the other's go.
pub(super) fn couples(mesh: &Mesh<2>) -> Result<Vec<Couple<'_>>, AdaptError> {
    let mut all = Vec::new();
    for pair in &mesh.pairs {
        let refused = |what: String| super::refused(pair, what);
        let [first, second] = [0, 1].map(|side| chains(mesh, &pair.numbers[side]));
        let (first, second) = (first.map_err(refused)?, second.map_err(refused)?);
        let way = pair.given.motion.between([around(&first), around(&second)]);
        let mut left: Vec<Chain> = second;
        if first.len() != left.len() {
            return Err(refused(format!("the first has {} parts, the second {}", first.len(), left.len())));
        }
        for chain in first {
            let ends = chain.ends().map(|place| moved(&way, &place));
            let off = |other: &Chain| {
                let [a, b] = other.ends();
                let off = |a: Point<2>, b: Point<2>| distance(&ends[0], &a).max(distance(&ends[1], &b));
                [(off(a, b), false), (off(b, a), true)].into_iter().min_by(|a, b| a.0.total_cmp(&b.0))
            };
            let found = left.iter().enumerate().filter_map(|(at, other)| off(other).map(|off| (off, at)));
            let found = found.min_by(|a, b| a.0.0.total_cmp(&b.0.0));
            let ((far, turned), at) = found.expect("there are as many");
            let most = pair.given.tolerance * chain.shortest().min(left[at].shortest());
            if far > most {
                return Err(refused(format!(
                    "the ends of the first, {:?} and {:?}, go to {:?} and {:?}, where the second has no ends within {most:.2e}",
                    chain.ends()[0],
                    chain.ends()[1],
                    ends[0],
                    ends[1],
                )));
            }
            let mut other = left.swap_remove(at);
            if turned {
                other = other.turned();
            }
            all.push(Couple { pair, way, chains: [chain, other] });
        }
    }
    Ok(all)
}

impl Chain {
    fn new(stops: Vec<Stop>, required: Vec<bool>) -> Chain {
        let mut before = vec![0.0];
        for ends in stops.windows(2) {
            before.push(before[before.len() - 1] + distance(&ends[0].position, &ends[1].position));
        }
        let length = before[before.len() - 1];
        let mut shares: Vec<f64> = before.iter().map(|way| way / length).collect();
        *shares.last_mut().expect("a chain has ends") = 1.0;
        Chain { stops, shares, required }
    }

    fn turned(mut self) -> Chain {
        self.stops.reverse();
        self.required.reverse();
        Chain::new(self.stops, self.required)
    }

    fn ends(&self) -> [Point<2>; 2] {
        [self.stops[0].position, self.stops[self.stops.len() - 1].position]
    }

    fn shortest(&self) -> f64 {
        let lengths = self.stops.windows(2).map(|ends| distance(&ends[0].position, &ends[1].position));
        lengths.fold(f64::INFINITY, f64::min)
    }

    /// The vertex before a share of the chain, and the share of the way to the next one.
    pub fn before(&self, share: f64) -> (usize, f64) {
        let at = self.shares.partition_point(|&own| own <= share).clamp(1, self.shares.len() - 1) - 1;
        let [from, to] = [self.shares[at], self.shares[at + 1]];
        (at, ((share - from) / (to - from)).clamp(0.0, 1.0))
    }
}

/// The chains of facets with these numbers, each from the end of smaller identity. Collective.
fn chains(mesh: &Mesh<2>, numbers: &[u16]) -> Result<Vec<Chain>, String> {
    let local = &mesh.local;
    let mut words: Vec<u64> = Vec::new();
    for e in local.own_elements() {
        let (corners, tags) = (local.elements.corners(e), local.elements.tags(e));
        for i in (0..3).filter(|&i| numbers.contains(&number_of(tags[i]))) {
            let ends = [corners[(i + 1) % 3], corners[(i + 2) % 3]];
            for v in ends {
                let identity = local.identity(v);
                words.extend([identity as u64, (identity >> 64) as u64]);
                words.extend(local.position(v).map(f64::to_bits));
                let [[xx, xy], [_, yy]] = local.metric(v).0;
                words.extend([xx, xy, yy].map(f64::to_bits));
                words.push(u64::from(local.freedom(v) == Freedom::Corner));
            }
            words.push(u64::from(matches!(local.side(tags[i]), Side::Required)));
        }
    }
    let all = mesh.comm.all_gather(&words).concat();
    let mut stops: BTreeMap<Identity, Stop> = BTreeMap::new();
    let mut beside: BTreeMap<Identity, Vec<(Identity, bool)>> = BTreeMap::new();
    for facet in all.as_chunks::<WORDS>().0 {
        let stop = |of: &[u64]| {
            let number = |i: usize| f64::from_bits(of[i]);
            Stop {
                identity: Identity::from(of[0]) | Identity::from(of[1]) << 64,
                position: [number(2), number(3)],
                metric: Tensor([[number(4), number(5)], [number(5), number(6)]]),
                stays: of[7] != 0,
            }
        };
        let ends = [stop(&facet[..8]), stop(&facet[8..16])];
        for (own, other) in [(0, 1), (1, 0)] {
            stops.insert(ends[own].identity, ends[own]);
            beside.entry(ends[own].identity).or_default().push((ends[other].identity, facet[16] != 0));
        }
    }
    if let Some(identity) = beside.iter().find(|(_, beside)| beside.len() > 2).map(|(identity, _)| identity) {
        return Err(format!("one of them meets itself at {:?}", stops[identity].position));
    }
    let ends: Vec<Identity> =
        beside.iter().filter(|(_, beside)| beside.len() == 1).map(|(identity, _)| *identity).collect();
    let (mut chains, mut seen) = (Vec::new(), 0);
    let mut taken: Vec<Identity> = Vec::new();
    for start in ends {
        if taken.contains(&start) {
            continue;
        }
        let (mut run, mut required) = (vec![stops[&start]], Vec::new());
        let (mut last, mut here) = (None, start);
        while let Some(&(next, stays)) = beside[&here].iter().find(|(next, _)| Some(*next) != last) {
            run.push(stops[&next]);
            required.push(stays);
            (last, here) = (Some(here), next);
        }
        taken.push(here);
        seen += run.len();
        chains.push(Chain::new(run, required));
    }
    if seen < stops.len() {
        return Err("one of them is closed; expected each to have two ends".into());
    }
    if chains.is_empty() {
        return Err("one of them has no sides".into());
    }
    Ok(chains)
}

/// Where a point goes.
pub(super) fn moved(way: &Way, place: &Point<2>) -> Point<2> {
    let [x, y, _] = way.place([place[0], place[1], 0.0]);
    [x, y]
}

fn around(chains: &[Chain]) -> [[f64; 3]; 2] {
    let places = chains.iter().flat_map(|chain| &chain.stops).map(|stop| stop.position);
    places.fold(
        [[f64::INFINITY, f64::INFINITY, 0.0], [f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0]],
        |[low, high], p| {
            [[low[0].min(p[0]), low[1].min(p[1]), 0.0], [high[0].max(p[0]), high[1].max(p[1]), 0.0]]
        },
    )
}

pub(super) fn distance(a: &Point<2>, b: &Point<2>) -> f64 {
    let way = difference(a, b);
    dot(&way, &way).sqrt()
}
