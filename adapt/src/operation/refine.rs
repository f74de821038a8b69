//! Splits: a vertex on every edge that is too long, and templates for the elements.
//!
//! An edge decides from its two ends alone, an element from the marks of its edges, and all ranks that hold them decide
//! alike: nothing is selected and nothing is sent.

use std::cmp::Ordering;

use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;
use smallvec::{SmallVec, smallvec};

use super::middle::{Edge, Middle, tag_of, tell};
use super::{AdaptError, MetricAt};
use crate::geometry::{Side, between, difference, dot};
use crate::mesh::identity::of_edge;
use crate::mesh::{Freedom, INSIDE, Identity, Local, Mesh, Vertex, is_outer};
use crate::tensor::{self, Tensor};
use crate::threads::{filter, map};
use crate::transfer::{Fields, Slopes, carry_children, update_slopes};

/// Splits edges longer than `long`, unless a half would be shorter than `short`.
#[derive(Clone, Copy)]
pub struct Refine<'a, const D: usize> {
    pub(crate) short: f64,
    pub(crate) long: f64,
    pub(crate) metric: MetricAt<'a, D>,
    /// At most this many elements on all ranks.
    pub(crate) most: Option<u64>,
}

impl Refine<'_, 2> {
    /// The vertex that splits an edge, at `x0 + (x1 - x0) / (1 + sqrt(h1/h0))`, where h is the length that an end's
    /// metric measures as 1. There, sizes that change linearly have grown by sqrt(h1/h0), and grow by as much again up to
    /// the other end: whatever mean defines a length, both halves have the same.
    fn middle(&self, local: &Local<2>, (a, b): Edge) -> (Vertex<2>, f64) {
        let (pa, pb) = (local.position(a), local.position(b));
        let (ma, mb) = (local.metric(a), local.metric(b));
        let edge = difference(pa, pb);
        let along = |m: &Tensor<2>| tensor::length(&edge, m, m);
        // h is the edge's length divided by its length in the metric.
        let at = 1.0 / (1.0 + (along(ma) / along(mb)).sqrt());
        let position = between(pa, pb, at);
        let metric = match self.metric {
            MetricAt::Carried => tensor::interpolate_between(&[(1.0 - at, *pa, *ma), (at, *pb, *mb)]),
            MetricAt::Given(metric) => metric(&position),
        };
        let vertex =
            Vertex { position, metric, identity: 0, owner: 0, freedom: Freedom::Inside, marks: u8::MAX };
        (vertex, at)
    }

    /// The vertex that splits a long edge, unless a half would be too short.
    fn split(&self, local: &Local<2>, edge: Edge, pass: u64, bits: u32) -> Option<Middle<2>> {
        let (a, b) = edge;
        let (mut vertex, at) = self.middle(local, edge);
        let half = |end: u32| {
            let e = difference(local.position(end), &vertex.position);
            tensor::length(&e, local.metric(end), &vertex.metric)
        };
        let tag = tag_of(local, a, b);
        let side = local.side(tag.unwrap_or(INSIDE));
        // A facet between regions of which one stays is required, too, because not every rank holds both elements.
        let stays = matches!(side, Side::Required | Side::Paired)
            || local.around_edge(a, b).iter().any(|&e| local.is_required(e));
        if stays {
            return None;
        }
        let far = is_far(local, side, edge);
        if !far && (half(a) < self.short || half(b) < self.short) {
            return None;
        }
        if local.position(a) == &vertex.position || local.position(b) == &vertex.position {
            return None;
        }
        vertex.identity = of_edge(local.identity(a), local.identity(b), pass, bits);
        vertex.owner = local.vertices.owner[a as usize];
        if let Some(tag) = tag {
            vertex.freedom = Freedom::Boundary;
            self.onto_curve(local, edge, tag, &mut vertex);
        }
        let (va, vb) = (local.vertices.values(a), local.vertices.values(b));
        let values = va.iter().zip(vb).map(|(x, y)| x + at * (y - x)).collect();
        Some(Middle { edge, vertex, values })
    }
}

impl Refine<'_, 2> {
    /// Whether an edge from `v` to a neighbour of greater identity would be split.
    pub(super) fn splits_at(&self, local: &Local<2>, v: u32) -> bool {
        let long = |&&w: &&u32| local.ordered(v, w).0 == v && local.length(v, w) > self.long;
        // All of them, as in a pass.
        let edges = local.neighbours(v);
        let splits =
            edges.iter().filter(long).map(|&w| self.split(local, (v, w), 0, Identity::BITS).is_some());
        splits.fold(false, |any, split| any | split)
    }
}

/// Each half of an element at a curve must have at least this fraction of its area.
const SMALLEST_PART: f64 = 0.25;

impl Refine<'_, 2> {
    /// Moves the middle of an edge of a curved boundary onto the curve. If that would make an element there too thin,
    /// the vertex stays on the edge, and a later move takes it to the curve. At an interface, only the vertex's owner is
    /// sure to hold both elements, and decides ([`tell`](super::middle::tell)).
    fn onto_curve(&self, local: &Local<2>, (a, b): Edge, tag: u16, vertex: &mut Vertex<2>) {
        let Some(curve) = local.curve(tag) else { return };
        let place = curve.nearest(&vertex.position);
        let has_room = |&e: &u32| {
            let area = |corner: u32| local.measure_with(e, corner, &place);
            let least = SMALLEST_PART * local.measure(e);
            area(a) >= least && area(b) >= least
        };
        if local.around_edge(a, b).iter().all(has_room) {
            vertex.position = place;
            if let MetricAt::Given(metric) = self.metric {
                vertex.metric = metric(&place);
            }
        }
    }
}

/// Splits all long edges once; returns how many of them belong to this rank. Collective.
///
/// # Errors
/// Two vertices have the same identity, there would be too many elements, or one is too thin; the same on all ranks.
pub(crate) fn run(mesh: &mut Mesh<2>, pool: &ThreadPool, refine: &Refine<2>) -> Result<u64, AdaptError> {
    mesh.refinements += 1;
    update_slopes(mesh, pool);
    let middles = find(mesh, pool, refine);
    put(mesh, pool, refine, middles)
}

/// Splits these edges, which all ranks that hold them give; returns how many of them belong to this rank. Collective.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_on(
    mesh: &mut Mesh<2>,
    pool: &ThreadPool,
    refine: &Refine<2>,
    edges: &[Edge],
) -> Result<u64, AdaptError> {
    mesh.refinements += 1;
    update_slopes(mesh, pool);
    let (local, pass, bits) = (&mesh.local, mesh.refinements, mesh.identity_bits);
    let found = map(pool, edges, |&edge| refine.split(local, edge, pass, bits));
    let mut middles: Vec<Middle<2>> = found.into_iter().flatten().collect();
    middles.sort_unstable_by_key(|m| m.edge);
    put(mesh, pool, refine, middles)
}

/// Splits edges at these vertices, ordered by edges; returns how many of them belong to this rank. Collective.
///
/// # Errors
/// As [`run`].
pub(super) fn put(
    mesh: &mut Mesh<2>,
    pool: &ThreadPool,
    refine: &Refine<2>,
    mut middles: Vec<Middle<2>>,
) -> Result<u64, AdaptError> {
    tell(mesh, &mut middles);
    let distinct = distinct(&mesh.local, pool, &middles);
    let local = &mut mesh.local;
    let own = middles.iter().filter(|m| m.vertex.owner == local.rank).count() as u64;
    check_room(&mesh.comm, local, own, refine.most)?;
    let numbers = insert(local, &middles);
    let edges: Vec<Edge> = middles.iter().map(|m| m.edge).collect();
    let divided = distinct.and_then(|()| divide(local, pool, &edges, &numbers, &mesh.fields, &mesh.slopes));
    mesh.comm.agree(divided)?;
    if mesh.comm.size() > 1 {
        mesh.ghosts.find(&mesh.local);
    }
    Ok(own)
}

/// Checks, before memory is taken for them, that there will not be too many elements: each split makes two more, or one
/// on a boundary. Collective.
fn check_room(comm: &Comm, local: &Local<2>, splits: u64, most: Option<u64>) -> Result<(), AdaptError> {
    let Some(most) = most else { return Ok(()) };
    let [elements, splits] = [local.own_elements().count() as u64, splits].map(|count| comm.sum(count));
    let elements = elements + 2 * splits;
    if elements <= most {
        return Ok(());
    }
    Err(AdaptError::Elements { vertices: splits, elements: elements as f64, most: most as f64 })
}

/// Checks that no two vertices of this rank have the same name.
fn distinct(local: &Local<2>, pool: &ThreadPool, middles: &[Middle<2>]) -> Result<(), AdaptError> {
    let mut new: Vec<Identity> = middles.iter().map(|m| m.vertex.identity).collect();
    new.sort_unstable();
    if new.is_empty() {
        return Ok(());
    }
    let twice = new.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let is_new = |&v: &u32| local.vertices.is_alive(v) && new.binary_search(&local.identity(v)).is_ok();
    let again = || filter(pool, local.vertices.len(), is_new).first().map(|&v| local.identity(v));
    match twice.or_else(again) {
        None => Ok(()),
        Some(identity) => Err(AdaptError::Identity { identity: format!("{identity:#x}") }),
    }
}

/// The bit of `Vertices::marks` for vertices whose edges may have become long.
const KIND: u8 = 4;

/// The edges to split, by local numbers. Looks at the edges at marked vertices.
fn find(mesh: &mut Mesh<2>, pool: &ThreadPool, refine: &Refine<2>) -> Vec<Middle<2>> {
    // Whatever changes an edge marks one of its ends on every rank that holds it.
    let mut marks = std::mem::take(&mut mesh.local.vertices.marks);
    let local = &mesh.local;
    let is_marked = |&e: &u32| {
        local.elements.is_alive(e) && local.elements.corners(e).iter().any(|&c| marks[c as usize] & KIND != 0)
    };
    let elements = filter(pool, local.elements.len(), is_marked);
    let long = map(pool, &elements, |&e| long_edges(local, &marks, e, refine.long));
    let mut edges: Vec<Edge> = long.into_iter().flatten().collect();
    edges.sort_unstable();
    edges.dedup();
    let (pass, bits) = (mesh.refinements, mesh.identity_bits);
    let found = map(pool, &edges, |&edge| refine.split(local, edge, pass, bits));
    marks.iter_mut().for_each(|mark| *mark &= !KIND);
    mesh.local.vertices.marks = marks;
    found.into_iter().flatten().collect()
}

/// The long edges of an element at marked vertices, except those that another element here has in the other direction.
fn long_edges(local: &Local<2>, marks: &[u8], e: u32, long: f64) -> SmallVec<[Edge; 3]> {
    let corners = local.elements.corners(e);
    let edges = (0..3).filter_map(|i| {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        if (marks[from as usize] | marks[to as usize]) & KIND == 0 {
            return None;
        }
        let tag = local.elements.tags(e)[(i + 2) % 3];
        let is_long = local.compare_length(from, to, long) == Some(Ordering::Greater);
        if !is_long && local.curve(tag).is_none() {
            return None;
        }
        let edge = local.ordered(from, to);
        let here = from == edge.0 || is_outer(tag) || is_alone(local, e, edge);
        (here && (is_long || is_far(local, local.side(tag), edge))).then_some(edge)
    });
    edges.collect()
}

/// How far from a curve an end of an edge may be, relative to the edge's length, if the edge is split for the curve: the
/// middle of others would not come nearer to it.
const ON_CURVE: f64 = 1e-3;

/// Whether an edge between two points of a curve is further from it than it may be.
fn is_far(local: &Local<2>, side: &Side<2>, (a, b): Edge) -> bool {
    let Some(curve) = side.curve() else { return false };
    let (pa, pb) = (local.position(a), local.position(b));
    let length = |e: &[f64; 2]| dot(e, e).sqrt();
    let most = ON_CURVE * length(&difference(pa, pb));
    let is_on = |p: &[f64; 2]| length(&difference(p, &curve.nearest(p))) <= most;
    is_on(pa) && is_on(pb) && !side.allows(pa, pb)
}

/// Whether this rank holds no other element at the edge.
fn is_alone(local: &Local<2>, e: u32, (a, b): Edge) -> bool {
    !local.star(a).iter().any(|&n| n != e && local.elements.corners(n).contains(&b))
}

fn insert(local: &mut Local<2>, middles: &[Middle<2>]) -> Vec<u32> {
    middles.iter().map(|m| local.add_vertex(&m.vertex, &m.values)).collect()
}

/// Divides the triangles with split edges.
fn divide(
    local: &mut Local<2>,
    pool: &ThreadPool,
    edges: &[Edge],
    numbers: &[u32],
    fields: &Fields,
    slopes: &Slopes<2>,
) -> Result<(), AdaptError> {
    let mut touched = numbers.to_vec();
    let around = map(pool, edges, |&(a, b)| local.around_edge(a, b));
    let mut parents: Vec<u32> = around.into_iter().flatten().collect();
    parents.sort_unstable();
    parents.dedup();
    let divisions = map(pool, &parents, |&e| {
        let corners: [u32; 3] = local.elements.corners(e).try_into().expect("a triangle");
        let tags: [u16; 3] = local.elements.tags(e).try_into().expect("a triangle");
        // The middle of the edge opposite each corner.
        let middles: [Option<u32>; 3] = std::array::from_fn(|i| {
            let edge = local.ordered(corners[(i + 1) % 3], corners[(i + 2) % 3]);
            edges.binary_search(&edge).ok().map(|at| numbers[at])
        });
        let children = children(local, corners, tags, middles);
        if !children.iter().all(|(corners, _)| local.is_positive(corners)) {
            return Err(AdaptError::Thin { corners: format!("{:?}", corners.map(|c| *local.position(c))) });
        }
        let padded = children.iter().map(|(corners, _)| std::array::from_fn(|i| corners[i.min(2)]));
        let values = carry_children(fields, local, slopes, e, padded);
        Ok((children, values))
    });
    for (&e, division) in parents.iter().zip(divisions) {
        let (children, values) = division?;
        let region = local.elements.region(e);
        for i in 0..3 {
            let c = local.elements.corners(e)[i];
            local.mark(c);
            touched.push(c);
        }
        local.remove_element(e);
        for (i, (corners, tags)) in children.into_iter().enumerate() {
            if corners.iter().any(|&c| local.is_own(c)) {
                let child = local.add_element(&corners, &tags, region);
                let width = fields.cell_width();
                local.elements.values_mut(child).copy_from_slice(&values[i * width..][..width]);
            }
        }
    }
    // Ghosts touched only by children that are not held here.
    for v in touched {
        if local.vertices.is_alive(v) && local.star(v).is_empty() {
            local.vertices.remove(v);
        }
    }
    Ok(())
}

type Child = ([u32; 3], [u16; 3]);
type Children = SmallVec<[Child; 4]>;

/// The triangles that replace one, by the number of its split edges.
fn children(local: &Local<2>, corners: [u32; 3], tags: [u16; 3], middles: [Option<u32>; 3]) -> Children {
    let split = middles.iter().flatten().count();
    // Rotates the triangle so that it matches one of the three cases below.
    let turn = match split {
        1 => middles.iter().position(Option::is_some),
        2 => middles.iter().position(Option::is_none),
        _ => Some(0),
    };
    let turn = turn.expect("an edge is split, another is not");
    let at = |i: usize| (turn + i) % 3;
    let [a, b, c] = [corners[at(0)], corners[at(1)], corners[at(2)]];
    let [ta, tb, tc] = [tags[at(0)], tags[at(1)], tags[at(2)]];
    let middle = |i: usize| middles[at(i)].expect("this edge is split");
    match split {
        1 => {
            let m = middle(0);
            smallvec![([a, b, m], [ta, INSIDE, tc]), ([a, m, c], [ta, tb, INSIDE])]
        }
        2 => {
            // Edges c-a and a-b are split: a triangle at a, and a quadrilateral cut by its shorter diagonal.
            let (mb, mc) = (middle(1), middle(2));
            let tip = ([a, mc, mb], [INSIDE, tb, tc]);
            if cut_from_first(local, (b, mb), (c, mc)) {
                smallvec![tip, ([b, c, mb], [tb, INSIDE, ta]), ([b, mb, mc], [INSIDE, tc, INSIDE])]
            } else {
                smallvec![tip, ([c, mc, b], [tc, ta, INSIDE]), ([c, mb, mc], [INSIDE, INSIDE, tb])]
            }
        }
        _ => {
            let (ma, mb, mc) = (middle(0), middle(1), middle(2));
            smallvec![
                ([a, mc, mb], [INSIDE, tb, tc]),
                ([b, ma, mc], [INSIDE, tc, ta]),
                ([c, mb, ma], [INSIDE, ta, tb]),
                ([ma, mb, mc], [INSIDE; 3]),
            ]
        }
    }
}

/// Whether the first of two diagonals is the shorter one, in the metric; of two equal ones, the one with the end of
/// smaller identity.
fn cut_from_first(local: &Local<2>, one: Edge, other: Edge) -> bool {
    let (first, second) = (local.length(one.0, one.1), local.length(other.0, other.1));
    if first == second { local.identity(one.0) < local.identity(other.0) } else { first < second }
}
