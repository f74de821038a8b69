//! Steepest ascent of the worst element's quality.

use crate::geometry::{Geometry, Point, Space, difference, dot};
use crate::mesh::{Freedom, Local};
use crate::operation::coarsen::boundary_edge;

/// The step along the gradient of the worst element's quality, up to where, to first order, another becomes worse.
/// `None` if no element is worse than `bound`. Among equal elements, the one of smallest identities is the worst.
pub fn step<const D: usize>(local: &Local<D>, v: u32, bound: f64) -> Option<Point<D>>
where
    Space<D>: Geometry<D>,
{
    let star = local.star(v);
    let qualities = star.iter().map(|&e| local.quality(e));
    let (mut worst, mut lowest) = (0, f64::INFINITY);
    for (i, quality) in qualities.clone().enumerate() {
        if quality < lowest
            || quality == lowest && local.element_key(star[i]) < local.element_key(star[worst])
        {
            (worst, lowest) = (i, quality);
        }
    }
    if lowest >= bound {
        return None;
    }
    let tangent = tangent(local, v);
    let along = |g: Point<D>| match &tangent {
        Some(t) => {
            let part = dot(&g, t) / dot(t, t);
            t.map(|c| part * c)
        }
        None => g,
    };
    let gradient = along(local.quality_gradient(star[worst], v));
    let steepness = dot(&gradient, &gradient);
    if !(steepness > 0.0 && steepness.is_finite()) {
        return None;
    }
    // A quality is at most 1.
    let mut length = (1.0 - lowest) / steepness;
    for (i, (&e, quality)) in star.iter().zip(qualities).enumerate() {
        let closing = steepness - dot(&gradient, &along(local.quality_gradient(e, v)));
        if i != worst && closing > 0.0 {
            length = length.min((quality - lowest) / closing);
        }
    }
    (length > 0.0).then(|| gradient.map(|c| length * c))
}

/// The direction of the boundary at a boundary vertex: that of the line through its two neighbours along it.
fn tangent<const D: usize>(local: &Local<D>, v: u32) -> Option<Point<D>> {
    if local.freedom(v) != Freedom::Boundary {
        return None;
    }
    let mut along = local.neighbours(v);
    along.retain(|w| boundary_edge(local, v, *w));
    local.sort(&mut along);
    let [a, b] = along[..] else { return Some([0.0; D]) };
    Some(difference(local.position(a), local.position(b)))
}
