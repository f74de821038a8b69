//! Histogram of relative differences between two solutions, by decade.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{Entry, Mark, legend};
use super::{COLOURS, DrawError, FONT, INK, draw_axes, picture};

/// Share of a decade's width that its bars fill.
const FILLED: f64 = 0.8;

/// The data of one field.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the field.
    pub name: String,
    /// Values compared.
    pub values: u64,
    /// Values with equal bits, which are in no bar.
    pub equal_bits: u64,
    /// (k, values with a relative difference from 10^k to below 10^(k+1)).
    pub bars: Vec<(i32, u64)>,
}

/// Where bars begin on the logarithmic scale: below 1, so that a single value is visible.
const LEAST: f64 = 0.5;

/// Draws the bars of all fields side by side, on a logarithmic scale that shows one value next to millions; values with
/// equal bits are reported in words.
pub fn svg(title: &str, fields: &[Series]) -> String {
    let counts = || fields.iter().flat_map(|field| &field.bars);
    let first = counts().map(|bar| bar.0).min().unwrap_or(0);
    let end = counts().map(|bar| bar.0).max().unwrap_or(0) + 1;
    let highest = counts().map(|bar| bar.1).max().unwrap_or(0).max(1) as f64;
    // Room for the numbers above the bars.
    let top = (highest * 2.0).max(10.0);
    let decades = (0..=20).map(|k| 10f64.powi(k)).filter(|&tick| tick <= top).collect();
    let entry = |(at, field): (usize, &Series)| Entry {
        label: field.name.clone(),
        colour: COLOURS[at % COLOURS.len()],
        mark: Mark::Bar,
    };
    let entries: Vec<Entry> = match fields {
        [_] => Vec::new(),
        several => several.iter().enumerate().map(entry).collect(),
    };
    picture(title, &subtitle(fields), |area| {
        let mut chart = ChartBuilder::on(&legend(area, &entries)?)
            .x_label_area_size(48)
            .y_label_area_size(88)
            .build_cartesian_2d(
                f64::from(first)..f64::from(end),
                (LEAST..top).log_scale().with_key_points(decades),
            )?;
        draw_axes(
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_labels((end - first) as usize + 1)
                .x_desc("relative difference |a - b| / max(|a|, |b|)")
                .y_desc("number of values")
                .x_label_formatter(&|x| format!("1e{x:.0}"))
                .y_label_formatter(&|y| if *y < 1e4 { format!("{y:.0}") } else { format!("{y:.0e}") }),
        )?;
        let width = FILLED / fields.len().max(1) as f64;
        for (at, field) in fields.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            let bars = || {
                field.bars.iter().filter(|bar| bar.1 > 0).map(|&(decade, count)| {
                    let left = f64::from(decade) + 0.5 * (1.0 - FILLED) + at as f64 * width;
                    (left, count)
                })
            };
            chart.draw_series(bars().map(|(left, count)| {
                Rectangle::new([(left, LEAST), (left + width, count as f64)], colour.filled())
            }))?;
            if fields.len() == 1 {
                let above = (FONT, 11).into_font().color(&INK).pos(Pos::new(HPos::Center, VPos::Bottom));
                chart.draw_series(bars().map(|(left, count)| {
                    Text::new(count.to_string(), (left + 0.5 * width, count as f64), above.clone())
                }))?;
            }
        }
        Ok::<(), DrawError>(())
    })
}

/// How many values are in no bar, and why.
fn subtitle(fields: &[Series]) -> String {
    let equal: u64 = fields.iter().map(|field| field.equal_bits).sum();
    let all: u64 = fields.iter().map(|field| field.values).sum();
    let drawn: u64 = fields.iter().flat_map(|field| &field.bars).map(|bar| bar.1).sum();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let noun = if fields.len() == 1 { "field" } else { "fields" };
    let rest = match all - equal - drawn {
        0 => String::new(),
        rest => format!(", {rest} differ in the sign of zero or are not finite"),
    };
    format!("{noun} {}: {equal} of {all} values are equal in all bits{rest}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, counts: &[(i32, u64)]) -> Series {
        let different: u64 = counts.iter().map(|bar| bar.1).sum();
        let count = |k| counts.iter().find(|bar| bar.0 == k).map_or(0, |bar| bar.1);
        let bars = (-16..=0).map(|k| (k, count(k))).collect();
        Series { name: name.into(), values: different + 5, equal_bits: 5, bars }
    }

    /// Heights of the bars of a colour, in pixels, from left to right.
    fn heights(svg: &str, colour: RGBColor) -> Vec<u32> {
        let colour = format!("fill=\"#{:02X}{:02X}{:02X}\"", colour.0, colour.1, colour.2);
        let bars = svg.lines().filter(|line| line.starts_with("<rect") && line.contains(&colour));
        let height = |line: &str| line.split("height=\"").nth(1)?.split('"').next()?.parse().ok();
        bars.map(|line| height(line).unwrap_or_else(|| panic!("{line}"))).collect()
    }

    #[test]
    fn bars_rise_with_the_logarithm_of_their_counts_and_carry_them() {
        let svg = svg("one against eight", &[series("q", &[(-15, 100_000), (-14, 1000), (-9, 10), (-8, 1)])]);
        let heights = heights(&svg, COLOURS[0]);
        assert_eq!(heights.len(), 4, "{svg}");
        // Two decades each, and a single value is visible.
        assert!((heights[0] - heights[1]).abs_diff(heights[1] - heights[2]) <= 2, "{heights:?}");
        assert!(heights[3] > 5 && heights[3] < heights[2], "{heights:?}");
        for words in
            ["one against eight", "field q: 5 of 101016 values", "\n100000\n", "\n10\n", "1e-15", "1e-9"]
        {
            assert!(svg.contains(words), "{words}");
        }
    }

    #[test]
    fn several_fields_stand_side_by_side_with_their_names() {
        let fields = [series("level0/variables", &[(-15, 100)]), series("level1/variables", &[(-15, 10)])];
        let svg = svg("a against b", &fields);
        for (at, field) in fields.iter().enumerate() {
            // The bar and its sample in the legend.
            assert_eq!(heights(&svg, COLOURS[at]).len(), 2, "{}", field.name);
            assert!(svg.matches(&field.name).count() >= 2, "in the subtitle and the legend");
        }
    }

    #[test]
    fn values_without_a_relative_difference_are_told_in_words() {
        let mut field = series("q", &[(-15, 10)]);
        field.values += 3;
        assert!(
            svg("a against b", &[field])
                .contains("5 of 18 values are equal in all bits, 3 differ in the sign")
        );
    }

    #[test]
    fn nothing_to_draw_is_an_empty_picture() {
        for fields in [&[series("q", &[])][..], &[]] {
            let svg = svg("a against a", fields);
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && svg.contains("equal in all bits"));
        }
    }
}
