//! Diagnostics of a run: the energy at the origin, and the solution's deviation from symmetry.

use cfd_engine::prelude::*;

use super::kernels::output::energy_of;

/// The plane of low zeta in which a solution is symmetric, and the element at the origin.
pub struct Diagnostics {
    edge: u64,
    origin: Set,
    of_origin: Map<1>,
    energy: Global<Sum<1>>,
}

impl Diagnostics {
    /// For a cube of `edge` elements per edge.
    pub fn new(domain: &mut Domain, elems: Set, edge: u64) -> Diagnostics {
        let (origin, of_origin) = domain.new_subset(elems, "origin", |id| id == 0);
        Diagnostics { edge, origin, of_origin, energy: domain.new_sum("energy at the origin") }
    }

    /// Records the loop that reads the energy at the origin.
    pub fn record(&self, domain: &mut Domain, e: Dat<1>) {
        let at = self.of_origin.target::<0>();
        domain.par_loop(energy_of, self.origin, (e.at(at), self.energy), &());
    }

    /// The energy at the origin that was last recorded.
    ///
    /// # Errors
    /// A device has failed.
    pub fn energy(&self, domain: &mut Domain) -> Result<f64, BackendError> {
        domain.get(self.energy).map(|[energy]| energy)
    }

    /// How much the energies e(j, k) in the plane of low zeta differ from e(k, j), for all j < k: the largest
    /// difference, the sum of all, taken row by row, and the largest one relative to e(k, j). Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn asymmetry(&self, domain: &mut Domain, e: Dat<1>) -> Result<[f64; 3], BackendError> {
        let n = self.edge;
        let values = domain.read(e)?;
        let own = domain.global_ids(e.set()).iter().zip(values).filter(|(id, _)| **id < n * n);
        let own: Vec<[u64; 2]> = own.map(|(&id, value)| [id, value.to_bits()]).collect();
        let mut plane = domain.comm().all_gather(&own).concat();
        plane.sort_unstable();
        let energy = |row: u64, column: u64| f64::from_bits(plane[(row * n + column) as usize][1]);
        let (mut largest, mut total, mut relative) = (0.0, 0.0, 0.0);
        for (j, k) in (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k))) {
            let (one, other) = (energy(j, k), energy(k, j));
            let difference = (one - other).abs();
            total += difference;
            largest = f64::max(largest, difference);
            // Where the blast has not arrived, both are 0, and so is the relative difference.
            if other != 0.0 {
                relative = f64::max(relative, difference / other);
            }
        }
        Ok([largest, total, relative])
    }
}
