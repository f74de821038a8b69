//! `mach.svg`: a field in the plane around the body, in colours.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::prelude::*;
use plotters::style::colors::colormaps::ViridisRGB;

use super::raster::Image;
use super::{FONT, INK, picture};

/// The colour where there is no cell: the body.
const NOTHING: [u8; 3] = [0xff, 0xff, 0xff];
/// Width of the colour bar, in pixels.
const BAR: i32 = 16;

/// Pixels of the image at most.
pub const PIXELS: [usize; 2] = [700, 440];

/// A number with one decimal; what is rounded to 0 has no sign.
fn tenths(value: f64) -> String {
    let text = format!("{value:.1}");
    if text == "-0.0" { "0.0".into() } else { text }
}

/// Draws an image with axes and a colour bar; `name` is what is shown.
pub fn svg(title: &str, subtitle: &str, name: &str, image: &Image) -> String {
    let [low, high] = image.range().unwrap_or([0.0, 1.0]);
    let span = if high > low { high - low } else { 1.0 };
    let colour = |value: f64| {
        let RGBColor(r, g, b) = ViridisRGB.get_color((value - low) / span);
        [r, g, b]
    };
    let mut place = (0, 0, 0, 0);
    let text = picture(title, subtitle, |area| {
        let (all, _) = area.dim_in_pixel();
        let (left, right) = area.split_horizontally(all - 92);
        // One length has as many pixels on both axes.
        let room = (left.dim_in_pixel().0 as f64 - 64.0, left.dim_in_pixel().1 as f64 - 48.0);
        let scale = (room.0 / image.width as f64).min(room.1 / image.height as f64);
        let spare = |room: f64, pixels: usize| ((room - scale * pixels as f64) / 2.0) as i32;
        let (dx, dy) = (spare(room.0, image.width), spare(room.1, image.height));
        let window = image.window;
        let mut chart = ChartBuilder::on(&left.margin(dy, dy, dx, dx))
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(window.low[0]..window.high[0], window.low[1]..window.high[1])?;
        let (x, y) = chart.plotting_area().get_pixel_range();
        place = (x.start, y.start, x.end - x.start, y.end - y.start);
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc("x")
            .y_desc("y")
            .x_label_formatter(&|x| tenths(*x))
            .y_label_formatter(&|y| tenths(*y))
            .axis_style(INK)
            .label_style((FONT, 14, &INK))
            .axis_desc_style((FONT, 16, &INK))
            .draw()?;

        let height = y.end - y.start;
        let base = right.get_base_pixel();
        let top = y.start - base.1;
        for step in 0..height {
            let [r, g, b] = colour(low + span * (1.0 - (f64::from(step) + 0.5) / f64::from(height)));
            let rows = [(8, top + step), (8 + BAR, top + step + 1)];
            right.draw(&Rectangle::new(rows, RGBColor(r, g, b).filled()))?;
        }
        for tick in 0..=4 {
            let share = f64::from(tick) / 4.0;
            let at = (8 + BAR + 6, top + ((1.0 - share) * f64::from(height)) as i32 - 8);
            right.draw(&Text::new(
                format!("{:.3}", low + share * span),
                at,
                (FONT, 14).into_font().color(&INK),
            ))?;
        }
        right.draw(&Text::new(
            name.to_string(),
            (8, top + height + 8),
            (FONT, 14).into_font().color(&INK),
        ))?;
        Ok(())
    });
    let pixels: Vec<u8> = image
        .values
        .iter()
        .flat_map(|&value| if value.is_finite() { colour(value) } else { NOTHING })
        .collect();
    with_image(&text, place, &png(image.width, image.height, &pixels))
}

/// A picture with an image at a place: left, top, width and height.
pub(super) fn with_image(text: &str, (x, y, width, height): (i32, i32, i32, i32), image: &[u8]) -> String {
    let data = STANDARD.encode(image);
    let picture = format!(
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
         href=\"data:image/png;base64,{data}\"/>\n"
    );
    let end = text.rfind("</svg>").expect("a picture ends");
    format!("{}{picture}{}", &text[..end], &text[end..])
}

/// An image of red, green and blue bytes as a PNG file.
pub(super) fn png(width: usize, height: usize, pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let size = |n: usize| u32::try_from(n).expect("an image has few pixels");
    let mut encoder = png::Encoder::new(&mut file, size(width), size(height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    written.expect("writing into memory does not fail");
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::raster::Window;

    #[test]
    fn the_picture_holds_an_image_whose_colours_follow_the_values() {
        let window = Window { low: [0.0, -0.5], high: [2.0, 0.5] };
        let values = vec![0.0, 0.25, f64::NAN, 1.0, 0.5, 0.5, 0.5, 0.5];
        let image = Image { width: 4, height: 2, values, window };
        let svg = svg("flow on a.h5", "after 3 iterations", "Mach number", &image);
        assert!(svg.trim_end().ends_with("</svg>") && svg.contains("Mach number"));
        let data = svg.split("base64,").nth(1).unwrap().split('"').next().unwrap();
        let file = STANDARD.decode(data).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; 24];
        reader.next_frame(&mut pixels).unwrap();
        let RGBColor(r, g, b) = ViridisRGB.get_color(0.0);
        assert_eq!(pixels[..3], [r, g, b]);
        let RGBColor(r, g, b) = ViridisRGB.get_color(1.0);
        assert_eq!(pixels[9..12], [r, g, b]);
        assert_eq!(pixels[6..9], NOTHING);
        assert_eq!(pixels[12..15], pixels[21..24]);
    }

    #[test]
    fn a_field_of_one_value_and_one_of_none_can_be_drawn() {
        let window = Window { low: [0.0, 0.0], high: [1.0, 1.0] };
        for value in [0.3, f64::NAN] {
            let image = Image { width: 1, height: 1, values: vec![value], window };
            assert!(!svg("t", "s", "Mach number", &image).contains("NaN"));
        }
    }
}
