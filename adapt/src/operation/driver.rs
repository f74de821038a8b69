//! The order of the passes.

use std::time::{Duration, Instant};

use cfd_engine::comm::ReduceOp;
use cfd_engine::plug::ThreadPool;
use cfd_partition::Options;

use super::coarsen::{Coarsen, Requirement};
use super::pass::Operation;
use super::periodic::{Places, pair_up};
use super::refine::{self, Refine};
use super::smooth::{self, Smooth, Way};
use super::swap::{Good, Swap};
use super::thin::Thin;
use super::{AdaptError, Bounds, MetricAt, pass};
use crate::mesh::{Identity, Mesh};

/// From this pass on, the bound on edges that a collapse may create falls by a tenth per pass, so that collapses and
/// splits cannot go on for ever.
const FIRST_STRICT: usize = 6;

/// Selections of collapses, or swaps, in a pass; each considers what the previous one has changed.
const TURNS: usize = 4;

/// Numbers of operations on all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Collapsed edges.
    pub collapses: u64,
    /// Split edges.
    pub splits: u64,
    /// Swapped edges.
    pub swaps: u64,
    /// Moves of vertices.
    pub moves: u64,
}

impl Counts {
    /// Operations of all kinds that change connectivity.
    pub fn changes(&self) -> u64 {
        self.collapses + self.splits + self.swaps
    }

    /// Adds other numbers.
    pub fn add(&mut self, other: Counts) {
        self.collapses += other.collapses;
        self.splits += other.splits;
        self.swaps += other.swaps;
        self.moves += other.moves;
    }
}

/// A kind of pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Collapses.
    Coarsen,
    /// Splits.
    Refine,
    /// Swaps.
    Swap,
    /// Moves.
    Smooth,
}

/// What an adaptation has done.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All operations.
    pub total: Counts,
    /// Those of each pass of refine, coarsen and swap.
    pub passes: Vec<Counts>,
    /// Whether the adaptation ended because the last pass found nothing to do, rather than at the limit of passes.
    pub converged: bool,
    /// Time of coarsen, refine, swap and smooth on this rank.
    pub times: [Duration; 4],
}

/// Adapts meshes to their metric.
pub struct Adapter<'a, const D: usize> {
    /// What counts as short, long and bad.
    pub bounds: Bounds,
    /// The metric at new positions.
    pub metric: MetricAt<'a, D>,
    /// This rank's threads.
    pub pool: &'a ThreadPool,
    /// Whether and how vertices are redistributed among the ranks between passes.
    pub balance: Option<Balance<'a>>,
    /// At most this many elements on all ranks; unlimited if none.
    pub most: Option<u64>,
}

/// When vertices are redistributed among the ranks.
#[derive(Clone, Copy)]
pub struct Balance<'a> {
    /// How.
    pub options: &'a Options,
    /// As soon as the largest number of vertices on a rank exceeds the mean by this factor.
    pub above: f64,
}

impl Adapter<'_, 2> {
    /// Adapts the mesh to its metric:
    ///
    /// ```text
    /// pair      vertices of periodic boundaries
    /// align     where elements are stretched
    /// coarsen
    /// repeat    refine, coarsen, swap     until a pass does nothing, or the limit
    /// repeat    smooth towards the mean of the neighbours; refine; coarsen where the worst element gains, or where there
    ///           are too many; swap
    /// smooth    the worst elements by optimisation
    /// ```
    ///
    /// Vertices of periodic boundaries that no collapse could remove get partners before the first smoothing. `after` is
    /// called after every pass. Collective.
    ///
    /// # Errors
    /// A tensor that is not a metric, more elements than allowed, or something that a pass cannot do; the same on all
    /// ranks. The mesh is then unusable.
    pub fn adapt(
        &self,
        mesh: &mut Mesh<2>,
        mut after: impl FnMut(&Mesh<2>, Phase),
    ) -> Result<Report, AdaptError> {
        check_metrics(mesh)?;
        let mut report = Report::default();
        pair_up(mesh, self.pool, &self.refinement(), Places::Wanted(&self.bounds))?;
        self.align(mesh, &mut report, &mut after)?;
        let first = self.coarsen(mesh, &mut report, 0, &mut after);
        report.total.add(first);
        for pass in 1..=self.bounds.passes {
            let mut counts = self.refine(mesh, &mut report, &mut after)?;
            counts.add(self.coarsen(mesh, &mut report, pass, &mut after));
            self.rebalance(mesh)?;
            counts.add(self.swap(mesh, &mut report, Good::Quality, TURNS, pass, &mut after));
            report.total.add(counts);
            report.passes.push(counts);
            if counts.changes() == 0 {
                report.converged = true;
                break;
            }
        }
        pair_up(mesh, self.pool, &self.refinement(), Places::All)?;
        for turn in 0..=self.bounds.turns {
            let moves = self.smooth(mesh, &mut report, Way::Laplacian, self.bounds.laplacian, &mut after);
            report.total.add(moves);
            if turn < self.bounds.turns {
                let changes = self.improve(mesh, &mut report, turn, &mut after)?;
                report.total.add(changes);
            }
        }
        let moves = self.smooth(mesh, &mut report, Way::Optimisation, self.bounds.optimisation, &mut after);
        report.total.add(moves);
        check_identities(mesh)?;
        Ok(report)
    }

    fn coarsen(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        pass: usize,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Counts {
        let strictness = same_math::powi(0.9, pass.saturating_sub(FIRST_STRICT - 1) as i32);
        let coarsen = Coarsen {
            short: self.bounds.short,
            long: self.bounds.long * strictness,
            requirement: Requirement::Nothing,
        };
        self.collapse(mesh, report, &coarsen, pass, after)
    }

    /// Collective.
    pub(super) fn rebalance(&self, mesh: &mut Mesh<2>) -> Result<(), AdaptError> {
        if let Some(Balance { options, above }) = self.balance
            && mesh.imbalance() > above
        {
            mesh.balance(options)?;
        }
        Ok(())
    }

    /// Splits once more, collapses where that improves the worst element nearby or where there are too many elements, and
    /// swaps. Edges may become longer than splits allow, which settles what collapses and splits could not settle between
    /// them.
    fn improve(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        turn: usize,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Result<Counts, AdaptError> {
        if turn == 0 {
            (0..mesh.local.vertices.len() as u32).for_each(|v| mesh.local.mark(v));
        }
        let pass = self.bounds.passes + 1 + turn;
        let Bounds { short, longest, shortest, gain, quality, .. } = self.bounds;
        let requirement = Requirement::Better { gain, shortest, quality };
        let coarsen = Coarsen { short, long: longest, requirement };
        let mut counts = self.refine(mesh, report, after)?;
        counts.add(self.collapse(mesh, report, &coarsen, pass, after));
        counts.add(self.collapse(mesh, report, &Thin::in_turn(turn), pass, after));
        counts.add(self.swap(mesh, report, Good::Quality, TURNS, pass, after));
        Ok(counts)
    }

    pub(super) fn collapse(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        collapse: &impl Operation<2>,
        pass: usize,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Counts {
        let mut total = 0;
        for turn in 0.. {
            let started = Instant::now();
            let salt = (pass * 1000 + turn) as u64;
            let done = pass::run(mesh, self.pool, collapse, salt, self.bounds.rounds);
            report.times[0] += started.elapsed();
            let done = mesh.comm.sum(done);
            after(mesh, Phase::Coarsen);
            total += done;
            if done == 0 || turn + 1 == TURNS {
                break;
            }
        }
        Counts { collapses: total, ..Counts::default() }
    }

    pub(super) fn refinement(&self) -> Refine<'_, 2> {
        Refine { short: self.bounds.short, long: self.bounds.long, metric: self.metric, most: self.most }
    }

    fn refine(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Result<Counts, AdaptError> {
        let started = Instant::now();
        let done = refine::run(mesh, self.pool, &self.refinement())?;
        report.times[1] += started.elapsed();
        after(mesh, Phase::Refine);
        Ok(Counts { splits: mesh.comm.sum(done), ..Counts::default() })
    }

    pub(super) fn swap(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        good: Good,
        turns: usize,
        pass: usize,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Counts {
        let swap = Swap { quality: self.bounds.swap, gain: self.bounds.gain, good };
        let mut total = 0;
        for turn in 0.. {
            let started = Instant::now();
            let done = pass::run(mesh, self.pool, &swap, (pass * 1000 + turn) as u64, self.bounds.rounds);
            report.times[2] += started.elapsed();
            let done = mesh.comm.sum(done);
            after(mesh, Phase::Swap);
            total += done;
            if done == 0 || turn + 1 == turns {
                break;
            }
        }
        Counts { swaps: total, ..Counts::default() }
    }

    fn smooth(
        &self,
        mesh: &mut Mesh<2>,
        report: &mut Report,
        way: Way,
        sweeps: usize,
        after: &mut impl FnMut(&Mesh<2>, Phase),
    ) -> Counts {
        let started = Instant::now();
        let smooth = Smooth { bounds: self.bounds, metric: self.metric, way };
        let done = smooth::run(mesh, self.pool, &smooth, sweeps, way as u64);
        report.times[3] += started.elapsed();
        after(mesh, Phase::Smooth);
        let mut moves = [done];
        mesh.comm.all_reduce(&mut moves, ReduceOp::Sum);
        Counts { moves: moves[0], ..Counts::default() }
    }
}

/// Checks that every metric is one. Collective.
fn check_metrics<const D: usize>(mesh: &Mesh<D>) -> Result<(), AdaptError> {
    let local = &mesh.local;
    let is_none = |&v: &u32| !local.metric(v).is_finite() || !local.metric(v).is_positive_definite();
    let first = local.own_vertices().filter(is_none).min_by_key(|&v| local.identity(v));
    if mesh.comm.sum(u64::from(first.is_some())) == 0 {
        return Ok(());
    }
    let identities: Vec<Identity> = first.iter().map(|&v| local.identity(v)).collect();
    let rows = mesh.input_rows(&identities);
    let name = |v: u32| rows[0].map_or(format!("{:#x}", local.identity(v)), |row| row.to_string());
    mesh.comm.agree(match first {
        None => Ok(()),
        Some(v) => Err(AdaptError::Metric {
            vertex: name(v),
            place: format!("{:?}", local.position(v)),
            metric: format!("{:?}", local.metric(v).0),
        }),
    })
}

/// Checks that no two vertices on all ranks have the same name. Collective.
fn check_identities<const D: usize>(mesh: &Mesh<D>) -> Result<(), AdaptError> {
    let mut send: Vec<Vec<Identity>> = vec![Vec::new(); mesh.comm.size()];
    for identity in mesh.local.own_vertices().map(|v| mesh.local.identity(v)) {
        send[(identity % mesh.comm.size() as u128) as usize].push(identity);
    }
    let mut met = mesh.comm.all_to_all(send).concat();
    met.sort_unstable();
    let twice = met.windows(2).find(|pair| pair[0] == pair[1]);
    let distinct = match twice {
        None => Ok(()),
        Some(pair) => Err(AdaptError::Identity { identity: format!("{:#x}", pair[0]) }),
    };
    mesh.comm.agree(distinct)
}
