//! `report.html`: a run's settings, results and costs on one page.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Mood, Page};
use crate::report::summary::Summary;

/// A picture of a run: the name of its file, and its text.
pub type Drawn = (String, String);

/// The pictures among a run's files, read from its directory.
pub fn pictures(directory: &Path, files: &[String]) -> Vec<Drawn> {
    let pictures = files.iter().filter(|file| file.ends_with(".svg"));
    let read = |file: &String| Some((file.clone(), std::fs::read_to_string(directory.join(file)).ok()?));
    pictures.filter_map(read).collect()
}

/// The page of a run.
pub fn html(
    title: &str,
    subtitle: &str,
    summary: &Summary,
    verdict: &str,
    files: &[String],
    pictures: &[Drawn],
) -> String {
    // Everything in summary.json is here, including later additions.
    let all = serde_json::to_value(summary).expect("summaries have string keys");
    let mut page = Page::new(title, subtitle);
    let mood = match (summary.verified, summary.converged) {
        (Some(false), _) => Mood::Bad,
        (Some(true), _) | (None, true) => Mood::Good,
        _ if verdict.starts_with("NOT") => Mood::Bad,
        _ => Mood::Plain,
    };
    page.verdict(mood, verdict);
    page.heading("Values");
    let mut values = Vec::new();
    values.extend(summary.residual.last.map(|residual| ("residual".to_string(), number(residual))));
    values.extend(entries(&all, "/values"));
    values.push(("iterations".into(), summary.iterations.to_string()));
    page.pairs(&values);
    if !pictures.is_empty() {
        page.heading("Pictures");
        for (file, svg) in pictures {
            page.picture(svg, file);
        }
    }
    page.heading("What ran");
    let ran = [
        "case",
        "ranks",
        "threads",
        "backend",
        "lanes",
        "mode",
        "strategy",
        "guarantee",
        "partitioner",
        "seed",
    ];
    let mut pairs: Vec<(String, String)> = named(&all, &ran);
    pairs.extend(entries(&all, "/mesh").into_iter().map(|(name, value)| (format!("mesh: {name}"), value)));
    pairs.extend(
        entries(&all, "/restart").into_iter().map(|(name, value)| (format!("restart: {name}"), value)),
    );
    page.pairs(&pairs);
    loops(&mut page, summary);
    page.heading("Halo and memory");
    let mut pairs = entries(&all, "/halo");
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    pairs.push(("data of all ranks".into(), mib(summary.memory_bytes)));
    pairs.extend(
        summary.peak_rss_bytes.map(|bytes| ("largest memory, of all ranks together".into(), mib(bytes))),
    );
    page.pairs(&pairs);
    page.heading("Time");
    let mut pairs = entries(&all, "/time");
    let fom = &summary.fom;
    pairs.push(("figure of merit".into(), format!("{:.3} million {}", fom.value, fom.name)));
    page.pairs(&pairs);
    page.heading("Hashes");
    let mut pairs = entries(&all, "/hash");
    pairs.extend(named(&all, &["mesh_hash", "history_hash", "hash_class"]));
    page.pairs(&pairs);
    let provenance = entries(&all, "/provenance");
    if !provenance.is_empty() {
        page.heading("Provenance");
        page.pairs(&provenance);
    }
    page.heading("Files and configuration");
    page.paragraph(&files.join(", "));
    let config = serde_json::to_string_pretty(&summary.config).expect("configurations have string keys");
    page.folded("complete configuration", &config);
    page.html()
}

/// The table of the loops.
fn loops(page: &mut Page, summary: &Summary) {
    if summary.loops.is_empty() {
        return;
    }
    page.heading("Loops");
    let mut columns = vec![
        "loop",
        "calls",
        "time s (mean)",
        "min",
        "max",
        "halo s",
        "share",
        "GB/s",
        "GFLOP/s",
        "redundant",
        "colors",
    ];
    let exchanges = summary.loops.iter().any(|cost| cost.whole_halo_bytes > 0);
    if exchanges {
        columns.extend(["halo MB", "of whole"]);
    }
    let solve = summary.time.solve_s;
    let row = |cost: &crate::report::loops::LoopCost| {
        let share = if solve > 0.0 { 100.0 * cost.time_s.mean / solve } else { 0.0 };
        let mut row = vec![
            cost.name.clone(),
            cost.calls.to_string(),
            format!("{:.3}", cost.time_s.mean),
            format!("{:.3}", cost.time_s.min),
            format!("{:.3}", cost.time_s.max),
            format!("{:.3}", cost.halo_wait_s),
            format!("{share:.1} %"),
            format!("{:.2}", cost.gbytes_per_s()),
            format!("{:.2}", cost.gflop_per_s()),
            format!("{:.2} %", cost.redundant_percent()),
            cost.colors.map_or("-".into(), |colors| colors.to_string()),
        ];
        if exchanges {
            row.extend(cost.halo_text().unwrap_or(["-".into(), "-".into()]));
        }
        row
    };
    page.table(&columns, &summary.loops.iter().map(row).collect::<Vec<_>>());
}

/// The entries of an object, as text; none if it is absent.
fn entries(all: &Value, pointer: &str) -> Vec<(String, String)> {
    let object = all.pointer(pointer).and_then(Value::as_object);
    let shown =
        |(name, value): (&String, &Value)| (!value.is_null()).then(|| (name.replace('_', " "), text(value)));
    object.map(Map::iter).into_iter().flatten().filter_map(shown).collect()
}

/// Entries by name, if present.
fn named(all: &Value, names: &[&str]) -> Vec<(String, String)> {
    let shown = |name: &&str| {
        let value = all.get(*name).filter(|value| !value.is_null())?;
        Some((name.replace('_', " "), text(value)))
    };
    names.iter().filter_map(shown).collect()
}

/// A value as people read it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(value) if value.is_f64() => value.as_f64().map_or(String::new(), number),
        other => other.to_string(),
    }
}

/// A number with as many digits as readers need.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || (1e-3..1e7).contains(&magnitude) {
        let decimals = if value == 0.0 { 1 } else { (5 - magnitude.log10().floor() as i32).clamp(1, 9) };
        let text = format!("{value:.*}", usize::try_from(decimals).unwrap_or(1));
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{value:.6e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_six_digits() {
        let texts = [0.0, 0.25, 1234.5, 1.060_114_637_578e-4, -2e9, 720_000.0].map(number);
        assert_eq!(texts, ["0", "0.25", "1234.5", "1.060115e-4", "-2.000000e9", "720000"]);
    }

    #[test]
    fn entries_that_are_not_there_are_left_out() {
        let all = serde_json::json!({"values": {"lift": 0.5, "drag": null}, "mode": "fast"});
        assert_eq!(entries(&all, "/values"), [("lift".to_string(), "0.5".to_string())]);
        assert!(entries(&all, "/provenance").is_empty());
        assert_eq!(named(&all, &["mode", "hash_class"]), [("mode".to_string(), "fast".to_string())]);
    }
}
