//! Subsets: sets of some of the elements of another set.

use super::Domain;
use crate::comm::Comm;
use crate::model::handle::{Map, Set};
use crate::store::layout::{DeepSet, LocalSet};
use crate::store::mesh::{Blocks, only_name};
use crate::store::tables::MapInfo;

impl Domain {
    /// A new set of the elements of `set` that `keep` chooses by their global ids, and the map from each of its
    /// elements to the corresponding one of `set`: for loops over part of a set. An element lies on the rank that owns
    /// the corresponding element of `set`, so this map requires no halo copies. Elements are numbered in the order of
    /// `set`. The map is called `NAME_SET`. Runs what was recorded. Collective.
    ///
    /// # Panics
    /// If a set or a map has this name, or there are already 64 maps.
    #[track_caller]
    pub fn new_subset(&mut self, set: Set, name: &str, mut keep: impl FnMut(u64) -> bool) -> (Set, Map<1>) {
        self.run_queue(true);
        let whole = self.state.set_index(set);
        let of = &self.state.sets[whole];
        let map_name = format!("{name}_{}", of.name);
        only_name("set", name, self.state.sets.iter().map(|s| &s.name));
        only_name("map", &map_name, self.state.maps.iter().map(|m| &m.name));
        assert!(self.state.maps.len() < 64, "at most 64 maps");
        let (rows, ids): (Vec<u32>, Vec<u64>) =
            (0u32..).zip(&of.global_ids[..of.owned]).filter(|(_, id)| keep(**id)).unzip();
        let order_keys = match &of.order_keys[..] {
            [] => Vec::new(),
            keys => rows.iter().map(|&row| keys[row as usize]).collect(),
        };
        let comm = &self.state.comm;
        let (global_ids, global_rows) = numbered(comm, Blocks::new(of.global_rows, comm.size()), &ids);
        let count = global_ids.len();
        let state = &mut self.state;
        state.local.global_ids.push(global_ids.clone());
        state.sets.push(LocalSet {
            name: name.into(),
            global_rows,
            core: count,
            owned: count,
            global_ids,
            order_keys,
            ..LocalSet::default()
        });
        if !state.deep.is_empty() {
            state.deep.resize_with(state.sets.len(), DeepSet::default);
        }
        let from = state.sets.len() - 1;
        state.maps.push(MapInfo { name: map_name, from, to: whole, arity: 1, stays_home: true });
        state.local.maps.push(state.pool.place(rows));
        let handle = self.set_handle(from);
        (handle, Map { id: (self.state.maps.len() - 1) as u32, from: handle, to: set })
    }
}

/// For each of this rank's ids, which no other rank has, the number of lower ones on all ranks; and how many there are
/// in all. Collective.
fn numbered(comm: &Comm, blocks: Blocks, ids: &[u64]) -> (Vec<u64>, u64) {
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    ids.iter().for_each(|&id| send[blocks.owner(id)].push(id));
    let received = comm.all_to_all(send);
    let mut all = received.concat();
    all.sort_unstable();
    let counts = comm.all_gather(&[all.len() as u64]).concat();
    let before: u64 = counts[..comm.rank()].iter().sum();
    let place = |id: &u64| before + all.partition_point(|other| other < id) as u64;
    let places = received.iter().map(|ids| ids.iter().map(place).collect()).collect();
    // Each rank answers in the order in which it was asked.
    let mut back: Vec<_> = comm.all_to_all::<u64>(places).into_iter().map(Vec::into_iter).collect();
    let number = |&id: &u64| back[blocks.owner(id)].next().expect("a number for every id");
    (ids.iter().map(number).collect(), counts.iter().sum())
}
