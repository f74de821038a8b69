//! A field on the cells of a plane as an image: every pixel has the value of the cell that contains its centre.
//!
//! Each rank finds the pixels of its own cells; no rank holds more than the image and its cells.

use cfd_engine::comm::Comm;
use cfd_io::Piece;

/// Share of the cells, smallest first, that mark the interesting part of the plane.
const SMALLEST: f64 = 0.02;
/// The margin around them, as a share of their extent on every side.
const MARGIN: f64 = 0.5;

/// A rectangle of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Lower left corner.
    pub low: [f64; 2],
    /// Upper right corner.
    pub high: [f64; 2],
}

/// Values of pixels, row by row from the top; NaN outside all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The values.
    pub values: Vec<f64>,
    /// The same made continuous, for contour lines: linear between a cell's corners, which have the mean of the cells
    /// around them, and its centre, which has the mean of its corners. With the cell's own value at its centre, lines
    /// would be jagged where they cross cells aslant.
    pub smooth: Vec<f64>,
    /// The part of the plane that is shown.
    pub window: Window,
}

impl Image {
    /// The lowest and the highest value; `None` without values.
    pub fn range(&self) -> Option<[f64; 2]> {
        let known = self.values.iter().copied().filter(|value| value.is_finite());
        known.fold(None, |range, v| match range {
            None => Some([v, v]),
            Some([low, high]) => Some([if v < low { v } else { low }, if high < v { v } else { high }]),
        })
    }
}

/// The part of the plane around the body, which lies where the smallest cells are; if the range of x `body` is known, it reaches
/// over that, and small cells elsewhere, as in an adapted mesh's wake, do not count. It has the shape of a picture of that many pixels, and does not reach beyond the mesh. Collective;
/// none without any cell but lines.
pub fn window(comm: &Comm, piece: &Piece, body: Option<[f64; 2]>, pixels: [usize; 2]) -> Option<Window> {
    let boxes: Vec<([f64; 4], u64)> =
        (0..piece.cells.len()).map(|cell| (extent(piece, cell), size(piece, cell))).collect();
    // Sizes are counted in classes of 1/16 of a power of two, which are integers.
    let mut counts = vec![0u64; 1 << 16];
    boxes.iter().for_each(|(_, size)| counts[*size as usize] += 1);
    comm.all_reduce(&mut counts, cfd_engine::comm::ReduceOp::Sum);
    let all: u64 = counts.iter().sum();
    let mut seen = 0;
    let limit = counts.iter().position(|&count| {
        seen += count;
        seen as f64 >= SMALLEST * all as f64 && seen > 0
    })?;
    let is_at_body = |[x0, _, x1, _]: [f64; 4]| body.is_none_or(|[first, last]| first <= x1 && x0 <= last);
    let small = || boxes.iter().filter(|(_, size)| *size as usize <= limit).map(|(b, _)| *b);
    let at_body = bounds(comm, small().filter(|b| is_at_body(*b)));
    let mut smallest = if at_body[0].is_finite() { at_body } else { bounds(comm, small()) };
    let whole = bounds(comm, boxes.iter().map(|(b, _)| *b));
    if let Some([first, last]) = body {
        (smallest[0], smallest[2]) = (smallest[0].min(first), smallest[2].max(last));
    }

    let (mut low, mut high) = ([0.0; 2], [0.0; 2]);
    let extent = [0, 1].map(|axis| (smallest[2 + axis] - smallest[axis]) * (1.0 + 2.0 * MARGIN));
    let per_pixel = (extent[0] / pixels[0] as f64).max(extent[1] / pixels[1] as f64);
    for axis in 0..2 {
        let middle = 0.5 * (smallest[axis] + smallest[2 + axis]);
        let half = 0.5 * per_pixel * pixels[axis] as f64;
        low[axis] = (middle - half).max(whole[axis]);
        high[axis] = (middle + half).min(whole[2 + axis]);
    }
    (low[0] < high[0] && low[1] < high[1]).then_some(Window { low, high })
}

/// The part of the plane that all cells cover. Collective; `None` without cells.
pub fn whole(comm: &Comm, piece: &Piece) -> Option<Window> {
    let [x0, y0, x1, y1] = bounds(comm, (0..piece.cells.len()).map(|cell| extent(piece, cell)));
    (x0 < x1 && y0 < y1).then_some(Window { low: [x0, y0], high: [x1, y1] })
}

/// The image of a field on cells. Rank 0 has it; elsewhere it is empty. Collective.
pub fn draw(comm: &Comm, piece: &Piece, values: &[f64], window: Window, most: [usize; 2]) -> Option<Image> {
    let Window { low, high } = window;
    let per_pixel = [0, 1].map(|axis| (high[axis] - low[axis]) / most[axis] as f64);
    let step = per_pixel[0].max(per_pixel[1]);
    let [width, height] =
        [0, 1].map(|axis| (((high[axis] - low[axis]) / step).round() as usize).clamp(1, most[axis]));
    let centre = |column: usize, row: usize| {
        [low[0] + (column as f64 + 0.5) * step, high[1] - (row as f64 + 0.5) * step]
    };
    let means = corner_means(comm, piece, values);
    // Pixel, cell, value, continuous value.
    let mut found: Vec<[u64; 4]> = Vec::new();
    for (cell, corners) in piece.cells.iter().enumerate() {
        let [x0, y0, x1, y1] = extent(piece, cell);
        if x1 < low[0] || high[0] < x0 || y1 < low[1] || high[1] < y0 || corners.len() < 3 {
            continue;
        }
        let first = |x: f64| ((x / step - 0.5).ceil().max(0.0)) as usize;
        let columns = first(x0 - low[0])..(((x1 - low[0]) / step + 0.5).ceil().max(0.0) as usize).min(width);
        let rows = first(high[1] - y1)..(((high[1] - y0) / step + 0.5).ceil().max(0.0) as usize).min(height);
        for row in rows {
            for column in columns.clone() {
                let place = centre(column, row);
                if inside(piece, corners, place) {
                    let pixel = (row * width + column) as u64;
                    let smooth = between(piece, corners, &means, place);
                    found.push([pixel, piece.global_ids[cell], values[cell].to_bits(), smooth.to_bits()]);
                }
            }
        }
    }
    let found = comm.gather(found);
    if !comm.is_root() {
        return None;
    }
    let mut found = found.concat();
    // A centre on a side is in both cells: the lower number wins.
    found.sort_unstable_by_key(|&[pixel, cell, ..]| (pixel, cell));
    found.dedup_by_key(|&mut [pixel, ..]| pixel);
    let [mut values, mut smooth] = [(); 2].map(|()| vec![f64::NAN; width * height]);
    for [pixel, _, value, between] in found {
        values[pixel as usize] = f64::from_bits(value);
        smooth[pixel as usize] = f64::from_bits(between);
    }
    Some(Image { width, height, values, smooth, window })
}

/// The mean of the cells around each point, whichever ranks have them; coincident points are one. It does not depend on
/// the ranks. Collective.
fn corner_means(comm: &Comm, piece: &Piece, values: &[f64]) -> Vec<f64> {
    // Adding zero turns -0 into 0.
    let place = |point: u32| corner(piece, point).map(|x| (x + 0.0).to_bits());
    let owner = |[x, y]: [u64; 2]| {
        // The low bits of round numbers are all zero.
        let mixed = (x ^ y.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 32) % comm.size() as u64) as usize
    };
    let mut shares: Vec<Vec<[u64; 4]>> = vec![Vec::new(); comm.size()];
    for (cell, corners) in piece.cells.iter().enumerate() {
        for &point in corners {
            let [x, y] = place(point);
            shares[owner([x, y])].push([x, y, piece.global_ids[cell], values[cell].to_bits()]);
        }
    }
    let mut met = comm.all_to_all(shares).concat();
    met.sort_unstable();
    let mean = |same: &[[u64; 4]]| {
        let sum: f64 = same.iter().map(|share| f64::from_bits(share[3])).sum();
        ([same[0][0], same[0][1]], sum / same.len() as f64)
    };
    let means: Vec<([u64; 2], f64)> = met.chunk_by(|a, b| a[..2] == b[..2]).map(mean).collect();
    let mut asked: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    (0..piece.points.len() as u32).for_each(|point| asked[owner(place(point))].push(place(point)));
    let answer = |places: Vec<[u64; 2]>| -> Vec<f64> {
        let find = |place: &[u64; 2]| means.binary_search_by_key(place, |(at, _)| *at);
        places.iter().map(|place| find(place).map_or(f64::NAN, |at| means[at].1)).collect()
    };
    let answers = comm.all_to_all(comm.all_to_all(asked).into_iter().map(answer).collect());
    let mut answers: Vec<_> = answers.into_iter().map(Vec::into_iter).collect();
    let next = |point| answers[owner(place(point))].next().expect("an answer for each point");
    (0..piece.points.len() as u32).map(next).collect()
}

/// The value at a point in a cell: linear in the triangle, of the cell's centre and a side, that contains the point.
fn between(piece: &Piece, corners: &[u32], means: &[f64], [x, y]: [f64; 2]) -> f64 {
    let share = 1.0 / corners.len() as f64;
    let value = corners.iter().map(|&point| share * means[point as usize]).sum();
    let centre = corners.iter().fold([0.0; 2], |sum, &point| {
        let [x, y] = corner(piece, point);
        [sum[0] + share * x, sum[1] + share * y]
    });
    let from_centre = |point: u32| {
        let [x, y] = corner(piece, point);
        [x - centre[0], y - centre[1]]
    };
    let [px, py] = [x - centre[0], y - centre[1]];
    let mut best = (f64::NEG_INFINITY, value);
    for (at, &a) in corners.iter().enumerate() {
        let b = corners[(at + 1) % corners.len()];
        let ([ax, ay], [bx, by]) = (from_centre(a), from_centre(b));
        let twice = ax * by - ay * bx;
        if twice == 0.0 {
            continue;
        }
        let (of_a, of_b) = ((px * by - py * bx) / twice, (ax * py - ay * px) / twice);
        // A point in the triangle has three weights from 0 to 1; in a distorted cell, the triangle closest to that.
        let lowest = of_a.min(of_b).min(1.0 - of_a - of_b);
        if lowest > best.0 {
            let [a, b] = [a, b].map(|point| means[point as usize]);
            best = (lowest, (1.0 - of_a - of_b) * value + of_a * a + of_b * b);
        }
    }
    best.1
}

fn corner(piece: &Piece, point: u32) -> [f64; 2] {
    let [x, y, _] = piece.points[point as usize];
    [x, y]
}

/// The smallest box around a cell: low x and y, high x and y.
fn extent(piece: &Piece, cell: usize) -> [f64; 4] {
    around(piece.cells[cell].iter().map(|&point| corner(piece, point)).map(|[x, y]| [x, y, x, y]))
}

fn around(boxes: impl Iterator<Item = [f64; 4]>) -> [f64; 4] {
    let nothing = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    boxes.fold(nothing, |a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
}

/// The smallest box around boxes of all ranks.
fn bounds(comm: &Comm, boxes: impl Iterator<Item = [f64; 4]>) -> [f64; 4] {
    let own = around(boxes);
    around(comm.all_gather(&own).into_iter().map(|b| [b[0], b[1], b[2], b[3]]))
}

/// The class of a cell's size: exponent and four bits of the diagonal of its box.
fn size(piece: &Piece, cell: usize) -> u64 {
    let [x0, y0, x1, y1] = extent(piece, cell);
    ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).to_bits() >> 48
}

/// Whether a point is in a cell of either orientation: a ray to the right crosses an odd number of sides.
fn inside(piece: &Piece, corners: &[u32], [x, y]: [f64; 2]) -> bool {
    let mut inside = false;
    let mut last = corner(piece, corners[corners.len() - 1]);
    for &point in corners {
        let next = corner(piece, point);
        if (last[1] > y) != (next[1] > y) {
            let crossing = last[0] + (y - last[1]) / (next[1] - last[1]) * (next[0] - last[0]);
            inside ^= x < crossing;
        }
        last = next;
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n x n squares of the unit square, rank r of p having every p-th.
    fn squares(comm: &Comm, n: usize) -> (Piece, Vec<f64>) {
        let mut piece = Piece::default();
        let mut values = Vec::new();
        for cell in (0..n * n).filter(|cell| cell % comm.size() == comm.rank()) {
            let (i, j) = (cell % n, cell / n);
            let first = piece.points.len() as u32;
            for (a, b) in [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)] {
                piece.points.push([a as f64 / n as f64, b as f64 / n as f64, 0.0]);
            }
            piece.kinds.push(cfd_mesh::ElementKind::Quadrilateral);
            piece.cells.push((first..first + 4).collect());
            piece.global_ids.push(cell as u64);
            values.push(cell as f64);
        }
        (piece, values)
    }

    #[test]
    fn every_pixel_has_the_value_of_its_cell_on_any_number_of_ranks() {
        for ranks in [1, 3, 7] {
            let images = Comm::simulate(ranks, |comm| {
                let (piece, values) = squares(&comm, 5);
                let window = Window { low: [0.0, 0.0], high: [1.0, 1.0] };
                draw(&comm, &piece, &values, window, [20, 20])
            });
            let image = images[0].as_ref().unwrap();
            assert!(images[1..].iter().all(Option::is_none));
            for (pixel, &value) in image.values.iter().enumerate() {
                let (column, row) = (pixel % 20, pixel / 20);
                assert_eq!(value, ((19 - row) / 4 * 5 + column / 4) as f64, "pixel {pixel}, {ranks} ranks");
            }
            assert_eq!(image.range(), Some([0.0, 24.0]));
            // Away from the boundary, a field that grows by 1 to the right and by 5 upwards is exact everywhere.
            for (column, row) in [(5, 9), (10, 10), (13, 6)] {
                let [x, y] = [(f64::from(column) + 0.5) / 20.0, 1.0 - (f64::from(row) + 0.5) / 20.0];
                let exact = (5.0 * x - 0.5) + 5.0 * (5.0 * y - 0.5);
                let found = image.smooth[(row * 20 + column) as usize];
                assert!((found - exact).abs() < 1e-12, "{found} {exact}, {ranks} ranks");
            }
        }
    }

    #[test]
    fn the_window_is_around_the_smallest_cells_and_inside_the_mesh() {
        let images = Comm::simulate(2, |comm| {
            let (mut piece, _) = squares(&comm, 5);
            // The cell in the middle becomes small.
            let number = piece.global_ids.iter().position(|&id| id == 2 * 5 + 2);
            if let Some(cell) = number {
                let corners = piece.cells[cell].clone();
                let [x, y, _] = piece.points[corners[0] as usize];
                corners.iter().for_each(|&c| {
                    let p = &mut piece.points[c as usize];
                    (p[0], p[1]) = (x + 0.1 * (p[0] - x), y + 0.1 * (p[1] - y));
                });
            }
            let near = window(&comm, &piece, None, [30, 20]).unwrap();
            let (even, _) = squares(&comm, 4);
            let long = window(&comm, &piece, Some([0.2, 0.5]), [30, 20]).unwrap();
            assert!(long.low[0] < 0.1 && long.high[0] > 0.6 && long.low[1] < 0.4 && long.high[1] > 0.42);
            let whole = window(&comm, &even, None, [30, 20]).unwrap();
            (near, whole, window(&comm, &Piece::default(), None, [30, 20]))
        });
        for (near, whole, none) in images {
            assert!(near.low[0] > 0.35 && near.low[0] < 0.4 && 0.42 < near.high[0] && near.high[0] < 0.47);
            assert_eq!(whole, Window { low: [0.0, 0.0], high: [1.0, 1.0] });
            assert_eq!(none, None);
        }
    }
}
