/// The integral over the unit square of a function that may have kinks: boxes are halved in both directions until
/// Gauss's rule of nine points agrees with that on the quarters.
pub fn over_square(f: &impl Fn([f64; 2]) -> f64, tolerance: f64) -> f64 {
    let boxes = 64;
    let h = 1.0 / f64::from(boxes);
    (0..boxes * boxes)
        .map(|k| {
            let corner = [f64::from(k % boxes) * h, f64::from(k / boxes) * h];
            refined(f, corner, h, gauss(f, corner, h), tolerance / f64::from(boxes * boxes), 14)
        })
        .sum()
}

fn refined(
    f: &impl Fn([f64; 2]) -> f64,
    [x, y]: [f64; 2],
    h: f64,
    whole: f64,
    tolerance: f64,
    depth: u32,
) -> f64 {
    let half = 0.5 * h;
    let quarters =
        [[x, y], [x + half, y], [x, y + half], [x + half, y + half]].map(|c| (c, gauss(f, c, half)));
    let sum: f64 = quarters.iter().map(|(_, value)| value).sum();
    if depth == 0 || (sum - whole).abs() <= tolerance {
        return sum;
    }
    quarters.iter().map(|&(c, value)| refined(f, c, half, value, 0.5 * tolerance, depth - 1)).sum()
}

fn gauss(f: &impl Fn([f64; 2]) -> f64, [x, y]: [f64; 2], h: f64) -> f64 {
    let a = 0.6f64.sqrt();
    let points = [(-a, 5.0 / 9.0), (0.0, 8.0 / 9.0), (a, 5.0 / 9.0)];
    let at = |p: f64, from: f64| from + 0.5 * h * (1.0 + p);
    let terms =
        points.iter().flat_map(|(p, u)| points.iter().map(move |(q, w)| u * w * f([at(*p, x), at(*q, y)])));
    0.25 * h * h * terms.sum::<f64>()
}
