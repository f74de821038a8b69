//! Periodic boundaries: both of a pair get their vertices at the same places.
//!
//! ```text
//! chain      the boundaries as chains of vertices, the same on all ranks
//! spacing    where vertices are to be on both
//! mod (here) puts them there
//! ```
//!
//! A boundary is small beside the mesh, so every rank computes all places of all pairs. Before the passes, vertices are put
//! where both boundaries are to have one; these are then corners. The others vanish by collapses in the passes
//! ([`is_superfluous`]). One that no collapse could remove gets a partner after the passes, and stays: so both boundaries
//! always match. Sides between are neither split nor moved by others.

mod chain;
mod spacing;

use std::collections::BTreeMap;

use cfd_engine::plug::ThreadPool;

use self::chain::{Couple, couples, moved};
use self::spacing::{Common, Place};
use super::middle::Middle;
use super::refine::{Refine, put};
use super::{AdaptError, Bounds};
use crate::geometry::{Geometry, Point, Side, Space, difference, dot};
use crate::mesh::identity::of_edge;
use crate::mesh::{Freedom, Identity, Local, Mesh, Paired, Vertex};
use crate::tensor::{self, Tensor};
use crate::transfer::update_slopes;

/// Which places get vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Places<'a> {
    /// Those that the metric asks for; other vertices are superfluous.
    Wanted(&'a Bounds),
    /// Those of all vertices of both.
    All,
}

/// Whether a vertex is on a periodic boundary where none is to be.
pub(crate) fn is_superfluous<const D: usize>(local: &Local<D>, v: u32) -> bool
where
    Space<D>: Geometry<D>,
{
    local.freedom(v) == Freedom::Boundary && matches!(local.side(local.boundary_of(v)), Side::Paired)
}

/// A vertex to be put on a boundary.
#[derive(Clone, Copy, Debug)]
struct New {
    position: Point<2>,
    metric: Tensor<2>,
}

/// New vertices between two neighbouring ones, in order.
struct Gap {
    ends: [Identity; 2],
    new: Vec<New>,
}

/// Gives both boundaries of every pair vertices at the same places. Collective.
///
/// # Errors
/// Boundaries that do not go onto each other, or an element that is too thin; the same on all ranks.
pub(crate) fn pair_up(
    mesh: &mut Mesh<2>,
    pool: &ThreadPool,
    refine: &Refine<2>,
    which: Places<'_>,
) -> Result<(), AdaptError> {
    if mesh.pairs.is_empty() {
        return Ok(());
    }
    let (mut gaps, mut stay) = (Vec::new(), BTreeMap::new());
    for couple in couples(mesh)? {
        let common = Common::new(&couple, refine.metric);
        let places = common.places();
        let wanted = match which {
            Places::Wanted(bounds) => common.wanted(&places, bounds)?,
            Places::All => places,
        };
        for side in 0..2 {
            of_side(&couple, &common, side, &wanted, &mut gaps, &mut stay)?;
        }
    }
    fill(mesh, pool, refine, gaps)?;
    settle(mesh, &stay);
    Ok(())
}

/// What a boundary lacks, and the metric of vertices that it has and that stay.
fn of_side(
    couple: &Couple<'_>,
    common: &Common<'_>,
    side: usize,
    wanted: &[Place],
    gaps: &mut Vec<Gap>,
    stay: &mut BTreeMap<Identity, Tensor<2>>,
) -> Result<(), AdaptError> {
    let chain = &couple.chains[side];
    let metric = |place: &Place| if side == 0 { place.metric } else { common.on_second(&place.metric) };
    let mut new: BTreeMap<usize, Vec<New>> = BTreeMap::new();
    for place in wanted {
        match place.at[side] {
            Some(at) => {
                // A corner may be in two pairs.
                let metric = metric(place);
                stay.entry(chain.stops[at].identity)
                    .and_modify(|known| *known = tensor::intersect(known, &metric))
                    .or_insert(metric);
            }
            None => {
                let before = chain.before(place.share).0;
                if chain.required[before] {
                    let at = chain.stops[before].position;
                    return Err(refused(
                        couple.pair,
                        format!("the side after {at:?} stays as it is, but not the other's"),
                    ));
                }
                let ends = [before, before + 1].map(|at| chain.stops[at].position);
                let mut position = place.position;
                if side == 1 {
                    position = moved(&couple.way, &position);
                    for k in (0..2).filter(|&k| ends[0][k] == ends[1][k]) {
                        // Rounding is not to bend a straight side.
                        position[k] = ends[0][k];
                    }
                }
                new.entry(before).or_default().push(New { position, metric: metric(place) });
            }
        }
    }
    gaps.extend(
        new.into_iter()
            .map(|(before, new)| Gap { ends: [before, before + 1].map(|at| chain.stops[at].identity), new }),
    );
    Ok(())
}

/// Boundaries that do not go onto each other.
fn refused(pair: &Paired, what: String) -> AdaptError {
    let [first, second] = pair.given.names.clone();
    AdaptError::Periodic { first, second, what }
}

/// Fixes the vertices that stay, with their metric.
fn settle(mesh: &mut Mesh<2>, stay: &BTreeMap<Identity, Tensor<2>>) {
    let vertices = &mut mesh.local.vertices;
    for v in 0..vertices.len() {
        if vertices.freedom[v] != Freedom::Inside
            && vertices.is_alive(v as u32)
            && let Some(metric) = stay.get(&vertices.identity[v])
        {
            (vertices.freedom[v], vertices.metric[v], vertices.marks[v]) =
                (Freedom::Corner, *metric, u8::MAX);
        }
    }
}

/// Splits sides until the new vertices are there: in each pass that in the middle of each gap. Collective.
fn fill(
    mesh: &mut Mesh<2>,
    pool: &ThreadPool,
    refine: &Refine<2>,
    mut gaps: Vec<Gap>,
) -> Result<(), AdaptError> {
    while !gaps.is_empty() {
        mesh.refinements += 1;
        update_slopes(mesh, pool);
        let (pass, bits) = (mesh.refinements, mesh.identity_bits);
        let known = on_pairs(&mesh.local);
        let (mut middles, mut left) = (Vec::new(), Vec::new());
        for Gap { ends, mut new } in gaps {
            let after = new.split_off(new.len() / 2 + 1);
            let middle = new.pop().expect("a gap has new vertices");
            let identity = of_edge(ends[0], ends[1], pass, bits);
            middles.extend(split(&mesh.local, &known, ends, identity, &middle));
            let parts = [([ends[0], identity], new), ([identity, ends[1]], after)];
            left.extend(
                parts.into_iter().filter(|(_, new)| !new.is_empty()).map(|(ends, new)| Gap { ends, new }),
            );
        }
        middles.sort_unstable_by_key(|middle: &Middle<2>| middle.edge);
        put(mesh, pool, refine, middles)?;
        gaps = left;
    }
    Ok(())
}

/// The vertex that splits a side, if this rank holds its element.
fn split(
    local: &Local<2>,
    known: &BTreeMap<Identity, u32>,
    ends: [Identity; 2],
    identity: Identity,
    new: &New,
) -> Option<Middle<2>> {
    let [a, b] = [ends[0].min(ends[1]), ends[0].max(ends[1])].map(|end| known.get(&end).copied());
    let (a, b) = (a?, b?);
    if local.around_edge(a, b).is_empty() {
        return None;
    }
    let (pa, pb) = (local.position(a), local.position(b));
    let edge = difference(pa, pb);
    let at = (dot(&difference(pa, &new.position), &edge) / dot(&edge, &edge)).clamp(0.0, 1.0);
    let vertex = Vertex {
        position: new.position,
        metric: new.metric,
        identity,
        owner: local.vertices.owner[a as usize],
        freedom: Freedom::Corner,
        marks: u8::MAX,
    };
    let values = local.vertices.values(a).iter().zip(local.vertices.values(b)).map(|(x, y)| x + at * (y - x));
    Some(Middle { edge: (a, b), vertex, values: values.collect() })
}

/// This rank's vertices on paired boundaries, ghosts included, by identity.
fn on_pairs(local: &Local<2>) -> BTreeMap<Identity, u32> {
    let mut found = BTreeMap::new();
    for e in local.elements.iter() {
        let (corners, tags) = (local.elements.corners(e), local.elements.tags(e));
        for i in (0..3).filter(|&i| matches!(local.side(tags[i]), Side::Paired)) {
            let ends = [corners[(i + 1) % 3], corners[(i + 2) % 3]];
            found.extend(ends.map(|v| (local.identity(v), v)));
        }
    }
    found
}
