//! `lengths.svg`: times, modeled and measured, over the length of the vector and over ranks.

use cfd_reductions::tree::Tree;

use super::simulate::Simulated;
use super::table::{DRAWN, told_words};
use super::{Measured, Study};
use crate::plot::lengths::{Curve, Picture, svg};

/// The most curves of a kind; of more sums, those that are usually drawn, and the library's.
const CURVES: usize = 8;

/// A time: of which sum, on how many ranks, how many numbers.
struct Time {
    tree: Option<Tree>,
    name: String,
    is_measured: bool,
    ranks: u32,
    elements: u64,
    time_s: f64,
}

/// Times over lengths on the most ranks, and over ranks for the longest vector; ratios if asked for.
pub fn picture(study: &Study, all: &[Simulated], measured: &[Measured]) -> String {
    let relative = study.args.relative_to;
    let (map, node, network) = (study.maps[0], study.usual_node(), &study.args.topologies[0]);
    let told = |told: Option<u32>| told.filter(|_| !study.args.told.is_empty());
    let modeled = all.iter().flat_map(|simulated| {
        let here = simulated.costs.iter().filter(|of| of.map == map && of.node_ranks == node);
        here.filter(|of| of.topology.to_string() == *network).map(|of| Time {
            tree: Some(of.tree),
            name: told_words(&of.tree, told(of.told)),
            is_measured: false,
            ranks: simulated.ranks,
            elements: of.elements,
            time_s: of.cost.time_s,
        })
    });
    let measured_times = measured.iter().map(|of| Time {
        tree: of.tree,
        name: match of.tree {
            Some(tree) if tree.to_string() == of.name => told_words(&tree, told(of.told)),
            _ => of.name.clone(),
        },
        is_measured: true,
        ranks: of.ranks,
        elements: of.elements,
        time_s: of.time_s,
    });
    let times: Vec<Time> = modeled.chain(measured_times).collect();
    let reference = |of: &Time| {
        let relative = relative?;
        let same = |other: &&Time| {
            other.tree == Some(relative)
                && (other.is_measured, other.ranks, other.elements) == (of.is_measured, of.ranks, of.elements)
        };
        times.iter().find(same).map(|other| other.time_s)
    };
    let value = |of: &Time| match relative {
        None => Some(of.time_s),
        Some(_) => reference(of).map(|other| of.time_s / other),
    };
    let longest = study.args.elements.iter().copied().max().unwrap_or(1);
    let curves = |is_measured: bool| {
        let mut names: Vec<&str> = Vec::new();
        for time in times.iter().filter(|time| time.is_measured == is_measured) {
            let is_reference = relative.is_some() && time.tree == relative;
            if !names.contains(&&time.name[..]) && !is_reference {
                names.push(&time.name);
            }
        }
        if names.len() > CURVES {
            let is_usual = |name: &&str| {
                name.starts_with("MPI_") || DRAWN.iter().any(|drawn| name.split(',').next() == Some(drawn))
            };
            names.retain(is_usual);
        }
        let most = times.iter().filter(|time| time.is_measured == is_measured).map(|time| time.ranks).max();
        let points = |name: &str, is_over_lengths: bool| {
            let own = times.iter().filter(|time| time.is_measured == is_measured && time.name == name);
            let here = own.filter(|time| match is_over_lengths {
                true => Some(time.ranks) == most,
                false => time.elements == longest,
            });
            let x = |time: &Time| if is_over_lengths { time.elements as f64 } else { f64::from(time.ranks) };
            let mut points: Vec<(f64, f64)> =
                here.filter_map(|time| value(time).map(|y| (x(time), y))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let kind = if is_measured { "measured" } else { "model" };
        let curve = |name: &&str| Curve {
            name: format!("{name} ({kind})"),
            over_lengths: points(name, true),
            over_ranks: points(name, false),
        };
        (most, names.iter().take(CURVES).map(curve).collect::<Vec<Curve>>())
    };
    let (modeled_ranks, mut drawn) = curves(false);
    let (measured_ranks, measured) = curves(true);
    drawn.extend(measured);
    let ranks = |what: &str, most: Option<u32>| most.map(|ranks| format!("{what} on {ranks} ranks"));
    let left = [ranks("model", modeled_ranks), ranks("measured", measured_ranks)];
    let left: Vec<String> = left.into_iter().flatten().collect();
    svg(&Picture {
        title: "sums over ranks".into(),
        subtitle: format!(
            "left: {}; right: {longest} doubles; model: {network}, {map} placement, {node} ranks per node",
            left.join(", ")
        ),
        value: match relative {
            Some(tree) => format!("time relative to {tree}"),
            None => "time (s)".into(),
        },
        curves: drawn,
    })
}
