//! VTK's XML files for unstructured grids, which ParaView and VisIt open: one piece per rank (`.vtu`) and, on several
//! ranks, a file that lists them (`.pvtu`).
//!
//! Numbers are stored as in memory (appended raw data, little-endian), without rounding.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_mesh::{Group, Groups};

use crate::IoError;
use crate::atomic::write_atomically;
use crate::grid::{Array, Datum, DatumValue, Piece};

/// Writes `STEM.vtu`, or on several ranks `STEM-0000.vtu` and so on and `STEM.pvtu`; returns the name of the file to
/// open. Collective.
///
/// # Errors
/// [`IoError::Write`] if the file system refuses.
pub fn write_vtu(comm: &Comm, directory: &Path, stem: &str, piece: &Piece) -> Result<String, IoError> {
    let name = |rank: usize| format!("{stem}-{rank:04}.vtu");
    let (own, opened) = match comm.size() {
        1 => (format!("{stem}.vtu"), format!("{stem}.vtu")),
        _ => (name(comm.rank()), format!("{stem}.pvtu")),
    };
    let written = write_atomically(&directory.join(own), |file| write_piece(file, piece));
    comm.agree(written)?;
    let finish = || -> Result<(), IoError> {
        let before = pieces_of(directory, stem);
        let pieces: Vec<String> = (0..comm.size()).map(name).collect();
        if comm.size() > 1 {
            let list = list(piece, &pieces);
            write_atomically(&directory.join(&opened), |file| file.write_all(list.as_bytes()))?;
        }
        remove_others(directory, stem, comm.size(), before);
        Ok(())
    };
    comm.agree(if comm.is_root() { finish() } else { Ok(()) })?;
    Ok(opened)
}

/// The pieces named in a `.pvtu` list.
fn pieces_of(directory: &Path, stem: &str) -> Vec<String> {
    let list = fs::read_to_string(directory.join(format!("{stem}.pvtu"))).unwrap_or_default();
    let source = |line: &str| Some(line.strip_prefix("<Piece Source=\"")?.split_once('"')?.0.to_string());
    list.lines().filter_map(source).collect()
}

/// Removes leftovers of an earlier run on another number of ranks, which would pass for this run's: those of its pieces
/// that this run has not written. Files with the same stem that its list does not name are unrelated, such as another
/// iteration's.
fn remove_others(directory: &Path, stem: &str, ranks: usize, before: Vec<String>) {
    let number = |name: &str| {
        let number = name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(".vtu")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        number.parse().ok().filter(|_| is_number)
    };
    let mut old: Vec<PathBuf> = vec![match ranks {
        1 => directory.join(format!("{stem}.pvtu")),
        _ => directory.join(format!("{stem}.vtu")),
    }];
    let is_old = |name: &String| number(name).is_some_and(|number: usize| ranks == 1 || number >= ranks);
    old.extend(before.iter().filter(|name| is_old(name)).map(|name| directory.join(name)));
    for path in old {
        let _ = fs::remove_file(path);
    }
}

/// Writes bytes.
type Writer<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// A data array of a file: its description, and the appended bytes.
struct Appended<'a> {
    attributes: String,
    bytes: Box<Writer<'a>>,
    length: usize,
}

fn write_piece(file: &mut fs::File, piece: &Piece) -> io::Result<()> {
    let right = piece.cells.iter().zip(&piece.kinds).all(|(cell, kind)| cell.len() == kind.nodes());
    assert!(right && piece.cells.len() == piece.kinds.len(), "every cell has a kind and its corners");
    let Piece { points, point_ids, kinds, cells, global_ids, point_data, cell_data, field_data, groups } =
        piece;
    let coordinates = Appended {
        attributes: "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"".into(),
        length: 24 * points.len(),
        bytes: Box::new(|out| points.iter().flatten().try_for_each(|x| out.write_all(&x.to_le_bytes()))),
    };
    let corners: usize = cells.iter().map(Vec::len).sum();
    let connectivity = Appended {
        attributes: "type=\"Int64\" Name=\"connectivity\"".into(),
        length: 8 * corners,
        bytes: Box::new(|out| {
            cells.iter().flatten().try_for_each(|&point| out.write_all(&i64::from(point).to_le_bytes()))
        }),
    };
    let offsets = Appended {
        attributes: "type=\"Int64\" Name=\"offsets\"".into(),
        length: 8 * cells.len(),
        bytes: Box::new(|out| {
            let mut end = 0;
            cells.iter().try_for_each(|cell| {
                end += cell.len() as i64;
                out.write_all(&end.to_le_bytes())
            })
        }),
    };
    let types = Appended {
        attributes: "type=\"UInt8\" Name=\"types\"".into(),
        length: kinds.len(),
        bytes: Box::new(|out| kinds.iter().try_for_each(|kind| out.write_all(&[kind.vtk_type()]))),
    };
    let parts = [
        ("PointData", point_data.iter().map(appended).chain([ids(point_ids)]).collect::<Vec<_>>()),
        ("CellData", cell_data.iter().map(appended).chain([ids(global_ids)]).collect()),
        ("Points", vec![coordinates]),
        ("Cells", vec![connectivity, offsets, types]),
    ];

    let mut out = BufWriter::new(file);
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(
        out,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
    )?;
    let (points, cells) = (points.len(), cells.len());
    writeln!(out, "<UnstructuredGrid>")?;
    let mut field_data = field_data.clone();
    field_data.extend(group_names(groups));
    out.write_all(field_data_text(&field_data).as_bytes())?;
    writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">")?;
    let mut offset = 0;
    for (part, arrays) in &parts {
        writeln!(out, "<{part}>")?;
        for array in arrays {
            writeln!(out, "<DataArray {} format=\"appended\" offset=\"{offset}\"/>", array.attributes)?;
            offset += size_of::<u64>() + array.length;
        }
        writeln!(out, "</{part}>")?;
    }
    writeln!(out, "</Piece></UnstructuredGrid>\n<AppendedData encoding=\"raw\">")?;
    out.write_all(b"_")?;
    for array in parts.iter().flat_map(|(_, arrays)| arrays) {
        out.write_all(&(array.length as u64).to_le_bytes())?;
        (array.bytes)(&mut out)?;
    }
    writeln!(out, "\n</AppendedData>\n</VTKFile>")?;
    out.flush()
}

/// Global data as text: every number with as many digits as needed to read back the same bits.
fn field_data_text(data: &[Datum]) -> String {
    let mut text = String::new();
    if data.is_empty() {
        return text;
    }
    text.push_str("<FieldData>\n");
    for Datum { name, value } in data {
        let (kind, values) = match value {
            DatumValue::Number(value) => ("Float64", format!("{value:e}")),
            DatumValue::Count(value) => ("Int64", value.to_string()),
            // A string is the numbers of its bytes, followed by zero.
            DatumValue::Text(value) => {
                let bytes = value.bytes().chain([0]).map(|byte| byte.to_string());
                ("String", bytes.collect::<Vec<_>>().join(" "))
            }
        };
        let name = escaped(name);
        let attributes = format!("type=\"{kind}\" Name=\"{name}\" NumberOfTuples=\"1\" format=\"ascii\"");
        writeln!(text, "<DataArray {attributes}>{values}</DataArray>").expect("writing to a string");
    }
    text.push_str("</FieldData>\n");
    text
}

/// The name of the text that has the names of groups, a line each: dimension, number, name.
pub(crate) const GROUPS: &str = "groups";

fn group_names(groups: &Groups) -> Option<Datum> {
    let line = |group: &Group| {
        let Group { dimension, id, name } = group;
        format!("{dimension} {id} {}\n", name.replace('\n', " "))
    };
    let text: String = groups.iter().map(line).collect();
    (!text.is_empty()).then(|| Datum::text(GROUPS, &text))
}

/// The name of the arrays with the global ids of points and of cells.
pub(crate) const GLOBAL_ID: &str = "global_id";

fn ids(ids: &[u64]) -> Appended<'_> {
    Appended {
        attributes: format!("type=\"Int64\" Name=\"{GLOBAL_ID}\""),
        length: 8 * ids.len(),
        bytes: Box::new(|out| ids.iter().try_for_each(|id| out.write_all(&id.to_le_bytes()))),
    }
}

fn appended(array: &Array) -> Appended<'_> {
    let (length, bytes): (usize, Box<Writer<'_>>) = match &array.values {
        Values::F64(values) => (
            8 * values.len(),
            Box::new(|out| values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))),
        ),
        Values::I32(values) => (
            4 * values.len(),
            Box::new(|out| values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))),
        ),
    };
    Appended { attributes: described(array), length, bytes }
}

fn described(array: &Array) -> String {
    let Array { name, dim, components, values } = array;
    let kind = match values {
        Values::F64(_) => "Float64",
        Values::I32(_) => "Int32",
    };
    let name = escaped(name);
    let mut text = format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{dim}\"");
    for (number, component) in components.iter().enumerate() {
        let component = escaped(component);
        write!(text, " ComponentName{number}=\"{component}\"").expect("writing to a string");
    }
    text
}

/// A name escaped as an attribute value.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The file that lists the pieces.
fn list(piece: &Piece, files: &[String]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<PUnstructuredGrid GhostLevel=\"0\">\n",
    );
    let mut group = |name: &str, arrays: Vec<String>| {
        writeln!(text, "<{name}>").expect("writing to a string");
        for array in arrays {
            writeln!(text, "<PDataArray {array}/>").expect("writing to a string");
        }
        writeln!(text, "</{name}>").expect("writing to a string");
    };
    let ids = format!("type=\"Int64\" Name=\"{GLOBAL_ID}\"");
    group("PPointData", piece.point_data.iter().map(described).chain([ids.clone()]).collect());
    group("PCellData", piece.cell_data.iter().map(described).chain([ids]).collect());
    group("PPoints", vec!["type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"".into()]);
    for file in files {
        writeln!(text, "<Piece Source=\"{file}\"/>").expect("writing to a string");
    }
    text.push_str("</PUnstructuredGrid>\n</VTKFile>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_mesh::ElementKind;

    fn piece(rank: usize) -> Piece {
        let array = |name: &str, dim: usize, rows: usize| Array {
            name: name.into(),
            dim,
            components: (0..if dim == 4 { 4 } else { 0 }).map(|m| format!("c{m}")).collect(),
            values: Values::F64((0..rows * dim).map(|k| rank as f64 + k as f64 / 8.0).collect()),
        };
        let mut groups = Groups::default();
        groups.add(1, 2, "w");
        Piece {
            points: (0..5).map(|k| [f64::from(k), rank as f64, 0.5]).collect(),
            point_ids: vec![3, 4, 5, 6, 9],
            kinds: vec![ElementKind::Quadrilateral, ElementKind::Triangle, ElementKind::Line],
            cells: vec![vec![0, 1, 2, 3], vec![2, 3, 4], vec![0, 4]],
            global_ids: vec![7, 8, 9],
            point_data: vec![array("phi", 1, 5)],
            cell_data: vec![array("q", 4, 3)],
            field_data: vec![
                Datum::number("mach", 0.4),
                Datum::count("iteration", 7),
                Datum::text("case", "a<b"),
            ],
            groups,
        }
    }

    /// The raw data after an array's description.
    fn data<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
        let text = String::from_utf8_lossy(file);
        let line = text.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
        let offset = line.split("offset=\"").nth(1).unwrap().split('"').next().unwrap();
        let marker = b"<AppendedData encoding=\"raw\">\n_";
        let start = file.windows(marker.len()).position(|w| w == marker).unwrap() + marker.len();
        let at = start + offset.parse::<usize>().unwrap();
        let length = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
        &file[at + 8..at + 8 + length]
    }

    #[test]
    fn a_piece_holds_the_numbers_bit_by_bit_where_its_header_says() {
        let dir = tempfile::tempdir().unwrap();
        let piece = piece(3);
        let opened = write_vtu(&Comm::single(), dir.path(), "solution", &piece).unwrap();
        assert_eq!(opened, "solution.vtu");
        let file = std::fs::read(dir.path().join(opened)).unwrap();
        let numbers = |name| -> Vec<f64> {
            data(&file, name).chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
        };
        let integers = |name| -> Vec<i64> {
            data(&file, name).chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect()
        };
        assert_eq!(Values::F64(numbers("q")), piece.cell_data[0].values);
        assert_eq!(Values::F64(numbers("phi")), piece.point_data[0].values);
        assert_eq!(numbers("Points"), piece.points.concat());
        assert_eq!(integers("connectivity"), [0, 1, 2, 3, 2, 3, 4, 0, 4]);
        assert_eq!(integers("offsets"), [4, 7, 9]);
        // Of the points, which come first.
        assert_eq!(integers("global_id"), [3, 4, 5, 6, 9]);
        assert_eq!(data(&file, "types"), [9, 5, 3]);
        let text = String::from_utf8_lossy(&file).into_owned();
        for line in [
            "<DataArray type=\"Float64\" Name=\"mach\" NumberOfTuples=\"1\" format=\"ascii\">4e-1</DataArray>",
            "<DataArray type=\"Int64\" Name=\"iteration\" NumberOfTuples=\"1\" format=\"ascii\">7</DataArray>",
            "<DataArray type=\"String\" Name=\"case\" NumberOfTuples=\"1\" format=\"ascii\">97 60 98 0</DataArray>",
            "<DataArray type=\"String\" Name=\"groups\" NumberOfTuples=\"1\" format=\"ascii\">49 32 50 32 119 10 0</DataArray>",
        ] {
            assert!(text.contains(line), "{line}");
        }
    }

    #[test]
    fn ranks_write_a_piece_each_and_nothing_of_an_earlier_run_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let names = || {
            let mut names: Vec<_> = std::fs::read_dir(dir.path())
                .unwrap()
                .map(|e| e.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        let write = |ranks: usize| {
            Comm::simulate(ranks, |comm| {
                write_vtu(&comm, dir.path(), "solution", &piece(comm.rank())).unwrap()
            })
        };
        assert_eq!(write(3)[2], "solution.pvtu");
        let pieces = ["solution-0000.vtu", "solution-0001.vtu", "solution-0002.vtu", "solution.pvtu"];
        assert_eq!(names(), pieces);
        let list = std::fs::read_to_string(dir.path().join("solution.pvtu")).unwrap();
        assert!(pieces[..3].iter().all(|file| list.contains(&format!("<Piece Source=\"{file}\"/>"))));
        write(2);
        assert_eq!(names(), ["solution-0000.vtu", "solution-0001.vtu", "solution.pvtu"]);
        write(1);
        assert_eq!(names(), ["solution.vtu"]);
        // Files of an iteration are not pieces.
        write_vtu(&Comm::single(), dir.path(), "solution-1000", &piece(0)).unwrap();
        write(2);
        write(1);
        assert_eq!(names(), ["solution-1000.vtu", "solution.vtu"]);
    }
}
