//! Halo sizes, imbalance and memory of the ranks.

use std::collections::BTreeSet;
use std::fmt::Write;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::layout::LocalSet;
use cfd_partition::Primary;
use serde::Serialize;

use crate::memory;

/// One rank's share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankShare {
    /// Owned elements of the primary set, or of the set of its members.
    pub primary: u64,
    /// Owned elements of all sets.
    pub owned: u64,
    /// Imported elements of all sets that are executed redundantly.
    pub exec: u64,
    /// Imported elements of all sets that are only read.
    pub nonexec: u64,
    /// Ranks with which halos are exchanged.
    pub neighbours: u64,
    /// Bytes of maps and dats.
    pub data_bytes: u64,
    /// Resident memory of the process, if the system tells.
    pub resident_bytes: u64,
}

impl RankShare {
    /// This rank's share. `data_bytes` is the domain's own count of its maps and dats.
    pub fn measure(sets: &[LocalSet], primary: &str, data_bytes: usize) -> RankShare {
        let total = |rows: fn(&LocalSet) -> usize| sets.iter().map(rows).sum::<usize>() as u64;
        let neighbours: BTreeSet<usize> =
            sets.iter().flat_map(|set| set.neighbours.iter().map(|neighbour| neighbour.rank)).collect();
        RankShare {
            primary: sets.iter().filter(|set| set.name == primary).map(|set| set.owned as u64).sum(),
            owned: total(|set| set.owned),
            exec: total(|set| set.exec),
            nonexec: total(|set| set.nonexec),
            neighbours: neighbours.len() as u64,
            data_bytes: data_bytes as u64,
            resident_bytes: memory::resident().unwrap_or(0),
        }
    }

    /// Owned and imported elements of all sets.
    pub fn elements(&self) -> u64 {
        self.owned + self.exec + self.nonexec
    }

    /// Share of imported elements.
    pub fn halo_share(&self) -> f64 {
        let halo = self.exec + self.nonexec;
        if halo == 0 { 0.0 } else { halo as f64 / self.elements() as f64 }
    }
}

/// The shares of all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shares(pub Vec<RankShare>);

/// Halo figures of `summary.json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HaloSummary {
    /// Mean over ranks of the number of ranks that each exchanges halos with.
    pub neighbours_mean: f64,
    /// Mean over ranks of the number of elements of all sets, owned and imported.
    pub elements_mean: f64,
    /// Mean over ranks of the share of imported elements.
    pub halo_share: f64,
}

impl Shares {
    /// The shares of all ranks of a domain. Collective.
    pub fn of(comm: &Comm, domain: &Domain, primary: &Primary) -> Shares {
        let balanced = balanced(domain, primary);
        Shares::gather(comm, &RankShare::measure(domain.local_sets(), balanced, domain.memory()))
    }

    /// The shares of all ranks, on every rank. Collective.
    pub fn gather(comm: &Comm, own: &RankShare) -> Shares {
        let RankShare { primary, owned, exec, nonexec, neighbours, data_bytes, resident_bytes } = *own;
        let figures = [primary, owned, exec, nonexec, neighbours, data_bytes, resident_bytes];
        let share = |figures: Vec<u64>| {
            let [primary, owned, exec, nonexec, neighbours, data_bytes, resident_bytes] = figures[..] else {
                unreachable!("every rank sends seven figures")
            };
            RankShare { primary, owned, exec, nonexec, neighbours, data_bytes, resident_bytes }
        };
        Shares(comm.all_gather(&figures).into_iter().map(share).collect())
    }

    fn mean(&self, figure: impl Fn(&RankShare) -> f64) -> f64 {
        self.0.iter().map(figure).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Means over ranks.
    pub fn summary(&self) -> HaloSummary {
        HaloSummary {
            neighbours_mean: self.mean(|share| share.neighbours as f64),
            elements_mean: self.mean(|share| share.elements() as f64),
            halo_share: self.mean(RankShare::halo_share),
        }
    }

    /// Largest over mean number of owned primary elements.
    pub fn imbalance(&self) -> f64 {
        let largest = self.0.iter().map(|share| share.primary).max().unwrap_or(0) as f64;
        let mean = self.mean(|share| share.primary as f64);
        if mean > 0.0 { largest / mean } else { 1.0 }
    }

    /// One line about the partition.
    pub fn line(&self) -> String {
        let HaloSummary { neighbours_mean, elements_mean, halo_share } = self.summary();
        format!(
            "{elements_mean:.0} elements per rank, {:.2} % of them halo, {neighbours_mean:.1} neighbours, imbalance \
             {:.3}",
            100.0 * halo_share,
            self.imbalance()
        )
    }

    /// Smallest, mean and largest of every figure, and a row for each rank if there are at most `rows`.
    pub fn table(&self, primary: &str, rows: usize) -> String {
        const MIB: f64 = (1u64 << 20) as f64;
        let columns: [Column; 8] = [
            (primary, |share| share.primary as f64, 0),
            ("owned", |share| share.owned as f64, 0),
            ("exec halo", |share| share.exec as f64, 0),
            ("read halo", |share| share.nonexec as f64, 0),
            ("halo %", |share| 100.0 * share.halo_share(), 2),
            ("neighbours", |share| share.neighbours as f64, 1),
            ("data MiB", |share| share.data_bytes as f64 / MIB, 1),
            ("memory MiB", |share| share.resident_bytes as f64 / MIB, 1),
        ];
        let mut table = format!("{:<5}", "rank");
        for (name, ..) in columns {
            write!(table, " {name:>11}").expect("writing to a string");
        }
        let mut row = |label: &str, value: &dyn Fn(Figure) -> f64| {
            write!(table, "\n{label:<5}").expect("writing to a string");
            for (_, figure, digits) in columns {
                write!(table, " {:>11.digits$}", value(figure)).expect("writing to a string");
            }
        };
        if self.0.len() <= rows {
            for (rank, share) in self.0.iter().enumerate() {
                row(&rank.to_string(), &|figure| figure(share));
            }
        }
        row("min", &|figure| self.0.iter().map(figure).fold(f64::INFINITY, f64::min));
        row("mean", &|figure| self.mean(figure));
        row("max", &|figure| self.0.iter().map(figure).fold(0.0, f64::max));
        table
    }
}

/// The name of the set that parts should have equally many elements of: the primary set, or that of its members.
pub fn balanced<'a>(domain: &'a Domain, primary: &'a Primary) -> &'a str {
    let members = primary.members.as_ref().and_then(|map| domain.any_map(map).ok());
    let names = domain.local_sets().iter().map(|set| &set.name[..]);
    let mut names = names.filter(|name| members.is_some_and(|map| domain.set(name) == Ok(map.from())));
    names.next().unwrap_or(&primary.set)
}

/// A figure of one rank.
type Figure = fn(&RankShare) -> f64;
/// A column of the table: heading, figure, decimals.
type Column<'a> = (&'a str, Figure, usize);

#[cfg(test)]
mod tests {
    use cfd_engine::layout::Neighbour;

    use super::*;

    fn set(name: &str, owned: usize, exec: usize, nonexec: usize, neighbours: &[usize]) -> LocalSet {
        let neighbours = neighbours.iter().map(|&rank| Neighbour { rank, ..Neighbour::default() }).collect();
        LocalSet { name: name.into(), owned, exec, nonexec, neighbours, ..LocalSet::default() }
    }

    #[test]
    fn halo_figures_count_all_sets_and_every_neighbour_once() {
        let sets = [set("cells", 6, 0, 2, &[1, 3]), set("edges", 10, 2, 0, &[1, 2])];
        let share = RankShare::measure(&sets, "cells", 77);
        assert_eq!((share.primary, share.owned, share.exec, share.nonexec), (6, 16, 2, 2));
        assert_eq!((share.neighbours, share.data_bytes, share.elements()), (3, 77, 20));
        assert_eq!(share.halo_share(), 0.2);
    }

    #[test]
    fn shares_of_all_ranks_make_means_and_imbalance() {
        let tables = Comm::simulate(3, |comm| {
            let owned = if comm.rank() == 0 { 0 } else { 3 * comm.rank() };
            let own = RankShare::measure(&[set("cells", owned, 0, 1, &[])], "cells", 0);
            let shares = Shares::gather(&comm, &own);
            assert_eq!(shares.imbalance(), 2.0);
            assert_eq!(shares.summary().elements_mean, 4.0);
            // A rank without owned elements is all halo.
            assert_eq!(shares.summary().halo_share, (1.0 + 0.25 + 1.0 / 7.0) / 3.0);
            (shares.table("cells", 16), shares.table("cells", 2))
        });
        assert_eq!(tables[0].0.lines().count(), 1 + 3 + 3, "{}", tables[0].0);
        assert_eq!(tables[0].1.lines().count(), 1 + 3);
    }
}
