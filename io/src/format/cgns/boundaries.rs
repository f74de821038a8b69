//! Boundary conditions: which elements belong to which boundary.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use super::sections::{Elements, Section, range};
use super::tree;
use super::zones::Zone;
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::listed::NO_GROUP;

/// Names of groups with the dimension of their elements, which refer to them by index.
#[derive(Default)]
pub(super) struct Names(pub(super) Vec<(usize, String)>);

impl Names {
    fn index(&mut self, dimension: usize, name: &str) -> u64 {
        let known = self.0.iter().position(|(of, known)| *of == dimension && known == name);
        known.unwrap_or_else(|| {
            self.0.push((dimension, name.into()));
            self.0.len() - 1
        }) as u64
    }
}

/// A boundary condition.
#[derive(Clone, Debug)]
pub(super) struct Boundary {
    name: String,
    path: String,
    extent: Extent,
}

/// What belongs to a boundary.
#[derive(Clone, Debug)]
enum Extent {
    /// Elements from a number to a number.
    Elements([u64; 2]),
    /// Elements in a list: its path and its length.
    ElementList(String, u64),
    /// Nodes from a number to a number.
    Nodes([u64; 2]),
    /// Nodes in a list.
    NodeList(String, u64),
}

impl Boundary {
    /// The boundary conditions of a zone, by name.
    pub(super) fn all(file: &Hdf5File, zone: &Zone) -> Result<Vec<Boundary>, IoError> {
        let group = format!("{}/ZoneBC", zone.path);
        if !file.has(&group) {
            return Ok(Vec::new());
        }
        let mut boundaries = Vec::new();
        for child in tree::labelled(file, &group, "BC_t")? {
            let path = child.path;
            let is_of_family = tree::text(file, &path)? == "FamilySpecified";
            let family = tree::text_if(file, &format!("{path}/FamilyName"))?.filter(|_| is_of_family);
            let place =
                tree::text_if(file, &format!("{path}/GridLocation"))?.unwrap_or_else(|| "Vertex".into());
            let part = |name: &str| {
                let path = format!("{path}/{name}");
                file.has(&path).then_some(path)
            };
            let of_nodes = place == "Vertex";
            let extent = if let Some(range_of) = part("ElementRange") {
                Extent::Elements(range(file, &range_of)?)
            } else if let Some(list) = part("ElementList") {
                let rows = rows(file, &list)?;
                Extent::ElementList(list, rows)
            } else if let Some(range_of) = part("PointRange") {
                let range = range(file, &range_of)?;
                if of_nodes { Extent::Nodes(range) } else { Extent::Elements(range) }
            } else if let Some(list) = part("PointList") {
                let rows = rows(file, &list)?;
                if of_nodes { Extent::NodeList(list, rows) } else { Extent::ElementList(list, rows) }
            } else {
                return Err(
                    file.wrong(&path, "expected a PointList, PointRange, ElementList or ElementRange")
                );
            };
            boundaries.push(Boundary { name: family.unwrap_or(child.name), path, extent });
        }
        Ok(boundaries)
    }
}

/// The length of a list.
fn rows(file: &Hdf5File, path: &str) -> Result<u64, IoError> {
    let shape = file.table(&tree::data(path), Numbers::Integer)?.shape;
    match shape[..] {
        [rows] | [rows, 1] => Ok(rows),
        _ => {
            Err(file
                .wrong(path, format!("the shape is {shape:?}; expected one number for each element or node")))
        }
    }
}

/// This rank's block of a list of numbers from 1 to `most`.
fn own_list(comm: &Comm, file: &Hdf5File, path: &str, rows: u64, most: u64) -> Result<Vec<u64>, IoError> {
    let own = Blocks::new(rows, comm.size()).range(comm.rank());
    let numbers = file.table(&tree::data(path), Numbers::Integer)?.integers(own)?;
    let check = |number: i64| {
        let known = u64::try_from(number).ok().filter(|number| (1..=most).contains(number));
        known.ok_or_else(|| {
            file.wrong(path, format!("there is no {number}; expected numbers from 1 to {most}"))
        })
    };
    numbers.into_iter().map(check).collect()
}

/// What [`give`] needs to know.
pub(super) struct Of<'a> {
    pub(super) file: &'a Hdf5File,
    /// The dimension of the cells.
    pub(super) dimension: usize,
    pub(super) zone: &'a Zone,
    pub(super) sections: &'a [Section],
    pub(super) boundaries: &'a [Boundary],
}

/// Gives this rank's elements their groups: those of the boundary the boundary's, or else the section's; others the
/// `region`. Collective.
pub(super) fn give(
    comm: &Comm,
    of: &Of<'_>,
    region: Option<&str>,
    elements: &mut [Elements],
    names: &mut Names,
) -> Result<(), IoError> {
    let surface = of.dimension - 1;
    for boundary in of.boundaries {
        let group = names.index(surface, &boundary.name);
        match &boundary.extent {
            Extent::Elements(range) => {
                each(elements, surface, |number, _, found| {
                    if (range[0]..=range[1]).contains(&number) {
                        *found = group;
                    }
                });
            }
            Extent::ElementList(path, rows) => {
                let most = of.sections.last().map_or(0, |last| last.first + last.count - 1);
                let own = comm.agree(own_list(comm, of.file, path, *rows, most))?;
                let mut send = vec![Vec::new(); comm.size()];
                for number in own {
                    if let Some(section) = of.sections.iter().find(|section| section.has(number)) {
                        send[Blocks::new(section.count, comm.size()).owner(number - section.first)]
                            .push(number);
                    }
                }
                let mut listed = comm.all_to_all(send).concat();
                listed.sort_unstable();
                each(elements, surface, |number, _, found| {
                    if listed.binary_search(&number).is_ok() {
                        *found = group;
                    }
                });
            }
            Extent::Nodes(range) => {
                let first = of.zone.first;
                let range = first + range[0] - 1..=first + range[1] - 1;
                each(elements, surface, |_, nodes, found| {
                    if nodes.iter().all(|node| range.contains(node)) {
                        *found = group;
                    }
                });
            }
            Extent::NodeList(path, rows) => {
                let own = comm.agree(own_list(comm, of.file, path, *rows, of.zone.nodes))?;
                by_nodes(comm, of, &own, surface, group, elements);
            }
        }
        let got = elements_of(elements, surface).filter(|(_, found)| **found == group).count() as u64;
        if comm.sum(got) == 0 {
            let what = format!(
                "no element of the boundary belongs to \"{}\"; expected elements of the boundary in sections of their own",
                boundary.name
            );
            return Err(of.file.wrong(&boundary.path, what));
        }
    }
    for section in of.sections {
        if section.kind().is_some_and(|kind| kind.dimension() != surface) {
            continue;
        }
        let group = names.index(surface, &section.name);
        each(elements, surface, |number, _, found| {
            if *found == NO_GROUP && section.has(number) {
                *found = group;
            }
        });
    }
    if let Some(region) = region {
        let group = names.index(of.dimension, region);
        each(elements, of.dimension, |_, _, found| *found = group);
    }
    Ok(())
}

/// Gives elements a group all of whose nodes are in a list, of which this rank has a block. Collective.
fn by_nodes(comm: &Comm, of: &Of<'_>, own: &[u64], surface: usize, group: u64, elements: &mut [Elements]) {
    let blocks = Blocks::new(of.zone.nodes, comm.size());
    let mut send = vec![Vec::new(); comm.size()];
    own.iter().for_each(|number| send[blocks.owner(number - 1)].push(number - 1));
    let range = blocks.range(comm.rank());
    let mut listed = vec![0u8; (range.end - range.start) as usize];
    for node in comm.all_to_all(send).concat() {
        listed[(node - range.start) as usize] = 1;
    }
    let mut wanted = Vec::new();
    each(elements, surface, |_, nodes, _| wanted.extend(nodes.iter().map(|node| node - of.zone.first)));
    let mut found = fetch_rows(comm, blocks, 1, &listed, &wanted).into_iter();
    each(elements, surface, |_, nodes, of_element| {
        let all = found.by_ref().take(nodes.len()).fold(true, |all, listed| all & (listed == 1));
        if all {
            *of_element = group;
        }
    });
}

/// Calls `take` with number, nodes and group of each of this rank's elements of a dimension.
fn each(elements: &mut [Elements], dimension: usize, mut take: impl FnMut(u64, &[u64], &mut u64)) {
    for (kind, rows) in elements.iter_mut().flatten().filter(|(kind, _)| kind.dimension() == dimension) {
        for row in rows.chunks_exact_mut(2 + kind.nodes()) {
            let (head, nodes) = row.split_at_mut(2);
            take(head[0], nodes, &mut head[1]);
        }
    }
}

/// Number and group of this rank's elements of a dimension.
fn elements_of(elements: &[Elements], dimension: usize) -> impl Iterator<Item = (u64, &u64)> {
    let of_kind = elements.iter().flatten().filter(move |(kind, _)| kind.dimension() == dimension);
    of_kind.flat_map(|(kind, rows)| rows.chunks_exact(2 + kind.nodes()).map(|row| (row[0], &row[1])))
}
