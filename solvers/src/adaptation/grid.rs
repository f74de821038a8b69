//! From the engine's mesh to the mesh for adaptation, and back.

use cfd_adapt::mesh::canonical::names;
use cfd_adapt::mesh::{Input, Mesh as Adapted};
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows, rows_to_blocks};
use cfd_engine::prelude::*;

/// One rank's blocks of a mesh of triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: [u64; 3],
    x: Vec<f64>,
    elements: Vec<u64>,
    facets: Vec<u64>,
    tags: Vec<i32>,
    /// The greatest tag on any rank.
    boundaries: u64,
}

impl Rows {
    /// Of a mesh whose shapes have been checked, as far as this rank knows it.
    pub fn of(mesh: &Mesh) -> Rows {
        let rows = [names::VERTICES, names::ELEMENTS, names::FACETS]
            .map(|set| mesh.sets[mesh.set(set).expect("shapes are checked")].rows);
        let map = |name: &str| mesh.maps[mesh.map(name).expect("shapes are checked")].rows.clone();
        let dat = |name: &str| &mesh.dats[mesh.dat(name).expect("shapes are checked")].values;
        let (Values::F64(x), Values::I32(tags)) = (dat(names::X), dat(names::BOUNDARY)) else {
            panic!("types are checked")
        };
        Rows {
            rows,
            x: x.clone(),
            elements: map(names::ELEMENT_VERTICES),
            facets: map(names::FACET_VERTICES),
            tags: tags.clone(),
            // The checks do not involve names of boundaries.
            boundaries: 0,
        }
    }

    /// In the form that adaptation needs; boundaries are named by their tags.
    pub fn input(self) -> Input<2> {
        Input {
            rows: self.rows,
            positions: self.x.as_chunks::<2>().0.to_vec(),
            elements: self.elements,
            facets: self.facets,
            tags: self.tags.into_iter().map(|tag| tag as u16).collect(),
            boundaries: (1..=self.boundaries).map(|tag| tag.to_string()).collect(),
        }
    }
}

/// Handles of a domain of triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub vertices: Set,
    pub elements: Set,
    facets: Set,
    corners: Map<3>,
    ends: Map<2>,
    pub x: Dat<2>,
    boundary: Dat<1, i32>,
    /// The metric at the vertices: xx, xy, yy.
    pub metric: Dat<3>,
    /// The same as a tensor in space, row by row.
    pub tensor: Dat<9>,
    /// The quality of the elements in the metric.
    pub quality: Dat<1>,
}

impl Grid {
    pub fn new(domain: &mut Domain) -> Result<Grid, DomainError> {
        let (vertices, elements) = (domain.set(names::VERTICES)?, domain.set(names::ELEMENTS)?);
        Ok(Grid {
            vertices,
            elements,
            facets: domain.set(names::FACETS)?,
            corners: domain.map(names::ELEMENT_VERTICES)?,
            ends: domain.map(names::FACET_VERTICES)?,
            x: domain.dat(names::X)?,
            boundary: domain.dat(names::BOUNDARY)?,
            metric: domain.new_dat(vertices, "metric"),
            tensor: domain.new_dat(vertices, "tensor"),
            quality: domain.new_dat(elements, "quality"),
        })
    }

    /// This rank's blocks of the domain's mesh. Collective.
    pub fn rows(&self, domain: &mut Domain) -> Result<Rows, BackendError> {
        let comm = domain.comm().clone();
        let (x, tags) = (domain.read(self.x)?, domain.read(self.boundary)?);
        let corners = domain.target_ids(self.corners).into_flattened();
        let ends = domain.target_ids(self.ends).into_flattened();
        let sets = [self.vertices, self.elements, self.facets];
        let boundaries = comm.max(tags.iter().copied().max().unwrap_or(0) as u64);
        Ok(Rows {
            rows: sets.map(|set| domain.rows(set)),
            x: blocks(domain, self.vertices, names::X, 2, &x),
            elements: blocks(domain, self.elements, names::ELEMENT_VERTICES, 3, &corners),
            facets: blocks(domain, self.facets, names::FACET_VERTICES, 2, &ends),
            tags: blocks(domain, self.facets, names::BOUNDARY, 1, &tags),
            boundaries,
        })
    }

    /// This rank's block of the metric. Collective.
    pub fn metric_block(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        let metric = domain.read(self.metric)?;
        Ok(blocks(domain, self.vertices, "metric", 3, &metric))
    }

    /// Sets the tensors to the metric. Collective.
    pub fn write_tensor(&self, domain: &mut Domain) -> Result<(), BackendError> {
        let metric = domain.read(self.metric)?;
        let tensor = metric.chunks_exact(3).flat_map(|m| [m[0], m[1], 0.0, m[1], m[2], 0.0, 0.0, 0.0, 0.0]);
        domain.write(self.tensor, &tensor.collect::<Vec<f64>>());
        Ok(())
    }

    /// Sets metric and quality to those of an adapted mesh; this rank's vertices and elements are these rows of the
    /// domain's mesh. Collective.
    pub fn write(&self, domain: &mut Domain, mesh: &Adapted<2>, vertex_rows: &[u64], element_rows: &[u64]) {
        let local = mesh.local();
        let (vertices, elements): (Vec<u32>, Vec<u32>) =
            (local.own_vertices().collect(), local.own_elements().collect());
        let rows: Vec<u64> = vertices.iter().map(|&v| vertex_rows[v as usize]).collect();
        let metric: Vec<f64> = vertices
            .iter()
            .flat_map(|&v| {
                let m = local.metric(v).0;
                [m[0][0], m[0][1], m[1][1]]
            })
            .collect();
        let metric = spread(domain, self.vertices, "metric", 3, (&rows, &metric));
        domain.write(self.metric, &metric);
        let rows: Vec<u64> = elements.iter().map(|&e| element_rows[e as usize]).collect();
        let quality: Vec<f64> = elements.iter().map(|&e| local.quality(e)).collect();
        let quality = spread(domain, self.elements, "quality", 1, (&rows, &quality));
        domain.write(self.quality, &quality);
    }
}

/// This rank's block of the values on the domain's owned rows.
fn blocks<T: bytemuck::Pod>(domain: &Domain, set: Set, what: &str, dim: usize, values: &[T]) -> Vec<T> {
    let comm = domain.comm();
    rows_to_blocks(
        comm,
        what,
        Blocks::new(domain.rows(set), comm.size()),
        dim,
        domain.global_ids(set),
        values,
    )
}

/// Values for the domain's owned rows, from rows of any rank.
fn spread(domain: &Domain, set: Set, what: &str, dim: usize, (rows, values): (&[u64], &[f64])) -> Vec<f64> {
    let comm = domain.comm();
    let blocks = Blocks::new(domain.rows(set), comm.size());
    let block = rows_to_blocks(comm, what, blocks, dim, rows, values);
    fetch_rows(comm, blocks, dim, &block, domain.global_ids(set))
}
