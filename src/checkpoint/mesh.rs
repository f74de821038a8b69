//! The mesh of a checkpoint, if the solver replaced the mesh that the run was given.
//!
//! The header holds its shape; maps and dats are datasets in double precision (`mesh/maps/NAME`, `mesh/dats/NAME`),
//! which hold integers up to 2^53 exactly.

use std::collections::BTreeSet;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, MeshSet, Values};
use cfd_io::Field;
use serde::{Deserialize, Serialize};

/// Sets, maps and dats without their content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshShape {
    /// Names and rows of the sets.
    pub sets: Vec<(String, u64)>,
    /// The maps.
    pub maps: Vec<MapShape>,
    /// The dats.
    pub dats: Vec<DatShape>,
}

/// A map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapShape {
    /// Its name.
    pub name: String,
    /// The set that it leads from.
    pub from: usize,
    /// The set that it leads to.
    pub to: usize,
    /// Targets of one element.
    pub arity: usize,
}

/// A dat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatShape {
    /// Its name.
    pub name: String,
    /// Its set.
    pub set: usize,
    /// Values of one element.
    pub dim: usize,
    /// Whether they are integers.
    pub integer: bool,
}

/// What is wrong: a dataset, and why.
type Wrong = (String, String);

fn map_name(name: &str) -> String {
    format!("mesh/maps/{name}")
}

fn dat_name(name: &str) -> String {
    format!("mesh/dats/{name}")
}

/// This rank's blocks of a mesh's maps and dats.
pub(super) fn fields(mesh: &Mesh) -> Vec<Field> {
    let maps = mesh.maps.iter().map(|map| Field {
        name: map_name(&map.name),
        dim: map.arity,
        rows: mesh.sets[map.from].rows,
        block: map.rows.iter().map(|&target| target as f64).collect(),
    });
    let dats = mesh.dats.iter().map(|dat| Field {
        name: dat_name(&dat.name),
        dim: dat.dim,
        rows: mesh.sets[dat.set].rows,
        block: match &dat.values {
            Values::F64(values) => values.clone().into(),
            Values::I32(values) => values.iter().copied().map(f64::from).collect(),
        },
    });
    maps.chain(dats).collect()
}

/// Refuses duplicate names.
fn only_names<'a>(kind: &str, mut names: impl Iterator<Item = &'a String>) -> Result<(), Wrong> {
    let mut seen = BTreeSet::new();
    match names.find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(name) => Err((name.clone(), format!("two {kind}s have this name"))),
    }
}

impl MeshShape {
    /// The shape of a mesh.
    pub fn of(mesh: &Mesh) -> MeshShape {
        MeshShape {
            sets: mesh.sets.iter().map(|set| (set.name.clone(), set.rows)).collect(),
            maps: mesh
                .maps
                .iter()
                .map(|map| MapShape { name: map.name.clone(), from: map.from, to: map.to, arity: map.arity })
                .collect(),
            dats: mesh
                .dats
                .iter()
                .map(|dat| DatShape {
                    name: dat.name.clone(),
                    set: dat.set,
                    dim: dat.dim,
                    integer: matches!(dat.values, Values::I32(_)),
                })
                .collect(),
        }
    }

    /// This rank's blocks of the mesh whose content is in `fields`.
    ///
    /// # Errors
    /// A dataset is missing, or one does not fit the shape.
    pub(super) fn mesh(&self, comm: &Comm, fields: &[Field]) -> Result<Mesh, Wrong> {
        only_names("set", self.sets.iter().map(|(name, _)| name))?;
        only_names("map", self.maps.iter().map(|map| &map.name))?;
        only_names("dat", self.dats.iter().map(|dat| &dat.name))?;
        let sets = self.sets.iter().map(|(name, rows)| MeshSet { name: name.clone(), rows: *rows });
        let mut mesh = Mesh { sets: sets.collect(), ..Mesh::default() };
        for map in &self.maps {
            let name = map_name(&map.name);
            let block = self.block(comm, fields, &name, map.from, map.arity)?;
            let targets = self.rows(&name, map.to)?;
            let is_row = |&&value: &&f64| value >= 0.0 && value < targets as f64 && value.fract() == 0.0;
            if let Some(value) = block.iter().find(|value| !is_row(value)) {
                return Err((name, format!("{value} is not a row of a set of {targets}")));
            }
            let rows = block.iter().map(|&value| value as u64).collect();
            mesh.add_map(&map.name, map.from, map.to, map.arity, rows);
        }
        for dat in &self.dats {
            let name = dat_name(&dat.name);
            let block = self.block(comm, fields, &name, dat.set, dat.dim)?;
            let values = match dat.integer {
                false => Values::F64(block.to_vec()),
                true => match block.iter().find(|&&value| f64::from(value as i32) != value) {
                    Some(value) => return Err((name, format!("{value} is not a 32-bit integer"))),
                    None => Values::I32(block.iter().map(|&value| value as i32).collect()),
                },
            };
            mesh.add_dat(&dat.name, dat.set, dat.dim, values);
        }
        Ok(mesh)
    }

    fn rows(&self, name: &str, set: usize) -> Result<u64, Wrong> {
        let found = self.sets.get(set).map(|(_, rows)| *rows);
        found.ok_or_else(|| (name.into(), format!("there is no set {set}")))
    }

    /// This rank's block of a dataset of a shape.
    fn block<'a>(
        &self,
        comm: &Comm,
        fields: &'a [Field],
        name: &str,
        set: usize,
        dim: usize,
    ) -> Result<&'a [f64], Wrong> {
        let rows = self.rows(name, set)?;
        let field = fields.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| (name.to_string(), "the dataset is missing".to_string()))?;
        let own = Blocks::new(rows, comm.size()).range(comm.rank());
        let expected = usize::try_from(own.end - own.start).ok().and_then(|rows| rows.checked_mul(dim));
        if (field.rows, field.dim) != (rows, dim) || dim == 0 || expected != Some(field.block.values().len())
        {
            let shape = format!("({}, {})", field.rows, field.dim);
            return Err((name.into(), format!("the shape is {shape}, expected ({rows}, {dim})")));
        }
        Ok(field.block.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh() -> Mesh {
        let mut mesh = Mesh::default();
        let (cells, edges) = (mesh.add_set("cells", 3), mesh.add_set("edges", 2));
        mesh.add_map("edge_cells", edges, cells, 2, vec![0, 1, 1, 2]);
        mesh.add_dat("x", cells, 1, Values::F64(vec![0.5, -0.0, 2.0]));
        mesh.add_dat("bound", edges, 1, Values::I32(vec![-7, i32::MAX]));
        mesh
    }

    #[test]
    fn a_mesh_comes_back_as_it_was() {
        let mesh = mesh();
        assert_eq!(MeshShape::of(&mesh).mesh(&Comm::single(), &fields(&mesh)), Ok(mesh));
    }

    #[test]
    fn what_does_not_fit_together_is_refused_with_the_dataset() {
        let good = MeshShape::of(&mesh());
        let fields = fields(&mesh());
        let refused = |change: &dyn Fn(&mut MeshShape, &mut Vec<Field>), dataset: &str| {
            let (mut shape, mut fields) = (good.clone(), fields.clone());
            change(&mut shape, &mut fields);
            let (name, what) = shape.mesh(&Comm::single(), &fields).unwrap_err();
            assert_eq!(name, dataset, "{what}");
        };
        refused(&|shape, _| shape.sets[1].0 = "cells".into(), "cells");
        refused(&|shape, _| shape.dats[1].name = "x".into(), "x");
        refused(&|shape, _| shape.maps[0].to = 9, "mesh/maps/edge_cells");
        refused(&|shape, _| shape.sets[0].1 = 2, "mesh/maps/edge_cells");
        refused(&|_, fields| fields[0].block.values_mut()[0] = 0.5, "mesh/maps/edge_cells");
        refused(&|_, fields| fields[0].block.values_mut()[0] = f64::NAN, "mesh/maps/edge_cells");
        refused(&|_, fields| drop(fields.remove(1)), "mesh/dats/x");
        refused(&|shape, _| shape.dats[0].dim = 2, "mesh/dats/x");
        refused(&|_, fields| fields[2].block.values_mut()[1] = 1e10, "mesh/dats/bound");
    }
}
