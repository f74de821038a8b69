//! The base and its zones: nodes, and which of them are those of another zone.

use std::collections::BTreeMap;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::tree::{self, Child};
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::listed::{Kind, Rows};

const AXES: [&str; 3] = ["CoordinateX", "CoordinateY", "CoordinateZ"];

/// A base with unstructured zones.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// The dimension of its cells, 2 or 3.
    pub(super) dimension: usize,
    pub(super) zones: Vec<Zone>,
}

/// An unstructured zone.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    pub(super) name: String,
    /// The way to it from the root.
    pub(super) path: String,
    /// The number of its first node among those of all zones.
    pub(super) first: u64,
    pub(super) nodes: u64,
    /// The number of its first element among those of all zones.
    pub(super) first_element: u64,
}

impl Base {
    /// The base of a file. Not collective.
    pub(super) fn of(file: &Hdf5File, path: &Path) -> Result<Base, IoError> {
        let mut bases = tree::bases(file)?;
        let base = match (bases.next(), bases.next()) {
            (Some(base), None) => base,
            (None, _) => return Err(IoError::file(path, "there is no base (CGNSBase_t) in this CGNS file")),
            (Some(a), Some(b)) => {
                let what = format!("two bases, \"{}\" and \"{}\"; expected one", a.name, b.name);
                return Err(IoError::file(path, what));
            }
        };
        let dimension = match tree::integers(file, &base.path)?[..] {
            [dimension @ (2 | 3), space @ (2 | 3)] if dimension <= space => dimension as usize,
            ref other => {
                let what = format!("dimensions of cells and of space {other:?}; expected 2 or 3");
                return Err(file.wrong(&base.path, what));
            }
        };
        let mut zones = Vec::new();
        let (mut first, mut first_element) = (0, 0);
        for child in tree::labelled(file, &base.path, "Zone_t")? {
            let (nodes, elements) = sizes(file, &child)?;
            let Child { name, path, .. } = child;
            zones.push(Zone { name, path, first, nodes, first_element });
            first += nodes;
            first_element += elements;
        }
        if zones.is_empty() {
            return Err(file.wrong(&base.path, "there is no zone (Zone_t) in this base"));
        }
        Ok(Base { dimension, zones })
    }

    /// Adds this rank's nodes of all zones. Not collective.
    pub(super) fn add_nodes(&self, comm: &Comm, file: &Hdf5File, rows: &mut Rows) -> Result<(), IoError> {
        let all = self.zones.iter().map(|zone| zone.nodes).sum();
        for (axis, name) in AXES.into_iter().enumerate() {
            for zone in &self.zones {
                let path = format!("{}/GridCoordinates/{name}", zone.path);
                if axis == 2 && !file.has(&path) {
                    continue;
                }
                let table = file.table(&tree::data(&path), Numbers::Float)?;
                if table.shape[..] != [zone.nodes] {
                    let what = format!("the shape is {:?}; the zone has {} nodes", table.shape, zone.nodes);
                    return Err(file.wrong(&path, what));
                }
                let own = Blocks::new(zone.nodes, comm.size()).range(comm.rank());
                let mut values = Vec::new();
                for (node, x) in own.clone().zip(table.floats(own.clone())?) {
                    if !x.is_finite() {
                        return Err(file.wrong(&path, format!("row {node}: {x} is not a finite number")));
                    }
                    values.push((x + 0.0).to_bits());
                }
                rows.add(Kind::Coordinate(axis), zone.first + own.start, &values);
                rows.set_count(Kind::Coordinate(axis), all);
            }
        }
        Ok(())
    }

    /// Nodes that are those of another zone, ascending, each with the first of those that are the same. Not collective.
    pub(super) fn merged_nodes(&self, file: &Hdf5File) -> Result<Vec<[u64; 2]>, IoError> {
        let mut first_of: BTreeMap<u64, u64> = BTreeMap::new();
        let find = |first_of: &BTreeMap<u64, u64>, mut node: u64| {
            while let Some(&before) = first_of.get(&node) {
                node = before;
            }
            node
        };
        for zone in &self.zones {
            let group = format!("{}/ZoneGridConnectivity", zone.path);
            if !file.has(&group) {
                continue;
            }
            for joint in tree::labelled(file, &group, "GridConnectivity_t")? {
                for [own, other] in self.joint(file, zone, &joint)? {
                    let (a, b) = (find(&first_of, own), find(&first_of, other));
                    if a != b {
                        first_of.insert(a.max(b), a.min(b));
                    }
                }
            }
        }
        Ok(first_of.keys().map(|&node| [node, find(&first_of, node)]).collect())
    }

    /// The pairs of nodes of a connection to another zone.
    fn joint(&self, file: &Hdf5File, zone: &Zone, joint: &Child) -> Result<Vec<[u64; 2]>, IoError> {
        let path = &joint.path;
        let kind = tree::text_if(file, &format!("{path}/GridConnectivityType"))?;
        let kind = kind.unwrap_or_else(|| "Overset".into());
        let place = tree::text_if(file, &format!("{path}/GridLocation"))?.unwrap_or_else(|| "Vertex".into());
        if kind != "Abutting1to1" || place != "Vertex" {
            let what = format!(
                "a connection of type {kind} by {place}; expected Abutting1to1 by Vertex, node by node"
            );
            return Err(file.wrong(path, what));
        }
        let name = tree::text(file, path)?;
        let name = name.rsplit('/').next().unwrap_or_default().to_string();
        let Some(donor) = self.zones.iter().find(|zone| zone.name == name) else {
            return Err(file.wrong(path, format!("it leads to a zone \"{name}\", which is not there")));
        };
        let nodes = |list: &str, zone: &Zone| -> Result<Vec<u64>, IoError> {
            let list = format!("{path}/{list}");
            let table = file.table(&tree::data(&list), Numbers::Integer)?;
            let numbers = table.integers(0..table.shape.first().copied().unwrap_or(0))?;
            let node = |number: i64| {
                let known = u64::try_from(number).ok().filter(|number| (1..=zone.nodes).contains(number));
                known.map(|number| zone.first + number - 1).ok_or_else(|| {
                    file.wrong(&list, format!("there is no node {number} in zone \"{}\"", zone.name))
                })
            };
            numbers.into_iter().map(node).collect()
        };
        let (own, other) = (nodes("PointList", zone)?, nodes("PointListDonor", donor)?);
        if own.len() != other.len() {
            let what = format!("{} nodes lead to {}; expected as many", own.len(), other.len());
            return Err(file.wrong(path, what));
        }
        Ok(own.into_iter().zip(other).map(|(own, other)| [own, other]).collect())
    }
}

/// The numbers of nodes and elements of a zone.
fn sizes(file: &Hdf5File, zone: &Child) -> Result<(u64, u64), IoError> {
    let kind = tree::text_if(file, &format!("{}/ZoneType", zone.path))?.unwrap_or_default();
    match kind.as_str() {
        "Unstructured" => {}
        "Structured" => {
            let what = "this zone is structured, of which there is no reader for CGNS; save it as PLOT3D in text \
                        (`cgns_to_plot3d` of the CGNS tools), or as unstructured";
            return Err(file.wrong(&zone.path, what));
        }
        other => {
            let what = format!("a zone of type \"{other}\"; expected Unstructured");
            return Err(file.wrong(&zone.path, what));
        }
    }
    let Some(nodes) = tree::integers(file, &zone.path)?.first().and_then(|&nodes| u64::try_from(nodes).ok())
    else {
        return Err(file.wrong(&zone.path, "expected the numbers of its nodes and cells"));
    };
    let mut elements = 0;
    for section in tree::labelled(file, &zone.path, "Elements_t")? {
        let [first, last] = super::sections::range(file, &format!("{}/ElementRange", section.path))?;
        elements += last - first + 1;
    }
    Ok((nodes, elements))
}
