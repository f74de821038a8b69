//! What one rank holds after partitioning: local sets with their halos, local maps, local dats.
//!
//! ```text
//! local rows of a set   0 ....... core ....... owned ........ owned+exec ........ owned+exec+nonexec
//!                       |  core   |  boundary  |  exec halo   |  non-exec halo    |
//!                       owned, touches nothing | copies of foreign elements that  | copies that executed
//!                       foreign                | touch an owned element: executed | elements read
//! ```
//!
//! The owner-compute rule: a rank executes its owned elements and, redundantly, the imported exec halo, so that
//! every owned target receives all its increments. Definitions after Mudalige et al., "Design and initial
//! performance of a high-level unstructured mesh framework on heterogeneous parallel systems", Parallel
//! Computing 39 (2013), section 4.2 and Figure 3, DOI 10.1016/j.parco.2013.09.004.

use std::ops::Range;

use crate::store::mesh::{Values, only_name};

/// One rank's part of a set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalSet {
    /// Name of the set.
    pub name: String,
    /// Number of elements over all ranks.
    pub global_rows: u64,
    /// Owned elements that touch no foreign element through any map: rows `0..core`.
    pub core: usize,
    /// Owned elements: rows `0..owned`, ascending by global id within core and within boundary.
    pub owned: usize,
    /// Imported elements that touch an owned element through some map; by owner rank, then global id.
    pub exec: usize,
    /// Other imported elements that executed elements touch; by owner rank, then global id.
    pub nonexec: usize,
    /// Global id of every local row.
    pub global_ids: Vec<u64>,
    /// Canonical order of the local rows: ascending by this key, then by global id. Empty: by global id alone, the
    /// file's order.
    pub order_keys: Vec<u64>,
    /// For every exec row, the maps (bit = position of the map in [`Layout::maps`]) through which it touches an
    /// owned element.
    pub exec_maps: Vec<u64>,
    /// The ranks with which halo copies of this set are exchanged, ascending.
    pub neighbours: Vec<Neighbour>,
}

impl LocalSet {
    /// Owned rows and halo copies.
    pub fn total(&self) -> usize {
        self.owned + self.exec + self.nonexec
    }

    /// Rows that loops may execute.
    pub fn executed(&self) -> usize {
        self.owned + self.exec
    }
}

/// The halo lists of one set for one other rank.
///
/// Both sides list the same elements in the same order: exec first, then non-exec, each by global id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbour {
    /// The other rank.
    pub rank: usize,
    /// Owned rows that the other rank executes redundantly.
    pub send_exec: Vec<u32>,
    /// Owned rows of which the other rank holds read-only copies.
    pub send_nonexec: Vec<u32>,
    /// Local exec-halo rows owned by the other rank.
    pub receive_exec: Range<u32>,
    /// Local non-exec-halo rows owned by the other rank.
    pub receive_nonexec: Range<u32>,
}

/// One rank's part of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalMap {
    /// Name of the map.
    pub name: String,
    /// Index of the source set.
    pub from: usize,
    /// Index of the target set.
    pub to: usize,
    /// Targets of one source element.
    pub arity: usize,
    /// Local rows of the targets, for the owned and exec rows of the source set.
    pub indices: Vec<u32>,
}

/// Rows of a set beyond its halo.
#[derive(Clone, Debug, Default)]
pub struct DeepSet {
    /// Global ids.
    pub ids: Vec<u64>,
    /// Keys of the canonical order.
    pub keys: Vec<u64>,
    /// The rank that owns each.
    pub owners: Vec<usize>,
    /// What is exchanged with other ranks, ascending by rank.
    pub neighbours: Vec<NeighbourRows>,
}

/// Rows that are exchanged with one other rank, in the same order on both sides.
#[derive(Clone, Debug, Default)]
pub struct NeighbourRows {
    /// The other rank.
    pub rank: usize,
    /// Owned rows of which the other rank holds copies.
    pub send: Vec<u32>,
    /// Local rows that the other rank owns.
    pub receive: Vec<u32>,
}

/// One rank's part of a dat.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalDat {
    /// Name of the dat.
    pub name: String,
    /// Index of the set.
    pub set: usize,
    /// Values per element.
    pub dim: usize,
    /// Values of all local rows, halo copies included and fresh.
    pub values: Values,
}

/// Everything one rank holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The sets, in the order of the mesh.
    pub sets: Vec<LocalSet>,
    /// The maps, in the order of the mesh.
    pub maps: Vec<LocalMap>,
    /// The dats, in the order of the mesh.
    pub dats: Vec<LocalDat>,
}

impl Layout {
    /// Checks everything on which loops rely without looking again.
    ///
    /// # Panics
    /// If the layout contradicts itself, or two things of one kind have the same name.
    #[track_caller]
    pub fn check(&self) {
        for (i, set) in self.sets.iter().enumerate() {
            only_name("set", &set.name, self.sets[..i].iter().map(|s| &s.name));
        }
        for (i, map) in self.maps.iter().enumerate() {
            only_name("map", &map.name, self.maps[..i].iter().map(|m| &m.name));
        }
        for (i, dat) in self.dats.iter().enumerate() {
            only_name("dat", &dat.name, self.dats[..i].iter().map(|d| &d.name));
        }
        for set in &self.sets {
            let name = &set.name;
            assert!(set.core <= set.owned, "set {name}: more core than owned rows");
            assert!(set.total() < 1 << 31, "set {name}: local rows fit into 31 bits");
            assert_eq!(set.global_ids.len(), set.total(), "set {name}: a global id for every row");
            let keys = set.order_keys.len();
            assert!(keys == 0 || keys == set.total(), "set {name}: an order key for every row, or none");
            assert_eq!(set.exec_maps.len(), set.exec, "set {name}: map bits for every exec row");
            for n in &set.neighbours {
                let owned = |rows: &[u32]| rows.iter().all(|&r| (r as usize) < set.owned);
                assert!(
                    owned(&n.send_exec) && owned(&n.send_nonexec),
                    "set {name}: only owned rows are sent"
                );
                let within = |r: &Range<u32>, from: usize, to: usize| {
                    r.is_empty() || (r.start as usize >= from && r.end as usize <= to)
                };
                assert!(within(&n.receive_exec, set.owned, set.executed()), "set {name}: exec rows");
                assert!(within(&n.receive_nonexec, set.executed(), set.total()), "set {name}: non-exec rows");
            }
        }
        assert!(self.maps.len() <= 64, "at most 64 maps");
        for map in &self.maps {
            let (from, to) = (&self.sets[map.from], &self.sets[map.to]);
            assert_eq!(
                map.indices.len(),
                map.arity * from.executed(),
                "map {}: a row per executed row",
                map.name
            );
            let inside = map.indices.iter().all(|&t| (t as usize) < to.total());
            assert!(inside, "map {}: every index is a local row of {}", map.name, to.name);
        }
        for dat in &self.dats {
            let rows = self.sets[dat.set].total();
            assert_eq!(dat.values.len(), rows * dat.dim, "dat {}: values for every row", dat.name);
        }
    }
}
