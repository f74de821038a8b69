//! Self-contained pages: one HTML file, light or dark like the reader's system, with its pictures embedded.
//!
//! ```text
//! mod (here)   a page and its parts
//! run          report.html of a run
//! style.css    how it looks
//! ```
//!
//! A page fetches nothing from anywhere, and tells the browser to refuse any attempt.

pub mod run;

use std::fmt::{Display, Write};

/// The mood of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// All is well.
    Good,
    /// Something needs attention.
    Bad,
    /// Neither.
    Plain,
}

/// A page that is being written.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
}

/// What the page may fetch: nothing; pictures are embedded.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

impl Page {
    /// A page with a title and a line below it.
    pub fn new(title: &str, line: &str) -> Page {
        let mut page = Page { title: title.into(), body: String::new() };
        page.add(format_args!("<h1>{}</h1>\n<p class=\"line\">{}</p>\n", escaped(title), escaped(line)));
        page
    }

    fn add(&mut self, text: impl Display) {
        write!(self.body, "{text}").expect("writing to a string");
    }

    /// The verdict.
    pub fn verdict(&mut self, mood: Mood, text: &str) {
        let class = match mood {
            Mood::Good => "good",
            Mood::Bad => "bad",
            Mood::Plain => "plain",
        };
        self.add(format_args!("<p class=\"verdict {class}\">{}</p>\n", escaped(text)));
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        self.add(format_args!("<h2>{}</h2>\n", escaped(text)));
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.add(format_args!("<p>{}</p>\n", escaped(text)));
    }

    /// Names with their values; nothing if there are none.
    pub fn pairs(&mut self, pairs: &[(String, String)]) {
        if pairs.is_empty() {
            return;
        }
        self.add("<table class=\"pairs\">\n<tbody>\n");
        for (name, value) in pairs {
            self.add(format_args!(
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                escaped(name),
                escaped(value)
            ));
        }
        self.add("</tbody>\n</table>\n");
    }

    /// A table; columns of numbers are right-aligned.
    pub fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) {
        let is_number = |text: &str| {
            let text = text.trim_end_matches(['%', ' ']);
            text.parse::<f64>().is_ok() || text == "-" || text.is_empty()
        };
        let right: Vec<bool> = (0..columns.len())
            .map(|k| rows.iter().all(|row| row.get(k).is_none_or(|t| is_number(t))))
            .collect();
        let class = |k: usize| if right.get(k) == Some(&true) { " class=\"number\"" } else { "" };
        self.add("<div class=\"wide\"><table>\n<thead>\n<tr>");
        for (k, column) in columns.iter().enumerate() {
            self.add(format_args!("<th scope=\"col\"{}>{}</th>", class(k), escaped(column)));
        }
        self.add("</tr>\n</thead>\n<tbody>\n");
        for row in rows {
            self.add("<tr>");
            for (k, cell) in row.iter().enumerate() {
                self.add(format_args!("<td{}>{}</td>", class(k), escaped(cell)));
            }
            self.add("</tr>\n");
        }
        self.add("</tbody>\n</table></div>\n");
    }

    /// A picture, given as SVG, with a line below it.
    pub fn picture(&mut self, svg: &str, caption: &str) {
        let Some(inside) = inline(svg, caption) else { return };
        self.add(format_args!(
            "<figure>\n{inside}<figcaption>{}</figcaption>\n</figure>\n",
            escaped(caption)
        ));
    }

    /// Preformatted text, folded under a line.
    pub fn folded(&mut self, line: &str, text: &str) {
        self.add(format_args!(
            "<details>\n<summary>{}</summary>\n<pre>{}</pre>\n</details>\n",
            escaped(line),
            escaped(text)
        ));
    }

    /// The file's text.
    pub fn html(self) -> String {
        let title = escaped(&self.title);
        let (style, body) = (include_str!("style.css"), self.body);
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\
             <footer>cfd {version}</footer>\n</main>\n</body>\n</html>\n"
        )
    }
}

/// A picture as a page element, as wide as the page, with a name for those who cannot see it; `None` if the text is not
/// a picture.
fn inline(svg: &str, name: &str) -> Option<String> {
    let start = svg.find("<svg")?;
    let (head, rest) = svg[start..].split_once('>')?;
    let size = head.split("viewBox=\"").nth(1)?.split('"').next()?;
    let end = rest.rfind("</svg>")? + "</svg>".len();
    Some(format!("<svg viewBox=\"{size}\" role=\"img\" aria-label=\"{}\">{}\n", escaped(name), &rest[..end]))
}

/// Text escaped for a page, also for attribute values.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_elements_and_pictures_do() {
        let mut page = Page::new("a<b & \"c\"", "line");
        page.verdict(Mood::Good, "<script>");
        page.pairs(&[("x".into(), "<y>".into())]);
        page.table(&["name", "n"], &[vec!["a".into(), "1.5".into()], vec!["<b>".into(), "12 %".into()]]);
        page.picture(
            "<svg width=\"9\" height=\"5\" viewBox=\"0 0 9 5\" xmlns=\"http://www.w3.org/2000/svg\">\n<rect/>\n</svg>\n",
            "what & where",
        );
        page.picture("no picture", "nothing");
        page.folded("keys", "a = \"<b>\"");
        let html = page.html();
        assert!(html.contains("<title>a&lt;b &amp; &quot;c&quot;</title>"));
        assert!(!html.contains("<script>") && !html.contains("<y>") && !html.contains("http:"));
        assert!(
            html.contains("<svg viewBox=\"0 0 9 5\" role=\"img\" aria-label=\"what &amp; where\">\n<rect/>")
        );
        assert!(html.contains("<td class=\"number\">1.5</td>") && html.contains("<td>&lt;b&gt;</td>"));
        assert_eq!(html.matches("<figure>").count(), 1);
    }
}
