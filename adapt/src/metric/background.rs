//! The metric of one mesh at the vertices of another: a background mesh, or the mesh before an adaptation.
//!
//! Between the corners of an element of the background mesh, the metric is log-Euclidean.
//!
//! The ranks share the bins of a grid over the background mesh, whose columns hold about as many elements each, and so do
//! its rows: sizes of elements may differ by orders of magnitude. Elements go to all bins that they may touch, vertices to
//! their bin, where they meet; no rank needs to hold more than its share.

use super::View;
use crate::geometry::{Geometry, Space};
use crate::mesh::Mesh;
use crate::tensor::{Tensor, interpolate_between};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

/// Maximum number of bins along an axis.
const MOST: u64 = 2048;
/// Equal intervals along an axis whose elements are counted for columns and rows.
const INTERVALS: usize = 1 << 16;
/// Elements are extended by this share of the mesh, because new vertices may be an ulp outside.
const MARGIN: f64 = 1e-9;
/// Words of an element in a message: names, positions and metrics of its three corners.
const WORDS: usize = 3 * (1 + 2 + 3);

/// An element of the background mesh: its corners' numbers, positions and metrics.
#[derive(Clone, Copy, Debug)]
struct Cell {
    names: [u64; 3],
    points: [[f64; 2]; 3],
    metrics: [[f64; 3]; 3],
}

/// The elements of a mesh and its metric.
pub struct Background {
    elements: Vec<Cell>,
}

impl Background {
    /// A mesh that has been built from numbered vertices and not been adapted since.
    pub fn of(mesh: &Mesh<2>) -> Background {
        let local = mesh.local();
        let element = |e: u32| {
            let corners: [u32; 3] = std::array::from_fn(|i| local.elements().corners(e)[i]);
            Cell {
                names: corners.map(|c| View::identity(mesh, c) as u64),
                points: corners.map(|c| View::position(mesh, c)),
                metrics: corners.map(|c| entries(local.metric(c))),
            }
        };
        Background { elements: local.own_elements().map(element).collect() }
    }

    /// The metric at every local vertex of another mesh; that mesh's own where no element is near. Collective.
    pub fn metrics(&self, mesh: &Mesh<2>) -> Vec<Tensor<2>> {
        let (comm, local) = (mesh.comm(), mesh.local());
        let bins = Bins::over(comm, &self.elements);
        let share = bins.share(comm, &self.elements);
        let own: Vec<u32> = local.own_vertices().collect();
        let places: Vec<[f64; 2]> = own.iter().map(|&v| View::position(mesh, v)).collect();
        let mut metrics = vec![Tensor([[0.0; 2]; 2]); View::vertices(mesh)];
        for (&v, found) in own.iter().zip(bins.answers(comm, &share, &places)) {
            metrics[v as usize] = found.unwrap_or(*local.metric(v));
        }
        mesh.update_ghosts(&mut metrics);
        metrics
    }

    /// The mean quality of the elements of another mesh in this metric. Collective.
    pub fn mean_quality(&self, mesh: &Mesh<2>) -> f64 {
        let (local, metrics) = (mesh.local(), self.metrics(mesh));
        let quality = |e: u32| {
            let corners = local.elements().corners(e);
            let points: [[f64; 2]; 3] = std::array::from_fn(|i| View::position(mesh, corners[i]));
            let metrics: [&Tensor<2>; 3] = std::array::from_fn(|i| &metrics[corners[i] as usize]);
            <Space<2> as Geometry<2>>::quality(&points, &metrics)
        };
        mesh.exact_sum(local.own_elements().map(quality)) / mesh.counts()[1] as f64
    }
}

fn entries(m: &Tensor<2>) -> [f64; 3] {
    [m.0[0][0], m.0[0][1], m.0[1][1]]
}

fn tensor([xx, xy, yy]: [f64; 3]) -> Tensor<2> {
    Tensor([[xx, xy], [xy, yy]])
}

/// A grid over the mesh.
struct Bins {
    /// The lines between its columns, and between its rows, in order.
    lines: [Vec<f64>; 2],
    /// Bins along an axis.
    side: u64,
    /// How far elements are extended along each axis.
    margin: [f64; 2],
}

/// Lines that divide the places of all ranks along an axis into `parts` of about as many each. Collective.
fn lines(comm: &Comm, places: impl Iterator<Item = f64>, [low, high]: [f64; 2], parts: u64) -> Vec<f64> {
    let step = (high - low) / INTERVALS as f64;
    let mut counts = vec![0u64; INTERVALS];
    places.for_each(|x| counts[(((x - low) / step) as usize).min(INTERVALS - 1)] += 1);
    // Each rank adds up its block of intervals.
    let blocks = Blocks::new(INTERVALS as u64, comm.size());
    let block =
        |rank: usize| counts[blocks.range(rank).start as usize..blocks.range(rank).end as usize].to_vec();
    let received = comm.all_to_all((0..comm.size()).map(block).collect());
    let sum = |at: usize| received.iter().map(|counts| counts[at]).sum::<u64>();
    let sums: Vec<u64> = (0..received[0].len()).map(sum).collect();
    let counts = comm.all_gather(&sums).concat();
    let total: u64 = counts.iter().sum();
    let mut before = 0;
    let mut lines = Vec::with_capacity(parts as usize);
    for (at, count) in counts.iter().enumerate() {
        before += count;
        while (lines.len() as u64) < parts - 1 && before * parts >= (lines.len() as u64 + 1) * total {
            lines.push(low + (at + 1) as f64 * step);
        }
    }
    lines
}

/// This rank's bins: their elements.
struct Share {
    elements: Vec<Cell>,
    /// The elements of each bin, by index in `elements`.
    bins: Vec<Vec<u32>>,
    first: u64,
}

impl Bins {
    fn over(comm: &Comm, elements: &[Cell]) -> Bins {
        let extent = elements.iter().flat_map(|e| e.points).fold(None, |found: Option<[f64; 4]>, [x, y]| {
            let [x0, y0, x1, y1] = found.unwrap_or([x, y, x, y]);
            Some([x0.min(x), y0.min(y), x1.max(x), y1.max(y)])
        });
        let all = comm.all_gather(&extent.into_iter().collect::<Vec<_>>()).concat();
        let [x0, y0, x1, y1] = all
            .iter()
            .skip(1)
            .fold(all[0], |[a, b, c, d], &[e, f, g, h]| [a.min(e), b.min(f), c.max(g), d.max(h)]);
        let side = ((comm.sum(elements.len() as u64) as f64).sqrt() as u64).clamp(1, MOST);
        let (low, high) = ([x0, y0], [x1, y1]);
        let lines = [0, 1].map(|axis| {
            let middles =
                elements.iter().map(|e| (e.points[0][axis] + e.points[1][axis] + e.points[2][axis]) / 3.0);
            lines(comm, middles, [low[axis], high[axis]], side)
        });
        Bins { lines, side, margin: [0, 1].map(|axis| MARGIN * (high[axis] - low[axis])) }
    }

    fn blocks(&self, comm: &Comm) -> Blocks {
        Blocks::new(self.side * self.side, comm.size())
    }

    /// The bin's index along an axis.
    fn along(&self, axis: usize, x: f64) -> u64 {
        self.lines[axis].partition_point(|&line| line <= x) as u64
    }

    fn bin(&self, [x, y]: [f64; 2]) -> u64 {
        self.along(1, y) * self.side + self.along(0, x)
    }

    /// The bins that an element may touch.
    fn touched(&self, element: &Cell) -> impl Iterator<Item = u64> + use<> {
        let range = |axis: usize| {
            let margin = self.margin[axis];
            let x = element.points.map(|p| p[axis]);
            let (low, high) = (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]));
            self.along(axis, low - margin)..=self.along(axis, high + margin)
        };
        let (columns, rows, side) = (range(0), range(1), self.side);
        rows.flat_map(move |row| columns.clone().map(move |column| row * side + column))
    }

    /// Sends the elements to their bins. Collective.
    fn share(&self, comm: &Comm, elements: &[Cell]) -> Share {
        let blocks = self.blocks(comm);
        let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        for element in elements {
            let mut ranks: Vec<usize> = self.touched(element).map(|bin| blocks.owner(bin)).collect();
            ranks.sort_unstable();
            ranks.dedup();
            ranks.into_iter().for_each(|rank| send[rank].extend(element.words()));
        }
        let received = comm.all_to_all(send).concat();
        let elements: Vec<Cell> = received.chunks_exact(WORDS).map(Cell::of_words).collect();
        let own = blocks.range(comm.rank());
        let mut bins = vec![Vec::new(); (own.end - own.start) as usize];
        for (at, element) in (0u32..).zip(&elements) {
            for bin in self.touched(element).filter(|bin| own.contains(bin)) {
                bins[(bin - own.start) as usize].push(at);
            }
        }
        Share { elements, bins, first: own.start }
    }

    /// The metric at points; `None` where no element is near. Collective.
    fn answers(&self, comm: &Comm, share: &Share, places: &[[f64; 2]]) -> Vec<Option<Tensor<2>>> {
        let blocks = self.blocks(comm);
        let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        places.iter().for_each(|&x| send[blocks.owner(self.bin(x))].extend(x.map(f64::to_bits)));
        let answer = |asked: &Vec<u64>| -> Vec<u64> {
            let places = asked.chunks_exact(2).map(|x| [f64::from_bits(x[0]), f64::from_bits(x[1])]);
            places
                .flat_map(|x| share.metric(self.bin(x), x).map_or([f64::NAN; 3], |m| entries(&m)))
                .map(f64::to_bits)
                .collect()
        };
        let answers = comm.all_to_all(comm.all_to_all(send).iter().map(answer).collect());
        let mut answers: Vec<_> = answers.iter().map(|words| words.chunks_exact(3)).collect();
        let next = |&x: &[f64; 2]| {
            let words = answers[blocks.owner(self.bin(x))].next().expect("an answer for each place");
            let entries = [words[0], words[1], words[2]].map(f64::from_bits);
            (!entries[0].is_nan()).then(|| tensor(entries))
        };
        places.iter().map(next).collect()
    }
}

impl Share {
    /// The metric at a point, in the element of its bin that contains it or that it is least outside of; of several,
    /// the one with the smallest names.
    fn metric(&self, bin: u64, x: [f64; 2]) -> Option<Tensor<2>> {
        let candidates = self.bins[(bin - self.first) as usize].iter().map(|&at| &self.elements[at as usize]);
        let (shares, element) =
            candidates.map(|element| (element.shares(x), element)).max_by(|(a, one), (b, other)| {
                let least = |shares: &[f64; 3]| shares[0].min(shares[1]).min(shares[2]).min(0.0);
                least(a).total_cmp(&least(b)).then_with(|| other.names.cmp(&one.names))
            })?;
        let inside = shares.map(|share| share.max(0.0));
        let sum = (inside[0] + inside[1]) + inside[2];
        let term = |i: usize| (inside[i] / sum, element.points[i], tensor(element.metrics[i]));
        Some(interpolate_between(&[term(0), term(1), term(2)]))
    }
}

impl Cell {
    fn words(&self) -> impl Iterator<Item = u64> {
        let numbers = self.points.into_iter().flatten().chain(self.metrics.into_iter().flatten());
        self.names.into_iter().chain(numbers.map(f64::to_bits))
    }

    fn of_words(words: &[u64]) -> Cell {
        let number = |at: usize| f64::from_bits(words[at]);
        Cell {
            names: [words[0], words[1], words[2]],
            points: std::array::from_fn(|i| [number(3 + 2 * i), number(4 + 2 * i)]),
            metrics: std::array::from_fn(|i| std::array::from_fn(|j| number(9 + 3 * i + j))),
        }
    }

    /// The barycentric coordinates of a point.
    fn shares(&self, x: [f64; 2]) -> [f64; 3] {
        let area = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| <Space<2> as Geometry<2>>::measure(&[a, b, c]);
        let [a, b, c] = self.points;
        let whole = area(a, b, c);
        [area(x, b, c) / whole, area(a, x, c) / whole, area(a, b, x) / whole]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares with sides from 1e-4 to 1 away from the corner at the origin, two triangles each.
    fn graded() -> Vec<Cell> {
        let side = |k: usize| 1e-4 * 1e4_f64.powf(k as f64 / 40.0);
        let place = |k: usize| (0..k).map(side).sum::<f64>();
        let corner = |i: usize, j: usize| ((j * 41 + i) as u64, [place(i), place(j)]);
        let metric = |[x, y]: [f64; 2]| [1.0 + x, 0.0, 2.0 + y];
        let cell = |corners: [(u64, [f64; 2]); 3]| Cell {
            names: corners.map(|(name, _)| name),
            points: corners.map(|(_, x)| x),
            metrics: corners.map(|(_, x)| metric(x)),
        };
        let squares = (0..40).flat_map(|j| (0..40).map(move |i| (i, j)));
        squares
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                [cell([a, b, c]), cell([a, c, d])]
            })
            .collect()
    }

    #[test]
    fn bins_hold_few_elements_however_their_sizes_differ_and_ranks_find_the_same_metrics() {
        let cells = graded();
        let places: Vec<[f64; 2]> = cells.iter().map(|cell| cell.points[1]).collect();
        let run = |comm: Comm| {
            let own = Blocks::new(cells.len() as u64, comm.size()).range(comm.rank());
            let own = own.start as usize..own.end as usize;
            let bins = Bins::over(&comm, &cells[own.clone()]);
            let share = bins.share(&comm, &cells[own.clone()]);
            let most = share.bins.iter().map(Vec::len).max().unwrap_or(0) as u64;
            let found = bins.answers(&comm, &share, &places[own]);
            let found: Vec<[f64; 3]> = found.iter().map(|m| entries(m.as_ref().unwrap())).collect();
            (comm.max(most), comm.all_gather(&found.concat()).concat())
        };
        let (most, found) = run(Comm::single());
        assert!(most < 100, "{most} of {} elements in a bin", cells.len());
        for (cell, found) in cells.iter().zip(found.chunks_exact(3)) {
            let given = cell.metrics[1];
            assert!(
                found.iter().zip(given).all(|(a, b)| (a - b).abs() < 1e-12 * b.abs().max(1.0)),
                "{found:?}"
            );
        }
        for ranks in [2, 5] {
            let results = Comm::simulate(ranks, run);
            assert!(results.iter().all(|other| *other == (most, found.clone())), "{ranks} ranks");
        }
    }
}
