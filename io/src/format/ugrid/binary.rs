//! UGRID in binary: each rank reads its blocks.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use serde::{Deserialize, Serialize};

use super::{KINDS, Sizes, Start};
use crate::IoError;
use crate::listed::{Kind, NO_GROUP, Rows, Slabs, Width};

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layout {
    pub(super) big_endian: bool,
    pub(super) integers: Width,
    pub(super) numbers: Width,
}

/// The layouts, by the ending of the name.
const LAYOUTS: [(&str, Layout); 6] = [
    (".lb8.ugrid", Layout::new(false, Width::Four, Width::Eight)),
    (".b8.ugrid", Layout::new(true, Width::Four, Width::Eight)),
    (".lb4.ugrid", Layout::new(false, Width::Four, Width::Four)),
    (".b4.ugrid", Layout::new(true, Width::Four, Width::Four)),
    (".lb8.ugrid64", Layout::new(false, Width::Eight, Width::Eight)),
    (".b8.ugrid64", Layout::new(true, Width::Eight, Width::Eight)),
];

impl Layout {
    const fn new(big_endian: bool, integers: Width, numbers: Width) -> Layout {
        Layout { big_endian, integers, numbers }
    }

    /// The layout that a name's ending stands for.
    pub(super) fn of_name(name: &str) -> Option<Layout> {
        LAYOUTS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, layout)| *layout)
    }

    /// Appends an integer.
    pub(super) fn put_integer(self, buffer: &mut Vec<u8>, value: i64) {
        let width = self.integers.bytes() as usize;
        match self.big_endian {
            true => buffer.extend_from_slice(&value.to_be_bytes()[8 - width..]),
            false => buffer.extend_from_slice(&value.to_le_bytes()[..width]),
        }
    }

    /// Appends a number, which loses digits where it has four bytes.
    pub(super) fn put_number(self, buffer: &mut Vec<u8>, value: f64) {
        match (self.numbers, self.big_endian) {
            (Width::Eight, true) => buffer.extend_from_slice(&value.to_be_bytes()),
            (Width::Eight, false) => buffer.extend_from_slice(&value.to_le_bytes()),
            (Width::Four, true) => buffer.extend_from_slice(&(value as f32).to_be_bytes()),
            (Width::Four, false) => buffer.extend_from_slice(&(value as f32).to_le_bytes()),
        }
    }

    /// The layout in which the file has the length that its first numbers say.
    pub(super) fn of_content(start: &Start) -> Option<Layout> {
        let fits = |layout: &Layout| {
            let sizes = layout.sizes(&start.bytes)?;
            let rest = u128::from(start.length).checked_sub(layout.end(&sizes)?)?;
            let integers = rest / u128::from(layout.integers.bytes());
            let is_whole = rest % u128::from(layout.integers.bytes()) == 0;
            (sizes.nodes > 0 && is_whole && sizes.may_follow(u64::try_from(integers).ok()?)).then_some(())
        };
        LAYOUTS.iter().map(|(_, layout)| *layout).find(|layout| fits(layout).is_some())
    }

    /// The layout of a binary file; `None` if it is text.
    ///
    /// # Errors
    /// The content fits another ending than the file's; Fortran's records.
    pub(super) fn of(start: &Start, path: &Path) -> Result<Option<Layout>, IoError> {
        if [".r8.ugrid", ".lr8.ugrid"].iter().any(|end| start.name.ends_with(end)) {
            let what = "this UGRID has Fortran's records; save it as a stream, .b8.ugrid or .lb8.ugrid";
            return Err(IoError::file(path, what));
        }
        let found = Layout::of_content(start);
        match (Layout::of_name(&start.name), found) {
            (Some(named), Some(found)) if named != found => {
                let ending = |of: Layout| LAYOUTS.iter().find(|(_, layout)| *layout == of).expect("listed").0;
                let what = format!(
                    "the name says {}, but the content is that of {}; rename it, or save it again",
                    ending(named),
                    ending(found)
                );
                Err(IoError::file(path, what))
            }
            (None, found) => Ok(found),
            (named, _) => Ok(named),
        }
    }

    /// The seven numbers that a file of this layout begins with, unless one is below 0.
    fn sizes(self, start: &[u8]) -> Option<Sizes> {
        let width = self.integers.bytes() as usize;
        let mut numbers = start.chunks_exact(width).take(7).map(|bytes| {
            let mut value = [0; 8];
            match self.big_endian {
                true => value[8 - width..].copy_from_slice(bytes),
                false => value[..width].copy_from_slice(bytes),
            }
            let value = if self.big_endian { u64::from_be_bytes(value) } else { u64::from_le_bytes(value) };
            (value >> (8 * width - 1) == 0).then_some(value)
        });
        let mut next = || numbers.next().flatten();
        let nodes = next()?;
        let mut elements = [0; 6];
        for count in &mut elements {
            *count = next()?;
        }
        Some(Sizes { nodes, elements })
    }

    /// Bytes of a file up to the end of its elements.
    fn end(self, sizes: &Sizes) -> Option<u128> {
        let Sizes { nodes, elements } = sizes;
        let bytes = |width: Width| u128::from(width.bytes());
        let mut end = 7 * bytes(self.integers) + 3 * u128::from(*nodes) * bytes(self.numbers);
        for (place, ((kind, _), count)) in KINDS.iter().zip(elements).enumerate() {
            // Triangles and quadrilaterals have the number of their boundary as well.
            let integers = kind.nodes() + usize::from(place < 2);
            end = end.checked_add(u128::from(*count) * integers as u128 * bytes(self.integers))?;
        }
        Some(end)
    }
}

/// Reads this rank's blocks. Collective.
pub(super) fn rows(comm: &Comm, path: &Path, layout: Layout) -> Result<Rows, IoError> {
    comm.agree(Slabs::open(path, layout.big_endian).and_then(|file| own_rows(comm, &file, layout)))
}

fn own_rows(comm: &Comm, file: &Slabs, layout: Layout) -> Result<Rows, IoError> {
    let (int, float) = (layout.integers, layout.numbers);
    let mut sizes = Sizes { nodes: 0, elements: [0; 6] };
    let counts = [&mut sizes.nodes].into_iter().chain(&mut sizes.elements);
    for (place, count) in counts.enumerate() {
        let at = place as u64 * int.bytes();
        let what = "the numbers of nodes and elements, at least 0 each";
        let value = file.integer_at(at, int, what)?;
        *count = u64::try_from(value).map_err(|_| {
            file.error(at, format!("{value} is below 0; expected {what} (is the byte order right?)"))
        })?;
    }
    let end = layout.end(&sizes).filter(|end| *end <= u128::from(file.length));
    let Some(end) = end else {
        let Sizes { nodes, elements } = sizes;
        let what = format!(
            "{nodes} nodes and {elements:?} elements (triangles, quadrilaterals, tetrahedra, pyramids, prisms, \
             hexahedra) do not fit in a file of {} bytes; the file is truncated, or its bytes are in another order",
            file.length
        );
        return Err(file.error(0, what));
    };
    let more = file.length - end as u64;
    if !more.is_multiple_of(int.bytes()) || !sizes.may_follow(more / int.bytes()) {
        let what = format!(
            "{more} bytes follow the elements; expected none, or an integer for each of the {} elements",
            sizes.volumes()
        );
        return Err(file.error(end as u64, what));
    }

    let mut rows = Rows::default();
    let own = |count: u64| Blocks::new(count, comm.size()).range(comm.rank());
    let mut at = 7 * int.bytes();
    let mut values = Vec::new();
    let width = 3 * float.bytes();
    file.each(at, width, own(sizes.nodes), "nodes", |byte, row| {
        for (axis, bytes) in row.chunks_exact(float.bytes() as usize).enumerate() {
            let byte = byte + axis as u64 * float.bytes();
            values.push(file.number(float, byte, bytes, "a coordinate")?.to_bits());
        }
        Ok(())
    })?;
    rows.set_count(Kind::Point, sizes.nodes);
    rows.add(Kind::Point, own(sizes.nodes).start, &values);
    at += width * sizes.nodes;

    for (place, ((kind, order), count)) in KINDS.into_iter().zip(sizes.elements).enumerate() {
        if place == 2 {
            let groups = sizes.elements[0] + sizes.elements[1];
            values.clear();
            file.each(at, int.bytes(), own(groups), "numbers of boundaries", |byte, row| {
                let number = i32::try_from(file.integer(int, row));
                let number =
                    number.map_err(|_| file.error(byte, "expected the number of a boundary, of 32 bits"))?;
                values.push(u64::from(number as u32));
                Ok(())
            })?;
            rows.set_count(Kind::Group, groups);
            rows.add(Kind::Group, own(groups).start, &values);
            at += groups * int.bytes();
        }
        values.clear();
        let width = kind.nodes() as u64 * int.bytes();
        file.each(at, width, own(count), kind.plural(), |byte, row| {
            values.extend([byte, NO_GROUP]);
            for node in order {
                let at = *node * int.bytes() as usize;
                values.push(file.natural(int, byte + at as u64, &row[at..], "a node, from 1")?);
            }
            Ok(())
        })?;
        rows.set_count(Kind::Element(kind), count);
        rows.add(Kind::Element(kind), own(count).start, &values);
        at += count * width;
    }
    Ok(rows)
}
