//! Fields around vertices that move.

use cfd_engine::plug::ThreadPool;

use super::cavity::{Cavity, Cell, Few, at_curve, sort};
use crate::geometry::{Geometry, Point, Space};
use crate::mesh::{Bytes, Ghosts, Local, MOST_CORNERS, Mesh, Moved, Neighbour, Numbers, Writer};
use crate::threads::map;

/// New values of a moved vertex, and of the elements around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carried {
    vertex: Vec<f64>,
    /// In the order of identities.
    star: Numbers,
    values: Vec<f64>,
}

/// What moves of vertices that share no edge do to fields; empty without fields. To be called before they move.
pub(crate) fn carry_moves<const D: usize>(
    mesh: &Mesh<D>,
    pool: &ThreadPool,
    moves: &[Moved<D>],
) -> Vec<Carried>
where
    Space<D>: Geometry<D>,
{
    if mesh.fields.is_empty() {
        return Vec::new();
    }
    let (local, fields, slopes) = (&mesh.local, &mesh.fields, &mesh.slopes);
    map(pool, moves, |moved| {
        let star = sorted_star(local, moved.vertex);
        let values = match fields.cell_width() {
            0 => Vec::new(),
            _ => {
                let [old, new] = cells(local, &star, moved);
                let cavity = Cavity::clipped(&old, &new, at_curve(local, &star));
                fields.carried(local, slopes, &star, [&old, &new], &cavity)
            }
        };
        Carried { vertex: at_place(local, moved.vertex, &star, &moved.position), star, values }
    })
}

fn sorted_star<const D: usize>(local: &Local<D>, v: u32) -> Numbers {
    let mut star: Numbers = local.star(v).iter().copied().collect();
    sort(local, &mut star);
    star
}

/// The elements of a star before and after the move.
fn cells<const D: usize>(local: &Local<D>, star: &[u32], moved: &Moved<D>) -> [Few<Cell<D>>; 2]
where
    Space<D>: Geometry<D>,
{
    let before = |&e: &u32| Cell::of_corners(local, local.elements.corners(e));
    let after = |&e: &u32| {
        let corners = local.elements.corners(e);
        let at = corners.iter().position(|&c| c == moved.vertex).expect("a corner of its star");
        let mut points = before(&e).points;
        points[at] = moved.position;
        Cell::new(points)
    };
    [star.iter().map(before).collect(), star.iter().map(after).collect()]
}

/// Vertex fields at a place in the star of `v`: linear in the element that contains it. If rounding or a curve has put
/// the place beyond the boundary: at about the nearest point of the element that it is the least outside of.
fn at_place<const D: usize>(local: &Local<D>, v: u32, star: &[u32], place: &Point<D>) -> Vec<f64>
where
    Space<D>: Geometry<D>,
{
    let width = local.vertices.width;
    if width == 0 {
        return Vec::new();
    }
    let (e, shares) = local.holder(v, place).unwrap_or_else(|| nearest(local, star, place));
    let corners = local.elements.corners(e);
    let value = |i: usize| -> f64 {
        let at = |c: u32| local.vertices.values(c)[i];
        // Differences, so that constants are preserved.
        let first = at(corners[0]);
        corners.iter().zip(shares).fold(first, |sum, (&c, share)| sum + share * (at(c) - first))
    };
    (0..width).map(value).collect()
}

/// The element in which a place's least barycentric coordinate is largest, and the coordinates moved into it.
fn nearest<const D: usize>(local: &Local<D>, star: &[u32], place: &Point<D>) -> (u32, [f64; MOST_CORNERS])
where
    Space<D>: Geometry<D>,
{
    let mut best = (f64::NEG_INFINITY, star[0], [0.0; MOST_CORNERS]);
    for &e in star {
        let whole = Cell::of_corners(local, local.elements.corners(e));
        let mut shares = [0.0; MOST_CORNERS];
        for i in 0..=D {
            let mut part = whole.points;
            part[i] = *place;
            shares[i] = <Space<D> as Geometry<D>>::measure(&part[..=D]) / whole.measure;
        }
        let least = shares[..=D].iter().fold(f64::INFINITY, |least, &s| if s < least { s } else { least });
        if least > best.0 {
            best = (least, e, shares);
        }
    }
    let (_, e, mut shares) = best;
    shares.iter_mut().filter(|s| **s < 0.0).for_each(|s| *s = 0.0);
    let total: f64 = shares.iter().sum();
    (e, shares.map(|s| s / total))
}

/// Gives a moved vertex and the elements around it their values.
pub(crate) fn put_moved<const D: usize>(local: &mut Local<D>, v: u32, carried: &Carried) {
    local.vertices.values_mut(v).copy_from_slice(&carried.vertex);
    let width = local.elements.width;
    if width > 0 {
        for (&e, values) in carried.star.iter().zip(carried.values.chunks_exact(width)) {
            local.elements.values_mut(e).copy_from_slice(values);
        }
    }
}

/// Sends the values that moves have changed to the ranks that hold copies. `shared` are the vertices that may have
/// moved, by neighbour; `moves`, this rank's that have. Collective.
///
/// A neighbour holds exactly the elements around the vertex that touch its own vertices, so both sides know which these
/// are, and in which order.
pub(crate) fn exchange_moves<const D: usize>(mesh: &mut Mesh<D>, shared: &Ghosts, moves: &[Moved<D>]) {
    if mesh.fields.is_empty() {
        return;
    }
    let local = &mesh.local;
    let mut has_moved = vec![false; local.vertices.len()];
    moves.iter().for_each(|moved| has_moved[moved.vertex as usize] = true);
    let message = |neighbour: &Neighbour| {
        let mut message = Writer::default();
        for (i, &v) in (0u32..).zip(&neighbour.sends).filter(|&(_, &v)| has_moved[v as usize]) {
            message.put(i);
            message.put_all(local.vertices.values(v));
            for e in copies(local, v, neighbour.rank as u32) {
                message.put_all(local.elements.values(e));
            }
        }
        message.0
    };
    let sends: Vec<Vec<u8>> = shared.neighbours.iter().map(message).collect();
    let received = shared.swap_bytes(&mesh.comm, &sends);
    let local = &mut mesh.local;
    for (neighbour, message) in shared.neighbours.iter().zip(&received) {
        let mut message = Bytes(message);
        while !message.is_empty() {
            let v = neighbour.receives[message.get::<u32>() as usize];
            local.vertices.values_mut(v).iter_mut().for_each(|value| *value = message.get());
            for e in copies(local, v, local.rank) {
                local.elements.values_mut(e).iter_mut().for_each(|value| *value = message.get());
            }
        }
    }
}

/// The elements around a vertex that touch vertices of a rank, in the order of identities.
fn copies<const D: usize>(local: &Local<D>, v: u32, rank: u32) -> Numbers {
    let mut star = sorted_star(local, v);
    star.retain(|e| local.elements.corners(*e).iter().any(|&c| local.vertices.owner[c as usize] == rank));
    star
}
