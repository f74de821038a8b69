//! Fields of a domain of triangles.

use cfd_adapt::mesh::canonical::names;
use cfd_adapt::remesh::{Adapting, Carried, RemeshError, Round};
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;

/// Handles of a domain of triangles.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub x: Dat<2>,
    /// The metric at the vertices: xx, xy, yy.
    pub metric: Dat<3>,
    /// The same as a tensor in space, row by row.
    pub tensor: Dat<9>,
    /// The quality of the elements in the metric.
    pub quality: Dat<1>,
    /// Fields at the vertices that are carried along, by name.
    pub carried: Vec<(String, Dat<1>)>,
}

impl Fields {
    /// With fields of these names that are carried along.
    pub fn new(domain: &mut Domain, carried: &[String]) -> Result<Fields, DomainError> {
        let (vertices, elements) = (domain.set(names::VERTICES)?, domain.set(names::ELEMENTS)?);
        Ok(Fields {
            x: domain.dat(names::X)?,
            metric: domain.new_dat(vertices, "metric"),
            tensor: domain.new_dat(vertices, "tensor"),
            quality: domain.new_dat(elements, "quality"),
            carried: carried.iter().map(|name| (name.clone(), domain.new_dat(vertices, name))).collect(),
        })
    }

    /// Has the mesh carry its fields along. Before it changes. Collective.
    pub fn carry(&self, adapting: &mut Adapting<'_>, domain: &mut Domain) -> Result<(), RemeshError> {
        let fields: Vec<Carried> =
            self.carried.iter().map(|(name, dat)| Carried::nodes(name, *dat)).collect();
        adapting.carry(domain, &fields)
    }

    /// Has the round know the metric and the quality of the mesh.
    pub fn add(adapting: &mut Adapting<'_>) {
        let local = adapting.mesh().local();
        let numbers = |numbers: &mut dyn Iterator<Item = u32>| numbers.collect::<Vec<u32>>();
        let mut metric = vec![0.0; 3 * local.vertices().len()];
        for v in numbers(&mut local.own_vertices()) {
            let m = local.metric(v).0;
            metric[3 * v as usize..][..3].copy_from_slice(&[m[0][0], m[0][1], m[1][1]]);
        }
        let mut quality = vec![0.0; local.elements().len()];
        for e in numbers(&mut local.own_elements()) {
            quality[e as usize] = local.quality(e);
        }
        adapting.add_at_nodes("metric", 3, metric);
        adapting.add_on_cells("quality", 1, quality);
    }

    /// Sets all fields to those that the round knows. Collective.
    pub fn write(&self, domain: &mut Domain, round: &Round) -> Result<(), RemeshError> {
        round.write(domain, "metric", self.metric)?;
        round.write(domain, "quality", self.quality)?;
        self.carried.iter().try_for_each(|(name, dat)| round.write(domain, name, *dat))
    }

    /// This rank's block of the metric. Collective.
    pub fn metric_block(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        match AnyDat::from(self.metric).read_block(domain)? {
            Values::F64(metric) => Ok(metric),
            Values::I32(_) => unreachable!("it is made as f64"),
        }
    }

    /// Sets the tensors to the metric. Collective.
    pub fn write_tensor(&self, domain: &mut Domain) -> Result<(), BackendError> {
        let metric = domain.read(self.metric)?;
        let tensor = metric.chunks_exact(3).flat_map(|m| [m[0], m[1], 0.0, m[1], m[2], 0.0, 0.0, 0.0, 0.0]);
        domain.write(self.tensor, &tensor.collect::<Vec<f64>>());
        Ok(())
    }
}
