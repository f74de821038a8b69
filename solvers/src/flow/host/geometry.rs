//! The dual mesh: sets, maps and dats.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;
use cfd_mesh::Named;

use super::{Copies, D, Elements, N, W, kernels};
use crate::flow::conditions::{KINDS, given};
use crate::flow::config::Config;
use crate::gas::copies::CopyLoops;

/// Nodes with dual cells, edges between them, elements, boundary faces.
pub struct Geometry {
    /// The nodes.
    pub nodes: Set,
    /// The edges.
    pub edges: Set,
    /// The first end of an edge.
    pub a: Target<2, 0>,
    /// Its second end.
    pub b: Target<2, 1>,
    /// Coordinates.
    pub x: Dat<D>,
    /// Volumes of dual cells, whole ones on periodic boundaries.
    pub volume: Dat<1>,
    /// Area vectors of edges' faces, from a to b.
    pub area: Dat<D>,
    /// How strongly diffusion couples the ends of edges.
    pub coupling: Dat<1>,
    /// First moments of edges' faces, where fluxes need them to be exact for linear functions ([`Config::has_moments`]).
    pub moments: Option<Dat<{ D * D }>>,
    /// The elements.
    pub(super) elements: Elements,
    /// The boundary faces of each condition that a boundary has.
    pub faces: Vec<Faces>,
    /// Nodes that are one, where boundaries are periodic.
    pub(super) copies: Option<Copies>,
}

/// The boundary faces of one condition.
#[derive(Clone, Copy)]
pub struct Faces {
    /// The condition, and the name of their set.
    pub condition: &'static str,
    /// The faces.
    pub set: Set,
    /// Their nodes: a face's own, then the others of its boundary element.
    pub nodes: Map<W>,
    /// Their own node.
    pub node: Target<W, 0>,
    /// Area vectors, outward.
    pub area: Dat<D>,
    /// The shares of the nodes in a face's middle.
    pub middle: Dat<W>,
    /// Their shares in what flows through a face: those in its middle; or all is the own node's, where fluxes between cells,
    /// too, are without the first moments of faces.
    pub shares: Dat<W>,
    /// The number of a face's boundary.
    pub boundary: Dat<1, i32>,
    /// What the condition gives ([`given`]).
    pub given: Dat<N>,
    /// The mass that flows out through a face per time, if something does, in the residual that was recorded last.
    pub through: Dat<1>,
}

impl Geometry {
    /// Of a domain of [`cfd_mesh::DUAL`], with the values of its boundaries' conditions.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(domain: &mut Domain, config: &Config, boundaries: &Named) -> Result<Geometry, DomainError> {
        let edge_nodes: Map<2> = domain.map("edge_nodes")?;
        let of_kind =
            |kind: &'static cfd_mesh::BoundaryKind| domain.set(kind.name).is_ok().then_some(kind.name);
        let conditions: Vec<&'static str> = KINDS.iter().filter_map(of_kind).collect();
        let faces = conditions.into_iter().map(|name| Faces::new(domain, name, config, boundaries));
        let faces = faces.collect::<Result<_, _>>()?;
        let copies = Copies::new(domain)?;
        let volume = match &copies {
            None => domain.dat("volume")?,
            Some(copies) => copies.volumes(domain)?,
        };
        Ok(Geometry {
            faces,
            copies,
            nodes: domain.set("nodes")?,
            edges: domain.set("edges")?,
            a: edge_nodes.target::<0>(),
            b: edge_nodes.target::<1>(),
            x: domain.dat("x")?,
            volume,
            area: domain.dat("edge_area")?,
            coupling: domain.dat("edge_coupling")?,
            moments: domain.dat("edge_moments").ok().filter(|_| config.has_moments()),
            elements: Elements::new(domain)?,
        })
    }

    /// The sums of the area vectors of walls' faces at nodes. Collective.
    pub(super) fn wall_normals(&self, domain: &mut Domain, faces: &Faces) -> Dat<D> {
        let name = "normals of walls";
        if let Ok(normal) = domain.dat(name) {
            return normal;
        }
        let normal = domain.new_dat(self.nodes, name);
        domain.par_loop(kernels::add_area, faces.set, (faces.area, normal.at(faces.node)), &());
        if let Some(copies) = &self.copies {
            copies.vectors.unite(domain, normal);
        }
        normal
    }

    /// The faces of a condition, if a boundary has it.
    pub fn faces_of(&self, condition: &str) -> Option<Faces> {
        self.faces.iter().copied().find(|faces| faces.condition == condition)
    }
}

impl Faces {
    fn new(
        domain: &mut Domain,
        condition: &'static str,
        config: &Config,
        boundaries: &Named,
    ) -> Result<Faces, DomainError> {
        let name = |what: &str| format!("{condition}_{what}");
        let (set, nodes) = (domain.set(condition)?, domain.map::<W>(&name("nodes"))?);
        let boundary: Dat<1, i32> = domain.dat(&name("boundary"))?;
        let middle = domain.dat(&name("middle"))?;
        let faces = Faces {
            condition,
            set,
            nodes,
            node: nodes.target::<0>(),
            area: domain.dat(&name("area"))?,
            middle,
            shares: if config.has_moments() { middle } else { domain.new_dat(set, &name("shares")) },
            boundary,
            given: domain.new_dat(set, &name("given")),
            through: domain.new_dat(set, &name("through")),
        };
        let numbers = domain.read(boundary)?;
        let of_face = |number: &i32| {
            let name = boundaries.of_group(*number).map(|boundary| &boundary.name);
            given::<N>(name.and_then(|name| config.boundaries.get(name)), config)
        };
        let values: Vec<f64> = numbers.iter().flat_map(of_face).collect();
        domain.write(faces.given, &values);
        if !config.has_moments() {
            let own: [f64; W] = std::array::from_fn(|k| if k == 0 { 1.0 } else { 0.0 });
            domain.write(faces.shares, &own.repeat(numbers.len()));
        }
        Ok(faces)
    }
}
