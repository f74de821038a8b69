//! Scans and reduce-scatters: which bits the ranks get, and what they cost.

use cfd_reductions::cost::{Schedule, costs_of};
use cfd_reductions::partial::{self, Call, Partial, PartialBits};
use cfd_reductions::placement::Placement;
use cfd_reductions::study::Summed;

use super::Study;
use super::simulate::{OfCost, topologies};
use super::table::seconds;

/// What is found out about a call by one algorithm.
#[derive(Clone, Debug)]
pub struct OfCall {
    pub partial: Partial,
    /// For each kind of data.
    pub bits: Vec<(&'static str, PartialBits)>,
    /// On every placement, as for trees.
    pub costs: Vec<OfCost<Partial>>,
}

/// All algorithms of the calls asked for.
fn partials(study: &Study) -> Vec<Partial> {
    let asked: Vec<Call> = study.args.calls.iter().filter_map(|name| name.parse().ok()).collect();
    Partial::ALL.into_iter().filter(|partial| asked.contains(&partial.call)).collect()
}

/// How many numbers are added.
pub fn work(study: &Study, ranks: u32) -> f64 {
    let sets = study.sets(ranks) as f64 * study.sources.len() as f64;
    partials(study).into_iter().map(|partial| sets * partial::work(partial, ranks) as f64).sum()
}

/// Looks at the calls asked for.
pub fn calls(study: &Study, ranks: u32, summed: &Summed) -> Vec<OfCall> {
    let partials = partials(study);
    if partials.is_empty() {
        return Vec::new();
    }
    let of_sources: Vec<(&'static str, Vec<PartialBits>)> = study
        .sources
        .iter()
        .map(|source| {
            let sets = source.sets(ranks, study.sets(ranks));
            (source.name(), partial::bits(source, ranks, sets, &partials, summed))
        })
        .collect();
    let of = |(at, partial): (usize, Partial)| OfCall {
        partial,
        bits: of_sources.iter().map(|(name, bits)| (*name, bits[at].clone())).collect(),
        costs: costs(study, ranks, partial),
    };
    partials.iter().copied().enumerate().map(of).collect()
}

fn costs(study: &Study, ranks: u32, partial: Partial) -> Vec<OfCost<Partial>> {
    let node_ranks = study.usual_node();
    let lengths: Vec<u64> = study.args.elements.iter().map(|elements| elements * partial.words()).collect();
    let schedule: &Schedule<'_> = &|see| partial.rounds(ranks, see);
    let of_map = |&map| {
        let placement = Placement::new(map, ranks, node_ranks);
        let topologies = topologies(study, &placement);
        let found = costs_of(schedule, &lengths, placement.node(), &topologies, &study.parameters);
        let places: Vec<_> = topologies
            .into_iter()
            .flat_map(|topology| study.args.elements.iter().map(move |&elements| (topology, elements)))
            .collect();
        places.into_iter().zip(found).map(move |((topology, elements), cost)| OfCost {
            tree: partial,
            map,
            node_ranks,
            told: None,
            topology,
            elements,
            cost,
        })
    };
    study.maps.iter().flat_map(of_map).collect()
}

/// The table: how often the ranks' sums differ, and the time on the first network and placement.
pub fn lines(study: &Study, calls: &[OfCall]) -> Vec<String> {
    let Some(first) = calls.first() else { return Vec::new() };
    let of_data = |cell: &dyn Fn(&str, &PartialBits) -> String, call: &OfCall| {
        call.bits.iter().map(|(name, bits)| cell(name, bits)).collect::<String>()
    };
    let times = study.args.elements.iter().map(|n| format!("{n:>11}")).collect::<String>();
    let (map, network) = (study.maps[0], &study.args.topologies[0]);
    let heading = |name: &str, bits: &PartialBits| {
        format!("   {:<33}", format!("{name}, {} sums: differ from", bits.sums))
    };
    let mut lines = vec![
        String::new(),
        format!("{:<24}{}   time on a {network}, {map} {}", "", of_data(&heading, first), study.usual_node()),
        format!(
            "{:<24}{}   {times}",
            "call",
            of_data(&|_, _| format!("   {:>11}{:>11}{:>11}", "rank order", "exact", "all-reduce"), first)
        ),
    ];
    for call in calls {
        let share = |differ: u64, of: u64| format!("{:.1} %", 100.0 * differ as f64 / of.max(1) as f64);
        let cell = |_: &str, bits: &PartialBits| {
            format!(
                "   {:>11}{:>11}{:>11}",
                share(bits.differ_from_order, bits.sums),
                share(bits.differ_from_exact, bits.sums),
                share(bits.last_differs, bits.sets)
            )
        };
        let here = call.costs.iter().filter(|of| of.map == map && of.topology.to_string() == *network);
        let times = here.map(|of| format!("{:>11}", seconds(of.cost.time_s))).collect::<String>();
        lines.push(format!("{:<24}{}   {times}", call.partial.to_string(), of_data(&cell, call)));
    }
    lines
}
