//! The legend: in rows above the plot, where there are no data.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::style::Style;
use super::{DrawError, FONT, INK};

/// Height of a row, in pixels.
const ROW: i32 = 20;
/// Width of a sample.
const SAMPLE: i32 = 22;
/// Width of the sample of a curve, which shows its dashes.
const CURVE: i32 = 42;
/// Approximate width of a letter in this font size.
const LETTER: f64 = 7.2;

/// How something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line.
    Line,
    /// A broken line.
    Dashed,
    /// A line with markers.
    Curve(Style),
    /// A bar.
    Bar,
}

/// One item of the legend and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub label: String,
    /// Its colour.
    pub colour: RGBColor,
    /// How it is drawn.
    pub mark: Mark,
}

/// An area of a picture.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the entries in rows at the top of an area; returns the rest of it, below them.
pub fn legend<'a>(area: &Area<'a>, entries: &[Entry]) -> Result<Area<'a>, DrawError> {
    if entries.is_empty() {
        return Ok(area.clone());
    }
    let (width, _) = area.dim_in_pixel();
    let room = i32::try_from(width).unwrap_or(i32::MAX);
    let sample = |entry: &Entry| if let Mark::Curve(_) = entry.mark { CURVE } else { SAMPLE };
    let length =
        |entry: &Entry| sample(entry) + 8 + (LETTER * entry.label.chars().count() as f64) as i32 + 22;
    let (mut rows, mut used): (Vec<Vec<&Entry>>, i32) = (vec![Vec::new()], 0);
    for entry in entries {
        if used > 0 && used + length(entry) > room {
            rows.push(Vec::new());
            used = 0;
        }
        used += length(entry);
        rows.last_mut().expect("there is a row").push(entry);
    }
    let (top, rest) = area.split_vertically(ROW * rows.len() as i32 + 6);
    for (at, row) in (0..).zip(&rows) {
        let all: i32 = row.iter().map(|entry| length(entry)).sum();
        let (mut x, y) = (((room - all) / 2).max(0), ROW * at + ROW / 2);
        for entry in row {
            let colour = entry.colour;
            match entry.mark {
                Mark::Line => {
                    top.draw(&PathElement::new([(x, y), (x + SAMPLE, y)], colour.stroke_width(2)))?;
                }
                Mark::Dashed => {
                    for piece in [(0, 6), (8, 14), (16, SAMPLE)] {
                        let ends = [(x + piece.0, y), (x + piece.1, y)];
                        top.draw(&PathElement::new(ends, colour.stroke_width(2)))?;
                    }
                }
                Mark::Curve(style) => style.sample(&top, (x, y), CURVE)?,
                Mark::Bar => {
                    top.draw(&Rectangle::new([(x + 4, y - 5), (x + SAMPLE - 4, y + 5)], colour.filled()))?
                }
            }
            let style = (FONT, 14).into_font().color(&INK);
            top.draw(&Text::new(entry.label.clone(), (x + sample(entry) + 8, y - 8), style))?;
            x += length(entry);
        }
    }
    Ok(rest)
}
