//! What bounds a mesh that is adapted: keys of `[adaptation]` that every case with adaptation takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use cfd_adapt::geometry::{Circle, Spline};
use cfd_adapt::mesh::{Mesh, number_of};
use cfd_adapt::metric::View;
use cfd_adapt::outline::{Bounded, Form, Outline, Rules, check_regions};
use cfd_adapt::remesh::{self, RemeshError};
use cfd_adapt::tensor::{Tensor, intersect};
use cfd_engine::comm::Comm;
use cfd_mesh::ElementMesh;
use cfd_mesh::generate::naca0012::half_thickness;

/// What is said of a checkpoint with curves by formulas that the configuration lacks.
const UNKNOWN_CURVES: &str =
    "the checkpoint has curves that adaptation.boundaries does not give; leave this table as it was";

cfd_keys::conditions! {
    /// What a boundary is between its corners.
    pub enum Shape {
        /// a smooth curve through its vertices
        Spline = "spline" {
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// its sides: every vertex where they bend is a corner
        Polygon = "polygon" {
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// its sides, none of which is split or merged
        Required = "required" {
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// a circle, or arcs of it
        Circle = "circle" {
            /// its center
            center: [f64; 2], Numbers(OneOf(&[2]), Free, Free), required = true;
            /// its radius
            radius: f64, Number(Open(0.0), Free), required = true;
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// the NACA0012 airfoil with a sharp trailing edge, from the origin to x = 1
        Naca0012 = "naca0012" {
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
    }
}

cfd_keys::conditions! {
    /// What happens to a region.
    pub enum Region {
        /// it is adapted
        Adapted = "adapted" {
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// its elements stay as they are
        Required = "required" {}
    }
}

cfd_keys::table! {
    /// Boundaries and regions of a mesh that is adapted
    pub struct Config = "adaptation" {
        /// what each named boundary is between its corners, in the table `[adaptation.boundaries]`: `airfoil = "polygon"`,
        /// `hole = { kind = "circle", center = [0.0, 0.0], radius = 0.5 }`; all others are splines
        boundaries: BTreeMap<String, Shape>, Boundaries(Shape::KINDS), default = {};
        /// what happens to each named region, in the table `[adaptation.regions]`: `layer = "required"`, `steel = { kind =
        /// "adapted", h_max = 0.1 }`; all others are adapted
        regions: BTreeMap<String, Region>, Boundaries(Region::KINDS), default = {};
        /// vertices at these points do not move, on boundaries or inside: `points = [[0.5, 0.25]]`
        points: Vec<Vec<f64>>, Points, default = [];
        /// a boundary that turns by more than this has a corner there
        corner_angle: f64, Number(Closed(0.0), Closed(180.0)), default = 45.0, unit = "degrees";
        /// largest distance of a side from the curve that it is on, as a fraction of the diagonal of the box around its
        /// boundary: a side farther away is split, whatever the metric
        hausdorff: f64, Number(Open(0.0), Closed(1.0)), default = 0.01;
    }
}

impl Config {
    /// What the boundaries are.
    pub fn rules(&self) -> Rules {
        let bounded = |form: Form, hausdorff: &Option<f64>| Bounded {
            form,
            deviation: hausdorff.unwrap_or(self.hausdorff),
        };
        let of = |shape: &Shape| match shape {
            Shape::Spline { hausdorff, .. } => bounded(Form::Spline, hausdorff),
            Shape::Polygon { .. } => bounded(Form::Polygon, &None),
            Shape::Required { .. } => bounded(Form::Required, &None),
            Shape::Circle { center, radius, hausdorff, .. } => {
                let circle = Circle { centre: *center, radius: *radius };
                bounded(Form::Given(Arc::new(circle)), hausdorff)
            }
            Shape::Naca0012 { hausdorff, .. } => bounded(Form::Given(Arc::new(naca0012())), hausdorff),
        };
        Rules {
            corner_angle: self.corner_angle.to_radians(),
            named: self.boundaries.iter().map(|(name, shape)| (name.clone(), of(shape))).collect(),
            others: bounded(Form::Spline, &None),
            required_regions: self
                .regions
                .iter()
                .filter(|(_, region)| matches!(region, Region::Required {}))
                .map(|(name, _)| name.clone())
                .collect(),
            points: self.points.iter().map(|point| [point[0], point[1]]).collect(),
        }
    }

    /// The outline of the mesh that a run was given: traced on that mesh, or from its numbers in a checkpoint. Collective.
    ///
    /// # Errors
    /// The mesh cannot be adapted, or has no outline under these rules.
    pub fn outline(
        &self,
        comm: &Comm,
        elements: &ElementMesh,
        kept: &[f64],
    ) -> Result<Arc<Outline>, RemeshError> {
        if let Some(point) = self.points.iter().find(|point| point.len() != 2) {
            return Err(RemeshError::Unsuitable(format!(
                "adaptation.points has {point:?}; expected points of two coordinates"
            )));
        }
        let rules = self.rules();
        if !self.regions.is_empty() {
            check_regions(self.regions.keys(), &remesh::region_names(comm, elements)?)?;
        }
        if kept.is_empty() {
            return remesh::outline(comm, elements, &rules);
        }
        let names = remesh::boundary_names(comm, elements)?;
        let outline = Outline::of_numbers(kept, &names, &rules);
        outline.map(Arc::new).ok_or_else(|| RemeshError::Unsuitable(UNKNOWN_CURVES.into()))
    }

    /// The largest sizes at boundaries that have one, by name.
    fn sizes(&self) -> BTreeMap<&str, f64> {
        let size = |shape: &Shape| match shape {
            Shape::Spline { h_max, .. }
            | Shape::Polygon { h_max }
            | Shape::Required { h_max }
            | Shape::Circle { h_max, .. }
            | Shape::Naca0012 { h_max, .. } => *h_max,
        };
        self.boundaries.iter().filter_map(|(name, shape)| Some((name.as_str(), size(shape)?))).collect()
    }

    /// The largest sizes in regions that have one, by name.
    fn sizes_in_regions(&self) -> BTreeMap<&str, f64> {
        let size = |region: &Region| match region {
            Region::Adapted { h_max } => *h_max,
            Region::Required {} => None,
        };
        self.regions.iter().filter_map(|(name, region)| Some((name.as_str(), size(region)?))).collect()
    }

    /// The largest size at each local vertex of a boundary or region that has one, infinite at the others; none without such
    /// boundaries and regions. Collective.
    pub fn sizes_at_vertices(&self, mesh: &Mesh<2>) -> Option<Vec<f64>> {
        let (sizes, in_regions) = (self.sizes(), self.sizes_in_regions());
        if sizes.is_empty() && in_regions.is_empty() {
            return None;
        }
        let numbered = |names: &[String], sizes: &BTreeMap<&str, f64>| -> Vec<f64> {
            names.iter().map(|name| sizes.get(name.as_str()).copied().unwrap_or(f64::INFINITY)).collect()
        };
        let of_number = [vec![f64::INFINITY], numbered(mesh.boundaries(), &sizes)].concat();
        let of_region = numbered(mesh.region_names(), &in_regions);
        let elements = mesh.local().elements();
        let mut found = vec![f64::INFINITY; View::vertices(mesh)];
        for e in elements.iter() {
            let in_region = of_region[usize::from(elements.region(e))];
            for &v in elements.corners(e) {
                found[v as usize] = found[v as usize].min(in_region);
            }
            for (opposite, &tag) in elements.tags(e).iter().enumerate() {
                let others = elements.corners(e).iter().enumerate().filter(|&(i, _)| i != opposite);
                for (_, &v) in others {
                    found[v as usize] = found[v as usize].min(of_number[usize::from(number_of(tag))]);
                }
            }
        }
        mesh.update_ghosts(&mut found);
        Some(found)
    }
}

/// The metrics, with no size above these, if there are any.
pub fn within(mut metrics: Vec<Tensor<2>>, sizes: Option<&[f64]>) -> Vec<Tensor<2>> {
    for (metric, &size) in metrics.iter_mut().zip(sizes.into_iter().flatten()) {
        if size < f64::INFINITY {
            *metric = intersect(metric, &Tensor::diagonal([1.0 / (size * size); 2]));
        }
    }
    metrics
}

/// Points of each side of the NACA0012's curve: between them, the spline is within 1e-10 chords of the formula.
const AIRFOIL_POINTS: u32 = 1000;

/// The NACA0012 from its trailing edge below to that above, densest at both edges.
fn naca0012() -> Spline<2> {
    let side = |k: u32, sign: f64| {
        let sine = same_math::sin(std::f64::consts::FRAC_PI_2 * f64::from(k) / f64::from(AIRFOIL_POINTS));
        let x = sine * sine;
        [x, if k == AIRFOIL_POINTS { 0.0 } else { sign * half_thickness(x) }]
    };
    let below = (1..=AIRFOIL_POINTS).rev().map(|k| side(k, -1.0));
    Spline::new(below.chain((0..=AIRFOIL_POINTS).map(|k| side(k, 1.0))).collect(), false)
}
