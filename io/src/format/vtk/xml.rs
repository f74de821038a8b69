//! The header of a VTU, and the list of pieces of a PVTU.

use std::io::Read;
use std::path::{Path, PathBuf};

use cfd_engine::given;
use cfd_mesh::Groups;
use serde::{Deserialize, Serialize};

use crate::IoError;
use crate::format::Start;
use crate::listed::{Slabs, Width};
use crate::vtu::GROUPS;

/// The most bytes of a header, and of a list of pieces.
const MOST_HEADER: u64 = 1 << 24;
/// What the appended numbers begin with.
const APPENDED: &[u8] = b"<AppendedData encoding=\"raw\">";

/// Whether a file begins as VTK's XML.
pub(super) fn is_vtk(start: &[u8]) -> bool {
    let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    has(b"<VTKFile") || start.trim_ascii_start().starts_with(b"<?xml") && has(b"VTK")
}

/// An array of numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Array {
    /// PointData, CellData, Points or Cells.
    part: String,
    name: String,
    /// The type of its numbers.
    kind: String,
    /// Where it begins.
    byte: u64,
}

/// One file with numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Piece {
    pub(super) path: String,
    pub(super) points: u64,
    pub(super) cells: u64,
    arrays: Vec<Array>,
    /// The names of groups, a line each.
    groups: String,
}

/// The pieces of a file, or the one that it is.
pub(super) fn pieces(path: &Path) -> Result<Vec<Piece>, IoError> {
    let start = Start::of(path)?;
    if !String::from_utf8_lossy(&start.bytes).contains("type=\"PUnstructuredGrid\"") {
        return Ok(vec![Piece::of(path)?]);
    }
    let text = given::read(path, "a list of pieces", MOST_HEADER).map_err(|e| IoError::read(path, e))?;
    let text = String::from_utf8_lossy(&text);
    let sources = tags(&text, "Piece").filter_map(|tag| attribute(tag, "Source"));
    let beside = |source: String| -> PathBuf { path.with_file_name(source) };
    let pieces = sources.map(|source| Piece::of(&beside(source))).collect::<Result<Vec<_>, _>>()?;
    if pieces.is_empty() {
        return Err(IoError::file(path, "the list has no pieces"));
    }
    Ok(pieces)
}

/// The tags of a name, with their attributes.
fn tags<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.split('<').filter_map(move |part| {
        let rest = part.strip_prefix(name)?;
        let rest = rest.starts_with(|next: char| next.is_ascii_whitespace()).then_some(rest)?;
        rest.split('>').next()
    })
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let begin = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = tag[begin..].split('"').next()?;
    let plain = value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(plain)
}

impl Piece {
    /// The description of a file. Not collective.
    pub(super) fn of(path: &Path) -> Result<Piece, IoError> {
        let wrong = |what: String| IoError::file(path, what);
        let header = header(path)?;
        let text = String::from_utf8_lossy(&header);
        let file = tags(&text, "VTKFile").next().unwrap_or_default();
        let is = |name: &str, value: &str| attribute(file, name).as_deref() == Some(value);
        if !is("type", "UnstructuredGrid")
            || !is("byte_order", "LittleEndian")
            || !is("header_type", "UInt64")
        {
            return Err(wrong("expected an UnstructuredGrid, LittleEndian, with headers of UInt64".into()));
        }
        if attribute(file, "compressor").is_some() {
            return Err(wrong(
                "its numbers are compressed; save it in ParaView with the compressor None".into(),
            ));
        }
        let pieces: Vec<&str> = tags(&text, "Piece").collect();
        let [piece] = pieces[..] else {
            return Err(wrong(format!("{} pieces in this file; expected one", pieces.len())));
        };
        let count = |name: &str| {
            let count = attribute(piece, name).and_then(|count| count.parse().ok());
            count.ok_or_else(|| wrong(format!("expected {name} in its <Piece>")))
        };
        let mut arrays = Vec::new();
        for part in ["PointData", "CellData", "Points", "Cells"] {
            let begin = text.find(&format!("<{part}>")).or_else(|| text.find(&format!("<{part} ")));
            let end = text.find(&format!("</{part}>"));
            let (Some(begin), Some(end)) = (begin, end) else { continue };
            for tag in tags(text.get(begin..end).unwrap_or_default(), "DataArray") {
                let name = attribute(tag, "Name").unwrap_or_default();
                let offset = attribute(tag, "offset").and_then(|offset| offset.parse::<u64>().ok());
                let kind = attribute(tag, "type").unwrap_or_default();
                let (Some(offset), Some("appended")) = (offset, attribute(tag, "format").as_deref()) else {
                    let what = format!(
                        "the array \"{}\" is not appended; save it in ParaView as appended, raw",
                        given::short(&name)
                    );
                    return Err(wrong(what));
                };
                let byte = (header.len() as u64).saturating_add(offset);
                arrays.push(Array { part: part.into(), name, kind, byte });
            }
        }
        let groups = text_of(&text, GROUPS);
        let path = path.to_str().ok_or_else(|| wrong("the file name is not valid UTF-8".into()))?.to_string();
        Ok(Piece { path, points: count("NumberOfPoints")?, cells: count("NumberOfCells")?, arrays, groups })
    }

    /// Where the numbers of an array begin, which must be all there.
    pub(super) fn array(
        &self,
        file: &Slabs,
        part: &str,
        name: &str,
        kind: &str,
        values: u64,
        bytes: u64,
    ) -> Result<u64, IoError> {
        let found = self.find(part, name).filter(|array| array.kind == kind);
        let Some(Array { byte, .. }) = found else {
            let what = format!("there is no array \"{name}\" of type {kind} in <{part}>");
            return Err(IoError::file(Path::new(&self.path), what));
        };
        let length = file.integer_at(*byte, Width::Eight, "the length of an array")?;
        if Some(length) != values.checked_mul(bytes).and_then(|length| i64::try_from(length).ok()) {
            let what =
                format!("the array \"{name}\" has {length} bytes; expected {values} values of {bytes}");
            return Err(file.error(*byte, what));
        }
        let begin = byte + 8;
        file.check(begin, values, bytes, name)?;
        Ok(begin)
    }

    /// Whether there is an array.
    pub(super) fn has(&self, part: &str, name: &str) -> bool {
        self.find(part, name).is_some()
    }

    fn find(&self, part: &str, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|array| array.part == part && array.name == name)
    }

    /// The names of groups.
    pub(super) fn groups(&self) -> Groups {
        let mut groups = Groups::default();
        for line in self.groups.lines() {
            let mut words = line.splitn(3, ' ');
            let dimension = words.next().and_then(|word| word.parse().ok());
            let id = words.next().and_then(|word| word.parse().ok());
            if let (Some(dimension @ 1..=3), Some(id), Some(name)) = (dimension, id, words.next()) {
                groups.add(dimension, id, name);
            }
        }
        groups
    }
}

/// A file's bytes up to its appended numbers.
fn header(path: &Path) -> Result<Vec<u8>, IoError> {
    let mut bytes = Vec::new();
    let file = given::open(path, "a VTU file").map_err(|e| IoError::read(path, e))?;
    let mut piece = file.take(MOST_HEADER);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = piece.read(&mut buffer).map_err(|e| IoError::read(path, e))?;
        let from = bytes.len().saturating_sub(APPENDED.len());
        bytes.extend_from_slice(&buffer[..read]);
        if let Some(at) = bytes[from..].windows(APPENDED.len()).position(|window| window == APPENDED) {
            let begin = from + at + APPENDED.len();
            // Numbers begin after an underscore.
            let Some(mark) = bytes[begin..].iter().position(|byte| *byte == b'_') else { continue };
            bytes.truncate(begin + mark + 1);
            return Ok(bytes);
        }
        if read == 0 {
            let what = "there are no numbers appended raw in this file; save it in ParaView as appended, raw, with the \
                        compressor None";
            return Err(IoError::file(path, what));
        }
    }
}

/// The text of an array of bytes in the field data.
fn text_of(text: &str, name: &str) -> String {
    let begin = text.find(&format!("Name=\"{name}\""));
    let values =
        begin.and_then(|begin| text[begin..].split('>').nth(1)).and_then(|rest| rest.split('<').next());
    let bytes: Vec<u8> =
        values.unwrap_or_default().split_ascii_whitespace().map_while(|byte| byte.parse().ok()).collect();
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_string()
}
