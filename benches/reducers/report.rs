//! Tables in Markdown.

use std::fmt::Write;

use crate::case::Case;
use crate::measure::{Row, Variant};
use crate::timing::load;

/// Above all tables.
pub fn heading(setting: &str, rounds: usize, sweeps: usize) -> String {
    format!(
        "{setting}; medians of {rounds} rounds of {sweeps} sweeps, all variants in turns; load average {:.1}. \
         \"First\" is a sweep with a new reducer, whose memory is allocated on the way.\n",
        load()
    )
}

/// One case: a row for each variant and block size, a group of columns for each number of threads.
pub fn table<C: Case>(title: &str, case: &C, rows: &[Row]) -> String {
    let threads: Vec<usize> =
        rows.iter().filter(|row| row.variant == Variant::Pull).map(|row| row.threads).collect();
    let mut text = format!(
        "### {title}\n\n{} sources, {} targets, {} additions.\n\n| reducer | rows of a block |",
        case.sources(),
        case.targets(),
        case.additions()
    );
    let is_resident = rows.iter().any(|row| row.resident.is_some());
    let more = if is_resident { " resident MB |" } else { "" };
    for threads in &threads {
        write!(text, " ms, {threads} thr. | of sequential | first ms | extra MB |{more}")
            .expect("writing to a string");
    }
    text.push_str("\n| --- | ---: |");
    text.push_str(&" ---: |".repeat((4 + usize::from(is_resident)) * threads.len()));
    text.push('\n');
    let sequential = &rows[0];
    let mut rest = rows;
    while let Some(row) = rest.first() {
        let group = rest.iter().take_while(|other| other.variant == row.variant).count();
        let (name, block) = match row.variant {
            Variant::Sequential => ("sequential", "-".into()),
            Variant::Pull => ("pull", "-".into()),
            Variant::Reduced(options) if options.kind.has_blocks() => {
                (options.kind.name(), options.block_rows.to_string())
            }
            Variant::Reduced(options) => (options.kind.name(), "-".into()),
        };
        write!(text, "| {name} | {block} |").expect("writing to a string");
        for threads in &threads {
            match rest[..group].iter().find(|row| row.threads == *threads) {
                Some(row) => {
                    let (first, later) = row.milliseconds();
                    let (ratio, megabytes) = (row.against(sequential), row.bytes as f64 / 1e6);
                    let resident =
                        row.resident.map_or(String::new(), |bytes| format!(" {:.2} |", bytes as f64 / 1e6));
                    write!(text, " {later:.2} | {ratio:.2} | {first:.2} | {megabytes:.2} |{resident}")
                }
                None => write!(text, "{}", " - |".repeat(4 + usize::from(is_resident))),
            }
            .expect("writing to a string");
        }
        text.push('\n');
        rest = &rest[group..];
    }
    text
}
