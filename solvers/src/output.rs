//! What a run shows of its result beside its history and its solution: more fields, numbers, tables, pictures.

use cfd_engine::backend::BackendError;
use cfd_engine::domain::Domain;
use cfd_engine::prelude::AnyDat;
use cfd_mesh::ElementMesh;
use serde_json::{Map, Value as Json};

use crate::{Field, Solver};

/// What is computed when it is asked for, on all ranks at once.
pub type Computed<'a, T> = Box<dyn Fn(&mut Domain) -> Result<T, BackendError> + 'a>;

/// A part of what a run shows. Nothing is computed before it is asked for, and computing it changes no state.
pub enum Output<'a> {
    /// Fields that follow from the solution. They are shown and written with it, but not hashed, and no run continues
    /// from them.
    Fields(Computed<'a, Vec<Field>>),
    /// Final numbers with their names, in addition to those of the last reported step, of which they replace any of the
    /// same name.
    Values(Computed<'a, Vec<(String, f64)>>),
    /// Entries of `summary.json`.
    Entries(Map<String, Json>),
    /// Entries of its `time`, in seconds.
    Times(Map<String, Json>),
    /// A picture of a field: `FIELD.svg`. One at most.
    Picture(Picture<'a>),
    /// The pressure coefficient along a wall in the plane: (x, y, cp) in the order of the wall, on rank 0.
    WallPressure(Computed<'a, Vec<[f64; 3]>>),
    /// The pressure coefficient where planes cut a body in space, on rank 0.
    Sections(Computed<'a, Vec<Section>>),
    /// A table: the name of its file and, on rank 0, its lines.
    Table(&'static str, Computed<'a, String>),
    /// Another picture.
    Drawing(Drawing),
    /// The last frame of a film, of the present: `film.svg` shows it after those that the solver has left
    /// ([`Solver::frames`]).
    Film(Film<'a>),
    /// The elements that the run ends with, if it has changed its mesh: `adapted.h5`, a mesh for any case.
    Mesh(&'a ElementMesh),
    /// The same for programs that read Medit's formats, such as Mmg: `adapted.mesh`, and in `adapted.sol` the metric at
    /// its nodes, xx, xy, yy.
    Medit(&'a ElementMesh, AnyDat),
}

impl<'a> Output<'a> {
    /// [`Output::Fields`].
    pub fn fields(fields: impl Fn(&mut Domain) -> Result<Vec<Field>, BackendError> + 'a) -> Output<'a> {
        Output::Fields(Box::new(fields))
    }

    /// [`Output::Values`].
    pub fn values(
        values: impl Fn(&mut Domain) -> Result<Vec<(String, f64)>, BackendError> + 'a,
    ) -> Output<'a> {
        Output::Values(Box::new(values))
    }

    /// [`Output::Table`].
    pub fn table(
        file: &'static str,
        text: impl Fn(&mut Domain) -> Result<String, BackendError> + 'a,
    ) -> Output<'a> {
        Output::Table(file, Box::new(text))
    }

    /// [`Output::WallPressure`].
    pub fn wall_pressure(
        points: impl Fn(&mut Domain) -> Result<Vec<[f64; 3]>, BackendError> + 'a,
    ) -> Output<'a> {
        Output::WallPressure(Box::new(points))
    }

    /// [`Output::Sections`].
    pub fn sections(sections: impl Fn(&mut Domain) -> Result<Vec<Section>, BackendError> + 'a) -> Output<'a> {
        Output::Sections(Box::new(sections))
    }
}

/// The fields that follow from the solution ([`Output::Fields`]), with the state's values. Collective.
///
/// # Errors
/// A device has failed.
pub fn derived_fields(solver: &dyn Solver, domain: &mut Domain) -> Result<Vec<Field>, BackendError> {
    let mut derived = Vec::new();
    for output in solver.outputs() {
        if let Output::Fields(fields) = output {
            derived.extend(fields(domain)?);
        }
    }
    Ok(derived)
}

/// A picture of a field on cells or their corners, around the body if there is one.
pub struct Picture<'a> {
    /// The field's name.
    pub field: &'static str,
    /// The label of the scale.
    pub title: &'static str,
    /// In space, the axis normal to the picture's plane: 0 for x, 1 for y, 2 for z. The picture shows the faces that lie
    /// lowest along it.
    pub normal: usize,
    /// The body's extent along x, if there is a body and no wall pressure that tells.
    pub body: Option<Computed<'a, Option<[f64; 2]>>>,
}

impl<'a> Picture<'a> {
    /// A picture of the plane z = 0 or of the lowest faces along z.
    pub fn of(field: &'static str, title: &'static str) -> Picture<'a> {
        Picture { field, title, normal: 2, body: None }
    }
}

/// A film of the meshes of a run, and of a field on each.
pub struct Film<'a> {
    /// The label of the field's scale.
    pub title: &'static str,
    /// Its last frame.
    pub last: Computed<'a, Frame>,
}

/// A frame of a film: a mesh, which the run may have left since, and a field on it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The elements.
    pub elements: ElementMesh,
    /// This rank's block of the field's values at their nodes.
    pub values: Vec<f64>,
    /// Which moment it is, in a few words: "after 3 adaptations".
    pub label: String,
}

/// A section of a body by a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The plane's position as a share of the span.
    pub station: f64,
    /// The plane's position along the span, in the mesh's unit.
    pub span: f64,
    /// x as a share of the section's chord, height, and the pressure coefficient, in order around the body.
    pub points: Vec<[f64; 3]>,
}

impl Section {
    /// A section of its points (x, height, pressure coefficient) in any order. They will run from the trailing edge along the
    /// upper side to the leading edge and back along the lower side.
    pub fn new(station: f64, span: f64, points: Vec<[f64; 3]>) -> Section {
        let by_x = |a: &&[f64; 3], b: &&[f64; 3]| a[0].total_cmp(&b[0]);
        let (Some(&front), Some(&rear)) = (points.iter().min_by(by_x), points.iter().max_by(by_x)) else {
            return Section { station, span, points };
        };
        let chord = rear[0] - front[0];
        let share = |x: f64| if chord > 0.0 { (x - front[0]) / chord } else { 0.0 };
        // Above or below the line from the leading to the trailing edge.
        let above = |p: &[f64; 3]| p[1] - (front[1] + share(p[0]) * (rear[1] - front[1]));
        let (mut upper, mut lower): (Vec<_>, Vec<_>) = points.into_iter().partition(|p| above(p) >= 0.0);
        upper.sort_by(|a, b| b[0].total_cmp(&a[0]));
        lower.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let around = upper.into_iter().chain(lower);
        Section { station, span, points: around.map(|[x, height, cp]| [share(x), height, cp]).collect() }
    }
}

/// A picture that is not of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// The sides of the mesh's cells.
    Sides {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is shown.
        title: &'static str,
    },
    /// A histogram.
    Histogram {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is counted.
        title: &'static str,
        /// Name of the values.
        axis: &'static str,
        /// Lower end of the first bin and upper end of the last; all bins have equal width.
        range: [f64; 2],
        /// The number of values in each bin.
        counts: Vec<u64>,
        /// Values to mark, as limits of the target range.
        marks: Vec<f64>,
    },
    /// A number for each name.
    Bars {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is shown.
        title: &'static str,
        /// Name and unit of the numbers.
        axis: &'static str,
        /// The names and their numbers.
        bars: Vec<(String, f64)>,
    },
}

impl Drawing {
    /// Name of the file without its ending.
    pub fn file(&self) -> &'static str {
        match self {
            Drawing::Sides { file, .. } | Drawing::Histogram { file, .. } | Drawing::Bars { file, .. } => {
                file
            }
        }
    }
}
