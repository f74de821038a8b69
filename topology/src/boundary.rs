//! Kinds of boundaries: the flags that a mesh stores, and their known names in files.

/// A kind of boundary that a mesh's named boundaries can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryKind {
    /// Its name in configurations, words divided by `_`.
    pub name: &'static str,
    /// Its flag in the dat `bound`.
    pub flag: i32,
    /// Names of boundaries of this kind that need no configuration. Case does not matter, nor whether words are
    /// separated by `_`, `-`, a blank or nothing.
    pub known: &'static [&'static str],
    /// A description of the boundaries, in the plural.
    pub meaning: &'static str,
}

impl BoundaryKind {
    /// Its name in words.
    pub fn words(&self) -> String {
        self.name.replace('_', " ")
    }
}

/// Inviscid walls, and planes of symmetry.
pub const WALL: BoundaryKind = BoundaryKind {
    name: "wall",
    flag: 1,
    known: &[
        "wall",
        "walls",
        "lower_wall",
        "upper_wall",
        "airfoil",
        "aerofoil",
        "body",
        "cylinder",
        "slat",
        "main",
        "flap",
    ],
    meaning: "inviscid walls",
};

/// The far field, with the free stream outside.
pub const FAR_FIELD: BoundaryKind = BoundaryKind {
    name: "far_field",
    flag: 2,
    known: &[
        "far_field",
        "outer",
        "free_stream",
        "inlet",
        "outlet",
        "inflow",
        "outflow",
        "inlets",
        "outlets",
    ],
    meaning: "boundaries with the free stream outside",
};
