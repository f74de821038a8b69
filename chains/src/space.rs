//! The rows and maps a rank knows, halo and deeper rows included, and the ways back through its maps.

use cfd_engine::plug::{LocalSet, MapInfo};

/// What chains are laid out on.
pub(crate) struct Space<'a> {
    pub(crate) sets: &'a [LocalSet],
    pub(crate) maps: &'a [MapInfo],
    /// Targets of every map's source rows.
    pub(crate) indices: &'a [Vec<u32>],
    /// Number of rows of every set that a dat has, the scratch row and deeper rows included.
    pub(crate) rows: Vec<usize>,
}

impl Space<'_> {
    /// The local rows of an element's targets; none for a row whose targets are not known here.
    pub(crate) fn targets(&self, map: usize, row: usize) -> &[u32] {
        let arity = self.maps[map].arity;
        self.indices[map].get(row * arity..(row + 1) * arity).unwrap_or(&[])
    }

    /// Number of source rows whose targets are known.
    pub(crate) fn sources(&self, map: usize) -> usize {
        self.indices[map].len() / self.maps[map].arity
    }

    /// What stands for a target that is not known here: the scratch row.
    pub(crate) fn nobody(&self, set: usize) -> u32 {
        self.sets[set].total() as u32
    }
}

/// The sources of every target of a map.
pub(crate) struct Inverse {
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl Inverse {
    pub(crate) fn new(space: &Space<'_>, map: usize) -> Inverse {
        let to = space.maps[map].to;
        let nobody = space.nobody(to);
        let mut starts = vec![0u32; space.rows[to] + 1];
        let known = || {
            (0..space.sources(map)).flat_map(|row| {
                let targets = space.targets(map, row);
                // A target that is named twice has its source once.
                let first = move |&(i, t): &(usize, &u32)| *t != nobody && !targets[..i].contains(t);
                targets.iter().enumerate().filter(first).map(move |(_, &t)| (t as usize, row as u32))
            })
        };
        known().for_each(|(target, _)| starts[target + 1] += 1);
        for target in 1..starts.len() {
            starts[target] += starts[target - 1];
        }
        let mut next = starts.clone();
        let mut sources = vec![0; starts[starts.len() - 1] as usize];
        for (target, row) in known() {
            sources[next[target] as usize] = row;
            next[target] += 1;
        }
        Inverse { starts, sources }
    }

    /// The sources of a target, ascending.
    pub(crate) fn of(&self, target: usize) -> &[u32] {
        &self.sources[self.starts[target] as usize..self.starts[target + 1] as usize]
    }
}
