//! Back to the vertices.

use super::Nodal;
use super::linear::weighted;
use super::part::{dual_volume, part_of};
use crate::geometry::{Geometry, Space};
use crate::mesh::{Local, Mesh, Numbers};
use crate::transfer::FieldError;
use crate::transfer::cavity::{Few, sort};
use crate::transfer::fields::{Among, Field, Kind};

impl Nodal {
    /// The components' values at a vertex of this rank: the mass of the corners there, over the dual volume.
    pub fn at_vertex<const D: usize>(&self, field: &Field, local: &Local<D>, v: u32) -> Few<f64>
    where
        Space<D>: Geometry<D>,
    {
        if self.is_exact() {
            let volume = dual_volume(local, v);
            let value = |(i, unit): (usize, &f64)| self.units_at(field, local, v, i) as f64 * unit / volume;
            return self.units.iter().enumerate().map(value).collect();
        }
        let mut star: Numbers = local.star(v).iter().copied().collect();
        sort(local, &mut star);
        let corner = |&e: &u32| (part_of(local, e), self.row(field, local, e), corner(local, e, v));
        let corners: Few<(f64, &[f64], usize)> = star.iter().map(corner).collect();
        let held = |i: usize| corners.iter().map(move |&(part, row, c)| (part, self.value(row, i, c, part)));
        (0..field.dim).map(|i| weighted(held(i))).collect()
    }

    /// A component's mass at a vertex of this rank in whole units.
    fn units_at<const D: usize>(&self, field: &Field, local: &Local<D>, v: u32, component: usize) -> i128 {
        let mass = |&e: &u32| self.units(self.row(field, local, e), component, corner(local, e, v));
        local.star(v).iter().map(mass).sum()
    }

    /// A component's mass in an element, in whole units.
    pub fn units_of<const D: usize>(
        &self,
        field: &Field,
        local: &Local<D>,
        e: u32,
        component: usize,
    ) -> i128 {
        (0..=D).map(|c| self.units(self.row(field, local, e), component, c)).sum()
    }

    /// A component's masses at the corners of an element.
    pub fn masses_of<const D: usize>(
        &self,
        field: &Field,
        local: &Local<D>,
        e: u32,
        component: usize,
    ) -> impl Iterator<Item = f64>
    where
        Space<D>: Geometry<D>,
    {
        let (part, row) = (part_of(local, e), self.row(field, local, e));
        (0..=D).map(move |c| part * self.value(row, component, c, part))
    }

    /// What an element holds of the field.
    fn row<'a, const D: usize>(&self, field: &Field, local: &'a Local<D>, e: u32) -> &'a [f64] {
        &local.elements.values(e)[field.first..][..self.columns(field.dim)]
    }
}

/// Which corner of an element a vertex is.
fn corner<const D: usize>(local: &Local<D>, e: u32, v: u32) -> usize {
    local.elements.corners(e).iter().position(|&c| c == v).expect("a corner of its star")
}

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// Values of a nodal field, by local vertex number. Collective.
    ///
    /// # Errors
    /// The mesh has no such nodal field.
    pub fn nodal_field(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let field = self.fields.find(name, Among::Nodal)?;
        let Kind::Node(nodal) = &field.kind else { unreachable!("a nodal field") };
        let dim = field.dim;
        let mut values = vec![0.0; dim * self.local.vertices.len()];
        for v in self.local.own_vertices() {
            values[v as usize * dim..][..dim].copy_from_slice(&nodal.at_vertex(field, &self.local, v));
        }
        Ok(self.with_ghosts(dim, &values))
    }

    /// Masses of an exact nodal field, by local vertex number: two numbers for each component, the mass and what rounding
    /// it left out, both exact; those of this rank's own vertices.
    ///
    /// # Errors
    /// The mesh has no such nodal field, or the field has no units.
    pub fn nodal_masses(&self, name: &str) -> Result<Vec<f64>, FieldError> {
        let field = self.fields.find(name, Among::Nodal)?;
        let Kind::Node(nodal) = &field.kind else { unreachable!("a nodal field") };
        if nodal.units.is_empty() {
            return Err(FieldError::NoUnits { name: name.into() });
        }
        let mut masses = vec![0.0; 2 * field.dim * self.local.vertices.len()];
        for v in self.local.own_vertices() {
            for (i, unit) in nodal.units.iter().enumerate() {
                let units = nodal.units_at(field, &self.local, v, i);
                let rounded = units as f64;
                let rest = (units - rounded as i128) as f64;
                masses[2 * (v as usize * field.dim + i)..][..2]
                    .copy_from_slice(&[rounded * unit, rest * unit]);
            }
        }
        Ok(masses)
    }
}
