//! Passes that align elements with the metric before the others.

use std::time::Instant;

use super::AdaptError;
use super::bisect::{self, Stretched};
use super::coarsen::{Coarsen, Requirement};
use super::driver::{Adapter, Counts, Phase, Report};
use super::swap::Good;
use crate::mesh::Mesh;

/// Only a mesh with such elements is aligned: splits of all long edges would make some ten times too many vertices of them.
const WORST: Stretched = Stretched { long: 32.0, shape: 0.05 };

/// In such a mesh, these are aligned. Of others, splits of all long edges make at most a few times too many vertices, which
/// collapses remove again.
const STRETCHED: Stretched = Stretched { long: 4.0, shape: 0.3 };

/// At most this many selections of swaps in a pass. Few elements are left to swap after the first ones.
const TURNS: usize = 200;

/// Of the salts, which other passes do not use.
const FIRST: usize = 100_000;

impl Adapter<'_, 2> {
    /// Aligns stretched elements with the metric, level by level:
    ///
    /// ```text
    /// repeat    swap, judging by shape alone; coarsen; swap; split the longest edges of stretched elements
    /// ```
    ///
    /// until there are none, or nothing is left to do, at most `2 * passes` times. Collective.
    pub(super) fn align(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Result<(), AdaptError> {
        if bisect::count(mesh, self.pool, &WORST) == 0 {
            return Ok(());
        }
        let (short, long) = (self.bounds.short, self.bounds.long);
        let coarsen = Coarsen { short, long, requirement: Requirement::NoLonger };
        for pass in 0..2 * self.bounds.passes {
            if bisect::count(mesh, self.pool, &STRETCHED) == 0 {
                break;
            }
            let salt = FIRST + 2 * pass;
            let mut counts = self.swap(mesh, report, Good::Shape, TURNS, salt, after);
            counts.add(self.collapse(mesh, report, &coarsen, salt, after));
            self.rebalance(mesh)?;
            counts.add(self.swap(mesh, report, Good::Shape, TURNS, salt + 1, after));
            counts.add(self.bisect(mesh, report, salt, after)?);
            report.total.add(counts);
            if counts.changes() == 0 {
                break;
            }
        }
        // What would be no better by its shape may be by its quality.
        (0..mesh.local.vertices.len() as u32).for_each(|v| mesh.local.mark(v));
        Ok(())
    }

    fn bisect(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        salt: usize,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Result<Counts, AdaptError> {
        let started = Instant::now();
        let rounds = self.bounds.rounds;
        let done = bisect::run(mesh, self.pool, &STRETCHED, &self.refinement(), salt as u64, rounds)?;
        report.times[1] += started.elapsed();
        after(mesh, Phase::Refine);
        Ok(Counts { splits: mesh.comm.sum(done), ..Counts::default() })
    }
}
