//! `cfd mesh info`: what there is to say about a mesh of elements, as text or as JSON.

use cfd_io::Notes;
use cfd_mesh::survey::{FaceDefect, GroupSurvey, Located, Survey};
use cfd_mesh::{ElementMesh, Periodic};
use serde_json::{Map, Value as Json, json};

use super::sizes;
use crate::console::{Console, say};

/// A mesh of elements that has been read.
pub struct Info<'a> {
    /// Its file.
    pub file: String,
    /// The file's format.
    pub format: &'static str,
    /// The mesh.
    pub elements: &'a ElementMesh,
    /// What reading changed.
    pub notes: Notes,
    /// What there is to say about it.
    pub survey: Survey,
    /// Its hash.
    pub hash: String,
}

/// Something wrong with a mesh.
struct Problem {
    kind: &'static str,
    count: u64,
    about: String,
    first: String,
    at: [f64; 3],
}

/// A number with six digits: enough to read, while JSON has all.
fn figure(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().expect("a number that has been printed is one");
    match rounded.abs() {
        0.0 => "0".into(),
        magnitude if (1e-3..1e7).contains(&magnitude) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// Two numbers as a range; one if they look the same.
fn range([low, high]: [f64; 2]) -> String {
    match [figure(low), figure(high)] {
        [low, high] if low == high => low,
        [low, high] => format!("{low} to {high}"),
    }
}

impl Info<'_> {
    /// Prints it in 10 to 45 lines; more only where there are more groups.
    pub fn print(&self, console: Console) {
        let Info { file, format, survey, .. } = self;
        let (dimension, problems) = (self.elements.dimension(), self.problems());
        let what = if problems.is_empty() { "a valid mesh" } else { "a mesh with problems," };
        say!(console, "{file}: {what} of elements in {dimension} dimensions ({format})");
        for (name, rows) in sizes(self.elements) {
            say!(console, "  {name:<18} {rows:>12}");
        }
        for GroupSurvey { dimension: of, names, elements, measure, spacing, .. } in &survey.groups {
            let what = if *of < dimension { "boundary" } else { "region" };
            let name = format!("{what} {}", names.join(", "));
            let near = spacing.map_or(String::new(), |spacing| format!(", first node at {}", range(spacing)));
            say!(console, "  {name:<18} {elements:>12}   {} {}{near}", size(*of), figure(*measure));
        }
        let entry = |label: &str, text: String| say!(console, "  {label:<18} {text}");
        for Periodic { names: [first, second], motion, .. } in &self.elements.groups.periodic {
            entry("periodic", format!("{first} goes on at {second}: {motion}"));
        }
        let axes = ["x", "y", "z"].into_iter().zip(survey.extent[0].into_iter().zip(survey.extent[1]));
        let axes = axes.take(dimension).map(|(axis, (low, high))| format!("{axis} {}", range([low, high])));
        entry("extent", axes.collect::<Vec<_>>().join(", "));
        let between = |[low, high]: &[Located; 2]| format!("{} to {}", self.located(low), self.located(high));
        let total = figure(survey.total);
        entry(size(dimension), format!("{total} in all; {}", between(&survey.measures)));
        entry("angles in degrees", between(&survey.angles));
        entry("aspect ratio", format!("up to {}", self.located(&survey.aspect_ratio)));
        let (interior, boundary) = (survey.faces.interior, survey.faces.boundary);
        let faces = if dimension == 2 { "sides" } else { "faces" };
        entry(faces, format!("{interior} between two elements, {boundary} on named boundaries"));
        for (count, what) in self.mended() {
            if count > 0 {
                entry("mended", format!("{count} {what}"));
            }
        }
        for Problem { count, about, first, .. } in problems {
            entry("problem", format!("{count} {about}; the first: {first}"));
        }
        say!(console, "  hash {}", self.hash);
    }

    /// It as JSON, with all digits.
    pub fn json(&self) -> Json {
        let Info { file, format, elements, survey, .. } = self;
        let dimension = elements.dimension();
        let located = |of: &Located| json!({ "value": of.value, "kind": of.kind.name(), "row": of.row, "at": of.at[..dimension] });
        let between = |[low, high]: &[Located; 2]| json!({ "min": located(low), "max": located(high) });
        let counts = |boundary: bool| -> Map<String, Json> {
            let lists = elements.elements().into_iter().filter(|list| list.boundary == boundary);
            lists.map(|list| (list.kind.plural().to_string(), list.rows.into())).collect()
        };
        let group = |group: &GroupSurvey| {
            json!({
                "names": group.names,
                "elements": group.elements,
                size(group.dimension): group.measure,
                "first_node": group.spacing.map(|[min, max]| json!({ "min": min, "max": max })),
            })
        };
        let groups = |of: usize| -> Vec<Json> {
            survey.groups.iter().filter(|group| group.dimension == of).map(group).collect()
        };
        let problems = self.problems().into_iter().map(|Problem { kind, count, about, first, at }| {
            json!({ "kind": kind, "count": count, "about": about, "first": first, "at": at[..dimension] })
        });
        let problems: Vec<Json> = problems.collect();
        let mut sizes = between(&survey.measures);
        sizes["total"] = survey.total.into();
        json!({
            "file": file,
            "format": format,
            "holds": "elements",
            "valid": problems.is_empty(),
            "dimension": dimension,
            "nodes": elements.mesh.count("nodes"),
            "elements": counts(false),
            "boundary_elements": counts(true),
            "boundaries": groups(dimension - 1),
            "zones": groups(dimension),
            "periodic": elements.groups.periodic.iter().map(|pair| {
                json!({ "boundaries": pair.names, "motion": pair.motion.to_string() })
            }).collect::<Vec<_>>(),
            "extent": { "min": survey.extent[0][..dimension], "max": survey.extent[1][..dimension] },
            size(dimension): sizes,
            "angles": between(&survey.angles),
            "aspect_ratio": { "max": located(&survey.aspect_ratio) },
            "faces": { "interior": survey.faces.interior, "boundary": survey.faces.boundary },
            "mended": {
                "turned_elements": self.notes.turned,
                "unused_nodes": self.notes.unused,
                "merged_nodes": self.notes.merged,
            },
            "problems": problems,
            "hash": self.hash,
        })
    }

    /// What reading changed, each with how many.
    fn mended(&self) -> [(u64, &'static str); 3] {
        let Notes { turned, unused, merged } = self.notes;
        [
            (turned, "elements were inside out and have been turned"),
            (unused, "nodes belong to no element and have been left out"),
            (merged, "nodes lay on others where blocks touch and have become one with them"),
        ]
    }

    /// What is wrong with it, by kind.
    fn problems(&self) -> Vec<Problem> {
        let twins = self.survey.twins.iter().map(|twins| {
            let [a, b] = twins.nodes;
            let first = format!("nodes {a} and {b}, at {}", self.place(twins.at));
            Problem {
                kind: "duplicate",
                count: twins.count,
                about: "nodes lie on others".into(),
                first,
                at: twins.at,
            }
        });
        let faces = self.survey.faces.defects.iter().map(|defect| {
            let FaceDefect { kind, about, count, ref first, at } = *defect;
            Problem { kind, count, about: format!("faces {about}"), first: first.clone(), at }
        });
        twins.chain(faces).collect()
    }

    /// A value and the element that has it.
    fn located(&self, of: &Located) -> String {
        format!("{} ({} {} at {})", figure(of.value), of.kind, of.row, self.place(of.at))
    }

    /// Coordinates in as many dimensions as the mesh has.
    fn place(&self, at: [f64; 3]) -> String {
        let at = &at[..self.elements.dimension()];
        format!("({})", at.iter().map(|x| figure(*x)).collect::<Vec<_>>().join(", "))
    }
}

/// What the size of elements of a dimension is called.
fn size(dimension: usize) -> &'static str {
    ["points", "length", "area", "volume"][dimension]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_keep_six_digits() {
        let texts = [0.0, -0.25, 1234.5678, 1.23456789e-5, 2e9, 1.0 - 1e-9, 720_000.0].map(figure);
        assert_eq!(texts, ["0", "-0.25", "1234.57", "1.23457e-5", "2e9", "1", "720000"]);
        assert_eq!([range([1.0, 1.0 + 1e-9]), range([1.0, 2.0])], ["1", "1 to 2"]);
    }
}
