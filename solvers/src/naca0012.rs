//! Meshes around a NACA0012 airfoil, for the cases that use them.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_topology::MeshError;
use cfd_topology::generate::naca0012;

use crate::case::Generate;

cfd_keys::table! {
    /// A mesh around NACA0012, 3 I J cells
    pub struct Around = "mesh.generate" {
        /// I and J: a third of the cells along the airfoil and its wake, and the cells away from it
        size: [u64; 2], Integers(OneOf(&[2]), &[2, 2], 100_000), unit = "cells", required = true;
        /// decimals to which coordinates are rounded; unset: not rounded
        decimals: Option<u32>, Integer(0, 17), unit = "digits";
    }
}

const USUAL: &[(&str, &str)] = &[("size", "[400, 600]")];

fn elements(keys: &Around) -> u64 {
    keys.size.iter().fold(3, |product: u64, &side| product.saturating_mul(side))
}

fn describe(keys: &Around) -> String {
    let Around { size: [i, j], decimals } = keys;
    let rounded = decimals.map_or(String::new(), |decimals| format!(", {decimals} decimals"));
    format!("NACA0012 ({i}, {j}){rounded}")
}

/// Cells with edges.
pub struct Cells;

impl Generate for Cells {
    type Keys = Around;
    const ABOUT: &'static str = "a mesh of 3 I J quadrilaterals around the NACA0012 airfoil";
    const USUAL: &'static [(&'static str, &'static str)] = USUAL;

    fn elements(keys: &Around) -> u64 {
        elements(keys)
    }

    fn describe(keys: &Around) -> String {
        describe(keys)
    }

    fn mesh(comm: &Comm, keys: &Around) -> Result<Mesh, MeshError> {
        naca0012::cells(comm, keys.size[0], keys.size[1], keys.decimals)
    }
}

/// Bilinear elements.
pub struct Elements;

impl Generate for Elements {
    type Keys = Around;
    const ABOUT: &'static str = "a mesh of 3 I J bilinear elements around the NACA0012 airfoil";
    const USUAL: &'static [(&'static str, &'static str)] = USUAL;

    fn elements(keys: &Around) -> u64 {
        elements(keys)
    }

    fn describe(keys: &Around) -> String {
        describe(keys)
    }

    fn mesh(comm: &Comm, keys: &Around) -> Result<Mesh, MeshError> {
        naca0012::elements(comm, keys.size[0], keys.size[1], keys.decimals)
    }
}
