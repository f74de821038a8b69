use bytemuck::Pod;
use cfd_adapt::metric::View;
use cfd_engine::comm::Comm;

/// A hash: SplitMix64.
pub fn hash(x: u64) -> u64 {
    let z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// From -1 to 1.
pub fn noise(x: u64) -> f64 {
    (hash(x) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A whole mesh of simplices.
#[derive(Clone)]
pub struct Whole<const D: usize> {
    pub positions: Vec<[f64; D]>,
    pub identities: Vec<u128>,
    pub elements: Vec<Vec<u32>>,
}

impl<const D: usize> Whole<D> {
    /// The unit square or cube with n divisions per side, each box made of D! simplices around its diagonal. Inner
    /// vertices are moved at random by a fraction of the box. Identities are in no order.
    pub fn boxes(n: usize, part: f64) -> Whole<D> {
        let side = n + 1;
        let count = side.pow(D as u32);
        let along = |v: usize, i: usize| v / side.pow(i as u32) % side;
        let position = |v: usize| {
            let inner = (0..D).all(|i| along(v, i) > 0 && along(v, i) < n);
            let moved = if inner { part } else { 0.0 };
            std::array::from_fn(|i| (along(v, i) as f64 + moved * noise((D * v + i) as u64)) / n as f64)
        };
        let orders: &[&[usize]] = if D == 2 {
            &[&[0, 1], &[1, 0]]
        } else {
            &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]]
        };
        let mut elements = Vec::new();
        for corner in (0..count).filter(|&v| (0..D).all(|i| along(v, i) < n)) {
            for order in orders {
                let mut element = vec![corner as u32];
                let path = order.iter().scan(corner, |at, &i| {
                    *at += side.pow(i as u32);
                    Some(*at as u32)
                });
                element.extend(path);
                elements.push(element);
            }
        }
        let identities =
            (0..count as u64).map(|v| u128::from(hash(v)) << 64 | u128::from(hash(v + 99))).collect();
        Whole { positions: (0..count).map(position).collect(), identities, elements }
    }

    /// The values of a function at the vertices of a rank.
    pub fn on(&self, part: &Part<D>, f: impl Fn(&[f64; D]) -> f64) -> Vec<f64> {
        part.global.iter().map(|&v| f(&self.positions[v as usize])).collect()
    }

    /// The whole mesh on one rank.
    pub fn single(&self) -> Part<D> {
        Part::new(self, Comm::single(), &vec![0; self.positions.len()], 0)
    }
}

/// What one rank has of a mesh.
pub struct Part<const D: usize> {
    comm: Comm,
    /// Number in the whole mesh of each local vertex.
    pub global: Vec<u32>,
    owned: Vec<bool>,
    positions: Vec<[f64; D]>,
    identities: Vec<u128>,
    elements_of: Vec<Vec<u32>>,
    elements: Vec<Vec<u32>>,
    /// For each rank, what is sent to it, and the ghosts that it sends, both in the order of global numbers.
    sends: Vec<Vec<u32>>,
    receives: Vec<Vec<u32>>,
}

impl<const D: usize> Part<D> {
    /// With local numbers, lists and corners in an order that depends on the seed.
    pub fn new(whole: &Whole<D>, comm: Comm, owners: &[u32], seed: u64) -> Part<D> {
        let rank = comm.rank() as u32;
        let mut elements: Vec<Vec<u32>> = whole.elements.clone();
        elements.retain(|element| element.iter().any(|&v| owners[v as usize] == rank));
        if seed > 0 {
            shuffle(&mut elements, seed);
            elements.iter_mut().for_each(|element| element.rotate_left(hash(seed) as usize % (D + 1)));
        }
        let needed = |rank: u32| {
            let mut here: Vec<bool> = owners.iter().map(|&owner| owner == rank).collect();
            for element in whole.elements.iter().filter(|e| e.iter().any(|&v| owners[v as usize] == rank)) {
                element.iter().for_each(|&v| here[v as usize] = true);
            }
            here
        };
        let here = needed(rank);
        let mut global: Vec<u32> = (0..here.len() as u32).filter(|&v| here[v as usize]).collect();
        if seed > 0 {
            shuffle(&mut global, seed + 1);
        }
        let mut local = vec![u32::MAX; here.len()];
        global.iter().enumerate().for_each(|(l, &v)| local[v as usize] = l as u32);
        for v in elements.iter_mut().flatten() {
            *v = local[*v as usize];
        }
        let mut elements_of = vec![Vec::new(); global.len()];
        for (e, element) in elements.iter().enumerate() {
            element.iter().for_each(|&v| elements_of[v as usize].push(e as u32));
        }
        let all = |from: u32, there: &[bool]| -> Vec<u32> {
            let sent = |&v: &u32| owners[v as usize] == from && there[v as usize];
            (0..owners.len() as u32).filter(sent).map(|v| local[v as usize]).collect()
        };
        let others = |r: usize| r as u32 != rank;
        let list = |r: usize, f: &dyn Fn() -> Vec<u32>| if others(r) { f() } else { Vec::new() };
        Part {
            sends: (0..comm.size()).map(|r| list(r, &|| all(rank, &needed(r as u32)))).collect(),
            receives: (0..comm.size()).map(|r| list(r, &|| all(r as u32, &here))).collect(),
            comm,
            owned: global.iter().map(|&v| owners[v as usize] == rank).collect(),
            positions: global.iter().map(|&v| whole.positions[v as usize]).collect(),
            identities: global.iter().map(|&v| whole.identities[v as usize]).collect(),
            global,
            elements_of,
            elements,
        }
    }

    /// The owned vertices' numbers in the whole mesh, with their values.
    pub fn owned_values<T: Copy>(&self, values: &[T]) -> Vec<(u32, T)> {
        assert_eq!(values.len(), self.global.len());
        let all = self.global.iter().copied().zip(values.iter().copied());
        all.zip(&self.owned).filter(|(_, owned)| **owned).map(|(value, _)| value).collect()
    }
}

/// Fisher and Yates.
fn shuffle<T>(values: &mut [T], seed: u64) {
    for i in (1..values.len()).rev() {
        values.swap(i, (hash(seed * 1_000_003 + i as u64) % (i as u64 + 1)) as usize);
    }
}

impl<const D: usize> View<D> for Part<D> {
    fn comm(&self) -> &Comm {
        &self.comm
    }
    fn vertices(&self) -> usize {
        self.global.len()
    }
    fn is_owned(&self, v: u32) -> bool {
        self.owned[v as usize]
    }
    fn position(&self, v: u32) -> [f64; D] {
        self.positions[v as usize]
    }
    fn identity(&self, v: u32) -> u128 {
        self.identities[v as usize]
    }
    fn elements_of(&self, v: u32) -> &[u32] {
        &self.elements_of[v as usize]
    }
    fn corners(&self, e: u32) -> &[u32] {
        &self.elements[e as usize]
    }
    fn update_ghosts<T: Pod>(&self, values: &mut [T]) {
        let sent = self.sends.iter().map(|list| list.iter().map(|&v| values[v as usize]).collect());
        for (list, received) in self.receives.iter().zip(self.comm.all_to_all(sent.collect())) {
            list.iter().zip(received).for_each(|(&v, value)| values[v as usize] = value);
        }
    }
}
