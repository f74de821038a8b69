//! The dual mesh: sets, maps and dats.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;
use cfd_mesh::Named;
use cfd_mesh::derive::coarse::Names;

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
    /// How strongly diffusion couples the ends of edges, and the elements: of the mesh itself, not of coarse levels.
    pub(super) inner: Option<Inner>,
    /// Sizes of edges' faces, of coarse levels.
    pub(super) size: Option<Dat<1>>,
    /// First moments of edges' faces, where fluxes need them to be exact for linear functions ([`Config::has_moments`]).
    pub moments: Option<Dat<{ D * D }>>,
    /// The boundary faces of each condition that a boundary has.
    pub faces: Vec<Faces>,
    /// Nodes that are one, where boundaries are periodic.
    pub(super) copies: Option<Copies>,
}

/// What only viscous fluxes need.
#[derive(Clone, Copy)]
pub(super) struct Inner {
    /// How strongly diffusion couples the ends of edges.
    pub coupling: Dat<1>,
    /// The elements.
    pub elements: Elements,
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
        let faces = Faces::all(domain, "", config, boundaries)?;
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
            size: None,
            inner: Some(Inner { coupling: domain.dat("edge_coupling")?, elements: Elements::new(domain)? }),
            moments: domain.dat("edge_moments").ok().filter(|_| config.has_moments()),
        })
    }

    /// Of a coarse level, from 1, of a domain without periodic boundaries. It has what fluxes of first order need.
    ///
    /// # Errors
    /// The domain lacks something.
    pub(super) fn coarse(
        domain: &mut Domain,
        level: usize,
        config: &Config,
        boundaries: &Named,
    ) -> Result<Geometry, DomainError> {
        let names = Names::of(level);
        let edge_nodes: Map<2> = domain.map(&names.ends)?;
        Ok(Geometry {
            faces: Faces::all(domain, &names.prefix, config, boundaries)?,
            copies: None,
            nodes: domain.set(&names.nodes)?,
            edges: domain.set(&names.edges)?,
            a: edge_nodes.target::<0>(),
            b: edge_nodes.target::<1>(),
            x: domain.dat(&names.x)?,
            volume: domain.dat(&names.volume)?,
            area: domain.dat(&names.area)?,
            size: Some(domain.dat(&names.size)?),
            inner: None,
            moments: None,
        })
    }

    /// What viscous fluxes need.
    pub(super) fn inner(&self) -> Inner {
        self.inner.expect("no viscous flux is computed on a coarse level")
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
    /// Of all conditions; `prefix` stands before names of a coarse level.
    fn all(
        domain: &mut Domain,
        prefix: &str,
        config: &Config,
        boundaries: &Named,
    ) -> Result<Vec<Faces>, DomainError> {
        let has = |name: &str| domain.set(&format!("{prefix}{name}")).is_ok();
        let conditions: Vec<&'static str> =
            KINDS.iter().map(|kind| kind.name).filter(|name| has(name)).collect();
        conditions.into_iter().map(|name| Faces::new(domain, prefix, name, config, boundaries)).collect()
    }

    fn new(
        domain: &mut Domain,
        prefix: &str,
        condition: &'static str,
        config: &Config,
        boundaries: &Named,
    ) -> Result<Faces, DomainError> {
        let name = |what: &str| format!("{prefix}{condition}_{what}");
        let (set, nodes) = (domain.set(&format!("{prefix}{condition}"))?, domain.map::<W>(&name("nodes"))?);
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
