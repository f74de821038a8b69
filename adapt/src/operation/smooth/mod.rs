//! Moves: a vertex goes to a better position within its star.
//!
//! Vertices that share no edge move at the same time: the mesh is colored, and a sweep visits color after color. The
//! colors are those of Jones and Plassmann with hashes as priorities, which are greedy in the order of the hashes,
//! whatever the ranks and threads. A visited vertex is visited again once a neighbour has moved.

mod color;
mod laplacian;
mod optimise;

use cfd_engine::plug::ThreadPool;

use self::color::Colors;
use super::{Bounds, MetricAt};
use crate::geometry::{Geometry, Point, Space};
use crate::mesh::{Freedom, Local, MOST_CORNERS, Mesh, Moved};
use crate::tensor::{Interpolant, Tensor};
use crate::threads::map;
use crate::transfer::{carry_moves, put_moved, update_slopes};

/// How often a step is halved before a vertex stays put.
const HALVINGS: usize = 5;

/// How a vertex looks for a better position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The mean of its neighbours, weighted with the lengths of the edges to them.
    Laplacian,
    /// The steepest ascent of the quality of its worst element.
    Optimisation,
}

impl Way {
    /// The bit of `Vertices::marks` for vertices that may move to a better position in this way.
    fn kind(self) -> u8 {
        match self {
            Way::Laplacian => 8,
            Way::Optimisation => 16,
        }
    }
}

/// Moves vertices.
#[derive(Clone, Copy)]
pub(crate) struct Smooth<'a, const D: usize> {
    pub bounds: Bounds,
    pub metric: MetricAt<'a, D>,
    pub way: Way,
}

impl<const D: usize> Smooth<'_, D>
where
    Space<D>: Geometry<D>,
{
    /// The better position of a vertex, if there is one.
    pub(super) fn propose(&self, local: &Local<D>, v: u32) -> Option<Moved<D>> {
        if local.freedom(v) == Freedom::Corner {
            return None;
        }
        let star = local.star(v);
        let step = match self.way {
            Way::Laplacian => laplacian::step(local, v)?,
            Way::Optimisation => optimise::step(local, v, self.bounds.quality)?,
        };
        let curve = match local.freedom(v) {
            Freedom::Boundary => local.curve(local.boundary_of(v)),
            _ => None,
        };
        let (mut worst, mut old) = (0, f64::INFINITY);
        for (i, &e) in star.iter().enumerate() {
            let quality = local.quality(e);
            if quality < old {
                (worst, old) = (i, quality);
            }
        }
        let from = local.position(v);
        let (mut part, mut ground) = (1.0, None);
        for _ in 0..=HALVINGS {
            let mut position: Point<D> = std::array::from_fn(|i| from[i] + part * step[i]);
            if let Some(curve) = curve {
                position = curve.nearest(&position);
            }
            let is_valid = || star.iter().all(|&e| local.is_positive_with(e, v, &position));
            // Most places fail by the quality of one element, so all orientations come later.
            if (!self.is_given() || is_valid())
                && let Some(moved) = self.at(local, v, position, &mut ground)
                && is_better(local, star, &moved, old + self.bounds.gain, &mut worst)
                && (self.is_given() || is_valid())
                && (curve.is_none() || stays_near(local, v, &position))
            {
                return Some(moved);
            }
            part *= 0.5;
        }
        None
    }

    /// Whether the metric is given, where the mesh is: only valid places may be asked for.
    fn is_given(&self) -> bool {
        matches!(self.metric, MetricAt::Given(_))
    }

    /// The vertex at another position in its star.
    fn at(
        &self,
        local: &Local<D>,
        v: u32,
        position: Point<D>,
        ground: &mut Option<Ground<D>>,
    ) -> Option<Moved<D>> {
        let metric = match self.metric {
            MetricAt::Given(metric) => metric(&position),
            MetricAt::Carried => interpolated(local, v, &position, ground)?,
        };
        Some(Moved { vertex: v, position, metric })
    }
}

/// Whether the facets at a vertex of a curved boundary are as near to the curve as they must be, or as they were, once it has
/// moved: the point of the curve nearest to a place may be on its other side.
fn stays_near<const D: usize>(local: &Local<D>, v: u32, position: &Point<D>) -> bool
where
    Space<D>: Geometry<D>,
{
    let tag = local.boundary_of(v);
    let side = local.side(tag);
    let from = local.position(v);
    local.star(v).iter().all(|&e| {
        let (corners, tags) = (local.elements.corners(e), local.elements.tags(e));
        (0..=D).filter(|&i| corners[i] != v && tags[i] == tag).all(|i| {
            let others = corners.iter().enumerate().filter(|&(j, &c)| j != i && c != v);
            let mut ends = others.map(|(_, &c)| local.position(c));
            ends.all(|end| side.allows_move(end, from, position))
        })
    })
}

/// Whether all qualities in a star, with its vertex moved, are above a bound. `worst` is where to look first, since it is
/// likely not to be, and then the first that was not.
fn is_better<const D: usize>(
    local: &Local<D>,
    star: &[u32],
    moved: &Moved<D>,
    bound: f64,
    worst: &mut usize,
) -> bool
where
    Space<D>: Geometry<D>,
{
    let is_good = |i: usize| local.quality_moved(star[i], moved) > bound;
    let first = *worst;
    if !is_good(first) {
        return false;
    }
    let bad = (0..star.len()).find(|&i| i != first && !is_good(i));
    *worst = bad.unwrap_or(first);
    bad.is_none()
}

/// The element that contained the last place, and the metrics of its corners.
struct Ground<const D: usize> {
    element: u32,
    metrics: Interpolant<D>,
}

/// The metric at a place in the star of `v`, from the element that contains it; if it lies on a common facet of
/// several, from the one with the smallest identities.
fn interpolated<const D: usize>(
    local: &Local<D>,
    v: u32,
    place: &Point<D>,
    ground: &mut Option<Ground<D>>,
) -> Option<Tensor<D>>
where
    Space<D>: Geometry<D>,
{
    // A step is halved within one element, as a rule.
    if let Some(Ground { element, metrics }) = ground
        && let Some(shares) = local.shares_inside(*element, place)
    {
        return Some(metrics.at(&shares[..=D]));
    }
    let Some((e, shares)) = local.holder(v, place) else {
        // Beyond the chords of a curved boundary there is no element; the metric changes little there.
        return on_curve(local, v).then(|| *local.metric(v));
    };
    let corners = local.elements.corners(e);
    let points: [_; MOST_CORNERS] = std::array::from_fn(|i| {
        let c = corners[i.min(D)];
        (*local.position(c), *local.metric(c))
    });
    let metrics = Interpolant::between(&points[..=D]);
    let metric = metrics.at(&shares[..=D]);
    *ground = Some(Ground { element: e, metrics });
    Some(metric)
}

/// Whether a vertex lies on a curved boundary.
fn on_curve<const D: usize>(local: &Local<D>, v: u32) -> bool {
    local.freedom(v) == Freedom::Boundary && local.curve(local.boundary_of(v)).is_some()
}

/// One sweep over the marked vertices; returns how many of this rank have moved. Collective.
fn sweep<const D: usize>(mesh: &mut Mesh<D>, pool: &ThreadPool, colors: &Colors, smooth: &Smooth<D>) -> u64
where
    Space<D>: Geometry<D>,
{
    let (mut count, kind) = (0, smooth.way.kind());
    for class in &colors.classes {
        update_slopes(mesh, pool);
        let local = &mesh.local;
        let marked: Vec<u32> =
            class.own.iter().copied().filter(|&v| local.vertices.marks[v as usize] & kind != 0).collect();
        let moves = map(pool, &marked, |&v| smooth.propose(local, v));
        let moves: Vec<Moved<D>> = moves.into_iter().flatten().collect();
        let carried = carry_moves(mesh, pool, &moves);
        for v in marked {
            mesh.local.vertices.marks[v as usize] &= !kind;
        }
        for (i, moved) in moves.iter().enumerate() {
            if let Some(carried) = carried.get(i) {
                put_moved(&mut mesh.local, moved.vertex, carried);
            }
            mesh.local.vertices.position[moved.vertex as usize] = moved.position;
            mesh.local.vertices.metric[moved.vertex as usize] = moved.metric;
            mark_round(&mut mesh.local, moved.vertex);
            count += 1;
        }
        class.exchange(mesh, &moves);
    }
    count
}

/// Makes a moved vertex and its neighbours look again.
fn mark_round<const D: usize>(local: &mut Local<D>, v: u32) {
    for &e in local.stars.get(v) {
        for &c in local.elements.corners(e) {
            local.vertices.marks[c as usize] = u8::MAX;
        }
    }
}

/// Sweeps over marked vertices until nothing moves, at most `sweeps` times; returns the number of moves on this rank.
/// Collective.
pub(crate) fn run<const D: usize>(
    mesh: &mut Mesh<D>,
    pool: &ThreadPool,
    smooth: &Smooth<D>,
    sweeps: usize,
    salt: u64,
) -> u64
where
    Space<D>: Geometry<D>,
{
    let colors = Colors::new(mesh, pool, salt);
    let mut moves = 0;
    for _ in 0..sweeps {
        let moved = sweep(mesh, pool, &colors, smooth);
        moves += moved;
        if mesh.comm.sum(moved) == 0 {
            break;
        }
    }
    moves
}
