//! A mesh as a file or a generator gives it, and what a case makes of it.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use crate::derive::boundary::{Boundaries, Named};
use crate::derive::{Derived, Levels, Request, cells};
use crate::{ElementMesh, MeshError};

/// A mesh as a file or a generator gives it: one rank's blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Elements, from which anything can be derived.
    Elements(ElementMesh),
    /// Sets that a scheme computes on, and the elements they were derived from, if they are known.
    Derived {
        /// What they are.
        derived: &'static Derived,
        /// The sets.
        mesh: Mesh,
        /// The elements, whose nodes are those of the sets.
        elements: Option<ElementMesh>,
    },
}

/// What a case computes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// Sets, maps and dats.
    pub mesh: Mesh,
    /// The elements they were derived from, if they are known.
    pub elements: Option<ElementMesh>,
    /// The boundaries, by the numbers that the sets have for them.
    pub boundaries: Named,
}

impl Given {
    /// Sets without known elements.
    pub fn derived(derived: &'static Derived, mesh: Mesh) -> Given {
        Given::Derived { derived, mesh, elements: None }
    }

    /// Rank's blocks of the sets of which the hash of the mesh is made: what a file or a generator has given.
    pub fn content(&self) -> &Mesh {
        match self {
            Given::Elements(elements) => &elements.mesh,
            Given::Derived { mesh, .. } => mesh,
        }
    }

    /// [`Given::content`], alone.
    pub fn into_content(self) -> Mesh {
        match self {
            Given::Elements(elements) => elements.mesh,
            Given::Derived { mesh, .. } => mesh,
        }
    }

    /// The elements, if they are known or can be told from the sets. Collective.
    pub fn elements(self, comm: &Comm) -> Option<ElementMesh> {
        match self {
            Given::Elements(elements) => Some(elements),
            Given::Derived { elements: Some(elements), .. } => Some(elements),
            Given::Derived { derived, mesh, .. } => derived.elements.map(|elements| elements(comm, &mesh)),
        }
    }

    /// What a case needs: the sets as they are given, if they are what it needs; otherwise derived from the elements.
    /// Collective.
    ///
    /// # Errors
    /// A mesh of another dimension, or sets that do not tell their elements; boundaries without a kind or kinds without a
    /// boundary; nodes without an element, elements that do not fit together.
    pub fn prepare(
        self,
        comm: &Comm,
        needs: &[&'static Derived],
        boundaries: &Boundaries,
        levels: impl Into<Levels>,
    ) -> Result<Prepared, MeshError> {
        let found = match self {
            Given::Derived { derived, mesh, elements } if needs == [derived] => {
                if !boundaries.is_empty() {
                    return Err(MeshError::Unsuitable(format!(
                        "names of boundaries have no meaning for a mesh of {derived}, which says what each boundary is; \
                         remove them"
                    )));
                }
                let boundaries = Named::by_flag(boundaries.kinds);
                return Ok(Prepared { mesh, elements, boundaries });
            }
            Given::Derived { derived, .. } => Some(derived),
            Given::Elements(_) => None,
        };
        let about = || {
            let needs: Vec<&str> = needs.iter().map(|derived| derived.about).collect();
            needs.join(" and ")
        };
        let unsuitable = |what: String| MeshError::Unsuitable(format!("{what}, but {} are needed", about()));
        let Some(elements) = self.elements(comm) else {
            let found = found.expect("elements are known where nothing else is given");
            return Err(unsuitable(format!("this is a mesh of {found}")));
        };
        let dimension = elements.dimension();
        if needs.iter().any(|derived| !derived.dimensions.contains(&dimension)) {
            return Err(unsuitable(format!("this is a mesh of {dimension} dimensions")));
        }
        cells::every_node_is_used(comm, &elements)?;
        let elements = elements.with_groups_by_name(comm)?;
        let boundaries = boundaries.resolve(&elements)?;
        let request = Request { boundaries: &boundaries, levels: levels.into() };
        let mut mesh = Mesh::default();
        for derived in needs {
            mesh.absorb(derived.derive(comm, &elements, &request)?);
        }
        Ok(Prepared { mesh, elements: Some(elements), boundaries })
    }
}

#[cfg(test)]
mod tests {
    use cfd_engine::mesh::Values;

    use super::*;
    use crate::{BILINEAR, CELL_EDGES, ElementKind, ElementMeshBuilder, NEIGHBOURS, TRIANGLES, generate};

    /// A square of two triangles in the groups of a file, and perhaps a node beside it.
    fn square(comm: &Comm, more: &[f64]) -> ElementMesh {
        let mut builder = ElementMeshBuilder::new(2);
        if comm.is_root() {
            builder.add_nodes([0., 0., 1., 0., 1., 1., 0., 1.].iter().chain(more).copied());
            builder.add_elements(ElementKind::Triangle, 0, [0, 1, 2, 0, 2, 3]);
            builder.add_elements(ElementKind::Line, 7, [0, 1, 1, 2]);
            builder.add_elements(ElementKind::Line, 3, [2, 3, 3, 0]);
        }
        builder.name_group(1, 7, "outer");
        builder.name_group(1, 3, "wall");
        builder.build(comm).unwrap()
    }

    fn refusal(given: Given, needs: &[&'static Derived], boundaries: &Boundaries) -> String {
        given.prepare(&Comm::single(), needs, boundaries, 1).unwrap_err().to_string()
    }

    #[test]
    fn sets_that_are_needed_stay_as_they_are_and_take_no_names() {
        let comm = Comm::single();
        let mesh = generate::block(&comm, 3, 2).unwrap();
        let given = Given::derived(&CELL_EDGES, mesh.clone());
        let prepared = given.clone().prepare(&comm, &[&CELL_EDGES], &Boundaries::default(), 1).unwrap();
        assert_eq!((&prepared.mesh, prepared.elements), (&mesh, None));
        assert_eq!(prepared.boundaries, Named::by_flag(Boundaries::default().kinds));
        assert_eq!(
            refusal(given, &[&CELL_EDGES], &Boundaries::default().give("wall", ["wall"])),
            "names of boundaries have no meaning for a mesh of cells with edges, which says what each boundary is; remove \
             them"
        );
    }

    #[test]
    fn everything_that_is_needed_is_derived_from_the_same_nodes() {
        for ranks in [1, 3] {
            Comm::simulate(ranks, |comm| {
                let given = Given::Elements(square(&comm, &[]));
                let needs: [&'static Derived; 2] = [&CELL_EDGES, &TRIANGLES];
                let prepared = given.prepare(&comm, &needs, &Boundaries::default(), 1).unwrap();
                let rows =
                    ["nodes", "cells", "edges", "bedges", "elements"].map(|set| prepared.mesh.count(set));
                assert_eq!(rows, [4, 2, 1, 4, 2]);
                // Groups are numbered by their names.
                let named: Vec<_> = prepared.boundaries.iter().map(|of| (of.group, &of.name[..])).collect();
                assert_eq!(named, [(1, "outer"), (2, "wall")]);
                let flags = comm.all_gather(prepared.mesh.integers("bound")).concat();
                assert_eq!(flags, [2, 2, 1, 1]);
                assert_eq!(comm.all_gather(prepared.mesh.integers("boundary")).concat(), [1, 1, 2, 2]);
            });
        }
    }

    #[test]
    fn elements_of_sets_have_the_names_of_their_flags_or_their_numbers() {
        let comm = Comm::single();
        let mut block = generate::block(&comm, 3, 2).unwrap();
        let bound = block.dat("bound").unwrap();
        // The lower side is a wall, everything else far field.
        let flags = block
            .targets("bedge_nodes")
            .chunks_exact(2)
            .map(|ends| if ends[0].max(ends[1]) < 4 { 1 } else { 2 });
        block.dats[bound].values = Values::I32(flags.collect());
        let cells = Given::derived(&CELL_EDGES, block);
        let prepared = cells.prepare(&comm, &[&BILINEAR], &Boundaries::default(), 1).unwrap();
        assert_eq!(prepared.mesh.targets("bnode_node"), [0, 3, 4, 7, 8, 9, 10, 11]);
        let triangles = Given::derived(&TRIANGLES, generate::triangles(&comm, [2, 2]).unwrap());
        assert!(refusal(triangles.clone(), &[&BILINEAR], &Boundaries::default()).starts_with(
            "the boundaries \"1\", \"2\", \"3\", \"4\" are neither wall nor far field by their names"
        ));
        let given = Boundaries::default().give("far_field", ["1", "2", "3", "4"]);
        let prepared = triangles.prepare(&comm, &[&BILINEAR], &given, 1).unwrap();
        assert_eq!(prepared.mesh.count("bnodes"), 8);
    }

    /// A case without kinds of boundaries takes any names.
    #[test]
    fn triangles_take_boundaries_of_any_name() {
        let none = Boundaries::new(&[]);
        let comm = Comm::single();
        let prepared = Given::Elements(square(&comm, &[])).prepare(&comm, &[&TRIANGLES], &none, 1).unwrap();
        let named: Vec<_> = prepared.boundaries.iter().map(|of| (of.group, &of.name[..])).collect();
        assert_eq!(named, [(1, "outer"), (2, "wall")]);
        assert_eq!(prepared.mesh.dat("region"), None);
    }

    /// A line between two regions need not be given; as one within a region, it is a facet if it is.
    #[test]
    fn triangles_of_several_regions_keep_them() {
        for (ranks, regions, lines) in
            [(1, [4, 5], 4), (2, [4, 5], 4), (1, [4, 5], 5), (3, [4, 5], 5), (1, [4, 4], 5)]
        {
            Comm::simulate(ranks, |comm| {
                let mut builder = ElementMeshBuilder::new(2);
                if comm.is_root() {
                    builder.add_nodes([0., 0., 1., 0., 1., 1., 0., 1.]);
                    builder.add_elements(ElementKind::Triangle, regions[0], [0, 1, 2]);
                    builder.add_elements(ElementKind::Triangle, regions[1], [0, 2, 3]);
                    let ends = [2, 0, 0, 1, 1, 2, 2, 3, 3, 0];
                    builder.add_elements(ElementKind::Line, 7, ends[10 - 2 * lines..].iter().copied());
                }
                builder.name_group(2, 4, "lower");
                builder.name_group(2, 5, "above");
                let given = Given::Elements(builder.build(&comm).unwrap());
                let mesh = given.prepare(&comm, &[&TRIANGLES], &Boundaries::new(&[]), 1).unwrap().mesh;
                assert_eq!(TRIANGLES.check(&comm, &mesh, &[]), Ok(()));
                let ends = [2, 0, 0, 1, 1, 2, 2, 3, 3, 0];
                let facets = comm.all_gather(mesh.targets("facet_vertices")).concat();
                assert_eq!(facets, ends[10 - 2 * lines..]);
                if regions == [4, 4] {
                    return;
                }
                // Groups are numbered by their names.
                assert_eq!(comm.all_gather(mesh.integers("region")).concat(), [2, 1]);
                let elements = TRIANGLES.elements.expect("triangles keep their elements")(&comm, &mesh);
                assert_eq!(elements.regions(&comm), [1, 2]);
            });
        }
    }

    #[test]
    fn a_mesh_of_another_dimension_and_a_node_without_an_element_are_refused() {
        let comm = Comm::single();
        let cube = Given::derived(&NEIGHBOURS, generate::cube(&comm, 2, 1.0).unwrap());
        assert_eq!(
            refusal(cube, &[&CELL_EDGES], &Boundaries::default()),
            "this is a mesh of 3 dimensions, but cells with edges are needed"
        );
        let found = [1, 3].map(|ranks| {
            let refused = |comm: Comm| {
                let given = Given::Elements(square(&comm, &[5., 6., 7., 8.]));
                given.prepare(&comm, &[&CELL_EDGES], &Boundaries::default(), 1).unwrap_err().to_string()
            };
            Comm::simulate(ranks, refused)
        });
        let expected = "the node 4, at (5, 6), belongs to no element; remove it";
        assert!(found.concat().iter().all(|message| message == expected), "{found:?}");
    }
}
