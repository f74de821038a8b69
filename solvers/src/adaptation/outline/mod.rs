//! What bounds a mesh that is adapted: keys of `[adaptation]` that every case with adaptation takes.

mod curves;
mod sizes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cfd_adapt::geometry::{Circle, Ellipse, Point};
use cfd_adapt::outline::{Bounded, Form, Outline, Rules, check_regions};
use cfd_adapt::remesh::{self, RemeshError};
use cfd_engine::comm::Comm;
use cfd_mesh::{ElementMesh, Motion, Periodic};

use self::curves::{naca0012, points_of, through};
pub use self::sizes::within;

/// What is said of a checkpoint with curves by formulas that the configuration lacks.
const UNKNOWN_CURVES: &str =
    "the checkpoint has curves that adaptation.boundaries does not give; leave this table as it was";

cfd_keys::conditions! {
    /// What a boundary is between its corners.
    pub enum Shape {
        /// a smooth curve through its vertices, or through the points of a file
        Spline = "spline" {
            /// a file with points of the curve, x and y in a line; closed if the last point is the first again
            file: Option<String>, Text;
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// the straight line between its corners
        Line = "line" {
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// its sides: every vertex where they bend is a corner
        Polygon = "polygon" {
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// its sides, none of which is split or merged
        Required = "required" {
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// the mesh continues at another boundary, which is this one, translated or rotated: both get their vertices at the
        /// same places
        Periodic = "periodic" {
            /// name of the other boundary, which then needs no entry
            partner: String, Text, required = true;
            /// from this boundary to the other; unset: that between their bounding boxes
            translation: Option<[f64; 2]>, Numbers(OneOf(&[2]), Free, Free), unit = "length";
            /// angle by which this boundary is rotated onto the other, counterclockwise, instead of a translation
            angle: Option<f64>, Number(Closed(-180.0), Closed(180.0)), unit = "degrees";
            /// the point about which it is rotated; unset: the origin
            center: Option<[f64; 2]>, Numbers(OneOf(&[2]), Free, Free), unit = "length";
            /// largest distance of an end from its partner's position, as a share of the shortest side
            tolerance: f64, Number(Open(0.0), Open(0.5)), default = 1e-3;
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
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
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// an ellipse, or arcs of it
        Ellipse = "ellipse" {
            /// its center
            center: [f64; 2], Numbers(OneOf(&[2]), Free, Free), required = true;
            /// its half axes
            radii: [f64; 2], Numbers(OneOf(&[2]), Open(0.0), Free), required = true;
            /// by how many degrees the first of them is turned against x
            angle: f64, Number(Free, Free), default = 0.0;
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
            /// largest edge size at its vertices
            h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50));
        }
        /// the NACA0012 airfoil with a sharp trailing edge, from the origin to x = 1
        Naca0012 = "naca0012" {
            /// as `adaptation.hausdorff`, for this boundary
            hausdorff: Option<f64>, Number(Open(0.0), Closed(1.0));
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
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
            /// smallest edge size at its vertices
            h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50));
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
    /// What the boundaries are, with the points of files by their names. Collective.
    ///
    /// # Errors
    /// A file that has no points.
    fn rules(&self, comm: &Comm) -> Result<Rules, RemeshError> {
        let points = if comm.is_root() { self.points_of_files().map(Some) } else { Ok(None) };
        let points: BTreeMap<String, Vec<Point<2>>> =
            comm.broadcast(0, comm.agree(points).map_err(RemeshError::Unsuitable)?);
        let named = self.boundaries.iter().map(|(name, shape)| {
            let bounded = Bounded {
                form: self.form(shape, points.get(name)),
                deviation: shape.hausdorff().unwrap_or(self.hausdorff),
            };
            (name.clone(), bounded)
        });
        let is_required = |region: &&String| matches!(self.regions[*region], Region::Required {});
        Ok(Rules {
            corner_angle: self.corner_angle.to_radians(),
            named: named.collect(),
            others: Bounded { form: Form::Spline, deviation: self.hausdorff },
            required_regions: self.regions.keys().filter(is_required).cloned().collect(),
            points: self.points.iter().map(|point| [point[0], point[1]]).collect(),
        })
    }

    /// The pairs of periodic boundaries.
    pub fn pairs(&self) -> Vec<Periodic> {
        let pair = |(name, shape): (&String, &Shape)| match shape {
            Shape::Periodic { partner, translation, angle, center, tolerance, .. } => Some(Periodic {
                names: [name.clone(), partner.clone()],
                motion: match *angle {
                    None => Motion::Translation(translation.map(Vec::from)),
                    Some(angle) => Motion::Rotation {
                        center: center.map_or(Vec::new(), Vec::from),
                        axis: [0.0, 0.0, 1.0],
                        angle,
                    },
                },
                tolerance: *tolerance,
            }),
            _ => None,
        };
        self.boundaries.iter().filter_map(pair).collect()
    }

    /// Those, and the pairs that the mesh itself states, of boundaries that are not named.
    pub fn pairs_with_those_of(&self, elements: &ElementMesh) -> Vec<Periodic> {
        let mut pairs = self.pairs();
        let named: BTreeSet<String> =
            pairs.iter().flat_map(|pair| pair.names.clone()).chain(self.boundaries.keys().cloned()).collect();
        let is_new = |pair: &&Periodic| pair.names.iter().all(|name| !named.contains(name));
        pairs.extend(elements.groups.periodic.iter().filter(is_new).cloned());
        pairs
    }

    /// The points of the files of boundaries. Not collective.
    fn points_of_files(&self) -> Result<BTreeMap<String, Vec<Point<2>>>, String> {
        let file = |(name, shape): (&String, &Shape)| match shape {
            Shape::Spline { file: Some(file), .. } => Some((name.clone(), file.clone())),
            _ => None,
        };
        let points = |(name, file): (String, String)| match points_of(&file) {
            Ok(points) => Ok((name, points)),
            Err(what) => Err(format!("adaptation.boundaries.{name}.file: {what}")),
        };
        self.boundaries.iter().filter_map(file).map(points).collect()
    }

    fn form(&self, shape: &Shape, points: Option<&Vec<Point<2>>>) -> Form {
        match shape {
            Shape::Spline { .. } => match points {
                Some(points) => Form::Given(Arc::new(through(points, self.corner_angle))),
                None => Form::Spline,
            },
            Shape::Line { .. } => Form::Line,
            Shape::Polygon { .. } | Shape::Periodic { .. } => Form::Polygon,
            Shape::Required { .. } => Form::Required,
            Shape::Circle { center, radius, .. } => {
                Form::Given(Arc::new(Circle { centre: *center, radius: *radius }))
            }
            Shape::Ellipse { center, radii, angle, .. } => {
                Form::Given(Arc::new(Ellipse::new(*center, *radii, angle.to_radians())))
            }
            Shape::Naca0012 { .. } => Form::Given(Arc::new(naca0012())),
        }
    }

    /// The outline of the mesh that a run was given: traced on that mesh, or from its numbers in a checkpoint, whose mesh gets
    /// the first one's marks. Collective.
    ///
    /// # Errors
    /// The mesh cannot be adapted, or has no outline under these rules.
    pub fn outline(
        &self,
        comm: &Comm,
        elements: &mut ElementMesh,
        kept: &[f64],
    ) -> Result<Arc<Outline>, RemeshError> {
        // The sets of a checkpoint have no marks.
        Outline::mark_by_numbers(comm, kept, elements);
        if let Some(point) = self.points.iter().find(|point| point.len() != 2) {
            return Err(RemeshError::Unsuitable(format!(
                "adaptation.points has {point:?}; expected points of two coordinates"
            )));
        }
        let rules = self.rules(comm)?;
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

    /// Refuses sizes that contradict each other, or those everywhere.
    ///
    /// # Errors
    /// Which, and what would be right.
    pub fn check(&self, h_min: Option<f64>, h_max: Option<f64>) -> Result<(), String> {
        let of_boundaries = self.boundaries.iter().map(|(name, shape)| ("boundaries", name, shape.sizes()));
        let of_regions = self.regions.iter().map(|(name, region)| ("regions", name, region.sizes()));
        for (table, name, [least, most]) in of_boundaries.chain(of_regions) {
            let key = format!("adaptation.{table}.{name}");
            let pairs = [
                (least, format!("{key}.h_min"), most, format!("{key}.h_max")),
                (least, format!("{key}.h_min"), h_max, "adaptation.h_max".to_string()),
                (h_min, "adaptation.h_min".to_string(), most, format!("{key}.h_max")),
            ];
            for (least, of_least, most, of_most) in pairs {
                if let (Some(least), Some(most)) = (least, most)
                    && least > most
                {
                    return Err(format!(
                        "{of_least} = {least} is above {of_most} = {most}; expected a smallest size up to the largest one"
                    ));
                }
            }
        }
        Ok(())
    }
}
