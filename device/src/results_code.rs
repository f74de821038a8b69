//! The part of a loop's code for sums and extrema, and a block's shared memory.

use cfd_engine::kernel::Access;
use cfd_engine::plug::Place;

use super::loop_code::{Method, Shape, rank_function};

/// Bytes of shared memory that every GPU gives a block by default.
pub(super) const SHARED_BYTES: usize = 48 * 1024;
/// Fewest threads of a block.
pub(super) const FEWEST_THREADS: usize = 32;
/// Digits of a sum in shared memory: CFD_SUM of prelude.cuh.
const SUM_DIGITS: usize = 132 * 8;
/// A candidate for an extremum.
const CANDIDATE_BYTES: usize = 16;

/// Bytes of shared memory for the sums or extrema of one argument, in a block of `threads`.
pub(super) fn result_bytes(access: Access, dim: usize, threads: usize) -> usize {
    match access {
        Access::Sum => 4 * SUM_DIGITS * dim,
        Access::Min | Access::Max => CANDIDATE_BYTES * dim * threads,
        _ => 0,
    }
}

impl Shape {
    /// The most threads, up to `wanted`, for which a block can have the shared memory.
    pub(super) fn fitting(&self, wanted: usize) -> usize {
        let mut threads = wanted;
        while threads > FEWEST_THREADS && self.shared_bytes(threads) > SHARED_BYTES {
            threads /= 2;
        }
        threads
    }

    /// Bytes of shared memory of a block of `threads`.
    pub(super) fn shared_bytes(&self, threads: usize) -> usize {
        let results = self.arguments.iter().map(|a| result_bytes(a.access, a.dim, threads));
        let increments: usize = match &self.method {
            Method::Regions(capacities) => (0..)
                .zip(capacities)
                .map(|(group, capacity)| {
                    capacity.increments * self.step_of_group(group) * self.value_bytes(self.groups[group])
                })
                .sum(),
            &Method::Colored(size) => self
                .increments()
                .iter()
                .map(|&k| size * self.arguments[k].dim * self.arguments[k].element.bytes())
                .sum(),
            _ => 0,
        };
        results.sum::<usize>() + increments + self.long_row_bytes(threads)
    }

    /// Shared memory for a block's results, and their start values.
    pub(super) fn begin_results(&self, code: &mut String) {
        let mut starts = String::new();
        for (k, argument) in self.arguments.iter().enumerate() {
            let dim = argument.dim;
            match (argument.access, argument.place) {
                (Access::Sum, _) => {
                    code.push_str(&format!("CFD_SHARED(int, sum{k}, {dim} * CFD_SUM);\n"));
                    starts.push_str(&format!(
                        "for (unsigned i = thread; i < {dim} * CFD_SUM; i += CFD_THREADS) sum{k}[i] = 0;\n"
                    ));
                }
                (Access::Min | Access::Max, Place::Global { .. }) => {
                    let unset =
                        if argument.access == Access::Min { f64::INFINITY } else { f64::NEG_INFINITY };
                    let rank = rank_function(argument.access);
                    code.push_str(&format!("CFD_SHARED(Best, best{k}, {dim} * CFD_THREADS);\n"));
                    starts.push_str(&format!(
                        "for (int m = 0; m < {dim}; ++m) {{ Best& best = best{k}[m * CFD_THREADS + thread]; \
                         best.rank = {rank}(cfd_from_bits({:#x}ULL)); best.id = ~0ULL; }}\n",
                        unset.to_bits()
                    ));
                }
                _ => {}
            }
        }
        if !starts.is_empty() {
            code.push_str(&format!("CFD_PHASE\n{starts}CFD_END_PHASE\n"));
        }
    }

    /// Hands over a block's results.
    pub(super) fn end_results(&self, code: &mut String) {
        for (k, argument) in self.arguments.iter().enumerate() {
            let dim = argument.dim;
            match (argument.access, argument.place) {
                (Access::Sum, _) => code.push_str(&format!(
                    "CFD_PHASE\n\
                     for (unsigned i = thread; i < {dim} * CFD_WORDS; i += CFD_THREADS) {{\n\
                     const unsigned m = i / CFD_WORDS, word = i % CFD_WORDS;\n\
                     cfd_flush(sum{k} + m * CFD_SUM, a.g{k} + m * (CFD_WORDS + 1), word);\n\
                     }}\n\
                     CFD_END_PHASE\n"
                )),
                (Access::Min | Access::Max, Place::Global { .. }) => code.push_str(&format!(
                    "for (unsigned half = CFD_THREADS / 2; half > 0; half /= 2) {{\n\
                     CFD_PHASE\n\
                     if (thread < half) for (int m = 0; m < {dim}; ++m) {{\n\
                     Best* best = best{k} + m * CFD_THREADS + thread;\n\
                     cfd_improve(best[0], best[half]);\n\
                     }}\n\
                     CFD_END_PHASE\n\
                     }}\n\
                     CFD_PHASE\n\
                     if (thread < {dim}) a.g{k}[(a.first_block + block) * {dim} + thread] = \
                     best{k}[thread * CFD_THREADS];\n\
                     CFD_END_PHASE\n"
                )),
                _ => {}
            }
        }
    }
}
