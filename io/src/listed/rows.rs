//! The rows of a file, each on some rank.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_mesh::{ElementKind, Mark};
use serde::{Deserialize, Serialize};

use crate::field::block_of;

/// The kinds of rows. Their values are 64-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// The number that a file gives a node, and its position in the file.
    Tag,
    /// The bits of a node's x, y, z.
    Point,
    /// The bits of a node's x, y or z, in files that list one after the other.
    Coordinate(usize),
    /// The group of an element, in files that list them after the elements.
    Group,
    /// An element's position in the file, its group or [`NO_GROUP`], and its nodes.
    Element(ElementKind),
    /// The place of an element among those of its kind, in files that have another order.
    Position(ElementKind),
    /// A mark's position in the file, and the number of the node or element that has it.
    Marked(Mark),
}

/// The group of an element without one.
pub(crate) const NO_GROUP: u64 = u64::MAX;

/// The number of kinds.
const KINDS: usize = 6 + 2 * ElementKind::ALL.len() + Mark::ALL.len();

impl Kind {
    pub(super) fn all() -> impl Iterator<Item = Kind> {
        let coordinates = (0..3).map(Kind::Coordinate);
        let elements = ElementKind::ALL.into_iter().map(Kind::Element);
        let places = ElementKind::ALL.into_iter().map(Kind::Position);
        let marked = Mark::ALL.into_iter().map(Kind::Marked);
        let first = [Kind::Tag, Kind::Point, Kind::Group].into_iter().chain(coordinates);
        first.chain(elements).chain(places).chain(marked)
    }

    /// Its index among them.
    pub(super) fn place(self) -> usize {
        match self {
            Kind::Tag => 0,
            Kind::Point => 1,
            Kind::Group => 2,
            Kind::Coordinate(axis) => 3 + axis,
            Kind::Element(kind) => 6 + kind as usize,
            Kind::Position(kind) => 6 + ElementKind::ALL.len() + kind as usize,
            Kind::Marked(mark) => 6 + 2 * ElementKind::ALL.len() + mark as usize,
        }
    }

    /// Values in a row.
    pub(super) const fn width(self) -> usize {
        match self {
            Kind::Tag | Kind::Marked(_) => 2,
            Kind::Point => 3,
            Kind::Coordinate(_) | Kind::Group | Kind::Position(_) => 1,
            Kind::Element(kind) => 2 + kind.nodes(),
        }
    }
}

/// Rows of one kind that this rank has.
#[derive(Default)]
struct Pile {
    ids: Vec<u64>,
    values: Vec<u64>,
}

/// Elements of this rank, by kind.
#[derive(Default)]
pub(crate) struct OwnElements([Vec<u64>; ElementKind::ALL.len()]);

impl OwnElements {
    /// Adds the next element: its position in the file, its group or [`NO_GROUP`], and its nodes.
    pub(crate) fn push(
        &mut self,
        kind: ElementKind,
        place: u64,
        group: u64,
        nodes: impl IntoIterator<Item = u64>,
    ) {
        self.0[kind as usize].extend([place, group].into_iter().chain(nodes));
    }
}

/// The rows of a file, each on some rank.
#[derive(Default)]
pub(crate) struct Rows {
    counts: [u64; KINDS],
    piles: [Pile; KINDS],
}

impl Rows {
    /// Rows of a kind, on all ranks together.
    pub(crate) fn count(&self, kind: Kind) -> u64 {
        self.counts[kind.place()]
    }

    /// Whether there are elements of a kind.
    pub(crate) fn has(&self, kind: ElementKind) -> bool {
        self.count(Kind::Element(kind)) > 0
    }

    pub(super) fn counts(&self) -> [u64; KINDS] {
        self.counts
    }

    pub(super) fn set_counts(&mut self, counts: [u64; KINDS]) {
        self.counts = counts;
    }

    /// Says how many rows of a kind all ranks together have.
    pub(crate) fn set_count(&mut self, kind: Kind, count: u64) {
        self.counts[kind.place()] = count;
    }

    /// Adds rows of a kind that this rank has, numbered from `first`.
    pub(crate) fn add(&mut self, kind: Kind, first: u64, values: &[u64]) {
        let pile = &mut self.piles[kind.place()];
        pile.ids.extend(first..first + (values.len() / kind.width()) as u64);
        pile.values.extend(values);
    }

    /// Adds the elements of all ranks after those that are there: rank 0's, then rank 1's. Collective.
    pub(crate) fn add_in_order(&mut self, comm: &Comm, own: OwnElements) {
        for (kind, values) in ElementKind::ALL.into_iter().map(Kind::Element).zip(own.0) {
            let count = (values.len() / kind.width()) as u64;
            let before = self.count(kind);
            self.add(kind, before + comm.exclusive_sum(count), &values);
            self.set_count(kind, before + comm.sum(count));
        }
    }

    /// This rank's block of the rows of a kind, which are then gone. Collective.
    pub(super) fn block(&mut self, comm: &Comm, kind: Kind) -> Vec<u64> {
        let Pile { ids, values } = std::mem::take(&mut self.piles[kind.place()]);
        if comm.size() == 1 && (0..self.count(kind)).eq(ids.iter().copied()) {
            return values;
        }
        block_of(comm, "listed", kind.width(), self.count(kind), &ids, &values)
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> u64 {
        self.count(Kind::Point).max(self.count(Kind::Coordinate(0)))
    }

    /// The bits of x, y, z of this rank's block of the nodes. Collective.
    pub(super) fn points(&mut self, comm: &Comm) -> Vec<u64> {
        if self.count(Kind::Point) > 0 {
            return self.block(comm, Kind::Point);
        }
        let axes = [0, 1, 2].map(|axis| self.block(comm, Kind::Coordinate(axis)));
        let at = |axis: usize, node: usize| axes[axis].get(node).copied().unwrap_or(0);
        (0..axes[0].len()).flat_map(|node| [0, 1, 2].map(|axis| at(axis, node))).collect()
    }

    /// Gives elements the groups that are listed after them, first those of the first kind. Collective.
    pub(crate) fn join_groups(&mut self, comm: &Comm, kinds: &[ElementKind]) {
        let groups = self.block(comm, Kind::Group);
        let blocks = Blocks::new(self.count(Kind::Group), comm.size());
        let mut before = 0;
        for kind in kinds.iter().map(|kind| Kind::Element(*kind)) {
            let count = self.count(kind);
            let Pile { ids, values } = &mut self.piles[kind.place()];
            let wanted: Vec<u64> = ids.iter().map(|id| before + id).collect();
            let found = fetch_rows(comm, blocks, 1, &groups, &wanted);
            for (row, group) in values.chunks_exact_mut(kind.width()).zip(found) {
                row[1] = group;
            }
            before += count;
        }
    }

    /// Puts elements of a kind in the places that the file gives, if it gives each place once. Collective.
    pub(crate) fn put_in_place(&mut self, comm: &Comm, kind: ElementKind) {
        let count = self.count(Kind::Element(kind));
        if count == 0 || self.count(Kind::Position(kind)) != count {
            return;
        }
        let places = self.block(comm, Kind::Position(kind));
        let blocks = Blocks::new(count, comm.size());
        let mut send = vec![Vec::new(); comm.size()];
        places
            .iter()
            .filter(|place| **place < count)
            .for_each(|&place| send[blocks.owner(place)].push(place));
        let mut received = comm.all_to_all(send).concat();
        received.sort_unstable();
        let are_all = received.into_iter().eq(blocks.range(comm.rank()));
        if comm.sum(u64::from(!are_all)) == 0 {
            let pile = &mut self.piles[Kind::Element(kind).place()];
            pile.ids = fetch_rows(comm, blocks, 1, &places, &pile.ids);
        }
    }

    /// This rank's elements: the dimension and the group of each.
    pub(super) fn groups_mut(&mut self) -> impl Iterator<Item = (usize, &mut u64)> {
        let of_kind = |(pile, kind): (_, ElementKind)| {
            let pile: &mut Pile = pile;
            let rows = pile.values.chunks_exact_mut(Kind::Element(kind).width());
            rows.map(move |row| (kind.dimension(), &mut row[1]))
        };
        self.piles[Kind::Element(ElementKind::ALL[0]).place()..]
            .iter_mut()
            .zip(ElementKind::ALL)
            .flat_map(of_kind)
    }
}
