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
    drawn_by_all(comm, piece, window).map(|all| framed(title, subtitle, window, &all))
}

/// How dark the pixels of an image of this size are that shows the sides in a window, on rank 0. Collective; none on
/// other ranks.
pub fn shades(comm: &Comm, piece: &Piece, window: Window, [width, height]: [usize; 2]) -> Option<Vec<u8>> {
    let all = drawn_by_all(comm, piece, window)?;
    Some(all.shades(width, height).map(|dark| (255.0 * dark).round() as u8).collect())
}

/// The colour of a pixel that is so dark.
pub fn colour(dark: f64) -> [u8; 3] {
    SIDE.map(|side| (255.0 + dark * (side - 255.0)).round() as u8)
}

/// What all ranks draw in a window, on rank 0. Collective; none on other ranks.
fn drawn_by_all(comm: &Comm, piece: &Piece, window: Window) -> Option<Drawn> {
    let mut all = draw(piece, window);
    let parts = comm.gather(all.bits.clone());
    for part in &parts {
        all.bits.iter_mut().zip(part).for_each(|(word, other)| *word |= other);
    }
    comm.is_root().then_some(all)
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

/// This rank's cells, as far as they are in the window.
fn draw(piece: &Piece, window: Window) -> Drawn {
    let Window { low, high } = window;
    let step = (high[0] - low[0]).max(high[1] - low[1]) / POINTS;
    let [width, height] = [0, 1].map(|axis| ((high[axis] - low[axis]) / step).round().max(1.0) as usize);
    let mut drawn = Drawn { width, height, bits: vec![0; (width * height).div_ceil(64)] };
    let place = |corner: u32| {
        let [x, y, _] = piece.points[corner as usize];
        // What is on the window's border is in it.
        let along = |offset: f64, length: f64, points: usize| {
            let last = points as i64 - 1;
            let at = (offset / step).floor() as i64;
            if (0.0..=length).contains(&offset) { at.clamp(0, last) } else { at }
        };
        [along(x - low[0], high[0] - low[0], width), along(high[1] - y, high[1] - low[1], height)]
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
        // Halves are rounded the same way from both ends of a side, because neighbours draw it, too.
        let (a, b) = if from <= to { (from, to) } else { (to, from) };
        let change = [b[0] - a[0], b[1] - a[1]];
        let longer = usize::from(change[1].abs() > change[0].abs());
        let (steps, sign) = (change[longer].abs(), change[longer].signum());
        let size = [self.width as i64, self.height as i64];
        // A side may be much longer than the window.
        let to_window = [-a[longer], size[longer] - 1 - a[longer]].map(|distance| sign * distance);
        let (first, last) =
            if sign < 0 { (to_window[1], to_window[0]) } else { (to_window[0], to_window[1]) };
        let seen = if sign == 0 { 0..=0 } else { first.max(0)..=last.min(steps) };
        for step in seen {
            let along =
                |axis: usize| a[axis] + (change[axis] * step * 2 + steps).div_euclid((2 * steps).max(1));
            let place = [along(0), along(1)];
            if (0..2).all(|axis| (0..size[axis]).contains(&place[axis])) {
                self.set(place[0] as usize, place[1] as usize);
            }
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

    /// How dark each of this many pixels is, from 0 to 1: the more of its points are on sides, the darker.
    fn shades(&self, width: usize, height: usize) -> impl Iterator<Item = f64> {
        let part = |at: usize, of: usize, points: usize| {
            let first = at * points / of;
            first..((at + 1) * points / of).max(first + 1)
        };
        let dark = move |column: usize, row: usize| {
            let (columns, rows) = (part(column, width, self.width), part(row, height, self.height));
            let points = columns.len() * rows.len();
            let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
            let set = places.filter(|&(column, row)| self.is_set(column, row)).count();
            // A single side is visible, too, also on a projector.
            (1.25 * (set as f64 / points as f64).sqrt()).min(1.0)
        };
        let places = (0..height).flat_map(move |row| (0..width).map(move |column| (column, row)));
        places.map(move |(column, row)| dark(column, row))
    }

    /// Red, green and blue of this many pixels.
    fn pixels(&self, width: usize, height: usize) -> Vec<u8> {
        self.shades(width, height).flat_map(colour).collect()
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
    fn a_window_shows_its_part_of_the_sides() {
        let piece = two_triangles();
        let whole = draw(&piece, Window { low: [0.0, 0.0], high: [2.0, 1.0] });
        // A quarter in each direction, around the middle of the diagonal.
        let part = draw(&piece, Window { low: [0.75, 0.375], high: [1.25, 0.625] });
        assert_eq!((part.width, part.height), (whole.width, whole.height));
        let count = |drawn: &Drawn| drawn.bits.iter().map(|word| word.count_ones()).sum::<u32>();
        assert!(
            (part.width - 3..=part.width).contains(&(count(&part) as usize)),
            "only the diagonal is there"
        );
        let middle = part.height / 2;
        assert!((middle - 1..=middle + 1).any(|row| part.is_set(part.width / 2, row)));
        let outside = draw(&piece, Window { low: [0.1, 0.6], high: [0.5, 0.8] });
        assert_eq!(count(&outside), 0);
        let shades =
            shades(&Comm::single(), &piece, Window { low: [0.0, 0.0], high: [2.0, 1.0] }, [200, 100]);
        let pixels: Vec<u8> =
            shades.unwrap().iter().flat_map(|&dark| colour(f64::from(dark) / 255.0)).collect();
        let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
        assert!(pixels.iter().zip(&whole.pixels(200, 100)).all(near));
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
