//! Cavities: the elements before and after an operation, and their intersections.

use cfd_engine::plug::ThreadPool;
use smallvec::SmallVec;

use super::{Fields, Slopes};
use crate::geometry::{Geometry, Piece, Point, ROUNDING, Space, difference};
use crate::mesh::{INSIDE, Identity, Local, MOST_CORNERS, Mesh, Numbers};
use crate::threads::map;

/// As many as the elements of most cavities.
pub(crate) type Few<T> = SmallVec<[T; 8]>;

/// Corners of a future element, the first `D + 1` of them, in the order in which elements are held.
pub(crate) type Corners = [u32; MOST_CORNERS];

/// The elements that an operation will replace, and the corners of the new ones.
pub(crate) struct Replacement {
    pub old: Numbers,
    pub new: Few<Corners>,
}

/// An element's corners and measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<const D: usize> {
    pub points: [Point<D>; MOST_CORNERS],
    pub measure: f64,
}

impl<const D: usize> Cell<D>
where
    Space<D>: Geometry<D>,
{
    pub fn new(points: [Point<D>; MOST_CORNERS]) -> Cell<D> {
        Cell { points, measure: <Space<D> as Geometry<D>>::measure(&points[..=D]) }
    }

    /// The cell with these corners, in the order in which elements are held.
    pub fn of_corners(local: &Local<D>, corners: &[u32]) -> Cell<D> {
        Cell::new(std::array::from_fn(|i| *local.position(corners[i.min(D)])))
    }

    /// The corners relative to a point.
    fn from(&self, origin: &Point<D>) -> [Point<D>; MOST_CORNERS] {
        self.points.map(|p| difference(origin, &p))
    }
}

/// A cell's corners relative to a point, and the bounds of their coordinates.
struct Near<const D: usize> {
    corners: [Point<D>; MOST_CORNERS],
    lowest: Point<D>,
    highest: Point<D>,
}

impl<const D: usize> Near<D>
where
    Space<D>: Geometry<D>,
{
    fn new(cell: &Cell<D>, origin: &Point<D>) -> Near<D> {
        let corners = cell.from(origin);
        let (mut lowest, mut highest) = (corners[0], corners[0]);
        for corner in &corners[1..=D] {
            lowest = std::array::from_fn(|i| lowest[i].min(corner[i]));
            highest = std::array::from_fn(|i| highest[i].max(corner[i]));
        }
        Near { corners, lowest, highest }
    }

    /// The intersection of two cells.
    #[inline]
    fn overlap(&self, other: &Near<D>) -> Piece<D> {
        if (0..D).any(|i| self.highest[i] <= other.lowest[i] || other.highest[i] <= self.lowest[i]) {
            return Piece::default();
        }
        <Space<D> as Geometry<D>>::overlap(&self.corners[..=D], &other.corners[..=D])
    }
}

/// The intersections of a cavity's old and new elements.
#[derive(Clone, Debug)]
pub(crate) struct Cavity<const D: usize> {
    /// Measures of the old elements.
    pub old: Few<f64>,
    /// Measures of the new elements.
    pub new: Few<f64>,
    /// Their sums.
    pub sums: [f64; 2],
    /// a(n,o), scaled, and c(n,o) - c(o): for each new element, the old elements in order.
    pieces: Vec<Piece<D>>,
    /// Whether the new elements do not cover what the old ones did, since a curved boundary has moved; then nothing is
    /// scaled, and c(o) is the centroid.
    pub moved: bool,
}

impl<const D: usize> Cavity<D>
where
    Space<D>: Geometry<D>,
{
    /// By clipping. Both lists are in the order of identities; `curved` says whether an old element is at a curved
    /// boundary.
    pub fn clipped(old: &[Cell<D>], new: &[Cell<D>], curved: bool) -> Cavity<D> {
        let origin = old[0].points[0];
        let near: Few<Near<D>> = old.iter().map(|cell| Near::new(cell, &origin)).collect();
        let mut pieces = Vec::with_capacity(old.len() * new.len());
        for cell in new {
            let cell = Near::new(cell, &origin);
            pieces.extend(near.iter().map(|other| cell.overlap(other)));
        }
        let (old, new) = (measures(old), measures(new));
        if curved && !covers(&old, &new, &pieces) {
            return Cavity::moved(old, new, near.iter().map(|near| &near.corners), pieces);
        }
        Cavity::scaled(old, new, pieces)
    }

    /// That of an element and its children, one of whose corners may be on a curved boundary beside the element's.
    pub fn divided(parent: &Cell<D>, children: &[Cell<D>], curved: bool) -> Cavity<D> {
        let origin = parent.points[0];
        let piece =
            |cell: &Cell<D>| Piece { measure: cell.measure, centroid: mean(&cell.from(&origin)[..=D]) };
        let (old, new, pieces) =
            (measures(&[*parent]), measures(children), children.iter().map(piece).collect::<Vec<_>>());
        if curved && !covers(&old, &new, &pieces) {
            return Cavity::moved(old, new, std::iter::once(&parent.from(&origin)), pieces);
        }
        Cavity::scaled(old, new, pieces)
    }

    /// With pieces as they are, their centroids relative to those of the old elements.
    fn moved<'a>(
        old: Few<f64>,
        new: Few<f64>,
        near: impl Iterator<Item = &'a [Point<D>; MOST_CORNERS]> + Clone,
        mut pieces: Vec<Piece<D>>,
    ) -> Cavity<D> {
        for pieces in pieces.chunks_exact_mut(old.len()) {
            for (piece, corners) in pieces.iter_mut().zip(near.clone()) {
                piece.centroid = difference(&mean(&corners[..=D]), &piece.centroid);
            }
        }
        let sums = [old.iter().sum(), new.iter().sum()];
        Cavity { old, new, sums, pieces, moved: true }
    }

    /// Scales the pieces of each old element so that they add up to the whole of it.
    fn scaled(old: Few<f64>, new: Few<f64>, mut pieces: Vec<Piece<D>>) -> Cavity<D> {
        let sums = [old.iter().sum(), new.iter().sum()];
        let count = old.len();
        for (o, &measure) in old.iter().enumerate() {
            let mut total = 0.0;
            let mut moment = [0.0; D];
            // Most pieces are empty.
            for n in 0..new.len() {
                let piece = &pieces[n * count + o];
                if piece.measure != 0.0 {
                    total += piece.measure;
                    (0..D).for_each(|i| moment[i] += piece.measure * piece.centroid[i]);
                }
            }
            let centre: Point<D> = std::array::from_fn(|i| moment[i] / total);
            for n in 0..new.len() {
                let piece = &mut pieces[n * count + o];
                if total > 0.0 {
                    if piece.measure != 0.0 {
                        let from_centre = difference(&centre, &piece.centroid);
                        *piece = Piece { measure: piece.measure / total * measure, centroid: from_centre };
                    }
                } else {
                    // A sliver that clipping does not see at all is divided in proportion to area.
                    *piece = Piece { measure: new[n] / sums[1] * measure, centroid: [0.0; D] };
                }
            }
        }
        Cavity { old, new, sums, pieces, moved: false }
    }

    /// Whether the new elements are as large as the old ones together.
    pub fn keeps_measure(&self) -> bool {
        let [before, after] = self.sums;
        (after - before).abs() <= ROUNDING * before
    }

    /// The intersections of a new element with each old one.
    pub fn pieces(&self, n: usize) -> &[Piece<D>] {
        &self.pieces[n * self.old.len()..][..self.old.len()]
    }
}

/// Whether pieces cover all of the old and all of the new elements, up to rounding.
fn covers<const D: usize>(old: &[f64], new: &[f64], pieces: &[Piece<D>]) -> bool {
    let is_whole = |sum: f64, measure: f64| (sum - measure).abs() <= ROUNDING * measure;
    let of_old = |o: usize| pieces.iter().skip(o).step_by(old.len()).map(|piece| piece.measure).sum();
    let of_new = |n: usize| pieces[n * old.len()..][..old.len()].iter().map(|piece| piece.measure).sum();
    old.iter().enumerate().all(|(o, &measure)| is_whole(of_old(o), measure))
        && new.iter().enumerate().all(|(n, &measure)| is_whole(of_new(n), measure))
}

fn measures<const D: usize>(cells: &[Cell<D>]) -> Few<f64> {
    cells.iter().map(|cell| cell.measure).collect()
}

/// The mean of several points.
pub(super) fn mean<const D: usize>(points: &[Point<D>]) -> Point<D> {
    std::array::from_fn(|i| points.iter().map(|p| p[i]).sum::<f64>() / points.len() as f64)
}

/// Values of the new elements of each operation, in the order of its replacement, one after the other; empty without cell
/// fields. To be called before any of the operations is carried out.
pub(crate) fn carry_all<const D: usize>(
    mesh: &Mesh<D>,
    pool: &ThreadPool,
    operations: &[(u32, u32)],
    replacement: impl Fn(&Local<D>, u32, u32) -> Replacement + Sync,
) -> Vec<Vec<f64>>
where
    Space<D>: Geometry<D>,
{
    if mesh.fields.cell_width() == 0 {
        return Vec::new();
    }
    let (local, fields, slopes) = (&mesh.local, &mesh.fields, &mesh.slopes);
    map(pool, operations, |&(v, target)| {
        let Replacement { mut old, new: mut given } = replacement(local, v, target);
        sort(local, &mut old);
        rotate(local, &mut given);
        let mut new = given.clone();
        sort_corners(local, &mut new);
        let before: Few<Cell<D>> =
            old.iter().map(|&e| Cell::of_corners(local, local.elements.corners(e))).collect();
        let after: Few<Cell<D>> = new.iter().map(|corners| Cell::of_corners(local, corners)).collect();
        let cavity = Cavity::clipped(&before, &after, at_curve(local, &old));
        let values = fields.carried(local, slopes, &old, [&before, &after], &cavity);
        in_order_of(&given, &new, &values)
    })
}

/// The values of elements in another order of them.
fn in_order_of(given: &[Corners], sorted: &[Corners], values: &[f64]) -> Vec<f64> {
    let width = values.len() / sorted.len();
    let place = |corners| sorted.iter().position(|other| other == corners).expect("one of them");
    given.iter().flat_map(|corners| values[place(corners) * width..][..width].iter().copied()).collect()
}

/// Whether one of these elements is at a curved boundary.
pub(super) fn at_curve<const D: usize>(local: &Local<D>, elements: &[u32]) -> bool {
    let is_curved = |&tag: &u16| tag != INSIDE && local.curve(tag).is_some();
    elements.iter().any(|&e| local.elements.tags(e).iter().any(is_curved))
}

/// Elements in the order of their corners' identities.
pub(super) fn sort<const D: usize>(local: &Local<D>, elements: &mut [u32]) {
    local.sort_elements(elements);
}

/// Puts corners in the order in which elements are held.
fn rotate<const D: usize>(local: &Local<D>, elements: &mut [Corners]) {
    for corners in elements {
        local.rotate(&mut corners[..=D], &mut [0; MOST_CORNERS][..=D]);
    }
}

/// Elements in the order of their corners' identities.
fn sort_corners<const D: usize>(local: &Local<D>, elements: &mut [Corners]) {
    elements.sort_unstable_by_key(|corners| -> [Identity; MOST_CORNERS] {
        std::array::from_fn(|i| local.identity(corners[i.min(D)]))
    });
}

/// Values of the children of an element, in their own order, one after the other.
pub(crate) fn carry_children<const D: usize>(
    fields: &Fields,
    local: &Local<D>,
    slopes: &Slopes<D>,
    parent: u32,
    children: impl Iterator<Item = Corners>,
) -> Vec<f64>
where
    Space<D>: Geometry<D>,
{
    if fields.cell_width() == 0 {
        return Vec::new();
    }
    let mut given: Few<Corners> = children.collect();
    rotate(local, &mut given);
    let mut sorted = given.clone();
    sort_corners(local, &mut sorted);
    let cells: Few<Cell<D>> = sorted.iter().map(|corners| Cell::of_corners(local, corners)).collect();
    let whole = Cell::of_corners(local, local.elements.corners(parent));
    let cavity = Cavity::divided(&whole, &cells, at_curve(local, &[parent]));
    let values = fields.carried(local, slopes, &[parent], [&[whole], &cells], &cavity);
    in_order_of(&given, &sorted, &values)
}

/// Gives new elements their values.
pub(crate) fn put<const D: usize>(local: &mut Local<D>, elements: &[u32], values: &[f64]) {
    for (&e, values) in elements.iter().zip(values.chunks_exact(local.elements.width)) {
        local.elements.values_mut(e).copy_from_slice(values);
    }
}
