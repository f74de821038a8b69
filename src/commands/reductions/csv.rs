//! `reductions.csv`: all findings, one per row.
//!
//! The first column says what a row is about and which columns it fills:
//!
//! ```text
//! bits       a tree on a kind of data: how often it differs, the largest error, its bound
//! results    different results of the first data set when something is varied
//! cost       a tree, scan or reduce-scatter on a machine: messages, hops, modelled time; told: of how many cores
//! per node call       a scan or reduce-scatter on a kind of data; sets: sums of all ranks in all sets jitter
//! the time of a tree with delays, in `variants` calls; arrival on a kind of data: how often delays change the sum
//! library    a call of the message passing library: how often it differs, the trees that have its bits measured
//! the time of a sum over messages, or of the library's, in `variants` calls; same_as: whether it has the bits of
//!            the simulation
//! ```

use cfd_reductions::study::bound;

use super::simulate::{OfCost, Simulated};
use super::{LibrarySum, Measured};

const HEADING: &str = "what,ranks,tree,placement,node_ranks,told,data,sets,depth,differ_from_binomial,\
                       differ_from_exact,differ_from_order,largest_error,bound,variants,results,topology,elements,\
                       messages,between_nodes,mean_hops,most_hops,time_s,worst_s,same_as";

/// A row; columns not given are empty.
#[derive(Default)]
struct Row {
    /// One per column.
    texts: [String; 25],
}

impl Row {
    fn new(what: &str, ranks: u32, tree: impl ToString) -> Row {
        Row::default().with("what", what).with("ranks", ranks).with("tree", tree)
    }

    fn with(mut self, column: &str, value: impl ToString) -> Row {
        let place = HEADING.split(',').position(|name| name == column).expect("a column of the heading");
        self.texts[place] = value.to_string();
        self
    }

    fn with_some(self, column: &str, value: Option<impl ToString>) -> Row {
        match value {
            Some(value) => self.with(column, value),
            None => self,
        }
    }

    fn text(&self) -> String {
        self.texts.join(",")
    }
}

/// The table.
pub fn text(all: &[Simulated], library: &[LibrarySum], measured: &[Measured]) -> String {
    let of_trees = |simulated| bits(simulated).chain(results(simulated)).chain(costs(simulated));
    let rows =
        all.iter().flat_map(|simulated| of_trees(simulated).chain(calls(simulated)).chain(delays(simulated)));
    let others = library.iter().flat_map(of_library).chain(measured.iter().map(of_measured));
    let lines = rows.chain(others).map(|row| row.text());
    [HEADING.to_string()].into_iter().chain(lines).map(|line| line + "\n").collect()
}

fn bits(simulated: &Simulated) -> impl Iterator<Item = Row> {
    let each = simulated.data.iter().flat_map(|data| data.bits.iter().map(move |bits| (data.name, bits)));
    each.map(|(data, bits)| {
        let row = Row::new("bits", simulated.ranks, bits.candidate.tree)
            .with("data", data)
            .with("sets", bits.sets)
            .with("depth", bits.depth)
            .with("differ_from_binomial", bits.differ_from_binomial)
            .with("differ_from_exact", bits.differ_from_exact)
            .with("largest_error", format!("{:e}", bits.largest_error))
            .with("bound", format!("{:e}", bound(bits.depth)));
        match bits.candidate.nodes {
            Some((map, node_ranks)) => row.with("placement", map).with("node_ranks", node_ranks),
            None => row,
        }
    })
}

fn results(simulated: &Simulated) -> impl Iterator<Item = Row> {
    let each =
        simulated.data.iter().flat_map(|data| data.results.iter().map(move |results| (data.name, results)));
    each.map(|(data, results)| {
        Row::new("results", simulated.ranks, results.what.replace(',', ";"))
            .with("data", data)
            .with("variants", results.variants)
            .with("results", results.results)
    })
}

fn costs(simulated: &Simulated) -> impl Iterator<Item = Row> {
    simulated.costs.iter().map(|of| cost(simulated.ranks, of))
}

fn cost<T: ToString>(ranks: u32, of: &OfCost<T>) -> Row {
    Row::new("cost", ranks, of.tree.to_string())
        .with("placement", of.map)
        .with("node_ranks", of.node_ranks)
        .with_some("told", of.told)
        .with("topology", of.topology)
        .with("elements", of.elements)
        .with("messages", of.cost.messages)
        .with("between_nodes", of.cost.between_nodes)
        .with("mean_hops", format!("{:.3}", of.cost.mean_hops()))
        .with("most_hops", of.cost.most_hops)
        .with("time_s", format!("{:e}", of.cost.time_s))
}

fn calls(simulated: &Simulated) -> impl Iterator<Item = Row> {
    simulated.calls.iter().flat_map(move |call| {
        let of_data = call.bits.iter().map(move |(data, bits)| {
            Row::new("call", simulated.ranks, call.partial)
                .with("data", data)
                .with("sets", bits.sums)
                .with("differ_from_exact", bits.differ_from_exact)
                .with("differ_from_order", bits.differ_from_order)
        });
        of_data.chain(call.costs.iter().map(|of| cost(simulated.ranks, of)))
    })
}

fn delays(simulated: &Simulated) -> impl Iterator<Item = Row> {
    simulated.delays.iter().flat_map(move |delays| {
        let times = delays.times.iter().map(move |of| {
            Row::new("jitter", simulated.ranks, of.tree)
                .with_some("told", of.told)
                .with("elements", of.elements)
                .with("variants", of.calls)
                .with("time_s", format!("{:e}", of.mean_s))
                .with("worst_s", format!("{:e}", of.worst_s))
        });
        let arrivals = delays.arrivals.iter().map(move |(data, of)| {
            Row::new("jitter", simulated.ranks, "arrival")
                .with("data", data)
                .with("sets", of.sets)
                .with("differ_from_order", of.differ)
                .with("variants", of.calls)
                .with("results", of.results)
        });
        times.chain(arrivals)
    })
}

fn of_measured(of: &Measured) -> Row {
    Row::new("measured", of.ranks, of.name.replace(',', ";"))
        .with_some("told", of.told)
        .with("elements", of.elements)
        .with("variants", of.rounds)
        .with("time_s", format!("{:e}", of.time_s))
        .with("worst_s", format!("{:e}", of.worst_s))
        .with_some("same_as", of.is_as_simulated.map(|is| if is { "simulation" } else { "other bits" }))
}

fn of_library(sum: &LibrarySum) -> impl Iterator<Item = Row> {
    sum.data.iter().map(|data| {
        Row::new("library", sum.ranks, sum.call)
            .with("placement", sum.map)
            .with("node_ranks", sum.node_ranks)
            .with("data", data.name)
            .with("sets", data.sets)
            .with("elements", sum.elements)
            .with("differ_from_binomial", data.differ_from_binomial)
            .with("differ_from_exact", data.differ_from_exact)
            .with("same_as", &sum.same_as)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_as_long_as_the_heading() {
        assert_eq!(HEADING.split(',').count(), Row::default().texts.len());
        let row = Row::new("bits", 64, "linear").with("same_as", "x");
        assert_eq!(row.text(), format!("bits,64,linear{}x", ",".repeat(22)));
    }
}
