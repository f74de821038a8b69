//! `profile.json`: where a run's time went, as a tree that Hatchet reads (`hatchet.GraphFrame.from_literal`).
//!
//! Its layout: Bhatele, Brink, Gamblin, "Hatchet: pruning the overgrowth in parallel profiles", SC 2019,
//! <https://doi.org/10.1145/3295500.3356219>. A node has a name, metrics and children; `time (inc)` is the time of a
//! node and all below it in seconds, `time` the node's own. Times of loops are means over the ranks, all others are
//! rank 0's.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::loops::LoopCost;
use super::summary::Summary;

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Node {
    frame: Frame,
    metrics: Map<String, Json>,
    children: Vec<Node>,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Frame {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Node {
    /// A node with this many seconds, its children's included.
    fn new(kind: &'static str, name: &str, seconds: f64, children: Vec<Node>) -> Node {
        let below: f64 = children.iter().filter_map(|child| child.metrics["time (inc)"].as_f64()).sum();
        let mut node = Node { frame: Frame { name: name.into(), kind }, metrics: Map::new(), children };
        node.set("time (inc)", seconds);
        node.set("time", (seconds - below).max(0.0));
        node
    }

    fn set(&mut self, metric: &str, value: f64) {
        self.metrics.insert(metric.into(), json!(value));
    }

    /// A loop, its schedule and its wait for other ranks.
    fn of_loop(cost: &LoopCost) -> Node {
        let parts = [("schedule", cost.setup_s), ("halo wait", cost.halo_wait_s)];
        let parts = parts.into_iter().filter(|(_, seconds)| *seconds > 0.0);
        let parts = parts.map(|(name, seconds)| Node::new("region", name, seconds, Vec::new())).collect();
        let mut node = Node::new("loop", &cost.name, cost.time_s.mean + cost.setup_s, parts);
        node.set("calls", cost.calls as f64);
        node.set("time min", cost.time_s.min);
        node.set("time max", cost.time_s.max);
        node.set("gbytes", cost.gbytes);
        node.set("gflop", cost.gflop);
        node
    }
}

/// The file's text.
pub fn to_json(summary: &Summary) -> String {
    let time = &summary.time;
    let loops = summary.loops.iter().map(Node::of_loop).collect();
    let parts = vec![
        Node::new("region", "set-up", time.setup_s, Vec::new()),
        Node::new("region", "iterations", time.solve_s, loops),
        Node::new("region", "output", time.io_s, Vec::new()),
    ];
    let root = Node::new("region", &summary.case, time.total_s, parts);
    let mut text = serde_json::to_string_pretty(&[root]).expect("names are text");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_api::loops::Spread;

    #[test]
    fn a_node_s_own_time_is_what_its_children_leave() {
        let cost = LoopCost {
            name: "update".into(),
            calls: 10,
            time_s: Spread { min: 1.0, mean: 2.0, max: 3.0 },
            halo_wait_s: 0.5,
            halo_bytes: 0,
            whole_halo_bytes: 0,
            gbytes: 3.0,
            gflop: 1.0,
            elements: 100,
            redundant_elements: 0,
            setup_s: 0.25,
            colors: None,
            elided: false,
        };
        let node = Node::of_loop(&cost);
        assert_eq!(node.metrics["time (inc)"], 2.25);
        assert_eq!(node.metrics["time"], 1.5);
        assert_eq!((&node.metrics["calls"], &node.metrics["time max"]), (&json!(10.0), &json!(3.0)));
        let names: Vec<&str> = node.children.iter().map(|child| child.frame.name.as_str()).collect();
        assert_eq!(names, ["schedule", "halo wait"]);
        let whole = Node::new("region", "iterations", 5.0, vec![node.clone(), node]);
        assert_eq!(whole.metrics["time"], 0.5);
        // Clocks of several ranks may disagree slightly.
        let less = Node::new("region", "iterations", 4.0, whole.children);
        assert_eq!(less.metrics["time"], 0.0);
    }
}
