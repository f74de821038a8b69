//! `mesh.svg`: the sides of the mesh's cells, as an image.
//!
//! A picture of lines would grow with the mesh; an image has a fixed size. Ranks draw the sides of their own cells.

use cfd_engine::comm::Comm;
use cfd_io::Piece;
use plotters::prelude::*;

use super::field::{png, with_image};
use super::raster::Window;
use super::{FONT, INK, picture};

/// Points along the longer axis.
const POINTS: f64 = 2700.0;
/// Image pixels per picture pixel, for high-resolution screens.
const SHARP: usize = 2;
/// The colour of sides.
const SIDE: [f64; 3] = [10.0, 32.0, 64.0];

/// Sides as points, one bit each, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Drawn {
    /// Points in a row.
    width: usize,
    /// Rows.
    height: usize,
    bits: Vec<u64>,
}

/// The picture on rank 0. Collective; none on other ranks.
pub fn svg(comm: &Comm, title: &str, subtitle: &str, piece: &Piece) -> Option<String> {
    let window = extent(comm, piece)?;
    let drawn = draw(piece, window);
    let parts = comm.gather(drawn.bits.clone());
    if !comm.is_root() {
        return None;
    }
    let mut all = drawn;
    for part in parts {
        all.bits.iter_mut().zip(part).for_each(|(word, other)| *word |= other);
    }
    Some(framed(title, subtitle, window, &all))
}

/// The rectangle around all points. Collective; `None` without points.
fn extent(comm: &Comm, piece: &Piece) -> Option<Window> {
    let own: Vec<[f64; 2]> = piece.points.iter().map(|&[x, y, _]| [x, y]).collect();
    let around = |points: &[[f64; 2]]| {
        points.iter().fold(None, |found: Option<Window>, &point| {
            let Window { low, high } = found.unwrap_or(Window { low: point, high: point });
            let of = |axis: usize| (low[axis].min(point[axis]), high[axis].max(point[axis]));
            let ((x0, x1), (y0, y1)) = (of(0), of(1));
            Some(Window { low: [x0, y0], high: [x1, y1] })
        })
    };
    let ends: Vec<[f64; 2]> = around(&own).into_iter().flat_map(|w| [w.low, w.high]).collect();
    around(&comm.all_gather(&ends).concat()).filter(|w| w.low[0] < w.high[0] && w.low[1] < w.high[1])
}

/// This rank's cells.
fn draw(piece: &Piece, window: Window) -> Drawn {
    let Window { low, high } = window;
    let step = (high[0] - low[0]).max(high[1] - low[1]) / POINTS;
    let [width, height] = [0, 1].map(|axis| ((high[axis] - low[axis]) / step).round().max(1.0) as usize);
    let mut drawn = Drawn { width, height, bits: vec![0; (width * height).div_ceil(64)] };
    let place = |corner: u32| {
        let [x, y, _] = piece.points[corner as usize];
        let along = |offset: f64, points: usize| ((offset / step) as i64).clamp(0, points as i64 - 1);
        [along(x - low[0], width), along(high[1] - y, height)]
    };
    for cell in &piece.cells {
        for (at, &corner) in cell.iter().enumerate() {
            drawn.line(place(corner), place(cell[(at + 1) % cell.len()]));
        }
    }
    drawn
}

impl Drawn {
    /// One point per step along the longer axis.
    fn line(&mut self, from: [i64; 2], to: [i64; 2]) {
        let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
        for step in 0..=steps {
            // Halves are rounded the same way from both ends of a side, because neighbours draw it, too.
            let along = |axis: usize| {
                let (a, b) = if from <= to { (from, to) } else { (to, from) };
                a[axis] + ((b[axis] - a[axis]) * step * 2 + steps).div_euclid((2 * steps).max(1))
            };
            self.set(along(0) as usize, along(1) as usize);
        }
    }

    fn set(&mut self, column: usize, row: usize) {
        let point = row * self.width + column;
        self.bits[point / 64] |= 1 << (point % 64);
    }

    fn is_set(&self, column: usize, row: usize) -> bool {
        let point = row * self.width + column;
        self.bits[point / 64] >> (point % 64) & 1 == 1
    }

    /// Red, green and blue of this many pixels: the more of a pixel's points are on sides, the darker it is.
    fn pixels(&self, width: usize, height: usize) -> Vec<u8> {
        let part = |at: usize, of: usize, points: usize| {
            let first = at * points / of;
            first..((at + 1) * points / of).max(first + 1)
        };
        let dark = |column: usize, row: usize| {
            let (columns, rows) = (part(column, width, self.width), part(row, height, self.height));
            let points = columns.len() * rows.len();
            let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
            let set = places.filter(|&(column, row)| self.is_set(column, row)).count();
            // A single side is visible, too, also on a projector.
            (1.25 * (set as f64 / points as f64).sqrt()).min(1.0)
        };
        let colour = |dark: f64| SIDE.map(|side| (255.0 + dark * (side - 255.0)).round() as u8);
        let places = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        places.flat_map(|(column, row)| colour(dark(column, row))).collect()
    }
}

fn framed(title: &str, subtitle: &str, window: Window, drawn: &Drawn) -> String {
    let Window { low, high } = window;
    let mut place = (0, 0, 0, 0);
    let text = picture(title, subtitle, |area| {
        let (width, height) = area.dim_in_pixel();
        // Both axes have the same scale.
        let room = (f64::from(width) - 64.0, f64::from(height) - 48.0);
        let scale = (room.0 / drawn.width as f64).min(room.1 / drawn.height as f64);
        let spare = |room: f64, pixels: usize| ((room - scale * pixels as f64) / 2.0) as i32;
        let (dx, dy) = (spare(room.0, drawn.width), spare(room.1, drawn.height));
        let mut chart = ChartBuilder::on(&area.margin(dy, dy, dx, dx))
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(low[0]..high[0], low[1]..high[1])?;
        let (x, y) = chart.plotting_area().get_pixel_range();
        place = (x.start, y.start, x.end - x.start, y.end - y.start);
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc("x")
            .y_desc("y")
            .axis_style(INK)
            .label_style((FONT, 14, &INK))
            .axis_desc_style((FONT, 16, &INK))
            .draw()
    });
    let pixels = |length: i32| SHARP * usize::try_from(length).unwrap_or(1).max(1);
    let (width, height) = (pixels(place.2), pixels(place.3));
    with_image(&text, place, &png(width, height, &drawn.pixels(width, height), png::ColorType::Rgb))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_triangles() -> Piece {
        Piece {
            points: vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            cells: vec![vec![0, 1, 2], vec![0, 2, 3]],
            ..Piece::default()
        }
    }

    #[test]
    fn sides_are_drawn_and_the_inside_of_cells_is_not() {
        let piece = two_triangles();
        let drawn = draw(&piece, extent(&Comm::single(), &piece).unwrap());
        let (columns, rows) = (drawn.width, drawn.height);
        assert_eq!((columns, rows), (2700, 1350));
        let is_set = |column: usize, row: usize| drawn.is_set(column, row);
        assert!((0..columns).all(|column| is_set(column, 0) && is_set(column, rows - 1)), "top and bottom");
        assert!((0..rows).all(|row| is_set(0, row) && is_set(columns - 1, row)), "left and right");
        assert!(is_set(columns / 2, rows / 2) || is_set(columns / 2, rows / 2 - 1), "the diagonal");
        assert!(!is_set(columns / 4, rows / 4) && !is_set(3 * columns / 4, 3 * rows / 4), "inside");
        let count: u32 = drawn.bits.iter().map(|word| word.count_ones()).sum();
        // The diagonal shares two dots with the sides at each end.
        assert_eq!(count as usize, 2 * columns + 2 * (rows - 2) + columns - 4, "each side once");
        let pixels = drawn.pixels(800, 400);
        assert_eq!(pixels.len(), 3 * 800 * 400);
        let at = |column: usize, row: usize| &pixels[3 * (row * 800 + column)..][..3];
        assert_eq!(at(400, 100), [255; 3]);
        assert!(at(400, 0)[0] < 160, "{:?}", at(400, 0));
        assert_eq!(drawn.pixels(5000, 1).len(), 15_000, "more pixels than points");
    }

    #[test]
    fn ranks_draw_one_picture_together() {
        let alone = svg(&Comm::single(), "t", "s", &two_triangles()).unwrap();
        let parts = Comm::simulate(2, |comm| {
            let mut piece = two_triangles();
            piece.cells.remove(1 - comm.rank());
            svg(&comm, "t", "s", &piece)
        });
        assert_eq!(parts, [Some(alone), None]);
    }
}
