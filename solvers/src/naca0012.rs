//! Meshes around a NACA0012 airfoil, for the cases that use them.

use std::marker::PhantomData;

use cfd_engine::comm::Comm;
use cfd_mesh::generate::naca0012;
use cfd_mesh::{BILINEAR, CELL_EDGES, Given, MeshError};

use crate::case::Generate;

cfd_keys::table! {
    /// A mesh of 3 I J cells around NACA0012
    pub struct Around = "mesh.generate" {
        /// I and J: a third of the cells along the airfoil and its wake, and the cells away from it
        size: [u64; 2], Integers(OneOf(&[2]), &[2, 2], 100_000), unit = "cells", required = true;
        /// decimals that coordinates are rounded to; unset: no rounding
        decimals: Option<u32>, Integer(0, 17), unit = "digits";
    }
}

/// A mesh around NACA0012 of this kind.
pub struct Naca0012<K>(PhantomData<K>);

/// What is generated.
pub trait Kind: 'static {
    /// What is generated, in a line.
    const ABOUT: &'static str;

    /// This rank's share of 3 I J cells. Collective.
    ///
    /// # Errors
    /// As those of [`cfd_mesh::generate`].
    fn mesh(comm: &Comm, i: u64, j: u64, decimals: Option<u32>) -> Result<Given, MeshError>;
}

/// Cells with edges.
pub enum Cells {}

impl Kind for Cells {
    const ABOUT: &'static str = "a mesh of 3 I J quadrilaterals around the NACA0012 airfoil";

    fn mesh(comm: &Comm, i: u64, j: u64, decimals: Option<u32>) -> Result<Given, MeshError> {
        Ok(Given::derived(&CELL_EDGES, naca0012::cells(comm, i, j, decimals)?))
    }
}

/// Bilinear elements.
pub enum Elements {}

impl Kind for Elements {
    const ABOUT: &'static str = "a mesh of 3 I J bilinear elements around the NACA0012 airfoil";

    fn mesh(comm: &Comm, i: u64, j: u64, decimals: Option<u32>) -> Result<Given, MeshError> {
        Ok(Given::derived(&BILINEAR, naca0012::elements(comm, i, j, decimals)?))
    }
}

impl<K: Kind> Generate for Naca0012<K> {
    type Keys = Around;
    const ABOUT: &'static str = K::ABOUT;
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[400, 600]")];

    fn elements(keys: &Around) -> u64 {
        keys.size.iter().fold(3, |product: u64, &side| product.saturating_mul(side))
    }

    fn describe(keys: &Around) -> String {
        let Around { size: [i, j], decimals } = keys;
        let rounded = decimals.map_or(String::new(), |decimals| format!(", {decimals} decimals"));
        format!("NACA0012 ({i}, {j}){rounded}")
    }

    fn mesh(comm: &Comm, keys: &Around) -> Result<Given, MeshError> {
        K::mesh(comm, keys.size[0], keys.size[1], keys.decimals)
    }
}
