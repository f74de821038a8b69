//! What tells curves apart: colour, marker and dashes, so that they stay apart in black and white, too.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::{COLOURS, DrawError};

/// Dashes and gaps of the lines, in pixels; a gap of 0 is a solid line.
const DASHES: [(i32, i32); 4] = [(1, 0), (9, 5), (3, 3), (16, 4)];

/// The shape of a marker, as corners around its place; none is a circle.
const MARKERS: [&[(i32, i32)]; 5] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(-5, -3), (5, -3), (0, 6)],
];

/// How one of several curves is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The colour of line and marker.
    pub colour: RGBColor,
    dash: (i32, i32),
    marker: &'static [(i32, i32)],
}

impl Style {
    /// The style of a curve of this number, from 0: those of 60 curves are different.
    pub fn of(curve: usize) -> Style {
        Style {
            colour: COLOURS[curve % COLOURS.len()],
            dash: DASHES[curve % DASHES.len()],
            marker: MARKERS[curve % MARKERS.len()],
        }
    }

    /// The same without dashes.
    pub fn solid(self) -> Style {
        Style { dash: DASHES[0], ..self }
    }

    /// Draws a line through points, with a marker at each.
    pub fn draw<X, Y>(
        self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
        points: &[(f64, f64)],
    ) -> Result<(), DrawError>
    where
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        self.line(chart, points)?;
        self.markers(chart, points)
    }

    /// Draws a line through points.
    pub fn line<X, Y>(
        self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
        points: &[(f64, f64)],
    ) -> Result<(), DrawError>
    where
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let line = self.colour.stroke_width(2);
        let places = points.iter().copied();
        match self.dash {
            (_, 0) => chart.draw_series(LineSeries::new(places, line))?,
            (dash, gap) => chart.draw_series(DashedLineSeries::new(places, dash, gap, line))?,
        };
        Ok(())
    }

    /// Draws a marker at each point.
    pub fn markers<X, Y>(
        self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
        points: &[(f64, f64)],
    ) -> Result<(), DrawError>
    where
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let places = points.iter().copied();
        let fill = self.colour.filled();
        match self.marker {
            [] => chart.draw_series(places.map(|place| Circle::new(place, 4, fill)))?,
            corners => chart.draw_series(
                places.map(|place| EmptyElement::at(place) + Polygon::new(corners.to_vec(), fill)),
            )?,
        };
        Ok(())
    }

    /// Draws a sample into a legend: from a place to the right, this wide.
    pub fn sample(
        self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        (x, y): (i32, i32),
        width: i32,
    ) -> Result<(), DrawError> {
        let line = self.colour.stroke_width(2);
        let (dash, gap) = if self.dash.1 == 0 { (width, 1) } else { self.dash };
        let mut start = 0;
        while start < width {
            area.draw(&PathElement::new([(x + start, y), (x + width.min(start + dash), y)], line))?;
            start += dash + gap;
        }
        let (middle, fill) = ((x + width / 2, y), self.colour.filled());
        match self.marker {
            [] => area.draw(&Circle::new(middle, 4, fill)),
            corners => area.draw(&(EmptyElement::at(middle) + Polygon::new(corners.to_vec(), fill))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_curves_differ_in_colour_dashes_and_marker_and_60_in_any() {
        let styles: Vec<Style> = (0..60).map(Style::of).collect();
        for (at, style) in styles.iter().enumerate() {
            for (distance, other) in (1..).zip(&styles[at + 1..]) {
                assert_ne!(style, other);
                let apart =
                    [style.colour != other.colour, style.dash != other.dash, style.marker != other.marker];
                assert!(distance > 3 || apart == [true; 3], "{at} and {distance} on");
            }
        }
    }
}
