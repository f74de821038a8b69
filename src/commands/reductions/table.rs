//! The findings, for people.

use cfd_engine::comm::Comm;
use cfd_reductions::matching::Candidate;
use cfd_reductions::placement::Map;
use cfd_reductions::study::bound;
use cfd_reductions::topology::Topology;
use cfd_reductions::tree::Tree;

use super::simulate::{OfCost, OfData, Simulated};
use super::{LibrarySum, Measured, OfKind, Study};
use crate::plot::reductions::Picture;

/// Trees whose time is drawn: one per colour.
pub const DRAWN: [&str; 6] =
    ["linear", "ring", "recursive-doubling", "node-aware-allreduce", "node-aware-reduce", "exact"];

/// The tables of a number of ranks: how often trees differ, how many results there are, what trees cost.
pub fn simulated(study: &Study, simulated: &Simulated) -> String {
    let ranks = simulated.ranks;
    let heading = format!("\n{ranks} rank{}", if ranks == 1 { "" } else { "s" });
    let mut parts = vec![heading, bits(simulated), results(simulated), costs(study, simulated)];
    parts.extend(super::calls::lines(study, &simulated.calls));
    parts.extend(simulated.delays.iter().flat_map(|delays| super::delays::lines(study, delays)));
    parts.join("\n")
}

/// One line per tree.
fn bits(simulated: &Simulated) -> String {
    let of_data = |cell: &dyn Fn(&OfData) -> String| simulated.data.iter().map(cell).collect::<String>();
    let left = |tree: &str, nodes: &str, depth: &str, bound: &str| {
        format!("{tree:<22}{nodes:<10}{depth:>8}{bound:>9}")
    };
    let mut lines = vec![
        format!("{:<49}{}", "", of_data(&|data| format!("   {:<33}", differ(data)))).trim_end().into(),
        format!(
            "{}{}",
            left("tree", "nodes", "depth", "bound"),
            of_data(&|_| format!("   {:>11}{:>11}{:>11}", "binomial", "exact", "error"))
        ),
    ];
    for (row, first) in simulated.data[0].bits.iter().enumerate() {
        let cells = of_data(&|data| {
            let bits = &data.bits[row];
            let share = |sets: u64| format!("{:.1} %", bits.percent(sets));
            let (binomial, exact) = (share(bits.differ_from_binomial), share(bits.differ_from_exact));
            format!("   {binomial:>11}{exact:>11}{:>11.1e}", bits.largest_error)
        });
        let name = first.candidate.tree.to_string();
        let depth = first.depth.to_string();
        lines.push(
            left(&name, &nodes(&first.candidate), &depth, &format!("{:.1e}", bound(first.depth))) + &cells,
        );
    }
    lines.join("\n")
}

/// The columns of one kind of data.
fn differ(data: &OfData) -> String {
    let sets = data.bits.first().map_or(0, |bits| bits.sets);
    format!("{}, {sets} sets: differ from", data.name)
}

fn nodes(candidate: &Candidate) -> String {
    candidate.nodes.map_or(String::new(), |(map, node_ranks)| format!("{map} {node_ranks}"))
}

fn results(simulated: &Simulated) -> String {
    let of_data = |cell: &dyn Fn(&OfData) -> String| simulated.data.iter().map(cell).collect::<String>();
    let mut lines = vec![
        String::new(),
        format!(
            "{:<46}{:>9}{}",
            "different results of one data set",
            "variants",
            of_data(&|data| format!("{:>10}", data.name))
        ),
    ];
    for (row, first) in simulated.data[0].results.iter().enumerate() {
        let cells = of_data(&|data| format!("{:>10}", data.results[row].results));
        lines.push(format!("{:<46}{:>9}{cells}", first.what, first.variants));
    }
    let mean = of_data(&|data| format!("{:>10.1}", data.of_all.0));
    let most = of_data(&|data| format!("{:>10}", data.of_all.1));
    lines.push(format!("{:<46}{:>9}{mean}", "any tree above but exact: on average", ""));
    lines.push(format!("{:<46}{:>9}{most}", "  at most", ""));
    for (differ, sets) in simulated.data.iter().filter_map(|data| data.of_terms) {
        lines.push(format!(
            "exact sums of the parts that are not the exact sum of the terms: {differ} of {sets}"
        ));
    }
    lines.join("\n")
}

/// Modelled times on the usual nodes, or their ratios to those of one tree.
fn costs(study: &Study, simulated: &Simulated) -> String {
    let node = study.usual_node();
    let rows: Vec<&OfCost> = simulated.costs.iter().filter(|of| of.node_ranks == node).collect();
    let relative = study.args.relative_to;
    let what = if relative.is_some() { "ratio of times" } else { "time" };
    let is_told = !study.args.told.is_empty();
    let left = if is_told { 36 } else { 22 };
    let mut lines = Vec::new();
    for name in &study.args.topologies {
        let doubles = |n: &u64| if *n == 1 { "1 double".into() } else { format!("{n}") };
        let times = study.args.elements.iter().map(|n| format!("{:>11}", doubles(n))).collect::<String>();
        let of_maps =
            |cell: &dyn Fn(Map) -> String| study.maps.iter().map(|&map| cell(map)).collect::<String>();
        let wide = times.len() + 6;
        lines.push(String::new());
        lines.push(
            format!(
                "{:<left$}{}",
                format!("{what} on a {name}"),
                of_maps(&|map| format!("   {:<wide$}", format!("{map} {node}")))
            )
            .trim_end()
            .into(),
        );
        lines.push(format!("{:<left$}{}", "tree", of_maps(&|_| format!("   {:>6}{times}", "hops"))));
        let told =
            |tree: Tree| study.told(tree, simulated.ranks, node).into_iter().map(move |told| (tree, told));
        for (tree, told) in study.trees(simulated.ranks).flat_map(told) {
            let cells = of_maps(&|map| {
                let of_tree = |tree: Tree, told: Option<u32>| {
                    let here = rows.iter().filter(move |of| (of.tree, of.told, of.map) == (tree, told, map));
                    here.filter(|of| of.topology.to_string() == *name).map(|of| of.cost)
                };
                let hops = of_tree(tree, told).next().map_or(0.0, |cost| cost.mean_hops());
                let times: String = match relative {
                    None => of_tree(tree, told).map(|cost| format!("{:>11}", seconds(cost.time_s))).collect(),
                    Some(other) => {
                        let others = study.told(other, simulated.ranks, node);
                        let same = if others.contains(&told) { told } else { others[0] };
                        let pairs = of_tree(tree, told).zip(of_tree(other, same));
                        pairs.map(|(cost, other)| format!("{:>11.2}", cost.time_s / other.time_s)).collect()
                    }
                };
                format!("   {hops:>6.1}{times}")
            });
            let name = told_words(&tree, told.filter(|_| is_told));
            lines.push(format!("{name:<left$}{cells}"));
        }
    }
    lines.join("\n")
}

/// A tree, and the cores per node that it is told of.
pub fn told_words(tree: &Tree, told: Option<u32>) -> String {
    told.map_or_else(|| tree.to_string(), |told| format!("{tree}, told of {told}"))
}

/// A time with its unit.
pub fn seconds(time: f64) -> String {
    match time {
        0.0..1e-3 => format!("{:.1} us", 1e6 * time),
        1e-3..1.0 => format!("{:.2} ms", 1e3 * time),
        _ => format!("{time:.2} s"),
    }
}

/// The library's own sums.
pub fn library(comm: &Comm, name: &str, sums: &[LibrarySum]) -> String {
    let Some(first) = sums.first() else {
        return String::from("library      none: without mpirun, this only simulates");
    };
    let kinds = |text: &dyn Fn(usize) -> String| (0..first.data.len()).map(text).collect::<String>();
    let left = |ranks: &str, call: &str, map: &str, elements: &str| {
        format!("{ranks:>6}  {call:<14} {map:<10}{elements:>9}")
    };
    let mut lines = vec![
        format!("library      {name}, {} ranks", comm.size()),
        "             A map permutes what the ranks sum: with \"cyclic 8\", rank i has the number of the rank at"
            .into(),
        "             place i of nodes of 8. \"bits of\" names the tree that gives the library's bits in all data sets.".into(),
        String::new(),
        format!("{:<42}{}", "", kinds(&|kind| format!("  {:<22}", differ_of(&first.data[kind])))).trim_end().into(),
        format!(
            "{}{}  bits of",
            left("ranks", "call", "map", "doubles"),
            kinds(&|_| format!("  {:>11}{:>11}", "binomial", "exact"))
        ),
    ];
    for sum in sums {
        let map = format!("{} {}", sum.map, sum.node_ranks);
        let cells = kinds(&|kind| {
            let data = &sum.data[kind];
            let share = |differ: u64| format!("{:.0} %", 100.0 * differ as f64 / data.sets as f64);
            format!("  {:>11}{:>11}", share(data.differ_from_binomial), share(data.differ_from_exact))
        });
        let others = if sum.is_one { "" } else { "; not the same on all ranks" };
        let cells = left(&sum.ranks.to_string(), sum.call, &map, &sum.elements.to_string()) + &cells;
        lines.push(format!("{cells}  {}{others}", sum.same_as));
    }
    lines.join("\n")
}

fn differ_of(data: &OfKind) -> String {
    format!("{}, {}: differ from", data.name, data.sets)
}

/// Times over real messages.
pub fn measured(all: &[Measured]) -> String {
    let mut lines = vec![
        String::new(),
        "measured     median and longest time of all ranks; \"bits\" says whether sums are as simulated"
            .into(),
        format!(
            "{:>6}{:>10}  {:<36}{:>11}{:>11}{:>8}  bits",
            "ranks", "doubles", "sum", "median", "longest", "calls"
        ),
    ];
    for of in all {
        let name = match of.told {
            Some(told) => format!("{}, told of {told}", of.name),
            None => of.name.clone(),
        };
        let bits = of.is_as_simulated.map_or("", |is| if is { "as simulated" } else { "OTHERS" });
        let times = [of.time_s, of.worst_s].map(|time| format!("{:>11}", seconds(time))).concat();
        let line = format!("{:>6}{:>10}  {name:<36}{times}{:>8}  {bits}", of.ranks, of.elements, of.rounds);
        lines.push(line.trim_end().into());
    }
    lines.join("\n")
}

/// The drawing's data: shares for the most ranks, times over all numbers of ranks.
pub fn picture(study: &Study, all: &[Simulated]) -> Picture {
    let node = study.usual_node();
    let Some(most) = all.iter().max_by_key(|simulated| simulated.ranks) else { return Picture::default() };
    let data = &most.data[0];
    let here = data.bits.iter().filter(|bits| bits.candidate.nodes.is_none_or(|(_, k)| k == node));
    let shares = here.map(|bits| {
        let percent = [bits.differ_from_binomial, bits.differ_from_exact].map(|sets| bits.percent(sets));
        (bits.candidate.words(), percent)
    });
    let map = study.maps[0];
    let topology = &study.args.topologies[0];
    let elements = study.args.elements[0];
    let time = |simulated: &Simulated, tree: Tree| {
        let of = simulated.costs.iter().find(|of| {
            (of.tree, of.map, of.node_ranks, of.elements) == (tree, map, node, elements)
                && is_named(&of.topology, topology)
        });
        of.map(|of| (f64::from(simulated.ranks), of.cost.time_s))
    };
    let mut drawn: Vec<Tree> =
        study.args.trees.iter().copied().filter(|tree| DRAWN.contains(&&tree.to_string()[..])).collect();
    if drawn.is_empty() {
        drawn = study.args.trees.iter().copied().take(DRAWN.len()).collect();
    }
    let times = drawn.into_iter().map(|tree| {
        let mut points: Vec<(f64, f64)> = all.iter().filter_map(|simulated| time(simulated, tree)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        (tree.to_string(), points)
    });
    let sets = data.bits.first().map_or(0, |bits| bits.sets);
    let doubles = if elements == 1 { "1 double".into() } else { format!("{elements} doubles") };
    Picture {
        title: "sums over ranks".into(),
        subtitle: format!(
            "left: {} ranks, {sets} data sets ({}); right: {doubles}, {topology}, {map} placement, {node} ranks per \
             node",
            most.ranks, data.name
        ),
        shares: shares.collect(),
        times: times.collect(),
    }
}

fn is_named(topology: &Topology, name: &str) -> bool {
    topology.to_string() == name
}
