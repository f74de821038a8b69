//! Medit's format in text, on rank 0.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, Mark};

use super::{ELEMENTS, FIRST_WORD, MARKS, group};
use crate::IoError;
use crate::listed::{Dealer, Kind, Rows, Scan, deal, short};

/// The last keyword.
pub(super) const END: &str = "End";

/// Whether a file begins with the first word, after comments.
pub(super) fn begins(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n').map(|line| line.trim_ascii());
    lines
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .is_some_and(|line| line.starts_with(FIRST_WORD))
}

/// Opens a file and reads up to its dimension.
pub(super) fn open(path: &Path) -> Result<(Scan, usize), IoError> {
    let mut scan = Scan::open(path, Some(b'#'))?;
    let what = "MeshVersionFormatted and a number from 1 to 4";
    let word = scan.text(what)?;
    if word.as_bytes() != FIRST_WORD {
        return Err(scan.error(format!("\"{}\" is not {what}", short(&word))));
    }
    let version = scan.size(what)?;
    if !(1..=4).contains(&version) {
        return Err(scan.error(format!("this is version {version}; expected {what}")));
    }
    let what = "Dimension 2 or Dimension 3";
    let word = scan.text(what)?;
    if word != "Dimension" {
        return Err(scan.error(format!("\"{}\" comes first; expected {what}", short(&word))));
    }
    match scan.size(what)? {
        dimension @ (2 | 3) => Ok((scan, dimension as usize)),
        other => Err(scan.error(format!("the mesh has {other} dimensions; expected {what}"))),
    }
}

/// The next keyword, `End` included, up to which numbers are skipped; `None` at the end of the file.
pub(super) fn keyword(scan: &mut Scan) -> Result<Option<String>, IoError> {
    while scan.skip_blanks()? {
        let word = scan.text("a keyword")?;
        if word.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Reads a file and distributes its rows; also returns its dimension. Collective.
pub(super) fn rows(comm: &Comm, path: &Path) -> Result<(usize, Rows), IoError> {
    deal(comm, |dealer| list(path, dealer))
}

fn list(path: &Path, dealer: &mut Dealer<'_>) -> Result<usize, IoError> {
    let (mut scan, dimension) = open(path)?;
    let mut seen: Vec<String> = Vec::new();
    let mut has_ended = false;
    while !has_ended && let Some(word) = keyword(&mut scan)? {
        has_ended = word == END;
        let of_word = ELEMENTS.iter().find(|(name, ..)| *name == word);
        let mark = MARKS.iter().find(|(name, ..)| *name == word).map(|(.., mark)| *mark);
        if seen.contains(&word) && (word == "Vertices" || of_word.is_some() || mark.is_some()) {
            return Err(scan.error(format!("a second {word}; expected it once")));
        }
        match of_word {
            Some((.., kind)) => elements(&mut scan, *kind, dealer)?,
            None if word == "Vertices" => vertices(&mut scan, dimension, dealer)?,
            None if is_curved(&word) => {
                let word = short(&word);
                let what =
                    format!("{word}: elements with curved sides are not read; save the mesh in first order");
                return Err(scan.error(what));
            }
            None => {}
        }
        if let Some(mark) = mark {
            marks(&mut scan, &word, mark, dealer)?;
        }
        seen.push(word);
    }
    if !seen.iter().any(|word| word == "Vertices") {
        if seen.iter().any(|word| word == "SolAtVertices") {
            let what = "these are values at the nodes of a mesh (SolAtVertices), without the mesh; give the mesh beside them";
            return Err(IoError::file(path, what));
        }
        return Err(scan.error("the file ends here, without Vertices"));
    }
    if !has_ended {
        return Err(
            scan.error("the file ends here, without End: it is truncated; if nothing is missing, add End")
        );
    }
    Ok(dimension)
}

/// Whether a keyword lists elements of higher order: TrianglesP2, HexahedraQ3.
fn is_curved(word: &str) -> bool {
    let kind = word.get(..word.len().saturating_sub(2)).unwrap_or_default();
    ELEMENTS.iter().any(|(name, ..)| *name == kind)
}

fn vertices(scan: &mut Scan, dimension: usize, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
    let what = if dimension == 2 { "a vertex: x y number" } else { "a vertex: x y z number" };
    for _ in 0..scan.count("the number of vertices", dimension as u64 + 1)? {
        let mut x = [0; 3];
        for x in &mut x[..dimension] {
            *x = scan.double(what)?.to_bits();
        }
        scan.int(what)?;
        dealer.add(Kind::Point, x);
    }
    Ok(())
}

fn marks(scan: &mut Scan, word: &str, mark: Mark, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
    for _ in 0..scan.count(&format!("the number of {word}"), 1)? {
        let number = scan.size("the number of a vertex, an edge or a triangle")?;
        dealer.add(Kind::Marked(mark), [scan.place(), number]);
    }
    Ok(())
}

fn elements(scan: &mut Scan, kind: ElementKind, dealer: &mut Dealer<'_>) -> Result<(), IoError> {
    let count = scan.count(&format!("the number of {}", kind.plural()), kind.nodes() as u64 + 1)?;
    for _ in 0..count {
        let mut nodes = [0; ElementKind::MOST_NODES];
        let mut line = 0;
        for (k, node) in nodes[..kind.nodes()].iter_mut().enumerate() {
            *node = scan.size("a node of an element")?;
            if k == 0 {
                line = scan.place();
            }
        }
        let number = scan.int("the number of an element's group")?;
        dealer.add_element(kind, line, group(number), &nodes[..kind.nodes()]);
    }
    Ok(())
}
