//! From the facets of a mesh to the pieces of its outline.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Bits, Form, Loops, Marked, Outline, OutlineError, Piece, Rules, bits, sorted};
use crate::geometry::{Point, Side, Spline, difference, dot};
use crate::mesh::{Called, is_straight};

/// The outline of all facets.
pub(super) fn outline(
    loops: &Loops,
    called: &[Called],
    rules: &Rules,
    marked: &Marked,
) -> Result<Outline, OutlineError> {
    let form = |boundary: u16| rules.form(&called[usize::from(boundary)]);
    let turns = |vertex: &&u64| !loops.goes_on(**vertex) || bends(loops, **vertex, form, rules.corner_angle);
    let mut corners: BTreeSet<Bits> =
        loops.vertices.iter().filter(turns).map(|&vertex| bits(loops.place(vertex))).collect();
    let sizes = sizes(loops, called.len());
    corners.extend(marked.corners_of_outline().chain(corners_of_curves(loops, called, rules, &sizes)));
    let staying = marked.all_sides();
    let runs = loops.runs(|vertex| corners.contains(&bits(loops.place(vertex))));
    let pieces = runs.iter().map(|(vertices, facets)| {
        let boundary = loops.facets[facets[0] as usize].0;
        let called = &called[usize::from(boundary)];
        let bounded = rules.of(called);
        let deviation = bounded.deviation * sizes[usize::from(boundary)];
        let closed = !corners.contains(&bits(loops.place(vertices[0])));
        let points = directed(vertices.iter().map(|&v| *loops.place(v)).collect(), closed);
        let ends = sorted([bits(loops.place(vertices[0])), bits(loops.place(vertices[1]))]);
        let stays = facets.len() == 1 && staying.contains(&ends);
        let form = if stays { &Form::Required } else { rules.form(called) };
        let side = match form {
            Form::Required => Side::Required,
            Form::Polygon => Side::Straight,
            Form::Line if closed => return Err(OutlineError::NoLine { name: called.name.clone() }),
            Form::Spline | Form::Line if is_line(&points) => Side::Straight,
            Form::Line => {
                let curve = Arc::new(Spline::new(ends_of(&points).to_vec(), false));
                Side::Curved { curve, deviation }
            }
            Form::Spline => {
                let curve = Arc::new(Spline::new(points.clone(), closed));
                Side::Curved { curve, deviation }
            }
            Form::Given(curve) => Side::Curved { curve: curve.clone(), deviation },
        };
        if let Some(curve) = side.curve() {
            check_distance(&called.name, &points, |p| length(&difference(p, &curve.nearest(p))), deviation)?;
        }
        let given = matches!(form, Form::Given(_));
        let keeps = closed || side.curve().is_some() && matches!(form, Form::Spline);
        let points = if keeps { points } else { ends_of(&points).to_vec() };
        Ok(Piece { boundary, points, closed, given, side })
    });
    let mut pieces = pieces.collect::<Result<Vec<Piece>, OutlineError>>()?;
    let key = |piece: &Piece| (piece.boundary, piece.points.iter().map(bits).collect::<Vec<Bits>>());
    pieces.sort_by_cached_key(key);
    Ok(Outline { pieces, corners, required: rules.required_regions.clone(), ..Outline::default() })
}

/// Whether the boundary has a corner at a vertex where two of its facets meet.
fn bends<'a>(loops: &Loops, vertex: u64, form: impl Fn(u16) -> &'a Form, corner_angle: f64) -> bool {
    let facets = loops.around(vertex).iter().map(|&facet| &loops.facets[facet as usize]);
    let ways: Vec<Point<2>> = facets
        .map(|(_, [a, b])| difference(loops.place(vertex), loops.place(if *a == vertex { *b } else { *a })))
        .collect();
    let [one, other] = ways[..] else { return true };
    match form(loops.facets[loops.around(vertex)[0] as usize].0) {
        Form::Polygon | Form::Required => !is_straight(&one, &other),
        Form::Spline | Form::Line | Form::Given(_) => {
            -dot(&one, &other) < same_math::cos(corner_angle) * (length(&one) * length(&other))
        }
    }
}

fn length(way: &Point<2>) -> f64 {
    dot(way, way).sqrt()
}

/// The diagonals of the boxes around the boundaries.
fn sizes(loops: &Loops, count: usize) -> Vec<f64> {
    let mut boxes = vec![[[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]]; count];
    for (boundary, corners) in &loops.facets {
        let [low, high] = &mut boxes[usize::from(*boundary)];
        for p in corners.map(|corner| loops.place(corner)) {
            *low = [low[0].min(p[0]), low[1].min(p[1])];
            *high = [high[0].max(p[0]), high[1].max(p[1])];
        }
    }
    boxes.iter().map(|[low, high]| length(&difference(low, high))).collect()
}

/// The points of a run in an order that does not depend on where it was begun: from the smaller end on; if both are one
/// place, towards the smaller neighbour. A closed run ends before its first point.
fn directed(mut points: Vec<Point<2>>, closed: bool) -> Vec<Point<2>> {
    let last = points.len() - 1;
    let (first, end) = (bits(&points[0]), bits(&points[last]));
    let backwards = if first == end { bits(&points[last - 1]) < bits(&points[1]) } else { end < first };
    if backwards {
        points.reverse();
    }
    if closed {
        points.pop();
    }
    points
}

fn ends_of(points: &[Point<2>]) -> [Point<2>; 2] {
    [points[0], points[points.len() - 1]]
}

/// The vertices of boundaries at the corners of the curves that are given for them: for each corner the nearest vertex, if it
/// is no further away than facets may be.
fn corners_of_curves(loops: &Loops, called: &[Called], rules: &Rules, sizes: &[f64]) -> Vec<Bits> {
    let mut found = Vec::new();
    for (boundary, (called, size)) in (0..).zip(called.iter().zip(sizes)) {
        let Form::Given(curve) = rules.form(called) else { continue };
        let most = rules.of(called).deviation * size;
        for corner in curve.corners() {
            let of_boundary = loops.facets.iter().filter(|(of, _)| *of == boundary);
            let places = of_boundary.flat_map(|(_, ends)| ends.iter().map(|&end| loops.place(end)));
            let near = places.map(|p| (length(&difference(p, &corner)), bits(p)));
            let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            found.extend(nearest.filter(|(distance, _)| *distance <= most).map(|(_, place)| place));
        }
    }
    found
}

/// Whether a run bends nowhere.
fn is_line(points: &[Point<2>]) -> bool {
    let bends = |of: &[Point<2>]| !is_straight(&difference(&of[1], &of[0]), &difference(&of[1], &of[2]));
    !points.windows(3).any(bends)
}

/// Checks that vertices are on their curve, up to the distance that facets may have from it.
fn check_distance(
    name: &str,
    points: &[Point<2>],
    distance: impl Fn(&Point<2>) -> f64,
    most: f64,
) -> Result<(), OutlineError> {
    let furthest = points.iter().map(|p| (distance(p), p)).max_by(|a, b| a.0.total_cmp(&b.0));
    match furthest {
        Some((distance, place)) if distance > most || distance.is_nan() => {
            Err(OutlineError::Off { name: name.into(), place: format!("{place:?}"), distance, most })
        }
        _ => Ok(()),
    }
}
