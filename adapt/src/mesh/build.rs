//! A mesh from blocks of vertices, elements and boundary facets by number.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};
use serde::{Deserialize, Serialize};

use super::assemble::{NamedElement, assemble};
use super::facets::{Facets, Key};
use super::identity::of_number;
use super::numbering::{Numbering, numbers, rows_by_number};
use super::vertices::{Freedom, Vertex};
use super::{Called, Defect, Marks, Mesh, Paired, number_of};
use crate::geometry::{Geometry, Point, Side, Space, difference, dot};
use crate::tensor::Tensor;

/// One rank's blocks of a mesh, with vertices by number; block r of a list holds its rows `Blocks::range(r)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input<const D: usize> {
    /// Number of vertices, elements and boundary facets on all ranks.
    pub rows: [u64; 3],
    /// Positions of this block's vertices.
    pub positions: Vec<Point<D>>,
    /// Corners of this block's elements, `D + 1` per element.
    pub elements: Vec<u64>,
    /// Regions of this block's elements, from 0, if there are several: on all ranks or none.
    pub regions: Option<Vec<u16>>,
    /// Names of the regions; there may be none.
    pub region_names: Vec<String>,
    /// Corners of boundary facets, and of all facets between regions, `D` per facet; each of them on any one rank.
    pub facets: Vec<u64>,
    /// Their tags: t is boundary `boundaries[t - 1]`, with the bit [`INTERFACE`](super::INTERFACE) between regions. A facet of
    /// two elements without this bit is [`EMBEDDED`](super::EMBEDDED); both must be of one region.
    pub tags: Vec<u16>,
    /// Names of the boundaries and interfaces.
    pub boundaries: Vec<String>,
    /// [`Called::between`] of each, none where the list ends.
    pub between: Vec<Option<String>>,
    /// What stays as it is, if [`Sides`] follow from it.
    pub marks: Marks,
    /// What numbers the vertices.
    pub numbering: Numbering,
}

impl<const D: usize> Input<D> {
    /// The names of each boundary and interface.
    pub fn called(&self) -> Vec<Called> {
        called(&self.boundaries, &self.between)
    }
}

/// Both names of each boundary and interface.
pub(super) fn called(boundaries: &[String], between: &[Option<String>]) -> Vec<Called> {
    let between = between.iter().cloned().chain(std::iter::repeat(None));
    let both = boundaries.iter().cloned().zip(between);
    both.map(|(name, between)| Called { name, between }).collect()
}

/// What is wrong with a mesh to be adapted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum InputError {
    /// A number beyond the last vertex.
    #[error("element or facet {row} has vertex {vertex}, but there are {vertices} vertices")]
    NoVertex {
        /// The element or facet.
        row: u64,
        /// The vertex.
        vertex: u64,
        /// The number of vertices.
        vertices: u64,
    },
    /// A position that is not finite.
    #[error("vertex {vertex} is at {place}, which is not a point")]
    NoPlace {
        /// The vertex.
        vertex: u64,
        /// Its coordinates.
        place: String,
    },
    /// An element without area.
    #[error("element {element} of vertices {corners} has no area")]
    Flat {
        /// The element.
        element: u64,
        /// Its corners.
        corners: String,
    },
    /// A vertex in no element.
    #[error("vertex {vertex} at {place} is in no element")]
    Bare {
        /// The vertex.
        vertex: u64,
        /// Its coordinates.
        place: String,
    },
    /// Vertices that no order tells apart.
    #[error(
        "vertex {vertex} at {place} is there twice, with the same elements around it, so the vertices have no canonical \
         order; remove one, or number them as the file does"
    )]
    Twin {
        /// The vertex.
        vertex: u64,
        /// Its coordinates.
        place: String,
    },
    /// Facets that do not fit together.
    #[error("{0}")]
    Facet(Defect),
}

/// 1 + cos of the angle between two boundary facets up to which there is no corner between them: 1e-6 off a straight
/// line.
const STRAIGHT: f64 = 0.5e-12;

/// What is known of boundaries beyond their facets.
#[derive(Clone, Debug, Default)]
pub struct Sides<const D: usize> {
    /// What the boundaries are, in the order of [`Input::boundaries`]; straight where the list ends.
    pub sides: Vec<Side<D>>,
    /// Vertices that must not move, inside or on boundaries, in ascending order, the same on all ranks. Where straight
    /// boundaries bend and where boundaries meet, they are found.
    pub corners: Vec<u64>,
    /// Whether the elements of a region stay as they are, by region; no where the list ends.
    pub required: Vec<bool>,
    /// Pairs of periodic boundaries.
    pub pairs: Vec<Paired>,
}

impl<const D: usize> Sides<D> {
    /// With boundaries that are in pairs, unless they stay as they are.
    pub fn with_pairs(mut self, pairs: Vec<Paired>) -> Sides<D> {
        for &number in pairs.iter().flat_map(|pair| pair.numbers.iter().flatten()) {
            let at = usize::from(number) - 1;
            if self.sides.len() <= at {
                self.sides.resize(at + 1, Side::Straight);
            }
            if !matches!(self.sides[at], Side::Required) {
                self.sides[at] = Side::Paired;
            }
        }
        Sides { pairs, ..self }
    }
}

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// The mesh of these blocks, with every vertex on the rank of its block and the metric 0. Inverted elements are
    /// reversed. A vertex is a corner if boundaries of different names meet there, or if a boundary bends. Collective.
    ///
    /// # Errors
    /// The mesh cannot be adapted; the same error on all ranks.
    pub fn new(comm: &Comm, input: &Input<D>) -> Result<Mesh<D>, InputError> {
        Mesh::with_sides(comm, input, &Sides::default())
    }

    /// As [`Mesh::new`], with boundaries that are curved or that stay as they are, and regions that stay as they are: facets
    /// between these and others must be [`Side::Required`]. Collective.
    ///
    /// # Errors
    /// As for [`Mesh::new`].
    pub fn with_sides(comm: &Comm, input: &Input<D>, sides: &Sides<D>) -> Result<Mesh<D>, InputError> {
        comm.agree(check_places(comm, input))?;
        comm.agree(check_numbers(comm, input))?;
        let vertices = Blocks::new(input.rows[0], comm.size());
        let points = |wanted: &[u64]| fetch_rows(comm, vertices, 1, &input.positions, wanted);
        let corners = points(&input.elements);
        let elements = comm.agree(turned(comm, input, &corners))?;
        let facets = Facets::new(comm, input, &elements);
        let tags = comm.agree(facets.tags(comm))?;
        let freedoms = freedoms(comm, input, &points(&input.facets), sides);
        comm.agree(check_touched(comm, input, &elements))?;
        let numbers = numbers(comm, input, &corners)?;
        let mut local = distribute(comm, input, &elements, &tags, &freedoms, &numbers);
        local.sides = sides.sides.clone();
        local.required = sides.required.clone();
        let rows = rows_by_number(comm, input.rows[0], &numbers);
        let mut mesh = Mesh::of_local(comm, local, input, rows);
        mesh.pairs = sides.pairs.clone();
        Ok(mesh)
    }
}

fn check_places<const D: usize>(comm: &Comm, input: &Input<D>) -> Result<(), InputError> {
    let first = Blocks::new(input.rows[0], comm.size()).range(comm.rank()).start;
    match input.positions.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        None => Ok(()),
        Some(i) => {
            Err(InputError::NoPlace { vertex: first + i as u64, place: format!("{:?}", input.positions[i]) })
        }
    }
}

fn check_numbers<const D: usize>(comm: &Comm, input: &Input<D>) -> Result<(), InputError> {
    for (list, corners, rows) in [(&input.elements, D + 1, input.rows[1]), (&input.facets, D, input.rows[2])]
    {
        let first = Blocks::new(rows, comm.size()).range(comm.rank()).start;
        if let Some(i) = list.iter().position(|&v| v >= input.rows[0]) {
            let row = first + (i / corners) as u64;
            return Err(InputError::NoVertex { row, vertex: list[i], vertices: input.rows[0] });
        }
    }
    Ok(())
}

/// The elements with positive orientation.
fn turned<const D: usize>(comm: &Comm, input: &Input<D>, points: &[Point<D>]) -> Result<Vec<u64>, InputError>
where
    Space<D>: Geometry<D>,
{
    let first = Blocks::new(input.rows[1], comm.size()).range(comm.rank()).start;
    let mut elements = input.elements.clone();
    for (i, (corners, points)) in elements.chunks_exact_mut(D + 1).zip(points.chunks_exact(D + 1)).enumerate()
    {
        match <Space<D> as Geometry<D>>::orientation(points) {
            std::cmp::Ordering::Greater => {}
            std::cmp::Ordering::Less => corners.swap(D - 1, D),
            std::cmp::Ordering::Equal => {
                let element = first + i as u64;
                return Err(InputError::Flat { element, corners: format!("{corners:?}") });
            }
        }
    }
    Ok(elements)
}

/// Checks that every vertex is in an element.
fn check_touched<const D: usize>(comm: &Comm, input: &Input<D>, elements: &[u64]) -> Result<(), InputError> {
    let blocks = Blocks::new(input.rows[0], comm.size());
    let own = blocks.range(comm.rank());
    let mut touched = vec![false; input.positions.len()];
    let mut corners = elements.to_vec();
    corners.sort_unstable();
    corners.dedup();
    for v in sent_to_owners(comm, blocks, &corners).into_iter().flatten() {
        touched[(v - own.start) as usize] = true;
    }
    match touched.iter().position(|t| !t) {
        None => Ok(()),
        Some(i) => {
            Err(InputError::Bare { vertex: own.start + i as u64, place: format!("{:?}", input.positions[i]) })
        }
    }
}

fn sent_to_owners(comm: &Comm, blocks: Blocks, vertices: &[u64]) -> Vec<Vec<u64>> {
    let mut send = vec![Vec::new(); comm.size()];
    vertices.iter().for_each(|&v| send[blocks.owner(v)].push(v));
    comm.all_to_all(send)
}

/// How far this block's vertices may move.
fn freedoms<const D: usize>(
    comm: &Comm,
    input: &Input<D>,
    points: &[Point<D>],
    sides: &Sides<D>,
) -> Vec<Freedom> {
    let blocks = Blocks::new(input.rows[0], comm.size());
    let first = blocks.range(comm.rank()).start;
    // At each corner of a facet: the corner, the number of the facet's tag, the vector to the facet's other corner.
    let mut send: Vec<Vec<(u64, u64, Point<D>)>> = vec![Vec::new(); comm.size()];
    for ((corners, points), &tag) in input.facets.chunks_exact(D).zip(points.chunks_exact(D)).zip(&input.tags)
    {
        for i in 0..D {
            let way = difference(&points[i], &points[(i + 1) % D]);
            send[blocks.owner(corners[i])].push((corners[i], u64::from(number_of(tag)), way));
        }
    }
    let mut ends: Vec<(u64, u64, Point<D>)> = all_ends(comm, send);
    ends.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.partial_cmp(&b.2).expect("finite")));
    let mut freedoms = vec![Freedom::Inside; input.positions.len()];
    for ends in ends.chunk_by(|a, b| a.0 == b.0) {
        let moves = match ends {
            [one, other] if one.1 == other.1 && sides.corners.binary_search(&one.0).is_err() => {
                match sides.sides.get(one.1 as usize - 1) {
                    Some(Side::Required) => false,
                    Some(Side::Curved { .. }) => true,
                    Some(Side::Straight | Side::Paired) | None => is_straight(&one.2, &other.2),
                }
            }
            _ => false,
        };
        freedoms[(ends[0].0 - first) as usize] = if moves { Freedom::Boundary } else { Freedom::Corner };
    }
    let own = |vertex: &&u64| blocks.owner(**vertex) == comm.rank();
    let given = sides.corners.iter().filter(own).copied();
    for vertex in given.chain(required_corners(comm, blocks, input, sides)) {
        freedoms[(vertex - first) as usize] = Freedom::Corner;
    }
    freedoms
}

/// Vertices of this rank's block in elements of regions that stay as they are. Collective.
fn required_corners<const D: usize>(
    comm: &Comm,
    blocks: Blocks,
    input: &Input<D>,
    sides: &Sides<D>,
) -> Vec<u64> {
    if !sides.required.contains(&true) {
        return Vec::new();
    }
    let region = |i: usize| input.regions.as_ref().map_or(0, |regions| usize::from(regions[i]));
    let is_required = |i: &usize| sides.required.get(region(*i)).copied().unwrap_or(false);
    let corners = input.elements.chunks_exact(D + 1);
    let required = corners.enumerate().filter(|(i, _)| is_required(i)).flat_map(|(_, corners)| corners);
    let mut vertices: Vec<u64> = required.copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    sent_to_owners(comm, blocks, &vertices).concat()
}

fn all_ends<const D: usize>(comm: &Comm, send: Vec<Vec<(u64, u64, Point<D>)>>) -> Vec<(u64, u64, Point<D>)> {
    let words = |ends: Vec<(u64, u64, Point<D>)>| -> Vec<u64> {
        ends.into_iter()
            .flat_map(|(v, tag, way)| [v, tag].into_iter().chain(way.map(f64::to_bits)).collect::<Vec<u64>>())
            .collect()
    };
    let received = comm.all_to_all(send.into_iter().map(words).collect());
    let end = |words: &[u64]| (words[0], words[1], std::array::from_fn(|i| f64::from_bits(words[2 + i])));
    received.iter().flat_map(|words| words.chunks_exact(2 + D).map(end)).collect()
}

/// Whether two directions are opposite, up to rounding.
pub(crate) fn is_straight<const D: usize>(one: &Point<D>, other: &Point<D>) -> bool {
    let (lengths, along) = ((dot(one, one) * dot(other, other)).sqrt(), dot(one, other));
    along < 0.0 && 1.0 + along / lengths <= STRAIGHT
}

/// Sends every element, with its vertices, to the ranks of its vertices.
fn distribute<const D: usize>(
    comm: &Comm,
    input: &Input<D>,
    elements: &[u64],
    tags: &[u16],
    freedoms: &[Freedom],
    numbers: &[u64],
) -> super::Local<D> {
    let blocks = Blocks::new(input.rows[0], comm.size());
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    let region = |i: usize| input.regions.as_ref().map_or(0, |regions| u64::from(regions[i]));
    for (i, (corners, tags)) in elements.chunks_exact(D + 1).zip(tags.chunks_exact(D + 1)).enumerate() {
        let mut ranks: Vec<usize> = corners.iter().map(|&c| blocks.owner(c)).collect();
        ranks.sort_unstable();
        ranks.dedup();
        for rank in ranks {
            let tags = tags.iter().map(|&t| u64::from(t));
            send[rank].extend(corners.iter().copied().chain(tags).chain([region(i)]));
        }
    }
    let received: Vec<u64> = comm.all_to_all(send).concat();
    let rows = received.chunks_exact(2 * (D + 1) + 1);
    let mut wanted: Vec<u64> = rows.clone().flat_map(|row| row[..=D].iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let numbers = fetch_rows(comm, blocks, 1, numbers, &wanted);
    let identity = |vertex: &u64| of_number(numbers[wanted.binary_search(vertex).expect("all are wanted")]);
    let named = rows.map(|row| NamedElement {
        corners: row[..=D].iter().map(identity).collect(),
        tags: row[D + 1..2 * (D + 1)].iter().map(|&t| t as u16).collect(),
        region: row[2 * (D + 1)] as u16,
        values: Vec::new(),
    });
    let positions = fetch_rows(comm, blocks, 1, &input.positions, &wanted);
    let bytes: Vec<u8> = freedoms.iter().map(|&f| f as u8).collect();
    let freedoms = fetch_rows(comm, blocks, 1, &bytes, &wanted);
    let vertex = |((v, position), freedom): ((&u64, Point<D>), u8)| Vertex {
        position,
        metric: Tensor([[0.0; D]; D]),
        identity: identity(v),
        owner: blocks.owner(*v) as u32,
        freedom: Freedom::of_byte(freedom),
        marks: u8::MAX,
    };
    let vertices = wanted.iter().zip(positions).zip(freedoms).map(vertex).map(|v| (v, Vec::new()));
    assemble(comm.rank(), vertices.collect(), named.collect(), [0, 0])
}

/// A facet's corners in ascending order.
pub(super) fn key<const D: usize>(corners: impl Iterator<Item = u64>) -> Key {
    let mut key = [u64::MAX; 3];
    key.iter_mut().zip(corners).for_each(|(k, c)| *k = c);
    key.sort_unstable();
    key
}
