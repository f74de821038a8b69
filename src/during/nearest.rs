//! The elements nearest to points, by the distance of their centres; at equal distance, the one with the lowest global
//! id. The same on any number of ranks.

use std::collections::BTreeMap;

use cfd_engine::any::AnyDat;
use cfd_engine::backend::BackendError;
use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::handle::Set;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_io::{FieldData, to_blocks};
use cfd_mesh::Derived;

/// The centres of this rank's elements of a set.
pub struct Middles {
    /// The set.
    pub set: Set,
    /// Its name.
    pub name: &'static str,
    middles: Points,
}

/// Points with global ids.
struct Points {
    dim: usize,
    x: Vec<f64>,
    ids: Vec<u64>,
}

/// The centres of the sets of a derived mesh that have positions: nodes, and cells, whose centre is the mean of their corners.
/// Collective.
///
/// # Errors
/// The mesh lacks part of what it should have.
pub fn middles(
    comm: &Comm,
    domain: &mut Domain,
    derived: &'static Derived,
) -> Result<[Middles; 2], DomainError> {
    let shown = derived.cells;
    let (cells, nodes) = (domain.set(shown.set)?, domain.set(shown.nodes)?);
    let corners = domain.any_map(shown.corners)?;
    let x = domain.any_dat(shown.coordinates)?;
    let targets = domain.any_target_ids(corners);
    let own = Middles {
        set: nodes,
        name: shown.nodes,
        middles: Points { dim: x.dim(), x: x.read_f64(domain)?, ids: domain.global_ids(nodes).to_vec() },
    };
    let x = Coordinates::of(comm, domain, x, &targets)?;
    let of_cells = targets.chunks_exact(corners.arity()).flat_map(|cell| x.middle(cell)).collect();
    let ids = domain.global_ids(cells).to_vec();
    let middles = Points { dim: own.middles.dim, x: of_cells, ids };
    let cells = Middles { set: cells, name: shown.set, middles };
    Ok([cells, own])
}

/// Coordinates of the nodes of this rank's cells.
struct Coordinates {
    dim: usize,
    rows: BTreeMap<u64, usize>,
    x: Vec<f64>,
}

impl Coordinates {
    fn of(comm: &Comm, domain: &mut Domain, x: AnyDat, nodes: &[u64]) -> Result<Coordinates, BackendError> {
        let mut ids = nodes.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let all = FieldData::owned(domain, "coordinates", x)?;
        let block = to_blocks(comm, &all);
        let x = fetch_rows(comm, Blocks::new(all.rows, comm.size()), all.dim, block.values(), &ids);
        Ok(Coordinates { dim: all.dim, rows: ids.into_iter().zip(0..).collect(), x })
    }

    /// The mean of a cell's corners, each once.
    fn middle(&self, cell: &[u64]) -> Vec<f64> {
        let is_first = |at: &usize| !cell[..*at].contains(&cell[*at]);
        let corners: Vec<usize> =
            (0..cell.len()).filter(is_first).map(|at| self.rows[&cell[at]] * self.dim).collect();
        let mean = |m: usize| corners.iter().map(|at| self.x[at + m]).sum::<f64>() / corners.len() as f64;
        (0..self.dim).map(mean).collect()
    }
}

impl Middles {
    /// The nearest element of each point; the set is not empty. Collective; the same on every rank.
    pub fn nearest(&self, comm: &Comm, points: &[Vec<f64>]) -> Vec<u64> {
        self.middles.nearest(comm, points)
    }

    /// The row of an element, if this rank owns it.
    pub fn row(&self, id: u64) -> Option<usize> {
        self.middles.ids.iter().position(|&own| own == id)
    }
}

impl Points {
    /// The nearest of each of these over all ranks.
    fn nearest(&self, comm: &Comm, points: &[Vec<f64>]) -> Vec<u64> {
        let own: Vec<[u64; 2]> = points.iter().map(|point| self.nearest_here(point)).collect();
        let ranks = comm.all_gather(&own);
        let nearest = |at: usize| ranks.iter().map(|rank| rank[at]).min().expect("there is a rank");
        (0..points.len()).map(|at| nearest(at)[1]).collect()
    }

    /// The bits of the squared distance, and the global id. The bits of non-negative numbers have the order of the
    /// numbers.
    fn nearest_here(&self, point: &[f64]) -> [u64; 2] {
        let distance = |x: &[f64]| x.iter().zip(point).map(|(x, p)| (x - p) * (x - p)).sum::<f64>();
        let each = self.x.chunks_exact(self.dim).zip(&self.ids).map(|(x, &id)| [distance(x).to_bits(), id]);
        each.min().unwrap_or([u64::MAX; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_elements_at_one_distance_the_lowest_id_is_the_nearest_on_any_ranks() {
        // Elements at 0, 1, 2, ... 8, distributed so that neighbours are on different ranks.
        for ranks in [1, 2, 5, 12] {
            let found = Comm::simulate(ranks, |comm| {
                let ids: Vec<u64> =
                    (0..9).rev().filter(|id| id % comm.size() as u64 == comm.rank() as u64).collect();
                let x = ids.iter().map(|&id| id as f64).collect();
                Points { dim: 1, x, ids }.nearest(&comm, &[vec![3.5], vec![3.6], vec![-7.0], vec![100.0]])
            });
            assert!(found.iter().all(|ids| ids == &[3, 4, 0, 8]), "{found:?}");
        }
    }
}
