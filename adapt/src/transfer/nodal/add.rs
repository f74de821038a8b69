//! From vertices to the corners of the elements around them.

use super::part::{dual_volume, part_of};
use super::{Admits, Nodal};
use crate::geometry::{Geometry, Space};
use crate::mesh::{Identity, MOST_CORNERS, Mesh};
use crate::transfer::add::is_mean;
use crate::transfer::cavity::sort;
use crate::transfer::fields::Kind;
use crate::transfer::{Conserve, FieldError, Slopes};

/// Bits of the sum of all masses of an exact field when it is added: two numbers hold each mass exactly.
const MASS_BITS: i32 = 100;

/// A mass of a vertex's in whole units: all of it, and what its largest element gets beyond its share.
type Mass = [i128; 2];

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// Adds a field of `dim` values at each vertex whose mass is conserved: the sum of the values times the vertices' dual
    /// volumes. `values` are by local vertex number, and only those of this rank's own vertices count. If all values are
    /// such that `admits` returns true for those of a vertex, and all means of such values are such, so are the new ones.
    /// Collective.
    ///
    /// # Errors
    /// A name that is taken, no components, a wrong number of values, values that are not finite; the same on all
    /// ranks.
    pub fn add_nodal_field(
        &mut self,
        name: &str,
        dim: usize,
        conserve: Conserve,
        admits: Option<Admits>,
        values: &[f64],
    ) -> Result<(), FieldError> {
        self.add_nodal_field_with_masses(name, dim, conserve, admits, values, None)
    }

    /// As [`Mesh::add_nodal_field`], with the masses that [`Mesh::nodal_masses`] returned when the field was last carried, as
    /// far as it is conserved exactly: a mass counts where the value is still its mean over the dual volume, up to
    /// rounding. Collective.
    ///
    /// # Errors
    /// As [`Mesh::add_nodal_field`]; also for a wrong number of masses, or masses that are not finite.
    pub fn add_nodal_field_with_masses(
        &mut self,
        name: &str,
        dim: usize,
        conserve: Conserve,
        admits: Option<Admits>,
        values: &[f64],
        masses: Option<&[f64]>,
    ) -> Result<(), FieldError> {
        let own: Vec<u32> = self.local.own_vertices().collect();
        let rows = self.local.vertices.len();
        self.comm.agree(self.check_field(name, dim, values, rows, &own))?;
        let masses = masses.unwrap_or_default();
        if !masses.is_empty() {
            self.comm.agree(self.check_field(name, 2 * dim, masses, rows, &own))?;
        }
        let mut nodal = Nodal { corners: D + 1, units: Vec::new(), admits };
        let first = self.fields.cell_width();
        let held = match conserve {
            Conserve::Rounding => self.at_corners(dim, values),
            Conserve::Exact => self.masses_at_corners(&mut nodal, dim, values, masses),
        };
        let columns = nodal.columns(dim);
        self.local.elements.widen(columns);
        for (e, row) in held {
            self.local.elements.values_mut(e)[first..].copy_from_slice(&row);
        }
        self.fields.add(name, dim, Kind::Node(nodal));
        self.slopes = Slopes::default();
        Ok(())
    }

    /// The values at the corners of each element that this rank holds. Collective.
    fn at_corners(&self, dim: usize, values: &[f64]) -> Vec<(u32, Vec<f64>)> {
        let values = self.with_ghosts(dim, values);
        let row = |e: u32| -> Vec<f64> {
            let corners = self.local.elements.corners(e);
            (0..dim)
                .flat_map(|i| corners.iter().map(move |&c| (c, i)))
                .map(|(c, i)| values[c as usize * dim + i])
                .collect()
        };
        self.local.elements.iter().map(|e| (e, row(e))).collect()
    }

    /// The masses in whole units at the corners of each element that this rank holds, and the units: those of a vertex,
    /// divided in proportion to measure, rounded down; the largest element takes the remainder. Collective.
    fn masses_at_corners(
        &self,
        nodal: &mut Nodal,
        dim: usize,
        values: &[f64],
        masses: &[f64],
    ) -> Vec<(u32, Vec<f64>)> {
        let local = &self.local;
        let mut volumes = vec![0.0; local.vertices.len()];
        local.own_vertices().for_each(|v| volumes[v as usize] = dual_volume(local, v));
        self.update_ghosts(&mut volumes);
        let mut largest = vec![[0; MOST_CORNERS]; local.vertices.len()];
        local.own_vertices().for_each(|v| largest[v as usize] = self.largest_at(v));
        self.update_ghosts(&mut largest);

        let own: Vec<u32> = local.own_vertices().collect();
        let volume = |v: u32| volumes[v as usize];
        let share = |v: u32, e: u32, mass: i128| mass as f64 * (part_of(local, e) / volume(v));
        let mut divided: Vec<Vec<Mass>> = Vec::new();
        for i in 0..dim {
            let value = |v: u32| values[v as usize * dim + i];
            let known = |v: u32| {
                let mass = masses.get(2 * (v as usize * dim + i)..)?;
                let mass = [*mass.first()?, *mass.get(1)?];
                let cubes: f64 = local.star(v).iter().map(|&e| local.cube(e)).sum();
                is_mean(value(v), mass[0], volume(v), cubes / (D + 1) as f64).then_some(mass)
            };
            let mass = |v: u32| known(v).unwrap_or_else(|| [value(v) * volume(v), 0.0]);
            let unit = self.unit_of(MASS_BITS, own.iter().map(|&v| (mass(v), known(v).is_some())));
            nodal.units.push(unit);
            let mut all = vec![[0; 2]; local.vertices.len()];
            for &v in &own {
                let whole: i128 = mass(v).map(|part| (part / unit).floor() as i128).iter().sum();
                let shares: i128 = local.star(v).iter().map(|&e| share(v, e, whole).floor() as i128).sum();
                all[v as usize] = [whole, whole - shares];
            }
            self.update_ghosts(&mut all);
            divided.push(all);
        }
        let row = |e: u32| {
            let mut row = vec![0.0; nodal.columns(dim)];
            for (c, &v) in local.elements.corners(e).iter().enumerate() {
                for (i, masses) in divided.iter().enumerate() {
                    let [whole, rest] = masses[v as usize];
                    let more = if local.element_key(e) == largest[v as usize] { rest } else { 0 };
                    nodal.put_units(&mut row, i, c, share(v, e, whole).floor() as i128 + more);
                }
            }
            row
        };
        local.elements.iter().map(|e| (e, row(e))).collect()
    }

    /// The largest element at a vertex of this rank, the first of several.
    fn largest_at(&self, v: u32) -> [Identity; MOST_CORNERS] {
        let local = &self.local;
        let mut star = local.star(v).to_vec();
        sort(local, &mut star);
        let largest = star.iter().rev().max_by(|&&a, &&b| part_of(local, a).total_cmp(&part_of(local, b)));
        local.element_key(*largest.expect("a vertex is in an element"))
    }

    /// Values by local vertex number, those of ghosts from their owners. Collective.
    pub(crate) fn with_ghosts(&self, dim: usize, values: &[f64]) -> Vec<f64> {
        let mut values = values.to_vec();
        for i in 0..dim {
            let mut rows: Vec<f64> = values.iter().skip(i).step_by(dim).copied().collect();
            self.update_ghosts(&mut rows);
            values.iter_mut().skip(i).step_by(dim).zip(rows).for_each(|(to, value)| *to = value);
        }
        values
    }
}
