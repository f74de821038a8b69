//! SPRAY's test cases, section VI of its paper, made here from formulas.

use std::ops::Range;

use cfd_io::Entries;
use cfd_reducers::Adder;

/// A loop over sources that adds to targets.
pub trait Case: Sync {
    /// Number of sources.
    fn sources(&self) -> usize;
    /// Number of targets.
    fn targets(&self) -> usize;
    /// Number of additions.
    fn additions(&self) -> usize;
    /// The loop over some sources.
    fn scatter<A: Adder<f64, 1>>(&self, sources: Range<usize>, adder: &mut A);
    /// The same sums, gathered by targets: `out` has the targets of the range.
    fn pull(&self, targets: Range<usize>, out: &mut [f64]);
    /// The largest of the targets, by which rounding errors are judged.
    fn scale(&self) -> f64 {
        0.0
    }
    /// Bytes that the gathering form needs in addition to the loop's own.
    fn pull_bytes(&self) -> usize;
}

/// The plain loop's adder: the array itself.
pub struct Plain<'a>(pub &'a mut [f64]);

impl Adder<f64, 1> for Plain<'_> {
    #[inline(always)]
    fn add_row(&mut self, row: usize, [value]: [f64; 1]) {
        self.0[row] += value;
    }
}

/// `out[i - 1] += wl in[i]`, `out[i] += wc in[i]`, `out[i + 1] += wr in[i]`, for all i inside.
pub struct Convolution {
    input: Vec<f64>,
}

const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.3];

impl Convolution {
    /// An array of `len` values.
    pub fn new(len: usize) -> Convolution {
        let mut numbers = Numbers(1);
        Convolution { input: (0..len).map(|_| numbers.unit()).collect() }
    }
}

impl Case for Convolution {
    fn sources(&self) -> usize {
        self.input.len() - 2
    }

    fn targets(&self) -> usize {
        self.input.len()
    }

    fn additions(&self) -> usize {
        3 * self.sources()
    }

    fn scatter<A: Adder<f64, 1>>(&self, sources: Range<usize>, adder: &mut A) {
        let [wl, wc, wr] = WEIGHTS;
        for (i, value) in sources.clone().zip(&self.input[sources.start + 1..sources.end + 1]) {
            adder.add(i, wl * value);
            adder.add(i + 1, wc * value);
            adder.add(i + 2, wr * value);
        }
    }

    fn pull(&self, targets: Range<usize>, out: &mut [f64]) {
        let [wl, wc, wr] = WEIGHTS;
        let (input, last) = (&self.input, self.input.len() - 2);
        // The ends of the array themselves add nothing.
        let edge = |j: usize| {
            let of = |weight: f64, i: Option<usize>| match i {
                Some(i) if (1..=last).contains(&i) => weight * input[i],
                _ => 0.0,
            };
            of(wl, Some(j + 1)) + of(wc, Some(j)) + of(wr, j.checked_sub(1))
        };
        let inside = targets.start.max(2)..targets.end.min(last);
        for j in (targets.start..inside.start).chain(inside.end.max(inside.start)..targets.end) {
            out[j - targets.start] += edge(j);
        }
        if inside.is_empty() {
            return;
        }
        let around = &input[inside.start - 1..inside.end + 1];
        let out = &mut out[inside.start - targets.start..inside.end - targets.start];
        for (out, around) in out.iter_mut().zip(around.windows(3)) {
            *out += wl * around[2] + wc * around[1] + wr * around[0];
        }
    }

    fn pull_bytes(&self) -> usize {
        0
    }
}

/// `out = A^T x` of a sparse matrix A stored by rows.
pub struct Transposed {
    matrix: Csr,
    x: Vec<f64>,
    /// A^T by rows, with which the product gathers.
    transpose: Csr,
}

/// A sparse matrix by rows.
struct Csr {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Transposed {
    /// A banded matrix of 190 nonzeros in 9 rows, about 21 per row, like that of a finite element shell: seven runs of
    /// three neighbouring columns, up to 600 from the diagonal. 90,000 rows have 1.9 million nonzeros.
    pub fn banded(rows: usize) -> Transposed {
        let mut numbers = Numbers(2);
        let band = 600.min(rows / 4);
        Transposed::new(rows, |i| {
            let first = i.saturating_sub(band).min(rows - 2 * band - 3);
            let mut columns = Vec::new();
            for _ in 0..7 {
                let start = first + numbers.below(2 * band);
                columns.extend([start, start + 1, start + 2]);
            }
            if i % 9 == 0 {
                columns.push(i);
            }
            columns
        })
    }

    /// The matrix of an undirected de Bruijn graph of `rows` nodes, a power of two: node i is adjacent to 2 i, 2 i + 1,
    /// and the two nodes to which it is adjacent in the same way. Four nonzeros per row.
    pub fn de_bruijn(rows: usize) -> Transposed {
        Transposed::new(rows, |i| vec![2 * i % rows, (2 * i + 1) % rows, i / 2, i / 2 + rows / 2])
    }

    /// The matrix of a Matrix Market file.
    pub fn of_entries(matrix: &Entries) -> Transposed {
        let rows = matrix.rows.max(matrix.columns) as usize;
        let mut triples = matrix.entries.clone();
        triples.sort_unstable_by_key(|&(row, column, _)| (row, column));
        Transposed::of_triples(rows, triples, &mut Numbers(4))
    }

    fn new(rows: usize, mut columns_of: impl FnMut(usize) -> Vec<usize>) -> Transposed {
        let mut numbers = Numbers(3);
        let mut triples: Vec<(u32, u32, f64)> = Vec::new();
        let narrow = |index: usize| u32::try_from(index).expect("less than 2^32 rows");
        for i in 0..rows {
            let mut columns = columns_of(i);
            columns.sort_unstable();
            triples.extend(columns.into_iter().map(|j| (narrow(i), narrow(j), numbers.unit())));
        }
        Transposed::of_triples(rows, triples, &mut numbers)
    }

    /// Triples of row, column and value, sorted.
    fn of_triples(rows: usize, triples: Vec<(u32, u32, f64)>, numbers: &mut Numbers) -> Transposed {
        let matrix = Csr::new(rows, &triples);
        let mut turned: Vec<_> = triples.into_iter().map(|(i, j, value)| (j, i, value)).collect();
        turned.sort_by_key(|&(j, i, _)| (j, i));
        let x = (0..rows).map(|_| numbers.unit()).collect();
        Transposed { matrix, x, transpose: Csr::new(rows, &turned) }
    }
}

impl Csr {
    /// From triples of row, column, value, sorted by row.
    fn new(rows: usize, triples: &[(u32, u32, f64)]) -> Csr {
        let mut starts = vec![0; rows + 1];
        triples.iter().for_each(|&(row, ..)| starts[row as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let (columns, values) = triples.iter().map(|&(_, column, value)| (column, value)).unzip();
        Csr { starts, columns, values }
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()]
            .iter()
            .map(|&column| column as usize)
            .zip(self.values[range].iter().copied())
    }
}

impl Case for Transposed {
    fn sources(&self) -> usize {
        self.x.len()
    }

    fn targets(&self) -> usize {
        self.x.len()
    }

    fn additions(&self) -> usize {
        self.matrix.columns.len()
    }

    fn scatter<A: Adder<f64, 1>>(&self, sources: Range<usize>, adder: &mut A) {
        for (i, x) in sources.clone().zip(&self.x[sources]) {
            for (j, value) in self.matrix.row(i) {
                adder.add(j, value * x);
            }
        }
    }

    fn pull(&self, targets: Range<usize>, out: &mut [f64]) {
        for (j, out) in targets.zip(out) {
            *out += self.transpose.row(j).map(|(i, value)| value * self.x[i]).sum::<f64>();
        }
    }

    fn scale(&self) -> f64 {
        self.matrix.values.iter().fold(0.0, |most, value| value.abs().max(most))
    }

    fn pull_bytes(&self) -> usize {
        let Csr { starts, columns, values } = &self.transpose;
        size_of_val(&starts[..]) + size_of_val(&columns[..]) + size_of_val(&values[..])
    }
}

/// Pseudo-random numbers, the same everywhere: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
