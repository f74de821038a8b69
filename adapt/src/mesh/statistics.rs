//! How good a mesh is in its metric.

use cfd_engine::comm::{Comm, ReduceOp};

use super::{Local, Mesh, is_outer};

/// Bins of a histogram.
const CLASSES: usize = 50;
/// Lengths up to this are distinguished.
pub const LONGEST: f64 = 2.5;
/// Lengths that count as on target.
pub const BAND: [f64; 2] = [0.71, 1.41];

/// Qualities of elements and lengths of edges, over all ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of elements.
    pub elements: u64,
    /// Quality of the worst element.
    pub quality_min: f64,
    /// Mean quality of the elements.
    pub quality_mean: f64,
    /// Length of the shortest edge in the metric.
    pub length_min: f64,
    /// Length of the longest edge in the metric.
    pub length_max: f64,
    /// Share of the edges whose lengths are in [`BAND`].
    pub in_band: f64,
    /// Elements by quality, from 0 to 1.
    pub qualities: Vec<u64>,
    /// Edges by length, from 0 to [`LONGEST`]; longer ones count with the longest.
    pub lengths: Vec<u64>,
}

impl Statistics {
    /// Of a mesh and its metric. Collective.
    pub fn of(mesh: &Mesh<2>) -> Statistics {
        let (comm, local) = (mesh.comm(), mesh.local());
        let [vertices, elements] = mesh.counts();
        let qualities: Vec<f64> = local.own_elements().map(|e| local.quality(e)).collect();
        let edges = halves(local);
        let mut classes = vec![0u64; 2 * CLASSES + 2];
        for &quality in &qualities {
            classes[class(quality, 1.0)] += 1;
        }
        for &(length, halves) in &edges {
            classes[CLASSES + class(length, LONGEST)] += halves;
            classes[2 * CLASSES] += halves;
            classes[2 * CLASSES + 1] += if (BAND[0]..=BAND[1]).contains(&length) { halves } else { 0 };
        }
        comm.all_reduce(&mut classes, ReduceOp::Sum);
        let lengths = || edges.iter().map(|&(length, _)| length);
        Statistics {
            vertices,
            elements,
            quality_min: least(comm, qualities.iter().copied()),
            quality_mean: mesh.exact_sum(qualities.iter().copied()) / elements as f64,
            length_min: least(comm, lengths()),
            length_max: greatest(comm, lengths()),
            in_band: classes[2 * CLASSES + 1] as f64 / classes[2 * CLASSES] as f64,
            qualities: classes[..CLASSES].to_vec(),
            lengths: classes[CLASSES..2 * CLASSES].iter().map(|halves| halves / 2).collect(),
        }
    }
}

impl Statistics {
    /// Numbers of [`Statistics::to_numbers`].
    pub const NUMBERS: usize = 7 + 2 * CLASSES;

    /// All of it as numbers, for a checkpoint.
    pub fn to_numbers(&self) -> Vec<f64> {
        let Statistics {
            vertices, elements, quality_min, quality_mean, length_min, length_max, in_band, ..
        } = *self;
        let first =
            [vertices as f64, elements as f64, quality_min, quality_mean, length_min, length_max, in_band];
        let counts = self.qualities.iter().chain(&self.lengths).map(|&count| count as f64);
        first.into_iter().chain(counts).collect()
    }

    /// Of those numbers; `None` if there are more or fewer.
    pub fn of_numbers(numbers: &[f64]) -> Option<Statistics> {
        let numbers: &[f64; Statistics::NUMBERS] = numbers.try_into().ok()?;
        let (&[vertices, elements, quality_min, quality_mean, length_min, length_max, in_band], counts) =
            numbers.split_first_chunk()?;
        let counts =
            |at: usize| counts[at * CLASSES..][..CLASSES].iter().map(|&count| count as u64).collect();
        let (vertices, elements) = (vertices as u64, elements as u64);
        let (qualities, lengths) = (counts(0), counts(1));
        Some(Statistics {
            vertices,
            elements,
            quality_min,
            quality_mean,
            length_min,
            length_max,
            in_band,
            qualities,
            lengths,
        })
    }
}

/// Lengths of the edges of this rank's elements, and how many half edges each stands for: an interior edge belongs to
/// two elements.
fn halves(local: &Local<2>) -> Vec<(f64, u64)> {
    let mut halves = Vec::new();
    for e in local.own_elements() {
        let corners = local.elements().corners(e);
        for (i, &tag) in local.elements().tags(e).iter().enumerate() {
            let length = local.length(corners[(i + 1) % 3], corners[(i + 2) % 3]);
            halves.push((length, if is_outer(tag) { 2 } else { 1 }));
        }
    }
    halves
}

fn class(value: f64, greatest: f64) -> usize {
    // Negative values and NaN convert to 0.
    ((value / greatest * CLASSES as f64) as usize).min(CLASSES - 1)
}

/// The largest of all ranks' non-negative numbers, whose bits have the same order; 0 without numbers.
fn greatest(comm: &Comm, values: impl Iterator<Item = f64>) -> f64 {
    f64::from_bits(comm.max(values.map(|value| value.max(0.0).to_bits()).max().unwrap_or(0)))
}

/// The smallest one; 0 without numbers.
fn least(comm: &Comm, values: impl Iterator<Item = f64>) -> f64 {
    let own = values.map(|value| !value.max(0.0).to_bits()).max().unwrap_or(0);
    match comm.max(own) {
        0 => 0.0,
        bits => f64::from_bits(!bits),
    }
}
