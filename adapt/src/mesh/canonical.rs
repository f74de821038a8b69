//! The adapted mesh in canonical order, as blocks of the engine's mesh.
//!
//! ```text
//! vertices   by (position on the Hilbert curve through the mesh's bounding cube, bits of the coordinates, identity)
//! elements   corners by number, the smallest first, rotated; sorted
//! facets     corners in ascending order, tag; sorted; those of one element, and embedded ones
//! ```

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{self as engine, Blocks, Values, rows_to_blocks};
use cfd_partition::curve_keys;

use super::elements::exchanges;
use super::{EMBEDDED, Mesh, NOT_UNIQUE, is_outer, number_of};

/// Names in a mesh in canonical order.
pub mod names {
    /// The set of vertices.
    pub const VERTICES: &str = "vertices";
    /// The set of elements.
    pub const ELEMENTS: &str = "elements";
    /// The set of boundary facets.
    pub const FACETS: &str = "facets";
    /// The map from elements to their corners.
    pub const ELEMENT_VERTICES: &str = "element_vertices";
    /// The map from boundary facets to their corners.
    pub const FACET_VERTICES: &str = "facet_vertices";
    /// Coordinates of vertices.
    pub const X: &str = "x";
    /// Regions of elements, if there are any.
    pub const REGION: &str = "region";
    /// Tags of boundary facets: t is boundary `boundaries()[t - 1]`.
    pub const BOUNDARY: &str = "boundary";
}

/// Samples that each rank takes of the keys to be sorted.
const SAMPLES: usize = 64;

/// A mesh in canonical order.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// Sets, maps and dats under the [`names`].
    pub mesh: engine::Mesh,
    /// Row of each local vertex of this rank; `u64::MAX` for others.
    pub vertex_rows: Vec<u64>,
    /// Row of each local element that belongs to this rank; `u64::MAX` for others.
    pub element_rows: Vec<u64>,
}

impl<const D: usize> Mesh<D> {
    /// The mesh in canonical order. Collective.
    pub fn canonical(&self) -> Canonical {
        let (comm, local) = (&self.comm, &self.local);
        let own: Vec<u32> = local.own_vertices().collect();
        let mut vertex_rows = vec![u64::MAX; local.vertices.len()];
        for (&v, row) in own.iter().zip(numbered(comm, &self.vertex_keys(&own))) {
            vertex_rows[v as usize] = row;
        }
        let mut rows = vertex_rows.clone();
        self.update_ghosts(&mut rows);

        let elements: Vec<u32> = local.own_elements().collect();
        let corners: Vec<Vec<u64>> =
            elements.iter().map(|&e| turned::<D>(local.elements.corners(e), &rows)).collect();
        let numbers = numbered(comm, &corners);
        let mut element_rows = vec![u64::MAX; local.elements.len()];
        elements.iter().zip(&numbers).for_each(|(&e, &row)| element_rows[e as usize] = row);

        let facets = self.facet_keys(&elements, &rows);
        let facet_numbers = numbered(comm, &facets);
        let rows_of = |numbers: &[u64]| comm.sum(numbers.len() as u64);

        let mut mesh = engine::Mesh::default();
        let vertices =
            mesh.add_set(names::VERTICES, rows_of(&own.iter().map(|&v| u64::from(v)).collect::<Vec<_>>()));
        let element_set = mesh.add_set(names::ELEMENTS, rows_of(&numbers));
        let facet_set = mesh.add_set(names::FACETS, rows_of(&facet_numbers));
        let block = |set: usize, what: &str, dim: usize, numbers: &[u64], values: &[u64]| {
            rows_to_blocks(comm, what, Blocks::new(mesh.sets[set].rows, comm.size()), dim, numbers, values)
        };
        let own_rows: Vec<u64> = own.iter().map(|&v| vertex_rows[v as usize]).collect();
        let x: Vec<u64> = own.iter().flat_map(|&v| local.position(v).map(f64::to_bits)).collect();
        let x = block(vertices, names::X, D, &own_rows, &x);
        let element_vertices =
            block(element_set, names::ELEMENT_VERTICES, D + 1, &numbers, &corners.concat());
        let facet_corners: Vec<u64> = facets.iter().flat_map(|f| &f[..D]).copied().collect();
        let facet_vertices = block(facet_set, names::FACET_VERTICES, D, &facet_numbers, &facet_corners);
        let tags: Vec<u64> = facets.iter().map(|f| f[D]).collect();
        let tags = block(facet_set, names::BOUNDARY, 1, &facet_numbers, &tags);
        let regions = self.has_regions.then(|| {
            let regions: Vec<u64> = elements.iter().map(|&e| u64::from(local.elements.region(e))).collect();
            let regions = block(element_set, names::REGION, 1, &numbers, &regions);
            regions.into_iter().map(|region| region as i32).collect()
        });
        mesh.add_map(names::ELEMENT_VERTICES, element_set, vertices, D + 1, element_vertices);
        mesh.add_map(names::FACET_VERTICES, facet_set, vertices, D, facet_vertices);
        mesh.add_dat(names::X, vertices, D, Values::F64(x.into_iter().map(f64::from_bits).collect()));
        mesh.add_dat(
            names::BOUNDARY,
            facet_set,
            1,
            Values::I32(tags.into_iter().map(|t| t as i32).collect()),
        );
        if let Some(regions) = regions {
            mesh.add_dat(names::REGION, element_set, 1, Values::I32(regions));
        }
        Canonical { mesh, vertex_rows, element_rows }
    }

    fn vertex_keys(&self, own: &[u32]) -> Vec<Vec<u64>> {
        let axes: Vec<Vec<f64>> =
            (0..D).map(|axis| own.iter().map(|&v| self.local.position(v)[axis]).collect()).collect();
        let key = |(&v, place): (&u32, u64)| {
            let identity = self.local.identity(v);
            let bits = self.local.position(v).map(f64::to_bits);
            [place].into_iter().chain(bits).chain([(identity >> 64) as u64, identity as u64]).collect()
        };
        own.iter().zip(curve_keys(&self.comm, &axes)).map(key).collect()
    }

    /// Corners and tags of the facets that this rank's elements list. Of the two elements of an embedded one, that lists it
    /// around which its corners go in ascending order.
    fn facet_keys(&self, elements: &[u32], rows: &[u64]) -> Vec<Vec<u64>> {
        let mut facets = Vec::new();
        for &e in elements {
            let corners = self.local.elements.corners(e);
            let tags = self.local.elements.tags(e).iter().enumerate();
            for (i, &tag) in tags.filter(|(_, tag)| is_outer(**tag) || **tag & EMBEDDED != 0) {
                let others = corners.iter().enumerate().filter(|&(j, _)| j != i);
                let mut facet: Vec<u64> = others.map(|(_, &c)| rows[c as usize]).collect();
                if !is_outer(tag) && (i + exchanges(facet.iter().copied())) % 2 != 0 {
                    continue;
                }
                facet.sort_unstable();
                facet.push(u64::from(number_of(tag)));
                facets.push(facet);
            }
        }
        facets
    }
}

/// Rows of an element's corners, the smallest first, by an even permutation.
fn turned<const D: usize>(corners: &[u32], rows: &[u64]) -> Vec<u64> {
    let mut corners: Vec<u64> = corners.iter().map(|&c| rows[c as usize]).collect();
    let first = (0..=D).min_by_key(|&i| corners[i]).expect("an element has corners");
    if D.is_multiple_of(2) {
        corners.rotate_left(first);
    } else if first != 0 {
        corners.swap(0, first);
        corners[1..].rotate_left(1);
        corners[2..].sort_unstable();
    }
    corners
}

/// The place of each of these keys among those of all ranks; `NOT_UNIQUE` for one that is there more than once.
/// Collective.
///
/// From samples, the ranks agree on keys that divide the whole into parts of about equal size, and each rank sorts one
/// part.
pub(super) fn numbered(comm: &Comm, keys: &[Vec<u64>]) -> Vec<u64> {
    let width = comm.max(keys.first().map_or(0, Vec::len) as u64) as usize;
    if width == 0 {
        return Vec::new();
    }
    let mut sorted: Vec<&Vec<u64>> = keys.iter().collect();
    sorted.sort_unstable();
    let samples: Vec<u64> = (0..SAMPLES.min(keys.len()))
        .flat_map(|i| sorted[i * keys.len() / SAMPLES.min(keys.len())])
        .copied()
        .collect();
    let gathered = comm.all_gather(&samples).concat();
    let mut gathered: Vec<&[u64]> = gathered.chunks_exact(width).collect();
    gathered.sort_unstable();
    // Part p begins with this key.
    let borders: Vec<&[u64]> = (1..comm.size()).map(|p| gathered[p * gathered.len() / comm.size()]).collect();
    let part = |key: &[u64]| borders.partition_point(|border| *border <= key);
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    keys.iter().for_each(|key| send[part(key)].extend(key));
    let received = comm.all_to_all(send);
    let mut rows: Vec<(&[u64], usize, usize)> = Vec::new();
    for (rank, keys) in received.iter().enumerate() {
        rows.extend(keys.chunks_exact(width).enumerate().map(|(i, key)| (key, rank, i)));
    }
    rows.sort_unstable();
    let mut number = comm.exclusive_sum(rows.len() as u64);
    let mut answers: Vec<Vec<u64>> = received.iter().map(|keys| vec![0; keys.len() / width]).collect();
    for same in rows.chunk_by(|a, b| a.0 == b.0) {
        for &(_, rank, i) in same {
            answers[rank][i] = if same.len() == 1 { number } else { NOT_UNIQUE };
        }
        number += same.len() as u64;
    }
    let mut answers: Vec<_> = comm.all_to_all(answers).into_iter().map(Vec::into_iter).collect();
    keys.iter().map(|key| answers[part(key)].next().expect("an answer for each key")).collect()
}
