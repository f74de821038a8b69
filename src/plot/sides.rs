//! `mesh.svg`: the sides of the mesh's cells, as an image.
//!
//! A picture of lines would grow with the mesh; an image has its size. Ranks draw the sides of their own cells.

use cfd_engine::comm::Comm;
use cfd_io::Piece;
use plotters::prelude::*;

use super::field::{png, with_image};
use super::raster::Window;
use super::{FONT, INK, picture};

/// Pixels along the longer axis.
const PIXELS: f64 = 1600.0;

/// Sides as pixels, a bit each, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Drawn {
    width: usize,
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

/// The rectangle round all points. Collective; none without any.
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
    let step = (high[0] - low[0]).max(high[1] - low[1]) / PIXELS;
    let [width, height] = [0, 1].map(|axis| ((high[axis] - low[axis]) / step).round().max(1.0) as usize);
    let mut drawn = Drawn { width, height, bits: vec![0; (width * height).div_ceil(64)] };
    let place = |point: u32| {
        let [x, y, _] = piece.points[point as usize];
        let pixel = |offset: f64, most: usize| ((offset / step) as i64).clamp(0, most as i64 - 1);
        [pixel(x - low[0], width), pixel(high[1] - y, height)]
    };
    for cell in &piece.cells {
        for (at, &corner) in cell.iter().enumerate() {
            drawn.line(place(corner), place(cell[(at + 1) % cell.len()]));
        }
    }
    drawn
}

impl Drawn {
    /// A pixel for each step along the longer axis.
    fn line(&mut self, from: [i64; 2], to: [i64; 2]) {
        let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
        for step in 0..=steps {
            // Halves are rounded the same way from both ends of a side, which neighbours draw, too.
            let along = |axis: usize| {
                let (a, b) = if from <= to { (from, to) } else { (to, from) };
                a[axis] + ((b[axis] - a[axis]) * step * 2 + steps).div_euclid((2 * steps).max(1))
            };
            self.set(along(0) as usize, along(1) as usize);
        }
    }

    fn set(&mut self, column: usize, row: usize) {
        let pixel = row * self.width + column;
        self.bits[pixel / 64] |= 1 << (pixel % 64);
    }

    fn pixels(&self) -> Vec<u8> {
        let is_set = |pixel: usize| self.bits[pixel / 64] >> (pixel % 64) & 1 == 1;
        let colour = |pixel: usize| if is_set(pixel) { [0x1f, 0x3f, 0x68] } else { [0xff; 3] };
        (0..self.width * self.height).flat_map(colour).collect()
    }
}

fn framed(title: &str, subtitle: &str, window: Window, drawn: &Drawn) -> String {
    let Window { low, high } = window;
    let mut place = (0, 0, 0, 0);
    let text = picture(title, subtitle, |area| {
        let (width, height) = area.dim_in_pixel();
        // One length has as many pixels on both axes.
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
    with_image(&text, place, &png(drawn.width, drawn.height, &drawn.pixels()))
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
        assert_eq!((drawn.width, drawn.height), (1600, 800));
        let is_set = |column: usize, row: usize| {
            let pixel = row * drawn.width + column;
            drawn.bits[pixel / 64] >> (pixel % 64) & 1 == 1
        };
        assert!((0..1600).all(|column| is_set(column, 0) && is_set(column, 799)), "top and bottom");
        assert!((0..800).all(|row| is_set(0, row) && is_set(1599, row)), "left and right");
        assert!(is_set(800, 399) || is_set(800, 400), "the diagonal");
        assert!(!is_set(400, 200) && !is_set(1200, 600), "inside");
        let count: u32 = drawn.bits.iter().map(|word| word.count_ones()).sum();
        assert_eq!(count, 2 * 1600 + 2 * 798 + 1600 - 2, "each side once, the diagonal's ends being corners");
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
