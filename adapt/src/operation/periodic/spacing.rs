//! Where the vertices of two periodic boundaries are to be.
//!
//! Both boundaries have one metric, the intersection of those of both, at places that are shares of their lengths. Between
//! vertices that stay, the number of sides is the length in this metric, rounded, and all sides have the same length,
//! unless all are between the bounds as they are. Along a side, what it measures per length grows geometrically from end to
//! end, as for [`length`](crate::tensor::length):
//!
//! ```text
//! l(t) = l0 (r^t - 1) / ln r,   t(l) = ln(1 + l ln r / l0) / ln r,   r = l1 / l0,   l0, l1: in the metrics of the ends
//! ```

use cfd_mesh::Way;

use super::chain::{Chain, Couple, moved};
use crate::geometry::{Point, between, difference};
use crate::metric::MetricAt;
use crate::operation::{AdaptError, Bounds};
use crate::tensor::{self, Tensor};

/// A vertex of one boundary and one of the other are the same if they are as near as this share of the shortest side at
/// them.
const SAME: f64 = 1e-3;
/// New sides end at vertices that both boundaries have if these are as near as this, in the metric, and at one that only
/// one has if it is nearer than this share of that.
const NEAR: f64 = 0.2;
const NEAR_OF_ONE: f64 = 0.05;
/// At most this many sides: more would be a metric that is none.
const MOST: f64 = 4e6;

/// A place on both boundaries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub share: f64,
    /// Its vertex on each of them, if there is one.
    pub at: [Option<usize>; 2],
    /// On the first boundary.
    pub position: Point<2>,
    /// In the directions of the first boundary.
    pub metric: Tensor<2>,
    stays: bool,
    /// Whether the side after it stays.
    required: bool,
}

/// The metric of both boundaries.
pub(super) struct Common<'a> {
    chains: &'a [Chain; 2],
    way: &'a Way,
    turn: [[f64; 2]; 2],
    given: MetricAt<'a, 2>,
}

impl<'a> Common<'a> {
    pub fn new(couple: &'a Couple<'_>, given: MetricAt<'a, 2>) -> Common<'a> {
        let turn = couple.pair.given.motion.turn();
        let turn = [[turn[0], turn[1]], [turn[3], turn[4]]];
        Common { chains: &couple.chains, way: &couple.way, turn, given }
    }

    /// The position on the first boundary.
    fn position(&self, share: f64) -> Point<2> {
        let (at, part) = self.chains[0].before(share);
        let stops = &self.chains[0].stops;
        match part {
            0.0 => stops[at].position,
            1.0 => stops[at + 1].position,
            _ => between(&stops[at].position, &stops[at + 1].position, part),
        }
    }

    /// The metric in the directions of the first boundary.
    fn metric(&self, share: f64, position: &Point<2>) -> Tensor<2> {
        let of = |side: usize, place: &Point<2>| match self.given {
            MetricAt::Given(metric) => metric(place),
            MetricAt::Carried => carried(&self.chains[side], share),
        };
        let second = of(1, &moved(self.way, position));
        tensor::intersect(&of(0, position), &self.turned(&second, true))
    }

    /// A metric in the directions of the second boundary.
    pub fn on_second(&self, metric: &Tensor<2>) -> Tensor<2> {
        self.turned(metric, false)
    }

    /// R^T M R back, R M R^T forth.
    fn turned(&self, metric: &Tensor<2>, back: bool) -> Tensor<2> {
        if self.turn == [[1.0, 0.0], [0.0, 1.0]] {
            return *metric;
        }
        let r = |i: usize, j: usize| if back { self.turn[i][j] } else { self.turn[j][i] };
        let entry = |i: usize, j: usize| {
            (0..2)
                .flat_map(|k| (0..2).map(move |l| (k, l)))
                .map(|(k, l)| r(k, i) * metric.0[k][l] * r(l, j))
                .sum()
        };
        Tensor::from_upper(entry)
    }

    /// All places that have a vertex on one of both boundaries, in order.
    pub fn places(&self) -> Vec<Place> {
        let shares = self.chains.each_ref().map(|chain| &chain.shares[..]);
        let room = |side: usize, at: usize| {
            let own = shares[side];
            let before = if at == 0 { f64::INFINITY } else { own[at] - own[at - 1] };
            let after = if at + 1 == own.len() { f64::INFINITY } else { own[at + 1] - own[at] };
            before.min(after)
        };
        let (mut i, mut j, mut places) = (0, 0, Vec::new());
        while i < shares[0].len() && j < shares[1].len() {
            let (one, other) = (shares[0][i], shares[1][j]);
            let are_same = (one - other).abs() <= SAME * room(0, i).min(room(1, j));
            let at = if are_same {
                [Some(i), Some(j)]
            } else if one < other {
                [Some(i), None]
            } else {
                [None, Some(j)]
            };
            let share = if at[0].is_some() { one } else { other };
            let position = at[0].map_or_else(|| self.position(share), |i| self.chains[0].stops[i].position);
            let stays =
                [0, 1].iter().any(|&side| at[side].is_some_and(|at| self.chains[side].stops[at].stays));
            let required = [0, 1].iter().any(|&side| {
                let chain = &self.chains[side];
                chain
                    .required
                    .get(at[side].unwrap_or_else(|| chain.before(share).0))
                    .copied()
                    .unwrap_or(false)
            });
            places.push(Place {
                share,
                at,
                position,
                metric: self.metric(share, &position),
                stays,
                required,
            });
            i += usize::from(at[0].is_some());
            j += usize::from(at[1].is_some());
        }
        places
    }

    /// Where vertices are to be, ends included.
    ///
    /// # Errors
    /// Far too many.
    pub fn wanted(&self, places: &[Place], bounds: &Bounds) -> Result<Vec<Place>, AdaptError> {
        let mut wanted = vec![places[0]];
        let mut from = 0;
        for to in 1..places.len() {
            let is_end = places[to].stays || places[to].required || places[to - 1].required;
            if !is_end && to + 1 < places.len() {
                continue;
            }
            if !places[from].required {
                wanted.extend(self.between(&places[from..=to], bounds)?);
            }
            wanted.push(places[to]);
            from = to;
        }
        Ok(wanted)
    }

    /// Where vertices are to be between two that stay.
    fn between(&self, given: &[Place], bounds: &Bounds) -> Result<Vec<Place>, AdaptError> {
        let inner = &given[1..given.len() - 1];
        let is_right = |ends: &[Place]| (bounds.short..=bounds.long).contains(&length(&ends[0], &ends[1]));
        if inner.iter().all(|place| place.at.iter().all(Option::is_some)) && given.windows(2).all(is_right) {
            return Ok(inner.to_vec());
        }
        // The metric between vertices is seen, too.
        let fine = self.divided(given.to_vec(), 1.0, &[])?;
        let lengths: Vec<f64> = fine.windows(2).map(|ends| length(&ends[0], &ends[1])).collect();
        let mut before = vec![0.0];
        lengths.iter().for_each(|length| before.push(before[before.len() - 1] + length));
        let whole = before[before.len() - 1];
        let sides = whole.round().max(1.0);
        let at_length = |aim: f64| {
            let at = before.partition_point(|&own| own <= aim).clamp(1, lengths.len()) - 1;
            let (one, other) = (&fine[at], &fine[at + 1]);
            let share = one.share + part(one, other, aim - before[at]) * (other.share - one.share);
            self.near(given, self.at(share))
        };
        let ends = [given[0], given[given.len() - 1]];
        let inner = (1..sides as usize).map(|side| at_length(side as f64 * whole / sides));
        let placed: Vec<Place> = [ends[0]].into_iter().chain(inner).chain([ends[1]]).collect();
        // Between vertices, sizes are interpolated; from vertex to vertex, a side may still be long.
        let divided = self.divided(placed, bounds.long, given)?;
        Ok(divided[1..divided.len() - 1].to_vec())
    }

    /// A new place.
    fn at(&self, share: f64) -> Place {
        let position = self.position(share);
        let metric = self.metric(share, &position);
        Place { share, at: [None, None], position, metric, stays: false, required: false }
    }

    /// The one of the given places, but for the ends, that is near enough to another to take its part.
    fn near(&self, given: &[Place], place: Place) -> Place {
        let after = given.partition_point(|own| own.share < place.share);
        let last = given.len().saturating_sub(1);
        let beside = [after.saturating_sub(1), after].into_iter().filter(|&at| 0 < at && at < last);
        let off = |at: usize| length(&given[at], &place);
        let is_near = |&at: &usize| {
            let both = given[at].at.iter().all(Option::is_some);
            off(at) < if both { NEAR } else { NEAR * NEAR_OF_ONE }
        };
        let nearest = beside.filter(is_near).min_by(|&a, &b| off(a).total_cmp(&off(b)));
        nearest.map_or(place, |at| given[at])
    }

    /// With places between those that are further apart than `most`, until none are; given ones where they are near.
    fn divided(&self, mut places: Vec<Place>, most: f64, given: &[Place]) -> Result<Vec<Place>, AdaptError> {
        loop {
            let whole = places.windows(2).map(|ends| length(&ends[0], &ends[1])).sum::<f64>();
            if whole.is_nan() || whole > MOST {
                return Err(AdaptError::Elements { vertices: whole as u64, elements: whole, most: MOST });
            }
            let mut finer = vec![places[0]];
            for ends in places.windows(2) {
                let whole = length(&ends[0], &ends[1]);
                if whole > most {
                    let [from, to] = [ends[0].share, ends[1].share];
                    let share = from + part(&ends[0], &ends[1], 0.5 * whole) * (to - from);
                    let place = self.near(given, self.at(share));
                    if from < place.share && place.share < to {
                        finer.push(place);
                    }
                }
                finer.push(ends[1]);
            }
            if finer.len() == places.len() {
                return Ok(finer);
            }
            places = finer;
        }
    }
}

fn length(one: &Place, other: &Place) -> f64 {
    tensor::length(&difference(&one.position, &other.position), &one.metric, &other.metric)
}

/// The share of the way from one place to another that has a length.
fn part(one: &Place, other: &Place, aim: f64) -> f64 {
    let way = difference(&one.position, &other.position);
    let [l0, l1] = [one, other].map(|place| tensor::length(&way, &place.metric, &place.metric));
    let growth = same_math::ln(l1 / l0);
    let part = if growth.abs() < 1e-8 { aim / l0 } else { same_math::ln_1p(aim * growth / l0) / growth };
    part.clamp(0.0, 1.0)
}

/// The metric of a boundary at a share of its length.
fn carried(chain: &Chain, share: f64) -> Tensor<2> {
    let (at, part) = chain.before(share);
    let [one, other] = [&chain.stops[at], &chain.stops[at + 1]];
    match part {
        0.0 => one.metric,
        1.0 => other.metric,
        _ => tensor::interpolate_between(&[
            (1.0 - part, one.position, one.metric),
            (part, other.position, other.metric),
        ]),
    }
}
