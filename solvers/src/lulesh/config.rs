//! The keys of `[lulesh]`.

use std::collections::BTreeMap;

cfd_keys::conditions! {
    /// What holds on a boundary.
    pub enum Condition {
        /// a plane of symmetry across x
        SymmetryX = "symmetry_x" {}
        /// a plane of symmetry across y
        SymmetryY = "symmetry_y" {}
        /// a plane of symmetry across z
        SymmetryZ = "symmetry_z" {}
        /// a free surface
        Free = "free" {}
    }
}

cfd_keys::table! {
    /// LULESH: a point blast, explicit Lagrangian hydrodynamics on hexahedra
    pub struct Config = "lulesh" {
        /// the condition of each named boundary of the mesh, in the table `[lulesh.boundaries]`
        boundaries: BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
        /// elements per edge of the cube; generates the mesh and replaces [mesh]
        size: Option<u64>, Integer(1, 100_000), unit = "elements";
        /// maximum number of cycles; a run ends at t = 0.01 at the latest; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 9999999, unit = "cycles";
        /// number of material regions; in some of them the equation of state costs more (docs/lulesh.md); no result
        /// depends on it
        regions: u64, Integer(1, 1000), default = 11, unit = "regions";
        /// how much more: 1 + cost evaluations in the upper half of the regions, 10 (1 + cost) in one of twenty
        cost: u64, Integer(0, 1000), default = 1;
    }
}
