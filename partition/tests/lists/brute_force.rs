//! The layout of one part straight from the definitions: loops over the whole mesh, no messages.

use std::collections::{BTreeMap, BTreeSet};

use cfd_engine::layout::{Layout, LocalDat, LocalMap, LocalSet, Neighbour};
use cfd_engine::mesh::{Mesh, Values};

/// Halos of part `b` in every set: exec (with the maps as bits) and non-exec.
pub struct Halos {
    pub exec: Vec<BTreeMap<u64, u64>>,
    pub nonexec: Vec<BTreeSet<u64>>,
}

/// The halos of part `b`.
pub fn halos(mesh: &Mesh, owners: &[Vec<u32>], b: u32) -> Halos {
    let mut exec = vec![BTreeMap::new(); mesh.sets.len()];
    for (m, map) in mesh.maps.iter().enumerate() {
        for f in 0..mesh.sets[map.from].rows {
            for t in targets(mesh, m, f) {
                if owners[map.from][f as usize] != b && owners[map.to][t as usize] == b {
                    *exec[map.from].entry(f).or_insert(0) |= 1 << m;
                }
            }
        }
    }
    let mut nonexec = vec![BTreeSet::new(); mesh.sets.len()];
    for (m, map) in mesh.maps.iter().enumerate() {
        for f in 0..mesh.sets[map.from].rows {
            if owners[map.from][f as usize] == b || exec[map.from].contains_key(&f) {
                for t in targets(mesh, m, f) {
                    if owners[map.to][t as usize] != b && !exec[map.to].contains_key(&t) {
                        nonexec[map.to].insert(t);
                    }
                }
            }
        }
    }
    Halos { exec, nonexec }
}

/// The layout of every part, in the canonical order of these keys: one per row of each set, or none.
pub fn layouts(mesh: &Mesh, owners: &[Vec<u32>], keys: &[Vec<u64>], parts: u32) -> Vec<Layout> {
    let halos: Vec<Halos> = (0..parts).map(|b| halos(mesh, owners, b)).collect();
    (0..parts).map(|b| layout(mesh, owners, keys, &halos, b)).collect()
}

fn layout(mesh: &Mesh, owners: &[Vec<u32>], keys: &[Vec<u64>], halos: &[Halos], b: u32) -> Layout {
    let sets: Vec<LocalSet> = (0..mesh.sets.len())
        .map(|set| {
            let local = local_set(mesh, owners, halos, set, b);
            let key_of = |id: &u64| keys[set].get(*id as usize).copied();
            let order_keys = local.global_ids.iter().filter_map(key_of).collect();
            LocalSet { order_keys, ..local }
        })
        .collect();
    let local = |set: usize, id: u64| row(&sets[set].global_ids, id);
    let maps = mesh.maps.iter().enumerate().map(|(m, map)| {
        let from = &sets[map.from];
        let executed = &from.global_ids[..from.owned + from.exec];
        let indices = executed.iter().flat_map(|&f| targets(mesh, m, f)).map(|t| local(map.to, t)).collect();
        LocalMap { name: map.name.clone(), from: map.from, to: map.to, arity: map.arity, indices }
    });
    let dats = mesh.dats.iter().map(|dat| {
        let picked = sets[dat.set].global_ids.iter();
        let at = picked.flat_map(|&id| (0..dat.dim).map(move |c| id as usize * dat.dim + c));
        let values = match &dat.values {
            Values::F64(v) => Values::F64(at.map(|i| v[i]).collect()),
            Values::I32(v) => Values::I32(at.map(|i| v[i]).collect()),
        };
        LocalDat { name: dat.name.clone(), set: dat.set, dim: dat.dim, values }
    });
    Layout { maps: maps.collect(), dats: dats.collect(), sets }
}

fn local_set(mesh: &Mesh, owners: &[Vec<u32>], halos: &[Halos], set: usize, b: u32) -> LocalSet {
    let owner = |id: u64| owners[set][id as usize];
    let touches_foreign = |f: u64| {
        mesh.maps.iter().enumerate().any(|(m, map)| {
            map.from == set && targets(mesh, m, f).iter().any(|&t| owners[map.to][t as usize] != b)
        })
    };
    let mine = (0..mesh.sets[set].rows).filter(|&id| owner(id) == b);
    let (boundary, core): (Vec<u64>, Vec<u64>) = mine.partition(|&id| touches_foreign(id));
    let mut exec: Vec<u64> = halos[b as usize].exec[set].keys().copied().collect();
    let mut nonexec: Vec<u64> = halos[b as usize].nonexec[set].iter().copied().collect();
    exec.sort_by_key(|&id| (owner(id), id));
    nonexec.sort_by_key(|&id| (owner(id), id));
    let global_ids = [&core[..], &boundary, &exec, &nonexec].concat();
    let owned = core.len() + boundary.len();
    let exec_maps = exec.iter().map(|id| halos[b as usize].exec[set][id]).collect();

    let neighbour = |other: u32| {
        let rows = |ids: Vec<u64>| -> Vec<u32> { ids.into_iter().map(|id| row(&global_ids, id)).collect() };
        let from = |ids: &[u64]| ids.iter().filter(|&&id| owner(id) < other).count();
        let range = |start: usize, ids: &[u64]| {
            let first = start + from(ids);
            first as u32..(first + ids.iter().filter(|&&id| owner(id) == other).count()) as u32
        };
        let theirs = &halos[other as usize];
        Neighbour {
            rank: other as usize,
            send_exec: rows(theirs.exec[set].keys().copied().filter(|&id| owner(id) == b).collect()),
            send_nonexec: rows(theirs.nonexec[set].iter().copied().filter(|&id| owner(id) == b).collect()),
            receive_exec: range(owned, &exec),
            receive_nonexec: range(owned + exec.len(), &nonexec),
        }
    };
    let has_lists = |n: &Neighbour| {
        let lists = n.send_exec.len() + n.send_nonexec.len() + n.receive_exec.len() + n.receive_nonexec.len();
        lists > 0
    };
    LocalSet {
        name: mesh.sets[set].name.clone(),
        global_rows: mesh.sets[set].rows,
        core: core.len(),
        owned,
        exec: exec.len(),
        nonexec: nonexec.len(),
        exec_maps,
        neighbours: (0..halos.len() as u32).filter(|&o| o != b).map(neighbour).filter(has_lists).collect(),
        global_ids,
        order_keys: Vec::new(),
    }
}

fn targets(mesh: &Mesh, map: usize, row: u64) -> Vec<u64> {
    let map = &mesh.maps[map];
    map.rows[row as usize * map.arity..][..map.arity].to_vec()
}

fn row(ids: &[u64], id: u64) -> u32 {
    ids.iter().position(|&i| i == id).expect("the definitions leave nothing out") as u32
}
