//! The keys of `[adaptation]`.

use cfd_adapt::metric::{Floors, Limits, Norm, Recovery, Wanted, Waves};
use cfd_adapt::operation::Bounds;

cfd_keys::choice! {
    /// When elements are divided among the ranks anew.
    pub enum Repartition {
        /// Ranks keep the part of the mesh that its order gives them.
        Never = "never",
        /// Before each adaptation, by the partitioner of the run.
        Before = "before",
        /// Then, and between passes as soon as ranks have too different numbers of vertices.
        Passes = "passes",
    }
}

cfd_keys::choice! {
    /// Where second derivatives of the field come from.
    pub enum Hessians {
        /// The field's formula.
        Exact = "exact",
        /// Quadratic functions fitted to values at vertices.
        LeastSquares = "least-squares",
        /// The gradient of the gradient of values at vertices.
        Projection = "projection",
    }
}

cfd_keys::table! {
    /// Mesh adaptation: collapses, splits, swaps and moves until edges have the length 1 in a metric
    pub struct Config = "adaptation" {
        /// metric: that of the moving front ("front"), one given by a formula, or three numbers a vertex in a file
        metric: String, ChoiceOrFile(METRICS), default = "front";
        /// front: second derivatives by its formula or recovered from its values at the vertices
        hessian: Hessians, Choice(Hessians::WORDS), default = "exact";
        /// front: error that is aimed at; the smaller, the finer the mesh. Not used where `complexity` is set
        eta: f64, Number(Open(0.0), Free), default = 1e-3;
        /// complexity that is aimed at: about 0.38 times the number of elements; unset: as the metric comes
        complexity: Option<f64>, Number(Open(0.0), Free);
        /// front: norm L^p of the error that is made small; 0: the maximum norm (not with `complexity`)
        p: f64, Number(Closed(0.0), Free), default = 2.0;
        /// front: least second derivative; it bounds sizes where the field is flat
        floor: f64, Number(Open(0.0), Free), default = 1e-3;
        /// front: number added to the determinant of the second derivatives
        epsilon: f64, Number(Closed(0.0), Free), default = 0.0;
        /// front: time of the first iteration
        time: f64, Number(Free, Free), default = 0.0;
        /// front: time between two iterations
        time_step: f64, Number(Free, Free), default = 0.0;
        /// front: time after which it is the same again
        period: f64, Number(Open(0.0), Free), default = 100.0;
        /// least size of an edge; unset: none
        h_min: Option<f64>, Number(Open(0.0), Free);
        /// greatest size of an edge; unset: none
        h_max: Option<f64>, Number(Open(0.0), Free);
        /// greatest ratio of two sizes at a vertex; unset: none
        aspect_ratio: Option<f64>, Number(Closed(1.0), Free);
        /// greatest factor by which sizes grow over an edge; unset: any
        gradation: Option<f64>, Number(Open(1.0), Free);
        /// edges shorter than this in the metric are collapsed
        short: f64, Number(Open(0.0), Open(1.0)), default = 0.7071067811865476;
        /// edges longer than this in the metric are split
        long: f64, Number(Open(1.0), Free), default = 1.4142135623730951;
        /// edges of elements of a lower quality are swapped where that makes the worse one better
        swap: f64, Number(Closed(0.0), Closed(1.0)), default = 0.9;
        /// elements of a lower quality are bad: vertices move to mend them
        quality: f64, Number(Closed(0.0), Closed(1.0)), default = 0.7;
        /// least gain in quality for which a vertex moves
        gain: f64, Number(Closed(0.0), Closed(1.0)), default = 1e-6;
        /// passes of refine, coarsen and swap at most
        passes: usize, Integer(0, 1000), default = 20;
        /// times that bad elements are improved by collapses and swaps, each after smoothing
        turns: usize, Integer(0, 1000), default = 2;
        /// edges that such a collapse may make are not longer than this
        longest: f64, Number(Open(1.0), Free), default = 1.7;
        /// edges shorter than this are then collapsed even if no element gains, as long as none is bad
        shortest: f64, Number(Closed(0.0), Open(1.0)), default = 0.6;
        /// sweeps of Laplacian smoothing, each time
        laplacian: usize, Integer(0, 1000), default = 3;
        /// sweeps of optimisation
        optimisation: usize, Integer(0, 1000), default = 20;
        /// rounds in which a pass selects operations
        rounds: usize, Integer(1, 1000), default = 5;
        /// when elements are divided among the ranks anew; it changes no bit
        repartition: Repartition, Choice(Repartition::WORDS), default = "passes";
        /// between passes: as soon as a rank has this many times the mean number of vertices
        imbalance: f64, Number(Closed(1.0), Free), default = 1.2;
        /// adaptations, each to the metric of its time; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 1, unit = "iterations";
        /// stop when an adaptation has changed less than this share of the elements; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
    }
}

/// Words of `metric`; the formulas are those of [`cfd_adapt::metric::Analytic`] in the plane.
pub const METRICS: &[&str] =
    &["front", "linear", "linear-fine", "ramp", "polar-2", "cosine", "radial", "file:PATH"];

impl Config {
    /// What counts as short, long and bad.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            short: self.short,
            long: self.long,
            swap: self.swap,
            quality: self.quality,
            gain: self.gain,
            passes: self.passes,
            turns: self.turns,
            longest: self.longest,
            shortest: self.shortest,
            laplacian: self.laplacian,
            optimisation: self.optimisation,
            rounds: self.rounds,
        }
    }

    /// The front at the time of an iteration, counted from 1.
    pub(super) fn front(&self, iteration: u64) -> Waves {
        Waves { time: self.time + (iteration - 1) as f64 * self.time_step, period: self.period }
    }

    /// How second derivatives are recovered from values, if they are.
    pub(super) fn recovery(&self) -> Option<Recovery> {
        match self.hessian {
            Hessians::Exact => None,
            Hessians::LeastSquares => Some(Recovery::LeastSquares),
            Hessians::Projection => Some(Recovery::Projection),
        }
    }

    /// What makes a metric of second derivatives.
    pub(super) fn norm(&self) -> Norm {
        match self.complexity {
            Some(complexity) => Norm::Complexity { p: self.p, complexity },
            None => Norm::Eta { p: self.p, eta: self.eta, epsilon: self.epsilon },
        }
    }

    /// Least second derivatives.
    pub(super) fn floors(&self) -> Floors {
        Floors { absolute: self.floor, relative: 0.0 }
    }

    /// What the metric shall be after it has its form.
    pub(super) fn wanted(&self) -> Wanted {
        let limits = Limits {
            h_min: self.h_min.unwrap_or(0.0),
            h_max: self.h_max.unwrap_or(f64::INFINITY),
            aspect_ratio: self.aspect_ratio.unwrap_or(f64::INFINITY),
        };
        Wanted { complexity: self.complexity, limits, beta: self.gradation }
    }
}
