//! Programs on a [`World`], executed by the engine on simulated ranks.

use cfd_engine::mesh::{Blocks, Mesh, Values as Column};
use cfd_engine::prelude::*;
use cfd_engine::strategy::{HashClass, Strategy};

use super::kernels::{
    bound, collect, damp, deal, grow, note, pin, recall, relax, renew, restore, save, settle, split, trade,
};
use super::random::Random;
use super::world::{Globals, Loop, World};
use super::{reproducible, width};

/// Who owns what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owners {
    /// Any rank may own any element; by this seed.
    Random(u64),
    /// The first rank has all sources, the last all points and zones.
    Apart,
}

/// How a program is executed.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub ranks: usize,
    pub owners: Owners,
    pub strategy: Strategy,
    pub region_rows: usize,
    pub overlap: bool,
    pub threads: usize,
    pub lanes: usize,
    /// Elements in a tile of a chain; none: without chains.
    pub tile_rows: Option<usize>,
}

/// The settings in which a trap is tried: every strategy, with and without regions and neighbours.
pub fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for strategy in reproducible() {
        for (ranks, owners) in [
            (1, Owners::Apart),
            (2, Owners::Apart),
            (3, Owners::Apart),
            (2, Owners::Random(1)),
            (3, Owners::Random(2)),
            (6, Owners::Random(3)),
        ] {
            for (region_rows, overlap, threads, lanes, tile_rows) in [
                (0, true, 1, 8, None),
                (1, true, 2, 2, Some(1)),
                (3, false, 1, 1, Some(4)),
                (0, false, 3, 4, None),
            ] {
                let setting =
                    Setting { ranks, owners, strategy, region_rows, overlap, threads, lanes, tile_rows };
                settings.push(setting);
            }
        }
    }
    settings
}

const SETS: [&str; 3] = ["sources", "points", "zones"];

/// This rank's block of the mesh, owners and keys.
fn parts(world: &World, comm: &Comm, owners: Owners) -> (Mesh, Vec<Vec<u32>>, Vec<Vec<u64>>) {
    let values = &world.values;
    let sizes = [values.w.len(), values.p.len(), values.z.len()];
    let range = |set: usize| {
        let range = Blocks::new(sizes[set] as u64, comm.size()).range(comm.rank());
        range.start as usize..range.end as usize
    };
    let mut mesh = Mesh::default();
    let [s, p, z] = [0, 1, 2].map(|set| mesh.add_set(SETS[set], sizes[set] as u64));
    mesh.add_map("points", s, p, 2, world.points[range(s)].as_flattened().to_vec());
    mesh.add_map("zones", s, z, 3, world.zones[range(s)].as_flattened().to_vec());
    let numbers = |all: &[f64], set: usize| Column::F64(all[range(set)].to_vec());
    mesh.add_dat("w", s, 1, numbers(&values.w, s));
    mesh.add_dat("seen", s, 1, numbers(&values.seen, s));
    mesh.add_dat("tally", s, 1, numbers(&values.tally, s));
    mesh.add_dat("age", s, 1, numbers(&values.age, s));
    mesh.add_dat("p", p, 2, Column::F64(values.p[range(p)].as_flattened().to_vec()));
    mesh.add_dat("kept", p, 2, Column::F64(values.kept[range(p)].as_flattened().to_vec()));
    mesh.add_dat("n", p, 1, Column::I32(values.n[range(p)].to_vec()));
    mesh.add_dat("z", z, 1, numbers(&values.z, z));
    let owner = |set: usize, row: usize| match owners {
        Owners::Random(seed) => Random(seed ^ ((set as u64) << 32) ^ row as u64).below(comm.size() as u64),
        Owners::Apart if set == s => 0,
        Owners::Apart => comm.size() as u64 - 1,
    };
    let owners = [s, p, z].map(|set| range(set).map(|row| owner(set, row) as u32).collect());
    let keys = if world.keys.is_empty() { Vec::new() } else { world.keys[range(s)].to_vec() };
    (mesh, owners.to_vec(), vec![keys, Vec::new(), Vec::new()])
}

/// The globals of one loop.
struct Handles {
    step: Loop,
    total: Global<Sum<2>>,
    low: Global<Min<1>>,
    high: Global<Max<1>>,
}

impl Handles {
    /// Records a loop.
    fn record(domain: &mut Domain, step: Loop) -> Result<Handles, DomainError> {
        let (sources, points) = (domain.set("sources")?, domain.set("points")?);
        let (to_points, to_zones): (Map<2>, Map<3>) = (domain.map("points")?, domain.map("zones")?);
        let (a, b) = (to_points.target::<0>(), to_points.target::<1>());
        let (c, d, e) = (to_zones.target::<0>(), to_zones.target::<1>(), to_zones.target::<2>());
        let (w, seen, tally): (Dat<1>, Dat<1>, Dat<1>) =
            (domain.dat("w")?, domain.dat("seen")?, domain.dat("tally")?);
        let (years, p, n, z): (Dat<1>, Dat<2>, Dat<1, i32>, Dat<1>) =
            (domain.dat("age")?, domain.dat("p")?, domain.dat("n")?, domain.dat("z")?);
        let kept: Dat<2> = domain.dat("kept")?;
        let (total, low, high) = (domain.new_sum("total"), domain.new_min("low"), domain.new_max("high"));
        match step {
            Loop::Collect => {
                let operands = (w, p.at(a), p.at(b), seen, z.at(c), z.at(d), z.at(e), total, low, high);
                domain.par_loop(collect, sources, operands, &());
            }
            Loop::Deal => {
                let operands = (w, z.at(d), p.at(a), p.at(b), n.at(a), n.at(b));
                domain.par_loop(deal, sources, operands, &());
            }
            Loop::Split => {
                domain.par_loop(split, sources, (w, p.at(a), p.at(b), z.at(e), tally, total), &());
            }
            Loop::Age => domain.par_loop(grow, sources, (w, years, z.at(c), total), &()),
            Loop::Relax => domain.par_loop(relax, sources, (w, z.at(c), z.at(e), total, low), &()),
            Loop::Settle => domain.par_loop(settle, sources, (w, p.at(b), z.at(d), years), &()),
            Loop::Bound => {
                domain.par_loop(bound, sources, (w, years, p.all(to_points), z.at(c), z.at(e)), &());
            }
            Loop::Pin => domain.par_loop(pin, sources, (z.at(d),), &()),
            Loop::Save => domain.par_loop(save, points, (p, kept), &()),
            Loop::Restore => domain.par_loop(restore, points, (kept, p), &()),
            Loop::Renew => domain.par_loop(renew, points, (kept, p, total), &()),
            Loop::Trade => domain.par_loop(trade, points, (kept, p), &()),
            Loop::Note => domain.par_loop(note, sources, (seen, tally), &()),
            Loop::Recall => domain.par_loop(recall, sources, (w, kept.at(b), z.at(c)), &()),
            Loop::Damp => domain.par_loop(damp, points, (p, total, high), &()),
        }
        Ok(Handles { step, total, low, high })
    }

    fn get(&self, domain: &mut Domain) -> Globals {
        let total = matches!(
            self.step,
            Loop::Collect | Loop::Split | Loop::Age | Loop::Relax | Loop::Renew | Loop::Damp
        );
        let low = matches!(self.step, Loop::Collect | Loop::Relax);
        let high = matches!(self.step, Loop::Collect | Loop::Damp);
        Globals {
            total: total.then(|| domain.get(self.total).unwrap()),
            low: low.then(|| domain.extremum(self.low).unwrap()[0]),
            high: high.then(|| domain.extremum(self.high).unwrap()[0]),
        }
    }
}

/// A set's global ids and a dat's bits on one rank.
type Part = (Vec<u64>, Vec<u64>);

fn read(domain: &mut Domain) -> Result<Vec<Part>, DomainError> {
    let [sources, points, zones] = [domain.set("sources")?, domain.set("points")?, domain.set("zones")?];
    let mut parts = Vec::new();
    for name in ["seen", "tally", "age"] {
        let dat: Dat<1> = domain.dat(name)?;
        let values = domain.read(dat).unwrap().iter().map(|v| v.to_bits()).collect();
        parts.push((domain.global_ids(sources).to_vec(), values));
    }
    let (p, n, z): (Dat<2>, Dat<1, i32>, Dat<1>) = (domain.dat("p")?, domain.dat("n")?, domain.dat("z")?);
    let kept: Dat<2> = domain.dat("kept")?;
    for dat in [p, kept] {
        let values = domain.read(dat).unwrap().iter().map(|v| v.to_bits()).collect();
        parts.push((domain.global_ids(points).to_vec(), values));
    }
    let values = domain.read(n).unwrap().iter().map(|&v| u64::from(v as u32)).collect();
    parts.push((domain.global_ids(points).to_vec(), values));
    let values = domain.read(z).unwrap().iter().map(|v| v.to_bits()).collect();
    parts.push((domain.global_ids(zones).to_vec(), values));
    Ok(parts)
}

/// Values in global order, from the parts of all ranks.
fn in_order<'a>(parts: impl Iterator<Item = &'a Part>) -> Vec<u64> {
    let mut rows: Vec<(u64, &[u64])> = Vec::new();
    for (ids, values) in parts.filter(|(ids, _)| !ids.is_empty()) {
        rows.extend(ids.iter().copied().zip(values.chunks_exact(values.len() / ids.len())));
    }
    rows.sort_by_key(|(id, _)| *id);
    rows.into_iter().flat_map(|(_, values)| values).copied().collect()
}

/// Runs a program on the engine, and compares all values and globals, bit by bit, with the plain program of the
/// setting's class. Returns the first difference, if any.
pub fn compare(world: &World, program: &[Loop], setting: Setting) -> Result<(), String> {
    let results = Comm::simulate(setting.ranks, |comm| {
        let (mesh, owners, keys) = parts(world, &comm, setting.owners);
        let layout = cfd_partition::distribute_in_order(&comm, mesh, &owners, &keys).expect("a layout");
        let options = DomainOptions {
            strategy: Some(setting.strategy),
            region_rows: setting.region_rows,
            overlap: setting.overlap,
            threads: setting.threads,
            lanes: width(setting.lanes),
            grain: 1,
            backend: cfd_chains::backend_if(setting.tile_rows.is_some()),
            tile_rows: setting.tile_rows.unwrap_or(0),
            // Meshes are small: every second setting has no cache.
            cache_bytes: setting.overlap.then_some(0),
            ..DomainOptions::default()
        };
        let mut domain = Domain::new(comm, layout, options);
        let handles: Vec<Handles> = program
            .iter()
            .map(|&step| Handles::record(&mut domain, step).expect("the world has what its loops need"))
            .collect();
        let globals: Vec<Globals> = handles.iter().map(|handle| handle.get(&mut domain)).collect();
        (globals, read(&mut domain).expect("the world has these dats"))
    });
    let class = setting.strategy.class();
    assert_ne!(class, HashClass::None, "what is compared promises its bits");
    let mut plain = world.clone();
    let expected = plain.run(program, class);
    for (rank, (globals, _)) in results.iter().enumerate() {
        for (i, (found, expected)) in globals.iter().zip(&expected).enumerate() {
            if found.bits() != expected.bits() {
                let step = program[i];
                return Err(format!(
                    "{setting:?}, loop {i} ({step:?}), rank {rank}: {found:?}, not {expected:?}"
                ));
            }
        }
    }
    for (dat, (name, expected)) in plain.values.bits().into_iter().enumerate() {
        let found = in_order(results.iter().map(|(_, dats)| &dats[dat]));
        if let Some(at) = (0..expected.len()).find(|&i| found.get(i) != Some(&expected[i])) {
            let (found, expected) = (found.get(at).map(|&b| f64::from_bits(b)), f64::from_bits(expected[at]));
            return Err(format!(
                "{setting:?}, {program:?}: value {at} of {name} is {found:?}, not {expected:?}"
            ));
        }
    }
    Ok(())
}

/// Compares in all [`settings`].
#[track_caller]
pub fn assert_plain(world: &World, program: &[Loop]) {
    for setting in settings() {
        if let Err(difference) = compare(world, program, setting) {
            panic!("{difference}");
        }
    }
}
