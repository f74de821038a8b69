//! Contour lines of an image: marching squares between the centres of its pixels.

use std::collections::BTreeMap;

/// Allowed deviation when lines are simplified, in pixels.
const TOLERANCE: f64 = 0.2;

/// A line through pixels, which are one apart; (0, 0) is the centre of the first.
pub type Line = Vec<[f64; 2]>;

/// The lines where values equal one of the ascending `levels`; values are given row by row, `width` each. Squares with
/// a non-finite corner have no line.
///
/// Source: Lorensen, Cline, "Marching cubes", SIGGRAPH 1987, doi:10.1145/37402.37422, in two dimensions; its mean value
/// decides how a saddle is cut.
pub fn lines(values: &[f64], width: usize, levels: &[f64]) -> Vec<Line> {
    let height = values.len().checked_div(width).unwrap_or(0);
    let mut crossed: Vec<Vec<usize>> = vec![Vec::new(); levels.len()];
    for row in 0..height.saturating_sub(1) {
        for at in row * width..(row + 1) * width - 1 {
            let [a, b, c, d] = [values[at], values[at + 1], values[at + width], values[at + width + 1]];
            let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
            if low < high && (a + b + c + d).is_finite() {
                let first = levels.partition_point(|&level| level <= low);
                let end = levels.partition_point(|&level| level <= high);
                (first..end).for_each(|level| crossed[level].push(at));
            }
        }
    }
    let of_level = |(&level, squares): (&f64, Vec<usize>)| lines_in(values, width, level, &squares);
    levels.iter().zip(crossed).flat_map(of_level).collect()
}

/// The lines of a level through the squares that it crosses, given by their first pixels.
fn lines_in(values: &[f64], width: usize, level: f64, squares: &[usize]) -> Vec<Line> {
    // From a point on a side between two pixels to the points that its line leads to.
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut places: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
    for &at in squares {
        let corners = [at, at + 1, at + width + 1, at + width];
        let corner_values = corners.map(|pixel| values[pixel]);
        let above = corner_values.map(|value| value >= level);
        // Sides by their first pixel: even to the right, odd downwards.
        let sides = [2 * at, 2 * (at + 1) + 1, 2 * (at + width), 2 * at + 1];
        let crossed: Vec<usize> = (0..4).filter(|&k| above[k] != above[(k + 1) % 4]).collect();
        let pairs: &[[usize; 2]] = match crossed.len() {
            2 => &[[crossed[0], crossed[1]]],
            4 => {
                let middle = corner_values.iter().sum::<f64>() / 4.0 >= level;
                if middle == above[0] { &[[0, 1], [2, 3]] } else { &[[3, 0], [1, 2]] }
            }
            _ => &[],
        };
        for &pair in pairs {
            let ends = pair.map(|side| {
                let (a, b) = (corners[side], corners[(side + 1) % 4]);
                let (a, b) = (a.min(b), a.max(b));
                let share = (level - values[a]) / (values[b] - values[a]);
                let place = |pixel: usize| [(pixel % width) as f64, (pixel / width) as f64];
                let (p, q) = (place(a), place(b));
                places.insert(sides[side], [0, 1].map(|d| p[d] + share * (q[d] - p[d])));
                sides[side]
            });
            next.entry(ends[0]).or_default().push(ends[1]);
            next.entry(ends[1]).or_default().push(ends[0]);
        }
    }
    // Open lines first, from their ends; the rest are closed.
    let ends: Vec<usize> = next.iter().filter(|(_, to)| to.len() == 1).map(|(&side, _)| side).collect();
    let mut lines = Vec::new();
    let mut starts = ends.into_iter();
    while let Some(start) = starts.next().or_else(|| next.keys().next().copied()) {
        let mut line = Vec::new();
        let mut at = start;
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            if line.is_empty() {
                line.push(places[&at]);
            }
            if next[&at].is_empty() {
                next.remove(&at);
            }
            if let Some(back) = next.get_mut(&to) {
                back.retain(|&side| side != at);
                if back.is_empty() {
                    next.remove(&to);
                }
            }
            line.push(places[&to]);
            at = to;
        }
        if line.len() > 1 {
            lines.push(thinned(&line));
        }
    }
    lines
}

/// A line with fewer points that deviates from the original by at most the tolerance (Ramer; Douglas, Peucker).
fn thinned(line: &[[f64; 2]]) -> Line {
    let mut kept = vec![false; line.len()];
    let mut parts = vec![(0, line.len() - 1)];
    (kept[0], kept[line.len() - 1]) = (true, true);
    while let Some((first, last)) = parts.pop() {
        let farthest = (first + 1..last).map(|at| (distance(line[at], line[first], line[last]), at));
        let Some((far, at)) = farthest.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        if far > TOLERANCE {
            kept[at] = true;
            parts.extend([(first, at), (at, last)]);
        }
    }
    line.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// Distance from a point to the line through two others; to the first of them if they coincide.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (d, r) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = d[0].hypot(d[1]);
    if length > 0.0 { (d[0] * r[1] - d[1] * r[0]).abs() / length } else { r[0].hypot(r[1]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        (0..40)
            .flat_map(|row| (0..50).map(move |column| (f64::from(column), f64::from(row))))
            .map(|(x, y)| of(x, y))
            .collect()
    }

    #[test]
    fn a_circle_is_one_closed_line_at_its_radius() {
        let cone = image(|x, y| (x - 24.5).hypot(y - 19.5));
        let found = lines(&cone, 50, &[10.0]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].first(), found[0].last());
        assert!(found[0].len() < 60, "few points do");
        assert!(found[0].iter().all(|p| ((p[0] - 24.5).hypot(p[1] - 19.5) - 10.0).abs() < 0.3));
    }

    #[test]
    fn a_plane_has_straight_open_lines_of_two_points() {
        let found = lines(&image(|x, y| x + 2.0 * y), 50, &[33.3]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].len(), 2, "{found:?}");
        assert!(found[0].iter().all(|p| (p[0] + 2.0 * p[1] - 33.3).abs() < 1e-9));
        assert!(lines(&image(|x, _| x), 50, &[99.0]).is_empty());
    }

    #[test]
    fn a_line_ends_where_nothing_is_known() {
        let found = lines(&image(|x, y| if (18.0..22.0).contains(&x) { f64::NAN } else { y }), 50, &[7.5]);
        let mut ends: Vec<f64> =
            found.iter().flat_map(|line| [line[0][0], line[line.len() - 1][0]]).collect();
        ends.sort_by(f64::total_cmp);
        assert_eq!(ends, [0.0, 17.0, 22.0, 49.0]);
        assert!(lines(&[], 0, &[1.0]).is_empty() && lines(&[f64::NAN; 9], 3, &[1.0]).is_empty());
    }

    #[test]
    fn saddles_and_flat_places_make_no_line_lose_its_end() {
        let saddle = image(|x, y| (x - 24.0) * (y - 19.0));
        for level in [-5.0, 0.0, 5.0] {
            let found = lines(&saddle, 50, &[level]);
            let length: usize = found.iter().map(Vec::len).sum();
            assert!(length >= 4 && found.iter().flatten().flatten().all(|v| v.is_finite()), "{level}");
        }
    }
}
