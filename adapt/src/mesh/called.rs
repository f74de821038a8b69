//! Names of boundaries, and what another program has marked.

/// The names by which a boundary, a line or an interface can be meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// That of its group; of an interface that the mesh does not list, that of its regions.
    pub name: String,
    /// Of an interface that the mesh lists: the name of its regions, too.
    pub between: Option<String>,
}

impl Called {
    /// The names, that of the group first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [Some(&self.name), self.between.as_ref()].into_iter().flatten().map(String::as_str)
    }

    /// Of an interface, the name of its regions.
    pub fn regions(&self) -> &str {
        self.between.as_ref().unwrap_or(&self.name)
    }
}

/// What must stay as it is, by vertices of the input; the same on all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Corners of the outline; inside, vertices that stay.
    pub corners: Vec<u64>,
    /// Vertices that stay.
    pub vertices: Vec<u64>,
    /// Sides that stay, which must be among the facets.
    pub sides: Vec<[u64; 2]>,
    /// Triangles that stay, whose sides must be among the facets.
    pub triangles: Vec<[u64; 3]>,
}
