//! An outline as numbers, for checkpoints.

use std::sync::Arc;

use super::{Form, Marked, Outline, Piece, Rules, bits};
use crate::geometry::{Point, Side, Spline};
use crate::mesh::Called;

const STRAIGHT: f64 = 0.0;
const SPLINE: f64 = 1.0;
const GIVEN: f64 = 2.0;
const REQUIRED: f64 = 3.0;
/// No piece: places of vertices that stay.
const POINTS: f64 = 4.0;
/// No pieces: places of what is marked, from this kind on in the order of [`Marked::lists`].
const MARKED: f64 = 5.0;

impl Outline {
    /// For each piece: boundary, whether closed, kind, deviation, number of points, coordinates. Then the same of the vertices
    /// that stay, if there are any.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for Piece { boundary, points, closed, given, side } in &self.pieces {
            let (kind, deviation) = match side {
                // A piece of an outline is never one of a pair.
                Side::Straight | Side::Paired => (STRAIGHT, 0.0),
                Side::Required => (REQUIRED, 0.0),
                Side::Curved { deviation, .. } => (if *given { GIVEN } else { SPLINE }, *deviation),
            };
            numbers.extend([
                f64::from(*boundary),
                f64::from(u8::from(*closed)),
                kind,
                deviation,
                points.len() as f64,
            ]);
            numbers.extend(points.iter().flatten());
        }
        let marked =
            self.marked.lists().into_iter().zip(0..).map(|(list, at)| (MARKED + f64::from(at), list));
        let points = (POINTS, self.points.iter().copied().collect());
        for (kind, list) in std::iter::once(points).chain(marked).filter(|(_, list)| !list.is_empty()) {
            numbers.extend([0.0, 0.0, kind, 0.0, list.len() as f64]);
            numbers.extend(list.iter().flatten().map(|&bits| f64::from_bits(bits)));
        }
        numbers
    }

    /// The outline from its numbers, with the boundaries' names and the curves that rules give; none if they are not
    /// those of an outline.
    pub fn of_numbers(numbers: &[f64], names: &[Called], rules: &Rules) -> Option<Outline> {
        let mut outline = Outline { required: rules.required_regions.clone(), ..Outline::default() };
        for entry in entries(numbers) {
            let Entry { boundary, closed, kind, deviation, points } = entry?;
            if kind == POINTS {
                outline.points.extend(points.iter().map(bits));
                continue;
            }
            if kind >= MARKED {
                outline.marked.extend((kind - MARKED) as usize, points);
                continue;
            }
            let called = names.get(boundary as usize)?;
            let (points, closed) = (points.to_vec(), closed != 0.0);
            let side = side(kind, deviation, &points, closed, rules.form(called))?;
            if !closed {
                outline.corners.extend([bits(points.first()?), bits(points.last()?)]);
            }
            let given = kind == GIVEN;
            outline.pieces.push(Piece { boundary: boundary as u16, points, closed, given, side });
        }
        outline.corners.extend(outline.marked.corners_of_outline());
        Some(outline)
    }
}

impl Marked {
    /// What is marked according to an outline's numbers, of which the rest is not read.
    pub fn of_numbers(numbers: &[f64]) -> Marked {
        let mut marked = Marked::default();
        for Entry { kind, points, .. } in entries(numbers).flatten().filter(|entry| entry.kind >= MARKED) {
            marked.extend((kind - MARKED) as usize, points);
        }
        marked
    }
}

/// Part of an outline's numbers.
struct Entry<'a> {
    boundary: f64,
    closed: f64,
    kind: f64,
    deviation: f64,
    points: &'a [Point<2>],
}

/// The parts; none and then the end where there is none.
fn entries(mut numbers: &[f64]) -> impl Iterator<Item = Option<Entry<'_>>> {
    let mut next = move || {
        let (&[boundary, closed, kind, deviation, count], rest) = numbers.split_first_chunk::<5>()?;
        let (coordinates, rest) = rest.split_at_checked((count as usize).checked_mul(2)?)?;
        numbers = rest;
        Some((
            Entry { boundary, closed, kind, deviation, points: coordinates.as_chunks().0 },
            numbers.is_empty(),
        ))
    };
    let mut is_over = numbers.is_empty();
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let found = next();
        is_over = found.as_ref().is_none_or(|(_, is_last)| *is_last);
        Some(found.map(|(entry, _)| entry))
    })
}

fn side(kind: f64, deviation: f64, points: &[Point<2>], closed: bool, form: &Form) -> Option<Side<2>> {
    match kind {
        STRAIGHT => Some(Side::Straight),
        REQUIRED => Some(Side::Required),
        SPLINE if points.len() >= 2 => {
            Some(Side::Curved { curve: Arc::new(Spline::new(points.to_vec(), closed)), deviation })
        }
        GIVEN => match form {
            Form::Given(curve) => Some(Side::Curved { curve: curve.clone(), deviation }),
            _ => None,
        },
        _ => None,
    }
}
