//! How often the sums of calls differ from others.

use super::{Call, Partial, Way, chain};
use crate::data::Source;
use crate::placement::Groups;
use crate::study::Summed;
use crate::tree::Tree;

/// The bits of a call in many data sets.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialBits {
    /// The call and its way.
    pub partial: Partial,
    /// Sums: those of all ranks in all data sets.
    pub sums: u64,
    /// Sums that are not those in the order of ranks.
    pub differ_from_order: u64,
    /// Sums that are not the exact ones, rounded.
    pub differ_from_exact: u64,
    /// Data sets in which the last rank's sum is not that of an all-reduce by recursive doubling (for an exclusive
    /// scan: of all ranks but the last).
    pub last_differs: u64,
    /// Data sets.
    pub sets: u64,
}

/// Carries out calls on `sets` data sets, and compares the sums of all ranks.
pub fn bits(
    source: &Source,
    ranks: u32,
    sets: u64,
    partials: &[Partial],
    summed: &Summed,
) -> Vec<PartialBits> {
    let none = |&partial: &Partial| PartialBits {
        partial,
        sums: 0,
        differ_from_order: 0,
        differ_from_exact: 0,
        last_differs: 0,
        sets,
    };
    let mut found: Vec<PartialBits> = partials.iter().map(none).collect();
    let mut numbers = vec![0.0; ranks as usize];
    for set in 0..sets {
        source.fill(set, sets, &mut numbers);
        for bits in &mut found {
            bits.see(&numbers);
            summed.add(work(bits.partial, ranks));
        }
    }
    found
}

/// Numbers whose sum takes as long as a call on one data set.
pub fn work(partial: Partial, ranks: u32) -> u64 {
    let ranks = u64::from(ranks);
    match partial.way {
        Way::Pairwise | Way::Ring => ranks * ranks,
        Way::Exact => 40 * ranks,
        _ => 2 * ranks * u64::from(ranks.ilog2() + 1),
    }
}

impl PartialBits {
    fn see(&mut self, numbers: &[f64]) {
        let ranks = numbers.len() as u32;
        let Partial { call, .. } = self.partial;
        let sums = self.partial.sums(numbers);
        if sums.is_empty() {
            return;
        }
        let of = |way: Way| Partial { call, way }.sums(numbers);
        let exact = of(Way::Exact);
        let order = match call {
            Call::ReduceScatter => vec![chain(numbers.iter().copied()); sums.len()],
            _ => of(Way::Chain),
        };
        let differ = |others: &[f64]| {
            sums.iter().zip(others).filter(|(a, b)| a.to_bits() != b.to_bits()).count() as u64
        };
        self.sums += sums.len() as u64;
        self.differ_from_order += differ(&order);
        self.differ_from_exact += differ(&exact);
        let members = if call == Call::Exscan { ranks - 1 } else { ranks };
        let doubling = Tree::RecursiveDoubling.shape(members, &Groups::one(members), 0);
        let all = doubling.sum(&mut numbers[..members as usize].to_vec());
        let last = sums[sums.len() - 1];
        self.last_differs += u64::from(last.to_bits() != all.to_bits());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Synthetic;

    #[test]
    fn the_last_prefix_of_a_power_of_two_is_the_all_reduces_and_the_chain_has_the_order_of_ranks() {
        for (ranks, differ) in [(64, false), (44, true)] {
            let source = Source::Synthetic(Synthetic::Signed, 3);
            let found = bits(&source, ranks, 50, &Partial::ALL, &Summed::default());
            let of = |call, way| found.iter().find(|bits| bits.partial == Partial { call, way }).unwrap();
            let doubling = of(Call::Scan, Way::Doubling);
            assert_eq!(doubling.last_differs > 0, differ, "{doubling:?}");
            assert_eq!(of(Call::Scan, Way::Chain).differ_from_order, 0);
            assert_eq!(of(Call::Exscan, Way::Chain).differ_from_order, 0);
            for call in [Call::Scan, Call::Exscan, Call::ReduceScatter] {
                assert_eq!(of(call, Way::Exact).differ_from_exact, 0);
            }
            assert!(doubling.differ_from_exact > 200 && doubling.differ_from_order > 200, "{doubling:?}");
            assert!(of(Call::ReduceScatter, Way::Pairwise).differ_from_order > 1000);
            assert_eq!(doubling.sums, 50 * u64::from(ranks));
        }
    }
}
