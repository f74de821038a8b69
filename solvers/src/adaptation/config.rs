//! The keys of `[adaptation]`.

use std::collections::BTreeMap;

use cfd_adapt::mesh::Numbering;
use cfd_adapt::mesh::canonical::names;
use cfd_adapt::metric::{Floors, Limits, Norm, Recovery, Wanted, Waves};
use cfd_adapt::operation::Bounds;

use super::fields::{Transfer, masses_of};
use super::outline;

cfd_keys::choice! {
    /// When elements are redistributed among the ranks.
    pub enum Repartition {
        /// Ranks keep the part of the mesh that its order gives them.
        Never = "never",
        /// Before each adaptation, by the partitioner of the run.
        Before = "before",
        /// Then, and between passes once the ranks' numbers of vertices differ too much.
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

impl Hessians {
    /// How they are recovered from values at vertices, unless they come from a formula.
    pub fn recovery(self) -> Option<Recovery> {
        match self {
            Hessians::Exact => None,
            Hessians::LeastSquares => Some(Recovery::LeastSquares),
            Hessians::Projection => Some(Recovery::Projection),
        }
    }
}

cfd_keys::choice! {
    /// What numbers the vertices of the first mesh, and so decides between equals.
    pub enum VertexNumbers {
        /// Their places.
        Canonical = "canonical",
        /// Their order in the file.
        File = "file",
    }
}

cfd_keys::table! {
    /// Mesh adaptation: collapses, splits, swaps and moves until edges have unit length in a metric
    pub struct Config = "adaptation" {
        /// metric: the moving front's ("front"), one given by a formula, that of a field of a solution ("field"), one size
        /// everywhere ("uniform"), the sizes of the mesh as it is ("mesh"), or a file: Medit's (`.sol`, `.solb`), or text
        /// with three numbers per vertex
        metric: String, ChoiceOrFile(METRICS), default = "front";
        /// "uniform": the size of all edges
        size: Option<f64>, Number(Closed(1e-50), Closed(1e50)), unit = "length";
        /// "field": name of the field, as in the file: `mach`
        field: Option<String>, Text;
        /// `solution.h5` with the field for "field" and with `fields`, on this mesh or, interpolated, on another one that it
        /// holds
        solution: Option<String>, Text;
        /// fields of `solution`, scalars and vectors, that are carried along into the new solution
        fields: Option<Vec<String>>, Names;
        /// how each of `fields` is carried, in the table `[adaptation.transfer]`: `density = "conservative"`; all others are
        /// "linear"
        transfer: BTreeMap<String, Transfer>, Boundaries(Transfer::KINDS), default = {};
        /// files with metrics (`.sol`, `.solb`) with which that of a file or a field is intersected
        intersect: Option<Vec<String>>, Names;
        /// file, field, mesh: every iteration interpolates the metric from the first mesh. Otherwise the metric passes from one
        /// mesh to the next
        background: bool, Bool, default = false;
        /// also write the adapted mesh and its metric for Mmg and others: `adapted.mesh`, `adapted.sol`
        medit: bool, Bool, default = false;
        /// front: second derivatives from its formula, or recovered from its values at the vertices
        hessian: Hessians, Choice(Hessians::WORDS), default = "exact";
        /// front, field: target error; the smaller, the finer the mesh. Unused if `complexity` is set
        eta: f64, Number(Closed(1e-50), Closed(1e50)), default = 1e-3;
        /// target complexity: about 0.433 times the number of elements; unset: the metric is not scaled
        complexity: Option<f64>, Number(Open(0.0), Free);
        /// front, field: the L^p norm of the error to minimize; 0: the maximum norm (not with `complexity`)
        p: f64, Number(Closed(0.0), Free), default = 2.0;
        /// front, field: smallest second derivative; it bounds sizes where the field is flat
        floor: f64, Number(Closed(1e-50), Closed(1e50)), default = 1e-3;
        /// front, field: added to the determinant of the second derivatives
        epsilon: f64, Number(Closed(0.0), Closed(1e50)), default = 0.0;
        /// front: time of the first iteration
        time: f64, Number(Free, Free), default = 0.0;
        /// front: time between iterations
        time_step: f64, Number(Free, Free), default = 0.0;
        /// front: period in time
        period: f64, Number(Open(0.0), Free), default = 100.0;
        /// smallest edge size; unset: no limit
        h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        /// largest edge size; unset: no limit
        h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        /// largest ratio of two sizes at a vertex; unset: no limit
        aspect_ratio: Option<f64>, Number(Closed(1.0), Closed(1e50));
        /// largest factor by which sizes grow along an edge: near 1, all sizes become the smallest one; unset: no limit
        gradation: Option<f64>, Number(Closed(1.001), Free);
        /// edges shorter than this in the metric are collapsed
        short: f64, Number(Open(0.0), Open(1.0)), default = 0.7071067811865476;
        /// edges longer than this in the metric are split
        long: f64, Number(Open(1.0), Free), default = 1.4142135623730951;
        /// edges of elements of lower quality are swapped if that improves the worse element
        swap: f64, Number(Closed(0.0), Closed(1.0)), default = 0.9;
        /// elements of lower quality are bad: vertices move to improve them
        quality: f64, Number(Closed(0.0), Closed(1.0)), default = 0.7;
        /// smallest gain in quality for which a vertex moves
        gain: f64, Number(Closed(0.0), Closed(1.0)), default = 1e-6;
        /// maximum number of passes of refine, coarsen and swap
        passes: usize, Integer(0, 1000), default = 20;
        /// number of times that collapses and swaps improve bad elements, each time after smoothing
        turns: usize, Integer(0, 1000), default = 2;
        /// longest edge that such a collapse may create
        longest: f64, Number(Open(1.0), Free), default = 1.7;
        /// edges shorter than this are then collapsed even if no element gains, provided none is bad
        shortest: f64, Number(Closed(0.0), Open(1.0)), default = 0.6;
        /// sweeps of Laplacian smoothing each time
        laplacian: usize, Integer(0, 1000), default = 3;
        /// sweeps of optimization
        optimisation: usize, Integer(0, 1000), default = 20;
        /// rounds in which a pass selects operations
        rounds: usize, Integer(1, 1000), default = 5;
        /// how ties are broken: by the positions of vertices, so that the order of vertices in the file does not
        /// matter, or by that order
        numbering: VertexNumbers, Choice(VertexNumbers::WORDS), default = "canonical";
        /// when elements are redistributed among the ranks; it changes no bit
        repartition: Repartition, Choice(Repartition::WORDS), default = "passes";
        /// between passes: redistribute once a rank has this many times the mean number of vertices
        imbalance: f64, Number(Closed(1.0), Free), default = 1.2;
        /// number of adaptations, each to the metric at its time; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 1, unit = "iterations";
        /// stop when an adaptation changes less than this share of the elements; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
    } beside {
        /// What bounds the mesh.
        outline: outline::Config,
    }
}

/// Words of `metric`; the formulas are those of [`cfd_adapt::metric::Analytic`] in the plane.
pub const METRICS: &[&str] = &[
    "front",
    "linear",
    "linear-fine",
    "ramp",
    "polar-2",
    "cosine",
    "radial",
    "uniform",
    "mesh",
    "field",
    "file:PATH",
];

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

    /// Refuses keys that do not belong together.
    ///
    /// # Errors
    /// Which, and what would be right.
    pub(super) fn check(&self) -> Result<(), String> {
        if (self.metric == "uniform") != self.size.is_some() {
            return Err("adaptation.metric = \"uniform\" and adaptation.size belong together, as in adaptation.size = 0.1; \
                        set both, or neither"
                .into());
        }
        let is_field = self.metric == "field";
        if is_field && (self.field.is_none() || self.solution.is_none()) {
            return Err("adaptation.metric = \"field\" needs the name of a field and a file, as in adaptation.field = \"mach\" \
                        and adaptation.solution = \"solution.h5\""
                .into());
        }
        if !is_field && self.field.is_some() {
            return Err(
                "adaptation.field is for adaptation.metric = \"field\"; set that, or leave it out".into()
            );
        }
        if !is_field && self.solution.is_some() != self.fields.is_some() {
            return Err("adaptation.solution is for adaptation.metric = \"field\" and for adaptation.fields, which needs it; \
                        set both, or neither"
                .into());
        }
        self.check_carried()?;
        if self.intersect.is_some() && !is_field && !self.metric.starts_with("file:") {
            return Err(format!(
                "adaptation.intersect is for metrics at vertices, adaptation.metric = \"field\" or \"file:PATH\", not for \
                 \"{}\"; leave it out",
                self.metric
            ));
        }
        let is_of_first = is_field || self.metric == "mesh" || self.metric.starts_with("file:");
        if self.background && !is_of_first {
            return Err(format!(
                "adaptation.background is for metrics at the vertices of the first mesh, adaptation.metric = \"field\", \
                 \"file:PATH\" or \"mesh\"; \"{}\" is known on every mesh, so leave it out",
                self.metric
            ));
        }
        self.outline.check(self.h_min, self.h_max)
    }

    /// Names under which fields are carried, without the group that a solution has them in, and how.
    pub(super) fn carried(&self) -> Vec<(String, Transfer)> {
        let carried = |path: &String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let transfer = self.transfer.get(path).or_else(|| self.transfer.get(name));
            (name.to_string(), transfer.cloned().unwrap_or(Transfer::Linear {}))
        };
        self.fields.iter().flatten().map(carried).collect()
    }

    fn check_carried(&self) -> Result<(), String> {
        let mut names: Vec<String> = self.carried().into_iter().map(|(name, _)| name).collect();
        let is_carried =
            |name: &String| names.contains(name) || self.fields.iter().flatten().any(|of| of == name);
        if let Some(other) = self.transfer.keys().find(|name| !is_carried(name)) {
            return Err(format!(
                "adaptation.transfer has \"{other}\", which is none of adaptation.fields; add it there, or leave it out here"
            ));
        }
        names.extend(names.clone().iter().map(|name| masses_of(name)));
        let taken = |(at, name): (usize, &String)| {
            ["coordinates", "metric", "tensor", "quality", names::X].contains(&name.as_str())
                || names[..at].contains(name)
        };
        match names.iter().enumerate().find(|&entry| taken(entry)) {
            Some((_, name)) => Err(format!(
                "adaptation.fields has \"{name}\", but there is another field of this name; leave one out"
            )),
            None => Ok(()),
        }
    }

    /// What numbers the vertices.
    pub(super) fn numbering(&self) -> Numbering {
        match self.numbering {
            VertexNumbers::Canonical => Numbering::Canonical,
            VertexNumbers::File => Numbering::File,
        }
    }

    /// The front at the time of an iteration, counted from 1.
    pub(super) fn front(&self, iteration: u64) -> Waves {
        Waves { time: self.time + (iteration - 1) as f64 * self.time_step, period: self.period }
    }

    /// How second derivatives are recovered from values, if at all.
    pub(super) fn recovery(&self) -> Option<Recovery> {
        self.hessian.recovery()
    }

    /// How second derivatives become a metric.
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

    /// Limits applied to the finished metric.
    pub(super) fn wanted(&self) -> Wanted {
        let limits = Limits::given(self.h_min, self.h_max, self.aspect_ratio);
        Wanted { complexity: self.complexity, limits, beta: self.gradation }
    }
}
