//! Sections of elements of one kind, or of mixed ones.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::ElementKind;

use super::tree;
use super::zones::Zone;
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers, Table};
use crate::listed::{NO_GROUP, OwnElements, Rows};

/// Types of elements; points are left out.
const TYPES: [(i64, ElementKind); 7] = [
    (3, ElementKind::Line),
    (5, ElementKind::Triangle),
    (7, ElementKind::Quadrilateral),
    (10, ElementKind::Tetrahedron),
    (12, ElementKind::Pyramid),
    (14, ElementKind::Prism),
    (17, ElementKind::Hexahedron),
];
const POINT: i64 = 2;
const MIXED: i64 = 20;
const POLYHEDRA: [i64; 2] = [22, 23];

/// A section: elements with numbers one after the other.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    path: String,
    /// The type of its elements.
    number: i64,
    /// The number of its first element, from 1, and how many there are.
    pub(super) first: u64,
    pub(super) count: u64,
}

/// This rank's elements of a section by kind: the number of each, counted through the zone from 1, its group or [`NO_GROUP`], its
/// nodes, counted through all zones from 0.
pub(super) type Elements = BTreeMap<ElementKind, Vec<u64>>;

/// A range of numbers from 1.
pub(super) fn range(file: &Hdf5File, path: &str) -> Result<[u64; 2], IoError> {
    match tree::integers(file, path)?[..] {
        [first, last] if first >= 1 && last >= first => Ok([first as u64, last as u64]),
        ref other => {
            Err(file
                .wrong(path, format!("{other:?} is not a range; expected the first and the last, from 1")))
        }
    }
}

impl Section {
    /// The sections of a zone, in the order of their elements.
    pub(super) fn all(file: &Hdf5File, zone: &Zone) -> Result<Vec<Section>, IoError> {
        let mut sections = Vec::new();
        for child in tree::labelled(file, &zone.path, "Elements_t")? {
            let number = tree::integers(file, &child.path)?.first().copied().unwrap_or(0);
            let [first, last] = range(file, &format!("{}/ElementRange", child.path))?;
            let known = TYPES.iter().any(|(known, _)| *known == number) || [POINT, MIXED].contains(&number);
            if !known {
                let what = match POLYHEDRA.contains(&number) {
                    true => {
                        "polygons or polyhedra (NGON_n, NFACE_n); save the mesh with elements of fixed types"
                            .into()
                    }
                    false => format!(
                        "elements of type {number}; expected first-order ones: save the mesh without curved sides"
                    ),
                };
                return Err(file.wrong(&child.path, what));
            }
            sections.push(Section {
                name: child.name,
                path: child.path,
                number,
                first,
                count: last - first + 1,
            });
        }
        sections.sort_by_key(|section| section.first);
        if let Some(pair) = sections.windows(2).find(|pair| pair[0].first + pair[0].count > pair[1].first) {
            let what = format!("its elements have numbers that those of \"{}\" have, too", pair[0].name);
            return Err(file.wrong(&pair[1].path, what));
        }
        Ok(sections)
    }

    /// The kind of its elements, if they are all of one.
    pub(super) fn kind(&self) -> Option<ElementKind> {
        kind_of(self.number)
    }

    /// Whether an element is in it.
    pub(super) fn has(&self, number: u64) -> bool {
        (self.first..self.first + self.count).contains(&number)
    }
}

fn kind_of(number: i64) -> Option<ElementKind> {
    TYPES.iter().find(|(known, _)| *known == number).map(|(_, kind)| *kind)
}

/// Reads this rank's block of each section. Not collective.
pub(super) fn own_elements(
    comm: &Comm,
    file: &Hdf5File,
    zone: &Zone,
    sections: &[Section],
) -> Result<Vec<Elements>, IoError> {
    let mut all = Vec::new();
    for section in sections.iter().filter(|section| section.number != POINT) {
        let mut elements = Elements::new();
        let own = Blocks::new(section.count, comm.size()).range(comm.rank());
        let connectivity = format!("{}/ElementConnectivity", section.path);
        let table = file.table(&tree::data(&connectivity), Numbers::Integer)?;
        let wrong =
            |number: u64, what: String| file.wrong(&connectivity, format!("element {number}: {what}"));
        let node = |number: u64, node: i64| {
            let known = u64::try_from(node).ok().filter(|node| (1..=zone.nodes).contains(node));
            let what = || format!("there is no node {node}; expected one of the nodes 1 to {}", zone.nodes);
            known.map(|node| zone.first + node - 1).ok_or_else(|| wrong(number, what()))
        };
        let mut add = |number: u64, kind: ElementKind, nodes: &[i64]| -> Result<(), IoError> {
            let list = elements.entry(kind).or_default();
            list.extend([number, NO_GROUP]);
            for &of in nodes {
                list.push(node(number, of)?);
            }
            Ok(())
        };
        match section.kind() {
            Some(kind) => {
                let width = kind.nodes() as u64;
                if table.shape[..] != [section.count * width] {
                    let what = format!(
                        "the shape is {:?}; {} {} have {width} nodes each",
                        table.shape,
                        section.count,
                        kind.plural()
                    );
                    return Err(file.wrong(&connectivity, what));
                }
                let nodes = table.integers(own.start * width..own.end * width)?;
                for (number, nodes) in (section.first + own.start..).zip(nodes.chunks_exact(width as usize)) {
                    add(number, kind, nodes)?;
                }
            }
            None => {
                let offsets = offsets(file, section, &table, own.clone())?;
                let begin = offsets.first().copied().unwrap_or(0);
                let values = table.integers(begin..offsets.last().copied().unwrap_or(0))?;
                for (number, ends) in (section.first + own.start..).zip(offsets.windows(2)) {
                    let row = &values[(ends[0] - begin) as usize..(ends[1] - begin) as usize];
                    let kind = row.first().and_then(|number| kind_of(*number));
                    match kind {
                        Some(kind) if row.len() == kind.nodes() + 1 => add(number, kind, &row[1..])?,
                        _ => {
                            let what = "its type and its number of nodes do not agree, or it is of second order or a polyhedron";
                            return Err(wrong(number, what.into()));
                        }
                    }
                }
            }
        }
        all.push(elements);
    }
    Ok(all)
}

/// Where each of some elements of a mixed section begins, and where the last one ends.
fn offsets(
    file: &Hdf5File,
    section: &Section,
    table: &Table<'_>,
    own: std::ops::Range<u64>,
) -> Result<Vec<u64>, IoError> {
    let path = format!("{}/ElementStartOffset", section.path);
    if !file.has(&path) {
        let what = "a section of mixed elements without ElementStartOffset; save it again with CGNS 4 (`cgnsupdate`), or with \
                    one section for each type";
        return Err(file.wrong(&section.path, what));
    }
    let offsets = file.table(&tree::data(&path), Numbers::Integer)?;
    if offsets.shape[..] != [section.count + 1] {
        let what = format!(
            "the shape is {:?}; expected {} for {} elements",
            offsets.shape,
            section.count + 1,
            section.count
        );
        return Err(file.wrong(&path, what));
    }
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let found = offsets.integers(own.start..own.end + 1)?;
    let end = table.shape.first().copied().unwrap_or(0);
    let are_right = found.is_sorted() && found.iter().all(|offset| (0..=end as i64).contains(offset));
    if !are_right {
        return Err(file.wrong(&path, format!("expected ascending numbers from 0 to {end}")));
    }
    Ok(found.into_iter().map(|offset| offset as u64).collect())
}

/// Adds a section's elements to the rows of the file, with nodes that are those of another zone replaced. Collective.
pub(super) fn add(comm: &Comm, zone: &Zone, elements: &Elements, merged: &[[u64; 2]], rows: &mut Rows) {
    let node = |node: &u64| {
        let found = merged.binary_search_by_key(node, |pair| pair[0]);
        found.map_or(*node, |found| merged[found][1])
    };
    let mut own = OwnElements::default();
    for (kind, values) in elements {
        for row in values.chunks_exact(2 + kind.nodes()) {
            own.push(*kind, zone.first_element + row[0], row[1], row[2..].iter().map(node));
        }
    }
    rows.add_in_order(comm, own);
}
