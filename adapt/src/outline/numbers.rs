//! An outline as numbers, for checkpoints.

use std::sync::Arc;

use super::{Form, Outline, Piece, Rules, bits};
use crate::geometry::{Point, Side, Spline};

const STRAIGHT: f64 = 0.0;
const SPLINE: f64 = 1.0;
const GIVEN: f64 = 2.0;
const REQUIRED: f64 = 3.0;
/// No piece: places of vertices that stay.
const POINTS: f64 = 4.0;

impl Outline {
    /// For each piece: boundary, whether closed, kind, deviation, number of points, coordinates. Then the same of the vertices
    /// that stay, if there are any.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for Piece { boundary, points, closed, given, side } in &self.pieces {
            let (kind, deviation) = match side {
                Side::Straight => (STRAIGHT, 0.0),
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
        if !self.points.is_empty() {
            numbers.extend([0.0, 0.0, POINTS, 0.0, self.points.len() as f64]);
            numbers.extend(self.points.iter().flatten().map(|&bits| f64::from_bits(bits)));
        }
        numbers
    }

    /// The outline from its numbers, with the boundaries' names and the curves that rules give; none if they are not
    /// those of an outline.
    pub fn of_numbers(mut numbers: &[f64], names: &[String], rules: &Rules) -> Option<Outline> {
        let mut outline = Outline { required: rules.required_regions.clone(), ..Outline::default() };
        while !numbers.is_empty() {
            let (&[boundary, closed, kind, deviation, count], rest) = numbers.split_first_chunk::<5>()?;
            let (coordinates, rest) = rest.split_at_checked((count as usize).checked_mul(2)?)?;
            numbers = rest;
            if kind == POINTS {
                outline.points.extend(coordinates.as_chunks::<2>().0.iter().map(bits));
                continue;
            }
            let name = names.get(boundary as usize)?;
            let (points, closed) = (coordinates.as_chunks::<2>().0.to_vec(), closed != 0.0);
            let side = side(kind, deviation, &points, closed, rules.form(name))?;
            if !closed {
                outline.corners.extend([bits(points.first()?), bits(points.last()?)]);
            }
            let given = kind == GIVEN;
            outline.pieces.push(Piece { boundary: boundary as u16, points, closed, given, side });
        }
        Some(outline)
    }
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
