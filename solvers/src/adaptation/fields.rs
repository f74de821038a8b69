//! Fields of a domain of triangles.

use cfd_adapt::mesh::canonical::names;
use cfd_adapt::remesh::{Adapting, Carried, RemeshError, Round};
use cfd_adapt::transfer::Conserve;
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::Field;

/// The most components of a field that is carried along: those of a flow with two turbulent quantities.
pub(super) const MOST: usize = 6;

cfd_keys::conditions! {
    /// How a field at the vertices is carried from one mesh to the next.
    pub enum Transfer {
        /// linear between vertices; nothing is conserved
        Linear = "linear" {}
        /// its integral stays the same up to rounding
        Conservative = "conservative" {}
        /// its integral stays the same to the last bit
        Exact = "exact" {}
    }
}

/// A field at the vertices that is carried along.
#[derive(Clone, Debug)]
pub(super) struct CarriedField {
    name: String,
    dat: AnyDat,
    transfer: Transfer,
    /// The masses that the values were divided from, if they are conserved exactly.
    masses: Option<AnyDat>,
}

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
    carried: Vec<CarriedField>,
}

impl Fields {
    /// With fields of these names that are carried along, each with its number of components.
    pub fn new(
        domain: &mut Domain,
        carried: &[(String, Transfer)],
        dims: &[usize],
    ) -> Result<Fields, DomainError> {
        let (vertices, elements) = (domain.set(names::VERTICES)?, domain.set(names::ELEMENTS)?);
        let mut fields = Fields {
            x: domain.dat(names::X)?,
            metric: domain.new_dat(vertices, "metric"),
            tensor: domain.new_dat(vertices, "tensor"),
            quality: domain.new_dat(elements, "quality"),
            carried: Vec::new(),
        };
        for ((name, transfer), dim) in carried.iter().zip(dims) {
            let is_exact = matches!(transfer, Transfer::Exact {});
            fields.carried.push(CarriedField {
                name: name.clone(),
                dat: new_dat(domain, vertices, name, *dim),
                transfer: transfer.clone(),
                masses: is_exact.then(|| new_dat(domain, vertices, &masses_of(name), 2 * dim)),
            });
        }
        Ok(fields)
    }

    /// Components of each of the fields that are carried along.
    pub fn dims(&self) -> Vec<usize> {
        self.carried.iter().map(|field| field.dat.dim()).collect()
    }

    /// Sets the fields that are carried along to this rank's blocks of values. Collective.
    pub fn begin<'a>(&self, domain: &mut Domain, blocks: impl Iterator<Item = &'a Vec<f64>>) {
        for (field, block) in self.carried.iter().zip(blocks) {
            field.dat.write_block(domain, &Values::F64(block.clone()));
        }
    }

    /// Has the mesh carry its fields along. Before it changes. Collective.
    pub fn carry(&self, adapting: &mut Adapting<'_>, domain: &mut Domain) -> Result<(), RemeshError> {
        let carried = |CarriedField { name, dat, transfer, masses }: &CarriedField| match (transfer, masses) {
            (Transfer::Linear {}, _) => Carried::nodes(name, *dat),
            (_, Some(masses)) => {
                Carried::conserved_nodes_with_masses(name, *dat, Conserve::Exact, None, *masses)
            }
            (_, None) => Carried::conserved_nodes(name, *dat, Conserve::Rounding, None),
        };
        adapting.carry(domain, &self.carried.iter().map(carried).collect::<Vec<Carried>>())
    }

    /// The integrals of the fields that are conserved, as the mesh has them, for the summary. Collective.
    pub fn integrals(&self, adapting: &Adapting<'_>) -> Result<Map<String, Json>, RemeshError> {
        let conserved = self.carried.iter().filter(|field| !matches!(field.transfer, Transfer::Linear {}));
        conserved.map(|field| Ok((field.name.clone(), json!(adapting.mesh().total(&field.name)?)))).collect()
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
        for CarriedField { name, dat, masses, .. } in &self.carried {
            round.write(domain, name, *dat)?;
            masses.map_or(Ok(()), |masses| round.write_masses(domain, name, masses))?;
        }
        Ok(())
    }

    /// The fields of a solution.
    pub fn shown(&self) -> Vec<Field> {
        let Fields { x, metric, quality, .. } = *self;
        let own = [
            Field::new("coordinates", x, &["x", "y"]),
            Field::new("metric", metric, &["xx", "xy", "yy"]),
            Field::new("quality", quality, &["quality"]),
        ];
        let carried =
            self.carried.iter().map(|field| Field::new(&field.name, field.dat, components(field.dat.dim())));
        own.into_iter().chain(carried).collect()
    }

    /// What a run continues from.
    pub fn state(&self) -> Vec<Field> {
        let masses = self.carried.iter().filter_map(|field| {
            let masses = field.masses?;
            Some(Field::new(&masses_of(&field.name), masses, components(masses.dim())))
        });
        self.shown().into_iter().skip(1).chain(masses).collect()
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

/// The name of the masses of a field.
pub(super) fn masses_of(name: &str) -> String {
    format!("masses of {name}")
}

/// A new dat of so many components.
fn new_dat(domain: &mut Domain, set: Set, name: &str, dim: usize) -> AnyDat {
    match dim {
        1 => domain.new_dat::<1, f64>(set, name).into(),
        2 => domain.new_dat::<2, f64>(set, name).into(),
        3 => domain.new_dat::<3, f64>(set, name).into(),
        4 => domain.new_dat::<4, f64>(set, name).into(),
        5 => domain.new_dat::<5, f64>(set, name).into(),
        6 => domain.new_dat::<6, f64>(set, name).into(),
        8 => domain.new_dat::<8, f64>(set, name).into(),
        10 => domain.new_dat::<10, f64>(set, name).into(),
        12 => domain.new_dat::<12, f64>(set, name).into(),
        other => unreachable!("fields have up to {MOST} components, or twice as many masses, not {other}"),
    }
}

/// Names of components: those of vectors in the plane and in space, otherwise their numbers.
fn components(dim: usize) -> &'static [&'static str] {
    const NUMBERS: [&str; 2 * MOST] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    match dim {
        1 => &["value"],
        2 => &["x", "y"],
        3 => &["x", "y", "z"],
        other => &NUMBERS[..other],
    }
}
