//! What there is to say about a mesh of elements: sizes, shapes of elements, and what is wrong with nodes and faces.
//!
//! ```text
//! shape       angles and aspect ratio of an element
//! extremes    the smallest and the largest of something, with the element
//! faces       faces that lie neither between two elements nor on a named boundary; first nodes off the boundary
//! twins       nodes at the same place
//! ```
//!
//! Sums are exact and extremes name the first element, so a survey has the same bits on any number of ranks.

mod extremes;
mod faces;
mod shape;
mod twins;

use std::collections::BTreeMap;

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_engine::sum::{ExactSum, WORDS, round};

use self::extremes::Extremes;
pub use self::extremes::Located;
pub use self::faces::{FaceDefect, Faces};
pub use self::twins::Twins;
use crate::ElementMesh;

/// What there is to say about a mesh; the same on every rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The lowest and the highest coordinates; 0 beyond the mesh's dimension.
    pub extent: [[f64; 3]; 2],
    /// Area or volume of all elements that fill the domain.
    pub total: f64,
    /// The smallest and the largest area or volume of an element.
    pub measures: [Located; 2],
    /// The smallest and the largest angle, in degrees: at the corners of elements in the plane, between the faces of others.
    pub angles: [Located; 2],
    /// The largest aspect ratio: longest side times largest face over volume, 1 for a regular element.
    pub aspect_ratio: Located,
    /// The groups of elements, first boundaries, then regions, each by id.
    pub groups: Vec<GroupSurvey>,
    /// Nodes at the place of another.
    pub twins: Option<Twins>,
    /// Faces.
    pub faces: Faces,
}

/// A group of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSurvey {
    /// The dimension of its elements.
    pub dimension: usize,
    /// Its number.
    pub id: i32,
    /// Its names.
    pub names: Vec<String>,
    /// How many elements.
    pub elements: u64,
    /// Their length, area or volume.
    pub measure: f64,
    /// Of a boundary: the smallest and the largest distance to it of a node of the elements at it, off the boundary.
    pub spacing: Option<[f64; 2]>,
}

/// Surveys a mesh. Collective.
pub fn survey(comm: &Comm, mesh: &ElementMesh) -> Survey {
    let dimension = mesh.dimension();
    let mut measures = Extremes::default();
    let mut angles = Extremes::default();
    let mut aspects = Extremes::default();
    let mut total = ExactSum::new();
    let mut sums: BTreeMap<(usize, i32), (u64, ExactSum)> = BTreeMap::new();
    for of in [dimension - 1, dimension] {
        for (id, _) in mesh.groups.of_dimension(of) {
            sums.insert((of, id), (0, ExactSum::new()));
        }
    }
    let mut before = 0;
    for list in mesh.elements() {
        let kind = list.kind;
        let x = fetch_rows(comm, mesh.node_blocks(comm), dimension, mesh.x(), list.nodes);
        let first = before + Blocks::new(list.rows, comm.size()).range(comm.rank()).start;
        for ((place, x), group) in (first..).zip(x.chunks_exact(kind.nodes() * dimension)).zip(list.groups) {
            let measure = kind.measure(dimension, x);
            if let Some((elements, sum)) = sums.get_mut(&(kind.dimension(), *group)) {
                *elements += 1;
                sum.add(measure);
            }
            if list.boundary {
                continue;
            }
            let at = shape::middle(dimension, x);
            let [least, greatest] = shape::angles(kind, dimension, x);
            total.add(measure);
            measures.add(measure, measure, place, at);
            angles.add(least, greatest, place, at);
            let aspect = shape::aspect_ratio(kind, dimension, x, measure);
            aspects.add(aspect, aspect, place, at);
        }
        // The place of an element counts those that fill the domain.
        before += if list.boundary { 0 } else { list.rows };
    }
    let (faces, mut spacings) = faces::survey(comm, mesh);
    let group = |((dimension, id), (elements, sum)): ((usize, i32), (u64, ExactSum))| GroupSurvey {
        dimension,
        id,
        names: mesh.groups.names(dimension, id).map(String::from).collect(),
        elements: comm.sum(elements),
        measure: all(comm, &sum),
        spacing: if dimension < mesh.dimension() { spacings.remove(&id) } else { None },
    };
    let groups = sums.into_iter().map(group).collect();
    let [_, aspect_ratio] = aspects.all(comm, mesh);
    Survey {
        extent: extent(comm, mesh),
        total: all(comm, &total),
        measures: measures.all(comm, mesh),
        angles: angles.all(comm, mesh),
        aspect_ratio,
        groups,
        twins: twins::find(comm, mesh),
        faces,
    }
}

/// The correctly rounded sum of all ranks' terms. Collective.
fn all(comm: &Comm, sum: &ExactSum) -> f64 {
    let mut words = [0; WORDS];
    sum.write_words(&mut words);
    comm.all_reduce(&mut words, ReduceOp::Sum);
    round(&words)
}

/// The lowest and the highest coordinates. Collective.
fn extent(comm: &Comm, mesh: &ElementMesh) -> [[f64; 3]; 2] {
    let mut extent = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let widen = |extent: &mut [[f64; 3]; 2], low: &[f64], high: &[f64]| {
        for (axis, (low, high)) in low.iter().zip(high).enumerate() {
            extent[0][axis] = extent[0][axis].min(*low);
            extent[1][axis] = extent[1][axis].max(*high);
        }
    };
    mesh.x().chunks_exact(mesh.dimension()).for_each(|x| widen(&mut extent, x, x));
    for other in comm.all_gather(extent.as_flattened()) {
        widen(&mut extent, &other[..3], &other[3..]);
    }
    extent.map(|corner| corner.map(|x| if x.is_finite() { x } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ElementKind;
    use crate::generate::element_box::{ElementBox, Filling};

    fn of(ranks: usize, filling: Filling, distortion: f64) -> Survey {
        let of = ElementBox { filling, cells: [4, 3, 2], lengths: [2.0, 0.75, 0.5], distortion };
        let mut all = Comm::simulate(ranks, |comm| survey(&comm, &of.mesh(&comm).unwrap()));
        assert!(all.iter().all(|other| *other == all[0]), "every rank knows the same");
        all.swap_remove(0)
    }

    #[test]
    fn a_box_has_the_sizes_of_a_box_and_no_defect() {
        for filling in Filling::ALL {
            let found = of(1, filling, 0.0);
            let volume = if filling.dimension() == 2 { 1.5 } else { 0.75 };
            assert_eq!(found.total, volume, "{filling:?}");
            assert_eq!(found.extent[1], [2.0, 0.75, if filling.dimension() == 2 { 0.0 } else { 0.5 }]);
            assert_eq!((&found.twins, found.faces.defects.len()), (&None, 0), "{filling:?}");
            let side = |name: &str| found.groups.iter().find(|group| group.names == [name]).unwrap();
            let expected = if filling.dimension() == 2 { 0.75 } else { 0.375 };
            assert!((side("x_max").measure - expected).abs() < 1e-15, "{filling:?}");
        }
        let found = of(1, Filling::Only(ElementKind::Hexahedron), 0.0);
        assert_eq!(found.angles.clone().map(|angle| angle.value), [90.0, 90.0]);
        // Cells of 0.5, 0.25, 0.25.
        assert_eq!(found.aspect_ratio.value, 2.0);
        let spacing: Vec<_> = found.groups.iter().map(|group| group.spacing.unwrap()).collect();
        assert_eq!(spacing, [[0.5; 2], [0.5; 2], [0.25; 2], [0.25; 2], [0.25; 2], [0.25; 2]]);
        assert_eq!((found.faces.interior, found.faces.boundary), (46, 52));
    }

    #[test]
    fn a_survey_has_the_same_bits_on_any_number_of_ranks() {
        for filling in [Filling::MixedPlane, Filling::MixedSpace] {
            let one = of(1, filling, 0.2);
            for ranks in [2, 5] {
                assert_eq!(of(ranks, filling, 0.2), one);
            }
        }
    }
}
