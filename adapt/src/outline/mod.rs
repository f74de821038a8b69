//! The outline of a plane mesh: what bounds it and its regions, in pieces between corners, independent of any one mesh's
//! facets.
//!
//! ```text
//! trace    the first mesh's facets ──► pieces, each straight, a curve, or kept as it is
//! points   vertices that stay      ──► their places
//! marked   what another program has marked, by places; back into a mesh
//! fit      a later mesh's facets   ──► the piece on which each of them lies
//! ```
//!
//! An adapted mesh approximates the outline, so the outline comes from the first mesh alone and passes from one adaptation
//! to the next: a curve through vertices that lie on a curve through other vertices would drift, and a coarse facet would
//! look like a corner. A boundary of a plane mesh is small beside the mesh, and every rank holds all of it.

mod fit;
mod marked;
mod numbers;
mod points;
mod trace;

use std::collections::BTreeSet;
use std::sync::Arc;

use cfd_engine::comm::Comm;
use cfd_mesh::ElementMesh;

pub use self::fit::Fitted;
use self::marked::Marked;
use crate::geometry::{Curve, Point, Side};
use crate::mesh::{Called, Input, number_of};
use crate::remesh::BETWEEN;

/// What a boundary is between its corners.
#[derive(Clone, Debug)]
pub enum Form {
    /// A smooth curve through its vertices.
    Spline,
    /// Its facets: every vertex where it bends is a corner.
    Polygon,
    /// The straight line between its corners.
    Line,
    /// Its facets, which are neither split nor merged.
    Required,
    /// A curve that is known.
    Given(Arc<dyn Curve<2>>),
}

/// A boundary's form, and how near to it facets are.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// Its form.
    pub form: Form,
    /// The largest distance of a facet from a curve, as a fraction of the diagonal of the box around the boundary.
    pub deviation: f64,
}

/// How an outline follows from a mesh.
#[derive(Clone, Debug)]
pub struct Rules {
    /// A boundary that turns by more than this angle, in radians, has a corner there.
    pub corner_angle: f64,
    /// Boundaries by name.
    pub named: Vec<(String, Bounded)>,
    /// All others.
    pub others: Bounded,
    /// Names of regions whose elements stay as they are, and with them their interfaces.
    pub required_regions: BTreeSet<String>,
    /// Places of vertices that stay, on boundaries or inside.
    pub points: Vec<Point<2>>,
}

impl Default for Rules {
    /// Splines with corners from 45 degrees on, within a hundredth of the boundary's size.
    fn default() -> Rules {
        let others = Bounded { form: Form::Spline, deviation: 0.01 };
        Rules {
            corner_angle: std::f64::consts::FRAC_PI_4,
            named: Vec::new(),
            others,
            required_regions: BTreeSet::new(),
            points: Vec::new(),
        }
    }
}

impl Rules {
    /// What is said of a boundary by its names, of which the first counts.
    fn of(&self, called: &Called) -> &Bounded {
        let named = |name: &str| self.named.iter().find(|(of, _)| of == name);
        called.names().find_map(named).map_or(&self.others, |(_, bounded)| bounded)
    }

    /// The form of a boundary or interface by its names.
    fn form(&self, called: &Called) -> &Form {
        let name = called.regions();
        let between = |region: &String| {
            let [before, after] = [name.strip_suffix(region), name.strip_prefix(region)];
            before.is_some_and(|rest| rest.ends_with(BETWEEN))
                || after.is_some_and(|rest| rest.starts_with(BETWEEN))
        };
        if self.required_regions.iter().any(between) { &Form::Required } else { &self.of(called).form }
    }
}

/// A part of the boundary between two corners, or a closed one without any.
#[derive(Clone, Debug)]
struct Piece {
    /// The boundary, by its place in [`Input::boundaries`].
    boundary: u16,
    /// The vertices from which a curve follows; of a straight piece its ends.
    points: Vec<Point<2>>,
    closed: bool,
    /// Whether its curve is that of a rule, not the spline through the points.
    given: bool,
    side: Side<2>,
}

impl Piece {
    /// Its ends, the smaller first; none of a closed one.
    fn ends(&self) -> Option<[Bits; 2]> {
        (!self.closed).then(|| sorted([bits(&self.points[0]), bits(&self.points[self.points.len() - 1])]))
    }
}

/// What bounds a plane mesh.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pieces: Vec<Piece>,
    /// Places of corners.
    corners: BTreeSet<Bits>,
    /// Places of vertices that stay.
    points: BTreeSet<Bits>,
    /// What the first mesh itself marks.
    marked: Marked,
    /// Names of regions whose elements stay as they are.
    required: BTreeSet<String>,
}

/// Why a mesh has no outline under some rules.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, thiserror::Error)]
pub enum OutlineError {
    /// A name that no boundary has.
    #[error("there is no boundary \"{name}\"; the mesh has {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A name that no region has.
    #[error("there is no region \"{name}\"; the mesh has {known}")]
    UnknownRegion {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No vertex where one is to stay.
    #[error("there is no vertex at {place}; the nearest is {distance:.2e} away, at {nearest}")]
    NoVertex {
        /// Where one was expected.
        place: String,
        /// Where the nearest is.
        nearest: String,
        /// How far that is.
        distance: f64,
    },
    /// A vertex far from the curve of its boundary.
    #[error(
        "a vertex of boundary \"{name}\" at {place} is {distance:.2e} from its curve; expected at most {most:.2e}, the \
         largest distance of a facet"
    )]
    Off {
        /// The boundary.
        name: String,
        /// The vertex.
        place: String,
        /// Its distance.
        distance: f64,
        /// The largest allowed one.
        most: f64,
    },
    /// A closed boundary that is to be a straight line.
    #[error("boundary \"{name}\" is closed and has no corners, so there is no straight line between them")]
    NoLine {
        /// The boundary.
        name: String,
    },
    /// More curves than tags.
    #[error("the boundaries have {pieces} curved parts between corners; at most {most} are possible")]
    Many {
        /// Curved parts.
        pieces: usize,
        /// The most.
        most: usize,
    },
    /// A mesh that has not come from the one whose outline this is.
    #[error("the facets of boundary \"{name}\" from {from} to {to} are on no part of the outline")]
    Foreign {
        /// The boundary.
        name: String,
        /// Where the facets begin.
        from: String,
        /// Where they end.
        to: String,
    },
}

impl Outline {
    /// The outline of a mesh. The same on all ranks, and for the vertices, elements and facets in any order. Collective.
    ///
    /// # Errors
    /// A rule for a boundary that is not there, or a curve far from its boundary; the same on all ranks.
    pub fn trace(comm: &Comm, input: &Input<2>, rules: &Rules) -> Result<Outline, OutlineError> {
        let called = input.called();
        let known = || called.iter().flat_map(Called::names);
        if let Some((name, _)) = rules.named.iter().find(|(name, _)| !known().any(|of| of == name)) {
            let mut known: Vec<String> = known().map(String::from).collect();
            known.dedup();
            return Err(OutlineError::Unknown { name: name.clone(), known: listed(&known) });
        }
        check_regions(&rules.required_regions, &input.region_names)?;
        let loops = Loops::of(comm, input);
        let points = points::vertices_at(comm, input, &loops.places, &rules.points)?;
        let marked = Marked::of(comm, input);
        let traced = trace::outline(&loops, &called, rules, &marked)?;
        Ok(Outline { points, marked, ..traced })
    }

    /// Marks in a mesh that has come from that of the outline what that mesh marks. Collective.
    pub fn mark(&self, comm: &Comm, mesh: &mut ElementMesh) {
        self.marked.mark(comm, mesh);
    }

    /// The same from the outline's numbers, whose names the marks may decide. Collective.
    pub fn mark_by_numbers(comm: &Comm, numbers: &[f64], mesh: &mut ElementMesh) {
        Marked::of_numbers(numbers).mark(comm, mesh);
    }

    /// Whether nothing is curved or kept: then the mesh alone says what bounds it.
    pub fn is_straight(&self) -> bool {
        let nothing_stays = self.required.is_empty() && self.points.is_empty() && self.marked.is_empty();
        nothing_stays && self.pieces.iter().all(|piece| matches!(piece.side, Side::Straight))
    }
}

/// Whether all names are those of regions.
///
/// # Errors
/// One is not.
pub fn check_regions<'a>(
    names: impl IntoIterator<Item = &'a String>,
    known: &[String],
) -> Result<(), OutlineError> {
    match names.into_iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(OutlineError::UnknownRegion { name: name.clone(), known: listed(known) }),
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    if quoted.is_empty() { "none".into() } else { quoted.join(", ") }
}

/// A place as an order that has no equals.
type Bits = [u64; 2];

fn bits(p: &Point<2>) -> Bits {
    p.map(f64::to_bits)
}

fn sorted([a, b]: [Bits; 2]) -> [Bits; 2] {
    if b < a { [b, a] } else { [a, b] }
}

/// All facets of a mesh on boundaries and between regions, and which of them meet.
pub(crate) struct Loops {
    /// Boundary, from 0, and corners of each facet.
    facets: Vec<(u16, [u64; 2])>,
    /// Vertices on boundaries, in ascending order.
    vertices: Vec<u64>,
    /// Their places.
    places: Vec<Point<2>>,
    /// The facets that meet at them.
    around: Vec<Vec<u32>>,
    /// Number of this rank's first facet.
    first: usize,
}

impl Loops {
    /// Collective.
    pub fn of(comm: &Comm, input: &Input<2>) -> Loops {
        let vertices = cfd_engine::mesh::Blocks::new(input.rows[0], comm.size());
        let points = cfd_engine::mesh::fetch_rows(comm, vertices, 1, &input.positions, &input.facets);
        let rows = input.facets.as_chunks::<2>().0.iter().zip(points.as_chunks::<2>().0).zip(&input.tags);
        let words: Vec<u64> = rows
            .flat_map(|((corners, points), &tag)| {
                let [[a, b], [c, d]] = points.map(|p| bits(&p));
                [u64::from(number_of(tag)) - 1, corners[0], corners[1], a, b, c, d]
            })
            .collect();
        let gathered = comm.all_gather(&words);
        let first = gathered[..comm.rank()].iter().map(|of| of.len() / 7).sum();
        let all = gathered.concat();
        let rows = || all.as_chunks::<7>().0.iter();
        let place = |x: u64, y: u64| [f64::from_bits(x), f64::from_bits(y)];
        let mut ends: Vec<(u64, Bits)> =
            rows().flat_map(|&[_, v, w, a, b, c, d]| [(v, [a, b]), (w, [c, d])]).collect();
        ends.sort_unstable();
        ends.dedup();
        let vertices: Vec<u64> = ends.iter().map(|end| end.0).collect();
        let places = ends.iter().map(|&(_, [x, y])| place(x, y)).collect();
        let facets: Vec<(u16, [u64; 2])> = rows().map(|row| (row[0] as u16, [row[1], row[2]])).collect();
        let mut around = vec![Vec::new(); vertices.len()];
        for (number, (_, corners)) in (0..).zip(&facets) {
            for corner in corners {
                around[vertices.binary_search(corner).expect("a corner is a vertex")].push(number);
            }
        }
        Loops { facets, vertices, places, around, first }
    }

    fn at(&self, vertex: u64) -> usize {
        self.vertices.binary_search(&vertex).expect("a vertex on a boundary")
    }

    fn place(&self, vertex: u64) -> &Point<2> {
        &self.places[self.at(vertex)]
    }

    fn around(&self, vertex: u64) -> &[u32] {
        &self.around[self.at(vertex)]
    }

    /// Whether two facets of one boundary meet there, and no others.
    fn goes_on(&self, vertex: u64) -> bool {
        match self.around(vertex) {
            &[one, other] => self.facets[one as usize].0 == self.facets[other as usize].0,
            _ => false,
        }
    }

    /// The facets in runs from corner to corner, and closed ones without a corner: vertices in order, a closed run's first
    /// one last, too; and the facets between them.
    fn runs(&self, is_corner: impl Fn(u64) -> bool) -> Vec<(Vec<u64>, Vec<u32>)> {
        let (mut seen, mut runs) = (vec![false; self.facets.len()], Vec::new());
        let all = 0..self.facets.len() as u32;
        let starts =
            |&facet: &u32| self.facets[facet as usize].1.into_iter().map(move |start| (start, facet));
        for (start, facet) in
            all.clone().flat_map(|facet| starts(&facet)).filter(|&(start, _)| is_corner(start))
        {
            if !seen[facet as usize] {
                runs.push(self.follow(start, facet, &is_corner, &mut seen));
            }
        }
        // What is left is closed; from its first place on.
        let mut left: Vec<(u64, u32)> =
            all.filter(|&facet| !seen[facet as usize]).flat_map(|facet| starts(&facet)).collect();
        left.sort_by_key(|&(start, facet)| (bits(self.place(start)), start, facet));
        for (start, facet) in left {
            if !seen[facet as usize] {
                runs.push(self.follow(start, facet, &is_corner, &mut seen));
            }
        }
        runs
    }

    /// From a vertex along a facet to the next corner, or to the vertex again.
    fn follow(
        &self,
        start: u64,
        first: u32,
        is_corner: impl Fn(u64) -> bool,
        seen: &mut [bool],
    ) -> (Vec<u64>, Vec<u32>) {
        let (mut vertices, mut facets, mut facet) = (vec![start], Vec::new(), first);
        loop {
            seen[facet as usize] = true;
            facets.push(facet);
            let [a, b] = self.facets[facet as usize].1;
            let next = if a == vertices[vertices.len() - 1] { b } else { a };
            vertices.push(next);
            if next == start || is_corner(next) {
                return (vertices, facets);
            }
            let onward = self.around(next).iter().copied().find(|&other| other != facet);
            facet = onward.expect("two facets meet where there is no corner");
        }
    }
}
