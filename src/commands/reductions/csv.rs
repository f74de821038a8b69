//! `reductions.csv`: all findings, one per row.
//!
//! The first column says what a row is about and which columns it fills:
//!
//! ```text
//! bits       a tree on a kind of data: how often it differs, the largest error, its bound
//! results    different results of the first data set when something is varied
//! cost       a tree on a machine: messages, hops, modelled time
//! library    a call of the message passing library: how often it differs, the trees that have its bits
//! ```

use cfd_reductions::study::bound;

use super::LibrarySum;
use super::simulate::Simulated;

const HEADING: &str = "what,ranks,tree,placement,node_ranks,data,sets,depth,differ_from_binomial,differ_from_exact,\
                       largest_error,bound,variants,results,topology,elements,messages,between_nodes,mean_hops,most_hops,\
                       time_s,same_as";

/// A row; columns not given are empty.
#[derive(Default)]
struct Row {
    /// One per column.
    texts: [String; 22],
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

    fn text(&self) -> String {
        self.texts.join(",")
    }
}

/// The table.
pub fn text(all: &[Simulated], library: &[LibrarySum]) -> String {
    let rows =
        all.iter().flat_map(|simulated| bits(simulated).chain(results(simulated)).chain(costs(simulated)));
    let lines = rows.chain(library.iter().flat_map(of_library)).map(|row| row.text());
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
    simulated.costs.iter().map(|of| {
        Row::new("cost", simulated.ranks, of.tree)
            .with("placement", of.map)
            .with("node_ranks", of.node_ranks)
            .with("topology", of.topology)
            .with("elements", of.elements)
            .with("messages", of.cost.messages)
            .with("between_nodes", of.cost.between_nodes)
            .with("mean_hops", format!("{:.3}", of.cost.mean_hops()))
            .with("most_hops", of.cost.most_hops)
            .with("time_s", format!("{:e}", of.cost.time_s))
    })
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
        assert_eq!(row.text(), format!("bits,64,linear{}x", ",".repeat(19)));
    }
}
