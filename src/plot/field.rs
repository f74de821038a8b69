//! `mach.svg`: a field in the plane around the body, in colours and contour lines.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::colors::colormaps::ViridisRGB;

use super::raster::{Image, Window};
use super::ticks::{Axis, Step};
use super::{DrawError, FONT, INK, contour, picture};

/// Width of the colour bar, in pixels.
pub(super) const BAR: i32 = 16;
/// Colours of the colour bar, linear in between.
const STOPS: u32 = 32;
/// Maximum numbers next to the colour bar.
const NUMBERS: usize = 8;
/// Contour lines between two numbers.
const LINES: usize = 4;
/// The colour of bodies.
const BODY: &str = "#C9CDD3";

/// Maximum pixels of the image.
pub const PIXELS: [usize; 2] = [700, 440];

/// A rectangle of a picture: left, top, width, height.
pub(super) type Rectangle = (i32, i32, i32, i32);

/// Draws an image with axes, contour lines, the bodies as polygons and a colour bar; `name` names the field.
pub fn svg(title: &str, subtitle: &str, name: &str, image: &Image, bodies: &[Vec<[f64; 2]>]) -> String {
    let [low, high] = image.range().unwrap_or([0.0, 1.0]);
    let numbers = Step::of(span(low, high), NUMBERS);
    let (mut place, mut bar) = ((0, 0, 0, 0), (0, 0, 0, 0));
    let text = picture(title, subtitle, |area| {
        let (all, _) = area.dim_in_pixel();
        let (left, right) = area.split_horizontally(all - 92);
        // Both axes have the same scale.
        let room = (left.dim_in_pixel().0 as f64 - 64.0, left.dim_in_pixel().1 as f64 - 48.0);
        let scale = (room.0 / image.width as f64).min(room.1 / image.height as f64);
        let spare = |room: f64, pixels: usize| ((room - scale * pixels as f64) / 2.0) as i32;
        let (dx, dy) = (spare(room.0, image.width), spare(room.1, image.height));
        let window = image.window;
        let [x_step, y_step] = [0, 1].map(|axis| Step::of(window.high[axis] - window.low[axis], 8));
        let mut chart = ChartBuilder::on(&left.margin(dy, dy, dx, dx))
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(
                Axis::new(window.low[0]..window.high[0], x_step),
                Axis::new(window.low[1]..window.high[1], y_step),
            )?;
        let (x, y) = chart.plotting_area().get_pixel_range();
        place = (x.start, y.start, x.end - x.start, y.end - y.start);
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc("x")
            .y_desc("y")
            .x_label_formatter(&|x| x_step.text(*x))
            .y_label_formatter(&|y| y_step.text(*y))
            .axis_style(INK)
            .label_style((FONT, 14, &INK))
            .axis_desc_style((FONT, 16, &INK))
            .draw()?;

        let height = y.end - y.start;
        let base = right.get_base_pixel();
        bar = (8 + base.0, y.start, BAR, height);
        mark_bar(&right, name, (8, y.start - base.1, BAR, height), [low, high])
    });
    let picture = with_image(&text, place, &coloured(image.width, &image.values, [low, high]));
    let levels = Step { size: numbers.size / LINES as f64, ..numbers }.multiples(low, high);
    let above = [colour_bar(bar), contours(image, &levels, place), polygons(bodies, image.window, place)];
    with_elements(&picture, &above.concat())
}

/// The numbers beside a colour bar, and below it the name of what they are.
pub(super) fn mark_bar(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    name: &str,
    (left, top, width, height): Rectangle,
    [low, high]: [f64; 2],
) -> Result<(), DrawError> {
    let span = span(low, high);
    let numbers = Step::of(span, NUMBERS);
    let right = left + width;
    for number in numbers.multiples(low, high) {
        let share = (number - low) / span;
        let at = top + ((1.0 - share) * f64::from(height)).round() as i32;
        area.draw(&PathElement::new([(right, at), (right + 4, at)], INK.stroke_width(1)))?;
        let style = (FONT, 14).into_font().color(&INK);
        area.draw(&Text::new(numbers.text(number), (right + 8, at - 8), style))?;
    }
    let style = (FONT, 14).into_font().color(&INK);
    area.draw(&Text::new(name.to_string(), (left, top + height + 8), style))
}

/// What colours stand for.
fn span(low: f64, high: f64) -> f64 {
    if high > low { high - low } else { 1.0 }
}

/// An image of a field whose colours go from the lowest to the highest of these values, transparent where nothing is.
pub(super) fn coloured(width: usize, values: &[f64], [low, high]: [f64; 2]) -> Vec<u8> {
    let span = span(low, high);
    let pixel = |&value: &f64| match value.is_finite() {
        true => {
            let RGBColor(r, g, b) = ViridisRGB.get_color((value - low) / span);
            [r, g, b, 0xff]
        }
        false => [0; 4],
    };
    let pixels: Vec<u8> = values.iter().flat_map(pixel).collect();
    png(width, values.len() / width, &pixels, png::ColorType::Rgba)
}

/// The colour bar, as one rectangle: with one per colour, the borders would show.
pub(super) fn colour_bar((x, y, width, height): Rectangle) -> String {
    let mut text = String::from("<defs><linearGradient id=\"viridis\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">");
    for stop in 0..=STOPS {
        let share = f64::from(stop) / f64::from(STOPS);
        let RGBColor(r, g, b) = ViridisRGB.get_color(share);
        let stop = format!("<stop offset=\"{share:.5}\" stop-color=\"#{r:02X}{g:02X}{b:02X}\"/>");
        text.push_str(&stop);
    }
    text + &format!(
        "</linearGradient></defs>\n<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         fill=\"url(#viridis)\" stroke=\"none\"/>\n"
    )
}

/// The contour lines of all levels.
fn contours(image: &Image, levels: &[f64], (left, top, width, height): Rectangle) -> String {
    let scale = [f64::from(width) / image.width as f64, f64::from(height) / image.height as f64];
    let mut path = String::new();
    for line in contour::lines(&image.smooth, image.width, levels) {
        for (at, [x, y]) in line.into_iter().enumerate() {
            let (x, y) = (f64::from(left) + scale[0] * (x + 0.5), f64::from(top) + scale[1] * (y + 0.5));
            let letter = if at == 0 { 'M' } else { 'L' };
            write!(path, "{letter}{x:.1} {y:.1}").expect("writing to a string");
        }
    }
    match path.is_empty() {
        true => path,
        false => format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"#000000\" stroke-opacity=\"0.45\" stroke-width=\"0.7\"/>\n"
        ),
    }
}

/// The bodies, clipped to the window.
fn polygons(bodies: &[Vec<[f64; 2]>], window: Window, (left, top, width, height): Rectangle) -> String {
    let Window { low, high } = window;
    let mut text = String::new();
    for body in bodies {
        let body = clipped(body, window);
        if body.len() < 3 {
            continue;
        }
        let point = |[x, y]: [f64; 2]| {
            let x = f64::from(left) + f64::from(width) * (x - low[0]) / (high[0] - low[0]);
            let y = f64::from(top) + f64::from(height) * (high[1] - y) / (high[1] - low[1]);
            format!("{x:.2},{y:.2}")
        };
        let points: Vec<String> = body.into_iter().map(point).collect();
        writeln!(
            text,
            "<polygon points=\"{}\" fill=\"{BODY}\" stroke=\"#333333\" stroke-width=\"1.2\" stroke-linejoin=\"round\"/>",
            points.join(" ")
        )
        .expect("writing to a string");
    }
    text
}

/// The part of a polygon in a window, clipped side by side (Sutherland, Hodgman, doi:10.1145/360767.360802).
fn clipped(polygon: &[[f64; 2]], Window { low, high }: Window) -> Vec<[f64; 2]> {
    let mut polygon = polygon.to_vec();
    for (axis, bound, sign) in [(0, low[0], 1.0), (1, low[1], 1.0), (0, high[0], -1.0), (1, high[1], -1.0)] {
        let inside = |p: [f64; 2]| sign * (p[axis] - bound) >= 0.0;
        let mut kept = Vec::new();
        for (at, &to) in polygon.iter().enumerate() {
            let from = polygon[(at + polygon.len() - 1) % polygon.len()];
            if inside(from) != inside(to) {
                let share = (bound - from[axis]) / (to[axis] - from[axis]);
                kept.push([0, 1].map(|d| from[d] + share * (to[d] - from[d])));
            }
            if inside(to) {
                kept.push(to);
            }
        }
        polygon = kept;
    }
    polygon
}

/// A picture with an image added at a position.
pub(super) fn with_image(text: &str, (x, y, width, height): Rectangle, image: &[u8]) -> String {
    let data = STANDARD.encode(image);
    let image = format!(
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
         href=\"data:image/png;base64,{data}\"/>\n"
    );
    with_elements(text, &image)
}

/// A picture with more elements, on top of the others.
pub(super) fn with_elements(text: &str, elements: &str) -> String {
    let end = text.rfind("</svg>").expect("a picture ends");
    format!("{}{elements}{}", &text[..end], &text[end..])
}

/// An image of bytes, in a row for each pixel, as a PNG file.
pub(super) fn png(width: usize, height: usize, pixels: &[u8], color: png::ColorType) -> Vec<u8> {
    let mut file = Vec::new();
    let size = |n: usize| u32::try_from(n).expect("an image has few pixels");
    let mut encoder = png::Encoder::new(&mut file, size(width), size(height));
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    written.expect("writing into memory does not fail");
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(values: Vec<f64>, width: usize) -> Image {
        let window = Window { low: [0.0, -0.5], high: [2.0, 0.5] };
        Image { width, height: values.len() / width, smooth: values.clone(), values, window }
    }

    #[test]
    fn the_picture_holds_an_image_whose_colours_follow_the_values() {
        let image = image(vec![0.0, 0.25, f64::NAN, 1.0, 0.5, 0.5, 0.5, 0.5], 4);
        let svg = svg("flow on a.h5", "after 3 iterations", "Mach number", &image, &[]);
        assert!(svg.trim_end().ends_with("</svg>") && svg.contains("Mach number"));
        let data = svg.split("base64,").nth(1).unwrap().split('"').next().unwrap();
        let file = STANDARD.decode(data).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; 32];
        reader.next_frame(&mut pixels).unwrap();
        let RGBColor(r, g, b) = ViridisRGB.get_color(0.0);
        assert_eq!(pixels[..4], [r, g, b, 0xff]);
        let RGBColor(r, g, b) = ViridisRGB.get_color(1.0);
        assert_eq!(pixels[12..16], [r, g, b, 0xff]);
        assert_eq!(pixels[8..12], [0; 4], "nothing is there");
        assert_eq!(pixels[16..20], pixels[28..32]);
    }

    #[test]
    fn a_field_of_one_value_and_one_of_none_can_be_drawn() {
        for value in [0.3, f64::NAN] {
            assert!(!svg("t", "s", "Mach number", &image(vec![value], 1), &[]).contains("NaN"));
        }
    }

    #[test]
    fn the_scale_is_one_rectangle_with_round_numbers_and_lines_are_at_them_and_between() {
        let rising: Vec<f64> = (0..60).map(|k| 0.037 + 0.01 * f64::from(k % 10)).collect();
        let svg = svg("t", "s", "Mach number", &image(rising, 10), &[]);
        assert_eq!(svg.matches("fill=\"url(#viridis)\"").count(), 1);
        for number in ["0.04", "0.06", "0.12"] {
            assert!(svg.contains(&format!("\n{number}\n")), "{number} in {svg}");
        }
        assert!(!svg.contains("0.037"));
        let lines = svg.split("<path d=\"").nth(1).unwrap().split('"').next().unwrap();
        // From 0.04 to 0.125 in steps of 0.005, each from the top to the bottom.
        assert_eq!(lines.matches('M').count(), 18, "{lines}");
    }

    #[test]
    fn bodies_are_polygons_and_end_with_the_window() {
        let square = vec![[0.5, -0.2], [0.5, 0.2], [1.5, 0.2], [1.5, -0.2]];
        let beyond = vec![[1.5, 0.3], [1.5, 0.9], [3.0, 0.9], [3.0, 0.3]];
        let away = vec![[5.0, 5.0], [6.0, 5.0], [6.0, 6.0]];
        let svg = svg("t", "s", "Mach number", &image(vec![1.0; 8], 4), &[square, beyond, away]);
        assert_eq!(svg.matches(BODY).count(), 2);
        let window = Window { low: [0.0, -0.5], high: [2.0, 0.5] };
        let cut = clipped(&[[1.5, 0.3], [1.5, 0.9], [3.0, 0.9], [3.0, 0.3]], window);
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|p| p[0] <= 2.0 && p[1] <= 0.5));
    }
}
