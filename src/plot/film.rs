//! `film.svg`: meshes and a field on each, at several moments of a run, with one scale of colours for all.
//!
//! A wide window has a moment in a row, the mesh beside the field; others have up to four moments beside one another,
//! the mesh below the field.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::field::{BAR, Rectangle, colour_bar, coloured, mark_bar, png, with_elements, with_image};
use super::sides::colour;
use super::{FONT, INK, picture_of};
use crate::film::{Film, Still};

/// Width over height from which a window is wide.
const WIDE: f64 = 2.0;
/// Most moments beside one another.
const MOST: usize = 4;
/// Largest and usual width of a panel, of one moment in a row and of several.
const WIDTHS: [i32; 2] = [640, 420];
/// Space between panels, and above them for the label.
const GAP: i32 = 12;
const LABEL: i32 = 30;
/// Left and upper margin, and room for the scale on the right.
const LEFT: i32 = 28;
const TOP: i32 = 72;
const RIGHT: i32 = 120;

/// Where the panels of a film are.
struct Layout {
    /// Width and height of a panel.
    panel: (i32, i32),
    /// Whether the mesh is beside the field.
    is_beside: bool,
    /// Moments in a row.
    per_row: usize,
    rows: usize,
}

impl Layout {
    fn of(count: usize, aspect: f64) -> Layout {
        let is_beside = aspect >= WIDE;
        let per_row = if is_beside { 1 } else { count.clamp(1, MOST) };
        let width = WIDTHS[usize::from(per_row > 2)];
        let panel = (width, (f64::from(width) / aspect).round().max(1.0) as i32);
        Layout { panel, is_beside, per_row, rows: count.div_ceil(per_row).max(1) }
    }

    /// Width and height of a moment, with its label and the space after it.
    fn moment(&self) -> (i32, i32) {
        let (width, height) = self.panel;
        match self.is_beside {
            true => (2 * (width + GAP), LABEL + height + GAP),
            false => (width + GAP, LABEL + 2 * (height + GAP)),
        }
    }

    /// The panels of a moment: the field's, then the mesh's.
    fn panels(&self, at: usize) -> [Rectangle; 2] {
        let (width, height) = self.panel;
        let (across, down) = self.moment();
        let (x, y) =
            (LEFT + (at % self.per_row) as i32 * across, TOP + (at / self.per_row) as i32 * down + LABEL);
        let other = if self.is_beside { (x + width + GAP, y) } else { (x, y + height + GAP) };
        [(x, y, width, height), (other.0, other.1, width, height)]
    }

    fn size(&self) -> (u32, u32) {
        let (across, down) = self.moment();
        let of = |length: i32| u32::try_from(length).expect("a picture has a positive size");
        (of(LEFT + self.per_row as i32 * across + RIGHT), of(TOP + self.rows as i32 * down + LABEL))
    }
}

/// The picture; `name` names the field.
pub fn svg(title: &str, subtitle: &str, name: &str, film: &Film) -> String {
    let aspect = film.stills.first().map_or(1.0, |still| still.width as f64 / still.height() as f64);
    let layout = Layout::of(film.stills.len(), aspect);
    let range = range(&film.stills);
    let size = layout.size();
    let (_, _, _, height) = layout.panels(0)[0];
    let bar = (size.0 as i32 - RIGHT + 8, TOP + LABEL, BAR, height);
    let centred = Pos::new(HPos::Center, VPos::Bottom);
    let mut text = picture_of(size, title, subtitle, |area| {
        let (left, top) = area.get_base_pixel();
        for (at, still) in film.stills.iter().enumerate() {
            let [(x, y, width, _), (other, ..)] = layout.panels(at);
            let middle = (x + other + width) / 2;
            let style = (FONT, 16).into_font().color(&INK).pos(centred);
            area.draw(&Text::new(still.label.clone(), (middle - left, y - 6 - top), style))?;
        }
        mark_bar(area, name, (bar.0 - left, bar.1 - top, bar.2, bar.3), range)
    });
    let mut frames = String::new();
    for (at, still) in film.stills.iter().enumerate() {
        let [field, mesh] = layout.panels(at);
        text = with_image(&text, field, &coloured(still.width, &still.values, range));
        let [width, height] = still.sharp();
        let pixels: Vec<u8> = still.shades.iter().flat_map(|&dark| colour(f64::from(dark) / 255.0)).collect();
        text = with_image(&text, mesh, &png(width, height, &pixels, png::ColorType::Rgb));
        frames.extend([field, mesh].map(frame));
    }
    with_elements(&text, &(frames + &colour_bar(bar)))
}

/// The lowest and the highest value of all frames.
fn range(stills: &[Still]) -> [f64; 2] {
    let known = stills.iter().flat_map(|still| &still.values).copied().filter(|value| value.is_finite());
    let nothing = [f64::INFINITY, f64::NEG_INFINITY];
    let [low, high] = known.fold(nothing, |[low, high], value| [low.min(value), high.max(value)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// A line around a panel.
fn frame((x, y, width, height): Rectangle) -> String {
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#999999\" \
         stroke-width=\"1\"/>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(count: usize, [width, height]: [usize; 2]) -> Film {
        let still = |k: usize| Still {
            label: format!("after {k} adaptations: {} nodes", 100 * k),
            width,
            values: (0..width * height).map(|p| if p == 0 { f64::NAN } else { (p + k) as f64 }).collect(),
            shades: vec![100; 4 * width * height],
        };
        Film { window: None, stills: (0..count).map(still).collect() }
    }

    fn size(svg: &str) -> (f64, f64) {
        let of = |name: &str| {
            let rest = svg.split(&format!("{name}=\"")).nth(1).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        (of("width"), of("height"))
    }

    #[test]
    fn every_moment_has_its_label_and_two_images_inside_the_picture() {
        for (count, pixels, wide) in
            [(4, [6, 4], true), (1, [6, 4], false), (7, [4, 4], false), (4, [30, 10], true)]
        {
            let svg = svg("flow", "after 9 iterations", "Mach number", &film(count, pixels));
            assert_eq!(svg.matches("data:image/png").count(), 2 * count);
            assert_eq!(svg.matches(" adaptations: ").count(), count);
            assert!(svg.contains("Mach number") && !svg.contains("NaN"));
            let (width, height) = size(&svg);
            assert_eq!(width > height, wide, "{width} x {height}");
            let layout = Layout::of(count, pixels[0] as f64 / pixels[1] as f64);
            for (x, y, w, h) in (0..count).flat_map(|at| layout.panels(at)) {
                assert!(f64::from(x + w) < width - 100.0 && f64::from(y + h) < height, "{x} {y}");
            }
        }
        assert!(svg("t", "s", "Mach number", &Film::default()).contains("Mach number"));
    }

    #[test]
    fn one_scale_serves_all_moments() {
        assert_eq!(range(&film(3, [2, 2]).stills), [1.0, 5.0]);
        assert_eq!(range(&[]), [0.0, 1.0]);
    }
}
