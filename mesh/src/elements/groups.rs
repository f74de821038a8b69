//! Names of groups of elements, and which boundaries are periodic.

use serde::{Deserialize, Serialize};

use crate::Periodic;

/// A name of a group of elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// Dimension of its elements: groups of different dimensions are distinct, whatever their ids.
    pub dimension: usize,
    /// The value of its elements in the dats `triangle_group` and so on; not 0, which means no group.
    pub id: i32,
    /// Its name.
    pub name: String,
}

/// The names of a mesh's groups, by dimension and id; the same on every rank.
///
/// A group may have several names, like a Gmsh entity in several physical groups, and several groups may share a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    names: Vec<Group>,
    /// Pairs of boundaries that the mesh itself says are periodic.
    pub periodic: Vec<Periodic>,
}

impl Groups {
    /// Adds a name after those that the group already has, unless it has that name.
    pub fn add(&mut self, dimension: usize, id: i32, name: &str) {
        if !self.names(dimension, id).any(|known| known == name) {
            let place = self.names.partition_point(|group| (group.dimension, group.id) <= (dimension, id));
            self.names.insert(place, Group { dimension, id, name: name.into() });
        }
    }

    /// The names of a group, if any.
    pub fn names(&self, dimension: usize, id: i32) -> impl Iterator<Item = &str> {
        let of_group = self.names.iter().filter(move |group| (group.dimension, group.id) == (dimension, id));
        of_group.map(|group| &group.name[..])
    }

    /// The ids of the groups with a name, ascending; empty if there is no such group.
    pub fn ids(&self, dimension: usize, name: &str) -> Vec<i32> {
        let of_name = self.names.iter().filter(|group| group.dimension == dimension && group.name == name);
        of_name.map(|group| group.id).collect()
    }

    /// The groups of a dimension, by id, each with its names.
    pub fn of_dimension(&self, dimension: usize) -> Vec<(i32, Vec<&str>)> {
        let of_dimension = self.names.iter().filter(|group| group.dimension == dimension);
        let mut all: Vec<(i32, Vec<&str>)> = Vec::new();
        for group in of_dimension {
            match all.last_mut() {
                Some((id, names)) if *id == group.id => names.push(&group.name),
                _ => all.push((group.id, vec![&group.name])),
            }
        }
        all
    }

    /// All names, by dimension, then by id.
    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.names.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_lead_to_each_other_within_a_dimension() {
        let mut groups = Groups::default();
        for (dimension, id, name) in
            [(2, 7, "gas"), (1, 9, "wall"), (1, 7, "inlet"), (1, 9, "hot"), (1, 8, "wall"), (1, 9, "wall")]
        {
            groups.add(dimension, id, name);
        }
        assert_eq!(groups.ids(1, "wall"), [8, 9]);
        assert_eq!(groups.names(1, 9).collect::<Vec<_>>(), ["wall", "hot"]);
        assert_eq!(groups.names(1, 7).collect::<Vec<_>>(), ["inlet"]);
        assert_eq!((groups.ids(2, "wall").len(), groups.names(3, 7).count()), (0, 0));
        let order: Vec<(usize, i32)> = groups.iter().map(|group| (group.dimension, group.id)).collect();
        assert_eq!(order, [(1, 7), (1, 8), (1, 9), (1, 9), (2, 7)]);
    }
}
